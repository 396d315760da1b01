"""Named strokes: what is placed, how it is struck, what was called. The library is `strokes.toml`; scenarios may hold their own.

A stroke in TOML:

    [[stroke]]
    name = "straight-pot"
    kind = "clean"                                   # what is hard about it: one of KINDS
    about = "white drives yellow into a corner"
    call = "жёлтый в левый дальний угол"            # left out: nothing was said
    placing = { white = [500, 900], yellow = [2662.5, 887.5], red = [887.5, 887.5], black = [1775, 887.5] }
    cue_ball = "white"
    speed = 1574.2                                   # mm/s after the strike
    heading = 7.873                                  # degrees from +x towards +y
    follow = 0.38                                    # height and side of the tip's contact, in ball radii
    side = 0.0
    up = 0.0                                         # speed upwards in mm/s: a jump
    placement = "as_lies"                            # or in_hand, in_hand_house
    opening = false
    damp = { yellow = 0.06 }                         # rolling friction of single balls
    falls = { ball = "yellow", pocket = "foot-left", after = 1.4 }   # tips over so long after its stop in the jaws
    struck = "red"                                   # the ball that the cue strikes, where it is not the cue ball
    double = 0.5                                     # faults, see faults.py: the tip follows so fast and hits once more
    push = 0.08                                      # the tip stays on the cue ball for so many seconds
    touch = { ball = "red", at = 0.8, by = [9.0, -4.0], how = "sleeve" }
    again = { ball = "white", at = 2.1, speed = 900.0, heading = 12.0 }     # while another ball still rolls
    cloth = { roll = 0.009 }                         # frictions and restitutions, where they differ (physics.Cloth)
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import lru_cache
from importlib import resources
from math import radians
from typing import Any

from calibration.errors import UserError
from calibration.table import BALLS, POCKETS, Point, Table
from sample_videos.faults import Again, Faults, Touch
from sample_videos.physics import Cloth, SimulatedShot, delayed_fall, simulate

# what is hard to see or to judge in a stroke; `clean`: nothing
KINDS = (
    "clean", "opening", "busy", "bank", "carom", "combination", "thin", "near-miss", "close-order", "frozen", "corner-double", "rattle",
    "jaws", "late-fall", "knock-in", "jump", "off-table", "double-hit", "push", "touch", "wrong-ball", "rolling",
)  # fmt: skip
PLACEMENTS = ("as_lies", "in_hand", "in_hand_house")


class ScenarioError(UserError, ValueError):
    """A stroke or scenario that cannot be read; the message names the field and what was expected."""


@dataclass(frozen=True, slots=True)
class Fall:
    """A ball that tips over the edge of `pocket`, `after` seconds after it stopped there."""

    ball: str
    pocket: str
    after: float


@dataclass(frozen=True, slots=True)
class Stroke:
    """One stroke before it is played; `heading` in degrees, `speed` in mm/s."""

    name: str
    placing: Mapping[str, Point]
    cue_ball: str
    speed: float
    heading: float
    follow: float = 0.0
    side: float = 0.0
    up: float = 0.0
    call: str | None = None
    about: str = ""
    placement: str = "as_lies"
    opening: bool = False
    damp: Mapping[str, float] = field(default_factory=dict)
    falls: Fall | None = None
    kind: str = "clean"
    cloth: Cloth | None = None
    struck: str | None = None  # the ball that is struck, where it is not the cue ball
    faults: Faults = field(default_factory=Faults)

    @property
    def aimed(self) -> str:
        """The ball that the cue strikes."""
        return self.struck or self.cue_ball


def play(stroke: Stroke, table: Table, cloth: Cloth | None = None) -> SimulatedShot:
    """Simulate a stroke on its cloth, else on the given one (default: a worsted one).

    Raises:
        SimulationFailed: the physics broke off.
        ScenarioError: the placing is impossible.
    """
    cloth = stroke.cloth or cloth
    try:
        shot = simulate(
            table, stroke.placing, stroke.aimed, stroke.speed, radians(stroke.heading), follow=stroke.follow,
            side=stroke.side, up=stroke.up, damp=stroke.damp, cloth=cloth, faults=stroke.faults,
        )  # fmt: skip
    except ValueError as error:
        raise ScenarioError(f"stroke {stroke.name}: {error}") from error
    if stroke.falls is not None:
        if shot.after.get(stroke.falls.ball) is None:
            raise ScenarioError(f"stroke {stroke.name}: falls.ball {stroke.falls.ball} has already left the table")
        shot = delayed_fall(shot, stroke.falls.ball, stroke.falls.pocket, stroke.falls.after)
    return shot


def _number(row: Mapping[str, Any], key: str, where: str, low: float, high: float, default: float | None = None) -> float:
    value = row.get(key, default)
    if not isinstance(value, int | float) or isinstance(value, bool) or not low <= value <= high:
        raise ScenarioError(f"{where}: field {key}: expected a number from {low:g} to {high:g}, got {value!r}")
    return float(value)


def _choice(row: Mapping[str, Any], key: str, where: str, choices: tuple[str, ...], default: str | None = None) -> str:
    value = row.get(key, default)
    if value not in choices:
        raise ScenarioError(f"{where}: field {key}: expected one of {', '.join(choices)}, got {value!r}")
    return str(value)


def _placing(row: Mapping[str, Any], where: str) -> dict[str, Point]:
    raw = row.get("placing")
    if not isinstance(raw, dict) or not raw:
        raise ScenarioError(f"{where}: field placing: expected a table of ball = [x, y] in mm")
    placing: dict[str, Point] = {}
    for ball, place in raw.items():
        if ball not in BALLS:
            raise ScenarioError(f"{where}: field placing: expected balls among {', '.join(BALLS)}, got {ball!r}")
        if not (isinstance(place, list) and len(place) == 2 and all(isinstance(v, int | float) for v in place)):
            raise ScenarioError(f"{where}: field placing.{ball}: expected [x, y] in mm, got {place!r}")
        placing[ball] = (float(place[0]), float(place[1]))
    return placing


def _fall(raw: Any, where: str) -> Fall | None:
    if raw is None:
        return None
    if not isinstance(raw, dict):
        raise ScenarioError(f"{where}: field falls: expected {{ ball, pocket, after }}")
    return Fall(_choice(raw, "ball", where, BALLS), _choice(raw, "pocket", where, POCKETS), _number(raw, "after", where, 0, 30))


def _faults(row: Mapping[str, Any], where: str) -> Faults:
    shove, again = row.get("touch"), row.get("again")
    if shove is not None:
        by = shove.get("by") if isinstance(shove, dict) else None
        if not (isinstance(by, list) and len(by) == 2 and all(isinstance(v, int | float) for v in by)):
            raise ScenarioError(f"{where}: field touch: expected {{ ball, at, by = [x, y], how }}")
        how = _choice(shove, "how", where, ("hand", "sleeve", "cue"), "hand")
        shove = Touch(_choice(shove, "ball", where, BALLS), _number(shove, "at", where, -10, 60), (float(by[0]), float(by[1])), how)
    if again is not None:
        if not isinstance(again, dict):
            raise ScenarioError(f"{where}: field again: expected {{ ball, at, speed, heading, follow }}")
        again = Again(
            _choice(again, "ball", where, BALLS), _number(again, "at", where, 0, 60), _number(again, "speed", where, 1, 12000),
            _number(again, "heading", where, -720, 720), _number(again, "follow", where, -0.6, 0.6, 0.0),
        )  # fmt: skip
    return Faults(_number(row, "double", where, 0, 2, 0.0), _number(row, "push", where, 0, 1, 0.0), shove, again)


_FIELDS = {
    "name", "about", "call", "placing", "cue_ball", "speed", "heading", "follow", "side", "up", "placement", "opening", "damp", "falls",
    "kind", "cloth", "struck", "double", "push", "touch", "again",
}  # fmt: skip


def read_stroke(row: Any, where: str) -> Stroke:
    """A stroke from a table of TOML; `where` names it in messages.

    Raises:
        ScenarioError: a field is missing, unknown or out of range.
    """
    if not isinstance(row, dict):
        raise ScenarioError(f"{where}: expected a table of fields")
    if unknown := sorted(set(row) - _FIELDS):
        raise ScenarioError(f"{where}: unknown field {unknown[0]!r}: expected {', '.join(sorted(_FIELDS))}")
    call = row.get("call")
    if call is not None and not isinstance(call, str):
        raise ScenarioError(f"{where}: field call: expected a text, got {call!r}")
    placing = _placing(row, where)
    damp = row.get("damp", {})
    if not isinstance(damp, dict):
        raise ScenarioError(f"{where}: field damp: expected a table of ball = friction")
    cloth = row.get("cloth")
    known = [f.name for f in fields(Cloth)]
    if cloth is not None and not (isinstance(cloth, dict) and set(cloth) <= set(known)):
        raise ScenarioError(f"{where}: field cloth: expected a table of {', '.join(known)}")
    return Stroke(
        name=str(row.get("name", where)), about=str(row.get("about", "")), call=call, placing=placing,
        cue_ball=_choice(row, "cue_ball", where, tuple(placing), next((b for b in ("white", "yellow") if b in placing), None)),
        speed=_number(row, "speed", where, 1, 12000), heading=_number(row, "heading", where, -720, 720),
        follow=_number(row, "follow", where, -0.6, 0.6, 0.0), side=_number(row, "side", where, -0.6, 0.6, 0.0),
        up=_number(row, "up", where, 0, 4000, 0.0),
        placement=_choice(row, "placement", where, PLACEMENTS, "as_lies"), opening=bool(row.get("opening", False)),
        damp={ball: _number(damp, ball, where, 1e-4, 1) for ball in damp}, falls=_fall(row.get("falls"), where),
        kind=_choice(row, "kind", where, KINDS, "clean"), struck=_choice(row, "struck", where, BALLS) if "struck" in row else None,
        faults=_faults(row, where),
        cloth=None if cloth is None else Cloth(**{key: _number(cloth, key, where, 1e-4, 2) for key in cloth}),
    )  # fmt: skip


@lru_cache(maxsize=1)
def library() -> Mapping[str, Stroke]:
    """The named strokes that come with the package."""
    text = resources.files("sample_videos").joinpath("strokes.toml").read_text(encoding="utf-8")
    rows = tomllib.loads(text).get("stroke", [])
    strokes = [read_stroke(row, f"strokes.toml: stroke {i + 1}") for i, row in enumerate(rows)]
    return {stroke.name: stroke for stroke in strokes}
