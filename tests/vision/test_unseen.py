"""Moments that the pictures do not show: which are told, and which of them may hide an event."""

from __future__ import annotations

import re
from fractions import Fraction

import numpy as np
import pytest

from calibration.table import table
from tests.vision.motion import play, seen
from vision.breaks import path_of
from vision.events import find_events, with_frames
from vision.frames import Frame
from vision.pieces import Observations
from vision.record import Sighting, one_life
from vision.unseen import Blind, Flaws, Pictures, Scene, blind_moments, covered_moments, judged, moved_unseen, skipped_moments, untimed

STEP = 1 / 60
TABLE = table()


def pictures(t: np.ndarray, **flawed: list[int]) -> Pictures:
    flags = {name: np.isin(np.arange(len(t)), flawed.get(name, [])) for name in ("damaged", "again", "unstamped")}
    return Pictures(t, **flags)


def even(count: int = 120) -> np.ndarray:
    return np.arange(count) * STEP


def reasons(p: Pictures) -> list[str]:
    return [moment.reason for moment in blind_moments(p, STEP)]


def test_pictures_in_time_are_no_matter() -> None:
    assert reasons(pictures(even())) == [] == reasons(pictures(np.zeros(0)))


@pytest.mark.parametrize("jitter", [0.1, 0.25])
def test_a_phones_uneven_rate_is_no_gap(jitter: float) -> None:
    rng = np.random.default_rng(1)
    assert reasons(pictures(even() + rng.uniform(-jitter, jitter, 120) * STEP / 2)) == []
    slow = np.cumsum(np.where(np.arange(120) % 3 == 0, 1.5, 1.0)) * STEP  # every third picture takes half a step longer
    assert reasons(pictures(slow)) == []


def test_missing_pictures_are_a_gap() -> None:
    (moment,) = blind_moments(pictures(np.delete(even(), [50, 51])), STEP)
    assert moment.reason == "no picture for 0.05 s at 0.82 s"
    assert (moment.start, moment.end) == pytest.approx((49 * STEP, 52 * STEP))


def test_a_picture_shown_twice_is_a_gap_unless_all_are() -> None:
    assert reasons(pictures(even(), again=[50])) == ["a picture shown twice at 0.82 s"]
    assert reasons(pictures(even(), again=list(range(1, 120, 2)))) == []


def test_damage_is_told_once_a_stretch_and_to_the_end() -> None:
    assert reasons(pictures(even(), damaged=[50])) == ["a damaged frame at 0.83 s"]
    assert reasons(pictures(even(), damaged=[50, 51, 52, 90])) == ["3 damaged frames from 0.83 s to 0.87 s", "a damaged frame at 1.50 s"]
    (moment,) = blind_moments(pictures(even(), damaged=list(range(100, 120))), STEP)
    assert moment.end == pytest.approx(119 * STEP)
    (whole,) = blind_moments(pictures(even(), damaged=list(range(120))), STEP)
    assert (whole.start, whole.end) == pytest.approx((0.0, 119 * STEP))


def test_a_late_picture_is_told_and_a_missing_stamp() -> None:
    t = even()
    t[50] += 0.6 * STEP
    assert reasons(pictures(t)) == ["the time of the picture at 0.84 s is 10 ms late"]
    assert untimed(pictures(t), STEP) == {t[50]}
    without = pictures(even(), unstamped=[50, 51])
    assert reasons(without) == ["2 frames from 0.83 s on bear no time of their own"]
    assert untimed(without, STEP) == {without.t[50], without.t[51]}
    assert untimed(pictures(even()), STEP) == frozenset()


def test_flaws_are_remembered_until_they_are_forgotten() -> None:
    flaws = Flaws()
    plane = np.zeros((2, 2), np.uint8)
    for n in range(4):
        flaws.note(Frame(n, Fraction(n, 60), n == 1, plane, plane, plane, stamped=n != 3), again=n == 2)
    t = np.array([float(Fraction(n, 60)) for n in range(4)])
    p = flaws.pictures(t)
    assert (p.damaged.tolist(), p.again.tolist(), p.unstamped.tolist()) == ([0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1])
    flaws.forget_before(1.5 / 60)
    assert not flaws.pictures(t).damaged.any() and flaws.pictures(t).again.any()


def test_a_ball_that_is_covered_for_a_while() -> None:
    def sighting(n: int, state: str, fresh: bool) -> Sighting:
        return Sighting(n, n * STEP, 100.0 + n, 200.0, 0.5, state, fresh, 0.0, 1.0)

    hidden = range(20, 32)
    record = [sighting(n, "hidden" if n in hidden else "moving", n not in hidden) for n in range(60)]
    (moment,) = covered_moments({"red": record}, 0.0)
    assert (moment.ball, moment.reason) == ("red", "red was hidden for 0.22 s")
    assert covered_moments({"red": record}, 0.6) == []  # before the strike it is the player's arm


@pytest.mark.parametrize("lost", [1, 3])
@pytest.mark.parametrize("at", ["on the way", "at a cushion"])
def test_pictures_that_are_missing_though_the_stamps_hide_it(at: str, lost: int) -> None:
    truth = play({"white": (800.0, 500.0), "red": (3300.0, 1500.0)}, "white", (2500.0, 900.0))
    bounce = next(t for t, what, _ in truth.events if what == "cushion")
    cut = int((0.35 + (bounce if at == "at a cushion" else bounce / 2)) / STEP) - lost // 2

    def skipped(k: int) -> int:
        return k if k < cut else k + lost

    count = int((0.35 + float(truth.clock[-1])) / STEP) - lost
    t = -0.35 + np.arange(count) * STEP
    real = np.array([-0.35 + skipped(k) * STEP for k in range(count)])
    xy = np.column_stack([np.interp(real, truth.clock, truth.tracks["white"][:, k]) for k in (0, 1)])
    xy += np.random.default_rng(3).normal(0, 0.4, xy.shape)
    path = path_of("white", Observations(t, xy, np.full(count, 0.4), np.arange(count)))
    (moment,) = skipped_moments({"white": path}, STEP)
    assert re.fullmatch(rf"the pictures skip 0\.0{round(100 * lost * STEP)} s at .*, which their times hide", moment.reason)
    assert moment.start - STEP < t[cut - 1] < moment.end + STEP


def test_no_pictures_are_missed_where_none_are_missing() -> None:
    assert skipped_moments(scene()[0].paths, STEP) == []


# what may have happened ---------------------------------------------------------------------------------------


def scene() -> tuple[Scene, float]:
    """White runs into yellow at 0.5 s or so, and both run on; red lies far off. And the time of the contact."""
    places = {"white": (800.0, 900.0), "yellow": (1600.0, 930.0), "red": (3000.0, 300.0)}
    truth = play(places, "white", (1600.0, 0.0))
    paths = seen(truth, 60, 0.4)
    found = find_events(TABLE, paths, [], STEP, 2.0)
    t = np.arange(-0.4, 9.0, STEP)
    found = with_frames(found, np.arange(len(t)), t)
    contact = next(e.video_t for e in found.events if e.type == "contact")
    assert contact is not None
    return Scene(TABLE, paths, found.events, found.strike_t, STEP, 2.0), contact


def moment(t: float, ball: str | None = None) -> list[Blind]:
    return [Blind(t - STEP, t + STEP, "a damaged frame", ball)]


def test_at_an_event_it_may_not_have_happened() -> None:
    what, contact = scene()
    (doubt,), notes = judged(moment(contact), what)
    assert notes == () and doubt.event is not None and what.events[doubt.event].balls == ("white", "yellow")
    assert [(w.label, w.drop) for w in doubt.ways] == [("did not happen: contact white-yellow", (doubt.event,))]


def test_where_a_ball_runs_near_nothing_it_is_only_noted() -> None:
    what, contact = scene()
    doubts, (note,) = judged(moment(contact - 0.2), what)
    assert doubts == () and note.reason == "a damaged frame" and note.ways == ()


def test_while_all_rest_it_is_nothing() -> None:
    what, _ = scene()
    assert judged(moment(what.strike - 0.2), what) == ((), ())


def test_of_a_covered_ball_that_rests_nothing_is_asked() -> None:
    what, contact = scene()
    assert judged(moment(contact, "red"), what) == ((), ())
    (doubt,), _ = judged(moment(contact, "yellow"), what)
    assert doubt.ways


def test_a_near_miss_in_a_blind_moment_may_have_been_a_touch() -> None:
    # white passes red at 3 mm
    places = {"white": (800.0, 900.0), "red": (1600.0, 971.0), "yellow": (3000.0, 300.0)}
    truth = play(places, "white", (1600.0, 0.0))
    paths = seen(truth, 60, 0.2)
    passing = float(np.interp(1600.0, truth.tracks["white"][:200, 0], truth.clock[:200]))
    what = Scene(TABLE, paths, (), 0.0, STEP, 2.0)
    (doubt,), _ = judged(moment(passing), what)
    (way,) = doubt.ways
    assert way.label == "also contact red-white" and way.add[0].balls == ("red", "white") and abs(way.add[0].t - passing) < 0.02


def test_the_struck_ball_may_be_another_if_both_start_unseen() -> None:
    what, contact = scene()
    long = [Blind(what.strike - STEP, contact + STEP, "no picture for a while")]
    (doubt,), _ = judged(long, what)
    assert "yellow was struck" in [w.label for w in doubt.ways]


def test_a_ball_that_lies_elsewhere_after_it_was_hidden_is_for_a_person() -> None:
    def lying(first: int, last: int, x: float) -> list[Sighting]:
        return [Sighting(n, n * STEP, x, 200.0, 0.5, "rest", True, 0.0, 1.0) for n in range(first, last)]

    sightings = [*lying(0, 60, 100.0), *lying(150, 200, 400.0)]
    assert one_life(sightings) == sightings[:60]
    (doubt,) = moved_unseen({"black": sightings[59:], "red": sightings[59:60], "white": []}, end=3.0)
    assert (doubt.reason, doubt.ways) == ("black was out of view from 0.98 s on and came to lie elsewhere", ())
    assert moved_unseen({"black": sightings[59:]}, end=0.9) == []  # after the stroke balls are placed
    assert one_life(near := [*lying(0, 60, 100.0), *lying(150, 200, 103.0)]) == near
