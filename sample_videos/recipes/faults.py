"""Forbidden strokes, touched balls, wrong balls, and strokes while a ball still rolls."""

from __future__ import annotations

from collections.abc import Iterator
from math import degrees, hypot, pi

import numpy as np

from calibration.table import Point, Table
from sample_videos import search
from sample_videos.faults import Again, Faults, Touch
from sample_videos.physics import SimulatedShot
from sample_videos.recipes.base import (
    WB,
    WR,
    WY,
    aimed,
    any_pocket,
    facing,
    first,
    inside,
    near,
    only,
    pairs,
    places,
    potted,
    recipe,
    short,
    speed,
    spin,
    straight,
)
from sample_videos.recipes.pots import open_pot


def _in_front(rng: np.random.Generator, t: Table, low: float, high: float) -> tuple[dict[str, Point], float] | None:
    """Yellow lies so far (mm between the balls) before white; the heading is nearly that of the centres."""
    placing = places(rng, t)
    placing["yellow"] = near(rng, placing["white"], t.ball + low, t.ball + high)
    others = [p for b, p in placing.items() if b != "yellow"]
    if not inside(t, placing["yellow"], 60) or any(
        hypot(p[0] - placing["yellow"][0], p[1] - placing["yellow"][1]) < t.ball for p in others
    ):
        return None
    return placing, search.heading_to(placing["white"], placing["yellow"]) + float(rng.uniform(-0.25, 0.25))


def _faulty(rng: np.random.Generator, t: Table, low: float, high: float, faults: Faults, fast: float) -> Iterator[SimulatedShot]:
    if found := _in_front(rng, t, low, high):
        placing, heading = found
        if shot := search.player(t, placing, "white", fast, follow=float(rng.uniform(-0.2, 0.2)), faults=faults)(heading):
            yield shot


def _foul(kind: str):
    def wanted(s: SimulatedShot) -> bool:
        ok = first(s) == WY and WR not in pairs(s) and WB not in pairs(s) and len(s.of("cushion")) >= 1
        return ok and len(s.of(kind)) == 1 and not potted(s) and short(s, 9)

    return wanted


def _double(rng: np.random.Generator) -> Faults:
    return Faults(double=round(float(rng.uniform(0.38, 0.55)), 3))


def _push(rng: np.random.Generator) -> Faults:
    return Faults(push=round(float(rng.uniform(0.06, 0.14)), 3))


@recipe("double-hit-near", "double-hit", "the tip catches up with white behind yellow, which lay 1 to 5 cm ahead", _foul("double_hit"))
def _double_near(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from _faulty(rng, t, 10, 50, _double(rng), speed(rng, 900, 2200))


@recipe("double-hit-close", "double-hit", "the same where yellow lay less than a centimetre ahead", _foul("double_hit"))
def _double_close(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from _faulty(rng, t, 0.5, 8, _double(rng), speed(rng, 900, 2200))


@recipe("push-near", "push", "the tip stays on white through its contact with yellow, which lay 3 to 30 mm ahead", _foul("push"))
def _push_near(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from _faulty(rng, t, 3, 30, _push(rng), speed(rng, 500, 1300))


@recipe("push-frozen", "push", "white lies frozen to yellow and is pushed through it", _foul("push"))
def _push_frozen(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from _faulty(rng, t, 0.001, 0.002, _push(rng), speed(rng, 500, 1300))


def _before_pocket(rng: np.random.Generator, t: Table, faults: Faults, low: float, high: float, fast: float) -> Iterator[SimulatedShot]:
    """White so near behind yellow, both on the way to a pocket."""
    pocket = any_pocket(rng)
    target = t.pocket(pocket).centre
    yellow = facing(rng, t, pocket, 200, 700, 12)
    out = search.heading_to(target, yellow) + float(rng.normal(0, 0.08))
    gap = t.ball + float(rng.uniform(low, high))
    white = (yellow[0] + gap * np.cos(out), yellow[1] + gap * np.sin(out))
    placing = {**places(rng, t, white=white, yellow=yellow)}
    if not inside(t, white, 60):
        return
    play = search.player(t, placing, "white", fast, faults=faults)
    way = search.heading_to(white, yellow)
    yield from search.solutions(play, search.leg_after("contact", "yellow", target=target), way - 0.3, way + 0.3, 12)


def _potted_by(kind: str):
    return lambda s: len(s.of(kind)) == 1 and potted(s) == ["yellow"] and WR not in pairs(s) and WB not in pairs(s) and short(s, 9)


@recipe("double-hit-pot", "double-hit", "yellow falls, but white was hit twice", _potted_by("double_hit"))
def _double_pot(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from _before_pocket(rng, t, _double(rng), 5, 40, speed(rng, 1000, 2000))


@recipe("push-pot", "push", "yellow falls, but white was pushed", _potted_by("push"))
def _push_pot(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from _before_pocket(rng, t, _push(rng), 2, 20, speed(rng, 600, 1200))


def _shove(rng: np.random.Generator, ball: str, at: float, least: float, most: float, how: str) -> Faults:
    dx, dy = near(rng, (0.0, 0.0), least, most)
    return Faults(touch=Touch(ball, round(at, 3), (round(dx, 2), round(dy, 2)), how))


def _touched(s: SimulatedShot) -> bool:
    return (
        len(s.of("touch")) == 1 and first(s) == WY and WR not in pairs(s) and len(s.of("cushion")) >= 1 and not potted(s) and short(s, 10)
    )


@recipe("touch-before", "touch", "a hand shoves red while white is aimed at", _touched)
def _touch_before(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    faults = _shove(rng, "red", float(rng.uniform(-0.9, -0.6)), 6, 40, "hand")
    yield from aimed(rng, t, places(rng, t, red=None), "white", "yellow", 900, 2000, faults=faults)


@recipe("touch-during", "touch", "a sleeve shoves black while white and yellow roll", lambda s: _touched(s) and WB not in pairs(s))
def _touch_during(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    faults = _shove(rng, "black", float(rng.uniform(0.5, 1.5)), 6, 40, "sleeve")
    yield from aimed(rng, t, places(rng, t), "white", "yellow", 900, 2000, faults=faults)


def _after_rest(s: SimulatedShot) -> bool:
    ends = [e["t"] for e in s.of("stop") if e["ball"] != "red"]
    return _touched(s) and max(ends) < s.of("touch")[0]["t"] < max(ends) + 2.5


@recipe("touch-after", "touch", "a cue shoves red after all balls came to rest", _after_rest)
def _touch_after(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    faults = _shove(rng, "red", float(rng.uniform(4.0, 7.5)), 6, 30, "cue")
    yield from aimed(rng, t, places(rng, t), "white", "yellow", 900, 1800, faults=faults)


@recipe("touch-slight", "touch", "a hand moves red by 2 to 5 mm, no more", _touched)
def _touch_slight(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    faults = _shove(rng, "red", float(rng.uniform(0.4, 1.5)), 2, 5, "hand")
    yield from aimed(rng, t, places(rng, t), "white", "yellow", 900, 2000, faults=faults)


@recipe(
    "touch-pot",
    "touch",
    "yellow falls straight, but a sleeve touched red",
    lambda s: straight(s, "yellow") and only(s, WY) and len(s.of("touch")) == 1 and short(s, 9),
)
def _touch_pot(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    faults = _shove(rng, "red", float(rng.uniform(0.3, 1.2)), 5, 40, "sleeve")
    yield from open_pot(rng, t, "white", "yellow", any_pocket(rng), speed(rng, 1200, 2200), faults=faults)


@recipe(
    "wrong-ball-red",
    "wrong-ball",
    "red is struck though white is the cue ball",
    lambda s: pairs(s)[:1] == [frozenset(("red", "yellow"))] and not potted(s) and short(s, 9),
    cue_ball="white",
)
def _wrong_red(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from aimed(rng, t, places(rng, t), "red", "yellow", 900, 2000)


@recipe(
    "wrong-ball-yellow",
    "wrong-ball",
    "yellow is struck though white is the cue ball, and red falls",
    lambda s: straight(s, "red") and only(s, frozenset(("red", "yellow"))) and short(s, 9),
    cue_ball="white",
)
def _wrong_yellow(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from open_pot(rng, t, "yellow", "red", any_pocket(rng), speed(rng, 1200, 2200), **spin(rng))


@recipe(
    "wrong-ball-white",
    "wrong-ball",
    "white is struck though yellow is the cue ball",
    lambda s: only(s, WY) and not potted(s) and len(s.of("cushion")) >= 1 and short(s),
    cue_ball="yellow",
)
def _wrong_white(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from aimed(rng, t, places(rng, t), "white", "yellow", 900, 2000)


def _restarted(ball: str):
    def wanted(s: SimulatedShot) -> bool:
        ok = len(s.of("strike")) == 2 and first(s) == WY and len(s.of("cushion")) >= 1 and not potted(s) and short(s, 11)
        return ok and s.of("strike")[1]["ball"] == ball and WR not in pairs(s) and WB not in pairs(s)

    return wanted


def _again(rng: np.random.Generator, t: Table, ball: str) -> Iterator[SimulatedShot]:
    """White is stunned or lies elsewhere, yellow rolls on, and `ball` is struck."""
    fast = round(speed(rng, 500, 1300), 1)
    faults = Faults(again=Again(ball, round(float(rng.uniform(1.8, 3.5)), 3), fast, round(degrees(float(rng.uniform(-pi, pi))), 3)))
    yield from aimed(rng, t, places(rng, t), "white", "yellow", 900, 1600, follow=-0.1, side=0.0, faults=faults)


@recipe("struck-again-rolling", "rolling", "white has stopped and is struck again while yellow still rolls", _restarted("white"))
def _again_white(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    placing = places(rng, t)
    placing["white"] = near(rng, placing["yellow"], 250, 500)
    if (
        not inside(t, placing["white"])
        or min(hypot(p[0] - placing["white"][0], p[1] - placing["white"][1]) for b, p in placing.items() if b != "white") < 80
    ):
        return
    faults = Faults(again=Again("white", round(float(rng.uniform(1.8, 3.2)), 3), 900.0, round(degrees(float(rng.uniform(-pi, pi))), 3)))
    way = search.heading_to(placing["white"], placing["yellow"]) + float(rng.uniform(-0.03, 0.03))
    if shot := search.player(t, placing, "white", speed(rng, 1300, 2000), follow=-0.12, faults=faults)(way):
        yield shot


@recipe("red-struck-rolling", "rolling", "red is struck while white and yellow still roll", _restarted("red"))
def _again_red(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from _again(rng, t, "red")
