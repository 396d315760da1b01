"""Errors that a user can cause. The command line prints the message as one line and exits with status 2."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


class UserError(Exception):
    """Bad input: the message is one line that names the file or field and says what was expected."""


class CalibrationRefused(UserError, ValueError):
    """The table could not be found, or not surely enough; the message says why. `outlines`: (4, 2) px of what came near. `by_hand`:
    whether corners set by hand would serve; not where the picture itself is of no use."""

    def __init__(self, message: str, outlines: Sequence[Any] = (), *, by_hand: bool = True) -> None:
        super().__init__(message)
        self.outlines, self.by_hand = tuple(outlines), by_hand
