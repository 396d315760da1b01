"""From what was seen of a stretch of motion to the stroke that it was."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from calibration.accuracy import place_sigma
from vision.breaks import Path as BallPath
from vision.breaks import path_of
from vision.clock import steadied
from vision.events import Fall, Found, fall_of, find_events, with_frames
from vision.halves import SOON, joined
from vision.late import fall_from_rest, fell_by_itself, with_late_fall
from vision.oddities import Stretch, prepared, with_oddities
from vision.pace import pace_doubt
from vision.places import has_moved, place_after, place_before, points
from vision.record import Sighting, observations, one_life, without_excursions
from vision.segment import was_played
from vision.shot import Doubt, Places, Shot, Stroke
from vision.skips import gone, unseen_strike
from vision.testimony import Testimony
from vision.touch import Between
from vision.unseen import Blind, Scene, blind_moments, covered_moments, judged, moved_unseen, skipped_moments, untimed

_FOUND = 0.1  # s after the strike within which every ball must have been found


@dataclass(frozen=True, slots=True)
class Told:
    """A stroke; `again`: it is the last one that was told, with what was seen of it since; `unseen`: only its outcome was seen."""

    stroke: Stroke
    again: bool = False
    unseen: bool = False


@dataclass(frozen=True)
class Teller:
    """Tells one stretch of motion after the other; what it must know of the earlier ones goes over from one teller to the next.

    `last`: the last stroke told; `cut`: when it was cut off, s; `said`: balls that vanished, and when, of which something was said.
    """

    between: Between
    last: Stroke | None = None
    cut: float = -np.inf
    said: frozenset[tuple[str, float]] = frozenset()

    def tell(self, seen: Testimony) -> tuple[Teller, Told | None]:
        """What a stretch of motion was, and who tells the next one. None: nothing that is to be told."""
        between = copy.deepcopy(self.between)
        seen, clock = steadied(seen)
        late = _fell_late(seen)
        if late is not None:
            stroke = None
            if self.last is not None:
                fall, touched = late
                stroke = with_late_fall(self.last, fall, seen.frame_at(fall.t), touched=touched)
            return self._told(between, stroke, again=True)
        stroke = stroke_of(seen)
        if stroke is None:
            between.look(seen.sightings(seen.span.end), seen.slack)
            after = between.of_the_last(self.last) if self.last is not None else None
            return self._told(between, None if after == self.last else after, again=True)
        lost = frozenset(seen.vanished) - self.said
        doubts = (*between.stroke(stroke), *_view_doubts(seen, stroke.start_t), *gone(lost))
        if seen.reason:
            doubts = (*doubts, Doubt(f"{seen.reason} during the stroke"))
        stroke = replace(stroke, review=(*stroke.review, *doubts), notes=(*stroke.notes, *clock))
        # one stroke more, or the rest of one that was cut off a moment ago
        again = self.last is not None and seen.span.start < seen.begun and seen.begun - self.cut < SOON
        if again and self.last is not None:
            stroke = joined(self.last, stroke)
        teller, told = self._told(between, stroke, again)
        return replace(teller, cut=-np.inf if seen.until is None else seen.until, said=self.said | lost), told

    def _told(self, between: Between, stroke: Stroke | None, again: bool) -> tuple[Teller, Told | None]:
        if stroke is None:
            return replace(self, between=between), None
        return replace(self, between=between, last=stroke), Told(stroke, again)


def _fell_late(seen: Testimony) -> tuple[Fall, bool] | None:
    """Whether all that happened was that a ball fell from the jaws, after the stroke; it belongs to that one."""
    pots = {p.ball: p.pocket for p in seen.pots if p.t <= seen.span.end}
    return fell_by_itself(seen.rims, pots, seen.sightings(seen.span.end), seen.real_step) if pots else None


def preview_of(seen: Testimony) -> Stroke | None:
    """The stroke that is under way, as far as it can be told now."""
    return stroke_of(steadied(seen)[0])


def _view_doubts(seen: Testimony, strike: float) -> list[Doubt]:
    """What the changes of the view mean for a stretch of motion with a strike at `strike` s."""
    doubts = []
    if seen.until is not None:
        moved = seen.changes[-1].kind in ("moved", "registered")
        doubts.append(Doubt("the camera moved during the stroke" if moved else "the view of the table was lost during the stroke"))
    # balls that roll already in the first pictures were struck before them: how, nobody saw
    if (seen.interrupted and seen.span.start < seen.begun) or strike < seen.begun + 2 * seen.step:
        doubts.append(Doubt("the stroke was under way when the table came into view"))
    else:
        shown = seen.pictures.t[seen.pictures.t <= seen.span.end]
        doubts += unseen_strike(seen.sightings(seen.span.end), shown.tolist(), strike, seen.real_step)
    return doubts


def stroke_of(seen: Testimony) -> Stroke | None:
    """The stroke that a stretch of motion was; None if it was none."""
    step, slack, end = seen.real_step, seen.slack, seen.end
    pots = {p.ball: p for p in seen.pots if p.t <= end}
    left = tuple(n for n in seen.left if n.ball not in pots and n.t <= end)
    sightings: dict[str, list[Sighting]] = {}
    gone: dict[str, list[Sighting]] = {}
    paths: dict[str, BallPath] = {}
    wrong = untimed(seen.pictures_of(seen.span.start, end), step)
    for ball, all_seen in seen.sightings(end).items():
        timed = [s for s in all_seen if s.t not in wrong]
        if ball in pots:
            timed = [s for s in timed if s.t <= pots[ball].t + 0.5 * step]
        sightings[ball] = one_life(timed)
        gone[ball] = timed[max(len(sightings[ball]) - 1, 0) :]
    ready = prepared(sightings, seen.profile.camera, seen.table, step, slack)
    sightings = ready.sightings
    for ball, its in sightings.items():
        data = without_excursions(observations(its, step))
        if len(data) >= 2:
            paths[ball] = path_of(ball, data)
    if not paths:
        return None
    falls = [
        fall_from_rest(seen.rims, b, p.pocket, sightings, step) or fall_of(seen.rims, paths[b], p.pocket, seen.span.start, step)
        for b, p in pots.items()
        if b in paths
    ]
    found = find_events(seen.table, paths, falls, step, slack)
    least = step if seen.ended and seen.until is None else None  # a stroke that the video's end cuts off is one
    if found.cue_ball is None or not was_played(paths, sightings, found.contact_speed, len(falls), least):
        return None
    found = with_oddities(found, Stretch(seen.table, sightings, paths, step, slack, ready.flights, left, ready.shoved))
    stroke = _assembled(seen, found, paths, sightings, falls)
    return replace(stroke, review=(*stroke.review, *moved_unseen(gone, stroke.end_t)))


def _assembled(
    seen: Testimony, found: Found, paths: dict[str, BallPath], sightings: dict[str, list[Sighting]], falls: list[Fall]
) -> Stroke:
    times, step = seen.pictures.t, seen.real_step
    found = with_frames(found, np.arange(seen.first_frame, seen.first_frame + len(times)), times)
    fallen = {f.ball for f in falls} | {e.ball for e in found.events if e.type == "off_table" and e.ball}
    before = {ball: place_before(paths.get(ball), found.strike_t) for ball in seen.balls}
    after = {ball: None if ball in fallen else place_after(paths.get(ball)) for ball in seen.balls}
    scene = Scene(seen.table, paths, found.events, found.strike_t, step, seen.slack)
    unseen, notes = judged(_blind(seen, paths, sightings, found.strike_t), scene)
    slow, slow_notes = pace_doubt(paths, found.events)
    doubts = (
        *found.doubts,
        *unseen,
        *slow,
        *_unwatched(seen, sightings, found.strike_t),
        *_unfinished(seen, paths, sightings, fallen, found),
    )
    moved = {ball: points(path, step) for ball, path in paths.items() if has_moved(path)}
    start = max(found.strike_t, float(times[0]))
    end = max((e.video_t or 0.0 for e in found.events), default=seen.span.end)
    return Stroke(
        start, max(end, start), seen.frame_at(start), seen.frame_at(end), found.cue_ball, before, Shot(found.events, after), doubts, moved,
        (*notes, *slow_notes), _place_sigma(seen, before),
    )  # fmt: skip


def _blind(seen: Testimony, paths: dict[str, BallPath], sightings: dict[str, list[Sighting]], strike: float) -> list[Blind]:
    """The moments of a stretch of motion in which not everything was seen."""
    span, step = seen.span, seen.real_step
    shaken = [
        Blind(
            max(c.since, span.start), min(c.t, span.end), f"the picture shook by {c.shift_px:.1f} px at {c.t:.2f} s",
            slack=c.shift_px / seen.scale,
        ) for c in seen.changes if c.kind == "shaken" and c.since is not None and c.since <= span.end and c.t >= span.start
    ]  # fmt: skip
    pictures = seen.pictures_of(span.start, seen.end)
    return [*blind_moments(pictures, step), *skipped_moments(paths, step), *covered_moments(sightings, strike), *shaken]


def _unwatched(seen: Testimony, sightings: Mapping[str, Sequence[Sighting]], strike: float) -> list[Doubt]:
    """Balls that lay nowhere when the stroke began, or were lost on their way: what they did and what met them is not known."""
    reasons = []
    for ball in sorted(seen.balls):
        its = sightings.get(ball, ())
        fresh = [s for s in its if s.fresh]
        if ball in seen.missing and not its:
            reasons.append(f"{ball} was not found on the table")
        elif ball in seen.missing and fresh and fresh[-1].state == "moving":
            reasons.append(f"{ball} was lost on its way at {fresh[-1].t:.2f} s")
        elif its and its[0].t > strike + _FOUND + 2 * seen.real_step:
            reasons.append(f"{ball} was not found before {its[0].t:.2f} s")
    return [Doubt(reason) for reason in reasons]


def _unfinished(
    seen: Testimony, paths: dict[str, BallPath], sightings: dict[str, list[Sighting]], fallen: set[str], found: Found
) -> list[Doubt]:
    """Balls that were not seen to come to rest."""
    doubts = []
    for ball, its in sightings.items():
        hidden = [s for s in its if not s.fresh and s.state == "hidden" and s.t > found.strike_t]
        if ball not in fallen and len(hidden) > 3 and hidden[-1] is its[-1]:
            doubts.append(Doubt(f"{ball} was not seen at the end of the stroke"))
    moving = [b for b, p in paths.items() if b not in fallen and p.pieces and np.hypot(*p.pieces[-1].speed_at(p.pieces[-1].end)) > 40]
    if moving:
        end = "the video ends" if seen.until is None else "the view changes"
        doubts.append(Doubt(f"{end} while {', '.join(sorted(moving))} still rolls"))
    return doubts


def _place_sigma(seen: Testimony, places: Places) -> dict[str, float]:
    """Error bars of places, mm, by ball: the calibration's, and what is left when a moved camera was registered anew."""
    there = {ball: place for ball, place in places.items() if place is not None}
    left = max((c.residual_px for c in seen.changes if c.profile is not None), default=0.0) / seen.scale
    sigma = np.hypot(place_sigma(seen.profile, list(there.values())), left) if there else []
    return {ball: round(float(s), 2) for ball, s in zip(there, sigma, strict=True)}
