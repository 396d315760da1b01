"""Strokes whose ruling hangs on the call: what was called and not made, made and not called, and strokes from hand."""

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
    aimed,
    any_pocket,
    facing,
    first,
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
    straight,
)
from sample_videos.recipes.combinations import chained, off_two
from sample_videos.recipes.cushions import bank_draw, banked, carom_draw
from sample_videos.recipes.pots import both_draw, own_corner, straight_pot, two_pockets


def _one_pocket(s: SimulatedShot) -> bool:
    return (
        potted(s) == ["yellow", "white"]
        and s.pot("yellow") == s.pot("white")
        and only(s, WY)
        and not reflections(s, "white")
        and short(s, 9)
    )


@recipe("two-in-one-pocket", "clean", "yellow falls straight, and white follows it into the same pocket; nothing called", _one_pocket)
def _follow_in(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    pocket = any_pocket(rng)
    target = t.pocket(pocket).centre
    yellow = facing(rng, t, pocket, 150, 500, 6)
    out = search.heading_to(target, yellow)
    gap = float(rng.uniform(150, 500))
    white = (yellow[0] + gap * cos(out), yellow[1] + gap * sin(out) + float(rng.uniform(-4, 4)))
    if inside(t, white):
        yield from search.pot(
            t, places(rng, t, white=white, yellow=yellow, black=None), "white", "yellow", pocket, speed(rng, 900, 2600), follow=0.4
        )


@recipe(
    "double-only-yellow",
    "clean",
    "a double is called, and only yellow falls",
    lambda s: straight(s, "yellow") and only(s, WY) and potted(s) == ["yellow"] and short(s),
    lambda s: f"свой в середину и {pot_call('yellow')(s)}",
)
def _only_yellow(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from straight_pot(rng, t)


@recipe(
    "double-only-own",
    "clean",
    "a double is called, and only white falls",
    lambda s: straight(s, "white") and only(s, WY) and potted(s) == ["white"] and short(s),
    lambda s: f"{pot_call('white')(s)} и жёлтый в угол",
)
def _only_own(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from own_corner(rng, t)


@recipe(
    "own-and-yellow-by-accident",
    "clean",
    "white falls as called, and yellow by accident",
    two_pockets,
    lambda s: pot_call("white")(s),
)
def _accident(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from both_draw(rng, t)


@recipe(
    "yellow-and-own-uncalled",
    "clean",
    "yellow falls as called, and white too, which was not called",
    two_pockets,
    lambda s: pot_call("yellow")(s),
)
def _scratch(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from both_draw(rng, t)


@recipe(
    "two-pockets-silent",
    "clean",
    "white and yellow straight into two pockets, nothing called",
    two_pockets,
)
def _silent(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from both_draw(rng, t)


@recipe(
    "other-pocket",
    "clean",
    "yellow falls straight, but not into the pocket that was called",
    lambda s: straight(s, "yellow") and only(s, WY) and s.pot("yellow") != "foot-left" and short(s),
    "жёлтый в левый дальний угол",
)
def _other_pocket(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from straight_pot(rng, t)


def _red_straight(s: SimulatedShot) -> bool:
    return straight(s, "red") and only(s, WR) and short(s)


@recipe("red-called", "clean", "white drives red into a pocket, as called", _red_straight, pot_call("red"))
def _red_called(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    pocket = any_pocket(rng)
    yield from search.pot(t, places(rng, t, red=facing(rng, t, pocket)), "white", "red", pocket, speed(rng, 1200, 2200), **spin(rng))


@recipe("red-silent", "clean", "white drives red into a pocket without a call", _red_straight)
def _red_silent(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from _red_called(rng, t)


@recipe(
    "red-called-stays",
    "clean",
    "red was called and stays on the table",
    lambda s: only(s, WR) and not potted(s) and len(s.of("cushion")) >= 1 and short(s),
    "красный в угол",
)
def _red_stays(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from aimed(rng, t, places(rng, t), "white", "red", 900, 2000)


@recipe(
    "black-after-yellow",
    "clean",
    "white meets yellow, then black, which no object ball has met",
    lambda s: only(s, WY, WB) and not potted(s) and len(s.of("cushion")) >= 1 and short(s, 8),
)
def _black_after(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from aimed(rng, t, places(rng, t), "white", "yellow", 1000, 2400)


@recipe(
    "black-after-object",
    "clean",
    "yellow meets black, then white does",
    lambda s: only(s, WY, YB, WB) and not potted(s) and len(s.of("cushion")) >= 1 and short(s, 8),
)
def _black_met(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from aimed(rng, t, places(rng, t), "white", "yellow", 1400, 3000)


@recipe(
    "yellow-black-first",
    "clean",
    "yellow as cue ball meets black before white",
    lambda s: only(s, YB, WY) and not potted(s) and short(s, 9),
)
def _yellow_black(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from aimed(rng, t, places(rng, t), "yellow", "black", 1000, 2400)


@recipe(
    "combination-silent",
    "combination",
    "yellow drives black into a pocket without a call",
    lambda s: only(s, WY, YB) and potted(s) == ["black"] and not reflections(s, "black") and short(s),
)
def _combination_silent(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from chained(rng, t, "white", "yellow", "black")


@recipe(
    "own-off-two-silent",
    "combination",
    "yellow as cue ball goes in off white and red without a call",
    lambda s: only(s, WY, YR) and potted(s) == ["yellow"] and not reflections(s, "yellow") and short(s),
)
def _off_two_silent(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from off_two(rng, t)


@recipe(
    "bank-called-straight",
    "bank",
    "a cushion is called for yellow, and it falls straight",
    lambda s: straight(s, "yellow") and only(s, WY) and short(s),
    pot_call("yellow", " от борта"),
)
def _called_straight(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from straight_pot(rng, t)


def _cushions_before_red(s: SimulatedShot) -> int:
    return len([e for e in s.of("cushion", "white") if e["t"] < s.contacts()[1][0]])


def _short_carom(low: int, high: int):
    def wanted(s: SimulatedShot) -> bool:
        if not only(s, WY, WR) or potted(s) or s.of("jaw", "white") or not short(s, 10):
            return False
        return low <= _cushions_before_red(s) <= high

    return wanted


@recipe("carom-two-cushions", "carom", "only two cushions before red, three called", _short_carom(2, 2), "триборт от жёлтого по красному")
def _carom_two(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from _carom_cushions(rng, t, 2)


@recipe("carom-one-cushion", "carom", "only one cushion before red, three called", _short_carom(1, 1), "триборт от жёлтого по красному")
def _carom_one(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from _carom_cushions(rng, t, 1)


def _carom_cushions(rng: np.random.Generator, t: Table, cushions: int) -> Iterator[SimulatedShot]:
    placing = places(rng, t, red=None)
    low, high = search.window(t, placing["white"], placing["yellow"])
    play = search.player(t, placing, "white", speed(rng, 2000, 3600), **spin(rng))
    yield from search.solutions(play, search.leg_after("cushion", "white", cushions, target=placing["red"]), low, high, 28)


@recipe(
    "carom-missed",
    "carom",
    "three cushions after yellow, and red is not met",
    lambda s: only(s, WY) and not potted(s) and len(s.of("cushion", "white")) >= 3 and short(s, 11),
    "триборт от жёлтого по красному",
)
def _carom_missed(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from aimed(rng, t, places(rng, t, red=None), "white", "yellow", 2600, 4000)


@recipe(
    "carom-silent",
    "carom",
    "a three-cushion carom that nobody called: white meets red",
    lambda s: only(s, WY, WR) and not potted(s) and not s.of("jaw", "white") and _cushions_before_red(s) >= 3 and short(s, 11),
)
def _carom_silent(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from carom_draw(rng, t)


@recipe(
    "in-hand-straight",
    "clean",
    "white from hand: yellow straight as called, which does not count",
    lambda s: straight(s, "yellow") and only(s, WY) and potted(s) == ["yellow"] and short(s),
    pot_call("yellow"),
    placement="in_hand",
)
def _hand_straight(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from straight_pot(rng, t)


@recipe(
    "in-hand-own",
    "clean",
    "white from hand: white straight off yellow as called, which is a foul",
    lambda s: straight(s, "white") and only(s, WY) and potted(s) == ["white"] and short(s),
    pot_call("white"),
    placement="in_hand",
)
def _hand_own(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from own_corner(rng, t)


@recipe("in-hand-bank", "bank", "white from hand: yellow off a cushion, as called", banked(1), pot_call("yellow"), placement="in_hand")
def _hand_bank(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from bank_draw(rng, t, 1)


@recipe(
    "opening-miss",
    "opening",
    "an opening stroke that meets no ball",
    lambda s: not pairs(s) and not potted(s) and len(s.of("cushion")) >= 1 and short(s, 9),
    opening=True,
    placement="in_hand_house",
)
def _opening_miss(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    white = (float(rng.uniform(150, t.length / 4 - 40)), float(rng.uniform(200, t.width - 200)))
    placing = {"white": white, "yellow": t.spots["pyramid"], "red": t.spots["home"], "black": t.spots["centre"]}
    low, high = search.window(t, white, placing["yellow"])
    far = hypot(placing["yellow"][0] - white[0], placing["yellow"][1] - white[1])
    heading = float(rng.choice([low - rng.uniform(5, 60) / far, high + rng.uniform(5, 60) / far]))
    if shot := search.player(t, placing, "white", speed(rng, 1300, 2400), **spin(rng))(heading):
        yield shot


@recipe(
    "yellow-meets-red-only",
    "clean",
    "yellow as cue ball meets red, which is legal",
    lambda s: first(s) == frozenset(("yellow", "red")) and len(pairs(s)) == 1 and not potted(s) and len(s.of("cushion")) >= 1 and short(s),
)
def _yellow_red_only(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from aimed(rng, t, places(rng, t), "yellow", "red", 900, 2000)
