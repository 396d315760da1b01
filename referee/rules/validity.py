"""May a call be made at all? If not it is void, and the ruling says why (D7, D32, D33; rules 8.4, 10, 11)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import product

from calibration.table import Table
from referee.calls.call import BankBlack, Call, Carom, Combination, Element, Pot
from referee.rules import in_hand
from referee.rules.facts import Facts
from referee.rules.snooker import snookered
from referee.rules.terms import legal_balls


class VoidReason(StrEnum):
    """Why a call is void."""

    SNOOKERED = "a combination with black was called while snookered"
    STRAIGHT_FROM_HAND = "a straight ball was called from hand"
    JUMP_FROM_HAND = "a jump was called from hand"
    BANK_FROM_HAND = "a bank onto black was called from hand"
    CUE_BALL_AS_OBJECT = "the cue ball was called as its own object ball"
    BLACK_IN_CAROM = "black was called as a ball of a three-cushion carom"
    BLACK_UNCOMBINED = "black was called without a combination"
    NOT_ON_TABLE = "a ball was called that is not on the table"
    BY_OR_OFF_OWN = "the own ball was called by or off a ball"
    CAROM_OF_OBJECT = "a combination off two balls was called for an object ball"
    IN_ITS_OWN_COMBINATION = "a ball was called in its own combination"
    TOO_MANY_BALLS = "a combination was called with balls that it has no place for"
    BANK_WITHOUT_CUSHION = "a bank onto black was called without a cushion"
    BLACK_ONTO_BLACK = "black was called as the ball of a bank onto black"
    SAME_BALL_TWICE = "the same ball was called in two elements"
    NOTHING_CALLED = "the call has no element"


# Rules and decisions that make each reason.
VOID_LAW: dict[VoidReason, tuple[str, tuple[str, ...]]] = {
    VoidReason.SNOOKERED: ("10", ("D7", "D8")),
    VoidReason.STRAIGHT_FROM_HAND: ("11", ("D7", "D33")),
    VoidReason.JUMP_FROM_HAND: ("11", ("D7", "D19")),
    VoidReason.BANK_FROM_HAND: ("11", ("D7",)),
    VoidReason.CUE_BALL_AS_OBJECT: ("2", ("D7",)),
    VoidReason.BLACK_IN_CAROM: ("8.4", ("D7",)),
    VoidReason.BLACK_UNCOMBINED: ("10", ("D7", "D32")),
    VoidReason.NOT_ON_TABLE: ("2", ("D7", "D32")),
    VoidReason.BY_OR_OFF_OWN: ("9.2", ("D7", "D32")),
    VoidReason.CAROM_OF_OBJECT: ("9.2", ("D7", "D32")),
    VoidReason.IN_ITS_OWN_COMBINATION: ("9.2", ("D7", "D32")),
    VoidReason.TOO_MANY_BALLS: ("9.2", ("D7",)),
    VoidReason.BANK_WITHOUT_CUSHION: ("8.5", ("D7", "D32")),
    VoidReason.BLACK_ONTO_BLACK: ("8.5", ("D7",)),
    VoidReason.SAME_BALL_TWICE: ("2", ("D7", "D32")),
    VoidReason.NOTHING_CALLED: ("2", ("D7",)),
}

_FROM_HAND = {
    in_hand.HandReason.STRAIGHT: VoidReason.STRAIGHT_FROM_HAND,
    in_hand.HandReason.JUMP: VoidReason.JUMP_FROM_HAND,
    in_hand.HandReason.BANK: VoidReason.BANK_FROM_HAND,
}


@dataclass(frozen=True, slots=True)
class Called:
    """What was announced, looked at before the stroke.

    `readings` are the ways to read a valid call with every ball a colour («other» by a yellow cue ball can be white or
    red); none when nothing was called or the call is void (`void` says why).
    """

    said: bool = False
    void: VoidReason | None = None
    readings: tuple[tuple[Element, ...], ...] = ()
    elements: tuple[Element, ...] = ()  # of every reading: what the call may provide for
    black_combination: bool = False  # rule 10: a combination with black, or of black itself, validly called

    @property
    def valid(self) -> bool:
        return bool(self.readings)


def _with_black(pot: Pot) -> bool:
    return pot.ball == "black" or (pot.combination is not None and "black" in pot.combination.balls)


def examine(call: Call | None, facts: Facts, table: Table) -> Called:
    """The call as far as it may be made from this state; one void element voids it all (D32)."""
    if call is None:
        return Called()
    if not call.elements:
        return Called(True, VoidReason.NOTHING_CALLED)
    choices: list[tuple[Element, ...]] = []
    for element in call.elements:
        read = _readings(element, facts)
        if isinstance(read, VoidReason):
            return Called(True, read)
        choices.append(read)
    if facts.from_hand:
        for element in call.elements:
            forbidden = in_hand.forbids(element)
            if forbidden is not None:
                return Called(True, _FROM_HAND[forbidden])
    readings = tuple(r for r in product(*choices) if _distinct(r))
    if not readings:
        return Called(True, VoidReason.SAME_BALL_TWICE)
    elements = tuple(dict.fromkeys(e for reading in readings for e in reading))
    black = any(isinstance(e, Pot) and _with_black(e) for e in elements)
    if black and snookered(facts.cue, facts.before, legal_balls(facts.cue), table):
        return Called(True, VoidReason.SNOOKERED)
    return Called(True, None, readings, elements, black)


def decisions(call: Call | None, called: Called, facts: Facts) -> set[str]:
    """Decisions that reading a valid call took, whether it is made or not."""
    if call is None or not called.valid:
        return set()
    pots = [e for e in call.elements if isinstance(e, Pot)]
    combinations = [p.combination for p in pots if p.combination is not None]
    used = {
        "D8": called.black_combination,
        "D19": any(p.jump for p in pots),
        "D20": len(pots) > 1,
        "D30": any("other" in _named(e) for e in call.elements),
        "D31": any(not c.balls for c in combinations),
        "D32": (len(pots) < len(call.elements) and bool(pots)) or any(c.how == "carom" and "black" in c.balls for c in combinations),
        "D33": facts.from_hand and len(call.elements) > 1,
        "D34": any(p.jump and p.ball != "own" for p in pots),
        "D38": any(isinstance(e, BankBlack) and e.contacts for e in call.elements),
    }
    return {decision for decision, so in used.items() if so}


def _named(element: Element) -> tuple[str, ...]:
    if isinstance(element, Carom):
        return (element.first, element.second)
    return (element.ball, *(element.combination.balls if isinstance(element, Pot) and element.combination else ()))


def _colours(ball: str, cue: str) -> tuple[str, ...]:
    """D30: «other» is yellow for white, white or red for yellow."""
    if ball == "own":
        return (cue,)
    return legal_balls(cue) if ball == "other" else (ball,)


def _readings(element: Element, facts: Facts) -> tuple[Element, ...] | VoidReason:
    if isinstance(element, Carom):
        return _carom_readings(element, facts)
    if isinstance(element, BankBlack):
        return _bank_readings(element, facts)
    return _pot_readings(element, facts)


def _pot_readings(pot: Pot, facts: Facts) -> tuple[Element, ...] | VoidReason:
    """A called pot with its ball, and those of its combination, named by colour; or why it is void (D7, D32)."""
    cue, combination = facts.cue, pot.combination
    balls = _colours(pot.ball, cue)
    if combination is not None:
        flaw = _combination_flaw(combination, balls == (cue,), cue, facts)
        if flaw is not None:
            return flaw
    on_table = [b for b in balls if b in facts.on_table]
    if not on_table:
        return VoidReason.NOT_ON_TABLE
    if combination is None:
        if on_table == ["black"]:
            return VoidReason.BLACK_UNCOMBINED
        return tuple(replace(pot, ball=b) for b in on_table)
    found: list[Element] = []
    for ball in on_table:
        for named in product(*(_colours(b, cue) for b in combination.balls)):
            if ball not in named and len(set(named)) == len(named) and all(b in facts.on_table for b in named):
                found.append(replace(pot, ball=ball, combination=Combination(combination.how, named)))
    return tuple(found) or VoidReason.IN_ITS_OWN_COMBINATION


def _combination_flaw(combination: Combination, own: bool, cue: str, facts: Facts) -> VoidReason | None:
    """D32: «by» and «off» are for object balls and name one ball, «carom» is for the own ball and names two."""
    if own and combination.how in ("by", "off"):
        return VoidReason.BY_OR_OFF_OWN
    if not own and combination.how == "carom":
        return VoidReason.CAROM_OF_OBJECT
    room = 2 if combination.how == "carom" else 1
    colours = [_colours(b, cue) for b in combination.balls]
    if (cue,) in colours:
        return VoidReason.IN_ITS_OWN_COMBINATION if own else VoidReason.CUE_BALL_AS_OBJECT
    if len(colours) > room or len(set(combination.balls)) != len(combination.balls):
        return VoidReason.TOO_MANY_BALLS
    if any(not facts.on_table.intersection(c) for c in colours):
        return VoidReason.NOT_ON_TABLE
    return None


def _carom_readings(carom: Carom, facts: Facts) -> tuple[Element, ...] | VoidReason:
    """Rule 8.4: from one object ball to another, black never one of the two."""
    first, second = (_colours(b, facts.cue) for b in (carom.first, carom.second))
    if "black" in (*first, *second):
        return VoidReason.BLACK_IN_CAROM
    if (facts.cue,) in (first, second):
        return VoidReason.CUE_BALL_AS_OBJECT
    firsts, seconds = ([b for b in balls if b in facts.on_table] for balls in (first, second))
    if not firsts or not seconds:
        return VoidReason.NOT_ON_TABLE
    return tuple(Carom(a, b) for a in firsts for b in seconds if a != b) or VoidReason.SAME_BALL_TWICE


def _bank_readings(bank: BankBlack, facts: Facts) -> tuple[Element, ...] | VoidReason:
    """Rule 8.5: an object ball, with at least one cushion, onto black."""
    balls = _colours(bank.ball, facts.cue)
    if balls == (facts.cue,):
        return VoidReason.CUE_BALL_AS_OBJECT
    if balls == ("black",):
        return VoidReason.BLACK_ONTO_BLACK
    if bank.cushions < 1:
        return VoidReason.BANK_WITHOUT_CUSHION
    on_table = [b for b in balls if b in facts.on_table]
    if not on_table or "black" not in facts.on_table:
        return VoidReason.NOT_ON_TABLE
    return tuple(replace(bank, ball=b) for b in on_table)


def _distinct(elements: tuple[Element, ...]) -> bool:
    """D32: no ball is the subject of two elements; the subject of a carom is the cue ball's path, so two caroms clash."""
    subjects = ["carom" if isinstance(e, Carom) else e.ball for e in elements]
    return len(set(subjects)) == len(subjects)
