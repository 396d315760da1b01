"""What a camera and the mains do to the light over time: flickering lamps, seen in bands by a rolling shutter, and automatic exposure."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numba import njit
from numpy.typing import NDArray

from sample_videos.render.look import encoding

Picture = NDArray[np.uint8]
_GAINS = np.exp(np.linspace(np.log(0.2), np.log(5.0), 256))  # a curve for each
_FRINGE = 0.8  # px at 1080 rows: width of sharpening's fringes
_SETTLES = 0.25  # s in which an exposure control follows


@dataclass(frozen=True, slots=True)
class Sensor:
    """`readout`: s between the exposure of the first and of the last row. `flicker`: by which share the lamps' light swings, at twice the
    frequency `mains` Hz. `steps`: (s of the video, gain from then on) of the automatic exposure. `sharpen`: how much the camera
    raises edges (0..3), with the light and dark fringes that this leaves."""

    readout: float = 0.0
    flicker: float = 0.0
    mains: float = 50.0
    steps: tuple[tuple[float, float], ...] = ()
    sharpen: float = 0.0

    @property
    def idle(self) -> bool:
        """Whether it leaves pictures as they are."""
        return not self.flicker and not self.steps and not self.sharpen

    def gains(self, t: float, rows: int, exposure: float) -> NDArray[np.float64]:
        """(rows,) linear gain of each row of the frame of time t."""
        when = t + (np.arange(rows) / max(rows - 1, 1) - 0.5) * self.readout
        beat = 2 * self.mains
        swing = self.flicker * np.sinc(beat * exposure)  # what an exposure averages of a sine
        gain = 1 + swing * np.cos(2 * np.pi * beat * when)
        level = 1.0
        for start, goal in self.steps:
            level = level + (goal - level) * np.clip((t - start) / _SETTLES, 0, 1)
        return gain * level

    def expose(self, picture: Picture, t: float, exposure: float) -> Picture:
        """The BGR picture as the sensor sees it at time t; what was saturated stays so only where it was far over."""
        if self.sharpen:
            soft = cv2.GaussianBlur(picture, (0, 0), _FRINGE * picture.shape[0] / 1080 + 0.5)
            picture = np.asarray(cv2.addWeighted(picture, 1 + self.sharpen, soft, -self.sharpen, 0), np.uint8)
        if not self.flicker and not self.steps:
            return picture
        gains = self.gains(t, picture.shape[0], exposure)
        index = np.clip(np.rint(np.interp(np.log(gains), np.log(_GAINS), np.arange(len(_GAINS)))), 0, len(_GAINS) - 1)
        return _through(picture, index.astype(np.int64), _curves())


def random_sensor(rng: np.random.Generator, fps: float) -> Sensor:
    """A camera of a hall: mostly a rolling shutter, often lamps that flicker a little, seldom an exposure that hunts."""
    steps = ()
    if rng.random() < 0.25:
        steps = tuple((float(rng.uniform(0, 12)), float(rng.uniform(0.75, 1.25))) for _ in range(int(rng.integers(1, 4))))
        steps = tuple(sorted(steps))
    return Sensor(
        readout=float(rng.uniform(0.15, 0.95) / fps) if rng.random() < 0.7 else 0.0,
        flicker=float(rng.uniform(0.02, 0.25)) if rng.random() < 0.4 else 0.0,
        mains=50.0 if rng.random() < 0.7 else 60.0,
        steps=steps,
    )


_CURVES: list[Picture] = []


def _curves() -> Picture:
    """(256 gains, 256 values): 8-bit values under a gain in linear light."""
    if not _CURVES:
        values = np.arange(256) / 255
        light = np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)
        table = encoding()
        shown = np.clip(light * _GAINS[:, None], 0, 1)
        _CURVES.append((np.interp(shown, np.arange(4096) / 4095.0, table) + 0.5).astype(np.uint8))
    return _CURVES[0]


@njit(cache=True, nogil=True)
def _through(picture: np.ndarray, index: np.ndarray, curves: np.ndarray) -> np.ndarray:
    out = np.empty_like(picture)
    for i in range(picture.shape[0]):
        curve = curves[index[i]]
        for j in range(picture.shape[1]):
            for c in range(3):
                out[i, j, c] = curve[picture[i, j, c]]
    return out
