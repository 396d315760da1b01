"""Small pieces of a picture round the table, and the plane motion that brings them to where they lie in another picture.

Pieces are taken on the noses, rails and pockets: things at the height of the noses or near it, that do not move unless the
camera or the table does. A piece of a straight edge tells its shift across the edge only; how much each piece tells, and in
which direction, is its information matrix. A homography is fitted to all of them by iterated weights, since some pieces are
hidden by people.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
_OUT, _IN = 0.06, 0.004  # of the table's length outside and inside the noses: rails and pockets, not balls at a cushion
_CELLS = (4, 8)  # along a short and a long side
_MARGIN = 3  # px round a piece, for smoothing
ALIKE = 0.65  # correlation from which a piece counts as seen
_FLOOR = 0.06  # px: coding and interpolation move edges by so much even in still pictures
_GRAIN = 2.0  # grey levels: noise of a piece at least
_CORRELATED = 4.0  # neighbouring pixels are not independent
_CUT = 3.5  # error bars from which a piece does not belong to the motion


@dataclass(frozen=True, slots=True, eq=False)
class Motion:
    """What all pieces together say.

    `matrix` (3, 3) takes pixels of the reference to pixels of the picture. `covariance` (8, 8) of its
    parameters. `seen` (N,): pieces that were recognised; `agree` (N,): those that move so;
    `shifts` (N, 2) px measured; `residual_px`: root mean square of what is left on the agreeing ones, where they tell.
    """

    matrix: Array
    covariance: Array
    seen: NDArray[np.bool_]
    agree: NDArray[np.bool_]
    shifts: Array
    weights: Array
    residual_px: float

    def stay(self, places: Array, home: Array) -> float:
        """Share of the seen pieces, taken at `places` (N, 2) px, that lie where another motion (3, 3) would have them."""
        off = places + self.shifts - apply(home, places)
        away = np.sqrt(np.einsum("nk,nkl,nl->n", off, self.weights, off))
        return float((away[self.seen] < _CUT).mean()) if self.seen.any() else 0.0


class Pieces:
    """Pieces of one reference picture (H, W) uint8 round the quadrangle (4, 2) px of the noses.

    `places` (N, 2) px; `sides` (N,): 0..3, the side of the quadrangle (from corner k to k + 1) that a piece lies at.
    """

    def __init__(self, gray: NDArray[np.uint8], quad: Array, half: int) -> None:
        self.half, self.quad = half, quad
        self.middle = quad.mean(axis=0)
        self.size = float(np.linalg.norm(quad - self.middle, axis=1).max())
        self.places, self.sides = _chosen(gray, quad, half)
        side = np.arange(-half - _MARGIN, half + _MARGIN + 1, dtype=np.float64)
        self._dx, self._dy = np.meshgrid(side, side)
        self.alive = np.ones(len(self.places), bool)
        if len(self.places):
            self._learn(self._sample(gray, np.eye(3)))

    def __len__(self) -> int:
        return len(self.places)

    def _learn(self, pieces: NDArray[np.float32]) -> None:
        gx, gy = _gradient(pieces)
        self._base = pieces - pieces.mean(axis=(1, 2), keepdims=True)
        self._power = np.einsum("nij,nij->n", self._base, self._base) + 1e-6
        self._gx, self._gy = gx, gy
        self._tensor = _tensor(gx, gy)

    def renew(self, gray: NDArray[np.uint8], matrix: Array, which: NDArray[np.bool_]) -> None:
        """Takes pieces `which` (N,) anew from a picture whose motion is known: something stands, or stood, before them."""
        fresh = self._sample(gray, matrix)[which]
        gx, gy = _gradient(fresh)
        self._base[which] = fresh - fresh.mean(axis=(1, 2), keepdims=True)
        self._power[which] = np.einsum("nij,nij->n", self._base[which], self._base[which]) + 1e-6
        self._gx[which], self._gy[which] = gx, gy
        self._tensor[which] = _tensor(gx, gy)

    def _sample(self, gray: NDArray[np.uint8], matrix: Array) -> NDArray[np.float32]:
        """(N, n, n) float32: the pieces where `matrix` puts them, smoothed."""
        at, slope = apply(matrix, self.places), _slopes(matrix, self.places)
        x = at[:, 0, None, None] + slope[:, 0, 0, None, None] * self._dx + slope[:, 0, 1, None, None] * self._dy
        y = at[:, 1, None, None] + slope[:, 1, 0, None, None] * self._dx + slope[:, 1, 1, None, None] * self._dy
        wide = self._dx.shape[0]
        shape = (len(at) * wide, wide)
        got = cv2.remap(
            gray,
            x.astype(np.float32).reshape(shape),
            y.astype(np.float32).reshape(shape),
            cv2.INTER_LINEAR,
            borderMode=cv2.BORDER_REPLICATE,
        )
        smooth = cv2.GaussianBlur(got.astype(np.float32), (0, 0), 1.0)
        return smooth.reshape(len(at), wide, wide)[:, _MARGIN:-_MARGIN, _MARGIN:-_MARGIN]

    def align(self, gray: NDArray[np.uint8], start: Array, steps: int = 10) -> Motion:
        """The motion to a picture, from a guess that is right to about half a piece."""
        matrix, motion = start, None
        for _ in range(steps):
            motion = self._step(gray, matrix)
            change = float(np.abs(apply(motion.matrix, self.quad) - apply(matrix, self.quad)).max())
            matrix = motion.matrix
            if change < 0.03:
                break
        assert motion is not None
        return motion

    def _step(self, gray: NDArray[np.uint8], matrix: Array) -> Motion:
        pieces = self._sample(gray, matrix)
        pieces = pieces - pieces.mean(axis=(1, 2), keepdims=True)
        power = np.einsum("nij,nij->n", pieces, pieces) + 1e-6
        common = np.einsum("nij,nij->n", pieces, self._base)
        alike = common / np.sqrt(power * self._power)
        # light changes: the piece is brought to the contrast of the reference
        gain = np.clip(self._power / np.maximum(common, 1e-3 * self._power), 0.2, 5.0).astype(np.float32)
        differ = self._base - gain[:, None, None] * pieces
        pull = np.stack([np.einsum("nij,nij->n", self._gx, differ), np.einsum("nij,nij->n", self._gy, differ)], axis=-1)
        ridge = 1e-3 * np.trace(self._tensor, axis1=1, axis2=2) + 1e-3
        tensor = self._tensor + ridge[:, None, None] * np.eye(2)
        local = np.linalg.solve(tensor, pull[..., None])[..., 0]
        left = differ - local[:, 0, None, None] * self._gx - local[:, 1, None, None] * self._gy
        grain = np.maximum(np.einsum("nij,nij->n", left, left) / left[0].size, _GRAIN**2)
        spread = (_CORRELATED * grain)[:, None, None] * np.linalg.inv(tensor) + _FLOOR**2 * np.eye(2)
        far = np.linalg.norm(local, axis=1)
        seen = (alike > ALIKE) & (far < 0.7 * self.half) & self.alive
        ends = apply(matrix, self.places + local)
        return _fitted(self, ends - self.places, np.linalg.inv(spread), seen)

    def best(self, count: int) -> NDArray[np.intp]:
        """Indices of `count` pieces with the clearest structure, spread over the sides."""
        strength = np.linalg.eigvalsh(self._tensor)[:, 0] + 0.05 * np.linalg.eigvalsh(self._tensor)[:, 1]
        order = np.argsort(-strength)
        rank = np.empty(len(order), int)
        for side in range(4):
            mine = order[self.sides[order] == side]
            rank[mine] = np.arange(len(mine))
        return np.argsort(rank, kind="stable")[:count]


def apply(matrix: Array, points: Array) -> Array:
    """Points (N, 2) moved by a homography."""
    moved = np.column_stack([points, np.ones(len(points))]) @ matrix.T
    return moved[:, :2] / moved[:, 2:]


def _slopes(matrix: Array, points: Array) -> Array:
    moved = np.column_stack([points, np.ones(len(points))]) @ matrix.T
    w = moved[:, 2, None, None]
    at = moved[:, :2, None] / moved[:, 2:, None]
    return (matrix[None, :2, :2] - at * matrix[None, 2:, :2]) / w


def _gradient(pieces: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    along = [np.asarray(g, np.float32) for g in np.gradient(pieces, axis=(1, 2))]
    return along[1], along[0]


def _tensor(gx: NDArray, gy: NDArray) -> Array:
    xx, xy, yy = (np.einsum("nij,nij->n", a, b) for a, b in ((gx, gx), (gx, gy), (gy, gy)))
    return np.stack([np.stack([xx, xy], -1), np.stack([xy, yy], -1)], -2).astype(np.float64)


# the fit of a homography -------------------------------------------------------------------------------------------


def rows_of(points: Array, moved: Array) -> Array:
    """(N, 2, 8): a homography's parameters to the shifts of points (N, 2); linear, given where they went (all normalised)."""
    rows = np.zeros((len(points), 2, 8))
    rows[:, 0, 0], rows[:, 0, 1], rows[:, 0, 2] = 1, points[:, 0], points[:, 1]
    rows[:, 1, 3], rows[:, 1, 4], rows[:, 1, 5] = 1, points[:, 0], points[:, 1]
    rows[:, :, 6] = -points[:, 0, None] * moved
    rows[:, :, 7] = -points[:, 1, None] * moved
    return rows


def _outer(*entries: tuple[int, float]) -> Array:
    row = np.zeros(8)
    for at, value in entries:
        row[at] = value
    return np.outer(row, row)


_COMMON = (_outer((1, 0.5), (5, 0.5)) + _outer((2, -0.5), (4, 0.5))) / 0.2**2 + 1e-4 * np.eye(8)  # zoom and turn
_RARE = _outer((1, 0.5), (5, -0.5)) + _outer((2, 0.5), (4, 0.5)) + _outer((6, 1.0)) + _outer((7, 1.0))  # stretch, shear, perspective


def _prior(shift: float) -> Array:
    """(8, 8) information: turning and zooming are likely, a change of perspective goes with a large shift only."""
    return _COMMON + _RARE / (0.0004 + 1.5 * shift) ** 2


def _fitted(pieces: Pieces, shifts: Array, weights: Array, seen: NDArray[np.bool_]) -> Motion:
    middle, size = pieces.middle, pieces.size
    points, ends = (pieces.places - middle) / size, (pieces.places + shifts - middle) / size
    # whitened: every row has unit noise
    root = np.linalg.cholesky(weights).swapaxes(1, 2) * size
    rows, targets = (root @ rows_of(points, ends)).reshape(-1, 8), (root @ (shifts / size)[..., None]).ravel()
    trust = np.where(seen, 1.0, 0.0)
    theta, normal = np.zeros(8), np.eye(8)
    reach, away = 0.0, np.zeros(len(points))
    for step in range(12):
        heavy = rows * np.repeat(trust, 2)[:, None]
        normal = heavy.T @ rows + _prior(reach)
        theta = np.linalg.solve(normal, heavy.T @ targets)
        away = np.linalg.norm((targets - rows @ theta).reshape(-1, 2), axis=1)
        reach = float(np.hypot(theta[0], theta[3]))
        if step < 6:  # Cauchy, drawing closer, then Tukey
            scale = max(_CUT / 2, 1.5 * float(np.median(away[seen]))) if seen.any() else 1.0
            trust = np.where(seen, 1 / (1 + (away / scale) ** 2), 0.0)
        else:
            trust = np.where(seen & (away < 2 * _CUT), (1 - np.minimum(away / (2 * _CUT), 1) ** 2) ** 2, 0.0)
    agree = seen & (away < _CUT)
    matrix = np.array([[1 + theta[1], theta[2], theta[0]], [theta[4], 1 + theta[5], theta[3]], [theta[6], theta[7], 1.0]])
    to = np.array([[1 / size, 0, -middle[0] / size], [0, 1 / size, -middle[1] / size], [0, 0, 1.0]])
    whole = np.linalg.inv(to) @ matrix @ to
    chi = float((away[agree] ** 2).sum()) / max(2 * int(agree.sum()) - 8, 1) if agree.any() else 1.0
    covariance = np.asarray(np.linalg.inv(normal) * max(1.0, chi), np.float64)
    tells = np.linalg.eigvalsh(weights[agree]) if agree.any() else np.ones((1, 2))
    left = np.sqrt((away[agree] ** 2).sum() / max(tells.sum(), 1e-9)) if agree.any() else float("nan")
    return Motion(whole / whole[2, 2], covariance, seen, agree, shifts, weights, float(left))


def corner_spread(pieces: Pieces, motion: Motion) -> Array:
    """(4, 2, 2) px^2: covariance of where the corners of the quadrangle went."""
    moved = apply(motion.matrix, pieces.quad)
    rows = rows_of((pieces.quad - pieces.middle) / pieces.size, (moved - pieces.middle) / pieces.size) * pieces.size
    return rows @ motion.covariance @ rows.swapaxes(1, 2)


# which pieces ---------------------------------------------------------------------------------------------------


def _chosen(gray: NDArray[np.uint8], quad: Array, half: int) -> tuple[Array, NDArray[np.intp]]:
    """Up to three pieces in every cell of the band round the noses: two with corners, one with the clearest edge."""
    height, width = gray.shape
    small = cv2.GaussianBlur(gray, (0, 0), 1.2).astype(np.float32)
    gx, gy = cv2.Scharr(small, cv2.CV_32F, 1, 0) / 32, cv2.Scharr(small, cv2.CV_32F, 0, 1) / 32
    window = (2 * half + 1, 2 * half + 1)
    xx, xy, yy = (cv2.boxFilter(a * b, cv2.CV_32F, window) for a, b in ((gx, gx), (gx, gy), (gy, gy)))
    root = np.sqrt((xx - yy) ** 2 / 4 + xy**2)
    weak, strong = (xx + yy) / 2 - root, (xx + yy) / 2 + root
    places: list[tuple[float, float]] = []
    sides: list[int] = []
    for side, points in _cells(quad):
        ij = np.rint(points).astype(int)
        inside = (ij[:, 0] >= half) & (ij[:, 0] < width - half) & (ij[:, 1] >= half) & (ij[:, 1] < height - half)
        ij = ij[inside]
        taken: list[tuple[int, int]] = []
        for measure, least, count in ((weak, 3.0, 2), (strong, 6.0, 1)):
            for k in np.argsort(-measure[ij[:, 1], ij[:, 0]])[:200]:
                x, y = ij[k]
                if measure[y, x] < least or count == 0:
                    break
                if all(max(abs(x - a), abs(y - b)) > 1.3 * half for a, b in taken):
                    taken.append((x, y))
                    count -= 1
        places += [(float(x), float(y)) for x, y in taken]
        sides += [side] * len(taken)
    return np.array(places).reshape(-1, 2), np.array(sides, np.intp)


def _cells(quad: Array) -> list[tuple[int, Array]]:
    """Sampled points (M, 2) px of the cells of the band round the quadrangle, each with its side."""
    lengths = np.linalg.norm(np.roll(quad, -1, axis=0) - quad, axis=1)
    # sides 0 and 2 are the ends (order of the corners); a foreshortened table keeps its proportions in table coordinates
    unit = np.array([[0, 0.5], [0, 0], [1, 0], [1, 0.5]])
    matrix = cv2.getPerspectiveTransform(unit.astype(np.float32), quad.astype(np.float32)).astype(float)
    cells = []
    for side in range(4):
        a, b = unit[side], unit[(side + 1) % 4]
        along = (b - a) / np.linalg.norm(b - a)
        out = np.array([along[1], -along[0]]) * (1 if _clockwise(unit) else -1)
        count = _CELLS[side % 2]
        fine = max(12, int(lengths[side] / count / 3))
        for k in range(count):
            share = (k + np.linspace(0, 1, fine, endpoint=False)) / count
            share = -0.03 + 1.06 * share
            depth = np.linspace(-_IN, _OUT, 26)
            grid = a + share[:, None, None] * (b - a) + depth[None, :, None] * out
            cells.append((side, apply(matrix, grid.reshape(-1, 2))))
    return cells


def _clockwise(quad: Array) -> bool:
    x, y = quad.T
    return bool((x * np.roll(y, -1) - np.roll(x, -1) * y).sum() > 0)
