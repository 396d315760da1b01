"""Calls: the structured form of what a player announces, and the grammar that reads it from Russian or English.

`parse(text, cue)` reads, `call_text(call, language)` says it again, `to_json` / `from_json` are the form of the contract.
The grammar and the morphology are loaded when the first text is read, not on import.
"""

from __future__ import annotations

from referee.calls.call import BankBlack, Call, Carom, Combination, Element, Pot
from referee.calls.errors import AmbiguousCall, CallError, CallFormError
from referee.calls.structure import from_json, to_json
from referee.calls.text import call_text

__all__ = [
    "AmbiguousCall", "BankBlack", "Call", "CallError", "CallFormError", "Carom", "Combination", "Element", "Pot",
    "call_text", "from_json", "parse", "parse_call", "to_json",
]  # fmt: skip


def parse(text: str, cue: str) -> Call:
    """The call in `text` when the cue ball is `cue` (white | yellow). Raises CallError, or AmbiguousCall with `.readings`."""
    from referee.calls.meaning import parse as read

    return read(text, cue)


parse_call = parse
