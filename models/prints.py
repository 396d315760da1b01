"""What is printed on a hall's floor and on the cloth: logos and words, in perspective, under balls, people and shadows.

They are laid over the light of the empty table (`Renderer`'s `on_empty`). A logo is a patch of `_SIDE` px with a cover; it lies flat
on its plane, so the camera sees it squashed as it sees all else there.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from calibration.camera import Camera
from calibration.table import Table
from sample_videos.render.look import Look, linear
from sample_videos.render.plan import FLOOR_Z

Floats = NDArray[np.floating]
_SIDE = 96
_INKS = (
    (1.0, 1.0, 1.0), (0.95, 0.93, 0.85), (0.06, 0.06, 0.07), (0.10, 0.30, 0.70), (0.15, 0.55, 0.85), (0.80, 0.10, 0.12), (0.95, 0.75, 0.10),
    (0.10, 0.50, 0.25), (0.95, 0.45, 0.10), (0.45, 0.45, 0.47),
)  # fmt: skip
_LETTERS = list("ABCDEFGHKLMNOPRSTXYZ0123456789&")
_FONTS = (cv2.FONT_HERSHEY_SIMPLEX, cv2.FONT_HERSHEY_DUPLEX, cv2.FONT_HERSHEY_TRIPLEX)


def prints(
    rng: Generator, light: Floats, camera: Camera, table: Table, look: Look, bed: NDArray[np.bool_], wood: NDArray[np.bool_]
) -> None:
    """Draws some, in place.

    Args:
        light: (H, W, 3) linear RGB of the empty table.
        bed: (H, W) where the noses' rectangle lies.
        wood: (H, W) where table or rails lie: the floor is elsewhere.
    """
    if rng.random() < 0.45:
        for _ in range(int(rng.integers(1, 5))):
            at = _spot(rng, ~wood)
            if at is not None:
                radius = table.ball * float(np.exp(rng.uniform(np.log(0.5), np.log(5))))
                gain = float(rng.uniform(0.15, 1.1)) * min(look.exposure, 1.5)
                _lay(rng, light, camera, at, FLOOR_Z, radius, ~wood, gain, float(rng.uniform(0.75, 1.0)))
    if rng.random() < 0.18:
        albedo = max(float(linear(look.cloth).max()), 0.02)
        for _ in range(int(rng.integers(1, 3))):
            at = _spot(rng, bed)
            if at is not None:
                gain = float(light[at[1], at[0]].max()) / albedo
                radius = table.ball * float(np.exp(rng.uniform(np.log(0.3), np.log(4))))
                _lay(rng, light, camera, at, 0.0, radius, bed, min(gain, 3.0), float(rng.uniform(0.3, 0.95)))


def _spot(rng: Generator, where: NDArray[np.bool_]) -> tuple[int, int] | None:
    ys, xs = np.nonzero(where)
    if len(xs) < 50:
        return None
    k = int(rng.integers(len(xs)))
    return int(xs[k]), int(ys[k])


def _lay(
    rng: Generator, light: Floats, camera: Camera, at: tuple[int, int], z: float, radius: float, where: NDArray[np.bool_], gain: float,
    strength: float,
) -> None:  # fmt: skip
    """Lays a logo of `radius` mm on the plane at height `z`, its middle under the pixel `at`."""
    middle = camera.to_table([at], z)[0]
    if not np.isfinite(middle).all():
        return
    turn = float(rng.choice([0, 90, 180, 270])) + float(rng.normal(0, 6))
    c, s = np.cos(np.radians(turn)), np.sin(np.radians(turn))
    mirror = 1.0 if camera.position[2] > z else -1.0
    corners = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)], float) * radius @ np.array([[c, s], [-s * mirror, c * mirror]])
    px = camera.project_at(corners + middle, z).astype(np.float32)
    if not np.isfinite(px).all() or np.ptp(px, axis=0).max() > 2 * max(light.shape[:2]) or np.ptp(px, axis=0).min() < 2:
        return
    colour, cover = _logo(rng)
    matrix = cv2.getPerspectiveTransform(np.array([(0, 0), (_SIDE, 0), (_SIDE, _SIDE), (0, _SIDE)], np.float32), px)
    size = (light.shape[1], light.shape[0])
    patch = np.dstack([colour, cover])
    small = float(np.ptp(px, axis=0).mean()) / _SIDE
    if small < 0.7:  # as a lens would, not every third pixel
        patch = cv2.GaussianBlur(patch, (0, 0), 0.5 / small)
    laid = cv2.warpPerspective(patch, matrix, size, flags=cv2.INTER_LINEAR)
    mask = (laid[..., 3] * where * strength)[..., None]
    light += (laid[..., :3] / np.maximum(laid[..., 3:], 1e-3) * np.float32(gain) - light) * mask


def _ink(rng: Generator) -> NDArray[np.float32]:
    base = np.array(_INKS[rng.integers(len(_INKS))])
    return np.asarray(linear(np.clip(base * rng.uniform(0.7, 1.05) + rng.normal(0, 0.04, 3), 0, 1)), np.float32)


def _logo(rng: Generator) -> tuple[Floats, Floats]:
    """Colour (S, S, 3), linear, multiplied with its cover, and cover (S, S) 0..1."""
    colour, cover = np.zeros((_SIDE, _SIDE, 3), np.float32), np.zeros((_SIDE, _SIDE), np.float32)

    def put(mask: NDArray[np.uint8], ink: NDArray[np.float32]) -> None:
        m = mask.astype(np.float32)[..., None] / 255
        colour[:] = colour * (1 - m) + ink * m
        cover[:] = cover * (1 - m[..., 0]) + m[..., 0]

    blank = lambda: np.zeros((_SIDE, _SIDE), np.uint8)  # noqa: E731
    kind, half = rng.random(), _SIDE // 2
    r = int(rng.uniform(0.5, 0.95) * half)
    if kind < 0.55:  # a badge: disc or ring, perhaps a second one, a swirl, a letter
        for share in (1.0, *rng.uniform(0.3, 0.85, int(rng.integers(0, 3)))):
            mask = blank()
            cv2.circle(mask, (half, half), int(r * share), 255, -1 if rng.random() < 0.7 else max(2, int(r * 0.14)), cv2.LINE_AA)
            put(mask, _ink(rng))
        if rng.random() < 0.45:
            mask, turn = blank(), float(rng.uniform(0, 360))
            thick = max(2, int(r * rng.uniform(0.1, 0.4)))
            for k in range(int(rng.integers(1, 4))):
                axes = (int(r * rng.uniform(0.2, 0.7)), int(r * rng.uniform(0.2, 0.7)))
                cv2.ellipse(mask, (half, half), axes, turn + 120 * k, 0, float(rng.uniform(90, 260)), 255, thick, cv2.LINE_AA)
            put(mask, _ink(rng))
        if rng.random() < 0.5:
            put(_text(rng, blank(), int(rng.integers(1, 4)), r / half), _ink(rng))
    elif kind < 0.75:  # a plate
        mask = blank()
        tall = int(r * rng.uniform(0.3, 1.0))
        cv2.rectangle(mask, (half - r, half - tall), (half + r, half + tall), 255, -1)
        put(mask, _ink(rng))
        put(_text(rng, blank(), int(rng.integers(2, 7)), 0.9), _ink(rng))
    elif kind < 0.9:  # words
        put(_text(rng, blank(), int(rng.integers(2, 9)), 1.0), _ink(rng))
    else:  # a star or another polygon
        n, mask = int(rng.integers(3, 8)), blank()
        angles = np.arange(2 * n) * np.pi / n
        reach = np.where(np.arange(2 * n) % 2, r * rng.uniform(0.4, 0.9), r)
        points = half + np.column_stack([np.cos(angles), np.sin(angles)]) * reach[:, None]
        cv2.fillPoly(mask, [points.astype(np.int32)], 255, cv2.LINE_AA)
        put(mask, _ink(rng))
    return colour, cover


def _text(rng: Generator, mask: NDArray[np.uint8], count: int, room: float) -> NDArray[np.uint8]:
    text, font = "".join(rng.choice(_LETTERS, count)), _FONTS[rng.integers(3)]
    thick = int(rng.integers(2, 6)) if count < 4 else int(rng.integers(1, 3))
    (wide, tall), _ = cv2.getTextSize(text, font, 1.0, thick)
    scale = min(0.85 * room * _SIDE / wide, 0.6 * room * _SIDE / tall)
    wide, tall = wide * scale, tall * scale
    cv2.putText(mask, text, (int(_SIDE / 2 - wide / 2), int(_SIDE / 2 + tall / 2)), font, scale, 255, thick, cv2.LINE_AA)
    return mask
