"""Reading a line piece by piece; every error names the column and what was expected there."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TypeVar

from calibration.errors import UserError

Value = TypeVar("Value")

_NUMBER = re.compile(r"-?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?")
_WHOLE = re.compile(r"-?[0-9]+")


class NotationError(UserError, ValueError):
    """A line that is not in the notation (or a value that the notation cannot say). `column` counts from 1, `line` too (None: one line)."""

    def __init__(self, message: str, column: int | None = None, line: int | None = None) -> None:
        place = ", ".join(f"{name} {number}" for name, number in (("line", line), ("column", column)) if number is not None)
        super().__init__(f"{place}: {message}" if place else message)
        self.message = message
        self.column = column
        self.line = line


class Scanner:
    """A line and a place in it. `base` is the column at which the line's first character stands."""

    def __init__(self, text: str, base: int = 1) -> None:
        self.text = text
        self.at = 0
        self.base = base

    @property
    def rest(self) -> str:
        return self.text[self.at :]

    @property
    def done(self) -> bool:
        return self.at >= len(self.text)

    def error(self, expected: str, at: int | None = None) -> NotationError:
        """The error «expected … here»; `at` is an index into the text (default: the present place)."""
        place = self.at if at is None else at
        found = self.text[place : place + 12]
        return NotationError(f"expected {expected}, found {f'«{found}»' if found else 'the end of the line'}", place + self.base)

    def take(self, literal: str) -> bool:
        if self.text.startswith(literal, self.at):
            self.at += len(literal)
            return True
        return False

    def need(self, literal: str, expected: str | None = None) -> None:
        if not self.take(literal):
            raise self.error(expected or f"«{literal}»")

    def space(self) -> None:
        self.need(" ", "a space")

    def number(self, expected: str) -> float:
        """A finite decimal number."""
        match = _NUMBER.match(self.text, self.at)
        if match is None:
            raise self.error(expected)
        value = float(match.group())
        if value in (float("inf"), float("-inf")):
            raise self.error(f"{expected} that is finite")
        self.at = match.end()
        return value

    def whole(self, expected: str) -> int:
        match = _WHOLE.match(self.text, self.at)
        if match is None or len(match.group()) > 18:
            raise self.error(expected)
        self.at = match.end()
        return int(match.group())

    def one_of(self, table: Mapping[str, Value], expected: str) -> Value:
        """The value of the longest key that stands here."""
        for key in sorted(table, key=len, reverse=True):
            if self.take(key):
                return table[key]
        raise self.error(f"{expected} ({' '.join(table)})")

    def end(self) -> None:
        if not self.done:
            raise self.error("the end of the line")


def number_text(value: float, name: str) -> str:
    """The shortest decimal that reads back as the same number. Raises NotationError for what is not a finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value or value in (float("inf"), float("-inf")):
        raise NotationError(f"{name}: expected a finite number, got {value!r}")
    try:
        exact = float(value)
    except OverflowError:
        raise NotationError(f"{name}: expected a finite number, got {value!r:.40}") from None
    text = repr(exact)
    return text[:-2] if text.endswith(".0") else text
