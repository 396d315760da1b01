"""Putting events into what was found of a stroke, and taking some out, so that doubts go on naming the right ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from vision.events import Found, unexplained
from vision.shot import Doubt, Event, Way


@dataclass(frozen=True, slots=True)
class Addition:
    """Events to add, and doubts, each with the event (added or found already) that it is about, or None.

    `explains`: (ball, time of the break) of changes of a path that need no other doubt then.
    Times are those of the video, also in the doubts' ways; what a way drops is an index among the events found already.
    """

    events: tuple[Event, ...] = ()
    doubts: tuple[tuple[Doubt, Event | None], ...] = ()
    explains: tuple[tuple[str, float], ...] = ()


def with_additions(found: Found, additions: Sequence[Addition]) -> Found:
    """What was found and the additions, in order of time."""
    new = [e for a in additions for e in a.events]
    order = sorted([*found.events, *new], key=lambda e: e.t)  # stable: equal times keep their order
    place = {id(e): k for k, e in enumerate(order)}
    moved = {k: place[id(e)] for k, e in enumerate(found.events)}
    told = {unexplained(ball, t) for ball, t in explained(additions)}
    doubts = [pointed(d, moved) for d in found.doubts if d.reason not in told]
    for doubt, event in (d for a in additions for d in a.doubts):
        ways = tuple(_from_the_strike(w, found.strike_t) for w in pointed(doubt, moved).ways)
        doubts.append(replace(doubt, event=None if event is None else place[id(event)], ways=ways))
    return replace(found, events=tuple(order), doubts=tuple(doubts))


def explained(additions: Sequence[Addition]) -> set[tuple[str, float]]:
    """(ball, time of the break) of all changes of a path that additions account for."""
    return {e for a in additions for e in a.explains}


def without_events(found: Found, wrong: Callable[[Event], bool]) -> Found:
    """What was found less the events that are `wrong`; doubts about those go with them."""
    kept = [(k, e) for k, e in enumerate(found.events) if not wrong(e)]
    moved = {old: new for new, (old, _) in enumerate(kept)}
    doubts = tuple(pointed(d, moved) for d in found.doubts if d.event is None or d.event in moved)
    return replace(found, events=tuple(e for _, e in kept), doubts=doubts)


def pointed(doubt: Doubt, moved: dict[int, int]) -> Doubt:
    """The doubt about the same events at their new indexes, `moved` by the old ones; what its ways drop is left out if it is gone."""
    ways = tuple(replace(w, drop=tuple(moved[k] for k in w.drop if k in moved)) for w in doubt.ways)
    return replace(doubt, event=None if doubt.event is None else moved[doubt.event], ways=ways)


def _from_the_strike(way: Way, strike: float) -> Way:
    """The way with the times of its events counted from the strike, as in all doubts."""
    return replace(way, add=tuple(replace(e, t=round(max(0.0, e.t - strike), 5), video_t=round(e.t, 5)) for e in way.add))
