"""What recipes are made of: a draw of places and aims, words for the call, and questions about what happened."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import cos, pi, radians, sin
from typing import Any

import numpy as np

from calibration.table import Point, Table
from sample_videos import search
from sample_videos.physics import SimulatedShot

Draw = Callable[[np.random.Generator, Table], Iterator[SimulatedShot]]
Wanted = Callable[[SimulatedShot], bool]


@dataclass(frozen=True, slots=True)
class Recipe:
    """How to find a stroke; `call` may be a function of the stroke found."""

    name: str
    kind: str
    about: str
    draw: Draw
    wanted: Wanted
    call: str | Callable[[SimulatedShot], str] | None = None
    more: Mapping[str, Any] | None = None


RECIPES: dict[str, Recipe] = {}


def recipe(
    name: str, kind: str, about: str, wanted: Wanted, call: str | Callable[[SimulatedShot], str] | None = None, **more: Any
) -> Callable[[Draw], Draw]:
    def add(draw: Draw) -> Draw:
        RECIPES[name] = Recipe(name, kind, about, draw, wanted, call, more)
        return draw

    return add


_POCKET_WORDS = {
    "foot-left": "левый дальний угол", "foot-right": "правый дальний угол", "home-left": "левый ближний угол",
    "home-right": "правый ближний угол", "middle-left": "левую середину", "middle-right": "правую середину",
}  # fmt: skip
_BALL_WORDS = {"yellow": "жёлтый", "white": "белый", "red": "красный", "black": "чёрный"}
_OFF = {0: "", 1: " от борта", 2: " от двух бортов", 3: " от трёх бортов"}


def pot_call(ball: str, how: str = "") -> Callable[[SimulatedShot], str]:
    """«жёлтый от двух бортов в левый дальний угол», with the cushions that were made."""

    def words(shot: SimulatedShot) -> str:
        pocket = shot.pot(ball) or "foot-left"
        name = "свой" if ball == shot.strike.cue_ball else _BALL_WORDS[ball]
        return f"{name}{how or _OFF[min(3, len(reflections(shot, ball)))]} в {_POCKET_WORDS[pocket]}"

    return words


def reflections(shot: SimulatedShot, ball: str) -> list[str]:
    """The cushions that a ball met before it fell or stopped."""
    return [e["cushion"] for e in shot.of("cushion", ball)]


def jaws(shot: SimulatedShot, ball: str) -> list[str]:
    return [e["pocket"] for e in shot.of("jaw", ball)]


def pairs(shot: SimulatedShot) -> list[frozenset[str]]:
    return [pair for _, pair in shot.contacts()]


def first(shot: SimulatedShot) -> frozenset[str]:
    return next((pair for pair in pairs(shot) if shot.strike.cue_ball in pair), frozenset())


def potted(shot: SimulatedShot) -> list[str]:
    return [e["ball"] for e in shot.of("pocket")]


def met(*balls: str) -> frozenset[str]:
    return frozenset(balls)


WY, WR, WB, YB, YR = met("white", "yellow"), met("white", "red"), met("white", "black"), met("yellow", "black"), met("yellow", "red")


def only(shot: SimulatedShot, *wanted: frozenset[str]) -> bool:
    return pairs(shot) == list(wanted)


def adjoins(pocket: str, cushion: str) -> bool:
    return cushion in pocket.split("-")


def inside(t: Table, place: Point, margin: float = 40.0) -> bool:
    """Whether a place is on the table, so far from the cushions."""
    return margin < place[0] < t.length - margin and margin < place[1] < t.width - margin


def near(rng: np.random.Generator, place: Point, low: float, high: float) -> Point:
    """A place at a distance between `low` and `high` in any direction."""
    turn, gap = float(rng.uniform(-pi, pi)), float(rng.uniform(low, high))
    return (place[0] + gap * cos(turn), place[1] + gap * sin(turn))


def short(shot: SimulatedShot, seconds: float = 7.5) -> bool:
    return shot.duration < seconds


def straight(shot: SimulatedShot, ball: str) -> bool:
    return not reflections(shot, ball) and ball in potted(shot) and len([p for p in pairs(shot) if ball in p]) == 1


def places(rng: np.random.Generator, t: Table, **fixed: Point | None) -> dict[str, Point]:
    """Red and black on their spots, white and yellow anywhere, unless told otherwise (None: anywhere)."""
    given: dict[str, Point | None] = {"white": None, "yellow": None, "red": t.spots["home"], "black": t.spots["centre"]}
    return search.spots(rng, t, {**given, **fixed})


def beside(p: Point, q: Point, gap: float) -> Point:
    """The place at distance `gap` from p on the line from q through p, behind p."""
    away = search.heading_to(q, p)
    return (p[0] + gap * cos(away), p[1] + gap * sin(away))


def facing(rng: np.random.Generator, t: Table, pocket: str, near: float = 200.0, far: float = 1100.0, degrees: float = 18.0) -> Point:
    """A place from which the pocket is open: within `degrees` of its axis, between `near` and `far` mm off."""
    mouth = t.pocket(pocket)
    a, b = mouth.jaws[0].tip, mouth.jaws[1].tip
    out = search.heading_to(mouth.centre, ((a[0] + b[0]) / 2, (a[1] + b[1]) / 2)) + radians(float(rng.uniform(-degrees, degrees)))
    gap = float(rng.uniform(near, far))
    x, y = mouth.centre[0] + gap * cos(out), mouth.centre[1] + gap * sin(out)
    return (min(max(x, 45.0), t.length - 45.0), min(max(y, 45.0), t.width - 45.0))


def spin(rng: np.random.Generator) -> dict[str, float]:
    return {"follow": float(rng.uniform(-0.2, 0.4)), "side": float(rng.choice([0, 0, rng.uniform(-0.25, 0.25)]))}


def speed(rng: np.random.Generator, low: float, high: float) -> float:
    return float(rng.uniform(low, high))


def any_pocket(rng: np.random.Generator, kind: str = "any") -> str:
    names = {"corner": ["foot-left", "foot-right", "home-left", "home-right"], "middle": ["middle-left", "middle-right"]}
    return str(rng.choice(names.get(kind, names["corner"] + names["middle"])))


def aimed(
    rng: np.random.Generator, t: Table, placing: dict[str, Point], cue: str, ball: str, low: float, high: float, **more: Any
) -> Iterator[SimulatedShot]:
    """Strokes with random headings that meet a ball."""
    a, b = search.window(t, placing[cue], placing[ball])
    shot = search.player(t, placing, cue, speed(rng, low, high), **{**spin(rng), **more})(float(rng.uniform(a, b)))
    if shot:
        yield shot


def blind(
    rng: np.random.Generator, t: Table, placing: dict[str, Point], cue: str, low: float, high: float, **more: float
) -> Iterator[SimulatedShot]:
    shot = search.player(t, placing, cue, speed(rng, low, high), **{**spin(rng), **more})(float(rng.uniform(-pi, pi)))
    if shot:
        yield shot
