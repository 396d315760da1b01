"""What people see of a run: plain lines, and the live table drawn to text."""

from __future__ import annotations

import io

import pytest

from referee.batch import board
from referee.batch.board import Lines, Remaining, Table, duration
from referee.batch.jobs import Job, Outcome, Step

JOBS = [Job(0, "analyze", {}, "/club/a.mp4", 1000), Job(1, "analyze", {}, "/club/b.mp4", 3000), Job(2, "analyze", {}, "/club/c.mp4")]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr(board.time, "monotonic", lambda: now[0])
    return now


def test_time_left_is_from_the_frames_done_lately(clock: list[float]) -> None:
    left = Remaining(JOBS)
    assert left.left() is None and left.share() == 0  # nothing is known yet
    clock[0] += 10
    left.step(Step(0, "frames", 500, 1000))
    left.step(Step(1, "calibration", 9999, None))  # no frames
    assert left.rate() == 50 and left.left() == pytest.approx((6000 - 500) / 50)
    left.ended(Outcome(JOBS[1], error="broken"))  # what failed is not left to do either
    assert left.left() == pytest.approx((6000 - 3500) / 350)
    clock[0] += 1000
    left.step(Step(2, "frames", 500, None))
    clock[0] += 100
    left.step(Step(2, "frames", 1500, None))
    assert left.rate() < 10  # the fast beginning is forgotten


def test_lines(clock: list[float]) -> None:
    said: list[str] = []
    lines = Lines(said.append)
    lines.phase("refereeing videos", JOBS)
    clock[0] += 10
    lines.ended(Outcome(JOBS[0], {}), "a.mp4: 3 strokes")
    lines.ended(Outcome(JOBS[2], error="c.mp4: no table found"), "c.mp4: no table found")
    lines.ended(Outcome(JOBS[1], {}), "")
    assert said == ["refereeing videos: 3", "[1/3] a.mp4: 3 strokes; 50 s left", "[2/3] c.mp4: no table found"]


def test_the_table_shows_what_runs_and_the_whole(clock: list[float]) -> None:
    from rich.console import Console

    table = Table(print)
    table.phase("refereeing videos", JOBS)
    table.step(Step(0, "starting", 0, None))
    table.step(Step(1, "frames", 0, 3000))
    clock[0] += 10
    table.step(Step(1, "frames", 1000, 3000))
    table.ended(Outcome(JOBS[2], error="c.mp4: no table found"), "c.mp4: no table found")
    page = io.StringIO()
    Console(file=page, width=100).print(table.render())
    text = page.getvalue()
    assert "a.mp4  starting" in text and "c.mp4: no table found" in text and "refereeing videos: 1 of 3, 1 failed" in text
    row = next(line for line in text.splitlines() if "b.mp4" in line)
    assert "frames" in row and "100" in row and "20 s" in row
    assert "/club" not in text


@pytest.mark.parametrize(("seconds", "text"), [(0.4, "0 s"), (59, "59 s"), (185, "3:05 min"), (8040, "2:14 h")])
def test_durations(seconds: float, text: str) -> None:
    assert duration(seconds) == text
