"""Procedural surfaces on a grid of mm: smooth noise, cloth fibre, wood grain, chalk, floors. Values 0..1."""

from __future__ import annotations

from typing import TYPE_CHECKING

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.table import Table

if TYPE_CHECKING:
    from sample_videos.render.plan import _Canvas

Floats = NDArray[np.floating]


def value_noise(rng: np.random.Generator, shape: tuple[int, int], step: float, size: float) -> Floats:
    """Smooth noise 0..1 with patches of `size` mm."""
    h, w = (max(2, int(n * step / size) + 2) for n in shape)
    small = rng.random((h, w), dtype=np.float32)
    return cv2.resize(small, (shape[1], shape[0]), interpolation=cv2.INTER_CUBIC).clip(0, 1)


def stretched_noise(rng: np.random.Generator, shape: tuple[int, int], step: float, *, along: str) -> Floats:
    """Grain of wood: long in one direction."""
    fine, long = 5.0, 260.0
    sizes = (fine, long) if along == "x" else (long, fine)
    h, w = (max(2, int(n * step / s) + 2) for n, s in zip(shape, sizes, strict=True))
    small = rng.random((h, w), dtype=np.float32)
    return cv2.resize(small, (shape[1], shape[0]), interpolation=cv2.INTER_LINEAR)


def fibre(rng: np.random.Generator, shape: tuple[int, int], step: float) -> Floats:
    """Cloth: fine grains with a nap along x, and a coarser mottle."""
    tile = rng.random((256, 512), dtype=np.float32)
    tile = cv2.GaussianBlur(tile, (0, 0), sigmaX=max(3.0 / step, 0.4), sigmaY=max(1.2 / step, 0.4), borderType=cv2.BORDER_REFLECT)
    tile = (tile - tile.mean()) / (tile.std() + 1e-6) * 0.22 + 0.5
    reps = (-(-shape[0] // 256), -(-shape[1] // 512))
    return np.tile(tile, reps)[: shape[0], : shape[1]].clip(0, 1) * 0.8 + 0.2 * value_noise(rng, shape, step, 40)


def chalk(rng: np.random.Generator, canvas: _Canvas, table: Table, count: int) -> NDArray[np.uint8]:
    """Mask of chalk: small smears and dots where cue tips have been."""
    mask = canvas.mask()
    for _ in range(count):
        at = rng.uniform((0, 0), (table.length, table.width))
        if rng.random() < 0.5:
            canvas.disc(mask, (float(at[0]), float(at[1])), rng.uniform(1.5, 6), int(rng.integers(60, 200)))
        else:
            canvas.line(mask, (at, at + rng.normal(0, 40, 2)), rng.uniform(1, 4))
    return mask


def burns(rng: np.random.Generator, canvas: _Canvas, table: Table, count: int) -> NDArray[np.uint8]:
    """Mask of burn marks: pale dots and short lines, most of them round the spots."""
    mask = canvas.mask()
    spots = list(table.spots.values()) or [(table.length / 2, table.width / 2)]
    for _ in range(count):
        near = np.asarray(spots[rng.integers(len(spots))]) + rng.normal(0, 45, 2)
        at = near if rng.random() < 0.7 else rng.uniform((0, 0), (table.length, table.width))
        if rng.random() < 0.6:
            canvas.disc(mask, (float(at[0]), float(at[1])), rng.uniform(1.5, 4.5), int(rng.integers(90, 230)))
        else:
            canvas.line(mask, (at, at + rng.normal(0, 28, 2)), rng.uniform(1, 3))
    return mask


def furnish(rng: np.random.Generator, floor: Floats, canvas: _Canvas, table: Table, count: int) -> None:
    """Draws `count` things on the floor beside the table, in place: chairs and boxes with their shadows, tables of the same kind."""
    for _ in range(count):
        big = rng.random() < 0.25
        size = np.array((table.length, table.width)) + 300 if big else rng.uniform(320, 700, 2)
        side, gap = int(rng.integers(4)), float(rng.uniform(900, 1500) if big else rng.uniform(600, 1600))
        at = rng.uniform((-600, -600), (table.length + 600, table.width + 600))
        axis = side % 2
        at[axis] = (-gap - size[axis] / 2) if side < 2 else (table.length, table.width)[axis] + gap + size[axis] / 2
        turn = 0.0 if big else float(rng.uniform(0, 90))
        shade, body, top = canvas.mask(), canvas.mask(), canvas.mask()
        for mask, scale, shift in ((shade, 1.08, 60.0), (body, 1.0, 0.0), (top, 0.86 if big else 0.8, 0.0)):
            rect = ((float(at[0] + shift), float(at[1] - shift)), (float(size[0] * scale), float(size[1] * scale)), turn)
            cv2.fillPoly(mask, [canvas.px(cv2.boxPoints(rect))], 255, cv2.LINE_AA, 4)
        tone = rng.uniform(0.02, 0.4, 3).astype(np.float32) * rng.uniform(0.2, 1.0)
        for mask, colour, cover in ((shade, tone * 0.05, 0.5), (body, tone * 0.4, 1.0), (top, tone, 1.0)):
            x, y, w, h = cv2.boundingRect(mask)
            part = floor[y : y + h, x : x + w]
            part += (colour - part) * (mask[y : y + h, x : x + w].astype(np.float32) * (cover / 255))[..., None]


def floor_texture(rng: np.random.Generator, shape: tuple[int, int], step: float, kind: str, colour: Floats) -> Floats:
    """Linear RGB (h, w, 3) of a floor of `colour`."""
    tone = 0.75 + 0.5 * value_noise(rng, shape, step, 900)
    if kind == "planks":
        wide = rng.uniform(90, 220)
        row = (np.arange(shape[0]) * step / wide).astype(int)
        planks = rng.uniform(0.7, 1.25, (row[-1] + 1, 8)).astype(np.float32)
        column = (np.arange(shape[1]) * 8 // shape[1])[None] + rng.integers(0, 8, row[-1] + 1)[row][:, None]
        tone = tone * planks[row[:, None], column % 8] * (0.85 + 0.3 * stretched_noise(rng, shape, step, along="x"))
        tone[np.flatnonzero(np.diff(row))] *= 0.6
    elif kind == "carpet":
        tone = tone * (0.7 + 0.6 * rng.random(shape, dtype=np.float32))
        if rng.random() < 0.5:
            tone *= 0.86 + 0.28 * (value_noise(rng, shape, step, 160) > 0.55)
    elif kind == "concrete":
        tone = tone * (0.8 + 0.4 * value_noise(rng, shape, step, 120))
    return tone[..., None].astype(np.float32) * colour
