"""Has the camera moved, or does the picture show something else? Asked a few times a second, answered in a few milliseconds.

Pieces of the noses, rails and pockets (`patches`) are followed to a few hundredths of a pixel from the picture of the
calibration to the present one, never from picture to picture, so that slow drift adds up. People hide some pieces, never
move most of them alike; a cut to another view hides all; a moved camera, or a moved table, shifts all alike. What counts is
how far the corners of the noses went, and the error bar of that.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibration.patches import Motion, Pieces, apply, corner_spread

Array = NDArray[np.float64]
STILL = 0.8  # px of the full picture that a corner may seem to go; standing cameras measure below 0.5, swaying ones 0.7
_SURE = 4.0  # error bars from which a shift is one
_ERROR = 0.3  # px: error bar of a corner up to which it is plainly where it was
_SEEN = 0.3  # share of the pieces that must be seen to say anything
_STAY = 0.42  # share of the seen pieces that did not move, from which the table did not: 0.3 in real moves, 0.6 in shadows
_FAIR = 0.5  # share of the seen pieces that must agree on one motion
_COARSE = 480  # width of the picture in which a large shift is looked for, px
_REACH = 0.08  # how far, in widths of the picture
_COARSE_PIECES = 28
_NOWHERE = np.eye(3)
_AGAIN = 10  # looks in which a piece was not recognised, while the camera stood, until it is taken anew


@dataclass(frozen=True, slots=True)
class View:
    """What one picture shows.

    `same`: nothing says that the table is not where it was; `sure`: it plainly is there. `shift_px`: how far the corner of the
    noses that moved most went, px of the full picture, and `sigma_px` its error bar; NaN for another scene. `spread_px`: error
    bar of the least known corner. `seen`: share of the pieces round the table that were recognised; `agree`: share of those
    that moved alike; `sides`: how many of the table's sides they lie at. `matrix` (3, 3): pixels of the reference to pixels of
    this picture; None for another scene. `residual_px`: what the common motion leaves of the pieces' own shifts (root mean square).
    """

    same: bool
    shift_px: float
    reason: str
    seen: float
    sigma_px: float = float("nan")
    agree: float = 0.0
    sides: int = 0
    residual_px: float = float("nan")
    sure: bool = False
    spread_px: float = float("nan")
    matrix: Array | None = field(default=None, compare=False, repr=False)
    corners: Array | None = field(default=None, compare=False, repr=False)  # (4, 2) px, where the noses' corners are now


@dataclass(frozen=True, slots=True, eq=False)
class Matches:
    """Pieces that moved alike: `places` (N, 2) px in the reference, `ends` (N, 2) px now, `weights` (N, 2, 2) 1/px^2."""

    places: Array
    ends: Array
    weights: Array


class CameraWatch:
    """Compares pictures with a reference taken at calibration.

    Args:
        reference_gray: (H, W) uint8, any size.
        corners: (4, 2) px of the noses' rectangle in that picture, in the order of `--corners`.

    Raises:
        ValueError: a picture that is not grey, or without edges round the table to watch.
    """

    def __init__(self, reference_gray: NDArray[np.uint8], corners: ArrayLike) -> None:
        if reference_gray.ndim != 2:
            raise ValueError("reference: expected a grey picture (height, width)")
        self._shape = reference_gray.shape
        width = max(reference_gray.shape)
        self._corners = np.asarray(corners, float).reshape(4, 2)
        self._home, self._home_matrix = self._corners, _NOWHERE
        self._pieces = Pieces(reference_gray, self._corners, int(np.clip(round(width / 110), 7, 14)))
        if len(self._pieces) < 6 or len(set(self._pieces.sides.tolist())) < 2:
            raise ValueError("reference: no edges round the table to watch")
        self._reference = reference_gray
        self._coarse: _Coarse | None = None
        self._matrix = _NOWHERE
        self._motion: Motion | None = None
        self._missed = np.zeros(len(self._pieces), int)

    @property
    def corners(self) -> Array:
        """(4, 2) px of the noses' corners in the reference."""
        return self._corners

    @property
    def reference(self) -> NDArray[np.uint8]:
        """The grey picture (H, W) that others are compared with."""
        return self._reference

    def accept(self, view: View) -> None:
        """From now on the table counts as unmoved where `view` saw it; still measured from the same reference."""
        if view.corners is not None and view.matrix is not None:
            self._home, self._home_matrix = view.corners, view.matrix

    def matches(self) -> Matches:
        """What the last look found of the pieces."""
        if self._motion is None:
            return Matches(np.empty((0, 2)), np.empty((0, 2)), np.empty((0, 2, 2)))
        agree = self._motion.agree
        places = self._pieces.places[agree]
        return Matches(places, places + self._motion.shifts[agree], self._motion.weights[agree])

    def look(self, gray: NDArray[np.uint8]) -> View:
        """The view of a picture of the same size."""
        if gray.shape != self._shape:
            size = f"picture of {gray.shape[1]}x{gray.shape[0]} px instead of {self._shape[1]}x{self._shape[0]}"
            return View(False, float("nan"), size, 0.0)
        motion = self._pieces.align(gray, self._matrix)
        if not _good(motion) and self._matrix is not _NOWHERE:
            still = self._pieces.align(gray, _NOWHERE)
            motion = still if still.agree.sum() > motion.agree.sum() else motion
        if not _good(motion):
            self._coarse = self._coarse or _Coarse(self._reference, self._corners)
            guess = self._coarse.look(gray)
            if guess is not None:
                far = self._pieces.align(gray, guess, steps=6)
                motion = far if far.agree.sum() > motion.agree.sum() else motion
        self._motion = motion
        view = self._judged(motion)
        self._matrix = motion.matrix if view.matrix is not None else _NOWHERE
        if view.same:
            self._renew(gray, motion, view)
        return view

    def _judged(self, motion: Motion) -> View:
        seen = float(motion.seen.mean())
        if not _known(motion):
            return View(False, float("nan"), "another scene: the table is not where it was", seen)
        agree = float(motion.agree.sum() / max(motion.seen.sum(), 1))
        sides = len(set(self._pieces.sides[motion.agree].tolist()))
        corners = apply(motion.matrix, self._corners)
        away = np.linalg.norm(corners - self._home, axis=1)
        spread = np.sqrt(np.linalg.eigvalsh(corner_spread(self._pieces, motion))[:, 1])
        # the corner that has surely moved most; hidden ones are not sure
        worst = int(np.argmax(away - _SURE * spread))
        shift, sigma = float(away[worst]), float(spread[worst])
        stay = motion.stay(self._pieces.places, self._home_matrix)
        moved = shift > STILL and shift > _SURE * sigma and sides >= 2 and agree >= _FAIR and stay < _STAY
        reason = f"the camera or the table has moved by {shift:.1f} px" if moved else ""
        sure = sides >= 2 and agree >= _FAIR and ((shift <= STILL and sigma < _ERROR) or stay > 0.5)
        error, left = float(spread.max()), motion.residual_px
        return View(not moved, shift, reason, seen, sigma, agree, sides, left, sure, error, motion.matrix, corners)

    def _renew(self, gray: NDArray[np.uint8], motion: Motion, view: View) -> None:
        """Pieces that have long been something else are taken anew, while most others say that nothing moved."""
        self._missed = np.where(motion.agree, 0, self._missed + 1)
        stale = self._missed >= _AGAIN
        if stale.any() and view.shift_px < 0.5 * STILL and view.sigma_px < 0.2 and view.sides >= 3 and (view.seen * view.agree) > 0.5:
            self._pieces.renew(gray, motion.matrix, stale)
            self._missed[stale] = 0


def _known(motion: Motion) -> bool:
    """Whether enough pieces were recognised to call it the same table."""
    return float(motion.seen.mean()) >= _SEEN and motion.agree.sum() >= max(5, 0.4 * motion.seen.sum())


def _good(motion: Motion) -> bool:
    return float(motion.seen.mean()) >= 0.5 and motion.agree.sum() >= 0.6 * motion.seen.sum()


class _Coarse:
    """Finds a large shift in a small picture: the sum of all pieces' likenesses, tried at every displacement."""

    def __init__(self, gray: NDArray[np.uint8], corners: Array) -> None:
        self._scale = min(1.0, _COARSE / max(gray.shape))
        small = self._small(gray)
        self._half = 8
        self._pieces = Pieces(small, (corners + 0.5) * self._scale - 0.5, self._half)
        self._chosen = self._pieces.best(_COARSE_PIECES) if len(self._pieces) else np.empty(0, np.intp)
        self._reach = round(_REACH * max(small.shape))
        edges = _edges(small)
        self._templates = [self._cut(edges, x, y, self._half) for x, y in self._pieces.places[self._chosen]]

    def _small(self, gray: NDArray[np.uint8]) -> NDArray[np.uint8]:
        if self._scale == 1:
            return gray
        return np.asarray(cv2.resize(gray, None, fx=self._scale, fy=self._scale, interpolation=cv2.INTER_AREA), np.uint8)

    @staticmethod
    def _cut(picture: NDArray, x: float, y: float, half: int) -> NDArray:
        x, y = round(x), round(y)
        return picture[y - half : y + half + 1, x - half : x + half + 1]

    def look(self, gray: NDArray[np.uint8]) -> Array | None:
        """A matrix (3, 3) in pixels of the full picture that is right to a few of them, or None."""
        if len(self._chosen) < 5:
            return None
        small = self._small(gray)
        reach = self._reach
        wide = cv2.copyMakeBorder(_edges(small), reach, reach, reach, reach, cv2.BORDER_CONSTANT, value=0.0)
        total = np.zeros((2 * reach + 1, 2 * reach + 1), np.float32)
        for (x, y), template in zip(self._pieces.places[self._chosen], self._templates, strict=True):
            scores = cv2.matchTemplate(self._cut(wide, x + reach, y + reach, self._half + reach), template, cv2.TM_CCOEFF_NORMED)
            # turned or zoomed, the pieces go different ways
            total += cv2.dilate(np.nan_to_num(np.maximum(scores, 0)), np.ones((5, 5), np.uint8))
        total = cv2.GaussianBlur(total, (0, 0), 1.0)
        _, _, _, (dx, dy) = cv2.minMaxLoc(total)
        start = np.array([[1.0, 0, dx - reach], [0, 1.0, dy - reach], [0, 0, 1.0]])
        motion = self._pieces.align(small, start, steps=8)
        if motion.seen.mean() < 0.25 or motion.agree.sum() < 5:
            return None
        to = np.array([[self._scale, 0, 0.5 * self._scale - 0.5], [0, self._scale, 0.5 * self._scale - 0.5], [0, 0, 1.0]])
        return np.linalg.inv(to) @ motion.matrix @ to


def _edges(gray: NDArray[np.uint8]) -> NDArray[np.float32]:
    smooth = cv2.GaussianBlur(gray, (0, 0), 0.8)
    gx, gy = cv2.Sobel(smooth, cv2.CV_32F, 1, 0), cv2.Sobel(smooth, cv2.CV_32F, 0, 1)
    return np.minimum(cv2.magnitude(gx, gy), 160.0)
