"""A profile for a camera that was moved: the same lens in a new place."""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares

from calibration.camera import Camera
from calibration.drift import Matches, View
from calibration.errors import UserError
from calibration.find import SURE, find_table
from calibration.fit import check_corners
from calibration.in_place import check_noses, check_noses_closely
from calibration.profile import Profile

Array = NDArray[np.float64]
_WELL = 1.0  # px: a common motion that leaves more is not that of a camera with this lens
_KNOWN = 0.6  # px: error bar of a corner that is too large to measure by


@dataclass(frozen=True, slots=True)
class Registered:
    """A profile for the moved camera; `residual_px`: what it leaves unexplained of what was measured (root mean square)."""

    profile: Profile
    residual_px: float


def reregister(profile: Profile, view: View, matches: Matches, before: NDArray[np.uint8], after: NDArray[np.uint8]) -> Registered | str:
    """The profile for a picture in which the watched pieces were found elsewhere, or why there can be none.

    Args:
        profile: of the reference.
        view, matches: what `drift.CameraWatch` says of the picture.
        before, after: the grey pictures (H, W), reference and present one: their noses must agree.
    """
    if view.matrix is None or view.sides < 3 or view.agree < 0.5 or len(matches.places) < 8:
        return "too little of the table is seen"
    if not view.spread_px < _KNOWN:
        return f"a corner is known to {view.spread_px:.1f} px only"
    camera, residual = _moved_camera(profile, matches)
    if residual > _WELL:
        return f"no place of the camera explains what is seen (residual {residual:.1f} px)"
    table = profile.table
    seen = check_noses(after, camera, table)
    known = check_noses(before, profile.camera, table)
    both = [abs(seen.offsets[c] - known.offsets[c]) for c in known.offsets if c in seen.offsets and abs(known.offsets[c]) <= known.near]
    if len(both) >= 2 and float(np.median(both)) > 1.5:
        return f"the noses do not lie where they should (by {np.median(both):.1f} px)"
    return _checked(profile, camera, residual)


def find_again(profile: Profile, picture: NDArray[np.uint8]) -> Registered | str:
    """The profile for one picture (H, W, 3) BGR in which the table is found from the beginning, or why there can be none."""
    table = profile.table
    try:
        found = find_table([picture], table, home=profile.home or None)
    except UserError as refused:
        return str(refused)
    if found.confidence < SURE:
        return "the table is not found surely enough"
    old = np.array(profile.corners_px)
    corners = min((np.roll(found.corners_px, k, axis=0) for k in (0, 2)), key=lambda c: float(np.abs(c - old).max()))
    length = float(np.linalg.norm(old[2:].mean(axis=0) - old[:2].mean(axis=0)))
    if float(np.linalg.norm(corners - old, axis=1).max()) > 0.4 * length:
        return "what is found is another table or another camera"
    places = profile.camera.project_at(table.corners, table.nose_height)
    camera, residual = _moved_camera(profile, Matches(places, corners, np.tile(np.eye(2), (4, 1, 1))))
    if residual > max(2.0, 0.003 * length):
        return f"no place of the camera explains what is seen (residual {residual:.1f} px)"
    if not check_noses_closely(picture, camera, table).confirmed:
        return "the noses are not seen clearly enough"
    return _checked(profile, camera, residual)


def _checked(profile: Profile, camera: Camera, residual: float) -> Registered | str:
    table = profile.table
    given = np.array(profile.corners_px) - profile.camera.project_at(table.corners, table.nose_height)
    corners = camera.project_at(table.corners, table.nose_height) + given
    try:
        check_corners(corners, profile.size)
    except UserError as error:
        return str(error)
    c = [(round(float(x), 2), round(float(y), 2)) for x, y in corners]
    return Registered(replace(profile, camera=camera, corners_px=(c[0], c[1], c[2], c[3])), residual)


def _moved_camera(profile: Profile, matches: Matches) -> tuple[Camera, float]:
    """The camera in the place (zoomed, where that explains far more) that takes places to ends, and the residual, px."""
    old, height = profile.camera, profile.table.nose_height
    # all watched pieces lie near the height of the noses
    points = np.column_stack([old.to_table(matches.places, height), np.full(len(matches.places), height)])
    known = np.isfinite(points).all(axis=1)
    points, ends = points[known], matches.ends[known]
    root = np.linalg.cholesky(matches.weights[known]).swapaxes(1, 2)
    start = np.append(cv2.Rodrigues(np.ascontiguousarray(old.rotation))[0].ravel(), [*old.translation, 0.0])
    scale = np.array([1.0, 1, 1, *[profile.table.length] * 3, 1])

    def camera(values: Array) -> Camera:
        turned = cv2.Rodrigues(np.ascontiguousarray(values[:3]))[0]
        zoom = float(np.exp(values[6])) if len(values) > 6 else 1.0
        return replace(old, focal=old.focal * zoom, rotation=turned, translation=values[3:6])

    def misfit(values: Array) -> Array:
        off = np.nan_to_num(camera(values).project(points) - ends, nan=1e4)
        return (root @ off[..., None]).ravel()

    tells = float(np.linalg.eigvalsh(matches.weights[known]).sum())
    placed = least_squares(misfit, start[:6], x_scale=scale[:6], loss="soft_l1", f_scale=3.0, max_nfev=40)
    best, residual = placed.x, float(np.sqrt((misfit(placed.x) ** 2).sum() / tells))
    if len(points) >= 8 and residual > 0.15:
        zoomed = least_squares(misfit, np.append(placed.x, 0.0), x_scale=scale, loss="soft_l1", f_scale=3.0, max_nfev=40)
        left = float(np.sqrt((misfit(zoomed.x) ** 2).sum() / tells))
        if left < 0.6 * residual:
            best, residual = zoomed.x, left
    return camera(best), residual
