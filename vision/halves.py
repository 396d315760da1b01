"""Two halves of one stroke, between which the table was out of view, put together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from vision.shot import Doubt, Event, PathPoint, Shot, Stroke

SOON = 3.0  # s: nobody waits for rest, aims, strikes, and has balls running again in less


def joined(first: Stroke, second: Stroke) -> Stroke:
    """The stroke that was cut off and what of it was seen again: the second half's strike is where it came into view, none of the stroke.

    Nothing is known of what happened between them: that stays a doubt of the whole, and what may have been instead is open.
    """
    later = [(n, e) for n, e in enumerate(second.shot.events) if e.type != "strike"]
    place = {n: len(first.shot.events) + k for k, (n, _) in enumerate(later)}
    events = (*first.shot.events, *(_since(e, first.start_t) for _, e in later))
    fallen = {e.ball for e in first.shot.events if e.type in ("pocket", "off_table")}
    after = {ball: None if ball in fallen else seen for ball, seen in second.shot.positions.items()}
    return replace(
        first, end_t=second.end_t, end_frame=second.end_frame, shot=Shot(events, after), paths=_paths(first.paths, second.paths),
        review=(*first.review, *(_moved(d, place) for d in second.review)), notes=(*first.notes, *(_moved(d, place) for d in second.notes)),
    )  # fmt: skip


def _since(event: Event, start: float) -> Event:
    return event if event.video_t is None else replace(event, t=round(event.video_t - start, 5))


def _moved(doubt: Doubt, place: Mapping[int, int]) -> Doubt:
    return Doubt(doubt.reason, None if doubt.event is None else place.get(doubt.event))


def _paths(a: Mapping[str, tuple[PathPoint, ...]], b: Mapping[str, tuple[PathPoint, ...]]) -> dict[str, tuple[PathPoint, ...]]:
    return {ball: (*a.get(ball, ()), *b.get(ball, ())) for ball in {**a, **b}}
