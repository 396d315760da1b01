"""A sheet of what the detector gets wrong on rendered pictures: tiles round balls that it missed, called otherwise or made up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from models.labels import BALLS
from tests.bench.detector_ap import Shown
from vision.detect import Detector

_TILE, _HEAD, _ACROSS, _ROWS = 104, 14, 9, 4
_REACH = 3.0  # diameters from the middle of a tile to its edge


def mistakes(items: Sequence[Shown], detector: Detector) -> Iterator[tuple[str, NDArray[np.uint8], float, float, float]]:
    """What is wrong in words, the picture, and place and diameter px."""
    for item in items:
        balls = item.labels[item.labels[:, 0] < len(BALLS)]
        size = float(np.median(balls[:, 3])) if len(balls) else 19.0
        found = detector.detect(item.picture, ball_px=size)
        for kind, x, y, d, _ in balls.tolist():
            near = [f for f in found if np.hypot(f.x + 0.5 - x, f.y + 0.5 - y) < d / 2]
            name = BALLS[int(kind)]
            if not near:
                yield f"{name} missed", item.picture, x, y, d
            elif near[0].colour != name:
                yield f"{name} as {near[0].colour}", item.picture, x, y, d
        for f in found:
            if not any(np.hypot(f.x + 0.5 - x, f.y + 0.5 - y) < d / 2 for _, x, y, d, _ in balls.tolist()):
                yield f"no {f.colour}", item.picture, f.x + 0.5, f.y + 0.5, f.diameter


def write_sheet(items: Sequence[Shown], detector: Detector, out: Path, seed: int = 0) -> dict[str, int]:
    """Writes a random choice of them as a picture; returns how many there are of each kind (missed, another colour, made up)."""
    found = list(mistakes(items, detector))
    order = np.random.default_rng(seed).permutation(len(found))[: _ACROSS * _ROWS]
    tiles = [_tile(*found[i]) for i in order]
    tiles += [np.full((_TILE + _HEAD, _TILE, 3), 255, np.uint8)] * (-len(tiles) % _ACROSS)
    if tiles:
        rows = [np.hstack(tiles[i : i + _ACROSS]) for i in range(0, len(tiles), _ACROSS)]
        cv2.imwrite(str(out), np.vstack(rows), [cv2.IMWRITE_JPEG_QUALITY, 80])
    kinds = ["missed" if "missed" in what else "another colour" if " as " in what else "made up" for what, *_ in found]
    return {kind: kinds.count(kind) for kind in ("missed", "another colour", "made up")}


def _tile(what: str, picture: NDArray[np.uint8], x: float, y: float, d: float) -> NDArray[np.uint8]:
    reach = _REACH * max(d, 10.0)
    scale = _TILE / (2 * reach)
    matrix = np.array([[scale, 0, _TILE / 2 - scale * (x - 0.5)], [0, scale, _TILE / 2 - scale * (y - 0.5)]])
    cut = cv2.warpAffine(picture, matrix, (_TILE, _TILE), flags=cv2.INTER_LINEAR, borderValue=(255, 255, 255))
    cv2.circle(cut, (_TILE // 2, _TILE // 2), round(scale * d / 2) + 3, (255, 255, 255), 1, cv2.LINE_AA)
    head = np.full((_HEAD, _TILE, 3), 255, np.uint8)
    cv2.putText(head, what, (2, 10), cv2.FONT_HERSHEY_SIMPLEX, 0.34, (0, 0, 0), 1, cv2.LINE_AA)
    return np.vstack([head, np.asarray(cut, np.uint8)])
