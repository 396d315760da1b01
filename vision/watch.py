"""From frames to strokes: the tracker, the records of the balls, pockets, and the division into strokes, frame by frame."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import dist

import cv2
import numpy as np

from calibration.table import Table
from vision.detect import Detector
from vision.events import in_jaws
from vision.field import Field
from vision.frames import Frame
from vision.holes import with_seen_rims
from vision.late import HOLD
from vision.leaving import Beyond, Left, exit_of
from vision.patch import Background
from vision.record import BallRecord, Sighting
from vision.rivals import Rivals
from vision.search import Search
from vision.seek import Candidate, candidates, named_with_samples
from vision.segment import Segmenter, Span
from vision.skips import vanished
from vision.stages import Stages
from vision.track import Seen, Tracker

_LEARN = 0.2  # s between two looks of the background
_SEEK = 0.3  # s between two searches for balls that are missing
_SELDOM = 1.2  # the same while nothing is there that could be one, but for what is taken for a part of the table
_TAKEN = 0.8  # s unseen at an uncovered place that make a ball missing
_SINK = 0.12  # s in the hole, or unseen at it, that make a pot
_DEEP = 0.9  # radii behind the rim from which a ball has fallen, however still it lies
_LATELY, _CREEPS = 0.16, 0.12  # s, and radii in that time: a ball that moves less may hang over the rim
_REPEATS = 4  # times that a picture may be shown again in a row
_UNSEEN = 0.3  # s unseen after which it is no more told where a way led
_BESIDE = 0.05  # change of the share of foreign pixels round a ball that means a hand or a cue
_CALM = 1.2  # s without any event after which nothing is awaited
_CONTEXT = 0.5  # s of rest before a stroke that its analysis looks at
_ALIKE_MEAN, _ALIKE = 1.0, 5.0  # levels by which the same picture may differ, on average and at the most, and the same
_GRAIN_MEAN, _GRAIN = 0.04, 0.25  # as shares of what a ball that has moved on changes, where that allows for more
_VISIBLE = 0.7  # px that a ball must have run to be seen to have moved


@dataclass(frozen=True)
class Pot:
    """A ball fell into a pocket; `t`: when it was last known to be on the table, s."""

    ball: str
    pocket: str
    t: float


@dataclass
class _Waiting:
    """A ball that is not on the table as far as is known, and where it may be lying again."""

    shades: np.ndarray | None = None
    place: tuple[float, float] | None = None
    looks: int = 0
    pocketed: bool = False
    left: bool = False
    rolls: bool = False  # nobody took it: it may be rolling


@dataclass
class Watch:
    """The state of watching one table. Feed it frames in order. `colours`: (b, g, r) of balls, sampled at calibration.

    `waits`: the same pictures give the same result at any speed; False: no frame waits long for the search of a missing ball.
    """

    field: Field
    balls: tuple[str, ...]
    network: Detector | None = None
    records: dict[str, BallRecord] = dataclasses.field(default_factory=dict)
    pots: list[Pot] = dataclasses.field(default_factory=list)
    left: list[Left] = dataclasses.field(default_factory=list)
    states: dict[str, str] = dataclasses.field(default_factory=dict)
    colours: Mapping[str, tuple[float, float, float]] = dataclasses.field(default_factory=dict)
    waits: bool = True
    stages: Stages = dataclasses.field(default_factory=Stages)

    def __post_init__(self) -> None:
        self._tracker: Tracker | None = None
        self._background: Background | None = None
        self._segmenter = Segmenter()
        self._waiting: dict[str, _Waiting] = {b: _Waiting() for b in self.balls}
        self._before: Frame | None = None
        ys, xs = np.nonzero(self.field.mask)
        self._view = np.s_[ys.min() : ys.max() : 2, xs.min() : xs.max() : 2] if len(ys) else np.s_[::2, ::2]
        self._learnt = self._sought = -1e9
        self._search = Search(self.waits)
        self._rivals = Rivals()
        self.mistaken: list[tuple[str, float]] = []  # balls that were followed where none was, and until when, s
        self._taken: list[tuple[float, float]] = []  # px: where balls were that were followed when the search began
        self._inside: dict[str, float] = {}
        self._row = 0
        self._busy = -1e9
        self._beyond = Beyond(self.field)
        self._moved: dict[str, float] = {}  # when a ball was last seen to move, s
        self._beside: dict[str, float] = {}  # share of foreign pixels round a ball when it last changed
        self._calm, self._stirs = False, True
        self.records = {b: BallRecord(b) for b in self.balls}
        self.doubled = 0
        self.vanished: list[tuple[str, float]] = []  # balls that lay still and were gone in the next picture, and when they lay, s
        self.corrupt: list[float] = []

    def rims(self, nominal: Table) -> Table:
        """The table with its pockets' rims as the background shows them now, after people have moved away."""
        if self._background is None:
            return nominal
        return with_seen_rims(nominal, self.field.camera, self._background.frame(), settled=True)

    # frames -------------------------------------------------------------------------------------------------

    def look(self, frame: Frame) -> Span | None:
        """Take the next frame; a `Span` when a stretch of motion has come to its end."""
        t = frame.seconds
        if frame.corrupt:
            self.corrupt.append(t)
        if self._tracker is None:
            with self.stages("finding balls"):
                self._begin(frame)
        doubled = self._is_doubled(frame)
        # a ball that stops dead looks like a picture that is shown again; no source repeats one so often
        self._row = self._row + 1 if doubled else 0
        doubled = doubled and self._row <= _REPEATS
        self.doubled += doubled
        with self.stages("following balls"):
            seen = self._tracker.step(frame, doubled) if self._tracker else {}
            self._note(frame, seen)
        if not doubled:
            self._watch_pockets(frame)
            self._watch_cushions(frame)
        if self._tracker and self._background and t - self._learnt >= (_LEARN if self._is_something_there() else 2 * _LEARN):
            with self.stages("background"):
                self._background.look(frame, [*self._tracker.discs(), *self._seen_once()])
            self._learnt = t
        self._give_up(doubled)
        soon = self._rivals.places or self._is_something_there()
        if (self._waiting or self._rivals) and self._search.idle and t - self._sought >= (_SEEK if soon else _SELDOM):
            self._sought = t
            self._taken = [(x, y) for x, y, _ in self._tracker.discs()] if self._tracker else []
            self._search.begin(frame, self.field, self.network)
        with self.stages("finding balls"):
            if (found := self._search.answer(t)) is not None:
                self._doubt(frame, found)
                self._find(found, frame)
        # a ball that has fallen or left holds no stroke open, however long ago it was last seen
        fallen = {b for b, w in self._waiting.items() if w.pocketed or w.left}
        span = self._segmenter.look(t, {b: r for b, r in self.records.items() if b not in fallen}, self._hanging(t))
        self._settle(t)
        if not self._segmenter.active and span is None:
            for record in self.records.values():
                record.forget_before(t)
        return span

    def _hanging(self, t: float) -> frozenset[str]:
        """Balls that came to rest in the jaws so lately that they may yet fall in time."""
        start = self._segmenter.start
        if start is None:
            return frozenset()
        lately = [
            (ball, last)
            for ball, record in self.records.items()
            if ball not in self._waiting and start <= self._moved.get(ball, -1e9) and t - self._moved[ball] < HOLD
            for last in (record.last,)
        ]
        return frozenset(b for b, s in lately if s is not None and s.state != "moving" and in_jaws(self.field.table, np.array([s.x, s.y])))

    @property
    def active(self) -> bool:
        """Whether a stretch of motion is under way."""
        return self._segmenter.active

    @property
    def calm(self) -> bool:
        """Whether nothing has happened for a while: every ball that is followed rests in full view, none is being found."""
        return self._calm

    @property
    def busy(self) -> bool:
        """Whether something happens in the last frame."""
        return self._stirs

    def _settle(self, t: float) -> None:
        resting = all(
            [
                last is not None and last.state == "rest" and last.fresh and self._undisturbed(ball, last.foreign)
                for ball, record in self.records.items()
                if ball not in self._waiting
                for last in (record.last,)
            ]
        )
        if self._segmenter.active or not resting or any(w.looks for w in self._waiting.values()):
            self._busy = t
        self._stirs = self._busy == t
        self._calm = t - self._busy > _CALM

    def _undisturbed(self, ball: str, foreign: float) -> bool:
        """Whether nothing has come beside a ball. What always lies there (a line on the cloth, a mark) is no disturbance."""
        if abs(foreign - self._beside.get(ball, 0.0)) < _BESIDE:
            return True
        self._beside[ball] = foreign
        return False

    @property
    def missing(self) -> tuple[str, ...]:
        """Balls that are expected and not found, nor seen to fall or to leave the table."""
        return tuple(b for b, w in self._waiting.items() if not w.pocketed and not w.left)

    def skip(self, index: int, times: Sequence[float]) -> None:
        """Frames from number `index` on in which nothing moves were not looked at: the balls lie where they lay."""
        for record in self.records.values():
            last = record.last
            if last is None or last.state != "rest":
                continue
            for n, t in enumerate(times):
                if t >= times[-1] - _CONTEXT:
                    record.add(dataclasses.replace(last, frame=index + n, t=t))

    @property
    def since(self) -> float | None:
        """When the stretch of motion that is under way began, s."""
        return self._segmenter.start

    def lull(self, t: float) -> Span | None:
        """The stretch of motion as it is if nothing more moves after t s; None while something does, and where none is under way."""
        return self._segmenter.lull(t)

    def finish(self, t: float) -> Span | None:
        """The stretch of motion that is open at the end of the video."""
        return self._segmenter.finish(t)

    def _begin(self, frame: Frame) -> None:
        seen = candidates(frame, self.field, self.network)
        found = named_with_samples(seen, self.balls, self.colours)
        discs = [(c.x, c.y, c.radius) for c in found.values()]
        # the halves of a mask of even size
        bed = np.ascontiguousarray(self.field.mask[: frame.y.shape[0] : 2, : frame.y.shape[1] : 2])
        self._background = Background(frame, discs, bed=bed)
        self._tracker = Tracker(self.field, frame, self._background, {b: (c.x, c.y, c.shades) for b, c in found.items()})
        for ball, spot in found.items():
            self._waiting.pop(ball, None)
            if self.network is not None:
                self._rivals.took(ball, spot)
        self._sought = frame.seconds

    def _is_doubled(self, frame: Frame) -> bool:
        """Whether a picture is shown again: nothing changed on the table although a ball that was just seen runs.

        Only what moves tells: a picture shown again is often coded again, and its grain differs.
        """
        before, self._before = self._before, frame
        if before is None or self._tracker is None or self._background is None or before.y.shape != frame.y.shape:
            return False
        left = self._tracker.runners(frame.seconds - before.seconds, _VISIBLE)
        if not left:
            return False
        # of a ball that has left its place all of its contrast is gone, of grain and coding a small part of it shows
        behind = self._background.frame()
        telling = [min(run, 1.0) * _largest_change(behind, before, box.luma)[1] for box, run in left]
        # the runners' windows are quick to look at; a cue or a hand that moves elsewhere shows a new picture too
        return all(_unchanged(before, frame, box.luma, most) for (box, _), most in zip(left, telling, strict=True)) and _unchanged(
            before, frame, self._view, max(telling) / 2
        )

    # what was seen ------------------------------------------------------------------------------------------

    def _note(self, frame: Frame, seen: Mapping[str, Seen]) -> None:
        live = {b: s for b, s in seen.items() if s.state != "gone"}
        for ball, s in live.items():
            x, y, scale, radius = self.field.chart.ball(s.x, s.y)
            sigma = s.sigma / scale if np.isfinite(scale) and scale > 0 else 1000.0
            if s.state == "moving" and s.fresh:
                self._moved[ball] = frame.seconds
                self._rivals.rolls(ball, s.x, s.y, radius)
            self.records[ball].add(Sighting(frame.index, frame.seconds, x, y, sigma, s.state, s.fresh, s.foreign, s.fill))
        self.states = {b: self._state(b, live.get(b)) for b in self.balls}

    def _state(self, ball: str, seen: Seen | None) -> str:
        if seen is None:
            waiting = self._waiting.get(ball)
            return "pocketed" if waiting and waiting.pocketed else "absent"
        return "hidden" if seen.state == "hidden" else "seen"

    # pockets ------------------------------------------------------------------------------------------------

    def _watch_pockets(self, frame: Frame) -> None:
        if self._tracker is None or not self.field.table.pockets:
            return
        t = frame.seconds
        for ball in self.balls:
            if ball in self._waiting:
                continue
            pocket = self._at_pocket(ball, t)
            if pocket is None:
                self._inside.pop(ball, None)
                continue
            since = self._inside.setdefault(ball, t)
            if t - since >= _SINK:
                self.pots.append(Pot(ball, pocket, since))
                self._segmenter.note(since)
                self._lose(ball, pocketed=True)

    def _at_pocket(self, ball: str, t: float) -> str | None:
        """The pocket that the ball is in, or at which it vanished."""
        last = self.records[ball].last
        if last is None:
            return None
        radius = self.field.table.radius
        if last.fresh:
            return None if self._hangs(ball, last) else self.field.pocket_of(last.x, last.y, -0.3 * radius)
        if last.state != "hidden":
            return None
        fresh = [s for s in self.records[ball].since(t - 1.0) if s.fresh]
        if not fresh:
            return None
        end = fresh[-1]
        step = (end.x - fresh[-2].x, end.y - fresh[-2].y) if len(fresh) > 1 else (0.0, 0.0)
        if (pocket := self.field.pocket_of(end.x, end.y, 0.75 * radius)) is not None:
            return pocket
        # where it would be up to two steps later
        for ahead in (0.5, 1.0, 2.0):
            pocket = self.field.pocket_of(end.x + ahead * step[0], end.y + ahead * step[1], 0.3 * radius)
            if pocket is not None:
                return pocket
        # along a cushion it leads past the hole, yet into the mouth: there the far jaw sends it down
        return self.field.mouth_ahead(end.x, end.y, 2 * step[0], 2 * step[1])

    def _hangs(self, ball: str, last: Sighting) -> bool:
        """Whether a ball seen at `last` has crept to where it is and is not deep in the hole: so slowly none falls.

        The rim that the picture shows may be a shadow's, some mm before the real one.
        """
        radius = self.field.table.radius
        lately = [s for s in self.records[ball].since(last.t - _LATELY) if s.fresh]
        if self.field.pocket_of(last.x, last.y, -_DEEP * radius) is not None or last.t - lately[0].t < 0.6 * _LATELY:
            return False
        return max(dist((s.x, s.y), (last.x, last.y)) for s in lately) < _CREEPS * radius

    def _watch_cushions(self, frame: Frame) -> None:
        """Look beyond the cushions for balls that seem to have gone over one."""
        if self._tracker is None or self._background is None:
            return
        t = frame.seconds
        for ball in self.balls:
            last = self.records[ball].last
            if ball in self._waiting or last is None or last.fresh or ball in self._inside:
                self._beyond.found_again(ball)
            elif (out := exit_of(self.field.table, self.records[ball].since(t - _UNSEEN))) is not None:
                self._beyond.seek(ball, self._tracker.shades_of(ball), out, t)
        for left in self._beyond.look(frame, self._background):
            self.left.append(left)
            self._lose(left.ball, pocketed=False, left=True)

    def _lose(self, ball: str, *, pocketed: bool, left: bool = False) -> None:
        shades = self._tracker.shades_of(ball) if self._tracker else None
        self._waiting[ball] = _Waiting(shades, pocketed=pocketed, left=left)
        self._inside.pop(ball, None)
        self._rivals.forget(ball)
        if self._tracker:
            self._tracker.forget(ball)

    def _give_up(self, doubled: bool) -> None:
        """A ball that is not where it was, nor anywhere it can have rolled, was taken away: look on the whole table."""
        if self._tracker is None or doubled:
            return
        for ball in self.balls:
            if ball not in self._waiting and ball not in self._inside and self._tracker.unseen_for(ball) > _TAKEN:
                t = vanished(self.records[ball].since(-np.inf))
                self._lose(ball, pocketed=False)
                if t is not None:
                    self.vanished.append((ball, t))
                    self._waiting[ball].rolls = True

    # missing balls ------------------------------------------------------------------------------------------

    def _free(self, seen: list[Candidate]) -> list[Candidate]:
        """What a search found that is not followed."""
        return [c for c in seen if all(np.hypot(c.x - x, c.y - y) > 1.2 * c.radius for x, y in self._taken)]

    def _doubt(self, frame: Frame, seen: list[Candidate]) -> None:
        """Whether a search tells that a ball lies elsewhere than it is followed: then it is followed there."""
        if not self._rivals or self._tracker is None or self._background is None:
            return
        now = {b: at for b, at in self._tracker.places().items() if self.states.get(b) == "seen"}
        for ball, spot in self._rivals.compare(seen, self._free(seen), now).items():
            self._background.give_back(frame, (spot.x, spot.y, spot.radius))
            self._tracker.add(ball, spot.x, spot.y, spot.shades, still=True)
            self.records[ball] = BallRecord(ball)
            self.mistaken.append((ball, frame.seconds))
            self._taken.append((spot.x, spot.y))
            self._rivals.took(ball, spot)

    def _find(self, seen: list[Candidate], frame: Frame) -> None:
        """Which of the missing balls a search has found; one that lies at the same place in two looks is back."""
        assert self._tracker is not None and self._background is not None
        free = self._free(seen)
        known = {b: w.shades for b, w in self._waiting.items() if w.shades is not None}
        found = named_with_samples(free, list(self._waiting), self.colours, known, limit=60.0)
        for ball in list(self._waiting):
            waiting, spot = self._waiting[ball], found.get(ball)
            if spot is None:
                waiting.place, waiting.looks = None, 0
                continue
            near = waiting.place is not None and np.hypot(spot.x - waiting.place[0], spot.y - waiting.place[1]) < 0.15 * spot.radius
            waiting.place, waiting.looks = (spot.x, spot.y), waiting.looks + 1 if near else 1
            if waiting.looks >= 2 or waiting.rolls:
                self._background.give_back(frame, (spot.x, spot.y, spot.radius))
                self._tracker.add(ball, spot.x, spot.y, spot.shades, still=waiting.looks >= 2)
                if self.network is not None:
                    self._rivals.took(ball, spot)
                del self._waiting[ball]

    def _is_something_there(self) -> bool:
        """Whether anything as large as a third of a ball is on the table that is not known, or hidden, as of the background's last look."""
        return self._background is None or self._background.guessed or not self._background.strange < self.field.disc / 4 / 3

    def _seen_once(self) -> list[tuple[float, float, float]]:
        """Where missing balls may be lying again (px): that is no table to be learnt."""
        places = [w.place for w in self._waiting.values() if w.place is not None] + self._rivals.places
        return [(x, y, self.field.chart.radius(x, y) + 2) for x, y in places]


def _unchanged(before: Frame, frame: Frame, view: tuple[slice, slice], telling: float) -> bool:
    """Whether a part shows the same in both pictures, but for their grain; `telling`: levels by which it would else differ somewhere."""
    mean, most = _largest_change(before, frame, view)
    return mean < max(_ALIKE_MEAN, _GRAIN_MEAN * telling) and most <= max(_ALIKE, _GRAIN * telling)


def _largest_change(before: Frame, frame: Frame, view: tuple[slice, slice]) -> tuple[float, float]:
    """By how much (levels of luma) two pictures differ in a part: on average, and at the most over a few pixels."""
    left, right = np.ascontiguousarray(before.y[view]), np.ascontiguousarray(frame.y[view])
    if not left.size:
        return 0.0, 0.0
    change = cv2.absdiff(right, left)
    return float(cv2.mean(change)[0]), float(cv2.blur(change, (3, 3)).max())
