"""The same camera over the same table with its other end as the house: the table's frame turned by half a turn."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from calibration.camera import Camera
from calibration.fit import Fit
from calibration.mouths import FlatView
from calibration.orientation import LINES, OPPOSITE, line_end
from calibration.profile import Profile
from calibration.surroundings import half_turned, same_way, surroundings
from calibration.table import Table
from calibration.uncertainty import POSE, CameraUncertainty

_HALF = np.diag([-1.0, -1.0, 1.0])


def turned_camera(camera: Camera, table: Table) -> Camera:
    """What the camera is in the frame whose house is the other end: x becomes length - x, y width - y."""
    return replace(camera, rotation=camera.rotation @ _HALF, translation=camera.translation + _across(camera, table))


def turned_fit(fit: Fit, table: Table) -> Fit:
    """A fit in the frame whose house is the other end; its covariance is that of the turned camera."""
    uncertainty = _turned_uncertainty(fit.uncertainty, fit.camera, table)
    same = fit.uncertainty.parameters == fit.parameters
    return replace(
        fit,
        camera=turned_camera(fit.camera, table),
        residuals_px=np.roll(fit.residuals_px, -2, axis=0),
        covariance=uncertainty.matrix if same else fit.covariance,
        uncertainty=uncertainty,
    )


def turned_profile(profile: Profile) -> Profile:
    """The profile with its other end as the house: that of a camera turned by half a turn over the same place."""
    corners, half = profile.corners_px, len(profile.around) // 2
    known = profile.covariance
    return replace(
        profile,
        camera=turned_camera(profile.camera, profile.table),
        corners_px=(corners[2], corners[3], corners[0], corners[1]),
        home=OPPOSITE.get(profile.home, ""),
        covariance=None if known is None else _turned_uncertainty(known, profile.camera, profile.table),
        around=profile.around[half:] + profile.around[:half],
    )


def turned_against(profile: Profile, picture: NDArray[np.uint8]) -> str:
    """What says that the house is the other end in a BGR picture that shows the table where the profile has it; "" if nothing does.

    The lines on the cloth say so, where they decided in the profile too, else what lies round the table.
    """
    if profile.home_from in LINES:
        house = line_end(FlatView(profile.camera, profile.table).flat(picture), profile.table)
        if house is not None and house.reason == profile.home_from:
            return house.reason if house.end == 1 else ""
    seen = surroundings(picture, profile.camera, profile.table)
    return "what lies round the table" if half_turned(profile.around, seen, profile.table) else ""


def end_confirmed(profile: Profile, picture: NDArray[np.uint8]) -> bool:
    """Whether a BGR picture itself says that the house is where the profile has it: by the lines on the cloth, or by the room."""
    if profile.home_from in LINES:
        house = line_end(FlatView(profile.camera, profile.table).flat(picture), profile.table)
        if house is not None and house.reason == profile.home_from:
            return house.end == 0
    return same_way(profile.around, surroundings(picture, profile.camera, profile.table), profile.table)


def _turned_uncertainty(uncertainty: CameraUncertainty, camera: Camera, table: Table) -> CameraUncertainty:
    names = uncertainty.parameters
    if all(name in names for name in POSE):
        # the new translation contains the turned rotation: a small turn w moves it by w x (the way across the table)
        x, y, z = _across(camera, table)
        turn, move = [names.index(n) for n in POSE[:3]], [names.index(n) for n in POSE[3:]]
        change = np.eye(len(names))
        change[np.ix_(move, turn)] = -np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
        return CameraUncertainty.of(names, change @ uncertainty.matrix @ change.T)
    return uncertainty


def _across(camera: Camera, table: Table) -> np.ndarray:
    return camera.rotation @ np.array([table.length, table.width, 0.0])
