"""What a ball's centre can touch besides other balls: cushions and jaws, as lines and arcs it keeps its distance from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibration.table import Jaw, Pocket, Table


@dataclass(frozen=True, slots=True)
class Touch:
    """A wall near a place: how far the ball's surface is from it (mm, negative: inside), and the unit normal off the wall."""

    kind: str  # cushion | jaw
    cushion: str
    pocket: str | None
    gap: float
    normal: np.ndarray


_JAW_FAR = 320.0  # mm: beyond it no place is near a jaw or its throat
NORMALS = {
    "home": np.array([1.0, 0.0]),
    "foot": np.array([-1.0, 0.0]),
    "right": np.array([0.0, 1.0]),
    "left": np.array([0.0, -1.0]),
}


class Walls:
    """The walls of a table for a ball's centre."""

    def __init__(self, table: Table):
        self._table = table
        self.reach = table.reach
        self._jaws = [_JawWall(jaw, pocket) for pocket in table.pockets for jaw in pocket.jaws]

    def cushion_gap(self, cushion: str, p: np.ndarray) -> float:
        """Distance (mm) of a ball centred at p (2,) from the line of a cushion's nose."""
        if cushion == "home":
            return float(p[0]) - self.reach
        if cushion == "foot":
            return float(self._table.length - p[0]) - self.reach
        return float(p[1] if cushion == "right" else self._table.width - p[1]) - self.reach

    def cushion_gaps(self, cushion: str, places: np.ndarray) -> np.ndarray:
        """The same for many places (N, 2)."""
        return self._table.inside(places, cushion) - self.reach

    def normal(self, cushion: str) -> np.ndarray:
        return NORMALS[cushion]

    def straight(self, cushion: str, p: np.ndarray) -> bool:
        """Whether the cushion has a nose at the foot of the perpendicular from p (it ends at the jaws)."""
        along = float(p[0] if cushion in ("left", "right") else p[1])
        for jaw in self._jaws:
            if jaw.jaw.cushion == cushion and jaw.ends(along, cushion):
                return False
        span = self._table.length if cushion in ("left", "right") else self._table.width
        return -5 <= along <= span + 5

    def touches(self, p: np.ndarray, reach: float) -> list[Touch]:
        """All walls within `reach` mm of the surface of a ball centred at p (2,)."""
        gaps = {cushion: self.cushion_gap(cushion, p) for cushion in NORMALS}
        if min(gaps.values()) >= reach:  # jaws stand behind the noses
            return []
        found = [
            Touch("cushion", cushion, None, gap, NORMALS[cushion])
            for cushion, gap in gaps.items()
            if gap < reach and self.straight(cushion, p)
        ]
        for wall in self._jaws:
            if abs(p[0] - wall.centre[0]) + abs(p[1] - wall.centre[1]) > _JAW_FAR + reach:
                continue
            touch = wall.touch(p, self.reach)
            if touch is not None and touch.gap < reach:
                found.append(touch)
        return found

    def jaw_gap(self, p: np.ndarray, cushion: str, pocket: str) -> tuple[float, np.ndarray]:
        """Distance (mm) and unit normal of the nearest jaw of a pocket that ends `cushion`, for a ball centred at p (2,)."""
        mine = [wall for wall in self._jaws if wall.jaw.cushion == cushion and wall.jaw.pocket == pocket]
        return min((wall.outline(p, self.reach) for wall in mine), key=lambda found: found[0])

    def jaws_of(self, pocket: str) -> list[int]:
        """The numbers of a pocket's jaws."""
        return [k for k, wall in enumerate(self._jaws) if wall.jaw.pocket == pocket]

    def jaw_cushion(self, jaw: int) -> str:
        """The cushion that a jaw ends."""
        return self._jaws[jaw].jaw.cushion

    def outlines(self, jaw: int, places: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Distances (N,) of the surfaces of balls centred at places (N, 2) from a jaw and the nose before it, the unit normals (N, 2)
        there, and whether it is the jaw (N,)."""
        return self._jaws[jaw].outlines(places, self.reach)

    def jaw_gaps(self, pocket: str, places: np.ndarray) -> np.ndarray:
        """Distances (N, J) from a pocket's jaws; infinite where only the nose before a jaw is near."""
        found = [self.outlines(k, places) for k in self.jaws_of(pocket)]
        return np.column_stack([np.where(jaw, gap, np.inf) for gap, _, jaw in found])

    def seams(self, cushion: str, p: np.ndarray, reach: float) -> list[str]:
        """Pockets at which the nose of `cushion` turns into a jaw within `reach` mm of a place p (2,), along the nose."""
        return [wall.jaw.pocket for wall in self._jaws if wall.jaw.cushion == cushion and abs(wall.past(p)) < reach]

    def beyond(self, kind: str, cushion: str, pocket: str | None, p: np.ndarray) -> float:
        """By how much (mm) a place p (2,) lies past the end of a cushion, or before the beginning of a jaw's rounding."""
        past = [wall.past(p) for wall in self._jaws if wall.jaw.cushion == cushion and pocket in (None, wall.jaw.pocket)]
        if kind == "jaw":
            return max(-max(past), 0.0) if past else 0.0
        return max((0.0, *past))


class _JawWall:
    """One jaw: an arc between the nose line and the throat wall, then the straight throat."""

    def __init__(self, jaw: Jaw, pocket: Pocket):
        self.jaw = jaw
        self._body = self._towards_body(jaw)
        # how far the nose line is interrupted: to the other jaw, or to the end of the table
        self._open = 3 * pocket.mouth if pocket.corner else pocket.mouth + 2 * jaw.radius
        nose = NORMALS[jaw.cushion]
        throat = np.array(jaw.throat)
        side = np.array([-throat[1], throat[0]])
        # normal of the throat wall: towards the pocket's axis, so away from the cushion's body
        body = self._body
        self._wall = side if side @ body < 0 else -side
        # centre of the rounding: at `radius` behind both lines
        lines = np.array([nose, self._wall])
        tip = np.array(jaw.tip)
        self.centre = tip + np.linalg.solve(lines, np.array([-jaw.radius, -jaw.radius]))
        self._nose, self._throat = nose, throat
        self._start = self.centre + jaw.radius * nose  # where the rounding leaves the nose line
        self._end = self.centre + jaw.radius * self._wall

    @staticmethod
    def _towards_body(jaw: Jaw) -> np.ndarray:
        """Along the nose line from the tip into the cushion."""
        throat = np.array(jaw.throat)
        along = np.array([1.0, 0.0]) if jaw.cushion in ("left", "right") else np.array([0.0, 1.0])
        return -along if throat @ along > 0 else along

    def ends(self, along: float, cushion: str) -> bool:
        """Whether the nose line is over at this coordinate along it (between the rounding and the pocket)."""
        k = 0 if cushion in ("left", "right") else 1
        body = self._body[k]
        beyond = (along - float(self._start[k])) * body
        return -self._open < beyond < 0

    def past(self, p: np.ndarray) -> float:
        """How far (mm) a place lies past the beginning of the rounding, towards the pocket; negative along the nose."""
        past = -float((p - self._start) @ self._body)
        return past if past < self._open else -past

    def touch(self, p: np.ndarray, reach: float) -> Touch | None:
        jaw = self.jaw
        to = p - self.centre
        far = float(np.hypot(*to))
        if far < 1e-6:
            return None
        normal = to / far
        deep = float((p - self._end) @ self._throat)
        if deep > 0:
            gap = float((p - self._end) @ self._wall) - reach
            if deep > 120 or gap < -reach:
                return None
            return Touch("jaw", jaw.cushion, jaw.pocket, gap, self._wall)
        between = normal @ self._nose > -0.2 and normal @ self._wall > -0.02
        beside = float((p - self._start) @ self._body) < 0
        if not (between and beside):
            return None
        return Touch("jaw", jaw.cushion, jaw.pocket, far - jaw.radius - reach, normal)

    def outline(self, p: np.ndarray, reach: float) -> tuple[float, np.ndarray]:
        """Distance (mm) of the ball's surface from the jaw drawn on without end, and the unit normal there."""
        if float((p - self._end) @ self._throat) > 0:
            return float((p - self._end) @ self._wall) - reach, self._wall
        if float((p - self._start) @ self._body) > 0:
            return float((p - self._start) @ self._nose) - reach, self._nose
        to = p - self.centre
        far = max(float(np.hypot(*to)), 1e-6)
        return far - self.jaw.radius - reach, to / far

    def outlines(self, p: np.ndarray, reach: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """`outline` of many places (N, 2) at once, and whether each is beside the jaw and not beside the nose before it."""
        to = p - self.centre
        far = np.maximum(np.hypot(*to.T), 1e-6)
        gap, normal = far - self.jaw.radius - reach, to / far[:, None]
        nose = (p - self._start) @ self._body > 0
        gap, normal = np.where(nose, (p - self._start) @ self._nose - reach, gap), np.where(nose[:, None], self._nose, normal)
        deep = (p - self._end) @ self._throat > 0
        gap, normal = np.where(deep, (p - self._end) @ self._wall - reach, gap), np.where(deep[:, None], self._wall, normal)
        return gap, normal, deep | ~nose
