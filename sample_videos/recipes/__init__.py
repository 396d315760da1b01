"""Recipes that find the strokes of the library: each draws places, aims with `search`, and says by the events what it wants.

Development only; `python -m sample_videos.recipes OUT.toml [NAME…]` searches them anew.
"""

from sample_videos.recipes import combinations, cushions, delicate, fouls, jumps, pots
from sample_videos.recipes.base import RECIPES, Recipe, met, only, pot_call, reflections, speed, spin
from sample_videos.recipes.library import find, rounded, stroke_toml

__all__ = [
    "RECIPES",
    "Recipe",
    "combinations",
    "cushions",
    "delicate",
    "find",
    "fouls",
    "jumps",
    "met",
    "only",
    "pot_call",
    "pots",
    "reflections",
    "rounded",
    "speed",
    "spin",
    "stroke_toml",
]
