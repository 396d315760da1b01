"""Camera: round trips, derivatives, and silhouettes against rays traced one by one."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calibration.camera import Camera
from tests.calibration.scenes import looking

cameras = st.builds(
    looking,
    st.tuples(st.floats(1000, 2500), st.floats(0, 1700), st.floats(2000, 5000)),
    focal=st.floats(700, 2000),
    roll=st.floats(-0.5, 0.5),
    lens=st.tuples(st.floats(-0.08, 0.1), st.floats(-0.01, 0.01), st.floats(-2e-3, 2e-3), st.floats(-2e-3, 2e-3), st.just(0.0)),
)
places = st.tuples(st.floats(0, 3550), st.floats(0, 1775))


@settings(max_examples=60, deadline=None)
@given(cameras, places, st.sampled_from([0.0, 34.0, 43.0]))
def test_round_trip_table_to_pixels_and_back(camera, xy, z):
    px = camera.project_at([xy], z)
    np.testing.assert_allclose(camera.to_table(px, z), [xy], atol=1e-3)


@settings(max_examples=30, deadline=None)
@given(cameras, places)
def test_project_agrees_with_opencv(camera, xy):
    matrix = np.array([[camera.focal, 0, camera.principal[0]], [0, camera.focal, camera.principal[1]], [0, 0, 1]])
    point = np.array([[*xy, 34.0]])
    expected = cv2.projectPoints(
        point, cv2.Rodrigues(camera.rotation.copy())[0], camera.translation.copy(), matrix, np.array(camera.distortion)
    )[0]
    np.testing.assert_allclose(camera.project(point), expected.reshape(1, 2), atol=1e-6)


@settings(max_examples=30, deadline=None)
@given(cameras, places)
def test_jacobian_is_the_derivative(camera, xy):
    step = 0.01
    around = np.array(xy) + np.array([[step, 0], [-step, 0], [0, step], [0, -step]])
    px = camera.project_at(around, 34.0)
    numeric = np.stack([px[0] - px[1], px[2] - px[3]], axis=1) / (2 * step)
    np.testing.assert_allclose(camera.jacobian([xy], 34.0)[0], numeric, atol=1e-5)
    assert camera.scale_at([xy], 34.0)[0] == pytest.approx(np.sqrt(abs(np.linalg.det(numeric))), rel=1e-4)


def traced_centroid(camera: Camera, xy, radius: float) -> np.ndarray:
    """Centroid of the pixels (finely sampled) whose rays meet the ball."""
    centre_px = camera.project_at([xy], radius)[0]
    half = 1.3 * radius * camera.scale_at([xy], radius)[0] * 1.3
    grid = np.linspace(-half, half, 500)
    u, v = np.meshgrid(centre_px[0] + grid, centre_px[1] + grid)
    px = np.column_stack([u.ravel(), v.ravel()])
    rays = camera.rays(px)
    to_ball = np.array([*xy, radius]) - camera.position
    along = rays @ to_ball / np.linalg.norm(rays, axis=1)
    hit = (to_ball @ to_ball - along**2) < radius**2
    return px[hit].mean(axis=0)


@pytest.mark.parametrize("xy", [(60.0, 60.0), (3400.0, 1700.0), (1775.0, 100.0)])
@pytest.mark.parametrize("lens", [(0.0,) * 5, (-0.1, 0.01, 0.001, -0.001, 0.0)])
@pytest.mark.parametrize("eye", [(1775.0, 887.0, 2300.0), (400.0, -900.0, 1800.0)])
def test_silhouette_centre_against_traced_rays(xy, lens, eye):
    camera = looking(eye, focal=700.0, lens=lens)
    outline = camera.ball_outline([xy], 34.0)
    np.testing.assert_allclose(outline.centre[0], traced_centroid(camera, xy, 34.0), atol=0.02)
    np.testing.assert_allclose(camera.silhouette_offset([xy], 34.0)[0], outline.centre[0] - camera.project_at([xy], 34.0)[0])
    np.testing.assert_allclose(camera.ball_at(outline.centre, 34.0), [xy], atol=0.05)


def test_silhouette_under_the_camera_is_a_circle_of_the_right_size():
    camera = looking((1775.0, 887.5, 3000.0), focal=1000.0)
    outline = camera.ball_outline([(1775.0, 887.5)], 34.0)
    sine = 34.0 / (3000 - 34)
    expected = 1000.0 * sine / np.sqrt(1 - sine**2)
    np.testing.assert_allclose(outline.semi_axes[0], expected, rtol=1e-6)


def test_a_slanting_look_does_not_shrink_a_ball():
    at = (1775.0, 887.5)
    above = looking((*at, 3000.0)).ball_radius([at], 34.0)[0]
    aside = looking((1775.0, 887.5 - 2966 * np.sin(1.2), 34 + 2966 * np.cos(1.2)), (*at, 34.0))
    assert aside.ball_radius([at], 34.0)[0] == pytest.approx(above, rel=0.02)
    assert aside.scale_at([at], 34.0)[0] * 34 < 0.65 * above


def test_points_behind_the_camera_and_above_the_horizon_are_nan():
    camera = looking((1775.0, -3000.0, 1500.0))
    assert np.isnan(camera.project([[1775.0, -9000.0, 1500.0]])).all()
    assert np.isnan(camera.to_table([[640.0, -3000.0]])).all()


def test_cameras_are_values():
    one, same = looking((1775.0, 887.0, 3000.0)), looking((1775.0, 887.0, 3000.0))
    assert one == same and hash(one) == hash(same)
    with pytest.raises(ValueError, match="read-only"):
        one.rotation[0, 0] = 3


@pytest.mark.parametrize("bad", [{"focal": -1.0}, {"rotation": np.diag([1.0, 1.0, -1.0])}, {"rotation": np.ones((3, 3))}, {"width": 0}])
def test_impossible_cameras_are_refused(bad):
    good = looking((1775.0, 887.0, 3000.0))
    values = {name: getattr(good, name) for name in ("width", "height", "focal", "principal", "distortion", "rotation", "translation")}
    with pytest.raises(ValueError, match="camera"):
        Camera(**(values | bad))
