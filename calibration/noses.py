"""The nose lines of the cushions, in a picture straightened by the outline of the cloth.

Going inwards from a rail, the top of the cushion is a bright strip of cloth, about 2 % of the table's length wide; at its
nose the picture falls to the dark band of the cushion's face and shadow; then comes the bed. So a nose is a step from
bright to dark with cloth on both sides, at equal distances from the four rails. Unit here: 1 % of the table's length.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from numpy.typing import NDArray

from calibration.canvas import SIDES, STRIP, Canvas
from calibration.cloth import ClothColour, ClothRegion, cloth_colour
from calibration.ends import Ending, ending
from calibration.sides import Candidate, NoseLine, Side

Floats = NDArray[np.float64]
_CORNERS = (("home", "right"), ("home", "left"), ("foot", "left"), ("foot", "right"))
_STRIP_RANGE = (0.8, 4.6)


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
    open: tuple[str, ...]  # sides where neither a nose nor an end of the cloth is seen
    unproved: int  # sides whose nose is not seen, and whose place the ends of the noses beside it do not prove
    endings: dict[str, Ending]


def find_noses(picture: NDArray[np.uint8], region: ClothRegion, turn: int, ratio: float = 0.5) -> NoseRectangle | None:
    """The noses' rectangle inside one outline of cloth, or None where too few sides show one."""
    canvas = Canvas(picture, region, turn, ratio)
    colour = _bed_colour(canvas)
    sides = {name: Side(canvas, name, colour) for name in SIDES}
    usual = float(np.median([side.noise for side in sides.values()]))
    for side in sides.values():
        side.noise = min(side.noise, 1.5 * usual)  # a deep dark band is no noise
    choice = _choose(list(sides.values()))
    if choice is None:
        return None
    chosen, strip, spread = choice
    lines = {}
    for (name, side), candidate in zip(sides.items(), chosen, strict=True):
        if candidate is None:
            border = side.outer() or (0.0, 0.0)
            lines[name] = NoseLine((border[0] + strip, border[1] - border[0], 0.0), 0.0, np.empty((0, 2)), False)
        else:
            lines[name] = side.refine(candidate.start, candidate.end, max(0.5, 2.0 / side.px))
            if not lines[name].seen:
                lines[name] = NoseLine((candidate.start, candidate.end - candidate.start, 0.0), 0.0, np.empty((0, 2)), False)
    hidden = [name for name, c in zip(sides, chosen, strict=True) if c is None]
    endings = {name: ending(name, canvas, sides, lines) for name in SIDES}
    for name in SIDES:
        _move_to_ending(name, lines, endings[name], sides[name])
    corners = np.array([_corner(canvas, lines, *pair) for pair in _CORNERS])
    supports = [c.score if c else 0.0 for c in chosen]
    return NoseRectangle(
        canvas.to_picture(corners),
        lines,
        {name: canvas.to_picture(line.points) for name, line in lines.items() if len(line.points)},
        float(np.sum(supports)) / 4,
        sum(c is not None for c in chosen),
        strip,
        spread,
        sum(
            c is None and (side.cut or region.open_sides[(turn + i) % 4])
            for i, (c, side) in enumerate(zip(chosen, sides.values(), strict=True))
        ),
        tuple(name for name in hidden if not _inside(lines[name], sides[name])),
        sum(not endings[name].agrees(lines[name], 0.8 + 1.5 / sides[name].px) for name in hidden),
        endings,
    )


def _inside(line: NoseLine, side: Side) -> bool:
    """Whether an unseen nose lies where it can: inside the border of the cloth by the width of a cushion's top."""
    border = side.outer()
    return border is not None and 0.4 < float(line.at(0.5)) - sum(border) / 2 < _STRIP_RANGE[1]


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
    canvas = Canvas(picture, region, turn, ratio, 15.0)
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


def _choose(sides: Sequence[Side]) -> tuple[list[Candidate | None], float, float] | None:
    """One candidate a side, so that the steps are clear and the strips between nose and rail equally wide."""
    options = [[c for c in side.candidates() if _STRIP_RANGE[0] <= c.width <= _STRIP_RANGE[1]] for side in sides]
    best = None
    for combination in product(*[[*found, None] for found in options]):
        chosen = [c for c in combination if c is not None]
        if len(chosen) < 2:
            continue
        widths = np.array([c.width for c in chosen])
        sigmas = np.array([0.35 + 1.5 / side.px for side, c in zip(sides, combination, strict=True) if c is not None])
        strip = float(np.average(widths, weights=sigmas**-2))
        away = (widths - strip) / sigmas
        tilts = np.array([c.tilt for c in chosen]) / (2.0 * sigmas)
        usual = ((strip - STRIP) / 1.0) ** 2
        value = (
            sum(c.score for c in chosen)
            + 0.12 * sum(c is None for c in combination)
            - 0.12 * float((np.minimum(np.abs(away), 4) ** 2).sum())
            - 0.06 * float((np.minimum(np.abs(tilts), 3) ** 2).sum())
            - 0.05 * usual
        )
        if best is None or value > best[0]:
            best = (value, list(combination), strip, float(np.abs(np.concatenate([away, tilts])).max(initial=0.0)))
    return best[1:] if best else None


def _corner(canvas: Canvas, lines: dict[str, NoseLine], end: str, long: str) -> Floats:
    """Canvas px where the (bent) nose lines of a short and a long side meet."""
    across, along = 0.0 if end == "home" else 1.0, 0.0 if long == "left" else 1.0
    for _ in range(6):
        from_end, from_long = float(lines[end].at(along)), float(lines[long].at(across))
        across = from_end / canvas.length if end == "home" else 1 - from_end / canvas.length
        along = from_long / canvas.width if long == "left" else 1 - from_long / canvas.width
    return canvas.point(end, from_end, along)
