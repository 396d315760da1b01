"""Balls that came to lie elsewhere while pictures were wanting: something may have been played that nobody saw.

A live source loses pictures: the connection breaks, one picture is shown on and on, the machine has no time. A stroke in such a time
shows no motion, only balls in new places; it must not pass in silence.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import dist

from vision.shot import Doubt, Point, Shot, Stroke

_GAP = 0.13  # s between two pictures that may hide something
_ENOUGH = 0.4  # s of such gaps in which a stroke can have been played, or the best of one
_MOVED = 30.0  # mm
_SETTLED, _SOUGHT = 1.0, 4.0  # s for which all must lie still; the same while a ball that was there is still looked for


class Gaps:
    """Told of every picture of a live source, it tells of strokes that may have been played between pictures."""

    def __init__(self, balls: tuple[str, ...]) -> None:
        self._balls = balls
        self._lay: Mapping[str, Point] = {}
        self._since = self._blind = 0.0
        self._frame = 0
        self._last: float | None = None
        self._seen: Mapping[str, Point] = {}
        self._calm: float | None = None  # since when all have lain where they are seen, s

    def played(self) -> None:
        """A stroke was seen: whether balls were moved before it is told by where they lay when it began."""
        self._lay, self._blind = {}, 0.0

    def lost(self) -> None:
        """The pictures that come now do not go on from those before."""
        self._blind = max(self._blind, _ENOUGH)

    def look(self, t: float, frame: int, lying: Mapping[str, Point] | None, busy: bool = False) -> Stroke | None:
        """The next picture; the stroke, without events, that may have been played unseen.

        Args:
            t: s; `frame`: its number.
            lying: where all balls lie (mm) that are followed; None while one moves or hides.
            busy: it is not known yet whether what was seen last was a stroke.
        """
        gap, self._last = t - (t if self._last is None else self._last), t
        self._blind += gap if gap > _GAP else 0.0
        if lying is None:
            self._calm = None
            return None
        if self._calm is None or lying.keys() != self._seen.keys() or any(dist(p, lying[b]) > _MOVED for b, p in self._seen.items()):
            self._calm = t
        self._seen = lying
        moved = [b for b, place in self._lay.items() if b not in lying or dist(place, lying[b]) > _MOVED]
        settled = not busy and t - self._calm >= (_SETTLED if lying.keys() >= self._lay.keys() else _SOUGHT)
        if moved and self._blind >= _ENOUGH and not settled:
            return None
        unseen = self._unseen(t, frame, lying, moved) if moved and self._blind >= _ENOUGH else None
        self._lay, self._since, self._frame, self._blind = dict(lying), t, frame, 0.0
        return unseen

    def _unseen(self, t: float, frame: int, lying: Mapping[str, Point], moved: list[str]) -> Stroke:
        doubt = Doubt(f"pictures were wanting, and {', '.join(moved)} came to lie elsewhere: what was played was not seen")
        before, after = ({ball: places.get(ball) for ball in self._balls} for places in (self._lay, lying))
        return Stroke(self._since, t, self._frame, frame, None, before, Shot((), after), (doubt,))
