"""What the pictures of a stroke did not show, and what may have happened meanwhile.

Pictures are damaged, missing, shown twice or late, and balls are covered. Where a ball runs near another one, near a cushion,
or an event is told, such a moment makes the stroke doubtful, with the ways it may have gone instead; elsewhere it is noted,
and while everything rests it is nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from calibration.table import CUSHIONS, Table
from vision.breaks import Path
from vision.frames import Frame
from vision.pieces import Piece
from vision.record import Sighting
from vision.shot import Doubt, Event, Way
from vision.walls import Walls

_LONG = 1.7  # usual steps between two pictures that are a gap
_LATE = 0.3  # of a step that a picture is late or early, among pictures that are not
_RARE = 0.05  # share of uneven steps that are no habit of the camera
_COVERED = 0.08  # s that a ball is not seen before it counts
_FEW = 1.5  # steps about a moment in which events are concerned
_MOVING = 40.0  # mm/s
_NEAR = 5.0  # mm besides the error bar: nearer than this, two things may have touched
_COUNTED = ("contact", "cushion", "jaw")
_KNOWN, _FAST, _STRAIGHT = 4, 300.0, 0.2  # observations of a piece, mm/s, and sine of a turn, that make a leap sure
_LEAP, _LONGEST = 12.0, 0.6  # mm, s: the least and the most that pictures may be seen to skip


@dataclass(frozen=True, slots=True)
class Blind:
    """A moment in which not everything was seen: `start`..`end` s, both seen well; `ball`: only that one was not, None: nothing was.

    `slack`: how far (mm) places may be off then, besides what they may always be.
    """

    start: float
    end: float
    reason: str
    ball: str | None = None
    slack: float = 0.0


@dataclass(frozen=True, slots=True)
class Pictures:
    """The pictures of a stretch: `t` (N,) s, rising, and which are damaged, shown again, or bear no stamp of their own, (N,) bool."""

    t: np.ndarray
    damaged: np.ndarray
    again: np.ndarray
    unstamped: np.ndarray


class Flaws:
    """Remembers which pictures are flawed, by their time."""

    def __init__(self) -> None:
        self._damaged: set[float] = set()
        self._again: set[float] = set()
        self._unstamped: set[float] = set()

    def note(self, frame: Frame, *, again: bool) -> None:
        """A picture that was looked at; `again`: it shows what the one before it showed."""
        for flaw, times in ((frame.corrupt, self._damaged), (again, self._again), (not frame.stamped, self._unstamped)):
            if flaw:
                times.add(frame.seconds)

    def forget_before(self, t: float) -> None:
        for times in (self._damaged, self._again, self._unstamped):
            times -= {old for old in times if old < t}

    def pictures(self, times: np.ndarray) -> Pictures:
        """The pictures of these times (N,), s."""
        damaged, again, unstamped = (
            np.array([t in flawed for t in times.tolist()], bool) for flawed in (self._damaged, self._again, self._unstamped)
        )
        return Pictures(times, damaged, again, unstamped)


@dataclass(frozen=True, slots=True)
class Scene:
    """What was found of the stroke: the `paths` of the balls, the `events`, all with `video_t`; `step` s, `slack` mm."""

    table: Table
    paths: Mapping[str, Path]
    events: tuple[Event, ...]
    strike: float
    step: float
    slack: float


def judged(blind: Sequence[Blind], scene: Scene) -> tuple[tuple[Doubt, ...], tuple[Doubt, ...]]:
    """(Doubts, notes) that these moments mean for a stroke."""
    doubts: list[Doubt] = []
    notes: list[Doubt] = []
    for moment in blind:
        if not any(_moves(path, moment, scene.step) for path in _concerned(moment, scene).values()):
            continue
        ways = _ways(moment, scene)
        first = next((n for n, e in _told(moment, scene) if e.type != "midline"), None)
        (doubts if ways else notes).append(Doubt(moment.reason, first if ways else None, ways))
    return tuple(doubts), tuple(notes)


# moments ------------------------------------------------------------------------------------------------------


def blind_moments(pictures: Pictures, step: float) -> list[Blind]:
    """Where pictures are wanting, one after the other; `step`: usual time between new pictures, s."""
    t, wrong = pictures.t, pictures.damaged | pictures.unstamped
    if not len(t):
        return []
    good = np.flatnonzero(~(wrong | pictures.again))
    usual = _usual(t[good], step)
    found = []
    for a, b in pairwise([-1, *good.tolist(), len(t)]):
        start, end = float(t[max(a, 0)]), float(t[min(b, len(t) - 1)])
        if wrong[a + 1 : b].any() or (a >= 0 and b < len(t) and end - start > _LONG * usual):
            found.append(Blind(start, end, _reason(pictures, a, b)))
    return [*found, *(_late(t[good][k : k + 3], usual) for k in _uneven(t[good], usual))]


def _usual(t: np.ndarray, step: float) -> float:
    gaps = np.diff(t)
    return max(step, float(np.quantile(gaps, 0.8)) if len(gaps) else 0.0)


def untimed(pictures: Pictures, step: float) -> frozenset[float]:
    """Times (s) that pictures bear and were not taken at: late, early, or of no stamp. What they show is out of place then."""
    good = pictures.t[~(pictures.again | pictures.unstamped)]
    late = good[1 + _uneven(good, _usual(good, step))]
    return frozenset([*late.tolist(), *pictures.t[pictures.unstamped].tolist()])


def covered_moments(sightings: Mapping[str, Sequence[Sighting]], strike: float) -> list[Blind]:
    """Where a ball was not seen for a while and was seen again, after the strike."""
    found = []
    for ball, seen in sightings.items():
        fresh = [s for s in seen if s.fresh]
        hidden = np.array([s.t for s in seen if not s.fresh and s.state == "hidden"])
        for a, b in pairwise(fresh):
            if b.t > strike and b.t - a.t > _COVERED and ((hidden > a.t) & (hidden < b.t)).any():
                found.append(Blind(a.t, b.t, f"{ball} was hidden for {b.t - a.t:.2f} s", ball))
    return found


def moved_unseen(gone: Mapping[str, Sequence[Sighting]], end: float) -> list[Doubt]:
    """What it means that balls came to lie elsewhere while they were hidden; `gone`: their sightings from the last one before.

    After the stroke, whose last event is at `end` s, that is a hand; before, a hand or something that was not seen.
    """
    return [
        Doubt(f"{ball} was out of view from {seen[0].t:.2f} s on and came to lie elsewhere")
        for ball, seen in gone.items()
        if len(seen) > 1 and seen[0].t < end
    ]


def skipped_moments(paths: Mapping[str, Path], step: float) -> list[Blind]:
    """Where pictures are missing and the stamps hide it: a ball leaps ahead, or is further from where it bounced than it can be."""
    found: list[Blind] = []
    for ball in sorted(paths):
        for before, after in pairwise(paths[ball].pieces):
            lost = _lost(before, after, step)
            if lost is not None and not any(m.start < after.start and before.end < m.end for m in found):
                reason = f"the pictures skip {lost:.2f} s at {before.end:.2f} s, which their times hide"
                found.append(Blind(before.end, after.start, reason))
    return found


def _lost(before: Piece, after: Piece, step: float) -> float | None:
    """How much longer (s) a ball took from one piece to the next than the stamps say; None if not by half a step and beyond all errors."""
    if after.start - before.end > _FEW * step or min(before.last - before.first, after.last - after.first) < _KNOWN:
        return None
    u, v = before.speed_at(before.end), after.speed_at(after.start)
    slow = min(float(np.hypot(*u)), float(np.hypot(*v)))
    if slow < _FAST:
        return None
    apart = after.at(after.start) - before.at(before.end)
    sigma = (before.sigma_at(before.end) + after.sigma_at(after.start)) / slow
    turn = abs(u[0] * v[1] - u[1] * v[0]) / float(np.hypot(*u) * np.hypot(*v))
    if turn < _STRAIGHT:
        if u @ v < 0 or not 0.8 < np.hypot(*u) / np.hypot(*v) < 1.25:
            return None
        took = float(apart @ (u + v)) * 2 / float((u + v) @ (u + v))
    else:  # on along u, then along v: the two ways meet where it bounced
        took = float(np.linalg.solve(np.column_stack([u, v]), apart).sum())
    lost = took - (after.start - before.end)
    return lost if lost > max(0.6 * step, 4 * sigma / max(turn, _STRAIGHT), _LEAP / slow) and lost < _LONGEST else None


def _reason(pictures: Pictures, a: int, b: int) -> str:
    t = pictures.t
    bad = np.flatnonzero(pictures.damaged[a + 1 : b]) + a + 1
    if len(bad) == 1:
        return f"a damaged frame at {t[bad[0]]:.2f} s"
    if len(bad):
        return f"{len(bad)} damaged frames from {t[bad[0]]:.2f} s to {t[bad[-1]]:.2f} s"
    if pictures.unstamped[a + 1 : b].any():
        return f"{int(pictures.unstamped[a + 1 : b].sum())} frames from {t[a + 1]:.2f} s on bear no time of their own"
    if pictures.again[a + 1 : b].any():
        return f"a picture shown twice at {t[a]:.2f} s"
    return f"no picture for {t[b] - t[a]:.2f} s at {t[a]:.2f} s"


def _uneven(t: np.ndarray, step: float) -> np.ndarray:
    """Indexes of the picture before each whose stamp is late or early, between two in time, where that is not the camera's habit."""
    off = np.diff(t) / step - 1
    found = np.flatnonzero((np.abs(off[:-1] + off[1:]) < _LATE) & (np.abs(off[:-1]) > _LATE)) if len(off) > 1 else np.zeros(0, int)
    return found if len(found) <= max(2, _RARE * len(t)) else np.zeros(0, int)


def _late(t: np.ndarray, step: float) -> Blind:
    """A picture between two in time, their stamps `t` (3,) s."""
    off = float(t[1] - t[0]) - step
    how = f"{1000 * abs(off):.0f} ms {'late' if off > 0 else 'early'}"
    return Blind(float(t[0]), float(t[2]), f"the time of the picture at {t[1]:.2f} s is {how}")


# what may have happened ---------------------------------------------------------------------------------------


def _concerned(moment: Blind, scene: Scene) -> Mapping[str, Path]:
    return scene.paths if moment.ball is None else {b: p for b, p in scene.paths.items() if b == moment.ball}


def _moves(path: Path, moment: Blind, step: float) -> bool:
    """Whether the ball runs at some time about the moment, or lies elsewhere after it."""
    if any(_runs(path, t) for t in _times(moment, step, _FEW)):
        return True
    return float(np.hypot(*(_place(path, moment.end) - _place(path, moment.start)))) > _NEAR


def _runs(path: Path, t: float) -> bool:
    piece = path.piece_at(t)
    middle = (piece.start + piece.end) / 2  # a few observations at rest look like motion
    return float(np.hypot(*piece.speed_at(middle))) > max(_MOVING, 3.0 * piece.speed_sigma_at(middle))


def _place(path: Path, t: float) -> np.ndarray:
    """Where the ball is at t, (2,) mm: on its piece while it runs, else where it was seen (most of a rest is in no piece)."""
    if _runs(path, t):
        return path.at(t)
    return np.array([np.interp(t, path.seen.t, path.seen.xy[:, k]) for k in (0, 1)])


def _times(moment: Blind, step: float, pad: float = 0.0) -> np.ndarray:
    start, end = moment.start - pad * step, moment.end + pad * step
    return np.linspace(start, end, max(5, int(np.ceil((end - start) / (step / 3)))))


def _told(moment: Blind, scene: Scene) -> list[tuple[int, Event]]:
    """The events about the moment, with their indexes."""
    pad = _FEW * scene.step
    return [
        (n, e)
        for n, e in enumerate(scene.events)
        if e.video_t is not None
        and moment.start - pad <= e.video_t <= moment.end + pad
        and (moment.ball is None or e.involves(moment.ball))
    ]


def _ways(moment: Blind, scene: Scene) -> tuple[Way, ...]:
    told = _told(moment, scene)
    ways = [Way(f"did not happen: {_name(e)}", drop=(n,)) for n, e in told if e.type in (*_COUNTED, "jump")]
    ways += [
        Way(f"first {_name(b)}, then {_name(a)}", (replace(b, t=a.t, video_t=a.video_t), replace(a, t=b.t, video_t=b.video_t)), (i, j))
        for (i, a), (j, b) in pairwise([(n, e) for n, e in told if e.type in (*_COUNTED, "pocket", "jump")])
        if a.balls or b.balls
    ]
    ways += _other_strikes(moment, told, scene)
    ways += [Way(f"also {_name(e)}", (e,)) for e in (*_touches(moment, told, scene), *_bounces(moment, told, scene))]
    return tuple(ways)


def _other_strikes(moment: Blind, told: Sequence[tuple[int, Event]], scene: Scene) -> list[Way]:
    """Another ball that begins to move in the same moment as the struck one may have been struck."""
    strike = next(((n, e) for n, e in told if e.type == "strike"), None)
    if strike is None or moment.ball is not None:
        return []
    n, e = strike
    partners = {b for _, c in told if c.balls and e.ball in c.balls for b in c.balls} - {e.ball}
    return [Way(f"{other} was struck", (replace(e, ball=other),), (n,)) for other in sorted(partners)]


def _touches(moment: Blind, told: Sequence[tuple[int, Event]], scene: Scene) -> Iterator[Event]:
    """Contacts of balls that come so near each other in the moment that they may have met."""
    times = _times(moment, scene.step)
    places = {b: np.array([_place(path, t) for t in times]) for b, path in scene.paths.items()}
    moving = {b for b, path in scene.paths.items() if _moves(path, moment, scene.step)}
    known = {frozenset(e.balls) for _, e in told if e.balls}
    balls = sorted(places)
    for n, a in enumerate(balls):
        for b in balls[n + 1 :]:
            if not {a, b} & moving or (moment.ball is not None and moment.ball not in (a, b)) or frozenset((a, b)) in known:
                continue
            apart = np.hypot(*(places[a] - places[b]).T) - scene.table.ball
            if apart.min() < _NEAR + scene.slack + moment.slack:
                yield _event(float(times[int(apart.argmin())]), "contact", scene, balls=(a, b))


def _bounces(moment: Blind, told: Sequence[tuple[int, Event]], scene: Scene) -> Iterator[Event]:
    """Cushions and jaws that a running ball comes so near to in the moment that it may have touched them."""
    times = _times(moment, scene.step)
    reach = Walls(scene.table).reach
    for ball, path in _concerned(moment, scene).items():
        if not _moves(path, moment, scene.step) or any(e.type in ("cushion", "jaw", "pocket") and e.ball == ball for _, e in told):
            continue
        xy = np.array([_place(path, t) for t in times])
        tips = [(jaw, np.hypot(*(xy - jaw.tip).T)) for pocket in scene.table.pockets for jaw in pocket.jaws]
        jaw, near = min(tips, key=lambda tip: float(tip[1].min()), default=(None, None))
        slack = _NEAR + scene.slack + moment.slack
        if jaw is not None and near is not None and near.min() < scene.table.radius + slack:
            yield _event(float(times[int(near.argmin())]), "jaw", scene, ball=ball, pocket=jaw.pocket, cushion=jaw.cushion)
            continue
        for cushion in CUSHIONS:
            far = scene.table.inside(xy, cushion)
            if far.min() < reach + slack:
                yield _event(float(times[int(far.argmin())]), "cushion", scene, ball=ball, cushion=cushion)


def _event(t: float, kind: str, scene: Scene, **fields: object) -> Event:
    since = round(max(0.0, t - scene.strike), 5)
    return Event(since, kind, video_t=round(t, 5), sigma_ms=round(1000 * scene.step, 2), **fields)  # type: ignore[arg-type]


def _name(e: Event) -> str:
    if e.balls:
        return f"contact {e.balls[0]}-{e.balls[1]}"
    return f"{e.type} {e.ball}"
