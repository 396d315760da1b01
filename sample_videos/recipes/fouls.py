"""Misses and other fouls, and strokes that are just active enough."""

from __future__ import annotations

from collections.abc import Iterator
from math import hypot

import numpy as np

from calibration.table import Point, Table
from sample_videos import search
from sample_videos.physics import SimulatedShot
from sample_videos.recipes.base import (
    WB,
    WR,
    WY,
    aimed,
    blind,
    first,
    near,
    only,
    pairs,
    places,
    potted,
    recipe,
    reflections,
    short,
    speed,
    spin,
)


@recipe(
    "miss", "clean", "white meets no ball", lambda s: not pairs(s) and len(reflections(s, "white")) >= 2 and not potted(s) and short(s, 8)
)
def _miss(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from blind(rng, t, places(rng, t), "white", 1200, 2400)


@recipe(
    "near-miss",
    "near-miss",
    "white passes yellow at 3 to 8 mm",
    lambda s: not pairs(s) and 3 < search.nearest(s, "white", "yellow")[0] < 8 and not potted(s) and short(s, 9),
)
def _near_miss(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    placing = places(rng, t)
    low, high = search.window(t, placing["white"], placing["yellow"])
    far = hypot(placing["white"][0] - placing["yellow"][0], placing["white"][1] - placing["yellow"][1])
    heading = float(rng.choice([low - rng.uniform(2, 10) / far, high + rng.uniform(2, 10) / far]))
    shot = search.player(t, placing, "white", speed(rng, 1200, 2600), **spin(rng))(heading)
    if shot:
        yield shot


@recipe("white-red", "clean", "white meets yellow, then red", lambda s: only(s, WY, WR) and not potted(s) and short(s))
def _white_red(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from aimed(rng, t, places(rng, t), "white", "yellow", 1000, 2400)


@recipe("red-first", "clean", "white meets red first and yellow never", lambda s: only(s, WR) and not potted(s) and short(s))
def _red_first(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from aimed(rng, t, places(rng, t), "white", "red", 800, 2000)


@recipe(
    "black-first", "clean", "white meets black before an object ball", lambda s: pairs(s)[:2] == [WB, WY] and not potted(s) and short(s)
)
def _black_first(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from aimed(rng, t, places(rng, t), "white", "black", 800, 2400)


@recipe(
    "inactive",
    "clean",
    "a soft stroke: nothing reaches a cushion or the middle line",
    lambda s: only(s, WY) and not s.of("cushion") and not s.of("midline") and not s.of("jaw") and not potted(s) and s.duration > 1.2,
)
def _inactive(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from aimed(rng, t, places(rng, t), "white", "yellow", 300, 700)


@recipe(
    "midline-only",
    "clean",
    "a soft stroke that is active enough only by the middle line",
    lambda s: only(s, WY) and not s.of("cushion") and not s.of("jaw") and any(e["t"] > s.contacts()[0][0] for e in s.of("midline")),
)
def _midline_only(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    placing = places(rng, t, yellow=(float(t.length / 2 + rng.uniform(-250, 250)), float(rng.uniform(150, t.width - 150))))
    yield from aimed(rng, t, placing, "white", "yellow", 400, 900)


def _opening_places(rng: np.random.Generator, t: Table) -> dict[str, Point]:
    house = (float(rng.uniform(150, t.length / 4 - 40)), float(rng.uniform(200, t.width - 200)))
    return {"white": house, "yellow": t.spots["pyramid"], "red": t.spots["home"], "black": t.spots["centre"]}


@recipe(
    "opening",
    "opening",
    "an opening stroke in order: yellow met, a cushion touched",
    lambda s: only(s, WY) and not potted(s) and len(s.of("cushion")) >= 2 and short(s, 9),
    opening=True,
    placement="in_hand_house",
)
def _opening(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from aimed(rng, t, _opening_places(rng, t), "white", "yellow", 1600, 3000)


@recipe(
    "opening-soft",
    "opening",
    "an opening stroke after which no ball touches a cushion",
    lambda s: only(s, WY) and not s.of("cushion") and not s.of("jaw") and not potted(s),
    opening=True,
    placement="in_hand_house",
)
def _opening_soft(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from aimed(rng, t, _opening_places(rng, t), "white", "yellow", 700, 1200)


@recipe(
    "break",
    "busy",
    "a hard stroke with many contacts and cushions",
    lambda s: len(s.events) > 20 and len(pairs(s)) >= 3 and first(s) == WY and short(s, 12),
)
def _break(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    placing = places(rng, t)
    placing["yellow"] = near(rng, placing["black"], 75, 250)
    yield from aimed(rng, t, placing, "white", "yellow", 4000, 5500)
