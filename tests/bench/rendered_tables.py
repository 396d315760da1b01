"""Tables drawn by the project's own renderer with random looks, kinds, heights, tilts and lenses, and their corners."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from calibration.table import KINDS, Table, table
from sample_videos.render import Renderer, random_look, tilted_camera


def rendered(count: int, seed: int = 0) -> Iterator[tuple[str, NDArray[np.uint8], NDArray[np.float64], Table]]:
    """Yields name, BGR picture, corners (4, 2) px and the kind of table."""
    for index in range(count):
        rng = np.random.default_rng(1000 * seed + index)
        kind = table(str(rng.choice(KINDS)))
        upright = rng.random() < 0.2
        tilt = float(rng.choice([0.0, rng.uniform(0, 20), rng.uniform(20, 45)]))
        side = "home" if upright or rng.random() < 0.4 else "left"
        size = (720, 1280) if upright else (1280, 720)
        camera = tilted_camera(
            kind,
            *size,
            distance=float(rng.uniform(0.85, 1.6)) * kind.length,
            tilt=tilt,
            side=side,
            roll=float(rng.normal(0, 3)),
            margin=float(rng.uniform(0.03, 0.25)),
            distortion=(float(rng.uniform(-0.12, 0.04)), 0.0, 0.0, 0.0, 0.0),
        )
        look = random_look(rng, length=kind.length, width=kind.width)
        radius = kind.radius
        balls = {
            name: [(float(rng.uniform(0.1, 0.9) * kind.length), float(rng.uniform(0.1, 0.9) * kind.width), radius)]
            for name in ("white", "yellow", "red", "black")[: int(rng.integers(0, 5))]
        }
        picture = Renderer(kind, camera, look, index, oversample=1, floor_step=30.0, samples=8).frame(balls)
        name = f"{index:02d} {kind.name} tilt {tilt:.0f} {side}{' upright' if upright else ''} k1 {camera.distortion[0]:.2f}"
        yield name, picture, camera.project_at(kind.corners, kind.nose_height), kind
