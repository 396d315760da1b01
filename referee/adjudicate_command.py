"""`poedinok adjudicate`: one case in, one ruling out; or many, a line each (contract: adjudication). Cases are JSON or notation."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from calibration.errors import UserError
from referee.codec import Case, CaseError, case_from_json, ruling_to_json
from referee.codec.read import load
from referee.notation import NotationError, cases_of_text, checked, looks_like_notation, read_case
from referee.output import print_text, read_bytes, standard_input
from referee.rules.adjudication import adjudicate
from referee.ruling import Ruling

_ON_ONE_LINE = json.JSONEncoder(ensure_ascii=False)  # made once: `json.dumps` makes one each time


def _rule(case: Case) -> Ruling:
    return adjudicate(case.state, case.shot, case.call, case.table)


def _told(ruling: Ruling, explain: str | None, indent: int | None = None) -> str:
    if explain:
        return getattr(ruling.explanation, explain)
    out = ruling_to_json(ruling)
    return _ON_ONE_LINE.encode(out) if indent is None else json.dumps(out, ensure_ascii=False, indent=indent)


def _as_notation(text: str | bytes) -> str | None:
    """The text if it is notation; None for what is to be read as JSON, also where it is neither."""
    if text[:1] in (b"{", "{"):  # most are JSON, and need not be looked at twice
        return None
    if isinstance(text, bytes):
        try:
            text = text.decode("utf-8-sig")
        except UnicodeDecodeError:
            return None
    return text if looks_like_notation(text) else None


def adjudicate_text(text: str | bytes, explain: str | None = None) -> str:
    """The ruling on a case in JSON or notation, as indented JSON; with `explain` ("ru" or "en") its explanation alone.

    Of several cases in notation (lines, or a match) the rulings, one a line. Raises CaseError or NotationError.
    """
    notation = _as_notation(text)
    if notation is None:
        return _told(_rule(case_from_json(load(text))), explain, 2)
    found = cases_of_text(notation)
    if not found:
        raise CaseError("case", "expected at least one stroke")
    return "\n".join(_told(_rule(case), explain, 2 if len(found) == 1 else None) for case in found)


def adjudicate_lines(lines: Iterable[str | bytes], explain: str | None = None) -> Iterator[str]:
    """For each line one line: the ruling on its case, or `{"error": "…"}`; with `explain` explanations, or the error as text."""
    for line in lines:
        try:
            out = _told(_rule(_case_of_line(line)), explain)
        except (CaseError, NotationError) as error:
            message = " ".join(str(error).split())
            out = message if explain else json.dumps({"error": message}, ensure_ascii=False)
        yield out


def _case_of_line(line: str | bytes) -> Case:
    notation = _as_notation(line)
    if notation is not None:
        return checked(read_case(notation.removeprefix("\ufeff")))
    obj = load(line.strip())
    return case_from_json(obj["case"] if isinstance(obj, dict) and isinstance(obj.get("case"), dict) and "shot" not in obj else obj)


def run_adjudicate(case: Path | None, lines: Path | None, explain: str | None = None) -> int:
    """The command: prints, and returns the exit status. Raises UserError, also for a case that is not valid."""
    if (case is None) == (lines is None):
        raise UserError("adjudicate: expected CASE.json or --lines CASES.jsonl, one of the two")
    if case is not None:
        print_text(_named(case, lambda: adjudicate_text(read_bytes(case), explain)))
    elif str(lines) == "-":
        _print_lines(standard_input(), explain)
    else:
        try:
            with Path(str(lines)).open("rb") as stream:
                _print_lines(stream, explain)
        except (IsADirectoryError, FileNotFoundError, PermissionError) as error:
            raise UserError(f"{lines}: {error.strerror or 'cannot be read'}") from None
    return 0


def _named(case: Path, rule: Callable[[], str]) -> str:
    """What `rule` gives; a case that is not valid is refused by the name of its file."""
    try:
        return rule()
    except (CaseError, NotationError) as error:
        if str(case) == "-":
            raise
        raise UserError(f"{case}: {error}") from None


def _print_lines(stream: Iterable[bytes], explain: str | None) -> None:
    """A line out as soon as its case is read, so that another program may feed cases one by one."""
    for out in adjudicate_lines(stream, explain):
        print_text(out)
