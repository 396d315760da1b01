"""Call files: the three formats say the same, and a wrong line is named."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.errors import UserError
from referee.callfile import TimedCall, assign, parse_calls, read_calls

SRT = "1\n00:00:02,500 --> 00:00:04,000\nжёлтый в угол\n\n2\n01:00:00,050 --> 01:00:01,000\n<i>свой</i>\nв середину\n"
VTT = (
    "WEBVTT - calls\n\nNOTE by ear\n\nfirst\n00:02.500 --> 00:04.000 align:start\nжёлтый в угол\n\n"
    "01:00:00.050 --> 01:00:01.000\n<v Анна>свой в середину</v>\n"
)
CSV = "video_t,call\n2.5,жёлтый в угол\n3600.05,свой в середину\n"


@pytest.mark.parametrize("text", [SRT, VTT, CSV, SRT.replace("\n", "\r\n"), "\n\n" + SRT, SRT.replace("1\n", "", 1)])
def test_formats_say_the_same(text: str) -> None:
    assert [(c.video_t, c.text) for c in parse_calls(text)] == [(2.5, "жёлтый в угол"), (3600.05, "свой в середину")]


def test_empty_file_has_no_calls() -> None:
    assert parse_calls("") == [] == parse_calls("WEBVTT\n")


def test_csv_call_with_comma_and_quotes() -> None:
    assert parse_calls('video_t, call\n1, "свой, в угол"\n')[0].text == "свой, в угол"


@pytest.mark.parametrize(
    ("text", "line", "expected"),
    [
        ("hello\n", 1, "expected SRT"),
        ("1\n00:00:02 --> 00:00:03,000\nx\n", 2, "-->"),
        ("1\n00:00:02,0 --> 00:00:03,0\nx\n\nnext\n00:00:04,0 --> 00:00:05,0\ny\n", 5, "number"),
        ("1\n00:00:05,000 --> 00:00:03,000\nx\n", 2, "end after the start"),
        ("1\n00:75:05,000 --> 00:76:03,000\nx\n", 2, "below 60"),
        ("1\n", 1, "found none"),
        ("video_t,call\n2.5\n", 2, "two fields"),
        ("video_t,call\n1,a\nsoon,b\n", 3, "video_t"),
        ("video_t,call\n-1,b\n", 2, "seconds"),
        ("video_t,call\nnan,b\n", 2, "seconds"),
        ("video_t,text\n1,b\n", 1, "header"),
        ("video_t,call\n1,a,b\n", 2, "quote"),
    ],
)
def test_errors_name_the_line(text: str, line: int, expected: str) -> None:
    with pytest.raises(UserError) as error:
        parse_calls(text, "calls.srt")
    assert str(error.value).startswith(f"calls.srt:{line}: ")
    assert expected in str(error.value)
    assert "\n" not in str(error.value)


def test_not_utf8_names_the_line(tmp_path: Path) -> None:
    path = tmp_path / "calls.srt"
    path.write_bytes("1\n00:00:02,500 --> 00:00:04,000\nжёлтый\n".encode("cp1251"))
    with pytest.raises(UserError, match=r"calls\.srt:3: .*UTF-8"):
        read_calls(path)


def test_byte_order_marks_and_order(tmp_path: Path) -> None:
    path = tmp_path / "calls.csv"
    for encoding in ("utf-8-sig", "utf-16"):
        path.write_text("video_t,call\n9,later\n1,sooner\n", encoding)
        assert [c.text for c in read_calls(path)] == ["sooner", "later"]


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="calls cannot be read"):
        read_calls(tmp_path / "none.srt")


def test_a_call_is_for_the_first_stroke_at_or_after_it() -> None:
    calls = [TimedCall(1.0, "a", 1), TimedCall(5.0, "b", 2), TimedCall(6.0, "c", 3), TimedCall(20.0, "d", 4)]
    held, left = assign(calls, [1.0, 4.0, 7.0])
    assert {i: [c.text for c in cs] for i, cs in held.items()} == {0: ["a"], 2: ["b", "c"]}
    assert [c.text for c in left] == ["d"]


@given(
    times=st.lists(st.floats(0, 100), max_size=8),
    starts=st.lists(st.floats(0, 100), max_size=8, unique=True),
)
def test_every_call_goes_somewhere_and_never_backwards(times: list[float], starts: list[float]) -> None:
    calls, starts = [TimedCall(t, str(i), i) for i, t in enumerate(sorted(times))], sorted(starts)
    held, left = assign(calls, starts)
    assert sorted([c.line for cs in held.values() for c in cs] + [c.line for c in left]) == [c.line for c in calls]
    for index, said in held.items():
        for call in said:
            assert starts[index] >= call.video_t - 0.051
            assert index == 0 or starts[index - 1] < call.video_t
