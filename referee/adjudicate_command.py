"""`poedinok adjudicate`: one case in, one ruling out; or many, a line each (contract: adjudication)."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from calibration.errors import UserError
from referee.codec import CaseError, case_from_json, ruling_to_json
from referee.codec.read import load
from referee.rules.adjudication import adjudicate
from referee.ruling import Ruling


def _rule(obj: object) -> Ruling:
    case = case_from_json(obj)
    return adjudicate(case.state, case.shot, case.call, case.table)


def adjudicate_text(text: str | bytes, explain: str | None = None) -> str:
    """The ruling on a case in JSON, as indented JSON; with `explain` ("ru" or "en") its explanation alone. Raises CaseError."""
    ruling = _rule(load(text))
    if explain is not None:
        return getattr(ruling.explanation, explain)
    return json.dumps(ruling_to_json(ruling), ensure_ascii=False, indent=2)


def adjudicate_lines(lines: Iterable[str | bytes], explain: str | None = None) -> Iterator[str]:
    """For each line one line: the ruling on its case, or `{"error": "…"}`; with `explain` explanations, or the error as text."""
    for line in lines:
        try:
            obj = load(line)
            ruling = _rule(obj["case"] if isinstance(obj, dict) and isinstance(obj.get("case"), dict) and "shot" not in obj else obj)
        except CaseError as error:
            message = " ".join(str(error).split())
            yield message if explain else json.dumps({"error": message}, ensure_ascii=False)
            continue
        yield getattr(ruling.explanation, explain) if explain else json.dumps(ruling_to_json(ruling), ensure_ascii=False)


def _read(path: Path) -> bytes:
    if str(path) == "-":
        return sys.stdin.buffer.read()
    try:
        return path.read_bytes()
    except OSError as error:
        raise UserError(f"{path}: {error.strerror or 'cannot be read'}") from None


def run_adjudicate(case: Path | None, lines: Path | None, explain: str | None = None) -> int:
    """The command: prints, and returns the exit status. Raises UserError, and CaseError for a case that is not valid."""
    if (case is None) == (lines is None):
        raise UserError("adjudicate: expected CASE.json or --lines CASES.jsonl, one of the two")
    if case is not None:
        _print(adjudicate_text(_read(case), explain))
    elif str(lines) == "-":
        _print_lines(sys.stdin.buffer, explain)
    else:
        try:
            with Path(str(lines)).open("rb") as stream:
                _print_lines(stream, explain)
        except (IsADirectoryError, FileNotFoundError, PermissionError) as error:
            raise UserError(f"{lines}: {error.strerror or 'cannot be read'}") from None
    return 0


def _print_lines(stream: Iterable[bytes], explain: str | None) -> None:
    """A line out as soon as its case is read, so that another program may feed cases one by one."""
    for out in adjudicate_lines(stream, explain):
        _print(out)


def _print(text: str) -> None:
    """UTF-8 whatever the terminal says: a ruling is in Russian too."""
    sys.stdout.buffer.write(text.encode("utf-8") + b"\n")
    sys.stdout.buffer.flush()
