"""A detected ball measured again on its rim: where colour falls from the ball's to its surroundings', a circle is fitted."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
_RAYS = 48
_STEPS = 33
_REACH = (0.55, 1.45)  # of the radius, where the rim is looked for
_TURN = np.linspace(0, 2 * np.pi, _RAYS, endpoint=False)
_COS, _SIN = np.cos(_TURN), np.sin(_TURN)
_LAB = np.array([0.45, 1.0, 1.0], np.float32)  # shadows are darker, but of the cloth's hue
_LEAST_RAYS = 0.55  # share of the rays that must agree
_LEAST_STEP = 6.0  # contrast at the rim, in weighted Lab


def rim_circle(picture: NDArray[np.uint8], x: float, y: float, diameter: float, surroundings: Floats) -> tuple[float, float, float] | None:
    """Centre and diameter px of the ball near (x, y), or None where its rim is not clear (streaks, covered balls).

    `surroundings` (3,): Lab (8 bit) of the cloth round it.
    """
    radius = diameter / 2
    reach = np.linspace(*_REACH, _STEPS) * radius
    u = (x + reach * _COS[:, None]).astype(np.float32)
    v = (y + reach * _SIN[:, None]).astype(np.float32)
    seen = cv2.remap(picture, u, v, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    lab = cv2.cvtColor(seen, cv2.COLOR_BGR2LAB).astype(np.float32)
    other = np.linalg.norm((lab - surroundings) * _LAB, axis=2)
    other = cv2.GaussianBlur(other, (5, 1), 0)
    fall = other[:, :-2] - other[:, 2:]
    best = np.clip(np.argmax(fall, axis=1), 1, fall.shape[1] - 2)
    rows = np.arange(_RAYS)
    a, b, c = fall[rows, best - 1], fall[rows, best], fall[rows, best + 1]
    bend = a - 2 * b + c
    shift = np.where(np.abs(bend) > 1e-6, (a - c) / (2 * np.where(np.abs(bend) > 1e-6, bend, 1)), 0)
    edge = np.interp(best + 1 + np.clip(shift, -0.5, 0.5), np.arange(_STEPS), reach)
    clear = b > _LEAST_STEP
    return _circle(x, y, radius, edge, clear)


def _circle(x: float, y: float, radius: float, edge: NDArray[np.float64], clear: NDArray[np.bool_]) -> tuple[float, float, float] | None:
    """Circle through the rim's points, without those that lie off it."""
    keep = clear.copy()
    points = np.column_stack([edge * _COS, edge * _SIN])
    middle, r = np.zeros(2), radius
    for _ in range(5):
        if keep.sum() < _LEAST_RAYS * _RAYS:
            return None
        p = points[keep]
        solved: np.ndarray = np.linalg.lstsq(np.column_stack([2 * p, np.ones(len(p))]), (p**2).sum(axis=1), rcond=None)[0]
        middle, r = solved[:2], float(max(float(solved[2] + solved[:2] @ solved[:2]), 0.0)) ** 0.5
        off = np.abs(np.linalg.norm(points - middle, axis=1) - r)
        keep = clear & (off < max(2.5 * float(np.median(off[keep])), 0.04 * radius, 0.25))
    if keep.sum() < _LEAST_RAYS * _RAYS or np.hypot(middle[0], middle[1]) > 0.4 * radius or not 0.78 < r / radius < 1.25:
        return None
    return x + float(middle[0]), y + float(middle[1]), 2 * r
