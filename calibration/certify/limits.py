"""What the referee can tell apart on a table: the smallest gap, the shortest time, the slowest touch. Formulas in docs/CERTIFICATE.md."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from calibration.camera import Camera
from calibration.certify.field import ErrorField
from calibration.table import Table

_SURE = 1.96  # standard deviations: 95 %
_PACE = 1000.0  # mm/s: change of speed of the contact whose time is asked for
_TIME = 0.9  # error of an event's time: 0.9 sigma / change of speed, where places and speeds jump together
_REBOUND = 1.5  # change of speed at a cushion over the speed towards it, of a slow ball
_ROLLING = 93.0  # mm/s²: deceleration of a ball that rolls on a worsted cloth
_LOOK = 0.2  # s before and after a touch from which its speeds are measured
_STAMP = 0.02  # of a frame: how unevenly cameras expose
_FAST = 5000.0  # mm/s: a firm stroke
_SEPARABLE = 12.0  # CIE 1976: least difference of colours that are told apart under noise


@dataclass(frozen=True, slots=True)
class Limits:
    """`near_miss`: smallest gap, mm, between a passing ball and another that is told from a touch, by place (centre, four
    corners, worst); `order_ms`: shortest time between contacts of different balls whose order is sure, at 1 m/s;
    `double_ms`: shortest time between two contacts of one ball that are seen as two; `touch`: slowest touch of a cushion, mm/s;
    `blur_mm`: streak of a ball at 5 m/s (None: not known); `alike`: pairs of balls, or a ball and the cloth, that are not told
    apart by colour."""

    near_miss: Mapping[str, float]
    order_ms: float
    double_ms: float
    touch: float
    blur_mm: float | None
    alike: tuple[tuple[str, str], ...]


def spots_to_tell(table: Table) -> dict[str, tuple[float, float]]:
    """Where the smallest gap is stated: the centre and a ball's width inside the four corners, mm."""
    d, length, width = 2 * table.ball, table.length, table.width
    places = {"centre": (length / 2, width / 2)}
    places |= {"home-right": (d, d), "home-left": (d, width - d), "foot-left": (length - d, width - d), "foot-right": (length - d, d)}
    return places


def limits(
    camera: Camera,
    table: Table,
    field: ErrorField,
    *,
    rest_px: float,
    moving_mm: float | None,
    rate: float,
    exposure: float | None,
    alike: tuple[tuple[str, str], ...],
) -> Limits:
    """Args: `rest_px` noise of one measurement of a resting ball, px; `moving_mm` across the path of a moving one (None: taken
    as three times that of a resting one); `rate` new pictures a second; `exposure` s."""
    places = spots_to_tell(table)
    xy = np.array(list(places.values()))
    scale = camera.scale_at(xy, table.radius)
    rest = rest_px / scale
    middle = float(camera.scale_at([places["centre"]], table.radius)[0])
    moving = moving_mm if moving_mm is not None else 3 * rest_px / middle
    bent = _of_distance(field, xy, table)
    gaps = _SURE * np.sqrt(np.maximum(moving * middle / scale, rest) ** 2 + rest**2 + bent**2)
    near = {name: float(gap) for name, gap in zip(places, gaps, strict=True)}
    near["worst"] = float(gaps.max())
    sigma = max(moving, float(rest.max()))
    return Limits(
        near,
        1000 * _SURE * 2**0.5 * float(np.hypot(_TIME * sigma / _PACE, _STAMP / rate)),
        2000 / rate,
        _slowest_touch(sigma, rate),
        None if exposure is None else _FAST * exposure,
        alike,
    )


def _of_distance(field: ErrorField, xy: np.ndarray, table: Table) -> np.ndarray:
    """Error (N,) mm of the distance of two touching balls that the calibration causes: the worse of along and across."""
    worst = np.zeros(len(xy))
    inwards = np.where(xy > np.array([table.length, table.width]) / 2, -1.0, 1.0)
    for axis in (0, 1):
        for k, (place, sign) in enumerate(zip(xy, inwards, strict=True)):
            step = np.zeros(2)
            step[axis] = sign[axis] * table.ball
            bias, cover = field.between([place], step)
            worst[k] = max(worst[k], float(np.sqrt(bias[0, axis] ** 2 / _SURE**2 + max(cover[0, axis, axis], 0.0))))
    return worst


def _slowest_touch(sigma: float, rate: float) -> float:
    """Speed towards a cushion, mm/s, from which the change of speed stands out of the noise of both speeds, and the ball rolls
    back far enough to be seen away from where it turned."""
    n = max(3.0, _LOOK * rate)
    of_speed = sigma * rate * float(np.sqrt(12 / (n * (n * n - 1))))
    back = float(np.sqrt(2 * _ROLLING * 2 * _SURE * sigma))
    return max(_SURE * 2**0.5 * of_speed / _REBOUND, back / (_REBOUND - 1))


def alike(contrasts: Mapping[str, float], pairs: Mapping[tuple[str, str], float]) -> tuple[tuple[str, str], ...]:
    """Balls that the cloth hides, as (ball, "cloth"), and balls that look like each other."""
    hidden = [(ball, "cloth") for ball, contrast in contrasts.items() if contrast < _SEPARABLE]
    return (*hidden, *(pair for pair, difference in pairs.items() if difference < _SEPARABLE))
