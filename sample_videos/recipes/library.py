"""Searching the recipes and writing what is found as `strokes.toml`."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from math import degrees, radians

import numpy as np

from calibration.table import BALLS, table
from sample_videos import search
from sample_videos.jump import simulate_jump
from sample_videos.physics import SimulatedShot, SimulationFailed
from sample_videos.recipes.base import Recipe


def stroke_toml(found: SimulatedShot, item: Recipe) -> str:
    """The stroke as a table of `strokes.toml`."""
    call = item.call(found) if callable(item.call) else item.call
    more = dict(item.more or {})
    strike = found.strike
    lines = ["[[stroke]]", f'name = "{item.name}"', f'about = "{item.about}"']
    if call:
        lines.append(f'call = "{call}"')
    balls = ", ".join(f"{b} = [{found.before[b][0]!r}, {found.before[b][1]!r}]" for b in BALLS if b in found.before)
    lines += [
        f"placing = {{ {balls} }}",
        f'cue_ball = "{strike.cue_ball}"',
        f"speed = {strike.speed!r}",
        f"heading = {degrees(strike.heading)!r}",
    ]
    if strike.follow:
        lines.append(f"follow = {strike.follow!r}")
    if strike.side:
        lines.append(f"side = {strike.side!r}")
    if strike.up:
        lines.append(f"up = {strike.up!r}")
    if "placement" in more:
        lines.append(f'placement = "{more["placement"]}"')
    if more.get("opening"):
        lines.append("opening = true")
    if "falls" in more:
        stop = next(e for e in reversed(found.of("stop")) if e.get("jaws"))
        lines.append(f'falls = {{ ball = "{stop["ball"]}", pocket = "{stop["jaws"]}", after = {more["falls"]} }}')
    return "\n".join(lines) + "\n"


def rounded(found: SimulatedShot) -> SimulatedShot | None:
    """The same stroke from rounded numbers (0.001 mm, 0.1 mm/s, 1e-6 degrees), so that a file holds it exactly."""

    placing = {b: (round(p[0], 3), round(p[1], 3)) for b, p in found.before.items()}
    s = found.strike
    heading = radians(round(degrees(s.heading), 6))
    if s.up:
        try:
            return simulate_jump(found.table, placing, s.cue_ball, round(s.speed, 1), heading, up=round(s.up, 1), cloth=found.cloth)
        except SimulationFailed:
            return None
    spun = {"follow": round(s.follow, 3), "side": round(s.side, 3)}
    return search.player(found.table, placing, s.cue_ball, round(s.speed, 1), cloth=found.cloth, **spun)(heading)


def find(item: Recipe, seed: int = 0, seconds: float = 40.0) -> SimulatedShot | None:
    """Search a stroke of the recipe on the 12-ft table; the result is exactly what its TOML text says."""
    kind = table()
    rng = np.random.default_rng([seed, zlib.crc32(item.name.encode())])

    def draws(rng: np.random.Generator) -> Iterator[SimulatedShot]:
        for shot in item.draw(rng, kind):
            if item.wanted(shot) and (again := rounded(shot)) is not None:
                yield again

    return search.hunt(draws, item.wanted, rng, search.Budget(seconds))
