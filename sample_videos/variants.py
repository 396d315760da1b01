"""Endless variants of the library's strokes: the same point of law, other places, speeds, spins, cloths and cushions.

A variant is searched with the stroke's recipe on the table that is asked for, so it shows what the recipe wants on every size.
The same stroke, table and seed give the same variant, on any machine: tries are counted, not timed.
"""

from __future__ import annotations

import zlib
from dataclasses import replace

import numpy as np

from calibration.table import Table
from sample_videos.physics import Cloth, SimulationFailed, covered
from sample_videos.recipes import RECIPES, strokes
from sample_videos.strokes import Stroke

_TRIES = 3_000  # draws until a recipe is given up
_IN_TIME, _LATE = (0.3, 2.8), (3.2, 6.0)  # s after the stop: falls that count, and falls that do not (rule 3)


def variant(stroke: Stroke, table: Table, seed: int) -> Stroke:
    """Another stroke that shows what `stroke` (one of the library) shows, on `table`.

    Its `cloth` holds frictions and restitutions of its own; its name, kind and intended events stay, its call follows what is made.

    Raises:
        ValueError: the stroke is none of the library.
        SimulationFailed: none was found on this table.
    """
    if stroke.name not in RECIPES:
        raise ValueError(f"stroke {stroke.name!r}: expected one of the library")
    item = RECIPES[stroke.name]
    rng = np.random.default_rng([seed, zlib.crc32(f"{stroke.name} {table.name}".encode())])
    for tries, found in enumerate(strokes(item, covered(table, any_cloth(rng)), rng)):
        if found is not None:
            return timed(found, rng)
        if tries > _TRIES:
            break
    raise SimulationFailed(f"no variant {seed} of {stroke.name} found on {table.name}")


def timed(stroke: Stroke, rng: np.random.Generator) -> Stroke:
    """A ball that tips over late does so at another moment, on the same side of the three seconds of rule 3."""
    if stroke.falls is None:
        return stroke
    low, high = _IN_TIME if stroke.falls.after < 3 else _LATE
    return replace(stroke, falls=replace(stroke.falls, after=round(float(rng.uniform(low, high)), 3)))


def any_cloth(rng: np.random.Generator) -> Cloth:
    """Frictions and restitutions as they differ from table to table.

    Within what is measured on billiard tables (D. G. Alciatore, «Pool physics property constants», billiards.colostate.edu:
    sliding 0.15-0.4, rolling 0.005-0.015, ball on ball 0.03-0.08, restitution of balls 0.92-0.98, of cushions 0.6-0.9), narrowed to
    worsted cloth and pyramid balls: a new cloth is fast and slippery, a worn one slow.
    """
    u = lambda low, high: round(float(rng.uniform(low, high)), 4)  # noqa: E731
    return Cloth(
        slide=u(0.17, 0.22), roll=u(0.0080, 0.0120), spin=u(0.36, 0.50), ball_friction=u(0.04, 0.06), ball_restitution=u(0.945, 0.965),
        cushion_restitution=u(0.76, 0.84), cushion_friction=u(0.14, 0.20),
    )  # fmt: skip
