"""`poedinok parse-call`."""

import json
from pathlib import Path

import pytest

from calibration.errors import UserError
from referee.calls import CallError, parse
from referee.calls.command import run_lines, run_parse_call


def test_a_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_parse_call("жёлтый в угол", "white") == 0
    assert json.loads(capsys.readouterr().out) == {"elements": [{"kind": "pot", "ball": "yellow", "pocket": "corner", "cushions": 0}]}


@pytest.mark.parametrize(
    ("text", "part"), [("жёлтый в зелёный угол", "зелёный"), ("жёлтый в левый угол", "жёлтый в левый угол"), ("", "nothing")]
)
def test_not_understood(text: str, part: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_parse_call(text, "white") == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert part in err and err.count("\n") == 1 and err.startswith("poedinok: ")


def test_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "calls.txt"
    path.write_bytes("\ufeffсвой в угол\r\nчто-то\r\n\r\nсвой в левый угол\n".encode())
    assert run_parse_call(None, "white", path) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [sorted(line) for line in lines] == [["elements"], ["error", "part"], ["error", "part"], ["error", "part", "readings"]]
    assert lines[1]["part"] == "что"
    assert len(lines[3]["readings"]) == 2


def test_wrong_use(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="one of the two"):
        run_parse_call(None, "white")
    with pytest.raises(UserError, match="one of the two"):
        run_parse_call("свой", "white", tmp_path)
    with pytest.raises(UserError, match=r"nothing\.txt"):
        run_parse_call(None, "white", tmp_path / "nothing.txt")
    (tmp_path / "bad.txt").write_bytes(b"ok\n\xff\xfe")
    with pytest.raises(UserError, match=r"bad\.txt:2: .*UTF-8"):
        run_parse_call(None, "white", tmp_path / "bad.txt")


def test_lines_never_raise() -> None:
    assert len(list(run_lines(["\x00", "в" * 5000, "свой"], "yellow"))) == 3


@pytest.mark.parametrize("text", ["\ud800", "жёлтый \udc00 в угол", "в\udfff"])
def test_half_a_character_is_an_error_of_the_call(text: str) -> None:
    with pytest.raises(CallError, match="surrogate"):
        parse(text, "white")
    (line,) = run_lines([text], "white")
    line.encode("utf-8")
