"""When a stretch of motion is over: balls at rest, balls that hang in the jaws, and what begins meanwhile."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from vision.record import BallRecord, Sighting
from vision.segment import Segmenter, Span

FPS = 30


def _spans(moves: Callable[[str, float], bool], hangs: Callable[[float], bool], until: float = 9.0) -> list[Span]:
    """The spans told of two balls; `moves` (ball, t s) and `hangs` (white in the jaws, at t s) say what happens."""
    records, segmenter = {ball: BallRecord(ball) for ball in ("white", "yellow")}, Segmenter()
    spans = []
    for k in range(round(until * FPS)):
        t = k / FPS
        for ball, record in records.items():
            record.add(Sighting(k, t, 100.0, 100.0, 0.5, "moving" if moves(ball, t) else "rest", True, 0.0, 1.0))
        span = segmenter.look(t, records, frozenset({"white"}) if hangs(t) and segmenter.active else frozenset())
        if span is not None:
            spans.append(span)
    return spans


def test_a_stretch_ends_when_all_rest():
    [span] = _spans(lambda ball, t: ball == "white" and 1 < t < 3, lambda t: False)
    assert span.start == pytest.approx(0.65, abs=0.05)
    assert span.end == pytest.approx(3.2, abs=0.05)


def test_a_ball_that_hangs_in_the_jaws_keeps_it_open():
    [span] = _spans(lambda ball, t: ball == "white" and 1 < t < 3, lambda t: 3 < t < 6)
    assert span.end == pytest.approx(6.0, abs=0.1)


def test_its_fall_belongs_to_the_same_stretch():
    [span] = _spans(lambda ball, t: ball == "white" and (1 < t < 3 or 5 <= t < 5.3), lambda t: 3 < t < 5.01)
    assert (span.start, span.end) == pytest.approx((0.65, 5.5), abs=0.05)


def test_another_ball_that_moves_meanwhile_is_another_stretch():
    first, second = _spans(lambda ball, t: (ball == "white" and 1 < t < 3) or (ball == "yellow" and 5 < t < 6), lambda t: 3 < t < 6.2)
    assert (first.start, first.end) == pytest.approx((0.65, 4.65), abs=0.1)
    assert (second.start, second.end) == pytest.approx((4.65, 6.2), abs=0.05)
    assert first.end <= second.start + 1e-9


def test_a_ball_that_is_met_while_others_roll_is_no_other_stretch():
    spans = _spans(lambda ball, t: (ball == "white" and 1 < t < 3) or (ball == "yellow" and 2 < t < 5), lambda t: 3 < t < 6)
    assert len(spans) == 1


def test_a_ball_that_is_gone_without_a_motion_makes_a_stretch():
    segmenter = Segmenter()
    segmenter.note(2.0)
    assert segmenter.active
    assert segmenter.look(2.1, {}) is None
    span = segmenter.look(2.6, {})
    assert span is not None
    assert (span.start, span.end) == pytest.approx((1.65, 2.6))
