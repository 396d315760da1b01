"""The watch over the camera: still, knocked, turned, cut to another scene, hidden by people; and registering anew."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from calibration.camera import Camera
from calibration.drift import CameraWatch
from calibration.in_place import check_noses, check_noses_closely, noses_in_place
from calibration.profile import Profile
from calibration.reregister import Registered, find_again, reregister
from tests.calibration.scenes import OVERHEAD, TABLE, corners_of, draw_table, looking


def grey(picture):
    return cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)


def profile_of(camera: Camera) -> Profile:
    corners = tuple((float(x), float(y)) for x, y in corners_of(camera))
    return Profile(TABLE, camera, (corners[0], corners[1], corners[2], corners[3]), home="left")


@pytest.fixture(scope="module")
def picture():
    return draw_table(OVERHEAD)


@pytest.fixture(scope="module")
def watch(picture):
    return CameraWatch(grey(picture), corners_of(OVERHEAD))


def moved_by(picture, shift=(0.0, 0.0), turn=0.0, zoom=1.0):
    matrix = cv2.getRotationMatrix2D((640, 360), turn, zoom)
    matrix[:, 2] += shift
    shown = cv2.warpAffine(picture, matrix, (1280, 720), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)
    corners = corners_of(OVERHEAD)
    return shown, np.column_stack([corners, np.ones(4)]) @ matrix.T


def test_still(watch):
    view = watch.look(grey(draw_table(OVERHEAD, seed=5, noise=5.0)))
    assert view.same and view.sure and view.shift_px < 0.15 and view.reason == ""
    assert view.sigma_px < 0.1 and view.sides == 4


@pytest.mark.parametrize(
    ("shift", "turn", "zoom"),
    [
        ((1.0, 0.4), 0, 1), ((3.0, 0.0), 0, 1), ((0.0, -4.0), 0, 1), ((-6.0, 5.0), 0, 1), ((42.0, -28.0), 0, 1),
        ((0, 0), 0.15, 1), ((2, 1), -1.5, 1), ((0, 0), 0, 0.985),
    ],
)  # fmt: skip
def test_a_knock_is_measured(watch, picture, shift, turn, zoom):
    shown, true = moved_by(picture, shift, turn, zoom)
    watch.look(grey(shown))
    view = watch.look(grey(shown))
    assert not view.same and not view.sure and "moved" in view.reason
    assert view.shift_px == pytest.approx(np.linalg.norm(true - corners_of(OVERHEAD), axis=1).max(), abs=0.2)
    assert np.abs(view.corners - true).max() < 0.15 + 0.003 * view.shift_px
    assert view.residual_px < 0.2


def test_half_a_pixel_is_measured_but_no_knock(watch, picture):
    shown, true = moved_by(picture, (0.4, -0.3))
    view = watch.look(grey(shown))
    assert view.same and np.abs(view.corners - true).max() < 0.1


def test_people_do_not_count_as_a_move(picture):
    watch = CameraWatch(grey(picture), corners_of(OVERHEAD))
    hidden = picture.copy()
    cv2.rectangle(hidden, (0, 420), (620, 719), (30, 30, 35), -1)
    cv2.ellipse(hidden, (1000, 150), (90, 160), 20, 0, 360, (90, 70, 60), -1)
    view = watch.look(grey(hidden))
    assert view.same and view.shift_px < 0.3 and view.seen < 0.9


def test_a_knock_is_seen_behind_people(picture):
    watch = CameraWatch(grey(picture), corners_of(OVERHEAD))
    shown, true = moved_by(picture, (2.0, 1.5))
    cv2.rectangle(shown, (0, 420), (620, 719), (30, 30, 35), -1)
    view = watch.look(grey(shown))
    assert not view.same
    spread = np.abs(view.corners - true).max(axis=1)
    assert spread[2] < 0.15  # the corner far from the people


def test_lamps_dimmed(watch, picture):
    for light in (0.6, 1.25):
        view = watch.look(grey(np.clip(picture * light, 0, 255).astype(np.uint8)))
        assert view.same and view.shift_px < 0.2


def test_another_scene(watch, picture):
    close = cv2.resize(picture[200:420, 400:790], (1280, 720))
    noise = np.random.default_rng(0).integers(0, 255, (720, 1280), dtype=np.uint8)
    for other in (grey(close), noise, np.full((720, 1280), 80, np.uint8)):
        view = watch.look(other)
        assert not view.same and not view.sure and "scene" in view.reason and np.isnan(view.shift_px)
    assert watch.look(grey(picture)).sure


def test_an_accepted_place_counts_as_unmoved(picture):
    watch = CameraWatch(grey(picture), corners_of(OVERHEAD))
    shown, _ = moved_by(picture, (5.0, 2.0))
    view = watch.look(grey(shown))
    watch.accept(view)
    assert watch.look(grey(shown)).sure
    back = watch.look(grey(picture))
    assert not back.same and back.shift_px == pytest.approx(np.hypot(5, 2), abs=0.1)


def test_what_stood_before_the_table_at_first_is_taken_anew(picture):
    hidden = picture.copy()
    cv2.rectangle(hidden, (150, 420), (620, 719), (30, 90, 35), -1)
    cv2.putText(hidden, "PERSON", (160, 620), 0, 4, (200, 200, 210), 12)
    watch = CameraWatch(grey(hidden), corners_of(OVERHEAD))
    before = watch.look(grey(picture)).seen
    for seed in range(15):
        view = watch.look(grey(draw_table(OVERHEAD, seed=seed)) if seed < 3 else grey(picture))
        assert view.same
    assert watch.look(grey(picture)).seen > before


def test_wrong_sizes(watch, picture):
    assert "640x360" in watch.look(np.zeros((360, 640), np.uint8)).reason
    with pytest.raises(ValueError, match="grey"):
        CameraWatch(picture, corners_of(OVERHEAD))
    with pytest.raises(ValueError, match="no edges"):
        CameraWatch(np.full((720, 1280), 80, np.uint8), corners_of(OVERHEAD))


# registering anew -----------------------------------------------------------------------------------------------


BENT = looking((1700.0, 900.0, 3600.0), (1775.0, 887.5, 0.0), focal=1020.0, lens=(-0.09, 0.02, 0.0, 0.0, 0.0))


@pytest.mark.parametrize(
    ("eye", "target", "roll"),
    [((1700, 900, 3600), (1805, 872.5, 0), 0.0), ((1725, 890, 3620), (1775, 900, 0), 0.008), ((1700, 900, 3570), (1690, 840, 0), -0.01)],
    ids=["tilted", "shifted", "lowered"],
)
def test_the_camera_is_found_in_its_new_place(eye, target, roll):
    new = looking(eye, target, focal=1020.0, lens=BENT.distortion, roll=roll)
    before, after = grey(draw_table(BENT)), grey(draw_table(new, seed=3))
    watch = CameraWatch(before, corners_of(BENT))
    watch.look(after)
    view = watch.look(after)
    assert not view.same
    found = reregister(profile_of(BENT), view, watch.matches(), before, after)
    assert isinstance(found, Registered) and found.residual_px < 0.5
    assert np.abs(np.array(found.profile.corners_px) - corners_of(new)).max() < 0.5
    assert found.profile.camera.distortion == BENT.distortion and found.profile.camera.focal == pytest.approx(1020, rel=0.01)
    places = np.array([(400.0, 300.0), (1775.0, 900.0), (3200.0, 1500.0)])
    balls = found.profile.camera.ball_at(new.ball_outline(places, TABLE.radius).centre, TABLE.radius)
    assert np.abs(balls - places).max() < 2.5  # mm


def test_too_little_seen_is_refused(picture):
    watch = CameraWatch(grey(picture), corners_of(OVERHEAD))
    shown, _ = moved_by(picture, (4.0, 0.0))
    shown[:, :900] = 40
    view = watch.look(grey(shown))
    found = reregister(profile_of(OVERHEAD), view, watch.matches(), grey(picture), grey(shown))
    assert isinstance(found, str) and found


def test_a_table_that_left_the_picture_is_refused(picture):
    watch = CameraWatch(grey(picture), corners_of(OVERHEAD))
    view = watch.look(np.full((720, 1280), 90, np.uint8))
    found = reregister(profile_of(OVERHEAD), view, watch.matches(), grey(picture), grey(picture))
    assert found == "too little of the table is seen"


# noses ----------------------------------------------------------------------------------------------------------


def test_noses_confirm_a_profile(picture):
    check = check_noses(grey(picture), OVERHEAD, TABLE)
    assert check.confirmed and not check.contradicted
    assert set(check.offsets) == {"home", "foot", "left", "right"} and max(map(abs, check.offsets.values())) <= 1.5


def test_noses_contradict_a_profile_of_another_day(picture):
    shown, _ = moved_by(picture, (8.0, 8.0))
    check = check_noses(grey(shown), OVERHEAD, TABLE)
    assert not check.confirmed


def test_no_noses_no_word():
    check = check_noses(np.full((720, 1280), 90, np.uint8), OVERHEAD, TABLE)
    assert check.offsets == {} and not check.confirmed and not check.contradicted
    check = check_noses_closely(np.full((720, 1280, 3), 90, np.uint8), OVERHEAD, TABLE)
    assert check.offsets == {} and not check.confirmed and not check.contradicted


def test_a_bright_trim_is_no_nose_for_one_who_looks_closely():
    slanting = looking((1775.0, -1900.0, 3000.0), (1775.0, 800.0, 0.0), focal=1000.0)
    shown = cv2.GaussianBlur(draw_table(slanting, trim=(225, 225, 225), shade=0.7, rise=6.0, cloth=(10, 40, 8)), (0, 0), 1.5)
    assert check_noses(grey(shown), slanting, TABLE).contradicted, "else this picture asks nothing"
    check = check_noses_closely(shown, slanting, TABLE)
    assert check.confirmed and not check.contradicted, check.offsets
    assert noses_in_place(shown, slanting, TABLE).confirmed
    moved = looking((1775.0, -1900.0, 3000.0), (1820.0, 760.0, 0.0), focal=1000.0)
    assert check_noses_closely(shown, moved, TABLE).contradicted


@pytest.mark.parametrize("shift", [(9.0, 0.0), (0.0, 9.0)])
def test_noses_along_one_axis_alone_confirm_nothing(picture, shift):
    shown, _ = moved_by(picture, shift)
    assert not check_noses(grey(shown), OVERHEAD, TABLE).confirmed
    assert not check_noses_closely(shown, OVERHEAD, TABLE).confirmed


def test_a_misplaced_table_is_found_again(picture):
    shown, true = moved_by(picture, (18.0, -11.0), 0.5)
    found = find_again(profile_of(OVERHEAD), shown)
    assert isinstance(found, Registered)
    assert np.abs(np.array(found.profile.corners_px) - true).max() < 4
    assert isinstance(find_again(profile_of(OVERHEAD), np.full((720, 1280, 3), 90, np.uint8)), str)
