"""Errors that a user can cause. The command line prints the message as one line and exits with status 2."""

from __future__ import annotations


class UserError(Exception):
    """Bad input: the message is one line that names the file or field and says what was expected."""


class CalibrationRefused(UserError, ValueError):
    """The table could not be found, or not surely enough; the message says why."""
