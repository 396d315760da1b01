"""Balls that set off together with the struck one: a contact where they lay beside it, a doubt where they did not."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from vision.beside import driven
from vision.shot import Event

BALL, STEP, STRIKE = 68.0, 1 / 30, 1.8


def _start(gap: float, way: tuple[float, float], t: float, before: float = 0.0) -> Any:
    """Yellow, so many mm from white along x, sets off with the velocity `way` mm/s at t s; it had moved at `before` mm/s."""
    before_piece = SimpleNamespace(end=t, at=lambda _: np.array([1000.0 + BALL + gap, 500.0]), speed_sigma_at=lambda _: 5.0)
    br = SimpleNamespace(
        ball="yellow", t=t, low=t - STEP, sigma=0.5, before=before_piece, speed_before=np.array([before, 0.0]), speed_after=np.array(way)
    )
    return SimpleNamespace(at=br, causes=())


def _driven(start, events=()):
    white: Any = SimpleNamespace(at=lambda _: np.array([1000.0, 500.0]))
    return driven([start], {"white": white, "yellow": white}, list(events), "white", STRIKE, ball=BALL, step=STEP)


@pytest.mark.parametrize("before", [0.0, 60.0])
def test_a_ball_beside_the_struck_one_was_hit_by_it(before):
    [contact], unmet = _driven(_start(4.0, (900.0, 300.0), STRIKE + 0.01, before))
    assert (contact.type, contact.balls, contact.t, unmet) == ("contact", ("white", "yellow"), STRIKE + 0.01, [])


def test_nothing_comes_before_the_strike():
    [contact], _ = _driven(_start(4.0, (900.0, 0.0), STRIKE - 0.005))
    assert contact.t == STRIKE


@pytest.mark.parametrize(
    ("gap", "way"),
    [
        (60.0, (900.0, 0.0)),  # too far away for a contact between two pictures that show none
        (4.0, (-900.0, 0.0)),  # towards the ball that is to have hit it
        (4.0, (200.0, 900.0)),  # far aside of the line of centres
    ],
)
def test_a_ball_that_sets_off_otherwise_is_said_to_do_so(gap, way):
    assert _driven(_start(gap, way, STRIKE + 0.01)) == ([], [("yellow", STRIKE + 0.01)])


@pytest.mark.parametrize(
    ("start", "events"),
    [
        (_start(4.0, (60.0, 0.0), STRIKE + 0.01), ()),  # hardly more than noise
        (_start(4.0, (900.0, 0.0), STRIKE + 3 * STEP), ()),  # later: others look at it
        (_start(4.0, (900.0, 0.0), STRIKE + 0.01, before=400.0), ()),  # was on its way
        (_start(4.0, (900.0, 0.0), STRIKE + 0.01), (Event(STRIKE, "contact", balls=("white", "yellow")),)),  # told already
    ],
)
def test_what_has_its_reason_is_left_alone(start, events):
    assert _driven(start, events) == ([], [])
