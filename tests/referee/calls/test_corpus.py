"""Calls as people say them."""

import re
import subprocess
import sys

import pytest

from referee.calls import AmbiguousCall, BankBlack, Call, CallError, Carom, Combination, Pot, parse
from tests.referee.calls.corpus import Line, lines, reading

# The table of contracts/adjudication.md, restated.
CONTRACT = [
    ("жёлтый в левый дальний угол", "white", Pot("yellow", "foot-left")),
    ("чужой в середину", "white", Pot("other", "middle")),
    ("свой в середину и чужой от борта в угол", "white", Pot("own", "middle"), Pot("other", "corner", 1)),
    ("красный белым в угол", "yellow", Pot("red", "corner", combination=Combination("by", ("white",)))),
    ("свой от двух шаров в правую середину", "white", Pot("own", "middle-right", combination=Combination("carom"))),
    ("свой перескоком через красный в угол", "white", Pot("own", "corner", jump="ball")),
    ("жёлтый от двух бортов в середину", "white", Pot("yellow", "middle", 2)),
    ("триборт от жёлтого по красному", "white", Carom("yellow", "red")),
    ("карамболь три борта с жёлтого на красный", "white", Carom("yellow", "red")),
    ("жёлтым от двух бортов по чёрному", "white", BankBlack("yellow", 2)),
    ("красным от борта с одним соударением по чёрному", "yellow", BankBlack("red", 1, 1)),
    ("чёрный жёлтым в ближний правый угол", "white", Pot("black", "home-right", combination=Combination("by", ("yellow",)))),
    ("yellow off two cushions into the far left corner", "white", Pot("yellow", "foot-left", 2)),
]


@pytest.mark.parametrize("row", CONTRACT, ids=lambda row: row[0])
def test_contract(row: tuple) -> None:
    text, cue, *elements = row
    assert parse(text, cue) == Call(tuple(elements))


def test_corpus_reads_as_written() -> None:
    rows = lines()
    assert len(rows) >= 400
    wrong = [f"{row.text} ({row.cue}): {got}, expected {row.meaning}" for row in rows if (got := reading(row.text, row.cue)) != row.meaning]
    assert not wrong, "\n".join(wrong)


def variants(text: str) -> dict[str, str]:
    """What must not change the meaning."""
    return {
        "capitals": text.upper(),
        "no ё": text.replace("ё", "е"),
        "full stop": text + ".",
        "quotes": f"«{text}»",
        "please": f"пожалуйста, {text}" if re.search("[а-я]", text) else f"{text}, please",
        "play": f"играю {text}" if re.search("[а-я]", text) else f"I call {text}",
        "spaces": f"  {text.replace(' ', '   ')}\n",
    }


UNDERSTOOD = [row for row in lines() if row.meaning[0] not in "?!"]


@pytest.mark.parametrize("name", list(variants("")))
def test_dress_does_not_change_the_meaning(name: str) -> None:
    wrong = []
    for row in UNDERSTOOD[list(variants("")).index(name) % 3 :: 3]:
        if name == "full stop" and row.text.endswith("б"):
            continue
        dressed = variants(row.text)[name]
        if (got := reading(dressed, row.cue)) != row.meaning:
            wrong.append(f"{dressed!r}: {got}, expected {row.meaning}")
    assert not wrong, "\n".join(wrong)


NUMBERS = [
    ("двух", "2"),
    ("двух", "2-х"),
    ("двух", "2х"),
    ("трёх", "3"),
    ("трёх", "3-х"),
    ("одного", "1"),
    ("два", "2"),
    ("три", "3"),
    ("two", "2"),
    ("three", "3"),
]


@pytest.mark.parametrize(("word", "digit"), NUMBERS)
def test_numerals_as_words_or_digits(word: str, digit: str) -> None:
    rows = [row for row in UNDERSTOOD if re.search(rf"\b{word}\b", row.text)]
    assert rows
    wrong = [row for row in rows if reading(re.sub(rf"\b{word}\b", digit, row.text), row.cue) != row.meaning]
    assert not wrong


SWAPS = [
    ("левый дальний", "дальний левый"),
    ("дальний правый", "правый дальний"),
    ("в угол", "в угловую лузу"),
    ("в середину", "в среднюю лузу"),
    ("в середину", "в центр"),
    ("по чёрному", "по фишке"),
    ("по чёрному", "в чёрный"),
    ("от двух бортов", "с двух бортов"),
    ("от двух бортов", "через два борта"),
    ("от борта", "с борта"),
    ("into the", "in the"),
    ("cushions", "rails"),
    ("far left", "left far"),
    ("middle", "side pocket"),
]


@pytest.mark.parametrize(("one", "other"), SWAPS)
def test_words_that_mean_the_same(one: str, other: str) -> None:
    rows = [
        row
        for row in UNDERSTOOD
        if re.search(rf"(?<!\w){one}$", row.text)
        or re.search(rf"(?<!\w){one}(?= (от|с|и|в|far|near|corner|middle|left|right)\b)", row.text)
    ]
    assert rows
    wrong = [f"{row.text} -> {got}" for row in rows if (got := reading(row.text.replace(one, other), row.cue)) != row.meaning]
    assert not wrong, "\n".join(wrong)


def test_ambiguity_lists_its_readings() -> None:
    with pytest.raises(AmbiguousCall) as caught:
        parse("свой в левый угол", "white")
    assert caught.value.readings == (Call((Pot("own", "home-left"),)), Call((Pot("own", "foot-left"),)))
    assert "near left" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("жёлтый в Зелёный угол", "Зелёный"),
        ("жёлтый не в угол", "не"),
        ("Свой жёлтый в угол", "Свой жёлтый"),
        ("жёлтый в дальнюю середину", "в дальнюю середину"),
    ],
)
def test_the_part_that_is_not_understood_is_quoted_as_written(text: str, part: str) -> None:
    with pytest.raises(CallError) as caught:
        parse(text, "white")
    assert caught.value.part == part
    assert part in str(caught.value)


@pytest.mark.parametrize("text", ["", " ", ".", "и", "играю", ";;", "«»"])
def test_nothing_said_is_refused(text: str) -> None:
    with pytest.raises(CallError):
        parse(text, "white")


@pytest.mark.parametrize("cue", ["red", "", None])
def test_a_cue_ball_is_white_or_yellow(cue: object) -> None:
    with pytest.raises(CallError):
        parse("свой в угол", cue)  # type: ignore[arg-type]


def test_colour_stays_a_colour_and_owner_an_owner() -> None:
    for cue in ("white", "yellow"):
        assert parse("жёлтый в угол", cue) == Call((Pot("yellow", "corner"),))
        assert parse("свой в угол", cue) == Call((Pot("own", "corner"),))
        assert parse("прицельный в угол", cue) == Call((Pot("other", "corner"),))


def test_the_ball_that_strikes_is_no_combination() -> None:
    assert parse("красный белым в угол", "white") == Call((Pot("red", "corner"),))
    assert parse("красный битком в угол", "yellow") == Call((Pot("red", "corner"),))


def test_a_long_text_is_refused_quickly() -> None:
    with pytest.raises(CallError):
        parse("жёлтый и " * 2000, "white")


def test_line_type() -> None:
    assert all(isinstance(row, Line) and row.cue in ("white", "yellow") for row in lines())


def test_importing_calls_loads_neither_grammar_nor_morphology() -> None:
    code = "import sys, referee.calls; print([m for m in ('lark', 'pymorphy3') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def mirrored(text: str, pairs: list[tuple[str, str]]) -> str:
    """The text with the two words of each pair exchanged."""
    table = {**dict(pairs), **{b: a for a, b in pairs}}
    return re.sub("|".join(sorted(map(re.escape, table), key=len, reverse=True)), lambda match: table[match.group()], text)


SIDES = [("лев", "прав"), ("left", "right"), ("слева", "справа"), ("налево", "направо")]
ENDS = [("дальн", "ближн"), ("far", "near")]


@pytest.mark.parametrize(("words", "letters"), [(SIDES, ("L", "R")), (ENDS, ("F", "H"))], ids=["sides", "ends"])
def test_the_table_mirrored(words: list[tuple[str, str]], letters: tuple[str, str]) -> None:
    """Left said for right, or far for near, gives the mirrored pocket and changes nothing else."""
    rows = [row for row in UNDERSTOOD if any(a in row.text or b in row.text for a, b in words) and "дом" not in row.text]
    assert len(rows) > 60
    sides = re.compile(r"(?<=>)([HMF])([LR])")
    exchange = str.maketrans("".join(letters), "".join(reversed(letters)))
    wrong = []
    for row in rows:
        expected = sides.sub(lambda match: match.group().translate(exchange), row.meaning)
        if (got := reading(mirrored(row.text, words), row.cue)) != expected:
            wrong.append(f"{mirrored(row.text, words)}: {got}, expected {expected}")
    assert not wrong, "\n".join(wrong)
