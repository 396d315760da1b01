"""Where on the picture, and where on the table, a ball can be."""

from __future__ import annotations

from functools import cached_property, lru_cache
from math import hypot

import cv2
import numpy as np

from calibration.camera import Camera
from calibration.table import Table
from vision.chart import Chart

_MARGIN = 0.45  # of a radius: errors of the corners, of the height of the camera


class Field:
    """The part of the picture that shows the bed and the pockets: `mask` (H, W) uint8, 1 inside."""

    def __init__(self, camera: Camera, table: Table, shape: tuple[int, int]):
        self.camera, self.table = camera, table
        self.mask = np.zeros(shape, np.uint8)
        grow = _MARGIN * table.radius
        length, width = table.length, table.width
        bed = [(-grow, -grow), (-grow, width + grow), (length + grow, width + grow), (length + grow, -grow)]
        for z in (0.0, table.ball):
            self._fill(np.array(bed), z)
        turns = np.linspace(0, 2 * np.pi, 32, endpoint=False)
        for pocket in table.pockets:
            ring = np.array(pocket.centre) + (pocket.radius + 0.2 * table.radius) * np.column_stack([np.cos(turns), np.sin(turns)])
            self._fill(ring, table.radius)

    def _fill(self, outline: np.ndarray, z: float) -> None:
        # many points along the outline: straight lines of the table are bent by the lens
        dense = np.vstack(
            [a + (b - a) * np.linspace(0, 1, 16, endpoint=False)[:, None] for a, b in zip(outline, np.roll(outline, -1, 0), strict=True)]
        )
        points = self.camera.project_at(dense, z)
        if np.isfinite(points).all():
            cv2.fillPoly(self.mask, [np.rint(points).astype(np.int32)], 1)

    @cached_property
    def chart(self) -> Chart:
        """Where balls lie by the pixel at which they are seen."""
        return _chart(self.camera, self.table.radius)

    @cached_property
    def bounds(self) -> tuple[float, float, float, float]:
        """x0, y0, x1, y1 px of the least window that holds the mask."""
        x, y, w, h = cv2.boundingRect(self.mask)
        return float(x), float(y), float(x + w), float(y + h)

    @cached_property
    def disc(self) -> float:
        """Area of a ball in the middle of the table, px."""
        x, y = self.camera.project_at([[self.table.length / 2, self.table.width / 2]], self.table.radius)[0].tolist()
        return float(np.pi * self.chart.radius(x, y) ** 2)

    def holds(self, x: float, y: float) -> bool:
        """Whether a ball's centre can be at (x, y) mm: between the cushions or in a pocket's mouth; not at NaN."""
        radius = self.table.radius
        low = radius - _MARGIN * radius
        if low <= x <= self.table.length - low and low <= y <= self.table.width - low:
            return True
        return self.pocket_of(x, y, 1.2 * radius) is not None

    def pocket_of(self, x: float, y: float, reach: float = 0.0) -> str | None:
        """The pocket whose drop circle, grown by `reach` mm, holds the point (x, y) mm."""
        for pocket in self.table.pockets:
            if hypot(x - pocket.centre[0], y - pocket.centre[1]) < pocket.radius + reach:
                return pocket.name
        return None

    def mouth_ahead(self, x: float, y: float, step_x: float, step_y: float) -> str | None:
        """The pocket into whose mouth a centre at (x, y) mm goes with the step (mm): it crosses the line between the jaws' tips."""
        for pocket in self.table.pockets:
            (ax, ay), (bx, by) = (jaw.tip for jaw in pocket.jaws)
            outward = ((ax + bx) / 2 - pocket.centre[0], (ay + by) / 2 - pocket.centre[1])
            before = (x - ax) * outward[0] + (y - ay) * outward[1]
            after = before + step_x * outward[0] + step_y * outward[1]
            if not after < 0 <= before:
                continue
            part = before / (before - after)
            cx, cy = x + part * step_x, y + part * step_y
            if hypot(cx - (ax + bx) / 2, cy - (ay + by) / 2) < pocket.mouth / 2:
                return pocket.name
        return None


@lru_cache(maxsize=4)
def _chart(camera: Camera, radius: float) -> Chart:
    """One camera's chart holds for every look at its table; to draw it takes a tenth of a second."""
    return Chart(camera, radius)
