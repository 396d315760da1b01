"""The corpus of calls, and its figures: `python -m tests.referee.calls.corpus`."""

from collections import Counter
from pathlib import Path
from typing import NamedTuple

from referee.calls import AmbiguousCall, CallError, parse
from referee.notation import write_call

PATH = Path(__file__).parent / "corpus.tsv"


class Line(NamedTuple):
    text: str
    cue: str
    meaning: str


def lines() -> list[Line]:
    rows = [row for row in PATH.read_text("utf-8").splitlines() if row and not row.startswith("#")]
    return [Line(*row.split("\t")) for row in rows]


def reading(text: str, cue: str) -> str:
    """The meaning of a text as the corpus writes it."""
    try:
        return write_call(parse(text, cue))
    except AmbiguousCall as error:
        return "? " + " / ".join(write_call(call) for call in error.readings)
    except CallError as error:
        return f"! {error.part}"


def figures() -> Counter[str]:
    names = {"?": "ambiguous", "!": "not understood"}
    found: Counter[str] = Counter()
    for line in lines():
        got = reading(line.text, line.cue)
        found[names.get(got[0], "understood")] += 1
        found["as expected" if got == line.meaning else "otherwise"] += 1
    return found


if __name__ == "__main__":
    print(len(lines()), "texts:", ", ".join(f"{count} {name}" for name, count in sorted(figures().items())))
