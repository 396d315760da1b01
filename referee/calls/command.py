"""What `poedinok parse-call` does, without the command line itself: exit code, standard output and standard error as values."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from referee.calls.errors import CallError
from referee.calls.meaning import parse
from referee.calls.structure import to_json


def call_json(text: str, cue: str) -> str:
    """One line of JSON for the call in `text`. Raises CallError."""
    return json.dumps(to_json(parse(text, cue)), ensure_ascii=False)


def run_text(text: str, cue: str) -> tuple[int, str, str]:
    """`parse-call TEXT`: exit code (0, or 2 when not understood), the line for standard output, the line for standard error."""
    try:
        return 0, call_json(text, cue), ""
    except CallError as error:
        return 2, "", one_line(error)


def run_lines(lines: Iterable[str], cue: str) -> Iterator[str]:
    """`parse-call --lines FILE`: for each line one line, a structure or an error; in order, never raising."""
    for line in lines:
        try:
            yield call_json(line.rstrip("\r\n"), cue)
        except CallError as error:
            yield json.dumps(error_json(error), ensure_ascii=False)


def error_json(error: CallError) -> dict[str, object]:
    """`{"error": …}` with the part that was not understood, and the readings of an ambiguous call."""
    out: dict[str, object] = {"error": one_line(error), "part": error.part}
    if error.readings:
        out["readings"] = [to_json(reading) for reading in error.readings]
    return out


def one_line(error: CallError) -> str:
    message = " ".join(str(error).split())
    part = " ".join(error.part.split())
    return message if not part or part in message else f"{message} (at «{part}»)"
