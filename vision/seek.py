"""Finds balls in a whole picture, without knowing where they were: at the start, and when one is lost or comes back.

Round spots of a ball's size that differ from the cloth around them, named by colour. The network (`vision.detect`)
gives its opinion where its weights are there; the geometry of the table is known, so the size of a ball is, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from scipy.optimize import linear_sum_assignment

from vision.detect import Detection, Detector
from vision.field import Field
from vision.frames import Frame
from vision.locate import palette, rim_spot
from vision.patch import Box, box_around, patch

_SCALE = 6.0  # radius of a ball in the reduced picture, px
_FOREGROUND = 60.0  # weighted YUV distance from the cloth that counts as another thing entirely
_MOST = 360.0  # no colour is further from another
_VIVID, _CLEAR = 1.2, 0.9  # times the foreground from which a ball's own contrast tells more; quality that leaves nothing to tell
_FAINT = 12.0  # the same at the least, for a ball of nearly the cloth's colour that the network sees
_SEEN = 0.4  # of the network that sees such a ball
_EDGE, _BRINK = 0.3, -0.15  # radii outside a pocket's edge from which a spot may be a ball, and one that the network sees

# Usual YUV of the balls under white light: white, yellow to orange, red, black.
PROTOTYPES: dict[str, tuple[tuple[float, float, float], ...]] = {
    "white": ((232, 120, 130), (190, 122, 130)),
    "yellow": ((205, 50, 145), (180, 95, 158), (150, 75, 150)),
    "red": ((85, 108, 215), (75, 115, 180), (110, 105, 190)),
    "black": ((30, 128, 128), (50, 126, 129)),
}
_WORD = 25.0  # weight of the network's word against colour, YUV units
# b, g, r, 1 -> YUV, ITU-R BT.601, limited range
_SAMPLE = np.array([[0.098, 0.504, 0.257, 16.0], [0.439, -0.291, -0.148, 128.0], [-0.071, -0.368, 0.439, 128.0]])
_LUMA = 0.45  # weight of luma against chroma when naming a colour


@dataclass(frozen=True, slots=True)
class Candidate:
    """A round spot: centre and radius (px), how ball-like it is (0..1), its main shade (YUV) and all its shades (K, 3).

    `opinion`: colour and confidence that the network gave it, if it saw it.
    """

    x: float
    y: float
    radius: float
    quality: float
    shade: tuple[float, float, float]
    shades: np.ndarray
    opinion: tuple[str, float] | None = None


def candidates(frame: Frame, field: Field, network: Detector | None = None) -> list[Candidate]:
    """Ball-like spots on the bed, the best first; with a `network` also where it sees balls, and its word on colours."""
    table = field.table
    middle = field.camera.project_at([[table.length / 2, table.width / 2]], table.radius)[0]
    if not np.isfinite(middle).all():
        return []
    mid_radius = float(field.camera.ball_radius([[table.length / 2, table.width / 2]], table.radius)[0])
    factor = min(1.0, _SCALE / mid_radius)
    small, cloth = _cloth(frame, factor)
    away = _distance(small, cloth)
    inside = cv2.resize(field.mask, away.shape[::-1], interpolation=cv2.INTER_NEAREST)
    score = _disc_score(np.where(inside > 0, away, 0.0).astype(np.float32), mid_radius * factor)
    places = [(x / factor, y / factor) for x, y in _peaks(score, mid_radius * factor)]
    seen = network.detect(frame.bgr(), region=field.bounds, ball_px=2 * mid_radius) if network is not None else []
    found: list[Candidate] = []
    cloth_full = cv2.resize(cloth, (frame.y.shape[1], frame.y.shape[0]), interpolation=cv2.INTER_LINEAR)
    for x, y, is_ball in [(*p, False) for p in places] + [(d.x, d.y, d.confidence >= _SEEN) for d in seen]:
        spot = _measure(frame, field, cloth_full, x, y)
        if spot is None and is_ball:
            spot = _measure(frame, field, cloth_full, x, y, faint=True)
        if spot is None:
            continue
        spot = _with_opinion(spot, seen)
        if all(np.hypot(spot.x - f.x, spot.y - f.y) > 0.9 * spot.radius for f in found) and not _in_hole(field, spot):
            found.append(spot)
    return sorted(found, key=lambda c: -c.quality)


def _in_hole(field: Field, spot: Candidate) -> bool:
    """Whether a spot at a pocket is the hole itself, or a ball that has fallen, and not one that the network sees lying in the jaws."""
    seen = spot.opinion is not None and spot.opinion[1] >= _SEEN
    reach = (_BRINK if seen else _EDGE) * field.table.radius
    return field.pocket_of(*field.chart.place(spot.x, spot.y)[:2], reach) is not None


def _with_opinion(spot: Candidate, seen: Sequence[Detection]) -> Candidate:
    near = [d for d in seen if np.hypot(d.x - spot.x, d.y - spot.y) < 0.7 * spot.radius]
    if not near:
        return spot
    best = max(near, key=lambda d: d.confidence)
    return replace(spot, opinion=(best.colour, best.confidence))


def _cloth(frame: Frame, factor: float) -> tuple[np.ndarray, np.ndarray]:
    """The reduced picture (h, w, 3) uint8 YUV, and the cloth as it would be there without balls."""
    h, w = frame.y.shape
    size = (max(16, round(w * factor)), max(16, round(h * factor)))
    planes = [
        cv2.resize(np.ascontiguousarray(p), size, interpolation=cv2.INTER_AREA if factor < 0.9 else cv2.INTER_LINEAR)
        for p in (frame.y, frame.u, frame.v)
    ]
    small = np.dstack(planes)
    kernel = int(_SCALE * 5) // 2 * 2 + 1
    return small, np.dstack([cv2.medianBlur(p, kernel) for p in planes])


def _distance(picture: np.ndarray, cloth: np.ndarray, foreground: float = _FOREGROUND) -> np.ndarray:
    """0..1: how far every pixel is from the cloth's colour; 1 from `foreground` YUV levels on."""
    change = picture.astype(np.float32) - cloth
    return np.minimum(1.0, np.sqrt(0.5 * change[..., 0] ** 2 + change[..., 1] ** 2 + change[..., 2] ** 2) / foreground)


def _disc_score(away: np.ndarray, radius: float) -> np.ndarray:
    """Mean in a disc minus mean in the ring around it."""
    reach = int(np.ceil(1.7 * radius))
    ys, xs = np.mgrid[-reach : reach + 1, -reach : reach + 1]
    far = np.hypot(xs, ys)
    disc, ring = (far <= 0.85 * radius).astype(np.float32), ((far > 1.2 * radius) & (far <= 1.65 * radius)).astype(np.float32)
    kernel = disc / disc.sum() - 0.7 * ring / ring.sum()
    return cv2.filter2D(away, -1, kernel, borderType=cv2.BORDER_CONSTANT)


def _peaks(score: np.ndarray, radius: float, most: int = 40) -> list[tuple[float, float]]:
    size = int(1.2 * radius) // 2 * 2 + 1
    top = (score == cv2.dilate(score, np.ones((size, size), np.uint8))) & (score > 0.22)
    ys, xs = np.nonzero(top)
    order = np.argsort(-score[ys, xs])[:most]
    return [(float(xs[k]), float(ys[k])) for k in order]


def _measure(frame: Frame, field: Field, cloth: np.ndarray, x: float, y: float, *, faint: bool = False) -> Candidate | None:
    """The spot near (x, y) px. `faint`: it is judged by its own contrast alone, which may be less than that of most things."""
    radius = field.table.radius
    xy = field.camera.to_table([[x, y]], radius)
    if not np.isfinite(xy).all():
        return None
    size = float(field.camera.ball_radius(xy, radius)[0])
    box = box_around(x, y, 2 * size + 2, frame.y.shape)
    if box.empty or size < 2.5:
        return None
    picture = patch(frame, box)
    behind = cloth[box.y0 : box.y1, box.x0 : box.x1].astype(np.float32)
    contrast = _contrast(picture, behind, x - box.x0, y - box.y0, size)
    if faint:
        return _spot(frame, field, box, picture, behind, (x, y), size, min(contrast, _FOREGROUND)) if contrast >= _FAINT else None
    spot = _spot(frame, field, box, picture, behind, (x, y), size, _FOREGROUND)
    if contrast < _VIVID * _FOREGROUND or (spot is not None and spot.quality >= _CLEAR):
        return spot
    # where a picture is soft, a vivid ball seems too large: its edge lies at half its own contrast
    own = _spot(frame, field, box, picture, behind, (x, y), size, contrast)
    return max((s for s in (spot, own) if s is not None), key=lambda s: s.quality, default=None)


def _spot(
    frame: Frame,
    field: Field,
    box: Box,
    picture: np.ndarray,
    behind: np.ndarray,
    at: tuple[float, float],
    size: float,
    foreground: float,
) -> Candidate | None:
    """The spot of radius `size` px near `at` px in a window; `foreground`: YUV levels from the cloth that count as another thing."""
    radius = field.table.radius
    away = _distance(picture, behind, foreground) * field.mask[box.y0 : box.y1, box.x0 : box.x1]
    spot = rim_spot(away, *at, size, (box.x0, box.y0))
    if spot is None or np.hypot(spot.x - at[0], spot.y - at[1]) > 1.2 * size:
        return None
    place = field.chart.place(spot.x, spot.y)[:2]
    if not field.holds(*place) or field.pocket_of(*place, _BRINK * radius) is not None:  # the hole itself, or a ball that has fallen
        return None
    h, w = away.shape
    ys, xs = np.ogrid[:h, :w]
    far = np.hypot(xs - (spot.x - box.x0), ys - (spot.y - box.y0))
    inside, ring = away[far < 0.8 * size], away[(far > 1.25 * size) & (far < 1.7 * size)]
    if not inside.size or not ring.size:
        return None
    full = float((inside > 0.5).mean())
    clear = float((ring < 0.5).mean())
    quality = full * (0.4 + 0.6 * clear) * min(1.0, spot.fill / 0.8)
    if quality < 0.35:
        return None
    shades = palette(picture, spot.x - box.x0, spot.y - box.y0, size)
    core = np.median(picture[far < 0.8 * size], axis=0)
    return Candidate(spot.x, spot.y, size, quality, tuple(float(v) for v in core), shades)  # pyright: ignore[reportArgumentType]


def _contrast(picture: np.ndarray, behind: np.ndarray, x: float, y: float, size: float) -> float:
    """How far (YUV levels) a ball of radius `size` at (x, y) of the window is from the cloth."""
    ys, xs = np.ogrid[: picture.shape[0], : picture.shape[1]]
    core = _distance(picture, behind, _MOST)[np.hypot(xs - x, ys - y) < 0.7 * size]
    return float(np.median(core)) * _MOST if core.size else 0.0


def shade_of(bgr: tuple[float, float, float]) -> tuple[float, float, float]:
    """The YUV that video has for a colour b, g, r."""
    y, u, v = (_SAMPLE @ np.array([*bgr, 1.0])).tolist()
    return y, u, v


def colour_distance(shade: Iterable[float], ball: str) -> float:
    """How far (YUV units) a shade is from a ball's usual colours."""
    shade = np.asarray(tuple(shade))
    weight = np.array([_LUMA, 1.0, 1.0])
    return min(float(np.sqrt((((shade - p) * weight) ** 2).sum())) for p in PROTOTYPES[ball])


def named(
    found: list[Candidate], balls: Iterable[str], known: Mapping[str, np.ndarray] | None = None, limit: float = 75.0
) -> dict[str, Candidate]:
    """Which candidate is which ball: the assignment that fits colours and shapes best.

    `known`: {ball: shades (K, 3)} of balls whose colour on this table is known. Balls without a candidate near their
    colour are left out.
    """
    names = list(balls)
    if not found or not names:
        return {}
    costs = np.array([[_cost(c, ball, (known or {}).get(ball)) for c in found] for ball in names])
    capped = np.minimum(costs, limit)
    rows, columns = linear_sum_assignment(capped)
    return {names[r]: found[c] for r, c in zip(rows, columns, strict=True) if costs[r, c] < limit}


def named_with_samples(
    found: list[Candidate],
    balls: Iterable[str],
    samples: Mapping[str, tuple[float, float, float]],
    known: Mapping[str, np.ndarray] | None = None,
    limit: float = 75.0,
) -> dict[str, Candidate]:
    """`named`, starting from colours (b, g, r) that a person sampled on this table.

    What is `known` from the pictures goes before them. A ball that is found nowhere so is looked for with the usual colours
    among what is left: the light may have changed since.
    """
    names = list(balls)
    sampled = {ball: np.array([shade_of(bgr)]) for ball, bgr in samples.items() if ball in names}
    first = named(found, names, sampled | dict(known or {}), limit)
    rest = [ball for ball in names if ball not in first]
    if not sampled or not rest:
        return first
    taken = {id(candidate) for candidate in first.values()}
    return first | named([c for c in found if id(c) not in taken], rest, known, limit)


def price(candidate: Candidate, ball: str) -> float:
    """How ill (YUV levels) a spot fits a ball of the usual colour, by colour, shape and the network's word; it may be negative."""
    return _cost(candidate, ball, None)


def _cost(candidate: Candidate, ball: str, shades: np.ndarray | None) -> float:
    if shades is None:
        away = colour_distance(candidate.shade, ball)
    else:
        weight = np.array([_LUMA, 1.0, 1.0])
        away = float(np.sqrt((((shades - np.array(candidate.shade)) * weight) ** 2).sum(axis=1)).min())
    return away + 50 * (1 - candidate.quality) + _doubt_of_network(candidate, ball)


def _doubt_of_network(candidate: Candidate, ball: str) -> float:
    """Price of what the network says about a spot: a ball of this colour, of another one, or nothing."""
    if candidate.opinion is None:
        return 0.0
    colour, confidence = candidate.opinion
    return (-_WORD if colour == ball else 0.6 * _WORD) * confidence
