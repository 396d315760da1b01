"""What a doubtful stroke may have been instead, how it would be ruled then, and which doubts a person must see.

Each way is a change of the stroke that a doubt names: two events in the other order, an event that did not happen, another
ball struck, another call. A doubt that leaves the ruling the same in every combination of the ways of all doubts decides
nothing: it is noted, not put to anyone. A doubt that names no way may change anything.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from math import prod

from calibration.table import Table
from referee.callfile import LATE
from referee.match import Call, Judge, Match, Ruled
from referee.reasons import told
from referee.rules.spotting import edge_place
from referee.ruling import Ruling
from referee.state import State
from referee.words import Text, ball, event
from vision.shot import Doubt, Event, Places, Point, Shot, Way

_CLOSE = 0.03  # s: events this near may have been in the other order
_MOST = 512  # combinations of ways that are tried
_GONE = ("pocket", "off_table")


@dataclass(frozen=True, slots=True)
class Alternative:
    """One way that a stroke may have gone: what is different, the shot and the call then, and its ruling."""

    label: Text
    shot: Shot
    ruling: Ruling | None
    call: Call = None


def sifted(match: Match, judge: Judge, table: Table) -> Match:
    """The match with what decides nothing moved from each stroke's `review` to its `notes`, and the `ways` of what is left.

    `judge` rules a shot in a state with a call, as the match does.
    """
    return replace(match, strokes=tuple(_sifted(ruled, judge, table) for ruled in match.strokes))


def deciding_events(ruled: Ruled, judge: Judge, table: Table) -> tuple[Event, ...]:
    """The events without any one of which the stroke would be ruled otherwise, the strike among them."""
    trial = _Trial(ruled, judge, table)
    same = essence(ruled.ruling)
    return tuple(
        e
        for n, e in enumerate(ruled.shot.events)
        if e.type == "strike" or essence(trial.ruling([_Change(_did_not_happen(e), frozenset({n}))])) != same
    )


def alternatives(ruled: Ruled) -> tuple[Alternative, ...]:
    """Of all `ways` of a stroke those that would be ruled otherwise and can be chosen, each ruling once."""
    found: list[Alternative] = []
    known = {essence(ruled.ruling)}
    for way in (way for ways in ruled.ways for way in ways):
        if essence(way.ruling) not in known:
            known.add(essence(way.ruling))
            if (way.shot, way.call) != (ruled.shot, ruled.call):
                found.append(way)
    return tuple(found)


def essence(ruling: Ruling | None) -> object:
    """All that a ruling decides; two with the same of it differ in their evidence and wording at most."""
    if ruling is None:
        return None
    state = ruling.state
    places = tuple(sorted((b, None if p is None else (round(p[0]), round(p[1]))) for b, p in state.positions.items()))
    return (
        ruling.outcome, ruling.points, ruling.opponent_points, ruling.turn, ruling.game_over, ruling.winner, ruling.void_reason,
        tuple(sorted((i.rule, i.ball or "", i.points) for i in ruling.items)),
        frozenset((f.rule, frozenset(f.balls)) for f in ruling.fouls),
        state.player, state.scores, state.cue_ball, state.placement, places, state.waiting,
    )  # fmt: skip


def _sifted(ruled: Ruled, judge: Judge, table: Table) -> Ruled:
    if not ruled.review:
        return ruled
    changes = [_changes(ruled, doubt) for doubt in ruled.review]
    trial = _Trial(ruled, judge, table)
    decides = _deciding(changes, trial)
    kept = [n for n, matters in enumerate(decides) if matters]
    return replace(
        ruled,
        review=tuple(ruled.review[n] for n in kept),
        notes=(*ruled.notes, *(doubt for doubt, matters in zip(ruled.review, decides, strict=True) if not matters)),
        ways=tuple(tuple(trial.alternative(change) for change in changes[n]) for n in kept),
    )


def _deciding(changes: Sequence[Sequence[_Change]], trial: _Trial) -> list[bool]:
    """Which doubts can change the ruling, alone or together with others."""
    tried = [n for n, ways in enumerate(changes) if ways]
    options = [(None, *changes[n]) for n in tried]
    if prod(map(len, options)) > _MOST:
        return [True] * len(changes)
    found = {
        chosen: essence(trial.ruling([ways[k] for ways, k in zip(options, chosen, strict=True)]))
        for chosen in product(*(range(len(ways)) for ways in options))
    }
    decides = [not ways for ways in changes]
    for place, n in enumerate(tried):
        decides[n] = any(said != found[(*chosen[:place], 0, *chosen[place + 1 :])] for chosen, said in found.items())
    return decides


# ways as changes ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Change:
    """A way in a form that goes together with others.

    `dropped`: indexes of events that did not happen; `retold`: events that happened otherwise, by index, with the index whose
    turn they take among events of the same time; `added`: events besides; `before`: places before the stroke; `call`: (another call,).
    """

    label: Text
    dropped: frozenset[int] = frozenset()
    retold: Mapping[int, tuple[Event, int]] = field(default_factory=dict)
    added: tuple[Event, ...] = ()
    before: Mapping[str, Point] = field(default_factory=dict)
    call: tuple[Call, ...] = ()


@dataclass(frozen=True, slots=True)
class _Trial:
    """Rules a stroke as it would be after changes."""

    ruled: Ruled
    judge: Judge
    table: Table

    def ruling(self, changes: Sequence[_Change | None]) -> Ruling | None:
        made = [change for change in changes if change is not None]
        if not made:
            return self.ruled.ruling
        state, shot, call = self._changed(made)
        return self.judge(state, shot, call)[0]

    def alternative(self, change: _Change) -> Alternative:
        state, shot, call = self._changed([change])
        return Alternative(change.label, shot, self.judge(state, shot, call)[0], call)

    def _changed(self, changes: Sequence[_Change]) -> tuple[State, Shot, Call]:
        ruled = self.ruled
        dropped = frozenset[int]().union(*(c.dropped for c in changes))
        retold = {index: told for c in changes for index, told in c.retold.items()}
        turns = [retold.get(n, (e, n)) for n, e in enumerate(ruled.shot.events) if n not in dropped]
        added = dict.fromkeys(e for c in changes for e in c.added)
        turns += [(e, -1 if e.type == "strike" else len(ruled.shot.events)) for e in added]  # a strike comes before what it causes
        events = tuple(e for e, _ in sorted(turns, key=lambda turn: (turn[0].t, turn[1])))
        call = next((c.call[0] for c in reversed(changes) if c.call), ruled.call)
        before = {b: place for c in changes for b, place in c.before.items()}
        state = replace(ruled.before, positions={**ruled.before.positions, **before}) if before else ruled.before
        return state, Shot(events, self._places(events)), call

    def _places(self, events: Sequence[Event]) -> Places:
        """The places after: a ball that fell instead is off the table, one that did not lies in the mouth where it was thought to fall."""
        before = {e.ball: e for e in self.ruled.shot.events if e.type in _GONE and e.ball}
        now = {e.ball for e in events if e.type in _GONE}
        places = {b: None if b in now else place for b, place in self.ruled.shot.positions.items()}
        for name, gone in before.items():
            if name not in now and gone.pocket is not None:
                places[name] = edge_place(gone.pocket, None, places, self.table)
        return places


def _changes(ruled: Ruled, doubt: Doubt) -> tuple[_Change, ...]:
    """The ways of one doubt; none if it does not tell what may have been instead."""
    if doubt.ways:
        return tuple(_change_of(way, ruled.shot.events) for way in doubt.ways)
    if "calls before this stroke" in doubt.reason:
        others = dict.fromkeys(call for call in ruled.said if isinstance(call, str) and call != ruled.call)
        return tuple(_Change(Text(f"заказ: «{call}»", f"call: “{call}”"), call=(call,)) for call in others)
    if f" {LATE}: " in doubt.reason:
        said = doubt.reason.partition(f" {LATE}: ")[2]
        if ruled.call == said:
            return (_Change(Text("без заказа", "no call"), call=(None,)),)
        return (_Change(Text(f"заказ: «{said}»", f"call: “{said}”"), call=(said,)),)
    events, index = ruled.shot.events, doubt.event
    if index is None or not 0 <= index < len(events):
        return ()
    ways = [_swapped(events, i, j) for i, j in ((index - 1, index), (index, index + 1)) if _near(events, i, j)]
    if events[index].type == "strike":
        return (*ways, *_struck(events[index], index, ruled.before.cue_ball))
    if "order is not sure" not in doubt.reason:
        ways.append(_Change(_did_not_happen(events[index]), frozenset({index})))
    return tuple(ways)


def _change_of(way: Way, events: Sequence[Event]) -> _Change:
    """A way that `vision` named. What it drops and adds again at another time is one event, told otherwise."""
    retold: dict[int, tuple[Event, int]] = {}
    added: list[Event] = []
    turns = sorted(way.drop)
    for new in way.add:
        same = next((n for n in turns if n not in retold and _fields(events[n]) == _fields(new)), None)
        if same is None:
            added.append(new)
        else:
            retold[same] = (new, turns[len(retold)])
    return _Change(told(way.label), frozenset(way.drop) - set(retold), retold, tuple(added), way.before)


def _near(events: Sequence[Event], i: int, j: int) -> bool:
    inside = 0 <= i < j < len(events)
    return inside and "strike" not in (events[i].type, events[j].type) and abs(events[j].t - events[i].t) <= _CLOSE


def _swapped(events: Sequence[Event], i: int, j: int) -> _Change:
    first, second = events[i], events[j]
    a, b = event(_fields(second)), event(_fields(first))
    label = Text(f"сначала «{a.ru}», потом «{b.ru}»", f"first “{a.en}”, then “{b.en}”")
    return _Change(label, retold={i: (replace(first, t=second.t), j), j: (replace(second, t=first.t), i)})


def _struck(strike: Event, index: int, cue: str) -> tuple[_Change, ...]:
    """The cue ball was struck; where it was, the other of the two balls that can be cue balls."""
    other = cue if strike.ball != cue else {"white": "yellow", "yellow": "white"}.get(cue)
    if other is None:
        return ()
    label = Text(f"ударен {ball(other).ru}", f"{ball(other).en} was struck")
    return (_Change(label, retold={index: (replace(strike, ball=other), index)}),)


def _did_not_happen(gone: Event) -> Text:
    said = event(_fields(gone))
    return Text(f"не было: {said.ru}", f"did not happen: {said.en}")


def _fields(item: Event) -> dict[str, object]:
    return {name: getattr(item, name) for name in ("type", "ball", "balls", "cushion", "pocket", "jaws", "over", "over_jaw")}
