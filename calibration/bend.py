"""How much a lens bends straight lines, from the borders of a table alone, and pictures and points freed of it.

One coefficient k1 at a typical focal length is enough to make noses straight to a pixel; the camera's own lens is
estimated later, from the points in the picture as it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
_FOCAL = 0.82  # widths of the picture
_PRIOR = 0.15  # sigma of k1
_GRID = np.linspace(-0.4, 0.4, 33)
_WORTH = 0.03  # |k1| below which a picture is left as it is


@dataclass(frozen=True, slots=True)
class Bend:
    """A lens by `k1` alone for pictures of `size` (width, height) px."""

    k1: float
    size: tuple[int, int]

    @property
    def matrix(self) -> Floats:
        width, height = self.size
        focal = _FOCAL * max(self.size)
        return np.array([[focal, 0, (width - 1) / 2], [0, focal, (height - 1) / 2], [0, 0, 1.0]])

    def straight(self, picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """The picture as a lens without distortion would have shown it, of the same size."""
        if not self.k1:
            return picture
        lens = np.array([self.k1, 0, 0, 0, 0.0])
        return np.asarray(cv2.undistort(picture, self.matrix, lens), np.uint8)

    def to_picture(self, points: Floats) -> Floats:
        """Points (N, 2) px of the straight picture in the picture as it was."""
        if not self.k1 or not len(points):
            return np.asarray(points, float)
        matrix = self.matrix
        normal = (np.asarray(points, float) - matrix[:2, 2]) / matrix[0, 0]
        return normal * (1 + self.k1 * (normal**2).sum(axis=1, keepdims=True)) * matrix[0, 0] + matrix[:2, 2]

    def to_straight(self, points: Floats, k1: Floats | float | None = None) -> Floats:
        """The inverse of `to_picture`."""
        k1 = self.k1 if k1 is None else k1
        matrix = self.matrix
        seen = (np.asarray(points, float) - matrix[:2, 2]) / matrix[0, 0]
        normal = seen
        for _ in range(12):
            normal = seen / (1 + k1 * (normal**2).sum(axis=-1, keepdims=True))
        return normal * matrix[0, 0] + matrix[:2, 2]


NONE = Bend(0.0, (1, 1))


def bend_of(sides: Sequence[Floats], size: tuple[int, int], worth: float = _WORTH) -> Bend:
    """The lens for which the sides (N, 2) px of a table are straightest; none where k1 is below `worth`."""
    lens = Bend(0.0, size)
    sides = [side[:: max(1, len(side) // 120)] for side in sides if len(side) >= 30]
    if len(sides) < 2:
        return lens
    noise = 0.0006 * max(size)
    costs = sum((_crooked(lens, s, noise) for s in sides), (_GRID / _PRIOR) ** 2)
    best = int(np.argmin(costs))
    k1 = float(_GRID[best])
    if 0 < best < len(_GRID) - 1:
        left, mid, right = costs[best - 1 : best + 2]
        k1 += float(0.5 * (left - right) / max(left - 2 * mid + right, 1e-9)) * (_GRID[1] - _GRID[0])
    return Bend(k1 if abs(k1) > worth else 0.0, size)


def _crooked(lens: Bend, side: Floats, noise: float) -> Floats:
    """For every k1 of the grid: how far points are from a straight line, robustly, as so many independent measurements."""
    points = lens.to_straight(side[None], _GRID[:, None, None])
    along = side[np.argmax(side @ (side[-1] - side[0]))] - side[np.argmin(side @ (side[-1] - side[0]))]
    if float(np.linalg.norm(along)) < 1e-9:
        along = np.ptp(side, axis=0)
    along = along / max(float(np.linalg.norm(along)), 1e-9)
    x, y = points @ along, points @ np.array([-along[1], along[0]])
    weights = np.ones_like(x)
    off = y
    for _ in range(3):
        total = weights.sum(axis=1, keepdims=True)
        mx, my = (weights * x).sum(axis=1, keepdims=True) / total, (weights * y).sum(axis=1, keepdims=True) / total
        slope = (weights * (x - mx) * (y - my)).sum(axis=1, keepdims=True) / np.maximum(
            (weights * (x - mx) ** 2).sum(1, keepdims=True), 1e-9
        )
        off = np.abs(y - my - slope * (x - mx)) / noise
        weights = np.minimum(1.0, 2.0 / np.maximum(off, 1e-9))
    return 6 * np.mean(np.minimum(off, 6.0) ** 2, axis=1)
