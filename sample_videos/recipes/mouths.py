"""At the pockets' mouths: balls that touch jaws and fall, hang, are knocked in, or fall too late."""

from __future__ import annotations

from collections.abc import Iterator
from math import cos, sin

import numpy as np

from calibration.table import Point, Table
from sample_videos import search
from sample_videos.physics import SimulatedShot
from sample_videos.recipes.base import (
    WB,
    WR,
    WY,
    YR,
    aimed,
    any_pocket,
    facing,
    first,
    jaws,
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
    straight,
)
from sample_videos.recipes.delicate import edge_gap, jaws_stop, rattles


def _jawed(least: int, both: bool):
    """Yellow falls straight after touching the jaws of its pocket, both of them if asked."""

    def wanted(s: SimulatedShot) -> bool:
        if not (straight(s, "yellow") and only(s, WY) and potted(s) == ["yellow"] and short(s)):
            return False
        sides = [
            e["cushion"] if "middle" not in e["pocket"] else round(float(s.paths["yellow"].at(e["t"])[0])) for e in s.of("jaw", "yellow")
        ]
        centre = s.table.length / 2
        marks = {m if isinstance(m, str) else m > centre for m in sides}
        return len(sides) >= least and set(jaws(s, "yellow")) == {s.pot("yellow")} and (len(marks) == 2 or not both)

    return wanted


@recipe("jaw-pot", "rattle", "yellow touches a jaw and falls", _jawed(1, False))
def _jaw_pot(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from rattles(rng, t, any_pocket(rng))


@recipe("both-jaws-pot", "rattle", "yellow touches both jaws and falls", _jawed(2, True))
def _both_jaws(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from rattles(rng, t, any_pocket(rng))


def in_mouth(rng: np.random.Generator, t: Table, pocket: str, low: float = 1.0, high: float = 12.0) -> Point:
    """A place between the jaws, so far (mm) before a ball would fall."""
    mouth = t.pocket(pocket)
    a, b = mouth.jaws[0].tip, mouth.jaws[1].tip
    out = search.heading_to(mouth.centre, ((a[0] + b[0]) / 2, (a[1] + b[1]) / 2))
    gap = mouth.radius + float(rng.uniform(low, high))
    return (mouth.centre[0] + gap * cos(out), mouth.centre[1] + gap * sin(out))


def _knocked(s: SimulatedShot) -> bool:
    return (
        only(s, WY)
        and potted(s) == ["yellow"]
        and not reflections(s, "white")[:1]
        and s.of("pocket")[0]["t"] - s.contacts()[0][0] < 1
        and short(s)
    )


@recipe("knocked-in", "knock-in", "yellow lay in the jaws and is knocked in by white, which comes straight", _knocked)
def _knock(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yellow = in_mouth(rng, t, any_pocket(rng))
    yield from aimed(rng, t, places(rng, t, yellow=yellow), "white", "yellow", 700, 1800)


@recipe(
    "knocked-in-by-yellow",
    "knock-in",
    "red lay in the jaws and is knocked in by yellow, which nobody called",
    lambda s: only(s, WY, YR) and potted(s) == ["red"] and short(s),
)
def _knock_red(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    pocket = any_pocket(rng)
    placing = places(rng, t, red=in_mouth(rng, t, pocket), yellow=facing(rng, t, pocket, 250, 900, 14))
    bracket = search.driven(t, {b: p for b, p in placing.items() if b != "red"}, "white", "yellow", placing["red"], 4)
    if bracket:
        play = search.player(t, placing, "white", speed(rng, 1000, 2000), **spin(rng))
        yield from search.solutions(play, search.leg_after("contact", "yellow", target=placing["red"]), *bracket, 8, largest=1000)


def _off_cushion(s: SimulatedShot) -> bool:
    hit = s.contacts()[0][0] if s.contacts() else 0.0
    far = [e for e in s.of("cushion", "white") if e["t"] < hit]
    return only(s, WY) and potted(s) == ["yellow"] and len(far) == 1 and not s.of("jaw", "white")[:1] and short(s)


@recipe("knocked-in-off-cushion", "knock-in", "yellow lay in the jaws and is knocked in by white off a cushion", _off_cushion)
def _knock_cushion(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    pocket = any_pocket(rng, "middle")
    placing = places(rng, t, yellow=in_mouth(rng, t, pocket))
    cushion = "right" if pocket == "middle-left" else "left"
    yield from search.bank(t, placing, "white", "white", placing["yellow"], (cushion,), speed(rng, 1200, 2400))


def _hangs(ball: str):
    def wanted(s: SimulatedShot) -> bool:
        ok = any(e.get("jaws") for e in s.of("stop", ball)) and first(s) == WY and len(pairs(s)) == 1 and not potted(s) and short(s, 9)
        return ok and edge_gap(s, ball) < 6 and len(s.of("cushion")) + len(s.of("midline")) >= 1

    return wanted


def _own_hangs(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    """White falls off yellow; played so much softer that it stays at the edge."""
    pocket = any_pocket(rng)
    placing = places(rng, t, yellow=facing(rng, t, pocket))
    found = next(search.pot(t, placing, "white", "white", pocket, speed(rng, 1400, 2000), follow=0.2), None)
    if found is None:
        return
    low, high = 500.0, found.strike.speed
    for _ in range(14):
        middle = (low + high) / 2
        play = search.player(t, placing, "white", middle, follow=0.2)
        lo, up = search.window(t, placing["white"], placing["yellow"])
        near = found.strike.heading
        miss = search.leg_after("contact", "white", target=t.pocket(pocket).centre)
        shot = next(search.solutions(play, miss, max(lo, near - 0.015), min(up, near + 0.015), 3, rounds=10, largest=3000), None)
        if shot is None:
            return
        if shot.pot("white"):
            high = middle
        else:
            low = middle
            yield shot


@recipe("own-jaws-stop", "jaws", "white stops in the jaws", _hangs("white"), pot_call("white"))
def _own_stop(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from _own_hangs(rng, t)


@recipe("own-jaws-then-falls", "late-fall", "white stops in the jaws and falls 1.2 s later", _hangs("white"), falls=1.2)
def _own_falls(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from _own_hangs(rng, t)


@recipe("own-jaws-falls-late", "late-fall", "white stops in the jaws and falls 4.1 s later", _hangs("white"), falls=4.1)
def _own_late(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from _own_hangs(rng, t)


@recipe("jaws-falls-after-two", "late-fall", "yellow stops in the jaws and falls 2.2 s later", _hangs("yellow"), falls=2.2)
def _after_two(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from jaws_stop(rng, t)


@recipe(
    "hung-then-knocked-in",
    "knock-in",
    "yellow stops in the jaws, and white follows and knocks it in within three seconds",
    lambda s: pairs(s) == [WY, WY] and potted(s) == ["yellow"] and _knocked_after_stop(s) and not {WR, WB} & set(pairs(s)),
)
def _followed(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    """A full hit with follow; yellow runs over damp cloth (SIMULATION: by chance it never happens)."""
    pocket = any_pocket(rng)
    mouth = in_mouth(rng, t, pocket, 2, 10)
    yellow = facing(rng, t, pocket, 150, 350, 8)
    out = search.heading_to(mouth, yellow)
    gap = float(rng.uniform(150, 400))
    white = (yellow[0] + gap * cos(out), yellow[1] + gap * sin(out) + float(rng.uniform(-2, 2)))
    placing = places(rng, t, white=white, yellow=yellow)
    low, high = 300.0, 1500.0
    way = search.heading_to(white, yellow)
    for _ in range(12):
        middle = (low + high) / 2
        play = search.player(t, placing, "white", middle, follow=0.4, damp={"yellow": 0.06})
        shot = play(way)
        if shot is None:
            return
        yield shot
        if shot.pot("yellow") and len(shot.contacts()) < 2:
            high = middle
        else:
            low = middle


def _knocked_after_stop(s: SimulatedShot) -> bool:
    stops = [e["t"] for e in s.of("stop", "yellow") if e.get("jaws")]
    second = s.contacts()[1][0]
    return any(0.05 < second - stop < 2.9 for stop in stops)
