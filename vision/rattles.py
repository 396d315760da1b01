"""A ball that rattles: between two jaws it touches them every few milliseconds, more often than pictures are taken.

How often is told as well as can be seen, and that it may have been once more or less is a doubt. It matters only where touches are
counted (a bank onto black, a carom by way of a corner); nobody is asked else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from calibration.table import Table
from vision.breaks import Path
from vision.shot import Doubt, Event, Way

_ROW = 0.15  # s between two touches of one mouth's jaws that belong together
_AFTER = 0.01  # s after the last one at which another may follow
_FRAMES = 1.5  # after a single touch in which another one may be hidden
_DEEP = 1.0  # radii besides the mouth that the distances of a ball between its jaws from their tips make


def rattle_doubts(table: Table, paths: Mapping[str, Path], events: Sequence[Event], strike: float, step: float) -> list[Doubt]:
    """Rows of touches (`events` in video seconds) of which there may have been one more or less; `strike`: when ways' times begin, s.

    Touches in the pocket that the ball falls into count for nothing, and are not asked about.
    """
    fell = {(e.ball, e.pocket) for e in events if e.type == "pocket"}
    doubts = []
    for row in _rows(events):
        first, last = events[row[0]], events[row[-1]]
        path = paths.get(last.ball or "")
        if path is None or (last.ball, last.pocket) in fell or (len(row) == 1 and not _stays(table, path, last, step)):
            continue
        more = replace(last, t=last.t + _AFTER - strike, cushion=_other_jaw(table, last), confidence=0.3)
        ways = [Way(f"also jaw {last.ball}", (more,))]
        if len(row) > 1:
            ways.append(Way(f"no jaw {last.ball}", drop=(row[-1],)))
        doubts.append(Doubt(f"not sure at {first.t:.2f} s: {ways[0].label}", row[-1], tuple(ways)))
    return doubts


def counted_elsewhere(events: Sequence[Event]) -> set[int]:
    """Indexes of the touches that `rattle_doubts` speaks of as a row, and of those in the pocket that takes the ball."""
    fell = {(e.ball, e.pocket) for e in events if e.type == "pocket"}
    return {k for row in _rows(events) if len(row) > 1 or (events[row[0]].ball, events[row[0]].pocket) in fell for k in row}


def _rows(events: Sequence[Event]) -> list[list[int]]:
    """Indexes of touches of the same mouth by the same ball, each soon after the one before."""
    rows: list[list[int]] = []
    for k, e in enumerate(events):
        if e.type != "jaw":
            continue
        for row in reversed(rows):
            last = events[row[-1]]
            if (last.ball, last.pocket) == (e.ball, e.pocket) and e.t - last.t < _ROW:
                row.append(k)
                break
        else:
            rows.append([k])
    return rows


def _stays(table: Table, path: Path, touch: Event, step: float) -> bool:
    """Whether a ball is still between the jaws when it is next seen."""
    pocket = table.pocket(touch.pocket or "")
    place = path.at(touch.t + _FRAMES * step)
    far = sum(float(np.hypot(*(place - np.array(jaw.tip)))) for jaw in pocket.jaws)
    return far < pocket.mouth + _DEEP * table.radius


def _other_jaw(table: Table, touch: Event) -> str | None:
    """The cushion that the other jaw of the same mouth ends; in a middle pocket it is the same one."""
    ends = [jaw.cushion for jaw in table.pocket(touch.pocket or "").jaws]
    return next((c for c in ends if c != touch.cushion), touch.cushion)
