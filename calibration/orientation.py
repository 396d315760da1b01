"""Which short end is the house: a given side of the picture, a home line on the cloth, else left (bottom if upright)."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.errors import UserError
from calibration.table import Table

HOME_SIDES = ("left", "right", "top", "bottom")


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
    return (2 if turned else 0), _side(first, second, not turned), "usual side of the picture"


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
    flat = cv2.cvtColor(cv2.warpPerspective(picture, matrix, (length, width), flags=cv2.INTER_AREA), cv2.COLOR_BGR2GRAY).astype(np.float32)
    rows = flat[round(0.06 * width) : round(0.94 * width)]
    background = cv2.GaussianBlur(rows, (0, 0), sigmaX=6, sigmaY=0.1)
    ridge = rows - background
    strength = np.zeros(length)
    for sign in (1.0, -1.0):
        share = np.zeros(length)
        noise = 1.48 * float(np.median(np.abs(ridge))) + 0.4
        lit = cv2.dilate(sign * ridge, np.ones((1, 3)))
        share = (lit > 2.5 * noise).mean(axis=0)
        strength = np.maximum(strength, share)
    places = [strength[round(length * a) : round(length * b)].max() for a, b in ((0.235, 0.265), (0.735, 0.765))]
    best = int(np.argmax(places))
    if places[best] < 0.75 or places[1 - best] > 0.4:
        return None
    house = flat[:, round(0.03 * length) : round(0.22 * length)] if best == 0 else flat[:, round(0.78 * length) : round(0.97 * length)]
    return None if _lines_along(house) else best


def _lines_along(house: NDArray[np.float32]) -> bool:
    """Whether a thin line runs along the table through most of a house."""
    inner = house[round(0.15 * len(house)) : round(0.85 * len(house))]
    ridge = inner - cv2.GaussianBlur(inner, (0, 0), sigmaX=0.1, sigmaY=6)
    noise = 1.48 * float(np.median(np.abs(ridge))) + 0.4
    return any(float((cv2.dilate(sign * ridge, np.ones((3, 1))) > 2.5 * noise).mean(axis=1).max()) > 0.7 for sign in (1.0, -1.0))
