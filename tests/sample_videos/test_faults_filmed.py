# ruff: noqa: E402 (the imports need what is checked first)
"""Faults in front of the camera: the tip is where the truth says, a ball off the table is told, a touched ball lies where it was shoved."""

from __future__ import annotations

import pytest

for package in ("numba", "pooltool"):
    pytest.importorskip(package, reason=f"needs {package} (the simulate extra)")

import numpy as np

from calibration.table import table
from sample_videos.match import Timeline, Timing, build
from sample_videos.people import Aim
from sample_videos.record import case_of
from sample_videos.strokes import library

pytestmark = pytest.mark.train

TABLE = table()
SHORT = Timing(lead=0.1, carry=0.5, pause=0.05, aim=1.2, rest=0.2, leave=0.5, tail=0.1)


def filmed(*names: str) -> Timeline:
    return build(TABLE, [library()[name] for name in names], timing=SHORT)


def aim_of(timeline: Timeline) -> Aim:
    return next(actor for actor in timeline.actors if isinstance(actor, Aim))


def gap(timeline: Timeline, t: float) -> float:
    """From the tip to the cue ball, mm along the heading, `t` s after the strike."""
    played, aim = timeline.shots[0], aim_of(timeline)
    d = np.array([np.cos(aim.heading), np.sin(aim.heading)])
    ball = played.shot.paths[played.stroke.aimed].at(t)[:2]
    return float((ball - np.array(aim.cue_ball)) @ d) - TABLE.radius + aim._tip_behind(played.strike_t + t)


@pytest.mark.parametrize("name", ["double-hit-near", "double-hit-close", "double-hit-pot"])
def test_the_tip_meets_the_ball_at_the_second_hit_and_not_in_between(name: str) -> None:
    timeline = filmed(name)
    (e,) = timeline.shots[0].shot.of("double_hit")
    assert abs(gap(timeline, e["t"])) < 3.0
    between = [gap(timeline, t) for t in np.linspace(0.002, e["t"], 30)]
    assert min(between) > -2.0 and max(between) > 0.1
    assert all(gap(timeline, e["t"] + t) > -1.0 for t in (0.02, 0.05, 0.1))


@pytest.mark.parametrize("name", ["push-near", "push-frozen", "push-pot"])
def test_the_tip_stays_on_a_pushed_ball(name: str) -> None:
    timeline = filmed(name)
    lasts = library()[name].faults.push
    assert all(abs(gap(timeline, t)) < 0.5 for t in np.linspace(0.001, lasts, 30))
    assert gap(timeline, lasts + 0.2) > 3.0


@pytest.mark.parametrize(("name", "lowest", "highest"), [("off-table", -820, 0), ("rest-on-rail", 60, 100)])
def test_a_ball_off_the_table_is_absent_but_seen_until_it_is_taken_away(name: str, lowest: float, highest: float) -> None:
    timeline = filmed(name)
    played = timeline.shots[0]
    (e,) = played.shot.of("off_table")
    t = played.strike_t + e["t"]
    assert timeline.state("white", t - 0.01) == "seen" and timeline.state("white", t + 0.01) == "absent"
    last = timeline.places("white", np.array([played.end_t + 0.1]))
    assert last is not None and (lowest <= last[0, 2] <= highest or name == "off-table")
    assert timeline.places("white", np.array([timeline.duration])) is None
    assert case_of(TABLE, played)["shot"]["positions"]["white"] is None


def test_a_ball_touched_before_the_strike_lies_elsewhere_when_it_comes() -> None:
    timeline = filmed("touch-before")
    played, shove = timeline.shots[0], library()["touch-before"].faults.touch
    assert shove is not None
    start = library()["touch-before"].placing[shove.ball]
    before = timeline.places(shove.ball, np.array([played.strike_t + shove.at - 0.01]))
    after = timeline.places(shove.ball, np.array([played.strike_t]))
    assert before is not None and after is not None
    assert before[0, :2] == pytest.approx(start, abs=0.01)
    assert after[0, :2] - before[0, :2] == pytest.approx(shove.by, abs=0.01)
    assert case_of(TABLE, played)["state"]["positions"][shove.ball] == pytest.approx(after[0, :2], abs=0.01)


@pytest.mark.parametrize("name", ["struck-again-rolling", "red-struck-rolling"])
def test_a_second_strike_is_seen(name: str) -> None:
    timeline, again = filmed(name), library()[name].faults.again
    assert again is not None
    aims = [actor for actor in timeline.actors if isinstance(actor, Aim)]
    assert len(aims) == 2 and aims[0].end <= aims[1].start
    played = timeline.shots[0]
    assert aims[1].strike == pytest.approx(played.strike_t + again.at)
    assert aims[1].cue_ball == pytest.approx(tuple(played.shot.paths[again.ball].at(again.at)[:2]), abs=0.1)


def test_a_wrong_ball_is_aimed_at_and_the_cue_ball_of_the_state_stays() -> None:
    timeline = filmed("wrong-ball-red")
    stroke = library()["wrong-ball-red"]
    assert aim_of(timeline).cue_ball == stroke.placing["red"]
    case = case_of(TABLE, timeline.shots[0])
    assert case["state"]["cue_ball"] == "white" and case["shot"]["events"][0] == {"t": 0.0, "type": "strike", "ball": "red"}
