"""Where balls touched the cushions of a video that was analyzed: evidence of where the noses are."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from calibration.bounce import Seen, Touch, frame_jitter, touch_of
from calibration.table import Table
from vision.shot import Event, Stroke
from vision.walls import Walls

_MOST, _WITHIN = 4, 0.29  # frames of a way next to a touch, and s: beyond, a ball that slid may roll
_OFF = 0.55  # frames from an event from which no part of an exposure shows it
_LEAST = 6  # frames of a way that tells how evenly frames were taken

Places = Mapping[str, np.ndarray]  # ball -> (N, 4): t s, x, y, sigma mm of the frames in which it was seen


@dataclass(frozen=True, slots=True)
class CushionTouch:
    """`off` mm: how far the ball's surface was from the nose when the ball turned, positive inside the table; `sigma` its error bar.
    `at` (x, y) mm: its centre then. `t` s: when it touched by its ways alone."""

    event: Event
    t: float
    at: tuple[float, float]
    off: float
    sigma: float


def places_of_tracks(path: Path) -> Places:
    """From a tracks.csv of `analyze`."""
    found: dict[str, list[list[float]]] = {}
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["state"] == "seen" and row["x_mm"]:
                found.setdefault(row["ball"], []).append([float(row[name]) for name in ("video_t", "x_mm", "y_mm", "sigma_mm")])
    return {ball: np.array(sorted(rows)) for ball, rows in found.items()}


def cushion_touches(strokes: Sequence[Stroke], places: Places, table: Table) -> list[CushionTouch]:
    """The touches of cushions whose ways before and after were seen, in order of time."""
    times = np.unique(np.concatenate([rows[:, 0] for rows in places.values()])) if places else np.empty(0)
    if len(times) < 3:
        return []
    step = float(np.median(np.diff(times)))
    reach = Walls(table).reach
    jitter = frame_jitter(_ways(strokes, places, step))
    found = []
    for stroke in strokes:
        for event in stroke.shot.events:
            ball, t0 = event.ball, event.video_t
            if event.type != "cushion" or t0 is None or event.cushion is None or ball is None or ball not in places:
                continue
            breaks = [stroke.start_t, *(e.video_t for e in stroke.shot.events if e is not event and e.video_t and e.involves(ball))]
            before, after = (_way(places[ball], event, side, breaks, step, table) for side in (-1, 1))
            touch = touch_of(before, after, jitter)
            if touch is not None:
                found.append(CushionTouch(event, touch.t, _at(event.cushion, touch, table), touch.out - reach, touch.out_sigma))
    return found


def _way(rows: np.ndarray, event: Event, side: int, breaks: Sequence[float], step: float, table: Table) -> Seen:
    """The nearest frames before (-1) or after (1) an event and up to the next one; not those that show either."""
    t0 = float(event.video_t or 0.0)
    limit = min([abs(t - t0) for t in breaks if (t - t0) * side > 0], default=9.0) - _OFF * step
    ahead = side * (rows[:, 0] - t0)
    near = np.flatnonzero((ahead > _OFF * step) & (ahead < min(limit, _WITHIN + _OFF * step)))
    rows = rows[near[-_MOST:] if side < 0 else near[:_MOST]]
    x, y = rows[:, 1], rows[:, 2]
    out, along = {"home": (x, y), "foot": (table.length - x, y), "right": (y, x), "left": (table.width - y, x)}[event.cushion or "home"]
    return Seen(rows[:, 0], out, along, rows[:, 3])


def _at(cushion: str, touch: Touch, table: Table) -> tuple[float, float]:
    out, along = touch.out, touch.along
    return {"home": (out, along), "foot": (table.length - out, along), "right": (along, out), "left": (along, table.width - out)}[cushion]


def _ways(strokes: Sequence[Stroke], places: Places, step: float) -> list[np.ndarray]:
    """Stretches (N, 3) t, x, y of moving balls without an event between, for some tenths of a second each."""
    ways = []
    for ball, rows in places.items():
        breaks = [t for s in strokes for t in (s.start_t, *(e.video_t for e in s.shot.events if e.video_t and e.involves(ball)))]
        piece: list[np.ndarray] = []
        for row in rows:
            hit = any(abs(row[0] - t) < _OFF * step for t in breaks)
            passed = piece and any(piece[-1][0] < t < row[0] for t in breaks)
            if hit or passed or (piece and row[0] - piece[-1][0] > 1.5 * step) or len(piece) == _LEAST + 2:
                ways.append(np.array(piece).reshape(-1, 4)[:, :3])
                piece = []
            if not hit:
                piece.append(row)
        ways.append(np.array(piece).reshape(-1, 4)[:, :3])
    return [way for way in ways if len(way) >= _LEAST]
