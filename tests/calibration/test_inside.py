"""What lies inside a table as evidence of its camera: spots whose places the rules say, balls whose outlines are known."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from calibration.bundle import adjust
from calibration.fit import camera_from_corners
from calibration.marks import spots_seen, together
from calibration.measure import measured_camera
from calibration.outlines import Outlines, balls_seen, outline_misfit
from tests.calibration.scenes import TABLE, corners_of, draw_table, looking
from tests.calibration.test_bundle import noses_of

CAMERA = looking((1750.0, 850.0, 2400.0), focal=1150.0, size=(1920, 1080))
PLACES = np.array([(x, y) for x in (60.0, 900.0, 1775.0, 2700.0, 3490.0) for y in (60.0, 887.0, 1715.0)])


def dotted(picture: np.ndarray, places, *, radius=5.0, colour=(8, 12, 8)) -> np.ndarray:
    """Round marks of `radius` mm on the cloth."""
    big = cv2.resize(picture, None, fx=4, fy=4, interpolation=cv2.INTER_CUBIC)
    turn = np.linspace(0, 2 * np.pi, 24)
    for x, y in places:
        px = CAMERA.project_at(np.column_stack([x + radius * np.cos(turn), y + radius * np.sin(turn)]), 0.0)
        cv2.fillPoly(big, [np.round(((px + 0.5) * 4 - 0.5) * 16).astype(np.int32)], colour, cv2.LINE_AA, 4)
    return cv2.resize(big, (picture.shape[1], picture.shape[0]), interpolation=cv2.INTER_AREA)


@pytest.fixture(scope="module")
def bare() -> np.ndarray:
    return draw_table(CAMERA, balls=())


def test_spots_are_seen_to_a_fraction_of_a_pixel_by_a_camera_that_is_some_millimetres_off(bare):
    off = replace(CAMERA, translation=CAMERA.translation + np.array([4.0, -3.0, 5.0]))
    spots = spots_seen(dotted(bare, TABLE.spots.values()), off, TABLE)
    assert spots is not None and len(spots.px) == 3
    assert np.abs(spots.px - CAMERA.project(spots.places)).max() < 0.35


@pytest.mark.parametrize(
    "marks",
    [
        pytest.param([], id="none"),
        pytest.param([TABLE.spots["centre"]], id="one alone may be a burn"),
        pytest.param([(1775 + 25, 887), (2662 - 30, 887)], id="elsewhere"),
    ],
)
def test_marks_that_are_no_spots_do_not_count(bare, marks):
    assert spots_seen(dotted(bare, marks), CAMERA, TABLE) is None


def test_marks_of_other_looks_are_no_spots(bare):
    pale = dotted(dotted(bare, [TABLE.spots["home"]]), [TABLE.spots["centre"]], colour=(230, 240, 235))
    assert spots_seen(pale, CAMERA, TABLE) is None


def test_a_ball_on_a_spot_is_no_spot():
    on = [TABLE.spots["home"], TABLE.spots["centre"], TABLE.spots["pyramid"]]
    assert spots_seen(draw_table(CAMERA, balls=on), CAMERA, TABLE) is None


def test_spots_stuck_elsewhere_do_not_bend_the_camera(bare):
    """Both by 9 mm the same way: the noses contradict them, and the camera stays that of the noses."""
    marks = [(x, y + 9.0) for x, y in TABLE.spots.values()]
    measured = measured_camera(dotted(bare, marks), corners_of(CAMERA), TABLE)
    assert measured.bundle is not None and measured.spots == 0


def test_a_measured_camera_counts_its_spots(bare):
    measured = measured_camera(dotted(bare, TABLE.spots.values()), corners_of(CAMERA), TABLE)
    assert measured.spots == 3
    away = measured.fit.camera.project(np.array([(*at, 0.0) for at in TABLE.spots.values()])) - CAMERA.project(
        np.array([(*at, 0.0) for at in TABLE.spots.values()])
    )
    assert np.abs(away).max() < 0.6


def test_known_points_of_several_kinds_are_joined(bare):
    spots = spots_seen(dotted(bare, TABLE.spots.values()), CAMERA, TABLE)
    joined = together(spots, None, spots)
    assert joined is not None and joined.places.shape == (6, 3) and joined.sigma.shape == (6, 2)
    assert together(None, None) is None


def outlines_of(camera, at) -> Outlines:
    return Outlines(tuple(camera.silhouette(at, TABLE.radius)), np.full(len(at), 0.025))


def test_outlines_tell_a_camera_twice_as_high_with_twice_the_focal_length():
    at = [(300.0, 300.0), (3300.0, 1500.0), (3200.0, 250.0)]
    seen = outlines_of(CAMERA, at)
    high = looking((1750.0, 850.0, 4800.0), focal=2300.0, size=(1920, 1080))
    assert np.abs(outline_misfit(CAMERA, TABLE, seen)).max() < 0.1
    assert np.abs(outline_misfit(high, TABLE, seen)).max() > 2
    larger = Outlines(tuple(px.mean(axis=0) + 1.06 * (px - px.mean(axis=0)) for px in seen.px), seen.sigma)
    assert np.abs(outline_misfit(CAMERA, TABLE, larger)).max() < 0.2  # size does not count


def test_balls_at_rest_give_the_focal_length_that_noses_from_above_do_not():
    wide = looking((1750.0, 850.0, 1900.0), focal=760.0, size=(1600, 900))
    noses = noses_of(wide, seed=3)
    start = camera_from_corners(corners_of(wide), TABLE, (1600, 900)).camera
    alone = adjust(start, TABLE, noses)
    balls = adjust(start, TABLE, noses, outlines=outlines_of(wide, [(300.0, 300.0), (3300.0, 1500.0), (3200.0, 250.0), (350.0, 1450.0)]))
    assert balls.focal_sigma < 0.7 * alone.focal_sigma
    assert abs(np.log(balls.camera.focal / wide.focal)) < 0.06


def test_balls_in_a_picture_are_measured_and_those_that_moved_are_not():
    at = [(900.0, 700.0), (2500.0, 1200.0), (1775.0, 300.0)]
    one, two = (draw_table(CAMERA, balls=[*at[:2], (1775.0 + move, 300.0)], seed=seed) for seed, move in ((1, 0.0), (2, 400.0)))
    seen = balls_seen([one], CAMERA, TABLE)
    assert seen is not None and len(seen.px) == 3
    assert np.abs(outline_misfit(CAMERA, TABLE, seen)).max() < 2.5
    still = balls_seen([one, two], CAMERA, TABLE)
    assert still is not None and len(still.px) == 2


def test_an_empty_table_and_a_grey_picture_show_no_balls(bare):
    assert balls_seen([bare], CAMERA, TABLE) is None
    assert balls_seen([bare[..., 1]], CAMERA, TABLE) is None


def test_the_fit_of_a_tilted_view_stays_where_it_is_best():
    """Begun at its own solution it stays there: noses compared askew drifted along themselves."""
    tilted = looking((1775.0, -1400.0, 2700.0), focal=1100.0, size=(1920, 1080), lens=(0.28, 0.02, 0.0, 0.0, 0.0))
    noses = noses_of(tilted, seed=5)
    first = adjust(tilted, TABLE, noses)
    again = adjust(first.camera, TABLE, noses)
    off = again.camera.to_table(first.camera.project_at(PLACES, TABLE.radius), TABLE.radius) - PLACES
    assert np.abs(off).max() < 0.05 and again.strain < 2.0
