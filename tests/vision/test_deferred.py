"""Strokes that are worked out later are those that are worked out on the spot, whatever was seen in between."""

from contextlib import nullcontext
from fractions import Fraction

import pytest

from tests.vision.strokes import HAND, STRIKE, film
from tests.vision.tables import BALLS
from vision import deferred
from vision.deferred import DeferredRun
from vision.frames import frame_of_bgr
from vision.run import TableRun
from vision.telling import Told
from vision.tracks import TracksFile
from vision.watch import Pot
from vision.workshop import Workshop

FPS = 30
MIDDLE = STRIKE + 0.5  # s, balls roll


@pytest.fixture(scope="module")
def scene():
    return film()


@pytest.fixture(scope="module")
def frames(scene):
    return [frame_of_bgr(p, n, Fraction(n, FPS)) for n, p in enumerate(scene.pictures(FPS, 0.0, HAND[0] + 1.0))]


def _runs(scene, workshop=None):
    arguments = scene.profile, tuple(BALLS), TracksFile(None), None
    return TableRun(*arguments), DeferredRun(*arguments, workshop=workshop)


def _done(run):
    return [told.stroke for job in run.jobs if (told := job()) is not None]


@pytest.mark.parametrize("elsewhere", [False, True])
def test_a_stroke_told_later_is_the_same(scene, frames, elsewhere):
    with Workshop() if elsewhere else nullcontext() as workshop:
        _compare(frames, *_runs(scene, workshop))


def _compare(frames, at_once, later):
    looks = []
    for frame in frames:
        for run in (at_once, later):
            run.take(frame)
        if frame.index == round(MIDDLE * FPS):
            looks = [at_once.preview(), later.preview_job()]
    assert later.strokes == [] and len(at_once.strokes) == 1
    assert _done(later) == at_once.strokes
    now, then = looks
    assert now is not None and then() == Told(now)


def _played(frames, runs, foretold=lambda frame, told: None):
    """When the stroke was told; `foretold` is told of what was found out while it was waited whether the balls stay at rest."""
    later = runs[-1]
    for frame in frames:
        for run in runs:
            run.take(frame)
        if job := later.early_job():
            foretold(frame, job())
        if frame.seconds > STRIKE and later.jobs:
            return frame.seconds
        while later.jobs:
            later.jobs.pop(0)()
    raise AssertionError("no stroke")


def test_a_stroke_is_told_while_it_is_waited_whether_the_balls_stay_at_rest(scene, frames, monkeypatch):
    runs = at_once, later = _runs(scene)
    ends, early, tell = [], [], deferred._told

    def counted(teller, seen):
        ends.append(seen.span.end)
        return tell(teller, seen)

    monkeypatch.setattr(deferred, "_told", counted)
    over = _played(frames, runs, lambda frame, told: early.append((frame.seconds, told)))
    assert _done(later) == at_once.strokes == [told.stroke for _, told in early if told is not None]
    t = early[-1][0]
    assert ends.count(t) == 1 and ends[-1] == t < over - 0.1, "not told again"


def test_what_happens_while_it_is_waited_is_not_passed_over(scene, frames):
    runs = at_once, later = _runs(scene)

    def falls(frame, _):
        if frame.seconds > STRIKE:
            for run in runs:
                run._watch.pots.append(Pot("red", "foot-left", frame.seconds))

    _played(frames, runs, falls)
    [stroke] = _done(later)
    assert stroke == at_once.strokes[0] and [e.ball for e in stroke.shot.events if e.type == "pocket"] == ["yellow", "red"]


def test_a_gap_in_the_frames_is_told_later_too(scene, frames):
    at_once, later = _runs(scene)
    for run in (at_once, later):
        for frame in frames:
            if frame.seconds > MIDDLE:
                break
            run.take(frame)
        run.interrupt("the source was lost")
        for frame in frames[-20:]:
            run.take(frame)
    assert _done(later) == at_once.strokes
    assert "the source was lost during the stroke" in [doubt.reason for doubt in at_once.strokes[0].review]


def test_a_stroke_of_which_no_picture_came_is_told_by_where_the_balls_lie(scene):
    _, run = _runs(scene)
    spans = (-0.7, STRIKE - 0.1), (HAND[2] + 0.2, HAND[2] + 2.8)
    told = []
    for start, end in spans:
        for n, picture in enumerate(scene.pictures(FPS, start, end)):
            run.take(frame_of_bgr(picture, n, Fraction(round(start * FPS) + n + FPS, FPS)))
            while run.jobs:
                told.append(run.jobs.pop(0)())
    [unseen] = [t for t in told if t is not None]
    assert unseen.unseen and unseen.stroke.shot.events == ()
    assert unseen.stroke.review[0].reason.endswith("white, yellow came to lie elsewhere: what was played was not seen")
