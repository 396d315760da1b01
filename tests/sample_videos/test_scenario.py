"""Scenarios and the library of strokes: what is wrong is named in one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from calibration.errors import UserError
from calibration.table import table
from sample_videos import physics
from sample_videos.command import run_simulate
from sample_videos.strokes import KINDS, ScenarioError, library, read_stroke

GOOD = {"placing": {"white": [500, 900], "yellow": [2000, 900]}, "speed": 1500, "heading": 0.5}


def test_the_library_reads_and_every_stroke_has_a_telling_name() -> None:
    strokes = library()
    assert len(strokes) >= 80
    assert all(stroke.about for stroke in strokes.values())
    assert {stroke.kind for stroke in strokes.values()} == set(KINDS)
    assert {"straight-pot", "own-middle", "miss", "white-red", "black-first", "inactive", "near-miss"} <= set(strokes)


def test_list_needs_no_simulator(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_simulate("list", Path("nowhere")) == 0
    shown = capsys.readouterr().out
    assert "straight-pot" in shown and "match" in shown


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"speed": "fast"}, "speed"),
        ({"speed": -3}, "speed"),
        ({"heading": None}, "heading"),
        ({"cue_ball": "red"}, "cue_ball"),
        ({"placing": {"white": [500]}}, "placing.white"),
        ({"placing": {"pink": [500, 500]}}, "placing"),
        ({"placing": {}}, "placing"),
        ({"spin": 3}, "spin"),
        ({"call": 5}, "call"),
        ({"placement": "somewhere"}, "placement"),
        ({"falls": {"ball": "yellow", "pocket": "left", "after": 1}}, "pocket"),
        ({"kind": "odd"}, "kind"),
        ({"struck": "pink"}, "struck"),
        ({"cloth": {"wool": 1}}, "cloth"),
        ({"cloth": {"roll": -1}}, "roll"),
        ({"double": "yes"}, "double"),
        ({"push": 3}, "push"),
        ({"touch": {"ball": "red", "at": 1}}, "touch"),
        ({"touch": {"ball": "red", "at": 1, "by": [1, 2], "how": "foot"}}, "how"),
        ({"again": "white"}, "again"),
        ({"again": {"ball": "white", "at": 2, "speed": 0, "heading": 0}}, "speed"),
    ],
)
def test_a_wrong_field_is_named(change: dict, named: str) -> None:
    with pytest.raises(ScenarioError, match=named) as caught:
        read_stroke({**GOOD, **change}, "stroke 1")
    assert "\n" not in str(caught.value) and "expected" in str(caught.value)


def test_a_good_stroke_is_read() -> None:
    stroke = read_stroke(GOOD, "stroke 1")
    assert stroke.cue_ball == "white" and stroke.speed == 1500 and stroke.falls is None


@pytest.mark.skipif(not physics.available(), reason="needs pooltool (the simulate extra)")
@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("speed = ", "not TOML"),
        ("[weather]\nrain = true", "weather"),
        ("[video]\nfps = 'many'\n[[stroke]]\nuse = 'miss'", "video.fps"),
        ("[video]\nsize = [13, 7]\n[[stroke]]\nuse = 'miss'", "video.size"),
        ("[video]\ntable = 'ping-pong'\n[[stroke]]\nuse = 'miss'", "video.table"),
        ("[timing]\naim = -1\n[[stroke]]\nuse = 'miss'", "timing.aim"),
        ("[cloth]\nwool = 1\n[[stroke]]\nuse = 'miss'", "cloth.wool"),
        ("[camera]\nzoom = 1\n[[stroke]]\nuse = 'miss'", "camera"),
        ("[look]\nmood = 1\n[[stroke]]\nuse = 'miss'", "look.mood"),
        ("[[stroke]]\nuse = 'trick shot'", "use"),
        ("", "stroke"),
    ],
)
def test_a_wrong_scenario_is_named(tmp_path: Path, text: str, named: str) -> None:
    path = tmp_path / "scene.toml"
    path.write_text(text)
    with pytest.raises(UserError, match=named) as caught:
        run_simulate(str(path), tmp_path)
    assert "\n" not in str(caught.value)
    assert not list(tmp_path.glob("*.mp4"))


def test_an_unknown_scenario_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError):
        run_simulate("no such thing", tmp_path)


@pytest.mark.skipif(not physics.available(), reason="needs pooltool (the simulate extra)")
def test_a_bad_size_or_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="even pixels"):
        run_simulate("miss", tmp_path, size=(333, 201))
    taken = tmp_path / "file"
    taken.write_text("")
    with pytest.raises(UserError, match="folder"):
        run_simulate("miss", taken)
    with pytest.raises(UserError, match="fps"):
        run_simulate("miss", tmp_path, fps="often")


@pytest.mark.train
@pytest.mark.skipif(not physics.available(), reason="needs pooltool (the simulate extra)")
@pytest.mark.parametrize("name", list(library()))
def test_every_stroke_of_the_library_plays(name: str) -> None:
    from sample_videos.strokes import play

    shot = play(library()[name], table())
    # a ball may be touched while the stroke is aimed, and a ball that leaves the table meets nothing else
    assert next(e["type"] for e in shot.events if e["t"] >= 0) == "strike"
    assert len(shot.events) >= 2


def test_the_docs_name_every_stroke_of_the_library() -> None:
    text = (Path(__file__).parents[2] / "docs" / "SIMULATION.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1:3] for line in text.splitlines() if line.startswith("| ") and "`" in line.split("|")[2]]
    assert {(kind.strip(), name.strip(" `")) for kind, name in rows} >= {(stroke.kind, stroke.name) for stroke in library().values()}
