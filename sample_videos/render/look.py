"""How a table, its room and its camera look: one frozen value. See `random_look` for a draw of one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

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
POCKET_STYLES = ("leather", "plastic", "metal", "net", "bare", "plain")  # plain: holes cut into the rails, nothing round them
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
    burns: int = 0  # pale dots and short lines where balls have been struck hard, round the spots mostly
    rail_cloth: float = 1.0  # brightness of the cushions' cloth against the bed's
    nose_shadow: float = 0.45  # how dark the face under the nose is
    nose_reach: float = 45.0  # mm: so far the nose's shadow lies on the bed
    rail: Colour = (0.36, 0.17, 0.08)
    grain: float = 0.35
    polish: float = 0.0  # 0..1: how clearly lamps are mirrored in the rails' wood
    rail_width: float = 125.0
    cushion_width: float = 50.0
    diamonds: Colour | None = (0.92, 0.90, 0.84)
    trim: Colour | None = None  # a line along the inner edge of the wood
    bevel: float = 0.0  # 0..1: how round the rails' wood is: lighter along its middle, darker towards both edges
    gap: Colour | None = None  # a dark line between the cushions' cloth and the wood
    caps: Colour | None = None  # plates over the corners of a table without pockets
    side: float = 0.0  # mm: height of the table's sides, which a camera beside it sees, with legs under them; 0: none are drawn
    prints: tuple[str, ...] = ()  # what is printed on the long sides and lies on the floor beside them
    pockets: str = "leather"
    pocket_rim: Colour = (0.10, 0.08, 0.07)
    pocket_edge: float = 0.0  # 0..1: light on the inner edge of the holes, as a crescent
    spots: bool = True
    home_line: bool = True
    line: Colour = (0.92, 0.92, 0.90)
    lines_drawn: bool = False  # the D of snooker, the box of pool
    floor: str = "planks"
    floor_colour: Colour = (0.35, 0.27, 0.20)
    floor_light: float = 0.35
    furniture: int = 0  # chairs, boxes and other tables on the floor
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
