"""Where the cloth is: colour candidates of a picture, their regions, and a quadrilateral round each.

The cloth is a large region of nearly one hue (or, grey and black cloths, of nearly no colour and one brightness). Its
region usually reaches over the tops of the cushions to the rails, so its outline is not yet the noses' rectangle.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.bend import NONE, Bend, bend_of
from calibration.outline import meet, outlines_of, robust_line, same_quad

Picture = NDArray[np.uint8]
WORK = 800  # longer side of the picture in which regions are sought
_MOST = 8  # candidates
LEAST_AREA = 0.05  # of the picture that a table's cloth fills
_NIGHT = 0.2  # of a cloth's brightness L*, below which a hue says nothing: dark wood of its hue is none
_CHROMATIC = 9.0  # Lab chroma from which a hue means something


@dataclass(frozen=True, slots=True)
class ClothColour:
    """Median Lab of a cloth and its spread: `hue` rad, `chroma`, `light`, tolerances of hue (rad), chroma and light."""

    lab: tuple[float, float, float]
    chroma: float
    hue: float
    hue_tolerance: float
    chroma_tolerance: float
    light_tolerance: float

    @property
    def chromatic(self) -> bool:
        return self.chroma > _CHROMATIC

    def likeness(self, lab: NDArray[np.float32], strictness: float = 1.0) -> NDArray[np.bool_]:
        """Which pixels (..., 3) Lab may be this cloth, in light or in shade; strictness below 1 accepts more, above 1 less."""
        light, a, b = lab[..., 0], lab[..., 1], lab[..., 2]
        chroma = np.hypot(a, b)
        if self.chromatic:
            along = (a * np.cos(self.hue) + b * np.sin(self.hue)) / np.maximum(chroma, 1e-3)
            # dark polished rails mirror a little of a strong colour
            least = 0.53 if strictness < 1 and self.chroma > 30 else min(0.45 * max(strictness, 0.85), 0.85)
            ratio = np.clip(light / max(self.lab[0], 1.0), 0.15, 1.0)
            lit = (light > _NIGHT * self.lab[0]) & (light < self.lab[0] + 25)
            return (along > np.cos(self.hue_tolerance / strictness)) & (chroma > least * self.chroma * ratio) & lit
        near = np.hypot(a - self.lab[1], b - self.lab[2]) < max(8.0, self.chroma_tolerance) / strictness
        return near & (np.abs(light - self.lab[0]) < self.light_tolerance / strictness)

    def shaded(self, lab: NDArray[np.float32]) -> NDArray[np.bool_]:
        """As `likeness`, and what may be the dark faces of this cloth's cushions or the holes of its pockets."""
        light, a, b = lab[..., 0], lab[..., 1], lab[..., 2]
        chroma = np.hypot(a, b)
        along = (a * np.cos(self.hue) + b * np.sin(self.hue)) / np.maximum(chroma, 1e-3)
        tint = (chroma < 8.0) | ((along > 0.7) & (chroma < 1.2 * self.chroma)) if self.chromatic else chroma < self.chroma + 8.0
        return self.likeness(lab) | (tint & (light < 0.75 * self.lab[0]))


def cloth_colour(lab: NDArray[np.float32]) -> ClothColour:
    """Colour of pixels (N, 3) Lab that are mostly cloth."""
    median = np.median(lab, axis=0)
    hue = float(np.arctan2(median[2], median[1]))
    chroma = float(np.hypot(median[1], median[2]))
    across = -(lab[:, 1] - median[1]) * np.sin(hue) + (lab[:, 2] - median[2]) * np.cos(hue)
    turn = 1.48 * float(np.median(np.abs(across))) / max(chroma, 1.0)
    spread = 1.48 * float(np.median(np.hypot(lab[:, 1] - median[1], lab[:, 2] - median[2])))
    light = 1.48 * float(np.median(np.abs(lab[:, 0] - median[0])))
    return ClothColour(
        (float(median[0]), float(median[1]), float(median[2])),
        chroma,
        hue,
        float(np.clip(4 * turn, 0.22, 0.5)),
        float(np.clip(3 * spread, 6, 12)),
        float(np.clip(3 * light, 12, 24)),
    )


@dataclass(frozen=True, slots=True)
class ClothRegion:
    """A candidate: `quad` (4, 2) px, clockwise, of the full picture freed of the lens `bend`; `fill`: how well the region fills it.

    `area`: share of the picture; `open_sides`: sides (corner i to i + 1) that the picture cuts.
    """

    colour: ClothColour
    quad: NDArray[np.float64]
    fill: float
    area: float
    open_sides: tuple[bool, bool, bool, bool]
    bend: Bend = NONE

    @property
    def outline(self) -> NDArray[np.float64]:
        """Corners (4, 2) px in the picture as it is."""
        return self.bend.to_picture(self.quad)


class _Rough(NamedTuple):
    """A region before the lens is known: `quad` and `border` (of each side) px of the full picture."""

    colour: ClothColour
    quad: NDArray[np.float64]
    fill: float
    area: float
    open_sides: tuple[bool, bool, bool, bool]
    border: tuple[NDArray[np.float64], ...]


def to_lab(picture: Picture) -> NDArray[np.float32]:
    return cv2.cvtColor(picture.astype(np.float32) / 255, cv2.COLOR_BGR2LAB)


def cloth_regions(picture: Picture, near: tuple[float, float] | None = None) -> list[ClothRegion]:
    """Candidates for the cloth in a BGR picture, the likeliest first; those round a point (px) only, if one is given."""
    height, width = picture.shape[:2]
    scale = min(1.0, WORK / max(height, width))
    small = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA) if scale < 1 else picture
    lab = to_lab(cv2.medianBlur(small, 5))
    found: list[_Rough] = []
    colours = _colours(lab)
    masks = []
    for index, colour in enumerate(colours):
        masks += [(colour, colour.likeness(lab, strictness), strictness) for strictness in (1.0, 1.6, 2.4)]
        if index < 3:
            masks.append((colour, colour.shaded(lab), 1.0))
    for one, two in combinations(colours, 2):
        # uneven light of two lamps tints one cloth in two colours
        if float(np.linalg.norm(np.subtract(one.lab, two.lab))) < 28:
            masks.append((one, one.likeness(lab) | two.likeness(lab), 1.0))
    for colour, mask, strictness in masks:
        for region in _regions_of(mask, colour, strictness, scale, named=near is not None):
            if near is not None and cv2.pointPolygonTest(region.quad.astype(np.float32), near, True) < -0.01 * width:
                continue
            if not any(same_quad(region.quad, other.quad) for other in found):
                found.append(region)
    best = sorted(found, key=lambda r: -(r.fill**3) * np.sqrt(r.area))[:_MOST]
    return [_straightened(rough, (width, height)) for rough in best]


def _colours(lab: NDArray[np.float32]) -> list[ClothColour]:
    """Clusters of colour that cover a good part of the picture."""
    step = max(1, int(np.sqrt(lab.shape[0] * lab.shape[1] / 20000)))
    pixels = lab[::step, ::step].reshape(-1, 3)
    weighted = np.ascontiguousarray(pixels * np.array([0.5, 1, 1], np.float32))
    colours = []
    for count in (4, 7):
        cv2.setRNGSeed(1)
        _, label, _ = cv2.kmeans(weighted, count, None, (3, 30, 0.5), 2, cv2.KMEANS_PP_CENTERS)
        for index in range(count):
            members = pixels[label.ravel() == index]
            if len(members) > 0.05 * len(pixels):
                colour = cloth_colour(members)
                if not any(float(np.linalg.norm(np.subtract(colour.lab, other.lab))) < 5 for other in colours):
                    colours.append(colour)
    return colours


def _regions_of(likely: NDArray[np.bool_], colour: ClothColour, strictness: float, scale: float, *, named: bool) -> list[_Rough]:
    """Outlines of the two largest regions of a mask, of more and smaller ones where a table is named."""
    mask = likely.astype(np.uint8)
    longer = max(mask.shape)
    # the strictest mask is kept apart from rails that mirror the cloth: less is closed
    gap = longer // (120 if strictness > 2 else 50)
    small, close, large = (cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (k | 1, k | 1)) for k in (longer // 160, gap, longer // 50))
    mask = cv2.morphologyEx(mask, cv2.MORPH_OPEN, small)
    mask = cv2.morphologyEx(mask, cv2.MORPH_CLOSE, close)
    mask = cv2.morphologyEx(mask, cv2.MORPH_OPEN, large)
    count, label, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=4)
    regions = []
    for index in sorted(range(1, count), key=lambda i: -stats[i, cv2.CC_STAT_AREA])[: 6 if named else 2]:
        if stats[index, cv2.CC_STAT_AREA] < LEAST_AREA * mask.size / (4 if named else 1):
            continue
        component = (label == index).astype(np.uint8)
        for outline in outlines_of(component):
            inside = np.zeros_like(component)
            cv2.fillConvexPoly(inside, np.round(outline.quad * 16).astype(np.int32), 1, shift=4)
            both = float((inside & component).sum())
            fill = both / max(float((inside | component).sum()), 1.0)
            if fill > 0.6:
                area = float(inside.sum()) / inside.size
                border = tuple((points + 0.5) / scale - 0.5 for points in outline.border)
                regions.append(_Rough(colour, (outline.quad + 0.5) / scale - 0.5, fill, area, outline.opened, border))
    return regions


def _straightened(rough: _Rough, size: tuple[int, int]) -> ClothRegion:
    """The region with the lens that makes its border straight, and its quadrilateral as seen without that lens."""
    bend = bend_of([points for points, cut in zip(rough.border, rough.open_sides, strict=True) if not cut], size)
    if bend.k1:
        lines = []
        for index, points in enumerate(rough.border):
            ends = bend.to_straight(rough.quad[[index, (index + 1) % 4]])
            lines.append(robust_line(bend.to_straight(points), ends[0], ends[1]))
        corners = [meet(lines[i - 1], lines[i]) for i in range(4)]
        if all(c is not None and np.isfinite(c).all() for c in corners):
            return ClothRegion(rough.colour, np.array(corners), rough.fill, rough.area, rough.open_sides, bend)
    return ClothRegion(rough.colour, rough.quad, rough.fill, rough.area, rough.open_sides, replace(bend, k1=0.0))
