"""What a ball does between the jaws of a pocket: it touches them every few milliseconds, more often than pictures are taken.

No single touch leaves a piece of path then. But the way in is known, so are the jaws, and the pictures in between and the way out (or
the fall) say which of the ways that physics allows it went: many are played, with the errors of the start, the rubber and the spin, and
those that come by what was seen are kept (a particle filter). What most of them have is told.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from calibration.table import KINDS, Pocket, Table
from vision.breaks import STILL, Path
from vision.shot import Event
from vision.walls import Walls

_TRIES = ((500, 1.0), (3000, 1.8), (8000, 2.5))  # ways that are played, and how freely; the second where the first find nothing
_JITTER, _JITTER_SPEED = 0.01, 6.0  # share of a speed, and mm/s, by which a kept way is varied
_STEP, _STEPS = 1.5, (0.0005, 0.003)  # mm that the ways go at once, and the s that they take for it at least and at most
_BOUNCE, _BOUNCE_SIGMA = 0.66, 0.1  # restitution of a jaw
_ALONG, _ALONG_SIGMA = 0.86, 0.07  # share of the speed along a jaw that a touch leaves
_GRIP, _GRIP_SIGMA = 2000.0, 300.0  # mm/s²: sliding friction
_ROLL = 100.0  # mm/s²
_OFF, _LEAST_OFF = 0.35, 1.2  # share of the slack, and mm at the least, by which a jaw is not where it should be
_NONE = 0.2  # chance that there was no touch at all from which none is told
_LOOSE = 1.0  # mm: error of a place besides its own
_FAR = 4.0  # sigmas beyond which a place says no more against a way
_APART = 1.0  # mm that a ball must leave a jaw before it touches it again (D11)
_LONGEST = 1.5  # s of a visit
_RESTS, _RESTED = 1.5, 0.25  # mm within which a ball lies still, for so many s
_BEFORE = 5  # places of the way in that its speed is taken from
_AFTER = 3  # places after a visit that say where the ball went
_NEAR = 6.0  # mm besides the way in a step, from a jaw: there a visit begins and ends
_FITS, _LOST = 3.2, 9.0  # squared sigmas of a place that the kept ways may miss places by, on average and each
_FALLS = 0.006  # s: error of the time of a fall, besides its own


@dataclass(frozen=True, slots=True)
class Visit:
    """A stay of `ball` between the jaws of `pocket` from `start` to `end` s; `fell`: when it fell into it, s, with the error bar."""

    ball: str
    pocket: str
    start: float
    end: float
    fell: tuple[float, float] | None = None

    def holds(self, ball: str, t: float, step: float) -> bool:
        """Whether `ball` was between the jaws at t s; `step`: between pictures, s."""
        return ball == self.ball and self.start - 1.5 * step < t < self.end + 1.5 * step


@dataclass(frozen=True, slots=True)
class Touches:
    """The touches of a visit that are most likely: time (s), cushion that the jaw ends, error bar (s); `chance` of that many."""

    visit: Visit
    times: tuple[tuple[float, str, float], ...]
    chance: float


def visits_of(table: Table, path: Path, fall: tuple[str, float, float] | None, step: float) -> Iterator[Visit]:
    """The visits of a ball, in order; `fall`: its pocket, time and error bar (s)."""
    walls = Walls(table)
    t, xy = path.seen.t, path.seen.xy
    end = np.inf if fall is None else fall[1]
    for pocket in table.pockets:
        gaps = walls.jaw_gaps(pocket.name, xy)
        ahead = np.hypot(*np.gradient(xy, t, axis=0).T) * step if len(t) > 2 else np.zeros(len(t))
        near = np.flatnonzero((gaps.min(axis=1) < _NEAR + ahead) & (t <= end + step))
        for row in np.split(near, np.flatnonzero(np.diff(near) > 2) + 1) if len(near) else ():
            fell = (fall[1], fall[2]) if fall is not None and fall[0] == pocket.name and end - t[row[-1]] < 4 * step else None
            first, last = int(row[0]), int(row[-1])
            last = last if fell else _stopped(t, xy, first, last)
            yield Visit(path.ball, pocket.name, float(t[first]), fell[0] if fell else float(t[min(last + 1, len(t) - 1)]), fell)


def _stopped(t: np.ndarray, xy: np.ndarray, first: int, last: int) -> int:
    """The place, of those from `first` to `last`, after which a ball first lies still; the last one if it does not."""
    for k in range(first, last):
        lying = slice(k, int(np.searchsorted(t, t[k] + _RESTED)) + 1)
        if t[last] - t[k] >= _RESTED and np.hypot(*(xy[lying] - xy[k]).T).max() < _RESTS:
            return k
    return last


class _Ways:
    """Many ways that a ball may go: places, speeds and how it rolls, (N, 2) each; the touches of each."""

    def __init__(self, walls: Walls, pocket: Pocket, slack: float, start: tuple[np.ndarray, ...], many: int, free: float):
        self.walls, self.pocket, self.rng = walls, pocket, np.random.default_rng(1)
        self.many, self.free, rng = many, free, self.rng
        place, speed, sigma, speed_sigma = start
        n = many
        self.p = place + rng.normal(0, sigma, (n, 2))
        self.v = speed + rng.normal(0, speed_sigma, (n, 2))
        self.roll = self.v * rng.normal(1.0, 0.1, (n, 1))
        self.grip = rng.normal(_GRIP, _GRIP_SIGMA, n)[:, None]
        self.jaws = walls.jaws_of(pocket.name)
        self.off = rng.normal(0, max(_OFF * slack, _LEAST_OFF), (n, len(self.jaws)))
        self.apart = np.ones((n, len(self.jaws)), bool)
        self.fell = np.full(n, np.inf)
        self.touched: list[tuple[float, int, np.ndarray]] = []  # s, jaw, who (N,) bool
        self.weight = np.zeros(n)

    def go(self, t: float, until: float) -> None:
        while t < until - 1e-9:
            fastest = float(np.hypot(*self.v[np.isinf(self.fell)].T).max(initial=1.0))
            dt = min(float(np.clip(_STEP / fastest, *_STEPS)), until - t)
            t += dt
            live = np.isinf(self.fell)[:, None]
            slip = self.v - self.roll
            fast = np.maximum(np.hypot(*slip.T)[:, None], 1e-6)
            push = np.minimum(self.grip * dt, fast * 2 / 7) * slip / fast
            speed = np.maximum(np.hypot(*self.v.T)[:, None], 1e-6)
            self.v = (self.v - push) * (1 - np.minimum(_ROLL * dt / speed, 1.0))
            self.roll = self.roll + 2.5 * push
            self.p = self.p + self.v * dt * live
            for k in range(len(self.jaws)):
                self._bounce(t, k)
            inside = np.hypot(*(self.p - np.array(self.pocket.centre)).T) < self.pocket.radius
            self.fell = np.where(inside & np.isinf(self.fell), t, self.fell)

    def _bounce(self, t: float, k: int) -> None:
        gap, normal, jaw = self.walls.outlines(self.jaws[k], self.p)
        gap = gap + self.off[:, k]
        towards = (self.v * normal).sum(axis=1)
        hit = (gap <= 0) & (towards < 0) & np.isinf(self.fell) & (gap > -60.0)
        if hit.any():
            n = len(gap)
            e, along = self.rng.normal(_BOUNCE, self.free * _BOUNCE_SIGMA, n), self.rng.normal(_ALONG, self.free * _ALONG_SIGMA, n)
            across = self.v - towards[:, None] * normal
            after = across * along[:, None] - (e * towards)[:, None] * normal
            self.v = np.where(hit[:, None], after, self.v)
            self.p = np.where(hit[:, None], self.p - gap[:, None] * normal, self.p)
            new = hit & self.apart[:, k] & jaw
            if new.any():
                self.touched.append((t, k, new))
        self.apart[:, k] = np.where(hit, False, self.apart[:, k] | (gap > _APART))

    def weigh(self, place: np.ndarray, sigma: float) -> float:
        """Compare with a place that was seen; returns how far (squared sigmas) the kept ways are from it."""
        off = (((self.p - place) / sigma) ** 2).sum(axis=1)
        gone = np.isfinite(self.fell)
        price = np.where(gone, _FAR**2, np.minimum(off, _FAR**2 + 0.02 * off))
        return self._keep(price)

    def weigh_fall(self, t: float, sigma: float) -> float:
        off = (np.where(np.isfinite(self.fell), self.fell, t + 10 * sigma) - t) / sigma
        return self._keep(np.minimum(off**2, _FAR**2))

    def _keep(self, price: np.ndarray) -> float:
        self.weight = self.weight - price / 2
        share = np.exp(self.weight - self.weight.max())
        share /= share.sum()
        if 1 / (share**2).sum() < self.many / 2:
            chosen = np.searchsorted(np.cumsum(share), (np.arange(self.many) + self.rng.random()) / self.many).clip(0, self.many - 1)
            for name in ("p", "v", "roll", "grip", "off", "apart", "fell"):
                setattr(self, name, getattr(self, name)[chosen])
            self.touched = [(t, k, who[chosen]) for t, k, who in self.touched]
            self.weight = np.zeros(self.many)
            self.v = self.v * (1 + self.free * _JITTER * self.rng.normal(size=(self.many, 1)))
            self.v = self.v + self.free * _JITTER_SPEED * self.rng.normal(size=self.v.shape) * (np.hypot(*self.v.T) > STILL)[:, None]
            return float(price[chosen].mean())
        return float(share @ price)


def touches_in(table: Table, path: Path, visit: Visit, step: float, slack: float) -> Touches | None:
    """The touches of a visit; None if too little was seen of it, or no way of the ball comes by what was seen."""
    seen, walls = path.seen, Walls(table)
    first = int(np.searchsorted(seen.t, visit.start - 1e-9))
    piece = path.piece_at(visit.start - 0.5 * step)
    before = slice(max(piece.first, first - _BEFORE), first)
    start = _start(seen.t[before], seen.xy[before], seen.sigma[before])
    last = int(np.searchsorted(seen.t, visit.end)) + _AFTER
    later = range(first, min(len(seen.t), last))
    if (
        not _bends(path, visit, step)
        or start is None
        or not len(later)
        or seen.t[later[-1]] - visit.start > _LONGEST
        or float(np.hypot(*start[1])) < STILL
    ):
        return None
    for many, free in _TRIES:
        ways = _Ways(walls, table.pocket(visit.pocket), slack, start, many, free)
        if _played(ways, path, visit, (first, later), step):
            return _told(ways, visit)
    return None


def _bends(path: Path, visit: Visit, step: float) -> bool:
    """Whether a path breaks in a visit: what the geometry alone asks for is as uncertain as it is."""
    return any(visit.start - 1.5 * step < piece.start <= visit.end + 0.5 * step for piece in path.pieces[1:])


def _played(ways: _Ways, path: Path, visit: Visit, places: tuple[int, range], step: float) -> bool:
    """Plays the ways past the places of a visit; whether some come by all of them."""
    (first, later), seen = places, path.seen
    now, misses = float(seen.t[first - 1]), []
    for k in later:
        t = float(seen.t[k])
        if visit.fell and t > visit.fell[0] - 0.25 * step:
            break
        ways.go(now, t)
        misses.append(ways.weigh(seen.xy[k], float(np.hypot(seen.sigma[k], _LOOSE))))
        now = t
        if misses[-1] > _LOST:
            break
    if visit.fell and (not misses or misses[-1] <= _LOST):
        ways.go(now, visit.fell[0] + 1.5 * step)
        misses.append(ways.weigh_fall(visit.fell[0], float(np.hypot(visit.fell[1], _FALLS))))
    return bool(misses) and misses[-1] <= _LOST and float(np.mean(misses)) < _FITS


def _start(t: np.ndarray, xy: np.ndarray, sigma: np.ndarray) -> tuple[np.ndarray, ...] | None:
    """Place and speed at the last of some places of a straight way, (2,) each, with their error bars; None from fewer than two."""
    if len(t) < 2:
        return None
    u = t - t[-1]
    design, w = np.column_stack([np.ones_like(u), u]), 1 / sigma**2
    covariance = np.linalg.inv(design.T @ (design * w[:, None]))
    found = covariance @ (design.T @ (xy * w[:, None]))
    bars = np.sqrt(np.diag(covariance))
    return found[0], found[1], bars[0], np.hypot(bars[1], 10.0)


def _told(ways: _Ways, visit: Visit) -> Touches:
    share = np.exp(ways.weight - ways.weight.max())
    share /= share.sum()
    count = np.sum([who for _, _, who in ways.touched], axis=0) if ways.touched else np.zeros(ways.many, int)
    odds = np.bincount(count, weights=share)
    wanted = 0 if odds[0] > _NONE else int(np.searchsorted(np.cumsum(odds), 0.5))
    mine = count == wanted
    times = []
    rank = np.zeros(ways.many, int)
    lists: list[list[tuple[float, int, float]]] = [[] for _ in range(wanted)]
    for t, k, who in ways.touched:
        for n in np.flatnonzero(who & mine):
            lists[rank[n]].append((t, k, float(share[n])))
            rank[n] += 1
    for row in lists:
        t, w = np.array([r[0] for r in row]), np.array([r[2] for r in row])
        middle = float(t @ w / w.sum())
        by_jaw = np.bincount([r[1] for r in row], weights=w)
        spread = float(np.sqrt(w @ (t - middle) ** 2 / w.sum()))
        times.append((middle, ways.walls.jaw_cushion(ways.jaws[int(by_jaw.argmax())]), max(spread, 0.001)))
    return Touches(visit, tuple(times), float(odds[wanted]))


def with_visits(
    table: Table,
    paths: Mapping[str, Path],
    events: Sequence[Event],
    falls: Mapping[str, tuple[str, float, float]],
    step: float,
    slack: float,
) -> tuple[list[Event], list[Visit]]:
    """The events (video seconds) with as many touches of jaws as visits tell, where breaks told more or fewer, and those visits.

    `falls`: pocket, time and error bar (s) of the balls that fell.
    """
    kept, told = list(events), []
    if table.name not in KINDS:  # of its jaws nothing is known but the usual measure
        return kept, told
    for ball, path in paths.items():
        for visit in visits_of(table, path, falls.get(ball), step):
            met = any(e.type == "contact" and e.involves(ball) and visit.start - 2 * step < e.t < visit.end + step for e in events)
            found = None if met else touches_in(table, path, visit, step, slack)
            if found is None:
                continue
            told.append(visit)
            old = [e for e in kept if _is_of(e, visit, step)]
            new = [
                Event(t, "jaw", ball, cushion=cushion, pocket=visit.pocket, sigma_ms=1000 * bar, confidence=round(found.chance, 3))
                for t, cushion, bar in found.times
            ]
            if len(new) != len(old):
                kept = [e for e in kept if e not in old] + new
    return kept, told


def _is_of(e: Event, visit: Visit, step: float) -> bool:
    return e.type == "jaw" and e.pocket == visit.pocket and visit.holds(e.ball or "", e.t, step)
