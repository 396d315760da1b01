"""Words and numbers of the rules that every family uses."""

from __future__ import annotations

from collections.abc import Container

BALLS = ("white", "yellow", "red", "black")
COLOURS_THAT_SCORE_UNCALLED = ("white", "yellow", "red")

# Rule 8 and, for black, rule 10.
POT_POINTS = {"white": 1, "yellow": 3, "red": 5, "black": 4}
POT_RULE = {"white": "8.1", "yellow": "8.2", "red": "8.3", "black": "10"}
CAROM_POINTS = 2  # rule 8.4
CUSHION_BONUS = {1: 3, 2: 5, 3: 6}  # rule 9.1
COMBINATION_BONUS = 3  # rule 9.2
JUMP_BONUS = 3  # rule 9.3
TWO_STRAIGHT_BONUS = 5  # rule 9.4
FOUL_POINTS = 3  # rule 12

# Rule 3 allows three seconds in the jaws, and exactly three are in time (D39). The margin is for binary fractions
# (5.2 - 2.2 is a little more than 3), far below what a clock can tell.
JAWS_SECONDS = 3.0 + 1e-6

_ADJOINING = {
    "home-left": frozenset(("home", "left")),
    "home-right": frozenset(("home", "right")),
    "middle-left": frozenset(("left",)),
    "middle-right": frozenset(("right",)),
    "foot-left": frozenset(("foot", "left")),
    "foot-right": frozenset(("foot", "right")),
}


def adjoining(pocket: str) -> frozenset[str]:
    """Cushions that adjoin a pocket (contract: adjudication, frame of reference)."""
    return _ADJOINING[pocket]


def is_middle(pocket: str) -> bool:
    return pocket.startswith("middle")


def legal_balls(cue: str) -> tuple[str, ...]:
    """Balls that the cue ball may meet without any call (rules 6, 7, 10): for white yellow; for yellow white and red."""
    return ("yellow",) if cue == "white" else ("white", "red")


def pair(a: str, b: str) -> frozenset[str]:
    return frozenset((a, b))


WHITE_RED = pair("white", "red")


def matches_pocket(called: str, pocket: str) -> bool:
    """A call names one pocket, or a class: corner, middle, any (D5)."""
    if called == "any":
        return True
    if called in ("corner", "middle"):
        return (called == "middle") == is_middle(pocket)
    return called == pocket


def present(places: Container[str], *balls: str) -> bool:
    return all(ball in places for ball in balls)
