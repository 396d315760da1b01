"""A call said in words and read again is the same call; a text never ends in anything but a call or a CallError."""

import json

from hypothesis import example, given, settings
from hypothesis import strategies as st

from referee.calls import Call, CallError, call_text, from_json, parse, to_json
from tests.referee.calls.call_strategies import calls, cues

TEXT = """свой чужой жёлтый красный белым чёрного жёлтому фишке от с в по через без и , ; - + борта бортов двух 2 3 три два шара шаром
шаров угол середину левый дальнюю правой ближний лузу губы перескоком карамболем триборт комбинацией одним доп. соударением справа любую
own ball yellow red the off by into onto with two cushions corner left far middle pocket carom jump over extra contact and one дуплетом"""
WORDS = TEXT.split()


@given(calls, st.sampled_from(("ru", "en")), cues)
@settings(max_examples=400, deadline=None)
def test_words_round_trip(call: Call, language: str, cue: str) -> None:
    assert parse(call_text(call, language), cue) == call
    assert call.text(language) == call_text(call, language)


@given(calls)
def test_json_round_trip(call: Call) -> None:
    assert from_json(json.loads(json.dumps(to_json(call)))) == call


@given(st.lists(st.sampled_from(WORDS), max_size=16).map(" ".join), cues)
@settings(max_examples=600, deadline=None)
def test_any_row_of_known_words_is_a_call_or_a_call_error(text: str, cue: str) -> None:
    try:
        call = parse(text, cue)
    except CallError as error:
        assert str(error)
        assert "\n" not in error.part or len(error.part) <= len(text)
        return
    assert from_json(to_json(call)) == call


@given(st.text(max_size=60), cues)
@example("\x00", "white")
@example("²", "white")
@example("٣ борта", "white")
@example("İ", "yellow")
@settings(max_examples=300, deadline=None)
def test_any_text_is_a_call_or_a_call_error(text: str, cue: str) -> None:
    try:
        parse(text, cue)
    except CallError as error:
        assert str(error)
