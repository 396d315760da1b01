"""`poedinok report`, and what `poedinok batch --db` does with finished videos."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from calibration.errors import UserError
from referee.cli import main
from referee.season import record
from referee.season.rows import MatchFacts
from referee.season.statistics import season
from referee.season.store import Store
from referee.season_command import Recorder
from tests.referee.season.synthetic import Person, write_match

CaptureText = pytest.CaptureFixture[str]


def refused(capsys: CaptureText, *arguments: str) -> str:
    """The one line that a wrong command gives."""
    assert main(["report", *arguments]) == 2
    said = capsys.readouterr()
    assert said.out == "" and said.err.count("\n") == 1 and said.err.startswith("poedinok: ")
    return said.err


def test_from_folders(club: list[Path], tmp_path: Path, capsys: CaptureText) -> None:
    out = tmp_path / "new" / "season.html"
    tables = ["--csv", str(tmp_path / "csv"), "--parquet", str(tmp_path / "parquet")]
    assert main(["report", str(club[0].parent), "--out", str(out), *tables, "--lang", "en"]) == 0
    assert re.fullmatch(r"6 matches, \d+ strokes, \d+ to check: .*season\.html\n", capsys.readouterr().out)
    assert '<html lang="en">' in out.read_text("utf-8")
    assert len(list((tmp_path / "csv").iterdir())) == len(list((tmp_path / "parquet").iterdir())) == 13


def test_by_way_of_a_database_it_is_the_same_page(club: list[Path], address: str, tmp_path: Path) -> None:
    pages = [tmp_path / name for name in ("folders.html", "kept.html", "db.html", "again.html")]
    here = str(club[0].parent)
    assert main(["report", here, "--out", str(pages[0])]) == 0
    assert main(["report", here, "--db", address, "--out", str(pages[1])]) == 0
    assert main(["report", address, "--out", str(pages[2])]) == 0
    assert main(["report", "--db", address, "--out", str(pages[3])]) == 0
    assert len({p.read_text("utf-8") for p in pages}) == 1


def test_a_match_given_twice_counts_once(club: list[Path], tmp_path: Path, capsys: CaptureText) -> None:
    assert main(["report", str(club[0]), str(club[0].parent), str(club[0] / "match.json"), "--out", str(tmp_path / "s.html")]) == 0
    assert capsys.readouterr().out.startswith("6 matches")


def test_one_player(club: list[Path], tmp_path: Path, capsys: CaptureText) -> None:
    out = tmp_path / "s.html"
    assert main(["report", str(club[0].parent), "--out", str(out), "--player", "анна  СМИРНОВА", "--csv", str(tmp_path)]) == 0
    assert capsys.readouterr().out.startswith("3 matches")
    page = out.read_text("utf-8")
    assert "<h1>Анна Смирнова</h1>" in page and page.count('class="player"') == 1
    assert (tmp_path / "player_summary.csv").read_text("utf-8").count("\n") == 2


def test_a_time(club: list[Path], tmp_path: Path, capsys: CaptureText) -> None:
    out = tmp_path / "s.html"
    undated = write_match(tmp_path / "undated", 5, (Person("Анна"), Person("Борис")), strokes=5)
    span = ["--since", "2026-03-08", "--until", "2026-03-22"]
    assert main(["report", str(club[0].parent), str(undated), "--out", str(out), *span]) == 0
    assert capsys.readouterr().out.startswith("3 matches")
    assert "Matches without a date, left out: 1." in out.read_text("utf-8")


def test_notes_of_what_is_missing(club: list[Path], tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / name).mkdir()
        shutil.copy(club[0] / "match.json", tmp_path / name)
    document = json.loads((tmp_path / "b" / "match.json").read_text("utf-8"))
    document["notes"] = ["calls heard by another ear"]
    (tmp_path / "b" / "match.json").write_text(json.dumps(document), "utf-8")
    assert main(["report", str(tmp_path), "--out", str(tmp_path / "s.html")]) == 0
    page = (tmp_path / "s.html").read_text("utf-8")
    assert "without speeds: 2." in page and "counted more than once (same name and length of video): match-01.mp4." in page


def test_the_ledger_of_a_batch_tells_dates(club: list[Path], tmp_path: Path) -> None:
    shutil.copytree(club[0], tmp_path / "one")
    (tmp_path / "one" / "season.json").unlink()
    entry = {"name": "one", "status": "finished", "date": "2025-05-05", "players": ["Ада", "Ян"], "content": "c0ffee"}
    (tmp_path / "batch.json").write_text(json.dumps({"form": 1, "videos": [entry, {"video": "x"}]}), "utf-8")
    assert main(["report", str(tmp_path), "--db", str(tmp_path / "s.db"), "--out", str(tmp_path / "s.html")]) == 0
    with Store(str(tmp_path / "s.db")) as store:
        (facts,) = store.matches()
    assert (facts.match.date, facts.players, facts.match.source) == ("2025-05-05", ("Ада", "Ян"), "c0ffee one")
    (tmp_path / "batch.json").write_text("[]", "utf-8")
    assert main(["report", str(tmp_path), "--out", str(tmp_path / "s.html")]) == 0


def _empty(path: Path) -> list[str]:
    return [str(path)]


def _nowhere(path: Path) -> list[str]:
    return [str(path / "none")]


def _a_file(path: Path) -> list[str]:
    (path / "notes.txt").write_text("hello")
    return [str(path / "notes.txt")]


def _malformed(path: Path) -> list[str]:
    folder = write_match(path / "m", 1, (Person("A1"), Person("B1")), strokes=3)
    document = json.loads((folder / "match.json").read_text("utf-8"))
    document["shots"][2]["ruling"]["points"] = "many"
    (folder / "match.json").write_text(json.dumps(document), "utf-8")
    return [str(path)]


def _empty_database(path: Path) -> list[str]:
    Store(str(path / "s.db"), write=True)
    return [str(path / "s.db")]


def _foreign_database(path: Path) -> list[str]:
    with sqlite3.connect(path / "s.db") as connection:
        connection.execute("CREATE TABLE football (goals INTEGER)")
    return [str(path / "s.db")]


@pytest.mark.parametrize(
    ("made", "told"),
    [
        (lambda _: [], "expected folders or databases, or --db ADDRESS"),
        (_empty, "expected a folder with match.json in it or below, found none"),
        (_nowhere, "none: not found, expected a folder"),
        (_a_file, "notes.txt: expected a folder of `poedinok analyze` or `batch`, or a database of SQLite"),
        (_malformed, "match.json: shots[2].ruling.points: expected a whole number, got 'many'"),
        (_empty_database, "expected at least one match, found none in "),
        (_foreign_database, "expected a season's database, found none of its tables"),
        (lambda _: ["oracle://a@b/c"], "expected a sqlite or postgresql address"),
        (lambda _: ["--db", "/proc/none/s.db"], "unable to open database file"),
    ],
)
def test_bad_sources(tmp_path: Path, capsys: CaptureText, made: Callable[[Path], list[str]], told: str) -> None:
    (tmp_path / "in").mkdir()
    out = tmp_path / "out" / "s.html"
    assert told in refused(capsys, *made(tmp_path / "in"), "--out", str(out))
    assert not out.exists()


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--player", "Пеле"], "--player: nobody of the name 'Пеле' played; expected one of "),
        (["--since", "yesterday"], "--since: expected a date such as 2026-03-01, got 'yesterday'"),
        (["--until", "2026-02-30"], "--until: expected a date"),
        (["--since", "2026-03-02", "--until", "2026-03-01"], "--since 2026-03-02: expected a day not after --until 2026-03-01"),
        (["--since", "2031-01-01"], "expected matches from 2031-01-01 to today, found none among 6"),
    ],
)
def test_bad_options(club: list[Path], tmp_path: Path, capsys: CaptureText, options: list[str], told: str) -> None:
    assert told in refused(capsys, str(club[0].parent), "--out", str(tmp_path / "s.html"), *options)


def test_what_cannot_be_written(club: list[Path], tmp_path: Path, capsys: CaptureText) -> None:
    (tmp_path / "file").write_text("")
    here = str(club[0])
    assert "found a folder" in refused(capsys, here, "--out", str(tmp_path))
    assert "cannot write there" in refused(capsys, here, "--out", str(tmp_path / "file" / "s.html"))
    assert "cannot be written" in refused(capsys, here, "--out", "/proc/season.html")
    for option in ("--csv", "--parquet"):
        assert "file: cannot write there" in refused(capsys, here, "--out", str(tmp_path / "s.html"), option, str(tmp_path / "file"))
    assert not (tmp_path / "s.html").exists()


def _entry(name: str) -> dict[str, object]:
    return {"name": name, "content": "c0ffee", "date": "2026-01-02", "players": []}


def test_a_batch_puts_finished_videos_in(club: list[Path], address: str) -> None:
    recorder = Recorder(address)
    for folder in club[:2] * 2:  # those that an earlier run finished are told again
        recorder(_entry(folder.name), folder)
    with Store(address) as store:
        assert [f.match.source for f in store.matches()] == [f"c0ffee {f.name}" for f in club[:2]]
    assert recorder.missed == 0


def test_a_database_that_is_away_is_told_once(club: list[Path]) -> None:
    recorder = Recorder("/proc/none/s.db")
    with pytest.raises(UserError, match=r"unable to open database file; the results are in .*, the next run puts them into the database"):
        recorder(_entry("a"), club[0])
    recorder(_entry("b"), club[1])
    assert recorder.missed == 2 and (club[0] / "match.json").exists()


def test_a_batch_knows_an_impossible_address_before_the_night(tmp_path: Path, capsys: CaptureText) -> None:
    assert main(["batch", "x.mp4", "--out", str(tmp_path / "out"), "--db", "oracle://a:secret@b/c"]) == 2
    said = capsys.readouterr().err
    assert "expected a sqlite or postgresql address" in said and "secret" not in said and not (tmp_path / "out").exists()


def test_the_documented_query_agrees_with_the_page(club: list[Path], facts: list[MatchFacts], tmp_path: Path) -> None:
    guide = (Path(__file__).parents[3] / "docs" / "SEASON.md").read_text("utf-8")
    query = re.search(r"```sql\n(.*?)```", guide, re.DOTALL)
    assert query is not None
    for folder in club:
        record(str(tmp_path / "s.db"), folder)
    found = sqlite3.connect(tmp_path / "s.db").execute(query[1]).fetchall()
    straight = {p.name: dict(k.parts).get("middle") for p in season(facts).players for k in p.kinds if k.kind == "straight_object"}
    assert {(who, n, made) for who, n, made in found} == {(who, rate.of, rate.made) for who, rate in straight.items() if rate}


@pytest.mark.parametrize("db", [True, False])
def test_batch_hands_the_recorder_on(db: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from referee import batch_command

    given: list[object] = []
    monkeypatch.setattr(batch_command, "run_batch_command", lambda *_, on_finished, **__: given.append(on_finished) or 0)
    options = ["--db", str(tmp_path / "s.db")] if db else []
    assert main(["batch", "x.mp4", "--out", str(tmp_path / "out"), *options]) == 0
    assert [isinstance(g, Recorder) for g in given] == [db]
