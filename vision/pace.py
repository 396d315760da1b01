"""Slow motion, told by the balls: on cloth a rolling ball loses 40 to 130 mm/s each second, and n times slower it loses n² times less."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from vision.breaks import Path
from vision.shot import Doubt, Event

_LEAST = 25.0  # mm/s²: less no cloth takes, also of a table that is 1 mm/m out of level
_LONG, _ROLLS = 0.6, 60.0  # s, mm/s of a piece that shows how a ball rolls
_SURE = 4.0  # mm/s²: error bar of such a piece's slowing
_ENOUGH = 1.2  # s of them


def slowing(paths: Mapping[str, Path]) -> float | None:
    """How much the balls lose of their speed by rolling, mm/s²: the median over time; None if too little of it was seen."""
    found = [
        (-float(p.acceleration @ v) / float(np.hypot(*v)), p.end - p.start)
        for path in paths.values()
        for p in path.pieces
        if p.end - p.start > _LONG and p.covariance[2, 2] < _SURE**2 and np.hypot(*(v := p.speed_at((p.start + p.end) / 2))) > _ROLLS
    ]
    if sum(lasts for _, lasts in found) < _ENOUGH:
        return None
    found.sort()
    passed = np.cumsum([lasts for _, lasts in found])
    return found[int(np.searchsorted(passed, passed[-1] / 2))][0]


def pace_doubt(paths: Mapping[str, Path], events: Sequence[Event]) -> tuple[tuple[Doubt, ...], tuple[Doubt, ...]]:
    """(Doubts, notes) of a stroke whose balls roll as in slow motion: it decides where a ball stops in the jaws, and for how long."""
    lost = slowing(paths)
    if lost is None or lost >= _LEAST:
        return (), ()
    said = (Doubt(f"the balls lose only {max(lost, 0.0):.0f} mm/s in a second: is this slow motion?"),)
    return (said, ()) if any(e.type == "stop" and e.jaws for e in events) else ((), said)
