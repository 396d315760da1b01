"""Where panels of text may lie on a picture of a table: at its border, over as little of the table as can be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product

import cv2
import numpy as np

_GRID = 8  # px to a cell of the map of what is covered


@dataclass(frozen=True, slots=True)
class Anchor:
    """A place at the border: `across` and `down` are 0 (left, top), 0.5 or 1 (right, bottom). A panel grows away from it."""

    across: float
    down: float

    def corner(self, panel: tuple[int, int], picture: tuple[int, int], margin: int) -> tuple[int, int]:
        """The upper left corner (x, y) px of a panel of (width, height) px in a picture of (width, height) px."""
        (w, h), (width, height) = panel, picture
        return round(margin + self.across * (width - w - 2 * margin)), round(margin + self.down * (height - h - 2 * margin))


_ANCHORS = tuple(Anchor(across, down) for down, across in product((0.0, 1.0), (0.0, 1.0, 0.5)))


def placed(
    panels: Mapping[str, tuple[int, int]], outline: np.ndarray, picture: tuple[int, int], margin: int
) -> tuple[dict[str, Anchor], float]:
    """An anchor for each panel, and the largest share of a panel that covers the outline or another panel.

    Args:
        panels: usual (width, height) px by name, the one that matters most first.
        outline: (N, 2) px, of what they should not cover.
        picture: its (width, height) px.
    """
    taken = np.zeros((picture[1] // _GRID + 1, picture[0] // _GRID + 1), np.float32)
    cv2.fillPoly(taken, [np.round(np.asarray(outline) / _GRID).astype(np.int32)], 1.0)
    found, worst = {}, 0.0
    for name, size in panels.items():
        views = {anchor: _view(anchor, size, picture, margin) for anchor in _ANCHORS}
        best = min(_ANCHORS, key=lambda anchor: float(taken[views[anchor]].sum()))
        worst = max(worst, float(taken[views[best]].mean()))
        taken[views[best]] = 100.0
        found[name] = best
    return found, min(1.0, worst)


def _view(anchor: Anchor, size: tuple[int, int], picture: tuple[int, int], margin: int) -> tuple[slice, slice]:
    x, y = anchor.corner(size, picture, margin)
    x0, y0 = max(0, x) // _GRID, max(0, y) // _GRID
    return slice(y0, max(y0, (y + size[1]) // _GRID) + 1), slice(x0, max(x0, (x + size[0]) // _GRID) + 1)
