"""What a referee has to see: a cue that hits twice or stays on the ball, a touched ball, a stroke while balls still roll.

Each interrupts the course of the stroke; what the balls do in between is physics.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import hypot, radians

import numpy as np

from calibration.table import Point
from sample_videos.course import Course, Motion, SimulationFailed
from sample_videos.strike import Strike, struck

_TIP_GAIN = 1.2  # a cue of 0.7 kg gives a ball of 285 g so much of the speed by which it is faster (restitution of the tip 0.7)
_TIP_STOPS = 260.0  # mm of follow-through
_HEAVIER = 0.775  # ball and cue together, of 0.285 + 0.7 kg, against the ball alone: 0.985 / (0.985 + 0.285)
_KEPT = 0.7  # share of the speed that a pushed ball keeps when it meets another: the hand drives the cue on
_FULLEST = 0.9  # least cosine between a push and the line of the centres; thinner, the cue slips off the ball
_STEP = 5e-4

Tip = tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Touch:
    """A ball at rest that is shoved by `by` mm, beginning `at` s after the strike (before it if negative), by `how`."""

    ball: str
    at: float
    by: Point
    how: str = "hand"  # or sleeve, cue

    @property
    def lasts(self) -> float:
        """Seconds that the shove takes."""
        return 0.15 + hypot(*self.by) / 150.0


@dataclass(frozen=True, slots=True)
class Again:
    """A second strike at a ball at rest, `at` s after the first one, while another ball still rolls; `heading` in degrees."""

    ball: str
    at: float
    speed: float
    heading: float
    follow: float = 0.0

    @property
    def strike(self) -> Strike:
        return Strike(self.ball, self.speed, radians(self.heading), self.follow)


@dataclass(frozen=True, slots=True)
class Faults:
    """What goes wrong in a stroke.

    `double`: the cue follows with this share of the cue ball's speed and hits it once more where it catches up.
    `push`: s that the tip stays on the cue ball, through its contact with a near ball.
    """

    double: float = 0.0
    push: float = 0.0
    touch: Touch | None = None
    again: Again | None = None


def hit_twice(course: Course, strike: Strike, share: float) -> Tip:
    """Let the tip run after the cue ball until it hits it once more; returns the tip's way: (s, mm along the heading from the first hit).

    Raises:
        SimulationFailed: the cue ball gets away.
    """
    ball, way = strike.cue_ball, strike.way
    foreseen = course.foresee()
    start, speed = course.motion[ball].place, share * strike.speed
    slowing = speed * speed / (2 * _TIP_STOPS)
    times = np.arange(0.0, min(0.6, speed / slowing), _STEP)
    tip = speed * times - slowing * times**2 / 2
    ahead = (foreseen.paths[ball].at(course.now + times) - start) @ way
    caught = np.flatnonzero((tip >= ahead) & (times > 0))
    if not len(caught):
        raise SimulationFailed("the cue ball gets away from the cue")
    t = float(times[caught[0]])
    until = course.now + t
    foreseen.keep(until)
    course.now = until
    if ball not in course.motion:
        raise SimulationFailed("the cue ball has fallen")
    motion = course.motion[ball]
    gain = _TIP_GAIN * (speed - slowing * t - float(motion.velocity @ way))
    if gain < 60:
        raise SimulationFailed("the cue hardly touches the cue ball again")
    course.motion[ball] = struck(course, replace(strike, speed=gain, up=0.0))
    course.note(course.now, "double_hit", ball=ball)
    reached = float(tip[caught[0]])
    on = np.linspace(0.0, 0.25, 26)  # the cue comes to a stop behind the ball
    return (
        *zip(times[: caught[0] + 1].tolist(), tip[: caught[0] + 1].tolist(), strict=True),
        *((t + float(s), reached + 30.0 * (1 - float(np.exp(-s * 8)))) for s in on),
    )


def push_through(course: Course, strike: Strike, lasts: float) -> Tip:
    """Let the tip drive the cue ball for so many seconds, through its contact with the ball that lies ahead; returns the tip's way.

    Raises:
        SimulationFailed: no ball is met while the tip is on the cue ball, or not nearly full, or another one at once.
    """
    ball, way = strike.cue_ball, strike.way
    start = course.motion[ball].place
    times = np.arange(0.0, lasts, _STEP)
    reach = start + strike.speed * times[:, None] * way
    meets = []
    for name, other in course.motion.items():
        if name != ball and len(near := np.flatnonzero(np.linalg.norm(reach - other.place, axis=1) <= course.table.ball + 0.01)):
            meets.append((int(near[0]), name))
    if not meets:
        raise SimulationFailed("the push meets no ball")
    k, name = min(meets)
    t, place = float(times[k]), reach[k]
    normal = (course.motion[name].place - place) / np.linalg.norm(course.motion[name].place - place)
    if (full := float(normal @ way)) < _FULLEST:
        raise SimulationFailed("the push is too thin")
    course.piece(ball, course.now, start, strike.speed * way, np.zeros(3))
    course.piece(ball, course.now + t, place, _KEPT * strike.speed * way, np.zeros(3))
    course.now += t
    course.note(course.now, "contact", balls=course.pair(ball, name))
    course.note(course.now, "push", ball=ball)
    driven = (1 + course.cloth.ball_restitution) * strike.speed * full * _HEAVIER * normal
    course.motion[name] = Motion(course.motion[name].place, driven, np.zeros(3))
    foreseen = course.foresee([ball])
    rest = np.arange(0.0, lasts - t, _STEP)
    follows = place + _KEPT * strike.speed * rest[:, None] * way
    _apart(course, follows[2:], rest[2:] + course.now, foreseen.paths)
    released = course.now + lasts - t
    foreseen.keep(released)
    course.now = released
    velocity = _KEPT * strike.speed * way
    spin = np.array([-velocity[1], velocity[0], 0.0]) / course.table.radius  # it rolls by then
    course.motion[ball] = Motion(place + velocity * (lasts - t), velocity, spin)
    shoved = strike.speed * t + _KEPT * strike.speed * (lasts - t)
    return ((0.0, 0.0), (t, strike.speed * t), (lasts, shoved), (lasts + 0.06, shoved + 12.0), (lasts + 0.5, shoved + 14.0))


def touch(course: Course, shove: Touch) -> None:
    """Shove a ball that is at rest.

    Raises:
        SimulationFailed: it has fallen, still moves, meets a ball or is shoved where no ball can lie.
    """
    if shove.at > course.now:
        course.roll(shove.at)
    motion = course.motion.get(shove.ball)
    if motion is None or motion.velocity.any():
        raise SimulationFailed(f"{shove.ball} does not rest when it is touched")
    t, lasts, by = course.now, shove.lasts, np.array([*shove.by, 0.0])
    goal = motion.place + by
    x, y, _ = goal
    table = course.table
    if not (table.radius < x < table.length - table.radius and table.radius < y < table.width - table.radius):
        raise SimulationFailed(f"{shove.ball} is shoved into a cushion")
    pull = 4 * by / lasts**2  # to the middle faster and faster, then slower and slower
    course.piece(shove.ball, t, motion.place, np.zeros(3), pull)
    course.piece(shove.ball, t + lasts / 2, motion.place + by / 2, pull * lasts / 2, -pull)
    course.piece(shove.ball, t + lasts, goal, np.zeros(3), np.zeros(3))
    foreseen = course.foresee([shove.ball])
    times = np.linspace(0.0, lasts, 81)
    f = times / lasts
    way = motion.place + by * np.where(f < 0.5, 2 * f * f, 1 - 2 * (1 - f) ** 2)[:, None]
    _apart(course, way, times + t, foreseen.paths)
    course.note(t, "touch", ball=shove.ball)
    foreseen.keep(t + lasts)
    course.now = t + lasts
    course.motion[shove.ball] = Motion(goal, np.zeros(3), np.zeros(3))
    if course.now > 0:
        course.note(course.now, "stop", ball=shove.ball, at=[round(float(x), 2), round(float(y), 2)])


def strike_again(course: Course, again: Again) -> None:
    """Strike a ball at rest while another one still rolls.

    Raises:
        SimulationFailed: the ball moves or has fallen, or all balls are at rest.
    """
    course.roll(again.at)
    if again.ball not in course.motion or course.motion[again.ball].velocity.any():
        raise SimulationFailed(f"{again.ball} does not rest when it is struck")
    if not any(m.velocity.any() for m in course.motion.values()):
        raise SimulationFailed("all balls are at rest before the second strike")
    course.motion[again.ball] = struck(course, again.strike)
    course.note(course.now, "strike", ball=again.ball)


def _apart(course: Course, places: np.ndarray, times: np.ndarray, others) -> None:
    for name, path in others.items():
        if np.linalg.norm(places - path.at(times), axis=1).min() < course.table.ball - 0.02:
            raise SimulationFailed(f"{name} is in the way")
