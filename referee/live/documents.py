"""What the interface says: the state, the strokes and the messages as JSON (contract: analysis, Live; docs/LIVE.md)."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from referee.codec import ruling_to_json, state_to_json
from referee.document import doubt_json, event_json, places_json, ruled_json
from referee.live.engine import Glance
from referee.live.service import Service
from referee.live.view import StrokeView, View
from referee.placing import PLACE_SIGMAS, PLACE_TOLERANCE, state_to_begin
from referee.reasons import told

_CYRILLIC = re.compile("[а-яё]", re.IGNORECASE)


def state_json(service: Service) -> dict[str, Any]:
    """The state before the next stroke, and how the source is."""
    view = service.desk.view
    state = view.match.state if view.match else state_to_begin({b: p[:2] for b, p in service.glance.places.items()}, service.desk.table)
    # the board comes first: what it calls by the same names (cue ball, placement) is of the last settled stroke
    return board_json(view) | state_to_json(state) | {"positions": places_json(state.positions)} | source_json(service)


def board_json(view: View) -> dict[str, Any]:
    """What a scoreboard shows: only what is settled."""
    shown = settled_strokes(view)
    settled = next((s for s in reversed(shown) if s.ruled.ruling), None)
    state = settled.ruled.ruling.state if settled and settled.ruled.ruling else view.strokes[0].ruled.before if view.strokes else None
    state = state or (view.match.state if view.match else None)
    return {
        "version": view.version,
        "status": view.status,
        "game": view.game.id if view.game else None,
        "players": list(view.match.players) if view.match else None,
        "settled": list(view.settled),
        "target": view.match.state.target if view.match else None,
        "at_table": state.player if state else None,
        "cue_ball": state.cue_ball if state else None,
        "placement": state.placement if state else None,
        "open": [s.number for s in view.open],
        "call": view.call,
        "call_text": call_text(view.call, view.match.state.cue_ball if view.match else "white"),
        "expected": places_json(view.match.state.positions) if view.match else {},
        "place_mm": [PLACE_TOLERANCE, PLACE_SIGMAS],  # how far from there a ball may be seen: mm, and error bars besides
        "next": view.next_stroke,
        "turn": turn_json(view),
        "undoable": view.undoable,
        "redoable": view.redoable,
        "winner": view.winner,
        "last": shot_json(settled) if settled else None,
    }


def turn_json(view: View) -> dict[str, Any] | None:
    """Who is at the table as it was ruled, settled or not: for the console, not for the hall."""
    if view.match is None:
        return None
    state = view.match.state
    return {"player": state.player, "cue_ball": state.cue_ball, "placement": state.placement, "scores": list(state.scores)}


def call_text(call: Any, cue: str) -> dict[str, str] | None:
    """A call in words of both languages: a spoken one as it was said in its own, else told anew where it is understood.

    Args:
        cue: the cue ball, in whose light a spoken one is understood.
    """
    if call is None:
        return None
    if isinstance(call, str):
        return _spoken(call, cue)
    from referee.calls import call_text as said
    from referee.calls import from_json

    made = from_json(call)
    return {"ru": said(made, "ru"), "en": said(made, "en")}


@lru_cache(256)
def _spoken(call: str, cue: str) -> dict[str, str]:
    from referee.calls import CallError, parse_call
    from referee.calls import call_text as said

    try:
        made = parse_call(call, cue)
    except CallError:
        return {"ru": call, "en": call}
    other = "en" if _CYRILLIC.search(call) else "ru"
    return {"ru": call, "en": call} | {other: said(made, other)}


def settled_strokes(view: View) -> list[StrokeView]:
    """The strokes before the first one that waits for a person: what stands."""
    shown = []
    for stroke in view.strokes:
        if stroke.open:
            break
        shown.append(stroke)
    return shown


def source_json(service: Service) -> dict[str, Any]:
    """State of the source and of the recording."""
    health, recording = service.health(), service.recording_state()
    return {
        "source": str(health.state),
        "reason": health.reason,
        "slow": health.slow,
        "over": health.over,
        "frames": health.frames,
        "dropped": health.dropped,
        "corrupt": health.corrupt,
        "reconnects": health.reconnects,
        "rate": round(health.rate, 1),
        "recording": recording.state,
        "recording_reason": recording.reason,
        "journal_failure": service.journal_failure,
    }


def shot_json(stroke: StrokeView) -> dict[str, Any]:
    """One stroke as in match.json, with what a person may choose."""
    ruled = stroke.ruled
    return ruled_json(ruled, {"start_t": stroke.start_t, "end_t": stroke.end_t}) | {
        "call_text": call_text(ruled.call, ruled.before.cue_ball),
        "review": [doubt_json(doubt) | told(doubt.reason)._asdict() for doubt in ruled.review],
        "notes": [doubt_json(doubt) | told(doubt.reason)._asdict() for doubt in ruled.notes],
        "open": stroke.open,
        "confirmed": ruled.confirmed,
        "alternatives": [
            {"label": {"ru": way.label.ru, "en": way.label.en}, "ruling": ruling_to_json(way.ruling) if way.ruling else None}
            for way in stroke.ways
        ],
    }


def glance_json(glance: Glance) -> dict[str, Any]:
    """The table now."""
    return {
        "t": round(glance.t, 3),
        "balls": {ball: [round(x, 1), round(y, 1), round(sigma, 1)] for ball, (x, y, sigma) in glance.places.items()},
        "hidden": list(glance.hidden),
        "moving": glance.moving,
        "events": [event_json(event) for event in glance.events],
    }
