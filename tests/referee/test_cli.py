"""The command line: what a user can get wrong is one line on standard error and exit status 2."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from calibration.errors import UserError
from referee import cli

COMMANDS = ("analyze", "calibrate", "live", "batch", "detect", "adjudicate", "parse-call", "simulate", "train")
CASE = {
    "state": {
        "player": 0, "scores": [0, 0], "target": 30, "opening": False, "cue_ball": "white", "placement": "as_lies",
        "positions": {"white": [500, 900], "yellow": [2662.5, 887.5], "red": [887.5, 887.5], "black": [1775, 887.5]}, "waiting": [],
    },
    "call": None,
    "shot": {
        "events": [
            {"t": 0.0, "type": "strike", "ball": "white"}, {"t": 0.61, "type": "contact", "balls": ["white", "yellow"]},
            {"t": 1.02, "type": "pocket", "ball": "yellow", "pocket": "foot-left"}, {"t": 3.9, "type": "stop", "ball": "white"},
        ],
        "positions": {"white": [2400, 1000], "yellow": None, "red": [887.5, 887.5], "black": [1775, 887.5]},
    },
}  # fmt: skip


def fails(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The one line that a wrong command says."""
    assert cli.main([*map(str, arguments)]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("poedinok: ") and said.err.count("\n") == 1 and "Traceback" not in said.err
    return said.err


@pytest.fixture
def video(tmp_path: Path) -> Path:
    """A file that is no video, though its name says so."""
    path = tmp_path / "notes.mp4"
    path.write_text("this is a text\n")
    return path


def test_version_and_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("poedinok ")
    assert cli.main([]) == 0
    listed = capsys.readouterr().out
    assert all(f"  {name}" in listed for name in COMMANDS)


@pytest.mark.parametrize("command", [c for c in COMMANDS if c != "train"])
def test_every_command_has_help(capsys: pytest.CaptureFixture[str], command: str) -> None:
    assert cli.main([command, "--help"]) == 0
    assert "Usage: poedinok " + command in capsys.readouterr().out


def test_adjudicate_prints_the_ruling(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    case = tmp_path / "case.json"
    case.write_text(json.dumps(CASE))
    assert cli.main(["adjudicate", str(case)]) == 0
    ruling = json.loads(capsys.readouterr().out)
    assert (ruling["outcome"], ruling["points"], ruling["state"]["scores"]) == ("scored", 3, [3, 0])


def test_adjudicate_names_the_field(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    case = tmp_path / "case.json"
    case.write_text(json.dumps(CASE | {"state": CASE["state"] | {"player": 5}}))
    assert f"poedinok: {case}: state.player: expected" in fails(capsys, "adjudicate", str(case))
    assert "adjudicate" in fails(capsys, "adjudicate")


def test_parse_call(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["parse-call", "жёлтый в левый дальний угол", "--cue", "white"]) == 0
    assert json.loads(capsys.readouterr().out)["elements"][0]["pocket"] == "foot-left"
    assert cli.main(["parse-call", "тыгыдым", "--cue", "white"]) == 2
    said = capsys.readouterr()
    assert said.out == "" and "тыгыдым" in said.err and said.err.count("\n") == 1 and "docs/CALLS.md" in said.err
    for example in re.findall("«(.+?)»", said.err.partition("for example")[2]):  # what it suggests is understood
        assert cli.main(["parse-call", example, "--cue", "white"]) == 0
    assert capsys.readouterr().out.count("foot-right") == 2
    fails(capsys, "parse-call", "свой", "--cue", "red")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nonsense"], "nonsense"),
        (["analyze"], "VIDEO"),
        (["analyze", "{video}"], "--out"),
        (["analyze", "{dir}/none.mp4", "--out", "{dir}/out"], "none.mp4: video not found"),
        (["analyze", "{dir}", "--out", "{dir}/out"], "expected a file"),
        (["analyze", "{video}", "--out", "{dir}/out", "--balls", "white,green"], "green"),
        (["analyze", "{video}", "--out", "{dir}/out", "--players", "Anna"], "--players"),
        (["analyze", "{video}", "--out", "{dir}/out", "--target", "-3"], "--target"),
        (["analyze", "{video}", "--out", "{dir}/out", "--target", "many"], "--target"),
        (["analyze", "{video}", "--out", "{dir}/out", "--home", "up"], "--home"),
        (["analyze", "{video}", "--out", "{dir}/out", "--calls", "{dir}/none.srt"], "none.srt"),
        (["analyze", "{video}", "--out", "{dir}/out", "--calls", "{video}"], "notes.mp4:1: expected SRT"),
        (["analyze", "{video}", "--out", "{dir}/out", "--start", "{video}"], "not JSON"),
        (["analyze", "{video}", "--out", "{dir}/out", "--weights", "{dir}/none.onnx"], "weights not found"),
        (["analyze", "{video}", "--out", "{video}/out"], "cannot write there"),
        (["live", "0", "--profile", "x.toml"], "x.toml"),
        (["simulate", "match", "--out", "{dir}/out", "--size", "big"], "--size"),
        (["simulate", "match"], "--out"),
    ],
)
def test_one_line_names_what_is_wrong(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, video: Path, arguments: list[str], said: str
) -> None:
    filled = [a.format(video=video, dir=tmp_path) for a in arguments]
    assert said in fails(capsys, *filled)
    assert not list(tmp_path.glob("out/*"))


def test_scenario_that_does_not_exist(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    pytest.importorskip("numba")
    assert "nothing-of-that-name" in fails(capsys, "simulate", "nothing-of-that-name", "--out", str(tmp_path / "out"))


@pytest.mark.parametrize(("module", "extra"), [("numba", "simulate"), ("torch.nn", "train")])
def test_missing_extra_is_named(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, module: str, extra: str) -> None:
    def missing(*_: object, **__: object) -> None:
        raise ModuleNotFoundError(f"No module named '{module}'", name=module)

    monkeypatch.setattr(cli, "app", missing)
    assert f"expected the {extra} extra" in fails(capsys, "x")


def test_interrupt_is_130(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "app", interrupted)
    assert cli.main([]) == 130
    assert capsys.readouterr().err == "poedinok: interrupted\n"


@pytest.mark.parametrize("error", [UserError("two\nlines"), OSError(28, "No space left on device", "out/match.json")])
def test_errors_are_one_line(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    def failing(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(cli, "app", failing)
    assert fails(capsys, "x") in ("poedinok: two lines\n", "poedinok: out/match.json: No space left on device\n")


def test_reader_of_a_pipe_may_leave(tmp_path: Path) -> None:
    cases = tmp_path / "cases.jsonl"
    cases.write_text((json.dumps(CASE) + "\n") * 2000)
    command = [sys.executable, "-m", "referee.cli", "adjudicate", "--lines", str(cases)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None and running.stderr is not None
        running.stdout.readline()
        running.stdout.close()
        assert running.stderr.read() == ""
    assert running.returncode == 1


@pytest.mark.parametrize(
    "arguments", [["adjudicate", "-"], ["adjudicate", "--lines", "-"], ["parse-call", "--lines", "-"], ["notation", "-"]]
)
def test_closed_standard_input(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, arguments: list[str]) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    assert "standard input is closed" in fails(capsys, *arguments)


def test_closed_standard_output(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    assert cli.main(["parse-call", "свой в угол"]) == 2
    assert capsys.readouterr().err == "poedinok: standard output is closed\n"
