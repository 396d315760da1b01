"""The spots on the cloth as evidence: points inside the table whose places the rules say.

Noses tell a lens at the border of the table only; how it bends what lies between is told by what is seen there. A spot is a small
round mark of another colour on clean cloth. One mark alone may be a burn, so spots count where two or more look alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import pi

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.bundle import KnownPoints
from calibration.camera import Camera
from calibration.cloth import to_lab
from calibration.table import Table

Floats = NDArray[np.float64]
_HALF, _STEP = 45.0, 0.75  # mm: of the window round a spot, and of its samples
_REACH = 11.0  # mm from where a first camera expects it: that camera's error and the hand's that stuck it
_SIZES = 4.0, 22.0  # mm: diameters of spots
_CONTRAST = 10.0  # Lab lightness above or below the cloth round it
_CLEAN = 0.03  # share of what lies round it that is not cloth: a line, a ball, a hand are more
_ROUND = 1.9  # longer side by shorter side
_ALIKE = 0.8, 2.0  # cosine of their colours' difference from the cloth, and ratio of sizes and contrasts
_LEAST_PX = 2.2  # diameter in the picture
PLACED_MM, _SEEN_PX = 1.2, 0.25  # sigma of where it was stuck, and of where it is seen (at 1920 px of width)


@dataclass(frozen=True, slots=True)
class Mark:
    """A spot: its name, where it is seen `px` (x, y), diameter mm, and its Lab difference from the cloth round it."""

    name: str
    px: tuple[float, float]
    diameter: float
    colour: tuple[float, float, float]


def spots_seen(picture: NDArray[np.uint8], camera: Camera, table: Table) -> KnownPoints | None:
    """The spots of a table in a BGR picture, by a camera that is right to some millimetres; None where fewer than two look alike."""
    if picture.ndim != 3:
        return None
    found = [_mark(picture, camera, name, at) for name, at in table.spots.items()]
    marks = _alike([mark for mark in found if mark is not None])
    if len(marks) < 2:
        return None
    places = np.array([(*table.spots[mark.name], 0.0) for mark in marks])
    scale = camera.scale_at(places[:, :2], 0.0)
    sigma = np.hypot(PLACED_MM * scale, _SEEN_PX * max(1.0, max(camera.width, camera.height) / 1920))
    return KnownPoints(places, np.array([mark.px for mark in marks]), np.repeat(sigma[:, None], 2, axis=1))


def together(*points: KnownPoints | None) -> KnownPoints | None:
    """Known points of several kinds as one."""
    there = [p for p in points if p is not None]
    if not there:
        return None
    return KnownPoints(*(np.concatenate([getattr(p, field) for p in there]) for field in ("places", "px", "sigma")))


def _mark(picture: NDArray[np.uint8], camera: Camera, name: str, at: tuple[float, float]) -> Mark | None:
    """The one round mark near a place on the cloth, or None."""
    x, y = np.meshgrid(np.arange(-_HALF, _HALF + _STEP / 2, _STEP), np.arange(-_HALF, _HALF + _STEP / 2, _STEP))
    px = camera.project_at(np.column_stack([x.ravel() + at[0], y.ravel() + at[1]]), 0.0)
    height, width = picture.shape[:2]
    if not np.isfinite(px).all() or (px < 1).any() or (px > np.array([width, height]) - 2).any():
        return None
    source = px.astype(np.float32).reshape(*x.shape, 2)
    lab = to_lab(cv2.remap(picture, source[..., 0], source[..., 1], cv2.INTER_LINEAR)).astype(float)
    away, noise = _unlike_cloth(lab, x, y)
    # burns are paler than the cloth, spots mostly darker: each kind by itself, or a burn beside a spot would hide it
    blobs = [_blob(np.clip(sign * away[..., 0], 0, None), np.hypot(x, y), noise) for sign in (-1.0, 1.0)]
    blobs = [blob for blob in blobs if blob is not None]
    scale = float(camera.scale_at([at], 0.0)[0])
    if len(blobs) != 1:
        return None
    blob, far = blobs[0]
    diameter = 2 * float(np.sqrt(blob.sum() / pi)) * _STEP
    if not _SIZES[0] <= diameter <= _SIZES[1] or diameter * scale < _LEAST_PX:
        return None
    colour = away[blob].mean(axis=0)
    weight = np.clip(far - 0.2 * float(far[blob].max()), 0, None)
    weight *= np.hypot(x - x[blob].mean(), y - y[blob].mean()) < 1.5 * diameter / 2 + 1.5 / scale
    place = np.array([(weight * x).sum(), (weight * y).sum()]) / weight.sum()
    if float(np.hypot(*place)) > _REACH:
        return None
    u, v = camera.project_at([place + at], 0.0)[0]
    return Mark(name, (float(u), float(v)), diameter, (float(colour[0]), float(colour[1]), float(colour[2])))


def _blob(far: Floats, distance: Floats, noise: float) -> tuple[NDArray[np.bool_], Floats] | None:
    """The one round blob (H, W) near the middle of what differs from the cloth, and by how much it does; None without or with more."""
    limit = max(_CONTRAST / 2, 4 * noise)
    peak = float(far[distance < _REACH].max())
    if peak < max(_CONTRAST, 6 * noise) or float((far[distance > _REACH + _SIZES[1] / 2] > limit).mean()) > _CLEAN:
        return None
    count, label, stats, _ = cv2.connectedComponentsWithStats((far > max(limit, 0.45 * peak)).astype(np.uint8), connectivity=8)
    inside = [i for i in range(1, count) if float(distance[label == i].min()) < _REACH and stats[i, cv2.CC_STAT_AREA] >= 4]
    if len(inside) != 1:
        return None
    wide, high = (stats[inside[0], k] for k in (cv2.CC_STAT_WIDTH, cv2.CC_STAT_HEIGHT))
    return None if max(wide, high) > _ROUND * min(wide, high) else (label == inside[0], far)


def _unlike_cloth(lab: Floats, x: Floats, y: Floats) -> tuple[Floats, float]:
    """Lab difference (H, W, 3) from the cloth, whose light may fall off over the window, and the noise of its lightness."""
    ring = np.hypot(x, y) > _REACH + _SIZES[1] / 2
    basis = np.column_stack([np.ones(x.size), x.ravel() / _HALF, y.ravel() / _HALF])
    values, keep = lab.reshape(-1, 3), ring.ravel().copy()
    cloth = basis * 0
    for _ in range(3):
        solved = np.linalg.lstsq(basis[keep], values[keep], rcond=None)[0]
        cloth = basis @ solved
        size = np.linalg.norm(values - cloth, axis=1)
        keep = ring.ravel() & (size < 3 * max(float(np.median(size[ring.ravel()])), 0.5))
        if keep.sum() < 50:
            break
    away = (values - cloth).reshape(lab.shape)
    return away, 1.48 * float(np.median(np.abs(away[ring][:, 0])))


def _alike(marks: Sequence[Mark]) -> list[Mark]:
    """The largest set of marks that all look like one another."""
    for count in range(len(marks), 1, -1):
        for some in combinations(marks, count):
            if all(_same(one, two) for one, two in combinations(some, 2)):
                return list(some)
    return []


def _same(one: Mark, two: Mark) -> bool:
    a, b = np.array(one.colour), np.array(two.colour)
    sizes = float(np.linalg.norm(a)), float(np.linalg.norm(b))
    ratio = max(sizes[0] / sizes[1], sizes[1] / sizes[0], one.diameter / two.diameter, two.diameter / one.diameter)
    return float(a @ b) > _ALIKE[0] * sizes[0] * sizes[1] and ratio < _ALIKE[1]
