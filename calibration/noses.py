"""The nose lines of the cushions, in a picture straightened by the outline of the cloth.

Going inwards from a rail, the top of the cushion is a bright strip of cloth, about 2 % of the table's length wide; at its
nose the picture falls to the dark band of the cushion's face and shadow; then comes the bed. So a nose is a step from
bright to dark with cloth on both sides, at equal distances from the four rails. The cloth ends on the rails a little above
the noses, so from low down the near strip seems narrower and the far one wider. Unit here: 1 % of the table's length.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibration.canvas import SIDES, STRIP, Canvas
from calibration.cloth import ClothColour, ClothRegion, cloth_colour
from calibration.ends import Ending, ending
from calibration.gaps import SIGMA, Middles, middle_pockets, unevenness
from calibration.shape import leanings
from calibration.sides import LOOSE, RISE, Candidate, NoseLine, Side

Floats = NDArray[np.float64]
_CORNERS = (("home", "right"), ("home", "left"), ("foot", "left"), ("foot", "right"))
_STRIP_RANGE = (0.8, 4.6)
_RISE_SIGMA = 0.15  # units; `RISE` was 0 to 0.5 on the tables measured
_CLEAR = 0.4  # score from which a nose counts without an end of the cloth behind it
_FAR = 1.6  # shadows and balls behind one another make the bed at far sides less even


class Strips(NamedTuple):
    """Width of the strips between noses and rails, as seen from above, how much higher they end, and how far they differ from that."""

    width: float
    rise: float
    spread: float

    def seen(self, leaning: float) -> float:
        """Width that a strip seems to have."""
        return self.width + self.rise * leaning


@dataclass(frozen=True, slots=True)
class NoseRectangle:
    """`corners` (4, 2) px of the picture in the canvas's order (home-right, home-left, foot-left, foot-right, home = left)."""

    corners: Floats
    lines: dict[str, NoseLine]
    points_px: dict[str, Floats]
    support: float
    seen: int
    strip: float
    strip_spread: float
    cut: int  # sides whose nose is not seen because the picture ends there
    open: tuple[str, ...]  # sides where neither a clear nose nor an end of the cloth is seen
    unproved: int  # sides whose nose is not seen, and whose place the ends of the noses beside it do not prove
    endings: dict[str, Ending]
    guessed: float  # error (one sigma) of the worst corner in % of the length that sides whose nose is not seen cause
    middles: Middles | None
    uneven: float  # largest step (Lab) across the bed along a side, those of far sides by `_FAR` smaller


def find_noses(picture: NDArray[np.uint8], region: ClothRegion, turn: int, ratio: float = 0.5) -> NoseRectangle | None:
    """The noses' rectangle inside one outline of cloth, or None where too few sides show one."""
    lean = leanings(np.roll(region.quad, -turn, axis=0), (picture.shape[1], picture.shape[0]), 1 / ratio)
    canvas = Canvas(picture, region, turn, ratio)
    colour = _bed_colour(canvas)
    sides = {name: Side(canvas, name, colour, LOOSE, leaning) for name, leaning in zip(SIDES, lean, strict=True)}
    usual = float(np.median([side.noise for side in sides.values()]))
    for side in sides.values():
        side.noise = min(side.noise, 1.5 * usual)  # a deep dark band is no noise
    found = _settle(canvas, sides, lean)
    if found is None:
        return None
    chosen, strips, lines = found
    endings = {name: ending(name, canvas, sides, lines) for name in SIDES}
    for name in SIDES:
        _move_to_ending(name, lines, endings[name], sides[name])
        if not lines[name].seen:
            chosen[name] = None  # its step could not be followed, or contradicts where its neighbours end
    hidden = [name for name in SIDES if chosen[name] is None]
    corners = np.array([_corner(canvas, lines, *pair) for pair in _CORNERS])
    supports = [c.score if c else 0.0 for c in chosen.values()]
    return NoseRectangle(
        canvas.to_picture(corners),
        lines,
        {name: canvas.to_picture(line.points) for name, line in lines.items() if len(line.points)},
        float(np.sum(supports)) / 4,
        len(SIDES) - len(hidden),
        strips.width,
        strips.spread,
        sum(name in hidden and (sides[name].cut or region.open_sides[(turn + i) % 4]) for i, name in enumerate(SIDES)),
        tuple(name for name in SIDES if _is_open(lines[name], sides[name], chosen[name])),
        sum(not endings[name].agrees(lines[name], 0.8 + 1.5 / sides[name].px) for name in hidden),
        endings,
        max((_error(canvas, sides[name], leaning) for name, leaning in zip(SIDES, lean, strict=True) if name in hidden), default=0.0),
        middle_pockets(canvas, lines),
        max(unevenness(canvas, lines, name, leaning) / (1.0 if leaning < 0 else _FAR) for name, leaning in zip(SIDES, lean, strict=True)),
    )


def _lines(sides: dict[str, Side], chosen: dict[str, Candidate | None], strips: Strips, lean: Sequence[float]) -> dict[str, NoseLine]:
    """The chosen noses, refined; those that are not seen by the end of the cloth and the usual strip."""
    lines, nothing = {}, np.empty((0, 2))
    for (name, side), leaning in zip(sides.items(), lean, strict=True):
        candidate = chosen[name]
        if candidate is None:
            border = side.outer() or (0.0, 0.0)
            lines[name] = NoseLine((border[0] + strips.seen(leaning), border[1] - border[0], 0.0), 0.0, nothing, False)
            continue
        lines[name] = side.refine(candidate.start, candidate.end, max(0.5, 2.0 / side.px))
        if not lines[name].seen:
            lines[name] = NoseLine((candidate.start, candidate.end - candidate.start, 0.0), 0.0, nothing, False)
    return lines


def _error(canvas: Canvas, side: Side, leaning: float) -> float:
    """Error (one sigma) of a nose placed by the strip alone, in % of the table's length in the picture."""
    ends = canvas.to_picture(canvas.point("home", np.array([0.0, canvas.length]), 0.5))
    long = float(np.linalg.norm(ends[1] - ends[0])) / canvas.length
    return float(np.hypot(np.hypot(0.25, 0.5 / side.px), _RISE_SIGMA * leaning)) * side.px / max(long, 1e-9)


def _settle(
    canvas: Canvas, sides: dict[str, Side], lean: Sequence[float]
) -> tuple[dict[str, Candidate | None], Strips, dict[str, NoseLine]] | None:
    """The candidates chosen and their lines; chosen again where the middle pockets contradict them."""
    choice = _choose(sides, lean, None)
    if choice is None:
        return None
    lines = _lines(sides, *choice, lean)
    middles = middle_pockets(canvas, lines)
    if middles is not None and middles.pair and middles.deviation >= 1.0:
        half = (float(lines["home"].at(0.5)) + canvas.length - float(lines["foot"].at(0.5))) / 2 + middles.off
        choice = _choose(sides, lean, half) or choice
        lines = _lines(sides, *choice, lean)
    return *choice, lines


def _is_open(line: NoseLine, side: Side, candidate: Candidate | None) -> bool:
    """Whether a nose that is not or hardly seen is not inside the border of the cloth by the width of a cushion's top."""
    border = side.outer()
    if candidate is not None:
        return border is None and candidate.score < _CLEAR
    return border is None or not 0.4 < float(line.at(0.5)) - sum(border) / 2 < _STRIP_RANGE[1]


def _move_to_ending(name: str, lines: dict[str, NoseLine], found: Ending, side: Side) -> None:
    """A nose between cloth and cloth is seen only where its neighbours end: a line that contradicts two such ends is none."""
    told = found.line
    if told is None:
        return
    line, px = lines[name], side.px
    away = np.array([told[0] - line.at(0.0), told[1] - line.at(1.0)])
    if abs(away[0] - away[1]) > 0.8 + 2 / px or np.abs(away).max() < (0.5 + 1.0 / px if line.seen else 0.1):
        return
    if line.seen:
        again = side.refine(told[0], told[1], 0.4 + 0.5 / px)
        if again.seen and again.support > 0.6:
            lines[name] = again
            return
    start, end = told
    if not line.seen and np.abs(away).max() < 1.0 + 1.0 / px:  # two independent guesses that agree: their mean
        start, end = start - away[0] / 2, end - away[1] / 2
    lines[name] = NoseLine((start, end - start, 0.0), 0.0, np.empty((0, 2)), False)


def extended(picture: NDArray[np.uint8], region: ClothRegion, turn: int, ratio: float = 0.5, side: str | None = None) -> ClothRegion | None:
    """The region with a side moved out to where the cloth ends, or None.

    Without a side: the far one, where the dark face of the cushion cuts the strip on it off from the bed.
    """
    lean = leanings(np.roll(region.quad, -turn, axis=0), (picture.shape[1], picture.shape[0]), 1 / ratio)
    canvas = Canvas(picture, region, turn, ratio, float(np.clip(9.0 + 2.0 * max(lean), 15.0, 25.0)))  # a far face and strip are so deep
    colour = _bed_colour(canvas)
    far = side or min(SIDES, key=canvas.px_per_unit)
    seen = Side(canvas, far, colour, 1.0)
    border = seen.farther() if side is None else seen.farther(-0.3, 7.0)
    if border is None:
        return None
    nothing = np.empty((0, 2))
    lines = {name: NoseLine((0.0, 0.0, 0.0), 0.0, nothing, False) for name in SIDES}
    lines[far] = NoseLine((border[0], border[1] - border[0], 0.0), 0.0, nothing, True)
    corners = np.array([_corner(canvas, lines, *pair) for pair in _CORNERS])
    return replace(region, quad=np.roll(canvas.to_straight(corners), turn, axis=0))


def _bed_colour(canvas: Canvas) -> ClothColour:
    margin = round((canvas.out + 8) * canvas.scale)
    bed = canvas.lab[margin:-margin:3, margin:-margin:3].reshape(-1, 3)
    return cloth_colour(bed)


def _choose(sides: dict[str, Side], lean: Sequence[float], half: float | None) -> tuple[dict[str, Candidate | None], Strips] | None:
    """One candidate a side, so that the steps are clear and the strips between nose and rail equally wide.

    `half`: where the middle pockets say that half of the length is, in units of the canvas.
    """
    options = [[*(c for c in side.candidates() if _STRIP_RANGE[0] <= c.width <= _STRIP_RANGE[1]), None] for side in sides.values()]
    sigmas = [0.35 + 1.5 / side.px for side in sides.values()]
    ends = [(i, sum(border) / 2) for i, name in ((0, "home"), (2, "foot")) if (border := sides[name].outer()) is not None]
    length = sides["home"].canvas.length
    best = None
    for combination in product(*options):
        chosen = [(c, sigma, leaning) for c, sigma, leaning in zip(combination, sigmas, lean, strict=True) if c is not None]
        if len(chosen) < 2:
            continue
        width, rise = _strips([(c.width, sigma, leaning) for c, sigma, leaning in chosen])
        away = [abs(c.width - width - rise * leaning) / sigma for c, sigma, leaning in chosen]
        tilts = [abs(c.tilt) / (2.0 * sigma) for c, sigma, _ in chosen]
        value = (
            sum(c.score for c, _, _ in chosen)
            + 0.12 * (len(combination) - len(chosen))
            - 0.12 * sum(min(a, 4) ** 2 for a in away)
            - 0.06 * sum(min(t, 3) ** 2 for t in tilts)
            - 0.05 * (width - STRIP) ** 2
            - 0.06 * ((rise - RISE) / _RISE_SIGMA) ** 2
        )
        if half is not None and len(ends) == 2:
            home, foot = (c.at if (c := combination[i]) is not None else border + width + rise * lean[i] for i, border in ends)
            value -= 0.12 * min(abs((home + length - foot) / 2 - half) / (0.71 * SIGMA), 4) ** 2
        if best is None or value > best[0]:
            best = (value, combination, Strips(width, rise, max(away + tilts)))
    return (dict(zip(SIDES, best[1], strict=True)), best[2]) if best else None


def _strips(seen: Sequence[tuple[float, float, float]]) -> tuple[float, float]:
    """Width and rise of the strips from (seen width, sigma, leaning) of some: least squares with what rises are usual."""
    a = b = d = p = q = 0.0
    for width, sigma, leaning in seen:
        weight = sigma**-2
        a, b, d = a + weight, b + weight * leaning, d + weight * leaning**2
        p, q = p + weight * width, q + weight * width * leaning
    d, q = d + _RISE_SIGMA**-2, q + RISE * _RISE_SIGMA**-2
    det = a * d - b * b
    return (d * p - b * q) / det, (a * q - b * p) / det


def _corner(canvas: Canvas, lines: dict[str, NoseLine], end: str, long: str) -> Floats:
    """Canvas px where the (bent) nose lines of a short and a long side meet."""
    across, along = 0.0 if end == "home" else 1.0, 0.0 if long == "left" else 1.0
    for _ in range(6):
        from_end, from_long = float(lines[end].at(along)), float(lines[long].at(across))
        across = from_end / canvas.length if end == "home" else 1 - from_end / canvas.length
        along = from_long / canvas.width if long == "left" else 1 - from_long / canvas.width
    return canvas.point(end, from_end, along)
