"""What can be wrong with a call that was said or written."""

from __future__ import annotations

from calibration.errors import UserError
from referee.calls.call import Call


class CallError(UserError, ValueError):
    """A text that is not understood. `part` is the piece that was not; `readings` are the meanings, if there are several."""

    def __init__(self, message: str, part: str = "", readings: tuple[Call, ...] = ()) -> None:
        super().__init__(" ".join(message.split()))
        self.part = part
        self.readings = readings


class AmbiguousCall(CallError):
    """A text with more than one meaning; `readings` lists them."""


MISSING = object()  # what CallFormError got where there is no such field


class CallFormError(UserError, ValueError):
    """A structured call that is not valid; `path` names the field."""

    def __init__(self, path: str, expected: str, got: object) -> None:
        shown = "null" if got is None else str(got).lower() if isinstance(got, bool) else repr(got)
        if len(shown) > 60:
            shown = shown[:57] + "…"
        super().__init__(f"{path}: expected {expected}, " + ("but missing" if got is MISSING else f"got {shown}"))
        self.path = path
