"""Whether a quadrilateral can be a rectangle of known proportions seen by a camera in use, which of its sides is long, and
from how low each of its sides is seen."""

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
    matrix = _homography(quad, size)
    return float("inf") if matrix is None else float(np.min(_costs(matrix, size, aspect)))


def leanings(quad: NDArray[np.float64], size: tuple[int, int], aspect: float) -> tuple[float, float, float, float]:
    """How the line of sight to each side leans outwards: horizontal by vertical part; home, left, foot, right.

    Negative for a side that is nearer than the camera's foot point: what stands above it seems to lie farther inside. Zeros where no
    camera sees such a quadrilateral. Arguments as in `implausibility`.
    """
    matrix = _homography(quad, size)
    if matrix is None:
        return (0.0, 0.0, 0.0, 0.0)
    focal = float(_FOCALS[np.argmin(_costs(matrix, size, aspect))]) * max(size)
    rays = matrix / np.array([[focal], [focal], [1.0]])
    scale = 1 / max(float(np.linalg.norm(rays[:, 0])) / aspect, 1e-12)  # the rectangle is `aspect` long and 1 wide
    along, across = rays[:, 0] / np.linalg.norm(rays[:, 0]), rays[:, 1] / np.linalg.norm(rays[:, 1])
    down = np.cross(along, across)
    down /= max(float(np.linalg.norm(down)), 1e-12)
    origin = rays[:, 2] * scale  # of the rectangle, seen from the camera
    height = abs(float(origin @ down))
    if height < 0.05:
        return (0.0, 0.0, 0.0, 0.0)
    x, y = float(origin @ along), float(origin @ across)
    return (-x / height, -y / height, (x + aspect) / height, (y + 1) / height)


def _homography(quad: NDArray[np.float64], size: tuple[int, int]) -> NDArray[np.float64] | None:
    unit = np.array([[0, 1], [0, 0], [1, 0], [1, 1]], np.float32)
    matrix = cv2.getPerspectiveTransform(unit, (quad - (np.array(size) - 1) / 2).astype(np.float32))
    return matrix if np.isfinite(matrix).all() else None


def _costs(matrix: NDArray[np.float64], size: tuple[int, int], aspect: float) -> NDArray[np.float64]:
    """Squared sigmas for every focal length."""
    focal = _FOCALS * max(size)
    along = np.stack([matrix[0, 0] / focal, matrix[1, 0] / focal, np.full_like(focal, matrix[2, 0])])
    across = np.stack([matrix[0, 1] / focal, matrix[1, 1] / focal, np.full_like(focal, matrix[2, 1])])
    long, wide = np.linalg.norm(along, axis=0), np.linalg.norm(across, axis=0)
    cosine = (along * across).sum(axis=0) / np.maximum(long * wide, 1e-12)
    ratio = np.log(np.maximum(long, 1e-12) / np.maximum(wide, 1e-12) / aspect)
    return (ratio / _ASPECT) ** 2 + (cosine / _SQUARE) ** 2 + (np.log(_FOCALS / _TYPICAL) / _SPREAD) ** 2
