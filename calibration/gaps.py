"""Where middle pockets break the strips of cloth on the long cushions, and where the bed is no even cloth.

Straightened by four corners, the lines along the table are parallel, so places along them are right up to a shift and a scale even
where a short side is wrong. The middle pockets lie at half of the length: a side that is off by so much shows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import median_filter

from calibration.canvas import Canvas
from calibration.sides import NoseLine

Floats = NDArray[np.float64]
_DEPTHS = np.arange(0.3, 1.15, 0.1)  # units outside the nose in which the strip is looked at
_AROUND = 26.0  # units along the strip whose usual colour a place is compared with: much more than a mouth is wide
_APART = 12.0  # Lab distance from which a place is not of the strip's cloth
_WIDTHS = (1.4, 9.5)  # units: a tight snooker pocket seen at a slant, a wide one of a small table
_SEARCHED = (30.0, 70.0)
_STEP = 0.1  # units
_ALIKE, _AS_WIDE = 2.5, 1.8  # units by which the gaps of a pair may differ in place, and times in width: else one is a person
SIGMA = 0.7  # units: jaws seen at a slant
_FACE = 1.5  # units of the bed that a cushion's face hides behind it, per unit of leaning
_SMOOTH, _CLOSE = 24.0, 12.0  # units inside a nose in which the bed must be even, as a whole and by parts


@dataclass(frozen=True, slots=True)
class Gap:
    """A break in the strip on a long cushion: `centre` and `width` in units (% of the length) from the home nose."""

    centre: float
    width: float


@dataclass(frozen=True, slots=True)
class Middles:
    """The middle pockets: `off`, how far their middle seems to be from half of the length, in units; `pair`: seen on both sides."""

    off: float
    pair: bool

    @property
    def deviation(self) -> float:
        """Sigmas from half of the length."""
        return abs(self.off) / (SIGMA * (0.71 if self.pair else 1.0))


def middle_pockets(canvas: Canvas, lines: Mapping[str, NoseLine]) -> Middles | None:
    """The middle pockets by the gaps in both strips, or in one near the middle; None where nothing is told.

    A single gap far from the middle may be a hand or a ball, two opposite each other are pockets.
    """
    left, right = middle_gaps(canvas, lines, "left"), middle_gaps(canvas, lines, "right")
    pairs = [(one, two) for one in left for two in right if _opposite(one, two)]
    if pairs:
        one, two = min(pairs, key=lambda pair: abs(pair[0].centre + pair[1].centre - 100))
        return Middles((one.centre + two.centre) / 2 - 50, True)
    offs = [gap.centre - 50 for gap in left + right]
    nearest = min(offs, key=abs, default=None)
    return Middles(nearest, False) if nearest is not None and abs(nearest) < 3 * SIGMA else None


def _opposite(one: Gap, two: Gap) -> bool:
    return abs(one.centre - two.centre) < _ALIKE and 1 / _AS_WIDE < one.width / two.width < _AS_WIDE


def middle_gaps(canvas: Canvas, lines: Mapping[str, NoseLine], name: str) -> tuple[Gap, ...]:
    """Breaks of the strip on one of the two long cushions that can be the mouth of a middle pocket."""
    t = np.arange(8.0, 92.0 + 1e-9, _STEP)
    far = _strip_differs(canvas, lines, name, t)
    if not np.isfinite(far).all():
        return ()
    noise = float(np.median(far))
    found = []
    for first, last in _runs(far > max(_APART, 3.5 * noise), round(0.5 / _STEP)):
        level = float(np.percentile(far[first : last + 1], 80))
        inner = np.nonzero(far[first : last + 1] > noise + 0.5 * (min(level, 45.0) - noise))[0]
        low, high = t[first + inner[0]], t[first + inner[-1]]
        centre, width = float(low + high) / 2, float(high - low)
        if _SEARCHED[0] < centre < _SEARCHED[1] and _WIDTHS[0] <= width <= _WIDTHS[1]:
            found.append(Gap(centre, width))
    return tuple(found)


def _strip_differs(canvas: Canvas, lines: Mapping[str, NoseLine], name: str, t: Floats) -> Floats:
    """Lab distance of a long cushion's strip from its usual colour nearby, at units t from the home nose; NaN outside the picture."""
    lab, covered = canvas.side(name, canvas.lab), canvas.side(name, canvas.covered)
    across = 0.0 if name == "left" else 1.0
    home, foot = float(lines["home"].at(across)), canvas.length - float(lines["foot"].at(across))
    along = home + t / 100 * (foot - home)
    columns = np.clip(np.round((along + canvas.out) * canvas.scale - 0.5).astype(int), 0, lab.shape[1] - 1)
    nose = lines[name].at(along / canvas.length)
    rows = np.clip(np.round((nose - _DEPTHS[:, None] + canvas.out) * canvas.scale).astype(int), 0, len(lab) - 1)
    colour = np.median(lab[rows, columns].astype(float), axis=0)
    coarse = median_filter(colour[::5], size=(round(_AROUND / _STEP / 5), 1), mode="reflect")
    usual = np.repeat(coarse, 5, axis=0)[: len(colour)]
    return np.where(covered[rows, columns].mean(axis=0) > 0.5, np.linalg.norm(colour - usual, axis=1), np.nan)


def unevenness(canvas: Canvas, lines: Mapping[str, NoseLine], name: str, leaning: float) -> float:
    """Largest step (Lab) across the bed along a side, inside of the dark face of its cushion: a rail or a floor taken for cloth.

    Of a near side, whose top hides its face, each third is looked at as well, close to the nose: a line may run into the rail at one end.
    """
    lab = canvas.lab if name in ("left", "right") else canvas.lab.swapaxes(0, 1)
    lab = lab[::-1] if name in ("foot", "right") else lab
    nose = max(float(np.mean(lines[name].at(np.linspace(0, 1, 5)))), 0.0)
    first = nose + 1.5 + _FACE * max(leaning, 0.0)
    deep = min(_SMOOTH, canvas.span("left" if name in ("home", "foot") else "home") / 2 - first)
    edge = round((canvas.out + 6) * canvas.scale)
    lab = lab[:, edge : lab.shape[1] - edge : 3]
    worst = _largest_step(_cut_out(canvas, lab, first, deep), canvas.scale, 1.5)
    if leaning < 0:
        close = _cut_out(canvas, lab, nose + 0.2, min(_CLOSE, deep))
        worst = max([worst, *(_largest_step(part, canvas.scale, 0.8) for part in np.array_split(close, 3, axis=1))])
    return worst


def _cut_out(canvas: Canvas, lab: NDArray[np.float32], first: float, deep: float) -> NDArray[np.float32]:
    start = round((first + canvas.out) * canvas.scale)
    return lab[start : start + round(deep * canvas.scale)]


def _largest_step(bed: NDArray[np.float32], scale: float, width: float) -> float:
    """Between means of the median profile over `width` units on both sides of a place."""
    window, gap = max(1, round(width * scale)), max(1, round(0.4 * scale))
    if len(bed) < 2 * window + gap or bed.shape[1] < 8:
        return 0.0
    profile = np.median(bed, axis=1).astype(float)
    total = np.vstack([np.zeros((1, 3)), np.cumsum(profile, axis=0)])
    means = (total[window:] - total[:-window]) / window
    return float(np.linalg.norm(means[window + gap :] - means[: -window - gap], axis=1).max(initial=0.0))


def _runs(flags: NDArray[np.bool_], bridge: int) -> list[tuple[int, int]]:
    """First and last index of runs of True; runs at most `bridge` apart are one."""
    places = np.nonzero(flags)[0]
    if not len(places):
        return []
    breaks = np.nonzero(np.diff(places) > bridge)[0]
    starts, ends = np.append(places[0], places[breaks + 1]), np.append(places[breaks], places[-1])
    return list(zip(starts.tolist(), ends.tolist(), strict=True))
