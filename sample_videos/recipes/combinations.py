"""Balls driven in by, or going in off, a third ball."""

from __future__ import annotations

from collections.abc import Iterator
from math import cos, hypot, sin

import numpy as np

from calibration.table import Table
from sample_videos import search
from sample_videos.physics import SimulatedShot
from sample_videos.recipes.base import (
    WB,
    WR,
    WY,
    YB,
    YR,
    any_pocket,
    beside,
    facing,
    inside,
    only,
    pairs,
    places,
    pot_call,
    potted,
    recipe,
    reflections,
    short,
    speed,
    spin,
)


def chained(rng: np.random.Generator, t: Table, cue: str, by: str, ball: str) -> Iterator[SimulatedShot]:
    """cue -> by -> ball -> pocket: `by` lies near the line behind `ball`."""
    pocket = any_pocket(rng)
    target = t.pocket(pocket).centre
    placing = places(rng, t, **{"red": None, "black": None, ball: facing(rng, t, pocket)})
    place = placing[ball]
    ghost = beside(place, target, float(rng.uniform(72, 300)))
    placing[by] = (ghost[0] + float(rng.normal(0, 3)), ghost[1] + float(rng.normal(0, 3)))
    names = list(placing)
    if any(hypot(placing[a][0] - placing[b][0], placing[a][1] - placing[b][1]) < 69 for i, a in enumerate(names) for b in names[:i]):
        return
    if not all(40 < placing[b][0] < t.length - 40 and 40 < placing[b][1] < t.width - 40 for b in names):
        return
    bracket = search.driven(t, {b: p for b, p in placing.items() if b != ball}, cue, by, place, 8)
    if bracket:
        play = search.player(t, placing, cue, speed(rng, 1400, 2800), **spin(rng))
        yield from search.solutions(play, search.leg_after("contact", ball, target=target), *bracket, 8, largest=2000)


@recipe(
    "combination-red-by-white",
    "combination",
    "yellow drives white, white drives red into a pocket, as called",
    lambda s: only(s, WY, WR) and "red" in potted(s) and not reflections(s, "red") and short(s),
    pot_call("red", " белым"),
)
def _red_by_white(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from chained(rng, t, "yellow", "white", "red")


@recipe(
    "combination-yellow-by-black",
    "combination",
    "white drives black, black drives yellow into a pocket, as called",
    lambda s: only(s, WB, YB) and "yellow" in potted(s) and not reflections(s, "yellow") and short(s),
    pot_call("yellow", " чёрным"),
)
def _yellow_by_black(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from chained(rng, t, "white", "black", "yellow")


@recipe(
    "combination-black-by-yellow",
    "combination",
    "white drives yellow, yellow drives black into a pocket, as called",
    lambda s: only(s, WY, YB) and "black" in potted(s) and not reflections(s, "black") and short(s),
    pot_call("black", " жёлтым"),
)
def _black_by_yellow(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from chained(rng, t, "white", "yellow", "black")


@recipe(
    "own-off-two",
    "combination",
    "yellow as cue ball goes in off white and red, as called",
    lambda s: only(s, WY, YR) and potted(s) == ["yellow"] and not reflections(s, "yellow") and short(s),
    pot_call("yellow", " от двух шаров"),
)
def _own_off_two(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from off_two(rng, t)


def off_two(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    """Yellow runs off white past a pocket; red is laid on its way so that yellow goes in off it (rule 12.4 forbids it off black)."""
    placing = places(rng, t, red=None)
    del placing["red"]
    low, high = search.window(t, placing["yellow"], placing["white"])
    heading, fast, more = float(rng.uniform(low, high)), speed(rng, 1200, 2600), spin(rng)
    alone = search.player(t, placing, "yellow", fast, **more)(heading)
    if alone is None or pairs(alone) != [WY]:
        return
    met, path = alone.contacts()[0][0], alone.paths["yellow"]
    end = min((e["t"] for kind in ("cushion", "jaw", "stop") for e in alone.of(kind, "yellow") if e["t"] > met), default=met)
    for when in rng.uniform(met, end, 6):
        v, here = path.velocity(float(when)), (float(path.at(float(when))[0]), float(path.at(float(when))[1]))
        if float(np.hypot(*v)) < 350:
            continue
        for pocket in t.pockets:
            axis = search.approach(t, here, pocket.name)
            far = float(np.hypot(here[0] - pocket.centre[0], here[1] - pocket.centre[1]))
            if not 90 < far < 700 or axis > (16 if pocket.corner else 30):
                continue
            ahead = float(np.arctan2(v[1], v[0]))

            def play(turn: float, ahead: float = ahead, here: tuple[float, float] = here) -> SimulatedShot | None:
                """The stroke with red so that yellow meets it here, `turn` rad beside its way."""
                reach = t.ball + 0.05
                red = (here[0] + reach * float(np.cos(ahead + turn)), here[1] + reach * float(np.sin(ahead + turn)))
                if not inside(t, red, t.radius + 1):
                    return None
                return search.player(t, {**placing, "red": red}, "yellow", fast, **more)(heading)

            yield from search.solutions(play, search.leg_after("contact", "yellow", 2, target=pocket.centre), -1.35, 1.35, 19, largest=2500)


def deflected(rng: np.random.Generator, t: Table, ball: str, off: str) -> Iterator[SimulatedShot]:
    """`ball` meets `off` near a pocket and falls."""
    pocket = any_pocket(rng)
    target = t.pocket(pocket).centre
    out = search.heading_to(target, (t.length / 2, t.width / 2)) + float(rng.normal(0, 0.5))
    far = float(rng.uniform(130, 500))
    near = (target[0] + far * cos(out), target[1] + far * sin(out))
    if not (36 < near[0] < t.length - 36 and 36 < near[1] < t.width - 36):
        return
    placing = places(rng, t, red=None, **{off: near})
    low, high = search.window(t, placing["white"], placing["yellow"])
    play = search.player(t, placing, "white", speed(rng, 1200, 2600), **spin(rng))
    yield from search.solutions(play, search.leg_after("contact", ball, 2, target=target), low, high, 30, largest=2500)


@recipe(
    "yellow-off-black",
    "combination",
    "yellow goes in off black, as called",
    lambda s: only(s, WY, YB) and "yellow" in potted(s) and not reflections(s, "yellow") and short(s),
    pot_call("yellow", " от чёрного"),
)
def _yellow_off_black(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from deflected(rng, t, "yellow", "black")
