"""What is wrong with a case."""

from __future__ import annotations

from calibration.errors import UserError


class CaseError(UserError, ValueError):
    """A case that is not valid. The message is one line, `PATH: expected …`; `path` names the field, such as `shot.events[3].balls`."""

    def __init__(self, path: str, expected: str) -> None:
        super().__init__(f"{_line(path, 120)}: {_line(expected, 400)}")
        self.path = path


def _line(text: str, longest: int) -> str:
    """What a file says may hold anything; one line of print goes out."""
    shown = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
    return shown if len(shown) <= longest else shown[: longest - 1] + "…"
