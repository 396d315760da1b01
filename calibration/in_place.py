"""Do the noses lie where a profile says? The evidence that needs no picture of the calibration.

There the picture falls from the bright top of the cushion to its dark face, all along the side. In grey that is looked up in
milliseconds, but a rail's edge or a trim may be as bright; with colour (`check_noses_closely`) only what lies before cloth counts, and
it is measured as a calibration measures it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import Camera
from calibration.evidence import NosePoints, nose_evidence, on_nose, shade_of
from calibration.table import CUSHIONS, Table

Array = NDArray[np.float64]
_NEAR = 3.0, 0.003  # px, and lengths of the table in px, within which a nose counts as where the profile says
_LOOK = 0.02  # lengths of the table looked at on both sides of a nose
_CLEAR = 1.0, 2.5  # grey levels a pixel, and times the usual, that make a nose
_SAMPLES = 60
_SEEN = 0.4  # share of a nose that must be seen to say where it is


@dataclass(frozen=True, slots=True)
class NoseCheck:
    """Where the noses are seen against where they are expected: cushion -> px, inwards positive; sides that show none are left out.

    `near`: px within which they count as in place.
    """

    offsets: Mapping[str, float]
    near: float

    @property
    def confirmed(self) -> bool:
        """Most of the noses that are seen lie where they are expected, at a short side and at a long one: a table that lies elsewhere
        along its length still has two in place."""
        good = {cushion for cushion, off in self.offsets.items() if abs(off) <= self.near}
        return bool(good & {"home", "foot"}) and bool(good & {"left", "right"}) and len(good) > len(self.offsets) / 2

    @property
    def contradicted(self) -> bool:
        """Three noses or more are seen and hardly any lies where it is expected."""
        return len(self.offsets) >= 3 and sum(abs(v) <= self.near for v in self.offsets.values()) <= len(self.offsets) - 3


def noses_in_place(picture: NDArray[np.uint8], camera: Camera, table: Table) -> NoseCheck:
    """What a picture (H, W, 3) BGR shows: at a glance where that confirms, else looked at closely."""
    glance = check_noses(np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), np.uint8), camera, table)
    return glance if glance.confirmed else check_noses_closely(picture, camera, table)


def check_noses(gray: NDArray[np.uint8], camera: Camera, table: Table) -> NoseCheck:
    """Looks for the noses in a grey picture (H, W) uint8 near where the camera sees them."""
    length = _length_px(camera, table)
    offsets = {}
    for cushion in CUSHIONS:
        offset = _nose_offset(gray, camera, table, cushion, max(10, round(_LOOK * length)))
        if offset is not None:
            offsets[cushion] = offset
    return NoseCheck(offsets, _near(length))


def check_noses_closely(picture: NDArray[np.uint8], camera: Camera, table: Table) -> NoseCheck:
    """The same in a picture (H, W, 3) BGR, where colour tells cushions from rails; takes some tenths of a second."""
    length = _length_px(camera, table)
    shade = shade_of(picture, camera.project_at(table.corners, table.nose_height))
    # the clearest step, not the nearest: near the place where a nose is expected there is always some step
    seen = nose_evidence(shade, camera, table, max(10.0, _LOOK * length))
    return NoseCheck(_offsets(seen, camera, table), _near(length))


def _length_px(camera: Camera, table: Table) -> float:
    corners = camera.project_at(table.corners, table.nose_height)
    return float(np.linalg.norm(corners[2:].mean(axis=0) - corners[:2].mean(axis=0)))


def _near(length: float) -> float:
    return max(_NEAR[0], _NEAR[1] * length)


def _offsets(evidence: Mapping[str, NosePoints], camera: Camera, table: Table) -> dict[str, float]:
    """Cushion -> px, inwards positive, of those that are seen well enough."""
    offsets = {}
    for cushion, points in evidence.items():
        if points.seen < _SEEN:
            continue
        xy = camera.to_table(points.px, table.nose_height)
        offsets[cushion] = float(np.nanmedian(table.inside(xy, cushion) * camera.scale_at(xy, table.nose_height)))
    return offsets


def _nose_offset(gray: NDArray[np.uint8], camera: Camera, table: Table, cushion: str, reach: int) -> float | None:
    """Px from the expected nose to the nearest step from bright to dark that goes all along it, or None."""
    share = np.linspace(0.08, 0.92, _SAMPLES)
    if cushion in ("left", "right"):
        share = share[np.abs(share - 0.5) > 0.06]
    along = share * (table.width if cushion in ("home", "foot") else table.length)
    start = camera.project(on_nose(table, cushion, along))
    ahead = camera.project(on_nose(table, cushion, along, -5.0)) - start
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
