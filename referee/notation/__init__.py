"""One line of text for a state, a call, a stroke, a case; a text file for a match (docs/NOTATION.md). All read back exactly."""

from __future__ import annotations

from referee.notation.calls import read_call, write_call
from referee.notation.scanner import NotationError

__all__ = ["NotationError", "read_call", "write_call"]
