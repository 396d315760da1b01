"""Strokes on a table, simulated: events with exact times, and every ball's path. Needs the `simulate` extra.

The frame of reference is that of the contracts (mm, s). What rolls is pooltool's (`course`); what flies is `flight`'s.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from calibration.table import Point, Table
from sample_videos.course import Cloth, Course, CoveredTable, Event, SimulationFailed, covered
from sample_videos.faults import Faults, Tip, hit_twice, push_through, strike_again, touch
from sample_videos.flight import fly
from sample_videos.path import Path, fall_into
from sample_videos.strike import Strike, struck

__all__ = [
    "Cloth", "CoveredTable", "Event", "Faults", "SimulatedShot", "SimulationFailed", "Strike", "available", "covered", "delayed_fall",
    "simulate",
]  # fmt: skip

Places = Mapping[str, Point | None]


@dataclass(frozen=True, slots=True, eq=False)
class SimulatedShot:
    """A stroke: contract events in order (`t` seconds after the strike), the paths, places before and after, its length in s.

    `tip` is the way of the cue's tip where it does not merely follow through: (s, mm along the heading from the first hit).
    """

    table: Table
    strike: Strike
    before: Mapping[str, Point]
    events: tuple[Event, ...]
    paths: Mapping[str, Path]
    after: Places
    duration: float
    cloth: Cloth = field(default_factory=Cloth)
    faults: Faults = field(default_factory=Faults)
    tip: Tip = ()
    damp: Mapping[str, float] = field(default_factory=dict)

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
    up: float = 0.0,
    cloth: Cloth | None = None,
    damp: Mapping[str, float] | None = None,
    faults: Faults | None = None,
) -> SimulatedShot:
    """Play one stroke.

    Args:
        table: table with the six pockets, or with none.
        placing: centres in mm of the balls on the table, with the ball that is struck among them.
        cue_ball, speed, heading, follow, side, up: see `Strike` (mm/s, radians).
        cloth: default: the table's (`CoveredTable`), else a worsted one.
        damp: rolling frictions of single balls, where they differ from the cloth's.
        faults: what goes wrong.

    Raises:
        SimulationFailed: the physics broke off, or a fault does not come about.
        ValueError: balls overlap or lie outside the table, or the cue ball is not placed.
    """
    strike, faults = Strike(cue_ball, speed, heading, follow, side, up), faults or Faults()
    shove = faults.touch
    course = begin(table, placing, cue_ball, cloth, damp, min(0.0, shove.at if shove else 0.0))
    if shove and shove.at < 0:
        touch(course, shove)
        if course.now > 0:
            raise SimulationFailed("the touch lasts until the strike")
        course.now = 0.0
    course.note(0.0, "strike", ball=cue_ball)
    tip: Tip = ()
    if faults.push:
        tip = push_through(course, strike, faults.push)
    else:
        course.motion[cue_ball] = struck(course, strike)
        if up:
            fly(course, cue_ball)
        if faults.double:
            tip = hit_twice(course, strike, faults.double)
    if shove and shove.at >= 0:
        touch(course, shove)
    if faults.again:
        strike_again(course, faults.again)
    course.roll()
    return replace(shot_of(course, strike), faults=faults, tip=tip)


def begin(
    table: Table, placing: Mapping[str, Point], cue_ball: str, cloth: Cloth | None, damp: Mapping[str, float] | None, start: float = 0.0
) -> Course:
    """A course with the balls at rest.

    Raises:
        ValueError: balls overlap or lie outside the table, or the cue ball is not placed.
    """
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
    return Course(table, placing, cue_ball, cloth, damp, start)


def shot_of(course: Course, strike: Strike) -> SimulatedShot:
    """The stroke that a course has become."""
    events, paths, after = course.finish()
    before = {ball: (float(p[0]), float(p[1])) for ball, path in paths.items() for p in [path.at(0.0)]}
    return SimulatedShot(
        course.table, strike, before, events, paths, after, max(course.now, *(e["t"] for e in events)), course.cloth, damp=course.damp
    )


def delayed_fall(shot: SimulatedShot, ball: str, pocket: str, delay: float) -> SimulatedShot:
    """The same stroke, in which a ball that stopped at the edge of `pocket` tips over `delay` seconds after its stop."""
    t = delay + max((e["t"] for e in shot.of("stop", ball)), default=0.0)  # from the strike if it did not move
    path = shot.paths[ball]
    fall = fall_into(shot.table.pocket(pocket), path.end or (0, 0), (0.0, 0.0), t, shot.table.radius)
    events = sorted([*shot.events, {"t": t, "type": "pocket", "ball": ball, "pocket": pocket}], key=lambda e: e["t"])
    paths = {**shot.paths, ball: replace(path, fall=fall)}
    return replace(shot, events=tuple(events), paths=paths, after={**shot.after, ball: None}, duration=max(shot.duration, t))
