"""Error bars of places: they follow the camera's covariance, survive the file, and old profiles have rougher ones."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from calibration.accuracy import place_covariance, place_sigma
from calibration.errors import UserError
from calibration.fit import camera_from_corners
from calibration.profile import Profile, profile_from_fit, read_profile, write_profile
from calibration.uncertainty import PARAMETERS, CameraUncertainty, changed, slopes
from tests.calibration.scenes import OVERHEAD, TABLE, corners_of, looking

PLACES = np.array([(100.0, 100.0), (1775.0, 887.0), (3500.0, 1700.0)])
TILTED = looking((-900.0, 300.0, 2600.0), focal=900.0)


def made(camera=OVERHEAD, **options) -> Profile:
    corners = corners_of(camera)
    return profile_from_fit(TABLE, camera_from_corners(corners, TABLE, (camera.width, camera.height), **options), corners)


def test_the_error_bar_is_what_changes_of_the_camera_do_to_places():
    profile = replace(made(), covariance=CameraUncertainty.of(("move_x", "move_z"), np.diag([4.0, 0.0])))
    camera, px = profile.camera, profile.camera.project_at(PLACES, TABLE.radius)
    moved = changed(camera, ("move_x",), [2.0]).to_table(px, TABLE.radius) - PLACES
    covariance = place_covariance(profile, PLACES)
    np.testing.assert_allclose(covariance, moved[:, :, None] * moved[:, None, :], atol=1e-3)
    np.testing.assert_allclose(place_sigma(profile, PLACES), np.hypot(*moved.T), atol=1e-3)


@pytest.mark.parametrize("camera", [OVERHEAD, TILTED])
def test_changes_of_every_parameter_have_the_slope_that_is_given(camera):
    camera = replace(camera, distortion=(-0.1, 0.02, 1e-3, -1e-3, 0.0))
    px = camera.project_at(PLACES, TABLE.radius)
    slope = slopes(camera, PARAMETERS, lambda c: c.to_table(px, TABLE.radius))
    for index, name in enumerate(PARAMETERS):
        size = 0.05 / np.abs(slope[..., index]).max()  # of a twentieth of a millimetre
        step = changed(camera, (name,), [size]).to_table(px, TABLE.radius) - PLACES
        np.testing.assert_allclose(step, slope[..., index] * size, atol=2e-3, err_msg=name)


def test_error_bars_shrink_with_the_corners_errors():
    rough, fine = (place_sigma(made(TILTED, sigma_px=s), PLACES) for s in (2.0, 0.5))
    assert (fine < 0.5 * rough).all()


def test_round_trip_through_the_file(tmp_path):
    profile = made(TILTED)
    write_profile(profile, tmp_path / "p.toml")
    read = read_profile(tmp_path / "p.toml")
    assert profile.covariance is not None and read.covariance == profile.covariance
    np.testing.assert_allclose(place_covariance(read, PLACES), place_covariance(profile, PLACES), rtol=1e-6)


def test_an_older_profile_falls_back_on_its_errors(tmp_path):
    profile = replace(made(), covariance=None, reprojection_mm=2.0, ball_sigma_mm=3.0)
    write_profile(profile, tmp_path / "p.toml")
    read = read_profile(tmp_path / "p.toml")
    assert read.covariance is None
    sigma = place_sigma(read, PLACES)
    assert sigma[1] == pytest.approx(np.sqrt(2.0), abs=0.1)  # under the camera its height does not matter
    assert sigma[0] > 2.5


@pytest.mark.parametrize(
    ("old", "new", "word"),
    [
        ("version = 1\nparameters", "version = 2\nparameters", "covariance.version"),
        ('"turn_x"', '"turn_q"', "turn_q"),
        ('"turn_x",', "", "matrix"),
        ("matrix = [", "matrix = [[1.0], ", "matrix"),
        ("matrix = [", 'matrix = "none"\nrest = [', "matrix"),
        ("[camera.covariance]", "[camera]\ncovariance = 3\n[camera.rest]", ""),
    ],
)
def test_a_wrong_block_is_named(tmp_path, old, new, word):
    path = tmp_path / "p.toml"
    write_profile(made(), path)
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(UserError) as caught:
        read_profile(path)
    assert str(path) in str(caught.value) and word in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "matrix", [np.diag([1.0, -1.0]), [[1.0, 2.0], [2.0, 1.0]], [[1.0, 0.5], [0.0, 1.0]], [[1.0]], [[np.nan, 0], [0, 1]]]
)
def test_what_is_no_covariance_is_refused(matrix):
    with pytest.raises(ValueError, match="covariance"):
        CameraUncertainty(("k1", "k2"), tuple(tuple(row) for row in np.asarray(matrix, float)))
