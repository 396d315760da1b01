"""How a table, its room and its camera look: one frozen value, and a draw of a random one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

Colour = tuple[float, float, float]  # sRGB, 0..1, red green blue

CLOTHS: dict[str, Colour] = {
    "tournament green": (0.00, 0.36, 0.22),
    "green": (0.03, 0.45, 0.15),
    "television green": (0.05, 0.62, 0.10),
    "yellow-green": (0.24, 0.52, 0.18),
    "grey-green": (0.40, 0.56, 0.50),
    "blue": (0.13, 0.38, 0.75),
    "royal blue": (0.16, 0.33, 0.80),
    "tournament blue": (0.10, 0.55, 0.78),
    "petrol": (0.02, 0.38, 0.42),
    "burgundy": (0.42, 0.05, 0.14),
    "red": (0.66, 0.10, 0.20),
    "grey": (0.45, 0.47, 0.49),
    "pale grey": (0.70, 0.70, 0.66),
    "camel": (0.70, 0.55, 0.36),
    "purple": (0.30, 0.16, 0.45),
    "black": (0.12, 0.12, 0.14),
}

# Balls as sold: the four of the game first, then those of other games ("other" for the detector).
BALLS: dict[str, Colour] = {
    "white": (0.93, 0.91, 0.83),
    "yellow": (0.96, 0.72, 0.08),
    "red": (0.76, 0.05, 0.08),
    "black": (0.05, 0.05, 0.055),
    "brown": (0.46, 0.20, 0.08),
    "green": (0.03, 0.38, 0.20),
    "blue": (0.07, 0.22, 0.68),
    "pink": (0.93, 0.48, 0.55),
    "orange": (0.94, 0.38, 0.08),
    "purple": (0.26, 0.10, 0.42),
    "maroon": (0.36, 0.05, 0.12),
    "turquoise": (0.10, 0.55, 0.60),
}
FLOORS = ("planks", "carpet", "concrete", "plain")
POCKET_STYLES = ("leather", "plastic", "metal", "net", "bare")
PATTERNS = ("plain", "number", "stripe", "dots", "logo")


@dataclass(frozen=True, slots=True)
class Lamp:
    """A rectangle of light: centre (x, y, z) mm in the table's frame, half sizes mm, share of the direct light."""

    centre: tuple[float, float, float]
    half: tuple[float, float]
    power: float = 1.0


@dataclass(frozen=True, slots=True)
class Look:
    """What may differ between two pictures of one position. Colours are sRGB 0..1; lengths mm; `blur` px, `noise` 8-bit levels."""

    cloth: Colour = CLOTHS["tournament green"]
    weave: float = 0.03
    wear: float = 0.04
    chalk_marks: int = 12
    rail_cloth: float = 1.0  # brightness of the cushions' cloth against the bed's
    nose_shadow: float = 0.45  # how dark the face under the nose is
    rail: Colour = (0.36, 0.17, 0.08)
    grain: float = 0.35
    rail_width: float = 125.0
    cushion_width: float = 50.0
    diamonds: Colour | None = (0.92, 0.90, 0.84)
    trim: Colour | None = None  # a line along the inner edge of the wood
    pockets: str = "leather"
    pocket_rim: Colour = (0.10, 0.08, 0.07)
    spots: bool = True
    home_line: bool = True
    line: Colour = (0.92, 0.92, 0.90)
    lines_drawn: bool = False  # the D of snooker, the box of pool
    floor: str = "planks"
    floor_colour: Colour = (0.35, 0.27, 0.20)
    floor_light: float = 0.35
    apron: Colour = (0.20, 0.10, 0.05)
    lamps: tuple[Lamp, ...] = ()  # () = lamps of the table, see `default_lamps`
    ambient: float = 0.35  # share of the light that comes from everywhere
    balls: Mapping[str, Colour] = field(default_factory=dict)  # overrides of BALLS
    patterns: Mapping[str, str] = field(default_factory=dict)  # ball -> one of PATTERNS
    gloss: float = 1.0
    exposure: float = 1.0
    white_balance: Colour = (1.0, 1.0, 1.0)
    contrast: float = 1.0
    saturation: float = 1.0
    vignette: float = 0.10
    blur: float = 0.55  # sigma of the lens and pixel, px
    sharpen: float = 0.0
    noise: float = 1.5
    compression: int = 0  # JPEG quality of a still picture (0: none); videos are compressed by their writer

    def ball(self, name: str) -> Colour:
        """sRGB of a ball; `name` may carry a number, as in `red#2`."""
        if name in self.balls:
            return self.balls[name]
        kind = name.split("#")[0]
        found = self.balls.get(kind, BALLS.get(kind))
        if found is None:
            raise ValueError(f"ball {name!r}: expected one of {', '.join(BALLS)}, with #NUMBER if there are several")
        return found


def default_lamps(length: float, width: float) -> tuple[Lamp, ...]:
    """Three long shades over the middle of the table, about 1.1 m above the cloth."""
    half = (0.12 * length, 0.16 * width)
    return tuple(Lamp((length * f, width / 2, 1100.0), half, 1 / 3) for f in (0.2, 0.5, 0.8))


def linear(colour: Colour | np.ndarray) -> np.ndarray:
    """Linear light of sRGB values 0..1."""
    c = np.asarray(colour, dtype=np.float32)
    return np.where(c <= 0.04045, c / 12.92, ((np.maximum(c, 0) + 0.055) / 1.055) ** 2.4).astype(np.float32)


def encoding() -> np.ndarray:
    """Table of 4096 entries: linear light 0..1 -> 8-bit sRGB."""
    x = np.arange(4096) / 4095.0
    y = np.where(x <= 0.0031308, 12.92 * x, 1.055 * x ** (1 / 2.4) - 0.055)
    return np.clip(y * 255, 0, 255).astype(np.float32)


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


def random_look(rng: np.random.Generator, *, length: float = 3550.0, width: float = 1775.0) -> Look:
    """A look drawn at random from what tables, halls and cameras are like; lamps are placed for a table of `length` x `width` mm."""
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
    return _random_camera(rng, look)


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
