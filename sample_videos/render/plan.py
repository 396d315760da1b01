"""The empty table as pictures of three horizontal planes: floor, bed (z = 0) and rails (z = height of the noses).

A pixel's ray meets the rails' plane first; where that is not solid (inside the noses, over a pocket) it goes on to the
bed. The bed's picture goes on under the cushions: what a ray meets there is the shaded face below the nose. So the three
pictures together give noses, faces, jaws and pockets exactly, seen from anywhere above the table.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.table import Jaw, Pocket, Table
from sample_videos.render.look import Look, linear
from sample_videos.render.texture import burns, chalk, fibre, floor_texture, furnish, stretched_noise, value_noise

Floats = NDArray[np.floating]
FLOOR_Z = -820.0
APRON_Z = -160.0
_SHIFT = 4  # fractional bits of drawn polygons
_FINE = 8  # pixels a pixel and axis in which slanting polygons are drawn


@dataclass(frozen=True)
class Plane:
    """A picture of a plane: pixel (i, j) is the point `origin` + (i, j) * `step` mm; linear RGB (h, w, 3) and cover (h, w) 0..1."""

    z: float
    origin: tuple[float, float]
    step: float
    colour: Floats
    cover: Floats


@dataclass(frozen=True)
class Plan:
    """`solid`, `wood` (h, w) 0..1: of the bed's plane (0 over a pocket's hole), and the polished part of the rails' plane."""

    floor: Plane
    apron: Plane
    bed: Plane
    rails: Plane
    solid: Floats
    wood: Floats


class _Canvas:
    """Draws in millimetres on arrays of one plane."""

    def __init__(self, origin: tuple[float, float], size: tuple[float, float], step: float) -> None:
        self.origin, self.step = origin, step
        self.shape = (ceil(size[1] / step), ceil(size[0] / step))

    def px(self, points: object) -> NDArray[np.int32]:
        p = (np.asarray(points, float).reshape(-1, 2) - self.origin) / self.step
        return np.round(p * (1 << _SHIFT)).astype(np.int32)

    def mask(self) -> NDArray[np.uint8]:
        return np.zeros(self.shape, np.uint8)

    def polygon(self, mask: NDArray[np.uint8], points: object) -> None:
        """Fills a polygon. OpenCV's anti-aliased filling adds 0.7 px on every side: a nose would lie a millimetre too far out."""
        p = (np.asarray(points, float).reshape(-1, 2) - self.origin) / self.step
        (x0, y0), (x1, y1) = np.maximum(np.floor(p.min(axis=0)).astype(int) - 1, 0), np.ceil(p.max(axis=0)).astype(int) + 2
        part = mask[y0:y1, x0:x1]
        if not part.size:
            return
        if len(p) == 4 and all(abs(p[i] - p[i - 1]).min() < 1e-9 for i in range(4)):  # along the axes: exactly
            low, high = p.min(axis=0), p.max(axis=0)
            x, y = np.arange(x0, x0 + part.shape[1]), np.arange(y0, y0 + part.shape[0])
            across, down = (np.clip(np.minimum(v - low[i], high[i] - v) + 0.5, 0, 1) for i, v in ((0, x), (1, y)))
            cover = down[:, None].astype(np.float32) * across[None].astype(np.float32)
        else:
            fine = np.zeros((part.shape[0] * _FINE, part.shape[1] * _FINE), np.uint8)
            corners = (p - (x0, y0) + 0.5) * _FINE - 0.5
            cv2.fillPoly(fine, [np.round(corners * (1 << _SHIFT)).astype(np.int32)], 255, cv2.LINE_8, _SHIFT)
            cover = cv2.resize(fine, part.shape[::-1], interpolation=cv2.INTER_AREA).astype(np.float32) / 255
        part[:] = np.round(part + (255 - part) * cover)

    def disc(self, mask: NDArray[np.uint8], centre: tuple[float, float], radius: float, value: int = 255) -> None:
        c, r = (np.asarray(centre, float) - self.origin) / self.step, max(radius / self.step, 0.5)
        x0, y0 = np.maximum(np.floor(c - r - 1).astype(int), 0)
        x1, y1 = np.ceil(c + r).astype(int) + 2
        part = mask[y0:y1, x0:x1]
        if part.size:
            y, x = np.ogrid[y0 : y0 + part.shape[0], x0 : x0 + part.shape[1]]
            cover = np.clip(r + 0.5 - np.hypot(x - c[0], y - c[1]), 0, 1)
            part[:] = np.round(part + (value - part) * cover)

    def line(self, mask: NDArray[np.uint8], points: object, thickness: float, closed: bool = False) -> None:
        """A line at least one pixel wide whose grey keeps its area when it is thinner."""
        wide = thickness / self.step
        cv2.polylines(mask, [self.px(points)], closed, int(255 * min(wide, 1)), max(round(wide), 1), cv2.LINE_AA, _SHIFT)

    def grid(self) -> tuple[Floats, Floats]:
        """x (1, w) and y (h, 1) mm of the pixels."""
        x = self.origin[0] + np.arange(self.shape[1], dtype=np.float32) * self.step
        y = self.origin[1] + np.arange(self.shape[0], dtype=np.float32) * self.step
        return x[None], y[:, None]


def _mix(base: Floats, colour: object, mask: NDArray, strength: float = 1.0) -> None:
    if mask.dtype == np.uint8:  # most masks are nearly empty
        x, y, w, h = cv2.boundingRect(mask)
        part = (slice(y, y + h), slice(x, x + w))
        tone = np.asarray(colour, np.float32)
        base, mask = base[part], mask[part]
        colour = tone[part] if tone.ndim == 3 else tone
    m = (mask.astype(np.float32) * (strength / 255.0))[..., None]
    base += (np.asarray(colour, np.float32) - base) * m


def rounded_jaw(jaw: Jaw, towards: tuple[float, float], steps: int = 8) -> NDArray[np.float64]:
    """Points (steps + 1, 2) from the nose line round the jaw to its throat wall; `towards`: unit vector along the nose from the mouth."""
    tip, nose, throat = np.asarray(jaw.tip), np.asarray(towards), np.asarray(jaw.throat)
    half = np.arccos(np.clip(nose @ throat, -1, 1)) / 2
    reach = jaw.radius / np.tan(half)
    bisector = (nose + throat) / np.linalg.norm(nose + throat)
    middle = tip + bisector * (jaw.radius / np.sin(half))
    a, b = tip + nose * reach - middle, tip + throat * reach - middle
    turn = np.arccos(np.clip(a @ b / (a @ a), -1, 1))
    share = np.linspace(0, 1, steps + 1)[:, None]
    arc = middle + (np.sin((1 - share) * turn) * a + np.sin(share * turn) * b) / np.sin(turn)
    return arc


def _nose_direction(jaw: Jaw, other: Jaw) -> tuple[float, float]:
    tip, far = np.asarray(jaw.tip), np.asarray(other.tip)
    away = tip - far
    along = np.array([np.sign(away[0]), 0.0]) if jaw.cushion in ("left", "right") else np.array([0.0, np.sign(away[1])])
    return (float(along[0]), float(along[1]))


def mouth_polygon(pocket: Pocket) -> NDArray[np.float64]:
    """The opening of a pocket in the cushions, from nose line to nose line and back to the pocket's centre, mm (N, 2)."""
    first, second = pocket.jaws
    deep = float(np.linalg.norm(np.subtract(pocket.centre, first.tip)))
    a = rounded_jaw(first, _nose_direction(first, second))
    b = rounded_jaw(second, _nose_direction(second, first))
    ends = [np.add(j.tip, np.multiply(j.throat, deep)) for j in (first, second)]
    inside = np.mean([a[0], b[0]], axis=0)
    return np.vstack([inside, a, ends[0], ends[1], b[::-1]])


def _rectangle(table: Table, out: float) -> tuple[tuple[float, float], ...]:
    """The nose rectangle, `out` mm larger on every side."""
    return ((-out, -out), (table.length + out, -out), (table.length + out, table.width + out), (-out, table.width + out))


def _raised(canvas: _Canvas, table: Table, look: Look) -> tuple[NDArray[np.uint8], NDArray[np.uint8], NDArray[np.uint8]]:
    """Masks (0..255) on the rails' plane: solid, wood (without the cushions), rim of the pockets."""
    out = look.cushion_width + look.rail_width
    solid, wood, hole = canvas.mask(), canvas.mask(), canvas.mask()
    canvas.polygon(solid, _rectangle(table, out))
    wood[:] = solid
    inner = canvas.mask()
    canvas.polygon(inner, _rectangle(table, look.cushion_width))
    wood = cv2.subtract(wood, inner)
    canvas.polygon(hole, _rectangle(table, 0.0))
    rim = canvas.mask()
    for pocket in table.pockets:
        canvas.polygon(hole, mouth_polygon(pocket))
        canvas.disc(hole, pocket.centre, pocket.radius)
        if look.pockets != "plain":
            canvas.disc(rim, pocket.centre, pocket.radius + (18 if look.pockets == "bare" else 42))
        if look.pockets in ("metal", "plastic") and pocket.corner:
            _casting(canvas, rim, pocket, table, out)
    return cv2.subtract(solid, hole), cv2.subtract(wood, hole), cv2.subtract(cv2.min(rim, wood), hole)


def _casting(canvas: _Canvas, rim: NDArray[np.uint8], pocket: Pocket, table: Table, out: float) -> None:
    """A corner plate from the outer corner of the rails over the pocket."""
    sx, sy = (-1 if "home" in pocket.name else 1), (1 if "left" in pocket.name else -1)
    corner = (0 if sx < 0 else table.length, table.width if sy > 0 else 0)
    far = (corner[0] + sx * out, corner[1] + sy * out)
    wide = out + 45
    canvas.polygon(
        rim,
        (
            (far[0], far[1]),
            (far[0] - sx * wide, far[1]),
            (far[0] - sx * wide, far[1] - sy * out),
            (far[0] - sx * out, far[1] - sy * wide),
            (far[0], far[1] - sy * wide),
        ),
    )


def _rails(canvas: _Canvas, table: Table, look: Look, rng: np.random.Generator) -> tuple[Plane, Floats]:
    solid, wood, rim = _raised(canvas, table, look)
    cloth = linear(look.cloth) * look.rail_cloth * 1.05
    colour = np.empty((*canvas.shape, 3), np.float32)
    colour[:] = cloth
    grain = stretched_noise(rng, canvas.shape, canvas.step, along="x")
    x, y = canvas.grid()
    ends = ((x < -look.cushion_width) | (x > table.length + look.cushion_width)) & (y > 0) & (y < table.width)
    grain = np.where(ends, stretched_noise(rng, canvas.shape, canvas.step, along="y"), grain)
    timber = linear(look.rail) * (1 + look.grain * (grain - 0.5))[..., None]
    if look.bevel:
        timber *= _bevel(x, y, table, look)[..., None]
    _mix(colour, timber, wood)
    _edges(canvas, colour, wood, table, look)
    if look.trim is not None:
        edge = canvas.mask()
        m = look.cushion_width
        canvas.line(edge, ((-m, -m), (table.length + m, -m), (table.length + m, table.width + m), (-m, table.width + m)), 6, closed=True)
        _mix(colour, linear(look.trim), edge)
    _mix(colour, linear(look.pocket_rim) * (0.8 + 0.4 * value_noise(rng, canvas.shape, canvas.step, 60))[..., None], rim)
    if look.diamonds is not None:
        marks = canvas.mask()
        for at in _diamonds(table, look):
            canvas.disc(marks, at, 6.5)
        _mix(colour, linear(look.diamonds), cv2.min(marks, wood))
    return Plane(table.nose_height, canvas.origin, canvas.step, colour, solid.astype(np.float32) / 255), wood.astype(np.float32) / 255


def _bevel(x: Floats, y: Floats, table: Table, look: Look) -> Floats:
    """Brightness of the rails' wood across its width, 1 on the mean."""
    out = np.maximum(np.maximum(-x, x - table.length), np.maximum(-y, y - table.width)) - look.cushion_width
    across = np.clip(out / look.rail_width, 0, 1)
    return 1 + look.bevel * (0.2 - 1.8 * (across - 0.42) ** 2 - 0.5 * np.clip((across - 0.9) / 0.1, 0, 1))


def _edges(canvas: _Canvas, colour: Floats, wood: NDArray[np.uint8], table: Table, look: Look) -> None:
    """The line between cloth and wood, and the corners' plates."""
    m, out = look.cushion_width, look.cushion_width + look.rail_width
    if look.gap is not None:
        line = canvas.mask()
        canvas.line(line, _rectangle(table, m + 2), 5, closed=True)
        _mix(colour, linear(look.gap), line)
    if look.caps is not None and not table.pockets:
        plate = canvas.mask()
        for sx, x in ((-1, 0.0), (1, table.length)):
            for sy, y in ((-1, 0.0), (1, table.width)):
                a, b = (x + sx * (m + 8), y + sy * (m + 8)), (x + sx * out, y + sy * out)
                canvas.polygon(plate, (a, (b[0], a[1]), b, (a[0], b[1])))
        _mix(colour, linear(look.caps), cv2.min(plate, wood))


def _diamonds(table: Table, look: Look) -> list[tuple[float, float]]:
    out = look.cushion_width + 0.45 * look.rail_width
    along = [(table.length * i / 8, y) for i in range(1, 8) if i != 4 or not table.pockets for y in (-out, table.width + out)]
    return along + [(x, table.width * j / 4) for j in (1, 2, 3) for x in (-out, table.length + out)]


def _bed(canvas: _Canvas, table: Table, look: Look, rng: np.random.Generator) -> tuple[Plane, Floats]:
    cloth = linear(look.cloth)
    tone = (
        1
        + look.weave * (2 * fibre(rng, canvas.shape, canvas.step) - 1)
        + look.wear * (2 * value_noise(rng, canvas.shape, canvas.step, 350) - 1)
    )
    colour = cloth * tone[..., None].astype(np.float32)
    _mix(colour, np.array((0.5, 0.55, 0.6), np.float32), chalk(rng, canvas, table, look.chalk_marks), 0.35)
    if look.burns:  # its own draw: what is drawn after it does not depend on the number
        _mix(colour, cloth * 0.6 + 0.12, burns(np.random.default_rng(look.burns), canvas, table, look.burns), 0.6)
    _markings(canvas, colour, table, look)
    x, y = canvas.grid()
    beyond = np.maximum(np.maximum(-x, x - table.length), np.maximum(-y, y - table.width))  # mm behind the nose line
    face = np.clip(beyond / 4 + 0.5, 0, 1) * look.nose_shadow
    near = np.clip(1 - (-beyond) / look.nose_reach, 0, 1) * (1 - np.clip(beyond / 4 + 0.5, 0, 1)) * 0.35 * look.nose_shadow
    colour *= (1 - face - near)[..., None]
    hole, throat = canvas.mask(), canvas.mask()
    for pocket in table.pockets:
        canvas.disc(hole, pocket.centre, pocket.radius)
        out = np.subtract(pocket.centre, np.mean([j.tip for j in pocket.jaws], axis=0))
        out = out / np.linalg.norm(out) * 0.45 * pocket.radius
        canvas.disc(throat, (pocket.centre[0] + out[0], pocket.centre[1] + out[1]), 1.3 * pocket.radius)  # its wall, seen past the edge
        canvas.polygon(throat, mouth_polygon(pocket))
    throat = (throat * np.clip(beyond / 6 - 1, 0, 1)).astype(np.uint8)
    _mix(colour, np.array((0.012, 0.010, 0.009), np.float32), throat)
    _mix(colour, _hole_colour(canvas, table, look, rng), hole)
    if look.pocket_edge:
        _lit_edges(canvas, colour, table, look, hole)
    inside = (beyond < look.cushion_width + look.rail_width).astype(np.float32)
    return Plane(0.0, canvas.origin, canvas.step, colour, inside), 1 - hole.astype(np.float32) / 255


def _markings(canvas: _Canvas, colour: Floats, table: Table, look: Look) -> None:
    line, mask = linear(look.line), canvas.mask()
    if look.home_line or look.lines_drawn:
        at = table.length / 4
        canvas.line(mask, ((at, 0), (at, table.width)), 3.0)
    if look.lines_drawn:
        r = table.width / 6
        turn = np.linspace(np.pi / 2, 3 * np.pi / 2, 40)
        canvas.line(mask, np.column_stack([table.length / 4 + r * np.cos(turn), table.width / 2 + r * np.sin(turn)]), 3.0)
    _mix(colour, line, mask, 0.8)
    if look.spots:
        dots = canvas.mask()
        for at in table.spots.values():
            canvas.disc(dots, at, 4.5)
        dark = np.array((0.02, 0.02, 0.02), np.float32) if linear(look.cloth).mean() > 0.03 else np.array((0.5, 0.5, 0.5), np.float32)
        _mix(colour, dark, dots)


def _hole_colour(canvas: _Canvas, table: Table, look: Look, rng: np.random.Generator) -> Floats:
    """Darkness, or the cords of a net."""
    base = np.full((*canvas.shape, 3), 0.004, np.float32)
    if look.pockets != "net":
        return base
    net = canvas.mask()
    step = 16.0
    for pocket in table.pockets:
        c, r = np.asarray(pocket.centre), pocket.radius + 5
        for k in np.arange(-r, r, step):
            bend = rng.uniform(-8, 8, 2)
            for a, b in (((k, -r), (k * 0.6 + bend[0], r)), ((-r, k), (r, k * 0.6 + bend[1])), ((k, -r), (-k, r))):
                canvas.line(net, (c + a, c + b), 3.0)
    _mix(base, linear(look.pocket_rim) if max(look.pocket_rim) > 0.4 else np.array((0.55, 0.52, 0.45), np.float32), net, 0.8)
    return base


def _lit_edges(canvas: _Canvas, colour: Floats, table: Table, look: Look, hole: NDArray[np.uint8]) -> None:
    """A crescent of light on the side of each hole that faces the table's middle or turns away from it."""
    mask = canvas.mask()
    for k, pocket in enumerate(table.pockets):
        c = np.asarray(pocket.centre)
        way = np.subtract((table.length / 2, table.width / 2), c)
        shift = way / np.linalg.norm(way) * 0.14 * pocket.radius * (1 if k % 3 else -1)
        lit, dark = canvas.mask(), canvas.mask()
        canvas.disc(lit, pocket.centre, 0.97 * pocket.radius)
        canvas.disc(dark, (float(c[0] + shift[0]), float(c[1] + shift[1])), 0.93 * pocket.radius)
        mask = cv2.max(mask, cv2.subtract(lit, dark))
    _mix(colour, linear(look.pocket_rim) * 0.5 + 0.12 * look.pocket_edge, cv2.min(mask, hole), look.pocket_edge)


Window = tuple[float, float, float, float]  # x0, y0, x1, y1 mm


def build_plan(table: Table, look: Look, step: float, seed: int = 0, *, window: Window | None = None, floor_step: float = 10.0) -> Plan:
    """Pictures of the planes of `table` with `step` mm a pixel (`floor_step` for the floor); only the part in `window` if given."""
    rng = np.random.default_rng(seed)
    out = look.cushion_width + look.rail_width
    whole = (-out - 20, -out - 20, table.length + out + 20, table.width + out + 20)
    x0, y0, x1, y1 = whole if window is None else _common(whole, window)
    canvas = _Canvas((x0, y0), (x1 - x0, y1 - y0), step)
    bed, solid = _bed(canvas, table, look, rng)
    rails, wood = _rails(canvas, table, look, rng)
    coarse = _Canvas((-3000.0, -3000.0), (table.length + 6000, table.width + 6000), max(floor_step, 4 * step))
    floor = floor_texture(rng, coarse.shape, coarse.step, look.floor, linear(look.floor_colour)) * look.floor_light
    if look.furniture:
        things = np.ascontiguousarray(floor)
        furnish(np.random.default_rng(seed + look.furniture), things, coarse, table, look.furniture)
        floor = things
    under = _Canvas(whole[:2], (whole[2] - whole[0], whole[3] - whole[1]), 20.0)
    side, cover = np.empty((*under.shape, 3), np.float32), under.mask()
    side[:] = linear(look.apron) * 0.6
    under.polygon(cover, _rectangle(table, out))
    apron = Plane(APRON_Z, under.origin, under.step, side, cover.astype(np.float32) / 255)
    ground = Plane(FLOOR_Z, coarse.origin, coarse.step, floor, np.ones(coarse.shape, np.float32))
    return Plan(ground, apron, bed, rails, solid, wood)


def _common(whole: Window, part: Window) -> Window:
    """The part of `whole` in `part`, not smaller than 50 mm: a camera may look past the table."""
    x0, y0 = min(max(whole[0], part[0]), whole[2] - 50), min(max(whole[1], part[1]), whole[3] - 50)
    return x0, y0, max(min(whole[2], part[2]), x0 + 50), max(min(whole[3], part[3]), y0 + 50)
