"""The state before a stroke: opening or mid game, and places that do not agree with the last ruling."""

from __future__ import annotations

from dataclasses import replace

import pytest

from calibration.table import table
from referee.placing import first_state, ready
from referee.state import State
from vision.shot import Doubt

TABLE = table()
OPENING = {"white": (600.0, 300.0), "yellow": (2662.5, 887.5), "red": (887.5, 887.5), "black": (1775.0, 887.5)}
LIES = State(1, (3, 0), 30, False, "white", "as_lies", OPENING)


def moved(ball: str, dx: float) -> dict:
    x, y = OPENING[ball]
    return OPENING | {ball: (x + dx, y)}


@pytest.mark.parametrize("ball", ["yellow", "red", "black"])
def test_opening_is_judged_by_the_spots(ball: str) -> None:
    assert first_state(moved(ball, 45), TABLE).opening
    assert not first_state(moved(ball, 60), TABLE).opening
    assert not first_state(OPENING | {ball: None}, TABLE).opening


def test_white_may_lie_anywhere_in_the_house_at_the_opening() -> None:
    state = first_state(OPENING | {"white": (880.0, 1700.0)}, TABLE, target=30)
    assert (state.opening, state.placement, state.target, state.player, state.cue_ball) == (True, "in_hand_house", 30, 0, "white")
    assert not first_state(OPENING | {"white": (1000.0, 300.0)}, TABLE).opening


def test_mid_game() -> None:
    state = first_state(OPENING | {"black": None, "red": (100.0, 100.0)}, TABLE)
    assert (state.opening, state.placement, state.waiting, state.scores) == (False, "as_lies", ("black",), (0, 0))


def test_agreeing_places_raise_no_doubt_and_are_taken() -> None:
    state, doubts = ready(LIES, moved("red", 4.9), TABLE)
    assert doubts == () and state.positions["red"] == (892.4, 887.5)
    assert replace(state, positions=OPENING) == LIES


def test_a_ball_that_nobody_may_have_moved_is_named_with_its_distance() -> None:
    _, doubts = ready(LIES, moved("red", 6), TABLE, left=OPENING)
    assert doubts == (Doubt("red lies 6 mm from (888, 888), where the last stroke left it"),)


@pytest.mark.parametrize("left", [None, OPENING | {"red": None}, moved("red", 300)])
def test_a_ball_placed_a_little_off_may_as_well_lie_in_its_place(left) -> None:
    _, (doubt,) = ready(LIES, moved("red", 12), TABLE, left=left)
    assert doubt.reason == "red was placed 12 mm from its place (888, 888)"
    assert [way.before for way in doubt.ways] == [{"red": OPENING["red"]}]
    _, (far,) = ready(LIES, moved("red", 31), TABLE, left=left)
    assert far.ways == ()  # no matter of a steady hand any more: it may change anything


def test_the_tolerance_grows_with_the_error_bar_of_the_place() -> None:
    assert ready(LIES, moved("red", 10.9), TABLE, sigma={"red": 2.0}, left=OPENING)[1] == ()
    assert ready(LIES, moved("red", 11.1), TABLE, sigma={"red": 2.0}, left=OPENING)[1] != ()


def test_at_the_opening_balls_are_measured_from_their_spots_and_taken_where_they_lie() -> None:
    seen = moved("black", 14) | {"white": (880.0, 300.0)}
    opening = first_state(seen, TABLE)
    assert opening.opening
    state, (doubt,) = ready(opening, seen, TABLE)
    assert doubt.reason == "black was placed 14 mm from its place (1775, 888)" and state.positions["black"] == seen["black"]


def test_a_ball_not_seen_is_taken_where_it_should_lie() -> None:
    state, doubts = ready(LIES, OPENING | {"yellow": None}, TABLE)
    assert state.positions == OPENING and "yellow was not seen" in doubts[0].reason


def test_a_waiting_ball_on_the_table_waits_no_more() -> None:
    waiting = replace(LIES, positions=OPENING | {"black": None}, waiting=("black",))
    state, doubts = ready(waiting, OPENING, TABLE)
    assert state.waiting == () and state.positions["black"] == OPENING["black"] and "black lies on the table" in doubts[0].reason
    assert ready(waiting, OPENING | {"black": None}, TABLE) == (waiting, ())


def test_cue_ball_in_hand_may_be_placed_anywhere_or_in_the_house() -> None:
    in_hand = replace(LIES, placement="in_hand", positions=OPENING | {"white": None})
    assert ready(in_hand, OPENING | {"white": (3000.0, 900.0)}, TABLE)[1] == ()
    in_house = replace(in_hand, placement="in_hand_house")
    line = TABLE.length / 4
    assert ready(in_house, OPENING | {"white": (line + 4.9, 300.0)}, TABLE)[1] == ()
    assert ready(in_house, OPENING | {"white": (line + 8.0, 300.0)}, TABLE, sigma={"white": 1.1})[1] == ()
    assert ready(in_house, OPENING | {"white": (line + 8.0, 300.0)}, TABLE)[1] != ()
    assert "outside" in ready(in_house, OPENING | {"white": (3000.0, 900.0)}, TABLE)[1][0].reason
    assert "not seen" in ready(in_hand, OPENING | {"white": None}, TABLE)[1][0].reason
