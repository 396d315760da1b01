"""A folder of `analyze` as rows, and what is wrong with one."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from calibration.errors import UserError
from referee.season.load import read_folder
from referee.season.rows import GameRow
from tests.referee.documents import document

Edit = Callable[[dict[str, Any]], object]


def folder(path: Path, edit: Edit = lambda d: None, **beside: str) -> Path:
    made = document()
    edit(made)
    (path / "match.json").write_text(json.dumps(made, ensure_ascii=False), "utf-8")
    for name, text in beside.items():
        (path / name.replace("_", ".")).write_text(text, "utf-8")
    return path


def test_a_match_by_hand(tmp_path: Path) -> None:
    facts = read_folder(folder(tmp_path))
    key = facts.match.match
    assert (facts.match.player_a, facts.match.player_b, facts.match.named, facts.match.date) == ("Анна & Ко", "Борис", True, None)
    assert facts.match.notes == "calibrated on the video itself" and not facts.match.tracks
    first, second, third = facts.strokes
    assert (first.kind, first.cushions, first.aim_pocket, first.distance_mm) == ("bank", 1, "foot-right", 2181.5)
    assert (second.kind, second.first_ball, second.placement, second.pause_s) == ("none", "black", "in_hand", 13.0)
    assert (third.kind, third.player, third.call) == ("unclear", None, "ерунда")
    assert [(i.rule, i.points) for i in facts.items] == [("8.2", 3), ("9.1", 3)]
    assert [(f.rule, f.balls, f.event) for f in facts.fouls] == [("12.4", "yellow,black", 1)]
    assert [(r.stroke, r.event, r.reason) for r in facts.reviews] == [(2, 2, "two contacts within 2 ms <b>")]
    assert facts.games == (GameRow(key, 1, 1, 3, 30, 6, 3, False, None),)
    assert [(e.ball, e.ball_2) for e in facts.events if e.type == "contact"] == [("white", "yellow"), ("yellow", "black")]
    assert len(facts.places) == 3 * 2 * 4 and sum(p.x_mm is None for p in facts.places) == 1


def test_strokes_after_the_game_belong_to_none(tmp_path: Path) -> None:
    def over(d: dict[str, Any]) -> None:
        d["shots"][0]["ruling"] |= {"game_over": True, "winner": 0}
        d["shots"][1]["ruling"] = None

    facts = read_folder(folder(tmp_path, over))
    assert [s.game for s in facts.strokes] == [1, None, None]
    assert (facts.games[0].last_stroke, facts.games[0].over, facts.games[0].winner) == (1, True, 0)


def test_a_second_game_begins_with_a_ruling(tmp_path: Path) -> None:
    facts = read_folder(folder(tmp_path, lambda d: d["shots"][0]["ruling"].update(game_over=True, winner=0)))
    assert [s.game for s in facts.strokes] == [1, 2, 2]


@pytest.mark.parametrize(
    ("name", "date"),
    [
        ("final_2026-03-01.mp4", "2026-03-01"), ("VID_20260301_181500.mp4", "2026-03-01"), ("2026.03.01 final.mkv", "2026-03-01"),
        ("20261332.mp4", None), ("clip-120260301.mp4", None), ("match.mp4", None),
    ],
)  # fmt: skip
def test_dates_in_names_of_videos(tmp_path: Path, name: str, date: str | None) -> None:
    assert read_folder(folder(tmp_path, lambda d: d["video"].update(file=name))).match.date == date


def test_what_is_told_goes_before_what_is_guessed(tmp_path: Path) -> None:
    made = folder(tmp_path, lambda d: d["video"].update(file="2026-03-01.mp4"), season_json='{"date": "2026-03-02", "source": "disk 7"}')
    assert (read_folder(made).match.date, read_folder(made).match.source) == ("2026-03-02", "disk 7")
    told = read_folder(made, {"date": "2026-03-03", "players": ["Вера", " Глеб  Осипов "], "source": None}).match
    assert (told.date, told.player_a, told.player_b, told.source) == ("2026-03-03", "Вера", "Глеб Осипов", "disk 7")


def test_the_key_is_of_the_content(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / name).mkdir()
    a = read_folder(folder(tmp_path / "a"))
    (tmp_path / "b" / "match.json").write_text(json.dumps(document(), indent=3), "utf-8")
    assert read_folder(tmp_path / "b").match.match == a.match.match
    assert read_folder(folder(tmp_path / "b", lambda d: d.update(scores=[6, 4]))).match.match != a.match.match


def _tracks(speed: float, ball: str = "white", state: str = "seen") -> str:
    rows = [f"{150 + n},{2.5 + n / 60:.6f},{ball},{500 + speed * n / 60:.2f},600.00,0.3,{state}" for n in range(-3, 30)]
    absent = "149,2.483333,red,,,,absent"
    return "\n".join(["frame,video_t,ball,x_mm,y_mm,sigma_mm,state", absent, *rows]) + "\n"


def test_speed_after_the_strike(tmp_path: Path) -> None:
    made = read_folder(folder(tmp_path, tracks_csv=_tracks(2400.0)))
    assert made.match.tracks and [s.speed_m_s for s in made.strokes] == [2.4, None, None]


@pytest.mark.parametrize(
    "text", [_tracks(2400.0, "yellow"), _tracks(2400.0, state="hidden"), "frame,video_t,ball,x_mm,y_mm,sigma_mm,state\n"]
)
def test_no_speed_of_what_was_not_seen(tmp_path: Path, text: str) -> None:
    assert [s.speed_m_s for s in read_folder(folder(tmp_path, tracks_csv=text)).strokes] == [None, None, None]


@pytest.mark.parametrize("text", ["", "a,b\n1,2\n", "frame,video_t,ball,x_mm,y_mm,sigma_mm,state\n1,soon,white,1,2,3,seen\n", "\x00\xff"])
def test_tracks_that_are_none(tmp_path: Path, text: str) -> None:
    with pytest.raises(UserError, match=r"tracks\.csv: expected the tracks\.csv of") as caught:
        read_folder(folder(tmp_path, tracks_csv=text))
    assert len(str(caught.value)) < 500


def _ruling(**changed: object) -> Edit:
    return lambda d: d["shots"][0]["ruling"].update(changed)


@pytest.mark.parametrize(
    ("edit", "told"),
    [
        (lambda d: d.pop("shots"), r"match\.json: shots: expected, but missing"),
        (lambda d: d.update(scores=[1]), r"match\.json: scores: expected two whole numbers"),
        (lambda d: d.update(players="A,B"), r"match\.json: players: "),
        (lambda d: d["table"].update(length_mm="long"), r"match\.json: table\.length_mm: expected a number, got 'long'"),
        (lambda d: d["table"].update(length_mm=0), r"match\.json: table\.length_mm: "),
        (lambda d: d["shots"][1].update(index=1), r"match\.json: shots\[1\]\.index: expected more than 1, got 1"),
        (lambda d: d["shots"][1].update(cue_ball="green"), r"match\.json: shots\[1\]\.cue_ball: expected one of white, yellow, red, black"),
        (lambda d: d["shots"][0]["events"][1].update(balls=["white"]), r"match\.json: shots\[0\]\.events\[1\]\.balls: expected two of"),
        (lambda d: d["shots"][0]["events"][1].update(frame=10**30), r"match\.json: shots\[0\]\.events\[1\]\.frame: "),
        (lambda d: d["shots"][0]["positions_after"].update(white=[1]), r"match\.json: shots\[0\]\.positions_after\.white: "),
        (_ruling(outcome="won"), r"match\.json: shots\[0\]\.ruling\.outcome: expected one of scored, no_score, foul, got 'won'"),
        (_ruling(items=[{"rule": "8.1", "points": -1}]), r"match\.json: shots\[0\]\.ruling\.items\[0\]\.points: "),
        (_ruling(state={}), r"match\.json: shots\[0\]\.ruling\.state\.scores: expected, but missing"),
    ],
)
def test_malformed_matches(tmp_path: Path, edit: Edit, told: str) -> None:
    with pytest.raises(UserError, match=told) as caught:
        read_folder(folder(tmp_path, edit))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("raw", "told"),
    [
        (b"", "expected JSON"),
        (b"[]", "expected an object"),
        (b"\xff\xfe", "expected UTF-8"),
        (b'{"a": NaN}', "finite"),
        (b"[" * 9999, "expected"),
    ],
)
def test_files_that_are_no_match(tmp_path: Path, raw: bytes, told: str) -> None:
    (tmp_path / "match.json").write_bytes(raw)
    with pytest.raises(UserError, match=f"match.json: .*{told}"):
        read_folder(tmp_path)


def test_a_folder_without_a_match(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"expected a folder of `poedinok analyze` with match\.json"):
        read_folder(tmp_path)


@pytest.mark.parametrize(
    ("text", "told"),
    [("[]", "expected a JSON object"), ("{", "expected a JSON object"), ('{"date": "yesterday"}', "date: expected a date such as"),
     ('{"players": "Anna"}', "players: expected two names"), ('{"players": ["Anna", ""]}', "players: expected two names")],
)  # fmt: skip
def test_what_lies_beside_is_checked(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(UserError, match=told):
        read_folder(folder(tmp_path, season_json=text))


def test_half_characters_and_nul_do_not_go_further(tmp_path: Path) -> None:
    made = document()
    made["players"] = ["\ud800A", "B\0"]
    made["shots"][0]["call"] = "\\u0000 \\"
    (tmp_path / "match.json").write_text(json.dumps(made), "utf-8")
    facts = read_folder(tmp_path)
    assert (facts.match.player_a, facts.match.player_b) == ("\N{REPLACEMENT CHARACTER}A", "B\N{REPLACEMENT CHARACTER}")
    assert facts.strokes[0].call == "\\u0000 \\"
