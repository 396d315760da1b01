"""Noses measured in the picture itself: lens and pose come back, given corners hold, and what cannot be seen is not made up."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from calibration.accuracy import camera_place_covariance
from calibration.bundle import adjust
from calibration.evidence import Shade, nose_evidence, shade_of, stretches
from calibration.lens import NAMES, Lens
from calibration.measure import measured_camera
from calibration.table import CUSHIONS
from tests.calibration.scenes import OVERHEAD, TABLE, corners_of, draw_table, looking

GRID = np.array([(x, y) for x in np.linspace(40, 3510, 8) for y in np.linspace(40, 1735, 5)])
CAMERAS = {
    "overhead": looking((1700.0, 900.0, 3600.0), focal=1020.0),
    "bent": looking((1750.0, 850.0, 3300.0), focal=1000.0, lens=(-0.2, 0.02, 0.0, 0.0, 0.0)),
    "tilted": looking((1775.0, -700.0, 3000.0), focal=880.0, lens=(0.08, 0.0, 0.0, 0.0, 0.0)),
}

EDGE = 2.0  # mm: drawn with anti-aliasing, edges come out 0.35 px too far


def errors(camera, found) -> np.ndarray:
    return found.to_table(camera.project_at(GRID, TABLE.radius), TABLE.radius) - GRID


@pytest.mark.parametrize("name", CAMERAS)
def test_a_drawn_table_gives_its_camera_from_rough_corners(name):
    camera = CAMERAS[name]
    corners = corners_of(camera) + np.random.default_rng(2).normal(0, 2, (4, 2))
    measured = measured_camera(draw_table(camera), corners, TABLE)
    assert measured.bundle is not None
    off = errors(camera, measured.fit.camera)
    size = np.hypot(*off.T)
    assert np.median(size) < 2.5 and size.max() < 6
    covariance = camera_place_covariance(measured.fit.camera, measured.fit.uncertainty, GRID, TABLE.radius)
    spread = np.sqrt(np.stack([covariance[:, 0, 0], covariance[:, 1, 1]], axis=1))
    assert (np.abs(off) < 3 * spread + EDGE).all()


def test_a_known_lens_is_kept_and_the_focal_length_with_it():
    camera = CAMERAS["bent"]
    values = (float(np.log(1000.0)), *camera.principal, *camera.distortion)
    sigma = np.array([1e-3, 1, 1, 2e-3, 2e-3, 1e-4, 1e-4, 1e-3])
    lens = Lens((1280, 720), values, tuple(tuple(map(float, row)) for row in np.diag(sigma**2)), 0.2, 20)
    measured = measured_camera(draw_table(camera), corners_of(camera), TABLE, lens=lens.prior((1280, 720)))
    assert measured.fit.focal_from == "given"
    assert measured.fit.camera.focal == pytest.approx(1000.0, rel=5e-3)
    assert set(NAMES) <= set(measured.fit.uncertainty.parameters)
    free = measured_camera(draw_table(camera), corners_of(camera), TABLE)
    assert measured.fit.focal_sigma < 0.1 * free.fit.focal_sigma


def test_given_corners_stay_the_profiles_and_hold_the_camera():
    camera = CAMERAS["overhead"]
    corners = corners_of(camera) + 1.0
    measured = measured_camera(draw_table(camera), corners, TABLE, given=True)
    np.testing.assert_array_equal(measured.corners_px, corners)
    assert np.abs(measured.fit.residuals_px).max() < 3


def test_without_noses_the_corners_alone_count():
    camera = CAMERAS["overhead"]
    blank = np.full((720, 1280, 3), 120, np.uint8)
    measured = measured_camera(blank, corners_of(camera), TABLE)
    assert measured.bundle is None and not measured.noses
    assert np.abs(measured.fit.residuals_px).max() < 1


def test_points_lie_on_the_noses_and_not_at_the_pockets():
    camera = CAMERAS["bent"]
    found = nose_evidence(shade_of(draw_table(camera), corners_of(camera)), camera, TABLE, 6.0)
    assert set(found) == {"home", "foot", "left", "right"}
    for cushion, points in found.items():
        xy = camera.to_table(points.px, TABLE.nose_height)
        at = {"home": xy[:, 0], "foot": xy[:, 0] - TABLE.length, "right": xy[:, 1], "left": xy[:, 1] - TABLE.width}[cushion]
        assert abs(np.median(at)) < EDGE and points.falls
    along = stretches(TABLE, "left")
    tips = [jaw.tip[0] for pocket in TABLE.pockets for jaw in pocket.jaws if jaw.cushion == "left"]
    assert min(np.abs(along - tip).min() for tip in tips) >= TABLE.ball - 1e-6


def test_the_covariance_grows_with_the_noise():
    camera = CAMERAS["tilted"]
    found = nose_evidence(shade_of(draw_table(camera), corners_of(camera)), camera, TABLE, 6.0)
    rough = {c: type(p)(p.px, p.sigma * 20, p.seen, p.falls) for c, p in found.items()}
    sizes = [
        np.trace(camera_place_covariance(b.camera, b.uncertainty, GRID, TABLE.radius), axis1=1, axis2=2).mean()
        for b in (adjust(camera, TABLE, found), adjust(camera, TABLE, rough))
    ]
    assert sizes[1] > 1.2 * sizes[0]


def test_a_trim_much_paler_than_the_bed_is_no_top_of_a_cushion():
    """Grey cloth with a pale edge along its cushions, which small pictures show as cloth: its step is higher than the nose's."""
    light = np.zeros((OVERHEAD.height, OVERHEAD.width), np.float32)
    for out, value in ((75.0, 0.55), (44.0, 0.25), (0.0, 0.10), (-30.0, 0.24)):
        corners = [(-out, -out), (-out, TABLE.width + out), (TABLE.length + out, TABLE.width + out), (TABLE.length + out, -out)]
        cv2.fillPoly(light, [np.round(OVERHEAD.project_at(corners, TABLE.nose_height) * 16).astype(np.int32)], value, cv2.LINE_8, 4)
    shade = Shade(cv2.GaussianBlur(light, (0, 0), 1.0), np.ones_like(light))
    seen = nose_evidence(shade, OVERHEAD, TABLE, 20.0)
    assert set(seen) == set(CUSHIONS)
    for cushion, points in seen.items():
        assert np.abs(TABLE.inside(OVERHEAD.to_table(points.px, TABLE.nose_height), cushion)).max() < 5.0
