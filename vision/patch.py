"""Windows of a frame as float YUV at luma resolution, and the background that lies behind the balls.

Chroma of 4:2:0 video is mostly sited left (co-sited with even luma columns, midway between luma rows), that of JPEG in the
middle (`Frame.siting`): it is brought to luma resolution from there, else coloured balls would shift by up to half a pixel.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import cv2
import numpy as np

from vision.frames import Frame

_STRANGE = 16  # levels from the background that are no noise
_LIKE = 10  # levels by which a picture of what is known differs from it
_MOVES = 8  # levels between two pictures that are no noise
_GRAIN, _GRAIN_LIKE = 3.2, 2.5  # times the usual difference of two pictures, and of one from the background, in grainy video
_MOST_GRAIN = 6.0  # levels of it


@dataclass(frozen=True, slots=True)
class Box:
    """A window in px, x0 <= x < x1; always within the picture and even."""

    x0: int
    y0: int
    x1: int
    y1: int

    @property
    def empty(self) -> bool:
        return self.x1 - self.x0 < 4 or self.y1 - self.y0 < 4

    @property
    def luma(self) -> tuple[slice, slice]:
        """Rows and columns of the window in a picture at luma resolution."""
        return np.s_[self.y0 : self.y1, self.x0 : self.x1]

    @property
    def chroma(self) -> tuple[slice, slice]:
        """Rows and columns of the window at chroma resolution."""
        return np.s_[self.y0 // 2 : self.y1 // 2, self.x0 // 2 : self.x1 // 2]


def box_around(x: float, y: float, half: float, shape: tuple[int, ...]) -> Box:
    """The even window of half size `half` px round (x, y), cut to a picture of `shape` (H, W)."""
    h, w = shape[:2]
    x0, y0 = max(0, int(x - half)) // 2 * 2, max(0, int(y - half)) // 2 * 2
    x1, y1 = min(w, int(x + half) + 2) // 2 * 2, min(h, int(y + half) + 2) // 2 * 2
    return Box(min(x0, w), min(y0, h), max(x1, 0), max(y1, 0))


def patch(frame: Frame, box: Box) -> np.ndarray:
    """(h, w, 3) float32 YUV of a window, at luma resolution; in memory one plane after the other."""
    planes = np.empty((3, box.y1 - box.y0, box.x1 - box.x0), np.float32)
    planes[0] = frame.y[box.luma]
    chroma = np.empty((2, planes.shape[1] // 2, planes.shape[2] // 2), np.float32)
    chroma[0], chroma[1] = frame.u[box.chroma], frame.v[box.chroma]
    _upsample(chroma, planes[1:], frame.siting)
    return planes.transpose(1, 2, 0)


def _upsample(chroma: np.ndarray, out: np.ndarray, siting: tuple[float, float]) -> None:
    """Chroma (n, h, w) to luma resolution, into `out` (n, 2 h, 2 w): linear between its sites, repeated beyond them."""
    rows = np.empty((chroma.shape[0], out.shape[1], chroma.shape[2]), np.float32)
    _stretch(chroma, rows, siting[1], np.s_[:,])
    _stretch(rows, out, siting[0], np.s_[:, :])


def _stretch(samples: np.ndarray, out: np.ndarray, site: float, axes: tuple[slice, ...]) -> None:
    """Samples that lie at 0 + `site`, 2 + `site`, … along the axis after `axes` into `out`, twice as long, at 0, 1, 2, …"""
    first, last = (*axes, slice(0, 1)), (*axes, slice(-1, None))
    but_first, but_last = (*axes, slice(1, None)), (*axes, slice(None, -1))
    before, after = site / 2, (1 - site) / 2
    if before:
        np.add((1 - before) * samples[but_first], before * samples[but_last], out=out[(*axes, slice(2, None, 2))])
        out[first] = samples[first]
    else:
        out[(*axes, slice(0, None, 2))] = samples
    if after:
        np.add((1 - after) * samples[but_last], after * samples[but_first], out=out[(*axes, slice(1, -1, 2))])
        out[last] = samples[last]
    else:
        out[(*axes, slice(1, None, 2))] = samples


class Background:
    """The table without balls and people, learnt per pixel and kept up to date.

    It starts from the first frames with the balls painted over by the cloth around them, and adopts what stays still
    (not moving between looks, and not a known ball) after `patience` looks, so that a hand that rested on the table
    in the first frame is forgotten.

    `strange`: pixels in the last look, at the resolution of chroma, that are neither table nor known ball, of those in `bed`
    ((H/2, W/2) uint8, 1 inside; None: all). `guessed`: whether some of the table that
    no known ball covers was never seen.
    """

    def __init__(self, frame: Frame, discs: list[tuple[float, float, float]], patience: int = 3, bed: np.ndarray | None = None):
        self._planes = [p.copy() for p in (frame.y, frame.u, frame.v)]
        self._siting = frame.siting
        self._mixed = [np.empty_like(p) for p in self._planes]  # room to work in
        self._last = self._halved(frame)
        self._still = np.zeros(frame.u.shape, np.uint8)
        self._patience = patience
        self._bed = np.ones(frame.u.shape, np.uint8) if bed is None else bed
        self.strange, self.guessed = frame.u.size, True
        self._unknown = np.zeros(frame.u.shape, np.uint8)  # half resolution: painted over, not seen yet
        self._paint_over(discs)

    def _disc_mask(self, discs: list[tuple[float, float, float]], grow: float = 1.25) -> np.ndarray:
        mask = np.zeros(self._unknown.shape, np.uint8)
        for x, y, r in discs:
            cv2.circle(mask, (round(x / 2), round(y / 2)), round(grow * r / 2 + 1.5), 1, -1)
        return mask

    def _paint_over(self, discs: list[tuple[float, float, float]]) -> None:
        mask = self._disc_mask(discs)
        self._unknown |= mask
        full = cv2.resize(mask, self._planes[0].shape[::-1], interpolation=cv2.INTER_NEAREST)
        for x, y, r in discs:
            reach = 2.5 * r + 8
            box = box_around(x, y, reach, self._planes[0].shape)
            if box.empty:
                continue
            for plane, m, view in zip(self._planes, (full, mask, mask), (box.luma, box.chroma, box.chroma), strict=True):
                plane[view] = cv2.inpaint(np.ascontiguousarray(plane[view]), np.ascontiguousarray(m[view]), 3, cv2.INPAINT_TELEA)

    def frame(self) -> Frame:
        """The background as a frame (index -1)."""
        return Frame(-1, Fraction(0), False, *self._planes, siting=self._siting)

    def patch(self, box: Box) -> np.ndarray:
        return patch(self.frame(), box)

    def give_back(self, frame: Frame, disc: tuple[float, float, float]) -> None:
        """A ball was found at `disc` (x, y, r px) in a frame: if it lay there so long that it was learnt as table, forget that."""
        x, y, r = disc
        box = box_around(x, y, r, self._planes[0].shape)
        if box.empty:
            return
        change = cv2.absdiff(patch(frame, box), self.patch(box)).max(axis=2)
        ys, xs = np.ogrid[box.y0 : box.y1, box.x0 : box.x1]
        inside = (xs - x) ** 2 + (ys - y) ** 2 < (0.8 * r) ** 2
        if inside.any() and float(np.median(change[inside])) < _LIKE:
            self._paint_over([disc])
            self._still *= 1 - self._disc_mask([disc])

    def look(self, frame: Frame, discs: list[tuple[float, float, float]]) -> None:
        """Learn from a frame; `discs` (x, y, r px) are where balls are or may be. Call a few times a second."""
        shown, mine = self._halved(frame), self._halved(self.frame())
        change = _most(self._last, shown)
        known = self._disc_mask(discs)
        moves = max(_MOVES, _GRAIN * min(_usual(change), _MOST_GRAIN))
        moving = cv2.dilate((change > moves).view(np.uint8), np.ones((3, 3), np.uint8)) | known
        resting = moving == 0
        self._still = cv2.add(self._still, 1) * resting  # saturates
        away = _most(mine, shown)
        alike = max(_LIKE, _GRAIN_LIKE * min(_usual(away), _MOST_GRAIN))
        like = away <= alike
        self.strange = cv2.countNonZero(((away > _STRANGE / _LIKE * alike) & (known == 0)).view(np.uint8) & self._bed)
        near = like & resting
        adopt = (self._still >= self._patience) & ~like | (self._unknown > 0) & (self._still >= 1)
        self._unknown *= ~adopt
        self.guessed = cv2.countNonZero(self._unknown * (known == 0)) > 0
        self._mix(frame, near.view(np.uint8), adopt.view(np.uint8) if adopt.any() else None)
        self._last = shown

    @staticmethod
    def _halved(frame: Frame) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The planes of a frame at the resolution of chroma; copies."""
        luma = cv2.resize(frame.y, frame.u.shape[::-1], interpolation=cv2.INTER_AREA)
        return luma, frame.u.copy(), frame.v.copy()

    def _mix(self, frame: Frame, near: np.ndarray, adopt: np.ndarray | None) -> None:
        for k, (mine, theirs, mixed) in enumerate(zip(self._planes, (frame.y, frame.u, frame.v), self._mixed, strict=True)):
            theirs = np.ascontiguousarray(theirs)
            cv2.copyTo(cv2.addWeighted(mine, 0.75, theirs, 0.25, 0, dst=mixed), near if k else _doubled(near), mine)
            if adopt is not None:
                cv2.copyTo(theirs, adopt if k else _doubled(adopt), mine)


def _usual(difference: np.ndarray) -> float:
    """The median difference: most of a picture is table at rest, so that is its grain."""
    return float(np.median(difference[::4, ::4]))


def _doubled(mask: np.ndarray) -> np.ndarray:
    """A mask (h, w) uint8 of zeros and ones at twice the size; several times faster than `cv2.resize`."""
    return np.repeat((mask.astype(np.uint16) * 257).view(np.uint8), 2, axis=0)


def _most(a: Sequence[np.ndarray], b: Sequence[np.ndarray]) -> np.ndarray:
    """The largest difference of two pictures in any plane, pixel by pixel."""
    luma, u, v = (cv2.absdiff(p, q) for p, q in zip(a, b, strict=True))
    return cv2.max(luma, cv2.max(u, v))
