"""What a doubtful stroke may have been instead, and how it would be ruled then.

Each way is a change of the stroke that a doubt names: two events in the other order, an event that did not happen, the
other ball struck, no call. A doubt whose every way leads to the same ruling decides nothing and need not be put to anyone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from referee.match import Call, Ruled
from referee.ruling import Ruling
from referee.state import State
from referee.words import Text, ball, event
from vision.shot import Doubt, Event, Shot

_CLOSE = 0.03  # s: events this near may have been in the other order
Judge = Callable[[State, Shot, Call], tuple[Ruling | None, tuple[Doubt, ...]]]


@dataclass(frozen=True, slots=True)
class Alternative:
    """One way that stroke may have gone: what is different, the shot then, and its ruling."""

    label: Text
    shot: Shot
    ruling: Ruling | None


def alternatives(ruled: Ruled, judge: Judge) -> tuple[Alternative, ...]:
    """The ways that the doubts of a stroke leave open and that would be ruled otherwise, each ruling once.

    `judge` rules a shot in the stroke's own state with its own call, as the match does.
    """
    found: list[Alternative] = []
    told = {_essence(ruled.ruling)}
    for doubt in ruled.review:
        for label, shot in _ways(ruled, doubt):
            ruling, _ = judge(ruled.before, shot, ruled.call)
            if _essence(ruling) not in told:
                told.add(_essence(ruling))
                found.append(Alternative(label, shot, ruling))
    return tuple(found)


def decides(ruled: Ruled, doubt: Doubt, judge: Judge) -> bool:
    """Whether a doubt can change the ruling. One that names no event, or leaves no way to try, may change anything."""
    ways = _ways(ruled, doubt)
    if not ways:
        return True
    return any(_essence(judge(ruled.before, shot, ruled.call)[0]) != _essence(ruled.ruling) for _, shot in ways)


def _ways(ruled: Ruled, doubt: Doubt) -> Sequence[tuple[Text, Shot]]:
    events = ruled.shot.events
    index = doubt.event
    if index is None or not 0 <= index < len(events):
        return ()
    ways = [_swapped(ruled.shot, i, j) for i, j in ((index - 1, index), (index, index + 1)) if _near(events, i, j)]
    if events[index].type == "strike":
        return [*ways, *_struck(ruled.shot, index)]
    if "order is not sure" not in doubt.reason:
        said = event(_fields(events[index]))
        left = replace(ruled.shot, events=(*events[:index], *events[index + 1 :]))
        ways.append((Text(f"не было: {said.ru}", f"did not happen: {said.en}"), left))
    return ways


def _near(events: Sequence[Event], i: int, j: int) -> bool:
    inside = 0 <= i < j < len(events)
    return inside and "strike" not in (events[i].type, events[j].type) and abs(events[j].t - events[i].t) <= _CLOSE


def _swapped(shot: Shot, i: int, j: int) -> tuple[Text, Shot]:
    events = list(shot.events)
    first, second = events[i], events[j]
    events[i], events[j] = replace(second, t=first.t), replace(first, t=second.t)
    a, b = event(_fields(second)), event(_fields(first))
    return Text(f"сначала «{a.ru}», потом «{b.ru}»", f"first “{a.en}”, then “{b.en}”"), replace(shot, events=tuple(events))


def _struck(shot: Shot, index: int) -> list[tuple[Text, Shot]]:
    """The other of the two balls that can be cue balls was struck."""
    other = {"white": "yellow", "yellow": "white"}.get(shot.events[index].ball or "")
    if other is None:
        return []
    events = (*shot.events[:index], replace(shot.events[index], ball=other), *shot.events[index + 1 :])
    return [(Text(f"ударен {ball(other).ru}", f"{ball(other).en} was struck"), replace(shot, events=events))]


def _fields(item: Event) -> dict[str, object]:
    return {name: getattr(item, name) for name in ("type", "ball", "balls", "cushion", "pocket", "jaws", "over", "over_jaw")}


def _essence(ruling: Ruling | None) -> object:
    """What the players see of a ruling: two rulings with the same of it need not be told apart."""
    if ruling is None:
        return None
    state = ruling.state
    return (
        ruling.outcome, ruling.points, ruling.opponent_points, ruling.turn, ruling.game_over, ruling.winner, state.cue_ball,
        state.placement, tuple(sorted(b for b, place in state.positions.items() if place is None)), state.waiting,
    )  # fmt: skip
