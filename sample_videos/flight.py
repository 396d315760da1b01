"""Balls in the air: hops, jumps over balls and jaws, clipped balls, and the way over a cushion onto the rail or the floor.

pooltool knows no height. A flight is a parabola; where it ends an impulse changes the ball's motion, and it flies or rolls on.
A ball that something flies onto is pressed against the slate and keeps only what goes along the cloth.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import hypot

import numpy as np

from calibration.table import Pocket, Table
from sample_videos.course import Course, Motion, SimulationFailed
from sample_videos.path import GRAVITY, IN_NET, Air

BOUNCE = 0.5  # restitution of a ball on cloth over slate (Alciatore, «Pool physics property constants»)
RAIL_BOUNCE = 0.35  # on a wooden rail with its cloth or varnish, and on the nose's upper edge: rubber and felt over wood
RAIL = 175.0  # mm from the nose to the rail's outer edge
_RAIL_FRICTION = 0.25
_FLOOR = -820.0  # the floor under a table, mm from its cloth
_LEAST_HOP = 120.0  # mm/s upwards; a lower hop (0.7 mm) is none
_STEP = 2.5e-4
_MOST_HOPS = 12
_PULL = np.array([0.0, 0.0, -GRAVITY])


@dataclass(frozen=True, slots=True)
class _Hit:
    """What ends a flight, and when: `ball`, `cloth`, `nose`, `rail`, `hole` or `outside`."""

    t: float
    what: str
    which: str = ""


def fly(course: Course, ball: str) -> None:
    """Let a ball that has a speed upwards fly, hop and land; the others roll meanwhile. It rolls, lies, has fallen or is gone afterwards.

    Raises:
        SimulationFailed: the ball does what this model does not know (it flies at the far wall of a pocket, rolls back off a rail).
    """
    for _ in range(_MOST_HOPS):
        motion = course.motion[ball]
        foreseen = course.foresee([ball])
        hit = _next(course, ball, motion, foreseen.paths)
        if hit.what != "ball":
            _note_passed(course, ball, motion, hit.t, foreseen.paths)
        else:
            _note_passed(course, ball, motion, hit.t, {b: p for b, p in foreseen.paths.items() if b != hit.which})
        course.piece(ball, course.now, motion.place, motion.velocity, _PULL)
        arrived = _after(motion, hit.t - course.now)
        foreseen.keep(hit.t)
        course.now = hit.t
        course.motion[ball] = arrived
        if _goes_on(course, ball, hit):
            continue
        return
    raise SimulationFailed("a ball hops without end")


def lift_to_clear(table: Table, gap: float, speed: float) -> float:
    """The least speed upwards (mm/s) with which a ball clears another one `gap` mm ahead (centre to centre).

    Raises:
        SimulationFailed: none does.
    """
    for up in np.arange(300.0, 3000.0, 10.0):
        t = np.linspace(0, 2 * up / GRAVITY, 200)
        apart = [hypot(speed * s - gap, up * s - GRAVITY * s * s / 2) for s in t]
        if min(apart) > table.ball + 2:
            return float(up)
    raise SimulationFailed("no jump clears so near a ball")


def _after(motion: Motion, dt: float) -> Motion:
    return Motion(motion.place + motion.velocity * dt + _PULL * dt * dt / 2, motion.velocity + _PULL * dt, motion.spin)


def _next(course: Course, ball: str, motion: Motion, others) -> _Hit:
    """What the flying ball meets first."""
    table, radius = course.table, course.table.radius
    dt = np.arange(_STEP, 1.5, _STEP)
    places = motion.place + motion.velocity * dt[:, None] + _PULL * (dt * dt / 2)[:, None]
    speed = motion.velocity + _PULL * dt[:, None]
    hits: list[tuple[int, str, str]] = []

    def first(mask: np.ndarray, what: str, which: str = "") -> None:
        if mask.any():
            hits.append((int(np.argmax(mask)), what, which))

    for name, path in others.items():
        there = path.at(course.now + dt)
        off = places - there
        apart = np.linalg.norm(off, axis=1)
        first((apart < table.ball) & (np.diff(apart, prepend=np.linalg.norm(motion.place - there[0])) < 0), "ball", name)
    x, y, z = places.T
    gaps = {"home": x, "foot": table.length - x, "right": y, "left": table.width - y}
    out = {"home": (-1, 0), "foot": (1, 0), "right": (0, -1), "left": (0, 1)}
    mouth = np.zeros(len(dt), bool)
    for pocket in table.pockets:
        mouth |= _in_mouth(pocket, places)
        flat = np.hypot(x - pocket.centre[0], y - pocket.centre[1])
        first((flat < pocket.radius) & (z < radius), "hole", pocket.name)
    beyond = -np.min(list(gaps.values()), axis=0)  # how far the centre is outside the noses
    for cushion, gap in gaps.items():
        above = np.maximum(z - table.nose_height, 0.0)
        outward = speed[:, 0] * out[cushion][0] + speed[:, 1] * out[cushion][1] > 0
        first((np.hypot(gap, above) < radius) & (gap > 0) & outward & ~mouth, "nose", cushion)
    on_rail = (beyond > 0) & (beyond < RAIL) & ~mouth
    first(on_rail & (z < table.nose_height + radius) & (speed[:, 2] < 0), "rail")
    first((beyond > RAIL + 60) | ((beyond >= RAIL) & (z < table.nose_height + radius)), "outside")
    first((z <= radius) & (speed[:, 2] < 0) & (beyond < 0) & ~mouth, "cloth")
    if not hits:
        raise SimulationFailed("a ball flies where nothing is known")
    k, what, which = min(hits)
    if what == "cloth":  # exactly
        vz = motion.velocity[2]
        return _Hit(course.now + (vz + float(np.sqrt(vz * vz + 2 * GRAVITY * max(0.0, motion.place[2] - radius)))) / GRAVITY, what)
    t = float(dt[k])
    if what == "ball":  # to a hundredth of a step: balls do not overlap
        path = others[which]
        fine = np.linspace(t - _STEP, t, 101)
        spots = motion.place + motion.velocity * fine[:, None] + _PULL * (fine * fine / 2)[:, None]
        near = np.linalg.norm(spots - path.at(course.now + fine), axis=1) < table.ball
        t = float(fine[max(0, int(np.argmax(near)) - 1)]) if near.any() else t
    return _Hit(course.now + t, what, which)


def _in_mouth(pocket: Pocket, places: np.ndarray) -> np.ndarray:
    """Whether (n,) a ball's centre is between the jaws of a pocket or over its hole."""
    a, b = (np.array(jaw.tip) for jaw in pocket.jaws)
    middle, centre = (a + b) / 2, np.array(pocket.centre)
    inward = (centre - middle) / np.linalg.norm(centre - middle)
    off = places[:, :2] - middle
    along, across = off @ inward, np.abs(off[:, 0] * inward[1] - off[:, 1] * inward[0])
    return ((along > -20) & (along < pocket.radius) & (across < pocket.mouth / 2)) | (
        np.linalg.norm(places[:, :2] - centre, axis=1) < pocket.radius
    )


def _goes_on(course: Course, ball: str, hit: _Hit) -> bool:
    """Change the motion at the end of a flight; whether the ball flies on."""
    if hit.what == "ball":
        _collide(course, ball, hit)
        return True
    if hit.what == "nose":
        _meet_nose(course, ball, hit)
        return True
    if hit.what == "cloth":
        return _bounce(course, ball, BOUNCE, course.cloth.slide)
    if hit.what == "rail":
        if _bounce(course, ball, RAIL_BOUNCE, _RAIL_FRICTION):
            return True
        _lie_on_rail(course, ball)
        return False
    if hit.what == "hole":
        _drop(course, ball, course.table.pocket(hit.which))
        return False
    _leave(course, ball)
    return False


def _bounce(course: Course, ball: str, restitution: float, friction: float) -> bool:
    """A landing: friction lasts as long as the impulse; whether the ball hops on."""
    m, radius = course.motion[ball], course.table.radius
    down = -float(m.velocity[2])
    slip = m.slip(radius)
    size = float(np.hypot(*slip))
    push = -min(friction * (1 + restitution) * down, 2 / 7 * size) * slip / size if size > 1e-6 else np.zeros(2)
    up = restitution * down if restitution * down > _LEAST_HOP else 0.0
    velocity = np.array([m.velocity[0] + push[0], m.velocity[1] + push[1], up])
    spin = m.spin + 2.5 / radius * np.array([push[1], -push[0], 0.0])
    rests_on = course.table.nose_height + radius if restitution == RAIL_BOUNCE else radius
    course.motion[ball] = Motion(np.array([m.place[0], m.place[1], rests_on]), velocity, spin)
    return up > 0


def _collide(course: Course, ball: str, hit: _Hit) -> None:
    """A touch in the air without friction; the other ball lies on the slate, which takes what goes down."""
    a, b = course.motion[ball], course.motion[hit.which]
    normal = (b.place - a.place) / np.linalg.norm(b.place - a.place)
    closing = float((a.velocity - b.velocity) @ normal)
    push = (1 + course.cloth.ball_restitution) / 2 * closing * normal
    course.motion[ball] = Motion(a.place, a.velocity - push, a.spin)
    course.motion[hit.which] = Motion(b.place, (b.velocity + push) * (1, 1, 0), b.spin)
    course.note(hit.t, "contact", balls=course.pair(ball, hit.which))


def _meet_nose(course: Course, ball: str, hit: _Hit) -> None:
    """The cushion's nose: below its height a wall, above it an edge that throws the ball up."""
    m, table = course.motion[ball], course.table
    x, y, z = m.place
    gap = {"home": x, "foot": table.length - x, "right": y, "left": table.width - y}[hit.which]
    inward = {"home": (1, 0), "foot": (-1, 0), "right": (0, 1), "left": (0, -1)}[hit.which]
    normal = np.array([*(np.array(inward) * gap), max(0.0, float(z) - table.nose_height)])
    normal /= np.linalg.norm(normal)
    restitution = course.cloth.cushion_restitution if z <= table.nose_height else RAIL_BOUNCE
    velocity = m.velocity - (1 + restitution) * float(m.velocity @ normal) * normal
    course.motion[ball] = Motion(m.place, velocity, m.spin)
    course.note(hit.t, "cushion", ball=ball, cushion=hit.which)


def _lie_on_rail(course: Course, ball: str) -> None:
    """The ball rolls out on the rail and comes to rest there: off the table for the game, and still to be seen."""
    m, table = course.motion[ball], course.table
    speed = float(np.hypot(*m.velocity[:2]))
    way = m.velocity[:2] / speed if speed > 1e-6 else np.zeros(2)
    slowing = 600.0  # mm/s^2: varnish, the slope of the rail, the diamonds
    lasts = speed / slowing
    end = m.place[:2] + way * speed * lasts / 2
    beyond = -min(end[0], table.length - end[0], end[1], table.width - end[1])
    if not 25 < beyond < RAIL - 25:
        raise SimulationFailed("the ball does not stay on the rail")
    flat = np.array([m.velocity[0], m.velocity[1], 0.0])
    course.piece(ball, course.now, m.place, flat, np.array([*(-way * slowing), 0.0]))
    course.now += lasts
    course.piece(ball, course.now, np.array([*end, m.place[2]]), np.zeros(3), np.zeros(3))
    _off(course, ball, course.now)


def _leave(course: Course, ball: str) -> None:
    """Over the rail's edge: down to the floor, where it bounces out of sight."""
    t, m = course.now, course.motion[ball]
    _off(course, ball, t)
    for _ in range(6):
        course.piece(ball, t, m.place, m.velocity, _PULL)
        high, vz = float(m.place[2]) - (_FLOOR + course.table.radius), float(m.velocity[2])
        dt = (vz + float(np.sqrt(vz * vz + 2 * GRAVITY * high))) / GRAVITY
        t, m = t + dt, _after(m, dt)
        m = Motion(m.place, m.velocity * (0.8, 0.8, -0.6), m.spin)
    course.piece(ball, t, m.place, np.zeros(3), np.zeros(3))


def _off(course: Course, ball: str, t: float) -> None:
    course.note(t, "off_table", ball=ball)
    course.remove(ball)


def _drop(course: Course, ball: str, pocket: Pocket) -> None:
    """Into the hole from above."""
    m, t = course.motion[ball], course.now
    centre, room = np.array(pocket.centre), max(pocket.radius - course.table.radius, 8.0)
    place, speed = m.place.copy(), m.velocity.copy()
    times, places = [t], [place.copy()]
    while place[2] > IN_NET:
        speed[2] -= GRAVITY * _STEP * 2
        place = place + speed * _STEP * 2
        off = place[:2] - centre
        far, outward = float(np.hypot(*off)), float(speed[:2] @ off)
        if far > room and outward > 0:
            speed[:2] = 0.35 * (speed[:2] - 1.5 * outward / far * off / far)
            place[:2] = centre + off / far * room
        times.append(times[-1] + _STEP * 2)
        places.append(place.copy())
    course.note(t, "pocket", ball=ball, pocket=pocket.name)
    course.remove(ball, Air(np.array(times), np.array(places)))


def _note_passed(course: Course, ball: str, motion: Motion, until: float, others) -> None:
    """Jump events for the balls and jaws that this flight passes over."""
    table = course.table
    dt = np.linspace(0.0, until - course.now, 121)
    places = motion.place + motion.velocity * dt[:, None] + _PULL * (dt * dt / 2)[:, None]
    for name, path in others.items():
        flat = np.linalg.norm((places - path.at(course.now + dt))[:, :2], axis=1)
        k = int(np.argmin(flat))
        if flat[k] < table.ball - 2 and 0 < k < len(dt) - 1:
            course.note(float(course.now + dt[k]), "jump", ball=ball, over=name)
    for pocket, k in _jaws_passed(table, places):
        course.note(float(course.now + dt[k]), "jump", ball=ball, over_jaw=pocket)


def _jaws_passed(table: Table, places: np.ndarray) -> Iterator[tuple[str, int]]:
    for pocket in table.pockets:
        for jaw in pocket.jaws:
            off = np.linalg.norm(places[:, :2] - np.array(jaw.tip), axis=1)
            k = int(np.argmin(off))
            if off[k] < table.radius and 0 < k < len(places) - 1 and places[k, 2] > table.nose_height + table.radius * 0.6:
                yield pocket.name, k
