"""The referee's desk: the game that is being played, the only one who writes its journal, and what everybody sees of it.

Every act is one or more journal entries, on the disk before anyone is told. All methods may be called from any thread;
the last one acts, and all who listen see it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from math import dist
from typing import Any, NamedTuple

from calibration.errors import UserError
from calibration.table import BALLS, Table
from referee.analyze import played_of
from referee.callfile import LATE_CAPTION
from referee.live.store import Game, Paths, Store
from referee.live.view import StrokeView, View, told
from referee.match import (
    Began,
    Called,
    Confirmed,
    Corrected,
    Decided,
    Entry,
    Played,
    Undone,
    What,
    append,
    effective,
)  # fmt: skip
from referee.placing import PLACE_LIMIT, state_to_begin
from referee.ruling import Ruling
from referee.state import State
from vision.shot import Event, Places, Shot, Stroke

_HAND_FOULS = ("touch", "double_hit", "push", "press")
_LONGEST = 400  # characters of a call


Listener = Callable[[View], None]


class _Told(NamedTuple):
    number: int
    what: Played


class Desk:
    """One table's games.

    Args:
        store: where the journals are kept.
        table: the table that the profile describes.
        clock: Unix seconds.
        live: seconds of live time, in which strokes are told.
    """

    def __init__(self, store: Store, table: Table, clock: Callable[[], float] = time.time, live: Callable[[], float] = lambda: 0.0) -> None:
        self._store, self._table, self._clock, self._live = store, table, clock, live
        self._said_at: dict[int, tuple[float, bool]] = {}  # live time of calls, by their entry's number; whether they are a file's
        self._lock = threading.RLock()
        self._listeners: list[Listener] = []
        self._journal: tuple[Entry, ...] = ()
        self._game: Game | None = None
        self._paused = False
        self._seen: dict[str, tuple[float, float]] = {}
        self._view = View(0, "none")
        unfinished = next(iter(store.games()), None)
        if unfinished is not None and unfinished.ended_at is None:
            self._game, self._journal, self._paused = unfinished, store.journal(unfinished.id), store.paused(unfinished.id)
        self._refresh()

    # who watches --------------------------------------------------------------------------------------------

    @property
    def view(self) -> View:
        return self._view

    @property
    def table(self) -> Table:
        return self._table

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Calls `listener` with every new view, in the thread that acted; returns what ends it."""
        with self._lock:
            self._listeners.append(listener)
        return lambda: self._listeners.remove(listener) if listener in self._listeners else None

    # the game -----------------------------------------------------------------------------------------------

    def start(
        self, players: tuple[str, str], *, target: int | None = None, handicap: tuple[int, int] = (0, 0), first: int = 0,
        state: State | None = None, same_match: bool = False,
    ) -> View:  # fmt: skip
        """Begins a game: the balls as they lie now decide whether with the opening stroke. An unfinished one is ended.

        Args:
            handicap: points that each player begins with.
            first: who is at the table (0 or 1).
            state: begin in this state instead.
            same_match: it is the next game of the same two.

        Raises:
            UserError: names, points or the player who begins are not what they should be.
        """
        names = tuple(name.strip()[:60] for name in players)
        if not all(names) or names[0] == names[1]:
            raise UserError("players: expected two different names")
        if (target is not None and not 1 <= target <= 999) or not all(0 <= h < (target or 1000) for h in handicap) or first not in (0, 1):
            raise UserError("expected a target from 1 to 999 points, a handicap below it, and the first player 0 or 1")
        with self._lock:
            begun = state or replace(state_to_begin(self._seen, self._table), player=first, scores=handicap)
            if state is None and set(self._seen) != set(BALLS):
                begun = replace(begun, waiting=())  # not seen is not off the table: the first stroke tells where they lay
            entry = append((), Began(replace(begun, target=target), (names[0], names[1])), self._clock())
            match = self._game.match if same_match and self._game else None
            self._close()
            table = {"name": self._table.name, "length_mm": self._table.length, "width_mm": self._table.width, "ball_mm": self._table.ball}
            number = self._store.create(match, (names[0], names[1]), table, entry[0], self._clock())
            self._game, self._journal, self._paused = self._store.game(number), entry, False
            self._said_at = {}
            return self._refresh()

    def next_game(self) -> View:
        """The next game of the same two: the other one begins, with the same target and handicap. Raises UserError without a game."""
        with self._lock:
            began = self._began()
            first = 1 - began.state.player
            return self.start(began.players, target=began.state.target, handicap=began.state.scores, first=first, same_match=True)

    def pause(self, on: bool = True) -> View:
        """While a game is paused, strokes are not written down."""
        with self._lock:
            self._began()
            assert self._game is not None
            self._store.pause(self._game.id, on)
            self._paused = on
            return self._refresh()

    def end(self) -> View:
        """The game is over, whatever the score. Raises UserError without a game."""
        with self._lock:
            self._began()
            self._close()
            return self._refresh()

    # strokes ------------------------------------------------------------------------------------------------

    def seen(self, places: Mapping[str, tuple[float, float]]) -> None:
        """Where the balls lie now; a game that begins looks at it."""
        self._seen = dict(places)

    def played(self, stroke: Stroke, *, again: bool = False, unseen: bool = False) -> View:
        """A stroke was seen. Outside a game, and in a pause, it is not written down.

        `again`: it is the last one that was told, of which more was seen since (a ball that fell late). A person's correction or ruling
        of it stands; that there is nothing to look at does not. `unseen`: balls lie elsewhere and nobody saw why: that is no stroke if
        they lie where the last ruling puts them.
        """
        with self._lock:
            last = self._told_last(stroke) if again else None
            if self._game is None or (last is None and (again or self._view.status != "playing")):
                return self._view
            if unseen and self._is_placement(stroke):
                return self._view
            number = self._view.next_stroke if last is None else last.what.stroke
            paths: Paths = {b: [(round(p.video_t, 4), round(p.x, 1), round(p.y, 1)) for p in path] for b, path in stroke.paths.items()}
            what = played_of(number, replace(stroke, positions_before=_all_places(stroke.positions_before)))
            acts = self._with_early_call(what, stroke.start_t, stroke.end_t) if last is None else [*self._reopening(last), what]
            return self._write(acts, {number: paths})

    def _is_placement(self, stroke: Stroke) -> bool:
        """Whether the balls that moved are now where the last ruling has them: in hand, on their spots."""
        if self._view.match is None:
            return False
        state, now = self._view.match.state, stroke.shot.positions
        if not self._view.strokes and None in state.positions.values():
            return True  # nobody knows where they should lie
        for ball, place in now.items():
            before, due = stroke.positions_before.get(ball), state.positions.get(ball)
            if place == before or (place and before and dist(place, before) <= PLACE_LIMIT):
                continue
            placed = place is not None and due is not None and dist(place, due) <= PLACE_LIMIT
            if not placed and not (ball == state.cue_ball and state.placement != "as_lies"):
                return False
        return True

    def _told_last(self, stroke: Stroke) -> _Told | None:
        """The entry of the game that told this stroke, if no other one came after it."""
        if self._game is None or self._game.ended_at is not None:
            return None
        told = [_Told(e.number, e.what) for e in effective(self._journal) if isinstance(e.what, Played)]
        return told[-1] if told and told[-1].what.start_t == stroke.start_t else None

    def _reopening(self, told: _Told) -> list[What]:
        """What takes back that a stroke was told, and that somebody found nothing wrong with it."""
        looked = [e.number for e in effective(self._journal) if isinstance(e.what, Confirmed) and e.what.stroke == told.what.stroke]
        return [Undone(number) for number in (told.number, *looked)]

    def _with_early_call(self, what: Played, start: float, end: float) -> list[What]:
        """A call said after the balls had come to rest is for the next stroke, though this one was not written down yet.

        So is one of a file that stands after the stroke's start.
        """
        mine, early = [], []
        for entry in effective(self._journal):
            if isinstance(entry.what, Called) and entry.what.stroke == what.stroke:
                t, filed = self._said_at.get(entry.number, (0.0, False))
                last = start + LATE_CAPTION if filed else end
                (mine if t <= last else early).append(entry.what.call)
        if not early:
            return [what]
        return [Called(what.stroke, mine[-1] if mine else None), what, Called(what.stroke + 1, early[-1])]

    def call(self, call: str | Mapping[str, Any] | None, stroke: int | None = None, at: float | None = None) -> View:
        """The call for the next stroke, or a late one for an earlier stroke. Raises UserError if it is not understood.

        Args:
            at: live time, s, at which a file of calls has it; it is for the first stroke that starts then or later.
        """
        with self._lock:
            self._began()
            number = stroke or self._view.next_stroke
            if isinstance(call, str):
                call = call.strip() or None
            if call is not None:
                self._check_call(call, number)
            view = self._write([Called(number, call)])
            if stroke is None:
                self._said_at[self._journal[-1].number] = (self._live(), False) if at is None else (at, True)
            return view

    def confirm(self, stroke: int) -> View:
        """A person looked and the ruling stands."""
        with self._lock:
            self._stroke(stroke)
            return self._write([Confirmed(stroke)])

    def choose(self, stroke: int, way: int) -> View:
        """One of the stroke's `ways` is what happened. Raises UserError if there is no such way (the stroke was settled meanwhile)."""
        with self._lock:
            found = self._stroke(stroke)
            if not 0 <= way < len(found.ways):
                raise UserError(f"stroke {stroke}: no alternative {way + 1}; it may have been settled by somebody else")
            chosen = found.ways[way]
            called = [] if chosen.call == found.ruled.call else [Called(stroke, chosen.call)]
            return self._write([*called, Corrected(stroke, chosen.shot)])

    def correct(self, stroke: int, shot: Shot) -> View:
        """A person says what happened. Raises UserError if that cannot be."""
        from referee.codec import CaseError, checks

        with self._lock:
            self._stroke(stroke)
            try:
                for index, item in enumerate(shot.events):
                    checks.check_fields(item, f"event {index + 1}")
                checks.check_order(shot)
            except CaseError as error:
                raise UserError(str(error)) from None
            return self._write([Corrected(stroke, shot)])

    def correct_events(self, stroke: int, events: list[dict[str, Any]], positions: Mapping[Any, tuple[float, float] | None]) -> View:
        """As `correct`, from JSON: the evidence of events that stay as they were is kept. Raises UserError naming the field."""
        from referee.codec import CaseError, shot_from_json

        with self._lock:
            shot = self._stroke(stroke).ruled.shot
            places = dict(shot.positions) | dict(positions)
            for item in events:
                if item.get("type") in ("pocket", "off_table") and item.get("ball") in places:
                    places[item["ball"]] = None
            document = {"events": events, "positions": {b: None if p is None else list(p) for b, p in places.items()}}
            try:
                return self.correct(stroke, shot_from_json(document, self._table, "stroke"))
            except CaseError as error:
                raise UserError(str(error)) from None

    def foul(self, stroke: int, kind: str, ball: str) -> View:
        """A foul that the camera does not see: touch, double_hit, push or press, of `ball`. Raises UserError."""
        if kind not in _HAND_FOULS:
            raise UserError(f"foul {kind!r}: expected one of {', '.join(_HAND_FOULS)}")
        with self._lock:
            shot = self._stroke(stroke).ruled.shot
            at = max((e.t for e in shot.events), default=0.0) if kind == "touch" else 0.0
            events = sorted((*shot.events, Event(at, kind, ball=ball)), key=lambda e: (e.t, e.type != "strike"))
            return self.correct(stroke, replace(shot, events=tuple(events)))

    def decide(self, stroke: int, ruling: Ruling) -> View:
        """A person's ruling in place of the referee's."""
        with self._lock:
            self._stroke(stroke)
            return self._write([Decided(stroke, ruling)])

    def undo(self) -> View:
        """Takes the last act back. Raises UserError if there is none."""
        with self._lock:
            last = next((e for e in reversed(effective(self._journal)) if not isinstance(e.what, Began)), None)
            if last is None:
                raise UserError("nothing to undo")
            return self._write([Undone(last.number)])

    def redo(self) -> View:
        """Takes the last undo back, as long as nothing else was done since. Raises UserError if there is none."""
        with self._lock:
            undo = self._last_undo()
            if undo is None:
                raise UserError("nothing to redo")
            return self._write([Undone(undo.number)])

    # inside -------------------------------------------------------------------------------------------------

    def _began(self) -> Began:
        if self._game is None or not self._journal or not isinstance(self._journal[0].what, Began):
            raise UserError("no game is being played: start one")
        return self._journal[0].what

    def _stroke(self, number: int) -> StrokeView:
        found = next((s for s in self._view.strokes if s.number == number), None)
        if found is None:
            raise UserError(f"stroke {number}: was not played")
        return found

    def _check_call(self, call: str | Mapping[str, Any], number: int) -> None:
        from referee.calls import CallError, CallFormError, from_json, parse_call

        if isinstance(call, str) and len(call) > _LONGEST:
            raise UserError(f"call: expected at most {_LONGEST} characters")
        played = next((s.ruled.before for s in self._view.strokes if s.number == number), None)
        state = played or (self._view.match.state if self._view.match else None)
        try:
            _ = parse_call(call, state.cue_ball if state else "white") if isinstance(call, str) else from_json(call)
        except (CallError, CallFormError) as error:
            raise UserError(f"call: {error}") from None

    def _write(self, acts: list[What], paths: Mapping[int, Paths] | None = None) -> View:
        """Appends entries; if they cannot be written, nothing has happened."""
        assert self._game is not None
        journal = self._journal
        for what in acts:
            journal = append(journal, what, self._clock())
        self._store.append(self._game.id, journal[len(self._journal) :], paths)
        self._journal = journal
        return self._refresh()

    def _close(self) -> None:
        if self._game is not None and self._game.ended_at is None:
            self._store.end(self._game.id, self._clock())
            self._game = self._store.game(self._game.id)

    def _last_undo(self) -> Entry | None:
        """The last undo that still counts, if only undos and redos came after it."""
        undone: set[int] = set()
        for entry in reversed(self._journal):
            if not isinstance(entry.what, Undone):
                return None
            if entry.number in undone:
                continue
            if isinstance(self._journal[entry.what.entry - 1].what, Undone):  # a redo: what it took back counts no more
                undone.add(entry.what.entry)
                continue
            return entry
        return None

    def _refresh(self) -> View:
        self._view = self._made()
        for listener in tuple(self._listeners):
            listener(self._view)
        return self._view

    def _made(self) -> View:
        version = self._view.version + 1
        if self._game is None or not self._journal:
            return View(version, "none")
        match, strokes = told(self._journal, self._table)
        began = self._began()
        settled, winner = began.state.scores, None
        for stroke in strokes:
            if stroke.open or stroke.ruled.ruling is None:
                break
            settled = stroke.ruled.ruling.state.scores
            winner = stroke.ruled.ruling.winner if stroke.ruled.ruling.game_over else None
        over = self._game.ended_at is not None or winner is not None
        status = "over" if over else "paused" if self._paused else "playing"
        calls = {e.what.stroke: e.what.call for e in effective(self._journal) if isinstance(e.what, Called)}
        following = strokes[-1].number + 1 if strokes else 1
        undoable = any(not isinstance(e.what, Began) for e in effective(self._journal))
        return View(
            version, status, self._game, match, strokes, settled, calls.get(following), undoable, self._last_undo() is not None, winner
        )  # fmt: skip


def _all_places(places: Places) -> dict[str, tuple[float, float] | None]:
    return {ball: None if place is None else (float(place[0]), float(place[1])) for ball, place in places.items()}
