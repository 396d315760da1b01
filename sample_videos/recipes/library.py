"""Searching the recipes, and strokes as text for `strokes.toml`."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import asdict, replace
from math import degrees

import numpy as np

from calibration.table import BALLS, Table, table
from sample_videos import search
from sample_videos.physics import Cloth, SimulatedShot, SimulationFailed
from sample_videos.recipes.base import Recipe
from sample_videos.strokes import Fall, Stroke, play


def stroke_of(found: SimulatedShot, item: Recipe) -> Stroke:
    """The stroke of a recipe that was found, in rounded numbers (0.001 mm, 0.1 mm/s, 1e-6 degrees), so that a file holds it exactly."""
    call = item.call(found) if callable(item.call) else item.call
    more = dict(item.more or {})
    after = more.pop("falls", None)
    strike, falls = found.strike, None
    cue_ball = more.pop("cue_ball", strike.cue_ball)
    if after is not None:
        stop = next(e for e in reversed(found.of("stop")) if e.get("jaws"))
        falls = Fall(stop["ball"], stop["jaws"], after)
    return Stroke(
        name=item.name, kind=item.kind, about=item.about, call=call,
        placing={b: (round(float(x), 3), round(float(y), 3)) for b in BALLS if b in found.paths for x, y, _ in [found.paths[b].at(-1e3)]},
        cue_ball=cue_ball, struck=None if cue_ball == strike.cue_ball else strike.cue_ball,
        speed=round(strike.speed, 1), heading=round(degrees(strike.heading), 6),
        follow=round(strike.follow, 3), side=round(strike.side, 3), up=round(strike.up, 1), falls=falls,
        cloth=None if found.cloth == Cloth() else found.cloth, faults=found.faults, damp=dict(found.damp), **more,
    )  # fmt: skip


def without_fall(stroke: Stroke, kind: Table) -> SimulatedShot | None:
    """The stroke played, before a ball at the edge falls: what a recipe's `wanted` is asked; None where the physics break off."""
    try:
        return play(replace(stroke, falls=None), kind)
    except SimulationFailed:
        return None


def strokes(item: Recipe, kind: Table, rng: np.random.Generator) -> Iterator[Stroke | None]:
    """Endless tries to find strokes of a recipe on a table; None for each draw that is none."""
    while True:
        for shot in item.draw(rng, kind):
            if item.wanted(shot):
                stroke = stroke_of(shot, item)
                again = without_fall(stroke, kind)
                if again is not None and item.wanted(again):
                    yield stroke
        yield None


def find(item: Recipe, kind: Table | None = None, seed: int = 0, seconds: float = 40.0) -> Stroke | None:
    """Search a stroke of the recipe on a table (default: 12 ft); the stroke is exactly what its TOML text says."""
    rng = np.random.default_rng([seed, zlib.crc32(item.name.encode())])
    left = search.Budget(seconds).clock()
    for stroke in strokes(item, kind or table(), rng):
        if stroke is not None:
            return stroke
        if not left():
            return None
    return None


def stroke_toml(stroke: Stroke) -> str:
    """The stroke as a table of `strokes.toml`."""
    lines = ["[[stroke]]", f'name = "{stroke.name}"', f'kind = "{stroke.kind}"', f'about = "{stroke.about}"']
    if stroke.call:
        lines.append(f'call = "{stroke.call}"')
    balls = ", ".join(f"{b} = [{p[0]!r}, {p[1]!r}]" for b, p in stroke.placing.items())
    lines += [f"placing = {{ {balls} }}", f'cue_ball = "{stroke.cue_ball}"']
    lines += [f"speed = {stroke.speed!r}", f"heading = {stroke.heading!r}"]
    lines += [f"{name} = {value!r}" for name in ("follow", "side", "up") if (value := getattr(stroke, name))]
    lines += _fault_lines(stroke)
    if stroke.placement != "as_lies":
        lines.append(f'placement = "{stroke.placement}"')
    if stroke.opening:
        lines.append("opening = true")
    if stroke.falls:
        lines.append(f'falls = {{ ball = "{stroke.falls.ball}", pocket = "{stroke.falls.pocket}", after = {stroke.falls.after!r} }}')
    if stroke.damp:
        lines.append(f"damp = {{ {', '.join(f'{ball} = {value!r}' for ball, value in stroke.damp.items())} }}")
    if stroke.cloth:
        lines.append(f"cloth = {{ {', '.join(f'{name} = {value!r}' for name, value in asdict(stroke.cloth).items())} }}")
    return "\n".join(lines) + "\n"


def _fault_lines(stroke: Stroke) -> list[str]:
    faults, lines = stroke.faults, []
    if stroke.struck:
        lines.append(f'struck = "{stroke.struck}"')
    lines += [f"{name} = {value!r}" for name in ("double", "push") if (value := getattr(faults, name))]
    if shove := faults.touch:
        lines.append(
            f'touch = {{ ball = "{shove.ball}", at = {shove.at!r}, by = [{shove.by[0]!r}, {shove.by[1]!r}], how = "{shove.how}" }}'
        )
    if again := faults.again:
        follow = f", follow = {again.follow!r}" if again.follow else ""
        lines.append(
            f'again = {{ ball = "{again.ball}", at = {again.at!r}, speed = {again.speed!r}, heading = {again.heading!r}{follow} }}'
        )
    return lines
