"""Values as the JSON of the contract (adjudication): plain dicts and lists that `json.dumps` takes."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from referee.codec.read import Case
from referee.rules.terms import BALLS
from referee.ruling import Ruling
from referee.state import State
from vision.shot import Event, Places, Shot


def _places(places: Places) -> dict[str, list[float] | None]:
    return {b: None if (p := places.get(b)) is None else [p[0], p[1]] for b in BALLS}


def state_to_json(state: State) -> dict[str, Any]:
    return {
        "player": state.player,
        "scores": list(state.scores),
        "target": state.target,
        "opening": state.opening,
        "cue_ball": state.cue_ball,
        "placement": state.placement,
        "positions": _places(state.positions),
        "waiting": list(state.waiting),
    }


_EVENT_FIELDS = tuple(f.name for f in fields(Event))


def event_to_json(event: Event) -> dict[str, Any]:
    """The fields that an event has, in the order of the contract; evidence of a video included."""
    found: dict[str, Any] = {}
    for name in _EVENT_FIELDS:
        value = getattr(event, name)
        if value is not None:
            found[name] = list(value) if isinstance(value, tuple) else value
    return found


def shot_to_json(shot: Shot) -> dict[str, Any]:
    return {"events": [event_to_json(e) for e in shot.events], "positions": _places(shot.positions)}


def case_to_json(case: Case) -> dict[str, Any]:
    from referee import calls

    call = None if case.call is None else calls.to_json(case.call)
    return {"table": case.table.name, "state": state_to_json(case.state), "call": call, "shot": shot_to_json(case.shot)}


def ruling_to_json(ruling: Ruling) -> dict[str, Any]:
    """The ruling of the contract; beyond it `rules`, `decisions`, `void_reason` and the events and decisions of items and fouls."""
    return {
        "outcome": ruling.outcome,
        "points": ruling.points,
        "opponent_points": ruling.opponent_points,
        "items": [
            {"rule": i.rule, "ball": i.ball, "points": i.points, "events": list(i.events), "decisions": list(i.decisions)}
            for i in ruling.items
        ],
        "fouls": [{"rule": str(f.rule), "balls": list(f.balls), "event": f.event, "decisions": list(f.decisions)} for f in ruling.fouls],
        "void_call": ruling.void_call,
        "void_reason": ruling.void_reason,
        "rules": list(ruling.rules),
        "decisions": list(ruling.decisions),
        "turn": ruling.turn,
        "state": state_to_json(ruling.state),
        "game_over": ruling.game_over,
        "winner": ruling.winner,
        "explanation": {"ru": ruling.explanation.ru, "en": ruling.explanation.en},
    }
