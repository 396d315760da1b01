"""The bench over real clips: what it makes of label files and scores."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.bench.footage import Clip, Outcome, clips, corner_error, row, total

TRUTH = {
    "corners_px": [[0, 100], [0, 0], [200, 0], [200, 100]],
    "balls": {"white": {}},
    "size_mm": [1881, 943],
    "ball_mm": 52.4,
    "table": "pool-7ft",
}
FIGURES = {"f1": 0.9, "hits": 9, "events": 10, "misses": 1, "spurious": 1, "shots": "1/1 found, 2 spurious"}


def outcome(figures=FIGURES, corners=None) -> Outcome:
    return Outcome(figures, (), 3.25, corners)


def test_clips_are_those_with_labels(tmp_path: Path) -> None:
    for name in ("a.mp4", "b.avi", "c.mp4", "a.truth.json", "b.truth.json", "d.truth.json"):
        (tmp_path / name).write_text(json.dumps(TRUTH))
    assert [c.video.name for c in clips(tmp_path)] == ["a.mp4", "b.avi"]
    assert [c.video.name for c in clips(tmp_path, ["b"])] == ["b.avi"]


def test_table_options_follow_the_label() -> None:
    assert Clip(Path(), Path(), TRUTH).table_options() == ["--size", "1881x943", "--ball-mm", "52.4"]
    assert Clip(Path(), Path(), TRUTH | {"table": "carom-10ft"}).table_options() == ["--table", "carom-10ft"]


def test_corner_error_is_in_percent_of_the_diagonal() -> None:
    moved = [[0, 100], [0, 0], [200, 0], [200, 100 + 50**0.5]]
    assert corner_error(moved, TRUTH["corners_px"]) == pytest.approx(100 * 50**0.5 / 50000**0.5)
    assert corner_error(None, TRUTH["corners_px"]) is None


def test_rows_and_totals() -> None:
    line = row("clip", outcome(), outcome(None), TRUTH)
    assert "0.900" in line and "9/10 +1" in line and "1/1" in line and line.split()[-1] == "3.2" and "—" in line
    assert total([outcome(), outcome(), outcome(None)]) == "F1 0.900 (18/20 events, 2 spurious, 2/3 clips)"
