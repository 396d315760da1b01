"""The camera: lens and pose, millimetres of the table <-> pixels of the picture.

Table frame: x home -> foot, y right -> left, z up from the cloth (mm). Camera frame as in OpenCV: x right, y down, z
forward; a point X of the table is R X + t in the camera. Pixels: the centre of the first pixel is (0, 0). Distortion is
OpenCV's k1, k2, p1, p2, k3. A ball's centre is one radius above the cloth: back-project it at z = R, never at z = 0.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import pi

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
_CONTOUR = 48  # points on a silhouette; the polygon's loss of area is corrected exactly for a circle
_STEPS = 20  # of Newton's method in undistortion; three are usual


@dataclass(frozen=True, slots=True)
class Outline:
    """Silhouettes of N balls: `centre` (N, 2) px, `semi_axes` (N, 2) px (long, short), `angle` (N,) rad of the long axis."""

    centre: Array
    semi_axes: Array
    angle: Array


def _frozen(values: ArrayLike, shape: tuple[int, ...]) -> Array:
    array = np.array(values, dtype=float).reshape(shape)
    array.setflags(write=False)
    return array


@dataclass(frozen=True, eq=False)
class Camera:
    """Lens and pose. `rotation` (3, 3) and `translation` (3,) mm take the table's frame to the camera's.

    Raises:
        ValueError: sizes or focal length that cannot be, a rotation that is none (mirrored, not orthogonal).
    """

    width: int
    height: int
    focal: float
    principal: tuple[float, float]
    distortion: tuple[float, float, float, float, float]
    rotation: Array = field(repr=False)
    translation: Array

    def __post_init__(self) -> None:
        if self.width < 1 or self.height < 1 or not 0 < self.focal < 1e7:
            raise ValueError(f"camera {self.width}x{self.height} px, focal {self.focal} px: expected positive numbers")
        rotation = _frozen(self.rotation, (3, 3))
        if not np.allclose(rotation @ rotation.T, np.eye(3), atol=1e-5) or np.linalg.det(rotation) < 0:
            raise ValueError("camera rotation: expected a rotation matrix (orthogonal, not mirrored)")
        object.__setattr__(self, "rotation", rotation)
        object.__setattr__(self, "translation", _frozen(self.translation, (3,)))
        object.__setattr__(self, "principal", tuple(float(v) for v in self.principal))
        object.__setattr__(self, "distortion", tuple(float(v) for v in self.distortion))
        if len(self.principal) != 2 or len(self.distortion) != 5:
            raise ValueError("camera: expected 2 numbers of the principal point and 5 of the distortion")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Camera) and self.as_tuple() == other.as_tuple()

    def __hash__(self) -> int:
        return hash(self.as_tuple())

    def as_tuple(self) -> tuple[float, ...]:
        """All numbers: width, height, focal, principal (2), distortion (5), rotation (9, by rows), translation (3)."""
        head = (self.width, self.height, self.focal, *self.principal, *self.distortion)
        return (*head, *self.rotation.ravel().tolist(), *self.translation.tolist())

    @property
    def position(self) -> Array:
        """Place of the camera in the table's frame, mm (3,)."""
        return -self.rotation.T @ self.translation

    @property
    def focal_ratio(self) -> float:
        """Focal length in widths of the picture (longer side)."""
        return self.focal / max(self.width, self.height)

    def project(self, points_mm: ArrayLike) -> Array:
        """Pixels (N, 2) of points (N, 3) mm. Points behind the camera give NaN."""
        normal, _ = self._normalised(np.asarray(points_mm, dtype=float).reshape(-1, 3))
        return self._to_pixels(distort(normal, self.distortion))

    def project_at(self, xy: ArrayLike, z: float) -> Array:
        """Pixels (N, 2) of points (N, 2) mm at the height z mm."""
        return self.project(_at_height(xy, z))

    def rays(self, px: ArrayLike) -> Array:
        """Directions (N, 3) in the table's frame, not normalised, of pixels (N, 2)."""
        shifted = (np.asarray(px, dtype=float).reshape(-1, 2) - self.principal) / self.focal
        normal = undistort(shifted, self.distortion)
        return np.column_stack([normal, np.ones(len(normal))]) @ self.rotation

    def to_table(self, px: ArrayLike, z: float = 0.0) -> Array:
        """Points (N, 2) mm on the plane at height z mm seen at pixels (N, 2). NaN for pixels at or above the horizon."""
        rays, eye = self.rays(px), self.position
        with np.errstate(divide="ignore", invalid="ignore"):
            far = (z - eye[2]) / rays[:, 2]
            found = eye[:2] + far[:, None] * rays[:, :2]
        found[~(far > 0)] = np.nan
        return found

    def jacobian(self, xy: ArrayLike, z: float) -> Array:
        """(N, 2, 2): d(pixel u, v) / d(table x, y), px per mm, at points (N, 2) mm of height z mm."""
        normal, depth = self._normalised(_at_height(xy, z))
        lens = _distort_jacobian(normal, self.distortion)
        rot = self.rotation
        pose = (rot[None, :2, :2] - normal[:, :, None] * rot[None, 2:, :2]) / depth[:, None, None]
        return self.focal * lens @ pose

    def scale_at(self, xy: ArrayLike, z: float) -> Array:
        """Px per mm (N,) at points (N, 2) mm of height z mm: the root of the ratio of areas on a plane of height z."""
        return np.sqrt(np.abs(np.linalg.det(self.jacobian(xy, z))))

    def ball_outline(self, xy: ArrayLike, radius: float) -> Outline:
        """Ellipses of equal area moments to the silhouettes of balls of `radius` mm lying at (N, 2) mm.

        Without distortion the silhouette is exactly an ellipse. Its centre is not the projected centre of the ball.
        """
        return _moments(self.silhouette(xy, radius))

    def ball_radius(self, xy: ArrayLike, radius: float) -> Array:
        """Short semi-axes (N,) px of the silhouettes of balls of `radius` mm lying at (N, 2) mm.

        A slanting look shortens the table, not the balls: this is not `scale_at` times the radius. How much longer the long
        axis is towards the picture's corners hangs on the focal length, which is often known badly; the short one does not.
        """
        return self.ball_outline(xy, radius).semi_axes.min(axis=1)

    def ball_width(self, xy: ArrayLike, radius: float, across: Array) -> Array:
        """Widths (N,) px of the silhouettes of balls at (N, 2) mm in the directions of the unit vectors `across` (N, 2) of the picture.

        The ellipse of the tangent cone, taken through the lens to first order: hundreds are told in no time.
        """
        centre = _at_height(xy, radius) @ self.rotation.T + self.translation
        normal = centre[:, :2] / centre[:, 2:]
        deep = centre[:, 2] ** 2 - radius**2
        with np.errstate(invalid="ignore"):
            turned = np.einsum("nij,ni->nj", _distort_jacobian(normal, self.distortion), across)
            # the ellipse is longer away from the axis: by far² / deep of its short axis, squared
            away = (turned * normal).sum(axis=1) ** 2 / deep * centre[:, 2] ** 2
            return 2 * self.focal * radius / np.sqrt(deep) * np.sqrt((turned**2).sum(axis=1) + away)

    def silhouette(self, xy: ArrayLike, radius: float) -> Array:
        """Contours (N, 48, 2) px of balls of `radius` mm lying at (N, 2) mm: where the tangent cone cuts the picture."""
        centre = _at_height(xy, radius) @ self.rotation.T + self.translation
        far = np.linalg.norm(centre, axis=1, keepdims=True)
        axis = centre / far
        sine = radius / far
        cosine = np.sqrt(np.maximum(1 - sine**2, 0))
        helper = np.where(np.abs(axis[:, :1]) < 0.9, [[1.0, 0.0, 0.0]], [[0.0, 1.0, 0.0]])
        first = np.cross(axis, helper)
        first /= np.linalg.norm(first, axis=1, keepdims=True)
        second = np.cross(axis, first)
        turn = np.arange(_CONTOUR) * (2 * pi / _CONTOUR)
        rim = first[:, None] * np.cos(turn)[:, None] + second[:, None] * np.sin(turn)[:, None]
        rays = axis[:, None] * cosine[:, None] + rim * sine[:, None]
        normal = (rays[..., :2] / rays[..., 2:]).reshape(-1, 2)
        return self._to_pixels(distort(normal, self.distortion)).reshape(len(centre), _CONTOUR, 2)

    def silhouette_offset(self, xy: ArrayLike, radius: float) -> Array:
        """(N, 2) px: centre of the silhouette minus projected centre of the ball."""
        return self.ball_outline(xy, radius).centre - self.project_at(xy, radius)

    def ball_at(self, px: ArrayLike, radius: float) -> Array:
        """Centres (N, 2) mm of lying balls of `radius` mm whose silhouettes are centred at pixels (N, 2)."""
        px = np.asarray(px, dtype=float).reshape(-1, 2)
        first = self.to_table(px, radius)
        return self.to_table(px - self.silhouette_offset(first, radius), radius)

    def _normalised(self, points: Array) -> tuple[Array, Array]:
        seen = points @ self.rotation.T + self.translation
        depth = np.where(seen[:, 2] > 1e-6, seen[:, 2], np.nan)
        return seen[:, :2] / depth[:, None], depth

    def _to_pixels(self, normal: Array) -> Array:
        return normal * self.focal + self.principal


def _at_height(xy: ArrayLike, z: float) -> Array:
    xy = np.asarray(xy, dtype=float).reshape(-1, 2)
    return np.column_stack([xy, np.full(len(xy), float(z))])


def distort(normal: Array, distortion: tuple[float, ...]) -> Array:
    """Where the lens puts points (N, 2) of the plane at distance 1, there."""
    if not any(distortion):
        return normal
    k1, k2, p1, p2, k3 = distortion
    x, y = normal[:, 0], normal[:, 1]
    rr = x * x + y * y
    radial = 1 + rr * (k1 + rr * (k2 + rr * k3))
    bent = np.empty_like(normal)
    bent[:, 0] = x * radial + 2 * p1 * x * y + p2 * (rr + 2 * x * x)
    bent[:, 1] = y * radial + p1 * (rr + 2 * y * y) + 2 * p2 * x * y
    return bent


def _distort_jacobian(normal: Array, distortion: tuple[float, ...]) -> Array:
    k1, k2, p1, p2, k3 = distortion
    x, y = normal[:, 0], normal[:, 1]
    rr = x * x + y * y
    radial = 1 + rr * (k1 + rr * (k2 + rr * k3))
    slope = 2 * (k1 + rr * (2 * k2 + rr * 3 * k3))  # d radial / dx = slope * x
    cross = slope * x * y + 2 * p1 * x + 2 * p2 * y
    jacobian = np.empty((len(normal), 2, 2))
    jacobian[:, 0, 0] = radial + slope * x * x + 2 * p1 * y + 6 * p2 * x
    jacobian[:, 0, 1] = jacobian[:, 1, 0] = cross
    jacobian[:, 1, 1] = radial + slope * y * y + 6 * p1 * y + 2 * p2 * x
    return jacobian


def undistort(bent: Array, distortion: tuple[float, ...]) -> Array:
    """Inverse of `distort` by Newton's method; NaN where it has none (beyond the fold of the lens model)."""
    if not any(distortion):
        return bent
    normal = bent.copy()
    error = distort(normal, distortion) - bent
    for _ in range(_STEPS):
        jacobian = _distort_jacobian(normal, distortion)
        a, b, c, d = jacobian[:, 0, 0], jacobian[:, 0, 1], jacobian[:, 1, 0], jacobian[:, 1, 1]
        det = a * d - b * c
        det = np.where(np.abs(det) > 1e-9, det, np.nan)
        normal = normal - np.column_stack([d * error[:, 0] - b * error[:, 1], a * error[:, 1] - c * error[:, 0]]) / det[:, None]
        error = distort(normal, distortion) - bent
        if not np.nanmax(np.abs(error), initial=0.0) > 1e-11:
            break
    normal[~(np.abs(error).max(axis=1) < 1e-7)] = np.nan
    return normal


def _moments(contours: Array) -> Outline:
    """Area moments of closed polygons (N, K, 2) by Green's theorem, and the ellipses that have them."""
    middle = contours.mean(axis=1, keepdims=True)
    p = contours - middle
    q = np.roll(p, -1, axis=1)
    cross = p[..., 0] * q[..., 1] - q[..., 0] * p[..., 1]
    area = cross.sum(axis=1) / 2
    first = ((p + q) * cross[..., None]).sum(axis=1) / (6 * area[:, None])
    xx = ((p[..., 0] ** 2 + p[..., 0] * q[..., 0] + q[..., 0] ** 2) * cross).sum(axis=1) / (12 * area) - first[:, 0] ** 2
    yy = ((p[..., 1] ** 2 + p[..., 1] * q[..., 1] + q[..., 1] ** 2) * cross).sum(axis=1) / (12 * area) - first[:, 1] ** 2
    mixed = 2 * p[..., 0] * p[..., 1] + p[..., 0] * q[..., 1] + q[..., 0] * p[..., 1] + 2 * q[..., 0] * q[..., 1]
    xy = (mixed * cross).sum(axis=1) / (24 * area) - first[:, 0] * first[:, 1]
    mean, half = (xx + yy) / 2, np.hypot((xx - yy) / 2, xy)
    # a regular K-gon in a circle of radius 1 has the second moment (2 + cos) / 12 instead of 1 / 4
    loss = 3 / (2 + np.cos(2 * pi / contours.shape[1]))
    variances = np.column_stack([mean + half, np.maximum(mean - half, 0)]) * loss
    return Outline(middle[:, 0] + first, 2 * np.sqrt(variances), 0.5 * np.arctan2(2 * xy, xx - yy))
