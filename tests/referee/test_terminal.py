"""What a person at a terminal reads after an analysis."""

from __future__ import annotations

from pathlib import Path

import pytest

from referee.analyze import Result
from referee.terminal import progress, summary
from tests.referee.documents import document


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


def test_no_progress_bar_where_there_is_no_terminal() -> None:
    with progress() as told:
        assert told is None
