"""The sample match: its true strokes are ruled as its truth says, through the same path as those of a video."""

from __future__ import annotations

import json
from math import dist
from pathlib import Path
from typing import Any

import pytest

import sample_videos
from calibration.table import table
from referee import cli
from referee.analyze import referee_strokes
from referee.callfile import read_calls
from vision.shot import Event, Shot, Stroke

FOLDER = Path(sample_videos.__file__).parent
NAME = "sample_match"


def truth() -> dict[str, Any]:
    return json.loads((FOLDER / f"{NAME}.truth.json").read_text("utf-8"))


def stroke(shot: dict[str, Any]) -> Stroke:
    """A stroke of a truth file as if it had been seen."""
    events = tuple(Event(**{k: tuple(v) if isinstance(v, list) else v for k, v in e.items()}) for e in shot["events"])
    before, after = (
        {ball: None if place is None else (place[0], place[1]) for ball, place in shot[key].items()}
        for key in ("positions_before", "positions_after")
    )
    return Stroke(shot["start_t"], shot["end_t"], shot["start_frame"], shot["end_frame"], shot["cue_ball"], before, Shot(events, after))


def test_true_strokes_are_ruled_as_the_truth_says() -> None:
    known = truth()
    calls = read_calls(FOLDER / f"{NAME}.srt")
    match, _, notes = referee_strokes([stroke(s) for s in known["shots"]], table(known["table"]), calls=calls)
    assert notes == []
    for ruled, shot in zip(match.strokes, known["shots"], strict=True):
        assert ruled.ruling is not None
        assert ruled.call == shot["call"]
        found = {key: getattr(ruled.ruling, key) for key in ("outcome", "points", "opponent_points", "turn")}
        assert (shot["index"], found) == (shot["index"], {key: shot["ruling"][key] for key in found})
        assert list(ruled.ruling.state.scores) == shot["ruling"]["state"]["scores"]
        assert ruled.review == (), shot["index"]


@pytest.mark.slow
def test_the_video_is_refereed_as_the_truth_says(tmp_path: Path) -> None:
    """What `make demo` does, from pixels to the score."""
    arguments = [str(FOLDER / f"{NAME}.mp4"), "--profile", str(FOLDER / f"{NAME}.profile.toml"), "--calls", str(FOLDER / f"{NAME}.srt")]
    assert cli.main(["analyze", *arguments, "--out", str(tmp_path)]) == 0
    found, known = json.loads((tmp_path / "match.json").read_text("utf-8")), truth()
    assert [shot["index"] for shot in found["shots"]] == [shot["index"] for shot in known["shots"]]
    for seen, shot in zip(found["shots"], known["shots"], strict=True):
        assert abs(seen["start_t"] - shot["start_t"]) < 0.05
        assert seen["cue_ball"] == shot["cue_ball"] and seen["call"] == shot["call"]
        for key in ("outcome", "points", "opponent_points", "turn"):
            assert (shot["index"], key, seen["ruling"][key]) == (shot["index"], key, shot["ruling"][key])
        for ball, place in shot["positions_after"].items():
            there = seen["positions_after"][ball]
            assert (there is None) == (place is None)
            assert place is None or dist(there, place) < 10
    assert found["scores"] == known["shots"][-1]["ruling"]["state"]["scores"]
