"""The same camera over the same table with its other end as the house: the table's frame turned by half a turn."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from calibration.camera import Camera
from calibration.fit import Fit
from calibration.table import Table
from calibration.uncertainty import POSE, CameraUncertainty

_HALF = np.diag([-1.0, -1.0, 1.0])


def turned_camera(camera: Camera, table: Table) -> Camera:
    """What the camera is in the frame whose house is the other end: x becomes length - x, y width - y."""
    return replace(camera, rotation=camera.rotation @ _HALF, translation=camera.translation + _across(camera, table))


def turned_fit(fit: Fit, table: Table) -> Fit:
    """A fit in the frame whose house is the other end; its covariance is that of the turned camera."""
    names = fit.uncertainty.parameters
    uncertainty = fit.uncertainty
    if all(name in names for name in POSE):
        # the new translation contains the turned rotation: a small turn w moves it by w x (the way across the table)
        x, y, z = _across(fit.camera, table)
        turn, move = [names.index(n) for n in POSE[:3]], [names.index(n) for n in POSE[3:]]
        change = np.eye(len(names))
        change[np.ix_(move, turn)] = -np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
        uncertainty = CameraUncertainty.of(names, change @ uncertainty.matrix @ change.T)
    same = names == fit.parameters
    covariance = uncertainty.matrix if same else fit.covariance
    return replace(
        fit,
        camera=turned_camera(fit.camera, table),
        residuals_px=np.roll(fit.residuals_px, -2, axis=0),
        covariance=covariance,
        uncertainty=uncertainty,
    )


def _across(camera: Camera, table: Table) -> np.ndarray:
    return camera.rotation @ np.array([table.length, table.width, 0.0])
