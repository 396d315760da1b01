"""Random scenes for training: where the camera stands, what lies on the table, who leans over it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import cos, pi, radians, sin

import numpy as np
from numpy.random import Generator

from calibration.camera import Camera
from calibration.table import KINDS, Table, custom_table, table
from sample_videos.people import Person, fist
from sample_videos.render.halls import random_hall
from sample_videos.render.look import BALLS, Colour, Look
from sample_videos.render.people import SKIN, Capsule, arm, cue, hand, player
from sample_videos.render.random_look import random_look
from sample_videos.visitors import THINGS, Thing, Walk, on_rail

_GAME = ("white", "yellow", "red", "black")
_OTHERS = tuple(n for n in BALLS if n not in _GAME)
# How often a colour is drawn. Orange and maroon lie between two classes: rare, so that they do not blur the border.
_SHARE = {
    "white": 0.17, "yellow": 0.17, "red": 0.20, "black": 0.16, "brown": 0.08, "pink": 0.06, "blue": 0.05, "green": 0.05,
    "orange": 0.01, "maroon": 0.02,
}  # fmt: skip
SMALLEST, LARGEST = 7.0, 46.0  # diameters at the network's scale, px


@dataclass(frozen=True)
class Scene:
    """What `Renderer` needs, and `moves`: ball -> (S, 3) mm over the exposure."""

    table: Table
    camera: Camera
    look: Look
    moves: dict[str, np.ndarray]
    people: list[Capsule] = field(default_factory=list)


def random_scene(rng: Generator, size: tuple[int, int]) -> Scene:
    """A scene for a picture of `size` (width, height) px."""
    kind = _table(rng)
    look = _look(rng, kind)
    camera = _camera(rng, kind, size, 0.18)
    moves = _balls(rng, kind, camera)
    return Scene(kind, camera, look, moves, _people(rng, kind, camera, moves))


def hard_scene(rng: Generator, size: tuple[int, int]) -> Scene:
    """A scene without a ball of the game: an empty table or balls of other games; people in white shirts with knees in view."""
    kind = _table(rng)
    look = _look(rng, kind)
    camera = _camera(rng, kind, size, 0.4)
    moves: dict[str, np.ndarray] = {}
    if rng.random() < 0.5:
        for name, path in _balls(rng, kind, camera).items():
            stranger = name if name.split("#")[0] in _OTHERS else f"{rng.choice(_OTHERS)}#{len(moves) + 50}"
            moves[stranger] = path
    people = [*_people(rng, kind, camera, moves), *_at_the_rail(rng, kind, camera)]
    return Scene(kind, camera, look, moves, people)


def _look(rng: Generator, kind: Table) -> Look:
    """Every colour with every other mostly, so that none is learnt to belong to another; now and then a hall as halls are."""
    look = random_look(rng, length=kind.length, width=kind.width)
    if rng.random() < 0.3:
        hall = random_hall(rng, kind).look
        camera = {name: getattr(look, name) for name in ("noise", "blur", "sharpen", "compression")}
        white = look.white_balance if rng.random() < 0.5 else hall.white_balance
        look = replace(hall, balls=look.balls, patterns=look.patterns, white_balance=white, **camera)
    return look


def _at_the_rail(rng: Generator, kind: Table, camera: Camera) -> list[Capsule]:
    """Knee caps over the rail's edge and shoulders in light shirts, where the picture shows them: pale and round."""
    low, high = _visible_area(kind, camera)
    bars: list[Capsule] = []
    for _ in range(int(rng.integers(1, 4))):
        side = rng.integers(4)
        at = rng.uniform(low, high)
        at[side % 2] = -rng.uniform(110, 260) if side < 2 else (kind.length, kind.width)[side % 2] + rng.uniform(110, 260)
        out = -1.0 if side < 2 else 1.0
        away = np.array([out, 0.0]) if side % 2 == 0 else np.array([0.0, out])
        x, y = at
        if rng.random() < 0.5:  # a knee: bare, or in trousers
            colour = SKIN[rng.integers(len(SKIN))] if rng.random() < 0.6 else _pale(rng)
            foot = at + away * 200
            bars.append(Capsule((x, y, 40), (*foot, -500), 55, 60, colour, 0.35))
            bars.append(Capsule((x, y, 45), (x, y, 50), 58, 55, colour, 0.3))
        else:  # a shirt: white mostly
            v = rng.uniform(0.75, 0.95)
            shirt = (v, v, v) if rng.random() < 0.7 else _pale(rng)
            back = at + away * 350
            bars.append(Capsule((x, y, 160), (*back, 320), 60, 130, shirt, 0.4))
    return bars


def _table(rng: Generator) -> Table:
    if rng.random() < 0.8:
        name = str(rng.choice(KINDS))
        return table(name, ball=float(rng.uniform(50, 62)) if rng.random() < 0.3 and not name.startswith("pyramid") else None)
    length = float(rng.uniform(1050, 3600))
    return custom_table(length, length * float(rng.uniform(0.48, 0.56)), ball=float(rng.uniform(36, 70)))


def _camera(rng: Generator, kind: Table, size: tuple[int, int], pocket: float) -> Camera:
    """A window of a camera's picture: balls of a random diameter, any place of the table, any side up; the share `pocket` looks at one."""
    overhead = rng.random() < 0.6
    tilt = radians(rng.uniform(0, 12) if overhead else rng.uniform(12, 66))
    turn = rng.choice([0, pi / 2, pi, -pi / 2]) + rng.normal(0, 0.1) if rng.random() < 0.7 else rng.uniform(0, 2 * pi)
    reach = float(rng.uniform(0.45, 1.6)) * kind.length + 600
    middle = np.array([kind.length / 2, kind.width / 2]) + rng.normal(0, 150, 2)
    back = np.array([cos(turn), sin(turn)])
    eye = np.array([*(middle - back * reach * sin(tilt)), reach * cos(tilt)])
    aim = np.array([rng.uniform(-0.02, 1.02) * kind.length, rng.uniform(-0.04, 1.04) * kind.width, 0.0])
    diameter = float(np.exp(rng.uniform(np.log(SMALLEST + 1), np.log(LARGEST - 8))))
    if kind.pockets and rng.random() < pocket:  # holes are round and dark: many of them, large and with little else in view
        aim[:2] = kind.pockets[rng.integers(6)].centre
    if diameter < 14 and rng.random() < 0.7:  # the whole table fits: look at its middle
        aim[:2] = middle + rng.normal(0, 0.12, 2) * (kind.length, kind.width)
    forward = np.array([*middle, 0.0]) - eye
    forward /= np.linalg.norm(forward)
    down = -np.array([*back, 0.0])
    down -= forward * (down @ forward)
    down /= np.linalg.norm(down)
    right = np.cross(down, forward)
    rotation = np.array([right, down, forward])
    seen = rotation @ (aim - eye)
    focal = diameter / kind.ball * float(seen[2])
    k1 = float(rng.normal(0, 0.05)) if rng.random() < 0.3 else 0.0
    half = np.array(size) / 2
    principal = half - focal * seen[:2] / seen[2]
    return Camera(size[0], size[1], focal, (float(principal[0]), float(principal[1])), (k1, 0.0, 0.0, 0.0, 0.0), rotation, -rotation @ eye)


def _visible_area(kind: Table, camera: Camera) -> tuple[np.ndarray, np.ndarray]:
    """Corners of the part of the bed that the picture shows (a rectangle in mm)."""
    rim = camera.to_table([(x, y) for x in (0, camera.width / 2, camera.width) for y in (0, camera.height / 2, camera.height)], kind.radius)
    rim = rim[np.isfinite(rim).all(axis=1)]
    bound = np.array([kind.length, kind.width]) - kind.radius
    if not len(rim):
        return np.array([kind.radius, kind.radius]), bound
    low = np.clip(rim.min(axis=0), kind.radius, bound - 50)
    return low, np.clip(rim.max(axis=0), low + 50, bound)


def _name(rng: Generator, counts: dict[str, int]) -> str:
    names = list(BALLS)
    rest = (1 - sum(_SHARE.values())) / sum(n not in _SHARE for n in names)
    shares = np.array([_SHARE.get(n, rest) for n in names])
    kind = str(rng.choice(names, p=shares / shares.sum()))
    counts[kind] = counts.get(kind, 0) + 1
    return kind if counts[kind] == 1 else f"{kind}#{counts[kind]}"


def _place(rng: Generator, kind: Table, low: np.ndarray, high: np.ndarray, taken: list[np.ndarray], crowd: np.ndarray | None) -> np.ndarray:
    """Somewhere free: anywhere, touching another ball, frozen to a cushion, in a pocket's jaws, on a rail, fallen; about `crowd`."""
    r, draw = kind.radius, rng.random()
    if crowd is not None and rng.random() < 0.5:
        return np.array([*np.clip(crowd + rng.normal(0, 1.6 * r, 2), (r, r), (kind.length - r, kind.width - r)), r])
    if taken and draw < 0.28:
        angle = rng.uniform(0, 2 * pi)
        gap = 2 * r * (1.0 if rng.random() < 0.6 else rng.uniform(1.0, 1.4))
        near = taken[rng.integers(len(taken))][:2] + gap * np.array([cos(angle), sin(angle)])
        return np.array([*np.clip(near, (r, r), (kind.length - r, kind.width - r)), r])
    at = np.array([*rng.uniform(low, high), r])
    touch = np.sqrt(max(r * r - (kind.nose_height - r) ** 2, 0))
    if draw < 0.40:
        side = rng.integers(4)
        at[side % 2] = touch if side < 2 else (kind.length, kind.width)[side % 2] - touch
    elif draw < 0.47 and kind.pockets:
        pocket = kind.pockets[rng.integers(6)]
        tips = np.mean([j.tip for j in pocket.jaws], axis=0)
        at[:2] = tips + (np.asarray(pocket.centre) - tips) * rng.uniform(-0.5, 0.35) + rng.normal(0, 5, 2)
        if rng.random() < 0.3:  # fallen, or falling
            at = np.array([*(np.asarray(pocket.centre) + rng.normal(0, 12, 2)), -rng.uniform(1.5 * r, 4 * r)])
    elif draw < 0.49:
        side, out = rng.integers(4), rng.uniform(60, 130)
        at[side % 2] = -out if side < 2 else (kind.length, kind.width)[side % 2] + out
        at[2] = kind.nose_height + r
    return at


def _balls(rng: Generator, kind: Table, camera: Camera) -> dict[str, np.ndarray]:
    low, high = _visible_area(kind, camera)
    room = float(np.prod((high - low) / kind.ball))
    count = min(
        int(rng.choice([0, 1, 2, 3, 4, 6, 9, 13, 18, 24], p=[0.03, 0.02, 0.04, 0.08, 0.16, 0.17, 0.18, 0.15, 0.10, 0.07])),
        int(0.4 * room) + 2,
    )
    counts: dict[str, int] = {}
    taken: list[np.ndarray] = []
    crowd = _mouth_in_view(rng, kind, low, high)
    moves: dict[str, np.ndarray] = {}
    for _ in range(count):
        for _try in range(12):
            at = _place(rng, kind, low, high, taken, crowd)
            if all(np.linalg.norm(at - t) >= 1.99 * kind.radius for t in taken):
                taken.append(at)
                moves[_name(rng, counts)] = _motion(rng, kind, at)
                break
    return moves


def _mouth_in_view(rng: Generator, kind: Table, low: np.ndarray, high: np.ndarray) -> np.ndarray | None:
    """Where balls crowd before a pocket that the picture shows, now and then."""
    if not kind.pockets or rng.random() > 0.25:
        return None
    tips = np.array([np.mean([j.tip for j in p.jaws], axis=0) for p in kind.pockets])
    seen = tips[((tips > low - 2 * kind.ball) & (tips < high + 2 * kind.ball)).all(axis=1)]
    return seen[rng.integers(len(seen))] if len(seen) else None


def _motion(rng: Generator, kind: Table, at: np.ndarray) -> np.ndarray:
    """At rest mostly; else a straight path over the exposure, up to five diameters long, its middle at `at`."""
    if rng.random() < 0.80 or at[2] != kind.radius:
        return at[None]
    angle, far = rng.uniform(0, 2 * pi), kind.ball * float(rng.choice([0.15, 0.4, 0.8, 1.5, 3.0, 5.0])) * rng.uniform(0.6, 1.2)
    step = np.array([cos(angle), sin(angle), 0.0]) * far
    moments = int(np.clip(far / kind.ball * 10, 6, 40))
    path = at + np.linspace(-0.5, 0.5, moments)[:, None] * step
    return path


def _pale(rng: Generator) -> tuple[float, float, float]:
    v = rng.uniform(0, 1, 3) if rng.random() < 0.5 else np.full(3, rng.choice([0.04, 0.1, 0.5, 0.9])) * rng.uniform(0.8, 1.1, 3)
    return (float(v[0]), float(v[1]), float(v[2]))


def _people(rng: Generator, kind: Table, camera: Camera, moves: dict[str, np.ndarray]) -> list[Capsule]:
    people: list[Capsule] = []
    low, high = _visible_area(kind, camera)
    skin = SKIN[rng.integers(len(SKIN))]
    draw = rng.random()
    if draw < 0.45:
        near = [m.mean(axis=0)[:2] for m in moves.values()]
        target = near[rng.integers(len(near))] if near and rng.random() < 0.6 else rng.uniform(low, high)
        angle = rng.uniform(0, 2 * pi)
        d = np.array([cos(angle), sin(angle)])
        tip = target - d * (kind.radius + rng.uniform(2, 120))
        bridge = tip - d * rng.uniform(120, 260)
        glove, cuff = _glove(rng), _pale(rng) if rng.random() < 0.3 else None
        leather, ferrule = _tip(rng)
        what = rng.random()
        if what < 0.15:
            people += _from_above(rng, kind, target, moves)
        elif what < 0.6:
            people += player(
                (*bridge, 0.0), d, (*tip, kind.radius + 8), skin=skin, hair=_pale(rng), shirt=_pale(rng), trousers=_pale(rng),
                sleeve=bool(rng.random() < 0.7), glove=glove, wood=_wood(rng), back=float(rng.uniform(0.8, 1.3)),
                cuff=cuff, leather=leather, ferrule=ferrule,
            )  # fmt: skip
        elif what < 0.8:
            people += cue((*tip, kind.radius + 8), (*d, -0.05), colour=_wood(rng), leather=leather, ferrule=ferrule)
        else:
            people += hand((*bridge, 0.0), d, skin=skin, glove=glove)
            people += arm(
                (*(bridge - d * 50), 45), (*(bridge - d * 700), 350), skin=skin, sleeve=_pale(rng) if rng.random() < 0.7 else None,
                cuff=cuff,
            )  # fmt: skip
    if rng.random() < 0.25:
        people += _bystanders(rng, kind)
    if rng.random() < 0.15:
        side = str(rng.choice(("left", "right", "home", "far")))
        walk = Walk(kind, side, 0.0, 1.0, _person(rng), far=float(rng.uniform(330, 700)), lean=float(rng.uniform(0, 400)))
        people += walk.bars(float(rng.uniform(0.2, 0.8)))
    for _ in range(int(rng.choice((0, 1, 2, 4), p=(0.7, 0.15, 0.1, 0.05)))):
        x, y = rng.uniform(low, high)
        at = on_rail(kind, (float(x), float(y)))
        people += Thing(str(rng.choice(THINGS)), at, float(rng.uniform(0, 2 * pi))).bars(0.0)
    return people


def _person(rng: Generator) -> Person:
    return Person(
        _glove(rng) or SKIN[rng.integers(len(SKIN))], _pale(rng), _pale(rng), _pale(rng), _wood(rng), sleeve=bool(rng.random() < 0.7)
    )  # fmt: skip


def _glove(rng: Generator) -> Colour | None:
    """Of one hand in three: black ones mostly."""
    draw = rng.random()
    if draw > 0.33:
        return None
    dark = float(rng.uniform(0.02, 0.12))
    return (dark, dark, dark * 1.1) if draw < 0.2 else _pale(rng)


def _tip(rng: Generator) -> tuple[Colour, Colour]:
    """Colours of a cue's leather, chalked or not, and of the ring behind it."""
    leathers = ((0.15, 0.35, 0.55), (0.20, 0.45, 0.40), (0.35, 0.22, 0.12), (0.08, 0.07, 0.07), (0.75, 0.72, 0.65))
    ferrule = float(rng.uniform(0.6, 0.98))
    ring = (ferrule, ferrule * 0.98, ferrule * float(rng.uniform(0.75, 0.97)))
    return leathers[rng.integers(len(leathers))], ring if rng.random() < 0.8 else leathers[rng.integers(len(leathers))]


def _from_above(rng: Generator, kind: Table, target: np.ndarray, moves: dict[str, np.ndarray]) -> list[Capsule]:
    """A hand that takes or places a ball, from beyond some rail."""
    at = np.array([*target, kind.radius + rng.uniform(0, 120)])
    side = rng.integers(4)
    outside = np.array([rng.uniform(0, kind.length), rng.uniform(0, kind.width)])
    outside[side % 2] = -520.0 if side < 2 else (kind.length, kind.width)[side % 2] + 520.0
    free = all(np.linalg.norm(m.mean(axis=0)[:2] - target) > 2.2 * kind.radius for m in moves.values())
    if free and rng.random() < 0.7:  # with a ball in it
        name = str(rng.choice(list(BALLS)))
        moves[f"{name}#90"] = at[None]
    return fist(at, outside, _person(rng))


def _wood(rng: Generator) -> tuple[float, float, float]:
    v = np.array([0.78, 0.60, 0.38]) * rng.uniform(0.3, 1.15)
    return (float(v[0]), float(v[1]), float(v[2]))


def _bystanders(rng: Generator, kind: Table) -> list[Capsule]:
    """Heads, knees, shoes and shoulders beside the table: round things that are no balls."""
    bars: list[Capsule] = []
    for _ in range(int(rng.integers(1, 5))):
        side = rng.integers(4)
        at = rng.uniform((0, 0), (kind.length, kind.width))
        at[side % 2] = -rng.uniform(280, 700) if side < 2 else (kind.length, kind.width)[side % 2] + rng.uniform(280, 700)
        x, y = at
        skin, shirt = SKIN[rng.integers(len(SKIN))], _pale(rng)
        top = float(rng.uniform(200, 800))
        bars.append(Capsule((x, y, -800), (x, y, top - 250), 130, 170, shirt, 0.4))
        bars.append(Capsule((x - 170, y, top - 300), (x + 170, y, top - 300), 70, 70, shirt, 0.4))
        bars.append(Capsule((x, y, top), (x + 15, y, top + 30), 95, 90, _pale(rng) if rng.random() < 0.6 else skin, 0.3))
    return bars
