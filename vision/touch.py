"""Balls that move without a cause that was seen: touched by a hand, a sleeve or the cue, or hit by what was not noticed.

During a stroke no ball may be moved by anything else. Between strokes balls are placed by hand, and that is no touch: a ball
that was in hand, that is carried, or that is put on its spot. What is left is a ball that lay in full view and moved a little.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from calibration.table import Table
from vision.additions import Addition
from vision.breaks import STILL, Break, Path, breaks_of
from vision.events import Found, in_jaws
from vision.evidence import Evidence
from vision.record import Sighting
from vision.shifts import Shift, shifts_of
from vision.shot import Doubt, Event, Point, Stroke, Way
from vision.strike import contact_ways, gains, has_cause

_CUE = 0.05  # share of foreign pixels round a ball that means a cue or a hand
_CARRIED = 40.0  # mm: further a ball does not come by a careless touch that leaves it in view
_VIEW = 0.8  # share of the frames in which a ball that was only nudged is seen
_SETTLED = 0.2  # s at either end in which a ball shows where it lies
_RESTED = 0.25  # s before a break in which a ball lay still
_STAYS = 0.12  # s for which a shoved ball lies still again
_LEAST, _TOUCHED = 1.5, 0.4  # mm, and share of the slack: by more than both a ball is moved, not measured otherwise
_AT_ONCE = 0.3  # s
_APART, _WITNESS = 0.2, 0.7  # s before and after a shift from which and to which it is looked where another ball lay
_STAYED = 0.3  # of a shift, by which a ball that lay still may seem to have gone
_TIPS = 0.4  # s that a ball takes from the edge into the pocket
_SOON = 3.0  # s after a stroke in which it is its player who touches a ball
_ON_SPOT = 15.0  # mm from the centre spot within which black was put there
_OPENING = 50.0  # mm from a spot within which a ball lies there for the opening
_CLEAR, _CLEARLY = 3.0, 0.8  # mm, and share of the slack: by more than both a ball in full view before and after has moved
_SETTLES = 6  # sightings that show a ball at rest


@dataclass(frozen=True, slots=True)
class Nudge:
    """`ball` moved by `by` mm at about `t` s outside a stroke; `beside`: with a hand, a sleeve or a cue beside it."""

    ball: str
    t: float
    by: float
    beside: bool = True

    def doubt(self, at: float = 0.0, when: str = "before") -> Doubt:
        """As something to be said of a stroke: a touch at `at` s of its events, `when` the stroke was not yet or no longer."""
        way = Way(f"{self.ball} was touched", (Event(at, "touch", self.ball, confidence=0.5),))
        what = "with something beside it" if self.beside else "without a cause that was seen"
        return Doubt(f"{self.ball} moved by {self.by:.0f} mm at {self.t:.2f} s, {when} the stroke, {what}", ways=(way,))


def touch_doubts(found: Found, seen: Evidence, *, but: Collection[str] = ()) -> Addition:
    """Balls that set off, or came to lie elsewhere, without a cause; `but` those of which something else is said."""
    doubts: list[tuple[Doubt, Event | None]] = []
    explained: list[tuple[str, float]] = []
    shifts = {ball: list(shifts_of(path, found.events, seen.slack)) for ball, path in seen.paths.items()}
    for ball, path in seen.paths.items():
        if ball == found.cue_ball or ball in but:
            continue
        sightings = seen.sightings[ball]
        starts = [br for br in breaks_of(path, seen.step) if _sets_off(path, br, seen.slack) and not has_cause(found, br, seen.step)]
        slow = next((br for br in starts if not gains(br)), None)  # the others were struck
        if slow is not None and _tips(seen.table, ball, slow.t, path, found):
            explained.append((ball, slow.t))
        elif slow is not None:
            explained.append((ball, slow.t))
            doubts.append((_without_cause(ball, slow.t, _foreign(sightings, slow.low - 0.06, slow.high + 0.06), seen), None))
        elif not starts and (moved := _moved(ball, shifts, seen)) is not None and not _tips(seen.table, ball, moved, path, found):
            doubts.append((_without_cause(ball, moved, _foreign(sightings, moved - 0.3, moved + 0.3), seen), None))
    return Addition(doubts=tuple(doubts), explains=tuple(explained))


def _tips(table: Table, ball: str, t: float, path: Path, found: Found) -> bool:
    """Whether a ball that moves at t s lay in the jaws of the pocket that it falls into at once: its own weight takes it there."""
    return any(
        e.type == "pocket" and e.ball == ball and -_TIPS / 2 < e.t - t < _TIPS and in_jaws(table, path.at(t)) == e.pocket
        for e in found.events
    )  # fmt: skip


def _moved(ball: str, shifts: Mapping[str, Sequence[Shift]], seen: Evidence) -> float | None:
    """When a ball that never seemed to run came to lie elsewhere, s; what moves all balls alike at once is the camera."""
    for shift in shifts[ball]:
        others = [s for name, theirs in shifts.items() if name != ball for s in theirs if abs(s.t - shift.t) < _AT_ONCE]
        alike = any(float(np.hypot(*(s.by - shift.by))) < 0.5 * shift.size for s in others)
        if shift.size > max(_LEAST, _TOUCHED * seen.slack) and not (alike and not _stayed(ball, shift, seen)):
            return shift.t
    return None


def _stayed(ball: str, shift: Shift, seen: Evidence) -> bool:
    """Whether any other ball lay still, where it lay, when one shifted."""
    for path in (path for name, path in seen.paths.items() if name != ball):
        t, xy = path.whole.t, path.whole.xy
        before, after = ((t > shift.t + low) & (t < shift.t + high) for low, high in ((-_WITNESS, -_APART), (_APART, _WITNESS)))
        if before.sum() >= 3 and after.sum() >= 3:
            went = np.median(xy[after], axis=0) - np.median(xy[before], axis=0)
            if float(np.hypot(*went)) < _STAYED * shift.size:
                return True
    return False


def _without_cause(ball: str, t: float, foreign: float, seen: Evidence) -> Doubt:
    touched = Way(f"{ball} was touched", (Event(t, "touch", ball, confidence=0.5),))
    what = "with something beside it" if foreign >= _CUE else "without a cause that was seen"
    return Doubt(f"{ball} moved at {t:.2f} s {what}", ways=(touched, *contact_ways(ball, t, seen)))


def _sets_off(path: Path, br: Break, slack: float) -> bool:
    """Whether a ball that lay still clearly leaves its place in the piece that follows."""
    own = slice(br.after.first, br.after.last + 1)
    if float(np.hypot(*br.speed_after)) < STILL or len(path.seen.t[own]) < 3 or not _rested(path, br):
        return False
    away = np.hypot(*(path.seen.xy[own] - br.before.at(br.before.end)).T) - 4 * path.seen.sigma[own]
    return bool(away.max() > max(6.0, slack))


def _rested(path: Path, br: Break) -> bool:
    """Whether a ball lay still for a while before a break."""
    before = (path.seen.t <= br.low + 1e-6) & (path.seen.t > br.low - _RESTED)
    if before.sum() < 3 or path.seen.t[before][-1] - path.seen.t[before][0] < 0.4 * _RESTED:
        return False
    xy = path.seen.xy[before]
    return bool(np.hypot(*(xy - np.median(xy, axis=0)).T).max() < 2.0 + 3 * float(path.seen.sigma[before].max()))


def _elsewhere(t: np.ndarray, xy: np.ndarray, least: float) -> tuple[np.ndarray, np.ndarray, float] | None:
    """Where a ball seen at `xy` (N, 2) lay first and last, mm, and when it went, s; None if not by `least` mm."""
    before, after = np.median(xy[t < t[0] + _SETTLED], axis=0), np.median(xy[t > t[-1] - _SETTLED], axis=0)
    if np.hypot(*(after - before)) < least:
        return None
    nearer = np.hypot(*(xy - before).T) < np.hypot(*(xy - after).T)
    return before, after, float(t[np.flatnonzero(nearer)[-1]])


def _foreign(sightings: Sequence[Sighting], start: float, end: float) -> float:
    """The largest share of foreign pixels round a ball between two times."""
    return max((s.foreign for s in sightings if start < s.t < end), default=0.0)


def shoved_before(sightings: Mapping[str, Sequence[Sighting]], double: float, slack: float) -> tuple[Nudge, float] | None:
    """The ball that was moved a little before the strike in the same stretch of motion, and when it lay still again, s.

    `double`: two radii, mm. A ball that rolled a little and met another one is no such ball: that was a soft stroke.
    """
    begun = {ball: _first_away(seen, slack) for ball, seen in sightings.items()}
    movers = sorted((t, ball) for ball, t in begun.items() if t is not None)
    if not movers:
        return None
    t0, ball = movers[0]
    fresh = [s for s in sightings[ball] if s.fresh and s.t >= t0]
    xy, t = np.array([(s.x, s.y) for s in fresh]), np.array([s.t for s in fresh])
    lain = [(s.x, s.y) for s in sightings[ball] if s.fresh and s.t < t0]
    if not lain:  # few pictures a second: where it lay was not seen
        return None
    before = np.median(lain, axis=0)
    for k in range(3, len(t)):
        held = xy[(t > t[k] - _STAYS) & (t <= t[k])]
        if np.hypot(*(xy[k] - before)) > _CARRIED:
            return None
        if len(held) >= 3 and t[k] - t0 > _STAYS and np.hypot(*(held - held[-1]).T).max() < 1.0 + 3 * fresh[k].sigma:
            break
    else:
        return None
    lay, place = float(t[k] - _STAYS), np.median(held, axis=0)
    by = float(np.hypot(*(place - before)))
    strike = _strike_after(sightings, lay, place, ball, double + slack)
    nudge = Nudge(ball, t0, by, _foreign(sightings[ball], t0 - 0.3, t0 + 0.3) >= _CUE)
    return (nudge, lay) if by > max(4.0, 2 * slack) and strike else None


def _strike_after(sightings: Mapping[str, Sequence[Sighting]], t: float, place: np.ndarray, ball: str, double: float) -> bool:
    """Whether something begins to run after `t` s that `ball`, lying at `place`, cannot have set in motion."""
    for name, seen in sightings.items():
        later = [s for s in seen if s.fresh and s.t >= t]
        start = _first_away(later, 2.0)
        if start is None:
            continue
        far = max(float(np.hypot(s.x - later[0].x, s.y - later[0].y)) for s in later)
        near = name != ball and np.hypot(later[0].x - place[0], later[0].y - place[1]) < double + 5.0
        if far > _CARRIED and not near:
            return True
    return False


def _first_away(seen: Sequence[Sighting], slack: float) -> float | None:
    """When a ball has clearly left its first place for good, s."""
    fresh = [s for s in seen if s.fresh]
    if len(fresh) < 6:
        return None
    xy = np.array([(s.x, s.y) for s in fresh])
    away = np.hypot(*(xy - np.median(xy[:5], axis=0)).T) > max(3.0, slack) + 4 * np.array([s.sigma for s in fresh])
    k = next((k for k in range(len(away) - 2) if away[k : k + 3].all()), None)
    return None if k is None else fresh[k].t


class Between:
    """What becomes of the balls between two strokes: which are placed by hand, which are touched where they lie."""

    def __init__(self, spots: Mapping[str, Point]):
        self._spots, self._centre = [np.array(s) for s in spots.values()], np.array(spots["centre"])
        self._lying: set[str] | None = None  # balls that nobody has a reason to move; before the first stroke nobody knows
        self._carried: set[str] = set()  # before the first stroke
        self._nudges: list[Nudge] = []

    def look(self, sightings: Mapping[str, Sequence[Sighting]], slack: float) -> None:
        """A stretch of motion that was no stroke. `slack`: error (mm) of places that the calibration leaves.

        A ball that is touched at once after a stroke belongs to that one, if it can still be said of it (`of_the_last`).
        """
        moves = {ball: move for ball, seen in sightings.items() if (move := _move(seen, slack)) is not None}
        shifts = [m.shift for m in moves.values() if m.shift is not None]
        # what moves several balls alike is the camera
        if len(shifts) > 1 and max(float(np.hypot(*(w - shifts[0]))) for w in shifts) < 0.5 * float(np.hypot(*shifts[0])):
            return
        watched = any(ball not in moves and sum(s.fresh for s in seen) >= _SETTLES for ball, seen in sightings.items())
        for ball, move in moves.items():
            if move.shift is None:
                (self._carried.add if self._lying is None else self._lying.discard)(ball)
            elif self._was_let_lie(ball, move, sightings[ball]) and (move.foreign >= _CUE or (watched and len(moves) == 1)):
                self._nudges.append(Nudge(ball, move.t, float(np.hypot(*move.shift)), move.foreign >= _CUE))

    def _was_let_lie(self, ball: str, move: _Move, seen: Sequence[Sighting]) -> bool:
        """Whether a ball that was moved to `move.to` had no reason to be moved; before the first stroke it must have been seen at rest."""
        if ball == "black" and np.hypot(*(move.to - self._centre)) < _ON_SPOT:
            return False
        if self._lying is not None:
            return ball in self._lying
        rested = sum(s.fresh and s.state == "rest" and s.t < move.t for s in seen) >= _SETTLES
        return rested and ball not in self._carried

    def of_the_last(self, stroke: Stroke) -> Stroke:
        """The last stroke, with what was touched at once after it."""
        soon = [n for n in self._nudges if stroke.end_t <= n.t < stroke.end_t + _SOON]
        self._nudges = [n for n in self._nudges if n not in soon]
        return replace(stroke, review=(*stroke.review, *(n.doubt(n.t - stroke.start_t, "after") for n in soon)))

    def stroke(self, stroke: Stroke) -> tuple[Doubt, ...]:
        """A stroke came next: what is to be said of the balls before it."""
        opening = self._lying is None and self._is_opening(stroke)
        doubts = () if opening else tuple(n.doubt() for n in self._nudges)
        self._nudges = []
        self._lying = {ball for ball, place in stroke.shot.positions.items() if place is not None}
        return doubts

    def _is_opening(self, stroke: Stroke) -> bool:
        """Whether all balls but the one struck lie at spots before a stroke: then they were put there, and may have been put right."""
        others = [np.array(place) for ball, place in stroke.positions_before.items() if ball != stroke.cue_ball and place is not None]
        return len(others) > 1 and all(min(np.hypot(*(p - s)) for s in self._spots) < _OPENING for p in others)


@dataclass(frozen=True, slots=True)
class _Move:
    """A ball was carried, or (`shift` mm, to `to`) moved a little at `t` s in full view with that share of foreign pixels beside it."""

    shift: np.ndarray | None
    to: np.ndarray
    t: float
    foreign: float


def _move(seen: Sequence[Sighting], slack: float) -> _Move | None:
    """How a ball was moved in a stretch of motion; None if it lies where it lay."""
    fresh = [s for s in seen if s.fresh]
    if len(fresh) < 8:
        return None
    xy, t = np.array([(s.x, s.y) for s in fresh]), np.array([s.t for s in fresh])
    clear = max(np.median([s.foreign for s in part]) for part in (fresh[:_SETTLES], fresh[-_SETTLES:])) < _CUE
    if (went := _elsewhere(t, xy, max(_CLEAR, _CLEARLY * slack) if clear else max(4.0, 2 * slack))) is None:
        return None
    before, after, when = went
    carried = float(np.hypot(*(xy - before).T).max()) > _CARRIED or len(fresh) < _VIEW * len(seen)
    return _Move(None if carried else after - before, after, when, _foreign(seen, when - 0.3, when + 0.3))
