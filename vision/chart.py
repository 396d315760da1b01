"""Where a ball lies, looked up: the camera's answer on a grid of pixels, cubic between them.

The camera bends a ball's silhouette exactly but slowly; a tracker asks some times a frame and ball. On the grid the
answer is within a hundredth of a millimetre of the exact one.
"""

from __future__ import annotations

from math import floor

import numpy as np

from calibration.camera import Camera

_CELLS = 64  # along the longer side of the picture
_AROUND = 3  # cells beyond the picture's border


class Chart:
    """Places (mm), scales (px/mm) and sizes (px) of lying balls of `radius` mm by the pixel at which their silhouettes are centred."""

    def __init__(self, camera: Camera, radius: float):
        self._camera, self._radius = camera, radius
        self._cell = max(camera.width, camera.height) / _CELLS
        columns = int(np.ceil(camera.width / self._cell)) + 2 * _AROUND + 1
        rows = int(np.ceil(camera.height / self._cell)) + 2 * _AROUND + 1
        xs, ys = (np.arange(columns) - _AROUND) * self._cell, (np.arange(rows) - _AROUND) * self._cell
        nodes = np.stack(np.meshgrid(xs, ys), axis=-1).reshape(-1, 2)
        self._grid = self._exact(nodes).reshape(rows, columns, 4)

    def _exact(self, px: np.ndarray) -> np.ndarray:
        """(N, 4): x, y mm, px per mm, radius px; NaN where no ball on the table can be seen."""
        with np.errstate(all="ignore"):
            places = self._camera.ball_at(px, self._radius)
            return np.column_stack([places, self._camera.scale_at(places, self._radius), self._camera.ball_radius(places, self._radius)])

    def place(self, x: float, y: float) -> tuple[float, float, float]:
        """Centre (x, y mm) of the ball whose silhouette is centred at (x, y) px, and px per mm there; NaN beyond the horizon."""
        return self.ball(x, y)[:3]

    def radius(self, x: float, y: float) -> float:
        """Radius (px) of the ball whose silhouette is centred at (x, y) px; NaN beyond the horizon."""
        return self.ball(x, y)[3]

    def ball(self, x: float, y: float) -> tuple[float, float, float, float]:
        """`place` and `radius` in one look."""
        u, v = x / self._cell + _AROUND, y / self._cell + _AROUND
        column, row = floor(u), floor(v)
        rows, columns, _ = self._grid.shape
        if 1 <= column < columns - 2 and 1 <= row < rows - 2:
            block = self._grid[row - 1 : row + 3, column - 1 : column + 3].reshape(4, 16)
            found = np.array(_weights(u - column)) @ (np.array(_weights(v - row)) @ block).reshape(4, 4)
            if found[2] == found[2]:
                return float(found[0]), float(found[1]), float(found[2]), float(found[3])
        # beyond the grid, or where a neighbour of the place cannot be seen
        exact = self._exact(np.array([[x, y]]))[0]
        return float(exact[0]), float(exact[1]), float(exact[2]), float(exact[3])


def _weights(t: float) -> tuple[float, float, float, float]:
    """Of Lagrange's cubic through four neighbours, at t (0..1) between the middle two."""
    return (
        -t * (t - 1) * (t - 2) / 6,
        (t + 1) * (t - 1) * (t - 2) / 2,
        -(t + 1) * t * (t - 2) / 2,
        (t + 1) * t * (t - 1) / 6,
    )
