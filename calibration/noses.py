"""The nose lines of the cushions, in a picture straightened by the outline of the cloth.

Going inwards from a rail, the top of the cushion is a bright strip of cloth, about 2 % of the table's length wide; at its
nose the picture falls to the dark band of the cushion's face and shadow; then comes the bed. So a nose is a step from
bright to dark with cloth on both sides, at equal distances from the four rails. Unit here: 1 % of the table's length.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.cloth import ClothColour, ClothRegion, cloth_colour, to_lab

Floats = NDArray[np.float64]
SIDES = ("home", "left", "foot", "right")  # in the order of the canvas: left, top, right, bottom
_CORNERS = (("home", "right"), ("home", "left"), ("foot", "left"), ("foot", "right"))
OUT, IN = 7.0, 10.0  # units looked at outside and inside the outline
STRIP = 2.0  # usual width of the top of a cushion, units
_STRIP_RANGE = (0.8, 4.6)
_LOOSE = 0.6  # of likeness to the cloth: tops and shades differ from the bed
_STEPS = 72  # profiles along a side


@dataclass(frozen=True, slots=True)
class NoseLine:
    """A side's nose on the canvas: distance in units from the outline, at parameter 0..1 along the side: c0 + c1 s + c2 s^2."""

    coefficients: tuple[float, float, float]
    support: float
    points: Floats  # (M, 2) canvas px of the profiles that show it
    seen: bool

    def at(self, s: Floats | float):
        c0, c1, c2 = self.coefficients
        return c0 + c1 * s + c2 * s * s


@dataclass(frozen=True, slots=True)
class _Candidate:
    start: float
    end: float
    support: float
    width: float  # from the outer border of the cloth
    score: float


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
    open: int  # sides where neither a nose nor an end of the cloth is seen


class Canvas:
    """A picture straightened so that the cloth's outline is a rectangle of 100 + 2 strips by 50 + 2 strips units."""

    def __init__(self, picture: NDArray[np.uint8], region: ClothRegion, turn: int, ratio: float = 0.5, out: float = OUT) -> None:
        """`turn` is the corner of the region's quad (clockwise) that comes to the lower left; `ratio` is width / length."""
        self.out = out
        self.length, self.width = 100 + 2 * STRIP, 100 * ratio + 2 * STRIP
        quad = np.roll(region.quad, -turn, axis=0)
        long = max(np.linalg.norm(quad[2] - quad[1]), np.linalg.norm(quad[3] - quad[0]))
        self.scale = float(np.clip(long / self.length, 4, 15))
        size = (round((self.length + 2 * out) * self.scale), round((self.width + 2 * out) * self.scale))
        corners = np.array([[0, self.width], [0, 0], [self.length, 0], [self.length, self.width]]) + out
        self.to_canvas = cv2.getPerspectiveTransform(quad.astype(np.float32), (corners * self.scale).astype(np.float32))
        self.from_canvas = np.linalg.inv(self.to_canvas)
        warped = cv2.warpPerspective(picture, self.to_canvas, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)
        covered = cv2.warpPerspective(np.full(picture.shape[:2], 255, np.uint8), self.to_canvas, size, flags=cv2.INTER_NEAREST)
        self.picture = warped
        self.lab = to_lab(cv2.GaussianBlur(warped, (0, 0), 0.6))
        self.covered = covered > 0

    def side(self, name: str, values: NDArray) -> NDArray:
        """Values of the canvas (rows, columns, ...) as (distance, along, ...) near one side, cut to the looked-at depth."""
        turned = {"home": values.swapaxes(0, 1), "foot": values[:, ::-1].swapaxes(0, 1), "left": values, "right": values[::-1]}[name]
        return turned[: round((self.out + IN) * self.scale)]

    def span(self, name: str) -> float:
        return self.width if name in ("home", "foot") else self.length

    def point(self, name: str, distance: Floats | float, s: Floats | float) -> Floats:
        """Canvas px of a distance in units from the outline of a side and a parameter 0..1 along it (left to right, top to bottom)."""
        distance, s = np.broadcast_arrays(np.asarray(distance, float), np.asarray(s, float))
        along = s * self.span(name)
        x, y = {
            "home": (distance, along),
            "foot": (self.length - distance, along),
            "left": (along, distance),
            "right": (along, self.width - distance),
        }[name]
        return (np.stack([x, y], axis=-1) + self.out) * self.scale - 0.5

    def to_picture(self, points: Floats) -> Floats:
        return cv2.perspectiveTransform(np.asarray(points, float).reshape(-1, 1, 2), self.from_canvas).reshape(-1, 2)

    def px_per_unit(self, name: str) -> float:
        """Pixels of the picture across a unit of distance from the middle of a side."""
        ends = self.to_picture(self.point(name, np.array([0.0, 1.0]), 0.5))
        return float(np.linalg.norm(ends[1] - ends[0]))


class _Side:
    """Profiles of one side: (distance, along) arrays of brightness steps and of likeness to the cloth."""

    def __init__(self, canvas: Canvas, name: str, colour: ClothColour, strictness: float = _LOOSE) -> None:
        self.name, self.canvas = name, canvas
        lab = canvas.side(name, canvas.lab)
        covered = canvas.side(name, canvas.covered)
        span = canvas.span(name)
        self.s = np.linspace(0.07, 0.93, _STEPS)
        if span > 0.7 * canvas.length:
            self.s = self.s[np.abs(self.s - 0.5) > 0.05]
        half = max(1, round(0.3 * canvas.scale))
        columns = np.round((canvas.out + self.s * span) * canvas.scale - 0.5).astype(int)
        light = cv2.blur(lab[..., 0], (2 * half + 1, 1))[:, columns]
        likeness = cv2.blur(colour.likeness(lab, strictness).astype(np.float32), (2 * half + 1, 1))[:, columns]
        self.covered = covered[:, columns]
        self.light = light.astype(float)
        self.like = np.where(self.covered, likeness, 0.0)
        self.px = canvas.px_per_unit(name)
        self.window = max(0.35, 1.3 / self.px)
        self.fall = self._step(self.light, self.window)
        bed = self.fall[round((canvas.out + 6) * canvas.scale) :]
        self.noise = 1.48 * float(np.median(np.abs(bed))) + 0.5
        rim = ~cv2.erode(self.covered.astype(np.uint8), np.ones((2 * round(self.window * canvas.scale) + 3, 1))).astype(bool)
        self.fall[rim] = 0

    def _step(self, values: Floats, window: float) -> Floats:
        """Mean over a window just outside minus the mean over one just inside, at every distance."""
        size = max(1, round(window * self.canvas.scale))
        total = np.vstack([np.zeros((1, values.shape[1])), np.cumsum(values, axis=0)])
        row = np.arange(len(values))
        before = (total[row] - total[np.maximum(row - size, 0)]) / size
        after = (total[np.minimum(row + size, len(values))] - total[row]) / size
        step = before - after
        step[:size] = step[-size:] = 0
        return step

    def rows(self, distance: Floats) -> NDArray[np.intp]:
        return np.clip(np.round((distance + self.canvas.out) * self.canvas.scale).astype(int), 0, len(self.fall) - 1)

    def along(self, values: Floats, starts: Floats, ends: Floats) -> Floats:
        """Values sampled on straight lines: (lines, profiles)."""
        distance = starts[..., None] + (ends - starts)[..., None] * self.s
        return values[np.minimum(self.rows(distance), len(values) - 1), np.arange(len(self.s))]

    def band(self, start: float, end: float, near: float, far: float) -> float:
        """Mean likeness to the cloth in a band between two distances from a line (negative: outside)."""
        offsets = np.linspace(near, far, 5)
        return float(np.mean([self.along(self.like, np.array([start + o]), np.array([end + o])).mean() for o in offsets]))

    def outer(self) -> tuple[float, float] | None:
        """The line where the cloth ends towards the rail, or None where the picture does not show it."""
        step = -self._step(self.like, 0.6)
        starts, ends = _grid(-2.0, 2.0, 0.1, 2.0)
        means = self.along(step, starts, ends).mean(axis=1)
        best = int(np.argmax(means))
        if means[best] < 0.35:
            return None
        return float(starts[best]), float(ends[best])

    def farther(self) -> tuple[float, float] | None:
        """A line outside the outline where cloth ends, beyond a band that is none: the far cushion seen from low down."""
        starts, ends = _grid(3.0 - self.canvas.out, -1.5, 0.2, 2.0)
        inside = np.mean([self.along(self.like, starts + d, ends + d).mean(axis=1) for d in (0.2, 0.5, 0.8)], axis=0)
        outside = np.mean([self.along(self.like, starts - d, ends - d).mean(axis=1) for d in (0.3, 0.7, 1.2)], axis=0)
        step = np.where((inside > 0.5) & (outside < 0.35), inside - outside, 0.0)
        best = int(np.argmax(step))
        return (float(starts[best]), float(ends[best])) if step[best] > 0.4 else None

    @property
    def cut(self) -> bool:
        """Whether the picture ends before the cloth does."""
        return float(self.covered[self.rows(np.array(-0.6))].mean()) < 0.5

    def candidates(self) -> list[_Candidate]:
        border = self.outer()
        starts, ends = _grid(-1.5, 6.0, 0.1, 2.4)
        support = np.tanh(self.along(self.fall, starts, ends) / (3 * self.noise)).mean(axis=1)
        found: list[_Candidate] = []
        for i in np.argsort(-support):
            if support[i] < 0.18 or len(found) >= 5:
                break
            start, end = float(starts[i]), float(ends[i])
            if any(abs(c.start - start) + abs(c.end - end) < 0.9 for c in found):
                continue
            top = self.band(start, end, -0.9, -0.3)
            # from low down the dark face of the far cushion is several units deep: not every band need be cloth
            bed = float(np.median([self.band(start, end, d, d + 1.6) for d in (1.6, 3.4, 5.2, 7.0)]))
            width = (start + end - sum(border or (0.0, 0.0))) / 2
            score = float(support[i]) * (0.35 + 0.65 * top) * (0.35 + 0.65 * bed)
            found.append(_Candidate(start, end, float(support[i]), width, score))
        return found

    def refine(self, start: float, end: float, reach: float) -> NoseLine:
        """The line bent to the steps of single profiles, to sub-pixel."""
        scale = self.canvas.scale
        window = max(0.15, 0.9 / self.px)
        fall = self._step(cv2.GaussianBlur(self.light, (0, 0), sigmaX=0.8, sigmaY=0.1), window)
        offsets = np.arange(-round(reach * scale), round(reach * scale) + 1)
        base = start + (end - start) * self.s
        for _ in range(3):
            rows = np.clip(np.round((base + self.canvas.out) * scale).astype(int)[None] + offsets[:, None], 1, len(fall) - 2)
            values = fall[rows, np.arange(len(self.s))[None]] - 0.25 * self.noise * (offsets[:, None] / max(reach * scale, 1)) ** 2
            best = np.argmax(values, axis=0)
            row = rows[best, np.arange(len(self.s))]
            strength = fall[row, np.arange(len(self.s))]
            left, mid, right = (fall[row + k, np.arange(len(self.s))] for k in (-1, 0, 1))
            bend = left - 2 * mid + right
            shift = np.where(bend < -1e-6, np.clip(0.5 * (left - right) / np.where(bend < -1e-6, bend, -1), -1, 1), 0)
            distance = (row + shift) / scale - self.canvas.out
            good = (strength > 1.5 * self.noise) & (best > 0) & (best < len(offsets) - 1)
            if good.sum() < 12:
                return NoseLine((start, end - start, 0.0), 0.0, np.empty((0, 2)), False)
            coefficients, kept = _robust_curve(self.s[good], distance[good], max(0.06, 0.4 / self.px))
            base = coefficients[0] + coefficients[1] * self.s + coefficients[2] * self.s**2
            offsets = offsets[np.abs(offsets) <= max(2, 0.7 * offsets.max())]
        points = self.canvas.point(self.name, distance[good][kept], self.s[good][kept])
        c0, c1, c2 = coefficients
        return NoseLine((c0, c1, c2), float(kept.sum()) / len(self.s), points, True)


def _grid(low: float, high: float, step: float, slope: float) -> tuple[Floats, Floats]:
    starts, ends = np.meshgrid(np.arange(low, high, step), np.arange(low, high, step), indexing="ij")
    keep = np.abs(starts - ends) <= slope
    return starts[keep], ends[keep]


def _robust_curve(s: Floats, distance: Floats, scale: float) -> tuple[Floats, NDArray[np.bool_]]:
    """Parabola through points by iterated weights (Tukey); which points support it."""
    basis = np.column_stack([np.ones_like(s), s, s * s])
    weights = np.ones_like(s)
    coefficients = np.zeros(3)
    for step in range(12):
        # the bend is held small unless the points ask for it
        rows = np.vstack([basis * weights[:, None], [[0, 0, 0.3]]])
        coefficients = np.linalg.lstsq(rows, np.append(distance * weights, 0.0), rcond=None)[0]
        residual = distance - basis @ coefficients
        limit = scale * max(4.0 - step * 0.25, 2.5) if step else max(6 * scale, 3 * 1.48 * float(np.median(np.abs(residual))))
        weights = np.sqrt(np.clip(1 - (residual / limit) ** 2, 0, None) ** 2)
    return np.asarray(coefficients, np.float64), np.abs(residual) < 2.5 * scale


def find_noses(picture: NDArray[np.uint8], region: ClothRegion, turn: int, ratio: float = 0.5) -> NoseRectangle | None:
    """The noses' rectangle inside one outline of cloth, or None where too few sides show one."""
    canvas = Canvas(picture, region, turn, ratio)
    colour = _bed_colour(canvas)
    sides = {name: _Side(canvas, name, colour) for name in SIDES}
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
    corners = np.array(
        [_corner(canvas, lines, *pair) for pair in (("home", "right"), ("home", "left"), ("foot", "left"), ("foot", "right"))]
    )
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
        sum(c is None and side.outer() is None for c, side in zip(chosen, sides.values(), strict=True)),
    )


def extended(picture: NDArray[np.uint8], region: ClothRegion, turn: int, ratio: float = 0.5) -> ClothRegion | None:
    """The region with its far side moved out to cloth that the dark face of the cushion cuts off from it, or None."""
    canvas = Canvas(picture, region, turn, ratio, 15.0)
    colour = _bed_colour(canvas)
    far = min(SIDES, key=canvas.px_per_unit)
    border = _Side(canvas, far, colour, 1.0).farther()
    if border is None:
        return None
    nothing = np.empty((0, 2))
    lines = {name: NoseLine((0.0, 0.0, 0.0), 0.0, nothing, False) for name in SIDES}
    lines[far] = NoseLine((border[0], border[1] - border[0], 0.0), 0.0, nothing, True)
    corners = np.array([_corner(canvas, lines, *pair) for pair in _CORNERS])
    return replace(region, quad=np.roll(canvas.to_picture(corners), turn, axis=0))


def _bed_colour(canvas: Canvas) -> ClothColour:
    margin = round((canvas.out + 8) * canvas.scale)
    bed = canvas.lab[margin:-margin:3, margin:-margin:3].reshape(-1, 3)
    return cloth_colour(bed)


def _choose(sides: Sequence[_Side]) -> tuple[list[_Candidate | None], float, float] | None:
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
        usual = ((strip - STRIP) / 1.0) ** 2
        value = (
            sum(c.score for c in chosen)
            + 0.12 * sum(c is None for c in combination)
            - 0.12 * float((np.minimum(away, 4) ** 2).sum())
            - 0.05 * usual
        )
        if best is None or value > best[0]:
            best = (value, list(combination), strip, float(np.abs(away).max(initial=0.0)))
    return best[1:] if best else None


def _corner(canvas: Canvas, lines: dict[str, NoseLine], end: str, long: str) -> Floats:
    """Canvas px where the (bent) nose lines of a short and a long side meet."""
    across, along = 0.0 if end == "home" else 1.0, 0.0 if long == "left" else 1.0
    for _ in range(6):
        from_end, from_long = float(lines[end].at(along)), float(lines[long].at(across))
        across = from_end / canvas.length if end == "home" else 1 - from_end / canvas.length
        along = from_long / canvas.width if long == "left" else 1 - from_long / canvas.width
    return canvas.point(end, from_end, along)
