"""Whether a quadrilateral can be a rectangle of known proportions seen by a camera in use, and which of its sides is long."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

_FOCALS = np.exp(np.linspace(np.log(0.35), np.log(4.0), 25))  # widths of the picture
_TYPICAL, _SPREAD = 0.82, 0.45
_ASPECT, _SQUARE = 0.05, 0.04  # sigmas of the logarithm of the proportions and of the cosine between the sides


def implausibility(quad: NDArray[np.float64], size: tuple[int, int], aspect: float) -> float:
    """Squared sigmas by which a quadrilateral (4, 2) px differs from a rectangle of `aspect` = length / width.

    `quad` in the order of the table's corners (one short side first); `size` (width, height) px of the picture, whose middle is
    taken for the principal point; the focal length is the best for it, with a prior.
    """
    unit = np.array([[0, 1], [0, 0], [1, 0], [1, 1]], np.float32)
    middle = (np.array(size) - 1) / 2
    matrix = cv2.getPerspectiveTransform(unit, (quad - middle).astype(np.float32))
    if not np.isfinite(matrix).all():
        return float("inf")
    focal = _FOCALS * max(size)
    along = np.stack([matrix[0, 0] / focal, matrix[1, 0] / focal, np.full_like(focal, matrix[2, 0])])
    across = np.stack([matrix[0, 1] / focal, matrix[1, 1] / focal, np.full_like(focal, matrix[2, 1])])
    long, wide = np.linalg.norm(along, axis=0), np.linalg.norm(across, axis=0)
    cosine = (along * across).sum(axis=0) / np.maximum(long * wide, 1e-12)
    ratio = np.log(np.maximum(long, 1e-12) / np.maximum(wide, 1e-12) / aspect)
    return float(np.min((ratio / _ASPECT) ** 2 + (cosine / _SQUARE) ** 2 + (np.log(_FOCALS / _TYPICAL) / _SPREAD) ** 2))
