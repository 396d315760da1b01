"""A calibration whose house is the other end is the same calibration."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from calibration.accuracy import place_covariance
from calibration.fit import camera_from_corners
from calibration.profile import profile_from_fit
from calibration.sketch import SIDE_POINTS, side_points
from calibration.turned import turned_camera, turned_fit
from tests.calibration.scenes import TABLE, corners_of, looking

SLANTED = looking((-900.0, 400.0, 2900.0), focal=900.0, lens=(-0.1, 0.02, 0.0, 0.0, 0.0))
PLACES = np.array([[200.0, 300.0], [1775.0, 887.5], [3000.0, 1500.0]])


def _fit():
    noses = {c: SLANTED.project_at(side_points(TABLE, c), TABLE.nose_height) for c in SIDE_POINTS}
    return camera_from_corners(corners_of(SLANTED, TABLE), TABLE, (1280, 720), nose_points=noses)


def other(places: np.ndarray) -> np.ndarray:
    return np.array([TABLE.length, TABLE.width]) - places


def test_it_sees_the_same_pixels():
    turned = turned_camera(SLANTED, TABLE)
    np.testing.assert_allclose(turned.project_at(other(PLACES), 34.0), SLANTED.project_at(PLACES, 34.0), atol=1e-6)


def test_its_error_bars_are_the_same():
    fit = _fit()
    one = profile_from_fit(TABLE, fit, corners_of(SLANTED, TABLE))
    two = profile_from_fit(TABLE, turned_fit(fit, TABLE), np.roll(corners_of(SLANTED, TABLE), -2, axis=0))
    assert one.covariance is not None and two.covariance is not None
    np.testing.assert_allclose(place_covariance(two, other(PLACES)), place_covariance(one, PLACES), rtol=1e-3, atol=1e-4)
    assert not np.allclose(one.covariance.matrix, two.covariance.matrix)


def test_twice_is_not_at_all():
    fit = _fit()
    twice = turned_fit(turned_fit(fit, TABLE), TABLE)
    np.testing.assert_allclose(twice.camera.as_tuple(), fit.camera.as_tuple(), atol=1e-9)
    np.testing.assert_allclose(twice.uncertainty.matrix, fit.uncertainty.matrix, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(twice.residuals_px, fit.residuals_px)
    assert replace(twice, camera=fit.camera).reprojection_mm == fit.reprojection_mm
