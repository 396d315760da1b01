"""Synthetic cameras and drawn tables for the tests of calibration."""

from __future__ import annotations

import cv2
import numpy as np

from calibration.camera import Camera
from calibration.table import Table, table

TABLE = table()


def looking(eye, target=(1775.0, 887.5, 0.0), *, focal=1000.0, size=(1280, 720), lens=(0.0,) * 5, roll=0.0) -> Camera:
    """A camera at `eye` mm that looks at `target`, home on the left of its picture when overhead."""
    eye, target = np.array(eye, float), np.array(target, float)
    forward = (target - eye) / np.linalg.norm(target - eye)
    up = np.array([0.0, 1.0, 0.0])
    right = np.cross(forward, up)
    right /= np.linalg.norm(right)
    down = np.cross(forward, right)
    turn = cv2.Rodrigues(np.array([0.0, 0.0, roll]))[0]
    rotation = turn @ np.vstack([right, down, forward])
    return Camera(size[0], size[1], focal, ((size[0] - 1) / 2, (size[1] - 1) / 2), lens, rotation, -rotation @ eye)


def draw_table(
    camera: Camera,
    kind: Table = TABLE,
    *,
    cloth=(60, 120, 40),
    rail=(40, 60, 110),
    floor=(150, 150, 155),
    noise=2.0,
    balls=((900.0, 700.0), (2500.0, 1200.0), (1775.0, 300.0)),
    home_line=False,
    rise=0.0,
    home_hidden=False,
    trim=None,
    shade=0.45,
    seed=1,
) -> np.ndarray:
    """A BGR picture of a table: floor, rails, tops of cushions, dark band under the noses, bed, pockets, balls.

    `rise` mm by which the cloth ends higher on the rails than the noses. `home_hidden`: the home cushion is the nearest one, seen from
    low down: its top hides its face and has the colour of the bed. `trim`: colour of a line between cushion and wood. `shade`: of the
    cushions' faces.
    """
    k = 2  # drawn at double size, then reduced
    picture = np.zeros((camera.height * k, camera.width * k, 3), np.uint8)
    picture[:] = floor

    def fill(points, z, colour):
        px = (camera.project_at(points, z) + 0.5) * k - 0.5
        cv2.fillPoly(picture, [np.round(px * 16).astype(np.int32)], tuple(float(c) for c in colour), cv2.LINE_AA, 4)

    def rectangle(margin):
        length, width = kind.length, kind.width
        corners = [(-margin, -margin), (-margin, width + margin), (length + margin, width + margin), (length + margin, -margin)]
        return np.vstack([np.linspace(corners[i], corners[(i + 1) % 4], 30, endpoint=False) for i in range(4)])

    z, cloth_colour = kind.nose_height, np.array(cloth, float)
    fill(rectangle(0.055 * kind.length), z, rail)
    if trim is not None:
        fill(rectangle(0.021 * kind.length), z + rise, trim)
    fill(rectangle(0.018 * kind.length), z + rise, np.minimum(cloth_colour * 1.05, 255))
    fill(rectangle(0.0), z, cloth_colour * shade)
    fill(rectangle(-0.006 * kind.length), 0.0, cloth_colour)
    if home_hidden:
        edge = 0.018 * kind.length
        seen = [camera.project_at([(-x, -x), (-x, kind.width + x)], height) for x, height in ((0.0, z), (edge, z + rise))]
        px = (np.vstack([seen[0], seen[1][::-1]]) + 0.5) * k - 0.5
        cv2.fillPoly(picture, [np.round(px * 16).astype(np.int32)], cloth, cv2.LINE_AA, 4)
    if home_line:
        x, half = kind.length / 4, 4.0
        fill([(x - half, 30), (x - half, kind.width - 30), (x + half, kind.width - 30), (x + half, 30)], 0.0, cloth_colour + 90)
    for pocket in kind.pockets:
        turn = np.linspace(0, 2 * np.pi, 40)
        fill(np.array(pocket.centre) + pocket.radius * np.column_stack([np.cos(turn), np.sin(turn)]), z, (15, 15, 15))
    for index, place in enumerate(balls):
        outline = (camera.silhouette([place], kind.radius)[0] + 0.5) * k - 0.5
        colour = ((230, 235, 235), (40, 40, 200), (30, 200, 230))[index % 3]
        cv2.fillPoly(picture, [np.round(outline * 16).astype(np.int32)], colour, cv2.LINE_AA, 4)
    return _taken(cv2.resize(picture, (camera.width, camera.height), interpolation=cv2.INTER_AREA), noise, seed)


def _taken(picture: np.ndarray, noise: float, seed: int) -> np.ndarray:
    """The picture with uneven light and noise."""
    height, width = picture.shape[:2]
    x, y = np.meshgrid(np.linspace(-1, 1, width), np.linspace(-1, 1, height))
    lit = picture.astype(np.float32)
    lit *= (1.05 - 0.2 * (x * x + y * y) + 0.08 * x)[..., None]
    lit += np.random.default_rng(seed).normal(0, noise, lit.shape)
    return np.clip(lit, 0, 255).astype(np.uint8)


def corners_of(camera: Camera, kind: Table = TABLE) -> np.ndarray:
    return camera.project_at(kind.corners, kind.nose_height)


OVERHEAD = looking((1700.0, 900.0, 3600.0), (1775.0, 887.5, 0.0), focal=1020.0)
