"""The colour of a ball at which a person points."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import Camera
from calibration.table import Table

_CORE = 0.85  # of the radius: the rim mixes with cloth and shadow
_UNLIKE = 13.0  # distance in Lab between ball and cloth below which nothing is there
_LOOKS = 4  # at the ball's middle


@dataclass(frozen=True, slots=True)
class BallSample:
    """`bgr`: mean of the disc; `place_mm`: of the ball's centre on the table; `contrast`: distance in Lab from what lies round it."""

    bgr: tuple[float, float, float]
    place_mm: tuple[float, float]
    contrast: float

    @property
    def plain(self) -> bool:
        """Whether something else than cloth is there."""
        return self.contrast > _UNLIKE


def sample_ball(picture: NDArray[np.uint8], camera: Camera, table: Table, px: tuple[float, float]) -> BallSample | None:
    """Mean colour of a disc of a ball's size at a pixel of a BGR picture, after the disc has moved onto the ball that it touches.

    None where no whole ball can lie: outside the table or at the edge of the picture.
    """
    place = camera.ball_at([px], table.radius)[0]
    slack = 1.5 * table.ball
    if not np.isfinite(place).all() or not (-slack < place[0] < table.length + slack and -slack < place[1] < table.width + slack):
        return None
    radius = float(camera.ball_radius([place], table.radius)[0])
    cut = _Cut.around(picture, px, radius)
    if cut is None or radius < 2:
        return None
    x, y = cut.settled(radius)
    disc = cut.disc(x, y, _CORE * radius)
    if not disc.any():
        return None
    b, g, r = cut.bgr[disc].mean(axis=0).tolist()
    settled = camera.ball_at([[cut.x0 + x, cut.y0 + y]], table.radius)[0]
    return BallSample((b, g, r), (float(settled[0]), float(settled[1])), cut.contrast(x, y, radius))


@dataclass(frozen=True, slots=True)
class _Cut:
    """A window of the picture that holds a ball and its surroundings; `lab` (h, w, 3)."""

    bgr: NDArray[np.uint8]
    lab: NDArray[np.float32]
    x0: int
    y0: int
    at: tuple[float, float]

    @classmethod
    def around(cls, picture: NDArray[np.uint8], px: tuple[float, float], radius: float) -> _Cut | None:
        height, width = picture.shape[:2]
        reach = int(np.ceil(3 * radius)) + 1
        x, y = round(px[0]), round(px[1])
        if not (0 <= x < width and 0 <= y < height):
            return None
        x0, y0 = max(0, x - reach), max(0, y - reach)
        bgr = picture[y0 : y + reach + 1, x0 : x + reach + 1]
        lab = cv2.cvtColor(bgr.astype(np.float32) / 255, cv2.COLOR_BGR2LAB)
        return cls(bgr, lab, x0, y0, (px[0] - x0, px[1] - y0))

    def disc(self, x: float, y: float, radius: float, inner: float = 0.0) -> NDArray[np.bool_]:
        ys, xs = np.ogrid[: self.lab.shape[0], : self.lab.shape[1]]
        far = np.hypot(xs - x, ys - y)
        return (far <= radius) & (far >= inner)

    def around_colour(self, x: float, y: float, radius: float) -> NDArray[np.float32]:
        ring = self.disc(x, y, 2.6 * radius, 1.6 * radius)
        return np.median(self.lab[ring], axis=0) if ring.any() else np.median(self.lab.reshape(-1, 3), axis=0)

    def settled(self, radius: float) -> tuple[float, float]:
        """The middle of what differs from the cloth, near the pointed place and never farther than a radius from it."""
        x, y = self.at
        away = np.linalg.norm(self.lab - self.around_colour(x, y, radius), axis=2)
        for _ in range(_LOOKS):
            near = np.where(self.disc(x, y, 1.15 * radius), np.clip(away - _UNLIKE, 0, 25), 0)
            total = float(near.sum())
            if total <= 0:
                return self.at
            ys, xs = np.mgrid[: near.shape[0], : near.shape[1]]
            x, y = float((near * xs).sum()) / total, float((near * ys).sum()) / total
        moved = np.hypot(x - self.at[0], y - self.at[1])
        return (x, y) if moved <= radius else self.at

    def contrast(self, x: float, y: float, radius: float) -> float:
        core = np.median(self.lab[self.disc(x, y, 0.7 * radius)], axis=0)
        return float(np.linalg.norm(core - self.around_colour(x, y, radius)))
