"""Where the noses of two opposite sides end: that is where the cushions between them begin, also one whose own nose is not seen.

From low down the nearest cushion hides its own face, so its nose lies between cloth and cloth. But the dark bands under the noses
of its neighbours end at it; where pockets cut them short, they do so by as much at the other end, whose nose is seen.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import median_filter

from calibration.canvas import Canvas
from calibration.sides import NoseLine, Side

Floats = NDArray[np.float64]
_NEXT = {"home": ("left", "right"), "foot": ("left", "right"), "left": ("home", "foot"), "right": ("home", "foot")}
_DEEPEST = 9.0  # units by which a pocket may cut a nose short
_AROUND = 26.0  # units along a strip whose usual colour a place is compared with: much more than a mouth is wide
_APART = 15.0  # Lab distance from which a place is not of the strip's cloth: nets, rims and rails may be as bright


class _Extent(NamedTuple):
    """Parameters `low` .. `high` of a side between which its nose is seen; `whole`: no pocket in its middle."""

    low: float
    high: float
    whole: bool


_NOTHING = _Extent(np.nan, np.nan, False)


@dataclass(frozen=True, slots=True)
class Ending:
    """Distance (units from the outline) of a side's nose at its two ends by those of its neighbours, NaN where they say nothing.

    `open_ends`: no pocket cuts the noses, so that they end at the nose itself.
    """

    start: float
    end: float
    open_ends: bool

    @property
    def line(self) -> tuple[float, float] | None:
        """Distances at both ends where no pocket leaves them in doubt, or None."""
        return (self.start, self.end) if self.open_ends and np.isfinite([self.start, self.end]).all() else None

    def agrees(self, line: NoseLine, tolerance: float) -> bool:
        """Whether both ends say that the nose is at `line`."""
        return bool(abs(self.start - line.at(0.0)) < tolerance and abs(self.end - line.at(1.0)) < tolerance)


def ending(side: str, canvas: Canvas, sides: dict[str, Side], lines: dict[str, NoseLine]) -> Ending:
    """Where the nose of `side` must be by the noses beside it, which must be seen, and, with pockets, the one opposite."""
    opposite = {"home": "foot", "foot": "home", "left": "right", "right": "left"}[side]
    extents = {name: _extent(canvas, sides[name], lines[name]) for name in _NEXT[side] if lines[name].seen}
    whole = [_extent(canvas, sides[name], lines[name]).whole for name in ("left", "right") if lines[name].seen]
    first = side in ("home", "left")
    places, short = [], []
    for neighbour in _NEXT[side]:
        extent = extents.get(neighbour, _NOTHING)
        span = canvas.span(neighbour)
        here, there = (extent.low * span, (1 - extent.high) * span) if first else ((1 - extent.high) * span, extent.low * span)
        cut = there - float(lines[opposite].at(0.0 if neighbour in ("home", "left") else 1.0))
        short.append(cut if -1.0 < cut < _DEEPEST and lines[opposite].seen else np.nan)
        places.append(here)
    usual = float(np.median(np.array(short)[np.isfinite(short)])) if np.isfinite(short).any() else np.nan
    open_ends = (not whole or all(whole)) and bool(usual < 0.8 if np.isfinite(usual) else whole)
    cuts = [0.0 if open_ends else cut if np.isfinite(cut) else usual for cut in short]
    start, end = (here - max(cut, 0.0) for here, cut in zip(places, cuts, strict=True))
    return Ending(float(start), float(end), open_ends)


def _extent(canvas: Canvas, side: Side, line: NoseLine) -> _Extent:
    """Where along a side its nose is a step from the strip's cloth to something darker."""
    span = canvas.span(side.name)
    colours = canvas.side(side.name, canvas.lab)
    lab = colours[..., 0].astype(float)
    columns = np.arange(lab.shape[1])
    s = ((columns + 0.5) / canvas.scale - canvas.out) / span
    nose = line.at(s)
    steps, strip = [], []
    for near in (0.25, 0.45, 0.65, 0.85):
        out, into = (np.clip(np.round((nose + d + canvas.out) * canvas.scale).astype(int), 0, len(lab) - 1) for d in (-near, near))
        steps.append(lab[out, columns] - lab[into, columns])
        strip.append(colours[out, columns])
    step = np.convolve(np.mean(steps, axis=0), np.ones(size := max(3, round(0.5 * canvas.scale))) / size, mode="same")
    usual = float(np.median(step[(s > 0.1) & (s < 0.9)]))
    if usual < 2.0:
        return _NOTHING
    there = (step > 0.45 * usual) & _of_one_cloth(np.mean(strip, axis=0), round(_AROUND * canvas.scale))
    gap = max(2, round(1.2 * canvas.scale))
    middle = there[np.abs(s - 0.5) < 0.03]
    return _Extent(_until(there[::-1], s[::-1], gap), _until(there, s, gap), bool(middle.mean() > 0.9))


def _of_one_cloth(strip: Floats, around: int) -> NDArray[np.bool_]:
    """Where along a strip (N, 3) Lab its colour is that of the strip nearby."""
    usual = median_filter(strip[::4], size=(max(3, around // 4), 1), mode="nearest")
    usual = np.repeat(usual, 4, axis=0)[: len(strip)]
    return np.linalg.norm(strip - usual, axis=1) < _APART


def _until(there: NDArray[np.bool_], s: Floats, gap: int) -> float:
    """The last parameter, going from three quarters outwards, before a gap of so many columns; NaN where there is none to the end."""
    start = int(np.argmin(np.abs(s - (0.75 if s[-1] > s[0] else 0.25))))
    last, missing = start, 0
    for index in range(start, len(s)):
        if there[index]:
            last, missing = index, 0
        else:
            missing += 1
            if missing >= gap and abs(s[index] - s[start]) > 0.1:
                break
    return float(s[last]) if abs(s[-1] - s[last]) * abs(len(s) / (s[-1] - s[0])) > gap else float("nan")  # it goes on beyond
