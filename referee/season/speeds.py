"""How fast the cue ball leaves the cue, from tracks.csv."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from calibration.errors import UserError

_COLUMNS = ("video_t", "ball", "x_mm", "y_mm", "state")
_FEWEST = 3  # seen places; the error of a slope through fewer is not known
_SHORTEST = 0.025  # s that they must span


@dataclass(frozen=True, slots=True)
class Window:
    """`ball` rolls free from `start` to `end` (video_t, s)."""

    ball: str
    start: float
    end: float


def strike_speeds(tracks: Path, windows: Mapping[int, Window]) -> dict[int, float]:
    """The mean speed in m/s over each stroke's window; a stroke with too few seen places has none.

    The file is read as a stream: a match of hours is no more memory than one of minutes.

    Raises:
        UserError: the file is not a tracks.csv.
    """
    from pyarrow import csv, float64, lib, string

    ordered = sorted(windows.items(), key=lambda item: item[1].start)
    found: dict[int, list[np.ndarray]] = {}
    types = {"video_t": float64(), "ball": string(), "x_mm": float64(), "y_mm": float64(), "state": string()}
    options = csv.ConvertOptions(column_types=types, include_columns=list(_COLUMNS))
    try:
        with csv.open_csv(tracks, convert_options=options) as stream:
            for batch in stream:
                _collect(batch, ordered, found)
    except (lib.ArrowException, OSError, ValueError) as error:
        raise UserError(f"{tracks}: expected the tracks.csv of `poedinok analyze`: {error}") from None
    speeds = {stroke: _slope(np.concatenate(parts)) for stroke, parts in found.items()}
    return {stroke: round(speed, 3) for stroke, speed in speeds.items() if speed is not None}


def _collect(batch: Any, ordered: list[tuple[int, Window]], found: dict[int, list[np.ndarray]]) -> None:
    times = batch.column("video_t").to_numpy(zero_copy_only=False)
    if not len(times):
        return
    low, high = times[0], times[-1]
    columns = None
    for stroke, window in ordered:
        if window.end < low or window.start > high:
            continue
        columns = columns or [batch.column(name).to_numpy(zero_copy_only=False) for name in ("ball", "state", "x_mm", "y_mm")]
        ball, state, x, y = columns
        kept = (times >= window.start) & (times <= window.end) & (ball == window.ball) & (state == "seen")
        if kept.any():
            found.setdefault(stroke, []).append(np.column_stack([times[kept], x[kept], y[kept]]).astype(float))


def _slope(samples: np.ndarray) -> float | None:
    """Speed of (t, x, y) samples in m/s by a straight line through them, mm and s."""
    samples = samples[np.isfinite(samples).all(axis=1)]
    t = samples[:, 0]
    if len(t) < _FEWEST or t[-1] - t[0] < _SHORTEST:
        return None
    vx, vy = np.polyfit(t - t.mean(), samples[:, 1:], 1)[0]
    return float(np.hypot(vx, vy)) / 1000
