"""The course of a stroke, chapter by chapter: pooltool rolls the balls until something it does not know interrupts them.

A jump, a second stroke of the cue or a hand changes the motion of a ball; then the balls roll on from there. Each ball's path is a
chain of parabolas over all chapters. The frame of reference is that of the contracts (mm, s), also for spins (rad/s).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from math import acos, degrees
from typing import Any

import numpy as np

from calibration.table import Pocket, Point, Table
from sample_videos.path import Air, Path, fall_into
from sample_videos.stroke_events import jaws_at, merged

Event = dict[str, Any]
Row = tuple[float, np.ndarray, np.ndarray, np.ndarray]  # time, place, velocity, acceleration (3,)

_POCKET_NAMES = {
    "lb": "home-left", "lc": "middle-left", "lt": "foot-left", "rb": "home-right", "rc": "middle-right", "rt": "foot-right",
}  # fmt: skip
_CUSHION_NAMES = {"3": "left", "6": "left", "12": "right", "15": "right", "9": "foot", "18": "home"}
_JAW_NAMES = {
    "1": ("home-left", "home"), "2": ("home-left", "left"), "4": ("middle-left", "left"), "5": ("middle-left", "left"),
    "7": ("foot-left", "left"), "8": ("foot-left", "foot"), "10": ("foot-right", "foot"), "11": ("foot-right", "right"),
    "13": ("middle-right", "right"), "14": ("middle-right", "right"), "16": ("home-right", "right"), "17": ("home-right", "home"),
}  # fmt: skip
_SLIDING, _ROLLING = 2, 3  # pooltool's codes; 0 and 1 are at rest and spinning on the spot
_MOST_EVENTS = 400
_LARGEST_LEAP = 1.0  # mm; pooltool finds touches that are none between balls that roll exactly one behind the other
_NO_SLIP = 0.1  # mm/s at the point that touches the cloth


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


@dataclass(frozen=True, slots=True, eq=False)
class Motion:
    """Of one ball at one moment: place and velocity (3,) mm, mm/s, spin (3,) rad/s."""

    place: np.ndarray
    velocity: np.ndarray
    spin: np.ndarray

    @classmethod
    def rest(cls, place: Point, radius: float) -> Motion:
        return cls(np.array([*place, radius]), np.zeros(3), np.zeros(3))

    def slip(self, radius: float) -> np.ndarray:
        """Velocity (2,) of the point that touches the cloth."""
        return self.velocity[:2] + radius * np.array([-self.spin[1], self.spin[0]])


class Course:
    """A stroke that is being played: `now` s, the `motion` of every ball on the table, and all that has happened."""

    def __init__(
        self,
        table: Table,
        placing: Mapping[str, Point],
        cue_ball: str,
        cloth: Cloth | None = None,
        damp: Mapping[str, float] | None = None,
        start: float = 0.0,
    ) -> None:
        self.table, self.cue_ball, self.damp = table, cue_ball, damp or {}
        self.cloth = cloth or (table.cloth if isinstance(table, CoveredTable) else Cloth())
        self.placing = dict(placing)
        self.now = start
        self.motion = {ball: Motion.rest(place, table.radius) for ball, place in placing.items()}
        self.events: list[Event] = []
        self._rows: dict[str, list[Row]] = {ball: [(start, m.place, m.velocity, np.zeros(3))] for ball, m in self.motion.items()}
        self._falls: dict[str, Air] = {}
        self._gone: dict[str, float] = {}

    def note(self, t: float, kind: str, **fields: Any) -> None:
        """Add an event."""
        self.events.append({"t": float(t), "type": kind, **fields})

    def pair(self, a: str, b: str) -> list[str]:
        """Two balls as a contact names them: the cue ball first, else as they were placed."""
        order = list(self.placing)
        return sorted((a, b), key=lambda ball: (ball != self.cue_ball, order.index(ball)))

    def piece(self, ball: str, t: float, place: np.ndarray, velocity: np.ndarray, acceleration: np.ndarray) -> None:
        """A part of a ball's path that begins at `t` and that no chapter of pooltool gives."""
        self._rows[ball].append((t, place, velocity, acceleration))

    def remove(self, ball: str, fall: Air | None = None) -> None:
        """The ball is on the table no more: it falls into a pocket, or goes where its last piece leads."""
        del self.motion[ball]
        self._gone[ball] = self.now
        if fall is not None:
            self._falls[ball] = fall

    def roll(self, until: float | None = None, without: Iterable[str] = ()) -> None:
        """Let the balls roll to rest, or `until` a moment. Balls `without` are left out: they are in the air or in a hand.

        Raises:
            SimulationFailed: the physics broke off.
        """
        chapter = self.foresee(without)
        chapter.keep(np.inf if until is None else until)
        if until is not None:
            self.now = until

    def foresee(self, without: Iterable[str] = ()) -> Chapter:
        """What the balls will do from now on if nothing interrupts them; nothing of it is kept."""
        balls = {ball: motion for ball, motion in self.motion.items() if ball not in set(without)}
        moves = any(m.velocity.any() or m.spin.any() for m in balls.values())  # pooltool would strike a ball itself
        return Chapter(self, balls, _simulated(self.table, balls, self.cloth, self.damp) if moves else None)

    def finish(self) -> tuple[tuple[Event, ...], dict[str, Path], dict[str, Point | None]]:
        """Events in order, paths, and places at the end."""
        paths = {ball: _path(rows, self._falls.get(ball)) for ball, rows in self._rows.items()}
        events = list(self.events)
        for ball, path in paths.items():
            end = np.inf if ball in self._falls else self._gone.get(ball, np.inf)  # the line is not on the floor
            events += [{"t": t, "type": "midline", "ball": ball} for t in path.crossings(self.table.length / 2) if t < end]
        for e in events:
            if e["type"] == "stop" and (jaws := jaws_at(self.table, tuple(e["at"]))):
                e["jaws"] = jaws
        after: dict[str, Point | None] = {ball: None if ball in self._gone else path.end for ball, path in paths.items()}
        return tuple(merged(events, paths, self.table)), paths, after


class Chapter:
    """What pooltool foresees for some balls from a moment on, by the clock of the course."""

    def __init__(self, course: Course, balls: Mapping[str, Motion], system: Any) -> None:
        self._course, self._balls, self._system, self._start = course, balls, system, float(course.now)
        self._rows: dict[str, list[Row]] = {b: [(course.now, m.place, np.zeros(3), np.zeros(3))] for b, m in balls.items()}
        self._events: list[Event] = []
        self._falls: dict[str, tuple[float, Air]] = {}
        if system is not None:
            self._read()
        self.paths = {name: _path(rows, None) for name, rows in self._rows.items()}
        if any(path.leap() > _LARGEST_LEAP for path in self.paths.values()):
            raise SimulationFailed("physics broke off: a ball leaps")

    def _read(self) -> None:
        table, start, balls = self._course.table, self._start, self._system.balls
        self._rows = {name: [_row(table, ball.history[0], ball.params, start)] for name, ball in balls.items()}
        for k, event in enumerate(self._system.events):
            kind, ids, t = str(event.event_type), event.ids, start + float(event.time)
            for name in ids:
                if name in balls and name not in self._falls and kind != "ball_pocket":
                    self._rows[name].append(_row(table, balls[name].history[k], balls[name].params, start))
            if kind == "ball_ball":
                self._note(t, "contact", balls=self._course.pair(*ids))
            elif kind in ("ball_linear_cushion", "ball_circular_cushion"):
                self._events.append(_cushion_event(t, ids))
            elif kind == "ball_pocket":
                pocket = table.pocket(_POCKET_NAMES[ids[1]])
                r, v, _ = event.agents[0].initial.state.rvw
                self._falls[ids[0]] = (t, fall_into(pocket, _place(table, r), (1000 * float(v[1]), -1000 * float(v[0])), t, table.radius))
                self._note(t, "pocket", ball=ids[0], pocket=pocket.name)
            elif kind.startswith("rolling_"):
                x, y = _place(table, event.agents[0].final.state.rvw[0])
                self._note(t, "stop", ball=ids[0], at=[round(x, 2), round(y, 2)])

    def _note(self, t: float, kind: str, **fields: Any) -> None:
        self._events.append({"t": t, "type": kind, **fields})

    @property
    def end(self) -> float:
        """When the last of it happens."""
        return max((e["t"] for e in self._events), default=self._start)

    def at(self, ball: str, t: float) -> Motion | None:
        """A ball's motion at a moment, None when it has fallen."""
        from pooltool.physics.evolve import evolve_ball_motion

        if self._system is None:
            return self._balls[ball]
        if ball in self._falls and t >= self._falls[ball][0]:
            return None
        found = self._system.balls[ball]
        times = [state.t for state in found.history]
        k = max(0, int(np.searchsorted(times, t - self._start, side="right")) - 1)
        state, p = found.history[k], found.params
        rvw, _ = evolve_ball_motion(state.s, state.rvw, p.R, p.m, p.u_s, p.u_sp, p.u_r, p.g, max(0.0, t - self._start - state.t))
        place = np.array([*_place(self._course.table, rvw[0]), self._course.table.radius])
        return Motion(place, 1000 * _turned(rvw[1]), _turned(rvw[2]))

    def keep(self, until: float) -> None:
        """Make it the course's own up to a moment."""
        course = self._course
        course.events += [e for e in self._events if e["t"] <= until]
        for ball, rows in self._rows.items():
            course._rows[ball] += [row for row in rows if row[0] <= until]
            motion = self.at(ball, min(until, self.end + 1.0))
            if motion is None:
                course.remove(ball, self._falls[ball][1])
            else:
                course.motion[ball] = motion
        course.now = max(course.now, min(until, self.end))


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


def _simulated(table: Table, motions: Mapping[str, Motion], cloth: Cloth, damp: Mapping[str, float]) -> Any:
    import pooltool as pt
    from pooltool.objects.ball.datatypes import BallState

    balls = {}
    for name, motion in motions.items():
        x, y, _ = motion.place
        ball = pt.Ball.create(
            name, xy=((table.width - y) / 1000, x / 1000), R=table.radius / 1000, m=cloth.mass, u_s=cloth.slide,
            u_r=damp.get(name, cloth.roll), u_sp_proportionality=cloth.spin, u_b=cloth.ball_friction,
            e_b=cloth.ball_restitution, e_c=cloth.cushion_restitution, f_c=cloth.cushion_friction,
        )  # fmt: skip
        if motion.velocity.any() or motion.spin.any():
            sliding = float(np.hypot(*motion.slip(table.radius))) > _NO_SLIP
            v, w = _unturned(motion.velocity) / 1000, _unturned(motion.spin)
            still = not motion.velocity.any() and not sliding
            ball.state = BallState(np.array([ball.state.rvw[0], v, w]), 1 if still else _SLIDING if sliding else _ROLLING, 0.0)
        balls[name] = ball
    system = pt.System(cue=pt.Cue(cue_ball_id=next(iter(balls))), table=_pooltool_table(table).copy(), balls=balls)
    try:
        pt.simulate(system, engine=_engine(), inplace=True, max_events=_MOST_EVENTS)
    except (AssertionError, ValueError, IndexError, ZeroDivisionError) as error:
        raise SimulationFailed(f"physics broke off: {error or type(error).__name__}") from error
    if len(system.events) >= _MOST_EVENTS:
        raise SimulationFailed("physics broke off: balls go on touching without end")
    return system


def _place(table: Table, place: np.ndarray) -> Point:
    return (1000 * float(place[1]), table.width - 1000 * float(place[0]))


def _turned(v: np.ndarray) -> np.ndarray:
    """A vector of pooltool's frame in ours."""
    return np.array([v[1], -v[0], v[2]])


def _unturned(v: np.ndarray) -> np.ndarray:
    return np.array([-v[1], v[0], v[2]])


def _cushion_event(t: float, ids: tuple[str, ...]) -> Event:
    segment = ids[1].removesuffix("t")
    if ids[1] in _CUSHION_NAMES:
        return {"t": t, "type": "cushion", "ball": ids[0], "cushion": _CUSHION_NAMES[ids[1]]}
    pocket, cushion = _JAW_NAMES[segment]
    return {"t": t, "type": "jaw", "ball": ids[0], "pocket": pocket, "cushion": cushion}


def _row(table: Table, state: Any, params: Any, start: float) -> Row:
    """A piece of a path from a state; the acceleration is that of sliding or rolling friction."""
    r, v, w = state.rvw
    pull = np.zeros(3)
    if state.s == _SLIDING:
        slip = np.array([v[0] - params.R * w[1], v[1] + params.R * w[0]])
        if (size := float(np.linalg.norm(slip))) > 0:
            pull[:2] = -params.u_s * params.g * slip / size
    elif state.s == _ROLLING and (size := float(np.linalg.norm(v[:2]))) > 0:
        pull[:2] = -params.u_r * params.g * v[:2] / size
    speed = v if state.s in (_SLIDING, _ROLLING) else np.zeros(3)
    place = np.array([*_place(table, r), table.radius])
    return (start + float(state.t), place, 1000 * _turned(speed), 1000 * _turned(pull))


def _path(rows: list[Row], fall: Air | None) -> Path:
    kept = [row for i, row in enumerate(rows) if i + 1 == len(rows) or rows[i + 1][0] > row[0]]
    t, r, v, a = (np.array(column, float) for column in zip(*kept, strict=True))
    return Path(t, r, v, a, fall)
