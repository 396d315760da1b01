"""A camera turned by half a turn is told by what lies round the table, and only where that tells."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from calibration.fit import camera_from_corners
from calibration.profile import Profile, profile_from_fit, read_profile, write_profile
from calibration.surroundings import half_turned, surroundings
from calibration.turned import end_confirmed, turned_against, turned_profile
from tests.calibration.scenes import OVERHEAD, TABLE, corners_of, draw_table


def hall(seed: int = 1, noise_seed: int = 1, people: int = 0, light: float = 1.0, **more) -> np.ndarray:
    """A table in a room that is not the same on both sides; `people`: dark patches that stand beside it."""
    picture = draw_table(OVERHEAD, seed=noise_seed, **more).astype(np.float32)
    rng = np.random.default_rng(seed)
    inside = np.zeros(picture.shape[:2], np.uint8)
    cv2.fillConvexPoly(inside, np.round(corners_of(OVERHEAD)).astype(np.int32), 1)
    beside = cv2.dilate(inside, np.ones((61, 61), np.uint8)) == 0
    room = cv2.resize(rng.uniform(40, 220, (6, 10, 3)).astype(np.float32), (1280, 720), interpolation=cv2.INTER_LINEAR)
    picture[beside] = room[beside]
    where = np.random.default_rng(seed + 7)
    for _ in range(people):
        x, y = int(where.integers(100, 1180)), int(where.choice([40, 680]))
        cv2.circle(picture, (x, y), 50, (25, 25, 30), -1)
    return np.clip(light * picture, 0, 255).astype(np.uint8)


def profile_of(picture: np.ndarray, **more) -> Profile:
    fit = camera_from_corners(corners_of(OVERHEAD), TABLE, (1280, 720))
    return profile_from_fit(TABLE, fit, corners_of(OVERHEAD), home="left", around=surroundings(picture, fit.camera, TABLE), **more)


def straight() -> Profile:
    """A profile whose picture looks the same after half a turn: the noses stay in place."""
    middle = np.array([639.5, 359.5])
    corners = middle + np.array([(-500, 250), (-500, -250), (500, -250), (500, 250)])
    return profile_from_fit(TABLE, camera_from_corners(corners, TABLE, (1280, 720)), corners, home="left")


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize(("people", "light"), [(0, 1.0), (3, 0.7)])
def test_half_a_turn_is_told_by_the_room(seed, people, light):
    known, seen = hall(seed), hall(seed, noise_seed=5, people=people, light=light)
    prof = straight()
    prof = replace(prof, around=surroundings(known, prof.camera, TABLE))
    assert turned_against(prof, seen) == ""
    assert turned_against(prof, np.ascontiguousarray(seen[::-1, ::-1])) == "what lies round the table"
    assert end_confirmed(prof, seen) and not end_confirmed(prof, np.ascontiguousarray(seen[::-1, ::-1]))


def test_a_room_alike_on_both_sides_and_light_from_one_say_nothing():
    picture = draw_table(OVERHEAD)
    slope = (0.6 + 0.8 * np.linspace(0, 1, 1280))[None, :, None]
    lit = [np.clip(picture * s, 0, 255).astype(np.uint8) for s in (slope, slope[:, ::-1])]
    prof = straight()
    around = [surroundings(p, prof.camera, TABLE) for p in lit]
    assert not half_turned(around[0], around[1], TABLE)
    assert not end_confirmed(replace(prof, around=around[0]), lit[1])


def test_another_room_says_nothing():
    prof = straight()
    for seed in range(2, 12):
        around = [surroundings(hall(s), prof.camera, TABLE) for s in (1, seed)]
        assert not half_turned(around[0], around[1], TABLE)


def test_what_is_not_in_the_picture_is_not_known():
    near = profile_from_fit(TABLE, camera_from_corners(corners := prof_corners(1.24), TABLE, (1280, 720)), corners)
    around = surroundings(hall(), near.camera, TABLE)
    assert None in around and not half_turned(around, around[::-1], TABLE)
    assert not half_turned((), around, TABLE) and not half_turned(around[:4], around, TABLE)


def prof_corners(zoom: float) -> np.ndarray:
    return np.array([639.5, 359.5]) + zoom * np.array([(-500, 250), (-500, -250), (500, -250), (500, 250)])


def test_the_line_on_the_cloth_tells_without_any_surroundings():
    picture = draw_table(OVERHEAD, home_line=True)
    prof = replace(profile_of(picture), around=(), home_from="home line")
    assert turned_against(prof, picture) == ""
    other = replace(turned_profile(prof), home_from="home line")
    assert turned_against(other, picture) == "home line"


def test_a_turned_profile_is_the_same_camera_from_the_other_end():
    prof = profile_of(hall())
    twice = turned_profile(turned_profile(prof))
    assert twice.corners_px == prof.corners_px and twice.around == prof.around and twice.home == prof.home
    turned = turned_profile(prof)
    assert turned.home == "right"
    places = np.array([[300.0, 400.0], [2000.0, 1000.0]])
    px = prof.camera.project_at(places, 34.0)
    np.testing.assert_allclose(turned.camera.project_at([TABLE.length, TABLE.width] - places, 34.0), px, atol=1e-6)
    seen = surroundings(hall(), turned.camera, TABLE)
    assert [c is None for c in seen] == [c is None for c in turned.around]
    np.testing.assert_allclose([c for c in seen if c], [c for c in turned.around if c])


def test_the_file_keeps_them(tmp_path):
    prof = profile_of(hall())
    assert all(c is not None for c in prof.around[:12])
    write_profile(replace(prof, around=(*prof.around[:3], None)), tmp_path / "p.toml")
    read = read_profile(tmp_path / "p.toml").around
    assert read[3] is None and np.allclose(np.array(read[:3]), np.array(prof.around[:3]), atol=0.51)
