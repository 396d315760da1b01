"""Balls that leave the table: seen over the cushion, seen to stay on the rail, or only gone."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from calibration.table import table
from tests.vision.tables import Scene, profile
from vision.frames import frame_of_bgr
from vision.leaving import exit_of
from vision.record import Sighting
from vision.run import TableRun
from vision.tracks import TracksFile

KIND = table("pyramid-8ft")
FPS, STRIKE, SPEED = 30, 0.6, 1800.0
START = np.array([900.0, 500.0])
REST = {"yellow": (1700.0, 300.0), "red": (300.0, 250.0), "black": (2000.0, 800.0)}


@pytest.fixture(scope="module")
def scene():
    return Scene(profile(KIND), seed=2)


def _way(t: float, stays: float) -> np.ndarray:
    """White runs at the left cushion and over it; `stays`: mm beyond the nose at which it comes to lie on the rail."""
    y = START[1] + SPEED * max(t - STRIKE, 0.0)
    return np.array([START[0], min(y, KIND.width + stays)])


def _stroke(scene, stays: float, seen_until: float):
    """The stroke of a ball that is drawn until it is `seen_until` mm beyond the nose."""
    run = TableRun(scene.profile, ("white", *REST), TracksFile(None), None)
    for k in range(round(3.2 * FPS)):
        t = k / FPS
        exposure = np.array([_way(t + dt, stays) for dt in (-0.004, 0.0, 0.004)])
        shown = exposure if exposure[1, 1] < KIND.width + seen_until else None
        run.take(frame_of_bgr(scene.picture({"white": shown, **REST}), index=k, time=Fraction(k, FPS)))
    run.finish()
    [stroke] = run.strokes
    return stroke


def _off(stroke) -> list[str | None]:
    return [e.ball for e in stroke.shot.events if e.type == "off_table"]


@pytest.mark.parametrize(("stays", "seen_until"), [(1e4, 700.0), (90.0, 700.0)], ids=["to the floor", "on the rail"])
def test_a_ball_seen_beyond_the_cushion_is_off_the_table(scene, stays, seen_until):
    stroke = _stroke(scene, stays, seen_until)
    assert _off(stroke) == ["white"]
    [event] = [e for e in stroke.shot.events if e.type == "off_table"]
    assert event.t == pytest.approx((KIND.width - START[1] + 100) / SPEED, abs=0.1)
    assert stroke.shot.positions["white"] is None
    assert not [d for d in stroke.review if "white" in d.reason]


def test_a_ball_that_only_vanished_at_a_cushion_is_put_to_a_person(scene):
    stroke = _stroke(scene, 1e4, -60.0)
    assert _off(stroke) == []
    assert "off_table" in [e.type for d in stroke.review for w in d.ways for e in w.add]


def _run(*places: tuple[float, float]) -> list[Sighting]:
    return [Sighting(k, k / FPS, x, y, 0.5, "moving", True, 0.0, 1.0) for k, (x, y) in enumerate(places)]


def test_a_way_leads_over_the_cushion_that_it_meets_first():
    out = exit_of(KIND, _run((100.0, 500.0), (60.0, 505.0), (20.0, 510.0)))
    assert out is not None
    assert (out.cushion, round(float(out.place[1]), 1)) == ("home", 512.5)
    assert exit_of(KIND, _run((500.0, 500.0), (540.0, 500.0), (580.0, 500.0))) is None
    assert exit_of(KIND, _run((30.0, 500.0), (70.0, 500.0), (110.0, 500.0))) is None
