"""The mouths of the pockets and the balls of a table, measured in its picture, in parts of the table's length.

The picture is straightened to the plane of the noses, where the tips of the cushions lie: a mouth is a gap in the strip
of cloth on top of the cushions. A table without pockets has strips that go on through the middle and round the corners.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import hypot, sqrt

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import Camera
from calibration.cloth import to_lab
from calibration.table import Table

Picture = NDArray[np.uint8]
Floats = NDArray[np.float64]
LENGTH = 1200  # px of the straightened table
MARGIN = 72  # px round it
_NODE = 8  # px between the places that are projected exactly
_UNIT = LENGTH / 100  # px of one per cent of the length
_DARK = 22.0  # Lab lightness of a strip below which a dark hole in it cannot be told from it
_APART = 13.0  # Lab distance from which a place in a strip is not of its cloth
_DEPTHS = (0.25, 1.1)  # per cent of the length outside the nose in which a strip is looked at
DEPTH = 0.6  # their usual middle


@dataclass(frozen=True, slots=True)
class Mouths:
    """What the six places of pockets show. `middle`, `corner`: mouth per length of the table (None: not measured), `*_sigma` their
    errors; `gaps`: places with a gap, `closed`: places where the strip of cloth goes on, `middle_closed` of them in the middle."""

    middle: float | None
    middle_sigma: float
    corner: float | None
    corner_sigma: float
    gaps: int
    closed: int
    middle_closed: int

    @property
    def none(self) -> bool:
        """Whether the table surely has no pockets."""
        return self.closed >= 4 and self.gaps == 0 and self.middle_closed >= 1

    @property
    def some(self) -> bool:
        """Whether the table surely has pockets."""
        return self.gaps >= 3 and self.closed <= 1 and (self.middle is not None or self.corner is not None)


class Flat:
    """A picture straightened to the plane of the noses: `length` by `width` px with a margin; home is on the left."""

    def __init__(self, view: FlatView, picture: Picture) -> None:
        self.length, self.width, self.mm_per_px = view.length, view.width, view.mm_per_px
        x, y = view.source[..., 0], view.source[..., 1]
        self.picture = cv2.remap(picture, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)
        height, width = picture.shape[:2]
        self.covered = (x > -0.5) & (y > -0.5) & (x < width - 0.5) & (y < height - 0.5)
        self.lab = to_lab(cv2.GaussianBlur(self.picture, (0, 0), 0.8))

    def to_mm(self, px: Floats) -> Floats:
        """Places (..., 2) mm on the plane of the noses at (..., 2) px of the straightened picture."""
        return (np.asarray(px, float) - MARGIN) * (1, -1) * self.mm_per_px + (0, self.width * self.mm_per_px)

    def to_px(self, mm: Floats) -> Floats:
        """The inverse of `to_mm`."""
        return (np.asarray(mm, float) - (0, self.width * self.mm_per_px)) / self.mm_per_px * (1, -1) + MARGIN

    def bed(self) -> NDArray[np.float32]:
        """Lab (N, 3) of some pixels of the bed."""
        inset = round(8 * _UNIT) + MARGIN
        return self.lab[inset:-inset:4, inset:-inset:4].reshape(-1, 3)


class FlatView:
    """Straightens the pictures of one camera: where each pixel comes from is worked out once."""

    def __init__(self, camera: Camera, table: Table) -> None:
        self.length, self.width = LENGTH, round(LENGTH * table.width / table.length)
        self.mm_per_px = table.length / LENGTH
        columns, rows = self.length + 2 * MARGIN, self.width + 2 * MARGIN
        # a lens bends little within some pixels: every eighth is projected, those between lie between
        x, y = np.meshgrid(np.arange(-_NODE, columns + 2 * _NODE, _NODE), np.arange(-_NODE, rows + 2 * _NODE, _NODE))
        mm = (np.column_stack([x.ravel(), y.ravel()]) - MARGIN) * (1, -1) * self.mm_per_px + (0, self.width * self.mm_per_px)
        nodes = camera.project_at(mm, table.nose_height).astype(np.float32).reshape(*x.shape, 2)
        at_x, at_y = np.meshgrid(np.arange(columns, dtype=np.float32) / _NODE + 1, np.arange(rows, dtype=np.float32) / _NODE + 1)
        px = cv2.remap(nodes, at_x, at_y, cv2.INTER_LINEAR)
        self.source: NDArray[np.float32] = np.nan_to_num(px, nan=-1e4)

    def flat(self, picture: Picture) -> Flat:
        """A BGR picture (H, W, 3) straightened."""
        return Flat(self, picture)


def measure_mouths(flat: Flat) -> Mouths:
    """Mouths of the pockets of a straightened table."""
    bed = np.median(flat.bed(), axis=0)
    found: dict[str, list[float]] = {"middle": [], "corner": []}
    closed = middle_closed = 0
    for name, centre, outward in _places(flat):
        gap = _gap(flat, bed, centre, outward, corner=name == "corner")
        if gap == 0.0:
            closed += 1
            middle_closed += name == "middle"
        elif gap is not None:
            found[name].append(gap)
    middle, middle_sigma = _agreed(found["middle"], 1)
    corner, corner_sigma = _agreed(found["corner"], 2)
    return Mouths(middle, middle_sigma, corner, corner_sigma, sum(map(len, found.values())), closed, middle_closed)


def _places(flat: Flat) -> list[tuple[str, Floats, Floats]]:
    """(kind, corner of the noses or middle of a nose in px, unit vector outwards) of the six places."""
    half, slant = flat.length / 2, 1 / sqrt(2)
    places = [("middle", np.array([half, y]), np.array([0.0, sign])) for y, sign in ((0.0, -1.0), (float(flat.width), 1.0))]
    for x, sx in ((0.0, -1.0), (float(flat.length), 1.0)):
        for y, sy in ((0.0, -1.0), (float(flat.width), 1.0)):
            places.append(("corner", np.array([x, y]), np.array([sx, sy]) * slant))
    return places


def _gap(flat: Flat, bed: NDArray, centre: Floats, outward: Floats, *, corner: bool) -> float | None:
    """Width of the gap per length of the table; 0 where the strip goes on, None where nothing can be said.

    A middle mouth is crossed along its nose. A corner is walked round: along both noses towards it, the two ends of the strips
    are the tips.
    """
    if not corner:
        along = np.array([1.0, 0.0])
        depths = _strip(flat, bed, centre, along, outward)
        if depths is None:
            return None
        return _middle_gap(flat, depths, centre, along, outward)
    legs = []
    for axis in (0, 1):
        along = np.zeros(2)
        along[axis] = -np.sign(outward[axis])
        out = np.zeros(2)
        out[1 - axis] = np.sign(outward[1 - axis])
        depths = _strip(flat, bed, centre, along, out)
        legs.append(_leg(flat, depths, centre, along, out) if depths is not None else None)
    if any(leg is None for leg in legs):
        return None
    if min(legs) <= 0.0:
        return 0.0 if max(legs) <= 0.0 else None
    if max(legs) > 2.2 * min(legs):
        return None  # a ball, a hand or a wrong corner: a mouth is as deep to both sides
    return hypot(*legs) / 100


def _sample(flat: Flat, centre: Floats, along: Floats, outward: Floats, t: Floats, depths: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """Lab (D, T, 3) and whether the picture shows it, at per cents `t` along and `depths` outwards from a place."""
    xy = centre + MARGIN + (t[None, :, None] * along + depths[:, None, None] * outward) * _UNIT
    x, y = (np.clip(np.round(xy[..., k]).astype(int), 0, flat.lab.shape[1 - k] - 1) for k in (0, 1))
    return flat.lab[y, x].astype(float), flat.covered[y, x]


def _strip(flat: Flat, bed: NDArray, centre: Floats, along: Floats, outward: Floats) -> Floats | None:
    """Depths at which the strip of cloth on the cushion is seen beside a mouth, or None."""
    depths = np.arange(_DEPTHS[0], _DEPTHS[1] + 1e-6, 1 / _UNIT)
    t = np.concatenate([np.arange(5.5, 11.0, 0.25)] + ([-np.arange(5.5, 11.0, 0.25)] if abs(centre[0] - flat.length / 2) < 1 else []))
    lab, covered = _sample(flat, centre, along, outward, t, depths)
    if covered.mean() < 0.8:
        return None
    colour = np.median(lab, axis=1)
    spread = np.median(np.linalg.norm(lab - colour[:, None], axis=2), axis=1)
    chroma = float(np.hypot(bed[1], bed[2]))
    tint = np.hypot(colour[:, 1] - bed[1], colour[:, 2] - bed[2])
    likely = (tint < max(9.0, 0.45 * chroma)) & (colour[:, 0] > max(_DARK, 0.6 * bed[0])) & (spread < 8)
    return depths[likely] if likely.sum() >= 4 else None


def _away(flat: Flat, depths: Floats, centre: Floats, along: Floats, outward: Floats, t: Floats) -> Floats:
    """How far in Lab the strip's colour is from its usual one beside the mouth, at per cents t; NaN where the picture ends."""
    lab, covered = _sample(flat, centre, along, outward, t, depths)
    beside = np.abs(t) > 5.5
    usual = np.median(lab[:, beside], axis=1, keepdims=True)
    far = np.linalg.norm((lab - usual) * (0.8, 1.0, 1.0), axis=2)
    far = np.where(covered, far, np.nan)
    seen = np.isfinite(far).any(axis=0)
    found = np.full(len(t), np.nan)
    found[seen] = np.nanmedian(far[:, seen], axis=0)
    return found


def _middle_gap(flat: Flat, depths: Floats, centre: Floats, along: Floats, outward: Floats) -> float | None:
    t = np.arange(-11.0, 11.0 + 1e-9, 0.5 / _UNIT)
    far = _away(flat, depths, centre, along, outward, t)
    if not np.isfinite(far).all():
        return None
    noise = float(np.median(far[np.abs(t) > 5.5]))
    inner = np.abs(t) < 4.5
    if float(np.percentile(far[inner], 98)) < max(_APART, 3 * noise):
        return 0.0 if _rail_goes_on(flat, depths, centre, along, outward) else None
    level = np.median(far[np.abs(t) < 0.5])
    if level < max(_APART, 3 * noise):
        return None
    limit = noise + 0.5 * (min(level, 40.0) - noise)
    left, right = t[(t < 0) & (far < limit)], t[(t > 0) & (far < limit)]
    if not len(left) or not len(right) or abs(right[0] + left[-1]) > 0.35 * (right[0] - left[-1]):
        return None
    return float(right[0] - left[-1]) / 100


def _rail_goes_on(flat: Flat, depths: Floats, centre: Floats, along: Floats, outward: Floats) -> bool:
    """Whether a rail behind the strip looks the same at a mouth's place as beside it: a net may have the colour of the cloth.

    Where there is no rail at all (a picture that shows nothing but cloth) nothing can be said about pockets.
    """
    beyond = np.arange(1.2, 5.0, 0.1)
    t = np.concatenate([np.arange(-1.0, 1.01, 0.1), np.arange(5.5, 8.5, 0.1), -np.arange(5.5, 8.5, 0.1)])
    lab, covered = _sample(flat, centre, along, outward, t, beyond)
    strip, _ = _sample(flat, centre, along, outward, t, depths)
    here, beside = np.abs(t) <= 1.05, np.abs(t) > 5.0
    seen = covered[:, here].all(axis=1) & (covered[:, beside].mean(axis=1) > 0.6)
    if seen.sum() < 4:
        return False
    there = np.median(lab[:, beside], axis=1)
    away_from_strip = np.linalg.norm(there - np.median(strip[:, beside], axis=(0, 1)), axis=1)
    differs = np.linalg.norm(np.median(lab[:, here], axis=1) - there, axis=1)
    return bool(away_from_strip[seen].max() > _APART and np.median(differs[seen]) < _APART)


def _leg(flat: Flat, depths: Floats, centre: Floats, along: Floats, outward: Floats) -> float | None:
    """Per cents from a corner of the noses to the tip of a cushion; 0 where its strip goes on to the corner."""
    t = np.arange(-0.8, 11.0, 0.5 / _UNIT)
    far = _away(flat, depths, centre, along, outward, t)
    if not np.isfinite(far).all():
        return None
    noise = float(np.median(far[t > 5.5]))
    bad = far > max(_APART, 3 * noise)
    near = bad[(t > -0.3) & (t < 1.6)]
    if near.mean() < 0.25:
        return 0.0 if not bad[t < 5.0].mean() > 0.12 else None
    level = float(np.median(far[(t > -0.3) & (t < 0.8)]))
    limit = noise + 0.5 * (min(max(level, _APART), 40.0) - noise)
    run = far >= limit
    beyond = np.nonzero(~run & (t > 0.2))[0]
    if not len(beyond) or float(bad[t > t[beyond[0]] + 0.5].mean()) > 0.25:
        return None
    # the throat's wall runs outwards at 45 degrees: the tip lies deeper into the table by the depth looked at
    return float(t[beyond[0]] + np.mean(depths))


def _agreed(values: Sequence[float], least: int) -> tuple[float | None, float]:
    """Median of measures that agree, with an error of at least 6 %."""
    if len(values) < least:
        return None, 0.0
    middle = float(np.median(values))
    near = [v for v in values if abs(v / middle - 1) < 0.25]
    if len(near) < max(least, len(values) / 2):
        return None, 0.0
    spread = 1.48 * float(np.median(np.abs(np.array(near) - middle))) if len(near) > 2 else 0.08 * middle
    return float(np.mean(near)), max(spread / sqrt(len(near)), 0.06 * middle, 0.001)
