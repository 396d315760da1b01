"""When the pictures of a stretch of motion were truly taken, where their stamps do not say it well.

A converter shows pictures twice, at a regular rhythm, and cheap recorders stamp them unevenly. The balls tell: between hits they run
evenly. Where the pictures that are new, set at equal distances, fit their motion clearly better than the stamps do, they were taken so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from vision.record import Sighting
from vision.shot import Doubt
from vision.testimony import Testimony

_PERIODS = range(2, 7)  # pictures after which a rhythm of repeats begins anew: 30 in 60, 24 in 60, 24 in 30, 25 in 30
_REPEATS = 6  # pictures shown again, at least, that make a rhythm
_MOST, _FEW = 0.6, 0.08  # share of them at the places of the rhythm that are repeats, at the others
_RUNS = 12.0  # mm from picture to picture that tell the time
_STRAIGHT = 0.995  # cosine of the turn between two steps of a ball that met nothing
_TELLING = 12  # threes of places that are enough to compare clocks
_BETTER, _UNEVEN = 0.6, 0.001  # of the stamps' own error; s of it that matter


@dataclass(frozen=True, slots=True)
class Clock:
    """Times (s) that pictures bear, rising, and when they were taken."""

    stamped: np.ndarray
    taken: np.ndarray

    def at(self, t: float) -> float:
        """The true time of a stamp; beyond the known ones the difference stays."""
        if t <= self.stamped[0]:
            return float(t + self.taken[0] - self.stamped[0])
        if t >= self.stamped[-1]:
            return float(t + self.taken[-1] - self.stamped[-1])
        return float(np.interp(t, self.stamped, self.taken))


def rhythm(again: np.ndarray) -> np.ndarray | None:
    """(N,) bool: which pictures a regular rhythm of repeats makes repeats; None if there is none.

    `again` (N,): those that are known to be. Of balls that hardly move it is not seen.
    """
    known = np.flatnonzero(again)
    if len(known) < _REPEATS:
        return None
    inside = np.arange(known[0], known[-1] + 1)
    for period in _PERIODS:
        share = np.array([again[inside[inside % period == k]].mean() if (inside % period == k).any() else 0.5 for k in range(period)])
        repeats = share >= _MOST
        if 0 < repeats.sum() < period and (repeats | (share <= _FEW)).all() and len(inside) >= 3 * period:
            return repeats[np.arange(len(again)) % period]
    return None


def steadied(seen: Testimony) -> tuple[Testimony, tuple[Doubt, ...]]:
    """What was seen, at the times at which it was, and what is to be noted of that."""
    part = (seen.pictures.t >= seen.span.start) & (seen.pictures.t <= seen.end)
    notes: list[Doubt] = []
    repeats = rhythm(seen.pictures.again[part])
    if repeats is not None:
        again = seen.pictures.again.copy()
        again[part] = repeats
        old = frozenset(seen.pictures.t[again].tolist())
        records = {
            b: tuple(replace(s, fresh=False) if s.t in old and s.state == "moving" else s for s in its) for b, its in seen.seen.items()
        }
        seen = replace(seen, pictures=replace(seen.pictures, again=again), seen=records)
        notes.append(Doubt(f"pictures are shown again at a regular rhythm: {int((~repeats).sum())} of {len(repeats)} are new"))
    clock = _clock(seen, part & ~seen.pictures.again & ~seen.pictures.unstamped)
    if clock is None:
        return seen, tuple(notes)
    off = 1000 * float(np.abs(clock.taken - clock.stamped).max())
    notes.append(
        Doubt(f"the pictures' stamps are uneven, by up to {off:.0f} ms: taken as if at equal distances, which the balls' motion bears out")
    )
    return _retimed(seen, clock), tuple(notes)


def _clock(seen: Testimony, new: np.ndarray) -> Clock | None:
    """Equal distances between the `new` pictures (of all, bool), if the balls ran evenly by them and not by their stamps."""
    t = seen.pictures.t[new]
    threes = _threes(seen.seen, t)
    if len(threes) < _TELLING:
        return None
    stamps = _error(threes, t)
    if stamps < _UNEVEN:
        return None
    best, error = None, _BETTER * stamps
    for places in (_on_a_grid(t), np.arange(len(t))):
        if places is None:
            continue
        slope, start = np.polyfit(places, t, 1)
        taken = start + slope * places
        if np.abs(taken - t).max() > slope:  # pictures are missing
            continue
        if (found := _error(threes, taken)) < error:
            best, error = Clock(t, taken), found
    return best


def _on_a_grid(t: np.ndarray) -> np.ndarray | None:
    """The places of stamps on a grid of equal distances on which some places may be empty; None if they fit on none."""
    steps = float(np.median(np.diff(t))) * np.linspace(0.85, 1.15, 901)
    turns = np.exp(2j * np.pi * t / steps[:, None]).mean(axis=1)
    k = int(np.abs(turns).argmax())
    places = np.round(t / steps[k] - float(np.angle(turns[k])) / (2 * np.pi))
    return places if (np.diff(places) > 0).all() else None


def _threes(records: Mapping[str, Sequence[Sighting]], t: np.ndarray) -> np.ndarray:
    """(N, 4): the indexes among `t` of three pictures in a row in which a ball ran straight on, and the share of its way to the second."""
    index = {float(s): k for k, s in enumerate(t)}
    found = []
    for its in records.values():
        fresh = [s for s in its if s.fresh and s.state == "moving" and s.t in index]
        for a, b, c in zip(fresh, fresh[1:], fresh[2:], strict=False):
            if index[c.t] - index[a.t] != 2:
                continue
            u, v = np.array([b.x - a.x, b.y - a.y]), np.array([c.x - b.x, c.y - b.y])
            first, second = float(np.hypot(*u)), float(np.hypot(*v))
            if min(first, second) > _RUNS and float(u @ v) > _STRAIGHT * first * second:
                found.append((index[a.t], index[b.t], index[c.t], first / (first + second)))
    return np.array(found).reshape(-1, 4)


def _error(threes: np.ndarray, t: np.ndarray) -> float:
    """How much too early or late (s) the middle picture of three typically is by a clock, if balls run evenly."""
    a, b, c = (t[threes[:, k].astype(int)] for k in range(3))
    return float(np.median(np.abs((b - a) - threes[:, 3] * (c - a))))


def _retimed(seen: Testimony, clock: Clock) -> Testimony:
    moved = {b: tuple(replace(s, t=clock.at(s.t)) for s in its) for b, its in seen.seen.items()}
    span = replace(seen.span, start=clock.at(seen.span.start), end=clock.at(seen.span.end))
    pictures = replace(seen.pictures, t=np.array([clock.at(t) for t in seen.pictures.t.tolist()]))
    return replace(
        seen, span=span, until=None if seen.until is None else clock.at(seen.until), seen=moved, pictures=pictures,
        pots=tuple(replace(p, t=clock.at(p.t)) for p in seen.pots), left=tuple(replace(n, t=clock.at(n.t)) for n in seen.left),
    )  # fmt: skip
