"""Fouls of rule 12. Any number of them costs three points once; all are listed (D2)."""

from __future__ import annotations

from enum import StrEnum

from referee.calls.call import Carom
from referee.rules import carom
from referee.rules.called import named_to_meet
from referee.rules.facts import Facts
from referee.rules.outcome import Made, Score
from referee.rules.terms import WHITE_RED, legal_balls
from referee.rules.validity import Called
from referee.ruling import Foul


class FoulRule(StrEnum):
    """Every foul, by its number in the source."""

    MISS = "12.1"
    WRONG_BALL = "12.2"
    WHITE_RED = "12.3"
    BLACK = "12.4"
    TOUCH = "12.5"
    INACTIVE = "12.6"
    CUE_BALL_POTTED = "12.7"
    CUE_BALL_OFF_TABLE = "12.8"
    FORBIDDEN_STROKE = "12.9"


_FORBIDDEN = frozenset(("double_hit", "push", "press"))
_ACTIVE = frozenset(("cushion", "jaw", "off_table", "pocket"))


def find(facts: Facts, called: Called, score: Score) -> tuple[Foul, ...]:
    """All fouls of a stroke in the order of their events; a miss and an inactive stroke, which no event shows, come last."""
    fouls = _by_event(facts, called) + _cue_ball_potted(facts, score.made)
    # D25: after a stroke at a wrong ball, and where no stroke was made, neither a miss nor activity is judged.
    struck = any(e.type == "strike" for e in facts.events)
    if struck and not any(f.rule == FoulRule.WRONG_BALL for f in fouls):
        fouls += _miss_or_inactive(facts, called, score.made)
    fouls += _white_red(facts, called, score.made, annulled=bool(fouls))
    return tuple(sorted(fouls, key=lambda f: (f.event is None, f.event or 0, f.rule)))


def _by_event(facts: Facts, called: Called) -> list[Foul]:
    """12.2, 12.4, 12.5, 12.8, 12.9: fouls that one event shows."""
    fouls: list[Foul] = []
    struck = False
    for i, event in enumerate(facts.events):
        kind, ball = event.type, event.ball
        if kind == "contact" and event.balls is not None:
            if _black_too_early(facts, called, i, event.balls):
                fouls.append(Foul(FoulRule.BLACK, event.balls, i))
        elif ball is None:
            continue
        elif kind == "strike":
            if ball != facts.cue:
                fouls.append(Foul(FoulRule.WRONG_BALL, (ball,), i, ("D25",)))
            elif struck:
                fouls.append(Foul(FoulRule.FORBIDDEN_STROKE, (ball,), i, ("D25",)))
            struck = True
        elif kind == "touch":
            fouls.append(Foul(FoulRule.TOUCH, (ball,), i))
        elif kind in _FORBIDDEN:
            fouls.append(Foul(FoulRule.FORBIDDEN_STROKE, (ball,), i))
        elif kind == "off_table" and ball == facts.cue:
            fouls.append(Foul(FoulRule.CUE_BALL_OFF_TABLE, (ball,), i))
    return fouls


def _black_too_early(facts: Facts, called: Called, index: int, balls: tuple[str, str]) -> bool:
    """12.4 (rule 7): the cue ball touches black before another ball did; in a called combination with black it may (rule 10)."""
    if "black" not in balls or facts.cue not in balls or called.black_combination:
        return False
    return not any(c.other != facts.cue for c in facts.paths["black"].contacts(index))


def _cue_ball_potted(facts: Facts, made: Made | None) -> list[Foul]:
    """12.7: the cue ball potted otherwise than called, or by a combination without a call; a late fall is no pot (D18)."""
    fall = facts.potted(facts.cue)
    if fall is None or (made is not None and facts.cue in made.right):
        return []
    decisions = ("D29",) if fall.knock is not None else ("D6",) if facts.from_hand else ()
    return [Foul(FoulRule.CUE_BALL_POTTED, (facts.cue,), fall.index, decisions)]


def _miss_or_inactive(facts: Facts, called: Called, made: Made | None) -> list[Foul]:
    """12.1 (D24): the cue ball met no legal ball. 12.6 (D10, D28): after it met one, nothing happened that is activity.

    A late fall is no pot, but nobody is penalised for it (D18), so it is activity like any other fall.
    """
    may_meet = set(legal_balls(facts.cue)) | named_to_meet(facts, called, made)
    met = next((c for c in facts.cue_path.contacts() if c.other in may_meet), None)
    if met is None:
        return [Foul(FoulRule.MISS, (facts.cue,), None, ("D24",))]
    for i in range(met.index + 1, len(facts.events)):
        event = facts.events[i]
        if event.type in _ACTIVE or (event.type == "midline" and not facts.opening):
            return []
    return [Foul(FoulRule.INACTIVE, (), None, ("D10",))]


def decisions(facts: Facts, called: Called, score: Score) -> set[str]:
    """Decisions by which something is no foul: D9 and D27 (a carom onto red), D24 and D31 (a ball that the call adds), D28."""
    used: set[str] = set()
    caroms = [e for e in called.elements if isinstance(e, Carom)]
    reds = [c.index for c in facts.paths["white"].contacts() if c.other == "red"]
    if any(carom.exempts_red(facts, c, index) for c in caroms for index in reds):
        used |= {"D9", "D27"}
    first = facts.cue_path.first_met
    if first is not None and first.other not in legal_balls(facts.cue) and first.other in named_to_meet(facts, called, score.made):
        used.add("D24")
    if any(path.off_table is not None for path in facts.paths.values()):
        used.add("D28")
    return used


def _white_red(facts: Facts, called: Called, made: Made | None, *, annulled: bool) -> list[Foul]:
    """12.3 (rule 6): white and red touch, except where a called stroke that scores provides for it, or in a carom onto red.

    A provided contact in a stroke that another foul annuls is a foul too (D26).
    """
    provided = made is not None and called.said and WHITE_RED in made.provides
    if provided and not annulled:
        return []
    caroms = [e for e in called.elements if isinstance(e, Carom)]
    fouls = []
    for contact in facts.paths["white"].contacts():
        if contact.other != "red" or any(carom.exempts_red(facts, c, contact.index) for c in caroms):
            continue
        decisions = ("D26",) if provided else ("D9", "D27") if caroms else ("D9",) if facts.cue == "yellow" else ()
        fouls.append(Foul(FoulRule.WHITE_RED, ("white", "red"), contact.index, decisions))
    return fouls
