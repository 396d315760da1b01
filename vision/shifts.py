"""Balls that lie a little beside their old place: met so softly that no path bends, or touched.

A resting ball is measured again and again, so that its place is known far better than any one sighting tells, and its
calibration errs alike before and after: a shift of a part of a pixel is seen that no path shows. If a ball came up to it then,
from the side that it gave way from, that was a contact.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from calibration.table import Table
from vision.breaks import STILL, Path
from vision.pieces import Piece
from vision.shot import Doubt, Event, Way

_LEAST, _SHARE = 0.8, 0.25  # mm, and share of the slack: shifts of less than both are the light's
_SIGMAS = 5.0  # of the difference of two places
_LYING = 0.12  # s on either side that a place takes
_DRIFT = 0.3  # of a shift that a ball may have moved by before, to have lain still then
_WINDOW = 1.0  # s from which a place is taken
_ABOUT, _CALMS = 0.06, 0.6  # s before and after an event that are left out: its time has an error, and then the ball runs out
_AGAIN = 0.25  # s in which two balls do not meet twice so softly
_FAR = 60.0  # mm: who went farther was seen to run
_BEFORE, _AFTER = 0.5, 0.2  # s about the shift in which the other ball came up to it
_MARGIN = 2.0  # mm besides the slack between two surfaces that met
_AWAY = 0.5  # cosine of the angle between the shift and the line of centres
_CAME = 4.0  # mm that a ball must have gone to have met another one
_NEAREST = 0.5  # mm within which a ball is where it came nearest
_TELLS = 0.9  # confidence from which a contact stands for itself
_SURE = 0.5  # share of the slack from which a shift is no error of measurement at all


@dataclass(frozen=True, slots=True)
class Shift:
    """`ball` lay at `place` (2,) mm and then, from about `t` s on, `by` (2,) mm beside it."""

    ball: str
    t: float
    place: np.ndarray
    by: np.ndarray

    @property
    def size(self) -> float:
        return float(np.hypot(*self.by))


def shifts_of(path: Path, events: Sequence[Event], slack: float) -> Iterator[Shift]:
    """The shifts of a ball where it lay, between the `events` (video seconds) that it had a part in."""
    own = sorted(e.t for e in events if e.involves(path.ball) and e.type != "midline")
    for start, end in pairwise([-np.inf, *own, np.inf]):
        rest = _resting(path, start + _CALMS, end - _ABOUT)
        if rest is not None and (shift := _step(path, *rest, slack)) is not None:
            yield shift


def _resting(path: Path, start: float, end: float) -> tuple[float, float] | None:
    """From when to when a ball lay about one place between two times; None where it ran."""
    inside = [p for p in path.pieces if p.end > start and p.start < end]
    first = next((n for n, p in enumerate(inside) if not _runs(p)), None)
    if first is None:
        return None
    began = max(start, inside[first].start) if first or np.isfinite(start) else -np.inf
    later = inside[first:]
    if any(float(np.hypot(*(p.at(min(p.end, end)) - later[0].at(later[0].end)))) > _FAR for p in later):
        return None
    return began, end


def _runs(piece: Piece) -> bool:
    middle = (piece.start + piece.end) / 2
    return piece.last > piece.first and float(np.hypot(*piece.speed_at(middle))) > max(STILL, 3.0 * piece.speed_sigma_at(middle))


def _step(path: Path, start: float, end: float, slack: float) -> Shift | None:
    """The one step that divides the places of a resting ball best, if it is more than noise."""
    kept = (path.whole.t > start) & (path.whole.t < end)
    t, xy, w = path.whole.t[kept], path.whole.xy[kept], 1 / path.whole.sigma[kept] ** 2
    if len(t) < 8 or t[-1] - t[0] < 2 * _LYING:
        return None
    weight, sums = np.cumsum(w), np.cumsum(w[:, None] * xy, axis=0)
    before, after = sums[:-1] / weight[:-1, None], (sums[-1] - sums[:-1]) / (weight[-1] - weight[:-1])[:, None]
    gain = ((after - before) ** 2).sum(axis=1) * weight[:-1] * (weight[-1] - weight[:-1]) / weight[-1]
    gain[(t[:-1] - t[0] < _LYING) | (t[-1] - t[:-1] < _LYING)] = 0.0
    k = int(gain.argmax())
    early, late = slice(int(np.searchsorted(t, t[k] - _WINDOW)), k + 1), slice(k + 1, int(np.searchsorted(t, t[k] + _WINDOW)))
    if early.stop - early.start < 4 or late.stop - late.start < 2:
        return None
    a, b = np.median(xy[early], axis=0), np.median(xy[late], axis=0)
    # from neighbours: what a place wanders by in itself
    noise = float(np.median(np.abs(np.diff(xy, axis=0)))) / 0.954
    bar = max(noise, 0.05) * float(np.sqrt(1 / (early.stop - early.start) + 1 / (late.stop - late.start))) * 1.25
    shift = Shift(path.ball, float(t[k] + t[k + 1]) / 2, a, b - a)
    half = early.start + (early.stop - early.start) // 2
    drift = float(np.hypot(*(np.median(xy[half : early.stop], axis=0) - np.median(xy[early.start : half], axis=0))))
    if drift > _DRIFT * shift.size + 2 * bar:  # it rolls out: what comes last of its own motion
        return None
    return shift if shift.size > max(_LEAST, _SHARE * slack, _SIGMAS * bar) else None


def soft_contacts(table: Table, paths: Mapping[str, Path], events: Sequence[Event], slack: float) -> list[Event]:
    """Contacts (video seconds) that nothing but the shift of a resting ball tells; their confidence falls with the shift."""
    found = []
    for ball, path in paths.items():
        for shift in shifts_of(path, events, slack):
            met = min((m for name in paths if name != ball and (m := _met(table, paths[name], shift, slack))), default=None)
            if met is not None and not any(e.balls == _pair(ball, met[2]) and abs(e.t - met[1]) < _AGAIN for e in events):
                sure = 0.97 if shift.size > _SURE * slack else 0.8
                found.append(Event(met[1], "contact", balls=_pair(ball, met[2]), sigma_ms=1000 * met[3], confidence=sure))
    return found


def _pair(a: str, b: str) -> tuple[str, str]:
    return (a, b) if a < b else (b, a)


def _met(table: Table, path: Path, shift: Shift, slack: float) -> tuple[float, float, str, float] | None:
    """How near (mm) a ball came to another one that gave way, when (s), its name, and the error bar of the time; None if it did not."""
    seen = path.whole
    times = np.flatnonzero((seen.t > shift.t - _BEFORE) & (seen.t < shift.t + _AFTER))
    if len(times) < 3:
        return None
    clock = np.linspace(seen.t[times[0]], seen.t[times[-1]], 8 * len(times))
    way = path.way(clock)[0]
    line = shift.place - way
    gaps = np.hypot(*line.T) - table.ball
    k = int(np.flatnonzero(gaps <= gaps.min() + _NEAREST)[0])
    came = float(np.hypot(*(way[k] - way[0])))
    if gaps[k] > slack + _MARGIN or came < _CAME:
        return None
    if float(line[k] @ shift.by) < _AWAY * float(np.hypot(*line[k])) * shift.size:
        return None
    speed = came / max(float(clock[k] - clock[0]), 1e-3)
    return float(gaps[k]), float(clock[k]), path.ball, float(np.clip(0.5 / speed, 0.004, 0.05))


def without_told(doubts: Sequence[Doubt], soft: Sequence[Event], strike: float) -> list[Doubt]:
    """The doubts less those whether there was a contact that is told now; `strike`: when their ways' times begin, s."""

    def told(way: Way) -> bool:
        added = way.add[0] if len(way.add) == 1 and not way.drop else None
        return added is not None and any(e.balls == added.balls and abs(e.t - strike - added.t) < _AGAIN for e in soft)

    return [d for d in doubts if not d.ways or not all(told(way) for way in d.ways)]


def soft_doubts(events: Sequence[Event], soft: Sequence[Event]) -> list[Doubt]:
    """The contacts of `soft` among the `events` that so small a shift tells that there may have been none."""
    doubts = []
    for k, e in enumerate(events):
        if any(e.balls and e.balls == s.balls and e.t == s.t and (s.confidence or 0) < _TELLS for s in soft):
            label = f"no contact {'-'.join(e.balls or ())}"
            doubts.append(Doubt(f"not sure at {e.t:.2f} s: {label}", k, (Way(label, drop=(k,)),)))
    return doubts
