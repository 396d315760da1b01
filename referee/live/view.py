"""What everybody sees of a game: a fold over its journal."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from calibration.table import Table
from referee.alternatives import Alternative, alternatives
from referee.analyze import replayed
from referee.live.store import Game
from referee.match import Began, Entry, Match, Played, Ruled, effective
from referee.placing import first_state


@dataclass(frozen=True)
class StrokeView:
    """One stroke as the desk shows it. `open`: it waits for a person; `ways`: what it may have been instead."""

    ruled: Ruled
    open: bool
    ways: tuple[Alternative, ...] = ()
    start_t: float | None = None
    end_t: float | None = None

    @property
    def number(self) -> int:
        return self.ruled.stroke


@dataclass(frozen=True)
class View:
    """What everybody sees. `status`: none | playing | paused | over.

    `settled`: the score after the last stroke before the first open one; `match.scores` is what it would be as ruled.
    `call`: in force for the next stroke. `undoable`, `redoable`: whether there is something to undo, or an undo to take back.
    """

    version: int
    status: str
    game: Game | None = None
    match: Match | None = None
    strokes: tuple[StrokeView, ...] = ()
    settled: tuple[int, int] = (0, 0)
    call: Any = None
    undoable: bool = False
    redoable: bool = False
    winner: int | None = None

    @property
    def open(self) -> tuple[StrokeView, ...]:
        return tuple(s for s in self.strokes if s.open)

    @property
    def next_stroke(self) -> int:
        return self.strokes[-1].number + 1 if self.strokes else 1


def told(journal: tuple[Entry, ...], table: Table) -> tuple[Match, tuple[StrokeView, ...]]:
    """The match and the strokes that a journal tells. Raises JournalError."""

    def shown(ruled: Ruled) -> StrokeView:
        seen = played[ruled.stroke]
        return StrokeView(ruled, bool(ruled.review), alternatives(ruled), seen.start_t, seen.end_t)

    journal = begun(journal, table)
    match = replayed(journal, table)
    played = {e.what.stroke: e.what for e in effective(journal) if isinstance(e.what, Played)}
    return match, tuple(shown(ruled) for ruled in match.strokes)


def begun(journal: tuple[Entry, ...], table: Table) -> tuple[Entry, ...]:
    """The journal; where a game was begun with balls that nobody had seen, its first stroke tells how it began."""
    began = journal[0].what
    first = min((e.what for e in effective(journal) if isinstance(e.what, Played)), key=lambda played: played.stroke, default=None)
    if not isinstance(began, Began) or first is None or began.state.waiting or None not in began.state.positions.values():
        return journal
    known = began.state
    state = replace(first_state(first.positions_before, table), player=known.player, scores=known.scores, target=known.target)
    return (replace(journal[0], what=replace(began, state=state)), *journal[1:])
