"""Where balls are placed after a stroke: spots and the nearest free places (rules 2, 5; D1, D12, D14, D18, D41, D43)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from math import hypot, sqrt

from calibration.table import Table
from referee.rules.terms import is_middle
from referee.state import Point

_EPS = 1e-6  # mm


def _far_enough(place: Point, balls: Iterable[Point], reach: float) -> bool:
    return all(hypot(place[0] - b[0], place[1] - b[1]) >= reach for b in balls)


def is_free(place: Point, places: Mapping[str, Point | None], table: Table) -> bool:
    """D14: a ball placed there would touch no other ball."""
    return _far_enough(place, [p for p in places.values() if p is not None], table.ball + _EPS)


def _nearest(
    at: Callable[[float], Point], wanted: float, low: float, high: float, balls: list[Point], table: Table, upwards: bool
) -> Point:
    """The free place nearest to `wanted` on a line that `at` runs along an axis; it may touch another ball (D43).

    `upwards` says which side is taken on a tie. If nothing is free, which four balls cannot bring about, `wanted`.
    """
    candidates = [wanted]
    for ball in balls:
        here = at(0.0)
        across = ball[1] - here[1] if at(1.0)[0] != here[0] else ball[0] - here[0]
        along = ball[0] if at(1.0)[0] != here[0] else ball[1]
        room = table.ball**2 - across**2
        if room > 0:
            candidates += [along - sqrt(room), along + sqrt(room)]
    inside = [c for c in candidates if low - _EPS <= c <= high + _EPS and _far_enough(at(c), balls, table.ball - _EPS)]
    side = 1.0 if upwards else -1.0
    best = min(inside, key=lambda c: (round(abs(c - wanted), 6), -side * c), default=wanted)
    return at(best)


def foot_cushion_place(places: Mapping[str, Point | None], table: Table) -> Point:
    """D1: flush against the middle of the foot cushion, or the nearest free place along it, to the right on a tie."""
    x, middle = table.length - table.radius, table.width / 2
    balls = [p for p in places.values() if p is not None]
    return _nearest(lambda y: (x, y), middle, table.radius, table.width - table.radius, balls, table, upwards=False)


def long_axis_place(places: Mapping[str, Point | None], table: Table) -> Point:
    """D12: the free place nearest to the pyramid spot on the long axis, towards the foot on a tie."""
    spot_x, y = table.spots["pyramid"]
    balls = [p for p in places.values() if p is not None]
    return _nearest(lambda x: (x, y), spot_x, table.radius, table.length - table.radius, balls, table, upwards=True)


def mouth_place(pocket: str, table: Table) -> Point:
    """D41: the point of a pocket's mouth where a ball lies flush with the noses."""
    end, side = pocket.split("-")
    y = table.width - table.radius if side == "left" else table.radius
    if is_middle(pocket):
        return (table.length / 2, y)
    return (table.radius if end == "home" else table.length - table.radius, y)


def edge_place(pocket: str, at: Point | None, places: Mapping[str, Point | None], table: Table) -> Point:
    """D18, D41: where a cue ball that fell late is put back: where it lay if that is known, else in the mouth.

    If another ball has come to lie there, it goes as far towards the centre of the table as is needed.
    """
    place = at or mouth_place(pocket, table)
    balls = [p for p in places.values() if p is not None]
    inwards = (table.length / 2 - place[0], table.width / 2 - place[1])
    size = hypot(*inwards) or 1.0
    step = 0.0
    while not _far_enough((place[0] + inwards[0] * step, place[1] + inwards[1] * step), balls, table.ball - _EPS) and step < 1:
        step += 1 / size
    return (place[0] + inwards[0] * step, place[1] + inwards[1] * step)
