"""How large the balls on a cloth are, in parts of the table's length: blobs whose outline is the silhouette of a ball.

No detector: a blob that differs from the cloth counts when its edge is where a ball of one size, seen by the camera at that
place, would have it. Balls of one table are alike, so sizes that several blobs agree on are believed, single ones less.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import pi, sqrt

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import Camera
from calibration.mouths import LENGTH, MARGIN, Flat
from calibration.table import Table

Floats = NDArray[np.float64]
SMALLEST, LARGEST = 0.011, 0.06  # diameters per length of the table that are looked for
_INWARDS = 1.025  # a blurred edge seems to lie a little inside a ball: measured on rendered tables
_ALIKE = 0.09  # of the logarithm of a size: balls of one table
_LEAST_PX = 7.0  # diameter in the picture below which a size says nothing
_ROUND = 0.7  # share of the directions in which a blob's edge is a ball's


@dataclass(frozen=True, slots=True)
class Round:
    """A blob like a ball: place (x, y) and diameter in mm of the table given, diameter per length, px across, colour (b, g, r),
    likeness 0..1."""

    xy: tuple[float, float]
    diameter: float
    ratio: float
    across_px: float
    bgr: tuple[float, float, float]
    likeness: float


@dataclass(frozen=True, slots=True)
class BallSize:
    """Diameter per length of the table, its standard deviation, and how many blobs agree on it."""

    ratio: float
    sigma: float
    count: int


def blobs_unlike_cloth(flat: Flat) -> list[Floats]:
    """Middles (2,) px, in the straightened picture, of what lies on the cloth, has about the size of a ball and is not long."""
    _, mask = _unlike_cloth(flat)
    count, label, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=4)
    return [_core(label, stats[index], index) for index in range(1, count) if _may_be(stats[index])]


def _may_be(stats: NDArray[np.int32]) -> bool:
    _, _, w, h, area = (int(v) for v in stats)
    low, high = pi / 4 * (SMALLEST * LENGTH) ** 2 * 0.7, pi / 4 * (LARGEST * LENGTH) ** 2 * 4
    return low < area < high and max(w, h) <= 4 * min(w, h) and area >= 0.45 * w * h


def _core(label: NDArray[np.int32], stats: NDArray[np.int32], index: int) -> Floats:
    """The deepest place (2,) px of a blob: that is inside the ball, its mean may lie in the shadow."""
    x, y, w, h, _ = (int(v) for v in stats)
    blob = (label[y : y + h, x : x + w] == index).astype(np.uint8)
    core = cv2.distanceTransform(cv2.copyMakeBorder(blob, 1, 1, 1, 1, cv2.BORDER_CONSTANT), cv2.DIST_L2, 5)
    ys, xs = np.nonzero(core > 0.7 * float(core.max()))
    return np.array([xs.mean() - 1 + x, ys.mean() - 1 + y])


def round_blobs(flat: Flat, camera: Camera, table: Table) -> list[Round]:
    """Blobs on the cloth that look like balls, in a picture straightened with this camera and table."""
    far, mask = _unlike_cloth(flat)
    count, label, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=4)
    found = []
    for index in range(1, count):
        x, y, w, h, _ = (int(v) for v in stats[index])
        if not _may_be(stats[index]):
            continue
        blob = (label[y : y + h, x : x + w] == index).astype(np.uint8)
        ball = _as_ball(flat, far, camera, table, blob, (x, y))
        if ball is not None:
            found.append(ball)
    return found


def _unlike_cloth(flat: Flat) -> tuple[NDArray[np.float32], NDArray[np.uint8]]:
    """Lab distance of all pixels from the cloth round them (light may fall off over the table), and where it is large on the bed."""
    lab = flat.lab
    small = cv2.resize(lab, None, fx=0.125, fy=0.125, interpolation=cv2.INTER_AREA)
    channels = [cv2.medianBlur(np.clip(small[..., k] + 128 * (k > 0), 0, 255).astype(np.uint8), 31) for k in range(3)]
    cloth = np.dstack([channels[0].astype(np.float32), channels[1].astype(np.float32) - 128, channels[2].astype(np.float32) - 128])
    cloth = cv2.resize(cv2.GaussianBlur(cloth, (0, 0), 3), (lab.shape[1], lab.shape[0]), interpolation=cv2.INTER_LINEAR)
    far = np.linalg.norm((lab - cloth) * (0.7, 1.0, 1.0), axis=2).astype(np.float32)
    bed = np.zeros(lab.shape[:2], bool)
    inset = round(0.004 * LENGTH)
    bed[MARGIN + inset : MARGIN + flat.width - inset, MARGIN + inset : MARGIN + flat.length - inset] = True
    noise = 1.48 * float(np.median(far[bed & flat.covered]))
    mask = (far > max(16.0, 4 * noise)) & bed & flat.covered
    return far, cv2.morphologyEx(mask.astype(np.uint8), cv2.MORPH_OPEN, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (5, 5)))


def _as_ball(
    flat: Flat, far: NDArray[np.float32], camera: Camera, table: Table, blob: NDArray[np.uint8], corner: tuple[int, int]
) -> Round | None:
    """The blob as a ball: its edge, where the picture turns to cloth most steeply, against the silhouette of a ball at its place."""
    height, width = blob.shape
    core = cv2.distanceTransform(cv2.copyMakeBorder(blob, 1, 1, 1, 1, cv2.BORDER_CONSTANT), cv2.DIST_L2, 5)
    # the deepest place of the blob is inside the ball, its mean may lie in the shadow
    depth = float(core.max())
    ys, xs = np.nonzero(core > 0.7 * depth)
    centre = np.array([xs.mean() - 1 + corner[0], ys.mean() - 1 + corner[1]])
    place, radius = _on_table(flat, camera, table, centre), 1.0
    size = sqrt(float(blob.sum()) / pi) * table.length / LENGTH * 0.9
    seen = None
    for _ in range(3):
        outline = _flat_outline(flat, camera, table, place, size)
        if outline is None:
            return None
        seen = _edges(far, outline)
        if seen is None:
            return None
        radius, shift, _ = seen
        size *= radius
        moved = outline.mean(axis=0) + shift
        place = place + (_on_table(flat, camera, table, moved) - _on_table(flat, camera, table, outline.mean(axis=0)))
        if not SMALLEST / 2 < size / table.length < LARGEST / 2:
            return None
    across = 2 * float(camera.ball_radius([place], size)[0])
    if seen is None or seen[2] < _ROUND or abs(radius - 1) > 0.06 or across < _LEAST_PX:
        return None
    inside = flat.picture[corner[1] : corner[1] + height, corner[0] : corner[0] + width][core[1:-1, 1:-1] > 0.4 * depth]
    bgr = np.median(inside, axis=0) if len(inside) else np.zeros(3)
    return Round(
        (float(place[0]), float(place[1])),
        2 * size,
        2 * size / table.length,
        across,
        (float(bgr[0]), float(bgr[1]), float(bgr[2])),
        seen[2],
    )


def _on_table(flat: Flat, camera: Camera, table: Table, at: Floats) -> Floats:
    """Place (2,) mm of a ball whose middle is seen at a px of the straightened picture."""
    return camera.to_table(camera.project_at([flat.to_mm(at)], table.nose_height), table.nose_height)[0]


def _flat_outline(flat: Flat, camera: Camera, table: Table, place: Floats, radius: float) -> Floats | None:
    """Silhouette (48, 2) of a ball in px of the straightened picture."""
    outline = flat.to_px(camera.to_table(camera.silhouette([place], radius)[0], table.nose_height))
    return outline if np.isfinite(outline).all() else None


def _edges(far: NDArray[np.float32], outline: Floats) -> tuple[float, Floats, float] | None:
    """How much larger than an outline the blob's edge is, its shift (2,) px, and the share of directions that agree."""
    middle = outline.mean(axis=0)
    factors = np.arange(0.5, 1.5, 0.02)
    at = middle + factors[:, None, None] * (outline - middle)
    values = cv2.remap(far, at[..., 0].astype(np.float32), at[..., 1].astype(np.float32), cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    values = cv2.GaussianBlur(values, (1, 9), sigmaX=0.1, sigmaY=2.0)
    fall = values[:-2] - values[2:]
    best = np.argmax(fall, axis=0)
    steep = fall[best, np.arange(fall.shape[1])]
    good = (steep > 0.35 * np.median(steep)) & (best > 0) & (best < len(fall) - 1)
    if good.sum() < 0.6 * len(good):
        return None
    factor = factors[1:-1][best]
    arm = outline - middle
    basis = np.column_stack([np.ones(len(arm)), arm / np.maximum((arm**2).sum(axis=1, keepdims=True), 1e-6)])
    weights = good.astype(float)
    for _ in range(6):
        solved = np.linalg.lstsq(basis * weights[:, None], factor * weights, rcond=None)[0]
        off = factor - basis @ solved
        weights = good * np.clip(1 - (off / 0.15) ** 2, 0, None)
        if weights.sum() < 10:
            return None
    return float(solved[0]), solved[1:], float((good & (np.abs(off) < 0.08)).mean())


def agreed_size(pictures: Sequence[Sequence[Round]]) -> BallSize | None:
    """The size that most blobs of several pictures agree on, or None where none is supported.

    What lies at one place through a video is one ball; one blob alone may be anything.
    """
    balls = _distinct([ball for picture in pictures for ball in picture])
    if len(balls) < 2:
        return None
    ratios = np.array([b.ratio for b in balls])
    weights = np.array([(b.likeness - 0.5) * min(b.across_px, 30.0) for b in balls])
    votes = [float(weights[np.abs(np.log(ratios / r)) < _ALIKE].sum()) for r in ratios]
    best = ratios[int(np.argmax(votes))]
    near = np.abs(np.log(ratios / best)) < _ALIKE
    if near.sum() < 2 or near.sum() < 0.6 * len(ratios):
        return None
    ratio = _INWARDS * float(np.average(ratios[near], weights=weights[near]))
    across = float(np.median([b.across_px for b, n in zip(balls, near, strict=True) if n]))
    # edges are known to some half pixel; blooming and shade make all of them alike too large or small by 3 %
    sigma = ratio * sqrt((0.5 / across) ** 2 + 0.03**2 + 0.05**2 / float(near.sum()))
    return BallSize(ratio, sigma, int(near.sum()))


def _distinct(balls: Sequence[Round]) -> list[Round]:
    """Of the blobs at one place the one most like a ball."""
    kept: list[Round] = []
    for ball in sorted(balls, key=lambda b: -b.likeness):
        if all(np.hypot(ball.xy[0] - k.xy[0], ball.xy[1] - k.xy[1]) > 0.3 * k.diameter for k in kept):
            kept.append(ball)
    return kept
