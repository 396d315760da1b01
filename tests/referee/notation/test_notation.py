"""Everything that the notation writes reads back as the same value; what it cannot read, it names by column."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calibration.table import KINDS, custom_table, table
from referee import notation as n
from referee.calls import Call, Pot
from referee.codec import CaseError, case_to_json
from referee.match import Match, Ruled
from referee.notation.matches import ListedFoul, ScoredItem
from referee.rules.adjudication import adjudicate
from referee.state import State
from tests.referee.calls.call_strategies import calls
from vision.shot import Event, Shot

BALLS = ("white", "yellow", "red", "black")
POCKETS = ("home-left", "home-right", "middle-left", "middle-right", "foot-left", "foot-right")
CUSHIONS = ("home", "foot", "left", "right")

numbers = st.floats(allow_nan=False, allow_infinity=False) | st.integers(-4000, 4000)
points = st.tuples(numbers, numbers)
ball, pocket, cushion = st.sampled_from(BALLS), st.sampled_from(POCKETS), st.sampled_from(CUSHIONS)
places = st.dictionaries(ball, st.none() | points)
states = st.builds(
    State,
    player=st.integers(0, 1),
    scores=st.tuples(st.integers(-9, 99), st.integers(0, 999)),
    target=st.none() | st.integers(1, 500),
    opening=st.booleans(),
    cue_ball=st.sampled_from(("white", "yellow")),
    placement=st.sampled_from(("as_lies", "in_hand", "in_hand_house")),
    positions=places,
    waiting=st.lists(ball, max_size=4).map(tuple),
)
EVIDENCE = {
    "frame": st.none() | st.integers(0, 10**7),
    "video_t": st.none() | numbers,
    "sigma_ms": st.none() | numbers,
    "confidence": st.none() | numbers,
}


def event(kind: str, **fields: st.SearchStrategy) -> st.SearchStrategy[Event]:
    return st.builds(Event, t=numbers, type=st.just(kind), **fields, **EVIDENCE)


plain = st.one_of(*(event(kind, ball=ball) for kind in ("strike", "midline", "off_table", "touch", "double_hit", "push", "press")))
events = st.one_of(
    plain,
    event("contact", balls=st.tuples(ball, ball)),
    event("cushion", ball=ball, cushion=cushion),
    event("jaw", ball=ball, pocket=pocket, cushion=cushion),
    event("stop", ball=ball, jaws=st.none() | pocket, at=st.none() | points),
    event("pocket", ball=ball, pocket=pocket),
    event("jump", ball=ball, over=ball),
    event("jump", ball=ball, over_jaw=pocket),
)
shots = st.builds(Shot, events=st.lists(events, max_size=12).map(tuple), positions=places)
tables = st.one_of(
    st.builds(table, st.sampled_from(KINDS), ball=st.none() | st.floats(20, 100)),
    st.builds(custom_table, st.floats(3000, 6000), st.floats(500, 3000), ball=st.floats(20, 100)),
)
cases = st.builds(n.Case, table=tables, state=states, call=st.none() | calls, shot=shots)
rules = st.from_regex(r"[1-9][0-9]?(\.[1-9])?", fullmatch=True)
summaries = st.builds(
    n.Summary,
    outcome=st.sampled_from(("scored", "no_score", "foul")),
    points=st.integers(0, 30),
    opponent_points=st.integers(0, 3),
    items=st.lists(st.builds(ScoredItem, rules, st.none() | ball, st.integers(0, 9)), max_size=4).map(tuple),
    fouls=st.lists(st.builds(ListedFoul, rules, st.lists(ball, max_size=2).map(tuple), st.none() | st.integers(0, 99)), max_size=3).map(
        tuple
    ),
    turn=st.sampled_from(("stays", "passes")),
    void_call=st.none() | st.text(),
    game_over=st.booleans(),
    winner=st.none() | st.integers(0, 1),
)
turns = st.builds(n.Turn, state=states, call=st.none() | calls, shot=shots, said=st.none() | st.text(), ruling=st.none() | summaries)
tags = st.lists(st.tuples(st.from_regex(r"[A-Za-z][A-Za-z0-9_]{0,8}", fullmatch=True), st.text()), max_size=4).map(tuple)
matches = st.builds(n.MatchText, tags=tags, turns=st.lists(turns, max_size=4).map(tuple))


def one_line(text: str) -> str:
    assert len(text.splitlines()) == 1
    return text


@given(states)
def test_states(state: State) -> None:
    assert n.read_state(one_line(n.write_state(state))) == state


@given(calls)
def test_calls(call: Call) -> None:
    text = one_line(n.write_call(call))
    assert n.read_call(text) == call
    assert " " not in text


def test_no_call() -> None:
    assert n.write_call(None) == "-"
    assert n.read_call("-") is None


@given(shots)
@settings(deadline=None)
def test_shots(shot: Shot) -> None:
    assert n.read_shot(one_line(n.write_shot(shot))) == shot


@given(cases)
@settings(deadline=None, max_examples=60)
def test_cases(case: n.Case) -> None:
    text = one_line(n.write_case(case))
    assert n.read_case(text) == case
    assert n.looks_like_notation(text)
    assert not n.looks_like_match(text)


@given(summaries)
def test_rulings(summary: n.Summary) -> None:
    assert n.read_ruling(n.write_ruling(summary)) == summary


@given(matches)
@settings(deadline=None, max_examples=60)
def test_matches(match: n.MatchText) -> None:
    text = n.write_match(match)
    assert n.read_match(text) == match
    assert n.read_match("\ufeff# a remark\n\n" + text.replace("\n", "\r\n")) == match
    if match.tags or match.turns:
        assert n.looks_like_match(text)


READERS = (n.read_state, n.read_call, n.read_shot, n.read_case, n.read_match, n.read_ruling, n.read_table)
LINE = """W Y R B - / , . : ; | > < ^ x ' ! = @ { } 0 1 30 2.5 1e9 9e999 W500,900 lies hand 0:0/30 o foot-left FL
pyramid-12ft 3500x1700 1 state shot"""
PIECES = [*LINE.split(), "\n", " "]


@given(st.lists(st.sampled_from(PIECES), max_size=25).map("".join) | st.text(max_size=40))
@settings(max_examples=400)
def test_any_text_is_read_or_refused(text: str) -> None:
    n.looks_like_notation(text)
    for reader in READERS:
        try:
            reader(text)
        except n.NotationError as error:
            assert str(error)


STATE = "W500,900/Y2662.5,887.5/R887.5,887.5/B1775,887.5 W lies 0 0:0/30 - -"
SHOT = "0:W! 0.61:WxY 1.02:Y>FL 3.9:W. = W2400,1000/Y-/R887.5,887.5/B1775,887.5"


def test_the_contracts_case() -> None:
    case = n.read_case(f"{STATE}; Y>FL; {SHOT}")
    start = {"white": (500, 900), "yellow": (2662.5, 887.5), "red": (887.5, 887.5), "black": (1775, 887.5)}
    assert case.state == State(0, (0, 0), 30, False, "white", "as_lies", start)
    assert case.call == Call((Pot("yellow", "foot-left"),))
    assert case.shot.events[1] == Event(0.61, "contact", balls=("white", "yellow"))
    assert case.shot.positions == {**start, "white": (2400, 1000), "yellow": None}
    assert case.table == table()
    assert n.write_case(case) == f"{STATE}; Y>FL; {SHOT}"


@pytest.mark.parametrize(
    ("read", "text", "column", "expected"),
    [
        (n.read_state, "", 1, "a ball"),
        (n.read_state, "Q1,2 W lies 0 0:0/30 - -", 1, "a ball"),
        (n.read_state, "W1;2 W lies 0 0:0/30 - -", 3, "«,» and y"),
        (n.read_state, "W1,2/W3,4 W lies 0 0:0/30 - -", 6, "a ball that has no place yet"),
        (n.read_state, "W1,2 R lies 0 0:0/30 - -", 6, "the cue ball (W Y)"),
        (n.read_state, "W1,2 W here 0 0:0/30 - -", 8, "the placement (lies hand house)"),
        (n.read_state, "W1,2 W lies 2 0:0/30 - -", 13, "the player"),
        (n.read_state, "W1,2 W lies 0 0:0 - -", 18, "«/» and the target"),
        (n.read_state, "W1,2 W lies 0 0:0/30 - - ", 25, "the end of the line"),
        (n.read_call, "Y|2>QQ", 5, "a pocket"),
        (n.read_call, "Y>C,", 5, "a ball"),
        (n.read_call, "Y|7>C", 1, "call.elements[0].cushions"),
        (n.read_shot, "0:W! 0.61:WxQ = -", 13, "the ball that is met"),
        (n.read_shot, "0:W! 0.61WxY = -", 10, "«:»"),
        (n.read_shot, "0:W!", 5, "a space"),
        (n.read_shot, "0:W? = -", 4, "what happened"),
        (n.read_shot, "0:W!{f1,f2} = -", 9, "evidence that was not said yet"),
        (n.read_shot, "9e999:W! = -", 1, "finite"),
        (n.read_case, f"{STATE}, Y>FL; {SHOT}", 68, "«; » and the call"),
        (n.read_case, f"snooker-9ft; {STATE}; -; {SHOT}", 1, "unknown table"),
        (n.read_case, f"300x100; {STATE}; -; {SHOT}", 1, "table size"),
    ],
)
def test_errors_name_column_and_expectation(read, text: str, column: int, expected: str) -> None:
    with pytest.raises(n.NotationError) as caught:
        read(text)
    assert caught.value.column == column
    assert str(caught.value).startswith(f"column {column}: ")
    assert expected in str(caught.value)


@pytest.mark.parametrize(
    ("text", "line", "column", "expected"),
    [
        ("[Table pyramid]\n", 1, 1, '[Name "value"]'),
        (f'1 state {STATE}\n[Table "x"]\n', 2, 1, "tags before the strokes"),
        (f"2 state {STATE}\n", 1, 1, "expected stroke 1"),
        (f"1 shot {SHOT}\n", 1, 1, "begins with its state"),
        (f"1 state {STATE}\n1 call Y>QQ\n", 2, 10, "a pocket"),
        (f"1 state {STATE}\n1 call -\n1 call -\n", 3, 1, "one call for each stroke"),
        (f"1 state {STATE}\n1 said жёлтый\n", 2, 8, "a text in quotes"),
        (f'[Player0 "A"]\n[Player0 "B"]\n1 state {STATE}\n', 2, 1, "the tag Player0 once"),
        ("1 place somewhere\n", 1, 1, "one of state, said, call, shot, ruled"),
        (f"1 state {STATE}\n", 2, None, "the shot of stroke 1"),
    ],
)
def test_errors_of_a_match_name_the_line(text: str, line: int, column: int | None, expected: str) -> None:
    with pytest.raises(n.NotationError) as caught:
        n.read_match(text)
    assert (caught.value.line, caught.value.column) == (line, column)
    assert expected in str(caught.value)


@pytest.mark.parametrize(
    "bad",
    [
        Event(0.0, "strike"),
        Event(0.0, "strike", ball="green"),
        Event(0.0, "strike", ball="white", pocket="foot-left"),
        Event(0.0, "bounce", ball="white"),
        Event(float("nan"), "strike", ball="white"),
        Event(0.0, "contact", ball="white"),
        Event(0.0, "jump", ball="white"),
        Event(0.0, "jump", ball="white", over="red", over_jaw="foot-left"),
        Event(0.0, "stop", ball="white", at=(float("inf"), 0.0)),
    ],
)
def test_what_is_no_event_is_not_written(bad: Event) -> None:
    with pytest.raises(n.NotationError, match=r"events\[0\]"):
        n.write_shot(Shot((bad,), {}))


def test_what_looks_like_notation() -> None:
    for text in (
        f"{STATE}; -; {SHOT}",
        f"pyramid-9ft@60; {STATE}; -; {SHOT}",
        f"# remark\n{STATE}; -; {SHOT}",
        '[Table "x"]',
        "1 state W1,2",
    ):
        assert n.looks_like_notation(text)
    for text in ("", "{", '{"table": "pyramid-12ft"}', '[{"table": 1}]', "[1, 2]", '["a"]', "hello", "\n\n{}", "White"):
        assert not n.looks_like_notation(text)


def test_the_examples_of_the_documentation() -> None:
    page = (Path(__file__).parents[3] / "docs" / "NOTATION.md").read_text("utf-8")
    readers = {"state": n.read_state, "call": n.read_call, "shot": n.read_shot, "case": n.read_case, "ruling": n.read_ruling}
    blocks = [block.split("\n", 1) for block in page.split("```")[1::2]]
    assert {kind for kind, _ in blocks} >= {*readers, "match"}
    for kind, body in blocks:
        if kind == "match":
            assert n.write_match(n.read_match(body)) == body
        for line in body.splitlines() if kind in readers else ():
            readers[kind](line.split("   ")[0].strip())


def test_summary_of_a_ruling_keeps_what_the_contract_lists() -> None:
    summary = n.Summary("scored", 8, 0, (ScoredItem("8.2", "yellow", 3), ScoredItem("9.1", "yellow", 5)), (), "stays")
    assert n.write_ruling(summary) == "scored 8:0 8.2:Y:3,9.1:Y:5 - stays"
    assert json.loads(json.dumps(n.write_ruling(summary))) == n.write_ruling(n.read_ruling(n.write_ruling(summary)))


def test_cases_and_matches_are_ruled_like_json() -> None:
    line = f"{STATE}; Y>FL; {SHOT}"
    case = n.checked(n.read_case(line))
    ruling = adjudicate(case.state, case.shot, case.call, case.table)
    assert (ruling.outcome, ruling.points) == ("scored", 3)
    text = n.write_match(n.MatchText((("Table", "pyramid-12ft"),), (n.Turn(case.state, case.call, case.shot, ruling=n.summary(ruling)),)))
    match = n.read_match(text)
    assert n.cases(match) == (case,)
    assert match.turns[0].ruling == n.Summary("scored", 3, 0, (ScoredItem("8.2", "yellow", 3),), (), "stays")
    with pytest.raises(CaseError, match=r"state\.positions"):
        n.checked(n.read_case(line.replace("W500,900", "W9500,900", 1)))
    with pytest.raises(n.NotationError, match="table"):
        n.checked(n.read_case(f"3500x1700; {line}"))


def test_a_refereed_match_in_notation() -> None:
    case = n.read_case(f"{STATE}; Y>FL; {SHOT}")
    ruling = adjudicate(case.state, case.shot, case.call, case.table)
    strokes = (
        Ruled(1, case.state, case.shot, "жёлтый в левый дальний угол", ruling, ()),
        Ruled(2, ruling.state, case.shot, None, None, ()),
    )
    found = n.from_match(Match(ruling.state, ("А", "Б"), strokes), {"Date": "2026-11-30"})
    assert n.read_match(n.write_match(found)) == found
    assert found.tags == (("Player0", "А"), ("Player1", "Б"), ("Target", "30"), ("Date", "2026-11-30"))
    assert found.turns[0].call == case.call
    assert found.turns[1].call is None


def test_cases_of_any_text() -> None:
    line = f"{STATE}; Y>FL; {SHOT}"
    case = n.read_case(line)
    in_json = json.dumps(case_to_json(case))
    match = n.write_match(n.MatchText((), (n.Turn(case.state, case.call, case.shot),)))
    assert n.cases_of_text(in_json) == n.cases_of_text(line) == n.cases_of_text(match) == (case,)
    assert n.cases_of_text(f"# two\n{line}\n\n{line}\n") == (case, case)
    with pytest.raises(n.NotationError, match="line 2, column 1: "):
        n.cases_of_text(f"{line}\nnothing\n")
    with pytest.raises(CaseError):
        n.cases_of_text("{}")
