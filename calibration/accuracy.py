"""How exact places on the table are: the error bars that the calibration itself causes.

A ball seen at a pixel lies where the camera says; a camera that is known only so well puts it only so well. Errors of
seeing the ball (see `vision`) come on top.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibration.camera import Camera
from calibration.profile import Profile
from calibration.uncertainty import CameraUncertainty, slopes

Array = NDArray[np.float64]


def place_covariance(profile: Profile, xy_mm: ArrayLike, z: float | None = None) -> Array:
    """Covariance (N, 2, 2) mm² of places (N, 2) mm at the height `z` mm (a ball's centre unless given), x and y of the table.

    From the covariance of the camera that its fit left in the profile. A profile without one (written by hand or by an older
    version) gives a rougher answer from its reprojection error and its `ball_sigma_mm`, equal in all directions.
    """
    xy = np.asarray(xy_mm, dtype=float).reshape(-1, 2)
    height = profile.table.radius if z is None else float(z)
    if profile.covariance is None:
        return _rough(profile, xy)
    return camera_place_covariance(profile.camera, profile.covariance, xy, height)


def camera_place_covariance(camera: Camera, uncertainty: CameraUncertainty, xy_mm: ArrayLike, z: float) -> Array:
    """The same of a camera and its covariance, (N, 2, 2) mm², at places (N, 2) mm of the height `z` mm."""
    px = camera.project_at(xy_mm, z)
    slope = slopes(camera, uncertainty.parameters, lambda changed: changed.to_table(px, z))
    return slope @ uncertainty.matrix @ slope.transpose(0, 2, 1)


def place_sigma(profile: Profile, xy_mm: ArrayLike, z: float | None = None) -> Array:
    """Standard deviation (N,) mm of places (N, 2) mm in the direction in which it is largest."""
    return np.sqrt(np.maximum(np.linalg.eigvalsh(place_covariance(profile, xy_mm, z))[:, -1], 0.0))


def _rough(profile: Profile, xy: Array) -> Array:
    """`ball_sigma_mm` belongs to the corner farthest from the camera and falls off to nothing right below it."""
    eye = profile.camera.position[:2]
    reach = max(float(np.hypot(*(np.array(corner) - eye))) for corner in profile.table.corners)
    away = np.hypot(*(xy - eye).T) / max(reach, 1.0)
    variance = profile.reprojection_mm**2 / 2 + (profile.ball_sigma_mm * away) ** 2
    return variance[:, None, None] * np.eye(2)
