"""The guard of the view: cuts, bumps, shaking, people, light; a camera that was moved is registered anew."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import cv2
import numpy as np
import pytest

from calibration.profile import Profile
from calibration.surroundings import elsewhere as unlike
from calibration.surroundings import surroundings
from tests.calibration.scenes import TABLE, corners_of, draw_table, looking
from tests.vision.clips import write_video
from tests.vision.strokes import KIND, STRIKE, film
from tests.vision.tables import CLOTHS, Scene, profile
from vision.fitting import UNCONFIRMED, UNFIT, Fitting
from vision.frames import Video, frame_of_bgr
from vision.guard import Change, ViewGuard, view_notes
from vision.pipeline import analyze_video

FPS = 30
PLACES = {"white": (500.0, 500.0), "yellow": (900.0, 300.0), "red": (1500.0, 600.0), "black": (1900.0, 200.0)}


@pytest.fixture(scope="module")
def scene():
    return Scene(profile(KIND))


@pytest.fixture(scope="module")
def pictures(scene):
    return [scene.picture(PLACES) for _ in range(6)]


@pytest.fixture(scope="module")
def filmed():
    scene = film()
    return scene, list(scene.pictures(FPS, 0.0, 3.9))


def frame(picture, t):
    return replace(frame_of_bgr(picture), time=Fraction(round(t * 1000), 1000))


def elsewhere(seed=3):
    """A picture of something else: blocks of random colours."""
    blocks = np.random.default_rng(seed).integers(0, 255, (9, 16, 3)).astype(np.uint8)
    return np.kron(blocks, np.ones((40, 40, 1), np.uint8))


def matrix_of(shift=(0.0, 0.0), turn=0.0, zoom=1.0, size=(640, 360)):
    matrix = cv2.getRotationMatrix2D((size[0] / 2, size[1] / 2), turn, zoom)
    matrix[:, 2] += shift
    return matrix


def bumped(picture, matrix):
    return cv2.warpAffine(picture, matrix, picture.shape[1::-1], flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)


def run(guard, shown, start=0.0, rate=FPS):
    return [guard.look(frame(p, start + k / rate)) for k, p in enumerate(shown)]


def guard_of(scene, pictures) -> ViewGuard:
    guard = ViewGuard(frame(pictures[0], 0.0), scene.profile)
    assert guard.steady and guard.changes == []
    return guard


def test_cuts_and_returns(scene, pictures):
    guard = guard_of(scene, pictures)
    assert all(run(guard, pictures, 0.0))
    assert not guard.look(frame(elsewhere(), 1.0))
    assert not guard.look(frame(elsewhere(), 1.1))
    assert guard.look(frame(pictures[1], 1.2))
    assert [(c.kind, c.t) for c in guard.changes] == [("other", 1.0), ("back", 1.2)]


@pytest.mark.parametrize(
    ("shift", "turn", "zoom"),
    [((1.6, -1.2), 0, 1), ((1.0, 0.3), 0, 1), ((-9.0, 14.0), 0, 1), ((0, 0), 0.8, 1), ((0, 0), 0, 1.01)],
    ids=["2px", "1px", "17px", "turned", "zoomed"],
)
def test_a_moved_camera_is_noticed_soon_and_registered_anew(scene, pictures, shift, turn, zoom):
    guard = guard_of(scene, pictures)
    run(guard, pictures * 5)
    matrix = matrix_of(shift, turn, zoom)
    at = 1.0
    run(guard, [bumped(pictures[k % 6], matrix) for k in range(45)], at)
    [change] = guard.changes
    # a hair more than one pixel may be a hall that sways
    assert change.kind == "registered" and 0 < change.t - at < (1.3 if change.shift_px < 1.5 else 1.0)
    assert guard.steady and guard.profile is change.profile
    old = np.array(scene.profile.corners_px)
    true = np.column_stack([old, np.ones(4)]) @ matrix.T
    assert np.abs(np.array(guard.profile.corners_px) - true).max() < 0.3
    seen = guard.profile.camera.project_at(KIND.corners, KIND.nose_height)
    assert np.abs(seen - true).max() < 0.4
    assert change.shift_px == pytest.approx(np.linalg.norm(true - old, axis=1).max(), abs=0.3)
    assert change.residual_px < 0.3


def test_moves_do_not_add_up_errors_and_the_old_place_is_known_again(scene, pictures):
    guard = guard_of(scene, pictures)
    for k, shift in enumerate([(4.0, 3.0), (-5.0, 2.0), (0.0, 0.0)]):
        run(guard, [bumped(pictures[n % 6], matrix_of(shift)) for n in range(25)], 1.0 + k)
    assert [c.kind for c in guard.changes] == ["registered"] * 3
    assert np.abs(np.subtract(guard.profile.corners_px, scene.profile.corners_px)).max() < 0.2


def test_half_a_pixel_is_no_move(scene, pictures):
    guard = guard_of(scene, pictures)
    assert all(run(guard, [bumped(p, matrix_of((0.4, 0.2))) for p in pictures * 8], 0.5))
    assert guard.changes == []


def test_slow_drift_adds_up(scene, pictures):
    guard = guard_of(scene, pictures)
    for k in range(100):  # 1.5 px in half a minute: hardly anything from look to look
        guard.look(frame(bumped(pictures[k % 6], matrix_of((0.015 * k, 0.0))), 0.3 * k))
    assert [c.kind for c in guard.changes] == ["registered"]
    assert guard.changes[0].shift_px == pytest.approx(0.9, abs=0.25)


def test_a_short_shake_is_told_as_such(scene, pictures):
    guard = guard_of(scene, pictures)
    shown = [bumped(pictures[k % 6], matrix_of((4 * np.sin(2.3 * k) * np.exp(-k / 5), 0))) for k in range(30)]
    assert all(run(guard, shown, 0.3))
    assert [c.kind for c in guard.changes] in (["shaken"], [])
    shown = [bumped(pictures[k % 6], matrix_of((3.0, 0) if k < 8 else (0, 0))) for k in range(30)]
    assert all(run(guard, shown, 2.0))
    assert guard.changes[-1].kind == "shaken"
    assert guard.changes[-1].shift_px == pytest.approx(3, abs=0.3)


def test_a_camera_in_the_hand_is_not_measured_by(scene, pictures):
    guard = guard_of(scene, pictures)
    steady = run(guard, [bumped(pictures[k % 6], matrix_of((0.6 * k, 0.4 * k))) for k in range(60)], 0.3)
    assert not any(steady[35:])
    assert guard.changes[0].kind == "moved"
    assert "still moves" in guard.changes[0].reason


def test_people_at_the_table_are_no_change(scene, pictures):
    guard = guard_of(scene, pictures)
    for k in range(60):
        picture = pictures[k % 6].copy()
        cv2.rectangle(picture, (100 + 5 * k, 200), (220 + 5 * k, 359), (40, 30, 60), -1)
        cv2.ellipse(picture, (560 - 3 * k, 60), (60, 90), 20, 0, 360, (90, 70, 60), -1)
        assert guard.look(frame(picture, 1.0 + k * 0.1))
    assert guard.changes == []


def test_light_shadow_noise_and_compression_are_no_change(scene, tmp_path):
    shown = []
    for k in range(90):
        picture = scene.picture(PLACES, noise=4.0).astype(np.float32)
        picture *= 1 + 0.06 * np.sin(1.9 * k)  # lamps flicker
        picture *= 0.65 if 40 <= k < 70 else 1.0  # exposure steps
        shade = np.ones(picture.shape[:2], np.float32)
        cv2.ellipse(shade, (4 * k, 120), (90, 140), 15, 0, 360, 0.55, -1)
        picture *= cv2.GaussianBlur(shade, (0, 0), 9)[..., None]
        shown.append(np.clip(picture, 0, 255).astype(np.uint8))
    path = write_video(tmp_path / "v.mp4", shown, rate=FPS, quality=32)
    guard = None
    for f in Video(path):
        guard = guard or ViewGuard(f, scene.profile)
        assert guard.look(f)
    assert guard is not None and guard.changes == [] and guard.looks >= 9


def test_another_size_of_picture_is_refused_with_its_reason(scene, pictures):
    guard = guard_of(scene, pictures)
    assert not guard.look(frame(cv2.resize(pictures[0], (320, 180)), 1.0))
    assert "320x180" in guard.changes[0].reason and "320x180" in view_notes(guard.changes)[0]
    guard.look(frame(pictures[0], 1.5))
    assert guard.look(frame(pictures[0], 2.0))


def test_a_slow_change_to_another_scene_is_noticed(scene, pictures):
    guard = guard_of(scene, pictures)
    for k in range(80):
        share = min(1.0, k / 30)
        steady = guard.look(frame(cv2.addWeighted(pictures[k % 6], 1 - share, elsewhere(), share, 0), 0.3 + k / FPS))
    assert not steady and guard.changes[0].kind == "other"
    assert guard.good_until < guard.changes[0].t - 0.5


# the start ------------------------------------------------------------------------------------------------------


def test_a_profile_of_another_day_is_corrected_at_the_start(scene, pictures):
    matrix = matrix_of((7.0, -5.0))
    guard = ViewGuard(frame(bumped(pictures[0], matrix), 0.0), scene.profile)
    [change] = guard.changes
    assert change.kind == "misplaced" and guard.steady
    assert change.shift_px == pytest.approx(np.hypot(7, 5), abs=2)
    true = np.add(scene.profile.corners_px, (7.0, -5.0))
    assert np.abs(np.array(guard.profile.corners_px) - true).max() < 2
    assert "re-registered" in view_notes(guard.changes)[0]


def test_the_true_profile_of_a_table_with_a_bright_trim_is_believed():
    camera = looking((1775.0, -1900.0, 3000.0), (1775.0, 800.0, 0.0), focal=1000.0)
    shown = draw_table(camera, trim=(225, 225, 225), shade=0.7, rise=6.0, cloth=(10, 40, 8))
    shown = np.asarray(cv2.GaussianBlur(shown, (0, 0), 1.5), np.uint8)
    a, b, c, d = ((float(x), float(y)) for x, y in corners_of(camera))
    true = Profile(TABLE, camera, (a, b, c, d), home="left")
    guard = ViewGuard(frame(shown, 0.0), true)
    assert guard.steady and guard.changes == [] and guard.profile is true
    elsewhere = ViewGuard(frame(bumped(shown, matrix_of((12.0, -9.0))), 0.0), true)
    assert [change.kind for change in elsewhere.changes] == ["misplaced"]


def test_a_video_that_begins_elsewhere(scene, pictures):
    guard = ViewGuard(frame(elsewhere(), 0.0), scene.profile)
    run(guard, [elsewhere()] * 20, 0.03)
    steady = run(guard, pictures * 6, 1.0)
    assert steady[-1] and guard.profile is scene.profile
    assert guard.good_until > 1.5


def test_a_dark_beginning(scene, pictures):
    guard = ViewGuard(frame(np.zeros_like(pictures[0]), 0.0), scene.profile)
    run(guard, [np.zeros_like(pictures[0])] * 10, 0.03)
    run(guard, pictures * 4, 0.5)
    assert guard.steady
    run(guard, [bumped(p, matrix_of((3.0, 0.0))) for p in pictures * 5], 2.0)
    assert guard.changes[-1].kind == "registered"


def seen_with(prof, shown) -> list[str]:
    """The notes of `Fitting` on pictures every 1.5 s."""
    fitting = Fitting()
    for k, picture in enumerate(shown):
        fitting.look(frame(picture, 1.5 * k), prof)
    return fitting.notes(found=False)


def test_a_profile_of_another_room_is_told_from_faint_noses(scene, pictures):
    kept = replace(scene.profile, around=surroundings(pictures[0], scene.camera, scene.table))
    assert seen_with(kept, pictures[:2]) == []
    faint = cv2.GaussianBlur(pictures[0], (0, 0), 25)
    assert seen_with(kept, [faint]) == [UNCONFIRMED]
    assert seen_with(kept, [faint, pictures[1]]) == []  # it clears up
    assert seen_with(kept, [elsewhere()] * 2) == [UNFIT]
    assert seen_with(scene.profile, [elsewhere()] * 2) == [UNCONFIRMED]  # it keeps nothing to compare with


def test_light_is_no_other_room(scene, pictures):
    known = surroundings(pictures[0], scene.camera, scene.table)
    for gain in (0.4, 1.8):
        lit = np.clip(pictures[0] * gain, 0, 255).astype(np.uint8)
        assert not unlike(known, surroundings(lit, scene.camera, scene.table))
    assert unlike(known, surroundings(elsewhere(), scene.camera, scene.table))


# the notes ------------------------------------------------------------------------------------------------------


def test_notes_say_what_happened():
    prof: Profile = profile(KIND)
    changes = [
        Change(1.0, "other"), Change(2.0, "back"), Change(3.0, "registered", 12.34, 0.31, profile=prof), Change(4.0, "shaken", 2.5),
        Change(5.0, "moved", 40.0, reason="too little of the table is seen"), Change(0.0, "misplaced", 9.0, reason="no table"),
    ]  # fmt: skip
    notes = view_notes(changes)
    assert notes[2] == "the camera or the table moved by 12.3 px at 3.00 s; re-registered (residual 0.3 px)"
    assert "too little of the table" in notes[4] and "40.0 px" in notes[4]
    assert "calibrate again" in notes[5]
    many = view_notes([Change(float(k), "registered", 5.0 + k, 0.2, profile=prof) for k in range(9)])
    assert len(many) == 1 and "9 times" in many[0] and "13.0 px" in many[0]


# the whole path -------------------------------------------------------------------------------------------------


def analyzed(filmed, tmp_path, matrix, at):
    scene, pictures = filmed
    shown = [bumped(p, matrix) if k >= at * FPS else p for k, p in enumerate(pictures)]
    shown += [bumped(pictures[-1], matrix)] * 12
    return analyze_video(write_video(tmp_path / "v.mp4", shown, rate=FPS), profile=scene.profile)


def test_a_bump_before_the_stroke_changes_no_result(filmed, tmp_path):
    scene, pictures = filmed
    matrix = matrix_of((6.0, 4.0))
    shown = (
        [pictures[0]] * 12
        + [bumped(pictures[0], matrix)] * 26
        + [bumped(p, matrix) for p in pictures]
        + [bumped(pictures[-1], matrix)] * 12
    )
    found = analyze_video(write_video(tmp_path / "v.mp4", shown, rate=FPS), profile=scene.profile)
    assert [c.kind for c in found.changes] == ["registered"]
    assert found.profile == scene.profile
    assert any("re-registered" in note and "7.2 px" in note for note in found.notes)
    [stroke] = found.strokes
    assert stroke.review == ()
    assert [e.type for e in stroke.shot.events if e.type != "midline"] == ["strike", "contact", "pocket", "cushion", "stop"]
    for ball, place in stroke.positions_before.items():
        assert place == pytest.approx(tuple(scene.truth.tracks[ball][0]), abs=6)


def test_a_bump_in_mid_stroke_is_doubted(filmed, tmp_path):
    found = analyzed(filmed, tmp_path, matrix_of((6.0, 4.0)), STRIKE + 0.8)
    assert [c.kind for c in found.changes] == ["registered"]
    assert found.strokes
    assert any("camera moved during the stroke" in d.reason for d in found.strokes[0].review)
    assert all(s.review for s in found.strokes)
    assert not any("video ends" in d.reason for s in found.strokes for d in s.review)


def test_a_moving_camera_stops_the_measuring(filmed, tmp_path):
    scene, pictures = filmed
    shown = [*pictures[:20], *[bumped(pictures[20], matrix_of((0.7 * k, 0.5 * k))) for k in range(50)]]
    found = analyze_video(write_video(tmp_path / "v.mp4", shown, rate=FPS), profile=scene.profile, tracks=tmp_path / "t.csv")
    assert found.strokes == ()
    assert any("nothing is measured" in note for note in found.notes)
    assert (tmp_path / "t.csv").read_text().count("\n") == 4 * len(shown) + 1


def test_cloths():
    # every cloth of the tests shows its noses
    for name in CLOTHS:
        scene = Scene(profile(KIND), CLOTHS[name])
        assert ViewGuard(frame(scene.picture(PLACES), 0.0), scene.profile).changes == []


def test_a_camera_turned_by_half_a_turn_keeps_the_house_where_it_is(scene, pictures):
    window = [picture.copy() for picture in pictures]
    for picture in window:  # a room that is not alike on both sides
        picture[14:42, 64:330] = (200, 160, 120)
        picture[52:308, 8:52] = (60, 60, 160)
    kept = replace(scene.profile, around=surroundings(window[0], scene.camera, scene.table))
    assert ViewGuard(frame(window[1], 0.0), kept).changes == []
    guard = ViewGuard(frame(np.ascontiguousarray(window[1][::-1, ::-1]), 0.0), kept)
    assert [(c.kind, c.reason) for c in guard.changes] == [("turned", "what lies round the table")]
    assert guard.steady and guard.profile.home == "right" and "turned by half a turn" in view_notes(guard.changes)[0]
