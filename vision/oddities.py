"""What a stroke has besides contacts, cushions and pots: jumps, forbidden strokes, touched balls. Each rests on its own evidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from calibration.camera import Camera
from calibration.table import Table
from vision.additions import Addition, explained, with_additions, without_events
from vision.breaks import Break, breaks_of
from vision.events import Found
from vision.evidence import Evidence
from vision.flight import Flight, View, flight_of, grounded, passed_over
from vision.late import limit_doubts, with_stops_in_jaws
from vision.leaving import Exit, Left, exit_of, leaving
from vision.record import Sighting
from vision.shot import Doubt, Event, Way
from vision.strike import strike_doubts, with_ball_struck
from vision.touch import Nudge, shoved_before, touch_doubts
from vision.unmet import unmet_falls
from vision.walls import Walls

_SURE = 0.95  # of an event that is told; below it a person looks
_AHEAD = 0.97  # cosine of the angle to which a ball keeps its direction in a landing
_MOVED = 4.0  # mm: a ball that has moved further was touched


@dataclass(frozen=True, slots=True)
class Stretch(Evidence):
    """What was seen in a stretch of motion, with the balls that flew in it, that left the table, and that were shoved before it."""

    flights: tuple[Flight, ...] = ()
    left: tuple[Left, ...] = ()
    shoved: tuple[Nudge, ...] = ()


@dataclass(frozen=True, slots=True)
class Prepared:
    """Sightings from which a stroke can be told: from after what was shoved before it, a flying ball above its true place."""

    sightings: dict[str, list[Sighting]]
    flights: tuple[Flight, ...] = ()
    shoved: tuple[Nudge, ...] = ()


def prepared(sightings: Mapping[str, list[Sighting]], camera: Camera, table: Table, step: float, slack: float) -> Prepared:
    """The sightings of a stretch of motion as its stroke is told from. `slack`: error (mm) of places that the calibration leaves."""
    shoved = shoved_before(sightings, table.ball, slack)
    if shoved is not None:
        sightings = {ball: [s for s in seen if s.t >= shoved[1]] for ball, seen in sightings.items()}
    nudges = () if shoved is None else (shoved[0],)
    began = {b: t for b, seen in sightings.items() if (t := _began(seen)) is not None}
    first = min(began, key=lambda b: began[b], default=None)
    others = {b: s for b, s in sightings.items() if b != first}
    view = View(camera, table.radius)
    flight = None if first is None else flight_of(first, sightings[first], view, others, table.radius, step)
    if first is None or flight is None:
        return Prepared(dict(sightings), (), nudges)
    return Prepared({**sightings, first: grounded(sightings[first], flight, view)}, (flight,), nudges)


def _began(seen: list[Sighting]) -> float | None:
    return next((s.t for s in seen if s.fresh and s.state == "moving"), None)


def with_oddities(found: Found, stretch: Stretch) -> Found:
    """What was found of a stroke, with what else its evidence shows and without what that contradicts."""
    for flight in stretch.flights:
        found = without_events(found, lambda e, f=flight: _out_of_reach(e, f, stretch))
    found = with_ball_struck(found, stretch)
    found = with_stops_in_jaws(found, stretch.sightings, stretch.step)
    jumps = [_jumps(f, stretch) for f in stretch.flights]
    strikes = strike_doubts(found, stretch)
    # what was struck, or came down, needs no hand to move it
    moved = {ball for ball, _ in explained([*jumps, strikes])}
    before = Addition(doubts=tuple((n.doubt(found.strike_t), None) for n in stretch.shoved))
    gone = leaving(stretch.left, _vanished(found, stretch))
    return with_additions(
        found, [*jumps, before, gone, limit_doubts(found), strikes, unmet_falls(found, stretch), touch_doubts(found, stretch, but=moved)]
    )


def _vanished(found: Found, stretch: Stretch) -> list[tuple[str, Exit]]:
    """Balls that were last seen on their way over a cushion, and nowhere since."""
    known = {e.ball for e in found.events if e.type == "pocket"} | {n.ball for n in stretch.left}
    lost = {ball: seen for ball, seen in stretch.sightings.items() if seen and not seen[-1].fresh and ball not in known}
    return [(ball, out) for ball, seen in lost.items() if (out := exit_of(stretch.table, seen)) is not None]


def _out_of_reach(event: Event, flight: Flight, stretch: Stretch) -> bool:
    """Whether an event needs the flying ball to be lower than it was."""
    if not event.involves(flight.ball) or not flight.t0 < event.t < flight.t1:
        return False
    height = float(flight.height(event.t))
    if event.type in ("cushion", "jaw"):
        return height > stretch.table.nose_height
    if event.type == "contact" and event.balls is not None:
        other = next(b for b in event.balls if b != flight.ball)
        return _stayed(stretch.sightings.get(other, []), flight)
    return False


def _stayed(seen: list[Sighting], flight: Flight) -> bool:
    """Whether a ball lies after a flight where it lay before."""
    before = [(s.x, s.y) for s in seen if s.fresh and s.t < flight.t0]
    after = [(s.x, s.y) for s in seen if s.fresh and flight.t1 < s.t < flight.t1 + 0.15]
    if not before or not after:
        return False
    return float(np.hypot(*np.subtract(np.median(before, axis=0), np.median(after, axis=0)))) < _MOVED


def _jumps(flight: Flight, stretch: Stretch) -> Addition:
    still = {b: (lambda t, p=p: p.at(t)) for b, p in stretch.paths.items() if b != flight.ball and _stayed(stretch.sightings[b], flight)}
    events: list[Event] = []
    doubts: list[tuple[Doubt, Event | None]] = []
    for event, sure in passed_over(flight, Walls(stretch.table), still, stretch.table.radius):
        what = f"{event.ball} over {event.over or f'a jaw of {event.over_jaw}'}"
        if sure < 0.5:
            doubts.append((Doubt(f"{what}: perhaps a jump ({flight.top:.0f} mm high)", ways=(Way(f"{what}: a jump", (event,)),)), None))
            continue
        events.append(event)
        if sure < _SURE:
            doubts.append((Doubt(f"{what}: a jump {flight.top:.0f} mm high passed beside it or over it"), event))
    near = [br for br in breaks_of(stretch.paths[flight.ball], stretch.step) if _at_ends(br, flight, stretch.step)]
    return Addition(tuple(events), tuple(doubts), tuple((br.ball, br.t) for br in near))


def _at_ends(br: Break, flight: Flight, step: float) -> bool:
    """Whether a break lies in a flight or is a landing, which takes speed from the ball; it hops on for as long again."""
    if flight.t0 - step < br.t < flight.t1 + 2.5 * step:
        return True
    before, after = br.speed_before, br.speed_after
    size = float(np.hypot(*before) * np.hypot(*after))
    hopping = flight.t1 < br.t < 2 * flight.t1 - flight.t0 + 2.5 * step
    return hopping and float(before @ after) > _AHEAD * size and float(after @ after) < float(before @ before)
