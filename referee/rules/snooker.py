"""Is the cue ball snookered? (rule 10, D8, D43). Exact geometry of a disc swept along a straight line.

The cue ball's centre travels along a ray. It meets a ball where the ray enters the circle of one ball diameter about that
ball's centre, and a cushion end where it comes within a ball radius of it. Which obstacle comes first can change only at
finitely many directions (tangents and points where two obstacles are met at once), so one direction between each two
neighbours decides the whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise
from math import acos, asin, atan2, cos, hypot, pi, sin, sqrt

from calibration.table import Jaw, Table
from referee.state import Point

_SLIVER = 1e-9  # radians: a gap that is only a tangent is no path
_EPS = 1e-9
_NEVER = float("inf")


def snookered(cue: str, places: Mapping[str, Point | None], legal: Iterable[str], table: Table) -> bool:
    """D8: no straight path of the cue ball meets any part of any legal ball without first meeting another ball or a jaw.

    `places` are those before the stroke, mm; a legal ball that is not on the table cannot be seen.
    """
    centre = places.get(cue)
    if centre is None:
        return False
    wanted = [p for b in legal if (p := places.get(b)) is not None]
    others = [p for b, p in places.items() if p is not None and b != cue and b not in set(legal)]
    return not any(_sees(centre, target, others, _jaws_before(target, table), table) for target in wanted)


def _jaws_before(target: Point, table: Table) -> tuple[_Corner, ...]:
    """D43: jaws hide a ball only when its centre lies outside the nose rectangle; then those of its pocket do."""
    x, y = target
    if (0 <= x <= table.length and 0 <= y <= table.width) or not table.pockets:
        return ()
    pocket = min(table.pockets, key=lambda p: hypot(p.centre[0] - x, p.centre[1] - y))
    return tuple(_Corner(jaw, pocket.centre, table.radius) for jaw in pocket.jaws)


class _Corner:
    """A cushion end as an obstacle for the cue ball's centre: a circle about the rounding's centre and two walls from it."""

    __slots__ = ("centre", "reach", "walls")

    def __init__(self, jaw: Jaw, pocket: Point, ball_radius: float) -> None:
        along = (0.0, 1.0) if jaw.cushion in ("home", "foot") else (1.0, 0.0)
        away = (jaw.tip[0] - pocket[0]) * along[0] + (jaw.tip[1] - pocket[1]) * along[1]
        nose = (along[0], along[1]) if away >= 0 else (-along[0], -along[1])
        throat = jaw.throat
        half = acos(max(-1.0, min(1.0, nose[0] * throat[0] + nose[1] * throat[1]))) / 2
        bisector = (nose[0] + throat[0], nose[1] + throat[1])
        scale = jaw.radius / (sin(half) * hypot(*bisector))
        self.centre = (jaw.tip[0] + bisector[0] * scale, jaw.tip[1] + bisector[1] * scale)
        self.reach = jaw.radius + ball_radius
        # Each wall is the line on which the centre of a ball lies that touches it, on the side away from the other wall.
        self.walls = tuple(self._wall(a, b) for a, b in ((nose, throat), (throat, nose)))

    def _wall(self, along: Point, other: Point) -> tuple[Point, Point]:
        side = along[0] * other[1] - along[1] * other[0]
        normal = (along[1], -along[0]) if side > 0 else (-along[1], along[0])
        start = (self.centre[0] + normal[0] * self.reach, self.centre[1] + normal[1] * self.reach)
        return start, along

    def met_after(self, origin: Point, ray: Point) -> float:
        first = _enters(origin, ray, self.centre, self.reach)
        for start, along in self.walls:
            first = min(first, _crosses(origin, ray, start, along))
        return first


def _enters(origin: Point, ray: Point, centre: Point, reach: float) -> float:
    """How far along the ray it enters a circle; 0 when it starts in or on it and moves inwards; never: infinity."""
    x, y = centre[0] - origin[0], centre[1] - origin[1]
    ahead = x * ray[0] + y * ray[1]
    if ahead <= 0:
        return _NEVER
    room = reach * reach - (x * x + y * y - ahead * ahead)
    if room <= 0:
        return _NEVER
    return max(0.0, ahead - sqrt(room))


def _crosses(origin: Point, ray: Point, start: Point, along: Point) -> float:
    """How far along the ray it crosses the half line from `start` along `along`."""
    det = ray[0] * -along[1] + ray[1] * along[0]
    if abs(det) < 1e-15:
        return _NEVER
    x, y = start[0] - origin[0], start[1] - origin[1]
    far = (x * -along[1] + y * along[0]) / det
    on_wall = (ray[0] * y - ray[1] * x) / det
    return far if far > _EPS and on_wall >= 0 else _NEVER


def _sees(origin: Point, target: Point, balls: list[Point], corners: tuple[_Corner, ...], table: Table) -> bool:
    """Is there a direction in which the cue ball meets the target before any other ball or corner?"""
    reach = table.ball
    middle, half = _span(origin, target, reach)
    edges = {-half, half}

    def note(point: Point) -> None:
        turn = _angle(atan2(point[1] - origin[1], point[0] - origin[0]) - middle)
        if -half < turn < half:
            edges.add(turn)

    for centre, size in [(b, reach) for b in balls] + [(c.centre, c.reach) for c in corners]:
        towards, spread = _span(origin, centre, size)
        for side in (-spread, spread):
            turn = _angle(towards + side - middle)
            if -half < turn < half:
                edges.add(turn)
        for point in _circles_meet(target, reach, centre, size):
            note(point)
    for corner in corners:
        for start, along in corner.walls:
            note(start)
            note((origin[0] + along[0], origin[1] + along[1]))
            for point in _line_meets(start, along, target, reach):
                note(point)
    ordered = sorted(edges)
    for low, high in pairwise(ordered):
        if high - low < _SLIVER:
            continue
        turn = middle + (low + high) / 2
        ray = (cos(turn), sin(turn))
        goal = _enters(origin, ray, target, reach)
        if goal is _NEVER:
            continue
        if all(_enters(origin, ray, b, reach) > goal for b in balls) and all(c.met_after(origin, ray) > goal for c in corners):
            return True
    return False


def _span(origin: Point, centre: Point, reach: float) -> tuple[float, float]:
    """Direction of a circle's centre and half the angle under which the circle is seen; 90 degrees when it is touched."""
    x, y = centre[0] - origin[0], centre[1] - origin[1]
    far = hypot(x, y)
    return atan2(y, x), asin(min(1.0, reach / far)) if far > 0 else pi / 2


def _angle(turn: float) -> float:
    return (turn + pi) % (2 * pi) - pi


def _circles_meet(a: Point, ra: float, b: Point, rb: float) -> list[Point]:
    x, y = b[0] - a[0], b[1] - a[1]
    far = hypot(x, y)
    if far == 0 or far > ra + rb or far < abs(ra - rb):
        return []
    along = (far * far + ra * ra - rb * rb) / (2 * far)
    across = sqrt(max(0.0, ra * ra - along * along))
    ux, uy = x / far, y / far
    return [(a[0] + ux * along - s * uy * across, a[1] + uy * along + s * ux * across) for s in (-1.0, 1.0)]


def _line_meets(start: Point, along: Point, centre: Point, reach: float) -> list[Point]:
    x, y = centre[0] - start[0], centre[1] - start[1]
    foot = x * along[0] + y * along[1]
    room = reach * reach - (x * x + y * y - foot * foot)
    if room < 0:
        return []
    return [(start[0] + along[0] * (foot + s * sqrt(room)), start[1] + along[1] * (foot + s * sqrt(room))) for s in (-1.0, 1.0)]
