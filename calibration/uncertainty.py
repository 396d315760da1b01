"""How well a camera is known: the covariance of small changes of its numbers, as a fit leaves it and a profile keeps it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibration.camera import Camera

Array = NDArray[np.float64]
POSE = ("turn_x", "turn_y", "turn_z", "move_x", "move_y", "move_z")
LENS = ("log_focal", "cx", "cy", "k1", "k2", "p1", "p2", "k3")
PARAMETERS = POSE + LENS
# of one parameter alone: moves no point of a picture by more than about a thousandth of a pixel
_STEP = {"turn": 1e-6, "move": 1e-3, "log_focal": 1e-6, "c": 1e-3, "k": 1e-6, "p": 1e-6}


@dataclass(frozen=True, slots=True)
class CameraUncertainty:
    """Covariance of the numbers of a camera that were estimated.

    `parameters`: of `PARAMETERS`: `turn_*` rad about the camera's axes, `move_*` mm of the translation along them,
    `log_focal` relative, `cx` `cy` px of the principal point, `k1` … `k3` of the distortion. `covariance`: N rows of N numbers
    in those units.

    Raises:
        ValueError: an unknown or repeated name, another shape, numbers that are no covariance.
    """

    parameters: tuple[str, ...]
    covariance: tuple[tuple[float, ...], ...]

    def __post_init__(self) -> None:
        unknown = [name for name in self.parameters if name not in PARAMETERS]
        if unknown or len(set(self.parameters)) != len(self.parameters):
            raise ValueError(f"parameters of a camera: expected different ones of {', '.join(PARAMETERS)}, found {self.parameters}")
        matrix = self.matrix
        if matrix.shape != (len(self.parameters),) * 2 or not np.isfinite(matrix).all():
            raise ValueError(f"covariance: expected {len(self.parameters)} rows of as many numbers")
        spread = np.sqrt(np.maximum(np.diag(matrix), 0.0))
        scale = np.where(spread > 0, spread, 1.0)
        normal = matrix / np.outer(scale, scale)
        if (np.diag(matrix) < 0).any() or np.abs(normal - normal.T).max(initial=0) > 1e-4 or np.abs(normal).max(initial=0) > 1.001:
            raise ValueError("covariance: expected a symmetric matrix with variances on its diagonal")

    @property
    def matrix(self) -> Array:
        """(N, N)."""
        return np.array(self.covariance, dtype=float)

    @classmethod
    def of(cls, parameters: Sequence[str], covariance: ArrayLike) -> CameraUncertainty:
        """From an array (N, N), made exactly symmetric."""
        matrix = np.asarray(covariance, dtype=float)
        matrix = (matrix + matrix.T) / 2
        return cls(tuple(parameters), tuple(tuple(float(v) for v in row) for row in matrix))


def changed(camera: Camera, parameters: Sequence[str], change: ArrayLike) -> Camera:
    """The camera with small changes (N,) of its `parameters` (units as in `CameraUncertainty`)."""
    value = dict(zip(parameters, np.asarray(change, float).tolist(), strict=True))
    turn = np.array([value.get(f"turn_{axis}", 0.0) for axis in "xyz"])
    move = np.array([value.get(f"move_{axis}", 0.0) for axis in "xyz"])
    rotation = cv2.Rodrigues(turn)[0] @ camera.rotation
    lens = [old + value.get(name, 0.0) for old, name in zip(camera.distortion, ("k1", "k2", "p1", "p2", "k3"), strict=True)]
    u, v = camera.principal
    return Camera(
        camera.width,
        camera.height,
        camera.focal * float(np.exp(value.get("log_focal", 0.0))),
        (u + value.get("cx", 0.0), v + value.get("cy", 0.0)),
        (lens[0], lens[1], lens[2], lens[3], lens[4]),
        rotation,
        camera.translation + move,
    )


def slopes(camera: Camera, parameters: Sequence[str], quantity) -> Array:
    """Derivatives of an array-valued function of a camera: shape of the value + (N,), by central differences."""
    columns = []
    for index, name in enumerate(parameters):
        step = np.zeros(len(parameters))
        step[index] = _STEP.get(name) or _STEP.get(name.split("_")[0]) or _STEP[name[0]]
        above, below = quantity(changed(camera, parameters, step)), quantity(changed(camera, parameters, -step))
        columns.append((np.asarray(above) - np.asarray(below)) / (2 * step[index]))
    return np.stack(columns, axis=-1) if columns else np.zeros((*np.shape(quantity(camera)), 0))
