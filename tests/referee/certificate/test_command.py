"""`poedinok calibrate certify`: what is written, and what is refused in one line."""

from __future__ import annotations

import json

import pytest

from calibration.profile import write_profile
from referee.cli import main
from tests.referee.certificate.test_watching import LAID, SCENE
from tests.vision.clips import write_video
from tests.vision.tables import profile


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("certify")
    write_profile(SCENE.profile, path / "table.toml")
    pictures = [SCENE.picture({**LAID, "white": (1000.0, 1300.0)}) for _ in range(45)]
    write_video(path / "still.mp4", pictures)
    blank = [pictures[0] * 0 + 90 + (k * 17 % 60) for k in range(12)]
    write_video(path / "blank.mp4", blank)
    return path


def run(folder, *words: str) -> int:
    return main(
        ["calibrate", "certify", *[str(folder / w) if w.endswith((".mp4", ".toml", ".html", ".pdf", ".json")) else w for w in words]]
    )


def test_page_and_json_are_written(folder, capsys) -> None:
    assert run(folder, "still.mp4", "--profile", "table.toml", "--out", "c.html", "--json", "c.json", "--lang", "en") == 0
    said = capsys.readouterr().out
    assert "grade: none" in said and "not measured" in said and "a roll along the table" in said
    assert (folder / "c.html").read_text("utf-8").startswith("<!doctype html>")
    assert {k["at"][0] for k in json.loads((folder / "c.json").read_text())["known_places"]} == {"home-spot", "pyramid-spot", "right"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("none.mp4", "--profile", "table.toml", "--out", "c.pdf"), "none.mp4"),
        (("still.mp4", "--profile", "none.toml", "--out", "c.pdf"), "none.toml"),
        (("still.mp4", "--profile", "table.toml", "--out", "c.txt"), ".html or .pdf"),
        (("still.mp4", "--profile", "table.toml", "--out", "nowhere/c.pdf"), "--out"),
        (("still.mp4", "--profile", "table.toml", "--out", "c.pdf", "--balls", "white,green"), "--balls"),
        (("still.mp4", "--profile", "table.toml", "--out", "c.pdf", "--protocol", "none.toml"), "none.toml"),
        (("still.mp4", "--profile", "table.toml", "--out", "c.pdf", "--json", "nowhere/c.json"), "--json"),
    ],
)
def test_bad_options_are_named(folder, capsys, words, said) -> None:
    assert run(folder, *words) == 2
    error = capsys.readouterr().err
    assert said in error and error.count("\n") == 1


def test_a_profile_of_another_picture(folder, capsys) -> None:
    write_profile(profile(width=640, height=360), folder / "other.toml")
    assert run(folder, "still.mp4", "--profile", "other.toml", "--out", "c.pdf") == 2
    assert "640x360" in capsys.readouterr().err


def test_nothing_recognised(folder, capsys) -> None:
    assert run(folder, "blank.mp4", "--profile", "table.toml", "--out", "blank.pdf") == 2
    assert "not one step" in capsys.readouterr().err
    assert not (folder / "blank.pdf").exists()


def test_one_frozen_picture_is_refused(folder, capsys) -> None:
    write_video(folder / "frozen.mp4", [SCENE.picture({**LAID, "white": (1000.0, 1300.0)})] * 45)
    assert run(folder, "frozen.mp4", "--profile", "table.toml", "--out", "frozen.pdf") == 2
    error = capsys.readouterr().err
    assert "one frozen picture" in error.splitlines()[-1]
    assert not (folder / "frozen.pdf").exists()


def test_no_camera_answers(folder, capsys) -> None:
    assert run(folder, "http://127.0.0.1:9/none", "--profile", "table.toml", "--out", "c.pdf") == 2
    assert "no camera or stream answers" in capsys.readouterr().err
