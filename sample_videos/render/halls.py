"""Halls as they are: table, light, camera and broadcaster drawn together, where `random_look` draws each by itself.

Training wants every colour with every other; a person (and a test that should look like a match) wants what belongs together:
one cloth and its balls evenly lit, wood or black rails, a floor without colours, a camera that fills its picture with the table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from calibration.table import Table
from sample_videos.render.look import BALLS, CLOTHS, Colour, Lamp, Look
from sample_videos.render.overlay import PARTS
from sample_videos.render.random_look import brightest, unsaturated
from sample_videos.render.sensor import Sensor

KINDS = ("club", "broadcast", "phone")
_CLOTHS = {
    "carom": ("blue", "royal blue", "tournament blue"),
    "snooker": ("television green", "green", "tournament green"),
    "pool": ("tournament blue", "blue", "grey", "burgundy", "tournament green", "petrol", "pale grey"),
    "pyramid": (
        "tournament green", "green", "yellow-green", "grey-green", "blue", "royal blue", "tournament blue", "petrol", "burgundy", "grey",
        "camel",
    ),
}  # fmt: skip
_WOODS: tuple[Colour, ...] = (
    (0.45, 0.28, 0.18), (0.36, 0.20, 0.12), (0.25, 0.14, 0.09), (0.54, 0.36, 0.24), (0.34, 0.14, 0.10), (0.07, 0.07, 0.08),
    (0.13, 0.12, 0.12),
)  # fmt: skip
_FLOORS: tuple[tuple[str, Colour], ...] = (
    ("carpet", (0.20, 0.20, 0.22)), ("carpet", (0.13, 0.15, 0.20)), ("carpet", (0.30, 0.10, 0.09)), ("concrete", (0.42, 0.41, 0.40)),
    ("planks", (0.62, 0.47, 0.31)), ("planks", (0.45, 0.31, 0.20)), ("plain", (0.10, 0.10, 0.11)), ("plain", (0.30, 0.30, 0.31)),
)  # fmt: skip
_BRANDS = ("BILLIARD", "ARENA", "PRO CUE", "MASTER", "SPORT 24", "CHAMPION", "CLUB 9", "KANAL 7")


@dataclass(frozen=True, slots=True)
class Hall:
    """What belongs together in one hall. `camera`: options of `tilted_camera`; `overlay`: its parts."""

    kind: str
    look: Look
    camera: Mapping[str, Any] = field(default_factory=dict)
    sensor: Sensor = field(default_factory=Sensor)
    overlay: tuple[str, ...] = ()


def random_hall(rng: np.random.Generator, table: Table, kind: str | None = None) -> Hall:
    """A hall for a table.

    Args:
        kind: one of `KINDS` (default: drawn): a club's own camera over the table, a broadcast, somebody's phone on a tripod.

    Raises:
        ValueError: the kind is unknown.
    """
    if kind is not None and kind not in KINDS:
        raise ValueError(f"hall {kind!r}: expected one of {', '.join(KINDS)}")
    kind = kind or str(rng.choice(KINDS, p=(0.4, 0.35, 0.25)))
    look = _exposed(rng, _table_look(rng, table, kind), table)
    parts = tuple(part for part in PARTS if rng.random() < 0.75) if kind == "broadcast" else ()
    readout = float(rng.uniform(0.004, 0.015)) if kind != "broadcast" else 0.0
    sharpen = float(rng.uniform(0.2, 0.9))
    return Hall(kind, look, _camera(rng, kind), Sensor(readout, sharpen=sharpen), parts)


def _near(rng: np.random.Generator, colour: Colour, amount: float) -> Colour:
    """A colour a little lighter or darker, and hardly another."""
    c = np.clip(np.asarray(colour) * (1 + rng.normal(0, amount)) * (1 + rng.normal(0, amount / 4, 3)), 0, 1)
    return (float(c[0]), float(c[1]), float(c[2]))


def _hazy(colour: Colour, share: float) -> Colour:
    """A colour with white light over it: cloth is felt, and lenses are dusty."""
    r, g, b = (c + (0.9 - c) * share for c in colour)
    return (r, g, b)


def _table_look(rng: np.random.Generator, table: Table, kind: str) -> Look:
    u = lambda low, high: float(rng.uniform(low, high))  # noqa: E731
    family = table.name.split("-")[0]
    name = str(rng.choice(_CLOTHS.get(family, _CLOTHS["pyramid"])))
    cloth = _hazy(CLOTHS[name], u(0.02, 0.1) if "green" in name else u(0.06, 0.2))
    wood = _near(rng, _WOODS[rng.integers(len(_WOODS))], 0.12)
    floor, floor_colour = _FLOORS[rng.integers(len(_FLOORS))]
    dark = max(wood) < 0.2
    played = kind != "broadcast"  # a tournament's cloth is new
    names = [*BALLS]
    numbered = "number" if family == "pool" else "dots" if family == "carom" and rng.random() < 0.5 else "plain"
    return Look(
        cloth=_near(rng, cloth, 0.08), weave=u(0.005, 0.02), wear=u(0.01, 0.035) if played else u(0, 0.015),
        chalk_marks=int(rng.integers(0, 9)) if played else 0, burns=int(rng.integers(0, 8)) if played and rng.random() < 0.5 else 0,
        rail_cloth=u(0.88, 1.08), nose_shadow=u(0.25, 0.5), nose_reach=u(12, 26), rail=wood, grain=0.1 if dark else u(0.5, 1.0),
        polish=u(0.1, 0.5), rail_width=u(105, 150), cushion_width=u(42, 54), bevel=u(0.3, 0.8), gap=(0.05, 0.04, 0.04),
        caps=(0.10, 0.09, 0.09) if rng.random() < 0.6 else None, diamonds=_near(rng, (0.92, 0.90, 0.84), 0.05), trim=None,
        pockets=str(rng.choice(("leather", "plastic", "metal", "net"), p=(0.45, 0.28, 0.2, 0.07))),
        pocket_rim=(0.10, 0.08, 0.07) if rng.random() < 0.85 else (0.50, 0.49, 0.47), spots=bool(rng.random() < 0.6),
        home_line=family in ("snooker", "pool") or (family == "pyramid" and bool(rng.random() < 0.6)), lines_drawn=family == "snooker",
        line=(0.85, 0.85, 0.83) if rng.random() < 0.6 else _near(rng, (0.10, 0.12, 0.12), 0.2), side=u(190, 280),
        prints=tuple(str(t) for t in rng.choice(_BRANDS, int(rng.integers(2, 5)), replace=False)) if rng.random() < 0.7 else (),
        apron=_near(rng, (0.10, 0.06, 0.05) if dark else (0.7 * wood[0], 0.7 * wood[1], 0.7 * wood[2]), 0.1),
        floor=floor, floor_colour=_near(rng, floor_colour, 0.1), floor_light=u(0.35, 0.9) if kind != "broadcast" else u(0.15, 0.7),
        furniture=0, lamps=_lamps(rng, table, kind), ambient=u(0.3, 0.55), gloss=u(0.9, 1.3),
        balls={name: _near(rng, colour, 0.05) for name, colour in BALLS.items()},
        patterns={name: numbered if name != "white" else "plain" for name in names},
        contrast=u(1.0, 1.15), saturation=u(0.85, 1.1), vignette=u(0.0, 0.15), blur=u(0.45, 0.8),
        noise=u(0.6, 2.0) if kind != "phone" else u(1.5, 3.5), white_balance=_white(rng, kind),
    )  # fmt: skip


def _white(rng: np.random.Generator, kind: str) -> Colour:
    """What automatic white balance leaves: a little too warm or too cold."""
    warm = rng.normal(0, 0.02 if kind == "broadcast" else 0.05)
    return (float(np.exp(warm)), 1.0, float(np.exp(-warm)))


def _lamps(rng: np.random.Generator, table: Table, kind: str) -> tuple[Lamp, ...]:
    """Long shades over the table, or the even light of a studio."""
    n = int(rng.integers(2, 5))
    if kind == "broadcast":
        half, z = (table.length * 0.45 / n, table.width * 0.35), float(rng.uniform(1500, 2200))
    else:
        half, z = (table.length * float(rng.uniform(0.2, 0.4)) / n, float(rng.uniform(110, 260))), float(rng.uniform(900, 1300))
    return tuple(Lamp((table.length * (i + 0.5) / n, table.width / 2, z), half, 1 / n) for i in range(n))


def _exposed(rng: np.random.Generator, look: Look, table: Table) -> Look:
    """Exposed as a camera meters it: the cloth's brightest channel is bright, but not blown out."""
    goal, low, high = float(rng.uniform(185, 238)), 0.2, 8.0
    if max(look.cloth) < 0.3:
        goal *= 0.6  # dark cloth stays dark
    for _ in range(18):
        middle = (low * high) ** 0.5
        bright = brightest(replace(look, exposure=middle), table.length, table.width) > goal
        low, high = (low, middle) if bright else (middle, high)
    return unsaturated(replace(look, exposure=low), table.length, table.width)


def _camera(rng: np.random.Generator, kind: str) -> dict[str, Any]:
    u = lambda low, high: float(rng.uniform(low, high))  # noqa: E731
    over = rng.random() < (0.9, 0.75, 0.3)[KINDS.index(kind)]
    k1 = u(-0.06, 0.0) if kind == "club" else u(-0.02, 0.0)
    view = {"margin": u(-0.06, 0.10), "roll": float(rng.normal(0, 0.4)), "distortion": (k1, 0.0, 0.0, 0.0, 0.0)}
    if over:
        return {**view, "distance": u(2600, 5000), "tilt": u(0, 3), "side": "left", "offset": (float(rng.normal(0, 40)), 0.0)}
    side = "home" if rng.random() < 0.7 else "left"
    return {**view, "distance": u(4200, 6500), "tilt": u(28, 50) if kind == "phone" else u(25, 42), "side": side, "margin": u(0.0, 0.12)}
