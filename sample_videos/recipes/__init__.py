"""Recipes that find the strokes of the library: each draws places, aims with `search`, and says by the events what it wants.

Development only; `python -m sample_videos.recipes OUT.toml [NAME…]` searches them anew.
"""

from sample_videos.recipes import calls, close, combinations, cushions, delicate, faults, fouls, jumps, mouths, pots
from sample_videos.recipes.base import RECIPES, Recipe, met, only, pot_call, reflections, speed, spin
from sample_videos.recipes.library import find, stroke_of, stroke_toml, strokes, without_fall

__all__ = [
    "RECIPES",
    "Recipe",
    "calls",
    "close",
    "combinations",
    "cushions",
    "delicate",
    "faults",
    "find",
    "fouls",
    "jumps",
    "met",
    "mouths",
    "only",
    "pot_call",
    "pots",
    "reflections",
    "speed",
    "spin",
    "stroke_of",
    "stroke_toml",
    "strokes",
    "without_fall",
]
