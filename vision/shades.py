"""A second opinion on detected colours from the pixels: browns and pinks of other games are no reds.

The network sees one ball at a time and mixes up neighbouring colours. Two things it does not use: a red is saturated and
its hue is red whatever the light, and balls of one colour look alike in one picture, so the odd one among many is another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import cv2
import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from vision.detect import Detection

_BROWN_HUE = 54.0  # degrees in Lab: reds lie at 15-45 even under warm lamps, browns and oranges beyond
_PINK_LIGHT, _PINK_CHROMA = 160.0, 55.0  # 8-bit L from which, and chroma below which, a red is a pink
_WHITE_LIGHT, _WHITE_CHROMA = 180.0, 22.0  # a bright ball of next to no colour is no yellow
_MANY = 4  # balls of one colour from which one can be odd
_ODD = 11.0  # distance in (a, b) from their median, at least


def core_colour(picture: NDArray[np.uint8], x: float, y: float, diameter: float) -> NDArray[np.float64]:
    """Median Lab (8 bit) of the middle of a ball."""
    r = max(0.32 * diameter, 1.5)
    ys, xs = np.mgrid[int(y - r) : int(y + r) + 2, int(x - r) : int(x + r) + 2]
    inside = (xs - x) ** 2 + (ys - y) ** 2 <= r * r
    v, u = ys[inside].clip(0, picture.shape[0] - 1), xs[inside].clip(0, picture.shape[1] - 1)
    return np.median(cv2.cvtColor(picture[v, u][None], cv2.COLOR_BGR2LAB)[0].astype(float), axis=0)


def _chroma(lab: NDArray[np.float64]) -> float:
    return float(np.hypot(lab[1] - 128, lab[2] - 128))


def _no_red(lab: NDArray[np.float64]) -> bool:
    chroma, hue = _chroma(lab), float(np.degrees(np.arctan2(lab[2] - 128, lab[1] - 128)))
    return chroma > 15 and (hue > _BROWN_HUE or (lab[0] > _PINK_LIGHT and chroma < _PINK_CHROMA))


def second_opinion(picture: NDArray[np.uint8], found: Sequence[Detection]) -> list[Detection]:
    """The detections, some reds now `other`, and colourless yellows `white`."""
    cores = [core_colour(picture, d.x, d.y, d.diameter) for d in found]
    pale = [d.colour == "yellow" and c[0] > _WHITE_LIGHT and _chroma(c) < _WHITE_CHROMA for d, c in zip(found, cores, strict=True)]
    found = [replace(d, colour="white") if p else d for d, p in zip(found, pale, strict=True)]
    reds = [i for i, d in enumerate(found) if d.colour == "red"]
    other = {i for i in reds if _no_red(cores[i])}
    rest = [i for i in reds if i not in other]
    if len(rest) >= _MANY:
        hues = np.array([cores[i][1:] for i in rest])
        away = np.linalg.norm(hues - np.median(hues, axis=0), axis=1)
        limit = max(_ODD, 4 * float(np.median(away)))
        other |= {i for i, far in zip(rest, away, strict=True) if far > limit}
    return [replace(d, colour="other") if i in other else d for i, d in enumerate(found)]
