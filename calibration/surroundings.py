"""What lies round a table in its picture: by it a camera that was turned by half a turn is told from one that was not.

A table looks the same from both ends; the rails' scratches, the floor, the chairs and the walls round it do not. A few dozen
colours round the noses are kept in the profile, in pairs that half a turn swaps. What is alike on both sides says nothing and
falls out of the differences of the pairs; so does light that falls off evenly from one side to the other.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import Camera
from calibration.cloth import to_lab
from calibration.table import Table

Array = NDArray[np.float64]
Colour = tuple[float, float, float]
_RINGS = (0.045, 0.09, 0.15)  # of the table's length outside the noses: rails, floor, farther floor
_LONG, _SHORT = 8, 4  # places along half of each ring
_PATCH = 0.03  # of the table's length: side of the square whose mean colour counts
_MOST = 25.0  # Lab: a lamp or a shirt in one place does not rule all
_FEWEST = 8  # pairs
_TELLS = 7.0  # Lab, root mean square of the differences of pairs from which they tell anything
_ALIKE = 16  # places that both pictures must show to tell one room from another
# Lab, median of the differences above which it is another room, and above which the light does not explain it: the same room as calibrated
# differs by at most 3.3 and 2.0 on real clips, other rooms by 32 and 15 at least
_OTHER, _NOT_LIGHT = 20.0, 10.0
_OPPOSITE = -0.65  # correlation of the differences below which the ends are exchanged


def surroundings(picture: NDArray[np.uint8], camera: Camera, table: Table) -> tuple[Colour | None, ...]:
    """Colours (b, g, r) round the table in a BGR or grey picture; None where the picture does not reach. Place k of the first half
    lies opposite, by half a turn about the table's middle, to place k of the second."""
    px = camera.project_at(_places(table), table.nose_height)
    corners = camera.project_at(table.corners, table.nose_height)
    length = float(np.linalg.norm(corners[2:].mean(axis=0) - corners[:2].mean(axis=0)))
    side = max(3, round(_PATCH * length)) | 1
    mean = cv2.blur(picture if picture.ndim == 3 else cv2.cvtColor(picture, cv2.COLOR_GRAY2BGR), (side, side))
    half, (height, width) = side / 2, picture.shape[:2]
    found: list[Colour | None] = []
    for x, y in px:
        inside = half <= x <= width - 1 - half and half <= y <= height - 1 - half
        found.append(tuple(map(float, mean[round(y), round(x)])) if inside else None)  # type: ignore[arg-type]
    return tuple(found)


def half_turned(known: Sequence[Colour | None], seen: Sequence[Colour | None], table: Table) -> bool:
    """Whether what is `seen` round a table is plainly what was `known` there, with the two ends of the table exchanged."""
    alike = _likeness(known, seen, table)
    return alike is not None and alike < _OPPOSITE


def same_way(known: Sequence[Colour | None], seen: Sequence[Colour | None], table: Table) -> bool:
    """Whether it is plainly that, with the ends where they were."""
    alike = _likeness(known, seen, table)
    return alike is not None and alike > -_OPPOSITE


def elsewhere(known: Sequence[Colour | None], seen: Sequence[Colour | None]) -> bool:
    """Whether what is `seen` round a table is plainly not what was `known` there, even if all of it is lit otherwise."""
    both = [pair for pair in zip(known, seen, strict=False) if None not in pair] if len(known) == len(seen) else []
    if len(both) < _ALIKE:
        return False
    lab = to_lab(np.array(both).round().astype(np.uint8)).astype(float)
    change = lab[:, 1] - lab[:, 0]
    apart = (float(np.median(np.linalg.norm(values, axis=1))) for values in (change, change - np.median(change, axis=0)))
    return next(apart) > _OTHER and next(apart) > _NOT_LIGHT


def _likeness(known: Sequence[Colour | None], seen: Sequence[Colour | None], table: Table) -> float | None:
    """Of the differences of opposite places, from -1 (exchanged) to 1; None where they say nothing."""
    if len(known) != len(seen) or not known:
        return None
    pairs = [_pairs(colours) for colours in (known, seen)]
    told = np.isfinite(np.concatenate(pairs, axis=1)).all(axis=1)
    if told.sum() < _FEWEST:
        return None
    away = _places(table)[: len(known) // 2][told] - np.array([table.length / 2, table.width / 2])
    one, two = (_without_slope(values[told], away) for values in pairs)
    strength = [float(np.sqrt((values**2).sum(axis=1).mean())) for values in (one, two)]
    if min(strength) < _TELLS:
        return None
    return float((one * two).sum() / np.sqrt((one**2).sum() * (two**2).sum()))


def _places(table: Table) -> Array:
    """(N, 2) mm: half of each ring, then the same turned by half a turn about the middle of the table."""
    length, width = table.length, table.width
    half = []
    for ring in _RINGS:
        out = ring * length
        half += [(length * (k + 0.5) / _LONG, -out) for k in range(_LONG)]
        half += [(-out, width * (k + 0.5) / _SHORT) for k in range(_SHORT)]
    first = np.array(half)
    return np.concatenate([first, np.array([length, width]) - first])


def _pairs(colours: Sequence[Colour | None]) -> Array:
    """(N / 2, 3) Lab: differences of opposite places; NaN where one is not seen."""
    bgr = np.array([colour or (0, 0, 0) for colour in colours]).round().astype(np.uint8)
    lab = to_lab(bgr[None])[0].astype(float)
    lab[[colour is None for colour in colours]] = np.nan
    half = len(lab) // 2
    return np.clip(lab[:half] - lab[half:], -_MOST, _MOST)


def _without_slope(pairs: Array, away: Array) -> Array:
    """The differences without what light that falls off evenly makes of them; `away` (N, 2) mm from the table's middle."""
    slope = np.linalg.lstsq(away, pairs[:, :1], rcond=None)[0]
    return np.column_stack([pairs[:, :1] - away @ slope, pairs[:, 1:]])
