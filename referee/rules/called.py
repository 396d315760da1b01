"""What a stroke makes, fouls apart: with a call all its elements must be made (rule 2), without one each straight ball counts."""

from __future__ import annotations

from collections.abc import Set

from referee.calls.call import BankBlack, Carom, Element, Pot
from referee.rules import bank, bonuses, carom, pots
from referee.rules.facts import Facts
from referee.rules.outcome import Failure, Made, NotMade, Score
from referee.rules.terms import BALLS
from referee.rules.validity import Called


def score(facts: Facts, called: Called) -> Score:
    """The score of a stroke before fouls are looked at."""
    if not called.said:
        return _without_call(facts)
    if called.void is not None:
        return Score(None, tuple(Failure(NotMade.VOID_CALL, b, f.index) for b in BALLS if (f := facts.fall(b))))
    found = [_reading(facts, reading) for reading in called.readings]
    made = [score for score in found if score.made is not None]
    if made:
        return min(made, key=_completed)
    return found[0] if found else Score(None)


def _completed(found: Score) -> list[int]:
    """When each item was complete: of two balls that are both the called «other» (D30) the first counts, the second is an accident."""
    return [max(item.events, default=0) for item in found.made.items] if found.made else []


def _without_call(facts: Facts) -> Score:
    """Rule 3: each straight ball stands alone; two of them in two pockets earn the bonus of 9.4 (D20)."""
    results = [pots.uncalled(facts, fall) for ball in BALLS if (fall := facts.fall(ball)) is not None]
    made = [r for r in results if isinstance(r, Made)]
    failures = tuple(r for r in results if isinstance(r, Failure))
    if not made:
        return Score(None, failures)
    pocketed = tuple(p for m in made for p in m.pocketed)
    items = tuple(i for m in made for i in m.items)
    bonus = bonuses.two_straight_item(pocketed, called=False)
    return Score(Made((*items, bonus) if bonus else items, pocketed), failures)


def _reading(facts: Facts, elements: tuple[Element, ...]) -> Score:
    """Every element must be made (9.4, D20, D32); other balls that fell are accidents (rule 2)."""
    results = [make(facts, element) for element in elements]
    failures = tuple(r for r in results if isinstance(r, Failure))
    if failures:
        named = {f.ball for f in failures}
        half = {b for r in results if isinstance(r, Made) for b in r.right}
        also = tuple(_beside(facts, b, half) for b in BALLS if facts.fall(b) is not None and b not in named)
        return Score(None, failures + also)
    made = [r for r in results if isinstance(r, Made)]
    pocketed = tuple(p for m in made for p in m.pocketed)
    items = tuple(i for m in made for i in m.items)
    bonus = bonuses.two_straight_item(pocketed, called=True)
    whole = Made((*items, bonus) if bonus else items, pocketed, frozenset().union(*(m.provides for m in made)))
    accidents = tuple(_beside(facts, b) for b in BALLS if facts.fall(b) is not None and b not in whole.right)
    return Score(whole, accidents)


def _beside(facts: Facts, ball: str, half: Set[str] = frozenset()) -> Failure:
    """Why a ball that fell does not count though its own element did not fail: late, half of a double (9.4, D29), not called."""
    fall = facts.fall(ball)
    at = fall.index if fall else None
    if fall is not None and not fall.potted:
        return Failure(NotMade.FELL_LATE, ball, at, ("D18",))
    if ball in half:
        return Failure(NotMade.HALF_A_DOUBLE, ball, at, ("D29",) if ball == facts.cue else ("D20",))
    return Failure(NotMade.NOT_CALLED, ball, at)


def make(facts: Facts, element: Element) -> Made | Failure:
    """Is one element of a valid call made?"""
    if isinstance(element, Carom):
        return carom.called(facts, element)
    if isinstance(element, BankBlack):
        return bank.called(facts, element)
    return pots.called(facts, element)


def named_to_meet(facts: Facts, called: Called, scored: Made | None) -> frozenset[str]:
    """Balls that a valid call adds to those the cue ball may meet (D24); those it does not name, only if it scores (D31)."""
    named: set[str] = set()
    for element in called.elements:
        if isinstance(element, Carom):
            named |= {element.first, element.second}
        elif isinstance(element, BankBlack):
            named.add(element.ball)
        else:
            named |= _pot_names(element, facts.cue)
    if called.black_combination:
        named.add("black")
    if scored is not None and called.said:
        for touched in scored.provides:
            if facts.cue in touched:
                named |= touched
    return frozenset(named - {facts.cue})


def _pot_names(pot: Pot, cue: str) -> set[str]:
    if pot.combination is None or pot.combination.how == "off":
        return {pot.ball}
    return set(pot.combination.balls)
