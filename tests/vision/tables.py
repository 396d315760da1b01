"""Drawn tables and balls, anti-aliased, seen from straight above, for the tests of vision."""

from __future__ import annotations

from collections.abc import Mapping

import cv2
import numpy as np

from calibration.fit import camera_from_corners
from calibration.profile import Profile, profile_from_fit
from calibration.table import Table, table
from vision.frames import Frame, frame_of_bgr

BALLS = {"white": (235, 240, 240), "yellow": (40, 190, 235), "red": (45, 40, 190), "black": (28, 25, 25)}  # BGR
CLOTHS = {"green": (70, 120, 30), "blue": (150, 90, 30), "grey": (120, 125, 120), "burgundy": (60, 35, 95)}


def corners(kind: Table, width: int, height: int, margin: float = 0.1) -> np.ndarray:
    """(4, 2) px of the noses in a picture with the home cushion on the left and a margin of that share all round."""
    scale = min(width * (1 - 2 * margin) / kind.length, height * (1 - 2 * margin) / kind.width)
    x0, x1 = width / 2 - kind.length * scale / 2, width / 2 + kind.length * scale / 2
    y0, y1 = height / 2 - kind.width * scale / 2, height / 2 + kind.width * scale / 2
    # looking towards the foot (to the right) the right cushion is at the bottom
    return np.array([(x0, y1), (x0, y0), (x1, y0), (x1, y1)])


def profile(kind: Table | None = None, width: int = 640, height: int = 360) -> Profile:
    """A profile fitted to corners, as a user makes it."""
    kind = kind or table()
    points = corners(kind, width, height)
    return profile_from_fit(kind, camera_from_corners(points, kind, (width, height)), points, home="left")


class Scene:
    """A table in a picture: floor, rails with sights, cloth, dark holes. `picture` draws balls (mm) on it."""

    def __init__(self, prof: Profile, cloth: tuple[int, int, int] = CLOTHS["green"], fine: int = 4, seed: int = 1):
        self.profile, self.camera, self.table = prof, prof.camera, prof.table
        self._fine = fine
        rng = np.random.default_rng(seed)
        w, h = prof.camera.width, prof.camera.height
        big = np.full((h * fine, w * fine, 3), (95, 100, 105), np.uint8)
        kind = self.table
        self._fill(big, _rectangle(kind, 150.0), kind.nose_height, (40, 70, 110))
        for x in np.linspace(0, kind.length, 9)[1:-1]:
            for y in (-95.0, kind.width + 95.0):
                self._fill(big, _ring(x, y, 14.0), kind.nose_height, (210, 210, 210))
        self._fill(big, _rectangle(kind, 45.0), kind.nose_height, tuple(min(255, int(1.25 * c)) for c in cloth))
        self._fill(big, _rectangle(kind, 0.0), kind.nose_height, tuple(int(0.55 * c) for c in cloth))
        self._fill(big, _rectangle(kind, -8.0), 0.0, cloth)
        for pocket in kind.pockets:
            self._fill(big, _ring(*pocket.centre, pocket.radius), 0.0, (12, 12, 12))
        plain = cv2.resize(big, (w, h), interpolation=cv2.INTER_AREA)
        grain = cv2.GaussianBlur(rng.normal(0, 4, (h, w)).astype(np.float32), (0, 0), 1.0)
        self.plain = np.clip(plain + grain[..., None], 0, 255).astype(np.float32)
        self._rng = rng
        self._grain = rng.normal(0, 1, (4, h, w, 3)).astype(np.float32)

    def _fill(self, picture: np.ndarray, outline: np.ndarray, z: float, colour: tuple[int, ...]) -> None:
        px = (self.camera.project_at(outline, z) + 0.5) * self._fine - 0.5
        cv2.fillPoly(picture, [np.round(px * 16).astype(np.int32)], tuple(map(float, colour)), cv2.LINE_AA, 4)

    def picture(
        self, places: Mapping[str, tuple[float, float] | np.ndarray | None], noise: float = 1.0, extra: list | None = None
    ) -> np.ndarray:
        """BGR picture. `places`: ball -> (2,) mm, or (N, 2) mm of places during the exposure, or None.

        `extra`: (outline (N, 2) px, BGR) of things lying over all.
        """
        out = self.plain.copy()
        for ball, place in places.items():
            if place is not None:
                self._ball(out, np.atleast_2d(np.asarray(place, float)), BALLS[ball])
        for outline, colour in extra or []:
            cover(out, outline, colour)
        if noise:
            # a few noise pictures are enough, each turned another way
            grain = self._grain[int(self._rng.integers(len(self._grain)))]
            out += noise * grain[:: self._rng.choice((1, -1)), :: self._rng.choice((1, -1))]
        return np.clip(np.round(out), 0, 255).astype(np.uint8)

    def _ball(self, out: np.ndarray, places: np.ndarray, colour: tuple[int, int, int]) -> None:
        outlines = self.camera.silhouette(places, self.table.radius)
        low = np.maximum(np.floor(outlines.min(axis=(0, 1))).astype(int) - 2, 0)
        high = np.ceil(outlines.max(axis=(0, 1))).astype(int) + 3
        window = out[low[1] : high[1], low[0] : high[0]]
        share = np.mean([coverage(window.shape[:2], outline - low) for outline in outlines], axis=0)
        window += share[..., None] * (np.array(colour, np.float32) - window)


def _rectangle(kind: Table, margin: float) -> np.ndarray:
    low, length, width = -margin, kind.length + margin, kind.width + margin
    ends = np.array([(low, low), (low, width), (length, width), (length, low)])
    return np.vstack([np.linspace(ends[i], ends[(i + 1) % 4], 20, endpoint=False) for i in range(4)])


def _ring(x: float, y: float, radius: float) -> np.ndarray:
    turns = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    return np.array([x, y]) + radius * np.column_stack([np.cos(turns), np.sin(turns)])


def coverage(shape: tuple[int, int], outline: np.ndarray, fine: int = 8) -> np.ndarray:
    """(H, W) float32: share of every pixel that lies within the outline (N, 2) px."""
    share = np.zeros(shape, np.float32)
    x0, y0 = np.floor(outline.min(axis=0)).astype(int) - 1
    x1, y1 = np.ceil(outline.max(axis=0)).astype(int) + 2
    x0, y0, x1, y1 = max(0, x0), max(0, y0), min(shape[1], x1), min(shape[0], y1)
    if x1 <= x0 or y1 <= y0:
        return share
    big = np.zeros(((y1 - y0) * fine, (x1 - x0) * fine), np.uint8)
    px = (outline - (x0, y0) + 0.5) * fine - 0.5
    cv2.fillPoly(big, [np.round(px * 256).astype(np.int32)], 255, cv2.LINE_8, 8)
    share[y0:y1, x0:x1] = big.reshape(y1 - y0, fine, x1 - x0, fine).mean(axis=(1, 3)) / 255
    return share


def cover(out: np.ndarray, outline: np.ndarray, colour: tuple[int, int, int]) -> None:
    """Paints an outline (N, 2) px over a float picture."""
    share = coverage(out.shape[:2], np.asarray(outline, float))
    out += share[..., None] * (np.array(colour, np.float32) - out)


def disc(x: float, y: float, radius: float, count: int = 96) -> np.ndarray:
    """Outline (N, 2) px of a disc."""
    turns = np.arange(count) * (2 * np.pi / count)
    return np.array([x, y]) + radius * np.column_stack([np.cos(turns), np.sin(turns)])


def bar(a: tuple[float, float], b: tuple[float, float], thick: float) -> np.ndarray:
    """Outline (4, 2) px of a bar, such as a cue's shaft."""
    along = np.subtract(b, a) / np.hypot(*np.subtract(b, a))
    side = np.array([-along[1], along[0]]) * thick / 2
    return np.array([a + side, b + side, b - side, a - side])


def frame(picture: np.ndarray) -> Frame:
    return frame_of_bgr(picture)
