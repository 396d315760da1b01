"""Lens and pose together: the solution is where the measurements are explained best, wherever the search began."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from calibration.accuracy import camera_place_covariance
from calibration.bundle import adjust
from calibration.camera import Camera
from calibration.evidence import NosePoints, on_nose, stretches
from calibration.fit import camera_from_corners
from calibration.table import CUSHIONS
from tests.calibration.scenes import TABLE, corners_of, looking

SIZE = (1920, 1080)
MIDDLE = (TABLE.length / 2, TABLE.width / 2, 0.0)
STEEP = looking((1500.0, 700.0, 4000.0), MIDDLE, focal=1700.0, size=SIZE, lens=(-0.2, 0.02, 0.0, 0.0, 0.0))
PLACES = np.array([(x, y) for x in (40.0, 900.0, 1775.0, 2700.0, 3510.0) for y in (40.0, 887.0, 1735.0)])


def noses_of(camera: Camera, seed: int = 1) -> dict[str, NosePoints]:
    rng = np.random.default_rng(seed)
    found = {}
    for cushion in CUSHIONS:
        along = stretches(TABLE, cushion)[::3]
        px = camera.project(on_nose(TABLE, cushion, along))
        across = camera.project(on_nose(TABLE, cushion, along, 1.0)) - px
        across /= np.hypot(*across.T)[:, None]
        offset = rng.normal(0, 0.2, len(along)) + rng.normal(0, 0.1)
        found[cushion] = NosePoints(px + across * offset[:, None], np.full(len(along), 0.2), 1.0, True)
    return found


def away(camera: Camera, found: Camera) -> np.ndarray:
    return found.to_table(camera.project_at(PLACES, TABLE.radius), TABLE.radius) - PLACES


def start(camera: Camera, **more) -> Camera:
    return camera_from_corners(corners_of(camera), TABLE, SIZE, **more).camera


@pytest.mark.parametrize("zoom", [0.75, 1.3])
def test_the_solution_does_not_depend_on_where_the_search_began(zoom):
    noses = noses_of(STEEP)
    best = adjust(STEEP, TABLE, noses).camera
    other = adjust(start(STEEP, focal=zoom * STEEP.focal), TABLE, noses).camera
    assert other.focal == pytest.approx(best.focal, rel=0.01)
    assert np.abs(away(best, other)).max() < 0.1
    assert np.abs(away(STEEP, other)).max() < 2.0


def test_a_picture_cut_out_of_a_larger_one():
    """The principal point is far from the middle: found, or told by the error bars; without the cut the usual one is kept."""
    tilted = looking((1600.0, -1500.0, 3800.0), MIDDLE, focal=1500.0, size=SIZE, lens=(-0.2, 0.02, 0.0, 0.0, 0.0))
    cut = replace(tilted, principal=(tilted.principal[0] - 260.0, tilted.principal[1] + 140.0))
    bundle = adjust(start(cut), TABLE, noses_of(cut))
    off = away(cut, bundle.camera)
    spread = np.sqrt(np.diagonal(camera_place_covariance(bundle.camera, bundle.uncertainty, PLACES, TABLE.radius), axis1=1, axis2=2))
    assert np.mean(np.abs(off) < 2 * spread) > 0.9 and np.abs(off).max() < 5.0
    usual = adjust(start(tilted), TABLE, noses_of(tilted)).camera
    assert np.abs(np.subtract(usual.principal, tilted.principal)).max() < 15
