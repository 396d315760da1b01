"""Which end is the house: balls at the opening, home line, D, head string; nothing, or a contradiction, is said to be so."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from calibration.fit import check_corners
from calibration.mouths import FlatView
from calibration.orientation import ASSUMED, House, end_of_house, line_end, opening_end, turn_home
from calibration.roundness import Round, round_blobs
from calibration.table import table
from tests.calibration.scenes import OVERHEAD, TABLE, corners_of, draw_table

VIEW = FlatView(OVERHEAD, TABLE)
COLOURS = {"red": (40, 40, 200), "yellow": (30, 200, 230), "black": (22, 20, 20), "white": (230, 235, 235)}
L, W = TABLE.length, TABLE.width


def with_balls(picture: np.ndarray, places: dict[str, tuple[float, float]]) -> np.ndarray:
    for colour, place in places.items():
        outline = np.round((OVERHEAD.silhouette([place], TABLE.radius)[0]) * 16).astype(np.int32)
        cv2.fillPoly(picture, [outline], COLOURS[colour], cv2.LINE_AA, 4)
    return picture


def with_line(picture: np.ndarray, points, colour=(210, 220, 210)) -> np.ndarray:
    px = np.round(OVERHEAD.project_at(points, 0.0) * 16).astype(np.int32)
    cv2.polylines(picture, [px], False, colour, 2, cv2.LINE_AA, 4)
    return picture


def across(x: float):
    return [(x, 40.0), (x, W - 40.0)]


def half_circle(x: float, sign: float):
    turn = np.linspace(-np.pi / 2, np.pi / 2, 40)
    return np.column_stack([x + sign * 0.0818 * L * np.cos(turn), W / 2 + 0.0818 * L * np.sin(turn)])


def opening(home: float, yellow: float) -> dict[str, tuple[float, float]]:
    return {"red": (home * L, W / 2), "black": (L / 2, W / 2), "yellow": (yellow * L, W / 2)}


def seen(picture: np.ndarray, kind=TABLE) -> House | None:
    flat = VIEW.flat(picture)
    return end_of_house(flat, [round_blobs(flat, OVERHEAD, TABLE)], kind, L)


@pytest.mark.parametrize(("home", "yellow", "end"), [(0.25, 0.75, 0), (0.75, 0.25, 1)])
def test_balls_at_the_opening(home, yellow, end):
    picture = with_balls(draw_table(OVERHEAD, balls=(), noise=1.0), opening(home, yellow) | {"white": (500.0, 500.0)})
    assert seen(picture) == House(end, "balls at the opening")


def test_three_balls_that_are_not_the_opening():
    shifted = opening(0.25, 0.75) | {"yellow": (0.72 * L, W / 2)}
    assert seen(with_balls(draw_table(OVERHEAD, balls=()), shifted)) is None
    places = {"red": (L / 2, W / 2), "black": (L / 4, W / 2), "yellow": (0.75 * L, W / 2)}
    assert seen(with_balls(draw_table(OVERHEAD, balls=()), places)) is None


def test_two_red_balls_tell_no_end():
    blobs = [
        Round((x * L, W / 2), 68.0, 0.019, 20.0, bgr, 1.0) for x, bgr in ((0.25, (40, 40, 200)), (0.5, (20, 20, 20)), (0.75, (45, 40, 190)))
    ]
    assert opening_end(blobs, L, TABLE) is None


@pytest.mark.parametrize(("x", "end"), [(0.25, 0), (0.75, 1)])
def test_home_line(x, end):
    picture = with_line(draw_table(OVERHEAD, balls=()), across(x * L))
    assert line_end(VIEW.flat(picture), TABLE) == House(end, "home line")


@pytest.mark.parametrize(("x", "sign", "end"), [(0.2065, -1.0, 0), (0.7935, 1.0, 1)])
def test_baulk_line_and_d(x, sign, end):
    picture = with_line(with_line(draw_table(OVERHEAD, balls=()), across(x * L)), half_circle(x * L, sign))
    assert line_end(VIEW.flat(picture), table("snooker-12ft")) == House(end, "baulk line and D")


def test_a_line_at_a_fifth_alone_or_two_lines_tell_nothing():
    assert line_end(VIEW.flat(with_line(draw_table(OVERHEAD, balls=()), across(0.2065 * L))), TABLE) is None
    both = with_line(with_line(draw_table(OVERHEAD, balls=()), across(0.25 * L)), across(0.75 * L))
    assert line_end(VIEW.flat(both), TABLE) is None


def test_a_break_box_belongs_to_pool_only():
    picture = with_line(draw_table(OVERHEAD, balls=()), across(0.75 * L))
    for y in (0.3, 0.7):
        picture = with_line(picture, [(0.75 * L, y * W), (0.99 * L, y * W)])
    flat = VIEW.flat(picture)
    assert line_end(flat, TABLE) is None
    assert line_end(flat, table("pool-9ft")) == House(1, "head string")


def test_balls_and_line_that_contradict_each_other():
    flat = VIEW.flat(with_line(draw_table(OVERHEAD, balls=()), across(0.75 * L)))
    bgr = {"red": (40.0, 40.0, 200.0), "black": (22.0, 20.0, 20.0), "yellow": (30.0, 200.0, 230.0)}
    blobs = [Round(place, 68.0, 0.019, 20.0, bgr[colour], 1.0) for colour, place in opening(0.25, 0.75).items()]
    assert opening_end(blobs, L, TABLE) == House(0, "balls at the opening")
    assert end_of_house(flat, [blobs], TABLE, L) is None


def test_nothing_to_tell_is_said_so_and_nothing_is_mirrored():
    corners = corners_of(OVERHEAD)
    turned, side, why = turn_home(corners, draw_table(OVERHEAD), TABLE)
    assert (turned, side, why) == (0, "left", ASSUMED)
    for start in (corners, np.roll(corners, 2, axis=0)):
        turned, side, _ = turn_home(start, draw_table(OVERHEAD), TABLE)
        assert side == "left"
        check_corners(np.roll(start, -turned, axis=0))  # still runs round the table the same way
