"""Outlines of balls at rest as evidence of how slantingly a camera looks at them: far from its foot a ball is seen longer than wide.

Noses tell the focal length of a camera that looks down from above badly: twice as high with twice the focal length looks nearly the
same. A ball's outline does not: its length by its width is 1 / cos of the angle between the view and the plumb line. Only this shape
counts here, not the size (the ball may be another, and light makes all of them seem a little larger), and not the place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import pi, sqrt

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import Camera
from calibration.evidence import linear_light
from calibration.mouths import FlatView
from calibration.roundness import blobs_unlike_cloth
from calibration.table import CUSHIONS, Table

Floats = NDArray[np.float64]
MOST = 12  # balls that count
_RAYS = 32
_ACROSS = np.arange(0.45, 1.75, 0.025)  # radii of a ball along a ray
_LEAST_PX = 9.0  # diameter of a ball whose shape says something
_TINT = 0.10  # share of a ball's light that no shade of the cloth has; less cannot be told from its shadow
_KEPT, _ROUGH = 0.75, 0.07  # share of the rays that agree on an ellipse, and their scatter in radii
_SIZE = 0.75, 1.3  # of a ball's expected size
ALIKE = 0.025  # sigma of a shape: light and shade on a ball, chroma at half of the pixels
_EDGE_PX = 0.35  # sigma of one ray's edge
_FREE = 2.7  # radii from a nose below which the window shows its shade as well
_STILL = 0.08  # diameters by which a resting ball may be elsewhere in another picture


@dataclass(frozen=True, slots=True)
class Outlines:
    """Edges of resting balls: of each `px` (K, 2), and `sigma` of its shape."""

    px: tuple[Floats, ...]
    sigma: Floats


def outline_misfit(camera: Camera, table: Table, outlines: Outlines) -> Floats:
    """(2 N,) by how much outlines are longer than they should be, along and askew, in standard deviations."""
    middles = np.array([px.mean(axis=0) for px in outlines.px])
    expected = camera.silhouette(camera.ball_at(middles, table.radius), table.radius)
    found = [_shape(px, ring)[1:3] / sigma for px, ring, sigma in zip(outlines.px, expected, outlines.sigma, strict=True)]
    return np.nan_to_num(np.concatenate(found), nan=1e3)


def _shape(px: Floats, ring: Floats) -> Floats:
    """Of edge points (K, 2) against an expected outline (M, 2): larger by, longer along x, longer along the diagonal, in radii."""
    if not np.isfinite(ring).all():
        return np.full(5, np.nan)
    middle = ring.mean(axis=0)
    arm, seen = ring - middle, px - middle
    turn = np.arctan2(arm[:, 1], arm[:, 0])
    order = np.argsort(turn)
    at = np.arctan2(seen[:, 1], seen[:, 0])
    share = np.hypot(*seen.T) / np.interp(at, turn[order], np.hypot(*arm.T)[order], period=2 * pi) - 1
    basis = np.column_stack([np.ones(len(at)), np.cos(2 * at), np.sin(2 * at), np.cos(at), np.sin(at)])
    return np.linalg.lstsq(basis, share, rcond=None)[0]


def balls_seen(pictures: Sequence[NDArray[np.uint8]], camera: Camera, table: Table) -> Outlines | None:
    """Balls at rest in BGR pictures of one camera, which is right to some millimetres; None where none is seen well.

    Of several pictures those balls count that lie at one place in at least two of them; one picture is taken to show resting balls.
    """
    if not pictures or any(picture.ndim != 3 for picture in pictures):
        return None
    view = FlatView(camera, table)
    found: list[list[tuple[Floats, float]]] = []
    for picture in pictures:
        flat = view.flat(picture)
        middles = [camera.project_at([flat.to_mm(at)], table.nose_height)[0] for at in blobs_unlike_cloth(flat)]
        edges = [_edge(picture, camera, table, middle) for middle in middles]
        found.append([edge for edge in edges if edge is not None])
    still = found[0] if len(pictures) == 1 else _resting(found)
    if not still:
        return None
    still = sorted(still, key=lambda ball: ball[1])[:MOST]
    return Outlines(tuple(px for px, _ in still), np.array([sigma for _, sigma in still]))


def _resting(found: Sequence[Sequence[tuple[Floats, float]]]) -> list[tuple[Floats, float]]:
    """One of each ball that is seen at the same place in another picture."""
    kept: list[tuple[Floats, float]] = []
    for index, balls in enumerate(found):
        for px, sigma in balls:
            reach = _STILL * 2 * sqrt(cv2.contourArea(px.astype(np.float32)) / pi)
            middle = px.mean(axis=0)
            again = any(np.hypot(*(o.mean(axis=0) - middle)) < reach for later in found[index + 1 :] for o, _ in later)
            if again and all(np.hypot(*(o.mean(axis=0) - middle)) > 4 * reach for o, _ in kept):
                kept.append((px, sigma))
    return kept


def _edge(picture: NDArray[np.uint8], camera: Camera, table: Table, middle: Floats) -> tuple[Floats, float] | None:
    """Edge points (K, 2) px of the ball about a pixel, and the sigma of their shape; None where it is no ball or hardly seen."""
    place = camera.ball_at([middle], table.radius)
    if not np.isfinite(place).all():
        return None
    if min(float(table.inside(place, cushion)[0]) for cushion in CUSHIONS) < _FREE * table.radius:
        return None
    # not `scale_at`: a slanting look shortens the table, not the balls
    radius = float(np.sqrt(np.prod(camera.ball_outline(place, table.radius).semi_axes[0])))
    if 2 * radius < _LEAST_PX:
        return None
    half = int(np.ceil(2.4 * radius)) + 2
    left, top = (int(v) for v in np.round(middle) - half)
    height, width = picture.shape[:2]
    if left < 0 or top < 0 or left + 2 * half >= width or top + 2 * half >= height:
        return None
    light = _linear(picture[top : top + 2 * half + 1, left : left + 2 * half + 1])
    part = _apart(light, middle - (left, top), radius)
    if part is None:
        return None
    centre = middle - (left, top)
    for _ in range(3):
        px, kept = _rays(part, centre, radius)
        if px is None or kept is None:
            return None
        centre = px.mean(axis=0)
    size = float(np.hypot(*(px - centre).T).mean()) / radius
    if not _SIZE[0] < size < _SIZE[1]:
        return None
    return px + np.array([left, top]), float(np.hypot(ALIKE, _EDGE_PX / (radius * sqrt(len(px) / 2))))


def _linear(window: NDArray[np.uint8]) -> Floats:
    return np.dstack([linear_light(np.ascontiguousarray(window[..., k])) for k in range(3)]).astype(float)


def _apart(light: Floats, centre: Floats, radius: float) -> Floats | None:
    """(H, W) 0 where the cloth is, in light or in shade, 1 on the ball; None for a ball that has no tint of its own."""
    y, x = np.mgrid[: light.shape[0], : light.shape[1]]
    far = np.hypot(x - centre[0], y - centre[1])
    cloth, ball = np.median(light[far > 1.9 * radius], axis=0), np.median(light[far < 0.6 * radius], axis=0)
    unit = cloth / max(float(np.linalg.norm(cloth)), 1e-6)
    own = ball - float(ball @ unit) * unit
    if float(np.linalg.norm(own)) < max(_TINT * float(np.linalg.norm(ball)), 0.02):
        return None
    return light @ own / float(own @ own)


def _rays(part: Floats, centre: Floats, radius: float) -> tuple[Floats, Floats] | tuple[None, None]:
    """Where the ball ends along rays from its middle: those (K, 2) px that lie on one ellipse, and which they are."""
    turn = np.arange(_RAYS) * (2 * pi / _RAYS)
    heading = np.column_stack([np.cos(turn), np.sin(turn)])
    at = centre + heading[:, None] * (_ACROSS * radius)[:, None]
    values = cv2.remap(part.astype(np.float32), at[..., 0].astype(np.float32), at[..., 1].astype(np.float32), cv2.INTER_CUBIC)
    values = cv2.GaussianBlur(values, (9, 1), sigmaX=1.5 / max(radius * 0.025, 0.1) * 0.35, sigmaY=0.1)
    fall = values[:, :-2] - values[:, 2:]
    best = np.clip(np.argmax(fall, axis=1), 1, fall.shape[1] - 2)
    row = np.arange(_RAYS)
    before, peak, after = (fall[row, best + k] for k in (-1, 0, 1))
    bend = before - 2 * peak + after
    shift = np.where(bend < -1e-9, np.clip(0.5 * (before - after) / np.where(bend < -1e-9, bend, -1), -1, 1), 0.0)
    share = _ACROSS[1:-1][best] + shift * 0.025
    basis = np.column_stack([np.ones(_RAYS), np.cos(turn), np.sin(turn), np.cos(2 * turn), np.sin(2 * turn)])
    good = (peak > 0.3 * np.median(peak)) & (best > 1) & (best < fall.shape[1] - 2)
    weight = good.astype(float)
    off = np.zeros(_RAYS)
    for _ in range(8):
        if weight.sum() < 0.5 * _RAYS:
            return None, None
        solved = np.linalg.lstsq(basis * weight[:, None], share * weight, rcond=None)[0]
        off = share - basis @ solved
        weight = good * np.clip(1 - (off / (3 * _ROUGH)) ** 2, 0, None)
    kept = good & (np.abs(off) < 2 * _ROUGH)
    if kept.mean() < _KEPT or float(np.sqrt((off[kept] ** 2).mean())) > _ROUGH:
        return None, None
    # an ellipse through them, at even steps: rays that were left out must not shift its middle
    return centre + heading * (basis @ solved)[:, None] * radius, kept
