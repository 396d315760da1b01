"""Balls that leave the table: over a cushion onto the rail or the floor.

The tracker looks for balls on the bed only. One that was last seen on its way over a cushion is looked for beyond it, where
its way leads; seen there, it has left. Where it is not seen again it only vanished, and a person must say where it went.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from calibration.table import Table
from vision.additions import Addition
from vision.field import Field
from vision.frames import Frame
from vision.locate import LEVELS, ball_matte, matte_spots, without_thin
from vision.patch import Background, box_around, patch
from vision.record import Sighting
from vision.shot import Doubt, Event, Way
from vision.walls import NORMALS, Walls

_LEAST = 200.0  # mm/s towards a cushion of a ball that may go over it
_AHEAD = 0.12  # s within which the way that was seen must lead over the nose
_RAIL = 150.0  # mm from the nose to where a rail ends, about
_HITS = 3  # pictures in which it is seen beyond
_GIVEN_UP = 0.5  # s
_FILL = (0.4, 2.2)  # of a ball's area on the cloth: from the floor to a high flight, less what is covered


@dataclass(frozen=True, slots=True)
class Exit:
    """Where a way that was seen leads over the line of a nose: `t` s, `place` (2,) mm, `velocity` (2,) mm/s."""

    t: float
    place: np.ndarray
    velocity: np.ndarray
    cushion: str


@dataclass(frozen=True, slots=True)
class Left:
    """`ball` was seen to leave the table over `cushion`; `t` s, error bar `sigma` s."""

    ball: str
    t: float
    sigma: float
    cushion: str


def exit_of(table: Table, sightings: Sequence[Sighting]) -> Exit | None:
    """Where the last that was seen of a moving ball leads over a nose; None if it leads nowhere soon."""
    fresh = [s for s in sightings if s.fresh][-5:]
    if len(fresh) < 3 or fresh[-1].state != "moving":
        return None
    t, xy = np.array([s.t for s in fresh]), np.array([(s.x, s.y) for s in fresh])
    # the last steps only: before them it may have met something
    velocity = (xy[-1] - xy[-3]) / max(t[-1] - t[-3], 1e-4)
    best: Exit | None = None
    walls = Walls(table)
    for cushion, normal in NORMALS.items():
        outward = -float(velocity @ normal)
        away = walls.cushion_gap(cushion, xy[-1]) + walls.reach
        if outward < _LEAST:
            continue
        late = max(away, 0.0) / outward
        if late < _AHEAD and (best is None or t[-1] + late < best.t):
            best = Exit(float(t[-1] + late), xy[-1] + velocity * late, velocity, cushion)
    return best


@dataclass
class _Sought:
    ball: str
    shades: np.ndarray
    out: Exit
    since: float
    seen: list[tuple[float, float, float]] = field(default_factory=list)  # t, px


class Beyond:
    """Looks for balls beyond the cushions over which they seem to have gone."""

    def __init__(self, where: Field):
        self._field = where
        self._sought: dict[str, _Sought] = {}

    def seek(self, ball: str, shades: np.ndarray, out: Exit, t: float) -> None:
        """A ball is not seen on the bed any more, and its way led over a cushion."""
        self._sought.setdefault(ball, _Sought(ball, shades, out, t))

    def found_again(self, ball: str) -> None:
        """It is on the bed after all."""
        self._sought.pop(ball, None)

    def look(self, frame: Frame, background: Background) -> list[Left]:
        """Take the next frame; the balls that are now known to have left."""
        left = []
        for ball, sought in list(self._sought.items()):
            t = frame.seconds
            if (spot := self._spot(frame, background, sought)) is not None:
                sought.seen.append((t, *spot))
            if len(sought.seen) >= _HITS:
                left.append(self._left(sought))
                del self._sought[ball]
            elif t - sought.since > _GIVEN_UP:
                del self._sought[ball]
        return left

    def _left(self, sought: _Sought) -> Left:
        """Over the rail's edge; one that stays on the rail has left as well, a little later."""
        out = sought.out
        outward = -float(out.velocity @ NORMALS[out.cushion])
        return Left(sought.ball, out.t + _RAIL / outward, 0.03 + 0.5 * _RAIL / outward, out.cushion)

    def _spot(self, frame: Frame, background: Background, sought: _Sought) -> tuple[float, float] | None:
        """The ball beyond the bed (px), where its way leads at this moment."""
        table, camera, t = self._field.table, self._field.camera, frame.seconds
        place = sought.out.place + sought.out.velocity * (t - sought.out.t)
        at = camera.project([[*place, table.nose_height + table.radius]])[0]
        if not np.isfinite(at).all():
            return None
        radius = float(camera.ball_radius([sought.out.place], table.radius)[0])
        if len(sought.seen) >= 2:
            (t0, x0, y0), (t1, x1, y1) = sought.seen[-2:]
            at = np.array([x1 + (x1 - x0) / (t1 - t0) * (t - t1), y1 + (y1 - y0) / (t1 - t0) * (t - t1)])
        pace = float(np.hypot(*sought.out.velocity)) * radius / table.radius
        box = box_around(float(at[0]), float(at[1]), 2.2 * radius + 0.5 * pace * (t - sought.since), frame.y.shape)
        if box.empty:
            return None
        share, _ = ball_matte(patch(frame, box), background.patch(box), sought.shades)
        solid = without_thin(share, radius)
        for spot in matte_spots(solid, radius, (box.x0, box.y0), LEVELS[0]):
            # its centre lies beyond the nose, as seen at the height of the rail
            x, y = camera.to_table([[spot.x, spot.y]], table.nose_height)[0]
            outside = not (0 <= x <= table.length and 0 <= y <= table.width)
            if outside and _FILL[0] < spot.fill < _FILL[1]:
                return spot.x, spot.y
        return None


def leaving(left: Sequence[Left], vanished: Sequence[tuple[str, Exit]]) -> Addition:
    """The events of balls that were seen to leave, and the doubts about those that only vanished at a cushion."""
    events = tuple(Event(n.t, "off_table", n.ball, sigma_ms=1000 * n.sigma, confidence=0.97) for n in left)
    doubts = []
    for ball, out in vanished:
        gone = Event(out.t, "off_table", ball, sigma_ms=100.0, confidence=0.5)
        doubts.append(
            (Doubt(f"{ball} vanished at the {out.cushion} cushion at {out.t:.2f} s", ways=(Way(f"{ball} left the table", (gone,)),)), None)
        )
    return Addition(events, tuple(doubts))
