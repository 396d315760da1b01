"""What of a calibrated table can be drawn into its picture, as lines in px bent as the lens bends them.

`calibration.overlay` paints them into a picture, the calibration page shows them over one.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from calibration.camera import Camera
from calibration.table import Table

Array = NDArray[np.float64]
Layer = Literal["grid", "home", "nose", "pocket", "jaw", "spot", "ball"]
LAYERS: tuple[Layer, ...] = ("grid", "home", "nose", "pocket", "jaw", "spot", "ball")
# cushion -> parts of its length, never in a pocket's mouth; the cushions as `Table.corners` goes round
SIDE_POINTS = {"home": (0.5,), "left": (0.25, 0.75), "foot": (0.5,), "right": (0.25, 0.75)}
_LINE, _RIM = 40, 60  # points on a line, on a rim
_THROAT = 50.0  # length of a throat's wall that is drawn, mm


@dataclass(frozen=True, slots=True)
class Stroke:
    """A polyline (N, 2) px of one layer. Jaw tips and spots are strokes of one point. NaN behind the camera."""

    layer: Layer
    points: Array


def sketch(table: Table, camera: Camera) -> list[Stroke]:
    """Grid of eighths, home line, noses, pockets with their mouths and jaws, spots with a ball on each."""
    length, width, z = table.length, table.width, table.nose_height

    def line(layer: Layer, start: tuple[float, float], end: tuple[float, float], height: float) -> Stroke:
        return Stroke(layer, camera.project_at(np.linspace(start, end, _LINE), height))

    strokes = [line("grid", (length * k / 8, 0), (length * k / 8, width), 0.0) for k in range(1, 8)]
    strokes += [line("grid", (0, width * k / 4), (length, width * k / 4), 0.0) for k in range(1, 4)]
    strokes.append(line("home", (length / 4, 0), (length / 4, width), 0.0))
    strokes += [line("nose", *nose_ends(table, cushion), z) for cushion in SIDE_POINTS]
    turn = np.linspace(0, 2 * np.pi, _RIM)
    for pocket in table.pockets:
        rim = np.array(pocket.centre) + pocket.radius * np.column_stack([np.cos(turn), np.sin(turn)])
        strokes.append(Stroke("pocket", camera.project_at(rim, 0.0)))
        strokes.append(line("pocket", pocket.jaws[0].tip, pocket.jaws[1].tip, z))
        for jaw in pocket.jaws:
            (x, y), (out_x, out_y) = jaw.tip, jaw.throat
            strokes.append(line("jaw", jaw.tip, (x + _THROAT * out_x, y + _THROAT * out_y), z))
            strokes.append(Stroke("jaw", camera.project_at([jaw.tip], z)))
    for place in table.spots.values():
        strokes.append(Stroke("spot", camera.project_at([place], 0.0)))
        strokes.append(Stroke("ball", ball_ring(table, camera, place)))
    return strokes


def nose_ends(table: Table, cushion: str) -> tuple[tuple[float, float], tuple[float, float]]:
    """Ends of a cushion's nose, mm, in the order in which `Table.corners` goes round: home, left, foot, right."""
    corners = table.corners
    first = {"home": 0, "left": 1, "foot": 2, "right": 3}[cushion]
    return corners[first], corners[(first + 1) % 4]


def side_points(table: Table, cushion: str) -> Array:
    """The places (N, 2) mm on a nose at which a person can tell how the lens bends it (`SIDE_POINTS`)."""
    start, end = (np.array(point) for point in nose_ends(table, cushion))
    return np.array([start + (end - start) * part for part in SIDE_POINTS[cushion]])


def ball_ring(table: Table, camera: Camera, xy_mm: tuple[float, float]) -> Array:
    """The closed outline (49, 2) px of a ball lying at a place, mm."""
    return camera.silhouette([xy_mm], table.radius)[0][[*range(48), 0]]


def end_area(table: Table, camera: Camera, end: Literal["home", "foot"]) -> Array:
    """The quarter of the table at one end, as a closed outline (N, 2) px on the cloth."""
    length, width = table.length, table.width
    near, far = (0.0, length / 4) if end == "home" else (length, 0.75 * length)
    ring = [(near, 0.0), (near, width), (far, width), (far, 0.0), (near, 0.0)]
    dense = np.vstack([np.linspace(a, b, _LINE // 2, endpoint=False) for a, b in pairwise(ring)])
    return camera.project_at(dense, 0.0)
