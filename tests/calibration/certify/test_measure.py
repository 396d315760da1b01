"""Rolls, bounces, the shutter: numbers against what was put in."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.certify import measure
from calibration.certify.observed import Blur, Run
from calibration.certify.protocol import standard
from calibration.table import table
from tests.calibration.certify.observations import blurs, profile, run

TABLE = table()
PROTOCOL = standard(TABLE)


def straight(start, end, **more) -> Run:
    camera = profile().camera
    return run(start, end, camera, camera, **more)


def test_a_straight_roll_has_no_bend() -> None:
    (roll,) = measure.rolls([straight((400, 600), (3300, 650), noise=0.05)], PROTOCOL)
    assert roll.way == "along" and roll.bend < 0.1
    assert roll.jitter == pytest.approx(0.05 / profile().camera.scale_at([(1775, 600)], 34.0)[0], rel=0.4)
    assert roll.speed == pytest.approx(2900, rel=0.01)


def test_a_bent_path_is_told_from_a_noisy_one() -> None:
    t = np.arange(60) / 50
    x = 400 + 2000 * t
    y = 600 + 6 * (1 - ((t - t.mean()) / (t[-1] / 2)) ** 2)  # an arc of 6 mm
    bent = Run("white", tuple(t), tuple(zip(x.tolist(), y.tolist(), strict=True)), (0.3,) * 60)
    (roll,) = measure.rolls([bent], PROTOCOL)
    assert roll.bend == pytest.approx(6, rel=0.05) and roll.jitter < 0.05


def test_sliding_then_rolling_is_smooth() -> None:
    t = np.arange(80) / 50
    speed = np.where(t < 0.4, 2000 - 1800 * t, 1280 - 93 * (t - 0.4))
    x = 300 + np.concatenate([[0], np.cumsum((speed[1:] + speed[:-1]) / 2 / 50)])
    (roll,) = measure.rolls([Run("white", tuple(t), tuple((float(v), 500.0) for v in x), (0.3,) * 80)], PROTOCOL)
    assert roll.pace < 0.2


def test_a_short_run_tells_nothing() -> None:
    assert measure.rolls([straight((400, 600), (600, 600))], PROTOCOL) == ()


@pytest.mark.parametrize("off", [0.0, -12.0, 7.0])
def test_a_bounce_is_where_the_ball_turned(off) -> None:
    turn = 3550 - 34 + off
    runs = [straight((2500, 600), (turn, 605), seconds=1.0), straight((turn, 605), (2800, 640), t0=1.0, seconds=1.4, seed=9)]
    (bounce,) = measure.bounces(runs, TABLE)
    assert bounce.cushion == "foot" and bounce.off == pytest.approx(off, abs=1.0)
    assert bounce.at[1] == pytest.approx(605, abs=5)


def test_a_ball_that_turns_in_the_open_met_no_cushion() -> None:
    runs = [straight((2000, 600), (3000, 600)), straight((3000, 600), (2500, 600), t0=1.02)]
    assert measure.bounces(runs, TABLE) == ()


@pytest.mark.parametrize("seconds", [0.002, 0.008, 0.02])
def test_the_shutter_lies_within_its_bounds(seconds) -> None:
    found = measure.exposure(blurs(seconds), 0.04)
    assert found is not None
    assert found.low <= seconds <= found.high
    assert found.seconds == pytest.approx(seconds, rel=0.15)


def test_slow_balls_do_not_prove_a_short_shutter() -> None:
    slow = measure.exposure(blurs(0.002, speed=400.0), 0.04)
    assert slow is not None and slow.high > 0.008


def test_leaps_of_the_tracker_do_not_count() -> None:
    found = measure.exposure((*blurs(0.002), *[Blur(20000.0, 400000.0, 25.0)] * 30), 0.04)
    assert found is not None and found.high < 0.003


def test_too_few_streaks() -> None:
    assert measure.exposure(blurs(0.002, count=5), 0.04) is None
