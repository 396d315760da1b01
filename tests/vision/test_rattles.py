"""How often a ball touched the jaws of one mouth: told as seen, and that it may have been once more or less."""

import numpy as np
import pytest

from calibration.table import table
from vision.breaks import Path, path_of
from vision.pieces import Observations
from vision.rattles import rattle_doubts
from vision.shot import Event

KIND, STEP = table("pyramid-12ft"), 1 / 30
MOUTH = np.mean([jaw.tip for jaw in KIND.pocket("foot-left").jaws], axis=0)


def out_of(speed: float) -> Path:
    """White comes out of the corner's mouth, where it is at 1 s."""
    t = np.arange(1.0, 2.0, STEP)
    xy = MOUTH + np.outer(speed * (t - 1.0), (-0.7, -0.7))
    return path_of("white", Observations(t, xy, np.full(len(t), 0.5), np.arange(len(t))))


def jaws(*times: float, ball: str = "white") -> list[Event]:
    return [Event(t, "jaw", ball, cushion="left" if n % 2 else "foot", pocket="foot-left") for n, t in enumerate(times)]


def labels(events: list[Event], speed: float = 2000.0) -> list[list[str]]:
    found = rattle_doubts(KIND, {"white": out_of(speed)}, events, 0.0, STEP)
    return [[way.label for way in doubt.ways] for doubt in found]


def test_of_a_rattle_one_touch_more_or_less_is_a_doubt():
    assert labels(jaws(1.0, 1.012, 1.03)) == [["also jaw white", "no jaw white"]]


def test_the_touch_that_may_have_been_is_one_of_the_other_jaw():
    [doubt] = rattle_doubts(KIND, {"white": out_of(2000.0)}, jaws(1.0, 1.012), 0.5, STEP)
    assert doubt.event == 1
    assert [(e.cushion, round(e.t, 3)) for e in doubt.ways[0].add] == [("foot", 0.522)]


@pytest.mark.parametrize(("speed", "told"), [(2000.0, []), (200.0, [["also jaw white"]])], ids=["leaves at once", "stays in the mouth"])
def test_a_single_touch_is_doubted_where_the_ball_stays_between_the_jaws(speed, told):
    assert labels(jaws(1.0), speed) == told


def test_two_visits_to_a_mouth_are_no_rattle():
    assert labels(jaws(1.0, 1.9)) == []


def test_jaws_of_the_pocket_that_takes_the_ball_are_not_asked_about():
    assert labels([*jaws(1.0, 1.012), Event(1.2, "pocket", "white", pocket="foot-left")]) == []
