"""Jumps: the cue ball flies over a ball and lands; from there on the stroke is played on the cloth.

pooltool knows no height, so the flight is a parabola before the simulated part, and the small hops after it are left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import cos, hypot, sin

import numpy as np

from calibration.table import Point, Table
from sample_videos.path import GRAVITY, Air, delayed
from sample_videos.physics import Cloth, SimulatedShot, SimulationFailed, Strike, simulate

_LANDING = 0.85  # share of the speed along the cloth that is left after landing


def simulate_jump(
    table: Table,
    placing: Mapping[str, Point],
    cue_ball: str,
    speed: float,
    heading: float,
    *,
    up: float,
    cloth: Cloth | None = None,
    damp: Mapping[str, float] | None = None,
) -> SimulatedShot:
    """A stroke whose cue ball leaves the cloth with `up` mm/s and flies 2 up / g seconds along its heading.

    Raises:
        SimulationFailed: the ball would touch another one in flight, or land on one or off the table.
        ValueError: see `physics.simulate`.
    """
    flight = 2 * up / GRAVITY
    start, d = placing[cue_ball], (cos(heading), sin(heading))
    landing = (start[0] + speed * flight * d[0], start[1] + speed * flight * d[1])
    inside = table.radius < landing[0] < table.length - table.radius and table.radius < landing[1] < table.width - table.radius
    if not inside:
        raise SimulationFailed("the jump ends off the table")
    t = np.linspace(0, flight, 121)
    places = np.column_stack([start[0] + speed * t * d[0], start[1] + speed * t * d[1], table.radius + up * t - GRAVITY * t**2 / 2])
    over = []
    for ball, place in placing.items():
        if ball == cue_ball:
            continue
        flat = np.hypot(places[:, 0] - place[0], places[:, 1] - place[1])
        if np.min(np.hypot(flat, places[:, 2] - table.radius)) < table.ball + 1:
            raise SimulationFailed(f"the jump does not clear {ball}")
        if flat.min() < table.ball - 2:
            over.append({"t": float(t[int(np.argmin(flat))]), "type": "jump", "ball": cue_ball, "over": ball})
    after = simulate(table, {**placing, cue_ball: landing}, cue_ball, speed * _LANDING, heading, cloth=cloth, damp=damp)
    return _joined(after, placing, Strike(cue_ball, speed, heading, up=up), Air(t, places), over)


def _joined(shot: SimulatedShot, before: Mapping[str, Point], strike: Strike, flight: Air, over: list[dict]) -> SimulatedShot:
    by = float(flight.t[-1])
    x = shot.table.length / 2
    events = [{"t": 0.0, "type": "strike", "ball": strike.cue_ball}, *over]
    a, b = flight.places[0, 0] - x, flight.places[-1, 0] - x
    if a * b < 0:
        events.append({"t": by * float(a / (a - b)), "type": "midline", "ball": strike.cue_ball})
    events.sort(key=lambda e: e["t"])
    events += [{**e, "t": e["t"] + by} for e in shot.events if e["type"] != "strike"]
    paths = {ball: delayed(path, by, flight if ball == strike.cue_ball else None) for ball, path in shot.paths.items()}
    return replace(shot, strike=strike, before=dict(before), events=tuple(events), paths=paths, duration=shot.duration + by)


def lift_to_clear(table: Table, gap: float, speed: float) -> float:
    """The least speed upwards (mm/s) with which a ball clears another one `gap` mm ahead (centre to centre)."""
    for up in np.arange(300.0, 3000.0, 10.0):
        t = np.linspace(0, 2 * up / GRAVITY, 200)
        apart = [hypot(speed * s - gap, up * s - GRAVITY * s * s / 2) for s in t]
        if min(apart) > table.ball + 2:
            return float(up)
    raise SimulationFailed("no jump clears so near a ball")
