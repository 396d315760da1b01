"""Strokes on a table, simulated with pooltool: events with exact times, and every ball's path.

The frame of reference is that of the contracts (mm, s). pooltool's x runs across the table and its y along it:
our x = 1000 y, our y = W - 1000 x, a rotation without a mirror. Needs the `simulate` extra.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from math import acos, cos, degrees, pi, sin
from typing import Any

import numpy as np

from calibration.table import Pocket, Point, Table
from sample_videos.path import Path, fall_into
from sample_videos.stroke_events import jaws_at, merged

Places = Mapping[str, Point | None]
Event = dict[str, Any]

_POCKET_NAMES = {
    "lb": "home-left", "lc": "middle-left", "lt": "foot-left", "rb": "home-right", "rc": "middle-right", "rt": "foot-right",
}  # fmt: skip
_CUSHION_NAMES = {"3": "left", "6": "left", "12": "right", "15": "right", "9": "foot", "18": "home"}
_JAW_NAMES = {
    "1": ("home-left", "home"), "2": ("home-left", "left"), "4": ("middle-left", "left"), "5": ("middle-left", "left"),
    "7": ("foot-left", "left"), "8": ("foot-left", "foot"), "10": ("foot-right", "foot"), "11": ("foot-right", "right"),
    "13": ("middle-right", "right"), "14": ("middle-right", "right"), "16": ("home-right", "right"), "17": ("home-right", "home"),
}  # fmt: skip
_MOVING = (2, 3)  # pooltool's codes for sliding and rolling
_MOST_EVENTS = 400


class SimulationFailed(Exception):
    """The physics could not follow this stroke to its end; another speed or heading will do."""


@dataclass(frozen=True, slots=True)
class Cloth:
    """Frictions and restitutions of balls of 285 g on a worsted cloth (SI units, dimensionless)."""

    slide: float = 0.19
    roll: float = 0.0095
    spin: float = 0.44
    ball_friction: float = 0.05
    ball_restitution: float = 0.955
    cushion_restitution: float = 0.80
    cushion_friction: float = 0.17
    mass: float = 0.285


@dataclass(frozen=True, slots=True)
class CoveredTable(Table):
    """A table with the cloth and the cushions that strokes on it are played with unless told otherwise."""

    cloth: Cloth = field(default_factory=Cloth, compare=False)


def covered(table: Table, cloth: Cloth) -> CoveredTable:
    """The table with a cloth of its own."""
    return CoveredTable(table.name, table.length, table.width, table.ball, table.pockets, table.nose_height, cloth)


def _cloth_of(table: Table) -> Cloth:
    return table.cloth if isinstance(table, CoveredTable) else Cloth()


@dataclass(frozen=True, slots=True)
class Strike:
    """How the cue ball starts: `speed` mm/s just after the strike, `heading` radians from +x towards +y.

    `follow` and `side` are the heights and the offset to the right of the tip's contact in ball radii (|.| <= 0.5):
    follow 0.4 rolls at once, 0 is a hit in the centre, negative draws back.
    """

    cue_ball: str
    speed: float
    heading: float
    follow: float = 0.0
    side: float = 0.0
    up: float = 0.0  # speed upwards, mm/s: a jump


@dataclass(frozen=True, slots=True, eq=False)
class SimulatedShot:
    """A stroke: contract events in order (`t` seconds after the strike), the paths, places before and after, its length in s."""

    table: Table
    strike: Strike
    before: Mapping[str, Point]
    events: tuple[Event, ...]
    paths: Mapping[str, Path]
    after: Places
    duration: float
    cloth: Cloth = field(default_factory=Cloth)

    def of(self, kind: str, ball: str | None = None) -> list[Event]:
        """The events of a type, of a ball if named."""
        return [e for e in self.events if e["type"] == kind and (ball is None or ball == e.get("ball") or ball in e.get("balls", ()))]

    def pot(self, ball: str) -> str | None:
        """The pocket that a ball fell into."""
        return next((e["pocket"] for e in self.of("pocket", ball)), None)

    def contacts(self) -> list[tuple[float, frozenset[str]]]:
        return [(e["t"], frozenset(e["balls"])) for e in self.of("contact")]


def available() -> bool:
    """Whether pooltool can be imported here."""
    try:
        import pooltool  # noqa: F401
    except ImportError:
        return False
    return True


def simulate(
    table: Table,
    placing: Mapping[str, Point],
    cue_ball: str,
    speed: float,
    heading: float,
    *,
    follow: float = 0.0,
    side: float = 0.0,
    cloth: Cloth | None = None,
    damp: Mapping[str, float] | None = None,
) -> SimulatedShot:
    """Play one stroke.

    Args:
        table: table with the six pockets, or with none.
        placing: centres in mm of the balls on the table, with the cue ball among them.
        cue_ball, speed, heading, follow, side: see `Strike` (mm/s, radians).
        damp: rolling frictions of single balls, where they differ from the cloth's.

    Raises:
        SimulationFailed: the physics broke off.
        ValueError: balls overlap or lie outside the table, or the cue ball is not placed.
    """
    _check(table, placing, cue_ball)
    strike = Strike(cue_ball, speed, heading, follow, side)
    cloth = cloth or _cloth_of(table)
    system = _run(table, placing, strike, cloth, damp or {})
    return replace(_read(table, placing, strike, system), cloth=cloth)


def _check(table: Table, placing: Mapping[str, Point], cue_ball: str) -> None:
    if cue_ball not in placing:
        raise ValueError(f"cue ball {cue_ball!r} is not placed: expected one of {', '.join(placing)}")
    names = list(placing)
    for i, a in enumerate(names):
        x, y = placing[a]
        if not (-60 <= x <= table.length + 60 and -60 <= y <= table.width + 60):
            raise ValueError(f"ball {a} at ({x:g}, {y:g}): expected a place on the table of {table.length:g} x {table.width:g} mm")
        for b in names[:i]:
            gap = float(np.hypot(x - placing[b][0], y - placing[b][1])) - table.ball
            if gap < -1e-3:
                raise ValueError(f"balls {a} and {b} overlap by {-gap:.1f} mm")


@lru_cache(maxsize=1)
def _engine() -> Any:
    from pooltool.physics.engine import PhysicsEngine
    from pooltool.physics.resolve.resolver import default_resolver

    # not pooltool's own default: that one reads a file of the user's home folder
    return PhysicsEngine(resolver=default_resolver())


@lru_cache(maxsize=8)
def _pooltool_table(table: Table) -> Any:
    import pooltool as pt
    from pooltool.objects.table.specs import BilliardTableSpecs, PocketTableSpecs

    length, width, nose = table.length / 1000, table.width / 1000, table.nose_height / 1000
    if not table.pockets:
        return pt.Table.from_table_specs(BilliardTableSpecs(l=length, w=width, cushion_height=nose))
    corner, middle = table.pocket("foot-left"), table.pocket("middle-left")
    specs = PocketTableSpecs(
        l=length, w=width, cushion_width=0.055, cushion_height=nose,
        corner_pocket_width=corner.mouth / 1000, corner_pocket_angle=_throat_angle(corner, (1 / 2**0.5, 1 / 2**0.5)),
        corner_pocket_depth=float(np.hypot(corner.centre[0] - table.length, corner.centre[1] - table.width)) / 1000,
        corner_pocket_radius=corner.radius / 1000, corner_jaw_radius=corner.jaws[0].radius / 1000,
        side_pocket_width=middle.mouth / 1000, side_pocket_angle=_throat_angle(middle, (0.0, 1.0)),
        side_pocket_depth=(middle.centre[1] - table.width) / 1000,
        side_pocket_radius=middle.radius / 1000, side_jaw_radius=middle.jaws[0].radius / 1000,
    )  # fmt: skip
    return pt.Table.from_table_specs(specs)


def _throat_angle(pocket: Pocket, axis: Point) -> float:
    throat = pocket.jaws[0].throat
    return degrees(acos(min(1.0, throat[0] * axis[0] + throat[1] * axis[1])))


def _run(table: Table, placing: Mapping[str, Point], strike: Strike, cloth: Cloth, damp: Mapping[str, float]) -> Any:
    import pooltool as pt
    from pooltool.objects.ball.datatypes import BallState

    radius = table.radius / 1000
    balls = {}
    for name, (x, y) in placing.items():
        balls[name] = pt.Ball.create(
            name, xy=((table.width - y) / 1000, x / 1000), R=radius, m=cloth.mass, u_s=cloth.slide,
            u_r=damp.get(name, cloth.roll), u_sp_proportionality=cloth.spin, u_b=cloth.ball_friction,
            e_b=cloth.ball_restitution, e_c=cloth.cushion_restitution, f_c=cloth.cushion_friction,
        )  # fmt: skip
    speed, heading = strike.speed / 1000, strike.heading + pi / 2
    v = np.array([speed * cos(heading), speed * sin(heading), 0.0])
    turn = 2.5 * speed / radius  # an impulse off the centre by one radius would turn a solid sphere so fast
    w = turn * strike.follow * np.array([-sin(heading), cos(heading), 0.0])
    w[2] = turn * strike.side
    place = balls[strike.cue_ball].state.rvw[0]
    balls[strike.cue_ball].state = BallState(np.array([place, v, w]), 2, 0.0)
    system = pt.System(cue=pt.Cue(cue_ball_id=strike.cue_ball), table=_pooltool_table(table).copy(), balls=balls)
    try:
        pt.simulate(system, engine=_engine(), inplace=True, max_events=_MOST_EVENTS)
    except (AssertionError, ValueError, IndexError, ZeroDivisionError) as error:
        raise SimulationFailed(f"physics broke off: {error or type(error).__name__}") from error
    if len(system.events) >= _MOST_EVENTS:
        raise SimulationFailed("physics broke off: balls go on touching without end")
    return system


def _ours(table: Table, place: np.ndarray) -> Point:
    return (1000 * float(place[1]), table.width - 1000 * float(place[0]))


def _read(table: Table, placing: Mapping[str, Point], strike: Strike, system: Any) -> SimulatedShot:
    pieces: dict[str, list[tuple[float, Point, Point, Point]]] = {name: [] for name in placing}
    events: list[Event] = [{"t": 0.0, "type": "strike", "ball": strike.cue_ball}]
    falls: dict[str, Any] = {}
    for name, ball in system.balls.items():
        pieces[name].append(_piece(table, ball.history[0], ball.params))
    for k, event in enumerate(system.events):
        kind, ids, t = str(event.event_type), event.ids, float(event.time)
        for name in ids:
            if name in system.balls and name not in falls and kind != "ball_pocket":
                pieces[name].append(_piece(table, system.balls[name].history[k], system.balls[name].params))
        if kind == "ball_ball":
            events.append({"t": t, "type": "contact", "balls": sorted(ids, key=lambda b: (b != strike.cue_ball, list(placing).index(b)))})
        elif kind in ("ball_linear_cushion", "ball_circular_cushion"):
            events.append(_cushion_event(t, ids))
        elif kind == "ball_pocket":
            pocket = table.pocket(_POCKET_NAMES[ids[1]])
            rvw = event.agents[0].initial.state.rvw
            falls[ids[0]] = fall_into(pocket, _ours(table, rvw[0]), (1000 * rvw[1][1], -1000 * rvw[1][0]), t, table.radius)
            events.append({"t": t, "type": "pocket", "ball": ids[0], "pocket": pocket.name})
        elif kind.startswith("rolling_"):
            at = _ours(table, event.agents[0].final.state.rvw[0])
            events.append({"t": t, "type": "stop", "ball": ids[0], "at": [round(at[0], 2), round(at[1], 2)]})
    paths = {name: _path(rows, table.radius, falls.get(name)) for name, rows in pieces.items()}
    for name, path in paths.items():
        events += [{"t": t, "type": "midline", "ball": name} for t in path.crossings(table.length / 2)]
    for e in events:
        if e["type"] == "stop" and (jaws := jaws_at(table, tuple(e["at"]))):
            e["jaws"] = jaws
    events = merged(events, paths, table)
    after: dict[str, Point | None] = {name: path.end for name, path in paths.items()}
    return SimulatedShot(table, strike, dict(placing), tuple(events), paths, after, max(e["t"] for e in events))


def _cushion_event(t: float, ids: tuple[str, ...]) -> Event:
    segment = ids[1].removesuffix("t")
    if ids[1] in _CUSHION_NAMES:
        return {"t": t, "type": "cushion", "ball": ids[0], "cushion": _CUSHION_NAMES[ids[1]]}
    pocket, cushion = _JAW_NAMES[segment]
    return {"t": t, "type": "jaw", "ball": ids[0], "pocket": pocket, "cushion": cushion}


def _piece(table: Table, state: Any, params: Any) -> tuple[float, Point, Point, Point]:
    """(t, place, velocity, acceleration) from a state; the acceleration is that of sliding or rolling friction."""
    r, v, w = state.rvw
    pull = np.zeros(2)
    if state.s == 2:
        slip = np.array([v[0] - params.R * w[1], v[1] + params.R * w[0]])
        if (size := float(np.linalg.norm(slip))) > 0:
            pull = -params.u_s * params.g * slip / size
    elif state.s == 3 and (size := float(np.linalg.norm(v[:2]))) > 0:
        pull = -params.u_r * params.g * v[:2] / size
    speed = v if state.s in _MOVING else np.zeros(3)
    return (
        float(state.t),
        _ours(table, r),
        (1000 * float(speed[1]), -1000 * float(speed[0])),
        (1000 * float(pull[1]), -1000 * float(pull[0])),
    )


def _path(rows: list[tuple[float, Point, Point, Point]], radius: float, fall: Any) -> Path:
    kept = [row for i, row in enumerate(rows) if i + 1 == len(rows) or rows[i + 1][0] > row[0]]
    t, r, v, a = (np.array(column, float) for column in zip(*kept, strict=True))
    return Path(t, r, v, a, radius, fall)


def delayed_fall(shot: SimulatedShot, ball: str, pocket: str, delay: float) -> SimulatedShot:
    """The same stroke, in which a ball that stopped at the edge of `pocket` tips over `delay` seconds after its stop."""
    t = delay + max((e["t"] for e in shot.of("stop", ball)), default=0.0)  # from the strike if it did not move
    path = shot.paths[ball]
    fall = fall_into(shot.table.pocket(pocket), path.end or (0, 0), (0.0, 0.0), t, shot.table.radius)
    events = sorted([*shot.events, {"t": t, "type": "pocket", "ball": ball, "pocket": pocket}], key=lambda e: e["t"])
    paths = {**shot.paths, ball: replace(path, fall=fall)}
    return replace(shot, events=tuple(events), paths=paths, after={**shot.after, ball: None}, duration=max(shot.duration, t))
