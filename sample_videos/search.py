"""Finding strokes that do something: aim by scanning the heading and bisecting on the miss.

A pyramid pocket takes only balls near its axis, so blind trials need thousands of simulations; the signed distance by
which a ball's leg passes its target changes sign where it hits, and bisection needs about twenty.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import asin, atan2, cos, degrees, hypot, pi, radians, remainder, sin
from typing import Any

import numpy as np

from calibration.table import Point, Table
from sample_videos.physics import SimulatedShot, SimulationFailed, simulate

Wanted = Callable[[SimulatedShot], bool]
Miss = Callable[[SimulatedShot], float | None]
Play = Callable[[float], SimulatedShot | None]


@dataclass(frozen=True, slots=True)
class Budget:
    """Process time (not wall time: machines are shared) that a search may take, in s."""

    seconds: float = 20.0

    def clock(self) -> Callable[[], bool]:
        """A function that says whether time is left."""
        end = time.process_time() + self.seconds
        return lambda: time.process_time() < end


def heading_to(a: Point, b: Point) -> float:
    return atan2(b[1] - a[1], b[0] - a[0])


def window(table: Table, cue: Point, ball: Point) -> tuple[float, float]:
    """The headings, in rad, between which a cue ball meets a ball."""
    middle = heading_to(cue, ball)
    half = asin(min(1.0, table.ball / max(table.ball, hypot(ball[0] - cue[0], ball[1] - cue[1]))))
    return middle - half, middle + half


def leg_miss(shot: SimulatedShot, ball: str, after: float, target: Point) -> float | None:
    """By how much (mm, signed) the leg of `ball` that begins at `after` s passes `target`; None if it goes away from it.

    The leg runs to the ball's next event; its direction is taken at its end, where a curved path has become straight.
    """
    kinds = ("contact", "cushion", "jaw", "pocket", "stop")
    ends = [e["t"] for k in kinds for e in shot.of(k, ball) if e["t"] > after + 1e-6]
    if not ends:
        return None
    path = shot.paths[ball]
    end = min(ends) - 1e-4
    place = path.at(end)[:2]
    v = path.velocity(end)
    if float(np.hypot(*v)) < 1.0:  # it stops: look back a little
        v = path.velocity(max(after, end - 0.05))
    start = path.at(after + 1e-4)[:2]
    size = float(np.hypot(*v))
    if size < 1e-6 or float(v @ (np.array(target) - start)) <= 0:
        return None
    off = np.array(target) - place
    return float(v[0] * off[1] - v[1] * off[0]) / size


def leg_after(kind: str, ball: str, n: int = 1, *, target: Point, before: str | None = None) -> Miss:
    """The miss of the leg of `ball` after its n-th event of `kind`; a leg after a cushion counts if one contact at most came before."""

    def miss(shot: SimulatedShot) -> float | None:
        found = shot.of(kind, ball)
        if len(found) < n:
            return None
        t = found[n - 1]["t"]
        if kind == "cushion":
            hits = [e["t"] for e in shot.of("contact", ball)]
            jaws = [e["t"] for e in shot.of("jaw", ball)]
            if sum(1 for h in hits if h < t) > 1 or any(j < t for j in jaws):
                return None
        return leg_miss(shot, ball, t, target)

    return miss


def solutions(
    play: Play, miss: Miss, low: float, high: float, steps: int = 40, *, rounds: int = 22, largest: float = 400.0
) -> Iterator[SimulatedShot]:
    """Strokes with the miss bisected to zero, for every change of its sign between `low` and `high`; jumps of the miss are skipped."""
    last: tuple[float, float] | None = None
    for u in np.linspace(low, high, steps):
        shot = play(float(u))
        value = miss(shot) if shot else None
        if value is None or abs(value) > largest:
            last = None
            continue
        if last and last[1] * value < 0:
            found = _bisect(play, miss, last, (float(u), value), rounds)
            if found:
                yield found
        last = (float(u), value)


def _bisect(play: Play, miss: Miss, a: tuple[float, float], b: tuple[float, float], rounds: int) -> SimulatedShot | None:
    best = None
    for _ in range(rounds):
        u = (a[0] + b[0]) / 2
        shot = play(u)
        value = miss(shot) if shot else None
        if shot is None or value is None:
            return best
        best = shot
        if abs(value) < 0.05:
            return best
        if (value < 0) == (a[1] < 0):
            a = (u, value)
        else:
            b = (u, value)
    return best


def player(table: Table, placing: Mapping[str, Point], cue_ball: str, speed: float, **more: Any) -> Play:
    """A function of the heading that plays the stroke, None where the physics break off or balls overlap."""

    def play(heading: float) -> SimulatedShot | None:
        try:
            return simulate(table, placing, cue_ball, speed, heading, **more)
        except (SimulationFailed, ValueError):
            return None

    return play


def spots(
    rng: np.random.Generator, table: Table, balls: Mapping[str, Point | None], *, apart: float = 90.0, rail: float = 60.0
) -> dict[str, Point]:
    """Places for all `balls`: those that are given stay, the others are drawn at random, clear of each other."""
    placed: dict[str, Point] = {name: p for name, p in balls.items() if p is not None}
    for name, place in balls.items():
        if place is not None:
            continue
        for _ in range(1000):
            p = (float(rng.uniform(rail, table.length - rail)), float(rng.uniform(rail, table.width - rail)))
            if all(hypot(p[0] - q[0], p[1] - q[1]) > apart for q in placed.values()):
                placed[name] = p
                break
        else:
            raise ValueError("no room for the balls")
    return {name: placed[name] for name in balls}


def approach(table: Table, ball: Point, pocket: str) -> float:
    """Degrees between a ball's way to a pocket and the pocket's axis; beyond about 20 (corner) or 33 (middle) it does not fall."""
    mouth = table.pocket(pocket)
    a, b = mouth.jaws[0].tip, mouth.jaws[1].tip
    axis = heading_to(((a[0] + b[0]) / 2, (a[1] + b[1]) / 2), mouth.centre)
    return abs(degrees(remainder(heading_to(ball, mouth.centre) - axis, 2 * pi)))


def clear(table: Table, placing: Mapping[str, Point], a: Point, b: Point, but: tuple[str, ...]) -> bool:
    """Whether a ball can run from a to b without touching others than `but`."""
    start, way = np.array(a), np.array(b) - np.array(a)
    size = float(np.linalg.norm(way)) or 1.0
    for name, place in placing.items():
        if name in but:
            continue
        off = np.array(place) - start
        along = float(np.clip(off @ way / size, 0, size))
        if float(np.linalg.norm(off - way / size * along)) < table.ball + 2:
            return False
    return True


def driven(
    table: Table, placing: Mapping[str, Point], cue_ball: str, ball: str, target: Point, spread: float = 5.0
) -> tuple[float, float] | None:
    """Headings (low, high) that send `ball` within `spread` degrees of `target`; None for cuts over 70 degrees and ways not free."""
    cue, place = placing[cue_ball], placing[ball]
    if not (clear(table, placing, cue, place, (cue_ball, ball)) and clear(table, placing, place, target, (cue_ball, ball))):
        return None
    way = heading_to(place, target)
    if abs(remainder(way - heading_to(cue, place), 2 * pi)) > radians(70):
        return None
    ends = []
    for turn in (-spread, spread):
        out = way + radians(turn)
        ends.append(heading_to(cue, (place[0] - table.ball * cos(out), place[1] - table.ball * sin(out))))
    return min(ends), max(ends)


def pot(
    table: Table, placing: Mapping[str, Point], cue_ball: str, ball: str, pocket: str, speed: float, **more: Any
) -> Iterator[SimulatedShot]:
    """Strokes that pot `ball` straight: the cue ball drives it, or (ball == cue_ball) goes in off the ball it meets first."""
    target = table.pocket(pocket).centre
    play = player(table, placing, cue_ball, speed, **more)
    limit = 20.0 if table.pocket(pocket).corner else 33.0
    if ball != cue_ball:
        bracket = driven(table, placing, cue_ball, ball, target) if approach(table, placing[ball], pocket) < limit else None
        brackets = [(*bracket, 3)] if bracket else []
    else:
        others = [b for b in placing if b != cue_ball and approach(table, placing[b], pocket) < limit]
        others = [b for b in others if clear(table, placing, placing[b], target, (cue_ball, b))]
        brackets = [(*window(table, placing[cue_ball], placing[b]), 24) for b in others]
    for low, high, steps in brackets:
        for shot in solutions(play, leg_after("contact", ball, target=target), low, high, steps, largest=3000.0):
            if shot.pot(ball) == pocket:
                yield shot


def image(table: Table, target: Point, cushions: tuple[str, ...]) -> Point:
    """Where `target` appears to lie, seen from the ball, behind the mirrors of `cushions` in the order in which the ball meets them."""
    x, y = target
    radius = table.radius
    for cushion in reversed(cushions):
        if cushion in ("home", "foot"):
            x = 2 * (radius if cushion == "home" else table.length - radius) - x
        else:
            y = 2 * (radius if cushion == "right" else table.width - radius) - y
    return x, y


def bank(
    table: Table,
    placing: Mapping[str, Point],
    cue_ball: str,
    ball: str,
    target: Point,
    cushions: tuple[str, ...],
    speed: float,
    *,
    spread: float = 14.0,
    **more: Any,
) -> Iterator[SimulatedShot]:
    """Strokes in which `ball` (driven by the cue ball, or the cue ball itself before any contact) runs to `target` over `cushions`."""
    play = player(table, placing, cue_ball, speed, **more)
    goal = image(table, target, cushions)
    if ball == cue_ball:
        way = heading_to(placing[cue_ball], goal)
        bracket = (way - radians(spread), way + radians(spread))
    else:
        nobody = {cue_ball: placing[cue_ball], ball: placing[ball]}
        found = driven(table, nobody, cue_ball, ball, goal, spread)
        if not found or not clear(table, placing, placing[cue_ball], placing[ball], (cue_ball, ball)):
            return
        bracket = found

    def wanted(shot: SimulatedShot) -> bool:
        return tuple(e["cushion"] for e in shot.of("cushion", ball))[: len(cushions)] == cushions

    for shot in solutions(play, leg_after("cushion", ball, len(cushions), target=target), *bracket, 12, largest=1500.0):
        if wanted(shot):
            yield shot


def hunt(
    draw: Callable[[np.random.Generator], Iterator[SimulatedShot]], wanted: Wanted, rng: np.random.Generator, budget: Budget | None = None
) -> SimulatedShot | None:
    """The first stroke among those that `draw` yields, again and again, that is `wanted`; None when the budget is spent."""
    left = (budget or Budget()).clock()
    while left():
        for shot in draw(rng):
            if wanted(shot):
                return shot
            if not left():
                return None
    return None


def nearest(shot: SimulatedShot, a: str, b: str) -> tuple[float, float]:
    """(gap in mm, time): how near two balls come to each other without touching, on a grid of 1 ms refined to 0.01 ms."""
    times = np.arange(0.0, shot.duration, 1e-3)
    for _ in range(2):
        gap = np.linalg.norm(shot.paths[a].at(times)[:, :2] - shot.paths[b].at(times)[:, :2], axis=1)
        t = float(times[int(np.argmin(gap))])
        step = (times[1] - times[0]) if len(times) > 1 else 1e-3
        times = np.linspace(max(0.0, t - step), t + step, 41)
    return float(np.min(gap)) - shot.table.ball, t
