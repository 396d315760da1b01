"""What a person at a terminal reads after an analysis."""

from __future__ import annotations

from pathlib import Path

import pytest

from referee.analyze import Result
from referee.terminal import progress, summary
from tests.referee.documents import document
from vision.pipeline import Progress


def test_summary_says_score_what_to_check_and_where(capsys: pytest.CaptureFixture[str]) -> None:
    summary(Result(Path("out"), document(), {"calibration": 1.5, "rules and report": 0.25}, 45.0), timings=False)
    said = capsys.readouterr().out
    assert "Анна & Ко 6 : 3 Борис" in said and "3 strokes, 1 to check" in said
    assert "stroke 2 at 20.0 s: two contacts within 2 ms" in said and "note: calibrated on the video itself" in said
    assert f"report: {Path('out') / 'report.html'}" in said and "frames/s" not in said


def test_timings_are_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    summary(Result(Path("out"), document(), {"calibration": 1.5}, 45.0), timings=True)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split() for line in lines if line.startswith(("calibration ", "whole"))] == [
        ["calibration", "1.50", "0.56"],
        ["whole", "45.00", "16.67"],
    ]
    assert lines[-1] == "60.0 frames/s"


def test_no_ruling_no_score(capsys: pytest.CaptureFixture[str]) -> None:
    without = document()
    without["shots"] = [shot | {"ruling": None, "review": []} for shot in without["shots"]]
    summary(Result(Path("out"), without, {}, 1.0), timings=False)
    said = capsys.readouterr().out
    assert " : " not in said and "3 strokes\n" in said


def test_many_strokes_to_check_are_cut_short(capsys: pytest.CaptureFixture[str]) -> None:
    many = document()
    many["shots"] = [many["shots"][1] | {"index": i} for i in range(1, 13)]
    summary(Result(Path("out"), many, {}, 1.0), timings=False)
    said = capsys.readouterr().out
    assert "stroke 8 " in said and "stroke 9 " not in said and "and 4 more" in said


def test_where_there_is_no_terminal_each_stage_is_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    with progress() as told:
        for done in (1, 2, 3):
            told(Progress("frames", done, 3))
        told(Progress("video", 1, None))
    said = capsys.readouterr()
    assert said.err.splitlines() == ["frames: begun", "frames: done in 0 s", "video: begun", "video: done in 0 s"] and said.out == ""


def test_a_long_stage_is_heard_of_each_minute(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr("referee.terminal.time.monotonic", lambda: now[0])
    with progress() as told:
        for done in range(0, 200, 10):
            now[0] = float(done)
            told(Progress("frames", done, 200))
    assert capsys.readouterr().err.splitlines() == [
        "frames: begun", "frames: 60 of 200", "frames: 120 of 200", "frames: 180 of 200", "frames: done in 190 s"
    ]  # fmt: skip
