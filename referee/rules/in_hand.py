"""Strokes with the cue ball in hand (rule 11; D6, D19, D33)."""

from __future__ import annotations

from enum import StrEnum

from referee.calls.call import BankBlack, Element, Pot


class HandReason(StrEnum):
    """Why a call may not be made from hand."""

    STRAIGHT = "straight ball from hand"
    JUMP = "jump from hand"
    BANK = "bank onto black from hand"


def forbids(element: Element) -> HandReason | None:
    """Rule 11: from hand no straight ball, jump or bank onto black may be called; a carom may, and what carries a bonus."""
    if isinstance(element, BankBlack):
        return HandReason.BANK
    if not isinstance(element, Pot):
        return None
    if element.jump is not None:
        return HandReason.JUMP
    return HandReason.STRAIGHT if element.cushions == 0 and element.combination is None else None
