"""The JSON entry: what is refused, in which words, and that nothing but a ruling or one line ever comes out."""

from __future__ import annotations

import copy
import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from referee.adjudicate_command import adjudicate_lines, adjudicate_text, run_adjudicate
from referee.cli import main
from referee.codec import CaseError, parse_case

BASE: dict[str, Any] = {
    "table": "pyramid-12ft",
    "state": {
        "player": 0,
        "scores": [0, 0],
        "target": 30,
        "opening": False,
        "cue_ball": "white",
        "placement": "as_lies",
        "positions": {"white": [500, 900], "yellow": [2662.5, 887.5], "red": [887.5, 887.5], "black": [1775, 887.5]},
        "waiting": [],
    },
    "call": None,
    "shot": {
        "events": [
            {"t": 0.0, "type": "strike", "ball": "white"},
            {"t": 0.61, "type": "contact", "balls": ["white", "yellow"]},
            {"t": 0.9, "type": "jaw", "ball": "yellow", "pocket": "foot-left", "cushion": "foot"},
            {"t": 1.02, "type": "pocket", "ball": "yellow", "pocket": "foot-left"},
            {"t": 3.90, "type": "stop", "ball": "white"},
        ],
        "positions": {"white": [2400, 1000], "yellow": None, "red": [887.5, 887.5], "black": [1775, 887.5]},
    },
}
DELETE = object()


def _with(path: str, value: object) -> dict[str, Any]:
    case = copy.deepcopy(BASE)
    keys = [int(k) if k.isdigit() else k for k in path.replace("[", ".").replace("]", "").split(".")]
    here: Any = case
    for key in keys[:-1]:
        here = here[key]
    if value is DELETE:
        del here[keys[-1]]
    else:
        here[keys[-1]] = value
    return case


def test_the_example_of_the_contract() -> None:
    ruling = json.loads(adjudicate_text(json.dumps(BASE)))
    assert ruling["outcome"] == "scored"
    assert [(i["rule"], i["ball"], i["points"]) for i in ruling["items"]] == [("8.2", "yellow", 3)]
    assert (ruling["points"], ruling["opponent_points"], ruling["fouls"], ruling["void_call"], ruling["turn"]) == (3, 0, [], None, "stays")
    assert ruling["state"] == {
        "player": 0,
        "scores": [3, 0],
        "target": 30,
        "opening": False,
        "cue_ball": "yellow",
        "placement": "in_hand",
        "positions": {"white": [2400, 1000], "yellow": None, "red": [887.5, 887.5], "black": [1775, 887.5]},
        "waiting": [],
    }
    assert (ruling["game_over"], ruling["winner"]) == (False, None)
    assert "пр. 8.2" in ruling["explanation"]["ru"] and "rule 8.2" in ruling["explanation"]["en"]


def test_the_table_may_be_left_out() -> None:
    assert parse_case(json.dumps(_with("table", DELETE))).table.name == "pyramid-12ft"


@pytest.mark.parametrize(
    ("path", "value", "named", "expected"),
    [
        ("table", "billiard-3m", "table", "expected one of pyramid-12ft"),
        ("table", "carom-10ft", "table", "expected one of pyramid-12ft"),
        ("table", 12, "table", "expected a text"),
        ("state", None, "state", "expected an object"),
        ("state.player", 2, "state.player", "expected 0 or 1"),
        ("state.player", True, "state.player", "expected 0 or 1"),
        ("state.scores", [0], "state.scores", "expected two whole numbers"),
        ("state.scores", [0, -1], "state.scores[1]", "at least 0"),
        ("state.scores", [0, 1.5], "state.scores[1]", "expected a whole number"),
        ("state.scores", [0, True], "state.scores[1]", "expected a whole number"),
        ("state.target", 0, "state.target", "at least 1"),
        ("state.target", DELETE, "state.target", "expected, but missing"),
        ("state.opening", 1, "state.opening", "expected true or false"),
        ("state.cue_ball", "red", "state.cue_ball", "expected one of white, yellow"),
        ("state.placement", "hand", "state.placement", "expected one of as_lies, in_hand, in_hand_house"),
        ("state.positions.red", [1], "state.positions.red", "expected [x, y] in mm"),
        ("state.positions.red", ["1", 2], "state.positions.red[0]", "expected a number"),
        ("state.positions.red", [1e9, 2], "state.positions.red[0]", "expected a number of at most"),
        ("state.positions.red", [9000, 2], "state.positions.red", "expected a place on the table"),
        ("state.positions.red", [5, 800], "state.positions.red", "expected a place on the table"),
        ("state.positions.red", [1780, 890], "state.positions.black", "black overlaps red"),
        ("state.positions.red", None, "state.positions.red", "red in waiting"),
        ("state.positions.red", DELETE, "state.positions.red", "expected, but missing"),
        ("state.positions.white", None, "state.positions.white", "the cue ball is placed before the stroke"),
        ("state.positions.pink", [1, 2], "state.positions.pink", "unknown field"),
        ("state.waiting", ["red"], "state.waiting[0]", "red has a place"),
        ("state.waiting", ["pink"], "state.waiting[0]", "expected one of white, yellow, red, black"),
        ("state.colour", 1, "state.colour", "unknown field"),
        ("call", 5, "call", "expected null, a text, or an object with elements"),
        ("call", "абракадабра", "call", "абракадабра"),
        ("call", {"elements": []}, "call.elements", "expected a list"),
        ("call", {"elements": [{"kind": "pot", "ball": "pink"}]}, "call.elements[0].ball", "expected one of own, other"),
        ("call", {"elements": [{"kind": "pot", "ball": "own", "cushions": 4}]}, "call.elements[0].cushions", "0 to 3"),
        ("call", {}, "call.elements", "expected a list of 1 to 8 elements, but missing"),
        ("call", {"elements": [{"kind": "pot"}]}, "call.elements[0].ball", "red, black, but missing"),
        ("call", {"elements": [{"kind": "pot", "ball": None}]}, "call.elements[0].ball", "got null"),
        ("call", {"elements": [{"kind": "masse"}]}, "call.elements[0].kind", "expected one of pot, carom, bank_black"),
        ("shot.events", [], "shot.events", "expected a strike, but there is none"),
        ("shot.events", {}, "shot.events", "expected a list of events"),
        ("shot.events[1].balls", ["white", "pink"], "shot.events[1].balls", "expected two of white, yellow, red, black"),
        ("shot.events[1].balls", ["white"], "shot.events[1].balls", "expected two of white, yellow, red, black"),
        ("shot.events[1].balls", ["white", "white"], "shot.events[1].balls", "expected two different"),
        ("shot.events[1].balls", DELETE, "shot.events[1].balls", "expected for an event of type contact"),
        ("shot.events[1].ball", "white", "shot.events[1].ball", "unexpected for an event of type contact"),
        ("shot.events[1].t", -1, "shot.events[1].t", "at least 0"),
        ("shot.events[1].t", 2, "shot.events[2].t", "expected events in order of time"),
        ("shot.events[1].t", "0.6", "shot.events[1].t", "expected a number"),
        ("shot.events[1].type", "kiss", "shot.events[1].type", "expected one of strike, contact"),
        ("shot.events[1].type", DELETE, "shot.events[1].type", "expected, but missing"),
        ("shot.events[1].speed", 3, "shot.events[1].speed", "unknown field"),
        ("shot.events[2].cushion", "home", "shot.events[2].cushion", "expected foot or left"),
        ("shot.events[2].pocket", "far-left", "shot.events[2].pocket", "expected one of home-left"),
        ("shot.events[0].type", "midline", "shot.events[0].type", "expected a strike before"),
        ("shot.events[4].ball", "yellow", "shot.events[4].ball", "yellow fell at events[3]"),
        ("shot.positions.yellow", [100, 100], "shot.positions.yellow", "expected null: yellow fell"),
        ("shot.positions.white", None, "shot.positions.white", "no event takes white off the table"),
        ("shot.positions.white", [1776, 887], "shot.positions.black", "black overlaps white"),
        ("shot", DELETE, "shot", "expected, but missing"),
        ("extra", 1, "extra", "unknown field"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named(path: str, value: object, named: str, expected: str) -> None:
    with pytest.raises(CaseError) as error:
        parse_case(json.dumps(_with(path, value)))
    assert error.value.path == named
    assert str(error.value).startswith(f"{named}: ")
    assert expected in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("token", ["NaN", "Infinity", "-Infinity", "1e999"])
@pytest.mark.parametrize("named", ["state.positions.red[0]", "shot.events[1].t"])
def test_a_number_that_is_none_is_named_by_its_field(token: str, named: str) -> None:
    text = json.dumps(_with(named, "HERE")).replace('"HERE"', token)
    with pytest.raises(CaseError, match="expected a finite number") as error:
        parse_case(text)
    assert error.value.path == named


def test_an_empty_text_is_said_to_be_empty() -> None:
    with pytest.raises(CaseError, match="there is nothing"):
        parse_case(" \n")


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ([{"t": 0, "type": "touch", "ball": "red"}], None),
        ([{"t": -2, "type": "touch", "ball": "red"}, {"t": 0, "type": "strike", "ball": "white"}], None),
        ([{"t": 0, "type": "strike", "ball": "white"}, {"t": 1, "type": "jump", "ball": "white"}], "shot.events[1]"),
        ([{"t": 0, "type": "strike", "ball": "white"}, {"t": 1, "type": "jump", "ball": "white", "over": "white"}], "shot.events[1].over"),
        ([{"t": 0, "type": "strike", "ball": "white"}, {"t": 1, "type": "stop", "ball": "white", "at": [1, -5000]}], "shot.events[1].at"),
        ([{"t": 0, "type": "strike", "ball": "white", "frame": 7, "video_t": 1.5, "sigma_ms": 0.4, "confidence": 0.9}], None),
    ],
)  # fmt: skip
def test_other_events(change: list[dict[str, Any]], named: str | None) -> None:
    case = copy.deepcopy(BASE)
    case["shot"] = {"events": change, "positions": BASE["state"]["positions"]}
    if named is None:
        assert json.loads(adjudicate_text(json.dumps(case)))["outcome"] == "foul"
        return
    with pytest.raises(CaseError) as error:
        parse_case(json.dumps(case))
    assert error.value.path == named


def test_a_ball_in_the_mouth_of_a_pocket_is_on_the_table() -> None:
    assert parse_case(json.dumps(_with("state.positions.red", [3552, 1777])))


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "null", "7", '"text"', "[" * 100_000, '{"state":' * 100_000, "NaN", "9" * 6000, b"\xff\xfe", '{"call": 1, "call": 2}']
    + [json.dumps(BASE).replace("0.61", token) for token in ("NaN", "Infinity", "-Infinity", "1e999", "9" * 5000)]
    + [json.dumps(_with("call", "x")).replace('"x"', '{"a":' * 3000 + "1" + "}" * 3000)]
    + ["\ud800"],
)  # fmt: skip
def test_what_is_no_case_at_all(text: str | bytes) -> None:
    with pytest.raises(CaseError) as error:
        adjudicate_text(text)
    assert "\n" not in str(error.value) and len(str(error.value)) < 300
    (line,) = adjudicate_lines([text])
    assert set(json.loads(line)) == {"error"}


@pytest.mark.parametrize("odd", ["\ud800", "a\nb\x1b[31m", "x" * 5000])
def test_odd_texts_do_not_reach_the_terminal(odd: str) -> None:
    for case in (_with("table", odd), _with("call", odd), _with("state.cue_ball", odd), {**BASE, odd: 1}):
        (line,) = adjudicate_lines([json.dumps(case)])
        message = json.loads(line)["error"]
        assert message.isprintable() and len(message) < 600
        line.encode("utf-8")


def test_lines_stay_in_order() -> None:
    out = [json.loads(line) for line in adjudicate_lines([json.dumps(BASE), "nonsense", json.dumps(_with("call", "чужой в середину")), ""])]
    assert [o.get("outcome", "error") for o in out] == ["scored", "error", "no_score", "error"]


def test_explanations() -> None:
    assert adjudicate_text(json.dumps(BASE), "ru").startswith("Жёлтый в дальний левый угол: 3 очка (пр. 8.2).")
    assert adjudicate_text(json.dumps(BASE), "en").startswith("Yellow into the far left corner: 3 points (rule 8.2).")


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good, bad, many = tmp_path / "good.json", tmp_path / "bad.json", tmp_path / "many.jsonl"
    good.write_text(json.dumps(BASE), "utf-8")
    bad.write_text(json.dumps(_with("state.player", 5)), "utf-8")
    many.write_text(json.dumps(BASE) + "\r\n" + "{\n", "utf-8")
    assert main(["adjudicate", str(good)]) == 0
    assert json.loads(capsys.readouterr().out)["points"] == 3
    assert main(["adjudicate", str(good), "--explain", "en"]) == 0
    assert capsys.readouterr().out.startswith("Yellow into the far left corner")
    assert main(["adjudicate", str(bad)]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1 and "state.player: expected 0 or 1, got 5" in err
    assert main(["adjudicate", "--lines", str(many)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [("error" in json.loads(line)) for line in lines] == [False, True]
    assert main(["adjudicate", str(tmp_path / "nowhere.json")]) == 2
    assert main(["adjudicate"]) == 2


def test_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    class Input:
        buffer = io.BytesIO(json.dumps(BASE).encode())

    monkeypatch.setattr("sys.stdin", Input)
    assert run_adjudicate(Path("-"), None) == 0
    assert json.loads(capsys.readouterr().out)["outcome"] == "scored"


_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["white", "pocket", "foot-left", "own"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=8,
)


def _spots(value: object, path: tuple = ()) -> list[tuple]:
    found = [path] if path else []
    if isinstance(value, dict):
        return found + [s for k, v in value.items() for s in _spots(v, (*path, k))]
    if isinstance(value, list):
        return found + [s for i, v in enumerate(value) for s in _spots(v, (*path, i))]
    return found


@settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_fuzz(data: st.DataObject) -> None:
    """Whatever is put anywhere in a case: a ruling or a named error, never another exception."""
    case = copy.deepcopy(BASE)
    case["call"] = {"elements": [{"kind": "pot", "ball": "own", "pocket": "any", "combination": {"how": "carom", "balls": ["yellow"]}}]}
    for spot in data.draw(st.lists(st.sampled_from(_spots(case)), min_size=1, max_size=3)):
        here: Any = case
        try:
            for key in spot[:-1]:
                here = here[key]
            here[spot[-1]] = data.draw(_JSON)
        except (KeyError, IndexError, TypeError):
            continue
    (line,) = adjudicate_lines([json.dumps(case)])
    found = json.loads(line)
    assert "outcome" in found or ("\n" not in found["error"] and ": " in found["error"])


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=200) | st.text(max_size=200))
def test_fuzz_bytes(text: str | bytes) -> None:
    (line,) = adjudicate_lines([text])
    assert set(json.loads(line)) == {"error"}
