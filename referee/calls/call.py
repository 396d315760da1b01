"""The structured call (contract: adjudication, section Call). Pure values."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Combination:
    """`how`: by (driven in by the named ball), off (goes in off it), carom (cue ball off the two); no balls: any."""

    how: str
    balls: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Pot:
    """`ball`: own | other | a colour; `pocket`: a pocket's name | corner | middle | any; `cushions` 0..3 (3: three or more)."""

    ball: str
    pocket: str = "any"
    cushions: int = 0
    combination: Combination | None = None
    jump: str | None = None  # ball | jaw


@dataclass(frozen=True, slots=True)
class Carom:
    """Three-cushion carom of the cue ball from `first` to `second`."""

    first: str
    second: str


@dataclass(frozen=True, slots=True)
class BankBlack:
    """Bank of the object ball `ball` onto black after exactly `cushions` cushions and `contacts` additional contacts."""

    ball: str
    cushions: int
    contacts: int = 0


Element = Pot | Carom | BankBlack


@dataclass(frozen=True, slots=True)
class Call:
    """What was announced; every element must be made."""

    elements: tuple[Element, ...]

    def text(self, language: str = "ru") -> str:
        """The call in words (`ru` or `en`)."""
        from referee.calls.text import call_text

        return call_text(self, language)
