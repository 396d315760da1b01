"""A stroke in the middle of which the table was out of view is one stroke, in doubt."""

from __future__ import annotations

from vision.halves import joined
from vision.shot import Doubt, Event, PathPoint, Shot, Stroke, Way

LIES = {"white": (500.0, 600.0), "yellow": (2000.0, 600.0), "red": (900.0, 900.0)}


def event(t: float, kind: str, start: float, **fields) -> Event:
    return Event(t, kind, video_t=start + t, **fields)


def test_the_second_half_goes_on_where_the_first_was_cut() -> None:
    first = Stroke(
        10.0, 11.0, 600, 660, "white", LIES,
        Shot((event(0.0, "strike", 10.0, ball="white"), event(0.9, "pocket", 10.0, ball="red", pocket="foot-left")), LIES | {"red": None}),
        (Doubt("the view of the table was lost during the stroke"),), {"white": (PathPoint(10.0, 500.0, 600.0),)},
    )  # fmt: skip
    seen = (
        event(0.0, "strike", 11.8, ball="yellow"),
        event(0.2, "cushion", 11.8, ball="yellow", cushion="foot"),
        event(2.0, "stop", 11.8, ball="yellow"),
    )
    rest = Shot(seen, {"white": (1500.0, 600.0), "yellow": (3000.0, 600.0), "red": (905.0, 900.0)})
    doubts = (Doubt("a damaged frame", 1, (Way("no cushion", drop=(1,)),)), Doubt("strike?", 0))
    second = Stroke(11.8, 14.0, 708, 840, "yellow", LIES, rest, doubts, {"white": (PathPoint(12.0, 1400.0, 600.0),)})
    whole = joined(first, second)
    assert [(e.type, e.t) for e in whole.shot.events] == [("strike", 0.0), ("pocket", 0.9), ("cushion", 2.0), ("stop", 3.8)]
    assert (
        whole.cue_ball == "white" and whole.positions_before == LIES and (whole.start_t, whole.end_t, whole.end_frame) == (10.0, 14.0, 840)
    )
    assert whole.shot.positions == {"white": (1500.0, 600.0), "yellow": (3000.0, 600.0), "red": None}
    assert whole.review == (first.review[0], Doubt("a damaged frame", 2), Doubt("strike?"))
    assert len(whole.paths["white"]) == 2
