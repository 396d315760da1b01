"""Rectangles of a picture, half open, px."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Rect(NamedTuple):
    x0: int
    y0: int
    x1: int
    y1: int

    @property
    def slices(self) -> tuple[slice, slice]:
        return slice(self.y0, self.y1), slice(self.x0, self.x1)

    def meets(self, other: Rect) -> bool:
        return self.x0 < other.x1 and other.x0 < self.x1 and self.y0 < other.y1 and other.y0 < self.y1

    def cut(self, other: Rect) -> Rect:
        return Rect(max(self.x0, other.x0), max(self.y0, other.y0), min(self.x1, other.x1), min(self.y1, other.y1))

    def inside(self, other: Rect) -> tuple[slice, slice]:
        """The slices of this part of `other` in an array of it."""
        return slice(self.y0 - other.y0, self.y1 - other.y0), slice(self.x0 - other.x0, self.x1 - other.x0)

    def with_(self, other: Rect) -> Rect:
        return Rect(min(self.x0, other.x0), min(self.y0, other.y0), max(self.x1, other.x1), max(self.y1, other.y1))


def merged(rects: Iterable[Rect]) -> list[Rect]:
    """Disjoint rectangles that cover the given ones."""
    found: list[Rect] = []
    for rect in rects:
        while clash := next((r for r in found if r.meets(rect)), None):
            found.remove(clash)
            rect = rect.with_(clash)
        found.append(rect)
    return found
