"""Recipes that find the strokes of the library: `python -m sample_videos.recipes OUT.toml [NAME…]` searches them anew.

A recipe draws places, aims with `search`, and says by the events which stroke it wants. Development only.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from math import cos, degrees, hypot, pi, radians, sin
from typing import Any

import numpy as np

from calibration.table import BALLS, CUSHIONS, Point, Table, table
from sample_videos import search
from sample_videos.physics import SimulatedShot

Draw = Callable[[np.random.Generator, Table], Iterator[SimulatedShot]]
Wanted = Callable[[SimulatedShot], bool]


@dataclass(frozen=True, slots=True)
class Recipe:
    """How to find a stroke; `call` may be a function of the stroke found."""

    name: str
    about: str
    draw: Draw
    wanted: Wanted
    call: str | Callable[[SimulatedShot], str] | None = None
    more: Mapping[str, Any] | None = None


RECIPES: dict[str, Recipe] = {}


def recipe(
    name: str, about: str, wanted: Wanted, call: str | Callable[[SimulatedShot], str] | None = None, **more: Any
) -> Callable[[Draw], Draw]:
    def add(draw: Draw) -> Draw:
        RECIPES[name] = Recipe(name, about, draw, wanted, call, more)
        return draw

    return add


# --- what was called, in words ---------------------------------------------------------------------------------

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


# --- what happened ------------------------------------------------------------------------------------------------


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


def short(shot: SimulatedShot, seconds: float = 7.5) -> bool:
    return shot.duration < seconds


# --- places ---------------------------------------------------------------------------------------------------------


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
    rng: np.random.Generator, t: Table, placing: dict[str, Point], cue: str, ball: str, low: float, high: float
) -> Iterator[SimulatedShot]:
    """Strokes with random headings that meet a ball."""
    a, b = search.window(t, placing[cue], placing[ball])
    shot = search.player(t, placing, cue, speed(rng, low, high), **spin(rng))(float(rng.uniform(a, b)))
    if shot:
        yield shot


def blind(
    rng: np.random.Generator, t: Table, placing: dict[str, Point], cue: str, low: float, high: float, **more: float
) -> Iterator[SimulatedShot]:
    shot = search.player(t, placing, cue, speed(rng, low, high), **{**spin(rng), **more})(float(rng.uniform(-pi, pi)))
    if shot:
        yield shot


# --- straight balls -----------------------------------------------------------------------------------------------


def straight(shot: SimulatedShot, ball: str) -> bool:
    return not reflections(shot, ball) and ball in potted(shot) and len([p for p in pairs(shot) if ball in p]) == 1


@recipe("straight-pot", "yellow straight into a corner, nothing called", lambda s: straight(s, "yellow") and only(s, WY) and short(s))
def _straight_pot(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from search.pot(t, places(rng, t), "white", "yellow", any_pocket(rng, "corner"), speed(rng, 1200, 2200), **spin(rng))


@recipe(
    "straight-pot-called",
    "yellow straight into a corner, as called",
    lambda s: straight(s, "yellow") and only(s, WY) and short(s),
    pot_call("yellow"),
)
def _straight_called(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from _straight_pot(rng, t)


@recipe("straight-pot-middle", "yellow straight into a middle pocket", lambda s: straight(s, "yellow") and only(s, WY) and short(s))
def _straight_middle(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from search.pot(t, places(rng, t), "white", "yellow", any_pocket(rng, "middle"), speed(rng, 1000, 2000), **spin(rng))


@recipe(
    "fast-pot", "yellow straight into a corner at six metres a second", lambda s: straight(s, "yellow") and first(s) == WY and short(s, 12)
)
def _fast_pot(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from search.pot(
        t, places(rng, t), "white", "yellow", any_pocket(rng, "corner"), speed(rng, 5000, 6500), follow=float(rng.uniform(-0.3, 0.0))
    )


@recipe(
    "slow-pot",
    "yellow trickles over the edge of a middle pocket",
    lambda s: straight(s, "yellow") and only(s, WY) and not jaws(s, "yellow") and s.of("pocket", "yellow")[0]["t"] > 3.5,
)
def _slow_pot(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from search.pot(t, places(rng, t), "white", "yellow", any_pocket(rng, "middle"), speed(rng, 500, 1100), follow=0.0)


@recipe(
    "own-middle",
    "white straight into a middle pocket off yellow",
    lambda s: straight(s, "white") and only(s, WY) and short(s),
    pot_call("white"),
)
def _own_middle(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    pocket = any_pocket(rng, "middle")
    yield from search.pot(t, places(rng, t, yellow=facing(rng, t, pocket)), "white", "white", pocket, speed(rng, 1000, 2200), **spin(rng))


@recipe(
    "own-middle-silent", "white straight into a middle pocket, nothing called", lambda s: straight(s, "white") and only(s, WY) and short(s)
)
def _own_silent(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from _own_middle(rng, t)


@recipe(
    "own-corner",
    "white straight into a corner off yellow",
    lambda s: straight(s, "white") and first(s) == WY and short(s),
    pot_call("white"),
)
def _own_corner(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    pocket = any_pocket(rng, "corner")
    yield from search.pot(t, places(rng, t, yellow=facing(rng, t, pocket)), "white", "white", pocket, speed(rng, 1000, 2200), **spin(rng))


@recipe(
    "own-instead",
    "white falls straight though yellow was called",
    lambda s: straight(s, "white") and potted(s) == ["white"] and first(s) == WY and short(s),
    "жёлтый в левый дальний угол",
)
def _own_instead(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from _own_middle(rng, t)


def _two_pockets(s: SimulatedShot) -> bool:
    return straight(s, "yellow") and straight(s, "white") and s.pot("yellow") != s.pot("white")


@recipe(
    "two-pockets",
    "white and yellow straight into two pockets, both called",
    _two_pockets,
    lambda s: f"{pot_call('white')(s)} и {pot_call('yellow')(s)}",
)
def _both(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    a, b = [("foot-left", "middle-right"), ("foot-right", "middle-left"), ("home-left", "middle-right"), ("foot-left", "foot-right")][
        rng.integers(4)
    ]
    yellow = facing(rng, t, a)
    placing = places(rng, t, yellow=yellow, red=None, black=None)
    for follow in (0.0, 0.2, 0.4, -0.2):
        yield from search.pot(t, placing, "white", "yellow", a, speed(rng, 1200, 3200), follow=follow)
        yield from search.pot(t, placing, "white", "white", b, speed(rng, 1200, 3200), follow=follow)


@recipe(
    "yellow-pots-red",
    "yellow as cue ball drives red into a corner",
    lambda s: straight(s, "red") and only(s, YR) and short(s),
    pot_call("red"),
)
def _yellow_red(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from search.pot(t, places(rng, t), "yellow", "red", any_pocket(rng), speed(rng, 1200, 2400), **spin(rng))


@recipe("yellow-pots-white", "yellow as cue ball drives white into a pocket", lambda s: straight(s, "white") and only(s, WY) and short(s))
def _yellow_white(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from search.pot(t, places(rng, t), "yellow", "white", any_pocket(rng), speed(rng, 1200, 2400), **spin(rng))


# --- fouls ------------------------------------------------------------------------------------------------------------


@recipe("miss", "white meets no ball", lambda s: not pairs(s) and len(reflections(s, "white")) >= 2 and not potted(s) and short(s, 8))
def _miss(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from blind(rng, t, places(rng, t), "white", 1200, 2400)


@recipe(
    "near-miss",
    "white passes yellow at 3 to 8 mm",
    lambda s: not pairs(s) and 3 < search.nearest(s, "white", "yellow")[0] < 8 and not potted(s) and short(s, 9),
)
def _near_miss(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    placing = places(rng, t)
    low, high = search.window(t, placing["white"], placing["yellow"])
    far = hypot(placing["white"][0] - placing["yellow"][0], placing["white"][1] - placing["yellow"][1])
    heading = float(rng.choice([low - rng.uniform(2, 10) / far, high + rng.uniform(2, 10) / far]))
    shot = search.player(t, placing, "white", speed(rng, 1200, 2600), **spin(rng))(heading)
    if shot:
        yield shot


@recipe("white-red", "white meets yellow, then red", lambda s: only(s, WY, WR) and not potted(s) and short(s))
def _white_red(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from aimed(rng, t, places(rng, t), "white", "yellow", 1000, 2400)


@recipe("red-first", "white meets red first and yellow never", lambda s: only(s, WR) and not potted(s) and short(s))
def _red_first(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from aimed(rng, t, places(rng, t), "white", "red", 800, 2000)


@recipe("black-first", "white meets black before an object ball", lambda s: pairs(s)[:2] == [WB, WY] and not potted(s) and short(s))
def _black_first(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from aimed(rng, t, places(rng, t), "white", "black", 800, 2400)


@recipe(
    "inactive",
    "a soft stroke: nothing reaches a cushion or the middle line",
    lambda s: only(s, WY) and not s.of("cushion") and not s.of("midline") and not s.of("jaw") and not potted(s) and s.duration > 1.2,
)
def _inactive(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from aimed(rng, t, places(rng, t), "white", "yellow", 300, 700)


@recipe(
    "midline-only",
    "a soft stroke that is active enough only by the middle line",
    lambda s: only(s, WY) and not s.of("cushion") and not s.of("jaw") and any(e["t"] > s.contacts()[0][0] for e in s.of("midline")),
)
def _midline_only(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    placing = places(rng, t, yellow=(float(t.length / 2 + rng.uniform(-250, 250)), float(rng.uniform(150, t.width - 150))))
    yield from aimed(rng, t, placing, "white", "yellow", 400, 900)


# --- cushions -------------------------------------------------------------------------------------------------------


def _banked(n: int) -> Wanted:
    def wanted(s: SimulatedShot) -> bool:
        met_by = reflections(s, "yellow")
        pocket = s.pot("yellow")
        return bool(pocket) and len(met_by) == n and not adjoins(str(pocket), met_by[0]) and only(s, WY) and short(s, 9)

    return wanted


def _bank_draw(rng: np.random.Generator, t: Table, n: int) -> Iterator[SimulatedShot]:
    placing = places(rng, t)
    pocket = any_pocket(rng)
    order = [str(c) for c in rng.choice(CUSHIONS, size=n)]
    if any(a == b for a, b in pairwise(order)) or adjoins(pocket, order[-1]):
        return
    yield from search.bank(t, placing, "white", "yellow", t.pocket(pocket).centre, tuple(order), speed(rng, 1800, 3600), **spin(rng))


@recipe("bank-pot", "yellow off one cushion into a pocket, as called", _banked(1), pot_call("yellow"))
def _bank_pot(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from _bank_draw(rng, t, 1)


@recipe("bank-pot-two", "yellow off two cushions into a pocket, as called", _banked(2), pot_call("yellow"))
def _bank_pot_two(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from _bank_draw(rng, t, 2)


@recipe("bank-pot-silent", "yellow off one cushion into a pocket without a call", _banked(1))
def _bank_silent(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from _bank_draw(rng, t, 1)


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


@recipe("bank-black", "yellow off one cushion onto black, as called", _onto_black(1), "жёлтым от борта по чёрному")
def _bank_black(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from _black_draw(rng, t, 1)


@recipe("bank-black-two", "yellow off two cushions onto black, as called", _onto_black(2), "жёлтым от двух бортов по чёрному")
def _bank_black_two(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from _black_draw(rng, t, 2)


@recipe("bank-black-short", "one cushion onto black where two were called", _onto_black(1), "жёлтым от двух бортов по чёрному")
def _bank_black_short(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from _black_draw(rng, t, 1)


def _carom(s: SimulatedShot) -> bool:
    if pairs(s)[:2] != [WY, WR] or potted(s):
        return False
    t_red = s.contacts()[1][0]
    before = [e for e in s.of("cushion", "white") if e["t"] < t_red]
    return len(before) >= 3 and not [e for e in s.of("jaw", "white") if e["t"] < t_red] and t_red < 6.5 and short(s, 11)


def _carom_draw(rng: np.random.Generator, t: Table, **more: float) -> Iterator[SimulatedShot]:
    placing = places(rng, t, red=None)
    low, high = search.window(t, placing["white"], placing["yellow"])
    play = search.player(t, placing, "white", speed(rng, 3000, 4500), **{**spin(rng), **more})
    miss = search.leg_after("cushion", "white", 3, target=placing["red"])
    yield from search.solutions(play, miss, low, high, 28)


@recipe("carom", "three cushions, yellow then red, as called", _carom, "триборт от жёлтого по красному")
def _carom_plain(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from _carom_draw(rng, t)


@recipe("carom-side", "the same with much side", _carom, "карамболь три борта с жёлтого на красный")
def _carom_side(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from _carom_draw(rng, t, side=float(rng.choice([-0.45, 0.45])))


# --- combinations -------------------------------------------------------------------------------------------------


def _chain(rng: np.random.Generator, t: Table, cue: str, by: str, ball: str) -> Iterator[SimulatedShot]:
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
    bracket = search.driven(t, placing, cue, by, place, 8)
    if bracket:
        play = search.player(t, placing, cue, speed(rng, 1400, 2800), **spin(rng))
        yield from search.solutions(play, search.leg_after("contact", ball, target=target), *bracket, 8, largest=2000)


@recipe(
    "combination-red-by-white",
    "yellow drives white, white drives red into a pocket, as called",
    lambda s: only(s, WY, WR) and "red" in potted(s) and not reflections(s, "red") and short(s),
    pot_call("red", " белым"),
)
def _red_by_white(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from _chain(rng, t, "yellow", "white", "red")


@recipe(
    "combination-yellow-by-black",
    "white drives black, black drives yellow into a pocket, as called",
    lambda s: only(s, WB, YB) and "yellow" in potted(s) and not reflections(s, "yellow") and short(s),
    pot_call("yellow", " чёрным"),
)
def _yellow_by_black(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from _chain(rng, t, "white", "black", "yellow")


@recipe(
    "combination-black-by-yellow",
    "white drives yellow, yellow drives black into a pocket, as called",
    lambda s: only(s, WY, YB) and "black" in potted(s) and not reflections(s, "black") and short(s),
    pot_call("black", " жёлтым"),
)
def _black_by_yellow(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from _chain(rng, t, "white", "yellow", "black")


@recipe(
    "own-off-two",
    "white goes in off yellow and black, as called",
    lambda s: pairs(s)[:2] == [WY, WB] and "white" in potted(s) and len(pairs(s)) == 2 and not reflections(s, "white") and short(s),
    pot_call("white", " от двух шаров"),
)
def _own_off_two(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from _deflect(rng, t, "white", "black")


def _deflect(rng: np.random.Generator, t: Table, ball: str, off: str) -> Iterator[SimulatedShot]:
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
    "yellow goes in off black, as called",
    lambda s: only(s, WY, YB) and "yellow" in potted(s) and not reflections(s, "yellow") and short(s),
    pot_call("yellow", " от чёрного"),
)
def _yellow_off_black(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from _deflect(rng, t, "yellow", "black")


# --- hard to see --------------------------------------------------------------------------------------------------


@recipe(
    "thin-kiss",
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


@recipe("two-contacts", "two contacts within 20 ms", _close_contacts)
def _two_contacts(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    placing = places(rng, t, red=None)
    turn, gap = float(rng.uniform(-pi, pi)), float(rng.uniform(69, 90))
    placing["red"] = (placing["yellow"][0] + gap * cos(turn), placing["yellow"][1] + gap * sin(turn))
    if 40 < placing["red"][0] < t.length - 40 and 40 < placing["red"][1] < t.width - 40:
        yield from aimed(rng, t, placing, "white", "yellow", 1000, 2200)


@recipe(
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


@recipe("corner-double", "yellow touches two cushions near a corner within 120 ms", _corner_double)
def _corner(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    x, y = float(rng.uniform(60, 250)), float(rng.uniform(60, 250))
    near = (x if rng.random() < 0.5 else t.length - x, y if rng.random() < 0.5 else t.width - y)
    yield from aimed(rng, t, places(rng, t, yellow=near), "white", "yellow", 1000, 2400)


@recipe(
    "corner-rattle",
    "yellow rattles in the jaws of a corner and stays out",
    lambda s: len([p for p in jaws(s, "yellow") if not p.startswith("middle")]) >= 2 and not potted(s) and only(s, WY) and short(s),
)
def _corner_rattle(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from _rattle(rng, t, any_pocket(rng, "corner"))


@recipe(
    "middle-rattle",
    "yellow rattles in the jaws of a middle pocket and stays out",
    lambda s: len([p for p in jaws(s, "yellow") if p.startswith("middle")]) >= 2 and not potted(s) and only(s, WY) and short(s),
)
def _middle_rattle(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from _rattle(rng, t, any_pocket(rng, "middle"))


def _rattle(rng: np.random.Generator, t: Table, pocket: str) -> Iterator[SimulatedShot]:
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


@recipe("jaws-stop", "yellow stops in the jaws", _hangs)
def _jaws_stop(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
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


@recipe("jaws-then-falls", "yellow stops in the jaws and falls 1.6 s later", _on_edge, falls=1.6)
def _jaws_falls(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from _jaws_stop(rng, t)


@recipe("jaws-falls-late", "yellow stops in the jaws and falls 3.8 s later", _on_edge, falls=3.8)
def _jaws_late(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from _jaws_stop(rng, t)


@recipe(
    "kiss-back",
    "yellow comes off a cushion and meets white again",
    lambda s: (
        pairs(s)[:2] == [WY, WY] and 0.1 < s.contacts()[1][0] - s.contacts()[0][0] < 2 and not potted(s) and WR not in pairs(s) and short(s)
    ),
)
def _kiss_back(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    near = [(float(rng.uniform(200, t.length - 200)), float(rng.choice([rng.uniform(60, 160), t.width - rng.uniform(60, 160)])))]
    yield from aimed(rng, t, places(rng, t, yellow=near[0]), "white", "yellow", 1000, 2400)


@recipe("along-cushion", "yellow runs along a cushion", lambda s: only(s, WY) and not potted(s) and _hugs(s) and short(s))
def _along(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    placing = places(rng, t, yellow=(float(rng.uniform(300, t.length - 300)), float(rng.choice([34.5, t.width - 34.5]))))
    yield from aimed(rng, t, placing, "white", "yellow", 1000, 2000)


def _hugs(s: SimulatedShot) -> bool:
    times = np.arange(0, s.duration, 0.02)
    y = s.paths["yellow"].at(times)[:, 1]
    v = np.hypot(*s.paths["yellow"].velocity(times).T)
    return float(np.sum((v > 100) & ((y < 45) | (y > s.table.width - 45))) * 0.02) > 0.8


# --- openings -------------------------------------------------------------------------------------------------------


def _opening_places(rng: np.random.Generator, t: Table) -> dict[str, Point]:
    house = (float(rng.uniform(150, t.length / 4 - 40)), float(rng.uniform(200, t.width - 200)))
    return {"white": house, "yellow": t.spots["pyramid"], "red": t.spots["home"], "black": t.spots["centre"]}


@recipe(
    "opening",
    "an opening stroke in order: yellow met, a cushion touched",
    lambda s: only(s, WY) and not potted(s) and len(s.of("cushion")) >= 2 and short(s, 9),
    opening=True,
    placement="in_hand_house",
)
def _opening(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from aimed(rng, t, _opening_places(rng, t), "white", "yellow", 1600, 3000)


@recipe(
    "opening-soft",
    "an opening stroke after which no ball touches a cushion",
    lambda s: only(s, WY) and not s.of("cushion") and not s.of("jaw") and not potted(s),
    opening=True,
    placement="in_hand_house",
)
def _opening_soft(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from aimed(rng, t, _opening_places(rng, t), "white", "yellow", 700, 1200)


@recipe(
    "break",
    "a hard stroke with many contacts and cushions",
    lambda s: len(s.events) > 28 and len(pairs(s)) >= 4 and first(s) == WY and short(s, 12),
)
def _break(rng: np.random.Generator, t: Table) -> Iterator[SimulatedShot]:
    yield from aimed(rng, t, places(rng, t), "white", "yellow", 4000, 5500)


# --- writing the library ------------------------------------------------------------------------------------------


def stroke_toml(found: SimulatedShot, item: Recipe) -> str:
    """The stroke as a table of `strokes.toml`."""
    call = item.call(found) if callable(item.call) else item.call
    more = dict(item.more or {})
    strike = found.strike
    lines = ["[[stroke]]", f'name = "{item.name}"', f'about = "{item.about}"']
    if call:
        lines.append(f'call = "{call}"')
    balls = ", ".join(f"{b} = [{found.before[b][0]!r}, {found.before[b][1]!r}]" for b in BALLS if b in found.before)
    lines += [
        f"placing = {{ {balls} }}",
        f'cue_ball = "{strike.cue_ball}"',
        f"speed = {strike.speed!r}",
        f"heading = {degrees(strike.heading)!r}",
    ]
    if strike.follow:
        lines.append(f"follow = {strike.follow!r}")
    if strike.side:
        lines.append(f"side = {strike.side!r}")
    if "placement" in more:
        lines.append(f'placement = "{more["placement"]}"')
    if more.get("opening"):
        lines.append("opening = true")
    if "falls" in more:
        stop = next(e for e in reversed(found.of("stop")) if e.get("jaws"))
        lines.append(f'falls = {{ ball = "{stop["ball"]}", pocket = "{stop["jaws"]}", after = {more["falls"]} }}')
    return "\n".join(lines) + "\n"


def rounded(found: SimulatedShot) -> SimulatedShot | None:
    """The same stroke from rounded numbers (0.01 mm, 0.1 mm/s, 1e-7 rad), so that a file holds it exactly."""
    from math import radians

    placing = {b: (round(p[0], 3), round(p[1], 3)) for b, p in found.before.items()}
    s = found.strike
    play = search.player(
        found.table, placing, s.cue_ball, round(s.speed, 1), cloth=found.cloth, follow=round(s.follow, 3), side=round(s.side, 3)
    )
    return play(radians(round(degrees(s.heading), 6)))


def find(item: Recipe, seed: int = 0, seconds: float = 40.0) -> SimulatedShot | None:
    """Search a stroke of the recipe on the 12-ft table; the result is exactly what its TOML text says."""
    kind = table()
    rng = np.random.default_rng([seed, zlib.crc32(item.name.encode())])

    def draws(rng: np.random.Generator) -> Iterator[SimulatedShot]:
        for shot in item.draw(rng, kind):
            if item.wanted(shot) and (again := rounded(shot)) is not None:
                yield again

    return search.hunt(draws, item.wanted, rng, search.Budget(seconds))


def main(arguments: list[str]) -> int:
    """Search the recipes named (or all) and append what is found to the file."""
    out, names = arguments[0], arguments[1:] or list(RECIPES)
    for name in names:
        found = find(RECIPES[name])
        print(name, "found" if found else "NOT FOUND", flush=True)
        if found:
            with open(out, "a", encoding="utf-8") as file:
                file.write(stroke_toml(found, RECIPES[name]) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
