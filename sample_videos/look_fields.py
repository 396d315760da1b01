"""Fields of a look in a scenario, checked: whoever mistypes one is told which, and what was expected."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields, replace
from typing import Any

from sample_videos.render.look import BALLS, CLOTHS, FLOORS, PATTERNS, POCKET_STYLES, Lamp, Look
from sample_videos.strokes import ScenarioError

_CHOICES = {"pockets": POCKET_STYLES, "floor": FLOORS}
_MOST = 5000.0


def seed_of(options: dict[str, Any], where: str) -> int | None:
    """Takes `seed` out of the options; None if there is none.

    Raises:
        ScenarioError: it is no whole number from 0.
    """
    value = options.pop("seed", None)
    if value is None or (isinstance(value, int) and not isinstance(value, bool) and value >= 0):
        return value
    raise ScenarioError(f"{where}: field seed: expected a whole number from 0, got {value!r}")


def read_look(options: Mapping[str, Any], look: Look, name: str) -> Look:
    """The look with the fields of `options`; `cloth` may also be one of the names of `render.look.CLOTHS`.

    Raises:
        ScenarioError: a field is unknown, or its value is not of its kind.
    """
    plain = {f.name: f.default for f in fields(Look)}
    changed = {}
    for key, value in options.items():
        where = f"{name}: field look.{key}"
        if key not in plain:
            raise ScenarioError(f"{where}: expected seed or one of {', '.join(sorted(plain))}")
        changed[key] = _value(key, value, plain[key], where)
    return replace(look, **changed)


def _value(key: str, value: Any, usual: Any, where: str) -> Any:
    if key in ("balls", "patterns", "lamps", "prints"):
        return {"balls": _balls, "patterns": _patterns, "lamps": _lamps, "prints": _prints}[key](value, where)
    if key in _CHOICES:
        if value not in _CHOICES[key]:
            raise ScenarioError(f"{where}: expected one of {', '.join(_CHOICES[key])}, got {value!r}")
        return value
    if isinstance(usual, tuple) or usual is None or usual is MISSING:
        return CLOTHS[value] if key == "cloth" and isinstance(value, str) and value in CLOTHS else _colour(key, value, where)
    if isinstance(usual, bool):
        if not isinstance(value, bool):
            raise ScenarioError(f"{where}: expected true or false, got {value!r}")
        return value
    if isinstance(value, bool) or not isinstance(value, int if isinstance(usual, int) else int | float) or not 0 <= value <= _MOST:
        number = "a whole number" if isinstance(usual, int) else "a number"
        raise ScenarioError(f"{where}: expected {number} from 0 to {_MOST:g}, got {value!r}")
    return value


def _colour(key: str, value: Any, where: str) -> tuple[float, float, float]:
    if isinstance(value, list) and len(value) == 3 and all(isinstance(v, int | float) and 0 <= v <= 3 for v in value):
        return float(value[0]), float(value[1]), float(value[2])
    named = f", or one of {', '.join(CLOTHS)}" if key == "cloth" else ""
    raise ScenarioError(f"{where}: expected [red, green, blue] from 0 to 1{named}, got {value!r}")


def _balls(value: Any, where: str) -> dict[str, tuple[float, float, float]]:
    if not isinstance(value, dict) or not set(value) <= set(BALLS):
        raise ScenarioError(f"{where}: expected a table of ball = [red, green, blue] for some of {', '.join(BALLS)}, got {value!r}")
    return {ball: _colour("balls", colour, f"{where}.{ball}") for ball, colour in value.items()}


def _patterns(value: Any, where: str) -> dict[str, str]:
    if not isinstance(value, dict) or not set(value) <= set(BALLS) or not all(p in PATTERNS for p in value.values()):
        raise ScenarioError(f"{where}: expected a table of ball = one of {', '.join(PATTERNS)}, got {value!r}")
    return dict(value)


def _lamps(value: Any, where: str) -> tuple[Lamp, ...]:
    rows: list[Any] = value if isinstance(value, list) else [None]
    if not rows or not all(isinstance(r, list) and len(r) == 6 and all(isinstance(v, int | float) for v in r) and r[2] > 0 for r in rows):
        raise ScenarioError(f"{where}: expected [[x, y, z, half length, half width, share of the light], …] in mm, got {value!r}")
    return tuple(Lamp((r[0], r[1], r[2]), (r[3], r[4]), r[5]) for r in rows)


def _prints(value: Any, where: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(text, str) and text.isascii() for text in value):
        raise ScenarioError(f"{where}: expected a list of texts in Latin letters, got {value!r}")
    return tuple(value)
