"""Touches too soft to bend a path, and a ball that leapt from its rest unseen."""

import numpy as np
import pytest

from calibration.table import custom_table
from vision.breaks import path_of
from vision.events import find_events
from vision.grazes import graze_doubts
from vision.pieces import Observations
from vision.shot import Event

BARE = custom_table(3550, 1775, pockets=False)
STEP, SIGMA, SLACK = 1 / 60, 0.5, 2.0
DOUBLE = BARE.ball


def rolled(ball, start, speed, slowing=0.0, seconds=2.0, seed=1):
    """A ball that lies for half a second and then rolls along x."""
    t = np.arange(-0.5, seconds, STEP)
    u = np.clip(t, 0.0, speed / slowing if slowing else np.inf)
    xy = np.array(start) + np.outer(speed * u - slowing * u * u / 2, (1.0, 0.0)) + np.random.default_rng(seed).normal(0, SIGMA, (len(t), 2))
    return path_of(ball, Observations(t, xy, np.full(len(t), SIGMA), np.arange(len(t))))


def lying(ball, place, seed=2):
    return rolled(ball, place, 0.0, seed=seed)


def labels(paths, events=()):
    found = graze_doubts(BARE, paths, events, 0.0, {}, STEP, SLACK)
    return [way.label for doubt in found for way in doubt.ways]


@pytest.mark.parametrize(("gap", "told"), [(0.1, ["also contact red-white"]), (4.0, []), (-8.0, [])])
def test_a_ball_that_just_passes_another_may_have_touched_it(gap, told):
    """One that passes clear of it has not, and one that passes through it flew."""
    paths = {"white": rolled("white", (1000.0, 900.0), 400.0), "red": lying("red", (1400.0, 900.0 + DOUBLE + gap))}
    assert labels(paths) == told


def test_a_touch_that_was_told_is_not_told_again():
    paths = {"white": rolled("white", (1000.0, 900.0), 400.0), "red": lying("red", (1400.0, 900.0 + DOUBLE + 0.1))}
    assert labels(paths, [Event(1.0, "contact", balls=("red", "white"))]) == []


@pytest.mark.parametrize(("speed", "gap", "told"), [(400.0, 0.4, ["also cushion white"]), (400.0, 6.0, []), (0.0, 0.4, [])])
def test_a_ball_that_runs_along_a_nose_may_have_touched_it(speed, gap, told):
    assert labels({"white": rolled("white", (1000.0, BARE.width - DOUBLE / 2 - gap), speed)}) == told


def test_what_is_never_seen_to_move_is_looked_at_where_a_ball_passes_it():
    """Long rests are left out of a path, but not where it is asked whether something touched them."""
    red = lying("red", (1400.0, 900.0 + DOUBLE - 0.05))
    assert len(red.seen) < len(red.whole) / 2
    paths = {"white": rolled("white", (1000.0, 900.0), 400.0), "red": red}
    found = find_events(BARE, paths, [], STEP, SLACK)
    contact = any(e.type == "contact" for e in found.events)
    assert contact or any("contact red-white" in way.label for doubt in found.doubts for way in doubt.ways)


def test_a_ball_that_was_not_seen_on_its_way_went_it_all_the_same():
    """From its rest to a bounce, unseen but for the last place before the cushion."""
    t = np.array([0.0, 1.0, 5.0, *np.arange(6.0, 14.0)]) / 15
    bounce, speed = 5.1 / 15, np.array([1500.0, 1500.0])
    start = np.array([1500.0, BARE.width - DOUBLE / 2 - speed[1] * (bounce - t[1])])
    xy = [start + speed * max(min(u, bounce) - t[1], 0.0) + np.array([900.0, -900.0]) * max(u - bounce, 0.0) for u in t]
    paths = {"white": path_of("white", Observations(t, np.array(xy), np.full(len(t), 1.0), np.arange(len(t))))}
    found = find_events(BARE, paths, [], 1 / 15, 4.0)
    assert [e.cushion for e in found.events if e.type == "cushion"] == ["left"]
