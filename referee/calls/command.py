"""What `poedinok parse-call` does: `run_parse_call` prints and returns the exit status, the other functions give the same as values."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from calibration.errors import UserError
from referee.calls.errors import CallError
from referee.calls.meaning import parse
from referee.calls.structure import to_json
from referee.output import print_text, read_bytes

_HINT = "; a call is, for example, «жёлтый в правый дальний угол» or «yellow to the far right corner» (docs/CALLS.md)"


def run_parse_call(text: str | None, cue: str, lines: Path | None = None) -> int:
    """The command. Exit status 0, or 2 for a text that is not understood (one line on standard error). Raises UserError for wrong use."""
    if (text is None) == (lines is None):
        raise UserError("parse-call: expected TEXT or --lines FILE, one of the two")
    if lines is not None:
        for out in run_lines(_lines_of(lines), cue):
            print_text(out)
        return 0
    status, out, problem = run_text(text or "", cue)
    if status:
        print(f"poedinok: {problem}{_HINT}", file=sys.stderr)
    else:
        print_text(out)
    return status


def _lines_of(path: Path) -> list[str]:
    raw = read_bytes(path)
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UserError(f"{path}:{raw[: error.start].count(10) + 1}: calls must be text in UTF-8") from None
    lines = text.replace("\r\n", "\n").split("\n")
    return lines[:-1] if lines and not lines[-1] else lines


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
