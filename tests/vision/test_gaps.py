"""What may have been played while no pictures came is told; what was seen, or did not move a ball, is not."""

from __future__ import annotations

from vision.gaps import Gaps

BALLS = ("white", "yellow", "red", "black")
LIES = {"white": (900.0, 300.0), "yellow": (2000.0, 1200.0), "red": (3000.0, 400.0), "black": (1775.0, 887.5)}
ROLLED = {**LIES, "white": (1800.0, 700.0), "yellow": (2400.0, 1500.0)}


def told(gaps: Gaps, start: float, seconds: float, lying, rate: float = 30.0):
    return [s for n in range(round(seconds * rate)) if (s := gaps.look(start + n / rate, round((start + n / rate) * 30), lying))]


def test_balls_that_lie_elsewhere_after_a_gap_are_told_once() -> None:
    gaps = Gaps(BALLS)
    assert told(gaps, 0.0, 2.0, LIES) == []
    assert told(gaps, 6.0, 0.5, ROLLED) == []  # they may still be settling
    [stroke] = told(gaps, 6.5, 3.0, ROLLED)
    assert (stroke.positions_before, dict(stroke.shot.positions), stroke.shot.events) == (LIES, ROLLED, ())
    assert 1.9 < stroke.start_t < 2.0 and 6.9 < stroke.end_t < 7.2
    assert "white, yellow came to lie elsewhere" in stroke.review[0].reason
    assert told(gaps, 12.0, 3.0, ROLLED) == []  # another gap, and nothing moved


def test_a_ball_that_is_gone_is_looked_for_first() -> None:
    gaps = Gaps(BALLS)
    told(gaps, 0.0, 1.0, LIES)
    without = {ball: place for ball, place in LIES.items() if ball != "red"}
    assert told(gaps, 3.0, 3.5, without) == []
    [stroke] = told(gaps, 6.5, 3.0, without)
    assert stroke.shot.positions["red"] is None and stroke.positions_before["red"] == LIES["red"]


def test_many_dropped_pictures_are_a_gap_too() -> None:
    gaps = Gaps(BALLS)
    told(gaps, 0.0, 1.0, LIES)
    assert told(gaps, 1.0, 2.0, None, rate=4.0) == []
    assert len(told(gaps, 3.0, 3.0, ROLLED, rate=4.0)) == 1


def test_what_was_seen_or_moved_in_full_view_is_no_such_thing() -> None:
    gaps = Gaps(BALLS)
    told(gaps, 0.0, 1.0, LIES)
    told(gaps, 1.0, 2.0, None)  # carried by a hand, at the usual rate
    assert told(gaps, 3.0, 2.0, ROLLED) == []
    assert told(gaps, 8.0, 0.1, ROLLED) == []  # the same picture for three seconds, and nothing moved in them
    told(gaps, 8.1, 1.0, None)
    assert told(gaps, 9.1, 2.0, LIES) == []
    told(gaps, 14.0, 1.0, None)
    gaps.played()  # the stroke was seen, if only in part
    assert told(gaps, 15.0, 3.0, ROLLED) == []


def test_pictures_that_do_not_go_on_from_those_before_are_a_gap() -> None:
    gaps = Gaps(BALLS)
    told(gaps, 0.0, 1.0, LIES)
    gaps.lost()
    assert len(told(gaps, 1.0, 2.0, ROLLED)) == 1
