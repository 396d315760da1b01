"""Has the camera moved, or does the picture show something else? Asked a few times a second, answered in a few milliseconds.

Patches round the corners of the noses' rectangle and along its sides are looked for in the new picture near their old
places. People hide some patches, never most; a cut to another view hides all; a moved camera shifts all alike.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

_WIDTH = 640  # of the picture looked at
_PATCH, _REACH = 24, 14  # half size of a patch and how far it is looked for, px of that picture
_ALIKE = 0.45  # correlation of edges from which a patch counts as found
_STILL = 0.6  # px of that picture; standing cameras measure below 0.15, even behind players


@dataclass(frozen=True, slots=True)
class View:
    """`same`: the picture shows the table where it was. `shift_px`: of the full picture; NaN for another scene.

    `seen`: share of the patches that were found.
    """

    same: bool
    shift_px: float
    reason: str
    seen: float


class CameraWatch:
    """Compares pictures with a reference taken at calibration.

    Args:
        reference_gray: (H, W) uint8, any size.
        corners: (4, 2) px of the noses' rectangle in that picture.

    Raises:
        ValueError: a picture that is not grey or whose table lies outside it.
    """

    def __init__(self, reference_gray: NDArray[np.uint8], corners: ArrayLike) -> None:
        if reference_gray.ndim != 2:
            raise ValueError("reference: expected a grey picture (height, width)")
        self._shape = reference_gray.shape
        self._scale = _WIDTH / max(reference_gray.shape)
        edges = self._edges(reference_gray)
        quad = (np.asarray(corners, float).reshape(4, 2) + 0.5) * self._scale - 0.5
        self._patches: list[tuple[int, int, NDArray[np.float32], NDArray[np.float64] | None]] = []
        for x, y, normal in _places(quad):
            x, y = (int(np.clip(v, _PATCH, size - _PATCH - 1)) for v, size in ((x, edges.shape[1]), (y, edges.shape[0])))
            patch = edges[y - _PATCH : y + _PATCH + 1, x - _PATCH : x + _PATCH + 1]
            if float(patch.std()) > 3.0:
                self._patches.append((x, y, patch.copy(), normal))
        if not self._patches:
            raise ValueError("reference: no edges round the table to watch")

    def look(self, gray: NDArray[np.uint8]) -> View:
        """The view of a picture of the same size."""
        if gray.shape != self._shape:
            return View(
                False, float("nan"), f"picture of {gray.shape[1]}x{gray.shape[0]} px instead of {self._shape[1]}x{self._shape[0]}", 0.0
            )
        edges = self._edges(gray)
        rows, shifts, found = [], [], 0
        for x, y, patch, normal in self._patches:
            shift = _shift(edges, x, y, patch)
            if shift is None:
                continue
            found += 1
            for axis in (normal,) if normal is not None else (np.array([1.0, 0.0]), np.array([0.0, 1.0])):
                rows.append(axis)
                shifts.append(float(axis @ shift))
        seen = found / len(self._patches)
        if seen < 0.34 or len(rows) < 3:
            return View(False, float("nan"), "another scene: the table is not where it was", seen)
        moved = _agreed(np.array(rows), np.array(shifts))
        away = float(np.hypot(*moved)) / self._scale
        if away * self._scale > _STILL:
            return View(False, away, f"the camera or the table has moved by {away:.1f} px", seen)
        return View(True, away, "", seen)

    def _edges(self, gray: NDArray[np.uint8]) -> NDArray[np.float32]:
        small = cv2.resize(
            gray, None, fx=self._scale, fy=self._scale, interpolation=cv2.INTER_AREA if self._scale < 1 else cv2.INTER_LINEAR
        )
        small = cv2.GaussianBlur(small, (0, 0), 0.8)
        gx, gy = cv2.Sobel(small, cv2.CV_32F, 1, 0), cv2.Sobel(small, cv2.CV_32F, 0, 1)
        return np.minimum(cv2.magnitude(gx, gy), 160.0)


def _places(quad: NDArray[np.float64]) -> list[tuple[float, float, NDArray[np.float64] | None]]:
    """Corners, and points along the sides with the sides' normals (along a side a patch may slip)."""
    places: list[tuple[float, float, NDArray[np.float64] | None]] = [(x, y, None) for x, y in quad]
    for start, end in zip(quad, np.roll(quad, -1, axis=0), strict=True):
        along = (end - start) / max(float(np.linalg.norm(end - start)), 1e-9)
        for share in (0.3, 0.7):
            x, y = start + share * (end - start)
            places.append((x, y, np.array([-along[1], along[0]])))
    return places


def _shift(edges: NDArray[np.float32], x: int, y: int, patch: NDArray[np.float32]) -> NDArray[np.float64] | None:
    """Displacement of a patch to sub-pixel, or None if it is not found nearby."""
    half = _PATCH + _REACH
    top, left = max(0, y - half), max(0, x - half)
    window = edges[top : y + half + 1, left : x + half + 1]
    scores = cv2.matchTemplate(window, patch, cv2.TM_CCOEFF_NORMED)
    _, best, _, (bx, by) = cv2.minMaxLoc(scores)
    if best < _ALIKE:
        return None
    return np.array([left + bx + _peak(scores[by], bx) + _PATCH - x, top + by + _peak(scores[:, bx], by) + _PATCH - y])


def _peak(values: NDArray[np.float32], at: int) -> float:
    if not 0 < at < len(values) - 1:
        return 0.0
    left, middle, right = (float(v) for v in values[at - 1 : at + 2])
    bend = left - 2 * middle + right
    return 0.5 * (left - right) / bend if bend < -1e-9 else 0.0


def _agreed(rows: NDArray[np.float64], shifts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Translation that most measurements agree on (iterated weights; a few patches may have caught a sleeve)."""
    weights = np.ones(len(rows))
    moved = np.zeros(2)
    for _ in range(8):
        normal = rows.T @ (rows * weights[:, None]) + 1e-6 * np.eye(2)
        moved = np.linalg.solve(normal, rows.T @ (weights * shifts))
        weights = 1 / (0.3 + np.abs(shifts - rows @ moved))
    return np.asarray(moved, np.float64)
