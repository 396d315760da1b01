"""What else is seen at a table: people who walk past or lean in, hands that put things down, and the things. Units: mm, s.

Like `people`: each action is a function of the video's time that returns the bars (`render.Capsule`) to draw.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import cos, hypot, pi, sin

import numpy as np

from calibration.table import Point, Table
from sample_videos.people import Person, fist, smooth
from sample_videos.render.people import Capsule, cue

THINGS = ("chalk", "phone", "glass")
RAIL = 115.0  # mm from the nose line to the middle of the rail's wood
_FLOOR = -820.0


@dataclass(frozen=True, slots=True)
class Thing:
    """A thing that lies at `at` from `since` until `until`: a chalk, a phone or a glass, on a rail or on the cloth."""

    kind: str
    at: tuple[float, float, float]
    turn: float = 0.0
    since: float = -1e9
    until: float = 1e9

    def bars(self, t: float) -> list[Capsule]:
        if not self.since <= t < self.until:
            return []
        x, y, z = self.at
        c, s = cos(self.turn), sin(self.turn)

        def point(along: float, across: float, up: float) -> tuple[float, float, float]:
            return (x + c * along - s * across, y + s * along + c * across, z + up)

        if self.kind == "chalk":
            return [
                Capsule(point(0, 0, 8), point(0, 0, 9), 12, 12, (0.10, 0.28, 0.55)),
                Capsule(point(0, 0, 17), point(0, 0, 18), 10, 10, (0.25, 0.55, 0.75)),
            ]
        if self.kind == "phone":
            flat = [Capsule(point(-66, k * 8.0, 4), point(66, k * 8.0, 4), 5, 5, (0.05, 0.05, 0.06)) for k in range(-4, 5)]
            return [*flat, Capsule(point(45, 22, 7), point(55, 22, 7), 7, 7, (0.25, 0.25, 0.28))]
        rim = Capsule(point(0, 0, 5), point(0, 0, 110), 30, 34, (0.55, 0.62, 0.66))
        return [rim, Capsule(point(0, 0, 110), point(0, 0, 113), 27, 27, (0.45, 0.25, 0.10))]


def on_rail(table: Table, at: Point) -> tuple[float, float, float]:
    """The point of the rail's top that is nearest to a point of the cloth's plane."""
    x, y = at
    gaps = {(-RAIL, y): x, (table.length + RAIL, y): table.length - x, (x, -RAIL): y, (x, table.width + RAIL): table.width - y}
    best = min(gaps, key=lambda p: abs(gaps[p]))
    return (best[0], best[1], table.nose_height)


@dataclass(frozen=True, slots=True)
class Reach:
    """An arm that comes in over the nearest rail to `at` (or from `shoulder`), stays, and goes (from `start` to `end`)."""

    table: Table
    at: tuple[float, float, float]
    start: float
    end: float
    person: Person
    shoulder: Point | None = None

    @property
    def there(self) -> float:
        """When the hand has come."""
        return self.start + min(0.6, 0.4 * (self.end - self.start))

    @property
    def leaves(self) -> float:
        return self.end - min(0.6, 0.4 * (self.end - self.start))

    def outside(self) -> np.ndarray:
        """Where the arm comes from, (2,) mm."""
        if self.shoulder is not None:
            return np.array(self.shoulder)
        x, y, _ = self.at
        far, long, wide = 620.0, self.table.length, self.table.width
        gaps = {(-far, y): x, (long + far, y): long - x, (x, -far): y, (x, wide + far): wide - y}
        return np.array(min(gaps, key=lambda p: gaps[p]))

    def hand(self, t: float) -> np.ndarray:
        """Where the hand is, (3,) mm."""
        out, at = self.outside(), np.array(self.at)
        comes, goes = (t - self.start) / (self.there - self.start), (t - self.leaves) / (self.end - self.leaves)
        f = smooth(comes) * (1 - smooth(goes))
        return np.array([*(out + (at[:2] - out) * f), at[2] + 20 + 110 * (1 - f)])

    def bars(self, t: float) -> list[Capsule]:
        if not self.start <= t <= self.end:
            return []
        return fist(self.hand(t), self.outside(), self.person)


@dataclass(frozen=True, slots=True)
class Knock:
    """A hand that pushes a resting ball over the cloth from `source` to `goal` without lifting it."""

    table: Table
    source: Point
    goal: Point
    start: float
    end: float
    person: Person

    @property
    def touches(self) -> float:
        return self.start + 0.4 * (self.end - self.start)

    @property
    def lets_go(self) -> float:
        return self.start + 0.6 * (self.end - self.start)

    def place(self, t: float) -> np.ndarray:
        """The ball's centre (3,) mm."""
        f = smooth((t - self.touches) / (self.lets_go - self.touches))
        a, b = np.array(self.source), np.array(self.goal)
        return np.array([*(a + (b - a) * f), self.table.radius])

    def bars(self, t: float) -> list[Capsule]:
        way = np.subtract(self.goal, self.source)
        back = way / max(hypot(*way), 1e-6) * (self.table.radius + 45)  # the hand comes from behind the ball
        ball = self.place(min(max(t, self.touches), self.lets_go))
        x, y = Reach(self.table, (*self.source, 0.0), 0, 0, self.person).outside()
        at = (float(ball[0] - back[0]), float(ball[1] - back[1]), 25.0)
        return Reach(self.table, at, self.start, self.end, self.person, (float(x), float(y))).bars(t)


@dataclass(frozen=True, slots=True)
class Push:
    """A hand, a sleeve or a cue that shoves a ball in a stroke; `place(t)` is where the ball's centre is (3,) mm, `by` mm its way."""

    table: Table
    place: Callable[[float], np.ndarray]
    by: Point
    start: float
    end: float
    how: str
    person: Person

    def bars(self, t: float) -> list[Capsule]:
        comes, goes = self.start - 0.5, self.end + 0.5
        if not comes <= t <= goes:
            return []
        way = np.array(self.by) / max(hypot(*self.by), 1e-6)
        ball = self.place(min(max(t, self.start), self.end))
        away = max(0.0, (self.start - t) / 0.5, (t - self.end) / 0.5)
        if self.how == "cue":
            behind = ball[:2] - way * (self.table.radius + 5 + 500 * away)
            return cue((float(behind[0]), float(behind[1]), 34.0 + 120 * away), (*way, -0.06), colour=self.person.wood)
        reach = Reach(self.table, (float(ball[0]), float(ball[1]), 25.0), comes, goes, self.person)
        hand = ball[:2] - way * (self.table.radius + 45)
        if self.how == "sleeve":  # the hand is far beyond, and the cuff hangs on the ball's rear side
            shoulder = reach.outside()
            inward = ball[:2] - shoulder
            reach = replace(reach, shoulder=(float(shoulder[0]), float(shoulder[1])))
            hand = ball[:2] - way * (self.table.radius + 12) + inward / np.linalg.norm(inward) * 230.0
        return replace(reach, at=(float(hand[0]), float(hand[1]), 25.0)).bars(t)


@dataclass(frozen=True, slots=True)
class Walk:
    """Someone who walks along the cushion `side`, `far` mm outside its nose line, perhaps leaning over the table by `lean` mm."""

    table: Table
    side: str
    start: float
    end: float
    person: Person
    far: float = 450.0
    lean: float = 0.0
    back: bool = False  # the other way

    def _frame(self, t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Where the hips are (x, y), the walking direction and the direction to the table."""
        f = (t - self.start) / (self.end - self.start)
        f = 1 - f if self.back else f
        length, width = self.table.length, self.table.width
        over = 900.0
        if self.side in ("left", "right"):
            inward = np.array([0.0, -1.0 if self.side == "left" else 1.0])
            hips = np.array([-over + f * (length + 2 * over), width + self.far if self.side == "left" else -self.far])
            ahead = np.array([1.0, 0.0])
        else:
            inward = np.array([1.0 if self.side == "home" else -1.0, 0.0])
            hips = np.array([-self.far if self.side == "home" else length + self.far, -over + f * (width + 2 * over)])
            ahead = np.array([0.0, 1.0])
        return hips, ahead * (-1 if self.back else 1), inward

    def bars(self, t: float) -> list[Capsule]:
        if not self.start <= t <= self.end:
            return []
        hips, ahead, inward = self._frame(t)
        p = self.person
        lean = self.lean * smooth(4 * (t - self.start) / (self.end - self.start)) * smooth(4 * (self.end - t) / (self.end - self.start))
        phase = 2 * pi * 0.9 * (t - self.start)

        def point(forward: float, across: float, z: float) -> tuple[float, float, float]:
            q = hips + ahead * forward + inward * (across + lean * max(0.0, z) / 700)
            return (float(q[0]), float(q[1]), float(z))

        stride = 230 * sin(phase)
        sway = 150 * sin(phase)
        bars = [
            Capsule(point(0, 80, 60), point(stride, 80, _FLOOR + 60), 105, 60, p.trousers, 0.3),
            Capsule(point(0, -80, 60), point(-stride, -80, _FLOOR + 60), 105, 60, p.trousers, 0.3),
            Capsule(point(stride - 40, 80, _FLOOR + 40), point(stride + 130, 80, _FLOOR + 30), 45, 40, (0.08, 0.07, 0.07)),
            Capsule(point(-stride - 40, -80, _FLOOR + 40), point(-stride + 130, -80, _FLOOR + 30), 45, 40, (0.08, 0.07, 0.07)),
            Capsule(point(0, 0, 100), point(10, 0, 520), 150, 160, p.shirt, 0.35),
            Capsule(point(5, -150, 540), point(5, 150, 540), 78, 78, p.shirt, 0.35),
            Capsule(point(5, 195, 500), point(-sway, 215, 190), 52, 40, p.shirt, 0.35),
            Capsule(point(5, -195, 500), point(sway, -215, 190), 52, 40, p.shirt, 0.35),
            Capsule(point(-sway, 215, 180), point(-sway + 60, 205, 0), 34, 30, p.skin, 0.1),
            Capsule(point(sway, -215, 180), point(sway + 60, -205, 0), 34, 30, p.skin, 0.1),
            Capsule(point(10, 0, 600), point(15, 0, 680), 62, 60, p.skin, 0.1),
            Capsule(point(35, 0, 740), point(30, 0, 780), 84, 86, p.skin, 0.1),
            Capsule(point(5, 0, 770), point(0, 0, 800), 94, 90, p.hair, 0.4),
        ]
        return bars
