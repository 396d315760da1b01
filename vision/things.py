"""Hands and cue tips that the network sees beside balls. What their boxes are: models/things.py."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.labels import BALLS, CLASSES

_SAME = 0.5  # of the longer side: cells with centres nearer than that speak of one thing


@dataclass(frozen=True, slots=True)
class Thing:
    """A hand (its box) or a cue (a square, in whose middle its tip is): centre and sides px of the picture, confidence 0..1.

    (0, 0) is the centre of the first pixel.
    """

    kind: str
    x: float
    y: float
    width: float
    height: float
    confidence: float


def thinned_things(out: NDArray[np.float32], confidence: float, scale: tuple[float, float], size: tuple[int, ...]) -> list[Thing]:
    """One a thing, surest first.

    Args:
        out: (4 + K, C) of the network: x, y, width, height px of its input, scores of K classes; without hands and cues there are none.
        confidence: the least to report.
        scale: by how much the picture was enlarged for the network, across and down.
        size: height and width of the picture, px.
    """
    found = []
    for n, kind in enumerate(CLASSES):
        if n < len(BALLS) or 4 + n >= len(out):
            continue
        keep = np.flatnonzero(out[4 + n] >= confidence)
        keep = keep[np.argsort(-out[4 + n, keep])]
        x, y = out[0, keep] / scale[0] - 0.5, out[1, keep] / scale[1] - 0.5
        w, h = out[2, keep] / scale[0], out[3, keep] / scale[1]
        free = (w > 0) & (h > 0) & (x >= -0.5) & (x < size[1]) & (y >= -0.5) & (y < size[0])
        for i in range(len(keep)):
            if free[i]:
                free &= np.hypot(x - x[i], y - y[i]) >= _SAME * np.maximum(np.maximum(w, h), max(w[i], h[i]))
                found.append(Thing(kind, float(x[i]), float(y[i]), float(w[i]), float(h[i]), float(out[4 + n, keep[i]])))
    return sorted(found, key=lambda d: -d.confidence)
