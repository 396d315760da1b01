"""What people do at the table between and during strokes: aiming and striking with a cue, carrying balls by hand.

Each action is a function of the video's time that returns the bars (`render.Capsule`) to draw. Units: mm, s.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import cos, pi, radians, sin

import numpy as np

from calibration.table import Point, Table
from sample_videos.render.look import Colour
from sample_videos.render.people import SKIN, Capsule, arm, as_hand, cue, hand

Place = Callable[[float], np.ndarray]


@dataclass(frozen=True, slots=True)
class Person:
    """How one player looks."""

    skin: Colour = SKIN[0]
    hair: Colour = (0.12, 0.08, 0.05)
    shirt: Colour = (0.95, 0.95, 0.95)
    trousers: Colour = (0.05, 0.05, 0.06)
    wood: Colour = (0.78, 0.60, 0.38)
    sleeve: bool = True


PLAYERS = (
    Person(shirt=(0.93, 0.93, 0.95), hair=(0.10, 0.07, 0.05)),
    Person(skin=SKIN[1], shirt=(0.08, 0.09, 0.13), hair=(0.35, 0.22, 0.12), wood=(0.50, 0.28, 0.14)),
)


def smooth(x: float) -> float:
    """0 before 0, 1 after 1, without corners in between."""
    x = min(1.0, max(0.0, x))
    return x * x * (3 - 2 * x)


@dataclass(frozen=True, slots=True)
class Aim:
    """One stroke's player: comes to the table at `start`, strikes at `strike`, is gone at `end` (s of the video).

    `tip_limit(t)` is the farthest (mm along the heading from the resting cue ball's centre) that the tip may be after the
    strike, so that a cue ball that stops at once is not struck twice on the picture. `tip`, where given, is the tip's way itself:
    (s after the strike, mm from the place where it meets the ball). With `swings` the player only swings so often, keeps the tip
    `near` mm from the ball, never strikes, and turns away at `strike`.
    """

    table: Table
    cue_ball: Point
    heading: float
    speed: float
    start: float
    strike: float
    end: float
    person: Person
    balls: tuple[Point, ...]
    tip_limit: Callable[[float], float]
    side: float = 0.0
    high: float = 34.0
    tip: tuple[tuple[float, float], ...] = ()
    swings: int = 0
    near: float = 18.0

    def bars(self, t: float) -> list[Capsule]:
        """What is seen of the player at time t."""
        if not self.start <= t <= self.end:
            return []
        away = self._away(t)
        d = np.array([cos(self.heading), sin(self.heading)])
        left = np.array([-d[1], d[0]])
        lift = 160.0 * smooth(away * 2.5)
        shift = -d * 1900.0 * smooth(away)
        reach = self._bridge_distance()
        aim = np.array(self.cue_ball) - left * self.side * self.table.radius
        bridge = aim - d * reach + shift
        tip = aim - d * self._tip_behind(t) + shift
        slope = self._slope()
        return self._body(bridge, d, left, (float(tip[0]), float(tip[1]), self.high + lift), slope, lift)

    def _away(self, t: float) -> float:
        """0 at the table, 1 away from it."""
        coming = 1 - (t - self.start) / 1.0
        going = (t - self.strike - 0.35) / max(0.3, self.end - self.strike - 0.35)
        return max(0.0, min(1.0, coming)) if t < self.strike else max(0.0, min(1.0, going))

    def _tip_behind(self, t: float) -> float:
        """Distance of the tip behind the cue ball's resting centre, mm; the tip touches the ball at `strike`."""
        radius = self.table.radius
        stick = max(300.0, self.speed / 1.3)
        back = min(190.0, 60.0 + stick * 0.06)
        forward = 2 * back / stick  # from rest, evenly accelerated
        tau = t - self.strike
        if self.swings:
            lasts = max(0.3, (self.strike - self.start - 1.2) / self.swings)
            swing = min(max(0.0, t - self.start - 1.0), lasts * self.swings)
            return radius + self.near + (0.5 - 0.5 * cos(2 * pi * swing / lasts)) * back
        if tau >= 0 and self.tip:
            return radius - float(np.interp(tau, [s for s, _ in self.tip], [way for _, way in self.tip]))
        if tau >= 0:
            follow = min(170.0, 30.0 + stick * 0.06)
            went = follow * (1 - np.exp(-tau * 0.75 * stick / follow))
            return -min(went - radius, self.tip_limit(t))
        if tau > -forward:
            return radius + back * (1 - ((tau + forward) / forward) ** 2)
        slow = 0.55
        if tau > -forward - slow:
            return radius + 18 + (back - 18) * smooth((tau + forward + slow) / slow)
        swing = t - self.start - 1.0  # practice swings while aiming
        return (
            radius + 18 + (0.5 - 0.5 * cos(2 * pi * max(0.0, swing) / 0.8)) * 65 * smooth(swing * 2) * smooth((-forward - slow - tau) * 3)
        )

    def _bridge_distance(self) -> float:
        """How far behind the cue ball the hand lies: where it does not lie on a ball."""
        d = np.array([cos(self.heading), sin(self.heading)])
        best, most = 210.0, -1.0
        for reach in (210.0, 180.0, 240.0, 150.0, 280.0, 320.0, 370.0):
            at = np.array(self.cue_ball) - d * (reach - 20)
            room = min((float(np.linalg.norm(at - b)) for b in self.balls), default=1e9)
            if room > 150:
                return reach
            if room > most:
                best, most = reach, room
        return best

    def _slope(self) -> float:
        """Fall of the cue over its length: it must pass over the rail and over balls behind the cue ball."""
        d = np.array([cos(self.heading), sin(self.heading)])
        slope = 0.055
        for b in self.balls:
            off = np.array(b) - self.cue_ball
            behind, across = -float(off @ d), abs(float(off @ np.array([-d[1], d[0]])))
            if 90 < behind < 1300 and across < self.table.radius + 16:
                slope = max(slope, (2 * self.table.radius + 14 - self.high) / behind)
        x, y = self.cue_ball
        ways = [(x, d[0]), (self.table.length - x, -d[0]), (y, d[1]), (self.table.width - y, -d[1])]
        rail = min((gap / c for gap, c in ways if c > 1e-6), default=1e9)  # distance back to the nose
        return min(0.45, max(slope, (self.table.nose_height + 22 - self.high) / max(rail, 40.0)))

    def _stance(self) -> tuple[np.ndarray, float]:
        """Unit vector from the bridge hand to the body, and how far the hips are from the hand: the player stands outside the table."""
        d = np.array([cos(self.heading), sin(self.heading)])
        bridge = np.array(self.cue_ball) - d * 210
        best = (1e9, -d, 1050.0)
        for turn in range(-60, 61, 10):
            way = np.array([-cos(self.heading + radians(turn)), -sin(self.heading + radians(turn))])
            room = [
                (self.table.length + 150 - bridge[0]) / way[0] if way[0] > 1e-6 else 1e9,
                (bridge[0] + 150) / -way[0] if way[0] < -1e-6 else 1e9,
            ]
            room += [
                (self.table.width + 150 - bridge[1]) / way[1] if way[1] > 1e-6 else 1e9,
                (bridge[1] + 150) / -way[1] if way[1] < -1e-6 else 1e9,
            ]
            hips = max(1050.0, min(room) + 100)
            if (cost := hips + 4 * abs(turn)) < best[0]:
                best = (cost, way, hips)
        return best[1], best[2]

    def _body(
        self, bridge: np.ndarray, d: np.ndarray, left: np.ndarray, tip: tuple[float, float, float], slope: float, lift: float
    ) -> list[Capsule]:
        p = self.person
        cover = p.shirt if p.sleeve else None
        back, hips = self._stance()
        side = np.array([back[1], -back[0]])
        far = hips / 1050

        def behind(along: float, across: float, z: float) -> tuple[float, float, float]:
            """A point of the cue arm's line, along the cue."""
            q = bridge - d * along + left * across
            return (float(q[0]), float(q[1]), float(z + lift))

        def body(along: float, across: float, z: float) -> tuple[float, float, float]:
            q = bridge + back * along * far + side * across
            return (float(q[0]), float(q[1]), float(z + lift))

        outside = not (-20 < bridge[0] < self.table.length + 20 and -20 < bridge[1] < self.table.width + 20)
        ground = lift + (self.table.nose_height + 4 if outside else 0.0)
        butt = self.high + slope * 1050
        bars = hand((float(bridge[0]), float(bridge[1]), ground), (float(d[0]), float(d[1])), skin=p.skin)
        bars += arm(behind(50, 8, 45 + ground - lift), body(560, 170, 420), skin=p.skin, sleeve=cover, bare=0.15)
        bars += arm(behind(800, -10, butt + 60), body(660, -190, 480), skin=p.skin, sleeve=cover, bare=0.3)
        bars += cue(tip, (float(d[0]), float(d[1]), -slope), colour=p.wood)
        bars.append(Capsule(behind(815, -2, butt), behind(775, -2, butt), 34, 34, p.skin, 0.1, part="hand"))
        bars.append(Capsule(body(600, 170, 430), body(650, -190, 470), 75, 75, p.shirt, 0.4))
        bars.append(Capsule(body(630, 20, 430), body(1050, -60, 330), 140, 165, p.shirt, 0.4))
        bars.append(Capsule(body(1050, -60, 300), body(1100, -160, -700), 130, 90, p.trousers, 0.3))
        bars.append(Capsule(body(1050, 60, 300), body(1080, 130, -700), 130, 90, p.trousers, 0.3))
        head = 505 * far
        bars.append(Capsule(body(480, 10, 430), body(505, 0, 480), 86, 90, p.skin, 0.1))
        bars.append(Capsule(body(498, 0, 498), body((head + 58) / far, 0, 520), 97, 98, p.hair, 0.5))
        return bars


@dataclass(frozen=True, slots=True)
class Carry:
    """A hand that takes a ball from one place to another, both over the table or outside (`None`: from a tray outside).

    It reaches in at `start`, lifts the ball a third on, sets it down two thirds on and is gone at `end`.
    """

    table: Table
    ball: str
    source: Point | None
    goal: Point
    start: float
    end: float
    person: Person

    @property
    def lifted(self) -> float:
        return self.start + (0.30 if self.source else 0.0) * (self.end - self.start)

    @property
    def set_down(self) -> float:
        return self.start + 0.70 * (self.end - self.start)

    def _outside(self) -> np.ndarray:
        """Where the hand comes from: beyond the nearest long rail."""
        x, y = self.goal
        return np.array([x + 60.0, self.table.width + 520 if y > self.table.width / 2 else -520.0])

    def place(self, t: float) -> np.ndarray:
        """The carried ball's centre (3,) mm."""
        radius = self.table.radius
        start = np.array(self.source) if self.source else self._outside()
        goal = np.array(self.goal)
        if self.source and t <= self.lifted:
            return np.array([*start, radius])
        if t >= self.set_down:
            return np.array([*goal, radius])
        f = (t - self.lifted) / (self.set_down - self.lifted)
        xy = start + (goal - start) * smooth(f)
        high = 95.0 if self.source else 150.0
        rise = min(smooth(f * 5) if self.source else 1.0, smooth((1 - f) * 4))
        return np.array([*xy, radius + high * rise])

    def bars(self, t: float) -> list[Capsule]:
        if not self.start <= t <= self.end:
            return []
        outside = self._outside()
        if self.source and t < self.lifted:
            f = smooth((t - self.start) / (self.lifted - self.start))
            at = np.array([*(outside + (np.array(self.source) - outside) * f), self.table.radius + 90 * (1 - f)])
        elif t > self.set_down:
            f = smooth((t - self.set_down) / (self.end - self.set_down))
            at = np.array([*(np.array(self.goal) + (outside - np.array(self.goal)) * f), self.table.radius + 120 * smooth(3 * f)])
        else:
            at = self.place(t)
        return fist(at, outside, self.person)


def fist(at: np.ndarray, shoulder: np.ndarray, person: Person) -> list[Capsule]:
    """A hand from above round a ball whose centre is `at`, its arm towards `shoulder` (x, y)."""
    d = at[:2] - shoulder
    far = float(np.linalg.norm(d))
    d = d / max(far, 1e-6)
    left = np.array([-d[1], d[0]])

    def point(forward: float, across: float, up: float) -> tuple[float, float, float]:
        q = at[:2] + d * forward + left * across
        return (float(q[0]), float(q[1]), float(at[2] + up))

    bars = [Capsule(point(-62, 0, 52), point(-14, 0, 56), 30, 27, person.skin, 0.1)]
    for turn in (-0.95, -0.35, 0.25, 0.85):  # fingers round the far side
        reach, side = 44 * cos(turn), 44 * sin(turn)
        bars.append(Capsule(point(-6, side * 0.45, 56), point(reach * 0.8, side * 0.8, 42), 12.5, 10.5, person.skin, 0.1))
        bars.append(Capsule(point(reach * 0.8, side * 0.8, 42), point(reach * 1.02, side * 1.02, 8), 10.5, 8, person.skin, 0.1))
    bars.append(Capsule(point(-40, 34, 44), point(-12, 44, 10), 13, 9, person.skin, 0.1))
    bars = as_hand(bars)
    reach = max(560.0, min(far + 250, 1500.0))
    sleeve = person.shirt if person.sleeve else None
    bars += arm(point(-80, 0, 58), point(-reach, 60, 330), skin=person.skin, sleeve=sleeve)
    bars.append(Capsule(point(-reach, 60, 350), point(-reach - 90, -330, 400), 72, 70, person.shirt, 0.4))
    bars.append(Capsule(point(-reach - 40, -130, 370), point(-reach - 330, -140, 60), 140, 150, person.shirt, 0.4))
    bars.append(Capsule(point(-reach - 90, -330, 380), point(-reach + 60, -390, 120), 50, 40, person.shirt, 0.35))
    for across in (-60, -220):
        bars.append(Capsule(point(-reach - 330, across, 40), point(-reach - 310, across * 1.1, -820), 115, 70, person.trousers, 0.3))
    bars.append(Capsule(point(-reach + 20, -130, 480), point(-reach + 70, -130, 500), 84, 86, person.skin, 0.1))
    bars.append(Capsule(point(-reach - 10, -130, 530), point(-reach - 30, -130, 540), 95, 92, person.hair, 0.5))
    return bars
