"""What differs by millimetres and milliseconds: near misses, thin kisses, the order of contacts, balls frozen to balls and cushions."""

from __future__ import annotations

from collections.abc import Iterator
from math import hypot

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
)


def _passes(ball: str):
    """White meets yellow and passes another ball at 3 to 8 mm."""

    def wanted(s: SimulatedShot) -> bool:
        if not only(s, WY) or potted(s) or len(s.of("cushion")) < 1 or not short(s, 9):
            return False
        gap, t = search.nearest(s, "white", ball)
        return 3 < gap < 8 and float(np.hypot(*s.paths["white"].velocity(t))) > 150

    return wanted


def _past(rng: np.random.Generator, t: Table, ball: str) -> Iterator[SimulatedShot]:
    """A stroke onto yellow, played first without `ball`, which is then laid beside the way of white."""
    placing = places(rng, t, red=None, black=None)
    del placing[ball]
    shot = next(aimed(rng, t, placing, "white", "yellow", 1000, 2200), None)
    if shot is None or not shot.contacts():
        return
    when = float(rng.uniform(0.15, shot.duration * 0.6))
    yield from _laid_beside(rng, t, shot, ball, when, 200, (2.5, 8.5), 1)


def _laid_beside(
    rng: np.random.Generator,
    t: Table,
    shot: SimulatedShot,
    ball: str,
    when: float,
    least: float,
    gap: tuple[float, float],
    outwards: int,
) -> Iterator[SimulatedShot]:
    """The stroke again with `ball` beside the way of white, which is faster than `least` mm/s there at `when` s.

    `gap`: mm between the way's balls and it, chosen in this range; `outwards` -1: so much into the way.
    """
    v = shot.paths["white"].velocity(when)
    if (size := float(np.hypot(*v))) < least:
        return
    aside = np.array([-v[1], v[0]]) / size * (t.ball + outwards * float(rng.uniform(*gap))) * float(rng.choice([-1, 1]))
    place = shot.paths["white"].at(when)[:2] + aside
    beside = (float(place[0]), float(place[1]))
    if not inside(t, beside) or any(hypot(beside[0] - p[0], beside[1] - p[1]) < t.ball + 1 for p in shot.before.values()):
        return
    s = shot.strike
    again = search.player(t, {**shot.before, ball: beside}, "white", s.speed, follow=s.follow, side=s.side)(s.heading)
    if again:
        yield again


@recipe("near-miss-red", "near-miss", "white meets yellow and passes red at 3 to 8 mm", _passes("red"))
def _near_red(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from _past(rng, t, "red")


@recipe("near-miss-black", "near-miss", "white meets yellow and passes black at 3 to 8 mm", _passes("black"))
def _near_black(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from _past(rng, t, "black")


def _after(s: SimulatedShot, n: int, ball: str) -> float:
    """Speed of a ball just after the n-th contact, mm/s."""
    return float(np.hypot(*s.paths[ball].velocity(s.contacts()[n][0] + 1e-6)))


def _graze(rng: np.random.Generator, t: Table, ball: str, *, before: bool) -> Iterator[SimulatedShot]:
    """As `_past`, with the ball 0.02 to 1.5 mm into the way."""
    placing = places(rng, t, red=None, black=None)
    del placing[ball]
    shot = next(aimed(rng, t, placing, "white", "yellow", 1000, 2200), None)
    if shot is None or not shot.contacts():
        return
    hit = shot.contacts()[0][0]
    when = float(rng.uniform(0.4 * hit, 0.95 * hit)) if before else hit + float(rng.uniform(0.1, 1.5))
    yield from _laid_beside(rng, t, shot, ball, when, 300, (0.02, 1.5), -1)


@recipe(
    "thin-red",
    "thin",
    "white meets yellow and then kisses red so thinly that it hardly moves",
    lambda s: only(s, WY, WR) and 15 < _after(s, 1, "red") < 150 and not potted(s) and short(s, 9),
)
def _thin_red(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from _graze(rng, t, "red", before=False)


@recipe(
    "thin-black-first",
    "thin",
    "white kisses black thinly before it meets yellow",
    lambda s: only(s, WB, WY) and 15 < _after(s, 0, "black") < 150 and not potted(s) and len(s.of("cushion")) >= 1 and short(s, 9),
)
def _thin_black(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from _graze(rng, t, "black", before=True)


def _pair_within(one: frozenset[str], other: frozenset[str], low: float = 0.005, high: float = 0.020):
    """Two contacts in this order, 5 to 20 ms apart, and no more of white with red or black."""

    def wanted(s: SimulatedShot) -> bool:
        if pairs(s)[:2] != [one, other] or potted(s) or not short(s, 9) or not s.of("cushion"):
            return False
        times = s.contacts()
        return low < times[1][0] - times[0][0] < high and not {WR, WB} & set(pairs(s)[2:])

    return wanted


def _cluster(rng: np.random.Generator, t: Table, ball: str, aim: str) -> Iterator[SimulatedShot]:
    placing = places(rng, t, red=None, black=None)
    placing[ball] = near(rng, placing["yellow"], t.ball + 1, t.ball + 40)
    if inside(t, placing[ball]) and all(
        hypot(p[0] - placing[ball][0], p[1] - placing[ball][1]) >= t.ball for b, p in placing.items() if b != ball
    ):
        yield from aimed(rng, t, placing, "white", aim, 1000, 2200)


@recipe("close-yellow-red", "close-order", "white meets yellow, then red within 5 to 20 ms", _pair_within(WY, WR))
def _close_yellow_red(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from _cluster(rng, t, "red", "yellow")


@recipe("close-black-yellow", "close-order", "white meets black, then yellow within 5 to 20 ms", _pair_within(WB, WY))
def _close_black_yellow(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from _cluster(rng, t, "black", "black")


@recipe("close-yellow-black", "close-order", "white meets yellow, then black within 5 to 20 ms", _pair_within(WY, WB))
def _close_yellow_black(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from _cluster(rng, t, "black", "yellow")


@recipe("close-yellow-passes-on", "close-order", "white meets yellow, which meets black within 5 to 20 ms", _pair_within(WY, YB))
def _close_on(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from _cluster(rng, t, "black", "yellow")


def _against_cushion(low: float, high: float):
    def wanted(s: SimulatedShot) -> bool:
        if not only(s, WY) or potted(s) or not s.of("cushion", "yellow") or not short(s):
            return False
        return low <= s.of("cushion", "yellow")[0]["t"] - s.contacts()[0][0] < high

    return wanted


def _by_cushion(rng: np.random.Generator, t: Table, low: float, high: float) -> Iterator[SimulatedShot]:
    """Yellow so far (mm) from a long cushion; white comes from the middle of the table."""
    gap = t.radius + float(rng.uniform(low, high))
    y = gap if rng.random() < 0.5 else t.width - gap
    placing = places(rng, t, yellow=(float(rng.uniform(300, t.length - 300)), y))
    yield from aimed(rng, t, placing, "white", "yellow", 900, 2000)


@recipe("ball-and-cushion", "close-order", "yellow meets a cushion within 3 to 15 ms after white meets it", _against_cushion(0.003, 0.015))
def _with_cushion(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from _by_cushion(rng, t, 2, 25)


@recipe("frozen-to-cushion", "frozen", "yellow lies frozen to a cushion and is driven into it", _against_cushion(0.0, 0.001))
def _frozen_cushion(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from _by_cushion(rng, t, 0.001, 0.002)


@recipe(
    "frozen-red",
    "frozen",
    "white meets yellow, which lies frozen to red",
    lambda s: pairs(s)[:2] == [WY, YR] and not {WR, WB} & set(pairs(s)) and not potted(s) and len(s.of("cushion")) >= 1 and short(s),
)
def _frozen_red(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    placing = places(rng, t)
    placing["yellow"] = near(rng, placing["red"], t.ball + 0.001, t.ball + 0.002)
    if hypot(placing["yellow"][0] - placing["white"][0], placing["yellow"][1] - placing["white"][1]) > 90:
        yield from aimed(rng, t, placing, "white", "yellow", 1000, 2200, **spin(rng))


@recipe(
    "frozen-away",
    "frozen",
    "white lies frozen to red and is played away from it, onto yellow",
    lambda s: only(s, WY) and not potted(s) and len(s.of("cushion")) >= 1 and short(s),
)
def _frozen_away(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    placing = places(rng, t)
    placing["white"] = near(rng, placing["red"], t.ball + 0.001, t.ball + 0.002)
    away = search.heading_to(placing["red"], placing["white"])
    way = search.heading_to(placing["white"], placing["yellow"])
    if np.cos(way - away) > 0.3:
        yield from aimed(rng, t, placing, "white", "yellow", 1000, 2000)


@recipe(
    "inactive-close",
    "clean",
    "a soft stroke that ends within 40 mm of a cushion without touching it",
    lambda s: only(s, WY) and not s.of("cushion") and not s.of("jaw") and not s.of("midline") and not potted(s) and _short_of(s) < 40,
)
def _inactive_close(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from aimed(rng, t, places(rng, t), "white", "yellow", 300, speed(rng, 500, 1100))


def _short_of(s: SimulatedShot) -> float:
    """How near (mm) a ball that moved has come to rest to a cushion."""
    t = s.table
    gaps = [min(p[0], t.length - p[0], p[1], t.width - p[1]) - t.radius for b in ("white", "yellow") if (p := s.after[b])]
    return min(gaps, default=1e9)
