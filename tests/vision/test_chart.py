"""Looked-up places are the camera's own, also with a bent lens, a tilted camera, and at the picture's border."""

import numpy as np
import pytest

from calibration.table import table
from tests.calibration.scenes import looking
from vision.chart import Chart
from vision.field import Field

TABLE = table()
SIZE, FOCAL = (1920, 1080), 1400.0  # a table of 12 ft fills such a picture from 2.8 m


def above(aside: float = 0.0, **options):
    """A camera 2.8 m over the table, `aside` mm beside its middle."""
    return looking((1775.0, 887.5 - aside, 2800.0), focal=FOCAL, size=SIZE, **options)


@pytest.mark.parametrize("bend", [-0.3, 0.0, 0.3])
@pytest.mark.parametrize("aside", [0.0, 1500.0])
def test_places_and_scales_are_those_of_the_camera(bend, aside):
    camera = above(aside, lens=(bend, 0.02, 0.001, -0.001, 0.0))
    chart = Chart(camera, TABLE.radius)
    xy = np.random.default_rng(1).uniform([34, 34], [TABLE.length - 34, TABLE.width - 34], (300, 2))
    px = camera.ball_outline(xy, TABLE.radius).centre
    inside = np.isfinite(px).all(axis=1) & (px > 0).all(axis=1) & (px < (camera.width, camera.height)).all(axis=1)
    found = np.array([chart.place(*p) for p in px[inside]])
    exact = camera.ball_at(px[inside], TABLE.radius)
    assert np.hypot(*(found[:, :2] - exact).T).max() < 0.05
    assert found[:, 2] == pytest.approx(camera.scale_at(exact, TABLE.radius), rel=1e-4)
    assert [chart.radius(*p) for p in px[inside]] == pytest.approx(camera.ball_radius(exact, TABLE.radius), rel=1e-4)


@pytest.mark.parametrize("y", [-40, 40])
def test_far_beyond_the_picture_the_camera_itself_is_asked(y):
    camera = above(2500.0)
    px = np.array([[camera.width / 2, y * camera.height]])
    assert Chart(camera, TABLE.radius).place(*px[0])[:2] == pytest.approx(tuple(camera.ball_at(px, TABLE.radius)[0]), nan_ok=True)


def test_a_ball_can_be_between_the_cushions_and_in_a_pockets_mouth():
    field = Field(above(), TABLE, (1080, 1920))
    pocket, radius, middle = TABLE.pockets[0], TABLE.radius, TABLE.length / 3
    assert field.holds(middle, TABLE.width / 2) and field.holds(middle, radius) and field.holds(middle, TABLE.width - radius)
    assert not field.holds(middle, 0.5 * radius) and not field.holds(middle, TABLE.width - 0.5 * radius)
    assert field.holds(*pocket.centre) and not field.holds(pocket.centre[0] - pocket.radius - 1.3 * radius, pocket.centre[1])
    assert not field.holds(np.nan, np.nan)
