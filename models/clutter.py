"""What lies over or in a picture and is no ball: scoreboards, tickers, logos, projected rings and lines, lamps' reflections."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

Picture = NDArray[np.uint8]
_LETTERS = "ABCDEFGHKLMNPRSTXYZ0123456789 .:-"
_FONTS = (cv2.FONT_HERSHEY_SIMPLEX, cv2.FONT_HERSHEY_DUPLEX, cv2.FONT_HERSHEY_TRIPLEX)


def _colour(rng: Generator) -> tuple[int, int, int]:
    palette = ((255, 255, 255), (20, 20, 20), (30, 30, 200), (30, 200, 240), (200, 90, 20), (60, 160, 40))
    base = np.array(palette[rng.integers(len(palette))]) if rng.random() < 0.7 else rng.integers(0, 256, 3)
    return tuple(int(v) for v in np.clip(base + rng.integers(-20, 21, 3), 0, 255))  # type: ignore[return-value]


def _words(rng: Generator) -> str:
    return "".join(rng.choice(list(_LETTERS), int(rng.integers(3, 18))))


def projected_light(rng: Generator, picture: Picture, balls: list[tuple[float, float, float]]) -> None:
    """Rings round balls (x, y, diameter px) and lines as a projector over the table draws them, in place."""
    layer = np.zeros_like(picture)
    tint = _colour(rng) if rng.random() < 0.4 else (255, 255, 190)
    for x, y, d in balls:
        if rng.random() < 0.6:
            shift = rng.normal(0, 0.3 * d, 2)
            centre = (int((x + shift[0]) * 8), int((y + shift[1]) * 8))
            cv2.circle(layer, centre, int(d * rng.uniform(0.6, 1.3) * 8), tint, max(1, int(d * rng.uniform(0.02, 0.12))), cv2.LINE_AA, 3)
    h, w = picture.shape[:2]
    for _ in range(int(rng.integers(0, 4))):
        pts = rng.integers((0, 0), (w, h), (int(rng.integers(2, 4)), 2)).astype(np.int32)
        cv2.polylines(layer, [pts], False, tint, int(rng.integers(1, 4)), cv2.LINE_AA)
    usual = float(np.median([d for _, _, d in balls])) if balls else float(rng.uniform(9, 36))
    for _ in range(int(rng.integers(0, 4))):  # where a ball was or shall be: one ring, or several that overlap
        at = rng.uniform((0, 0), (w, h))
        for _ in range(int(rng.choice((1, 2, 3), p=(0.5, 0.35, 0.15)))):
            centre = tuple(int(v * 8) for v in at + rng.normal(0, 0.4 * usual, 2))
            thick = max(1, int(usual * rng.uniform(0.02, 0.14)))
            cv2.circle(layer, centre, int(usual * rng.uniform(0.4, 1.2) * 8), tint, thick, cv2.LINE_AA, 3)
    layer = cv2.GaussianBlur(layer, (0, 0), rng.uniform(0.4, 1.2))
    picture[:] = cv2.addWeighted(picture, 1.0, layer, float(rng.uniform(0.3, 0.9)), 0)


def _panel(rng: Generator, picture: Picture) -> tuple[int, int, int, int]:
    """A score panel or a ticker; its box."""
    h, w = picture.shape[:2]
    if rng.random() < 0.5:
        y = int(h * rng.choice([0.0, 0.03, 0.82, 0.9]) + rng.integers(0, 12))
        box = (0, y, w, min(h, y + int(rng.integers(14, 46))))
    else:
        x, y = int(rng.integers(0, w * 3 // 4)), int(rng.choice([rng.integers(0, h // 6), rng.integers(h * 3 // 4, h - 12)]))
        box = (x, y, min(w, x + int(rng.integers(60, 240))), min(h, y + int(rng.integers(16, 70))))
    x0, y0, x1, y1 = box
    fill = np.array(_colour(rng), np.float32)
    alpha = rng.uniform(0.6, 1.0)
    cut = picture[y0:y1, x0:x1].astype(np.float32)
    picture[y0:y1, x0:x1] = (cut * (1 - alpha) + fill * alpha).astype(np.uint8)
    for row in range(y0 + 12, y1 + 4, 18):
        cv2.putText(
            picture,
            _words(rng),
            (x0 + int(rng.integers(2, 12)), row),
            _FONTS[rng.integers(3)],
            rng.uniform(0.3, 0.6),
            _colour(rng),
            1,
            cv2.LINE_AA,
        )
    if rng.random() < 0.5:  # the players' balls, drawn on the panel
        for _ in range(int(rng.integers(1, 4))):
            r = int(rng.integers(3, 11))
            at = (int(rng.integers(x0, max(x0 + 1, x1))), int(rng.integers(y0, max(y0 + 1, y1))))  # a small picture may cut it off
            cv2.circle(picture, at, r, _colour(rng), cv2.FILLED, cv2.LINE_AA)
    return box


def _logo(rng: Generator, picture: Picture) -> tuple[int, int, int, int]:
    """Letters in a ring, a disc or a box near the border; its box."""
    h, w = picture.shape[:2]
    side = rng.integers(4)
    x = int(rng.integers(0, w)) if side < 2 else int(rng.choice([rng.integers(0, w // 8), rng.integers(w * 7 // 8, w)]))
    y = int(rng.integers(0, h)) if side >= 2 else int(rng.choice([rng.integers(0, h // 8), rng.integers(h * 7 // 8, h)]))
    r = int(rng.integers(5, 34))
    if rng.random() < 0.6:
        cv2.circle(picture, (x, y), r, _colour(rng), cv2.FILLED if rng.random() < 0.5 else int(rng.integers(1, 5)), cv2.LINE_AA)
    else:
        cv2.rectangle(picture, (x - r, y - r), (x + r, y + r), _colour(rng), cv2.FILLED)
        cv2.rectangle(picture, (x - r // 2, y - r // 2), (x + r // 3, y + r // 3), _colour(rng), max(1, r // 5))
    wide = 0
    if rng.random() < 0.7:
        cv2.putText(
            picture,
            _words(rng)[:9],
            (x + r, y + r // 2),
            _FONTS[rng.integers(3)],
            rng.uniform(0.3, 0.9),
            _colour(rng),
            int(rng.integers(1, 3)),
            cv2.LINE_AA,
        )
        wide = 110
    return (x - r, y - r, x + r + wide, y + r)


def overlays(rng: Generator, picture: Picture) -> list[tuple[int, int, int, int]]:
    """Panels and logos over the picture, in place; returns their boxes: balls under them cannot be asked for."""
    boxes = []
    if rng.random() < 0.22:
        boxes += [_panel(rng, picture) for _ in range(int(rng.integers(1, 3)))]
    if rng.random() < 0.3:
        boxes += [_logo(rng, picture) for _ in range(int(rng.integers(1, 5)))]
    return boxes


def reflections(rng: Generator, picture: Picture, keep: NDArray[np.bool_]) -> None:
    """Bright spots and stripes as lamps make on polished wood and floors, where `keep` (H, W) is false."""
    layer = np.zeros_like(picture)
    h, w = picture.shape[:2]
    for _ in range(int(rng.integers(1, 6))):
        axes = tuple(int(v) for v in np.maximum(rng.gamma(2.0, 4.0, 2), 1))
        cv2.ellipse(
            layer,
            (int(rng.integers(0, w)), int(rng.integers(0, h))),
            axes,
            float(rng.uniform(0, 180)),
            0,
            360,
            (255, 255, 255),
            cv2.FILLED,
            cv2.LINE_AA,
        )
    layer = cv2.GaussianBlur(layer, (0, 0), rng.uniform(0.5, 3))
    layer[keep] = 0
    picture[:] = cv2.addWeighted(picture, 1.0, layer, float(rng.uniform(0.3, 1.0)), 0)


def furniture(rng: Generator, picture: Picture, keep: NDArray[np.bool_]) -> None:
    """Chairs, boxes, cushions and printed words beside the table: shapes in light and shade where `keep` (H, W) is false."""
    h, w = picture.shape[:2]
    layer = picture.copy()
    for _ in range(int(rng.integers(1, 7))):
        shape = np.zeros((h, w), np.uint8)
        at = (int(rng.integers(0, w)), int(rng.integers(0, h)))
        size = np.maximum(rng.gamma(2.0, 16.0, 2), 4)
        turn = float(rng.uniform(0, 180))
        if rng.random() < 0.5:
            cv2.ellipse(shape, at, (int(size[0]), int(size[1])), turn, 0, 360, 255, cv2.FILLED, cv2.LINE_AA)
        else:
            box = cv2.boxPoints((at, (2 * float(size[0]), 2 * float(size[1])), turn)).astype(np.int32)
            cv2.fillPoly(shape, [box], 255, cv2.LINE_AA)
        ramp = np.linspace(rng.uniform(0.4, 1.2), rng.uniform(0.4, 1.2), h, dtype=np.float32)[:, None, None]
        colour = np.clip(np.array(_colour(rng), np.float32) * ramp, 0, 255)
        cover = (cv2.GaussianBlur(shape, (0, 0), rng.uniform(0.4, 1.2)).astype(np.float32) / 255)[..., None]
        layer = (layer * (1 - cover) + colour * cover).astype(np.uint8)
    if rng.random() < 0.5:
        for _ in range(int(rng.integers(1, 4))):
            start = (int(rng.integers(-20, w)), int(rng.integers(0, h)))
            cv2.putText(
                layer,
                _words(rng),
                start,
                _FONTS[rng.integers(3)],
                rng.uniform(0.3, 1.2),
                _colour(rng),
                int(rng.integers(1, 4)),
                cv2.LINE_AA,
            )
    picture[:] = np.where(keep[..., None], picture, layer)


def lures(rng: Generator, picture: Picture) -> None:
    """Round things on the cloth itself that are no balls, in place: lamps' reflections, spots of projected light, printed logos."""
    h, w = picture.shape[:2]
    for _ in range(int(rng.integers(1, 5))):
        at = (int(rng.integers(0, w)), int(rng.integers(0, h)))
        r = int(rng.integers(4, 24))
        layer = np.zeros_like(picture)
        what = rng.random()
        if what < 0.4:  # a lamp: bright, soft, nothing under it is hidden
            cv2.ellipse(
                layer, at, (r, max(2, int(r * rng.uniform(0.3, 1.0)))), float(rng.uniform(0, 180)), 0, 360, (235, 245, 255), cv2.FILLED
            )
            layer = cv2.GaussianBlur(layer, (0, 0), float(rng.uniform(0.15, 0.5)) * r + 0.5)
            picture[:] = cv2.addWeighted(picture, 1.0, layer, float(rng.uniform(0.2, 0.6)), 0)
        elif what < 0.7:  # projected discs and rings
            thick = cv2.FILLED if rng.random() < 0.5 else max(1, r // 5)
            cv2.circle(layer, at, r, _colour(rng), thick, cv2.LINE_AA)
            layer = cv2.GaussianBlur(layer, (0, 0), float(rng.uniform(0.6, 1.6)))
            picture[:] = cv2.addWeighted(picture, 1.0, layer, float(rng.uniform(0.2, 0.6)), 0)
        else:  # printed on the cloth: flat, the cloth's light and weave go on in it
            cv2.circle(layer, at, r, (255, 255, 255), cv2.FILLED, cv2.LINE_AA)
            cv2.putText(layer, _words(rng)[:3], (at[0] - r, at[1] + r // 3), _FONTS[rng.integers(3)], r / 24, (0, 0, 0), 1, cv2.LINE_AA)
            share = (layer[..., :1].astype(np.float32) / 255) * float(rng.uniform(0.25, 0.6))
            ink = picture.astype(np.float32).mean(axis=2, keepdims=True) * np.array(_colour(rng), np.float32) / 128
            picture[:] = np.clip(picture * (1 - share) + ink * share, 0, 255).astype(np.uint8)
