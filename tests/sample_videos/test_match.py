# ruff: noqa: E402 (the imports need what is checked first)
"""Matches: what lies between strokes is seen, is in the truth, and changes nothing that it does not touch."""

from __future__ import annotations

from math import dist, hypot
from pathlib import Path

import numpy as np
import pytest

for package in ("numba", "pooltool"):
    pytest.importorskip(package, reason=f"needs {package} (the simulate extra)")

from calibration.table import table
from sample_videos.between import random_actions, read_action
from sample_videos.exposure import balls_over, people_over, row_delays
from sample_videos.match import Timeline, build
from sample_videos.people import PLAYERS, Aim
from sample_videos.record import Film, truth_of
from sample_videos.render.views import overhead_camera
from sample_videos.scenario import Scenario, parse
from sample_videos.strokes import ScenarioError
from sample_videos.visitors import Knock, Reach, Thing, Walk

pytestmark = pytest.mark.train

TABLE = table()
FOLDER = Path(__file__).parents[1] / "bench" / "scenarios"
CAMERA = overhead_camera(TABLE, 640, 360)


def scenario(name: str) -> Scenario:
    return parse((FOLDER / f"{name}.toml").read_text(encoding="utf-8"), name)


def built(name: str) -> Timeline:
    s = scenario(name)
    more = {"between": s.between, "things": s.things, "spares": s.spares}
    return build(TABLE, s.strokes, players=s.players, timing=s.timing, cloth=s.cloth, **more)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def knocked() -> Timeline:
    return built("knocked")


def at(timeline: Timeline, ball: str, t: float) -> np.ndarray:
    places = timeline.places(ball, np.array([t]))
    assert places is not None
    return places[0]


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.toml")), ids=lambda p: p.stem)
def test_every_scenario_reads(path: Path) -> None:
    assert scenario(path.stem).strokes


def test_a_ball_put_beside_its_spot_is_played_from_there_and_the_truth_says_what_was_wanted() -> None:
    timeline = built("spotted_30mm")
    spot = TABLE.spots["home"]

    def adjudicate(case: dict) -> dict:
        return {"state": {"scores": [0, 0], "positions": {"red": list(spot)}}}

    truth = truth_of(timeline, CAMERA, Film(), frames=1, adjudicate=adjudicate)
    first, second = truth["shots"]
    assert first["positions_after"]["red"] is None and first["positions_wanted"] is None
    assert second["positions_wanted"]["red"] == list(spot)
    assert dist(second["positions_before"]["red"], spot) == pytest.approx(30, abs=0.01)
    assert at(timeline, "red", timeline.shots[1].strike_t - 0.1)[:2] == pytest.approx(second["positions_before"]["red"], abs=0.01)
    (carry,) = [row for row in second["between"] if row["type"] == "carry" and row["ball"] == "red"]
    assert first["end_t"] < carry["start_t"] < carry["end_t"] < second["start_t"]


def test_a_knocked_ball_lies_away_and_is_put_back(knocked: Timeline) -> None:
    rows = [row for row in knocked.shots[1].between if row["type"] == "knock"]
    assert [row["ball"] for row in rows] == ["red", "black"]
    for row, off in zip(rows, (0.0, 12.0), strict=True):
        before, after = at(knocked, row["ball"], row["start_t"]), at(knocked, row["ball"], row["end_t"])
        assert dist(after, before) == pytest.approx(hypot(*row["by"]), abs=0.01)
        assert dist(at(knocked, row["ball"], knocked.shots[1].strike_t), before) == pytest.approx(off, abs=0.01)


def test_a_hand_is_beside_the_ball_that_it_knocks(knocked: Timeline) -> None:
    knock = next(actor for actor in knocked.actors if isinstance(actor, Knock))
    for t in np.linspace(knock.touches, knock.lets_go, 5):
        ball = knock.place(float(t))
        assert min(dist(bar.b, ball) for bar in knock.bars(float(t))) < 130
    assert not knock.bars(knock.end + 0.1)


def test_practice_swings_never_reach_the_ball() -> None:
    timeline = built("busy_hall")
    practice = [actor for actor in timeline.actors if isinstance(actor, Aim) and actor.swings]
    assert len(practice) == 2
    for aim in practice:
        gaps = [aim._tip_behind(float(t)) - TABLE.radius for t in np.arange(aim.start, aim.end, 0.02)]
        assert min(gaps) == pytest.approx(aim.near, abs=1.0)
        assert sum(b < a and b <= c for a, b, c in zip(gaps, gaps[1:], gaps[2:], strict=False)) >= aim.swings - 1
    assert sum(isinstance(actor, Walk) for actor in timeline.actors) == 3
    assert {actor.kind for actor in timeline.actors if isinstance(actor, Thing)} == {"chalk", "phone", "glass"}
    assert set(timeline.spares) == {"white#2", "red#3"}
    seen = balls_over(timeline, 0.1, 0.01)
    assert seen["white#2"][0, 2] < -50 < seen["red#3"][0, 2] and "red#3" not in timeline.balls


def test_a_thing_lies_on_the_rail_only_once_a_hand_has_left_it() -> None:
    thing = Thing("phone", (900.0, -115.0, 43.0), since=2.0, until=5.0)
    assert [bool(thing.bars(t)) for t in (1.9, 2.0, 4.9, 5.0)] == [False, True, True, False]
    assert all(-250 < p[1] < 0 for bar in thing.bars(3.0) for p in (bar.a, bar.b))


def test_a_hand_comes_and_goes_over_the_nearest_rail() -> None:
    reach = Reach(TABLE, (900.0, 200.0, 40.0), 1.0, 3.0, PLAYERS[0])
    assert reach.hand(1.0)[1] < -600 and reach.hand(2.0)[:2] == pytest.approx((900, 200)) and reach.hand(3.0)[1] < -600


def test_rows_of_a_rolling_shutter_see_later_moments(knocked: Timeline) -> None:
    t = knocked.shots[0].strike_t + 0.2
    readout = 0.016
    delays = row_delays(knocked, CAMERA, t, readout)
    row = CAMERA.project(at(knocked, "white", t + delays["white"])[None])[0, 1]
    assert delays["white"] == pytest.approx((row / (CAMERA.height - 1) - 0.5) * readout, abs=2e-5)
    assert max(map(abs, delays.values())) <= readout / 2 and row_delays(knocked, CAMERA, t, 0.0) == {}
    seen = balls_over(knocked, t, 0.008, delays)["white"]
    assert seen.mean(axis=0) == pytest.approx(at(knocked, "white", t + delays["white"]), abs=0.3)


def test_people_carry_their_motion_over_the_exposure(knocked: Timeline) -> None:
    t = knocked.shots[0].strike_t - 0.02
    still, moved = knocked.people(t), people_over(knocked, CAMERA, t, 0.01, 0.0)
    assert [bar.a for bar in still] == [pytest.approx(bar.a, abs=1e-6) for bar in moved]
    assert max(np.abs(bar.move_a).max() for bar in moved) > 2  # the cue


@pytest.mark.parametrize(
    ("row", "named"),
    [
        ({"do": "dance"}, "before"),
        ({"do": "cross", "speed": 3}, "before.speed"),
        ({"do": "cross", "side": "top"}, "before.side"),
        ({"do": "cross", "seconds": 0}, "before.seconds"),
        ({"do": "chalk"}, "at"),
        ({"do": "knock", "ball": "pink", "by": [1, 2]}, "before.ball"),
        ({"do": "knock", "ball": "red"}, "by"),
    ],
)
def test_a_wrong_action_is_named(row: dict, named: str) -> None:
    with pytest.raises(ScenarioError, match=named) as caught:
        read_action(row, "stroke 1")
    assert "\n" not in str(caught.value) and "expected" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[between]\nmood = 1", "between"),
        ("[[thing]]\nkind = 'cat'\nat = [0, 0]", "kind"),
        ("[[spare]]\nball = 'pink'\nat = [0, 0]", "ball"),
        ("[[spare]]\nball = 'red'\npocket = 'left'", "pocket"),
        ("[[stroke]]\nuse = 'miss'\nshift = { pink = [1, 2] }", "shift"),
    ],
)
def test_a_wrong_match_is_named(text: str, named: str) -> None:
    with pytest.raises(ScenarioError, match=named):
        parse(text if "stroke" in text else f"{text}\n[[stroke]]\nuse = 'miss'", "x")


def test_actions_drawn_at_random_are_those_that_can_be_asked_for() -> None:
    drawn = [action for seed in range(40) for action in random_actions(np.random.default_rng(seed), TABLE)]
    assert {action.do for action in drawn} >= {"practice", "cross", "chalk", "arm"}
    assert drawn[:3] == [a for seed in range(40) for a in random_actions(np.random.default_rng(seed), TABLE)][:3]
