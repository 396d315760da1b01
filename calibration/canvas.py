"""A picture straightened by an outline of cloth. Unit: 1 % of the table's length."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.cloth import ClothRegion, to_lab

Floats = NDArray[np.float64]
SIDES = ("home", "left", "foot", "right")  # in the order of the canvas: left, top, right, bottom
OUT, IN = 7.0, 10.0  # units looked at outside and inside the outline
STRIP = 2.0  # usual width of the top of a cushion, units


class Canvas:
    """A picture straightened so that the cloth's outline is a rectangle of 100 + 2 strips by 50 + 2 strips units."""

    def __init__(self, picture: NDArray[np.uint8], region: ClothRegion, turn: int, ratio: float = 0.5, out: float = OUT) -> None:
        """`turn` is the corner of the region's quad (clockwise) that comes to the lower left; `ratio` is width / length."""
        self.out = out
        self.length, self.width = 100 + 2 * STRIP, 100 * ratio + 2 * STRIP
        quad = np.roll(region.quad, -turn, axis=0)
        long = max(np.linalg.norm(quad[2] - quad[1]), np.linalg.norm(quad[3] - quad[0]))
        self.scale = float(np.clip(long / self.length, 4, 15))
        size = (round((self.length + 2 * out) * self.scale), round((self.width + 2 * out) * self.scale))
        corners = np.array([[0, self.width], [0, 0], [self.length, 0], [self.length, self.width]]) + out
        self.to_canvas = cv2.getPerspectiveTransform(quad.astype(np.float32), (corners * self.scale).astype(np.float32))
        self.from_canvas = np.linalg.inv(self.to_canvas)
        self.bend = region.bend
        warped, covered = self._warped(picture, size)
        self.picture = warped
        self.lab = to_lab(cv2.GaussianBlur(warped, (0, 0), 0.6))
        self.covered = covered

    def _warped(self, picture: NDArray[np.uint8], size: tuple[int, int]) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
        height, width = picture.shape[:2]
        if self.bend.k1:
            # the map is smooth: every eighth pixel is computed
            columns, rows = (np.arange(-4, n + 12, 8, dtype=np.float64) for n in size)
            x, y = np.meshgrid(columns, rows)
            coarse = self.to_picture(np.column_stack([x.ravel(), y.ravel()])).astype(np.float32).reshape(len(rows), len(columns), 2)
            at = cv2.resize(coarse, None, fx=8, fy=8, interpolation=cv2.INTER_LINEAR)[8 : 8 + size[1], 8 : 8 + size[0]]
            warped = cv2.remap(picture, at[..., 0], at[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)
            return warped, ((at > -0.5) & (at < np.array([width - 0.5, height - 0.5]))).all(axis=-1)
        warped = cv2.warpPerspective(picture, self.to_canvas, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)
        covered = cv2.warpPerspective(np.full((height, width), 255, np.uint8), self.to_canvas, size, flags=cv2.INTER_NEAREST)
        return warped, covered > 0

    def side(self, name: str, values: NDArray) -> NDArray:
        """Values of the canvas (rows, columns, ...) as (distance, along, ...) near one side, cut to the looked-at depth."""
        turned = {"home": values.swapaxes(0, 1), "foot": values[:, ::-1].swapaxes(0, 1), "left": values, "right": values[::-1]}[name]
        return turned[: round((self.out + IN) * self.scale)]

    def span(self, name: str) -> float:
        return self.width if name in ("home", "foot") else self.length

    def point(self, name: str, distance: Floats | float, s: Floats | float) -> Floats:
        """Canvas px of a distance in units from the outline of a side and a parameter 0..1 along it (left to right, top to bottom)."""
        distance, s = np.broadcast_arrays(np.asarray(distance, float), np.asarray(s, float))
        along = s * self.span(name)
        x, y = {
            "home": (distance, along),
            "foot": (self.length - distance, along),
            "left": (along, distance),
            "right": (along, self.width - distance),
        }[name]
        return (np.stack([x, y], axis=-1) + self.out) * self.scale - 0.5

    def to_straight(self, points: Floats) -> Floats:
        """Canvas px to px of the picture freed of its lens."""
        return cv2.perspectiveTransform(np.asarray(points, float).reshape(-1, 1, 2), self.from_canvas).reshape(-1, 2)

    def to_picture(self, points: Floats) -> Floats:
        return self.bend.to_picture(self.to_straight(points)) if len(points) else np.empty((0, 2))

    def px_per_unit(self, name: str) -> float:
        """Pixels of the picture across a unit of distance from the middle of a side."""
        ends = self.to_picture(self.point(name, np.array([0.0, 1.0]), 0.5))
        return float(np.linalg.norm(ends[1] - ends[0]))
