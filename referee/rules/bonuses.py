"""Items of the score sheet for potted balls: the ball itself (8.1-8.3, 10) and the bonuses of rule 9, which add up (9.6)."""

from __future__ import annotations

from collections.abc import Sequence

from referee.rules.facts import Facts, Fall, Reflection
from referee.rules.outcome import Pocketed
from referee.rules.terms import (
    COMBINATION_BONUS,
    CUSHION_BONUS,
    JUMP_BONUS,
    POT_POINTS,
    POT_RULE,
    TWO_STRAIGHT_BONUS,
)
from referee.ruling import Item


def pot_item(ball: str, events: tuple[int, ...], decisions: tuple[str, ...]) -> Item:
    """Rules 8.1-8.3: white 1, yellow 3, red 5; rule 10: black 4."""
    return Item(POT_RULE[ball], ball, POT_POINTS[ball], events, decisions)


def cushion_item(ball: str, made: int, reflections: Sequence[Reflection], pocket: str) -> Item:
    """Rule 9.1: 3, 5 or 6 for one, two, three or more cushions of the potted ball itself (D4)."""
    events = tuple(r.index for r in reflections if r.jaws != pocket)
    return Item("9.1", ball, CUSHION_BONUS[made], events, ("D4",))


def combination_item(facts: Facts, ball: str, fall: Fall) -> Item:
    """Rule 9.2: 3 for a ball potted by a third ball, off a third ball, or a cue ball off two (D21, D36; black: D23)."""
    contacts = facts.paths[ball].contacts(fall.end)
    events = [c.index for c in contacts]
    if contacts and all(c.other != facts.cue for c in contacts) and ball != facts.cue:
        events = [c.index for c in facts.cue_path.contacts(contacts[0].index) if c.other == contacts[0].other] + events
    decisions = ("D21", "D36", "D23") if ball == "black" else ("D21", "D36")
    return Item("9.2", ball, COMBINATION_BONUS, tuple(events), decisions)


def jump_item(ball: str, jumps: tuple[int, ...]) -> Item:
    """Rule 9.3: 3 for the cue ball potted by a jump over a ball or a jaw (D19)."""
    return Item("9.3", ball, JUMP_BONUS, jumps, ("D19",))


def two_straight_item(pocketed: Sequence[Pocketed], *, called: bool) -> Item | None:
    """Rule 9.4: 5 for two straight balls in two different pockets (D20, D35); in one pocket nothing (rule 9.7)."""
    straight = [p for p in pocketed if p.straight]
    for i, one in enumerate(straight):
        for other in straight[i + 1 :]:
            if one.pocket != other.pocket:
                events = tuple(sorted((one.event, other.event)))
                return Item("9.4", None, TWO_STRAIGHT_BONUS, events, ("D20", "D35") if called else ("D20",))
    return None
