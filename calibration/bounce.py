"""Where a ball touched a cushion, from its ways before and after: balls as evidence of where the noses are.

Three things stand between the frames and the touch. A ball comes off a cushion with the spin of its way there and slides: its way
back is bent towards the cushion for some tenths of a second. The rubber keeps it for some milliseconds. And frames of a recording
are not always as evenly spaced as their time stamps; then a ball seems to lie before or behind its place along its way, never beside
it. All three are unknowns with what is usual of them, so that the error bar holds what they may be.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
_ROUNDS = 12
_ROLLING = 80.0, 300.0  # mm/s²: braking of a ball on its way to the cushion, and how far it may be another (spin, a slope)
# mm/s²: cloth pulls a ball that slides back towards the cushion at 2000, the more along it the more spin is its side; s that it
# slides: a ball that kept all its spin 0.3, one that lost it to the cushion 0.1
_SLIDING = 2000.0, 500.0, 600.0
_SLIDES = 0.13, 0.10
_DWELL = 0.005, 0.003  # s that the rubber keeps a ball: 3 to 10 ms are measured
_FEWEST = 2  # frames on either side
_UNEVEN = 0.02  # s
_SLOW = 60.0  # mm/s towards the cushion, below which its touch has no place in time
# where the unknowns stand: place of the touch (out, along) and its time; speeds before and after; accelerations before and after; s in
# the rubber; s that it slides; each frame's lateness, s
_PLACE, _TIME, _COMES, _GOES, _BRAKED, _BENT = slice(0, 2), 2, slice(3, 5), slice(5, 7), slice(7, 9), slice(9, 11)
_KEPT, _SLID, _LATE = 11, 12, slice(13, None)


@dataclass(frozen=True, slots=True)
class Seen:
    """Places of one ball's centre: `t` (N,) s, `out` (N,) mm from the nose's line into the table, `along` (N,) mm, `sigma` (N,) mm."""

    t: Array
    out: Array
    along: Array
    sigma: Array


@dataclass(frozen=True, slots=True)
class Touch:
    """A ball's centre was `out` mm from the nose's line and `along` mm along it when it touched at `t` s; error bars of one sigma."""

    t: float
    out: float
    along: float
    out_sigma: float
    t_sigma: float


def touch_of(before: Seen, after: Seen, jitter: float = 0.0) -> Touch | None:
    """The touch between two ways of a ball, or None where they do not tell.

    Args:
        before, after: some frames on either side, those that show the touch itself left out.
        jitter: s by which frames are off their time stamps (`frame_jitter`).
    """
    if len(before.t) < _FEWEST or len(after.t) < _FEWEST:
        return None
    problem = _Bounce(before, after, max(jitter, 1e-5))
    values = problem.start()
    if values is None:
        return None
    normal = np.eye(len(values))
    for _ in range(_ROUNDS):
        misfit, slope = problem.misfit(values), problem.slope(values)
        normal = slope.T @ slope
        step = np.linalg.solve(normal + 1e-9 * np.diag(np.diag(normal)), slope.T @ misfit)
        values = values - step * min(1.0, 0.05 / max(abs(step[_SLID]), 1e-9))
        if np.abs(step[_PLACE]).max() < 1e-3:
            break
    covariance = np.linalg.inv(normal)
    if not np.isfinite(values).all() or values[_COMES][0] > -_SLOW or values[_GOES][0] < _SLOW:
        return None
    # a way that fits badly tells less than it seems to
    free = max(2 * len(problem.t) - 6, 1)
    spread = max(1.0, float(np.sqrt((problem.misfit(values)[: 2 * len(problem.t)] ** 2).sum() / free)))
    out_sigma, t_sigma = (float(np.sqrt(max(covariance[i, i], 0.0))) * spread for i in (0, _TIME))
    out, along = values[_PLACE]
    return Touch(float(problem.zero + values[_TIME]), float(out), float(along), out_sigma, t_sigma)


class _Bounce:
    """Misfits of the unknowns, in standard deviations, and their slopes."""

    def __init__(self, before: Seen, after: Seen, jitter: float) -> None:
        self.count = len(before.t)
        self.zero = float((before.t[-1] + after.t[0]) / 2)
        self.t = np.concatenate([before.t, after.t]) - self.zero
        self.place = np.column_stack([np.concatenate([before.out, after.out]), np.concatenate([before.along, after.along])])
        self.sigma = np.concatenate([before.sigma, after.sigma])
        self.jitter = jitter
        self.heading = np.zeros(2)

    def start(self) -> Array | None:
        """From straight lines through the two nearest frames of either way."""
        n = self.count
        near, far = (n - 2, n - 1), (n, n + 1)
        speed = [(self.place[b] - self.place[a]) / max(self.t[b] - self.t[a], 1e-6) for a, b in (near, far)]
        closing = speed[1][0] - speed[0][0]
        if closing < 2 * _SLOW:
            return None
        at = (self.place[n - 1, 0] - speed[0][0] * self.t[n - 1] - self.place[n, 0] + speed[1][0] * self.t[n]) / closing
        at = float(np.clip(at, self.t[n - 1], self.t[n]))
        touch = self.place[n - 1] + speed[0] * (at - self.t[n - 1])
        size = float(np.hypot(*speed[0]))
        self.heading = speed[0] / max(size, 1e-6)
        usual = [*(-_ROLLING[0] * self.heading), -_SLIDING[0], 0.0, _DWELL[0], _SLIDES[0]]
        return np.concatenate([touch, [at], speed[0], speed[1], usual, np.zeros(len(self.t))])

    def _ways(self, values: Array) -> Array:
        touch, at, dwell, slides, late = values[_PLACE], values[_TIME], values[_KEPT], max(values[_SLID], 0.0), values[_LATE]
        ahead = self.t + late - at - np.where(np.arange(len(self.t)) < self.count, 0.0, dwell)
        first = np.arange(len(self.t))[:, None] < self.count
        speed = np.where(first, values[_COMES], values[_GOES])
        bend = np.where(first, values[_BRAKED], values[_BENT])
        bent = np.where(first[:, 0] | (ahead < slides), ahead**2 / 2, slides * ahead - slides**2 / 2)
        slid = np.array([0.0, dwell * (values[_COMES][1] + values[_GOES][1]) / 2])  # along the rubber
        return touch + np.where(first, 0.0, slid) + speed * ahead[:, None] + bend * bent[:, None]

    def misfit(self, values: Array) -> Array:
        away = (self._ways(values) - self.place) / self.sigma[:, None]
        braked = (values[_BRAKED] + _ROLLING[0] * self.heading) / _ROLLING[1]
        bent = (values[_BENT] + np.array([_SLIDING[0], 0.0])) / np.array(_SLIDING[1:])
        usual = [(values[_KEPT] - _DWELL[0]) / _DWELL[1], (values[_SLID] - _SLIDES[0]) / _SLIDES[1]]
        return np.concatenate([away.ravel(), braked, bent, usual, values[_LATE] / self.jitter])

    def slope(self, values: Array) -> Array:
        columns = []
        for i in range(len(values)):
            size = 1e-5 if i == _TIME or i >= _KEPT else 1e-2  # s, and mm
            step = np.zeros(len(values))
            step[i] = size
            columns.append((self.misfit(values + step) - self.misfit(values - step)) / (2 * size))
        return np.stack(columns, axis=1)


def frame_jitter(ways: Sequence[ArrayLike]) -> float:
    """S by which the frames of a recording are off their time stamps (one sigma), from smooth ways of balls.

    Args:
        ways: of each (N, 3): t s, x, y mm, without a touch between. They may be few and short: 0 then.

    What a ball lies off a smooth way along it, beyond what it lies off beside it, comes of frames taken at another time.
    """
    along, beside = [], []
    for way in ways:
        rows = np.asarray(way, float)
        if len(rows) < 6:
            continue
        t = rows[:, 0] - rows[:, 0].mean()
        basis = np.vander(t, 3)
        fit = np.linalg.lstsq(basis, rows[:, 1:], rcond=None)[0]
        off = (rows[:, 1:] - basis @ fit) * np.sqrt(len(rows) / (len(rows) - 3))
        speed = 2 * fit[0] * t[:, None] + fit[1]
        size = np.hypot(*speed.T)
        if size.min() < 300:
            continue
        ahead = speed / size[:, None]
        along.append((off * ahead).sum(axis=1) / size)
        beside.append((off[:, 0] * ahead[:, 1] - off[:, 1] * ahead[:, 0]) / size)
    if not along:
        return 0.0
    # some recordings are uneven for a while only: a mean tells them, and a few breaks that were not noticed must not
    spread = [float(np.sqrt(np.mean(np.minimum(np.abs(np.concatenate(part)), _UNEVEN) ** 2))) for part in (along, beside)]
    return float(np.sqrt(max(spread[0] ** 2 - spread[1] ** 2, 0.0)))
