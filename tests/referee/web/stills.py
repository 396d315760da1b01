"""Drawn pictures for the page, in place of a source."""

from __future__ import annotations

import cv2
import numpy as np

from calibration.errors import UserError
from tests.calibration.scenes import OVERHEAD, TABLE, draw_table

BALLS = {
    "white": ((600.0, 500.0), (225, 240, 245)),
    "yellow": ((2600.0, 1300.0), (40, 200, 245)),
    "red": ((1200.0, 1400.0), (40, 40, 210)),
    "black": ((2900.0, 500.0), (25, 25, 25)),
}


def table_picture() -> np.ndarray:
    """A table with a home line and the four balls."""
    picture = draw_table(OVERHEAD, balls=(), home_line=True)
    for place, bgr in BALLS.values():
        radius = float(OVERHEAD.scale_at([place], TABLE.radius)[0]) * TABLE.radius
        cv2.circle(picture, ball_px(place), round(radius * 16), bgr, -1, cv2.LINE_AA, 4)
    return picture


def ball_px(place: tuple[float, float], shift: int = 4) -> tuple[int, int]:
    """Pixel of a ball's centre, times 2 to the power of `shift`."""
    x, y = np.round(OVERHEAD.project_at([place], TABLE.radius)[0] * (1 << shift)).astype(int)
    return int(x), int(y)


class DrawnStills:
    """Stills that are drawn; `following` are the next ones, an error is raised."""

    name = "drawn.png"

    def __init__(self, picture: np.ndarray, following: tuple[np.ndarray | UserError, ...] = ()) -> None:
        self.picture, self.following = picture, list(following)

    def pictures(self):
        return [self.picture]

    def current(self):
        return self.picture

    def another(self):
        if self.following:
            following = self.following.pop(0)
            if isinstance(following, UserError):
                raise following
            self.picture = following
        return self.picture
