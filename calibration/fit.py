"""Known points and cushion lines of a table in a picture -> Camera, with residuals and how certain it is.

Four corners of a rectangle give eight numbers for seven unknowns (pose and focal length), but an overhead view hardly
tells the focal length from the height: a prior on the field of view keeps it sensible, and the result says how certain
it is. Lens distortion is estimated only from points along the cushions (straight lines that look bent) or other points.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import least_squares

from calibration.camera import Camera, distort, undistort
from calibration.errors import UserError
from calibration.table import CUSHIONS, Table
from calibration.uncertainty import POSE, CameraUncertainty

Array = NDArray[np.float64]
Corners = ArrayLike
# Focal length in widths of the picture: phones 0.7-0.85, webcams 0.7-1.0, television from the ceiling 0.8-1.5.
_FOCAL_PRIOR = (0.82, 0.32)  # median, sigma of the logarithm
_K1_PRIOR = 0.12
_K2_PRIOR = 0.05
_STARTS = (0.6, 0.9, 1.5, 3.0)


@dataclass(frozen=True, slots=True)
class Fit:
    """A camera and how well it is known.

    `residuals_px` (4, 2): found minus given corners. `reprojection_px` / `reprojection_mm`: their root mean square, over
    all given points. `focal_sigma`: relative standard deviation of the focal length; `focal_from`: `given`, `perspective`
    (the view determines it) or `prior` (it does not: a typical field of view is assumed). `height_sigma_mm`: of the
    camera's height. `ball_sigma_mm`: of a ball's place at the corner of the table that this uncertainty alone causes.
    `covariance` of `parameters` (those estimated). `uncertainty`: the same as that of small changes of the camera.
    """

    camera: Camera
    residuals_px: Array
    reprojection_px: float
    reprojection_mm: float
    focal_sigma: float
    focal_from: Literal["given", "perspective", "prior"]
    height_sigma_mm: float
    ball_sigma_mm: float
    parameters: tuple[str, ...]
    covariance: Array
    uncertainty: CameraUncertainty

    @property
    def squeeze(self) -> float:
        """How much another table's proportions had to be explained by a slanting view from very far away; 0 is none.

        Any rectangle looks like any longer one seen at a slant through a telescope: a focal length beyond those in use
        together with a slant means that the table has not the proportions it was said to have.
        """
        if self.focal_from == "given" or self.camera.focal_ratio < 3.6:
            return 0.0
        return 1 - abs(float(self.camera.rotation[2, 2]))


def check_corners(corners_px: Corners, size: tuple[int, int] | None = None) -> Array:
    """Corners (4, 2) px in the order of `--corners`, checked.

    Raises:
        UserError: not four finite points; crossed, not convex, degenerate, mirrored; far outside a picture of `size`.
    """
    try:
        corners = np.array(corners_px, dtype=float).reshape(-1, 2)
    except (ValueError, TypeError):
        raise UserError('corners: expected four points "x,y x,y x,y x,y" in pixels') from None
    if corners.shape != (4, 2) or not np.isfinite(corners).all():
        raise UserError(f'corners: expected four points "x,y x,y x,y x,y" in pixels, found {len(corners)} or not finite')
    if size is not None:
        slack = 0.25 * np.array(size)
        if (corners < -slack).any() or (corners > np.array(size) + slack).any():
            worst = corners[np.argmax((np.abs(corners / np.array(size) - 0.5)).max(axis=1))]
            raise UserError(f"corners: {worst[0]:g},{worst[1]:g} lies far outside the picture of {size[0]}x{size[1]} px")
    ahead = np.roll(corners, -1, axis=0) - corners
    turns = ahead[:, 0] * np.roll(ahead, -1, axis=0)[:, 1] - ahead[:, 1] * np.roll(ahead, -1, axis=0)[:, 0]
    order = "expected home-right, home-left, foot-left, foot-right, seen from above"
    sides = np.linalg.norm(ahead, axis=1)
    if sides.min() < 8 or np.abs(turns).min() < 0.02 * sides.max() ** 2 * 0.1:
        raise UserError(f"corners: two coincide or three lie on a line; {order}")
    if (turns < 0).all():
        raise UserError(f"corners: mirrored (they run round the table the wrong way); {order}")
    if not (turns > 0).all():
        raise UserError(f"corners: their order crosses the table or it is not convex; {order}")
    return corners


def camera_from_corners(
    corners_px: Corners,
    table: Table,
    size: tuple[int, int],
    *,
    plane_z: float | None = None,
    extra_points: Sequence[tuple[ArrayLike, ArrayLike]] = (),
    nose_points: Mapping[str, ArrayLike] | None = None,
    focal: float | None = None,
    sigma_px: float = 1.5,
    lens: Sequence[float] | None = None,
    principal: tuple[float, float] | None = None,
) -> Fit:
    """Camera from the four corners of the nose rectangle.

    Args:
        corners_px: (4, 2) px, order home-right, home-left, foot-left, foot-right.
        table: its nose rectangle is what the corners show.
        size: width and height of the picture, px.
        plane_z: height of the corners above the cloth, mm; the noses' height unless given.
        extra_points: pairs (x, y, z mm; u, v px) of further known points.
        nose_points: cushion -> (M, 2) px of points along that cushion's nose; they also give the lens distortion.
        focal: focal length in px if known.
        sigma_px: standard deviation of a corner's coordinates (at 1280 px of width; scaled with the picture).
        lens: k1, k2, p1, p2, k3 if known; they are not estimated then.
        principal: px, the middle of the picture unless given.

    Raises:
        UserError: corners that cannot be those of a table seen from above.
    """
    corners = check_corners(corners_px, size)
    problem = _Problem(corners, table, size, plane_z, extra_points, nose_points or {}, focal, sigma_px, lens, principal)
    starts = sorted(problem.starts(), key=lambda values: float((problem.residuals(values) ** 2).sum()))
    best = None
    for start in starts[:4]:
        found = least_squares(problem.residuals, start, x_scale=problem.x_scale, method="lm", max_nfev=400)
        if best is None or found.cost < best.cost:
            best = found
    if best is None or not np.isfinite(best.cost):
        raise UserError("corners: no camera above the table sees a rectangle so; check their order and the table's size")
    return problem.result(best)


def _rail(cushion: str, table: Table, z: float) -> Array:
    """Points (25, 3) mm along a cushion's nose."""
    s = np.linspace(0.0, 1.0, 25)
    at = {"home": 0.0, "foot": table.length, "right": 0.0, "left": table.width}[cushion]
    if cushion in ("home", "foot"):
        return np.column_stack([np.full(25, at), s * table.width, np.full(25, z)])
    return np.column_stack([s * table.length, np.full(25, at), np.full(25, z)])


def _rotation(vector: Array) -> Array:
    return cv2.Rodrigues(np.ascontiguousarray(vector))[0]


class _Problem:
    """Unknowns: rotation vector (3), translation mm (3), then log focal and k1, k2 as far as they are estimated."""

    def __init__(self, corners, table, size, plane_z, extra_points, nose_points, focal, sigma_px, lens, principal) -> None:
        self.corners, self.table, self.size = corners, table, size
        self.z = table.nose_height if plane_z is None else float(plane_z)
        self.known = np.column_stack([np.array(table.corners), np.full(4, self.z)])
        self.seen = corners
        if len(extra_points):
            self.known = np.vstack([self.known, [np.asarray(k, float).reshape(3) for k, _ in extra_points]])
            self.seen = np.vstack([corners, [np.asarray(p, float).reshape(2) for _, p in extra_points]])
        self.lines = {c: np.asarray(nose_points[c], float).reshape(-1, 2) for c in CUSHIONS if c in nose_points}
        self.rails = {c: _rail(c, table, self.z) for c in self.lines}
        self.sigma = sigma_px * max(size) / 1280
        self.focal = focal
        self.principal = principal or ((size[0] - 1) / 2, (size[1] - 1) / 2)
        self.lens = tuple(float(v) for v in lens) if lens is not None else (0.0,) * 5
        self.names = ["rx", "ry", "rz", "tx", "ty", "tz"]
        if focal is None:
            self.names.append("log_focal")
        self.first_lens = len(self.names)
        # where lines meet is known worse than the lines themselves, the more so when they are bent
        weak = sum(len(p) >= 12 for p in self.lines.values()) >= 3
        self.sigmas = np.full(len(self.known), self.sigma)
        self.sigmas[:4] *= 8.0 if weak else 1.0
        bent = (lens is None and sum(len(p) >= 3 for p in self.lines.values()) >= 2) or (lens is None and len(extra_points) >= 4)
        if bent:
            self.names.append("k1")
        if bent and sum(len(p) for p in self.lines.values()) + len(extra_points) >= 40:
            self.names.append("k2")

    @property
    def x_scale(self) -> Array:
        far = self.table.length
        scale = {"rx": 1, "ry": 1, "rz": 1, "tx": far, "ty": far, "tz": far, "log_focal": 1, "k1": 0.1, "k2": 0.1}
        return np.array([scale[name] for name in self.names], dtype=float)

    def camera(self, values: Array) -> Camera:
        named = dict(zip(self.names, values, strict=True))
        focal = self.focal or float(np.exp(named["log_focal"])) * max(self.size)
        rotation = _rotation(values[:3])
        k1, k2, p1, p2, k3 = self.lens
        lens = (named.get("k1", k1), named.get("k2", k2), p1, p2, k3)
        return Camera(self.size[0], self.size[1], focal, self.principal, lens, rotation, values[3:6])

    def residuals(self, values: Array) -> Array:
        """Weighted misfits of points, lines and priors. Called thousands of times: no `Camera` is made here."""
        parts = [((self._image(self.known, values) - self.seen) / self.sigmas[:, None]).ravel()]
        for cushion, points in self.lines.items():
            # points along one cushion share its own bends: together they weigh as four
            weight = min(1.0, np.sqrt(4 / max(len(points), 1))) / self.sigma
            parts.append(self._off_line(self._image(self.rails[cushion], values), points) * weight)
        named = dict(zip(self.names, values, strict=True))
        if "log_focal" in named:
            median, spread = _FOCAL_PRIOR
            # Linear cost beyond two sigma: a telephoto lens that the view proves must not be dragged to the prior.
            away = (named["log_focal"] - np.log(median)) / spread
            far = abs(away)
            parts.append(np.array([away if far < 2 else np.sign(away) * np.sqrt(4 * far - 4)]))
        parts += [np.array([named[k] / s]) for k, s in (("k1", _K1_PRIOR), ("k2", _K2_PRIOR)) if k in named]
        return np.nan_to_num(np.concatenate(parts), nan=1e3, posinf=1e3, neginf=-1e3)

    def _image(self, points: Array, values: Array) -> Array:
        focal = self.focal or np.exp(min(values[6], 12.0)) * max(self.size)
        seen = points @ _rotation(values[:3]).T + values[3:6]
        normal = seen[:, :2] / np.maximum(seen[:, 2:], 1e-3)
        estimated = tuple(values[self.first_lens :])
        normal *= np.minimum(1.0, 30 / np.maximum(np.abs(normal), 1e-9))
        return distort(normal, (*estimated, *self.lens[len(estimated) :])) * focal + self.principal

    @staticmethod
    def _off_line(line: Array, points: Array) -> Array:
        """Distances in px of points from a line given by its (bent) image, sampled from one end to the other."""
        axis = int(np.argmax(np.abs(line[-1] - line[0])))
        if line[0, axis] > line[-1, axis]:
            line = line[::-1]
        expected = np.interp(points[:, axis], line[:, axis], line[:, 1 - axis])
        slope = (line[-1, 1 - axis] - line[0, 1 - axis]) / max(line[-1, axis] - line[0, axis], 1e-6)
        return (points[:, 1 - axis] - expected) / np.sqrt(1 + slope * slope)

    def starts(self) -> list[Array]:
        """Poses of the corners for a few focal lengths, both solutions of the planar problem, camera above the table."""
        starts = []
        flat = self.known[:4] * (1.0, 1.0, 0.0)
        level = self._level()
        focals = [self.focal] if self.focal else [ratio * max(self.size) for ratio in _STARTS]
        for focal in focals:
            matrix = np.array([[focal, 0, self.principal[0]], [0, focal, self.principal[1]], [0, 0, 1.0]])
            seen = undistort((self.corners - self.principal) / focal, self.lens) * focal + self.principal
            if not np.isfinite(seen).all():
                continue
            try:
                _, rotations, translations, _ = cv2.solvePnPGeneric(flat, seen, matrix, None, flags=cv2.SOLVEPNP_IPPE)
            except cv2.error:
                rotations, translations = (), ()
            rotations, translations = [*rotations, level], [*translations, self._above(level, focal)]
            for rotation, translation in zip(rotations, translations, strict=True):
                if not (np.isfinite(rotation).all() and np.isfinite(translation).all()):
                    continue
                turned = cv2.Rodrigues(rotation)[0]
                if (-turned.T @ translation)[2, 0] <= 0:
                    continue
                translation = translation - turned @ [[0.0], [0.0], [self.z]]
                rest = {"log_focal": np.log(focal / max(self.size)), "k1": 0.0, "k2": 0.0}
                starts.append(np.concatenate([rotation.ravel(), translation.ravel(), [rest[n] for n in self.names[6:]]]))
        return starts

    def _level(self) -> Array:
        """Rotation vector (3, 1) of a camera straight above; exactly so, the planar problem has no solution of its own."""
        along = self.corners[2:].mean(axis=0) - self.corners[:2].mean(axis=0)
        c, s = along / np.linalg.norm(along)
        return cv2.Rodrigues(np.array([[c, s, 0.0], [s, -c, 0.0], [0.0, 0.0, -1.0]]))[0]

    def _above(self, level: Array, focal: float) -> Array:
        """Translation (3, 1) of that camera for which the table has its size and place in the picture."""
        far = focal * self.table.length / np.linalg.norm(self.corners[2:].mean(axis=0) - self.corners[:2].mean(axis=0))
        middle = np.array([self.table.length / 2, self.table.width / 2, 0.0])
        seen = np.append((self.corners.mean(axis=0) - self.principal) / focal, 1.0) * far
        return (seen - cv2.Rodrigues(level)[0] @ middle).reshape(3, 1)

    def result(self, found) -> Fit:
        camera = self.camera(found.x)
        if camera.position[2] <= self.z:
            raise UserError("corners: no camera above the table sees a rectangle so; check their order and the table's size")
        offset = camera.project(self.known) - self.seen
        scale = camera.scale_at(self.known[:, :2], self.z)
        lines = [self._off_line(self._image(self.rails[c], found.x), points) for c, points in self.lines.items()]
        middle = float(camera.scale_at([[self.table.length / 2, self.table.width / 2]], self.z)[0])
        squares_px = np.concatenate([(offset**2).sum(axis=1), *[part**2 for part in lines]])
        squares_mm = np.concatenate([((offset / scale[:, None]) ** 2).sum(axis=1), *[(part / middle) ** 2 for part in lines]])
        covariance = np.linalg.pinv(found.jac.T @ found.jac)
        focal_sigma = float(np.sqrt(covariance[6, 6])) if self.focal is None else 0.0
        height_sigma = self._spread(found.x, covariance, lambda c: c.position[2])
        focal_from = "given" if self.focal else "perspective" if focal_sigma < 0.5 * _FOCAL_PRIOR[1] else "prior"
        return Fit(
            camera,
            offset[:4],
            float(np.sqrt(squares_px.mean())),
            float(np.sqrt(squares_mm.mean())),
            focal_sigma,
            focal_from,
            height_sigma,
            self._ball_spread(camera, height_sigma),
            tuple(self.names),
            covariance,
            self._uncertainty(found.x, covariance),
        )

    def _uncertainty(self, values: Array, covariance: Array) -> CameraUncertainty:
        """The first three unknowns are a rotation vector: turned into small turns about the camera's axes."""
        to_turn = np.eye(len(values))
        for i in range(3):
            step = np.zeros(3)
            step[i] = 1e-5
            to_turn[:3, i] = cv2.Rodrigues(_rotation(values[:3] + step) @ _rotation(values[:3] - step).T)[0].ravel() / 2e-5
        return CameraUncertainty.of((*POSE, *self.names[6:]), to_turn @ covariance @ to_turn.T)

    def _spread(self, values: Array, covariance: Array, quantity) -> float:
        slope = np.empty(len(values))
        for i, step in enumerate(self.x_scale * 1e-5):
            up, down = values.copy(), values.copy()
            up[i] += step
            down[i] -= step
            slope[i] = (quantity(self.camera(up)) - quantity(self.camera(down))) / (2 * step)
        return float(np.sqrt(max(slope @ covariance @ slope, 0.0)))

    def _ball_spread(self, camera: Camera, height_sigma: float) -> float:
        """The corners fix the plane of the noses; a ball's centre lies below it, so only the difference is uncertain."""
        eye = camera.position
        reach = max(float(np.hypot(*(np.array(c) - eye[:2]))) for c in self.table.corners)
        above = max(eye[2] - self.z, 1.0)
        return abs(self.z - self.table.radius) * reach / above * min(height_sigma / above, 1.0)
