"""`poedinok analyze` as a whole on small videos: the folder it writes, and the inputs it refuses."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from referee import cli
from tests.referee.test_annotate import SIZE, STAMPS, write_video

MADE = ["match.json", "profile.toml", "report.html", "source.json", "tracks.csv"]  # what analyze leaves

PROFILE = """
[table]
name = "pyramid-12ft"
length_mm = 3550
width_mm = 1775
ball_mm = 68

[picture]
width = {width}
height = {height}
corners_px = [[30, 230], [80, 60], [400, 60], [450, 230]]
"""


@pytest.fixture
def video(tmp_path: Path) -> Path:
    """An empty grey picture for less than a second."""
    write_video(tmp_path / "grey.mp4")
    return tmp_path / "grey.mp4"


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    path = tmp_path / "table.toml"
    path.write_text(PROFILE.format(width=SIZE[0], height=SIZE[1]))
    return path


def refused(capsys: pytest.CaptureFixture[str], out: Path, *arguments: object) -> str:
    assert cli.main(["analyze", *map(str, arguments), "--out", str(out)]) == 2
    said = capsys.readouterr()
    assert said.out == "" and said.err.count("\n") == 1
    assert not out.exists() or list(out.iterdir()) == []
    return said.err


def test_a_video_without_balls_gives_a_whole_folder(tmp_path: Path, video: Path, profile: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    (tmp_path / "calls.csv").write_text("video_t,call\n0.1,свой в угол\n")
    options = [
        "--profile",
        profile,
        "--calls",
        tmp_path / "calls.csv",
        "--annotate",
        "--timings",
        "--players",
        "Анна,Борис",
        "--lang",
        "en",
    ]
    assert cli.main(["analyze", *map(str, [video, *options]), "--out", str(out)]) == 0
    said = capsys.readouterr()
    assert "0 strokes" in said.out and "frames/s" in said.out
    assert [line.split(":")[0] for line in said.err.splitlines()] == ["frames"] * 2 + ["annotated video"] * 2
    assert sorted(p.name for p in out.iterdir()) == ["annotated.mp4", *MADE]
    match = json.loads((out / "match.json").read_text("utf-8"))
    assert match["video"] == {
        "file": "grey.mp4", "frames": len(STAMPS), "time_base": match["video"]["time_base"], "width": SIZE[0], "height": SIZE[1],
        "duration": match["video"]["duration"],
    }  # fmt: skip
    assert match["table"]["name"] == "pyramid-12ft" and match["table"]["reprojection_mm"] >= 0
    assert (match["shots"], match["scores"], match["players"]) == ([], [0, 0], ["Анна", "Борис"])
    assert any("свой в угол" in note for note in match["notes"])
    assert '<html lang="en">' in (out / "report.html").read_text("utf-8")
    with (out / "tracks.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 4 * len(STAMPS) and {r["state"] for r in rows} <= {"seen", "hidden", "pocketed", "absent"}


def test_a_second_analysis_leaves_no_annotated_video_of_the_first(tmp_path: Path, video: Path, profile: Path) -> None:
    out = tmp_path / "out"
    assert cli.main(["analyze", str(video), "--profile", str(profile), "--out", str(out), "--annotate"]) == 0
    assert cli.main(["analyze", str(video), "--profile", str(profile), "--out", str(out)]) == 0
    assert sorted(p.name for p in out.iterdir()) == MADE


def test_text_that_is_called_a_video(tmp_path: Path, profile: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "notes.mp4").write_text("not a video\n" * 100)
    assert "notes.mp4" in refused(capsys, tmp_path / "out", tmp_path / "notes.mp4", "--profile", profile)
    assert "notes.mp4" in refused(capsys, tmp_path / "out", tmp_path / "notes.mp4")


def test_video_that_is_cut_to_its_head(tmp_path: Path, video: Path, profile: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cut = tmp_path / "cut.mp4"
    cut.write_bytes(video.read_bytes()[:400])
    assert "cut.mp4" in refused(capsys, tmp_path / "out", cut, "--profile", profile)
    (tmp_path / "empty.mp4").write_bytes(b"")
    assert "empty.mp4" in refused(capsys, tmp_path / "out", tmp_path / "empty.mp4", "--profile", profile)


def test_profile_of_another_picture_size(tmp_path: Path, video: Path, profile: Path, capsys: pytest.CaptureFixture[str]) -> None:
    profile.write_text(PROFILE.format(width=960, height=540))
    assert "960x540" in refused(capsys, tmp_path / "out", video, "--profile", profile)


def test_home_that_contradicts_the_profile(tmp_path: Path, video: Path, profile: Path, capsys: pytest.CaptureFixture[str]) -> None:
    profile.write_text(profile.read_text() + 'home = "left"\n')
    assert "--home top" in refused(capsys, tmp_path / "out", video, "--profile", profile, "--home", "top")


@pytest.mark.parametrize(("old", "new", "field"), [("3550", '"long"', "length_mm"), ("[table]", "[tables]", "[table]"), ("=", "", "TOML")])
def test_wrong_profile_names_the_field(
    tmp_path: Path, video: Path, profile: Path, capsys: pytest.CaptureFixture[str], old: str, new: str, field: str
) -> None:
    profile.write_text(profile.read_text().replace(old, new))
    said = refused(capsys, tmp_path / "out", video, "--profile", profile)
    assert "table.toml" in said and field in said


def test_table_that_cannot_be_found(tmp_path: Path, video: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "grey.mp4" in refused(capsys, tmp_path / "out", video)
