"""Numbers from what was observed: noise, straightness of rolls, places of bounces, how long the shutter was open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from calibration.certify.observed import Blur, Point, Rest, Run
from calibration.certify.protocol import Known, Protocol, direction
from calibration.table import Table

_STEEP = 120.0  # mm/s towards a cushion from which a bounce is measured
_NEAR_RAIL = 60.0  # mm from the place of contact within which a path that turned round met the cushion
_END = 0.3  # s of a run next to a bounce that are used for it
_CUSHION_SIGMA = 1.5  # mm: a ball presses the cushion in, the harder the farther
_LEAST_STREAKS = 8
_FIRM, _DOUBT_FAST, _DOUBT_SLOW = 2500.0, 0.3, 0.8  # mm/s; relative error of the square of an exposure (measured on simulated balls)
_NOISELESS = 1e-3  # px: measurements that differ by less are of one and the same picture
_SLOW, _FASTEST = 60.0, 9000.0  # mm/s below which a ball's path tells little, and above which no ball rolls


@dataclass(frozen=True, slots=True)
class Roll:
    """A free roll. `bend`: height of its arc over its chord, mm; `jitter`: standard deviation across it, mm; `pace`: standard
    deviation along it against a smooth deceleration, mm; `speed` at its beginning, mm/s; `way` along | across | askew."""

    ball: str
    t: float
    xy: tuple[Point, ...]
    way: str
    length: float
    speed: float
    bend: float
    jitter: float
    pace: float


@dataclass(frozen=True, slots=True)
class Bounce:
    """A ball turned round at a cushion. `off`: where its centre turned minus where it touches the cushion, mm, positive towards
    the rail; `sigma`: its error bar; `speed` towards the cushion, mm/s."""

    ball: str
    cushion: str
    t: float
    at: Point
    off: float
    sigma: float
    speed: float


@dataclass(frozen=True, slots=True)
class Exposure:
    """Time that the shutter is open, s, and the bounds between which it lies with 95 %. `frames`: how many told."""

    seconds: float
    low: float
    high: float
    frames: int


def rolls(runs: Sequence[Run], protocol: Protocol) -> tuple[Roll, ...]:
    """The free rolls that are long enough to tell something."""
    return tuple(_roll(run) for run in runs if run.length >= protocol.least_run and len(run.t) >= 8)


def _roll(run: Run) -> Roll:
    t, xy = np.array(run.t), np.array(run.xy)
    middle = xy.mean(axis=0)
    _, _, axes = np.linalg.svd(xy - middle, full_matrices=False)
    way = axes[0] if axes[0] @ (xy[-1] - xy[0]) > 0 else -axes[0]
    along, across = (xy - middle) @ way, (xy - middle) @ np.array([-way[1], way[0]])
    half = max(float(np.ptp(along)) / 2, 1.0)
    u = (along - (along.max() + along.min()) / 2) / half
    arc = np.polyfit(u, across, 2)
    jitter = _spread(across - np.polyval(arc, u), len(t) - 3)
    early = slice(0, min(len(t), 8))
    speed = float(np.polyfit(t[early] - t[0], along[early], 1)[0])
    return Roll(
        run.ball, run.t[0], run.xy, direction(run.xy[0], run.xy[-1]), run.length, speed,
        abs(float(arc[0])), jitter, _unevenness(t, along),
    )  # fmt: skip


def _unevenness(t: np.ndarray, along: np.ndarray, window: int = 9) -> float:
    """Standard deviation of places along a path against the parabolas through their neighbours (sliding, rolling: any smooth
    deceleration), mm."""
    n = len(t)
    width = min(window, n if n % 2 else n - 1)
    rest = []
    for first in range(n - width + 1):
        u = t[first : first + width] - t[first + width // 2]
        rest.append(along[first + width // 2] - np.polyfit(u, along[first : first + width], 2)[-1])
    leverage = (3 * width**2 - 7) / (4 * width * (width**2 - 4) / 3)  # of the middle one on its own parabola
    return _spread(np.array(rest), len(rest)) / float(np.sqrt(max(0.1, 1 - leverage)))


def _spread(rest: np.ndarray, freedom: int) -> float:
    """Standard deviation that a few outliers do not spoil."""
    plain = float(np.sqrt((rest**2).sum() / max(1, freedom)))
    return min(plain, 1.4826 * float(np.median(np.abs(rest - np.median(rest)))) * 1.3)


def bounces(runs: Sequence[Run], table: Table) -> tuple[Bounce, ...]:
    """The cushion contacts between two runs of one ball: where the path before and the path after meet."""
    found = []
    for before, after in pairwise(sorted(runs, key=lambda r: (r.ball, r.t[0]))):
        if before.ball != after.ball or after.t[0] - before.t[-1] > 0.25 or len(before.t) < 3 or len(after.t) < 3:
            continue
        bounce = _bounce(before, after, table)
        if bounce is not None:
            found.append(bounce)
    return tuple(sorted(found, key=lambda b: b.t))


def _bounce(before: Run, after: Run, table: Table) -> Bounce | None:
    size, radius = (table.length, table.width), table.radius
    for name, axis, sign in (("home", 0, -1.0), ("foot", 0, 1.0), ("right", 1, -1.0), ("left", 1, 1.0)):
        touch = size[axis] - radius if sign > 0 else radius
        a, b = _line(before, axis, last=True), _line(after, axis, last=False)
        if sign * a[1] < _STEEP or sign * b[1] > -0.2 * _STEEP:
            continue
        t = _meeting(a, b, before.t[-1], after.t[0])
        if t is None:
            continue
        off = sign * ((_value(a, t, before.t[-1]) + _value(b, t, after.t[0])) / 2 - touch)
        if abs(off) > _NEAR_RAIL:
            continue
        other = _line(before, 1 - axis, last=True)
        place = [0.0, 0.0]
        place[axis], place[1 - axis] = touch + sign * off, _value(other, t, before.t[-1])
        sigma = float(np.hypot(max(a[3], b[3]), _CUSHION_SIGMA))
        return Bounce(before.ball, name, t, (place[0], place[1]), off, sigma, abs(a[1]))
    return None


def _line(run: Run, axis: int, *, last: bool) -> tuple[float, float, float, float]:
    """(place at, speed, acceleration, error bar) of one coordinate at the run's end next to a bounce, times from that end."""
    t = np.array(run.t)
    end = t[-1] if last else t[0]
    near = np.abs(t - end) <= _END
    near[-3 if last else 0 : None if last else 3] = True
    u, x = t[near] - end, np.array(run.xy)[near, axis]
    degree = 2 if near.sum() >= 8 else 1
    design = np.vander(u, degree + 1)
    found, *_ = np.linalg.lstsq(design, x, rcond=None)
    rest = x - design @ found
    noise = max(float(np.sqrt((rest**2).sum() / max(1, len(u) - degree - 1))), 0.1)
    cover = np.linalg.inv(design.T @ design)
    return float(found[-1]), float(found[-2]), float(2 * found[0]) if degree == 2 else 0.0, noise * float(np.sqrt(cover[-1, -1]))


_Ends = tuple[float, float, float, float]


def _value(line: _Ends, t: float, origin: float) -> float:
    u = t - origin
    return line[0] + line[1] * u + line[2] * u * u / 2


def _meeting(a: _Ends, b: _Ends, end: float, start: float) -> float | None:
    """When two coordinates are equal; `a` counts from `end`, `b` from `start`."""
    times = np.linspace(end - 0.02, start + 0.02, 400)
    gaps = np.array([_value(a, t, end) - _value(b, t, start) for t in times])
    k = int(np.abs(gaps).argmin())
    return float(times[k]) if abs(gaps[k]) < 5.0 else None


def jitter_px(rests: Sequence[Rest]) -> float | None:
    """Standard deviation of one measurement of a resting ball, px, one axis; None if no ball rested long enough, or if all its pictures
    are one, so that they tell no noise."""
    told = [r for r in rests if r.count >= 6]
    if not told:
        return None
    weights = np.array([min(r.count, 50) for r in told], float)
    noise = float(np.sqrt(weights @ np.array([r.jitter_px**2 for r in told]) / weights.sum()))
    return noise if noise > _NOISELESS else None


def moving_jitter(found: Sequence[Roll]) -> float | None:
    """Standard deviation of one measurement of a moving ball, mm, the worse of across its path and along it."""
    return float(np.median([max(r.jitter, r.pace) for r in found])) if found else None


def exposure(blurs: Sequence[Blur], frame_time: float) -> Exposure | None:
    """How long the shutter is open, from the streaks of the fastest balls; never more than a frame.

    The square of a streak's length grows with that of the speed while its error does not: the fastest frames tell all.
    """
    told = [b for b in blurs if _SLOW < b.speed < _FASTEST and np.isfinite(b.stretch_mm2)]
    if len(told) < _LEAST_STREAKS:
        return None
    speeds = np.sort([b.speed for b in told])
    fast = [b for b in told if b.speed >= min(0.5 * speeds[-3], speeds[-_LEAST_STREAKS])]
    v2, stretch = np.array([b.speed**2 for b in fast]), np.array([b.stretch_mm2 for b in fast])
    squares = stretch / v2
    square = max(0.0, float(np.median(squares)))
    spread = 1.4826 * float(np.median(np.abs(squares - np.median(squares))))
    statistical = 1.25 * spread / float(np.sqrt(max(1.0, len(fast) / 4)))  # neighbouring frames err alike
    # coding and shading make edges look harder than they are, and the more so the shorter the streak is
    relative = _DOUBT_FAST if speeds[-3] > _FIRM else _DOUBT_SLOW
    sigma = float(np.sqrt(statistical**2 + np.median([b.doubt_mm2 for b in fast] / v2) ** 2 + (relative * square) ** 2))
    values = [float(np.sqrt(np.clip(v, 0.0, frame_time**2))) for v in (square, square - 1.96 * sigma, square + 1.96 * sigma)]
    return Exposure(values[0], values[1], values[2], len(fast))


@dataclass(frozen=True, slots=True)
class Sample:
    """One measured coordinate of the error of the calibration: at `at` (mm), in direction `way` (unit vector), `off` +- `sigma` mm."""

    at: Point
    way: Point
    off: float
    sigma: float


def samples(knowns: Sequence[Known], found: Sequence[Bounce]) -> tuple[Sample, ...]:
    """All that is known of the error of places, coordinate by coordinate."""
    rows: list[Sample] = []
    for known in knowns:
        for axis, off in enumerate(known.off):
            if off is not None:
                way = (1.0, 0.0) if axis == 0 else (0.0, 1.0)
                rows.append(Sample(known.at, way, off, float(np.hypot(known.sigma[axis], known.noise[axis]))))
    outward = {"home": (-1.0, 0.0), "foot": (1.0, 0.0), "right": (0.0, -1.0), "left": (0.0, 1.0)}
    rows += [Sample(b.at, outward[b.cushion], b.off, b.sigma) for b in found]
    return tuple(rows)
