"""One side of a straightened table: where its nose and the border of its cloth may be. Unit: 1 % of the table's length."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.canvas import Canvas
from calibration.cloth import ClothColour

Floats = NDArray[np.float64]
LOOSE = 0.6  # of likeness to the cloth: tops and shades differ from the bed
RISE = 0.25  # units by which the cloth usually ends higher, on the rails, than the noses
_TOPPED = 0.3  # share of the profiles with a cushion's top behind them from which the others do not count
STEPS = 72  # profiles along a side


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
class Candidate:
    start: float
    end: float
    support: float
    width: float  # from the outer border of the cloth
    tilt: float  # by how much more at its end than at its start
    score: float

    @property
    def at(self) -> float:
        return (self.start + self.end) / 2


class Side:
    """Profiles of one side: (distance, along) arrays of brightness steps and of likeness to the cloth."""

    def __init__(self, canvas: Canvas, name: str, colour: ClothColour, strictness: float = LOOSE, leaning: float = 0.0) -> None:
        """`leaning` of the line of sight (`shape.leanings`): it moves the end of the cloth, which is higher than the noses."""
        self.name, self.canvas, self.leaning = name, canvas, leaning
        lab = canvas.side(name, canvas.lab)
        covered = canvas.side(name, canvas.covered)
        span = canvas.span(name)
        self.s = np.linspace(0.07, 0.93, STEPS)
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

    def tops(self, distance: Floats) -> Floats:
        """Likeness to the cloth of each profile just outside a distance (profiles,): a nose has its cushion's top there."""
        rows = self.rows(distance + np.linspace(-0.9, -0.3, 5)[:, None])
        return np.asarray(self.like[rows, np.arange(len(self.s))].mean(axis=0), float)

    def outer(self) -> tuple[float, float] | None:
        """The line where the cloth ends towards the rail, or None where the picture does not show it."""
        step = -self._step(self.like, 0.6)
        moved = RISE * self.leaning
        starts, ends = line_grid(max(-2.0 - max(moved, 0.0), 2.0 - self.canvas.out), 2.0 - min(moved, 0.0), 0.1, 2.0)
        means = self.along(step, starts, ends).mean(axis=1)
        best = int(np.argmax(means))
        if means[best] < 0.35:
            return None
        return float(starts[best]), float(ends[best])

    def farther(self, nearest: float = -1.5, slope: float = 2.0) -> tuple[float, float] | None:
        """A line outside the outline where cloth ends, `nearest` or farther: the far cushion seen from low down, a side cut off wrongly."""
        starts, ends = line_grid(3.0 - self.canvas.out, nearest, 0.2, slope)
        inside = np.mean([self.along(self.like, starts + d, ends + d).mean(axis=1) for d in (0.2, 0.5, 0.8)], axis=0)
        outside = np.mean([self.along(self.like, starts - d, ends - d).mean(axis=1) for d in (0.3, 0.7, 1.2)], axis=0)
        step = np.where((inside > 0.5) & (outside < 0.35), inside - outside, 0.0)
        best = int(np.argmax(step))
        return (float(starts[best]), float(ends[best])) if step[best] > 0.4 else None

    @property
    def cut(self) -> bool:
        """Whether the picture ends before the cloth does."""
        return float(self.covered[self.rows(np.array(-0.6))].mean()) < 0.5

    def candidates(self) -> list[Candidate]:
        border = self.outer()
        starts, ends = line_grid(-1.5, 6.0, 0.1, 2.4)
        support = np.tanh(self.along(self.fall, starts, ends) / (3 * self.noise)).mean(axis=1)
        found: list[Candidate] = []
        for i in np.argsort(-support):
            if support[i] < 0.18 or len(found) >= 5:
                break
            start, end = float(starts[i]), float(ends[i])
            if any(abs(c.start - start) + abs(c.end - end) < 0.9 for c in found):
                continue
            top = self.tops(start + (end - start) * self.s)
            # from low down the dark face of the far cushion is several units deep: not every band need be cloth
            bed = float(np.median([self.band(start, end, d, d + 1.6) for d in (1.6, 3.4, 5.2, 7.0)]))
            first, last = border or (0.0, 0.0)
            width, tilt = (start + end - first - last) / 2, (end - last) - (start - first)
            # profile by profile: edges of what hides the nose, one after another, have no cushion's top behind them
            steps = np.tanh(self.along(self.fall, starts[i : i + 1], ends[i : i + 1])[0] / (3 * self.noise))
            score = float((steps * (0.35 + 0.65 * top)).mean()) * (0.35 + 0.65 * bed)
            found.append(Candidate(start, end, float(support[i]), width, tilt, score))
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
            topped = good & (self.tops(distance) > 0.5)
            if topped.sum() >= max(12, _TOPPED * len(self.s)):
                good = topped  # the others show what lies over the cushion
            if good.sum() < 12:
                return NoseLine((start, end - start, 0.0), 0.0, np.empty((0, 2)), False)
            coefficients, kept = robust_curve(self.s[good], distance[good], max(0.06, 0.4 / self.px))
            base = coefficients[0] + coefficients[1] * self.s + coefficients[2] * self.s**2
            offsets = offsets[np.abs(offsets) <= max(2, 0.7 * offsets.max())]
        points = self.canvas.point(self.name, distance[good][kept], self.s[good][kept])
        c0, c1, c2 = coefficients
        return NoseLine((c0, c1, c2), float(kept.sum()) / len(self.s), points, True)


def line_grid(low: float, high: float, step: float, slope: float) -> tuple[Floats, Floats]:
    starts, ends = np.meshgrid(np.arange(low, high, step), np.arange(low, high, step), indexing="ij")
    keep = np.abs(starts - ends) <= slope
    return starts[keep], ends[keep]


def robust_curve(s: Floats, distance: Floats, scale: float) -> tuple[Floats, NDArray[np.bool_]]:
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
