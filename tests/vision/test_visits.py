"""Touches of jaws that follow each other faster than pictures: told from the way in, the way out and the places between."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.table import custom_table, table
from vision.breaks import path_of
from vision.pieces import Observations
from vision.shot import Event
from vision.visits import touches_in, visits_of, with_visits
from vision.walls import Walls

KIND = table("pyramid-12ft")
POCKET = "foot-left"
STEP, SLACK = 1 / 60, 2.0
_DT = 0.0002


def rattled(heading: float, speed: float, start: float = 150.0):
    """The way of a ball into a corner, `start` mm before its mouth: clock (s), places (mm), times of its touches and of its fall."""
    walls, pocket = Walls(KIND), KIND.pocket(POCKET)
    jaws = walls.jaws_of(POCKET)
    way = np.array([np.cos(np.radians(heading)), np.sin(np.radians(heading))])
    p, v = np.mean([jaw.tip for jaw in pocket.jaws], axis=0) - start * way, speed * way
    clock, places, touches, t = [0.0], [p], [], 0.0
    while t < 0.8 and np.hypot(*(p - pocket.centre)) > pocket.radius and np.hypot(*v) > 5:
        t, v = t + _DT, v * (1 - 300 * _DT / np.hypot(*v))
        p = p + v * _DT
        for k in jaws:
            gap, normal, jaw = (a[0] for a in walls.outlines(k, p[None]))
            if gap <= 0 and v @ normal < 0:
                touches += [t] if jaw else []
                v = v - 1.66 * (v @ normal) * normal
        clock.append(t)
        places.append(p)
    fell = t if np.hypot(*(p - pocket.centre)) <= pocket.radius else None
    return np.array(clock), np.array(places), touches, fell


def watched(clock, places, noise=0.8, seed=1):
    rng = np.random.default_rng(seed)
    t = np.arange(-0.05, clock[-1], STEP)
    xy = np.column_stack([np.interp(t, clock, places[:, k]) for k in (0, 1)])
    first = (places[1] - places[0]) / (clock[1] - clock[0])
    xy[t < 0] = places[0] + np.outer(t[t < 0], first)
    xy += rng.normal(0, noise, xy.shape)
    return path_of("yellow", Observations(t, xy, np.full(len(t), noise), np.arange(len(t))))


@pytest.mark.parametrize(("heading", "speed"), [(10.0, 1500.0), (80.0, 1500.0), (25.0, 900.0), (80.0, 2500.0)])
def test_the_touches_of_a_rattle_are_counted(heading, speed):
    clock, places, touches, fell = rattled(heading, speed)
    assert len(touches) > 1
    path = watched(clock, places)
    [visit] = visits_of(KIND, path, None if fell is None else (POCKET, fell, 0.005), STEP)
    found = touches_in(KIND, path, visit, STEP, SLACK)
    assert found is not None
    assert abs(len(found.times) - len(touches)) <= (1 if len(touches) > 3 else 0)
    assert found.times[0][0] == pytest.approx(touches[0], abs=0.004)


def test_a_ball_that_falls_clean_touches_nothing():
    clock, places, touches, fell = rattled(45.0, 1200.0)
    assert touches == []
    assert fell is not None
    path = watched(clock, places)
    assert with_visits(KIND, {"yellow": path}, [], {"yellow": (POCKET, fell, 0.005)}, STEP, SLACK) == ([], [])


def test_jaws_that_nobody_measured_tell_nothing():
    clock, places, touches, _ = rattled(10.0, 1500.0)
    assert touches
    bare = custom_table(KIND.length, KIND.width)
    assert with_visits(bare, {"yellow": watched(clock, places)}, [], {}, STEP, SLACK) == ([], [])


def test_a_ball_that_meets_another_in_the_mouth_is_left_to_its_breaks():
    clock, places, touches, _ = rattled(10.0, 1500.0)
    met = Event(touches[0], "contact", balls=("white", "yellow"))
    assert with_visits(KIND, {"yellow": watched(clock, places)}, [met], {}, STEP, SLACK) == ([met], [])


def test_what_a_visit_explains_needs_no_other_cause():
    clock, places, touches, _ = rattled(10.0, 1500.0)
    events, [visit] = with_visits(KIND, {"yellow": watched(clock, places)}, [], {}, STEP, SLACK)
    assert len(events) == pytest.approx(len(touches), abs=1)
    assert all(visit.holds("yellow", t, STEP) for t in touches)
    assert not visit.holds("white", touches[0], STEP)
    assert not visit.holds("yellow", clock[-1] + 1.0, STEP)
