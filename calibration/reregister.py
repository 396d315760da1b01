"""A profile for a camera that was moved: the same lens in a new place. And: do the noses lie where a profile says?

The noses are the evidence that needs no picture of the calibration: there the picture falls from the bright top of the
cushion to its dark face, all along the side.
"""

from __future__ import annotations

from collections.abc import Mapping
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
from calibration.profile import Profile
from calibration.table import CUSHIONS, Table

Array = NDArray[np.float64]
_WELL = 1.0  # px: a common motion that leaves more is not that of a camera with this lens
_KNOWN = 0.6  # px: error bar of a corner that is too large to measure by
_NEAR = 3.0, 0.003  # px, and lengths of the table in px, within which a nose counts as where the profile says
_LOOK = 0.02  # lengths of the table looked at on both sides of a nose
_CLEAR = 1.0, 2.5  # grey levels a pixel, and times the usual, that make a nose
_SAMPLES = 60


@dataclass(frozen=True, slots=True)
class Registered:
    """A profile for the moved camera; `residual_px`: what it leaves unexplained of what was measured (root mean square)."""

    profile: Profile
    residual_px: float


@dataclass(frozen=True, slots=True)
class NoseCheck:
    """Where the noses are seen against where they are expected: cushion -> px, inwards positive; sides that show none are left out.

    `near`: px within which they count as in place.
    """

    offsets: Mapping[str, float]
    near: float

    @property
    def confirmed(self) -> bool:
        """Most of the noses that are seen lie where they are expected, and at least two do."""
        good = sum(abs(v) <= self.near for v in self.offsets.values())
        return good >= 2 and good > len(self.offsets) / 2

    @property
    def contradicted(self) -> bool:
        """Three noses or more are seen and hardly any lies where it is expected."""
        return len(self.offsets) >= 3 and sum(abs(v) <= self.near for v in self.offsets.values()) <= len(self.offsets) - 3


def check_noses(gray: NDArray[np.uint8], camera: Camera, table: Table) -> NoseCheck:
    """Looks for the noses in a grey picture (H, W) uint8 near where the camera sees them."""
    corners = camera.project_at(table.corners, table.nose_height)
    length = float(np.linalg.norm(corners[2:].mean(axis=0) - corners[:2].mean(axis=0)))
    offsets = {}
    for cushion in CUSHIONS:
        offset = _nose_offset(gray, camera, table, cushion, max(10, round(_LOOK * length)))
        if offset is not None:
            offsets[cushion] = offset
    return NoseCheck(offsets, max(_NEAR[0], _NEAR[1] * length))


def _nose_offset(gray: NDArray[np.uint8], camera: Camera, table: Table, cushion: str, reach: int) -> float | None:
    """Px from the expected nose to the nearest step from bright to dark that goes all along it, or None."""
    share = np.linspace(0.08, 0.92, _SAMPLES)
    if cushion in ("left", "right"):
        share = share[np.abs(share - 0.5) > 0.06]
    at = {"home": 0.0, "foot": table.length, "right": 0.0, "left": table.width}[cushion]
    if cushion in ("home", "foot"):
        base, inward = np.column_stack([np.full(len(share), at), share * table.width]), np.array([1.0 if at == 0 else -1.0, 0.0])
    else:
        base, inward = np.column_stack([share * table.length, np.full(len(share), at)]), np.array([0.0, 1.0 if at == 0 else -1.0])
    start = camera.project_at(base, table.nose_height)
    ahead = camera.project_at(base + 5.0 * inward, table.nose_height) - start
    ahead /= np.linalg.norm(ahead, axis=1, keepdims=True)
    if not np.isfinite(ahead).all():
        return None
    steps = np.arange(-reach, reach + 0.25, 0.5)
    points = (start + steps[:, None, None] * ahead).astype(np.float32)
    inside = ((points[0] > 0) & (points[0] < (gray.shape[1] - 1, gray.shape[0] - 1))).all(axis=1)
    if inside.sum() < _SAMPLES / 3:
        return None
    luma = cv2.remap(
        gray, np.ascontiguousarray(points[:, inside, 0]), np.ascontiguousarray(points[:, inside, 1]), cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REPLICATE,
    )  # fmt: skip
    smooth = cv2.GaussianBlur(luma.astype(np.float32), (1, 9), sigmaX=1e-3, sigmaY=1.6)
    fall = np.median(-np.gradient(smooth, 0.5, axis=0), axis=1)
    usual = 1.48 * float(np.median(np.abs(fall))) + 0.15
    peaks = np.flatnonzero((fall[1:-1] >= fall[:-2]) & (fall[1:-1] > fall[2:])) + 1
    peaks = peaks[fall[peaks] > max(_CLEAR[0], _CLEAR[1] * usual)]
    return float(steps[peaks[np.argmin(np.abs(steps[peaks]))]]) if len(peaks) else None


# a new place of the camera ----------------------------------------------------------------------------------------


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
    gray = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
    if not check_noses(np.asarray(gray, np.uint8), camera, table).confirmed:
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
