"""The watch over the camera: still, knocked, cut to another scene, hidden by people."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from calibration.drift import CameraWatch
from tests.calibration.scenes import OVERHEAD, corners_of, draw_table


def grey(picture):
    return cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)


@pytest.fixture(scope="module")
def picture():
    return draw_table(OVERHEAD)


@pytest.fixture(scope="module")
def watch(picture):
    return CameraWatch(grey(picture), corners_of(OVERHEAD))


def test_still(watch):
    view = watch.look(grey(draw_table(OVERHEAD, seed=5, noise=5.0)))
    assert view.same and view.shift_px < 0.3 and view.reason == ""


@pytest.mark.parametrize("shift", [(3.0, 0.0), (0.0, -4.0), (-6.0, 5.0), (12.0, 8.0)])
def test_a_knock_is_measured(watch, picture, shift):
    moved = cv2.warpAffine(picture, np.array([[1, 0, shift[0]], [0, 1, shift[1]]]), (1280, 720), borderMode=cv2.BORDER_REPLICATE)
    view = watch.look(grey(moved))
    assert not view.same and "moved" in view.reason
    assert view.shift_px == pytest.approx(np.hypot(*shift), abs=0.7)


def test_people_do_not_count_as_a_move(watch, picture):
    hidden = picture.copy()
    cv2.rectangle(hidden, (0, 420), (620, 719), (30, 30, 35), -1)
    cv2.ellipse(hidden, (1000, 150), (90, 160), 20, 0, 360, (90, 70, 60), -1)
    assert watch.look(grey(hidden)).same


def test_lamps_dimmed(watch, picture):
    assert watch.look(grey((picture * 0.6).astype(np.uint8))).same


def test_another_scene(watch, picture):
    close = cv2.resize(picture[200:420, 400:790], (1280, 720))
    noise = np.random.default_rng(0).integers(0, 255, (720, 1280), dtype=np.uint8)
    for other in (grey(close), noise, np.full((720, 1280), 80, np.uint8)):
        view = watch.look(other)
        assert not view.same and "scene" in view.reason and np.isnan(view.shift_px)


def test_wrong_sizes(watch, picture):
    assert "640x360" in watch.look(np.zeros((360, 640), np.uint8)).reason
    with pytest.raises(ValueError, match="grey"):
        CameraWatch(picture, corners_of(OVERHEAD))
    with pytest.raises(ValueError, match="no edges"):
        CameraWatch(np.full((720, 1280), 80, np.uint8), corners_of(OVERHEAD))
