"""What an element of a call, or a stroke without a call, came to."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from referee.ruling import Item


class NotMade(StrEnum):
    """Why something that was called, or a ball that fell, does not count."""

    NOT_POTTED = "the ball did not fall"
    FELL_LATE = "it fell more than 3 s after it stopped in the jaws"
    KNOCKED_IN_LATE = "it was knocked in more than 3 s after it stopped in the jaws"
    OTHER_POCKET = "it fell into another pocket than called"
    OTHER_CUSHIONS = "the number of cushions is not the called one"
    NOT_FIRST = "the cue ball met another ball first"
    UNCALLED_COMBINATION = "it fell by a combination that was not called"
    OTHER_COMBINATION = "the combination is not the called one"
    JUMP_NOT_MADE = "the called jump was not made"
    JUMP_NOT_CALLED = "it was made by a jump that was not called"
    CAROM_FIRST_NOT_MET = "the cue ball did not meet the first ball of the carom first"
    CAROM_SECOND_NOT_MET = "the cue ball did not meet the second ball of the carom"
    CAROM_OTHER_BALL = "the cue ball met another ball than the two of the carom"
    CAROM_CUSHIONS = "fewer than three cushions before the second ball of the carom"
    BANK_NOT_MET = "the object ball did not meet black after the cue ball had met it"
    BANK_CUSHIONS = "the number of cushions before black is not the called one"
    BANK_CONTACTS = "the number of additional contacts before black is not the called one"
    NO_CALL = "it was not straight and nothing was called"
    FROM_HAND = "from hand only called strokes with a bonus count"
    BLACK_UNCALLED = "black counts only by a called combination"
    NOT_CALLED = "it was not called"
    HALF_A_DOUBLE = "all that was called must be made"
    VOID_CALL = "the call was void"
    FOUL = "nothing counts after a foul"


@dataclass(frozen=True, slots=True)
class Failure:
    """`event` is the index that shows it, where one does."""

    reason: NotMade
    ball: str | None = None
    event: int | None = None
    decisions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Pocketed:
    """A ball that counts: where it fell and whether it was straight (D3), which bonus 9.4 asks for."""

    ball: str
    pocket: str
    straight: bool
    event: int


@dataclass(frozen=True, slots=True)
class Made:
    """Something that scores, fouls apart: its items, the balls rightly potted, and the contacts that it provides for (rule 6)."""

    items: tuple[Item, ...]
    pocketed: tuple[Pocketed, ...] = ()
    provides: frozenset[frozenset[str]] = frozenset()

    @property
    def right(self) -> frozenset[str]:
        """Balls rightly potted."""
        return frozenset(p.ball for p in self.pocketed)


@dataclass(frozen=True, slots=True)
class Score:
    """What the whole stroke makes before fouls are looked at: `made` is None if it does not score; `failures` say why."""

    made: Made | None
    failures: tuple[Failure, ...] = ()

    @property
    def right(self) -> frozenset[str]:
        return self.made.right if self.made else frozenset()
