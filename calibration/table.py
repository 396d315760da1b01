"""Tables: sizes, cushions, pockets, jaws and spots, in the frame of reference of the contracts.

Millimetres. Looking from the house to the foot: x from the nose of the home cushion (0) to that of the foot cushion
(length), y from the nose of the right long cushion (0) to that of the left one (width), z up from the cloth.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, radians, sin, sqrt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CUSHIONS = ("home", "foot", "left", "right")
POCKETS = ("home-left", "home-right", "middle-left", "middle-right", "foot-left", "foot-right")
BALLS = ("white", "yellow", "red", "black")

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Jaw:
    """The end of `cushion` at the mouth of `pocket`.

    `tip` is the cusp, where the nose line and the throat wall would meet without rounding; `throat` is the unit
    vector along the throat wall from the tip into the pocket; `radius` rounds the corner between the two.
    """

    pocket: str
    cushion: str
    tip: Point
    throat: Point
    radius: float


@dataclass(frozen=True, slots=True)
class Pocket:
    """A pocket: a ball falls when its centre comes within `radius` of `centre`; `mouth` is the distance of the tips."""

    name: str
    centre: Point
    radius: float
    mouth: float
    jaws: tuple[Jaw, Jaw]

    @property
    def corner(self) -> bool:
        return not self.name.startswith("middle")


@dataclass(frozen=True, slots=True)
class Table:
    """A table of one size; `nose_height` is the height of the cushion's nose above the cloth. No pockets: `pockets == ()`."""

    name: str
    length: float
    width: float
    ball: float
    pockets: tuple[Pocket, ...]
    nose_height: float

    @property
    def radius(self) -> float:
        """Radius of a ball, mm."""
        return self.ball / 2

    @property
    def reach(self) -> float:
        """Mm from a nose's line to the centre of a ball that touches it: less than a radius, for the nose is above the ball's equator."""
        return sqrt(self.radius**2 - (self.nose_height - self.radius) ** 2)

    @property
    def spots(self) -> dict[str, Point]:
        y = self.width / 2
        return {"home": (self.length / 4, y), "centre": (self.length / 2, y), "pyramid": (3 * self.length / 4, y)}

    @property
    def corners(self) -> tuple[Point, Point, Point, Point]:
        """Corners of the nose rectangle in the order of `--corners`: home-right, home-left, foot-left, foot-right."""
        return ((0.0, 0.0), (0.0, self.width), (self.length, self.width), (self.length, 0.0))

    def inside(self, xy: NDArray[np.float64], cushion: str) -> NDArray[np.float64]:
        """(N,) mm by which places (N, 2) lie inside the line of a cushion's nose."""
        x, y = xy.T
        return {"home": x, "foot": self.length - x, "right": y, "left": self.width - y}[cushion]

    def pocket(self, name: str) -> Pocket:
        return next(p for p in self.pockets if p.name == name)


@dataclass(frozen=True, slots=True)
class _Mouths:
    """Measures of a kind's pockets, mm: mouth between the tips, how far behind the nose corner (line) a ball falls, rounding of
    the jaws, half angle of the throat, radius of the hole."""

    corner: float
    middle: float
    corner_edge: float
    middle_edge: float
    jaw_radius: float
    corner_angle: float
    middle_angle: float
    drop_radius: float


# Pyramid: mouths of 72-73 / 82-83 mm for a ball of 68 mm (rules of the Russian pyramid federation); the rest as in
# the simulator of these tables. Snooker: WPBSA templates, about 89 / 95 mm. Pool: WPA, 114-117 / 127-130 mm,
# cut angles of 142 and 104 degrees, hence throats of 7 and 14 degrees.
_PYRAMID = _Mouths(73.0, 83.0, 6.0, 18.0, 12.0, 1.5, 4.0, 56.0)
_SNOOKER = _Mouths(89.0, 95.0, 10.0, 20.0, 35.0, 4.0, 8.0, 60.0)
_POOL = _Mouths(116.0, 129.0, 10.0, 20.0, 6.0, 7.0, 14.0, 62.0)
_SMALL_POOL = _Mouths(108.0, 120.0, 10.0, 20.0, 6.0, 7.0, 14.0, 58.0)


def _rotated(v: Point, degrees: float) -> Point:
    c, s = cos(radians(degrees)), sin(radians(degrees))
    return (c * v[0] - s * v[1], s * v[0] + c * v[1])


def _pockets(length: float, width: float, m: _Mouths) -> tuple[Pocket, ...]:
    pockets = []
    for name in POCKETS:
        end, side = name.split("-")
        y = width if side == "left" else 0.0
        out_y = 1.0 if side == "left" else -1.0
        if end == "middle":
            half, angle = m.middle / 2, m.middle_angle
            centre = (length / 2, y + out_y * (m.middle_edge + m.drop_radius))
            # throats narrow inwards: each wall leans towards the pocket's axis
            jaws = tuple(
                Jaw(name, side, (length / 2 + s * half, y), _rotated((0.0, out_y), s * out_y * angle), m.jaw_radius) for s in (-1.0, 1.0)
            )
            pockets.append(Pocket(name, centre, m.drop_radius, m.middle, (jaws[0], jaws[1])))
            continue
        x = 0.0 if end == "home" else length
        out_x = -1.0 if end == "home" else 1.0
        diagonal = (out_x / sqrt(2), out_y / sqrt(2))
        along = m.corner / sqrt(2)
        reach = m.corner_edge + m.drop_radius
        centre = (x + diagonal[0] * reach, y + diagonal[1] * reach)
        turn = -out_x * out_y * m.corner_angle
        jaws = (
            Jaw(name, side, (x - out_x * along, y), _rotated(diagonal, turn), m.jaw_radius),
            Jaw(name, end, (x, y - out_y * along), _rotated(diagonal, -turn), m.jaw_radius),
        )
        pockets.append(Pocket(name, centre, m.drop_radius, m.corner, jaws))
    return tuple(pockets)


# name: (length, width, ball, mouths). Nose at 62.5-64.5 % of the ball's diameter (WPA; pyramid tables alike). pool-8ft is the
# usual 88 x 44 inches; the rarer tournament size of 92 x 46 is --size 2337x1168.
_KINDS: dict[str, tuple[float, float, float, _Mouths | None]] = {
    "pyramid-12ft": (3550, 1775, 68.0, _PYRAMID),
    "pyramid-11ft": (3200, 1600, 68.0, _PYRAMID),
    "pyramid-10ft": (2840, 1420, 68.0, _PYRAMID),
    "pyramid-9ft": (2540, 1270, 68.0, _PYRAMID),
    "pyramid-8ft": (2240, 1120, 68.0, _PYRAMID),
    "pyramid-7ft": (1980, 990, 68.0, _PYRAMID),
    "snooker-12ft": (3569, 1778, 52.5, _SNOOKER),
    "pool-9ft": (2540, 1270, 57.15, _POOL),
    "pool-8ft": (2235, 1118, 57.15, _POOL),
    "pool-7ft": (1981, 991, 57.15, _SMALL_POOL),
    "carom-10ft": (2844, 1422, 61.5, None),
    "carom-9ft": (2540, 1270, 61.5, None),
}
KINDS = tuple(_KINDS)
_NOSE = 0.635
_CAROM_NOSE = 0.594  # 36-37 mm for a ball of 61.5 mm (rules of the world union)


def table(name: str = "pyramid-12ft", *, ball: float | None = None) -> Table:
    """The table of a kind, with another ball if given.

    Raises:
        ValueError: the kind is unknown; the message lists the known ones.
    """
    if name not in _KINDS:
        raise ValueError(f"unknown table {name!r}: expected one of {', '.join(KINDS)}")
    length, width, kind_ball, mouths = _KINDS[name]
    diameter = ball or kind_ball
    pockets = _pockets(length, width, mouths) if mouths else ()
    return Table(name, float(length), float(width), diameter, pockets, (_NOSE if mouths else _CAROM_NOSE) * diameter)


def custom_table(length: float, width: float, *, ball: float = 68.0, pockets: bool = True) -> Table:
    """A table with pockets of any nose-to-nose size, mm; the pockets' measures scale with the ball."""
    if not (500 <= width <= length <= 6000):
        raise ValueError(f"table size {length:g}x{width:g}: expected LENGTHxWIDTH in mm, 500 <= width <= length <= 6000")
    if not (20 <= ball <= 100):
        raise ValueError(f"ball {ball:g} mm: expected a diameter between 20 and 100 mm")
    base = _PYRAMID if ball >= 64 else _SNOOKER if length >= 3000 else _SMALL_POOL
    scale = ball / (68.0 if base is _PYRAMID else 52.5 if base is _SNOOKER else 57.15)
    mouths = _Mouths(*(getattr(base, f) * (1 if f.endswith("angle") else scale) for f in _Mouths.__slots__))
    holes = _pockets(length, width, mouths) if pockets else ()
    return Table(f"custom-{length:g}x{width:g}", float(length), float(width), ball, holes, (_NOSE if pockets else _CAROM_NOSE) * ball)
