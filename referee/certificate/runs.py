"""Free runs of balls out of a stretch of motion: the smooth pieces of their paths, without what a hand carried."""

from __future__ import annotations

import numpy as np

from calibration.certify.observed import Run
from vision.breaks import Path, path_of
from vision.pieces import Piece
from vision.record import Sighting, observations

_HAND = 0.12  # share of foreign pixels round a ball that means somebody is at it
_SLOW = 60.0  # mm/s
_TURN = np.cos(np.radians(4.0))
_PACE = 0.25  # change of speed at which two pieces are still one run (from sliding to rolling)


def runs_of(ball: str, sightings: list[Sighting], step: float) -> list[Run]:
    """The runs of one ball; `step` is the usual time between frames, s."""
    data = observations(sightings, step)
    if len(data) < 6:
        return []
    path = path_of(ball, data)
    foreign = {s.frame: s.foreign for s in sightings if s.fresh}
    groups: list[list[Piece]] = []
    for piece in path.pieces:
        if not _free(path, piece, foreign):
            groups.append([])
        elif groups and groups[-1] and _goes_on(groups[-1][-1], piece, step):
            groups[-1].append(piece)
        else:
            groups.append([piece])
    return [run for group in groups if group for run in [_run(path, group)] if run is not None]


def _free(path: Path, piece: Piece, foreign: dict[int, float]) -> bool:
    if piece.last - piece.first < 2 or float(np.hypot(*piece.speed_at((piece.start + piece.end) / 2))) < _SLOW:
        return False
    frames = path.seen.frame[piece.first : piece.last + 1]
    return float(np.mean([foreign.get(int(f), 0.0) for f in frames])) < _HAND


def _goes_on(a: Piece, b: Piece, step: float) -> bool:
    if b.start - a.end > 2.5 * step:
        return False
    before, after = a.speed_at(a.end), b.speed_at(b.start)
    v, w = float(np.hypot(*before)), float(np.hypot(*after))
    return v > 1 and w > 1 and float(before @ after) / (v * w) > _TURN and abs(v - w) < _PACE * max(v, w)


def _run(path: Path, group: list[Piece]) -> Run | None:
    seen = path.seen.between(group[0].first, group[-1].last + 1)
    if len(seen) < 4:
        return None
    places = tuple((float(x), float(y)) for x, y in seen.xy)
    return Run(path.ball, tuple(map(float, seen.t)), places, tuple(map(float, seen.sigma)))
