"""A strike that no picture shows is said to be unseen; one that was filmed, however fast, is not."""

import numpy as np

from vision.record import Sighting
from vision.skips import gone, unseen_strike, vanished

STEP = 1 / 30


def ball(place, since=10**6, speed=0.0, leap=0.0, count=40, foreign=0.0):
    """Sightings of a ball that lies at x = `place` mm and, from picture `since` on, rolls at `speed` mm/s from `leap` mm further on."""
    seen = []
    for k in range(count):
        moves = k >= since
        x = place + (leap + speed * STEP * (k - since) if moves else 0.0)
        seen.append(Sighting(k, k * STEP, x, 500.0, 0.5, "moving" if moves else "rest", True, foreign, 1.0))
    return seen


def times(count=40):
    return [k * STEP for k in range(count)]


def test_a_leap_from_rest_is_a_cut():
    seen = {"white": ball(500.0, 20, 1000.0, leap=200.0), "red": ball(2000.0)}
    [doubt] = unseen_strike(seen, times(), 20 * STEP, STEP)
    assert doubt.reason == "the strike was not seen: the pictures skip at 0.63 s (white)"
    assert not doubt.ways


def test_all_balls_of_the_cut_are_named():
    seen = {"white": ball(500.0, 20, 300.0, leap=600.0), "red": ball(2000.0, 20, 200.0, leap=300.0)}
    [doubt] = unseen_strike(seen, times(), 20 * STEP, STEP)
    assert "(red, white)" in doubt.reason


def test_a_hard_strike_is_none():
    seen = {"white": ball(500.0, 20, 6000.0, leap=200.0)}
    assert unseen_strike(seen, times(), 20 * STEP, STEP) == []


def test_nor_is_a_stop_shot_within_one_step():
    """The white ball runs 120 mm, meets red, and lies there: red has its speed."""
    seen = {"white": ball(500.0, 20, 20.0, leap=120.0), "red": ball(690.0, 20, 3600.0, leap=10.0)}
    assert unseen_strike(seen, times(), 20 * STEP, STEP) == []


def test_nor_is_a_ball_that_a_hand_sets_down():
    seen = {"white": [*ball(500.0, count=20), *ball(500.0, 20, 30.0, leap=400.0, foreign=0.5)[20:]]}
    assert unseen_strike(seen, times(), 20 * STEP, STEP) == []


def test_a_gap_in_which_the_strike_lies():
    clock = [t for t in times() if not 15 * STEP < t < 20 * STEP - 1e-9]
    seen = {"white": [s for s in ball(500.0, 20, 1000.0) if s.t in clock]}
    [doubt] = unseen_strike(seen, clock, 20 * STEP, STEP)
    assert "there is no picture for 0.17 s at 0.50 s" in doubt.reason
    # all lay still after it, too: it hides nothing
    assert unseen_strike(seen, clock, 24 * STEP, STEP) == []


def hidden(seen, since, foreign=0.0):
    return [s if s.frame < since else Sighting(s.frame, s.t, s.x, s.y, 5.0, "hidden", False, foreign, 0.0) for s in seen]


def test_a_ball_that_vanishes():
    assert np.isclose(vanished(hidden(ball(500.0), 20)) or 0.0, 19 * STEP)
    assert vanished(hidden(ball(500.0), 20, foreign=0.6)) is None  # something covers its place
    assert vanished(hidden(ball(500.0, foreign=0.3), 20)) is None  # a hand was beside it
    assert vanished(hidden(ball(500.0, 10, 800.0), 20)) is None  # it rolled
    assert [d.reason for d in gone([("yellow", 1.0), ("red", 2.0), ("white", 1.0)])] == [
        "white, yellow lay still at 1.00 s and are gone in the next picture",
        "red lay still at 2.00 s and is gone in the next picture",
    ]
