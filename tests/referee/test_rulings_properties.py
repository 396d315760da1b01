"""What holds of every ruling, whatever the stroke: symmetries, and a next state that can be played from."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from math import dist

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from referee import adjudicate
from referee.codec import case_from_json, case_to_json, ruling_to_json, state_from_json, state_to_json
from referee.codec.read import Case
from referee.rules.terms import BALLS
from referee.ruling import Ruling
from referee.state import State
from tests.referee.strokes import TABLE, played
from vision.shot import Event, Shot

_SIDE = {"left": "right", "right": "left"}
_SETTINGS = settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def _rule(one: tuple) -> Ruling:
    return adjudicate(one[0], one[1], one[2], TABLE)


def _verdict(ruling: Ruling) -> tuple:
    """A ruling without what a change of index or time may change."""
    items = tuple((i.rule, i.ball, i.points) for i in ruling.items)
    fouls = tuple(sorted((str(f.rule), tuple(sorted(f.balls))) for f in ruling.fouls))
    state = ruling.state
    return (ruling.outcome, ruling.points, ruling.opponent_points, items, fouls, ruling.void_reason, ruling.turn, state, ruling.winner)


def _flip(name: str | None) -> str | None:
    if name is None:
        return None
    end, _, side = name.rpartition("-")
    return f"{end}-{_SIDE[side]}" if end else _SIDE.get(name, name)


def _flip_places(places: dict) -> dict:
    return {b: None if p is None else (p[0], TABLE.width - p[1]) for b, p in places.items()}


def _mirror(one: tuple) -> tuple:
    state, shot, call = one
    events = tuple(
        replace(
            e,
            cushion=_flip(e.cushion),
            pocket=_flip(e.pocket),
            jaws=_flip(e.jaws),
            over_jaw=_flip(e.over_jaw),
            at=None if e.at is None else (e.at[0], TABLE.width - e.at[1]),
        )
        for e in shot.events
    )
    if call is not None:
        call = replace(call, elements=tuple(replace(e, pocket=_flip(e.pocket)) if hasattr(e, "pocket") else e for e in call.elements))
    return replace(state, positions=_flip_places(state.positions)), Shot(events, _flip_places(shot.positions)), call


@_SETTINGS
@given(played())
def test_mirrored_left_right(one: tuple) -> None:
    plain, mirrored = _verdict(_rule(one)), _verdict(_rule(_mirror(one)))
    assert plain[:7] == mirrored[:7]
    here, there = plain[7], mirrored[7]
    assert replace(here, positions={}) == replace(there, positions={})
    back = _flip_places(there.positions)
    for ball, place in here.positions.items():
        found = back[ball]
        assert (place is None) == (found is None)
        if place is not None and found is not None and not (ball == "white" and place[0] == TABLE.length - TABLE.radius):
            assert found == pytest.approx(place, abs=1e-6)  # white at the foot cushion is D1's, whose tie goes to the right


@_SETTINGS
@given(played(), st.floats(0, 60))
def test_shifted_in_time(one: tuple, later: float) -> None:
    state, shot, call = one
    shifted = Shot(tuple(replace(e, t=e.t + later) for e in shot.events), shot.positions)
    assert _verdict(_rule((state, shifted, call))) == _verdict(_rule(one))


@_SETTINGS
@given(played(), st.data())
def test_an_irrelevant_stop(one: tuple, data: st.DataObject) -> None:
    """A ball comes to rest away from any pocket and had not hung in one: nothing changes."""
    state, shot, call = one
    at = data.draw(st.integers(1, len(shot.events)))
    hung = {e.ball for e in shot.events if e.jaws}
    idle = [b for b in BALLS if state.positions[b] is not None and b not in hung]
    idle = [b for b in idle if not any(e.ball == b and e.type in ("pocket", "off_table") for e in shot.events[:at])]
    if not idle:
        return
    stop = Event(shot.events[at - 1].t, "stop", data.draw(st.sampled_from(idle)))
    more = Shot((*shot.events[:at], stop, *shot.events[at:]), shot.positions)
    assert _verdict(_rule((state, more, call))) == _verdict(_rule(one))


@_SETTINGS
@given(played())
def test_players_renamed(one: tuple) -> None:
    state, shot, call = one
    swapped = replace(state, player=1 - state.player, scores=state.scores[::-1])
    plain, other = _rule(one), _rule((swapped, shot, call))
    assert replace(other.state, player=1 - other.state.player, scores=other.state.scores[::-1]) == plain.state
    assert (plain.items, plain.fouls, plain.turn) == (other.items, other.fouls, other.turn)


@_SETTINGS
@given(played())
def test_points(one: tuple) -> None:
    ruling, before = _rule(one), one[0]
    assert ruling.points == sum(i.points for i in ruling.items) >= 0
    assert all(i.points > 0 for i in ruling.items)
    assert ruling.opponent_points == (3 if ruling.fouls else 0)
    assert not (ruling.fouls and ruling.items)
    gained = [after - old for after, old in zip(ruling.state.scores, before.scores, strict=True)]
    assert gained[before.player] == ruling.points
    assert gained[1 - before.player] == ruling.opponent_points
    assert (ruling.turn == "stays") == (ruling.outcome == "scored") == bool(ruling.items)
    assert ruling.state.player in (0, 1)
    assert ruling.game_over == (ruling.winner is not None)


@_SETTINGS
@given(played())
def test_every_event_and_foul_is_cited(one: tuple) -> None:
    ruling, events = _rule(one), one[1].events
    for item in ruling.items:
        assert item.events and all(0 <= i < len(events) for i in item.events)
    for foul in ruling.fouls:
        assert (foul.event is None) == (foul.rule in ("12.1", "12.6"))
    shown = [f.event for f in ruling.fouls if f.event is not None]
    assert shown == sorted(shown)
    assert ruling.explanation.ru.endswith(".") and ruling.explanation.en.endswith(".")


def _assert_playable(state: State) -> None:
    """Every ball is on the table, in hand or waiting; none overlap; the form of the contract accepts the state."""
    for ball in BALLS:
        in_hand = ball == state.cue_ball and state.placement == "in_hand"
        assert (state.positions[ball] is not None) + in_hand + (ball in state.waiting) == 1, ball
    there = [p for p in state.positions.values() if p is not None]
    for a, b in combinations(there, 2):
        assert dist(a, b) >= TABLE.ball - 1e-6
    for x, y in there:
        assert TABLE.radius - 1e-6 <= x <= TABLE.length - TABLE.radius + 1e-6
        assert TABLE.radius - 1e-6 <= y <= TABLE.width - TABLE.radius + 1e-6
    assert state_from_json(state_to_json(state), TABLE) == state


@_SETTINGS
@given(played())
def test_the_next_state_can_be_played_from(one: tuple) -> None:
    _assert_playable(_rule(one).state)


@_SETTINGS
@given(played())
def test_nothing_is_changed_and_nothing_is_remembered(one: tuple) -> None:
    state, shot, _ = one
    before = (dict(state.positions), dict(shot.positions))
    first = _rule(one)
    assert (dict(state.positions), dict(shot.positions)) == before
    assert _rule(one) == first


@_SETTINGS
@given(played())
def test_a_case_reads_back(one: tuple) -> None:
    state, shot, call = one
    case = Case(TABLE, state, call, shot)
    again = case_from_json(case_to_json(case))
    assert again == case
    assert ruling_to_json(_rule((again.state, again.shot, again.call))) == ruling_to_json(_rule(one))
