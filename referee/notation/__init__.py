"""One line of text for a state, a call, a stroke, a case; a text file for a match (docs/NOTATION.md). All read back exactly."""

from __future__ import annotations

import re

from referee.codec import Case, CaseError, parse_case
from referee.notation.calls import read_call, write_call
from referee.notation.cases import checked, read_case, read_table, write_case, write_table
from referee.notation.matches import (
    MatchText,
    Summary,
    Turn,
    cases,
    from_match,
    read_match,
    read_ruling,
    summary,
    write_match,
    write_ruling,
)
from referee.notation.scanner import NotationError
from referee.notation.shots import read_shot, write_shot
from referee.notation.states import read_state, write_state

__all__ = [
    "Case", "MatchText", "NotationError", "Summary", "Turn",
    "cases", "cases_of_text", "checked", "from_match", "looks_like_match", "looks_like_notation",
    "read_call", "read_case", "read_match", "read_ruling", "read_shot", "read_state", "read_table",
    "summary",
    "write_call", "write_case", "write_match", "write_ruling", "write_shot", "write_state", "write_table",
]  # fmt: skip

_MATCH = re.compile(r'(?:\[[A-Za-z]\w* "|[0-9]+ state )')
_LINE = re.compile(r"(?:(?:[a-z]+-[0-9]+ft|[0-9.]+x[0-9.]+)(?:@[0-9.]+)?; )?(?:[WYRB](?:-|[0-9.])|- [WY] )")


def _first_line(text: str) -> str:
    lines = (line for line in text.removeprefix("\ufeff").splitlines() if line.strip() and not line.startswith("#"))
    return next(lines, "").lstrip()


def looks_like_match(text: str) -> bool:
    """Whether the text begins like a match in notation."""
    return _MATCH.match(_first_line(text)) is not None


def looks_like_notation(text: str) -> bool:
    """Whether the text begins like a case or a match in notation, not like JSON. It may still be wrong further on."""
    return looks_like_match(text) or _LINE.match(_first_line(text)) is not None


def _of_place(place: str, case: Case) -> Case:
    """The case if it can be ruled on. Raises CaseError naming its place in the text too."""
    try:
        return checked(case)
    except CaseError as error:
        if not place:
            raise
        raise CaseError(f"{place}: {error.path}", str(error).removeprefix(f"{error.path}: ")) from None


def cases_of_text(text: str) -> tuple[Case, ...]:
    """The cases in a text: one in JSON, one or more lines of notation, or a match in notation.

    Raises CaseError (JSON, or a value that cannot be ruled on) or NotationError naming the column, and the line if there are several.
    """
    if looks_like_match(text):
        return tuple(_of_place(f"stroke {number}", case) for number, case in enumerate(cases(read_match(text)), 1))
    if not looks_like_notation(text):
        return (parse_case(text),)
    found = []
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    for number, line in enumerate(lines, 1):
        if line.strip() and not line.startswith("#"):
            try:
                found.append(_of_place(f"line {number}" if len(lines) > 2 else "", read_case(line)))
            except NotationError as error:
                raise NotationError(error.message, error.column, number) from None
    return tuple(found)
