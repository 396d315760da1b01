"""Where a ball is in a window of a picture: sub-pixel, at rest, in motion, and partly covered.

Two measures. The **matte** takes every pixel as a mixture of background and ball colour and finds the share of the
ball; its centroid is the centre at mid exposure however long the streak of a moving ball is, and its sum is the
ball's area, which tells a ball from a hand. The **rim** casts rays and fits a circle of known radius to the edge: the
more exact one for balls that hardly move, and it stands highlights and partial cover.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np

_WEIGHT = np.array([0.6, 1.2, 1.2], np.float32)  # luma carries shading and shadows, chroma the ball's identity
_GLARE = np.array([1.0, 0.55, 0.55], np.float32)  # an overexposed ball's own chroma is unknown: its streaks are not white
CLIPPED = 240.0  # luma from which a shade is as bright as pictures get
_LIMITED = 230.0  # the same in limited range, which ends at 235; coders leave a little less
_BRIGHT, _BRIGHTEST = 0.9995, 0.99999  # shares of a picture's pixels below its bright and its brightest ones
_PLATEAU, _BELOW = (
    8.0,
    6.0,
)  # levels between the two where all that is bright was cut off at one level, and by which a ball may stay below it
_NOISE = 4.0  # YUV levels
_APART = 100.0  # weighted levels, squared: twice what noise makes of a pixel
_TELLING = 26.0  # weighted YUV levels between ball and background below which a pixel tells nothing
MISFIT = 0.20  # squared share of the contrast that a mixture may leave unexplained
LEVELS = (0.16, 0.07)  # least share of a ball that belongs to a streak: for short ones, for long ones
_AT_ONCE = 16384  # pixels: more of them would leave the processor's cache
_RAYS = 64
_ANGLES = np.arange(_RAYS) * (2 * np.pi / _RAYS)
_COS, _SIN = np.cos(_ANGLES).astype(np.float32), np.sin(_ANGLES).astype(np.float32)
_DIRECTIONS, _PRODUCTS = np.stack([_COS, _SIN]), np.stack([_COS * _COS, _COS * _SIN, _SIN * _SIN])


@dataclass(frozen=True, slots=True)
class Spot:
    """A measured ball: centre (px of the picture), its error bar (px, one axis), the matte's area over the ball's
    area, the streak's length and direction as a vector (px; zero at rest), and how: `rim` or `matte`.

    `misfit`: what the mixture of ball and background leaves unexplained on average, in units of the full contrast, squared:
    some thousandths for the ball, more for what only looks like it, such as skin. `width`: across the streak, over the ball's;
    some 0.3 for a cue's shaft.
    """

    x: float
    y: float
    sigma: float
    fill: float
    streak: tuple[float, float]
    how: str
    misfit: float = 0.0
    width: float = 1.0


def palette(picture: np.ndarray, x: float, y: float, radius: float, shades: int = 4) -> np.ndarray:
    """The (K, 3) YUV shades of a still ball at (x, y) of a window (h, w, 3), K <= `shades`: light core, shaded rim, glare.

    Dots and other small marks are left out.
    """
    h, w = picture.shape[:2]
    ys, xs = np.ogrid[:h, :w]
    pixels = picture[(xs - x) ** 2 + (ys - y) ** 2 <= (max(0.94 * radius - 0.5, 0.6 * radius)) ** 2].reshape(-1, 3)
    if len(pixels) <= 4 * shades:
        return np.median(pixels, axis=0, keepdims=True).astype(np.float32)
    stop = (cv2.TERM_CRITERIA_EPS + cv2.TERM_CRITERIA_MAX_ITER, 12, 1.0)
    cv2.setRNGSeed(1)
    _, labels, centres = cv2.kmeans(np.ascontiguousarray(pixels, np.float32), shades, None, stop, 2, cv2.KMEANS_PP_CENTERS)
    sizes = np.bincount(labels.ravel(), minlength=shades)
    keep = sizes >= 0.09 * len(pixels)
    return centres[keep][np.argsort(-sizes[keep])].astype(np.float32)


def clipping(luma: np.ndarray) -> float:
    """Luma from which a shade in a video with such a picture (H, W) is overexposed.

    Pictures that were darkened after they were overexposed end below the usual level: then their brightest pixels are all alike.
    """
    bright, brightest = np.quantile(luma[::2, ::2], (_BRIGHT, _BRIGHTEST))
    return float(min(_LIMITED, bright - _BELOW)) if brightest - bright < _PLATEAU else CLIPPED


def ball_matte(picture: np.ndarray, behind: np.ndarray, shades: np.ndarray, clipped: float = CLIPPED) -> tuple[np.ndarray, np.ndarray]:
    """Share of a ball in every pixel, and what the mixture leaves unexplained: two (h, w) float32, shares in 0..1.1.

    `picture`, `behind` (h, w, 3) float32 YUV; `shades` (K, 3). The misfit is in units of the full contrast, squared;
    a share with a misfit above `MISFIT` is set to 0. `clipped`: luma from which a shade is overexposed.
    """
    shape = picture.shape[:2]
    least, best = np.full(shape, MISFIT, np.float32), np.zeros(shape, np.float32)
    shown, lies_behind = _planes(picture), _planes(behind)
    change = shown - lies_behind
    # most of a window is table: only what changed can be ball
    pixels = np.flatnonzero(_exceeds(change, _NOISE))
    if not len(pixels):
        return best, least
    for part in np.split(pixels, range(_AT_ONCE, len(pixels), _AT_ONCE)):
        here, moved = (plane.reshape(3, -1).take(part, axis=1) for plane in (lies_behind, change))
        least.ravel()[part], best.ravel()[part] = _mixtures(moved, here, shades, clipped)
    return best, least


def _mixtures(change: np.ndarray, behind: np.ndarray, shades: np.ndarray, clipped: float) -> tuple[np.ndarray, np.ndarray]:
    """Of the shade that explains each of N pixels best: misfit and share. `change` from `behind`: (3, N); all shades at once."""
    share, left, power = _mixed(change, behind, shades, clipped)
    misfit = left / power
    nearest = misfit.argmin(axis=0)[None]
    low = np.take_along_axis(misfit, nearest, axis=0)[0]
    explained = low < MISFIT
    found = np.take_along_axis(share, nearest, axis=0)[0]
    return np.where(explained, low, np.float32(MISFIT)), np.where(explained, found, np.float32(0.0))


def explains_better(
    window: np.ndarray, behind: np.ndarray, where: np.ndarray, shades: np.ndarray, others: np.ndarray, clipped: float = CLIPPED
) -> np.ndarray:
    """(h, w) bool: where, among the pixels `where`, the shades `others` explain what is seen better than `shades`, by more than noise.

    The matte's misfit is counted in units of the contrast: between two balls it favours the one of more contrast to the cloth. What
    both leave unexplained is compared in levels here. Windows (h, w, 3) float32 YUV; shades (K, 3).
    """
    pixels = np.flatnonzero(where)
    better = np.zeros(where.shape, bool)
    if not len(pixels):
        return better
    shown, here = (_planes(plane).reshape(3, -1).take(pixels, axis=1) for plane in (window, behind))
    mine, theirs = (_mixed(shown - here, here, s, clipped)[1].min(axis=0) for s in (shades, others))
    better.ravel()[pixels] = theirs + _APART < mine
    return better


def _mixed(change: np.ndarray, behind: np.ndarray, shades: np.ndarray, clipped: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of each of N pixels as a mixture with each of K shades, all (K, N): the shade's share, what that leaves unexplained, and the full
    contrast, both in weighted levels, squared. `change` from `behind`: (3, N)."""
    weight = np.where(shades[:, :1] > clipped, _GLARE, _WEIGHT)[..., None]
    moved, toward = change * weight, (shades[..., None] - behind) * weight  # (K, 3, N)
    power = _dot(toward, toward) + np.float32(1.0)
    along = _dot(moved, toward)
    share = np.clip(along / power, np.float32(0.0), np.float32(1.1))
    return share, _dot(moved, moved) - share * (2 * along - share * power), power


def _planes(window: np.ndarray) -> np.ndarray:
    """A window (h, w, 3) as (3, h, w), in one piece of memory; free for what `patch` gives."""
    return np.ascontiguousarray(window.transpose(2, 0, 1))


def _dot(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The scalar products (K, N) of the columns of two (K, 3, N)."""
    product = a * b
    return product[:, 0] + product[:, 1] + product[:, 2]


def _exceeds(change: np.ndarray, levels: float) -> np.ndarray:
    """(h, w) bool: where any of three planes (3, h, w) goes beyond `levels`, up or down."""
    size = np.abs(change)
    return np.maximum(np.maximum(size[0], size[1]), size[2]) > levels


def differs(picture: np.ndarray, behind: np.ndarray, levels: float) -> np.ndarray:
    """(h, w) bool: where any channel of two windows (h, w, 3) float32 differs by more than `levels`."""
    return _exceeds(_planes(picture) - _planes(behind), levels)


def over_marks(share: np.ndarray, behind: np.ndarray, shades: np.ndarray, radius: float) -> np.ndarray:
    """The matte with its gaps closed where the background has nearly the ball's colour (a white line under a white ball).

    There a pixel tells nothing; left out, it would pull the centroid away from the line.
    """
    away = np.abs(_planes(behind) - shades[0][:, None, None])
    like = _WEIGHT[0] * away[0] + _WEIGHT[1] * away[1] + _WEIGHT[2] * away[2] < _TELLING
    if not like.any():
        return share
    width = max(3, int(0.7 * radius) // 2 * 2 + 1)
    closed = cv2.morphologyEx(share, cv2.MORPH_CLOSE, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (width, width)))
    return np.where(like, np.maximum(closed, share), share)


def without_thin(matte: np.ndarray, radius: float, level: float = 0.0) -> np.ndarray:
    """The matte without what is too thin for a ball: cue shafts, lines, the rims of projected rings. Shares up to `level` become 0."""
    size = max(3, int(0.85 * radius) // 2 * 2 + 1)
    solid = np.zeros_like(matte)
    x, y, w, h = cv2.boundingRect((matte > level).view(np.uint8))
    if not w:
        return solid
    # an opening looks no farther than its own size
    reach = size // 2 + 1
    part = np.s_[max(0, y - reach) : y + h + reach, max(0, x - reach) : x + w + reach]
    shown = np.where(matte[part] > level, matte[part], np.float32(0))
    solid[part] = cv2.morphologyEx(shown, cv2.MORPH_OPEN, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size)))
    return solid


def matte_spots(matte: np.ndarray, radius: float, origin: tuple[int, int], level: float, misfit: np.ndarray | None = None) -> list[Spot]:
    """All blobs of a matte that may be the ball, the likeliest area first. `origin` is the window's corner in the picture.

    `misfit`: (h, w) of `ball_matte`, if it is to be told of each.
    """
    mask = (matte > level).view(np.uint8)
    left, top, w, h = cv2.boundingRect(mask)
    if not w:
        return []
    matte, origin = matte[top : top + h, left : left + w], (origin[0] + left, origin[1] + top)
    misfit = None if misfit is None else misfit[top : top + h, left : left + w]
    count, labels, stats, _ = cv2.connectedComponentsWithStats(mask[top : top + h, left : left + w], connectivity=8)
    area = np.pi * radius * radius
    spots = []
    for k in range(1, count):
        x, y, w, h, pixels = stats[k]
        if pixels < 0.15 * area:
            continue
        part = np.where(labels[y : y + h, x : x + w] == k, matte[y : y + h, x : x + w], 0.0)
        spot = _moments(part, radius, area, origin[0] + x, origin[1] + y)
        if spot is not None:
            unlike = 0.0 if misfit is None else _unlike(part, misfit[y : y + h, x : x + w])
            spots.append(replace(spot, misfit=unlike))
    return sorted(spots, key=lambda s: abs(np.log(s.fill)))


def _unlike(part: np.ndarray, misfit: np.ndarray) -> float:
    """The mean misfit of a blob; pixels that were closed over a mark have none of their own."""
    weight = np.where(misfit < MISFIT, part, 0.0)
    return float((weight * misfit).sum() / max(float(weight.sum()), 1e-6))


def _moments(part: np.ndarray, radius: float, area: float, x0: float, y0: float) -> Spot | None:
    mass = float(part.sum())
    if mass < 0.12 * area:
        return None
    xs, ys = np.arange(part.shape[1], dtype=np.float32), np.arange(part.shape[0], dtype=np.float32)
    columns, rows = part.sum(axis=0), part.sum(axis=1)
    mx, my = float(columns @ xs) / mass, float(rows @ ys) / mass
    dx, dy = xs - mx, ys - my
    cxx, cyy = float(columns @ (dx * dx)) / mass, float(rows @ (dy * dy)) / mass
    cxy = float(dy @ part @ dx) / mass
    # a still disc has r²/4 on each axis; a streak of length L adds L²/12 along it
    half, diff = (cxx + cyy) / 2, np.hypot((cxx - cyy) / 2, cxy)
    long, short = half + diff, half - diff
    angle = 0.5 * np.arctan2(2 * cxy, cxx - cyy)
    length = float(np.sqrt(max(0.0, 12 * (long - max(short, radius * radius / 4)))))
    fill = mass / area
    sigma = 0.12 + 0.02 * length + 0.6 * radius * abs(np.log(np.clip(fill, 0.2, 5))) ** 2
    width = float(np.sqrt(max(short, 0.0))) / (radius / 2)
    streak = (length * float(np.cos(angle)), length * float(np.sin(angle)))
    return Spot(x0 + mx, y0 + my, float(sigma), fill, streak, "matte", width=width)


def rim_spot(matte: np.ndarray, x: float, y: float, radius: float, origin: tuple[int, int]) -> Spot | None:
    """The circle of known radius (px) that fits the matte's edge near (x, y) px; None if less than 40 % of it is seen."""
    cx, cy = float(x - origin[0]), float(y - origin[1])
    reach = np.arange(0.55, 1.5, 0.5 / max(radius, 5.0) ** 0.5 * 0.2, dtype=np.float32) * radius
    across, down = np.outer(_COS, reach), np.outer(_SIN, reach)
    found = None
    for _ in range(4):
        samples = cv2.remap(matte, across + cx, down + cy, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=0)
        edge, good = _crossings(samples, reach)
        if good.sum() < 0.4 * _RAYS:
            return found
        off = edge - radius
        weight = good / (1 + (off / (0.12 * radius + 0.4)) ** 2)
        # least squares for the step (2,) that moves the circle onto the edge
        xx, xy, yy = (_PRODUCTS @ weight).tolist()
        rx, ry = (_DIRECTIONS @ (weight * off)).tolist()
        det = xx * yy - xy * xy
        if det <= 0:
            return found
        step = np.clip([(yy * rx - xy * ry) / det, (xx * ry - xy * rx) / det], -0.5 * radius, 0.5 * radius).tolist()
        cx, cy = cx + step[0], cy + step[1]
        rest = off - _COS * step[0] - _SIN * step[1]
        spread = float(np.sqrt(weight @ (rest * rest) / max(weight.sum(), 1e-6)))
        seen = float(weight.sum()) / _RAYS
        sigma = max(0.06, spread / np.sqrt(max(weight.sum(), 1.0)) * 1.5 + 0.3 * max(0.0, 0.85 - seen))
        found = Spot(origin[0] + cx, origin[1] + cy, sigma, seen, (0.0, 0.0), "rim")
        if abs(step[0]) + abs(step[1]) < 0.02:
            break
    return found


def _crossings(samples: np.ndarray, reach: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Distance at which each ray leaves the ball (share 0.5), and which rays have such an edge."""
    out = samples <= 0.5
    rows = np.arange(len(out))
    first = out.argmax(axis=1)  # the first outward crossing
    good = (first > 0) & out[rows, first]
    k = np.maximum(first, 1)
    a, b = samples[rows, k - 1], samples[rows, k]
    part = (a - 0.5) / np.maximum(a - b, 1e-3)
    return reach[k - 1] + part * (reach[k] - reach[k - 1]), good.astype(np.float32)
