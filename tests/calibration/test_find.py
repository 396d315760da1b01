"""The finder on drawn tables of many colours and views, and what it must refuse."""

from __future__ import annotations

import contextlib

import cv2
import numpy as np
import pytest

from calibration.cloth import cloth_colour
from calibration.errors import CalibrationRefused, UserError
from calibration.find import find_table
from calibration.table import table
from tests.calibration.scenes import OVERHEAD, TABLE, corners_of, draw_table, looking

CLOTHS = {
    "green": (60, 120, 40),
    "blue": (170, 90, 30),
    "red": (50, 40, 150),
    "black": (48, 45, 44),
    "pale grey": (170, 175, 172),
    "brown": (70, 105, 140),
}


def worst(found, camera, kind=TABLE) -> float:
    """Largest error of a corner in % of the table's length in the picture."""
    truth = corners_of(camera, kind)
    length = np.linalg.norm(truth[2:].mean(axis=0) - truth[:2].mean(axis=0))
    return float(np.linalg.norm(found.corners_px - truth, axis=1).max() / length * 100)


@pytest.mark.parametrize("colour", CLOTHS)
def test_overhead_table_of_any_colour(colour):
    found = find_table([draw_table(OVERHEAD, cloth=CLOTHS[colour])])
    assert worst(found, OVERHEAD) < 0.15
    assert found.confidence > 0.7
    assert found.home == "left"


def test_dark_wood_of_the_cloths_hue_is_no_cloth():
    crimson = cloth_colour(np.full((50, 3), (35.0, 53.0, 22.0), np.float32))
    lab = np.array([(35.0, 53.0, 22.0), (15.0, 26.0, 11.0), (4.0, 10.0, 4.0)], np.float32)
    for strictness in (0.6, 1.0, 2.4):
        assert crimson.likeness(lab, strictness).tolist() == [True, True, False]


def test_carom_table_has_no_pockets():
    kind = table("carom-10ft")
    camera = looking((1400.0, 720.0, 2900.0), (1422.0, 711.0, 0.0), focal=1020.0)
    assert worst(find_table([draw_table(camera, kind, cloth=(170, 90, 30))], kind), camera, kind) < 0.15


def test_turned_by_some_degrees_and_bent_by_the_lens():
    camera = looking((1800.0, 850.0, 3900.0), focal=1000.0, roll=0.08, lens=(-0.06, 0.0, 0.0, 0.0, 0.0))
    assert worst(find_table([draw_table(camera)]), camera) < 0.25


def test_upright_picture_has_home_at_the_bottom():
    camera = looking((1775.0, 887.0, 3900.0), focal=1020.0, size=(720, 1280), roll=-np.pi / 2)
    found = find_table([draw_table(camera)])
    assert found.home == "bottom"
    picture_home = found.corners_px[:2].mean(axis=0)
    assert picture_home[1] > found.corners_px[2:].mean(axis=0)[1]


@pytest.mark.parametrize(("home", "opposite"), [("left", False), ("right", True)])
def test_given_home(home, opposite):
    found = find_table([draw_table(OVERHEAD)], home=home)
    truth = np.roll(corners_of(OVERHEAD), 2 if opposite else 0, axis=0)
    assert np.abs(found.corners_px - truth).max() < 2
    assert (found.home, found.home_from) == (home, "given")
    top = found.nose_points_px["right" if opposite else "left"]
    assert top[:, 1].mean() < 360


def test_home_where_no_short_end_lies_is_refused():
    with pytest.raises(UserError, match="home top"):
        find_table([draw_table(OVERHEAD)], home="top")


def test_home_line_decides():
    camera = looking((1775.0, 887.0, 3600.0), focal=1020.0, roll=np.pi)
    found = find_table([draw_table(camera, home_line=True)])
    assert (found.home, found.home_from) == ("right", "home line")
    assert worst(found, camera) < 0.2


def test_oblique_view():
    camera = looking((1775.0, -2200.0, 2400.0), focal=900.0)
    assert worst(find_table([draw_table(camera)]), camera) < 0.8


def test_people_vanish_in_many_pictures_and_a_cut_is_left_out():
    pictures = []
    for index in range(9):
        picture = draw_table(OVERHEAD, seed=index)
        cv2.rectangle(picture, (100 + 110 * index, 380), (330 + 110 * index, 719), (30, 30, 35), -1)
        pictures.append(picture)
    pictures[3] = np.full_like(pictures[0], 90)
    pictures[4] = np.random.default_rng(0).integers(0, 255, pictures[0].shape, dtype=np.uint8)
    assert worst(find_table(pictures), OVERHEAD) < 0.2


def test_person_over_an_edge_in_a_single_picture():
    picture = draw_table(OVERHEAD)
    cv2.ellipse(picture, (500, 640), (110, 150), 0, 0, 360, (40, 35, 30), -1)
    assert worst(find_table([picture]), OVERHEAD) < 0.3


@pytest.mark.parametrize("channels", [1, 3])
def test_a_slanting_picture_without_colour_is_refused(channels):
    """Without colour a rail may pass for a cushion, and from the side nothing else contradicts it."""
    grey = cv2.cvtColor(draw_table(looking((-1500.0, 887.5, 2600.0), focal=800.0), rail=(230, 230, 230)), cv2.COLOR_BGR2GRAY)
    with pytest.raises(CalibrationRefused):
        find_table([grey if channels == 1 else cv2.cvtColor(grey, cv2.COLOR_GRAY2BGR)])


def test_grey_and_large_pictures():
    grey = cv2.cvtColor(draw_table(OVERHEAD), cv2.COLOR_BGR2GRAY)
    large = cv2.resize(draw_table(OVERHEAD), (3840, 2160), interpolation=cv2.INTER_CUBIC)
    found = find_table([large])
    assert np.abs((found.corners_px + 0.5) / 3 - 0.5 - corners_of(OVERHEAD)).max() < 1.5
    with contextlib.suppress(CalibrationRefused):  # without colour cloth and rails may be one grey: right or refused, never wrong
        assert worst(find_table([grey]), OVERHEAD) < 1


def refused_pictures():
    rng = np.random.default_rng(3)
    yield "noise", rng.integers(0, 255, (480, 640, 3), dtype=np.uint8)
    yield "one colour", np.full((480, 640, 3), (60, 120, 40), np.uint8)
    yield "black", np.zeros((480, 640, 3), np.uint8)
    close = draw_table(looking((1775.0, 887.0, 1500.0), focal=1020.0))
    yield "inside of the bed", close
    half = draw_table(looking((3400.0, 887.0, 3000.0), (3300.0, 887.5, 0.0), focal=1020.0))
    yield "one end outside", half
    yield "tiny", np.zeros((60, 80, 3), np.uint8)
    carpet = np.full((480, 640, 3), (60, 120, 40), np.uint8)
    cv2.rectangle(carpet, (100, 80), (540, 400), (150, 120, 90), -1)
    yield "a rug", carpet
    yield "dark", (draw_table(OVERHEAD) * 0.06).astype(np.uint8)
    yield "small", cv2.resize(draw_table(OVERHEAD), (230, 130), interpolation=cv2.INTER_AREA)


@pytest.mark.parametrize(("name", "picture"), list(refused_pictures()), ids=lambda v: v if isinstance(v, str) else "")
def test_refuses_rather_than_guesses(name, picture):
    with pytest.raises(CalibrationRefused) as caught:
        find_table([picture])
    assert "\n" not in str(caught.value)


def test_no_pictures_and_different_sizes():
    with pytest.raises(UserError, match="no picture"):
        find_table([])
    with pytest.raises(UserError, match="sizes"):
        find_table([np.zeros((300, 400, 3), np.uint8), np.zeros((400, 300, 3), np.uint8)])


def two_tables():
    """A small blue table on the left, a larger green one on the right, both whole."""
    left = draw_table(looking((4442.0, 900.0, 7500.0), (4442.0, 900.0, 0.0), focal=900.0), cloth=(170, 90, 30))
    right = draw_table(looking((-358.0, 900.0, 6000.0), (-358.0, 900.0, 0.0), focal=900.0))
    return np.hstack([left[:, :640], right[:, 640:]])


def test_the_largest_of_several_tables_or_the_one_named():
    picture = two_tables()
    assert find_table([picture]).corners_px[:, 0].mean() > 640
    named = find_table([picture], near=(320.0, 360.0))
    assert named.corners_px[:, 0].min() > 0
    assert named.corners_px[:, 0].max() < 640
    with pytest.raises(UserError, match="outside the picture"):
        find_table([picture], near=(-5.0, 10.0))
    with pytest.raises(CalibrationRefused, match="at 640,20"):
        find_table([picture], near=(640.0, 20.0))


@pytest.mark.parametrize("k1", [-0.2, 0.15])
def test_strong_lens(k1):
    camera = looking((1700.0, 900.0, 2900.0), focal=800.0, lens=(k1, 0.0, 0.0, 0.0, 0.0))
    assert worst(find_table([draw_table(camera)]), camera) < 0.3


def test_says_why():
    half = draw_table(looking((3400.0, 887.0, 3000.0), (3300.0, 887.5, 0.0), focal=1020.0))
    with pytest.raises(CalibrationRefused, match="part of the table") as caught:
        find_table([half])
    assert len(caught.value.outlines) >= 1
