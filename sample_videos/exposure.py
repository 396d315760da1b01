"""What is in front of the camera while a frame is exposed: balls and people over the exposure, row by row with a rolling shutter.

A frame with the time stamp p shows the moment p in its middle row. A rolling shutter exposes the first row `readout` / 2 earlier and the
last one so much later; where a ball is seen is therefore its place at the moment of its own row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from calibration.camera import Camera
from sample_videos.match import Timeline
from sample_videos.render.people import Capsule

SUBFRAMES, MOST = 8, 40
_STEP = 8.0  # mm: so far a ball goes at most from one moment of an exposure to the next


def row_delays(timeline: Timeline, camera: Camera, t: float, readout: float) -> dict[str, float]:
    """By how many s the row in which a ball is seen is exposed later than the middle one; empty without a rolling shutter."""
    if not readout:
        return {}
    found = {}
    for ball in timeline.balls:
        delay = 0.0
        for _ in range(2):  # the row depends on the place, and this on the row's moment
            places = timeline.places(ball, np.array([t + delay]))
            if places is not None and np.isfinite(row := float(camera.project(places)[0, 1])):
                delay = float(np.clip(row / (camera.height - 1) - 0.5, -0.5, 0.5)) * readout
        found[ball] = delay
    return found


def balls_over(timeline: Timeline, t: float, exposure: float, delays: Mapping[str, float] | None = None) -> dict[str, np.ndarray]:
    """Centres (S, 3) mm of the balls in sight over the exposure around t; S = 1 for balls at rest."""
    found = {}
    for ball in timeline.balls:
        middle = t + (delays or {}).get(ball, 0.0)
        ends = np.array([middle - exposure / 2, middle + exposure / 2])
        if not timeline.moving(ball, float(ends[0]), float(ends[1])):
            places = timeline.places(ball, np.array([middle]))
        else:
            ways = timeline.places(ball, ends)
            way = 0.0 if ways is None else float(np.linalg.norm(ways[1] - ways[0]))
            count = int(np.clip(np.ceil(way / _STEP), SUBFRAMES, MOST))
            places = timeline.places(ball, middle + ((np.arange(count) + 0.5) / count - 0.5) * exposure)
        if places is not None:
            found[ball] = places
    return found | {name: np.array([at]) for name, at in timeline.spares.items()}


def people_over(timeline: Timeline, camera: Camera, t: float, exposure: float, readout: float) -> list[Capsule]:
    """The bars of everyone at the table, with their way over the exposure, each end at the moment of its row."""
    bars = timeline.people(t)
    span = max(exposure, readout)
    early, late = timeline.people(t - span / 2), timeline.people(t + span / 2)
    if not bars or not len(bars) == len(early) == len(late):
        return bars
    here, before, after = (np.array([(*b.a, *b.b) for b in row]).reshape(-1, 2, 3) for row in (bars, early, late))
    velocity = (after - before) / span
    if readout:
        rows = np.nan_to_num(camera.project(here.reshape(-1, 3))[:, 1], nan=(camera.height - 1) / 2).reshape(-1, 2, 1)
        here = here + velocity * (np.clip(rows / (camera.height - 1) - 0.5, -0.5, 0.5) * readout)
    moves = velocity * exposure
    out = []
    for bar, ends, way in zip(bars, here.tolist(), moves.tolist(), strict=True):
        if max(map(abs, (*way[0], *way[1]))) < 1e-3:
            out.append(bar)
        else:
            out.append(replace(bar, a=tuple(ends[0]), b=tuple(ends[1]), move_a=tuple(way[0]), move_b=tuple(way[1])))
    return out
