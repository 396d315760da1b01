"""Cues, hands, arms and players, made of tapered round bars (capsules)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from sample_videos.render.look import Colour

Point3 = tuple[float, float, float]
SKIN: tuple[Colour, ...] = ((0.87, 0.66, 0.54), (0.78, 0.54, 0.42), (0.93, 0.76, 0.66), (0.50, 0.32, 0.22), (0.30, 0.19, 0.13))


@dataclass(frozen=True, slots=True)
class Capsule:
    """A round bar from `a` to `b` (mm, table's frame), radii `ra`, `rb` mm; `weave` 0..1: how much its colour varies (folds).

    `move_a`, `move_b` mm: the ends' way over the exposure, at whose middle they are at `a` and `b`. `part`: `hand` of a bar that is part
    of one (the bars of a hand follow each other), `tip` of a cue's foremost one (its tip is at `a`); empty for all else.
    """

    a: Point3
    b: Point3
    ra: float
    rb: float
    colour: Colour
    weave: float = 0.0
    move_a: Point3 = (0.0, 0.0, 0.0)
    move_b: Point3 = (0.0, 0.0, 0.0)
    part: str = ""


def as_hand(bars: Sequence[Capsule]) -> list[Capsule]:
    """The bars, told to be those of one hand."""
    return [replace(bar, part="hand") for bar in bars]


def cue(
    tip: Sequence[float],
    direction: Sequence[float] | np.ndarray,
    *,
    length: float = 1450.0,
    colour: Colour = (0.78, 0.60, 0.38),
    butt: Colour = (0.10, 0.06, 0.05),
    leather: Colour = (0.15, 0.35, 0.55),
    ferrule: Colour = (0.92, 0.90, 0.85),
) -> list[Capsule]:
    """A cue whose tip is at `tip` mm and whose butt lies `length` mm back along minus `direction` (any length).

    `leather`: the tip's own colour, chalk on it; `ferrule`: of the ring behind it.
    """
    t, d = np.asarray(tip, float), np.asarray(direction, float)
    d = d / np.linalg.norm(d)

    def at(back: float) -> Point3:
        p = t - d * back
        return (float(p[0]), float(p[1]), float(p[2]))

    return [
        Capsule(at(0), at(6), 5.5, 6.0, leather, part="tip"),
        Capsule(at(6), at(28), 6.0, 6.2, ferrule),
        Capsule(at(28), at(length * 0.66), 6.2, 11.0, colour),
        Capsule(at(length * 0.66), at(length), 11.0, 15.5, butt),
    ]


def hand(
    at: Sequence[float],
    direction: Sequence[float] | np.ndarray,
    *,
    skin: Colour = SKIN[0],
    spread: float = 0.35,
    glove: Colour | None = None,
) -> list[Capsule]:
    """A bridge hand: palm at `at` mm, fingers towards `direction` (its horizontal part), on the cloth."""
    p, d = np.asarray(at, float), np.asarray(direction, float)[:2]
    d = d / max(np.linalg.norm(d), 1e-9)
    side = np.array([-d[1], d[0]])
    colour = glove or skin

    def point(forward: float, across: float, z: float) -> Point3:
        q = p[:2] + d * forward + side * across
        return (float(q[0]), float(q[1]), float(p[2] + z))

    bars = [
        Capsule(point(-45, 0, 22), point(26, 12, 21), 26, 22, colour, 0.1),
        Capsule(point(-20, -14, 20), point(26, -16, 20), 24, 20, colour, 0.1),
    ]
    for across, reach in ((30, 78), (12, 98), (-7, 100), (-26, 86)):
        knuckle = point(30, across, 27)
        middle = point(30 + 0.55 * (reach - 30), across * (1 + spread), 22)
        bars += [
            Capsule(knuckle, middle, 12, 10.5, colour, 0.1),
            Capsule(middle, point(reach, across * (1 + 1.7 * spread), 9), 10.5, 8.0, skin if glove else colour, 0.1),
        ]
    bars.append(Capsule(point(-10, 34, 24), point(58, 24, 40), 14, 10, colour, 0.1))  # thumb
    return as_hand(bars)


def arm(
    start: Sequence[float],
    end: Sequence[float],
    *,
    skin: Colour = SKIN[0],
    sleeve: Colour | None = (0.95, 0.95, 0.95),
    bare: float = 0.12,
    cuff: Colour | None = None,
) -> list[Capsule]:
    """An arm from the hand's wrist `start` to the shoulder `end` mm; the first share `bare` of it is skin (all of it without sleeve).

    `cuff`: of a shirt that looks out of the sleeve.
    """
    a, b = np.asarray(start, float), np.asarray(end, float)
    if sleeve is None:
        bare = 1.0
    cut = a + (b - a) * bare
    t3 = lambda v: (float(v[0]), float(v[1]), float(v[2]))  # noqa: E731
    bars = [Capsule(t3(a), t3(cut), 29, 29 + 22 * bare, skin, 0.1)]
    if sleeve is not None:
        bars.append(Capsule(t3(cut), t3(b), 38, 66, sleeve, 0.35))
        if cuff is not None:
            fore = cut - (b - a) / max(float(np.linalg.norm(b - a)), 1e-9) * 24
            bars.append(Capsule(t3(fore), t3(cut), 36, 37, cuff, 0.15))
    return bars


def player(
    bridge: Sequence[float],
    direction: Sequence[float] | np.ndarray,
    tip: Sequence[float],
    *,
    skin: Colour = SKIN[0],
    hair: Colour = (0.12, 0.08, 0.05),
    shirt: Colour = (0.95, 0.95, 0.95),
    trousers: Colour = (0.05, 0.05, 0.06),
    sleeve: bool = True,
    glove: Colour | None = None,
    wood: Colour = (0.78, 0.60, 0.38),
    back: float = 1.0,
    cuff: Colour | None = None,
    leather: Colour = (0.15, 0.35, 0.55),
    ferrule: Colour = (0.92, 0.90, 0.85),
) -> list[Capsule]:
    """A player who bends over the table to strike along `direction`: bridge hand at `bridge`, cue with its tip at `tip` (mm).

    `back` stretches the distance from the bridge to the body (1 = an arm's length).
    """
    p, d = np.asarray(bridge, float), np.asarray(direction, float)[:2]
    d = d / max(np.linalg.norm(d), 1e-9)
    side = np.array([-d[1], d[0]])

    def point(behind: float, across: float, z: float) -> Point3:
        q = p[:2] - d * behind * back + side * across
        return (float(q[0]), float(q[1]), float(z))

    cover = shirt if sleeve else None
    bars = hand(bridge, direction, skin=skin, glove=glove)
    bars += arm(point(50, 8, 45), point(560, 170, 420), skin=skin, sleeve=cover, bare=0.15, cuff=cuff)
    bars += arm(point(780, -30, 190), point(640, -190, 480), skin=skin, sleeve=cover, bare=0.3, cuff=cuff)
    bars += cue(tip, (d[0], d[1], -0.06), colour=wood, leather=leather, ferrule=ferrule)
    bars.append(Capsule(point(800, -30, 150), point(760, -30, 170), 36, 36, skin, 0.1, part="hand"))  # the hand on the butt
    bars.append(Capsule(point(600, 170, 430), point(640, -190, 470), 75, 75, shirt, 0.4))
    bars.append(Capsule(point(620, 20, 430), point(1050, -60, 330), 150, 170, shirt, 0.4))
    bars.append(Capsule(point(1050, -60, 300), point(1150, -160, -700), 130, 90, trousers, 0.3))
    bars.append(Capsule(point(1050, 60, 300), point(1000, 130, -700), 130, 90, trousers, 0.3))
    bars.append(Capsule(point(470, 10, 430), point(500, 0, 480), 88, 92, skin, 0.1))
    bars.append(Capsule(point(500, 0, 480), point(560, 0, 520), 96, 96, hair, 0.5))
    return bars
