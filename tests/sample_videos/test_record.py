# ruff: noqa: E402 (the imports need what is checked first)
"""Filming: exact time stamps, truth in the form of the contract, tracks on the frames' moments. A plain stand-in draws the frames."""

from __future__ import annotations

import csv
import json
import tomllib
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import av
import numpy as np
import pytest

for package in ("numba", "pooltool"):
    pytest.importorskip(package, reason=f"needs {package} (the simulate extra)")

from calibration.camera import Camera
from calibration.profile import read_profile
from calibration.table import BALLS, CUSHIONS, POCKETS, table
from sample_videos.exposure import balls_over
from sample_videos.match import Timeline, Timing, build
from sample_videos.record import Film, record, srt, truth_of
from sample_videos.render.views import overhead_camera
from sample_videos.strokes import Stroke, library

pytestmark = pytest.mark.train

TABLE = table()
SHORT = Timing(lead=0.1, carry=0.5, pause=0.05, aim=1.2, rest=0.2, leave=0.5, tail=0.1)


class Seen(NamedTuple):
    area: float


class Plain:
    """Draws nothing, and says that every ball is seen whole."""

    def __init__(self, camera: Camera) -> None:
        self.camera = camera
        self.visible: dict[str, Any] = {}

    def frame(self, balls: Mapping[str, Any], extras: Sequence[Any] = ()) -> np.ndarray:
        self.visible = {ball: Seen(1e9) for ball in balls}
        for places in balls.values():
            assert np.asarray(places).ndim == 2 and np.asarray(places).shape[1] == 3
            assert np.isfinite(places).all()
        for bar in extras:
            assert np.isfinite([*bar.a, *bar.b, bar.ra, bar.rb]).all()
        return np.full((self.camera.height, self.camera.width, 3), 90, np.uint8)


@pytest.fixture(scope="module")
def timeline() -> Timeline:
    names = ("opening", "straight-pot-called", "black-first")
    return build(TABLE, [library()[name] for name in names], players=(0, 1, 1), timing=SHORT)


@pytest.fixture(scope="module")
def filmed(timeline: Timeline, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("film")
    camera = overhead_camera(TABLE, 320, 180)
    record(timeline, Plain(camera), camera, out, "clip", film=Film(fps=Fraction(60000, 1001), crf=40, preset="ultrafast"))
    return out


def test_time_stamps_are_exact(filmed: Path) -> None:
    with av.open(str(filmed / "clip.mp4")) as container:
        stream = container.streams.video[0]
        stamps = [frame.pts * stream.time_base for frame in container.decode(stream)]
    truth = json.loads((filmed / "clip.truth.json").read_text())
    assert len(stamps) == truth["frames"]
    assert stamps == [Fraction(1001 * n, 60000) for n in range(len(stamps))]


def test_truth_has_the_form_of_the_contract(filmed: Path) -> None:
    truth = json.loads((filmed / "clip.truth.json").read_text())
    assert truth["table"] == "pyramid-12ft" and truth["balls"] and len(truth["corners_px"]) == 4
    fields = {"strike": "ball", "contact": "balls", "cushion": "cushion", "jaw": "cushion", "midline": "ball"}
    fields |= {"stop": "at", "pocket": "pocket"}
    end = 0.0
    for shot in truth["shots"]:
        assert shot["start_t"] > end and shot["end_t"] >= shot["start_t"]
        end = shot["end_t"]
        times = [e["video_t"] for e in shot["events"]]
        assert times == sorted(times) and times[0] == pytest.approx(shot["start_t"], abs=1e-5)
        for e in shot["events"]:
            assert fields[e["type"]] in e
            assert e["video_t"] == pytest.approx(shot["start_t"] + e["t"], abs=2e-6)
            assert abs(e["frame"] * 1001 / 60000 - e["video_t"]) <= 1001 / 120000 + 1e-6
            assert set(e.get("balls", [e.get("ball")])) <= set(BALLS)
            assert e.get("cushion", "home") in CUSHIONS and e.get("pocket", "foot-left") in POCKETS
        for ball, place in shot["positions_after"].items():
            assert (place is None) == any(e["type"] == "pocket" and e["ball"] == ball for e in shot["events"])
    assert [c["text"] for c in truth["calls"]] == [library()["straight-pot-called"].call]
    assert truth["shots"][0]["start_t"] < truth["calls"][0]["video_t"] < truth["shots"][1]["start_t"]


def test_tracks_show_the_moment_of_the_frame(filmed: Path, timeline: Timeline) -> None:
    with open(filmed / "clip.tracks.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    truth = json.loads((filmed / "clip.truth.json").read_text())
    assert len(rows) == truth["frames"] * len(truth["balls"])
    played = timeline.shots[0]
    checked = 0
    for row in rows:
        t = float(row["video_t"])
        assert t == pytest.approx(int(row["frame"]) * 1001 / 60000, abs=1e-6)
        if played.strike_t < t < played.end_t and row["state"] == "seen":
            place = played.shot.paths[row["ball"]].at(t - played.strike_t)
            assert (float(row["x_mm"]), float(row["y_mm"])) == pytest.approx(tuple(place[:2]), abs=0.002)
            checked += 1
    assert checked > 300
    assert {row["state"] for row in rows} >= {"seen", "pocketed", "absent"}


def test_positions_before_are_where_the_balls_lie_at_the_strike(timeline: Timeline) -> None:
    for played in timeline.shots:
        for ball, place in played.shot.before.items():
            seen = timeline.places(ball, np.array([played.strike_t - 0.01]))
            assert seen is not None
            assert seen[0] == pytest.approx((*place, TABLE.radius), abs=0.01)
            assert timeline.state(ball, played.strike_t - 0.01) == "seen"


def test_a_moving_ball_is_seen_over_the_exposure(timeline: Timeline) -> None:
    t = timeline.shots[0].strike_t + 0.2
    balls = balls_over(timeline, t, 1 / 120)
    assert balls["white"].shape == (8, 3) and balls["red"].shape == (1, 3)
    assert balls["white"].mean(axis=0) == pytest.approx(timeline.places("white", np.array([t]))[0], abs=0.2)  # type: ignore[index]


def test_profile_has_what_the_contract_asks(filmed: Path) -> None:
    profile = tomllib.loads((filmed / "clip.profile.toml").read_text())
    assert profile["table"].items() >= {"name": "pyramid-12ft", "length_mm": 3550.0, "width_mm": 1775.0, "ball_mm": 68.0}.items()
    assert (profile["picture"]["width"], profile["picture"]["height"]) == (320, 180)
    assert len(profile["picture"]["corners_px"]) == 4 and profile["picture"]["home"] == "left"
    read = read_profile(filmed / "clip.profile.toml")
    assert read.camera.project_at([(900.0, 300.0)], 34.0) == pytest.approx(
        overhead_camera(TABLE, 320, 180).project_at([(900.0, 300.0)], 34.0)
    )


def test_calls_as_subtitles() -> None:
    assert srt([{"video_t": 61.5, "end_t": 63.0, "text": "чужой в угол"}]) == "1\n00:01:01,500 --> 00:01:03,000\nчужой в угол\n"


def test_rulings_come_from_above(timeline: Timeline) -> None:
    """Each case starts with the score that the ruling before it left."""
    cases = []

    def adjudicate(case: dict[str, Any]) -> dict[str, Any]:
        cases.append(case)
        return {"outcome": "scored", "state": {"scores": [len(cases), 0], "target": 30, "waiting": []}}

    truth = truth_of(timeline, overhead_camera(TABLE, 320, 180), Film(), frames=1, adjudicate=adjudicate)
    assert [case["state"]["scores"] for case in cases] == [[0, 0], [1, 0], [2, 0]]
    assert [case["state"]["player"] for case in cases] == [0, 1, 1]
    assert all(shot["ruling"]["outcome"] == "scored" for shot in truth["shots"])
    assert cases[0]["state"]["opening"] and cases[0]["state"]["placement"] == "in_hand_house"


@pytest.mark.parametrize("name", ["frozen", "frozen-cue", "two-contacts", "straight-pot", "fast-pot"])
def test_the_cue_never_touches_the_cue_ball_twice(name: str) -> None:
    stroke: Stroke = library()[name]
    played = build(TABLE, [stroke], timing=SHORT)
    (actor,) = played.actors
    strike = played.shots[0].strike_t
    d = np.array([np.cos(np.radians(stroke.heading)), np.sin(np.radians(stroke.heading))])
    start = np.array(stroke.placing[stroke.cue_ball])
    for t in np.arange(strike + 0.004, strike + 0.3, 0.004):
        ball = played.places(stroke.cue_ball, np.array([t]))
        assert ball is not None
        tip = -actor._tip_behind(float(t))  # type: ignore[union-attr]
        gap = float((ball[0, :2] - start) @ d) - TABLE.radius - tip
        assert gap > 0, f"{t - strike:.3f} s after the strike the tip is {-gap:.1f} mm inside the ball"
