"""Widths of moving balls as evidence of how slantingly a camera looks at them.

A moving ball is a streak, and only its width square to its way is the ball's own. Far from the camera's foot a ball is seen longer
than wide: a streak towards the foot is as wide as a ball near it, one round the foot is wider. How much wider tells how high the
camera is, which noses tell badly from above (`outlines`). Balls of one colour seem larger or smaller than they are alike, by light
and coding, so their own size is left open.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import pi

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares

from calibration.camera import Camera
from calibration.evidence import linear_light
from calibration.table import CUSHIONS, Table

Floats = NDArray[np.float64]
MOST = 25  # pictures looked at
FEWEST = 6  # widths
_LEAST_PX = 9.0  # diameter of a ball whose width says something
_DIFFERENT = 22  # levels from the median of the pictures
_LONG, _LONGEST = 1.35, 9.0  # lengths of a streak in its widths
_SIZE = 0.6, 1.6  # widths of a streak in expected diameters, as it is found
_FULL = 0.8  # share of its outline that a straight streak fills
_FREE = 2.0  # radii from a nose to any part of a streak: its shade is elsewhere
_APART = 0.7  # radii to anything else that differs
_BLUR = 1.1  # px: lens, chroma at half of the pixels, coding
_TINT = 0.02  # linear light of a ball that no shade of the cloth has
_ALIKE_TINT = 0.97  # cosine of the tints of balls of one colour
_SIGMA, _SHARE, _ROUGH = 0.012, 0.7, 0.06  # of a width, and how much of a profile's roughness counts; rougher ones are no balls'
_ODD = 0.2  # share by which a width may differ from the others, by a camera whose height is not yet known
_TOGETHER = 8  # widths of one colour beyond which more tell hardly more: they share their light


@dataclass(frozen=True, slots=True)
class Widths:
    """Streaks: their middles `px` (N, 2), unit vectors square to their ways `across` (N, 2), `width` (N,) px, `sigma` (N,) as a share
    of it, and the number of the ball's `colour` (N,)."""

    px: Floats
    across: Floats
    width: Floats
    sigma: Floats
    colour: NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class _Streak:
    """Middle (2,) px, unit vector along (2,), half of its length px, expected radius of a ball there px."""

    px: Floats
    along: Floats
    half: float
    radius: float


def width_misfit(camera: Camera, table: Table, widths: Widths) -> Floats:
    """(N,) by how much streaks are wider than they should be, against the others of their colour, in standard deviations."""
    off = _excess(camera, table, widths)
    for colour in np.unique(widths.colour):
        here = widths.colour == colour
        off[here] -= np.average(off[here], weights=widths.sigma[here] ** -2.0)
    return np.nan_to_num(off / widths.sigma, nan=1e3)


def _excess(camera: Camera, table: Table, widths: Widths) -> Floats:
    """(N,) logarithms of the widths against those of balls of the table."""
    return np.log(widths.width / camera.ball_width(camera.to_table(widths.px, table.radius), table.radius, widths.across))


def widths_seen(pictures: Sequence[NDArray[np.uint8]], still: NDArray[np.uint8], camera: Camera, table: Table) -> Widths | None:
    """Widths of the balls that move in BGR pictures of one view; None where too few are seen.

    Args:
        still: median of the pictures, without what moves.
        camera: right to some millimetres.
    """
    if len(pictures) < 3 or still.ndim != 3:
        return None
    middle = float(camera.ball_radius([[table.length / 2, table.width / 2]], table.radius)[0])
    if not 2 * middle >= _LEAST_PX:
        return None
    bed, cloth = _bed(camera, table), _linear(still)
    found: list[tuple[_Streak, float, float, Floats]] = []
    for picture in pictures[:MOST]:
        if picture.shape != still.shape:
            continue
        streaks = _streaks(picture, still, bed, camera, table)
        light = _linear(picture) if streaks else cloth
        for streak in streaks:
            told = _width(light, cloth, streak)
            if told is not None:
                found.append((streak, *told))
    return _agreeing(found, camera, table)


def _agreeing(found: Sequence[tuple[_Streak, float, float, Floats]], camera: Camera, table: Table) -> Widths | None:
    """Those of colours that are seen at least three times, without strays."""
    middles = np.array([streak.px for streak, *_ in found]).reshape(-1, 2)
    # what is seen twice at one place does not move: a thing that lies there for a while
    near = np.hypot(*(middles[:, None] - middles).transpose(2, 0, 1)) < np.array([streak.radius / 2 for streak, *_ in found])
    found = [one for one, others in zip(found, near.sum(axis=1), strict=True) if others == 1]
    tints: list[Floats] = []
    colour = []
    for _, _, _, tint in found:
        alike = [i for i, other in enumerate(tints) if float(tint @ other) > _ALIKE_TINT]
        if not alike:
            tints.append(tint)
        colour.append(alike[0] if alike else len(tints) - 1)
    if len(found) < FEWEST:
        return None
    every = Widths(
        np.array([s.px for s, *_ in found]),
        np.array([[-s.along[1], s.along[0]] for s, *_ in found]),
        np.array([width for _, width, _, _ in found]),
        np.array([sigma for _, _, sigma, _ in found]),
        np.array(colour, np.intp),
    )
    excess = _excess(camera, table, every)
    keep, sigma = np.zeros(len(found), bool), every.sigma.copy()
    for name in np.unique(every.colour):
        here = every.colour == name
        good = here & (np.abs(excess - np.median(excess[here])) < _ODD)
        if good.sum() >= 3:
            keep |= good
            sigma[good] *= max(1.0, float(np.sqrt(good.sum() / _TOGETHER)))
    if keep.sum() < FEWEST:
        return None
    return Widths(every.px[keep], every.across[keep], every.width[keep], sigma[keep], every.colour[keep])


def _linear(picture: NDArray[np.uint8]) -> NDArray[np.float32]:
    return np.dstack([linear_light(np.ascontiguousarray(picture[..., k])) for k in range(3)])


def _bed(camera: Camera, table: Table) -> NDArray[np.uint8]:
    """(H, W) 1 where the bed is seen, between the noses."""
    sides = []
    for (x0, y0), (x1, y1) in zip(table.corners, (*table.corners[1:], table.corners[0]), strict=True):
        share = np.linspace(0, 1, 20, endpoint=False)[:, None]
        sides.append(np.array([x0, y0]) * (1 - share) + np.array([x1, y1]) * share)
    outline = camera.project_at(np.concatenate(sides), table.nose_height)
    mask = np.zeros((camera.height, camera.width), np.uint8)
    if np.isfinite(outline).all():
        cv2.fillPoly(mask, [np.round(outline).astype(np.int32)], 1)
    return mask


def _streaks(picture, still, bed: NDArray[np.uint8], camera: Camera, table: Table) -> list[_Streak]:
    """What in a picture differs from the still one like a ball in motion, and lies alone."""
    apart = cv2.absdiff(picture, still).max(axis=2)
    noise = 1.48 * float(np.median(apart[bed > 0])) if bed.any() else 0.0
    mask = ((apart > max(_DIFFERENT, 5 * noise)) & (bed > 0)).astype(np.uint8)
    mask = cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    count, label, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=8)
    found = []
    for index in range(1, count):
        left, top, wide, high, area = (int(v) for v in stats[index])
        if area < 0.5 * _LEAST_PX**2 or max(wide, high) > 0.4 * max(picture.shape):
            continue
        blob = label[top : top + high, left : left + wide] == index
        streak = _as_streak(blob, np.array([left, top], float), camera, table)
        if streak is not None and _alone(label, index, streak):
            found.append(streak)
    return found


def _as_streak(blob: NDArray[np.bool_], corner: Floats, camera: Camera, table: Table) -> _Streak | None:
    y, x = np.nonzero(blob)
    at = np.column_stack([x, y]) + corner
    middle = at.mean(axis=0)
    spread, axes = np.linalg.eigh(np.cov(at.T))
    place = camera.ball_at([middle], table.radius)
    if not np.isfinite(place).all():
        return None
    radius = float(camera.ball_radius(place, table.radius)[0])
    along = axes[:, 1]
    ahead, beside = (at - middle) @ along, (at - middle) @ axes[:, 0]
    half, wide = float(np.ptp(ahead) + 1) / 2, 4 * float(np.sqrt(spread[0]))
    if not _SIZE[0] < wide / (2 * radius) < _SIZE[1] or not _LONG < half / radius < _LONGEST or np.ptp(beside) > 2.6 * wide:
        return None
    if len(at) < _FULL * (pi * radius**2 + max(half - radius, 0.0) * 4 * radius) * (wide / (2 * radius)):
        return None
    ends = camera.ball_at(middle + np.outer([-1.0, 1.0], along) * max(half - radius, 0.0), table.radius)
    if not np.isfinite(ends).all() or min(float(table.inside(ends, cushion).min()) for cushion in CUSHIONS) < _FREE * table.radius:
        return None
    return _Streak(middle, along, half, radius)


def _alone(label: NDArray[np.int32], index: int, streak: _Streak) -> bool:
    """Whether nothing else that differs lies so near that it would count as its edge."""
    margin = int(np.ceil((1 + _APART) * streak.radius))
    reach = np.abs(streak.along) * streak.half + margin
    low, high = np.floor(streak.px - reach).astype(int), np.ceil(streak.px + reach).astype(int) + 1
    if low.min() < 0 or high[0] > label.shape[1] or high[1] > label.shape[0]:
        return False
    y, x = np.nonzero((label[low[1] : high[1], low[0] : high[0]] > 0) & (label[low[1] : high[1], low[0] : high[0]] != index))
    at = np.column_stack([x, y]) + low - streak.px
    ahead, beside = at @ streak.along, at @ np.array([-streak.along[1], streak.along[0]])
    return not bool(((np.abs(ahead) < streak.half + margin) & (np.abs(beside) < streak.radius + margin)).any())


def _width(light: NDArray[np.float32], cloth: NDArray[np.float32], streak: _Streak) -> tuple[float, float, Floats] | None:
    """Width px, its sigma as a share of it, and the ball's tint (3,), of all light of a streak summed along its way: that is how a
    ball's chords add up, however fast it is."""
    radius = streak.radius
    beside = np.arange(-2.3 * radius, 2.3 * radius + 0.1, 0.25)
    ahead = np.arange(-streak.half - 0.5 * radius, streak.half + 0.5 * radius, 0.5)
    across = np.array([-streak.along[1], streak.along[0]])
    at = (streak.px + beside[:, None, None] * across + ahead[None, :, None] * streak.along).astype(np.float32)
    seen, behind = (cv2.remap(image, at[..., 0], at[..., 1], cv2.INTER_CUBIC) for image in (light, cloth))
    core = (np.abs(beside) < 0.45 * radius)[:, None] & (np.abs(ahead) < 0.3 * streak.half)
    bed = np.median(behind.reshape(-1, 3), axis=0)
    unit = bed / max(float(np.linalg.norm(bed)), 1e-6)
    ball = (seen - behind)[core].mean(axis=0)
    own = ball - float(ball @ unit) * unit
    size = float(np.linalg.norm(own))
    if size < _TINT:
        return None
    profile = ((seen - behind) @ own / size**2).mean(axis=1).astype(float)
    solved = least_squares(
        lambda q: _chords(beside - q[0], q[1]) * q[2] + q[3] - profile, [0.0, 2 * radius, float(profile.max()), 0.0],
        loss="soft_l1", f_scale=0.05, max_nfev=40,
    )  # fmt: skip
    shift, width, height, _ = solved.x
    rough = float(np.sqrt(np.mean((_chords(beside - shift, width) * height + solved.x[3] - profile) ** 2))) / max(float(height), 1e-6)
    if not 0.7 < width / (2 * radius) < 1.35 or rough > _ROUGH or height <= 0 or abs(shift) > 0.5 * radius:
        return None
    return float(width), float(np.hypot(_SIGMA, _SHARE * rough)), own / size


def _chords(at: Floats, width: float) -> Floats:
    """Chords of a disc of a `width` at distances from its middle, blurred, as shares of the longest one."""
    radius = max(abs(width) / 2, 0.5)
    step = 0.5
    kernel = np.exp(-0.5 * (np.arange(-6, 7) * step / _BLUR) ** 2)
    shifted = at[:, None] + np.arange(-6, 7) * step
    return np.sqrt(np.maximum(1 - (shifted / radius) ** 2, 0.0)) @ (kernel / kernel.sum())
