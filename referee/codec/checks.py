"""What the form cannot tell: do the events and the places of a case make sense together?"""

from __future__ import annotations

from itertools import combinations
from math import dist

from calibration.table import Table
from referee.codec.errors import CaseError
from referee.rules.terms import BALLS, adjoining
from referee.state import Point, State
from vision.shot import Event, Places, Shot

# Balls are measured to a few millimetres; only what no error of measurement explains is refused.
_OVERLAP = 0.9  # of a ball's diameter
_OUTSIDE = 0.15  # of a ball's diameter that a resting ball may seem to stand into a cushion
_MOUTH = 3.0  # ball diameters from a pocket's centre within which a ball may lie outside the nose rectangle

# Fields that an event of each type must have; those of a stop are optional beyond the ball.
_NEEDED: dict[str, tuple[str, ...]] = {
    "contact": ("balls",),
    "cushion": ("ball", "cushion"),
    "jaw": ("ball", "pocket", "cushion"),
    "pocket": ("ball", "pocket"),
}
_OPTIONAL: dict[str, tuple[str, ...]] = {"stop": ("jaws", "at"), "jump": ("over", "over_jaw")}
_FIELDS = ("ball", "balls", "cushion", "pocket", "jaws", "at", "over", "over_jaw")
_NOT_PLAY = frozenset(("strike", "touch", "double_hit", "push", "press"))  # may stand before or beside the first strike


def check_fields(event: Event, path: str) -> None:
    """An event has the fields of its type and no others. Raises CaseError."""
    needed = _NEEDED.get(event.type, ("ball",))
    optional = _OPTIONAL.get(event.type, ())
    has = tuple(field for field in _FIELDS if getattr(event, field) is not None)
    for field in () if has == needed else _FIELDS:
        given = field in has
        if field in needed and not given:
            raise CaseError(f"{path}.{field}", f"expected for an event of type {event.type}, but missing")
        if given and field not in needed and field not in optional:
            raise CaseError(f"{path}.{field}", f"unexpected for an event of type {event.type}")
    if event.balls is not None and event.balls[0] == event.balls[1]:
        raise CaseError(f"{path}.balls", "expected two different of white, yellow, red, black")
    if event.type == "jaw" and event.cushion not in adjoining(event.pocket or "home-left"):
        beside = " or ".join(sorted(adjoining(event.pocket or "home-left")))
        raise CaseError(f"{path}.cushion", f"expected {beside}, the cushion that adjoins {event.pocket}, got {event.cushion}")
    if event.type == "jump":
        if (event.over is None) == (event.over_jaw is None):
            raise CaseError(path, "expected a jump over a ball (over) or a jaw (over_jaw), one of the two")
        if event.over == event.ball:
            raise CaseError(f"{path}.over", f"expected another ball than {event.ball}")


def check_order(shot: Shot, path: str = "shot") -> None:
    """Events stand in the order of time, a strike among them before any ball moves; a touch alone needs no strike."""
    check_times(shot, path)
    struck = False
    for i, event in enumerate(shot.events):
        struck = struck or event.type == "strike"
        if not struck and event.type not in _NOT_PLAY:
            raise CaseError(f"{path}.events[{i}].type", f"expected a strike before the first {event.type}")
    if not struck and not any(e.type == "touch" for e in shot.events):
        raise CaseError(f"{path}.events", "expected a strike, but there is none")


def check_times(shot: Shot, path: str = "shot") -> None:
    """Events stand in the order of time; only a touch may come before the strike."""
    before = None
    for i, event in enumerate(shot.events):
        here = f"{path}.events[{i}].t"
        if event.t < 0 and event.type != "touch":
            raise CaseError(here, f"expected seconds after the strike, at least 0, got {event.t:g}")
        if before is not None and event.t < before:
            raise CaseError(here, f"expected events in order of time: at least {before:g}, got {event.t:g}")
        before = event.t


def check_balls(state: State, shot: Shot, path: str = "shot") -> None:
    """No event of a ball that is not on the table; the places afterwards agree with the falls."""
    off = {b for b in BALLS if state.positions[b] is None}
    gone: dict[str, str] = {b: "was not on the table before the stroke" for b in off}
    for i, event in enumerate(shot.events):
        for ball in event.balls or (event.ball, event.over):
            if ball in gone:
                field = "balls" if event.balls else "over" if ball == event.over else "ball"
                raise CaseError(f"{path}.events[{i}].{field}", f"expected a ball on the table: {ball} {gone[ball]}")
        if event.type in ("pocket", "off_table") and event.ball is not None:
            gone[event.ball] = f"{'fell' if event.type == 'pocket' else 'left the table'} at events[{i}]"
    for ball in BALLS:
        place, where = shot.positions[ball], f"{path}.positions.{ball}"
        if ball in gone and place is not None:
            raise CaseError(where, f"expected null: {ball} {gone[ball]}")
        if ball not in gone and place is None:
            raise CaseError(where, f"expected [x, y] in mm: no event takes {ball} off the table")


def check_places(places: Places, table: Table, path: str) -> None:
    """Balls lie on the table, also in the mouth of a pocket, and not in one another."""
    there = [(b, p) for b in BALLS if (p := places.get(b)) is not None]
    for ball, place in there:
        check_place(place, table, f"{path}.{ball}")
    for (a, p), (b, q) in combinations(there, 2):
        if dist(p, q) < _OVERLAP * table.ball:
            raise CaseError(f"{path}.{b}", f"expected a place of its own: {b} overlaps {a} ({dist(p, q):.1f} mm between centres)")


def check_place(place: Point, table: Table, path: str) -> None:
    margin = table.radius - _OUTSIDE * table.ball
    inside = margin <= place[0] <= table.length - margin and margin <= place[1] <= table.width - margin
    if not inside and not any(dist(place, p.centre) <= _MOUTH * table.ball for p in table.pockets):
        raise CaseError(path, f"expected a place on the table of {table.length:g} x {table.width:g} mm, got [{place[0]:g}, {place[1]:g}]")


def check_state(state: State, table: Table, path: str = "state", *, placed: bool = True) -> None:
    """The state holds together: every ball is on the table, waiting or, when `placed` is false, the cue ball in hand."""
    check_places(state.positions, table, f"{path}.positions")
    if len(set(state.waiting)) != len(state.waiting):
        raise CaseError(f"{path}.waiting", "expected each ball once")
    for i, ball in enumerate(state.waiting):
        if ball == state.cue_ball:
            raise CaseError(f"{path}.waiting[{i}]", f"expected another ball than the cue ball {ball}")
        if state.positions[ball] is not None:
            raise CaseError(f"{path}.waiting[{i}]", f"expected a ball that is off the table: {ball} has a place")
    for ball in BALLS:
        if state.positions[ball] is not None or ball in state.waiting:
            continue
        if ball != state.cue_ball:
            raise CaseError(f"{path}.positions.{ball}", f"expected [x, y] in mm, or {ball} in waiting")
        if placed:
            raise CaseError(f"{path}.positions.{ball}", "expected [x, y] in mm: the cue ball is placed before the stroke")
        if state.placement == "as_lies":
            raise CaseError(f"{path}.positions.{ball}", "expected [x, y] in mm: the cue ball is not in hand")
