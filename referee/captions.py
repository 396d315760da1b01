"""Text on pictures: panels with Cyrillic and Latin text, drawn once and laid over many frames.

OpenCV 5 brings an open font with Cyrillic letters, so no font file is needed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np

Colour = tuple[int, int, int]  # BGR
WHITE: Colour = (255, 255, 255)
PAPER: Colour = (24, 30, 24)
_BOLD, _PLAIN = 700, 450


@lru_cache(maxsize=1)
def _font() -> cv2.FontFace:
    return cv2.FontFace("sans")


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a panel."""

    text: str
    colour: Colour = WHITE
    bold: bool = False
    scale: float = 1.0


@lru_cache(maxsize=2048)
def text_width(text: str, size: int, bold: bool = False) -> int:
    """Width in px of a text whose letters are `size` px high."""
    _, _, width, _ = cv2.getTextSize((1, 1), text, (0, 0), _font(), size, _BOLD if bold else _PLAIN)
    return width


def wrapped(text: str, width: int, size: int) -> list[str]:
    """The text in lines of at most `width` px; a single word that is wider stands alone."""
    lines: list[str] = []
    for word in text.split():
        if lines and text_width(f"{lines[-1]} {word}", size) <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


@lru_cache(maxsize=256)
def panel(lines: tuple[Line, ...], size: int, opacity: float = 0.72) -> tuple[np.ndarray, np.ndarray]:
    """A dark panel with lines of text.

    Returns:
        colours (H, W, 3) and opacities (H, W, 1), both uint16, the latter 0..256; read only.
    """
    pad, gap = round(size * 0.7), round(size * 0.55)
    sizes = [max(8, round(size * line.scale)) for line in lines]
    width = max((text_width(line.text, s, line.bold) for line, s in zip(lines, sizes, strict=True)), default=0) + 2 * pad
    height = sum(sizes) + gap * (len(lines) - 1) + 2 * pad
    picture = np.full((height, width, 3), PAPER, np.uint8)
    y = pad
    for line, s in zip(lines, sizes, strict=True):
        y += s
        cv2.putText(picture, line.text, (pad, y - round(s * 0.12)), line.colour, _font(), s, _BOLD if line.bold else _PLAIN)
        y += gap
    alpha = np.full((height, width, 1), round(256 * opacity), np.uint16)
    alpha[(picture != PAPER).any(axis=2)] = 256
    return _read_only(picture.astype(np.uint16)), _read_only(alpha)


@lru_cache(maxsize=64)
def label(text: str, size: int, colour: Colour) -> tuple[np.ndarray, np.ndarray]:
    """A short text with a dark edge and nothing behind it; values as `panel`."""
    pad = max(2, size // 6)
    width, height = text_width(text, size, True) + 2 * pad, size + 3 * pad
    mask = np.zeros((height, width, 3), np.uint8)
    cv2.putText(mask, text, (pad, size), WHITE, _font(), size, _BOLD)
    ink = mask[..., :1].astype(np.uint16)
    edge = cv2.dilate(mask[..., 0], np.ones((3, 3), np.uint8)).astype(np.uint16)[..., None]
    shown = (np.array(colour, np.uint16) * ink) // 255
    return _read_only(shown), _read_only(edge * 256 // 255)


def lay(picture: np.ndarray, sprite: tuple[np.ndarray, np.ndarray], at: tuple[int, int]) -> None:
    """Lay a sprite with its upper left corner at (x, y) px over a BGR picture, in place; what is outside is cut off."""
    colours, alpha = sprite
    x, y = at
    h, w = colours.shape[:2]
    x0, y0, x1, y1 = max(0, x), max(0, y), min(picture.shape[1], x + w), min(picture.shape[0], y + h)
    if x0 >= x1 or y0 >= y1:
        return
    part = np.s_[y0 - y : y1 - y, x0 - x : x1 - x]
    under = picture[y0:y1, x0:x1]
    picture[y0:y1, x0:x1] = (under * (256 - alpha[part]) + colours[part] * alpha[part]) >> 8


def _read_only(array: np.ndarray) -> np.ndarray:
    array.setflags(write=False)
    return array
