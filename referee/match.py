"""A match as a journal: what happened, in order, as entries that are never changed. The score is a fold over them.

Undo, a correction, a late call and a person's decision are new entries. Replaying the journal with the same rules
always gives the same match, and a correction of an early stroke rules all later ones again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from calibration.errors import UserError
from referee.ruling import Ruling
from referee.state import State
from vision.shot import Doubt, Places, Shot

if TYPE_CHECKING:
    from referee.alternatives import Alternative

Call = str | Mapping[str, Any] | None  # as announced (contract: adjudication, section Call)


class JournalError(UserError):
    """An entry that does not fit the journal before it; the message names the entry."""


@dataclass(frozen=True, slots=True)
class Began:
    """The match begins in this state."""

    state: State
    players: tuple[str, str] = ("A", "B")


@dataclass(frozen=True, slots=True)
class Played:
    """Stroke `stroke` was played: what was seen, and where the balls lay before it (`sigma`: error bars of that, mm)."""

    stroke: int
    shot: Shot
    positions_before: Places
    review: tuple[Doubt, ...] = ()
    start_t: float | None = None
    end_t: float | None = None
    notes: tuple[Doubt, ...] = ()
    sigma: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Called:
    """`call` is in force for stroke `stroke`, which may be yet to come (a call) or already played (a late call); the last one counts."""

    stroke: int
    call: Call
    video_t: float | None = None


@dataclass(frozen=True, slots=True)
class Corrected:
    """A person says that stroke `stroke` went otherwise: the shot that counts instead."""

    stroke: int
    shot: Shot


@dataclass(frozen=True, slots=True)
class Confirmed:
    """A person looked at stroke `stroke` and stands by it: nothing is left to review."""

    stroke: int


@dataclass(frozen=True, slots=True)
class Decided:
    """A person's ruling of stroke `stroke`, in place of the referee's."""

    stroke: int
    ruling: Ruling


@dataclass(frozen=True, slots=True)
class Undone:
    """Entry `entry` counts no more. An `Undone` can itself be undone."""

    entry: int


What = Began | Played | Called | Corrected | Confirmed | Decided | Undone


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the journal: `number` counts from 1; `at` is the wall clock in Unix seconds, if there was one."""

    number: int
    what: What
    at: float | None = None


@dataclass(frozen=True, slots=True)
class Ruled:
    """A stroke with its ruling: `before` is the state in which it was ruled; no ruling where the game is not refereed.

    `review` is what a person should look at, `ways` what each of these may have been instead, `notes` what is doubtful and
    decides nothing. `said`: all calls made for the stroke; the last one stands. `confidence`: the probability that the ruling
    is right, where it was asked for (`referee.confidence`).
    """

    stroke: int
    before: State
    shot: Shot
    call: Call
    ruling: Ruling | None
    review: tuple[Doubt, ...]
    confirmed: bool = False
    notes: tuple[Doubt, ...] = ()
    ways: tuple[tuple[Alternative, ...], ...] = ()
    said: tuple[Call, ...] = ()
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class Match:
    """The match after all entries: `state` is the one before the next stroke."""

    state: State
    players: tuple[str, str]
    strokes: tuple[Ruled, ...] = ()

    @property
    def scores(self) -> tuple[int, int]:
        return self.state.scores


# What judges one stroke: the ruling (None: this game is not refereed) and what is doubtful about it.
Judge = Callable[[State, Shot, Call], tuple[Ruling | None, tuple[Doubt, ...]]]
# What makes the state in which a stroke is ruled of the expected one and of what was seen, and completes the stroke; the
# last argument: where the stroke before left the balls, before anybody placed one (None: there was none).
Ready = Callable[[State, Played, Places | None], tuple[State, Played]]


def append(journal: Sequence[Entry], what: What, at: float | None = None) -> tuple[Entry, ...]:
    """The journal with one entry more. Raises JournalError if the entry does not fit."""
    entry = Entry(len(journal) + 1, what, at)
    _check(entry, journal)
    return (*journal, entry)


def check(journal: Sequence[Entry]) -> None:
    """Raises JournalError, naming the first entry that does not fit the ones before it."""
    if not journal:
        raise JournalError("journal: expected a beginning, found no entry")
    for index, entry in enumerate(journal):
        if entry.number != index + 1:
            raise JournalError(f"journal entry {index + 1}: expected number {index + 1}, found {entry.number}")
        _check(entry, journal[:index])


def _check(entry: Entry, before: Sequence[Entry]) -> None:
    what, where = entry.what, f"journal entry {entry.number}"
    if isinstance(what, Began) == bool(before):
        raise JournalError(f"{where}: expected " + ("anything but a second beginning" if before else "the beginning of the match"))
    if isinstance(what, Undone):
        if not 1 < what.entry < entry.number:
            raise JournalError(f"{where}: undoes entry {what.entry}, expected an earlier one other than the beginning")
    elif isinstance(what, Played | Corrected | Confirmed | Decided):
        played = what.stroke in {e.what.stroke for e in effective(before) if isinstance(e.what, Played)}
        if played and isinstance(what, Played):
            raise JournalError(f"{where}: stroke {what.stroke} was already played")
        if not played and not isinstance(what, Played):
            raise JournalError(f"{where}: speaks of stroke {what.stroke}, which was not played")


def effective(journal: Sequence[Entry]) -> tuple[Entry, ...]:
    """The entries that count: none that was undone, and no `Undone`.

    An `Undone` points backwards only, so one pass from the last entry to the first settles which of them count.
    """
    undone: set[int] = set()
    for entry in reversed(journal):
        if isinstance(entry.what, Undone) and entry.number not in undone:
            undone.add(entry.what.entry)
    return tuple(e for e in journal if e.number not in undone and not isinstance(e.what, Undone))


@dataclass(slots=True)
class _Said:
    """What the journal says of one stroke; the last word counts."""

    call: Call = None
    calls: tuple[Call, ...] = ()
    shot: Shot | None = None
    ruling: Ruling | None = None
    confirmed: bool = False


def replay(journal: Sequence[Entry], judge: Judge, ready: Ready) -> Match:
    """The match that a journal tells.

    Strokes are ruled in the order of their numbers, each in the state that the ruling before it left.

    Raises:
        JournalError: the journal has no beginning or an entry that does not fit.
    """
    check(journal)
    entries = effective(journal)
    began = next(e.what for e in entries if isinstance(e.what, Began))
    said = _gather(entries)
    # an undone undo can leave two tellings of one stroke: the later one counts
    played = {e.what.stroke: e.what for e in entries if isinstance(e.what, Played)}
    state, strokes, left = began.state, [], None
    for number in sorted(played):
        ruled, state = _rule(state, played[number], said.get(number, _Said()), judge, ready, left)
        strokes.append(ruled)
        left = ruled.shot.positions
    return Match(state, began.players, tuple(strokes))


def _gather(entries: Iterable[Entry]) -> dict[int, _Said]:
    said: dict[int, _Said] = {}
    for entry in entries:
        what = entry.what
        if isinstance(what, Called):
            about = said.setdefault(what.stroke, _Said())
            about.call, about.calls = what.call, (*about.calls, what.call)
        elif isinstance(what, Corrected):
            about = said.setdefault(what.stroke, _Said())
            about.shot, about.confirmed = what.shot, True
        elif isinstance(what, Confirmed):
            said.setdefault(what.stroke, _Said()).confirmed = True
        elif isinstance(what, Decided):
            about = said.setdefault(what.stroke, _Said())
            about.ruling, about.confirmed = what.ruling, True
    return said


def _rule(state: State, played: Played, said: _Said, judge: Judge, ready: Ready, left: Places | None) -> tuple[Ruled, State]:
    before, played = ready(state, played, left)
    shot = said.shot or played.shot
    ruling, doubts = (said.ruling, ()) if said.ruling else judge(before, shot, said.call)
    review = () if said.confirmed else (*played.review, *doubts)
    after = ruling.state if ruling else replace(before, positions=shot.positions)
    ruled = Ruled(played.stroke, before, shot, said.call, ruling, review, said.confirmed, played.notes, said=said.calls)
    return ruled, after
