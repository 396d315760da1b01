"""The colour of a ball at which somebody points."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from calibration.samples import sample_ball
from tests.calibration.scenes import OVERHEAD, TABLE, draw_table

PLACE = (900.0, 700.0)
BALL = (60, 190, 235)  # b g r


@pytest.fixture(scope="module")
def picture() -> np.ndarray:
    drawn = draw_table(OVERHEAD, balls=())
    px = OVERHEAD.project_at([PLACE], TABLE.radius)[0]
    radius = float(OVERHEAD.scale_at([PLACE], TABLE.radius)[0]) * TABLE.radius
    cv2.circle(drawn, tuple(np.round(px * 16).astype(int).tolist()), round(radius * 16), BALL, -1, cv2.LINE_AA, 4)
    return drawn


def pointed(picture: np.ndarray, shift: tuple[float, float]):
    x, y = OVERHEAD.project_at([PLACE], TABLE.radius)[0] + shift
    return sample_ball(picture, OVERHEAD, TABLE, (float(x), float(y)))


@pytest.mark.parametrize("shift", [(0.0, 0.0), (4.0, -3.0), (-6.0, 2.0)])
def test_the_disc_moves_onto_the_ball(picture, shift):
    found = pointed(picture, shift)
    assert found is not None and found.plain
    np.testing.assert_allclose(found.bgr, BALL, atol=4)
    assert np.hypot(*np.subtract(found.place_mm, PLACE)) < 6


def test_cloth_is_no_ball(picture):
    found = pointed(picture, (200.0, 0.0))
    assert found is not None and not found.plain


@pytest.mark.parametrize("px", [(2.0, 2.0), (-5.0, 300.0), (5000.0, 300.0)])
def test_outside_the_table_nothing_is_taken(picture, px):
    assert sample_ball(picture, OVERHEAD, TABLE, px) is None
