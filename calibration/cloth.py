"""Where the cloth is: colour candidates of a picture, their regions, and a quadrilateral round each.

The cloth is a large region of nearly one hue (or, grey and black cloths, of nearly no colour and one brightness). Its
region usually reaches over the tops of the cushions to the rails, so its outline is not yet the noses' rectangle.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]
WORK = 800  # longer side of the picture in which regions are sought
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
            return (along > np.cos(self.hue_tolerance / strictness)) & (chroma > least * self.chroma * ratio) & (light < self.lab[0] + 25)
        near = np.hypot(a - self.lab[1], b - self.lab[2]) < max(8.0, self.chroma_tolerance) / strictness
        return near & (np.abs(light - self.lab[0]) < self.light_tolerance / strictness)


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
    """A candidate: `quad` (4, 2) px of the full picture, clockwise; `fill`: how well the region fills it, 0..1."""

    colour: ClothColour
    quad: NDArray[np.float64]
    fill: float
    area: float
    open_sides: tuple[bool, bool, bool, bool]


def to_lab(picture: Picture) -> NDArray[np.float32]:
    return cv2.cvtColor(picture.astype(np.float32) / 255, cv2.COLOR_BGR2LAB)


def cloth_regions(picture: Picture) -> list[ClothRegion]:
    """Candidates for the cloth in a BGR picture, the likeliest first."""
    height, width = picture.shape[:2]
    scale = min(1.0, WORK / max(height, width))
    small = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA) if scale < 1 else picture
    lab = to_lab(cv2.medianBlur(small, 5))
    found: list[ClothRegion] = []
    colours = _colours(lab)
    masks = [(colour, colour.likeness(lab, strictness), strictness) for colour in colours for strictness in (1.0, 1.6, 2.4)]
    for one, two in combinations(colours, 2):
        # uneven light of two lamps tints one cloth in two colours
        if float(np.linalg.norm(np.subtract(one.lab, two.lab))) < 28:
            masks.append((one, one.likeness(lab) | two.likeness(lab), 1.0))
    for colour, mask, strictness in masks:
        for region in _regions_of(mask, colour, strictness, scale):
            if not any(_same(region.quad, other.quad) for other in found):
                found.append(region)
    return sorted(found, key=lambda r: -(r.fill**3) * np.sqrt(r.area))[:6]


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


def _regions_of(likely: NDArray[np.bool_], colour: ClothColour, strictness: float, scale: float) -> list[ClothRegion]:
    mask = likely.astype(np.uint8)
    size = max(mask.shape)
    # the strictest mask is kept apart from rails that mirror the cloth: less is closed
    gap = size // (120 if strictness > 2 else 50)
    small, close, large = (cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (k | 1, k | 1)) for k in (size // 160, gap, size // 50))
    mask = cv2.morphologyEx(mask, cv2.MORPH_OPEN, small)
    mask = cv2.morphologyEx(mask, cv2.MORPH_CLOSE, close)
    mask = cv2.morphologyEx(mask, cv2.MORPH_OPEN, large)
    count, label, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=4)
    regions = []
    for index in sorted(range(1, count), key=lambda i: -stats[i, cv2.CC_STAT_AREA])[:2]:
        if stats[index, cv2.CC_STAT_AREA] < 0.06 * mask.size:
            continue
        component = (label == index).astype(np.uint8)
        found = _quadrilateral(component)
        if found is None:
            continue
        quad, opened = found
        inside = np.zeros_like(component)
        cv2.fillConvexPoly(inside, np.round(quad * 16).astype(np.int32), 1, shift=4)
        both = float((inside & component).sum())
        fill = both / max(float((inside | component).sum()), 1.0)
        if fill > 0.6:
            area = float(inside.sum()) / inside.size
            regions.append(ClothRegion(colour, (quad + 0.5) / scale - 0.5, fill, area, opened))
    return regions


def _quadrilateral(component: NDArray[np.uint8]) -> tuple[NDArray[np.float64], tuple[bool, bool, bool, bool]] | None:
    """Quadrilateral (clockwise on the screen) round a region, its sides fitted to the border; which sides the picture cuts."""
    contours, _ = cv2.findContours(component, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    contour = max(contours, key=len).reshape(-1, 2).astype(float)
    hull = cv2.convexHull(contour.astype(np.float32)).reshape(-1, 2).astype(float)
    quad = _tight_quad(hull)
    if quad is None:
        return None
    height, width = component.shape
    size = max(height, width)
    edge = (contour[:, 0] <= 1) | (contour[:, 1] <= 1) | (contour[:, 0] >= width - 2) | (contour[:, 1] >= height - 2)
    lines, opened = [], []
    for start, end in zip(quad, np.roll(quad, -1, axis=0), strict=True):
        along = (end - start) / max(np.linalg.norm(end - start), 1e-9)
        normal = np.array([-along[1], along[0]])
        off = (contour - start) @ normal
        at = (contour - start) @ along / max(np.linalg.norm(end - start), 1e-9)
        near = (np.abs(off) < 0.02 * size) & (at > 0.05) & (at < 0.95)
        free = near & ~edge
        opened.append(bool(free.sum() < 0.4 * near.sum()))
        points = contour[free] if free.sum() > 0.25 * near.sum() else contour[near]
        lines.append(_robust_line(points, start, end))
    corners = [_meet(lines[i - 1], lines[i]) for i in range(4)]
    if any(c is None for c in corners):
        return None
    fitted = np.array(corners)
    if not np.isfinite(fitted).all() or (np.abs(fitted) > 4 * size).any():
        return None
    if cv2.contourArea(fitted.astype(np.float32)) < 0.5 * cv2.contourArea(hull.astype(np.float32)):
        return None
    return fitted, (opened[0], opened[1], opened[2], opened[3])


def _tight_quad(hull: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Circumscribed quadrilateral: sides of the hull are dropped, the one that adds the least area first."""
    polygon = [
        *cv2.approxPolyDP(hull.astype(np.float32), 0.004 * cv2.arcLength(hull.astype(np.float32), True), True).reshape(-1, 2).astype(float)
    ]
    while len(polygon) > 4:
        best = None
        for i in range(len(polygon)):
            before, start, end, after = (polygon[(i + k) % len(polygon)] for k in (-1, 0, 1, 2))
            meet = _meet((before, start), (end, after))
            if meet is None or (meet - start) @ (start - before) < 0 or (meet - end) @ (end - after) < 0:
                continue
            added = abs((end - start)[0] * (meet - start)[1] - (end - start)[1] * (meet - start)[0]) / 2
            if best is None or added < best[0]:
                best = (added, i, meet)
        if best is None:
            return None
        _, i, meet = best
        j = (i + 1) % len(polygon)
        polygon[i] = meet
        polygon.pop(j)
    if len(polygon) < 4:
        return None
    quad = np.array(polygon)
    area = np.sum(quad[:, 0] * np.roll(quad[:, 1], -1) - np.roll(quad[:, 0], -1) * quad[:, 1])
    return quad if area > 0 else quad[::-1].copy()


def _robust_line(points: NDArray[np.float64], start, end) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    if len(points) < 8:
        return np.asarray(start), np.asarray(end)
    vx, vy, x, y = cv2.fitLine(points.astype(np.float32), cv2.DIST_WELSCH, 2.0, 0.01, 0.001).ravel()
    return np.array([x, y], float), np.array([x + vx, y + vy], float)


def _meet(one, two) -> NDArray[np.float64] | None:
    (p, q), (r, s) = one, two
    d, e = q - p, s - r
    det = d[0] * e[1] - d[1] * e[0]
    if abs(det) < 1e-9 * (np.linalg.norm(d) * np.linalg.norm(e) + 1e-12):
        return None
    t = ((r - p)[0] * e[1] - (r - p)[1] * e[0]) / det
    return p + t * d


def _same(one: NDArray[np.float64], two: NDArray[np.float64]) -> bool:
    size = np.ptp(one, axis=0).max()
    return min(float(np.abs(np.roll(two, k, axis=0) - one).max()) for k in range(4)) < 0.006 * size
