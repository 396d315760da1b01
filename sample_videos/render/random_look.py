"""A look drawn at random: tables, halls and cameras as they are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sample_videos.render.lighting import build_lighting, light_on_plane
from sample_videos.render.look import (
    BALLS,
    CLOTHS,
    FLOORS,
    PATTERNS,
    POCKET_STYLES,
    Colour,
    Lamp,
    Look,
    default_lamps,
    encoding,
    linear,
)

_BRIGHTEST = 238.0


def _vary(rng: np.random.Generator, colour: Colour, amount: float) -> Colour:
    gain = 1 + rng.normal(0, amount)
    c = np.clip(np.asarray(colour) * gain * (1 + rng.normal(0, amount * 0.6, 3)) + rng.normal(0, amount * 0.05, 3), 0, 1)
    return (float(c[0]), float(c[1]), float(c[2]))


def _lamps(rng: np.random.Generator, length: float, width: float) -> tuple[Lamp, ...]:
    kind = rng.integers(4)
    if kind == 0:
        return default_lamps(length, width)
    if kind == 1:  # a row of shades
        n, z = int(rng.integers(2, 6)), rng.uniform(800, 1500)
        half = (rng.uniform(80, 250), rng.uniform(60, 220))
        return tuple(Lamp((length * (i + 0.5) / n, width / 2, z), half, 1 / n) for i in range(n))
    if kind == 2:  # panels of a ceiling
        z, powers = rng.uniform(1600, 2600), rng.uniform(0.2, 1, 4)
        at = [(length * rng.uniform(-0.3, 1.3), width * rng.uniform(-0.6, 1.6)) for _ in range(4)]
        return tuple(Lamp((x, y, z), (rng.uniform(60, 600), rng.uniform(60, 300)), float(p)) for (x, y), p in zip(at, powers, strict=True))
    x, y = length * rng.uniform(-0.2, 1.2), width * rng.uniform(-0.5, 1.5)  # one lamp, perhaps a projector, or a window
    return (Lamp((x, y, rng.uniform(1000, 2500)), (rng.uniform(30, 500), rng.uniform(30, 300))),)


_RAILS = (
    (0.36, 0.17, 0.08),
    (0.22, 0.10, 0.05),
    (0.55, 0.32, 0.16),
    (0.10, 0.10, 0.11),
    (0.30, 0.07, 0.06),
    (0.85, 0.84, 0.82),
    (0.45, 0.44, 0.42),
)
_FLOORS = (
    (0.62, 0.50, 0.33),
    (0.35, 0.27, 0.20),
    (0.12, 0.12, 0.13),
    (0.45, 0.44, 0.42),
    (0.75, 0.68, 0.60),
    (0.35, 0.10, 0.08),
    (0.10, 0.16, 0.28),
    (0.02, 0.02, 0.02),
)


def _random_balls(rng: np.random.Generator) -> tuple[dict[str, Colour], dict[str, str]]:
    balls = {name: _vary(rng, colour, 0.10) for name, colour in BALLS.items()}
    white = rng.uniform(0, 1)  # from ivory to neutral
    balls["white"] = (float(rng.uniform(0.86, 0.98)), float(0.90 + 0.05 * white), float(0.70 + 0.25 * white))
    balls["yellow"] = (float(rng.uniform(0.85, 1.0)), float(rng.uniform(0.55, 0.85)), float(rng.uniform(0.0, 0.22)))
    balls["red"] = (float(rng.uniform(0.55, 0.95)), float(rng.uniform(0.0, 0.13)), float(rng.uniform(0.02, 0.18)))
    dark = float(rng.uniform(0.01, 0.12))
    balls["black"] = (dark, dark, dark + float(rng.uniform(0, 0.02)))
    # the pinks, browns, blues and greens of snooker differ much between makers and cameras
    u = lambda low, high: float(rng.uniform(low, high))  # noqa: E731
    balls["pink"] = (u(0.82, 1.0), u(0.40, 0.68), u(0.42, 0.68))
    balls["brown"] = (u(0.36, 0.66), u(0.15, 0.32), u(0.04, 0.16))
    balls["blue"] = (u(0.02, 0.16), u(0.18, 0.50), u(0.55, 0.92))
    balls["green"] = (u(0.0, 0.12), u(0.32, 0.62), u(0.14, 0.50))
    pattern = {}
    for name in BALLS:
        stripe = 0.0 if name in ("white", "black", "brown", "pink") else 0.08
        pattern[name] = str(rng.choice(PATTERNS, p=(0.62 - stripe, 0.12, stripe, 0.12, 0.14)))
    return balls, pattern


def random_look(rng: np.random.Generator, *, length: float = 3550.0, width: float = 1775.0, saturates: bool = False) -> Look:
    """A look drawn at random from what tables, halls and cameras are like; lamps are placed for a table of `length` x `width` mm.

    Only with `saturates` may the cloth be over-exposed.
    """
    cloth = CLOTHS[str(rng.choice(list(CLOTHS)))]
    balls, patterns = _random_balls(rng)
    look = Look(
        cloth=_vary(rng, cloth, 0.15),
        weave=float(rng.uniform(0, 0.08)),
        wear=float(rng.uniform(0, 0.12)),
        chalk_marks=int(rng.integers(0, 60)),
        rail_cloth=float(rng.uniform(0.75, 1.15)),
        nose_shadow=float(rng.uniform(0.15, 0.8)),
        rail=_vary(rng, _RAILS[rng.integers(len(_RAILS))], 0.15),
        grain=float(rng.uniform(0, 0.6)),
        rail_width=float(rng.uniform(80, 170)),
        cushion_width=float(rng.uniform(40, 60)),
        diamonds=None if rng.random() < 0.15 else _vary(rng, (0.9, 0.88, 0.8), 0.1),
        trim=_vary(rng, (0.8, 0.8, 0.8), 0.2) if rng.random() < 0.2 else None,
        pockets=str(rng.choice(POCKET_STYLES)),
        pocket_rim=_vary(rng, (0.10, 0.08, 0.07) if rng.random() < 0.6 else (0.7, 0.7, 0.68), 0.3),
        spots=bool(rng.random() < 0.7),
        home_line=bool(rng.random() < 0.6),
        line=_vary(rng, (0.92, 0.92, 0.90) if rng.random() < 0.6 else (0.05, 0.05, 0.05), 0.1),
        lines_drawn=bool(rng.random() < 0.3),
        floor=str(rng.choice(FLOORS)),
        floor_colour=_vary(rng, _FLOORS[rng.integers(len(_FLOORS))], 0.2),
        floor_light=float(rng.uniform(0.05, 1.0)),
        apron=_vary(rng, (0.2, 0.1, 0.05), 0.4),
        lamps=_lamps(rng, length, width),
        ambient=float(rng.uniform(0.15, 0.75)),
        balls=balls,
        patterns=patterns,
        gloss=float(rng.uniform(0.3, 1.4)),
        exposure=float(np.exp(rng.normal(0.05, 0.30))),
    )
    look = _random_camera(rng, look)
    look = replace(look, burns=int(rng.integers(0, 40)) if rng.random() < 0.6 else 0, polish=float(rng.uniform(0, 0.8)))
    look = replace(look, pocket_edge=float(rng.uniform(0.1, 1)) if rng.random() < 0.35 else 0.0)
    look = replace(look, furniture=int(rng.integers(1, 9)) if rng.random() < 0.7 else 0)
    return look if saturates else unsaturated(look, length, width)


def unsaturated(look: Look, length: float, width: float) -> Look:
    """The look with so little light that the cloth shows its colour everywhere (no channel over `_BRIGHTEST` of 255)."""
    exposure = look.exposure
    while exposure > 0.02 and brightest(replace(look, exposure=exposure), length, width) > _BRIGHTEST:
        exposure *= 0.95
    return replace(look, exposure=exposure)


def brightest(look: Look, length: float, width: float) -> float:
    """The largest 8-bit value of the cloth, on the bed or on the cushions, where the lamps shine most."""
    light = build_lighting(length, width, look)
    grid = light_on_plane(light, np.linspace(0, length, 24), np.linspace(0, width, 12), 0.0)
    cloth = linear(look.cloth) * max(1.0, 1.05 * look.rail_cloth) * (1 + look.weave + look.wear)
    shown = cloth * float(grid.max()) * look.exposure * np.asarray(look.white_balance, np.float32)
    grey = float(shown @ np.array((0.2126, 0.7152, 0.0722), np.float32))
    shown = grey + (shown - grey) * look.saturation
    value = float(np.interp(min(float(shown.max()), 1.0), np.arange(4096) / 4095.0, encoding()))
    return (value - 110.0) * look.contrast + 110.0


def _random_camera(rng: np.random.Generator, look: Look) -> Look:
    warm = rng.normal(0, 0.12)
    return replace(
        look,
        white_balance=(float(np.exp(warm)), float(np.exp(rng.normal(0, 0.05))), float(np.exp(-warm + rng.normal(0, 0.06)))),
        contrast=float(rng.uniform(0.85, 1.25)),
        saturation=float(rng.uniform(0.6, 1.5)),
        vignette=float(rng.uniform(0, 0.35)),
        blur=float(rng.uniform(0.35, 1.0)),
        sharpen=float(rng.uniform(0, 1.2)) if rng.random() < 0.4 else 0.0,
        noise=float(rng.uniform(0, 6)) if rng.random() < 0.7 else float(rng.uniform(4, 12)),
        compression=int(rng.integers(25, 97)),
    )
