"""The light on a table and the noise of its picture: the cloth's colour, how even it is, what flickers while nothing moves."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import cv2
import numpy as np

from calibration.certify.observed import BallLook, Colour, Light, Still
from referee.certificate.probe import Look, bgr_of, difference
from vision.frames import Frame

_STEP = 8  # px between the cloth's pixels that are looked at
_MOST = 4000  # of them
_KEPT = 150  # frames of a still stretch
_MOVED = 6.0  # levels of luma, mean of a block, that mean something moved there
_BLOCK = 16  # px


@dataclass
class _Stretch:
    start: float
    end: float
    rows: list[np.ndarray]


class Scene:
    """Takes frames in order. `mask` (H, W): the part of the picture that shows the table."""

    def __init__(self, mask: np.ndarray) -> None:
        inner = cv2.erode(mask, np.ones((_STEP * 3, _STEP * 3), np.uint8))
        ys, xs = np.nonzero(inner[::_STEP, ::_STEP])
        keep = np.linspace(0, len(ys) - 1, min(len(ys), _MOST)).astype(int) if len(ys) else np.zeros(0, int)
        self._ys, self._xs = ys[keep] * _STEP, xs[keep] * _STEP
        self._mask = mask
        self._blocks: np.ndarray | None = None
        self._now: _Stretch | None = None
        self._best: _Stretch | None = None
        self._looks: dict[str, list[Look]] = defaultdict(list)
        self._cloths: list[tuple[np.ndarray, float, float]] = []

    def take(self, frame: Frame, *, moving: bool) -> bool:
        """The next frame; `moving`: a ball moves in it. Returns whether nothing at all moves."""
        blocks = self._blocks_of(frame)
        same = self._blocks is not None and not moving and float(np.abs(blocks - self._blocks).max(initial=0)) < _MOVED
        self._blocks = blocks
        if not same or not len(self._ys):
            self._now = None
            return False
        if self._now is None:
            self._now = _Stretch(frame.seconds, frame.seconds, [])
        self._now.end = frame.seconds
        if len(self._now.rows) < _KEPT:
            self._now.rows.append(frame.y[self._ys, self._xs])
        if self._best is None or self._now.end - self._now.start > self._best.end - self._best.start:
            self._best = self._now
        return True

    def _blocks_of(self, frame: Frame) -> np.ndarray:
        """Mean luma of the blocks of the table, (N,): single pixels are noisy, people are not small."""
        h, w = frame.y.shape
        size = (max(1, w // _BLOCK), max(1, h // _BLOCK))
        small = cv2.resize(np.ascontiguousarray(frame.y), size, interpolation=cv2.INTER_AREA).astype(np.float32)
        inside = cv2.resize(self._mask, size, interpolation=cv2.INTER_AREA) > 0
        return small[inside]

    def see(self, ball: str, look: Look | None) -> None:
        """How a resting ball looks."""
        if look is not None and len(self._looks[ball]) < 200:
            self._looks[ball].append(look)

    def see_cloth(self, frame: Frame, discs: list[tuple[float, float, float]]) -> None:
        """The cloth in a frame without people; `discs` are the balls, px."""
        free = np.ones(len(self._ys), bool)
        for x, y, r in discs:
            free &= np.hypot(self._xs - x, self._ys - y) > 1.5 * r
        if free.sum() < 50 or len(self._cloths) >= 20:
            return
        ys, xs = self._ys[free], self._xs[free]
        luma = frame.y[ys, xs].astype(np.float32)
        colour = np.array([np.median(luma), np.median(frame.u[ys // 2, xs // 2]), np.median(frame.v[ys // 2, xs // 2])])
        low, high = np.quantile(luma - 16, [0.05, 0.95])
        self._cloths.append((colour, float(np.clip(low / max(high, 1.0), 0, 1)), float((luma >= 233).mean())))

    def still(self) -> Still | None:
        """The longest stretch without motion, and its noise; None if there was none."""
        best = self._best
        if best is None or len(best.rows) < 4:
            return None
        rows = np.array(best.rows, np.float32)
        level = rows.mean(axis=1)
        noise = float(np.median((rows - level[:, None]).std(axis=0, ddof=1)))
        spread = float(np.quantile(level, 0.95) - np.quantile(level, 0.05))
        return Still(best.start, best.end, len(best.rows), noise, spread / 2 / max(1.0, float(level.mean()) - 16))

    def light(self) -> Light | None:
        """What was seen of cloth and balls; None if not even the cloth was."""
        if not self._cloths:
            return None
        cloth = bgr_of(np.median(np.array([c for c, _, _ in self._cloths]), axis=0))
        balls, colours = [], {}
        for ball, looks in self._looks.items():
            colour = np.median([look.ball for look in looks], axis=0)
            colours[ball] = tuple(float(v) for v in colour)
            # the worst place counts: shadows at the rails, a lamp's reflection
            contrast = float(np.quantile([difference(look.ball, look.cloth) for look in looks], 0.05))
            balls.append(BallLook(ball, _rgb(colours[ball]), contrast, float(np.quantile([look.burnt for look in looks], 0.95))))
        names = list(colours)
        pairs = [((a, b), difference(colours[a], colours[b])) for k, a in enumerate(names) for b in names[k + 1 :]]
        even, burnt = float(np.median([e for _, e, _ in self._cloths])), float(np.median([b for _, _, b in self._cloths]))
        return Light(_rgb(cloth), even, burnt, tuple(balls), tuple(pairs))


def _rgb(bgr: tuple[float, ...]) -> Colour:
    b, g, r = bgr
    return r / 255, g / 255, b / 255
