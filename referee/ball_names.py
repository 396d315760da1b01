"""The balls that a user names in one text, such as «white,red»."""

from __future__ import annotations

from calibration.errors import UserError
from calibration.table import BALLS


def balls_named(text: str, field: str = "--balls") -> tuple[str, ...]:
    """The balls of a text, separated by commas, in upper or lower case.

    Raises:
        UserError: a name that is none, or one that comes twice; the message begins with `field`.
    """
    names = tuple(name.strip().lower() for name in text.split(","))
    for name in names:
        if name not in BALLS:
            raise UserError(f"{field}: unknown ball {name!r}, expected some of {','.join(BALLS)}")
    if len(set(names)) < len(names):
        raise UserError(f"{field}: expected each ball once, got {text}")
    return names
