"""Lamps as sample points for the kernels, and the light they give on a plane."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sample_videos.render.look import Look, default_lamps


@dataclass(frozen=True)
class Lighting:
    """`cells` (K, 5) fine and `coarse` (L, 5): x y z, weight, half width of the cell mm; `lamps` (L, 6) for reflections; `ambient` share.

    Weights are such that direct light on the cloth is 1 - ambient on the mean over the table.
    """

    cells: NDArray[np.float64]
    coarse: NDArray[np.float64]
    lamps: NDArray[np.float64]
    ambient: float
    specular: float


def build_lighting(length: float, width: float, look: Look) -> Lighting:
    """The lamps of a look over a table of `length` x `width` mm."""
    lamps = look.lamps or default_lamps(length, width)
    split = 2 if len(lamps) <= 4 else 1
    cells, coarse, mirrors = [], [], []
    for lamp in lamps:
        (x, y, z), (hx, hy) = lamp.centre, lamp.half
        coarse.append((x, y, z, lamp.power, max((hx + hy) / 2, 20.0)))
        mirrors.append((x, y, z, hx, hy, lamp.power / max(4 * hx * hy, 1e4)))
        for i in range(split):
            for j in range(split):
                at = (x + hx * ((2 * i + 1) / split - 1), y + hy * ((2 * j + 1) / split - 1))
                cells.append((*at, z, lamp.power / split**2, max((hx + hy) / 2 / split, 15.0)))
    fine, rough, seen = np.array(cells), np.array(coarse), np.array(mirrors)
    grid = np.stack(np.meshgrid(np.linspace(0.1, 0.9, 8) * length, np.linspace(0.1, 0.9, 5) * width), -1).reshape(-1, 2)
    mean = float(np.mean(_direct(fine, grid, 0.0)))
    fine[:, 3] *= (1 - look.ambient) / mean
    rough[:, 3] *= (1 - look.ambient) / mean
    # a lamp's radiance follows from its power and area, E = L A cos^2 / r^2; diffuse light here leaves out the 1 / pi
    seen[:, 5] *= (1 - look.ambient) / mean * np.pi
    return Lighting(fine, rough, seen, look.ambient, 1.0)


def _direct(cells: NDArray[np.float64], xy: NDArray[np.float64], z: float) -> NDArray[np.float64]:
    dx, dy = cells[:, 0] - xy[:, None, 0], cells[:, 1] - xy[:, None, 1]
    dz = cells[:, 2] - z
    return (cells[:, 3] * dz**2 / (dx**2 + dy**2 + dz**2) ** 2).sum(axis=1)


def light_on_plane(lighting: Lighting, x: NDArray, y: NDArray, z: float) -> NDArray[np.float32]:
    """Light (len(y), len(x)) on the plane at height z mm, ambient included."""
    grid = np.stack(np.meshgrid(x, y), -1).reshape(-1, 2)
    return (_direct(lighting.cells, grid, z) + lighting.ambient).reshape(len(y), len(x)).astype(np.float32)
