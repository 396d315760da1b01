"""Places where a ball's path breaks: the end of one smooth piece and the beginning of the next."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from vision.pieces import Observations, Piece, divide, fit_piece

STILL = 25.0  # mm/s: slower, a ball counts as lying still
_LONG = 0.5  # s: of longer times unseen nothing is told
_LEAP = 100.0  # mm


@dataclass(frozen=True, slots=True)
class Path:
    """One ball's observations in a stroke and their pieces, in order of time. `whole`: with those of long rests, which `seen` lacks."""

    ball: str
    seen: Observations
    pieces: tuple[Piece, ...]
    whole: Observations

    def piece_at(self, t: float) -> Piece:
        """The piece in force at t; between two pieces the nearer one."""
        return min(self.pieces, key=lambda p: max(p.start - t, t - p.end, 0.0))

    def at(self, t: float) -> np.ndarray:
        """Place (2,) mm at t s; before and after the observations the ball stays where it was."""
        return self.piece_at(t).at(self._within(t))

    def speed_at(self, t: float) -> np.ndarray:
        return self.piece_at(t).speed_at(self._within(t))

    def way(self, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Places (N, 2) mm and velocities (N, 2) mm/s at times (N,) s: `at` and `speed_at` of all at once."""
        late = np.array([[p.start] for p in self.pieces]) - times
        early = times - np.array([[p.end] for p in self.pieces])
        which = np.maximum(np.maximum(late, early), 0.0).argmin(axis=0)
        inside = np.clip(times, self.pieces[0].start, self.pieces[-1].end)
        places, speeds = np.empty((len(times), 2)), np.empty((len(times), 2))
        for k in np.unique(which).tolist():
            mine, piece = which == k, self.pieces[k]
            places[mine], speeds[mine] = piece.way(inside[mine])
        return places, speeds

    def _within(self, t: float) -> float:
        return float(min(max(t, self.pieces[0].start), self.pieces[-1].end))


@dataclass(frozen=True, slots=True)
class Break:
    """Where `ball`'s path breaks: `t` s, at `place` (2,) mm, velocities before and after (2,) mm/s, their error bars.

    `low`..`high`: the times of the last observation before and the first after. `miss`: how far (mm) the two pieces pass
    each other by, extrapolated to `t`.
    """

    ball: str
    before: Piece
    after: Piece
    t: float
    low: float
    high: float
    place: np.ndarray
    sigma: float
    speed_before: np.ndarray
    speed_after: np.ndarray
    speed_sigma: float
    miss: float

    @property
    def change(self) -> np.ndarray:
        return self.speed_after - self.speed_before

    @property
    def significance(self) -> float:
        return float(np.hypot(*self.change)) / max(self.speed_sigma, 1e-6)


def path_of(ball: str, seen: Observations) -> Path:
    """The path of a ball; the error bars are rescaled once by what the pieces leave unexplained (uneven frame times)."""
    whole, seen = seen, _without_long_rests(seen)
    pieces = divide(seen)
    rest = np.concatenate(
        [np.hypot(*(seen.xy[p.first : p.last + 1] - np.array([p.at(t) for t in seen.t[p.first : p.last + 1]])).T) for p in pieces]
    )
    freedom = max(1, 2 * len(seen) - 6 * len(pieces))
    factor = float(np.sqrt((rest**2 / seen.sigma**2).sum() / freedom))
    if len(seen) > 20 and not 0.67 < factor < 1.5:
        factor = float(np.clip(factor, 0.5, 4.0))
        seen, whole = (Observations(o.t, o.xy, o.sigma * factor, o.frame) for o in (seen, whole))
        pieces = divide(seen)
    return Path(ball, seen, _with_leaps(seen, pieces), whole)


def _with_leaps(seen: Observations, pieces: list[Piece]) -> tuple[Piece, ...]:
    """The pieces with one more where a ball that rested was next seen far away, moments later: so it went, whatever it met there.

    Else the first place it was seen at would count as the beginning of what came after a hit close by.
    """
    found = list(pieces)
    usual = float(np.median(np.diff(seen.t))) if len(seen) > 1 else 0.0
    for k in range(len(pieces) - 1, 0, -1):
        rest, after = pieces[k - 1], pieces[k]
        leap = float(np.hypot(*(seen.xy[after.first] - seen.xy[rest.last])))
        unseen = after.start - rest.end
        rests = rest.last > rest.first and float(np.hypot(*rest.speed_at(rest.end))) < STILL
        if rests and after.last - after.first > 1 and 2.5 * usual < unseen < _LONG and leap > _LEAP:
            found[k : k + 1] = [fit_piece(seen, rest.last, after.first), fit_piece(seen, after.first + 1, after.last)]
    return tuple(found)


def _without_long_rests(seen: Observations) -> Observations:
    """Of a rest only the observations next to motion are kept, and a few for its place: it holds nothing else to find."""
    n = len(seen)
    if n < 40:
        return seen
    reach = 4
    moved = np.hypot(*(seen.xy[reach:] - seen.xy[:-reach]).T) > 3.0 * np.maximum(seen.sigma[reach:], 0.2) + 0.8
    near = np.zeros(n, bool)
    near[:6] = near[-6:] = True
    for k in np.flatnonzero(moved):
        near[max(0, k - 8) : k + reach + 9] = True
    return Observations(seen.t[near], seen.xy[near], seen.sigma[near], seen.frame[near])


def breaks_of(path: Path, step: float) -> list[Break]:
    """All breaks of a path; `step` is the usual time between frames, s.

    Pieces of a single observation have no velocity of their own: they are left to the break they lie in.
    """
    long = [p for p in path.pieces if p.last > p.first]
    return [_break(path, a, b, step) for a, b in pairwise(long)]


def _near_end(path: Path, piece: Piece, last: bool, step: float) -> Piece:
    """The piece refitted to its nearest part: what it does at its other end says little about the break."""
    t = path.seen.t
    span = max(0.25, 5 * step)
    if last:
        first = max(piece.first, min(int(np.searchsorted(t, piece.end - span)), piece.last - 2))
        return piece if first == piece.first else fit_piece(path.seen, first, piece.last)
    end = min(piece.last, max(int(np.searchsorted(t, piece.start + span)), piece.first + 2))
    return piece if end == piece.last else fit_piece(path.seen, piece.first, end)


def _break(path: Path, left: Piece, right: Piece, step: float) -> Break:
    a, b = _near_end(path, left, True, step), _near_end(path, right, False, step)
    low, high = left.end, right.start
    times = np.linspace(low - 1.2 * step, high + 1.2 * step, 61)
    gaps = np.hypot(*(a.way(times)[0] - b.way(times)[0]).T)
    # between the observations unless the pieces clearly meet elsewhere
    outside = np.maximum(np.maximum(low - times, times - high), 0.0) / step
    scale = np.hypot(a.sigmas(times), b.sigmas(times)) + 0.5
    k = int(((gaps / scale) ** 2 + (outside / 0.3) ** 2).argmin())
    t = float(times[k])
    wa, wb = 1 / (a.sigma_at(t) ** 2 + 0.01), 1 / (b.sigma_at(t) ** 2 + 0.01)
    place = (a.at(t) * wa + b.at(t) * wb) / (wa + wb)
    speed_sigma = float(np.hypot(a.speed_sigma_at(t), b.speed_sigma_at(t)))
    sigma = float(np.sqrt(1 / (wa + wb)))
    return Break(path.ball, a, b, t, low, high, place, sigma, a.speed_at(t), b.speed_at(t), speed_sigma, float(gaps[k]))
