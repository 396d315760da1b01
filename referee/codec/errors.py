"""What is wrong with a case."""

from __future__ import annotations

from calibration.errors import UserError


class CaseError(UserError, ValueError):
    """A case that is not valid. The message is one line, `PATH: expected …`; `path` names the field, such as `shot.events[3].balls`."""

    def __init__(self, path: str, expected: str) -> None:
        super().__init__(f"{path}: {expected}" if path else expected)
        self.path = path
