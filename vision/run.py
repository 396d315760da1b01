"""One pass over a table's pictures: frames in, strokes out. A file is read through it, and a live camera."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import dist
from typing import TYPE_CHECKING

import numpy as np

from vision.detect import Detector
from vision.field import Field
from vision.fitting import Fitting
from vision.frames import Frame, Still
from vision.guard import Change, ViewGuard, view_notes
from vision.holes import with_seen_rims
from vision.record import Sighting
from vision.segment import Span
from vision.shot import Point, Stroke
from vision.skips import gone
from vision.stages import Stages
from vision.telling import Teller, preview_of
from vision.testimony import Testimony
from vision.touch import Between
from vision.tracks import TracksFile
from vision.unseen import Flaws
from vision.watch import Watch

if TYPE_CHECKING:
    from calibration.profile import Profile


_LULL = 2  # pictures at rest after which a stretch of motion is taken to be over, unless it goes on
_SAME = 1.0  # mm


@dataclass(frozen=True, slots=True)
class _Signs:
    """Where the balls lie (mm), how they are seen, and how much else has happened so far."""

    lie: Mapping[str, Point]
    how: Mapping[str, tuple[str, bool]]
    states: Mapping[str, str]
    counts: tuple[int, ...]

    def agree(self, then: _Signs | None) -> bool:
        """Whether nothing has happened since."""
        if then is None or (self.how, self.states, self.counts) != (then.how, then.states, then.counts):
            return False
        return all(dist(place, then.lie[ball]) <= _SAME for ball, place in self.lie.items())


class TableRun:
    """One pass over a table's pictures: fed with frames in order, it gathers `strokes` as they come to their end.

    `interrupt` tells of a gap between the frames.
    """

    waits = True  # whether frames may wait, so that the same pictures always give the same result

    def __init__(self, profile: Profile, balls: tuple[str, ...], rows: TracksFile, network: Detector | None):
        self._profile, self._rows, self._network = profile, rows, network
        self._table = profile.table
        self._balls = balls
        self._watch: Watch | None = None
        self._times: list[float] = []
        self._first_frame = 0
        self._steps: list[float] = []
        self._guard: ViewGuard | None = None
        self._fitting = Fitting()
        self._begun = 0.0  # when the present watch began, s
        self._interrupted = False  # whether the view was lost before that
        self._teller = Teller(Between(self._table.spots))
        self.stages = Stages()
        self.first_profile = profile
        self.frames = 0
        self.strokes: list[Stroke] = []
        self._last_t = 0.0
        self._ended = False
        self._flaws = Flaws()
        self._early: Testimony | None = None  # of a stretch whose balls have come to rest, while it is waited whether they stay so
        self._then: _Signs | None = None  # what was known then
        self._lulls = 0  # pictures in a row in which nothing moves, though the stretch is open

    def take(self, frame: Frame) -> None:
        """The next frame, in order."""
        t = frame.seconds
        if self._guard is None:
            with self.stages("view"):
                self._guard = ViewGuard(frame, self._profile)
            self.first_profile = self._profile = self._guard.profile
        if self.frames and len(self._steps) < 400:
            self._steps.append(t - self._last_t)
        self._last_t = t
        self._times.append(t)
        self.frames += 1
        with self.stages("view"):
            steady = self._guard.look(frame)
        if not steady or self._guard.profile is not self._profile:
            self._look_away(t)
            self._profile = self._guard.profile
        if not steady:
            for ball in self._balls:
                self._rows.row(frame.index, t, ball, None, 0.0, "absent")
            return
        if self.waits and not self._guard.sure:  # a live picture does not wait for a close look
            self._fitting.look(frame, self._profile)
        if self._watch is None:
            self._begin(frame)
        assert self._watch is not None
        doubled = self._watch.doubled
        span = self._watch.look(frame)
        self._flaws.note(frame, again=self._watch.doubled > doubled)
        with self.stages("writing places"):
            self._write(frame.index, t)
        if span is not None:
            with self.stages("strokes"):
                self._close(span)
        else:
            self._look_ahead(t)
            if not self._watch.active and len(self._times) > 600:
                self._forget_times()

    @property
    def calm(self) -> bool:
        """Whether every ball rests, nothing has happened for a while and the view raises no suspicion."""
        return self._watch is not None and self._watch.calm and self._guard is not None and self._guard.calm

    @property
    def busy(self) -> bool:
        """Whether something moves, or did in the last frame: it will not be calm for a while."""
        return self._watch is None or self._watch.busy

    def skip(self, still: Still) -> None:
        """Frames in which nothing moves, in their order among the frames."""
        times = [float(t) for t in still.times]
        if self._watch is not None:
            self._watch.skip(still.index, times)
        self._times += times
        self.frames += len(times)
        self._last_t = times[-1] if times else self._last_t
        seen = self.places()
        states = self._watch.states if self._watch is not None else {}
        for n, t in enumerate(times):
            for ball in self._balls:
                last = seen.get(ball)
                place = None if last is None else (last.x, last.y)
                self._rows.row(still.index + n, t, ball, place, 0.0 if last is None else last.sigma, states.get(ball, "absent"))
        self._forget_times()

    def _begin(self, frame: Frame) -> None:
        """Start watching, at the first frame and after another view was shown."""
        self._table = with_seen_rims(self._profile.table, self._profile.camera, frame)
        field = Field(self._profile.camera, self._table, frame.y.shape)
        colours = dict(self._profile.colours)
        self._watch = Watch(field, self._balls, self._network, colours=colours, stages=self.stages, waits=self.waits)
        self._begun = frame.seconds

    def _look_away(self, t: float) -> None:
        """The picture does not show the table as calibrated: what was going on ends here, in doubt."""
        if self._watch is None:
            return
        span = self._watch.finish(t)
        if span is not None:
            assert self._guard is not None
            # what was measured after the table was last seen in its place is not to be believed
            self._close(span, until=self._guard.good_until)
        self._watch, self._interrupted = None, True

    def _forget_times(self) -> None:
        drop = max(0, len(self._times) - 300)
        del self._times[:drop]
        self._first_frame += drop
        self._flaws.forget_before(self._times[0] if self._times else self._last_t)

    @property
    def active(self) -> bool:
        """Whether a stretch of motion is under way."""
        return self._watch is not None and self._watch.active

    @property
    def profile(self) -> Profile:
        """Where the table is now; another one after a moved camera was registered anew."""
        return self._profile

    def places(self) -> dict[str, Sighting]:
        """The last sighting of every ball that is on the table."""
        if self._watch is None:
            return {}
        found = {b: self._watch.records[b].last for b in self._balls if self._watch.states.get(b) in ("seen", "hidden")}
        return {ball: last for ball, last in found.items() if last is not None}

    def interrupt(self, reason: str) -> None:
        """The next frame does not go on from the last one: what was under way ends in doubt, and the balls are looked for anew."""
        if self._watch is not None and (span := self._watch.finish(self._last_t)) is not None:
            self._close(span, reason=reason)
        self._watch, self._interrupted = None, True

    def preview(self) -> Stroke | None:
        """The stroke that is under way, as far as it can be told now."""
        start = self._watch.since if self._watch is not None else None
        return None if start is None else preview_of(self._seen(Span(start, self._last_t)))

    def finish(self) -> None:
        """The video is over."""
        self._ended = True
        if self._watch is not None and (span := self._watch.finish(self._last_t)) is not None:
            with self.stages("strokes"):
                self._close(span)

    @property
    def changes(self) -> list[Change]:
        """Of the view, in order of time."""
        return self._guard.changes if self._guard else []

    def notes(self) -> list[str]:
        """What a reader should know of the whole video."""
        notes = view_notes(self.changes)
        if self._watch is None:
            return notes
        if self._watch.doubled:
            notes.append(f"{self._watch.doubled} pictures are shown twice")
        if self._watch.corrupt:
            notes.append(f"{len(self._watch.corrupt)} frames are damaged, the first at {self._watch.corrupt[0]:.2f} s")
        notes += [doubt.reason for doubt in gone(set(self._watch.vanished) - self._teller.said)]
        notes += [f"what was followed as {ball} up to {t:.2f} s was something else: it lay elsewhere" for ball, t in self._watch.mistaken]
        missing = [b for b in self._balls if self._watch.states.get(b) == "absent" and self._watch.records[b].never]
        if self._guard is not None and not self._guard.sure:
            notes = [*self._fitting.notes(found=bool(self.strokes) and not missing), *notes]
        if missing:
            notes.append(f"never seen: {', '.join(missing)}")
        return notes

    def _write(self, index: int, t: float) -> None:
        assert self._watch is not None
        for ball in self._balls:
            state = self._watch.states[ball]
            last = self._watch.records[ball].last
            if state in ("absent", "pocketed") or last is None or last.frame != index:
                self._rows.row(index, t, ball, None, 0.0, state if state in ("absent", "pocketed") else "absent")
            else:
                self._rows.row(index, t, ball, (last.x, last.y), last.sigma, state)

    # strokes ------------------------------------------------------------------------------------------------

    def _close(self, span: Span, until: float | None = None, reason: str = "") -> None:
        """A stretch of motion is over: find out what it was, and forget it. `until`, `reason`: as in `Testimony`."""
        assert self._watch is not None
        foreseen = until is None and not reason and not self._ended and self._signs().agree(self._then)
        self._tell((self._early if foreseen else None) or self._seen(span, until, reason))
        self._early = self._then = None
        self._watch.pots = [p for p in self._watch.pots if p.t > span.end]
        self._watch.left = [n for n in self._watch.left if n.t > span.end]
        for record in self._watch.records.values():
            record.forget_before(span.end)
        self._forget_times()

    def _look_ahead(self, t: float) -> None:
        """Keeps what a stretch of motion is told from when its balls have come to rest.

        A rest of so long tells all that a longer one would. If nothing else happens until it is called over, it is told from this.
        """
        assert self._watch is not None
        span = self._watch.lull(t)
        if span is None:
            self._early = self._then = None
        elif self._early is None and self._lulls >= _LULL:
            self._early, self._then = self._seen(span), self._signs()
        self._lulls = 0 if span is None else self._lulls + 1

    def _signs(self) -> _Signs:
        watch = self._watch
        assert watch is not None
        lasts = {ball: record.last for ball, record in watch.records.items()}
        lie = {ball: (s.x, s.y) for ball, s in lasts.items() if s is not None}
        how = {ball: (s.state, s.fresh) for ball, s in lasts.items() if s is not None}
        counts = (len(watch.pots), len(watch.left), len(watch.vanished), len(watch.mistaken), len(watch.corrupt), len(self.changes))
        return _Signs(lie, how, dict(watch.states), counts)

    def _tell(self, seen: Testimony) -> None:
        """Finds out what a stretch of motion was."""
        self._teller, told = self._teller.tell(seen)
        if told is not None:
            self.strokes[len(self.strokes) - told.again :] = [told.stroke]

    def _seen(self, span: Span, until: float | None = None, reason: str = "") -> Testimony:
        """All that a stroke is told from, as it is now."""
        watch = self._watch
        assert watch is not None
        records = {ball: tuple(record.since(span.start)) for ball, record in watch.records.items()}
        step = float(np.median(self._steps)) if self._steps else 1 / 30
        return Testimony(
            span, until, reason, self._balls, self._profile, self._table, watch.rims(self._profile.table), records,
            tuple(watch.pots), tuple(watch.left), self._flaws.pictures(np.array(self._times)), self._first_frame, step,
            self._begun, self._interrupted, tuple(self.changes), tuple(watch.vanished), self._ended, watch.missing,
        )  # fmt: skip
