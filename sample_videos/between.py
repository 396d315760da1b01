"""What happens between two strokes, as scenarios ask for it. In TOML, before the stroke that follows:

    [[stroke]]
    before = [
        { do = "practice", swings = 3, near = 8 },              # the player swings, does not strike and stands up again
        { do = "cross", side = "home", lean = 300 },            # someone walks past outside the table, leaning over it by `lean` mm
        { do = "chalk", at = [900, 0] },                        # a hand leaves a chalk (phone, glass) on the rail near that place
        { do = "arm", at = [1775, 150] },                       # a spectator's arm over the table
        { do = "knock", ball = "red", by = [120, 40] },         # a hand pushes a ball away; it is carried back for the stroke
    ]
    shift = { yellow = [30.0, 0.0] }                            # a ball put down by so many mm beside its `placing`: spotted wrongly

An action takes `seconds`; with `after` it happens so many seconds after the strike before, while balls may roll. `person` 1 is
the other player. `[between] seed = N` draws actions for all strokes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from calibration.table import BALLS, CUSHIONS, Point, Table
from sample_videos.strokes import ScenarioError

KINDS = {"practice": 4.0, "cross": 3.0, "chalk": 2.0, "phone": 2.2, "glass": 2.2, "arm": 2.0, "knock": 2.0}  # kind -> usual seconds
_FIELDS = ("do", "seconds", "after", "person", "side", "far", "lean", "back", "swings", "near", "turn", "at", "ball", "by")


@dataclass(frozen=True, slots=True)
class Action:
    """One thing that happens between strokes; lengths mm, `turn` degrees (of the practice stroke, of the thing on the rail)."""

    do: str
    seconds: float
    after: float | None = None
    person: int = 0
    side: str = "home"
    far: float = 450.0
    lean: float = 0.0
    back: bool = False
    swings: int = 3
    near: float = 18.0
    turn: float = 0.0
    at: Point = (0.0, 0.0)
    ball: str = ""
    by: Point = (0.0, 0.0)


def _point(row: Mapping[str, Any], key: str, where: str) -> Point:
    value = row.get(key)
    if not (isinstance(value, list) and len(value) == 2 and all(isinstance(v, int | float) for v in value)):
        raise ScenarioError(f"{where}: field {key}: expected [x, y] in mm, got {value!r}")
    return float(value[0]), float(value[1])


def read_action(row: Any, where: str) -> Action:
    """An action from a table of TOML.

    Raises:
        ScenarioError: a field is missing, unknown or out of range.
    """
    if not isinstance(row, dict) or row.get("do") not in KINDS:
        raise ScenarioError(f"{where}: field before: expected {{ do = … }} with one of {', '.join(KINDS)}, got {row!r}")
    if unknown := sorted(set(row) - set(_FIELDS)):
        raise ScenarioError(f"{where}: unknown field before.{unknown[0]}: expected {', '.join(_FIELDS)}")
    do, values = row["do"], {key: value for key, value in row.items() if key not in ("at", "by")}
    limits = {"seconds": (0.8, 60), "after": (0, 60), "person": (0, 1), "far": (200, 3000), "lean": (0, 900), "swings": (1, 20),
              "near": (2, 200), "turn": (-180, 180)}  # fmt: skip
    for key, (low, high) in limits.items():
        if key in values and (not isinstance(values[key], int | float) or isinstance(values[key], bool) or not low <= values[key] <= high):
            raise ScenarioError(f"{where}: field before.{key}: expected a number from {low} to {high}, got {values[key]!r}")
    if values.get("side", "home") not in CUSHIONS:
        raise ScenarioError(f"{where}: field before.side: expected one of {', '.join(CUSHIONS)}, got {values['side']!r}")
    if do in ("chalk", "phone", "glass", "arm"):
        values["at"] = _point(row, "at", f"{where}: before")
    if do == "knock":
        values["by"] = _point(row, "by", f"{where}: before")
        if values.get("ball") not in BALLS:
            raise ScenarioError(f"{where}: field before.ball: expected one of {', '.join(BALLS)}, got {values.get('ball')!r}")
    return Action(**{"seconds": KINDS[do], **values})


def random_actions(rng: np.random.Generator, table: Table) -> tuple[Action, ...]:
    """What may happen before a stroke: mostly little."""
    found: list[Action] = []
    u = lambda low, high: float(rng.uniform(low, high))  # noqa: E731
    if rng.random() < 0.35:
        swings = int(rng.integers(1, 5))
        found.append(Action("practice", 1.8 + 0.7 * swings, swings=swings, near=u(4, 40), turn=u(-4, 4)))
    if rng.random() < 0.4:
        after = u(0.5, 4) if rng.random() < 0.5 else None
        side, lean = str(rng.choice(CUSHIONS)), u(0, 350) if rng.random() < 0.5 else 0.0
        found.append(Action("cross", u(2.0, 4.0), after, int(rng.integers(2)), side, u(320, 800), lean, bool(rng.random() < 0.5)))
    if rng.random() < 0.25:
        edge = (u(300, table.length - 300), -20.0 if rng.random() < 0.5 else table.width + 20.0)
        found.append(Action(str(rng.choice(["chalk", "phone", "glass"], p=[0.7, 0.2, 0.1])), 1.8, at=edge, turn=u(-90, 90)))
    if rng.random() < 0.2:
        y = u(60, 300)
        at = (u(300, table.length - 300), y if rng.random() < 0.5 else table.width - y)
        found.append(Action("arm", u(1.2, 3.0), u(0.5, 3) if rng.random() < 0.5 else None, int(rng.integers(2)), at=at))
    return tuple(found)
