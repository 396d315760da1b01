"""The committed sample match: video, truth, calls, tracks and profile tell the same story, and the engine rules it as the truth says."""

from __future__ import annotations

import csv
import json
import tomllib
from fractions import Fraction
from math import dist
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest

import sample_videos
from calibration.table import table
from referee.adjudicate_command import adjudicate_text

FOLDER = Path(sample_videos.__file__).parent
TABLE = table()


def file(suffix: str) -> Path:
    return FOLDER / f"sample_match{suffix}"


@pytest.fixture(scope="module")
def truth() -> dict[str, Any]:
    return json.loads(file(".truth.json").read_text(encoding="utf-8"))


def test_it_is_small() -> None:
    assert sum(p.stat().st_size for p in FOLDER.glob("sample_match*")) < 8e6


def test_the_video_has_the_frames_of_the_truth(truth: dict[str, Any]) -> None:
    with av.open(str(file(".mp4"))) as container:
        stream = container.streams.video[0]
        assert (stream.width, stream.height) == (truth["width"], truth["height"]) == (1920, 1080)
        base = stream.time_base or Fraction(1)
        stamps = sorted(packet.pts for packet in container.demux(stream) if packet.pts is not None)
    assert len(stamps) == truth["frames"]
    assert all(stamp * base == Fraction(n, 60) for n, stamp in enumerate(stamps))


def test_it_shows_a_pot_a_bonus_a_foul_and_balls_in_hand(truth: dict[str, Any]) -> None:
    shots = truth["shots"]
    assert 4 <= len(shots) <= 6 and shots[0]["state"]["opening"]
    assert any(shot["ruling"]["outcome"] == "foul" for shot in shots)
    assert any(item["rule"].startswith("9.") for shot in shots for item in shot["ruling"]["items"])
    assert any(item["rule"].startswith("8.") for shot in shots for item in shot["ruling"]["items"])
    assert any(shot["state"]["placement"] == "in_hand" for shot in shots)
    assert truth["calls"]


def test_every_ruling_is_that_of_the_engine(truth: dict[str, Any]) -> None:
    for shot in truth["shots"]:
        events = [{k: v for k, v in e.items() if k not in ("frame", "video_t")} for e in shot["events"]]
        case = {"table": truth["table"], "state": shot["state"], "call": shot["call"]}
        case["shot"] = {"events": events, "positions": shot["positions_after"]}
        ruling = json.loads(adjudicate_text(json.dumps(case)))
        for key in ("outcome", "points", "opponent_points", "turn"):
            assert ruling[key] == shot["ruling"][key]
        assert ruling["state"]["scores"] == shot["ruling"]["state"]["scores"]


def test_each_stroke_begins_where_the_ruling_before_it_left_the_balls(truth: dict[str, Any]) -> None:
    for before, after in zip(truth["shots"], truth["shots"][1:], strict=False):
        state = before["ruling"]["state"]
        assert (after["state"]["player"], after["state"]["cue_ball"]) == (state["player"], state["cue_ball"])
        assert after["state"]["scores"] == state["scores"] and after["state"]["placement"] == state["placement"]
        for ball, place in state["positions"].items():
            if place is not None:
                assert dist(place, after["positions_before"][ball]) < 0.01


def test_the_calls_are_those_of_the_subtitles(truth: dict[str, Any]) -> None:
    blocks = file(".srt").read_text(encoding="utf-8").strip().split("\n\n")
    assert [block.split("\n")[2] for block in blocks] == [call["text"] for call in truth["calls"]]
    assert [shot["call"] for shot in truth["shots"] if shot["call"]] == [call["text"] for call in truth["calls"]]


def test_the_profile_has_the_corners_of_the_truth(truth: dict[str, Any]) -> None:
    profile = tomllib.loads(file(".profile.toml").read_text(encoding="utf-8"))
    assert profile["picture"]["corners_px"] == truth["corners_px"]
    assert profile["table"]["name"] == truth["table"]


def test_tracks_agree_with_events(truth: dict[str, Any]) -> None:
    """At contacts the balls' centres are about two radii apart in the nearest frame, at stops they lie where the event says."""
    with open(file(".tracks.csv"), newline="", encoding="utf-8") as lines:
        places = {
            (int(row["frame"]), row["ball"]): (float(row["x_mm"]), float(row["y_mm"]))
            for row in csv.DictReader(lines)
            if row["state"] in ("seen", "hidden") and row["x_mm"]
        }
    for shot in truth["shots"]:
        for e in shot["events"]:
            if e["type"] == "stop" and (e["frame"] + 1, e["ball"]) in places:
                assert dist(places[e["frame"] + 1, e["ball"]], e["at"]) < 1.0
            if e["type"] == "contact":
                a, b = (places.get((e["frame"], ball)) for ball in e["balls"])
                if a and b:
                    assert TABLE.ball - 1 < dist(a, b) < TABLE.ball + 35  # at most half a frame from the touch


def test_the_balls_are_seen_where_the_truth_says(truth: dict[str, Any]) -> None:
    """In the first frame each ball's colour lies where the camera of the truth puts its centre."""
    from calibration.camera import Camera

    c = truth["camera"]
    camera = Camera(1920, 1080, c["focal"], tuple(c["principal"]), tuple(c["distortion"]), c["rotation"], c["translation"])  # type: ignore[arg-type]
    with av.open(str(file(".mp4"))) as container:
        picture = next(container.decode(container.streams.video[0])).to_ndarray(format="rgb24").astype(int)
    for ball in ("yellow", "red", "black"):
        u, v = camera.project_at([truth["shots"][0]["positions_before"][ball]], TABLE.radius)[0]
        r, g, b = np.median(picture[int(v) - 6 : int(v) + 7, int(u) - 6 : int(u) + 7].reshape(-1, 3), axis=0)
        seen = {"yellow": r > 150 and g > 100 and b < 100, "red": r > 100 and g < 70, "black": max(r, g, b) < 70}
        assert seen[ball], f"{ball}: {r:.0f} {g:.0f} {b:.0f}"
