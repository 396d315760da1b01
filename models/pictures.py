"""Training pictures from a folder in YOLO's form: reading, random changes, batches in the background."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from calibration.errors import UserError
from models.labels import BALLS, CLASSES

USUAL = 19.0  # px: diameter to which `vision.detect` scales balls mostly
_RESIZED = (0.6, 2.6)  # the least and most
_WHITE, _GREYISH = 180, 40  # least channel, and by how much channels may differ, of what looks white
UNTOLD = "untold.txt"  # in a data set's folder: classes of which its labels tell nothing
Picture = NDArray[np.uint8]


@dataclass(frozen=True)
class Batch:
    """`pictures` (B, 3, S, S) float32 RGB 0..1; `labels` (N, 6): picture, class, x, y, width, height as shares of S.

    `told` (B, 7): whether the labels of a picture tell of a class; None: of all.
    """

    pictures: NDArray[np.float32]
    labels: NDArray[np.float32]
    told: NDArray[np.bool_] | None = None


def picture_files(folder: Path, part: str = "train") -> list[Path]:
    """Pictures of a part of a data set.

    Raises:
        UserError: there are none.
    """
    found = sorted(p for p in (Path(folder) / "images" / part).glob("*") if p.suffix.lower() in (".jpg", ".jpeg", ".png"))
    if not found:
        raise UserError(f"{folder}: expected pictures in images/{part} (make them with python -m models.dataset)")
    return found


def read_labels(picture: Path) -> NDArray[np.float32]:
    """(N, 5): class, x, y, width, height, as shares of the picture; an absent file means no balls.

    Raises:
        UserError: a line is not five numbers.
    """
    file = picture.parents[2] / "labels" / picture.parent.name / (picture.stem + ".txt")
    if not file.exists():
        return np.zeros((0, 5), np.float32)
    try:
        rows = [[float(v) for v in line.split()] for line in file.read_text().splitlines() if line.strip()]
        return np.array(rows, np.float32).reshape(-1, 5)
    except ValueError:
        raise UserError(f"{file}: expected lines of five numbers: class x y width height") from None


@cache
def misleading(picture: Path) -> bool:
    """Whether a ball of another game looks white in it, bleached by light or turned so that a white side shows.

    Learnt from, such pictures make real white balls, which cameras bleach too, balls of other games.
    """
    rows = read_labels(picture)
    rows = rows[rows[:, 0] == BALLS.index("other")]
    shown = cv2.imread(str(picture), cv2.IMREAD_COLOR) if len(rows) else None
    if shown is None:
        return False
    size = shown.shape[0]
    for _, x, y, w, _ in rows * size:
        half = max(0.25 * w, 1.0)
        x0, y0 = max(int(x - half), 0), max(int(y - half), 0)
        core = np.median(shown[y0 : int(y + half) + 1, x0 : int(x + half) + 1].reshape(-1, 3), axis=0)
        if core.min() > _WHITE and np.ptp(core) < _GREYISH:
            return True
    return False


@lru_cache(maxsize=64)
def classes_told(folder: Path) -> NDArray[np.bool_]:
    """(7,): of which classes the labels of a data set tell."""
    file = folder / UNTOLD
    missing = file.read_text("utf-8").split() if file.is_file() else []
    return np.array([c not in missing for c in CLASSES])


def changed(rng: Generator, picture: Picture, labels: NDArray[np.float32], side: int = 0) -> tuple[Picture, NDArray[np.float32]]:
    """A random likeness: turned, mirrored, moved, scaled, in other light; balls whose centres leave it are dropped.

    `side` px: how large it shall be (0: as the picture). A smaller one is mostly a window round some ball.
    """
    size = picture.shape[0]
    side = side or size
    scale = _scale(rng, labels, size)
    angle = float(rng.choice([0, 90, 180, 270])) + (float(rng.normal(0, 8)) if rng.random() < 0.4 else 0.0)
    target = rng.uniform(0.35, 0.65, 2) * size
    if len(labels) and rng.random() < 0.8:
        target = labels[rng.integers(len(labels)), 1:3] * size - 0.5
    matrix = cv2.getRotationMatrix2D((0.0, 0.0), angle, scale)
    if rng.random() < 0.5:
        matrix = matrix @ np.array([[-1.0, 0, 0], [0, 1, 0], [0, 0, 1]])
    # the target comes to lie somewhere in the window, as far as the picture reaches
    room = np.clip(rng.uniform(0.1, 0.9, 2) * side, side - 0.62 * size * scale, 0.62 * size * scale)
    matrix[:, 2] = room - matrix[:, :2] @ target
    if rng.random() < 0.9:  # mostly without a margin, as far as the picture reaches: nothing is learnt from that
        corners = np.array([[0, 0], [size, 0], [0, size], [size, size]]) @ matrix[:, :2].T + matrix[:, 2]
        low, high = corners.min(axis=0), corners.max(axis=0)
        matrix[:, 2] -= np.where(high - low >= side, np.maximum(low, 0) + np.minimum(high - side, 0), (low + high - side) / 2)
    fill = tuple(float(v) for v in rng.integers(0, 160, 3))
    moved = np.asarray(cv2.warpAffine(picture, matrix, (side, side), flags=cv2.INTER_LINEAR, borderValue=fill), dtype=np.uint8)
    out = labels.copy()
    centres = labels[:, 1:3] * size - 0.5
    out[:, 1:3] = (centres @ matrix[:, :2].T + matrix[:, 2] + 0.5) / side
    c, s = np.abs(np.cos(np.radians(angle))), np.abs(np.sin(np.radians(angle)))
    sides = np.where(labels[:, :1] < len(BALLS), labels[:, 3:5], labels[:, 3:5] * c + labels[:, 4:2:-1] * s)  # a ball's box does not turn
    out[:, 3:5] = sides * (scale * size / side)
    out = out[((out[:, 1:3] > 0) & (out[:, 1:3] < 1)).all(axis=1)]
    return _other_light(rng, moved), out.astype(np.float32)


def _scale(rng: Generator, labels: NDArray[np.float32], size: int) -> float:
    """By how much a likeness is enlarged: every second time so that balls become as wide as the detector shows them to the network."""
    balls = labels[labels[:, 0] < len(BALLS), 3]
    if len(balls) and rng.random() < 0.5:
        return float(np.clip(USUAL / (np.median(balls) * size) * np.exp(rng.normal(0, 0.2)), *_RESIZED))
    return float(np.exp(rng.uniform(-0.3, 0.25)))


def _other_light(rng: Generator, picture: Picture) -> Picture:
    gains = np.exp(rng.normal(0, 0.18) + rng.normal(0, 0.08, 3))
    gamma = float(np.exp(rng.normal(0, 0.15)))
    ramp = np.linspace(0, 1, 256) ** gamma
    curve = np.clip(ramp[:, None] * gains * 255, 0, 255).astype(np.uint8)
    shown = np.asarray(cv2.LUT(picture, curve[:, None]), dtype=np.uint8)
    if rng.random() < 0.3:
        grey = cv2.cvtColor(cv2.cvtColor(shown, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR)
        share = float(rng.uniform(0.6, 1.5))
        shown = np.asarray(cv2.addWeighted(shown, share, grey, 1 - share, 0), dtype=np.uint8)
    if rng.random() < 0.12:
        shown = np.asarray(cv2.GaussianBlur(shown, (0, 0), float(rng.uniform(0.4, 1.1))), dtype=np.uint8)
    elif rng.random() < 0.12:  # fewer pixels than it pretends to have
        share = float(rng.uniform(0.55, 0.9))
        small = cv2.resize(shown, None, fx=share, fy=share, interpolation=cv2.INTER_AREA)
        shown = np.asarray(cv2.resize(small, (shown.shape[1], shown.shape[0]), interpolation=cv2.INTER_LINEAR), dtype=np.uint8)
    if rng.random() < 0.12:
        grain = rng.standard_normal(shown.shape, dtype=np.float32) * np.float32(rng.uniform(2, 9))
        shown = np.clip(shown + grain, 0, 255).astype(np.uint8)
    return shown


def _one(job: tuple[Path, int, int]) -> tuple[Picture, NDArray[np.float32]]:
    path, seed, side = job
    picture = cv2.imread(str(path), cv2.IMREAD_COLOR)
    if picture is None:
        raise UserError(f"{path}: expected a picture")
    if picture.shape[0] != picture.shape[1]:
        raise UserError(f"{path}: expected a square picture, got {picture.shape[1]}x{picture.shape[0]}")
    shown, labels = np.asarray(picture, dtype=np.uint8), read_labels(path)
    return changed(np.random.default_rng(seed), shown, labels, side)


def as_batch(samples: list[tuple[Picture, NDArray[np.float32]]], told: NDArray[np.bool_] | None = None) -> Batch:
    pictures = np.stack([p[..., ::-1].transpose(2, 0, 1) for p, _ in samples]).astype(np.float32) / np.float32(255)
    rows = [np.column_stack([np.full(len(b), i, np.float32), b]) for i, (_, b) in enumerate(samples)]
    return Batch(np.ascontiguousarray(pictures), np.concatenate(rows).astype(np.float32), told)


def batches(files: list[Path], size: int, seed: int, side: int = 0) -> Iterator[Batch]:
    """One pass over `files` in random order, changed at random, `size` pictures of `side` px a batch; the next is made meanwhile."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(files))
    groups = [order[i : i + size] for i in range(0, len(order) - size + 1, size)] or [order]

    def make(group: NDArray[np.integer]) -> Batch:
        told = np.stack([classes_told(files[i].parents[2]) for i in group])
        return as_batch([_one((files[i], int(seed * 100_003 + i), side)) for i in group], told)

    with ThreadPoolExecutor(1) as pool:
        ahead = pool.submit(make, groups[0])
        for group in [*groups[1:], None]:
            ready = ahead.result()
            if group is not None:
                ahead = pool.submit(make, group)
            yield ready
