"""Scenarios: which strokes are filmed, on which table, by which camera, in which light. A TOML file:

[video]
name = "evening"            # of the files; default: the scenario's file name
table = "pyramid-12ft"
fps = "60"                  # or "60000/1001", "30", …
size = [1920, 1080]
shutter = 0.5               # share of the frame time that the shutter is open
crf = 24
[timing]                    # seconds, see match.Timing
aim = 2.6
[cloth]                     # frictions and restitutions, see physics.Cloth
roll = 0.0095
[hall]                      # table, light, camera and broadcaster that belong together, drawn at random; what follows overrides it
seed = 3
kind = "club"               # or "broadcast", "phone"; left out: drawn
[camera]                    # see render.overhead_camera
above = 2800.0              # or seed = N for a height, a tilt and a lens drawn at random
tilt = 0.0
[look]                      # fields of render.Look, or seed = N for a look drawn at random
noise = 1.0
[sensor]                    # fields of render.Sensor, or seed = N for one drawn at random
readout = 0.008
flicker = 0.1
[overlay]                   # what a broadcaster lays over the picture
parts = ["scoreboard", "logo", "ticker"]
seed = 3
[between]                   # seed = N: what happens between strokes is drawn at random, besides what is asked for
seed = 1
[[thing]]                   # lies there all the time: chalk, phone, glass on the rail near `at`
kind = "phone"
at = [900, 0]
[[spare]]                   # a ball that is not in play: on the rail near `at`, or in the net of `pocket`
ball = "white"
pocket = "foot-left"
[[stroke]]                  # as in strokes.py, and player = 0 or 1; or use = "NAME" of the library
before = []                 # what happens before it, see between.py
shift = { yellow = [30, 0] }  # the ball is put so many mm beside its placing, and played from there
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from importlib import resources
from math import radians
from pathlib import Path
from typing import Any

import numpy as np

from calibration.table import BALLS, KINDS, POCKETS, Point, table
from sample_videos.between import Action, random_actions, read_action
from sample_videos.match import Timing
from sample_videos.path import IN_NET
from sample_videos.physics import Cloth
from sample_videos.record import Film
from sample_videos.strokes import ScenarioError, Stroke, library, read_stroke
from sample_videos.visitors import THINGS, Thing, on_rail


@dataclass(frozen=True, slots=True)
class Scenario:
    """Everything that a filmed scenario needs, checked."""

    name: str
    strokes: tuple[Stroke, ...]
    players: tuple[int, ...]
    table: str = "pyramid-12ft"
    size: tuple[int, int] = (1920, 1080)
    film: Film = field(default_factory=Film)
    timing: Timing = field(default_factory=Timing)
    cloth: Cloth = field(default_factory=Cloth)
    hall: Mapping[str, Any] = field(default_factory=dict)
    camera: Mapping[str, Any] = field(default_factory=dict)
    look: Mapping[str, Any] = field(default_factory=dict)
    sensor: Mapping[str, Any] = field(default_factory=dict)
    overlay: Mapping[str, Any] = field(default_factory=dict)
    between: tuple[tuple[Action, ...], ...] = ()
    things: tuple[Thing, ...] = ()
    spares: Mapping[str, tuple[float, float, float]] = field(default_factory=dict)


def load(scenario: str) -> Scenario:
    """The scenario of a name or of a TOML file.

    Raises:
        ScenarioError: neither a known name nor a readable file, or a field is wrong.
    """
    if scenario == "match":
        text = resources.files("sample_videos").joinpath("sample_match.toml").read_text(encoding="utf-8")
        return parse(text, "sample_match")
    if scenario in library():
        return Scenario(scenario, (library()[scenario],), (0,))
    path = Path(scenario)
    if not path.is_file():
        raise ScenarioError(f"scenario {scenario!r}: expected a TOML file, or a name that `poedinok simulate list` shows")
    try:
        return parse(path.read_text(encoding="utf-8"), path.stem)
    except (OSError, UnicodeDecodeError) as error:
        raise ScenarioError(f"{path}: cannot be read: {error}") from error


def parse(text: str, name: str) -> Scenario:
    """A scenario from the text of a TOML file; `name` is used where the text gives none.

    Raises:
        ScenarioError: the text is no such scenario.
    """
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ScenarioError(f"{name}: not TOML: {error}") from error
    if unknown := sorted(set(raw) - set(_TABLES)):
        raise ScenarioError(f"{name}: unknown table [{unknown[0]}]: expected {', '.join(_TABLES)}")
    video = _table(raw, "video", name)
    kind = video.get("table", "pyramid-12ft")
    if kind not in KINDS:
        raise ScenarioError(f"{name}: field video.table: expected one of {', '.join(KINDS)}, got {kind!r}")
    strokes, players, between = _strokes(raw, kind, name)
    return Scenario(
        name=str(video.get("name", name)),
        strokes=strokes,
        players=players,
        table=kind,
        size=_size(video.get("size", [1920, 1080]), name),
        film=_film(video, name),
        timing=replace(Timing(), **_numbers(raw, "timing", name, Timing, 0, 60)),
        cloth=replace(Cloth(), **_numbers(raw, "cloth", name, Cloth, 1e-4, 2)),
        hall=_table(raw, "hall", name),
        camera=_table(raw, "camera", name),
        look=_table(raw, "look", name),
        sensor=_table(raw, "sensor", name),
        overlay=_table(raw, "overlay", name),
        between=between,
        things=tuple(_thing(row, kind, f"{name}: thing {i}") for i, row in enumerate(_rows(raw, "thing", name), 1)),
        spares=_spares(_rows(raw, "spare", name), kind, name),
    )


_TABLES = ("video", "timing", "cloth", "hall", "camera", "look", "sensor", "overlay", "between", "thing", "spare", "stroke")


def _rows(raw: Mapping[str, Any], key: str, name: str) -> list[dict[str, Any]]:
    rows = raw.get(key, [])
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise ScenarioError(f"{name}: expected tables [[{key}]]")
    return rows


def _pair(value: Any, where: str) -> Point:
    if not (isinstance(value, list) and len(value) == 2 and all(isinstance(v, int | float) for v in value)):
        raise ScenarioError(f"{where}: expected [x, y] in mm, got {value!r}")
    return float(value[0]), float(value[1])


def _thing(row: Mapping[str, Any], kind: str, where: str) -> Thing:
    if row.get("kind") not in THINGS:
        raise ScenarioError(f"{where}: field kind: expected one of {', '.join(THINGS)}, got {row.get('kind')!r}")
    turn = row.get("turn", 0)
    if not isinstance(turn, int | float):
        raise ScenarioError(f"{where}: field turn: expected degrees, got {turn!r}")
    return Thing(row["kind"], on_rail(table(kind), _pair(row.get("at"), f"{where}: field at")), radians(turn))


def _spares(rows: list[dict[str, Any]], kind: str, name: str) -> dict[str, tuple[float, float, float]]:
    found: dict[str, tuple[float, float, float]] = {}
    place = table(kind)
    for i, row in enumerate(rows, 1):
        where = f"{name}: spare {i}"
        if row.get("ball") not in BALLS:
            raise ScenarioError(f"{where}: field ball: expected one of {', '.join(BALLS)}, got {row.get('ball')!r}")
        if "pocket" in row:
            if row["pocket"] not in [p.name for p in place.pockets]:
                raise ScenarioError(f"{where}: field pocket: expected one of {', '.join(POCKETS)}, got {row['pocket']!r}")
            at = (*place.pocket(row["pocket"]).centre, IN_NET)
        else:
            x, y, z = on_rail(place, _pair(row.get("at"), f"{where}: field at"))
            at = (x, y, z + place.radius)
        found[f"{row['ball']}#{i + 1}"] = at
    return found


def _table(raw: Mapping[str, Any], key: str, name: str) -> dict[str, Any]:
    value = raw.get(key, {})
    if not isinstance(value, dict):
        raise ScenarioError(f"{name}: expected a table [{key}]")
    return value


def _numbers(raw: Mapping[str, Any], key: str, name: str, kind: type, low: float, high: float) -> dict[str, float]:
    known = {f.name for f in fields(kind)}
    values = _table(raw, key, name)
    for field_name, value in values.items():
        if field_name not in known:
            raise ScenarioError(f"{name}: field {key}.{field_name}: expected one of {', '.join(sorted(known))}")
        if not isinstance(value, int | float) or isinstance(value, bool) or not low <= value <= high:
            raise ScenarioError(f"{name}: field {key}.{field_name}: expected a number from {low:g} to {high:g}, got {value!r}")
    return values


def _strokes(raw: Mapping[str, Any], kind: str, name: str) -> tuple[tuple[Stroke, ...], tuple[int, ...], tuple[tuple[Action, ...], ...]]:
    """The strokes, who plays them, and what happens before each."""
    rows, seed = _rows(raw, "stroke", name), _table(raw, "between", name).get("seed")
    if not rows:
        raise ScenarioError(f"{name}: expected at least one [[stroke]]")
    if set(_table(raw, "between", name)) - {"seed"} or not isinstance(seed, int | None):
        raise ScenarioError(f"{name}: [between]: expected seed = a whole number")
    rng = None if seed is None else np.random.default_rng(seed)
    strokes, players, between = [], [], []
    for i, row in enumerate(rows, 1):
        where = f"{name}: stroke {i}"
        player = row.get("player", 0)
        if player not in (0, 1):
            raise ScenarioError(f"{where}: field player: expected 0 or 1, got {player!r}")
        actions = row.get("before", [])
        if not isinstance(actions, list):
            raise ScenarioError(f"{where}: field before: expected a list of tables, got {actions!r}")
        between.append((*(random_actions(rng, table(kind)) if rng else ()), *(read_action(action, where) for action in actions)))
        strokes.append(_shifted(_stroke(row, where), row.get("shift", {}), where))
        players.append(int(player))
    return tuple(strokes), tuple(players), tuple(between)


def _stroke(row: Mapping[str, Any], where: str) -> Stroke:
    row = {key: value for key, value in row.items() if key not in ("player", "before", "shift")}
    if "use" not in row:
        return read_stroke(row, where)
    if row["use"] not in library():
        raise ScenarioError(f"{where}: field use: expected a stroke of the library, got {row['use']!r}")
    return library()[row["use"]]


def _shifted(stroke: Stroke, shift: Any, where: str) -> Stroke:
    if not isinstance(shift, dict) or (unknown := set(shift) - set(stroke.placing)):
        raise ScenarioError(
            f"{where}: field shift: expected balls of the placing = [x, y] in mm, got {shift if not isinstance(shift, dict) else unknown!r}"
        )
    by = {ball: _pair(value, f"{where}: field shift.{ball}") for ball, value in shift.items()}
    return replace(stroke, placing={b: (p[0] + by.get(b, (0, 0))[0], p[1] + by.get(b, (0, 0))[1]) for b, p in stroke.placing.items()})


def _size(raw: Any, name: str) -> tuple[int, int]:
    ok = isinstance(raw, list) and len(raw) == 2 and all(isinstance(v, int) and 64 <= v <= 7680 and v % 2 == 0 for v in raw)
    if not ok:
        raise ScenarioError(f"{name}: field video.size: expected [width, height] in even pixels, got {raw!r}")
    return raw[0], raw[1]


def frame_rate(raw: Any, where: str) -> Fraction:
    """Frames per second of a text or number such as 60, "30000/1001".

    Raises:
        ScenarioError: it is none, or not between 1 and 1000.
    """
    try:
        rate = Fraction(str(raw)).limit_denominator(1001)
    except (ValueError, ZeroDivisionError):
        rate = Fraction(0)
    if not 1 <= rate <= 1000:
        raise ScenarioError(f"{where}: expected frames per second such as 60 or 30000/1001, got {raw!r}")
    return rate


def _film(video: Mapping[str, Any], name: str) -> Film:
    film = Film()
    if "fps" in video:
        film = replace(film, fps=frame_rate(video["fps"], f"{name}: field video.fps"))
    shutter, crf = video.get("shutter", film.shutter), video.get("crf", film.crf)
    if not isinstance(shutter, int | float) or not 0.01 <= shutter <= 1:
        raise ScenarioError(f"{name}: field video.shutter: expected a number from 0.01 to 1, got {shutter!r}")
    if not isinstance(crf, int) or not 0 <= crf <= 51:
        raise ScenarioError(f"{name}: field video.crf: expected a whole number from 0 to 51, got {crf!r}")
    return replace(film, shutter=float(shutter), crf=crf)
