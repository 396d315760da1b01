"""Pictures -> corners of the noses' rectangle, with a confidence, or a refusal that says why.

Outlines of cloth (`cloth`) give straightened pictures, in which the noses are sought (`noses`); each result must be what
a camera above a table of this shape can see (`fit`). Several pictures of one view give a median without people.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import erf, sqrt

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.bend import bend_of
from calibration.canvas import SIDES, STRIP
from calibration.cloth import ClothRegion, cloth_regions
from calibration.errors import CalibrationRefused, UserError
from calibration.fit import Fit, camera_from_corners, check_corners
from calibration.gaps import Middles
from calibration.noses import NoseRectangle, extended, find_noses
from calibration.orientation import turn_home
from calibration.shape import implausibility
from calibration.table import Table, table
from calibration.views import median_views

Picture = NDArray[np.uint8]
WIDEST = 1920  # larger pictures are reduced; a tenth of a pixel there is 0.2 mm on the table
_CLEAR = 0.75  # confidence from which no other look at a region is taken
_BEYOND = 0.95  # confidence from which no other region of the same table is looked at: one over pale rails may be as clear
GOOD = 1.0  # % of the length in the picture by which a corner may be off
_SHORTEST = 100  # px of the table's length
_DARK = 32.0  # of 255: brightness below which nearly all of a picture lies that is too dark
_CUT = "the picture ends inside the table"
_OUTSIDE = "a corner of the table lies outside the picture"
SURE = 0.55  # confidence below which the table counts as not found
# without colour a rail may pass for a cushion, and a carpet for cloth: of 41 pictures and clips in grey 8 wrong ones were taken, those
# from above with at most 0.87, slanting ones even with 1.0 (`bench_calibration --grey`)
_SURE_IN_GREY, _FROM_ABOVE, _GREY = 0.95, 0.9, 8  # opposite sides' ratio; levels by which the channels of a grey picture differ


@dataclass(frozen=True, slots=True)
class Found:
    """The noses' rectangle of a picture.

    `corners_px` (4, 2): home-right, home-left, foot-left, foot-right. `confidence` 0..1. `home`: side of the picture where
    the house is, `home_from`: what decided it. `how`: one line. `nose_points_px`: cushion -> (M, 2) px along its nose.
    """

    corners_px: NDArray[np.float64]
    confidence: float
    home: str
    home_from: str
    how: str
    nose_points_px: dict[str, NDArray[np.float64]]
    size: tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Try:
    noses: NoseRectangle
    region: ClothRegion
    turn: int
    fit: Fit
    value: float
    problem: str


@dataclass(frozen=True, slots=True)
class _View:
    """A picture made not larger than needed (times `scale`), and its regions of cloth."""

    picture: Picture
    scale: float
    regions: list[ClothRegion]

    @classmethod
    def of(cls, picture: Picture, near: tuple[float, float] | None) -> _View:
        height, width = picture.shape[:2]
        scale = min(1.0, WIDEST / max(height, width))
        small = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA) if scale < 1 else picture
        small = _bgr(small)
        return cls(small, scale, cloth_regions(small, None if near is None else (near[0] * scale, near[1] * scale)))


def find_table(
    pictures: Sequence[Picture], kind: Table | None = None, *, home: str | None = None, near: tuple[float, float] | None = None
) -> Found:
    """The table in one picture or in many of one video (BGR or grey, 8 bits, all of one size).

    Args:
        pictures: more pictures are better; people who move vanish in the median, other views are left out.
        kind: the table, if known: its proportions and pockets are used.
        home: side of the picture where the house is: left, right, top, bottom.
        near: px of a point on the table that is meant, if several are in view; otherwise the largest whole one is taken.

    Raises:
        CalibrationRefused: no table, one that is cut by the picture, or none that is sure enough; the message says what was seen.
        UserError: no picture, pictures of different sizes.
    """
    if not len(pictures):
        raise UserError("no picture to find the table in")
    if len({p.shape[:2] for p in pictures}) > 1:
        raise UserError("pictures of different sizes: expected one camera's")
    height, width = pictures[0].shape[:2]
    if min(height, width) < 120:
        raise CalibrationRefused(f"picture of {width}x{height} px: too small to find a table; expected at least 120 px", by_hand=False)
    if near is not None and not (0 <= near[0] < width and 0 <= near[1] < height):
        raise UserError(f"near {near[0]:g},{near[1]:g}: lies outside the picture of {width}x{height} px")
    shape = kind or table("pool-9ft")
    tries: list[_Try] = []
    views: list[_View] = []
    for picture, share in median_views(pictures):
        views.append(_View.of(picture, near))
        best = _best(views[-1].picture, views[-1].regions, shape)
        if best is not None:
            tries.append(replace(_scaled(best, views[-1].scale), value=best.value * min(1.0, 0.8 + 0.4 * share)))
            if best.value > 0.7:
                break
    best = max(tries, key=lambda t: t.value, default=None)
    if best is None or best.value < SURE:
        raise _refusal(views[0], best, shape, near)
    corners = best.noses.corners
    if _is_grey(pictures[len(pictures) // 2]) and (best.value < _SURE_IN_GREY or not _from_above(corners)):
        raise CalibrationRefused(
            f"no table found surely enough (confidence {best.value:.2f}): in a picture without colour cushions are told from rails only"
            " from above and where all is clear",
            [best.region.outline, corners],
        )
    long = float(np.linalg.norm(corners[2:].mean(axis=0) - corners[:2].mean(axis=0)))
    across = float(np.linalg.norm(np.roll(corners, -1, axis=0) - corners, axis=1).max())
    if long < _SHORTEST or across < 2 * _SHORTEST:
        least = f"expected at least {_SHORTEST} px of its length and {2 * _SHORTEST} px of its longest side in the picture"
        raise CalibrationRefused(f"the table is only {long:.0f} px long: too small; {least}", [corners], by_hand=False)
    return _oriented(best, pictures, home, shape)


def _is_grey(picture: Picture) -> bool:
    if picture.ndim == 2 or picture.shape[2] == 1:
        return True
    some = picture[::4, ::4, :3].reshape(-1, 3).astype(np.int16)
    return float(np.percentile(np.ptp(some, axis=1), 99)) < _GREY


def _from_above(corners: NDArray[np.float64]) -> bool:
    """Whether opposite sides (4, 2) px are about equally long."""
    a, b, c, d = np.linalg.norm(np.roll(corners, -1, axis=0) - corners, axis=1)
    return min(a, c) > _FROM_ABOVE * max(a, c) and min(b, d) > _FROM_ABOVE * max(b, d)


def _refusal(view: _View, best: _Try | None, shape: Table, near: tuple[float, float] | None) -> CalibrationRefused:
    """Why no table is taken: the picture itself, or what is wrong with the best candidate."""
    where = "" if near is None else f" at {near[0]:g},{near[1]:g}"
    outlines = [] if best is None else [best.region.outline, best.noses.corners]
    brightest = float(np.percentile(view.picture, 97))
    if brightest < _DARK:
        return CalibrationRefused(
            f"no table found{where}: the picture is too dark (97 % of it is below {brightest:.0f} of 255); expected light on the table",
            outlines,
            by_hand=False,
        )
    if best is None:
        if not view.regions:
            return CalibrationRefused(f"no table found{where}: no large region of one colour with cushions round it")
        seen = [(region.outline + 0.5) / view.scale - 0.5 for region in view.regions[:2]]
        return CalibrationRefused(f"no table found{where}: a region of one colour, but no cushions are seen round it", seen)
    if best.problem in (_CUT, _OUTSIDE) or _is_part(view, shape):
        why = best.problem if best.problem == _OUTSIDE else _CUT
        return CalibrationRefused(f"only a part of the table{where} is in the picture: {why} (confidence {best.value:.2f})", outlines)
    return CalibrationRefused(
        f"no table found surely enough{where} (confidence {best.value:.2f}): {best.problem or 'too little speaks for it'}", outlines
    )


def _is_part(view: _View, shape: Table) -> bool:
    """Whether the likeliest cloth is cut by the picture and has noses."""
    height, width = view.picture.shape[:2]
    for region in view.regions[:2]:
        cut = any(region.open_sides) or _outside(region.outline, width, height) > 0.01
        for turn in (0, 1) if cut else ():
            noses = find_noses(view.picture, region, turn, shape.width / shape.length)
            if noses is not None and noses.support > 0.3:
                return True
    return False


def _oriented(best: _Try, pictures: Sequence[Picture], home: str | None, shape: Table) -> Found:
    turned, home_side, reason = turn_home(best.noses.corners, _bgr(pictures[len(pictures) // 2]), shape, home)
    points = best.noses.points_px
    if turned:
        swap = {"home": "foot", "foot": "home", "left": "right", "right": "left"}
        points = {swap[name]: value for name, value in points.items()}
    corners = np.roll(best.noses.corners, -turned, axis=0)
    height, width = pictures[0].shape[:2]
    how = f"noses seen on {best.noses.seen} of 4 sides, strip {best.noses.strip:.1f} % of the length"
    return Found(corners, best.value, home_side, reason, how + (f"; {best.problem}" if best.problem else ""), points, (width, height))


def _best(picture: Picture, regions: Sequence[ClothRegion], shape: Table) -> _Try | None:
    """The most plausible rectangle of noses in one picture."""
    tries: list[_Try] = []
    clear: ClothRegion | None = None
    for region in regions:
        if clear is not None and not _overlap(clear, region):
            continue  # the largest table is meant
        for turn in _turns(region, (picture.shape[1], picture.shape[0]), shape):
            tries += _looks(picture, region, turn, shape)
        if any(t.value > _BEYOND for t in tries):
            break
        if clear is None and any(t.value > _CLEAR for t in tries):
            clear = region
    if not tries:
        return None
    # the cloth's border towards a shiny rail may pass for a nose, but never as clearly as the nose itself
    tries.sort(key=_rank)
    again = [_again(t, picture, shape) for t in tries[:1]]
    if again[0].value < _CLEAR:
        again += [_again(t, picture, shape) for t in tries[1:4] if t.value > 0.02]
    return min(again, key=_rank)


def _overlap(a: ClothRegion, b: ClothRegion) -> bool:
    """Whether two regions may be of one table: the middle of either lies in the other."""
    outlines = [region.outline.astype(np.float32) for region in (a, b)]
    return any(
        cv2.pointPolygonTest(outline, tuple(other.mean(axis=0).tolist()), False) >= 0
        for outline, other in zip(outlines, reversed(outlines), strict=True)
    )


def _rank(one: _Try) -> float:
    return -one.value * one.noses.support**2


def _looks(picture: Picture, region: ClothRegion, turn: int, shape: Table) -> list[_Try]:
    """The noses in one outline and, where they are not clear, in that with a side moved out."""
    ratio = shape.width / shape.length
    found = []
    first = _look(picture, region, turn, shape)
    if first is not None:
        found.append(first)
    if first is None or first.value < _CLEAR:
        farther = extended(picture, region, turn, ratio)
        second = _look(picture, farther, turn, shape) if farther is not None else None
        if second is not None:
            found.append(second)
    if found and max(t.value for t in found) < _CLEAR:
        best = min(found, key=_rank)
        for side in best.noses.open[:1]:
            wider = extended(picture, best.region, turn, ratio, side)
            third = _look(picture, wider, turn, shape) if wider is not None else None
            if third is not None:
                found.append(third)
    return found


def _turns(region: ClothRegion, size: tuple[int, int], shape: Table) -> list[int]:
    """Which sides of a region may be the long ones, the likelier first; both where neither or both can be."""
    strip = 2 * STRIP / 100 * shape.length
    aspect = (shape.length + strip) / (shape.width + strip)
    costs = [implausibility(np.roll(region.quad, -turn, axis=0), size, aspect) for turn in (0, 1)]
    first = int(costs[1] < costs[0])
    return [first] if costs[first] < 0.4 * costs[1 - first] - 10 else [first, 1 - first]


def _look(picture: Picture, region: ClothRegion, turn: int, shape: Table) -> _Try | None:
    noses = find_noses(picture, region, turn, shape.width / shape.length)
    if noses is None or noses.support < 0.25:
        return None
    return _judge(noses, region, turn, shape, picture)


def _again(first: _Try, picture: Picture, shape: Table) -> _Try:
    """Further looks, straightened by the noses found before instead of by the outline of the cloth."""
    best = first
    for _ in range(3):
        judged = _straightened_look(best, picture, shape)
        if judged is None or judged.value < best.value - 0.02:
            break
        settled = judged.value > _CLEAR or judged.value < best.value + 0.02
        best = judged
        if settled:
            break
    return best


def _straightened_look(first: _Try, picture: Picture, shape: Table) -> _Try | None:
    length, width = shape.length, shape.width
    margin = STRIP / 100 * length
    inner = np.array([[0, width], [0, 0], [length, 0], [length, width]], np.float32)
    outer = inner + np.array([[-1, 1], [-1, -1], [1, -1], [1, 1]], np.float32) * margin
    bend = first.region.bend
    if len(first.noses.points_px) > 1:
        bend = bend_of(list(first.noses.points_px.values()), bend.size, 0.01)
    matrix = cv2.getPerspectiveTransform(inner, bend.to_straight(first.noses.corners).astype(np.float32))
    quad = cv2.perspectiveTransform(outer.reshape(-1, 1, 2), matrix).reshape(-1, 2).astype(float)
    k, opened = first.turn, first.region.open_sides
    region = replace(
        first.region, quad=quad, bend=bend, open_sides=(opened[k % 4], opened[(k + 1) % 4], opened[(k + 2) % 4], opened[(k + 3) % 4])
    )
    return _look(picture, region, 0, shape)


def _judge(noses: NoseRectangle, region: ClothRegion, turn: int, shape: Table, picture: Picture) -> _Try | None:
    height, width = picture.shape[:2]
    try:
        corners = check_corners(region.bend.to_straight(noses.corners))
        fit = camera_from_corners(corners, shape, (width, height))
    except UserError:
        return None
    relative = fit.reprojection_mm / shape.length
    outside = _outside(noses.corners, width, height)
    # far and near noses at half of the length from the middle pockets: then none of the four lines is a wrong one
    hidden = {name for name in SIDES if name not in noses.points_px}
    proved = noses.middles is not None and noses.middles.pair and noses.middles.deviation < 2 and hidden <= {"home", "foot"}
    factors = {
        "a side's cushion is hardly seen": _ramp(noses.support, 0.2, 0.55) if proved else _ramp(noses.support, 0.3, 0.75),
        "too few cushions seen": (0.0, 0.0, 0.6, 0.95 if proved else 0.9, 1.0)[noses.seen],
        "its proportions are not those of the table": float(np.exp(-((relative / _tolerance(fit)) ** 2))) * _focal_factor(fit),
        "the strips between noses and rails differ": _ramp(-noses.strip_spread, -3.0, -0.8) * 0.3 + 0.7,
        "the strips between noses and rails are unusual": 1.0 if 1.1 <= noses.strip <= 3.4 else 0.8,
        "the region of cloth has no clear outline": 0.6 + 0.4 * _ramp(region.fill, 0.7, 0.9),
        "a cushion that is not seen cannot be placed in so slanting a view": erf(GOOD / max(noses.guessed, 0.1) / sqrt(2)),
        "a cushion that is not seen is only guessed": 0.85 if noses.unproved and not proved else 0.92 if hidden else 1.0,
        "the cloth goes on beyond one of the sides": 0.6 if noses.open else 1.0,
        "the middle pockets are not in the middle": _centred(noses.middles),
        "something else than cloth lies inside its cushions": 0.2 + 0.8 * _ramp(-noses.uneven, -22.0, -12.0),
        _CUT: 0.4 if noses.cut else 1.0,
        _OUTSIDE: 1.0 if outside <= 0.01 else 0.3,
    }
    value = float(np.prod(list(factors.values())))
    worst = min(factors, key=lambda name: factors[name])
    return _Try(noses, region, turn, fit, value, worst if factors[worst] < 0.8 else "")


def _centred(middles: Middles | None) -> float:
    """A table whose middle pockets do not halve it has a wrong end. A single gap proves little against it."""
    if middles is None or not middles.pair:
        return 1.0
    return max(float(np.exp(-(max(middles.deviation - 2.0, 0.0) ** 2) / 2)), 0.05)


def _tolerance(fit: Fit) -> float:
    """Of the corners' misfit per length: very wide lenses bend a picture in ways that straight noses do not tell."""
    return 0.025 * float(np.clip(0.6 / fit.camera.focal_ratio, 1.0, 1.5))


def _focal_factor(fit: Fit) -> float:
    """A lens that nobody puts over a table points to wrong corners or proportions."""
    wide = 1.0 if fit.camera.focal_ratio >= 0.33 else 0.6
    return wide * float(np.exp(-((fit.squeeze / 0.06) ** 2)))


def _outside(corners: NDArray[np.float64], width: int, height: int) -> float:
    """How far a corner lies outside the picture, in sizes of the picture."""
    low = -corners / (width, height)
    high = corners / (width - 1, height - 1) - 1
    return float(max(low.max(), high.max()))


def _ramp(value: float, low: float, high: float) -> float:
    return float(np.clip((value - low) / (high - low), 0.0, 1.0))


def _scaled(found: _Try, scale: float) -> _Try:
    if scale == 1:
        return found
    points = {name: (value + 0.5) / scale - 0.5 for name, value in found.noses.points_px.items()}
    bend = replace(found.region.bend, size=(round(found.region.bend.size[0] / scale), round(found.region.bend.size[1] / scale)))
    region = replace(found.region, quad=(found.region.quad + 0.5) / scale - 0.5, bend=bend)
    return replace(found, region=region, noses=replace(found.noses, corners=(found.noses.corners + 0.5) / scale - 0.5, points_px=points))


def _bgr(picture: Picture) -> Picture:
    if picture.ndim == 2 or picture.shape[2] == 1:
        return cv2.cvtColor(picture, cv2.COLOR_GRAY2BGR)
    return picture[..., :3]
