"""The report shows what hides the legal balls from the cue ball (D8)."""

from __future__ import annotations

from calibration.table import table
from referee.report.snooker import drawn, hidden, told

TABLE = table()
OPEN = {"white": [500, 887.5], "yellow": [3000, 400], "red": [887.5, 1500], "black": [1775, 887.5]}
BLOCKED = {"white": [1600, 887.5], "yellow": [1950, 887.5], "red": [887.5, 1500], "black": [1775, 887.5]}


def _shot(places: dict, cue: str = "white") -> dict:
    return {"positions_before": places, "cue_ball": cue}


def test_yellow_right_behind_black_is_hidden_by_it() -> None:
    assert hidden(_shot(BLOCKED), TABLE) == {"yellow": ("black",)}
    text = told(_shot(BLOCKED), TABLE)
    assert text is not None and "чёрный" in text.ru and "black" in text.en
    assert len(drawn(_shot(BLOCKED), TABLE)) == 2  # the strip and one ring


def test_an_open_ball_is_no_snooker() -> None:
    assert hidden(_shot(OPEN), TABLE) == {} and told(_shot(OPEN), TABLE) is None and drawn(_shot(OPEN), TABLE) == []


def test_yellow_as_cue_ball_is_free_while_it_sees_red() -> None:
    assert hidden(_shot(BLOCKED, "yellow"), TABLE) == {}


def test_a_cue_ball_without_a_place_is_nothing_to_draw() -> None:
    assert hidden(_shot({**OPEN, "white": None}), TABLE) == {}
