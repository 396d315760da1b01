"""What is hard to see: thin kisses, frozen balls, cushions; balls in the jaws are in `mouths`."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from math import cos, hypot, pi, sin

import numpy as np

from calibration.table import Table
from sample_videos import search
from sample_videos.physics import SimulatedShot
from sample_videos.recipes.base import (
    WB,
    WR,
    WY,
    YB,
    aimed,
    any_pocket,
    facing,
    first,
    jaws,
    only,
    pairs,
    places,
    potted,
    recipe,
    reflections,
    short,
    speed,
    spin,
)


@recipe(
    "thin-kiss",
    "thin",
    "white touches yellow so thinly that it hardly moves",
    lambda s: only(s, WY) and 15 < _speed_after(s, "yellow") < 120 and len(reflections(s, "white")) >= 1 and short(s),
)
def _thin(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    placing = places(rng, t)
    low, high = search.window(t, placing["white"], placing["yellow"])
    inside = (high - low) * float(rng.uniform(0.001, 0.02))
    shot = search.player(t, placing, "white", speed(rng, 1200, 2200), **spin(rng))(float(rng.choice([low + inside, high - inside])))
    if shot:
        yield shot


def _speed_after(s: SimulatedShot, ball: str) -> float:
    hits = [t for t, pair in s.contacts() if ball in pair]
    return float(np.hypot(*s.paths[ball].velocity(hits[0] + 1e-6))) if hits else 0.0


def _close_contacts(s: SimulatedShot) -> bool:
    times = s.contacts()
    return len(times) >= 2 and 0.002 < times[1][0] - times[0][0] < 0.020 and times[0][1] == WY and not potted(s) and short(s)


@recipe("two-contacts", "close-order", "two contacts within 20 ms", _close_contacts)
def _two_contacts(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    placing = places(rng, t, red=None)
    turn, gap = float(rng.uniform(-pi, pi)), float(rng.uniform(69, 90))
    placing["red"] = (placing["yellow"][0] + gap * cos(turn), placing["yellow"][1] + gap * sin(turn))
    if 40 < placing["red"][0] < t.length - 40 and 40 < placing["red"][1] < t.width - 40:
        yield from aimed(rng, t, placing, "white", "yellow", 1000, 2200)


@recipe(
    "frozen",
    "frozen",
    "white hits yellow, which lies frozen to black",
    lambda s: pairs(s)[:2] == [WY, YB] and not potted(s) and len(s.of("cushion")) >= 1 and short(s),
)
def _frozen(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    turn = float(rng.uniform(-pi, pi))
    black = t.spots["centre"]
    yield from aimed(
        rng, t, places(rng, t, yellow=(black[0] + 68.001 * cos(turn), black[1] + 68.001 * sin(turn))), "white", "yellow", 1000, 2200
    )


@recipe(
    "frozen-cue",
    "frozen",
    "white lies frozen to yellow and is played into it at an angle",
    lambda s: first(s) == WY and not potted(s) and len(s.of("cushion")) >= 1 and WR not in pairs(s) and WB not in pairs(s) and short(s),
)
def _frozen_cue(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    placing = places(rng, t)
    turn = float(rng.uniform(-pi, pi))
    placing["white"] = (placing["yellow"][0] + 68.001 * cos(turn), placing["yellow"][1] + 68.001 * sin(turn))
    if 60 < placing["white"][0] < t.length - 60 and 60 < placing["white"][1] < t.width - 60:
        heading = turn + pi + float(rng.uniform(-1.2, 1.2))
        shot = search.player(t, placing, "white", speed(rng, 900, 1800))(heading)
        if shot:
            yield shot


def _corner_double(s: SimulatedShot) -> bool:
    times = [(e["t"], e["cushion"]) for e in s.of("cushion", "yellow")]
    return any(0.01 < b[0] - a[0] < 0.12 and a[1] != b[1] for a, b in pairwise(times)) and only(s, WY) and not potted(s) and short(s)


@recipe("corner-double", "corner-double", "yellow touches two cushions near a corner within 120 ms", _corner_double)
def _corner(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    x, y = float(rng.uniform(60, 250)), float(rng.uniform(60, 250))
    near = (x if rng.random() < 0.5 else t.length - x, y if rng.random() < 0.5 else t.width - y)
    yield from aimed(rng, t, places(rng, t, yellow=near), "white", "yellow", 1000, 2400)


@recipe(
    "corner-rattle",
    "rattle",
    "yellow rattles in the jaws of a corner and stays out",
    lambda s: len([p for p in jaws(s, "yellow") if not p.startswith("middle")]) >= 2 and not potted(s) and only(s, WY) and short(s),
)
def _corner_rattle(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from rattles(rng, t, any_pocket(rng, "corner"))


@recipe(
    "middle-rattle",
    "rattle",
    "yellow rattles in the jaws of a middle pocket and stays out",
    lambda s: len([p for p in jaws(s, "yellow") if p.startswith("middle")]) >= 2 and not potted(s) and only(s, WY) and short(s),
)
def _middle_rattle(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from rattles(rng, t, any_pocket(rng, "middle"))


def rattles(rng: np.random.Generator, t: Table, pocket: str) -> Iterator[SimulatedShot]:
    placing = places(rng, t)
    bracket = search.driven(t, placing, "white", "yellow", t.pocket(pocket).centre, 3)
    if bracket:
        shot = search.player(t, placing, "white", speed(rng, 1200, 2600), **spin(rng))(float(rng.uniform(*bracket)))
        if shot:
            yield shot


def _hangs(s: SimulatedShot) -> bool:
    return any(e.get("jaws") for e in s.of("stop", "yellow")) and only(s, WY) and s.after["yellow"] is not None and short(s)


def _on_edge(s: SimulatedShot) -> bool:
    return _hangs(s) and edge_gap(s, "yellow") < 2.5


@recipe("jaws-stop", "jaws", "yellow stops in the jaws", _hangs)
def jaws_stop(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    pocket = any_pocket(rng)
    placing = places(rng, t, yellow=facing(rng, t, pocket, 300, 1500))
    low, high = 400.0, 2200.0
    spun = {"follow": 0.3}
    found = next(search.pot(t, placing, "white", "yellow", pocket, high, **spun), None)
    if found is None:
        return
    for _ in range(22):  # bisect on the speed: it falls, or it stops short of the edge
        middle = (low + high) / 2
        shot = search.player(t, placing, "white", middle, **spun)(found.strike.heading)
        if shot is None:
            return
        if shot.pot("yellow"):
            high = middle
        else:
            low = middle
            yield shot


def edge_gap(s: SimulatedShot, ball: str) -> float:
    """How far (mm) a resting ball's centre is from tipping into the nearest pocket."""
    place = s.after[ball]
    if place is None:
        return 0.0
    return min(hypot(place[0] - p.centre[0], place[1] - p.centre[1]) - p.radius for p in s.table.pockets)


@recipe("jaws-then-falls", "late-fall", "yellow stops in the jaws and falls 1.6 s later", _on_edge, falls=1.6)
def _jaws_falls(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from jaws_stop(rng, t)


@recipe("jaws-falls-late", "late-fall", "yellow stops in the jaws and falls 3.8 s later", _on_edge, falls=3.8)
def _jaws_late(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from jaws_stop(rng, t)


@recipe(
    "kiss-back",
    "clean",
    "yellow comes off a cushion and meets white again",
    lambda s: (
        pairs(s)[:2] == [WY, WY] and 0.1 < s.contacts()[1][0] - s.contacts()[0][0] < 2 and not potted(s) and WR not in pairs(s) and short(s)
    ),
)
def _kiss_back(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    near = [(float(rng.uniform(200, t.length - 200)), float(rng.choice([rng.uniform(60, 160), t.width - rng.uniform(60, 160)])))]
    yield from aimed(rng, t, places(rng, t, yellow=near[0]), "white", "yellow", 1000, 2400)


@recipe("along-cushion", "clean", "yellow runs along a cushion", lambda s: only(s, WY) and not potted(s) and _hugs(s) and short(s))
def _along(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    placing = places(rng, t, yellow=(float(rng.uniform(300, t.length - 300)), float(rng.choice([34.5, t.width - 34.5]))))
    yield from aimed(rng, t, placing, "white", "yellow", 1000, 2000)


def _hugs(s: SimulatedShot) -> bool:
    times = np.arange(0, s.duration, 0.02)
    y = s.paths["yellow"].at(times)[:, 1]
    v = np.hypot(*s.paths["yellow"].velocity(times).T)
    return float(np.sum((v > 100) & ((y < 45) | (y > s.table.width - 45))) * 0.02) > 0.8
