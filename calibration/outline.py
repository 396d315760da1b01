"""Quadrilaterals round a region of cloth: what its border says when players, rails that mirror it and lenses disturb it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
_LINES = 8  # longest straight pieces of the border from which sides are chosen
_SMALL = 160  # longer side of the picture in which quadrilaterals are compared with the region


@dataclass(frozen=True, slots=True)
class Outline:
    """`quad` (4, 2) px clockwise; `opened`: sides that the picture cuts; `border`: a side's points (N, 2) px, corner i to i + 1."""

    quad: Floats
    opened: tuple[bool, bool, bool, bool]
    border: tuple[Floats, Floats, Floats, Floats]


def outlines_of(component: NDArray[np.uint8]) -> list[Outline]:
    """Quadrilaterals round a region (mask of 0 and 1), differing ones, the likeliest first."""
    contours, _ = cv2.findContours(component, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    contour = max(contours, key=len).reshape(-1, 2).astype(float)
    hull = cv2.convexHull(contour.astype(np.float32)).reshape(-1, 2).astype(float)
    found: list[Outline] = []
    for quad in [tight_quad(hull), *_line_quads(contour, component)]:
        outline = _fitted(quad, contour, component.shape) if quad is not None else None
        if outline is None or cv2.contourArea(outline.quad.astype(np.float32)) < 0.45 * cv2.contourArea(hull.astype(np.float32)):
            continue
        if not any(same_quad(outline.quad, other.quad) for other in found):
            found.append(outline)
    return found


def same_quad(one: Floats, two: Floats) -> bool:
    size = np.ptp(one, axis=0).max()
    return min(float(np.abs(np.roll(two, k, axis=0) - one).max()) for k in range(4)) < 0.006 * size


def _on_edge(points: Floats, shape: tuple[int, ...]) -> NDArray[np.bool_]:
    height, width = shape[:2]
    return (points[:, 0] <= 1) | (points[:, 1] <= 1) | (points[:, 0] >= width - 2) | (points[:, 1] >= height - 2)


def _fitted(quad: Floats, contour: Floats, shape: tuple[int, ...]) -> Outline | None:
    """The quadrilateral with its sides fitted to the border."""
    size = max(shape)
    edge = _on_edge(contour, shape)
    lines, opened, border = [], [], []
    for start, end in zip(quad, np.roll(quad, -1, axis=0), strict=True):
        along = (end - start) / max(np.linalg.norm(end - start), 1e-9)
        normal = np.array([-along[1], along[0]])
        off = (contour - start) @ normal
        at = (contour - start) @ along / max(np.linalg.norm(end - start), 1e-9)
        near = (np.abs(off) < 0.02 * size) & (at > 0.05) & (at < 0.95)
        free = near & ~edge
        opened.append(bool(free.sum() < 0.4 * near.sum()))
        points = contour[free] if free.sum() > 0.25 * near.sum() else contour[near]
        lines.append(robust_line(points, start, end))
        border.append(contour[free])
    corners = [meet(lines[i - 1], lines[i]) for i in range(4)]
    if any(c is None for c in corners):
        return None
    fitted = np.array(corners)
    if not np.isfinite(fitted).all() or (np.abs(fitted) > 4 * size).any():
        return None
    a, b, c, d = opened
    return Outline(fitted, (a, b, c, d), (border[0], border[1], border[2], border[3]))


def tight_quad(hull: Floats) -> Floats | None:
    """Circumscribed quadrilateral: sides of the hull are dropped, the one that adds the least area first."""
    polygon = [
        *cv2.approxPolyDP(hull.astype(np.float32), 0.004 * cv2.arcLength(hull.astype(np.float32), True), True).reshape(-1, 2).astype(float)
    ]
    while len(polygon) > 4:
        best = None
        for i in range(len(polygon)):
            before, start, end, after = (polygon[(i + k) % len(polygon)] for k in (-1, 0, 1, 2))
            met = meet((before, start), (end, after))
            if met is None or (met - start) @ (start - before) < 0 or (met - end) @ (end - after) < 0:
                continue
            added = abs((end - start)[0] * (met - start)[1] - (end - start)[1] * (met - start)[0]) / 2
            if best is None or added < best[0]:
                best = (added, i, met)
        if best is None:
            return None
        _, i, met = best
        j = (i + 1) % len(polygon)
        polygon[i] = met
        polygon.pop(j)
    return _clockwise(np.array(polygon)) if len(polygon) == 4 else None


def _clockwise(quad: Floats) -> Floats:
    area = np.sum(quad[:, 0] * np.roll(quad[:, 1], -1) - np.roll(quad[:, 0], -1) * quad[:, 1])
    return quad if area > 0 else quad[::-1].copy()


def _line_quads(contour: Floats, component: NDArray[np.uint8], most: int = 2) -> list[Floats]:
    """Quadrilaterals made of straight pieces of the border: a bulge (a mirrored cloth, a person) does not turn their sides."""
    lines = _straight_pieces(contour, component.shape)
    if len(lines) < 4:
        return []
    scale = _SMALL / max(component.shape)
    small = cv2.resize(component, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    rim = np.full(small.shape, 255, np.uint8)
    at = np.clip(np.round(contour * scale).astype(int), 0, np.array(small.shape[::-1]) - 1)
    rim[at[:, 1], at[:, 0]] = 0
    away = cv2.distanceTransform(rim, cv2.DIST_L2, 3)
    area, centre = float(small.sum()), contour.mean(axis=0)
    scored = []
    for four in combinations(lines, 4):
        quad = _quad_of(four, centre)
        if quad is None or (np.abs(quad) > 6 * max(component.shape)).any():
            continue
        inside = np.zeros_like(small)
        cv2.fillConvexPoly(inside, np.round(quad * scale * 16).astype(np.int32), 1, shift=4)
        both = float((inside & small).sum())
        fill = both / max(float(inside.sum()) + area - both, 1.0)
        if fill < 0.6:
            continue
        sides = np.linspace(quad, np.roll(quad, -1, axis=0), 40).reshape(-1, 2) * scale
        sides = sides[((sides >= 0) & (sides < np.array(small.shape[::-1]))).all(axis=1)].astype(int)
        held = float((away[sides[:, 1], sides[:, 0]] < 1.3).mean()) if len(sides) else 0.0
        scored.append((fill + 0.6 * held, quad))
    scored.sort(key=lambda item: -item[0])
    chosen: list[Floats] = []
    for _, quad in scored:
        if len(chosen) < most and not any(same_quad(quad, other) for other in chosen):
            chosen.append(quad)
    return chosen


def _straight_pieces(contour: Floats, shape: tuple[int, ...]) -> list[tuple[Floats, Floats]]:
    """Lines (two points) along the border, those with the most border near them, no two alike."""
    size = max(shape)
    corners = cv2.approxPolyDP(contour.astype(np.float32), 0.005 * size, True).reshape(-1, 2).astype(float)
    free = contour[~_on_edge(contour, shape)]
    lines: list[tuple[int, Floats, Floats]] = []
    for start, end in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        if np.linalg.norm(end - start) < 0.05 * size or _on_edge((start + end)[None] / 2, shape)[0]:
            continue
        line = (start, end)
        near = np.zeros(len(free), bool)
        for _ in range(2):
            along = (line[1] - line[0]) / max(np.linalg.norm(line[1] - line[0]), 1e-9)
            near = np.abs((free - line[0]) @ np.array([-along[1], along[0]])) < 0.005 * size
            line = robust_line(free[near], *line)
        lines.append((int(near.sum()), line[0], line[1]))
    lines.sort(key=lambda item: -item[0])
    kept: list[tuple[Floats, Floats]] = []
    for _, start, end in lines:
        along = (end - start) / max(np.linalg.norm(end - start), 1e-9)
        alike = False
        for other, until in kept:
            heading = (until - other) / max(np.linalg.norm(until - other), 1e-9)
            turned = abs(float(along[0] * heading[1] - along[1] * heading[0]))
            apart = abs(float((start - other) @ np.array([-heading[1], heading[0]])))
            alike = alike or (turned < 0.02 and apart < 0.008 * size)
        if not alike:
            kept.append((start, end))
        if len(kept) == _LINES:
            break
    return kept


def _quad_of(lines: tuple[tuple[Floats, Floats], ...], centre: Floats) -> Floats | None:
    """The convex quadrilateral that four lines make round a point, clockwise."""
    feet = []
    for start, end in lines:
        along = (end - start) / max(np.linalg.norm(end - start), 1e-9)
        normal = np.array([-along[1], along[0]])
        feet.append(normal * float((start - centre) @ normal))
    order = np.argsort([np.arctan2(f[1], f[0]) for f in feet])
    corners = [meet(lines[order[i - 1]], lines[order[i]]) for i in range(4)]
    if any(c is None for c in corners):
        return None
    quad = np.array(corners)
    ahead = np.roll(quad, -1, axis=0) - quad
    turns = ahead[:, 0] * np.roll(ahead, -1, axis=0)[:, 1] - ahead[:, 1] * np.roll(ahead, -1, axis=0)[:, 0]
    if not (turns > 0).all() or not np.isfinite(quad).all():
        return None
    return quad if cv2.pointPolygonTest(quad.astype(np.float32), tuple(map(float, centre)), False) > 0 else None


def robust_line(points: Floats, start, end) -> tuple[Floats, Floats]:
    """A line (two points) through most points; that from start to end where they are few."""
    if len(points) < 8:
        return np.asarray(start), np.asarray(end)
    points = points[:: max(1, len(points) // 200)]
    vx, vy, x, y = cv2.fitLine(points.astype(np.float32), cv2.DIST_WELSCH, 2.0, 0.01, 0.001).ravel()
    length = float(np.linalg.norm(np.asarray(end) - np.asarray(start)))
    middle, along = np.array([x, y], float), np.array([vx, vy], float)
    return middle - along * length / 2, middle + along * length / 2


def meet(one, two) -> Floats | None:
    """Where two lines, given by two points each, meet; None where they are parallel."""
    (p, q), (r, s) = one, two
    d, e = q - p, s - r
    det = d[0] * e[1] - d[1] * e[0]
    if abs(det) < 1e-9 * (np.linalg.norm(d) * np.linalg.norm(e) + 1e-12):
        return None
    t = ((r - p)[0] * e[1] - (r - p)[1] * e[0]) / det
    return p + t * d
