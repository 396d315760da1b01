"""What was a stroke, and what was a hand, a swing for practice, or a nudge."""

from __future__ import annotations

import numpy as np
import pytest

from vision.breaks import path_of
from vision.record import Sighting, observations
from vision.segment import free_run, was_played

STEP = 1 / 60


def played(places: np.ndarray, foreign: np.ndarray | float = 0.0, *, contact: float = 0.0, pots: int = 0) -> bool:
    """Whether a ball that was seen at these places (N, 2) mm, with this share of foreign pixels beside it, was struck."""
    beside = np.broadcast_to(np.asarray(foreign, float), len(places))
    noise = np.random.default_rng(5).normal(0, 0.4, places.shape)
    seen = [
        Sighting(k, k * STEP, float(x), float(y), 0.4, "moving", True, float(f), 1.0)
        for k, ((x, y), f) in enumerate(zip(places + noise, beside, strict=True))
    ]
    path = path_of("white", observations(seen, STEP))
    assert free_run(path, seen) >= 0
    return was_played({"white": path}, {"white": seen}, contact, pots)


def rest(count: int, at: tuple[float, float] = (800.0, 600.0)) -> np.ndarray:
    return np.tile(np.array(at), (count, 1))


def rolled(speed: float, seconds: float) -> np.ndarray:
    t = np.arange(int(seconds / STEP)) * STEP
    way = speed * t - 50 * t * t
    return np.vstack([rest(30), rest(1) + np.column_stack([way, 0.3 * way]), rest(20, (800.0 + way[-1], 600.0 + 0.3 * way[-1]))])


@pytest.mark.parametrize("speed", [120.0, 600.0, 4000.0])
def test_a_ball_that_runs_freely_was_struck(speed: float) -> None:
    places = rolled(speed, 0.6)
    cue = np.where((np.arange(len(places)) > 20) & (np.arange(len(places)) < 36), 0.5, 0.0)  # over the ball at the strike
    assert played(places, cue)


def test_a_carried_ball_was_not() -> None:
    places = rolled(500.0, 1.0)
    assert not played(places, 0.6)


def test_practice_swings_beside_a_ball_that_lies_still_are_none() -> None:
    swing = 0.25 * (1 + np.sin(np.arange(180) / 5.0))
    assert not played(rest(180), swing)
    # the tip over the ball's edge pulls its measured place to and fro
    pulled = rest(180) + np.column_stack([-4.0 * np.clip(swing - 0.3, 0, None) / 0.2, np.zeros(180)])
    assert not played(pulled, swing)


def test_a_ball_nudged_by_some_millimetres_is_no_stroke() -> None:
    nudged = np.vstack([rest(40), rest(1) + np.column_stack([np.linspace(0, 8, 5), np.zeros(5)]), rest(40, (808.0, 600.0))])
    assert not played(nudged, 0.4) and not played(nudged)


def test_a_collision_or_a_fall_makes_the_shortest_run_a_stroke() -> None:
    short = np.vstack([rest(30), rest(1) + np.column_stack([np.linspace(0, 60, 8), np.zeros(8)]), rest(30, (860.0, 600.0))])
    assert not played(short) and played(short, contact=300.0) and played(short, pots=1)
    assert not played(rest(60), pots=1)  # a ball was taken out of the pocket's mouth by hand
