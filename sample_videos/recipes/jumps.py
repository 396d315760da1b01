"""Jumps of the cue ball over a ball."""

from __future__ import annotations

from collections.abc import Iterator
from math import cos, hypot, sin

import numpy as np

from calibration.table import Table
from sample_videos import search
from sample_videos.flight import lift_to_clear
from sample_videos.physics import SimulatedShot, SimulationFailed, simulate
from sample_videos.recipes.base import WY, any_pocket, facing, first, only, places, pot_call, potted, recipe, reflections, short, speed


def _over(rng: np.random.Generator, t: Table, ball: str, pocket: str | None) -> Iterator[SimulatedShot]:
    """White jumps over `ball`, which lies on its way to yellow; with a pocket, white is aimed into it off yellow."""
    fixed = {"yellow": facing(rng, t, pocket)} if pocket else {}
    placing = places(rng, t, **{"red": None, "black": None, **fixed})
    white, yellow = placing["white"], placing["yellow"]
    far, way = hypot(yellow[0] - white[0], yellow[1] - white[1]), search.heading_to(white, yellow)
    gap, fast = float(rng.uniform(180, 320)), speed(rng, 1400, 2400)
    if far < 900:
        return
    aside = float(rng.uniform(-20, 20))
    placing[ball] = (white[0] + gap * cos(way) - aside * sin(way), white[1] + gap * sin(way) + aside * cos(way))
    up = lift_to_clear(t, gap, fast) + float(rng.uniform(20, 150))

    def play(heading: float) -> SimulatedShot | None:
        try:
            return simulate(t, placing, "white", fast, heading, up=up)
        except (SimulationFailed, ValueError):
            return None

    low, high = search.window(t, white, yellow)
    if pocket:
        yield from search.solutions(play, search.leg_after("contact", "white", target=t.pocket(pocket).centre), low, high, 24, largest=3000)
    elif shot := play(float(rng.uniform(low, high))):
        yield shot


@recipe(
    "jump",
    "jump",
    "white jumps over black and meets yellow",
    lambda s: bool(s.of("jump")) and only(s, WY) and not potted(s) and short(s, 9),
)
def _jump(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from _over(rng, t, "black", None)


def _own(s: SimulatedShot) -> bool:
    return bool(s.of("jump")) and first(s) == WY and potted(s) == ["white"] and not reflections(s, "white") and short(s, 9)


@recipe("jump-own", "jump", "white jumps over red and falls off yellow, as called", _own, pot_call("white", " перескоком через красный"))
def _jump_own(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from _over(rng, t, "red", any_pocket(rng))
