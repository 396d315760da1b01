"""What can be done to a draft of a calibration, without a page."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from calibration.find import Found
from calibration.sketch import SIDE_POINTS, nose_ends, side_points
from calibration.table import custom_table
from referee.web.draft import (
    SIDES,
    Draft,
    Sampled,
    corner_fault,
    default_draft,
    found_draft,
    home_side,
    keep_home,
    move_corner,
    move_side,
    set_ball,
    set_bend,
    set_table,
    solve,
    swap_home,
    without_places,
)
from tests.calibration.scenes import OVERHEAD, TABLE, corners_of, looking

SIZE = (1280, 720)
BENT = looking(OVERHEAD.position, focal=OVERHEAD.focal, lens=(-0.12, 0.0, 0.0, 0.0, 0.0))


def placed(camera=OVERHEAD) -> Draft:
    draft = default_draft(TABLE, SIZE)
    for index, (x, y) in enumerate(corners_of(camera, TABLE)):
        draft = move_corner(draft, index, (float(x), float(y)), None)
    return draft


def found(camera=OVERHEAD, home_from="home line") -> Draft:
    noses = {}
    for cushion in SIDE_POINTS:
        line = np.linspace(*nose_ends(TABLE, cushion), 22)[1:-1]
        noses[cushion] = camera.project_at(line, TABLE.nose_height)
    result = Found(corners_of(camera, TABLE), 0.93, "left", home_from, "noses seen", noses, SIZE)
    return found_draft(TABLE, result, default_draft(TABLE, SIZE))


@pytest.mark.parametrize("size", [(1280, 720), (720, 1280), (800, 800)])
def test_the_first_handles_make_a_table(size):
    draft = default_draft(TABLE, size)
    solution = solve(draft)
    assert solution.fault == "" and solution.profile is not None
    assert solution.fit.reprojection_mm < 5
    assert draft.home_from == "" and home_side(draft.corners) == ("left" if size[0] >= size[1] else "bottom")


def test_placed_corners_give_the_camera():
    solution = solve(placed())
    assert solution.fault == "" and max(solution.corner_mm) < 4
    assert all(0 < sigma < 30 for sigma in solution.corner_sigma_mm)
    assert solution.profile.how == "corners placed by hand" and solution.profile.home == "left"


@pytest.mark.parametrize(
    ("corners", "fault"),
    [
        (((0, 500), (0, 0), (1000, 0), (1000, 500)), ""),
        (((0, 0), (0, 500), (1000, 0), (1000, 500)), "crossed"),
        (((0, 0), (0, 500), (1000, 500), (1000, 0)), "mirrored"),
        (((0, 500), (0, 500), (1000, 0), (1000, 500)), "close"),
        (((0, 500), (0, 0), (500, 0), (1000, 0)), "close"),
        (((0, 500), (0, 0), (5000, 0), (1000, 500)), "outside"),
        (((0, 500), (0, 0), (float("nan"), 0), (1000, 500)), "outside"),
    ],
)
def test_corners_that_cannot_be(corners, fault):
    assert corner_fault(corners, SIZE) == fault


def test_another_size_contradicts_the_corners():
    solution = solve(set_table(placed(), custom_table(3550, 1200)))
    assert solution.fault == "proportions" and solution.fit is not None
    assert solve(set_table(placed(), custom_table(3000, 1500))).fault == ""


def test_the_finder_tells_the_bend_and_a_moved_corner_keeps_it():
    draft = found(BENT)
    before = solve(draft)
    assert before.fit.camera.distortion[0] == pytest.approx(-0.12, abs=0.03)
    x, y = draft.corners[2]
    moved = move_corner(draft, 2, (x + 2.0, y), before.fit.camera)
    assert moved.noses is None and moved.bend and moved.how == "corners placed by hand"
    assert solve(moved).fit.camera.distortion[0] == pytest.approx(-0.12, abs=0.05)


def test_straight_noses_need_no_handles_along_them():
    draft = found()
    x, y = draft.corners[0]
    moved = move_corner(draft, 0, (x + 1, y), solve(draft).fit.camera)
    assert not moved.bend and solve(moved).fit.camera.distortion[0] == 0


def test_handles_along_the_noses_give_the_lens():
    draft = set_bend(placed(BENT), True, None)
    seen = np.vstack([BENT.project_at(side_points(TABLE, cushion), TABLE.nose_height) for cushion in SIDE_POINTS])
    for index, (x, y) in enumerate(seen):
        draft = move_side(draft, index, (float(x), float(y)), None)
    solution = solve(draft)
    assert solution.fit.camera.distortion[0] == pytest.approx(-0.12, abs=0.04)
    assert len(solution.side_mm) == len(SIDES) and max(solution.side_mm) < 6
    straight = set_bend(draft, False, None)
    assert solve(straight).fit.camera.distortion[0] == 0


def test_handles_along_a_nose_go_with_their_corner():
    draft = set_bend(placed(), True, None)
    x, y = draft.corners[1]
    moved = move_corner(draft, 1, (x - 20, y), None)
    shifts = {side: after[0] - before[0] for side, before, after in zip(SIDES, draft.sides, moved.sides, strict=True)}
    assert shifts[("home", 0.5)] == pytest.approx(-10, abs=0.02)
    assert shifts[("left", 0.25)] == pytest.approx(-15, abs=0.02) and shifts[("left", 0.75)] == pytest.approx(-5, abs=0.02)
    assert shifts[("right", 0.25)] == shifts[("foot", 0.5)] == 0


def test_the_house_is_swapped_with_all_that_has_its_name():
    draft = set_ball(found(home_from="assumed"), "red", Sampled((1, 2, 3), (100.0, 200.0)))
    assert draft.home_from == ""
    swapped = swap_home(draft)
    assert swapped.home_from == "chosen on the page" and home_side(swapped.corners) == "right"
    assert swapped.balls["red"].place_mm == (TABLE.length - 100, TABLE.width - 200)
    one, two = solve(draft), solve(swapped)
    assert two.fault == "" and two.fit.reprojection_mm == pytest.approx(one.fit.reprojection_mm, abs=0.2)
    np.testing.assert_allclose(two.profile.camera.project_at([(100, 200)], 0), one.profile.camera.project_at([(3450, 1575)], 0), atol=1)
    again = swap_home(swapped)
    assert again.corners == draft.corners and again.sides == draft.sides
    assert keep_home(draft).home_from == "chosen on the page" and keep_home(draft).corners == draft.corners


def test_colours_reach_the_profile_and_places_do_not_outlive_the_picture():
    draft = set_ball(placed(), "white", Sampled((230.0, 240.0, 245.0), (500.0, 500.0)))
    assert solve(draft).profile.colours == (("white", (230.0, 240.0, 245.0)),)
    assert without_places(draft).balls["white"] == Sampled((230.0, 240.0, 245.0), None)
    assert set_ball(draft, "white", None).balls == {}


def test_a_quick_look_takes_the_lens_of_before():
    draft = placed()
    camera = solve(draft).fit.camera
    x, y = draft.corners[3]
    quick = solve(move_corner(draft, 3, (x + 5, y + 3), camera), camera)
    assert quick.fit.camera.focal == camera.focal and quick.fault == ""


def test_the_misfit_of_a_corner_is_that_of_the_noses_beside_it():
    draft = found()
    assert max(solve(draft).corner_mm) < 0.2
    noses = dict(draft.noses)
    left = noses["left"].copy()
    left[: len(left) // 2] += (0.0, 3.0)  # near the home left corner
    off = solve(replace(draft, noses=noses | {"left": left}, measured=solve(draft).fit)).corner_mm
    assert int(np.argmax(off)) == 1 and off[1] > 2
