"""What a broadcaster lays over the picture: scoreboard, logos, a ticker that runs. Drawn once, mixed into every frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]
Box = tuple[int, int, int, int]  # x0, y0, x1, y1 px
PARTS = ("scoreboard", "logo", "ticker")
_FONT = cv2.FONT_HERSHEY_DUPLEX
_NAMES = ("IVANOV A.", "PETROV S.", "KIM D.", "SIDOROV V.", "LEE J.", "NOVAK M.", "SATO K.", "ORLOV P.", "ROSSI G.", "WEBER T.")
_BRANDS = ("BILLIARD TV", "SPORT 24", "CUE LIVE", "ARENA", "KANAL 7", "PRO TOUR", "HD", "CHAMPION")
_NEWS = ("NEXT: SEMIFINAL 19:30", "WORLD CUP DAY 3", "TABLE 4", "RESULTS: 5-3  4-5  5-1", "LIVE FROM THE HALL", "FOLLOW US ONLINE")
_FILLS = ((25, 20, 15), (140, 40, 20), (30, 30, 170), (60, 90, 20), (235, 235, 235), (20, 120, 200))


@dataclass(frozen=True, slots=True, eq=False)
class _Panel:
    """A picture at `box` with its opacity; it moves to the left by `speed` px/s within `box` if that is not 0."""

    box: Box
    picture: Picture
    cover: NDArray[np.float32]
    speed: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Overlay:
    """Panels over pictures of one size."""

    panels: tuple[_Panel, ...] = field(default=())

    @property
    def boxes(self) -> list[Box]:
        """What lies under them: nothing there can be seen."""
        return [p.box for p in self.panels]

    def draw(self, picture: Picture, t: float) -> Picture:
        """Lays the panels over the picture in place, as they are at time t (s)."""
        for panel in self.panels:
            x0, y0, x1, y1 = panel.box
            shift = int(panel.speed * t) % panel.picture.shape[1]
            above, cover = (np.roll(part, -shift, axis=1)[:, : x1 - x0] for part in (panel.picture, panel.cover))
            part = picture[y0:y1, x0:x1]
            part[:] = part + (above.astype(np.float32) - part) * cover[..., None]
        return picture


def make_overlay(size: tuple[int, int], seed: int = 0, parts: Sequence[str] = PARTS) -> Overlay:
    """The panels named in `parts` for pictures of `size` (width, height), drawn at random.

    Raises:
        ValueError: a part is unknown.
    """
    rng = np.random.default_rng(seed)
    panels: list[_Panel] = []
    for part in parts:
        if part not in PARTS:
            raise ValueError(f"overlay {part!r}: expected one of {', '.join(PARTS)}")
        panels.append({"scoreboard": _scoreboard, "logo": _logo, "ticker": _ticker}[part](rng, size, panels))
    return Overlay(tuple(panels))


def _fill(rng: np.random.Generator) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
    """Colours of a panel and of the letters on it."""
    fill = _FILLS[rng.integers(len(_FILLS))]
    return fill, ((20, 20, 20) if sum(fill) > 500 else (240, 240, 240))


def _write(picture: Picture, text: str, x: int, y: int, tall: float, colour: tuple[int, int, int]) -> int:
    """Writes `tall` px high letters with their foot at y; returns where they end."""
    scale = tall / 22.0
    (wide, _), _ = cv2.getTextSize(text, _FONT, scale, max(1, round(tall / 14)))
    cv2.putText(picture, text, (x, y), _FONT, scale, colour, max(1, round(tall / 14)), cv2.LINE_AA)
    return x + wide


def _scoreboard(rng: np.random.Generator, size: tuple[int, int], panels: Sequence[_Panel]) -> _Panel:
    w, h = size
    tall = max(7.0, h * float(rng.uniform(0.018, 0.026)))
    row, wide = int(2.1 * tall), int(13 * tall)
    fill, ink = _fill(rng)
    picture = np.full((2 * row, wide, 3), fill, np.uint8)
    picture[:, -int(2.4 * tall) :] = (30, 30, 30) if sum(fill) > 500 else (235, 235, 235)
    names = rng.choice(_NAMES, 2, replace=False)
    for k in range(2):
        y = int((k + 0.72) * row)
        cv2.circle(picture, (int(tall), int((k + 0.5) * row)), int(0.55 * tall), ((235, 235, 235), (40, 200, 240))[k], -1, cv2.LINE_AA)
        _write(picture, str(names[k]), int(2.1 * tall), y, tall, ink)
        _write(
            picture, str(int(rng.integers(0, 60))), wide - int(2.1 * tall), y, tall, (240, 240, 240) if sum(fill) > 500 else (20, 20, 20)
        )
    x = int(rng.choice([0.02, 0.04]) * w) if rng.random() < 0.7 else w - wide - int(0.03 * w)
    y = int(0.02 * h) if rng.random() < 0.6 else h - 2 * row - int(rng.uniform(0.05, 0.09) * h)
    return _Panel(_box(x, y, picture), picture, np.full(picture.shape[:2], rng.uniform(0.75, 1.0), np.float32))


def _logo(rng: np.random.Generator, size: tuple[int, int], panels: Sequence[_Panel]) -> _Panel:
    w, h = size
    tall = max(8.0, h * float(rng.uniform(0.02, 0.04)))
    text = str(rng.choice(_BRANDS))
    picture = np.zeros((int(2.4 * tall), int((len(text) * 0.95 + 3.0) * tall), 3), np.uint8)
    ring = rng.random() < 0.5
    if ring:
        cv2.circle(picture, (int(1.2 * tall), int(1.2 * tall)), int(1.05 * tall), (255, 255, 255), max(1, int(tall / 7)), cv2.LINE_AA)
    _write(picture, text, int((2.6 if ring else 0.3) * tall), int(1.65 * tall), tall, (255, 255, 255))
    cover = (picture[..., 0] * (float(rng.uniform(0.5, 1.0)) / 255)).astype(np.float32)
    tint = np.array(_FILLS[rng.integers(len(_FILLS))] if rng.random() < 0.3 else (255, 255, 255), np.float32)
    x = w - picture.shape[1] - int(0.02 * w) if rng.random() < 0.7 else int(0.02 * w)
    if any(p.box[1] < 0.1 * h and (p.box[0] < w / 2) == (x < w / 2) for p in panels):  # the other corner
        x = w - picture.shape[1] - x
    return _Panel(_box(x, int(0.015 * h), picture), np.full_like(picture, tint.astype(np.uint8)), cover)


def _ticker(rng: np.random.Generator, size: tuple[int, int], panels: Sequence[_Panel]) -> _Panel:
    w, h = size
    tall = max(7.0, h * float(rng.uniform(0.018, 0.026)))
    fill, ink = _fill(rng)
    text = "   *   ".join(str(n) for n in rng.permutation(_NEWS))
    long = max(w, int(len(text) * 1.05 * tall))
    picture = np.full((int(1.9 * tall), long, 3), fill, np.uint8)
    _write(picture, text, 0, int(1.35 * tall), tall, ink)
    y = h - picture.shape[0] - int(rng.choice([0.0, 0.02]) * h)
    cover = np.full(picture.shape[:2], rng.uniform(0.8, 1.0), np.float32)
    return _Panel((0, y, w, y + picture.shape[0]), picture, cover, float(rng.uniform(0.05, 0.12)) * w if rng.random() < 0.7 else 0.0)


def _box(x: int, y: int, picture: Picture) -> Box:
    x, y = max(x, 0), max(y, 0)
    return x, y, x + picture.shape[1], y + picture.shape[0]


def random_parts(rng: np.random.Generator) -> tuple[str, ...]:
    """Which panels a picture has: none mostly, all of them seldom."""
    return tuple(part for part, share in zip(PARTS, (0.35, 0.3, 0.15), strict=True) if rng.random() < share)
