"""Where the pockets' holes really begin, seen in the picture.

Tables of one kind differ: the rim of the slate may lie behind the line of the jaws or well before it. The hole is dark;
along the pocket's axis the picture turns from dark to cloth at the rim.
"""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np

from calibration.camera import Camera
from calibration.table import Pocket, Table
from vision.frames import Frame

_NEAR, _FAR = 110.0, 60.0  # mm before and behind the nominal rim that are looked at (scaled with the ball)


def with_seen_rims(table: Table, camera: Camera, background: Frame, settled: bool = False) -> Table:
    """The table with its pockets' drop circles moved along their axes to where the picture shows the rims.

    Corner pockets are moved alike, and so are the middle ones: one pocket's shadow misleads less. Pockets whose holes
    are not clearly darker than the cloth stay as they are. `settled`: the background has been learnt, people are gone from it.
    """
    shift = {p.name: _rim_shift(table, camera, background, p) for p in table.pockets}
    pockets = []
    for pocket in table.pockets:
        alike = [s for q in table.pockets if q.corner == pocket.corner and (s := shift[q.name]) is not None]
        move = 0.0
        if len(alike) >= (3 if pocket.corner else 1):
            # light that falls into a hole makes it look smaller; a head over it, larger
            wide = settled and not pocket.corner and max(alike) - min(alike) < 0.8 * table.ball
            move = float(max(alike) if wide else np.median(alike))
        axis = _axis(pocket)
        centre = (pocket.centre[0] + axis[0] * move, pocket.centre[1] + axis[1] * move)
        pockets.append(replace(pocket, centre=centre))
    return replace(table, pockets=tuple(pockets))


def _axis(pocket: Pocket) -> np.ndarray:
    """Unit vector (2,) from the pocket towards the bed."""
    inward = np.array([j.tip for j in pocket.jaws]).mean(axis=0) - np.array(pocket.centre)
    return inward / np.hypot(*inward)


def _rim_shift(table: Table, camera: Camera, background: Frame, pocket: Pocket) -> float | None:
    """How far (mm, towards the bed) the seen rim lies from the nominal one; None if there is no clear rim."""
    axis = _axis(pocket)
    across = np.array([-axis[1], axis[0]])
    rim = np.array(pocket.centre) + axis * pocket.radius
    scale = table.ball / 57.0
    along = np.arange(-_FAR * scale, _NEAR * scale, 1.5)
    aside = np.linspace(-0.18, 0.18, 7) * pocket.radius
    points = rim + along[:, None, None] * axis + aside[None, :, None] * across
    px = camera.project_at(points.reshape(-1, 2), 0.0).astype(np.float32)
    if not np.isfinite(px).all():
        return None
    luma = cv2.remap(
        background.y, px[:, 0].reshape(len(along), -1), px[:, 1].reshape(len(along), -1), cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    profile = np.median(luma, axis=1)
    dark, light = float(np.percentile(profile, 10)), float(np.percentile(profile, 90))
    if light - dark < 35 or dark > 0.62 * light:
        return None
    middle = dark + 0.4 * (light - dark)
    below = np.flatnonzero(profile < middle)
    if not len(below) or below[-1] >= len(along) - 3:
        return None
    # a drop circle reaches where the ball's centre loses its support: the rim itself
    return float(along[below[-1]])
