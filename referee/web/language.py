"""Texts of pages in two languages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

Language = Literal["ru", "en"]


class Texts:
    """`texts[key]` in the language chosen; `texts(key, name=value)` with values filled in.

    Args:
        table: key -> (Russian, English).
    """

    def __init__(self, table: Mapping[str, tuple[str, str]], language: str = "ru") -> None:
        self._table = table
        self.language: Language = "en" if language == "en" else "ru"

    def __getitem__(self, key: str) -> str:
        return self._table[key][0 if self.language == "ru" else 1]

    def __call__(self, key: str, **values: object) -> str:
        return self[key].format(**values)

    def has(self, key: str) -> bool:
        return key in self._table

    def number(self, value: float, digits: int = 1) -> str:
        """A number as the language writes it (2,5 and 2.5)."""
        text = f"{value:.{digits}f}"
        return text.replace(".", ",") if self.language == "ru" else text
