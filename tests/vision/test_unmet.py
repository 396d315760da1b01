"""Balls that fell without a contact that was told."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.table import table
from vision.breaks import path_of
from vision.events import Found, in_jaws
from vision.evidence import Evidence
from vision.pieces import Observations
from vision.shot import Event
from vision.unmet import unmet_falls

KIND = table("pyramid-12ft")
STEP, FELL = 1 / 30, 1.0
HOLE = np.array(KIND.pocket("foot-left").centre)
INWARD = (np.array([KIND.length, KIND.width]) / 2 - HOLE) / np.hypot(*(np.array([KIND.length, KIND.width]) / 2 - HOLE))


def stretch(red: np.ndarray, miss: float) -> Evidence:
    """White runs at red and passes its place in a distance of `miss` mm from a touch; red lies until it is gone."""
    t = np.arange(0, FELL + 3 * STEP, STEP)
    across = np.array([-INWARD[1], INWARD[0]])
    white = red + (KIND.ball + miss) * across + INWARD * (1500.0 * (FELL - t))[:, None]
    still = t < FELL
    paths = {
        "white": path_of("white", Observations(t, white, np.full(len(t), 0.5), np.arange(len(t)))),
        "red": path_of("red", Observations(t[still], np.tile(red, (still.sum(), 1)), np.full(still.sum(), 0.5), np.arange(still.sum()))),
    }
    return Evidence(KIND, {}, paths, STEP, 2.0)


def found(*more: Event) -> Found:
    events = (Event(0.0, "strike", "white"), *more, Event(FELL, "pocket", "red", pocket="foot-left"))
    return Found(events, "white", 0.0, (), 0.0)


HUNG = HOLE + INWARD * next(d for d in np.arange(40.0, 150.0, 2.0) if in_jaws(KIND, HOLE + d * INWARD) == "foot-left")
AWAY = HOLE + 600.0 * INWARD


def test_a_ball_in_the_jaws_that_another_came_near_was_met() -> None:
    [(doubt, event)] = unmet_falls(found(), stretch(HUNG, 2.0)).doubts
    assert doubt.reason == "red fell into foot-left, and what had met it was not seen"
    assert event is not None and event.type == "pocket"
    [way] = doubt.ways
    assert (way.label, way.add[0].balls) == ("also contact red-white", ("red", "white"))


def test_a_ball_in_the_jaws_that_none_came_near_fell_by_itself() -> None:
    assert unmet_falls(found(), stretch(HUNG, 40.0)).doubts == ()


@pytest.mark.parametrize("miss", [2.0, 40.0])
def test_a_ball_on_the_bed_does_not_fall_by_itself(miss: float) -> None:
    assert len(unmet_falls(found(), stretch(AWAY, miss)).doubts) == 1


def test_a_told_contact_leaves_nothing_to_ask() -> None:
    contact = Event(FELL - 0.02, "contact", balls=("red", "white"))
    assert unmet_falls(found(contact), stretch(AWAY, 2.0)).doubts == ()
