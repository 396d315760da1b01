"""When does a stroke begin and end, and was it one? Rest, motion, rest, by the balls' own movement.

A ball that a hand carries is placement: it moves with something foreign beside it all the way. A stroke lets a ball run
freely, even if the cue is still over it for the first moments.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vision.breaks import Path
from vision.record import BallRecord, Sighting

_QUIET = 0.2  # s without motion that end a stroke: a ball is called resting after 0.4 s below about 2 mm/s
_LEAD = 0.35  # s before the first motion that belong to it
_LOST = 1.5  # s after which a ball that is not seen no longer holds a stroke open
_RUN_SPEED = 45.0  # mm/s
_RUN_TIME = 0.2  # s of free run that make a stroke
_HAND = 0.30  # share of foreign pixels round a ball that means a hand holds it


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of motion: first and last time (s)."""

    start: float
    end: float


class Segmenter:
    """Watches all balls; tells when a stretch of motion is over."""

    def __init__(self) -> None:
        self._start: float | None = None
        self._last_motion = 0.0
        self._hung: frozenset[str] = frozenset()  # balls that alone hold the stretch open

    @property
    def active(self) -> bool:
        return self._start is not None

    @property
    def start(self) -> float | None:
        return self._start

    def lull(self, t: float) -> Span | None:
        """The stretch as it is if nothing more moves: None while something does, and where none is open."""
        return Span(self._start - _LEAD, t) if self._start is not None and t > self._last_motion else None

    def look(self, t: float, records: dict[str, BallRecord], hanging: frozenset[str] = frozenset()) -> Span | None:
        """After every frame; a `Span` when a stretch of motion has just come to its end.

        `hanging`: balls that rest in the jaws and may yet fall: they hold the stretch open until another ball moves.
        """
        moving = {ball for ball, record in records.items() if self._moves(record, t)}
        if not moving:
            if self._start is None or t - self._last_motion <= _QUIET:
                return None
            self._hung = hanging
            return None if hanging else self.finish(t)
        span = None
        if self._hung and moving - self._hung:
            # all lay still, and this is something new: what was waited for is over
            span, self._start = self.finish(t - _LEAD), t
        elif self._start is None:
            self._start = t
        self._last_motion, self._hung = t, frozenset()
        return span

    def note(self, t: float) -> None:
        """Something happened at t s of which no motion was seen: a ball that lay at a pocket is gone."""
        if self._start is None:
            self._start = self._last_motion = t

    def _moves(self, record: BallRecord, t: float) -> bool:
        last = record.last
        if last is None:
            return False
        if last.state == "moving" and last.fresh:
            return True
        return last.state == "hidden" and self._start is not None and _unseen_for(record, t) < _LOST and _ran(record, t)

    def finish(self, t: float) -> Span | None:
        """The stretch of motion that is open when the video ends."""
        if self._start is None:
            return None
        span = Span(self._start - _LEAD, t)
        self._start, self._hung = None, frozenset()
        return span


def _unseen_for(record: BallRecord, t: float) -> float:
    for sighting in reversed(record.since(t - _LOST - 0.1)):
        if sighting.fresh:
            return t - sighting.t
    return _LOST + 1


def _ran(record: BallRecord, t: float) -> bool:
    """Whether the ball was moving when it was last seen."""
    fresh = [s for s in record.since(t - _LOST - 0.5) if s.fresh]
    return len(fresh) >= 1 and fresh[-1].state == "moving"


def free_run(path: Path, sightings: list[Sighting]) -> float:
    """Seconds that a ball ran smoothly with no hand beside it."""
    foreign = {s.frame: s.foreign for s in sightings if s.fresh}
    total = 0.0
    for piece in path.pieces:
        if piece.last - piece.first < 2:
            continue
        speed = float(np.hypot(*piece.speed_at((piece.start + piece.end) / 2)))
        if speed < _RUN_SPEED:
            continue
        frames = path.seen.frame[piece.first : piece.last + 1]
        beside = float(np.mean([foreign.get(int(f), 0.0) for f in frames]))
        if beside < _HAND:
            total += piece.end - piece.start
    return total


def was_played(
    paths: dict[str, Path], sightings: dict[str, list[Sighting]], contact_speed: float, pots: int, cut: float | None = None
) -> bool:
    """Whether a stretch of motion was a stroke: a ball ran freely for a while, two balls collided, or one fell.

    `contact_speed`: the fastest change of velocity in a contact between two balls, mm/s. `cut`: the pictures end meanwhile; so long, s,
    a ball must have run then.
    """
    rolling = any(seen and seen[-1].fresh and seen[-1].state == "moving" for seen in sightings.values())
    least = _RUN_TIME if cut is None or not rolling else cut
    runs = [free_run(path, sightings[ball]) for ball, path in paths.items()]
    return max(runs, default=0.0) >= least or contact_speed > 150.0 or (pots > 0 and max(runs, default=0.0) > 0)
