"""The journal as a file: it comes back as it was, also after a kill in the middle of a line."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.errors import UserError
from referee import adjudicate
from referee.journal_file import JournalFile, entry_from_json, entry_to_json, read_journal, write_journal
from referee.match import Began, Called, Confirmed, Corrected, Decided, Entry, Played, Undone, append
from referee.state import State
from vision.shot import Doubt, Event, Shot, Way

PLACES = {"white": (500.0, 500.0), "yellow": (2000.0, 500.0), "red": (887.5, 887.5), "black": (1775.0, 887.5)}
START = State(1, (3, 4), 30, False, "white", "as_lies", PLACES)
SHOT = Shot(
    (Event(0.0, "strike", ball="white"), Event(0.5, "contact", balls=("white", "yellow"), frame=31, video_t=9.5, sigma_ms=1.5)), PLACES
)

TOUCHED = Doubt("red moved", None, (Way("red was touched", (Event(0.3, "touch", ball="red"),), (1,), {"black": (1775.0, 900.0)}),))


def journal() -> tuple[Entry, ...]:
    entries = append((), Began(START, ("Анна", "Борис")), 1.5)
    for what in (
        Called(1, "свой в угол", 8.25),
        Played(1, SHOT, PLACES | {"red": None}, (Doubt("look", 1), TOUCHED), 9.0, 12.0, (Doubt("seen"),), {"white": 1.25}),
        Called(1, {"elements": [{"kind": "pot", "ball": "own"}]}),
        Corrected(1, SHOT),
        Confirmed(1),
        Decided(1, adjudicate(START, SHOT, None)),
        Undone(6),
    ):
        entries = append(entries, what)
    return entries


def test_every_kind_of_entry_comes_back_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "match.jsonl"
    write_journal(path, journal())
    assert read_journal(path) == journal()
    assert [entry_from_json(entry_to_json(e)) for e in journal()] == list(journal())
    assert sorted(p.name for p in tmp_path.iterdir()) == ["match.jsonl"]


def test_a_journal_without_ways_and_notes_is_read() -> None:
    old = entry_to_json(journal()[2])
    old["review"] = [{"event": 1, "reason": "look"}]
    del old["notes"], old["sigma"]
    what = entry_from_json(old).what
    assert isinstance(what, Played) and (what.review, what.notes, what.sigma) == ((Doubt("look", 1),), (), {})


@given(st.data())
def test_cut_anywhere_the_whole_lines_remain_and_writing_goes_on(tmp_path_factory, data) -> None:
    path = tmp_path_factory.mktemp("journal") / "match.jsonl"
    write_journal(path, journal())
    raw = path.read_bytes()
    cut = data.draw(st.integers(0, len(raw)))
    path.write_bytes(raw[:cut])
    whole = raw[:cut].count(b"\n")
    assert read_journal(path) == journal()[:whole]
    with JournalFile(path) as file:
        file.append(*journal()[whole:])
    assert read_journal(path) == journal()


def test_survives_a_kill(tmp_path: Path) -> None:
    path = tmp_path / "match.jsonl"
    code = f"""
import sys
sys.path.insert(0, {os.getcwd()!r})
from pathlib import Path
from referee.journal_file import JournalFile
from referee.match import Called, Entry
from tests.referee.test_journal_file import journal
with JournalFile(Path({str(path)!r})) as file:
    file.append(journal()[0])
    for number in range(2, 10**9):
        file.append(Entry(number, Called(1, "свой в угол")))
        if number == 20:
            print("written", flush=True)
"""
    writer = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert writer.stdout is not None and writer.stdout.readline() == "written\n"
    time.sleep(0.05)
    writer.send_signal(signal.SIGKILL)
    writer.wait()
    entries = read_journal(path)
    assert len(entries) >= 20
    with JournalFile(path) as file:
        file.append(Entry(len(entries) + 1, Called(1, None)))
    assert len(read_journal(path)) == len(entries) + 1


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "expected an entry"),
        ('{"entry": 2, "at": null, "kind": "sung"}', "sung"),
        ('{"entry": 2, "at": null, "kind": "called", "stroke": 1}', "call"),
        ('{"entry": 2, "at": null, "kind": "corrected", "stroke": 1, "shot": {"events": []}}', "positions"),
        ('{"entry": 7, "at": null, "kind": "called", "stroke": 1, "call": null, "video_t": null}', "expected number 2"),
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "match.jsonl"
    write_journal(path, journal()[:1])
    with path.open("a") as file:
        file.write(line + "\n")
    with pytest.raises(UserError, match=message) as error:
        read_journal(path)
    assert "2" in str(error.value) and "\n" not in str(error.value)


def test_files_that_cannot_be(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be read"):
        read_journal(tmp_path / "none")
    with pytest.raises(UserError, match="cannot be written"):
        JournalFile(tmp_path)
