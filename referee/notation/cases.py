"""A case (table, state, call, stroke) on one line: the parts are parted by «; », the table is left out when it is `pyramid-12ft`."""

from __future__ import annotations

import re

from calibration.table import Table, custom_table, table
from referee.codec import Case, case_from_json, case_to_json
from referee.notation.calls import scan_call, write_call
from referee.notation.scanner import NotationError, Scanner, number_text
from referee.notation.shots import scan_shot, write_shot
from referee.notation.states import scan_state, write_state

DEFAULT_TABLE = "pyramid-12ft"
_TABLE = re.compile(r"[a-z]+-[0-9]+ft|[0-9][0-9.]*x[0-9][0-9.]*")


def write_table(value: Table) -> str:
    """`pyramid-12ft`, `3500x1750` for a size of its own; `@60` after it for a ball of another diameter, mm."""
    ball = number_text(value.ball, "table.ball")
    size = f"{number_text(value.length, 'table.length')}x{number_text(value.width, 'table.width')}"
    for text in (value.name, f"{value.name}@{ball}", size, f"{size}@{ball}"):
        try:
            if read_table(text) == value:
                return text
        except NotationError:
            continue
    raise NotationError(f"table: expected a table of a known kind or size, got {value.name!r}")


def read_table(text: str) -> Table:
    """The table of a line that holds nothing else. Raises NotationError."""
    scanner = Scanner(text)
    value = scan_table(scanner)
    scanner.end()
    return value


def scan_table(scanner: Scanner) -> Table:
    start = scanner.at
    match = _TABLE.match(scanner.text, start)
    if match is None:
        raise scanner.error("a table (pyramid-12ft, or LENGTHxWIDTH in mm)")
    scanner.at = match.end()
    ball = scanner.number("the ball's diameter in mm") if scanner.take("@") else None
    if ball is not None and not 20 <= ball <= 100:
        raise scanner.error("a ball of 20 to 100 mm", match.end() + 1)
    try:
        if match.group()[0].isdigit():
            length, width = (float(part) for part in match.group().split("x"))
            return custom_table(length, width) if ball is None else custom_table(length, width, ball=ball)
        return table(match.group(), ball=ball)
    except ValueError as error:
        raise NotationError(str(error), start + scanner.base) from None


def write_case(case: Case) -> str:
    """The case on one line. Raises NotationError for a case that is not valid."""
    kind = write_table(case.table)
    parts = [write_state(case.state), write_call(case.call), write_shot(case.shot)]
    return "; ".join(parts if kind == DEFAULT_TABLE else [kind, *parts])


def read_case(text: str) -> Case:
    """The case of a line. Raises NotationError naming the column."""
    scanner = Scanner(text.rstrip("\r\n"))
    kind = table()
    if _TABLE.match(scanner.text):
        kind = scan_table(scanner)
        scanner.need("; ", "«; » and the state")
    state = scan_state(scanner)
    scanner.need("; ", "«; » and the call")
    call = scan_call(scanner)
    scanner.need("; ", "«; » and the stroke")
    shot = scan_shot(scanner)
    scanner.end()
    return Case(kind, state, call, shot)


def checked(case: Case) -> Case:
    """The case if it can be ruled on, by the same checks as one in JSON. Raises CaseError naming the field."""
    if case.table.name == write_table(case.table):  # a kind of the contract
        return case_from_json(case_to_json(case))
    raise NotationError(f"table: expected a kind of table with its own balls, got {write_table(case.table)}")
