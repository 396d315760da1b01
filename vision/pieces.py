"""A ball's path as a chain of smooth pieces: the best division of its measured places by dynamic programming.

Within a piece the acceleration is constant (sliding is exactly that, rolling nearly); a piece ends where the ball was
hit, bounced, began to roll, or stopped. No piece is joined to the next by force: how well their ends meet is evidence.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

_PENALTY = 22.0  # price of one more piece, in units of chi squared (6 numbers and a place in time)
_ACCELERATION = 1800.0  # mm/s²: spread of a piece's acceleration; cloth slides at up to 2500, rolls at about 100
_LONGEST = 2.5  # s: longer pieces are divided; keeps the search short
_BLOCK = 32  # ends of pieces that are priced at once: one by one most of the time goes into the calls


@dataclass(frozen=True, slots=True)
class Observations:
    """Measured places of one ball: `t` (N,) s, `xy` (N, 2) mm, `sigma` (N,) mm, `frame` (N,) indexes of frames."""

    t: np.ndarray
    xy: np.ndarray
    sigma: np.ndarray
    frame: np.ndarray

    def __len__(self) -> int:
        return len(self.t)

    def between(self, first: int, last: int) -> Observations:
        """Observations first..last, last excluded."""
        cut = slice(first, last)
        return Observations(self.t[cut], self.xy[cut], self.sigma[cut], self.frame[cut])


@dataclass(frozen=True, slots=True)
class Piece:
    """x(t) = position + velocity u + acceleration u²/2 with u = t - origin; holds the observations first..last (inclusive).

    `covariance` (3, 3) of (position, velocity, acceleration) along one axis, in mm, s.
    """

    first: int
    last: int
    start: float
    end: float
    origin: float
    position: np.ndarray
    velocity: np.ndarray
    acceleration: np.ndarray
    covariance: np.ndarray

    def at(self, t: float) -> np.ndarray:
        u = t - self.origin
        return self.position + self.velocity * u + self.acceleration * (u * u / 2)

    def speed_at(self, t: float) -> np.ndarray:
        """Velocity (2,) mm/s at t."""
        return self.velocity + self.acceleration * (t - self.origin)

    def way(self, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Places (N, 2) mm and velocities (N, 2) mm/s at times (N,) s."""
        u = (times - self.origin)[:, None]
        return self.position + self.velocity * u + self.acceleration * (u * u / 2), self.velocity + self.acceleration * u

    def sigmas(self, times: np.ndarray) -> np.ndarray:
        """Error bars (N,) mm, one axis, of the places at times (N,) s."""
        u = times - self.origin
        rows = np.column_stack([np.ones_like(u), u, u * u / 2])
        return np.sqrt(np.maximum(0.0, ((rows @ self.covariance) * rows).sum(axis=1)))

    def sigma_at(self, t: float) -> float:
        """Error bar (mm, one axis) of the place at t."""
        u = t - self.origin
        row = np.array([1.0, u, u * u / 2])
        return float(np.sqrt(max(0.0, row @ self.covariance @ row)))

    def speed_sigma_at(self, t: float) -> float:
        row = np.array([0.0, 1.0, t - self.origin])
        return float(np.sqrt(max(0.0, row @ self.covariance @ row)))


def fit_piece(seen: Observations, first: int, last: int, acceleration: float = _ACCELERATION) -> Piece:
    """Least squares of the observations first..last (inclusive), the acceleration kept small where they do not tell."""
    t, w = seen.t[first : last + 1], 1 / seen.sigma[first : last + 1] ** 2
    origin = float(w @ t / w.sum())
    u = t - origin
    design = np.column_stack([np.ones_like(u), u, u * u / 2])
    prior = np.diag([0.0, 1e-9, 1 / acceleration**2])
    normal = design.T @ (design * w[:, None]) + prior
    if last == first:
        normal = normal + np.diag([0.0, 1e-8, 0.0])
    covariance = np.linalg.inv(normal)
    found = covariance @ (design.T @ (seen.xy[first : last + 1] * w[:, None]))
    return Piece(first, last, float(t[0]), float(t[-1]), origin, found[0], found[1], found[2], covariance)


def divide(seen: Observations, penalty: float = _PENALTY) -> list[Piece]:
    """The pieces of a path. Cost: chi squared of the best parabolas plus a price for each piece."""
    n = len(seen)
    if n == 0:
        return []
    scale = max(float(seen.t[-1] - seen.t[0]), 1e-3)
    costs = _Costs(seen)
    best = np.full(n + 1, np.inf)
    best[0] = 0.0
    origin = np.zeros(n + 1, int)
    # the first observation that a piece with the last one j - 1 may begin with
    low = np.searchsorted(seen.t, seen.t - min(_LONGEST, scale + 1), "left")
    for begin in range(1, n + 1, _BLOCK):
        ends = np.arange(begin, min(begin + _BLOCK, n + 1))
        first = int(low[begin - 1])
        costly = costs.of(np.arange(first, ends[-1]), ends)
        for j, row in zip(ends.tolist(), costly, strict=True):
            lowest = int(low[j - 1])
            total = best[lowest:j] + row[lowest - first : j - first] + penalty
            k = int(total.argmin())
            best[j], origin[j] = total[k], lowest + k
    cuts = [n]
    while cuts[-1] > 0:
        cuts.append(int(origin[cuts[-1]]))
    cuts.reverse()
    cuts = _settled(seen, cuts)
    return [fit_piece(seen, a, b - 1) for a, b in pairwise(cuts)]


def _settled(seen: Observations, cuts: list[int]) -> list[int]:
    """Boundaries after a rest, moved later while the rest still explains the next observation.

    Two observations fit any piece exactly: left alone, the division would give the last one at rest to the motion after it.
    """
    moved = [cuts[0]]
    for k in range(1, len(cuts) - 1):
        first, cut, end = moved[-1], cuts[k], cuts[k + 1]
        while cut - first >= 4 and cut < end - 1:
            piece = fit_piece(seen, first, cut - 1)
            t = float(seen.t[cut])
            if float(np.hypot(*piece.speed_at(t))) > 30.0:
                break
            off = float(np.hypot(*(piece.at(t) - seen.xy[cut])))
            if off > 2.2 * float(np.hypot(seen.sigma[cut], piece.sigma_at(t))):
                break
            cut += 1
        moved.append(cut)
    return [*moved, cuts[-1]]


class _Costs:
    """Chi squared of the best parabola through observations i..j-1, for many i at once, from running sums."""

    def __init__(self, seen: Observations):
        w = 1 / seen.sigma**2
        self._zero = float(seen.t[0])
        u = seen.t - self._zero
        powers = [w * u**k for k in range(5)]
        self._moments = np.vstack([np.concatenate([[0.0], np.cumsum(p)]) for p in powers])
        self._cross = np.stack(
            [np.vstack([np.concatenate([[0.0], np.cumsum(w * seen.xy[:, axis] * u**k)]) for k in range(3)]) for axis in (0, 1)]
        )
        self._square = np.concatenate([[0.0], np.cumsum(w * (seen.xy**2).sum(axis=1))])

    def of(self, starts: np.ndarray, ends: np.ndarray) -> np.ndarray:
        """(len(ends), len(starts)) costs of pieces; where one would end before it starts, the number means nothing."""
        starts, ends = np.minimum(starts, ends[:, None] - 1), ends[:, None]
        m = self._moments[:, ends] - self._moments[:, starts]
        c = self._cross[:, :, ends] - self._cross[:, :, starts]
        q = self._square[ends] - self._square[starts]
        # shift the origin to the pieces' centres: the sums of a short late piece would cancel else
        mean = m[1] / m[0]
        square = mean * mean
        cube = square * mean
        m2 = m[2] - mean * m[1]
        m3 = m[3] - 3 * mean * m[2] + 3 * square * m[1] - cube * m[0]
        m4 = m[4] - 4 * mean * m[3] + 6 * square * m[2] - 4 * cube * m[1] + square * square * m[0]
        cost = q.copy()
        tiny = 1e-9
        ridge = 4.0 / _ACCELERATION**2
        wide, spread = m2 > tiny, np.maximum(m2, tiny)
        s = m4 - m2**2 / m[0] - np.where(wide, m3**2 / spread, 0.0)
        curved, bend = s > -tiny, np.maximum(s, 0.0) + ridge
        for axis in (0, 1):
            c0, c1, c2 = c[axis]
            d1 = c1 - mean * c0
            d2 = c2 - 2 * mean * c1 + square * c0
            # basis 1, u, u²: orthogonalise u² against the others
            cost -= c0**2 / m[0]
            cost -= np.where(wide, d1**2 / spread, 0.0)
            e = d2 - m2 * c0 / m[0] - np.where(wide, m3 * d1 / spread, 0.0)
            cost -= np.where(curved, e**2 / bend, 0.0)
        return np.maximum(cost, 0.0)
