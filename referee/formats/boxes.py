"""Balls as boxes in the picture, which is what detectors and trackers are scored with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from calibration.profile import Profile
from referee.formats.folder import Place


@dataclass(frozen=True, slots=True)
class Box:
    """Upper left corner, width and height, px (the centre of the first pixel is 0, its edge -0.5); `seen` share inside the picture."""

    ball: str
    left: float
    top: float
    width: float
    height: float
    seen: float


def boxes(profile: Profile, places: Sequence[Place], size: tuple[int, int]) -> list[Box]:
    """The boxes round the silhouettes of balls, cut at the edges of a picture of `size` px; balls outside it are left out."""
    if not places:
        return []
    contours = profile.camera.silhouette([(p.x, p.y) for p in places], profile.table.radius)
    found = []
    for place, contour in zip(places, contours, strict=True):
        low, high = contour.min(axis=0), contour.max(axis=0)
        if not np.isfinite(contour).all():
            continue
        inner_low, inner_high = np.maximum(low, -0.5), np.minimum(high, np.array(size) - 0.5)
        if (inner_high <= inner_low).any():
            continue
        share = float(np.prod(inner_high - inner_low) / np.prod(high - low))
        width, height = inner_high - inner_low
        found.append(Box(place.ball, float(inner_low[0]), float(inner_low[1]), float(width), float(height), share))
    return found
