"""Straight balls."""

from __future__ import annotations

from collections.abc import Iterator
from math import cos, hypot, pi, sin
from typing import Any

import numpy as np

from calibration.table import POCKETS, Table
from sample_videos import search
from sample_videos.physics import SimulatedShot
from sample_videos.recipes.base import (
    WY,
    YR,
    any_pocket,
    facing,
    first,
    inside,
    jaws,
    only,
    places,
    pot_call,
    potted,
    recipe,
    short,
    speed,
    spin,
    straight,
)


def open_pot(rng: np.random.Generator, t: Table, cue: str, ball: str, pocket: str, fast: float, **more: Any) -> Iterator[SimulatedShot]:
    """Straight pots of a ball that lies where the pocket is open to it."""
    placing = places(rng, t, **{ball: facing(rng, t, pocket, 150, 0.55 * t.length)})
    yield from search.pot(t, placing, cue, ball, pocket, fast, **more)


@recipe(
    "straight-pot", "clean", "yellow straight into a corner, nothing called", lambda s: straight(s, "yellow") and only(s, WY) and short(s)
)
def straight_pot(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from open_pot(rng, t, "white", "yellow", any_pocket(rng, "corner"), speed(rng, 1200, 2200), **spin(rng))


@recipe(
    "straight-pot-called",
    "clean",
    "yellow straight into a corner, as called",
    lambda s: straight(s, "yellow") and only(s, WY) and short(s),
    pot_call("yellow"),
)
def _straight_called(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from straight_pot(rng, t)


@recipe(
    "straight-pot-middle", "clean", "yellow straight into a middle pocket", lambda s: straight(s, "yellow") and only(s, WY) and short(s)
)
def _straight_middle(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from open_pot(rng, t, "white", "yellow", any_pocket(rng, "middle"), speed(rng, 1000, 2000), **spin(rng))


@recipe(
    "fast-pot",
    "clean",
    "yellow straight into a corner at six metres a second",
    lambda s: straight(s, "yellow") and first(s) == WY and short(s, 12),
)
def _fast_pot(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from open_pot(rng, t, "white", "yellow", any_pocket(rng, "corner"), speed(rng, 5000, 6500), follow=float(rng.uniform(-0.3, 0.0)))


@recipe(
    "slow-pot",
    "clean",
    "yellow trickles over the edge of a middle pocket",
    lambda s: straight(s, "yellow") and only(s, WY) and not jaws(s, "yellow") and s.of("pocket", "yellow")[0]["t"] > 3.5,
)
def _slow_pot(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from open_pot(rng, t, "white", "yellow", any_pocket(rng, "middle"), speed(rng, 500, 1100), follow=0.0)


@recipe(
    "own-middle",
    "clean",
    "white straight into a middle pocket off yellow",
    lambda s: straight(s, "white") and only(s, WY) and short(s),
    pot_call("white"),
)
def _own_middle(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    pocket = any_pocket(rng, "middle")
    yield from search.pot(t, places(rng, t, yellow=facing(rng, t, pocket)), "white", "white", pocket, speed(rng, 1000, 2200), **spin(rng))


@recipe(
    "own-middle-silent",
    "clean",
    "white straight into a middle pocket, nothing called",
    lambda s: straight(s, "white") and only(s, WY) and short(s),
)
def _own_silent(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from _own_middle(rng, t)


@recipe(
    "own-corner",
    "clean",
    "white straight into a corner off yellow",
    lambda s: straight(s, "white") and first(s) == WY and short(s),
    pot_call("white"),
)
def own_corner(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    pocket = any_pocket(rng, "corner")
    yield from search.pot(t, places(rng, t, yellow=facing(rng, t, pocket)), "white", "white", pocket, speed(rng, 1000, 2200), **spin(rng))


@recipe(
    "own-instead",
    "clean",
    "white falls straight though yellow was called",
    lambda s: straight(s, "white") and potted(s) == ["white"] and first(s) == WY and short(s),
    "жёлтый в левый дальний угол",
)
def _own_instead(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from _own_middle(rng, t)


def two_pockets(s: SimulatedShot) -> bool:
    return straight(s, "yellow") and straight(s, "white") and s.pot("yellow") != s.pot("white")


@recipe(
    "two-pockets",
    "clean",
    "white and yellow straight into two pockets, both called",
    two_pockets,
    lambda s: f"{pot_call('white')(s)} и {pot_call('yellow')(s)}",
)
def both_draw(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    pair = rng.permutation(POCKETS)[:2]
    a, b = str(pair[0]), str(pair[1])
    (ax, ay), (bx, by) = t.pocket(a).centre, t.pocket(b).centre
    turn, half = float(rng.uniform(-pi, pi)), hypot(ax - bx, ay - by) / 2
    # a stunned ball leaves square to the one it drives: yellow lies on the circle over the two pockets (Thales)
    yellow = ((ax + bx) / 2 + half * cos(turn), (ay + by) / 2 + half * sin(turn))
    if not inside(t, yellow, 60) or any(search.approach(t, yellow, p) > (15 if t.pocket(p).corner else 25) for p in (a, b)):
        return
    one, other, lean = search.heading_to(yellow, (ax, ay)), search.heading_to(yellow, (bx, by)), float(rng.uniform(0.4, 1.1))
    way = (cos(one) * cos(lean) + cos(other) * sin(lean), sin(one) * cos(lean) + sin(other) * sin(lean))
    far = float(rng.uniform(200, 800))
    white = (yellow[0] - far * way[0], yellow[1] - far * way[1])
    if not inside(t, white, 50):
        return
    placing = places(rng, t, white=white, yellow=yellow, red=None, black=None)
    fast = speed(rng, 1200, 2800)

    def play(follow: float) -> SimulatedShot | None:
        """Yellow potted into the one pocket with so much follow, which steers white."""
        return next(search.pot(t, placing, "white", "yellow", a, fast, follow=follow), None)

    yield from search.solutions(
        play, search.leg_after("contact", "white", target=t.pocket(b).centre), -0.25, 0.25, 5, rounds=9, largest=2500.0
    )


@recipe(
    "yellow-pots-red",
    "clean",
    "yellow as cue ball drives red into a corner",
    lambda s: straight(s, "red") and only(s, YR) and short(s),
    pot_call("red"),
)
def _yellow_red(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from open_pot(rng, t, "yellow", "red", any_pocket(rng), speed(rng, 1200, 2400), **spin(rng))


@recipe(
    "yellow-pots-white",
    "clean",
    "yellow as cue ball drives white into a pocket",
    lambda s: straight(s, "white") and only(s, WY) and short(s),
)
def _yellow_white(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from open_pot(rng, t, "yellow", "white", any_pocket(rng), speed(rng, 1200, 2400), **spin(rng))
