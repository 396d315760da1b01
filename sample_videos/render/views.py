"""Where a camera may stand: over the table, or at its end, looking at a point."""

from __future__ import annotations

from math import cos, radians, sin
from typing import Any

import numpy as np

from calibration.camera import Camera
from calibration.table import Table


def look_at(
    position: tuple[float, float, float],
    target: tuple[float, float, float],
    *,
    width: int = 1920,
    height: int = 1080,
    focal: float,
    up: tuple[float, float, float] = (0.0, 1.0, 0.0),
    roll: float = 0.0,
    distortion: tuple[float, float, float, float, float] = (0.0, 0.0, 0.0, 0.0, 0.0),
) -> Camera:
    """A camera at `position` mm that looks at `target` mm with `up` upwards in the picture; `focal` px, `roll` degrees."""
    eye = np.asarray(position, float)
    forward = np.asarray(target, float) - eye
    forward /= np.linalg.norm(forward)
    down = -np.asarray(up, float)
    down -= forward * (down @ forward)
    down /= np.linalg.norm(down)
    right = np.cross(down, forward)
    c, s = cos(radians(roll)), sin(radians(roll))
    rotation = np.array([c * right + s * down, -s * right + c * down, forward])
    principal = ((width - 1) / 2, (height - 1) / 2)
    return Camera(width, height, focal, principal, distortion, rotation, -rotation @ eye)


def _seen_corners(camera: Camera, table: Table, rail: float) -> np.ndarray:
    a, b = -rail, table.length + rail
    c, d = -rail, table.width + rail
    return camera.project([(x, y, table.nose_height) for x in (a, b) for y in (c, d)]) - camera.principal


def _focal_to_fit(camera: Camera, table: Table, margin: float, rail: float) -> float:
    """Focal length at which the table with its rails fills the picture but for `margin` (share of the picture)."""
    seen = np.abs(_seen_corners(camera, table, rail)) / camera.focal
    half = np.array([camera.width, camera.height]) / 2 * (1 - margin)
    return float(np.min(half / seen.max(axis=0)))


def overhead_camera(
    table: Table,
    width: int = 1920,
    height: int = 1080,
    *,
    above: float = 2800.0,
    offset: tuple[float, float] = (0.0, 0.0),
    tilt: float = 0.0,
    roll: float = 0.0,
    margin: float = 0.04,
    rail: float = 180.0,
    distortion: tuple[float, float, float, float, float] = (0.0, 0.0, 0.0, 0.0, 0.0),
) -> Camera:
    """A camera `above` mm over the middle of the table (moved by `offset` mm), home at the left, framed with `margin`.

    `tilt` degrees: away from straight down, towards the left long cushion.
    """
    return tilted_camera(
        table,
        width,
        height,
        distance=above,
        tilt=tilt,
        side="left",
        offset=offset,
        roll=roll,
        margin=margin,
        rail=rail,
        distortion=distortion,
    )


def tilted_camera(
    table: Table,
    width: int = 1920,
    height: int = 1080,
    *,
    distance: float = 3500.0,
    tilt: float = 35.0,
    side: str = "home",
    offset: tuple[float, float] = (0.0, 0.0),
    roll: float = 0.0,
    margin: float = 0.04,
    rail: float = 180.0,
    distortion: tuple[float, float, float, float, float] = (0.0, 0.0, 0.0, 0.0, 0.0),
) -> Camera:
    """A camera at `distance` mm from the middle of the table, `tilt` degrees from straight above.

    `side`: `home` (it stands behind the house, foot upwards in the picture) or `left` (it stands over the right cushion, left upwards).
    """
    middle = (table.length / 2 + offset[0], table.width / 2 + offset[1], 0.0)
    up = (1.0, 0.0, 0.0) if side == "home" else (0.0, 1.0, 0.0)
    back, high = distance * sin(radians(tilt)), distance * cos(radians(tilt))
    position = (middle[0] - back * up[0], middle[1] - back * up[1], high)
    make = {"width": width, "height": height, "up": up, "roll": roll}
    trial = look_at(position, middle, focal=width * 0.8, **make)
    if tilt:  # aim so that the table, larger where it is near, lies in the middle of the picture
        for _ in range(3):
            seen = _seen_corners(trial, table, rail)
            aim = trial.to_table((seen.max(axis=0) + seen.min(axis=0))[None] / 2 + trial.principal)[0]
            trial = look_at(position, (float(aim[0]), float(aim[1]), 0.0), focal=width * 0.8, **make)
    else:
        aim = np.array(middle)
    focal = _focal_to_fit(trial, table, margin, rail)
    return look_at(position, (float(aim[0]), float(aim[1]), 0.0), focal=focal, distortion=distortion, **make)


def random_camera(rng: np.random.Generator) -> dict[str, Any]:
    """Options of `tilted_camera` for a camera of a hall: mostly nearly overhead, at most tilted by 35 degrees, with a lens that bends."""
    over = rng.random() < 0.6
    side = "left" if over else str(rng.choice(["home", "left"], p=[0.6, 0.4]))
    # the table's length upright leaves a wide room at both sides, where more would turn the lens model back on itself
    k1 = float(rng.uniform(-0.18 if side == "left" else -0.08, 0.02)) if rng.random() < 0.7 else 0.0
    return {
        "distance": float(rng.uniform(2300, 3800)) if over else float(rng.uniform(3200, 5200)),
        "tilt": float(rng.uniform(0, 6)) if over else float(rng.uniform(6, 35)),
        "side": side,
        "offset": (float(rng.normal(0, 60)), float(rng.normal(0, 40))),
        "roll": float(rng.normal(0, 1.2)),
        "margin": float(rng.uniform(0.01, 0.12)),
        "distortion": (k1, float(-0.25 * k1 * rng.uniform(0, 1)), 0.0, 0.0, 0.0),
    }
