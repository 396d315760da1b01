"""The cue meets a ball."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, sin

import numpy as np

from sample_videos.course import Course, Motion


@dataclass(frozen=True, slots=True)
class Strike:
    """How the ball that is struck starts: `speed` mm/s just after the strike, `heading` radians from +x towards +y.

    `follow` and `side` are the heights and the offset to the right of the tip's contact in ball radii (|.| <= 0.5):
    follow 0.4 rolls at once, 0 is a hit in the centre, negative draws back.
    """

    cue_ball: str
    speed: float
    heading: float
    follow: float = 0.0
    side: float = 0.0
    up: float = 0.0  # speed upwards, mm/s: a jump

    @property
    def way(self) -> np.ndarray:
        """Unit vector (3,) along the heading."""
        return np.array([cos(self.heading), sin(self.heading), 0.0])


def struck(course: Course, strike: Strike) -> Motion:
    """The motion of a ball to which the cue adds the strike's velocity and spin."""
    before, way = course.motion[strike.cue_ball], strike.way
    velocity = before.velocity + strike.speed * way + np.array([0.0, 0.0, strike.up])
    turn = 2.5 * strike.speed / course.table.radius  # an impulse off the centre by one radius would turn a solid sphere so fast
    spin = before.spin + turn * np.array([-way[1] * strike.follow, way[0] * strike.follow, strike.side])
    return Motion(before.place, velocity, spin)
