"""Touches too soft to bend a path: a ball that passes another so near, or runs so near along a cushion, that nobody can tell.

Two balls that hardly overlap give each other nothing that could be measured, and a ball that rolls along a nose may rest on it.
Where the gap lies within the error of places, what was not seen is no evidence: the touch is told as a way it may have been.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from calibration.table import Table
from vision.breaks import STILL, Path
from vision.shot import Doubt, Event, Way
from vision.walls import NORMALS, Walls

_BALLS = 0.5  # share of the slack within which balls may have touched: their places err alike
_NOSE = 0.75  # the same of a cushion's nose
_ALONG = 0.1  # s beside a nose; what comes and goes faster has bounced, and its path says so
_TRAVELS = 10.0  # mm along a nose: a ball that only trembles beside it does not
_APART = 1.0  # mm that balls must part before they can touch again (D11)


@dataclass(frozen=True, slots=True)
class _Way:
    """A ball on its way: `places` (N, 2) mm and `speeds` (N,) mm/s at the times of the clock, as long as it was seen."""

    places: np.ndarray
    speeds: np.ndarray

    def __len__(self) -> int:
        return len(self.speeds)


def graze_doubts(
    table: Table, paths: Mapping[str, Path], events: Sequence[Event], strike: float, falls: Mapping[str, float], step: float, slack: float
) -> list[Doubt]:
    """Touches that may have been and that none of `events` (video seconds, in order) tells. `strike`, `falls` (by ball): s."""
    clock = np.arange(strike, max((p.seen.t[-1] for p in paths.values()), default=strike), step)
    ways = {ball: _way(path, clock[clock < min(path.seen.t[-1], falls.get(ball, np.inf) - 3 * step)], step) for ball, path in paths.items()}
    doubts = []
    for touch in (*_balls(table, ways, clock, slack), *_noses(table, ways, clock, slack)):
        if any(same(e, touch) and abs(e.t - touch.t) < 2.5 * step + _ALONG for e in events):
            continue
        label = f"also contact {'-'.join(touch.balls)}" if touch.balls else f"also cushion {touch.ball}"
        way = Way(label, (replace(touch, t=touch.t - strike, sigma_ms=1000 * step, confidence=0.1),))
        index = min(range(len(events)), key=lambda k: abs(events[k].t - touch.t)) if events else None
        doubts.append(Doubt(f"not sure at {touch.t:.2f} s: {label}", index, (way,)))
    return doubts


def same(one: Event, other: Event) -> bool:
    """Whether two events tell the same, but for the time."""

    def what(e: Event) -> tuple:
        return e.type, e.ball, e.balls, e.cushion, e.pocket

    return what(one) == what(other)


def _way(path: Path, clock: np.ndarray, step: float) -> _Way:
    """`speeds` are nothing where the ball was not looked at: it rested there."""
    places, velocities = path.way(clock)
    speeds = np.hypot(*velocities.T)
    after = np.searchsorted(path.seen.t, clock).clip(1, len(path.seen) - 1)
    near = np.minimum(np.abs(path.seen.t[after] - clock), np.abs(path.seen.t[after - 1] - clock)) < step
    return _Way(places, np.where(near, speeds, 0.0))


def _balls(table: Table, ways: Mapping[str, _Way], clock: np.ndarray, slack: float) -> Iterator[Event]:
    for a, b in combinations(sorted(ways), 2):
        n = min(len(ways[a]), len(ways[b]))
        gaps = np.hypot(*(ways[a].places[:n] - ways[b].places[:n]).T) - table.ball
        moves = np.maximum(ways[a].speeds[:n], ways[b].speeds[:n]) > STILL
        for row in _rows((gaps < _BALLS * slack) & moves):
            k = int(row[gaps[row].argmin()])
            # a ball that passed through another flew over it: so deep a touch would have been seen
            if gaps[k] > -_BALLS * slack and gaps[:k].max(initial=0.0) > gaps[k] + _APART:
                yield Event(float(clock[k]), "contact", balls=(a, b))


def _noses(table: Table, ways: Mapping[str, _Way], clock: np.ndarray, slack: float) -> Iterator[Event]:
    walls = Walls(table)
    for ball, way in ways.items():
        for cushion in NORMALS:
            gaps = walls.cushion_gaps(cushion, way.places)
            for row in _rows((gaps < _NOSE * slack) & (way.speeds > STILL)):
                k = int(row[len(row) // 2])
                travels = float(np.hypot(*(way.places[row[-1]] - way.places[row[0]]))) > _TRAVELS
                if travels and clock[row[-1]] - clock[row[0]] > _ALONG and walls.straight(cushion, way.places[k]):
                    yield Event(float(clock[row[0]]), "cushion", ball, cushion=cushion)


def _rows(where: np.ndarray) -> list[np.ndarray]:
    """The indexes at which something holds, as unbroken rows."""
    inside = np.flatnonzero(where)
    return np.split(inside, np.flatnonzero(np.diff(inside) > 1) + 1) if len(inside) else []
