"""Camera from corners: synthetic truth comes back; corners that cannot be are named."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calibration.errors import UserError
from calibration.fit import camera_from_corners, check_corners
from tests.calibration.scenes import TABLE, corners_of, looking

SIZE = (1280, 720)


@settings(max_examples=15, deadline=None)
@given(st.floats(1200, 2300), st.floats(600, 1200), st.floats(3000, 4500), st.floats(0.8, 1.5))
def test_overhead_balls_come_back_within_millimetres_although_the_focal_is_not_known(x, y, z, ratio):
    camera = looking((x, y, z), target=(1775.0, 887.5, 0.0), focal=ratio * 1280 * z / 4500)
    fit = camera_from_corners(corners_of(camera), TABLE, SIZE)
    balls = np.array([(100.0, 100.0), (3400.0, 1600.0), (1775.0, 887.0)])
    found = fit.camera.to_table(camera.project_at(balls, TABLE.radius), TABLE.radius)
    assert np.abs(found - balls).max() < 6
    assert fit.reprojection_mm < 3


def test_perspective_determines_the_focal_length():
    camera = looking((-1200.0, -300.0, 1600.0), target=(1500.0, 887.5, 0.0), focal=700.0)
    fit = camera_from_corners(corners_of(camera), TABLE, SIZE)
    assert fit.focal_from == "perspective"
    assert fit.camera.focal == pytest.approx(700, rel=0.05)


def test_overhead_says_that_the_focal_length_is_assumed():
    fit = camera_from_corners(corners_of(looking((1775.0, 887.0, 4000.0))), TABLE, SIZE)
    assert fit.focal_from == "prior" and fit.focal_sigma > 0.15
    given_focal = camera_from_corners(corners_of(looking((1775.0, 887.0, 4000.0))), TABLE, SIZE, focal=1000.0)
    assert given_focal.focal_from == "given"
    assert given_focal.camera.position[2] == pytest.approx(4000, rel=0.01)


def test_bent_cushions_give_the_distortion():
    camera = looking((1775.0, 887.0, 3800.0), focal=1050.0, lens=(-0.12, 0.0, 0.0, 0.0, 0.0))
    along = np.linspace(0.05, 0.95, 9)
    length, width = TABLE.length, TABLE.width
    noses = {
        "home": camera.project_at([(0, width * a) for a in along], TABLE.nose_height),
        "foot": camera.project_at([(length, width * a) for a in along], TABLE.nose_height),
        "left": camera.project_at([(length * a, width) for a in along], TABLE.nose_height),
        "right": camera.project_at([(length * a, 0) for a in along], TABLE.nose_height),
    }
    fit = camera_from_corners(corners_of(camera), TABLE, SIZE, nose_points=noses, focal=1050.0)
    assert fit.camera.distortion[0] == pytest.approx(-0.12, abs=0.02)
    assert fit.reprojection_px < 0.1


def test_any_home_end_and_a_turned_picture():
    for roll in (0.0, np.pi / 2, np.pi, -np.pi / 2):
        camera = looking((1775.0, 887.0, 6500.0), roll=roll)
        fit = camera_from_corners(corners_of(camera), TABLE, SIZE)
        assert fit.reprojection_px < 0.1


GOOD = [(100.0, 620.0), (100.0, 100.0), (1180.0, 100.0), (1180.0, 620.0)]


@pytest.mark.parametrize(
    ("corners", "word"),
    [
        (GOOD[:3], "four points"),
        ([*GOOD[:3], (float("nan"), 3.0)], "four points"),
        ("1,2 3", "four points"),
        (GOOD[::-1], "mirrored"),
        ([GOOD[0], GOOD[2], GOOD[1], GOOD[3]], "crosses"),
        ([GOOD[0], GOOD[0], GOOD[2], GOOD[3]], "coincide"),
        ([(100.0, 620.0), (640.0, 620.0), (1180.0, 620.0), (1180.0, 630.0)], "coincide"),
        ([*GOOD[:3], (5000.0, 620.0)], "outside"),
        ([GOOD[0], (640.0, 500.0), GOOD[2], GOOD[3]], "convex"),
    ],
)
def test_bad_corners_are_named(corners, word):
    with pytest.raises(UserError, match=word) as caught:
        check_corners(corners, SIZE)
    assert "\n" not in str(caught.value)
