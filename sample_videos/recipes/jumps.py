"""Jumps over balls and jaws, jumps that clip, and balls that leave the table."""

from __future__ import annotations

from collections.abc import Iterator
from math import cos, hypot, pi, sin

import numpy as np

from calibration.table import Table
from sample_videos import search
from sample_videos.flight import lift_to_clear
from sample_videos.path import GRAVITY
from sample_videos.physics import SimulatedShot, SimulationFailed, simulate
from sample_videos.recipes.base import (
    WY,
    any_pocket,
    facing,
    first,
    only,
    pairs,
    places,
    pot_call,
    potted,
    recipe,
    reflections,
    short,
    speed,
)


def _over(rng: np.random.Generator, t: Table, ball: str, pocket: str | None) -> Iterator[SimulatedShot]:
    """White jumps over `ball`, which lies on its way to yellow; with a pocket, white is aimed into it off yellow."""
    fixed = {"yellow": facing(rng, t, pocket)} if pocket else {}
    placing = places(rng, t, **{"red": None, "black": None, **fixed})
    white, yellow = placing["white"], placing["yellow"]
    far, way = hypot(yellow[0] - white[0], yellow[1] - white[1]), search.heading_to(white, yellow)
    gap, fast = float(rng.uniform(180, 320)), speed(rng, 1400, 2400)
    if far < 900:
        return
    aside = float(rng.uniform(-20, 20))
    placing[ball] = (white[0] + gap * cos(way) - aside * sin(way), white[1] + gap * sin(way) + aside * cos(way))
    up = lift_to_clear(t, gap, fast) + float(rng.uniform(20, 150))

    def play(heading: float) -> SimulatedShot | None:
        try:
            return simulate(t, placing, "white", fast, heading, up=up)
        except (SimulationFailed, ValueError):
            return None

    low, high = search.window(t, white, yellow)
    if pocket:
        yield from search.solutions(play, search.leg_after("contact", "white", target=t.pocket(pocket).centre), low, high, 24, largest=3000)
    elif shot := play(float(rng.uniform(low, high))):
        yield shot


@recipe(
    "jump",
    "jump",
    "white jumps over black and meets yellow",
    lambda s: bool(s.of("jump")) and only(s, WY) and not potted(s) and short(s, 9),
)
def _jump(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from _over(rng, t, "black", None)


def _own(s: SimulatedShot) -> bool:
    return bool(s.of("jump")) and first(s) == WY and potted(s) == ["white"] and not reflections(s, "white") and short(s, 9)


@recipe("jump-own", "jump", "white jumps over red and falls off yellow, as called", _own, pot_call("white", " перескоком через красный"))
def _jump_own(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from _over(rng, t, "red", any_pocket(rng))


def _hops(s: SimulatedShot) -> int:
    """How often white lands before it stays on the cloth."""
    times = np.arange(0.0, min(2.0, s.duration), 0.001)
    z = s.paths["white"].at(times)[:, 2] - s.table.radius
    return int(np.sum((z[1:-1] < z[:-2]) & (z[1:-1] <= z[2:]) & (z[1:-1] < 4)))


@recipe(
    "jump-red-clears",
    "jump",
    "white jumps over red, hops on and meets yellow",
    lambda s: (
        [e["over"] for e in s.of("jump") if "over" in e] == ["red"] and _hops(s) >= 2 and only(s, WY) and not potted(s) and short(s, 9)
    ),
)
def _jump_red(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from _over(rng, t, "red", None)


def _low(rng: np.random.Generator, t: Table, ball: str) -> Iterator[SimulatedShot]:
    """As `_over`, but too low by a little."""
    placing = places(rng, t, red=None, black=None)
    white, yellow = placing["white"], placing["yellow"]
    if hypot(yellow[0] - white[0], yellow[1] - white[1]) < 700:
        return
    way, gap, fast = search.heading_to(white, yellow), float(rng.uniform(180, 320)), speed(rng, 1400, 2400)
    aside = float(rng.uniform(-20, 20))
    placing[ball] = (white[0] + gap * cos(way) - aside * sin(way), white[1] + gap * sin(way) + aside * cos(way))
    up = lift_to_clear(t, gap, fast) - float(rng.uniform(15, 250))
    low, high = search.window(t, white, yellow)
    try:
        yield simulate(t, placing, "white", fast, float(rng.uniform(low, high)), up=up)
    except (SimulationFailed, ValueError):
        return


def _clipped(ball: str):
    def wanted(s: SimulatedShot) -> bool:
        touch = frozenset(("white", ball))
        if pairs(s) != [touch, WY] or potted(s) or not short(s, 9):
            return False
        (clipped, _), (met, _) = s.contacts()
        return float(s.paths["white"].at(clipped)[2]) > s.table.radius + 25 and any(e["t"] > met for e in s.of("cushion"))

    return wanted


@recipe("jump-clips-black", "jump", "white jumps, clips black from above and meets yellow", _clipped("black"))
def _clips_black(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from _low(rng, t, "black")


@recipe("jump-clips-red", "jump", "white jumps, clips red from above and meets yellow", _clipped("red"))
def _clips_red(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from _low(rng, t, "red")


def _over_jaw(s: SimulatedShot) -> bool:
    over = [e["over_jaw"] for e in s.of("jump") if "over_jaw" in e]
    return bool(over) and s.pot("white") == over[0] and only(s, WY) and not s.of("cushion", "white") and not s.of("jaw", "white")


@recipe(
    "jump-over-jaw",
    "jump",
    "white jumps over a jaw and falls off yellow in the pocket's mouth, as called",
    _over_jaw,
    pot_call("white", " перескоком через губу"),
)
def _jaw(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    """Yellow hangs in a middle pocket; white comes along the cushion, over the nearer jaw."""
    side = str(rng.choice(["left", "right"]))
    pocket = t.pocket(f"middle-{side}")
    inward = -1.0 if side == "left" else 1.0
    mouth = t.width if side == "left" else 0.0
    yellow = (t.length / 2 + float(rng.uniform(-4, 4)), mouth - inward * float(rng.uniform(2, 14)))
    far, off = float(rng.uniform(140, 420)), float(rng.uniform(38, 110))
    white = (t.length / 2 + float(rng.choice([-1, 1])) * far, mouth + inward * off)
    placing = places(rng, t, white=white, yellow=yellow, red=None)
    heading = search.heading_to(
        white, (pocket.centre[0] + float(rng.uniform(-25, 25)), pocket.centre[1] - inward * float(rng.uniform(0, 60)))
    )
    fast, up = speed(rng, 700, 1800), speed(rng, 1100, 2000)
    try:
        yield simulate(t, placing, "white", fast, heading, up=up)
    except (SimulationFailed, ValueError):
        return


def _gone(s: SimulatedShot) -> bool:
    return [e["ball"] for e in s.of("off_table")] == ["white"] and float(s.paths["white"].at(1e3)[2]) < 0 and short(s, 9)


def _flies_out(rng: np.random.Generator, t: Table, low: float, high: float, up: tuple[float, float]) -> Iterator[SimulatedShot]:
    """White jumps at a cushion."""
    far, x = float(rng.uniform(150, 500)), float(rng.uniform(300, t.length - 300))
    x = x if abs(x - t.length / 2) > 200 else x + 400
    white = (x, t.width - far) if rng.random() < 0.5 else (x, far)
    placing = places(rng, t, white=white)
    heading = (pi / 2 if white[1] > t.width / 2 else -pi / 2) + float(rng.uniform(-0.5, 0.5))
    try:
        yield simulate(t, placing, "white", speed(rng, low, high), heading, up=speed(rng, *up))
    except (SimulationFailed, ValueError):
        return


@recipe("off-table", "off-table", "white jumps over a cushion to the floor and meets no ball", lambda s: _gone(s) and not pairs(s))
def _off(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from _flies_out(rng, t, 1400, 3200, (900, 1600))


@recipe(
    "off-table-after-yellow",
    "off-table",
    "white jumps, clips yellow from above and leaves the table",
    lambda s: _gone(s) and pairs(s)[:1] == [WY],
)
def _off_yellow(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    far, x = float(rng.uniform(200, 420)), float(rng.uniform(300, t.length - 300))
    way = pi / 2 + float(rng.uniform(-0.3, 0.3))
    white = (x, t.width - far)
    gap, fast = float(rng.uniform(110, 200)), speed(rng, 1600, 2800)
    placing = places(rng, t, white=white, yellow=(x + gap * cos(way), t.width - far + gap * sin(way)))
    up = lift_to_clear(t, gap, fast) - float(rng.uniform(10, 250))
    try:
        yield simulate(t, placing, "white", fast, way + float(rng.uniform(-0.1, 0.1)), up=up)
    except (SimulationFailed, ValueError):
        return


@recipe(
    "rest-on-rail",
    "off-table",
    "white jumps onto a rail and stays there",
    lambda s: [e["ball"] for e in s.of("off_table")] == ["white"] and float(s.paths["white"].at(1e3)[2]) > 50 and not pairs(s),
)
def _rail(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    """White is lifted steeply so far before a long cushion that it comes down on its rail."""
    fast, up = speed(rng, 250, 900), speed(rng, 1100, 1800)
    lasts = (up + float(np.sqrt(up * up - 2 * GRAVITY * t.nose_height))) / GRAVITY
    far = max(90.0, fast * lasts - float(rng.uniform(25, 110)))
    x = float(rng.uniform(300, t.length / 2 - 250)) + float(rng.choice([0, t.length / 2 - 50]))
    white = (x, t.width - far) if rng.random() < 0.5 else (x, far)
    heading = (pi / 2 if white[1] > t.width / 2 else -pi / 2) + float(rng.uniform(-0.3, 0.3))
    try:
        yield simulate(t, places(rng, t, white=white), "white", fast, heading, up=up)
    except (SimulationFailed, ValueError):
        return
