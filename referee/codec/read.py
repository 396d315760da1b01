"""A case from JSON, as values; everything that is wrong is a CaseError with the path of the field."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, NoReturn

from calibration.table import KINDS, Table
from calibration.table import table as table_of_kind
from referee.calls.call import Call
from referee.calls.errors import CallError, CallFormError
from referee.codec import checks
from referee.codec.errors import CaseError
from referee.codec.forms import CaseForm, EventForm, PlacesForm, ShotForm, StateForm, check
from referee.rules.terms import BALLS
from referee.state import Point, State
from vision.shot import Event, Shot

_LONGEST_TEXT = 2_000  # characters of a call


# The game needs pockets; tables are immutable, so one of each kind serves all cases.
_TABLES = {kind: t for kind in KINDS if (t := table_of_kind(kind)).pockets}
PYRAMID_12FT = _TABLES["pyramid-12ft"]


@dataclass(frozen=True, slots=True)
class Case:
    """One stroke to be ruled on."""

    table: Table
    state: State
    call: Call | None
    shot: Shot


def parse_case(text: str | bytes) -> Case:
    """The case in a JSON text. Raises CaseError."""
    return case_from_json(load(text))


def load(text: str | bytes) -> Any:
    """JSON as Python objects, without what JSON does not have (NaN, a name twice). Raises CaseError."""
    try:
        if isinstance(text, bytes):
            text = text.decode("utf-8-sig")
        text = text.removeprefix("\ufeff")
        if not text or text.isspace():
            raise CaseError("case", "expected JSON, but there is nothing")
        try:
            return _DECODER.decode(text)
        except _Constant as found:
            raise CaseError(_place_of_constant(text), f"expected a finite number, got {found}") from None
    except CaseError:
        raise
    except UnicodeDecodeError as error:
        raise CaseError("case", f"expected UTF-8, but byte {error.start} is not") from None
    except json.JSONDecodeError as error:
        raise CaseError("case", f"expected JSON: {error.msg} at line {error.lineno} column {error.colno}") from None
    except RecursionError:
        raise CaseError("case", "expected less deep nesting") from None
    except ValueError:  # a number with thousands of digits
        raise CaseError("case", "expected JSON with numbers of a sensible length") from None


class _Constant(Exception):
    """NaN or an infinity, which JSON does not have."""


def _no_constant(name: str) -> NoReturn:
    raise _Constant(name)


def _place_of_constant(text: str) -> str:
    """The path of the first one, found by reading again: only a text that is refused is read twice."""
    todo = [("", json.loads(text, parse_constant=_Constant))]
    while todo:
        path, value = todo.pop()
        if isinstance(value, _Constant):
            return path.removeprefix(".") or "case"
        if isinstance(value, dict):
            todo += [(f"{path}.{name[:40]}", one) for name, one in reversed(value.items())]
        elif isinstance(value, list):
            todo += [(f"{path}[{i}]", value[i]) for i in reversed(range(len(value)))]
    return "case"


def _no_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [n for n, _ in pairs]
        twice = next(n for n in names if names.count(n) > 1)
        raise CaseError("case", f"expected each field once in an object, got {twice[:40]!r} twice")
    return found


_DECODER = json.JSONDecoder(parse_constant=_no_constant, object_pairs_hook=_no_twice)


def case_from_json(obj: object) -> Case:
    """The case in a JSON object. Raises CaseError."""
    form = check(CaseForm, obj)
    table = _table(form.table)
    state = _state(form.state)
    checks.check_state(state, table)
    shot = _shot(form.shot, table, "shot")
    checks.check_balls(state, shot)
    return Case(table, state, call_from_json(form.call, state.cue_ball), shot)


def state_from_json(obj: object, table: Table = PYRAMID_12FT, path: str = "state", *, placed: bool = False) -> State:
    """A state alone; unless `placed`, a cue ball in hand may be without a place. Raises CaseError."""
    state = _state(check(StateForm, obj, path))
    checks.check_state(state, table, path, placed=placed)
    return state


def shot_from_json(obj: object, table: Table = PYRAMID_12FT, path: str = "shot") -> Shot:
    """A shot alone, of any table. Raises CaseError."""
    return _shot(check(ShotForm, obj, path), table, path)


def call_from_json(obj: object, cue: str, path: str = "call") -> Call | None:
    """A call: null, a text in Russian or English, or an object with elements. Raises CaseError."""
    if obj is None:
        return None
    from referee import calls  # the grammar is loaded only when there is a text to read

    try:
        if not isinstance(obj, str):
            return calls.from_json(obj, path)
        if len(obj) > _LONGEST_TEXT:
            raise CaseError(path, f"expected a call of at most {_LONGEST_TEXT} characters, got {len(obj)}")
        if any("\ud800" <= c <= "\udfff" for c in obj):
            raise CaseError(path, "expected a text, got half of a character (a lone surrogate)")
        return calls.parse(obj, cue)
    except CallError as error:
        message = " ".join(str(error).split())
        part = " ".join(error.part.split())[:60]
        shown = message if part in message else f"{message} («{part}»)"
        raise CaseError(path, f"expected a call that is understood: {shown}") from None
    except CallFormError as error:
        raise CaseError(error.path, str(error).removeprefix(f"{error.path}: ")) from None
    except RecursionError:
        raise CaseError(path, "expected less deep nesting") from None


def _table(name: str) -> Table:
    if name not in _TABLES:
        raise CaseError("table", f"expected one of {', '.join(_TABLES)}, got {name[:40]!r}")
    return _TABLES[name]


def _places(form: PlacesForm) -> dict[str, Point | None]:
    found: dict[str, Point | None] = {}
    for ball in BALLS:
        place = getattr(form, ball)
        found[ball] = None if place is None else (place[0], place[1])
    return found


def _state(form: StateForm) -> State:
    return State(
        player=form.player,
        scores=(form.scores[0], form.scores[1]),
        target=form.target,
        opening=form.opening,
        cue_ball=form.cue_ball,
        placement=form.placement,
        positions=_places(form.positions),
        waiting=tuple(form.waiting),
    )


def _shot(form: ShotForm, table: Table, path: str) -> Shot:
    events = tuple(_event(e) for e in form.events)
    for i, event in enumerate(events):
        checks.check_fields(event, f"{path}.events[{i}]")
        if event.at is not None:
            checks.check_place(event.at, table, f"{path}.events[{i}].at")
    shot = Shot(events, _places(form.positions))
    checks.check_order(shot, path)
    checks.check_places(shot.positions, table, f"{path}.positions")
    return shot


def _event(form: EventForm) -> Event:
    return Event(
        t=form.t,
        type=form.type,
        ball=form.ball,
        balls=None if form.balls is None else (form.balls[0], form.balls[1]),
        cushion=form.cushion,
        pocket=form.pocket,
        jaws=form.jaws,
        at=None if form.at is None else (form.at[0], form.at[1]),
        over=form.over,
        over_jaw=form.over_jaw,
        frame=form.frame,
        video_t=form.video_t,
        sigma_ms=form.sigma_ms,
        confidence=form.confidence,
    )
