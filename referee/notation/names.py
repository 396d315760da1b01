"""The letters of the notation. Balls are capitals, so they never meet a number's exponent."""

from __future__ import annotations

BALLS = {"white": "W", "yellow": "Y", "red": "R", "black": "B"}
CALLED_BALLS = {**BALLS, "own": "S", "other": "O"}
POCKETS = {
    "home-left": "HL",
    "home-right": "HR",
    "middle-left": "ML",
    "middle-right": "MR",
    "foot-left": "FL",
    "foot-right": "FR",
}
CALLED_POCKETS = {**POCKETS, "corner": "C", "middle": "M", "any": "*"}
CUSHIONS = {"home": "h", "foot": "f", "left": "l", "right": "r"}
PLACEMENTS = {"as_lies": "lies", "in_hand": "hand", "in_hand_house": "house"}
COMBINATIONS = {"by": "+", "off": "-", "carom": "&"}
JUMPS = {"ball": "^b", "jaw": "^j"}


def back(table: dict[str, str]) -> dict[str, str]:
    """The table from letters to words."""
    return {letter: word for word, letter in table.items()}
