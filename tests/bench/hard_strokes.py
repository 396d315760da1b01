"""Strokes of the kinds that are hard to see, drawn at random and played by the simulator, with their truth."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import asin, atan2, cos, degrees, hypot, radians, sin, sqrt

import numpy as np

from calibration.table import BALLS, Table
from sample_videos.physics import SimulatedShot, SimulationFailed
from sample_videos.strokes import ScenarioError, Stroke, library, play


@dataclass(frozen=True, slots=True)
class Case:
    """A stroke of a `kind` with its truth."""

    kind: str
    stroke: Stroke
    shot: SimulatedShot


Draw = Callable[[np.random.Generator, Table], Stroke]


def _spots(rng: np.random.Generator, kind: Table, apart: float = 250.0) -> dict[str, tuple[float, float]]:
    while True:
        places = {b: (float(rng.uniform(100, kind.length - 100)), float(rng.uniform(100, kind.width - 100))) for b in BALLS}
        spots = np.array(list(places.values()))
        if (np.hypot(*(spots[:, None] - spots[None]).transpose(2, 0, 1)) + 1e4 * np.eye(4)).min() > apart:
            return places


def _sent(
    rng: np.random.Generator, places: Mapping[str, tuple[float, float]], to: tuple[float, float], off: float, low: float, high: float
):
    """White sent so that its straight way passes `to` at `off` mm."""
    x, y = places["white"]
    far = hypot(to[0] - x, to[1] - y)
    heading = degrees(atan2(to[1] - y, to[0] - x) + asin(max(-1.0, min(1.0, off / far))))
    follow = float(rng.uniform(0, 0.4))
    return Stroke("drawn", places, "white", float(rng.uniform(low, high)), heading, follow=follow)


def _beside(rng: np.random.Generator, ball: float, low: float, high: float) -> float:
    return float(rng.choice((-1, 1)) * (ball + rng.uniform(low, high)))


def _plain(rng: np.random.Generator, kind: Table) -> Stroke:
    places = _spots(rng, kind)
    return replace(
        _sent(rng, places, places[str(rng.choice(BALLS[1:]))], float(rng.uniform(-60, 60)), 700, 4500), side=float(rng.uniform(-0.3, 0.3))
    )


def _kiss(rng: np.random.Generator, kind: Table) -> Stroke:
    places = _spots(rng, kind)
    return _sent(rng, places, places["yellow"], _beside(rng, kind.ball, -2.0, -0.05), 600, 3500)


def _near(rng: np.random.Generator, kind: Table) -> Stroke:
    places = _spots(rng, kind)
    return _sent(rng, places, places["yellow"], _beside(rng, kind.ball, 3.0, 8.0), 600, 3500)


def _pair(rng: np.random.Generator, kind: Table) -> Stroke:
    """Yellow, and red so near behind or beside it that both contacts come within a frame or two."""
    places = _spots(rng, kind, 400.0)
    turn, gap = rng.uniform(0, 6.28), rng.uniform(0.5, 25.0)
    x, y = places["yellow"]
    red = (x + (kind.ball + gap) * cos(turn), y + (kind.ball + gap) * sin(turn))
    return _sent(rng, {**places, "red": red}, (x, y), float(rng.uniform(-55, 55)), 800, 3500)


def _frozen(rng: np.random.Generator, kind: Table) -> Stroke:
    """Two object balls that touch, or the cue ball against one of them."""
    places = _spots(rng, kind, 400.0)
    turn, double = rng.uniform(0, 6.28), kind.ball + 0.01
    if rng.random() < 0.5:
        x, y = places["yellow"]
        places["red"] = (x + double * cos(turn), y + double * sin(turn))
        return _sent(rng, places, (x, y), float(rng.uniform(-55, 55)), 800, 3500)
    x, y = places["white"]
    places["yellow"] = (x + double * cos(turn), y + double * sin(turn))
    return Stroke("drawn", places, "white", float(rng.uniform(800, 2500)), degrees(turn) + float(rng.uniform(-75, 75)))


def _corner(rng: np.random.Generator, kind: Table) -> Stroke:
    """White into a corner beside the pocket: both cushions within some hundredths of a second."""
    places = _spots(rng, kind)
    right, up = rng.random() < 0.5, rng.random() < 0.5
    reach = 90 + rng.uniform(0, 90)  # mm from the corner, where the first nose is met
    along = rng.random() < 0.5
    to = (kind.length * right + (reach if along else 34) * (1 - 2 * right), kind.width * up + (34 if along else reach) * (1 - 2 * up))
    back, turn = rng.uniform(300, 1200), rng.uniform(0.35, 1.2)
    start = (to[0] + back * cos(turn) * (1 - 2 * right), to[1] + back * sin(turn) * (1 - 2 * up))
    places["white"] = (min(max(start[0], 60), kind.length - 60), min(max(start[1], 60), kind.width - 60))
    return _sent(rng, places, to, 0.0, 1000, 4000)


def _cushion(rng: np.random.Generator, kind: Table) -> Stroke:
    """Yellow within some millimetres of a cushion and driven into it."""
    places = _spots(rng, kind, 400.0)
    x = float(rng.uniform(500, kind.length - 500))
    places["yellow"] = (x, kind.width - 34 - float(rng.uniform(0, 15)))
    return _sent(rng, places, places["yellow"], float(rng.uniform(-50, 50)), 800, 3000)


def _soft(rng: np.random.Generator, kind: Table) -> Stroke:
    """White rolls out at yellow, which it meets with its last millimetres: yellow moves by some millimetres, or hardly."""
    places = _spots(rng, kind)
    stroke = _sent(rng, places, places["yellow"], float(rng.uniform(-55, 55)), 900, 900)
    reach, way = _left_to_go(places, kind.ball, stroke.heading) + float(rng.uniform(0.2, 15.0)), 0.0
    for _ in range(4):
        way = _rolled(stroke, kind)
        stroke = replace(stroke, speed=stroke.speed * sqrt(reach / way))
    if abs(way - reach) > 20:
        raise ScenarioError("white meets a cushion on its way")
    return stroke


def _left_to_go(places: Mapping[str, tuple[float, float]], double: float, heading: float) -> float:
    """How far (mm) white runs until it meets yellow."""
    x, y = places["yellow"][0] - places["white"][0], places["yellow"][1] - places["white"][1]
    along, aside = (x * cos(radians(heading)) + y * sin(radians(heading)), y * cos(radians(heading)) - x * sin(radians(heading)))
    return along - sqrt(max(double**2 - aside**2, 0.0))


def _rolled(stroke: Stroke, kind: Table) -> float:
    """How far (mm) white rolls where nothing is in its way."""
    shot = play(replace(stroke, placing={"white": stroke.placing["white"]}), kind)
    start, end = stroke.placing["white"], shot.after["white"]
    return 1.0 if end is None else hypot(end[0] - start[0], end[1] - start[1])


def _jaws(corner: bool) -> Draw:
    def draw(rng: np.random.Generator, kind: Table) -> Stroke:
        """White sent at a pocket, a little off its axis: it rattles, falls or comes out again."""
        places = _spots(rng, kind)
        pocket = kind.pockets[int(rng.choice([k for k, p in enumerate(kind.pockets) if p.corner == corner]))]
        tips = np.array([jaw.tip for jaw in pocket.jaws])
        middle = tips.mean(axis=0)
        inward = np.array(pocket.centre) - middle
        way = atan2(*inward[::-1]) + float(rng.uniform(-0.35, 0.35))
        back = rng.uniform(300, 900)
        places["white"] = (float(middle[0] - back * cos(way)), float(middle[1] - back * sin(way)))
        return _sent(rng, places, (float(middle[0]), float(middle[1])), float(rng.uniform(-25, 25)), 500, 3000)

    return draw


DRAWS: Mapping[str, Draw] = {
    "plain": _plain, "kiss": _kiss, "near miss": _near, "two contacts": _pair, "frozen": _frozen, "corner": _corner,
    "cushion and ball": _cushion, "soft": _soft, "corner jaws": _jaws(True), "middle jaws": _jaws(False),
}  # fmt: skip


def cases(count: int, seed: int, kind: Table, kinds: Sequence[str] = ()) -> Iterator[Case]:
    """`count` strokes of each kind, then `count` times the library's strokes, each a little harder and turned by a little."""
    for name in kinds or (*DRAWS, "library"):
        if name == "library":
            yield from _library(count, seed, kind)
            continue
        rng, made = np.random.default_rng((seed, *name.encode())), 0
        while made < count:
            try:
                stroke = DRAWS[name](rng, kind)
                shot = play(stroke, kind)
            except (SimulationFailed, ScenarioError):
                continue
            if shot.duration < 12:
                made += 1
                yield Case(name, stroke, shot)


def _library(count: int, seed: int, kind: Table) -> Iterator[Case]:
    rng = np.random.default_rng(seed)
    for stroke in [s for s in library().values() if not s.up and s.falls is None] * max(1, count // 20):
        try:
            varied = replace(
                stroke, speed=stroke.speed * float(rng.uniform(0.98, 1.02)), heading=stroke.heading + float(rng.normal(0, 0.05))
            )
            yield Case("library", varied, play(varied, kind))
        except SimulationFailed:
            continue
