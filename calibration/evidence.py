"""Evidence of the noses in a picture, measured along them with the camera that is being fitted.

The finder straightens the picture by a homography, in which a lens's bend is left. Here the nose is followed in the picture
itself: where a first camera expects it, across it, to a fraction of a pixel, so that any bend is welcome. Brightness is made
linear first: in the camera's own scale an edge blurred by the lens seems to lie towards its dark side.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.ndimage import median_filter

from calibration.camera import Camera
from calibration.cloth import cloth_colour, to_lab
from calibration.table import CUSHIONS, Table

Floats = NDArray[np.float64]
_POINTS = 96  # across a cushion are looked at
_STEP = 0.25  # px between samples across the nose
_ALONG = 13  # px averaged along the nose
_SIGMA = 0.9  # px, of the smoothing before the steepest place is taken
_CLEAR = 4.0  # times the noise from which a step counts
_LOOSE = 0.6  # of likeness to the cloth: tops and shades differ from the bed
_TOP = (8.0, 30.0)  # mm behind the nose that are cloth: the top of the cushion
_PALE, _DIM = 1.6, 0.01  # times the bed's light beside it, and more of it, that no cushion's top has: a pale trim
_BESIDE = (90.0, 120.0, 150.0, 180.0, 210.0)  # mm inside a nose where the bed is looked at, beyond the cushion's face


@dataclass(frozen=True, slots=True)
class NosePoints:
    """Points of one cushion's nose: `px` (M, 2), `sigma` (M,) px across the nose as their scatter shows it, `seen`: their share of
    those looked at, `falls`: whether the nose is brighter than what lies inside it."""

    px: Floats
    sigma: Floats
    seen: float
    falls: bool


@dataclass(frozen=True, slots=True)
class Shade:
    """A picture to look for noses in: `light` (H, W) linear 0..1; `cloth` (H, W) 1 where it may be this table's cloth, else 0."""

    light: NDArray[np.float32]
    cloth: NDArray[np.float32]


def shade_of(picture: NDArray[np.uint8], corners_px: ArrayLike) -> Shade:
    """From a BGR or grey picture (H, W[, 3]) and the rough corners (4, 2) px of the table in it, which say what cloth is."""
    picture = picture if picture.ndim == 3 else cv2.cvtColor(picture, cv2.COLOR_GRAY2BGR)
    corners = np.asarray(corners_px, float).reshape(4, 2)
    inside = np.zeros(picture.shape[:2], np.uint8)
    cv2.fillConvexPoly(inside, np.round(corners.mean(axis=0) + 0.8 * (corners - corners.mean(axis=0))).astype(np.int32), 1)
    lab = to_lab(cv2.GaussianBlur(picture, (0, 0), 0.8))
    bed = lab[inside > 0]
    if not len(bed):
        return Shade(linear_light(picture), np.zeros(picture.shape[:2], np.float32))
    thin = max(1, len(bed) // 40000)
    cloth = cloth_colour(bed[::thin]).likeness(lab, _LOOSE).astype(np.float32)
    return Shade(linear_light(picture, np.median(picture[inside > 0][::thin], axis=0)), cloth)


def linear_light(picture: NDArray[np.uint8], colour: ArrayLike | None = None) -> NDArray[np.float32]:
    """Linear light (H, W) 0..1 of a BGR or grey picture; of a `colour` (BGR) mostly in its own channels, where its shades show."""
    levels = np.arange(256) / 255.0
    table = np.where(levels <= 0.04045, levels / 12.92, ((levels + 0.055) / 1.055) ** 2.4).astype(np.float32)
    if picture.ndim == 2 or colour is None:
        return table[picture if picture.ndim == 2 else cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)]
    weights = table[np.clip(np.asarray(colour), 2, 255).astype(np.uint8)] + 0.001
    return cv2.transform(table[picture], (weights / weights.sum()).reshape(1, 3).astype(np.float32))


def nose_evidence(shade: Shade, camera: Camera, table: Table, reach_px: float) -> dict[str, NosePoints]:
    """Points along every nose that is seen, within `reach_px` of where the camera expects it.

    Args:
        shade: of the picture, see `shade_of`.
        camera: right to about `reach_px`.
    """
    found = {}
    for cushion in CUSHIONS:
        points = _cushion(shade, camera, table, cushion, reach_px)
        if points is not None:
            found[cushion] = points
    return found


def stretches(table: Table, cushion: str) -> Floats:
    """Places (M,) mm along a cushion's nose that are straight: not at the pockets' jaws."""
    span = table.width if cushion in ("home", "foot") else table.length
    free = (1.0 if table.pockets else 0.6) * table.ball
    jaws = [jaw.tip for pocket in table.pockets for jaw in pocket.jaws if jaw.cushion == cushion]
    along = sorted(tip[1] if cushion in ("home", "foot") else tip[0] for tip in jaws)
    at = np.linspace(free, span - free, _POINTS)
    keep = np.ones(_POINTS, bool)
    for tip in along:
        keep &= np.abs(at - tip) > free
    if len(along) == 4:  # between the jaws of the middle pocket there is no nose
        keep &= (at < along[1]) | (at > along[2])
    return at[keep]


def on_nose(table: Table, cushion: str, along: Floats, out: float = 0.0) -> Floats:
    """Points (M, 3) mm of a nose at places along it, `out` mm behind it."""
    at = {"home": -out, "foot": table.length + out, "right": -out, "left": table.width + out}[cushion]
    fixed, height = np.full(len(along), at), np.full(len(along), table.nose_height)
    return np.column_stack([fixed, along, height] if cushion in ("home", "foot") else [along, fixed, height])


def _cushion(shade: Shade, camera: Camera, table: Table, cushion: str, reach: float) -> NosePoints | None:
    along = stretches(table, cushion)
    middle = camera.project(on_nose(table, cushion, along))
    across = camera.project(on_nose(table, cushion, along, 1.0)) - middle
    inside = np.isfinite(middle).all(axis=1) & (np.hypot(*across.T) > 1e-4)
    margin = reach + 3
    size = np.array(shade.light.shape[::-1])
    inside &= ((middle > margin) & (middle < size - 1 - margin)).all(axis=1)
    if inside.sum() < 12:
        return None
    middle, across = middle[inside], across[inside]
    scale = np.hypot(*across.T)
    normal = across / scale[:, None]  # outwards
    wide = max(2, round(float(np.median(scale)) * _TOP[1] / _STEP)) * _STEP
    top, light = (_profiles(values, middle, normal, reach + 3 + wide) for values in (shade.cloth, shade.light))
    bed = _bed(shade.light, camera, table, cushion, along[inside])
    allowed = _behind(top, scale, wide, reach) & _no_paler(light, bed, scale, wide, reach)
    beyond = round(wide / _STEP)
    edge, step, noise = _steps(light[:, beyond:-beyond], allowed, reach)
    good = [(strength > _CLEAR * noise) & (np.abs(offset) < reach) for offset, strength in zip(edge, step, strict=True)]
    # the nose is brighter than its shade; where light falls on its face, it may be the other way round
    side = 1 if good[1].mean() > 0.6 and good[0].mean() < 0.25 else 0
    offset, good = edge[side], good[side]
    if good.sum() < max(12, 0.25 * len(along)):
        return None
    place = np.linspace(-1, 1, len(offset))
    kept, sigma = _smooth(place[good], offset[good])
    index = np.flatnonzero(good)[kept]
    px = middle[index] + normal[index] * offset[index][:, None]
    apart = float(np.hypot(*np.diff(middle, axis=0).T).mean())
    sigma *= max(1.0, np.sqrt(_ALONG / apart))  # where the averages overlap, neighbours tell the same
    return NosePoints(px, np.full(len(index), sigma), len(index) / len(along), side == 0)


def _behind(top: Floats, scale: Floats, wide: float, reach: float) -> NDArray[np.bool_]:
    """(M, K): whether what lies behind a nose at each distance from -reach to reach would be the cushion's cloth."""
    total = np.concatenate([np.zeros((len(top), 1)), np.cumsum(top, axis=1)], axis=1)
    first = round((3 + wide) / _STEP)
    rows = np.arange(first, first + round(2 * reach / _STEP) + 1)
    near, far = (max(1, round(float(np.median(scale)) * mm / _STEP)) for mm in _TOP)
    far = min(max(far, near + 2), top.shape[1] - rows[-1] - 1)
    return (total[:, rows + far] - total[:, rows + near]) / (far - near) > 0.5


def _bed(light: NDArray[np.float32], camera: Camera, table: Table, cushion: str, along: Floats) -> Floats:
    """How bright (M,) the bed is beside places along a nose; balls do not count."""
    places = np.concatenate([on_nose(table, cushion, along, -inwards) for inwards in _BESIDE]) * (1, 1, 0)
    px = np.nan_to_num(camera.project(places), nan=-1.0).astype(np.float32).reshape(len(_BESIDE), -1, 2)
    shown = cv2.remap(light, px[..., 0], px[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(median_filter(np.median(shown, axis=0), size=9, mode="nearest"), float)


def _no_paler(light: Floats, bed: Floats, scale: Floats, wide: float, reach: float) -> NDArray[np.bool_]:
    """(M, K): whether what lies behind a nose at each distance from -reach to reach is about as bright as the `bed` (M,)."""
    rows = round((3 + wide) / _STEP) + np.arange(round(2 * reach / _STEP) + 1)
    near, far = (max(1, round(float(np.median(scale)) * mm / _STEP)) for mm in (_TOP[0], sum(_TOP) / 2))
    palest = np.max([light[:, np.minimum(rows + k, light.shape[1] - 1)] for k in range(near, max(far, near + 1) + 1)], axis=0)
    return palest < _PALE * bed[:, None] + _DIM


def _profiles(light: NDArray[np.float32], middle: Floats, normal: Floats, reach: float) -> Floats:
    """Brightness (M, K) across the nose, from inside to outside, a mean of samples along it."""
    distance = np.arange(-reach, reach + _STEP / 2, _STEP)
    along = (np.arange(_ALONG) - (_ALONG - 1) / 2) * 1.0
    tangent = np.column_stack([-normal[:, 1], normal[:, 0]])
    at = middle[:, None, None] + normal[:, None, None] * distance[None, :, None, None] + tangent[:, None, None] * along[None, None, :, None]
    at = at.astype(np.float32).reshape(len(middle), -1, 2)
    values = cv2.remap(light, at[..., 0], at[..., 1], cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)
    return values.reshape(len(middle), len(distance), _ALONG).mean(axis=2).astype(float)


def _steps(profiles: Floats, allowed: NDArray[np.bool_], reach: float) -> tuple[list[Floats], list[Floats], float]:
    """For rising and falling steps: the place (M,) px of the steepest one, its strength (M,), and the noise of strengths.

    `allowed` (M, K): at which of the distances from -reach to reach a step counts.
    """
    half = round(3 * _SIGMA / _STEP)
    x = np.arange(-half, half + 1) * _STEP
    kernel = x * np.exp(-0.5 * (x / _SIGMA) ** 2)
    kernel /= (kernel * x).sum()  # slope per px
    slope = np.stack([np.convolve(row, kernel[::-1], mode="same") for row in profiles])
    first = round(3 / _STEP)
    cut = slice(first, first + allowed.shape[1])
    wanted = slope[:, cut]
    noise = 1.48 * float(np.median(np.abs(np.diff(wanted, axis=0)))) / np.sqrt(2) + 1e-6
    edges, strengths = [], []
    for sign in (1.0, -1.0):
        # of two steps alike the nearer one
        distance = np.linspace(-reach, reach, wanted.shape[1])
        value = np.where(allowed & _peaks(sign * slope)[:, cut], sign * wanted * (1 - 0.3 * (distance / reach) ** 2), -1.0)
        best = np.clip(np.argmax(value, axis=1), 1, wanted.shape[1] - 2)
        row = np.arange(len(wanted))
        left, centre, right = (sign * wanted[row, best + k] for k in (-1, 0, 1))
        bend = left - 2 * centre + right
        shift = np.where(bend < -1e-12, np.clip(0.5 * (left - right) / np.where(bend < -1e-12, bend, -1), -1, 1), 0.0)
        edges.append(distance[best] + shift * (distance[1] - distance[0]))
        strengths.append(np.where(value[row, best] > 0, centre, 0.0))
    return edges, strengths, noise


def _peaks(slope: Floats) -> NDArray[np.bool_]:
    """(M, K): where a slope is steeper than beside. The foot of a larger step (a trim, a lamp's edge) is none, however steep."""
    wide = np.pad(slope, ((0, 0), (1, 1)), mode="edge")
    return (slope >= wide[:, :-2]) & (slope >= wide[:, 2:])


def _smooth(place: Floats, offset: Floats) -> tuple[NDArray[np.bool_], float]:
    """Which offsets lie on a cubic along the nose (iterated weights, Tukey), and their scatter."""
    basis = np.polynomial.legendre.legvander(place, 3)
    weight = np.ones(len(place))
    spread, residual = 0.0, offset
    for _ in range(10):
        curve = np.linalg.lstsq(basis * weight[:, None], offset * weight, rcond=None)[0]
        residual = offset - basis @ curve
        spread = max(1.48 * float(np.median(np.abs(residual))), 0.02)
        weight = np.clip(1 - (residual / (4 * spread)) ** 2, 0, None)
    kept = np.abs(residual) < 2.5 * spread
    return kept, spread


def scatter(evidence: Mapping[str, NosePoints]) -> float:
    """Median sigma px of the points of all cushions; NaN if there are none."""
    values = [points.sigma[0] for points in evidence.values() if len(points.sigma)]
    return float(np.median(values)) if values else float("nan")
