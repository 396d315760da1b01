"""One pass over a table's pictures: frames in, strokes out. A file is read through it, and a live camera."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from calibration.accuracy import place_sigma
from vision.breaks import Path as BallPath
from vision.breaks import path_of
from vision.detect import Detector
from vision.events import Fall, Found, fall_of, find_events, with_frames
from vision.field import Field
from vision.frames import Frame, Still
from vision.guard import Change, ViewGuard, view_notes
from vision.halves import SOON, joined
from vision.holes import with_seen_rims
from vision.late import fall_from_rest, fell_by_itself, with_late_fall
from vision.oddities import Stretch, prepared, with_oddities
from vision.places import has_moved, place_after, place_before, points
from vision.record import Sighting, observations, one_life, without_excursions
from vision.segment import Span, was_played
from vision.shot import Doubt, Places, Shot, Stroke
from vision.stages import Stages
from vision.touch import Between
from vision.tracks import TracksFile
from vision.unseen import Blind, Flaws, Pictures, Scene, blind_moments, covered_moments, judged, moved_unseen, skipped_moments, untimed
from vision.watch import Watch

if TYPE_CHECKING:
    from calibration.profile import Profile


class TableRun:
    """One pass over a table's pictures: fed with frames in order, it gathers `strokes` as they come to their end.

    Of a live source `strokes` may be emptied by who reads them; `interrupt` tells of a gap between the frames.
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
        self._begun = 0.0  # when the present watch began, s
        self._between = Between(self._table.spots)
        self._interrupted = False  # whether the view was lost before that
        self._cut = -np.inf  # when the last stroke was cut off, s
        self.stages = Stages()
        self.first_profile = profile
        self.frames = 0
        self.strokes: list[Stroke] = []
        self._last_t = 0.0
        self._flaws = Flaws()

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
        elif not self._watch.active and len(self._times) > 600:
            self._forget_times()

    @property
    def calm(self) -> bool:
        """Whether every ball rests, nothing has happened for a while and the view raises no suspicion."""
        return self._watch is not None and self._watch.calm and self._guard is not None and self._guard.calm

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
            before = len(self.strokes)
            self._close(span)
            for n in range(before, len(self.strokes)):
                self.strokes[n] = replace(self.strokes[n], review=(*self.strokes[n].review, Doubt(f"{reason} during the stroke")))
        self._watch, self._interrupted = None, True

    def preview(self) -> Stroke | None:
        """The stroke that is under way, as far as it can be told now."""
        start = self._watch.since if self._watch is not None else None
        return None if start is None else self._stroke(Span(start, self._last_t))

    def finish(self) -> None:
        """The video is over."""
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
        missing = [b for b in self._balls if self._watch.states.get(b) == "absent" and not len(self._watch.records[b])]
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

    def _close(self, span: Span, until: float | None = None) -> None:
        """A stretch of motion is over: find out what it was, and forget it. `until`: it was cut short, not by rest, at that time, s."""
        assert self._watch is not None
        self._tell(span, until)
        self._watch.pots = [p for p in self._watch.pots if p.t > span.end]
        self._watch.left = [n for n in self._watch.left if n.t > span.end]
        for record in self._watch.records.values():
            record.forget_before(span.end)
        self._forget_times()

    def _tell(self, span: Span, until: float | None) -> None:
        """Finds out what a stretch of motion was."""
        assert self._watch is not None
        if self._fell_late(span):
            return
        stroke = self._stroke(span, until)
        if stroke is None:
            self._between.look({b: _within(r.since(span.start), span.end) for b, r in self._watch.records.items()}, self._slack())
            self.strokes[-1:] = [self._between.of_the_last(s) for s in self.strokes[-1:]]
        else:
            doubts = (*self._between.stroke(stroke), *self._view_doubts(span, stroke.start_t, until))
            self._keep(replace(stroke, review=(*stroke.review, *doubts)), span, until)

    def _keep(self, stroke: Stroke, span: Span, until: float | None) -> None:
        """One stroke more, or the rest of one that was cut off a moment ago."""
        if self.strokes and span.start < self._begun and self._begun - self._cut < SOON:
            self.strokes[-1] = joined(self.strokes[-1], stroke)
        else:
            self.strokes.append(stroke)
        self._cut = -np.inf if until is None else until

    def _fell_late(self, span: Span) -> bool:
        """Whether all that happened in a stretch of motion was that a ball fell from the jaws, after the stroke; it belongs to that one."""
        assert self._watch is not None
        sightings = {ball: _within(record.since(span.start), span.end) for ball, record in self._watch.records.items()}
        pots = {p.ball: p.pocket for p in self._watch.pots if p.t <= span.end}
        late = fell_by_itself(self._watch.rims(self._profile.table), pots, sightings, self._real_step(span)) if pots else None
        if late is None:
            return False
        fall, touched = late
        if self.strokes:
            frame = self._first_frame + int(np.abs(np.array(self._times) - fall.t).argmin())
            self.strokes[-1] = with_late_fall(self.strokes[-1], fall, frame, touched=touched)
        return True

    def _view_doubts(self, span: Span, strike: float, until: float | None) -> list[Doubt]:
        """What the changes of the view mean for a stretch of motion with a strike at `strike` s."""
        doubts = []
        if until is not None:
            moved = self.changes[-1].kind in ("moved", "registered")
            doubts.append(Doubt("the camera moved during the stroke" if moved else "the view of the table was lost during the stroke"))
        # balls that roll already in the first pictures were struck before them: how, nobody saw
        if (self._interrupted and span.start < self._begun) or strike < self._begun + 2 * self._step():
            doubts.append(Doubt("the stroke was under way when the table came into view"))
        return doubts

    def _blind(
        self, span: Span, paths: dict[str, BallPath], sightings: dict[str, list[Sighting]], strike: float, step: float, until: float | None
    ) -> list[Blind]:
        """The moments of a stretch of motion in which not everything was seen."""
        pictures = self._pictures(span.start, span.end if until is None else until)
        shaken = [
            Blind(
                max(c.since, span.start), min(c.t, span.end), f"the picture shook by {c.shift_px:.1f} px at {c.t:.2f} s",
                slack=c.shift_px / self._scale(),
            ) for c in self.changes if c.kind == "shaken" and c.since is not None and c.since <= span.end and c.t >= span.start
        ]  # fmt: skip
        return [*blind_moments(pictures, step), *skipped_moments(paths, step), *covered_moments(sightings, strike), *shaken]

    def _pictures(self, start: float, end: float) -> Pictures:
        return self._flaws.pictures(np.array([t for t in self._times if start <= t <= end]))

    def _step(self) -> float:
        return float(np.median(self._steps)) if self._steps else 1 / 30

    def _real_step(self, span: Span) -> float:
        """Usual time between new pictures in a stretch: longer than between frames where pictures are shown twice."""
        assert self._watch is not None
        gaps: list[float] = []
        for record in self._watch.records.values():
            fresh = [s.t for s in record.since(span.start) if s.fresh and s.state == "moving"]
            gaps += [b - a for a, b in pairwise(fresh)]
        return max(self._step(), float(np.median(gaps))) if len(gaps) >= 5 else self._step()

    def _stroke(self, span: Span, until: float | None = None) -> Stroke | None:
        assert self._watch is not None
        watch = self._watch
        step = self._real_step(span)
        end = span.end if until is None else until
        pots = {p.ball: p for p in watch.pots if p.t <= end}
        left = tuple(n for n in watch.left if n.ball not in pots and n.t <= end)
        sightings: dict[str, list[Sighting]] = {}
        gone: dict[str, list[Sighting]] = {}
        paths: dict[str, BallPath] = {}
        wrong = untimed(self._pictures(span.start, end), step)
        for ball, record in watch.records.items():
            seen = [s for s in _within(record.since(span.start), end) if s.t not in wrong]
            if ball in pots:
                seen = [s for s in seen if s.t <= pots[ball].t + 0.5 * step]
            sightings[ball] = one_life(seen)
            gone[ball] = seen[max(len(sightings[ball]) - 1, 0) :]
        slack = self._slack()
        ready = prepared(sightings, self._profile.camera, self._table, step, slack)
        sightings = ready.sightings
        for ball, seen in sightings.items():
            data = without_excursions(observations(seen, step))
            if len(data) >= 2:
                paths[ball] = path_of(ball, data)
        if not paths:
            return None
        rims = watch.rims(self._profile.table)
        falls = [
            fall_from_rest(rims, b, p.pocket, sightings, step) or fall_of(rims, paths[b], p.pocket, span.start, step)
            for b, p in pots.items()
            if b in paths
        ]
        found = find_events(self._table, paths, falls, step, slack)
        if found.cue_ball is None or not was_played(paths, sightings, found.contact_speed, len(falls)):
            return None
        found = with_oddities(found, Stretch(self._table, sightings, paths, step, slack, ready.flights, left, ready.shoved))
        stroke = self._assembled(span, found, paths, sightings, falls, step, until)
        return replace(stroke, review=(*stroke.review, *moved_unseen(gone, stroke.end_t)))

    def _slack(self) -> float:
        """How far (mm) places may be off against cushions and other balls: the calibration, and a part of a pixel."""
        return max(2.0, 1.5 / self._scale())

    def _scale(self) -> float:
        """Pixels for a millimetre in the middle of the table."""
        camera, table = self._profile.camera, self._profile.table
        return float(camera.scale_at([[table.length / 2, table.width / 2]], table.radius)[0])

    def _place_sigma(self, places: Places) -> dict[str, float]:
        """Error bars of places, mm, by ball: the calibration's, and what is left when a moved camera was registered anew."""
        there = {ball: place for ball, place in places.items() if place is not None}
        left = max((c.residual_px for c in self.changes if c.profile is not None), default=0.0) / self._scale()
        sigma = np.hypot(place_sigma(self._profile, list(there.values())), left) if there else []
        return {ball: round(float(s), 2) for ball, s in zip(there, sigma, strict=True)}

    def _assembled(
        self, span: Span, found: Found, paths: dict[str, BallPath], sightings: dict[str, list[Sighting]], falls: list[Fall], step: float,
        until: float | None,
    ) -> Stroke:  # fmt: skip
        times = np.array(self._times)
        frames = np.arange(self._first_frame, self._first_frame + len(times))
        found = with_frames(found, frames, times)
        fallen = {f.ball for f in falls} | {e.ball for e in found.events if e.type == "off_table" and e.ball}
        before = {ball: place_before(paths.get(ball), found.strike_t) for ball in self._balls}
        after = {ball: None if ball in fallen else place_after(paths.get(ball)) for ball in self._balls}
        scene = Scene(self._table, paths, found.events, found.strike_t, step, self._slack())
        unseen, notes = judged(self._blind(span, paths, sightings, found.strike_t, step, until), scene)
        doubts = (*found.doubts, *unseen, *self._unfinished(paths, sightings, fallen, found, until))
        moved = {ball: points(path, step) for ball, path in paths.items() if has_moved(path)}
        start = max(found.strike_t, float(times[0]))
        end = max((e.video_t or 0.0 for e in found.events), default=span.end)
        return Stroke(
            start, max(end, start), int(frames[int(np.abs(times - start).argmin())]), int(frames[int(np.abs(times - end).argmin())]),
            found.cue_ball, before, Shot(found.events, after), doubts, moved, notes, self._place_sigma(before),
        )  # fmt: skip

    def _unfinished(
        self, paths: dict[str, BallPath], sightings: dict[str, list[Sighting]], fallen: set[str], found: Found, until: float | None
    ) -> list[Doubt]:
        """Balls that were not seen to come to rest."""
        doubts = []
        for ball, seen in sightings.items():
            hidden = [s for s in seen if not s.fresh and s.state == "hidden" and s.t > found.strike_t]
            if ball not in fallen and len(hidden) > 3 and hidden[-1] is seen[-1]:
                doubts.append(Doubt(f"{ball} was not seen at the end of the stroke"))
        moving = [b for b, p in paths.items() if b not in fallen and p.pieces and np.hypot(*p.pieces[-1].speed_at(p.pieces[-1].end)) > 40]
        if moving:
            end = "the video ends" if until is None else "the view changes"
            doubts.append(Doubt(f"{end} while {', '.join(sorted(moving))} still rolls"))
        return doubts


def _within(seen: list[Sighting], end: float) -> list[Sighting]:
    return [s for s in seen if s.t <= end]
