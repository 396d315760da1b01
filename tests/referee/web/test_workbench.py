"""The work on a calibration behind the page: finding, undo, colours, pictures, saving."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.errors import UserError
from calibration.find import find_table
from calibration.profile import read_profile, write_profile
from calibration.table import custom_table, table
from referee.web.draft import keep_home, set_table, swap_home
from referee.web.workbench import Workbench
from tests.calibration.scenes import OVERHEAD, TABLE, corners_of
from tests.referee.web.stills import BALLS, DrawnStills, ball_px, table_picture

PICTURE = table_picture()


def desk(picture=PICTURE, following=(), **options) -> Workbench:
    return Workbench(DrawnStills(picture, following), TABLE, **options)


def placed() -> Workbench:
    at = desk()
    for index, (x, y) in enumerate(corners_of(OVERHEAD, TABLE)):
        at.move(f"corner{index}", (float(x), float(y)), done=True)
    return at


def test_the_table_is_found_and_nothing_is_there_to_undo():
    at = desk()
    at.find()
    assert at.refused == "" and at.draft.how.startswith("found automatically")
    np.testing.assert_allclose(at.draft.corners, corners_of(OVERHEAD, TABLE), atol=3)
    assert at.draft.home_from == "home line" and not at.can_undo and at.obstacle() == ""


def test_a_refusal_leaves_handles_to_drag():
    at = desk(np.full((720, 1280, 3), 90, np.uint8))
    before = at.draft
    at.find()
    assert "no table found" in at.refused and at.draft is before and at.solution.fault == ""
    assert at.obstacle() == "corners"  # handles that nobody has touched are no calibration
    assert at.sample("red", (640.0, 360.0)) == "no_camera" and at.find_balls() == 0


def test_hands_are_faster_than_the_finder(monkeypatch):
    at = desk()

    def dragged_meanwhile(*args, **options):
        at.move("corner0", (300.0, 600.0), done=True)
        return find_table(*args, **options)

    monkeypatch.setattr("referee.web.workbench.find_table", dragged_meanwhile)
    at.find()
    assert at.draft.corners[0] == (300.0, 600.0)


def test_a_drag_is_one_step_of_undo():
    at = desk()
    start = at.draft.corners
    for x in (200.0, 210.0, 220.0):
        at.move("corner0", (x, 600.0), done=False)
    at.move("corner0", (230.0, 600.0), done=True)
    at.move("corner1", (200.0, 100.0), done=True)
    assert at.draft.corners[0] == (230.0, 600.0)
    at.undo()
    assert at.draft.corners[1] == start[1] and at.draft.corners[0] == (230.0, 600.0)
    at.undo()
    assert at.draft.corners == start and not at.can_undo
    at.redo()
    assert at.draft.corners[0] == (230.0, 600.0) and at.can_redo
    at.change(set_table(at.draft, table("pool-9ft")))
    assert not at.can_redo


@pytest.mark.parametrize("handle", ["corner4", "corner", "side9", "../etc", "", "cornerx"])
def test_there_are_no_other_handles(handle):
    at = desk()
    assert not at.move(handle, (1.0, 1.0), done=True) and not at.can_undo


def test_balls_are_sampled_where_they_are_tapped():
    at = placed()
    for ball, (place, bgr) in BALLS.items():
        x, y = ball_px(place, 0)
        assert at.sample(ball, (x + 2, y - 2)) == ""
        np.testing.assert_allclose(at.draft.balls[ball].bgr, bgr, atol=6)
    assert at.sample("yellow", ball_px(BALLS["red"][0], 0)) == "unlike"
    assert at.sample("white", ball_px((1775.0, 300.0), 0)) == "no_ball"
    assert at.sample("white", (3.0, 3.0)) == "off_table"


def test_balls_are_recognised_by_themselves():
    at = placed()
    assert at.find_balls() == 4
    for ball, (place, _) in BALLS.items():
        assert np.hypot(*np.subtract(at.draft.balls[ball].place_mm, place)) < 15


def test_another_picture_keeps_the_draft_and_another_size_starts_anew():
    at = desk(following=(PICTURE, np.full((480, 640, 3), 90, np.uint8)))
    at.move("corner0", (200.0, 600.0), done=True)
    at.another_picture()
    assert at.draft.corners[0] == (200.0, 600.0) and at.can_undo
    at.another_picture()
    assert at.draft.size == (640, 480) and not at.can_undo
    assert at.solution.fault == ""


def test_a_camera_that_fails_changes_nothing():
    at = desk(following=(UserError("0: no camera or stream answers there"),))
    before = at.draft
    with pytest.raises(UserError, match="no camera"):
        at.another_picture()
    assert at.draft is before


def test_saving_asks_for_the_house_and_for_possible_corners(tmp_path):
    at = placed()
    assert at.obstacle() == "house"
    with pytest.raises(ValueError, match="house"):
        at.save(lambda profile: "")
    at.change(keep_home(at.draft))
    at.sample("red", ball_px(BALLS["red"][0], 0))
    path = tmp_path / "table.toml"

    def write(profile) -> str:
        write_profile(profile, path)
        return str(path)

    assert at.save(write) == str(path) and at.saved is at.draft
    read = read_profile(path)
    assert read.made_from == "drawn.png" and read.made_when and read.home_from == "chosen on the page"
    assert [ball for ball, _ in read.colours] == ["red"] and read.how == "corners placed by hand"
    at.move("corner0", at.draft.corners[1], done=True)
    assert at.obstacle() == "close"


def test_a_refused_file_is_not_taken_for_saved(tmp_path):
    at = placed()
    at.change(keep_home(at.draft))
    with pytest.raises(UserError):
        at.save(lambda profile: str(write_profile(profile, tmp_path / "none" / "p.toml")))
    assert at.saved is None


@pytest.mark.slow
def test_corners_placed_roughly_are_fitted_to_the_noses():
    at = desk()
    truth = corners_of(OVERHEAD, TABLE)
    for index, (x, y) in enumerate(truth):
        at.move(f"corner{index}", (float(x) + (-1) ** index * 4.0, float(y) + 3.0), done=True)
    assert at.fit_to_picture()
    np.testing.assert_allclose(at.draft.corners, truth, atol=1.5)
    assert at.solution.fault == "" and at.draft.how.startswith("corners placed by hand; camera fitted")
    assert not at.fit_to_picture()  # it is
    fitted = at.solution.profile
    at.change(swap_home(at.draft))
    turned = at.solution.profile
    assert turned.home == "right" and turned.reprojection_mm == fitted.reprojection_mm
    assert turned.ball_sigma_mm == fitted.ball_sigma_mm
    at.undo()
    at.undo()
    assert at.draft.how == "corners placed by hand" and at.draft.measured is None
    at.redo()
    at.change(set_table(at.draft, table("pyramid-11ft")))
    assert at.draft.measured is None and at.draft.noses is not None and at.solution.fault == ""


def test_where_no_noses_are_nothing_is_fitted():
    at = desk(np.full((720, 1280, 3), 90, np.uint8))
    assert not at.fit_to_picture()
    at.move("corner0", (200.0, 600.0), done=True)
    before = at.draft
    assert not at.fit_to_picture() and at.draft is before


def test_a_table_that_the_picture_contradicts_is_said():
    at = placed()
    assert at.unlike is None
    at.change(set_table(at.draft, table("carom-10ft")))
    at.judge_table()
    assert at.unlike is not None and "carom-10ft" not in at.unlike  # it has pockets
    at.choose_table(lambda now: custom_table(now.length, now.width, ball=61.5))
    assert at.draft.table.pockets and at.draft.table.name.startswith("custom")


@pytest.mark.slow
def test_the_house_is_taken_from_the_picture_unless_a_person_said_it():
    at = placed()
    at.judge_table()
    assert at.draft.home_from and at.draft.home_from != "chosen on the page"
    said = placed()
    said.change(swap_home(said.draft))
    said.judge_table()
    assert said.draft.home_from == "chosen on the page" and said.solution.profile.home == "right"
