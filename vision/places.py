"""Where a ball lay before a stroke and after it, and the way between, as a stroke tells it."""

from __future__ import annotations

import numpy as np

from vision.breaks import Path
from vision.shot import PathPoint


def place_before(path: Path | None, strike: float) -> tuple[float, float] | None:
    """Where a ball lay before the strike at `strike` s, mm; None if it was not seen."""
    if path is None or not len(path.seen):
        return None
    early = path.seen.xy[path.seen.t < strike - 0.01]
    place = np.median(early, axis=0) if len(early) else path.seen.xy[0]
    return round(float(place[0]), 1), round(float(place[1]), 1)


def place_after(path: Path | None) -> tuple[float, float] | None:
    """Where a ball was seen last, mm; None if it was not seen."""
    if path is None or not len(path.seen):
        return None
    late = path.seen.xy[path.seen.t > path.seen.t[-1] - 0.2]
    place = np.median(late, axis=0)
    return round(float(place[0]), 1), round(float(place[1]), 1)


def has_moved(path: Path) -> bool:
    """Whether a path is worth showing."""
    spread = path.seen.xy.max(axis=0) - path.seen.xy.min(axis=0)
    return bool(np.hypot(*spread) > 8.0)


def points(path: Path, step: float) -> tuple[PathPoint, ...]:
    """The smoothed path, thinned to about 30 points a second."""
    thin = max(1, round(1 / 30 / max(step, 1e-3)))
    return tuple(
        PathPoint(float(t), float(path.seen.xy[k, 0]), float(path.seen.xy[k, 1])) for k, t in enumerate(path.seen.t) if k % thin == 0
    )
