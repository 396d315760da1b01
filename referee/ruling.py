"""A ruling (contract: adjudication, section Ruling). Pure values."""

from __future__ import annotations

from dataclasses import dataclass

from referee.state import State


@dataclass(frozen=True, slots=True)
class Item:
    """One scoring rule applied.

    `rule` is the number in the source, `decisions` those used with it, `events` the indexes that prove it.
    """

    rule: str
    ball: str | None
    points: int
    events: tuple[int, ...] = ()
    decisions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Foul:
    """One foul: `event` is the index that shows it, None for a miss or an inactive stroke."""

    rule: str
    balls: tuple[str, ...]
    event: int | None
    decisions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Explanation:
    ru: str
    en: str


@dataclass(frozen=True, slots=True)
class Ruling:
    """`outcome`: scored | no_score | foul; `turn`: stays | passes; `void_call`: why the call was void, or None.

    `rules` are all rules of the source that the ruling applied, `decisions` all decisions used (D1...), `void_reason` the
    name of the reason of a void call (a member of `referee.rules.validity.VoidReason` in lower case).
    """

    outcome: str
    points: int
    opponent_points: int
    items: tuple[Item, ...]
    fouls: tuple[Foul, ...]
    void_call: str | None
    turn: str
    state: State
    game_over: bool
    winner: int | None
    explanation: Explanation
    decisions: tuple[str, ...] = ()
    void_reason: str | None = None
    rules: tuple[str, ...] = ()
