"""Balls found in whole pictures and named by colour."""

import numpy as np
import pytest

from calibration.table import table
from tests.vision.tables import BALLS, CLOTHS, Scene, profile
from vision.field import Field
from vision.frames import frame_of_bgr
from vision.seek import PROTOTYPES, Candidate, candidates, colour_distance, named

PLACES = {"white": (400.0, 900.0), "yellow": (1500.0, 300.0), "red": (700.0, 350.0), "black": (1700.0, 800.0)}


@pytest.fixture(scope="module")
def prof():
    return profile(table("pyramid-8ft"))


def _field(prof):
    return Field(prof.camera, prof.table, (prof.camera.height, prof.camera.width))


_DARK = pytest.mark.xfail(strict=True, reason="a black ball on a dark cloth differs by less than the threshold of the finder")


@pytest.mark.parametrize("cloth", ["green", "blue", "grey", pytest.param("burgundy", marks=_DARK)])
def test_four_colours_on_cloths(prof, cloth):
    field = _field(prof)
    found = named(candidates(frame_of_bgr(Scene(prof, CLOTHS[cloth]).picture(PLACES)), field), BALLS)
    assert set(found) == set(BALLS)
    for ball, spot in found.items():
        place = prof.camera.ball_at([[spot.x, spot.y]], prof.table.radius)[0]
        assert np.hypot(*(place - PLACES[ball])) < 2.5
        size = prof.table.radius * float(prof.camera.scale_at([PLACES[ball]], prof.table.radius)[0])
        assert spot.radius == pytest.approx(size, rel=0.02)
        assert spot.quality > 0.7


def test_balls_at_the_cushions_and_touching_each_other(prof):
    length, width, r = prof.table.length, prof.table.width, prof.table.radius
    places = {"white": (r, width / 3), "yellow": (length - r, width - 150.0), "red": (1000.0, 500.0), "black": (1000.0 + 2 * r + 1, 500.0)}
    found = named(candidates(frame_of_bgr(Scene(prof).picture(places)), _field(prof)), BALLS)
    assert set(found) == set(BALLS)
    for ball, spot in found.items():
        place = prof.camera.ball_at([[spot.x, spot.y]], r)[0]
        assert np.hypot(*(place - places[ball])) < 6


def test_an_absent_ball_is_not_invented(prof):
    for absent in BALLS:
        places = {b: p for b, p in PLACES.items() if b != absent}
        found = named(candidates(frame_of_bgr(Scene(prof).picture(places)), _field(prof)), BALLS)
        assert set(found) == set(places)


def test_empty_table_and_pockets_hold_no_ball(prof):
    found = named(candidates(frame_of_bgr(Scene(prof).picture({})), _field(prof)), BALLS)
    assert found == {}


def test_a_hand_is_no_ball(prof):
    hand = (np.array([(250.0, 90.0), (330.0, 100.0), (335.0, 150.0), (260.0, 160.0)]), (110, 150, 210))
    found = named(candidates(frame_of_bgr(Scene(prof).picture(PLACES, extra=[hand])), _field(prof)), BALLS)
    for ball, spot in found.items():
        place = prof.camera.ball_at([[spot.x, spot.y]], prof.table.radius)[0]
        assert np.hypot(*(place - PLACES[ball])) < 4


def _candidate(x, shade, quality=1.0):
    return Candidate(x, 0.0, 9.0, quality, shade, np.array([shade], np.float32))


def test_naming_takes_the_best_assignment_and_leaves_the_rest():
    white, red, green = (228.0, 121.0, 130.0), (85.0, 108.0, 212.0), (110.0, 60.0, 60.0)
    found = named([_candidate(1, green), _candidate(2, red), _candidate(3, white)], ("white", "red", "black"))
    assert {b: c.x for b, c in found.items()} == {"white": 3, "red": 2}
    assert named([], ("white",)) == {}
    assert named([_candidate(1, white)], ()) == {}


def test_known_shades_count_more_than_usual_ones():
    pink = (150.0, 118.0, 165.0)
    known = {"red": np.array([pink], np.float32)}
    assert named([_candidate(1, pink)], ("red",), known)["red"].x == 1
    assert colour_distance(pink, "red") > 20


@pytest.mark.parametrize("ball", sorted(BALLS))
def test_usual_colours_are_nearest_to_themselves(ball):
    for shade in PROTOTYPES[ball]:
        assert min(BALLS, key=lambda b: colour_distance(shade, b)) == ball
