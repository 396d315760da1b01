"""Journal, match.json and notation tell one match; `poedinok notation` and `adjudicate` on them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from calibration.errors import UserError
from calibration.table import table
from referee import adjudicate
from referee.analyze import replayed
from referee.cli import main
from referee.codec import case_to_json, ruling_to_json
from referee.exchange import from_document, from_journal, to_journal
from referee.journal_file import write_journal
from referee.match import Began, Called, Confirmed, Corrected, Decided, Entry, Played, Undone, append
from referee.notation import cases, read_match, read_shot, read_state, summary, write_case, write_match
from referee.ruling import Explanation, Item
from tests.referee.documents import document

TABLE = table()
START = read_state("W500,900/Y2662.5,887.5/R887.5,887.5/B1775,887.5 W lies 0 0:0/30 - -")
POT = read_shot("0:W! 0.61:WxY 1.02:Y>FL 3.9:W. = W2400,1000/Y-/R887.5,887.5/B1775,887.5")
MISS = read_shot("0:Y! 0.8:Y|f 2.2:Y. = W2400,1000/Y3100,1500/R887.5,887.5/B1775,887.5")


def journal() -> tuple[Entry, ...]:
    """A called pot, a miss that a person first corrected and then took back, a late call that nobody understands."""
    entries = append((), Began(START, ("Анна", "Борис")))
    after = {**MISS.positions, "yellow": (2000.0, 400.0)}
    for what in (
        Called(1, "жёлтый в левый дальний угол"),
        Played(1, POT, START.positions),
        Played(2, MISS, {**POT.positions, "yellow": (1200.0, 500.0)}),
        Corrected(2, replace(MISS, positions=after)),
        Confirmed(1),
        Undone(5),
        Called(2, "что-нибудь"),
    ):
        entries = append(entries, what)
    return entries


def decided() -> tuple[Entry, ...]:
    """The same, but a person saw a touch in the second stroke and gave a foul otherwise than the rules would."""
    entries = journal()
    pot, made = (stroke.ruling for stroke in replayed(entries, TABLE).strokes)
    assert pot is not None and made is not None
    entries = append(entries, Decided(1, replace(pot, items=(Item("8.3", "yellow", 3),), explanation=Explanation("Да.", "Yes."))))
    return append(entries, Decided(2, replace(made, fouls=(replace(made.fouls[0], rule="12.5", balls=("red",), event=None),))))


@pytest.mark.parametrize("entries", [journal(), decided()], ids=["by the rules", "with a decision"])
def test_a_journal_in_notation_reads_back(entries: tuple[Entry, ...]) -> None:
    text = write_match(from_journal(entries, TABLE))
    back = to_journal(read_match(text))
    assert write_match(from_journal(back, TABLE)) == text
    old, new = replayed(entries, TABLE), replayed(back, TABLE)
    assert new.players == old.players and new.scores == old.scores == (3, 3)
    for a, b in zip(old.strokes, new.strokes, strict=True):
        assert (a.before, a.shot, a.call) == (b.before, b.shot, b.call)
        assert a.ruling is not None and b.ruling is not None and summary(a.ruling) == summary(b.ruling)
        assert a.ruling.state == b.ruling.state


def test_a_state_that_does_not_follow_is_refused() -> None:
    text = write_match(from_journal(journal(), TABLE))
    assert "3:0/30" in text
    with pytest.raises(UserError, match="stroke 2"):
        to_journal(read_match(text.replace("3:0/30", "9:0/30")))


def test_words_alone_are_the_call() -> None:
    text = write_match(from_journal(journal(), TABLE))
    said = "\n".join(line for line in text.split("\n") if line != "1 call Y>FL")
    assert cases(read_match(said)) == cases(read_match(text))
    with pytest.raises(ValueError, match="stroke 1: said: "):
        read_match(said.replace("жёлтый", "зелёный"))


def test_the_document_of_analyze() -> None:
    match = from_document(document(), TABLE)
    assert match.turns[0].state.opening and match.turns[0].state.target == 30
    assert [turn.said for turn in match.turns] == ["жёлтый от борта в правый дальний угол", None, "ерунда"]
    assert read_match(write_match(match)) == match
    case = cases(match)[0]
    assert adjudicate(case.state, case.shot, case.call, case.table).points == 6


def printed(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> str:
    assert main([*map(str, arguments)]) == 0
    return capsys.readouterr().out


def test_the_command(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    write_journal(tmp_path / "journal.jsonl", journal())
    (tmp_path / "match.json").write_text(json.dumps(document(), ensure_ascii=False, indent=1), "utf-8")
    text = printed(capsys, "notation", tmp_path / "journal.jsonl")
    (tmp_path / "match.txt").write_text(text, "utf-8")
    assert printed(capsys, "notation", tmp_path / "match.txt", "--out", tmp_path / "back.jsonl") == ""
    assert printed(capsys, "notation", tmp_path / "back.jsonl") == text
    assert printed(capsys, "notation", tmp_path / "match.json") == write_match(from_document(document(), TABLE))
    on_nine = printed(capsys, "notation", tmp_path / "journal.jsonl", "--table", "pyramid-11ft")
    assert '[Table "pyramid-11ft"]' in on_nine


@pytest.mark.parametrize(
    "content", ["", "{}", "[]", '{"shots": [{}], "table": {}}', '[Table "x"]\n', '{"entry":1}\n', "nonsense", "\ud83d"]
)
def test_the_command_names_the_file(capsys: pytest.CaptureFixture[str], tmp_path: Path, content: str) -> None:
    path = tmp_path / "source"
    path.write_bytes(content.encode("utf-8", "surrogatepass"))
    assert main(["notation", str(path)]) == 2
    said = capsys.readouterr()
    assert said.out == "" and said.err.count("\n") == 1 and str(path) in said.err


def test_adjudicate_takes_notation(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    match = from_journal(journal(), TABLE)
    rulings = [ruling_to_json(adjudicate(c.state, c.shot, c.call, c.table)) for c in cases(match)]
    (tmp_path / "match.txt").write_text(write_match(match), "utf-8")
    assert [json.loads(line) for line in printed(capsys, "adjudicate", tmp_path / "match.txt").splitlines()] == rulings
    line = write_case(cases(match)[0])
    (tmp_path / "case.txt").write_text("\ufeff# a stroke\r\n" + line + "\r\n", "utf-8")
    assert json.loads(printed(capsys, "adjudicate", tmp_path / "case.txt")) == rulings[0]
    mixed = [line, json.dumps(case_to_json(cases(match)[1])), "", line.replace("Y>FL;", "Y>XX;"), line.replace("W500", "W9500", 1)]
    (tmp_path / "mixed").write_text("\n".join(mixed) + "\n", "utf-8")
    out = [json.loads(text) for text in printed(capsys, "adjudicate", "--lines", tmp_path / "mixed").splitlines()]
    assert out[:2] == rulings
    assert [sorted(text) for text in out[2:]] == [["error"]] * 3
    assert "column" in out[3]["error"] and "state.positions.white" in out[4]["error"]


def test_adjudicate_names_the_column(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "case.txt").write_text(write_case(cases(from_journal(journal(), TABLE))[0]).replace(" lies ", " stands "))
    assert main(["adjudicate", str(tmp_path / "case.txt")]) == 2
    said = capsys.readouterr()
    assert said.out == "" and said.err.count("\n") == 1 and "column" in said.err


@pytest.mark.parametrize("table", ["blah", "carom-10ft"])
def test_the_table_of_a_journal_has_pockets(capsys: pytest.CaptureFixture[str], tmp_path: Path, table: str) -> None:
    write_journal(tmp_path / "journal.jsonl", journal())
    assert main(["notation", str(tmp_path / "journal.jsonl"), "--table", table]) == 2
    assert "--table: expected a table" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("old", "new"), [("Анна", "\\ud83d"), ("[500.0,900.0]", "[500.0]"), ('"events":[', '"events":[7,'), ("2400.0", '"x"')]
)
def test_a_journal_that_cannot_be_ruled_on(capsys: pytest.CaptureFixture[str], tmp_path: Path, old: str, new: str) -> None:
    path = tmp_path / "journal.jsonl"
    write_journal(path, journal())
    path.write_text(path.read_text("utf-8").replace(old, new), "utf-8")
    assert main(["notation", str(path)]) == 2
    said = capsys.readouterr()
    assert said.out == "" and said.err.count("\n") == 1 and str(path) in said.err


@pytest.mark.parametrize("command", ["adjudicate", "notation"])
@pytest.mark.parametrize("time", ["-0.61", "5"])
def test_events_out_of_order_are_named_by_their_stroke(capsys: pytest.CaptureFixture[str], tmp_path: Path, command: str, time: str) -> None:
    text = write_match(from_journal(journal(), TABLE))
    assert text.count(" 0.61:WxY ") == 1
    (tmp_path / "match.txt").write_text(text.replace(" 0.61:WxY ", f" {time}:WxY "), "utf-8")
    assert main([command, str(tmp_path / "match.txt")]) == 2
    said = capsys.readouterr()
    assert said.out == "" and "match.txt: stroke 1: shot.events[" in said.err


def test_a_field_that_match_json_lacks_is_named(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    found = document()
    del found["table"]
    (tmp_path / "match.json").write_text(json.dumps(found), "utf-8")
    assert main(["notation", str(tmp_path / "match.json")]) == 2
    assert "'table' is missing" in capsys.readouterr().err
