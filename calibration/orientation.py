"""Which short end is the house: a given side of the picture, the balls at the opening, lines on the cloth; else left
(bottom if upright), and the result says that nothing told (`ASSUMED`). A picture is never mirrored.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.errors import UserError
from calibration.mouths import MARGIN, Flat
from calibration.roundness import Round
from calibration.table import Table

HOME_SIDES = ("left", "right", "top", "bottom")
LINES = ("home line", "baulk line and D", "head string")  # reasons that a table carries
ASSUMED = "assumed"  # what decided where nothing did: people must be asked
OPPOSITE = {"left": "right", "right": "left", "top": "bottom", "bottom": "top"}
_NEAR_SPOT = 0.016  # of the length: 50 mm on a table of 12 feet, and the error of a centre
_D_RADII = (0.070, 0.095)  # of the D, per length of the table
_BAULK = (0.185, 0.222)  # baulk lines of snooker (737 of 3569 mm) and of English pool (a fifth of the length)


@dataclass(frozen=True, slots=True)
class House:
    """`end`: 0 where the end between the first two corners is the house, 1 where it is the other; `reason`: what says so."""

    end: int
    reason: str


def turn_home(corners: NDArray[np.float64], picture: NDArray[np.uint8], table: Table, home: str | None = None) -> tuple[int, str, str]:
    """How many places to roll corners (0 or 2) so that home comes first; the side of the picture it is; what decided.

    `corners` (4, 2) px run clockwise on the screen, from one end of a long side, so that corners 0 and 1 are one short end.

    Raises:
        UserError: a side of the picture where no short end of the table lies.
    """
    first, second = corners[:2].mean(axis=0), corners[2:].mean(axis=0)
    if home is not None:
        return _given(first, second, home)
    line = home_line(picture, corners, table)
    if line is not None:
        return (0 if line == 0 else 2), _side(first, second, line == 0), "home line"
    # the end nearer to the lower left of the picture
    turned = (first[0] - first[1]) > (second[0] - second[1])
    axis = np.abs(second - first)
    if axis[1] > axis[0]:
        turned = first[1] < second[1]
    return (2 if turned else 0), _side(first, second, not turned), ASSUMED


def side_of_picture(house: NDArray[np.float64], foot: NDArray[np.float64]) -> str:
    """The side of the picture where the house is, by the middles (2,) px of the two short ends."""
    return _side(house, foot, True)


def end_of_house(flat: Flat, blobs: Sequence[Sequence[Round]], table: Table, length: float) -> House | None:
    """The end that the balls' opening places and the lines on the cloth tell, or None where they don't or contradict each other.

    Args:
        flat: the table straightened, without people as far as possible.
        blobs: what looks like balls in some of the pictures, in mm of a table of `length`.
        table: its kind says which lines to expect.
    """
    found = [house for house in (*(opening_end(picture, length, table) for picture in blobs), line_end(flat, table)) if house is not None]
    if not found or len({house.end for house in found}) > 1:
        return None
    return found[0]


def opening_end(blobs: Sequence[Round], length: float, table: Table) -> House | None:
    """The house by yellow on the pyramid spot, red on the home spot and black on the centre spot, told apart by their shades."""
    if not table.pockets or len(blobs) < 3:
        return None
    y = table.width / table.length / 2

    def on(x: float) -> Round | None:
        away = [(np.hypot(b.xy[0] / length - x, b.xy[1] / length - y), b) for b in blobs]
        distance, ball = min(away, key=lambda pair: pair[0])
        return ball if distance < _NEAR_SPOT else None

    first, centre, last = on(0.25), on(0.5), on(0.75)
    if first is None or centre is None or last is None:
        return None
    lab = cv2.cvtColor(np.array([[b.bgr for b in (first, centre, last)]], np.float32) / 255, cv2.COLOR_BGR2LAB)[0]
    chroma = np.hypot(lab[:, 1], lab[:, 2])
    hue = np.degrees(np.arctan2(lab[:, 2], lab[:, 1]))
    dark = lab[1, 0] < 0.75 * min(lab[0, 0], lab[2, 0]) and chroma[1] < 0.7 * min(chroma[0], chroma[2])
    coloured = min(chroma[0], chroma[2]) > 18 and np.all((hue[[0, 2]] > -10) & (hue[[0, 2]] < 120))
    if not dark or not coloured or abs(hue[0] - hue[2]) < 25 or max(hue[0], hue[2]) < 60:
        return None
    return House(0 if hue[0] < hue[2] else 1, "balls at the opening")


def line_end(flat: Flat, table: Table) -> House | None:
    """The house by a baulk line with its D, by a line across at a quarter of the length, or by pool's head string."""
    grey = flat.lab[MARGIN : MARGIN + flat.width, MARGIN : MARGIN + flat.length, 0]
    baulk = [_baulk_and_d(grey if end == 0 else grey[::-1, ::-1]) for end in (0, 1)]
    if baulk[0] != baulk[1]:
        return House(0 if baulk[0] else 1, "baulk line and D")
    end = _quarter_line(grey, break_box=table.name.startswith("pool"))
    if end is None:
        return None
    return House(end, "head string" if table.name.startswith("pool") else "home line")


def _given(first: NDArray[np.float64], second: NDArray[np.float64], home: str) -> tuple[int, str, str]:
    if home not in HOME_SIDES:
        raise UserError(f"home {home!r}: expected one of {', '.join(HOME_SIDES)}")
    axis = 0 if home in ("left", "right") else 1
    apart = second[axis] - first[axis]
    if abs(apart) < 0.15 * np.linalg.norm(second - first):
        ends = "left and right" if axis else "top and bottom"
        raise UserError(f"home {home}: the table's short ends lie {ends} in this picture")
    is_first = (apart > 0) == (home in ("left", "top"))
    return (0 if is_first else 2), home, "given"


def _side(first: NDArray[np.float64], second: NDArray[np.float64], is_first: bool) -> str:
    apart = (second - first) if is_first else (first - second)
    if abs(apart[0]) >= abs(apart[1]):
        return "left" if apart[0] > 0 else "right"
    return "top" if apart[1] > 0 else "bottom"


def home_line(picture: NDArray[np.uint8], corners: NDArray[np.float64], table: Table) -> int | None:
    """The end (0 or 1) that has a thin line across the whole cloth at a quarter of the length, if just one has.

    Lines along the table between it and its cushion belong to a break box of pool; a baulk line of snooker lies nearer to its end.
    """
    length, width = 800, round(800 * table.width / table.length)
    target = np.array([[0, width], [0, 0], [length, 0], [length, width]], np.float32)
    matrix = cv2.getPerspectiveTransform(corners.astype(np.float32), target)
    grey = cv2.cvtColor(cv2.warpPerspective(picture, matrix, (length, width), flags=cv2.INTER_AREA), cv2.COLOR_BGR2GRAY)
    return _quarter_line(grey.astype(np.float32))


def _quarter_line(grey: NDArray[np.float32], *, break_box: bool = False) -> int | None:
    """The end with a line across at a quarter of a straightened table; with lines along the table behind it only if they may be."""
    length = grey.shape[1]
    strength = _lines_across(grey, 0.06, 0.94)
    places = [strength[round(length * a) : round(length * b)].max() for a, b in ((0.235, 0.265), (0.735, 0.765))]
    best = int(np.argmax(places))
    if places[best] < 0.6 or places[1 - best] > 0.4:
        return None
    house = grey[:, round(0.03 * length) : round(0.22 * length)] if best == 0 else grey[:, round(0.78 * length) : round(0.97 * length)]
    return None if not break_box and _lines_along(house) else best


def _lines_across(grey: NDArray[np.float32], low: float, high: float) -> NDArray[np.float64]:
    """For every column the share of the rows (from low to high, in parts) on which a thin line, light or dark, runs through it."""
    width, length = grey.shape
    rows = grey[round(low * width) : round(high * width)].astype(np.float32)
    ridge = rows - cv2.GaussianBlur(rows, (0, 0), sigmaX=length / 133, sigmaY=0.1)
    noise = 1.48 * float(np.median(np.abs(ridge))) + 0.4
    strength = np.zeros(length)
    for sign in (1.0, -1.0):
        lit = cv2.dilate(sign * ridge, np.ones((1, 3)))
        strength = np.maximum(strength, (lit > 2.5 * noise).mean(axis=0))
    return strength


def _lines_along(house: NDArray[np.float32]) -> bool:
    """Whether a thin line runs along the table through most of a house."""
    inner = house[round(0.15 * len(house)) : round(0.85 * len(house))]
    ridge = inner - cv2.GaussianBlur(inner, (0, 0), sigmaX=0.1, sigmaY=6)
    noise = 1.48 * float(np.median(np.abs(ridge))) + 0.4
    return any(float((cv2.dilate(sign * ridge, np.ones((3, 1))) > 2.5 * noise).mean(axis=1).max()) > 0.7 for sign in (1.0, -1.0))


def _baulk_and_d(grey: NDArray[np.float32]) -> bool:
    """Whether a line across at a fifth of the length, seen from the left end, carries a half circle towards that end."""
    width, length = grey.shape
    strength = _lines_across(grey, 0.06, 0.94)
    low, high = round(_BAULK[0] * length), round(_BAULK[1] * length)
    column = low + int(np.argmax(strength[low:high]))
    if strength[column] < 0.6:
        return False
    smooth = cv2.GaussianBlur(grey, (0, 0), length / 240)
    ridge = cv2.GaussianBlur(grey, (0, 0), 0.7) - smooth
    noise = 1.48 * float(np.median(np.abs(ridge))) + 0.3
    turn = np.radians(np.arange(100, 261, 1.5))
    # the seam of a ball or a chalk mark is short: the arc must be seen along most of its length
    for radius in np.arange(_D_RADII[0], _D_RADII[1], 0.0008) * length:
        x = column + radius * np.cos(turn)
        y = (width - 1) / 2 + radius * np.sin(turn)
        on = cv2.remap(ridge.astype(np.float32), x.astype(np.float32)[None], y.astype(np.float32)[None], cv2.INTER_LINEAR)[0]
        if max(float((on > 1.5 * noise).mean()), float((on < -1.5 * noise).mean())) > 0.7:
            return True
    return False
