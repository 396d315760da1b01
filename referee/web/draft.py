"""The calibration that a person is making on the page: a frozen value, and what can be done to it.

No page, file or clock in here: the page shows a `Draft` and its `Solution`, and undo is a list of drafts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from calibration.accuracy import place_sigma
from calibration.camera import Camera
from calibration.errors import UserError
from calibration.find import Found
from calibration.fit import Fit, camera_from_corners
from calibration.measure import Measured
from calibration.orientation import ASSUMED
from calibration.profile import Profile, profile_from_fit
from calibration.sketch import SIDE_POINTS, side_points
from calibration.table import Table
from calibration.turned import turned_fit

Array = NDArray[np.float64]
Point = tuple[float, float]
SIDES = tuple((cushion, part) for cushion, parts in SIDE_POINTS.items() for part in parts)  # handles along the noses, going round
_SIDE_START = {cushion: index for index, cushion in enumerate(SIDE_POINTS)}  # corner at which a cushion starts
_WORST = 0.02  # misfit, in lengths of the table, from which the corners contradict its size
_SLANT = 0.1  # squeeze beyond which they do
_BENT_PX = 0.7  # bend of a nose, px, that is worth keeping
_SIGMA_PX = 1.5  # of a corner placed by hand, at 1280 px of width
_SIGMA_BENT_PX = 2.0  # with handles along the noses: the corners are also the ends of those lines and count twice
_BY_HAND, _MEASURED = "corners placed by hand", "; camera fitted to the noses in the picture"
_OUTSIDE = 0.25  # of the picture, beyond which no corner may lie
_SWAPPED = {"home": "foot", "foot": "home", "left": "right", "right": "left"}


@dataclass(frozen=True, slots=True)
class Sampled:
    """Colour of a ball, b g r, and its place on the table, mm (None: sampled on a picture that is no longer shown)."""

    bgr: tuple[float, float, float]
    place_mm: Point | None


@dataclass(frozen=True, slots=True, eq=False)
class Draft:
    """`corners`: handles in the order of `Table.corners`; `sides`: handles along the noses in the order of `SIDES`, which
    count if `bend`. `noses`: points that the finder saw; they count until a corner is moved by hand.

    `home_from`: what decided the house, "" if nobody knows. `how`: the corners came there, "" where nobody has placed them yet.
    `confidence`: of the finder, 1 by hand. `measured`: the camera fitted to the noses in the picture; it holds for these corners
    and this table.
    """

    table: Table
    size: tuple[int, int]
    corners: tuple[Point, ...]
    sides: tuple[Point, ...]
    bend: bool = False
    noses: Mapping[str, Array] | None = None
    home_from: str = ""
    how: str = ""
    confidence: float = 1.0
    balls: Mapping[str, Sampled] | None = None
    measured: Fit | None = None

    @property
    def placed(self) -> bool:
        """Whether the corners are more than a place to start from."""
        return bool(self.how)


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """A draft's camera, or why there is none.

    `fault`: crossed, mirrored, close, outside, proportions, impossible; "" if none. `proportions` still has a fit to look at.
    `corner_mm`, `side_mm`: distance of each handle from the corner (nose) that the camera sees; where the finder's points count,
    `corner_mm` is the root mean square distance of those of both noses on the corner's side. `corner_sigma_mm`: standard
    deviation of a place there.
    """

    fault: str
    fit: Fit | None = None
    profile: Profile | None = None
    corner_mm: tuple[float, ...] = ()
    side_mm: tuple[float, ...] = ()
    corner_sigma_mm: tuple[float, ...] = ()
    centre_sigma_mm: float = 0.0


def default_draft(table: Table, size: tuple[int, int]) -> Draft:
    """Handles where a table would lie: in the middle of the picture, along its longer side, the house left or below."""
    width, height = size
    ratio = table.width / table.length
    if width >= height:
        length = min(0.7 * width, 0.7 * height / ratio)
        x, y = length / 2, length * ratio / 2
        corners = ((-x, y), (-x, -y), (x, -y), (x, y))
    else:
        length = min(0.7 * height, 0.7 * width / ratio)
        x, y = length * ratio / 2, length / 2
        corners = ((x, y), (-x, y), (-x, -y), (x, -y))
    placed = tuple(((width - 1) / 2 + a, (height - 1) / 2 + b) for a, b in corners)
    return Draft(table, size, placed, _straight_sides(placed))


def found_draft(table: Table, found: Found, before: Draft) -> Draft:
    """What the finder found, with the colours of before."""
    corners = tuple((float(x), float(y)) for x, y in found.corners_px)
    known = "" if found.home_from == ASSUMED else found.home_from
    return Draft(
        table, found.size, corners, _straight_sides(corners), False, dict(found.nose_points_px), known,
        f"found automatically: {found.how}", found.confidence, before.balls,
    )  # fmt: skip


def measured_draft(draft: Draft, measured: Measured) -> Draft:
    """The draft with its camera fitted to the noses that the picture shows; the handles move there."""
    corners = tuple(_point(place) for place in measured.corners_px)
    noses = {cushion: points.px for cushion, points in measured.noses.items()}
    how = draft.how if draft.how.endswith(_MEASURED) else draft.how + _MEASURED
    return replace(draft, corners=corners, sides=_straight_sides(corners), bend=False, noses=noses, measured=measured.fit, how=how)


def move_corner(draft: Draft, index: int, to: Point, seen: Camera | None) -> Draft:
    """A corner dragged by hand. The handles along its two noses go with it; the finder's points no longer count, but the bend
    of the noses that they told, as `seen` by the draft's camera, stays.
    """
    changed = _by_hand(draft, seen)
    shift = np.subtract(to, changed.corners[index])
    sides = []
    for (cushion, part), place in zip(SIDES, changed.sides, strict=True):
        start = _SIDE_START[cushion]
        share = (1 - part) if start == index else part if (start + 1) % 4 == index else 0.0
        sides.append(_point(np.add(place, share * shift)))
    corners = (*changed.corners[:index], _point(np.asarray(to)), *changed.corners[index + 1 :])
    return replace(changed, corners=corners, sides=tuple(sides))


def move_side(draft: Draft, index: int, to: Point, seen: Camera | None) -> Draft:
    """A handle along a nose dragged by hand: it tells how the lens bends that nose."""
    changed = _by_hand(draft, seen)
    return replace(changed, sides=(*changed.sides[:index], _point(np.asarray(to)), *changed.sides[index + 1 :]), bend=True)


def set_bend(draft: Draft, bend: bool, seen: Camera | None) -> Draft:
    """Whether the handles along the noses count. Without them the noses are straight, unless the finder saw them bent."""
    if not bend:
        return replace(draft, bend=False, sides=_straight_sides(draft.corners)) if draft.noses is None else replace(draft, bend=False)
    return replace(_by_hand(draft, seen), bend=True)


def set_table(draft: Draft, table: Table) -> Draft:
    return replace(draft, table=table, measured=draft.measured if table == draft.table else None)


def swap_home(draft: Draft, reason: str = "chosen on the page") -> Draft:
    """The other end becomes the house: all corners and cushions change their names."""
    noses = {_SWAPPED[name]: points for name, points in draft.noses.items()} if draft.noses is not None else None
    half = len(SIDES) // 2
    balls = {
        ball: replace(s, place_mm=None if s.place_mm is None else (draft.table.length - s.place_mm[0], draft.table.width - s.place_mm[1]))
        for ball, s in (draft.balls or {}).items()
    }
    corners, sides = draft.corners[2:] + draft.corners[:2], draft.sides[half:] + draft.sides[:half]
    measured = turned_fit(draft.measured, draft.table) if draft.measured is not None else None
    return replace(draft, corners=corners, sides=sides, noses=noses, balls=balls, measured=measured, home_from=reason)


def keep_home(draft: Draft) -> Draft:
    """A person says that the house is where it is drawn."""
    return replace(draft, home_from="chosen on the page")


def set_ball(draft: Draft, ball: str, sample: Sampled | None) -> Draft:
    """A ball's colour, or none."""
    balls = {name: old for name, old in (draft.balls or {}).items() if name != ball}
    return replace(draft, balls=balls | ({ball: sample} if sample else {}))


def without_places(draft: Draft) -> Draft:
    """The draft over another picture of the same view: colours stay, the balls may have moved."""
    return replace(draft, balls={ball: replace(s, place_mm=None) for ball, s in (draft.balls or {}).items()})


def solve(draft: Draft, like: Camera | None = None) -> Solution:
    """The camera that sees the table at the handles. `like`: take this one's lens, for a quick look while a handle is dragged."""
    fault = corner_fault(draft.corners, draft.size)
    if fault:
        return Solution(fault)
    lines = _lines(draft) if like is None else {}
    known = {} if like is None else {"focal": like.focal, "lens": like.distortion}
    sigma = _SIGMA_BENT_PX if draft.bend and draft.noses is None else _SIGMA_PX
    try:
        fit = draft.measured or camera_from_corners(draft.corners, draft.table, draft.size, nose_points=lines, sigma_px=sigma, **known)
        profile = profile_from_fit(
            draft.table, fit, np.array(draft.corners), home=home_side(draft.corners), how=draft.how, confidence=draft.confidence,
            home_from=draft.home_from or ASSUMED,
            colours=tuple((ball, s.bgr) for ball, s in (draft.balls or {}).items()),
        )  # fmt: skip
    except (UserError, ValueError):
        return Solution("impossible")
    camera, table = fit.camera, draft.table
    scale = camera.scale_at(table.corners, table.nose_height)
    wrong = like is None and (fit.reprojection_mm > _WORST * table.length or fit.squeeze > _SLANT)
    corner_mm = _near_corners(draft, camera) if draft.noses is not None else np.linalg.norm(fit.residuals_px, axis=1) / scale
    sigmas = place_sigma(profile, [*table.corners, table.spots["centre"]]).tolist()
    return Solution(
        "proportions" if wrong else "",
        fit,
        profile,
        tuple(corner_mm.tolist()),
        tuple(_off_nose(draft, camera)),
        tuple(sigmas[:4]),
        float(sigmas[4]),
    )


def corner_fault(corners: tuple[Point, ...], size: tuple[int, int]) -> str:
    """Why four points cannot be corners in the order of `Table.corners`; "" if they can. As `fit.check_corners`, without words."""
    points = np.array(corners, float)
    if not np.isfinite(points).all():
        return "outside"
    if (points < -_OUTSIDE * np.array(size)).any() or (points > (1 + _OUTSIDE) * np.array(size)).any():
        return "outside"
    ahead = np.roll(points, -1, axis=0) - points
    after = np.roll(ahead, -1, axis=0)
    turns = ahead[:, 0] * after[:, 1] - ahead[:, 1] * after[:, 0]
    sides = np.linalg.norm(ahead, axis=1)
    if sides.min() < 8 or np.abs(turns).min() < 0.002 * sides.max() ** 2:
        return "close"
    if (turns < 0).all():
        return "mirrored"
    return "" if (turns > 0).all() else "crossed"


def home_side(corners: tuple[Point, ...]) -> str:
    """The side of the picture where the house is."""
    first, second = np.mean(corners[:2], axis=0), np.mean(corners[2:], axis=0)
    x, y = second - first
    if abs(x) >= abs(y):
        return "left" if x > 0 else "right"
    return "top" if y > 0 else "bottom"


def _by_hand(draft: Draft, seen: Camera | None) -> Draft:
    """The draft without the finder's points; the bend that they told stays, in the handles along the noses."""
    if draft.noses is None:
        return replace(draft, how=_BY_HAND, confidence=1.0)
    sides, bend = draft.sides, draft.bend
    if seen is not None:
        sides = _seen_sides(draft.table, seen)
        bend = bend or _bend_px(draft.corners, sides) > _BENT_PX
    if not bend:
        sides = _straight_sides(draft.corners)
    return replace(draft, noses=None, measured=None, sides=sides, bend=bend, how=_BY_HAND, confidence=1.0)


def _lines(draft: Draft) -> dict[str, Array]:
    if draft.noses is not None:
        return dict(draft.noses)
    if not draft.bend:
        return {}
    lines = {}
    for cushion, start in _SIDE_START.items():
        between = [place for (name, _), place in zip(SIDES, draft.sides, strict=True) if name == cushion]
        lines[cushion] = np.array([draft.corners[start], *between, draft.corners[(start + 1) % 4]])
    return lines


def _straight_sides(corners: tuple[Point, ...]) -> tuple[Point, ...]:
    places = []
    for cushion, part in SIDES:
        start, end = np.array(corners[_SIDE_START[cushion]]), np.array(corners[(_SIDE_START[cushion] + 1) % 4])
        places.append(_point(start + part * (end - start)))
    return tuple(places)


def _seen_sides(table: Table, camera: Camera) -> tuple[Point, ...]:
    seen = [camera.project_at(side_points(table, cushion), table.nose_height) for cushion in SIDE_POINTS]
    return tuple(_point(place) for place in np.vstack(seen))


def _bend_px(corners: tuple[Point, ...], sides: tuple[Point, ...]) -> float:
    """Largest distance of a handle from the straight line between its corners."""
    worst = 0.0
    for (cushion, _), place in zip(SIDES, sides, strict=True):
        start, end = np.array(corners[_SIDE_START[cushion]]), np.array(corners[(_SIDE_START[cushion] + 1) % 4])
        along, to = end - start, np.subtract(place, start)
        worst = max(worst, abs(float(along[0] * to[1] - along[1] * to[0])) / max(float(np.hypot(*along)), 1e-6))
    return worst


def _off_nose(draft: Draft, camera: Camera) -> list[float]:
    """Distance, mm, of each handle along the noses from its nose line."""
    at = camera.to_table(draft.sides, draft.table.nose_height)
    value = {"home": at[:, 0], "foot": at[:, 0] - draft.table.length, "right": at[:, 1], "left": at[:, 1] - draft.table.width}
    return [abs(float(value[cushion][index])) for index, (cushion, _) in enumerate(SIDES)]


def _near_corners(draft: Draft, camera: Camera) -> Array:
    """Root mean square distance (4,) mm of the finder's points from their noses, of those nearer to a corner than to the next."""
    length, width = draft.table.length, draft.table.width
    squares: list[list[float]] = [[], [], [], []]
    for cushion, points in (draft.noses or {}).items():
        at = camera.to_table(points, draft.table.nose_height)
        along, size = (at[:, 1], width) if cushion in ("home", "foot") else (at[:, 0], length)
        off = {"home": at[:, 0], "foot": at[:, 0] - length, "right": at[:, 1], "left": at[:, 1] - width}[cushion]
        start = _SIDE_START[cushion]
        upwards = cushion in ("home", "left")  # whether the nose runs to larger x or y from the corner at which it starts
        first = (along < size / 2) == upwards
        squares[start] += np.square(off[first]).tolist()
        squares[(start + 1) % 4] += np.square(off[~first]).tolist()
    return np.array([np.sqrt(np.nanmean(part)) if part else 0.0 for part in squares])


def _point(values: np.ndarray) -> Point:
    return round(float(values[0]), 2), round(float(values[1]), 2)
