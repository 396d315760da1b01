"""Banks and three-cushion caroms."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise, product
from math import atan2, degrees, hypot

import numpy as np

from calibration.table import CUSHIONS, POCKETS, Point, Table
from sample_videos import search
from sample_videos.physics import SimulatedShot
from sample_videos.recipes.alone import bank_alone
from sample_videos.recipes.base import (
    WR,
    WY,
    YB,
    YR,
    Wanted,
    adjoins,
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


def banked(n: int) -> Wanted:
    def wanted(s: SimulatedShot) -> bool:
        met_by = reflections(s, "yellow")
        pocket = s.pot("yellow")
        return bool(pocket) and len(met_by) == n and not adjoins(str(pocket), met_by[-1]) and only(s, WY) and short(s, (9, 12, 14)[n - 1])

    return wanted


def _arrives(t: Table, ball: Point, pocket: str, order: tuple[str, ...]) -> bool:
    """Whether the last leg of the mirrored way lies near the pocket's axis."""
    goal = search.image(t, t.pocket(pocket).centre, order)
    along, across = abs(goal[0] - ball[0]), abs(goal[1] - ball[1])
    if t.pocket(pocket).corner:
        return abs(degrees(atan2(across, along)) - 45) < 18
    return degrees(atan2(along, across)) < 28


_FAST = {1: (2000, 4200), 2: (3200, 6500), 3: (4500, 8500)}  # mm/s: a cushion takes a third of the speed


def bank_draw(rng: np.random.Generator, t: Table, n: int) -> Iterator[SimulatedShot]:
    placing = places(rng, t)
    ways = [
        (pocket, order)
        for pocket in POCKETS
        for order in product(CUSHIONS, repeat=n)
        if all(a != b for a, b in pairwise(order)) and not adjoins(pocket, order[-1]) and _arrives(t, placing["yellow"], pocket, order)
    ]
    for k in rng.permutation(len(ways))[:6]:
        pocket, order = ways[int(k)]
        more, fast = spin(rng), speed(rng, *_FAST[n])
        yield from search.bank(t, placing, "white", "yellow", t.pocket(pocket).centre, order, fast, **more)


@recipe("bank-pot", "bank", "yellow off one cushion into a pocket, as called", banked(1), pot_call("yellow"))
def _bank_pot(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from bank_draw(rng, t, 1)


@recipe("bank-pot-two", "bank", "yellow off two cushions into a pocket, as called", banked(2), pot_call("yellow"))
def _bank_pot_two(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from bank_alone(rng, t, places(rng, t), 2, _FAST[2])


@recipe("bank-pot-silent", "bank", "yellow off one cushion into a pocket without a call", banked(1))
def _bank_silent(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from bank_draw(rng, t, 1)


def _onto_black(n: int) -> Wanted:
    def wanted(s: SimulatedShot) -> bool:
        if pairs(s)[:2] != [WY, YB] or potted(s) or not short(s, 9):
            return False
        end = s.contacts()[1][0]
        made = [e for b in ("white", "yellow") for k in ("cushion", "jaw") for e in s.of(k, b) if e["t"] < end]
        before = [e for e in made if e["ball"] == "yellow" or e["t"] < s.contacts()[0][0]]
        return len(before) == n and WR not in pairs(s)

    return wanted


def _black_draw(rng: np.random.Generator, t: Table, n: int) -> Iterator[SimulatedShot]:
    placing = places(rng, t)
    order = [str(c) for c in rng.choice(CUSHIONS, size=n)]
    if any(a == b for a, b in pairwise(order)):
        return
    yield from search.bank(t, placing, "white", "yellow", placing["black"], tuple(order), speed(rng, 1500, 3000), **spin(rng))


@recipe("bank-black", "bank", "yellow off one cushion onto black, as called", _onto_black(1), "жёлтым от борта по чёрному")
def _bank_black(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from _black_draw(rng, t, 1)


@recipe("bank-black-two", "bank", "yellow off two cushions onto black, as called", _onto_black(2), "жёлтым от двух бортов по чёрному")
def _bank_black_two(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from _black_draw(rng, t, 2)


@recipe("bank-black-short", "bank", "one cushion onto black where two were called", _onto_black(1), "жёлтым от двух бортов по чёрному")
def _bank_black_short(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from _black_draw(rng, t, 1)


def _with_contact(s: SimulatedShot) -> bool:
    if pairs(s)[:3] != [WY, YR, YB] or potted(s) or not short(s, 9) or WR in pairs(s):
        return False
    end = s.contacts()[2][0]
    made = [e for b in ("white", "yellow") for k in ("cushion", "jaw") for e in s.of(k, b) if e["t"] < end]
    return len(made) == 1 and made[0]["ball"] == "yellow" and made[0]["type"] == "cushion" and made[0]["t"] > s.contacts()[0][0]


@recipe(
    "bank-black-contact",
    "bank",
    "yellow off one cushion and with one more contact onto black, as called",
    _with_contact,
    "жёлтым от борта с одним соударением по чёрному",
)
def _contact(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    """A bank onto black without red, which is then laid so that yellow grazes it on its way."""
    placing = places(rng, t)
    without = {b: p for b, p in placing.items() if b != "red"}
    for shot in search.bank(
        t, without, "white", "yellow", placing["black"], (str(rng.choice(CUSHIONS)),), speed(rng, 1500, 3000), **spin(rng)
    ):
        if pairs(shot)[:2] != [WY, YB]:
            continue
        start, end = (when for when, _ in shot.contacts()[:2])
        for when in rng.uniform(start + 0.1 * (end - start), end - 0.15 * (end - start), 6):
            v = shot.paths["yellow"].velocity(float(when))
            size = float(np.hypot(*v))
            aside = np.array([-v[1], v[0]]) / max(size, 1.0) * (t.ball - float(rng.uniform(0.02, 0.6))) * float(rng.choice([-1, 1]))
            x, y = (shot.paths["yellow"].at(float(when))[:2] + aside).tolist()
            if inside(t, (x, y)) and all(hypot(x - p[0], y - p[1]) > t.ball + 1 for p in without.values()):
                s = shot.strike
                red = search.player(t, {**without, "red": (x, y)}, "white", s.speed, follow=s.follow, side=s.side)(s.heading)
                if red:
                    yield red


@recipe("bank-pot-three", "bank", "yellow off three cushions into a pocket, as called", banked(3), pot_call("yellow"))
def _bank_pot_three(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from bank_alone(rng, t, places(rng, t), 3, _FAST[3])


def _carom(s: SimulatedShot) -> bool:
    if pairs(s)[:2] != [WY, WR] or potted(s):
        return False
    t_red = s.contacts()[1][0]
    before = [e for e in s.of("cushion", "white") if e["t"] < t_red]
    return len(before) >= 3 and not [e for e in s.of("jaw", "white") if e["t"] < t_red] and t_red < 6.5 and short(s, 11)


def carom_draw(rng: np.random.Generator, t: Table, **more: float) -> Iterator[SimulatedShot]:
    placing = places(rng, t, red=None)
    low, high = search.window(t, placing["white"], placing["yellow"])
    play = search.player(t, placing, "white", speed(rng, 3000, 4500), **{**spin(rng), **more})
    miss = search.leg_after("cushion", "white", 3, target=placing["red"])
    yield from search.solutions(play, miss, low, high, 28)


@recipe("carom", "carom", "three cushions, yellow then red, as called", _carom, "триборт от жёлтого по красному")
def _carom_plain(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from carom_draw(rng, t)


@recipe(
    "carom-side",
    "carom",
    "three cushions with much side, yellow then red, as called",
    _carom,
    "карамболь три борта с жёлтого на красный",
)
def _carom_side(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from carom_draw(rng, t, side=float(rng.choice([-0.45, 0.45])))
