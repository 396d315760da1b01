"""Average precision of networks on labelled pictures, as COCO counts it: AP50 and AP50-95, for each class and for sizes of balls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from models.labels import BALLS, CLASSES
from models.pictures import picture_files, read_labels
from vision.detect import Detector

LEVELS = np.arange(0.5, 0.96, 0.05)  # IoU
SIZES = ((0.0, 12.0), (12.0, 24.0), (24.0, 99.0))  # px: diameters
_LEAST, _USED = 0.02, 0.1  # scores from which boxes count: of a bare network, and as used
_SAME = 0.55  # IoU from which two boxes of a class are one


class Box(NamedTuple):
    """What a network sees: number of the class, corners px from the picture's edge, score."""

    kind: int
    x0: float
    y0: float
    x1: float
    y1: float
    score: float


@dataclass(frozen=True)
class Shown:
    """A picture (H, W, 3) with its labels (N, 5): class, x, y, width, height px."""

    picture: NDArray[np.uint8]
    labels: NDArray[np.float32]


Sees = Callable[[Shown], Sequence[Box]]
Network = Callable[[NDArray[np.float32]], NDArray[np.float32]]


def shown(folder: Path) -> list[Shown]:
    """All pictures of a data set in YOLO's form, of both parts."""
    found = []
    for file in [*picture_files(folder), *picture_files(folder, "val")]:
        picture = cv2.imread(str(file))
        assert picture is not None
        h, w = picture.shape[:2]
        found.append(Shown(np.asarray(picture, np.uint8), read_labels(file) * np.array([1, w, h, w, h], np.float32)))
    return found


def product(detector: Detector) -> Sees:
    """The detector as it is used on a known table: at the balls' scale, with all its filters."""

    def see(item: Shown) -> list[Box]:
        balls = item.labels[item.labels[:, 0] < len(BALLS)]
        size = float(np.median(balls[:, 3])) if len(balls) else 19.0
        found = detector.detect(item.picture, ball_px=size, confidence=_USED)
        boxes = [_square(BALLS.index(d.colour), d.x + 0.5, d.y + 0.5, d.diameter, d.diameter, d.confidence) for d in found]
        more = detector.things(item.picture, ball_px=size, confidence=_USED)
        return boxes + [_square(CLASSES.index(d.kind), d.x + 0.5, d.y + 0.5, d.width, d.height, d.confidence) for d in more]

    return see


def raw(network: Network) -> Sees:
    """A network by itself, on the pictures as they are: rows of (4 + K, cells), or of x0, y0, x1, y1, score, class."""

    def see(item: Shown) -> list[Box]:
        blob = np.ascontiguousarray(item.picture[..., ::-1].transpose(2, 0, 1)[None], dtype=np.float32) / np.float32(255)
        out = network(blob)
        if out.shape[1] == 6:
            return [Box(int(k), x0, y0, x1, y1, s) for x0, y0, x1, y1, s, k in out.tolist() if s >= _LEAST]
        return _thinned(out)

    return see


def _square(kind: int, x: float, y: float, w: float, h: float, score: float) -> Box:
    return Box(kind, x - w / 2, y - h / 2, x + w / 2, y + h / 2, score)


def _thinned(out: NDArray[np.float32]) -> list[Box]:
    found: list[Box] = []
    for kind, scores in enumerate(out[4:]):
        cells = np.flatnonzero(scores >= _LEAST)
        cells = cells[np.argsort(-scores[cells])][:300]
        x, y, w, h = out[:4, cells]
        boxes = np.stack([x - w / 2, y - h / 2, x + w / 2, y + h / 2], 1)
        free = np.ones(len(cells), bool)
        for i in range(len(cells)):
            if free[i]:
                free &= overlap(boxes[i : i + 1], boxes)[0] < _SAME
                x0, y0, x1, y1 = boxes[i].tolist()
                found.append(Box(kind, x0, y0, x1, y1, float(scores[cells[i]])))
    return found


def overlap(one: NDArray, other: NDArray) -> NDArray[np.float64]:
    """IoU (N, M) of boxes (N, 4) and (M, 4) of corners."""
    low, high = np.maximum(one[:, None, :2], other[None, :, :2]), np.minimum(one[:, None, 2:], other[None, :, 2:])
    both = np.clip(high - low, 0, None).prod(-1)
    areas = [np.clip(b[:, 2:] - b[:, :2], 0, None).prod(-1) for b in (one, other)]
    return both / np.maximum(areas[0][:, None] + areas[1][None] - both, 1e-9)


@dataclass(frozen=True, slots=True)
class Precision:
    """Of one class: number of labels, AP at IoU 0.5, mean AP at 0.5 to 0.95; NaN without labels."""

    n: int
    at_50: float
    mean: float


def precision(items: Sequence[Shown], seen: Sequence[Sequence[Box]], kinds: set[int], size: tuple[float, float] = (0.0, 1e9)) -> Precision:
    """AP of the classes `kinds` taken as one; labels of another size, and what lies on them, count neither way."""
    rows: list[tuple[float, NDArray[np.bool_]]] = []
    total = 0
    for item, boxes in zip(items, seen, strict=True):
        labels = item.labels[np.isin(item.labels[:, 0], list(kinds))]
        asked = (labels[:, 3] >= size[0]) & (labels[:, 3] < size[1])
        total += int(asked.sum())
        rows += _matched(labels, asked, sorted((b for b in boxes if b.kind in kinds), key=lambda b: -b.score), size)
    if not total:
        return Precision(0, float("nan"), float("nan"))
    rows.sort(key=lambda r: -r[0])
    hits = np.array([r[1] for r in rows]).reshape(-1, len(LEVELS))
    each = [_area(column, total) for column in hits.T]
    return Precision(total, each[0], sum(each) / len(each))


def _matched(
    labels: NDArray[np.float32], asked: NDArray[np.bool_], boxes: list[Box], size: tuple[float, float]
) -> list[tuple[float, NDArray[np.bool_]]]:
    """For each box that counts its score and at which levels it is right."""
    at = np.concatenate([labels[:, 1:3] - labels[:, 3:5] / 2, labels[:, 1:3] + labels[:, 3:5] / 2], 1)
    near = overlap(np.array([b[1:5] for b in boxes], float).reshape(-1, 4), at)
    taken = np.zeros((len(LEVELS), len(labels)), bool)
    rows = []
    for n, box in enumerate(boxes):
        right, ignored = np.zeros(len(LEVELS), bool), False
        for k, level in enumerate(LEVELS):
            if not len(labels) or near[n].max() < level:
                break
            free = np.where(taken[k], -1.0, near[n])
            best = int(np.argmax(free))
            if free[best] >= level:
                taken[k, best] = True
                right[k] = asked[best]
                ignored |= k == 0 and not asked[best]
        odd = not size[0] <= box.x1 - box.x0 < size[1]  # of no label, and of another size: none of our business
        if not ignored and (right.any() or not odd):
            rows.append((box.score, right))
    return rows


def _area(hits: NDArray[np.bool_], total: int) -> float:
    """Area under precision over recall, at 101 places of recall."""
    if not len(hits):
        return 0.0
    right = np.cumsum(hits)
    share = np.maximum.accumulate((right / np.arange(1, len(hits) + 1))[::-1])[::-1]
    at = np.searchsorted(right / total, np.linspace(0, 1, 101) - 1e-9)
    return float(np.append(share, 0.0)[at].mean())
