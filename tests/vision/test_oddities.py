"""Golden strokes of what is seldom: each is named by the point of law that it proves, and has neighbours that must stay clean."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calibration.table import Table, custom_table, table
from sample_videos.path import fall_into
from tests.vision.motion import LEAD, Truth, play
from tests.vision.sightings import Staged, jumped, on_the_cloth, sighted
from tests.vision.tables import profile
from vision.breaks import path_of
from vision.events import Fall, Found, fall_of, find_events
from vision.flight import Flight, passed_over
from vision.late import fall_from_rest, fell_by_itself, limit_doubts, with_late_fall, with_stops_in_jaws
from vision.oddities import Stretch, prepared, with_oddities
from vision.record import Sighting, observations, without_excursions
from vision.shot import Doubt, Event, Shot, Stroke, Way
from vision.touch import Between, shoved_before
from vision.walls import Walls

BARE = custom_table(3550, 1775, pockets=False)
KIND = table("pyramid-12ft")
CAMERA = profile(BARE, 1280, 720).camera
FPS = 60
FAR = {"yellow": (3300.0, 200.0), "black": (200.0, 1600.0)}


def understood(kind: Table, seen: Mapping[str, list[Sighting]], pots: Mapping[str, str] | None = None) -> Found:
    """The events of a stretch of sightings, as `vision.run` finds them."""
    step = 1 / FPS
    seen = {b: _until_it_sank(rows, kind) if b in (pots or {}) else rows for b, rows in seen.items()}
    ready = prepared(seen, CAMERA, kind, step, 2.0)
    grounded = ready.sightings
    paths = {b: path_of(b, without_excursions(observations(s, step))) for b, s in grounded.items()}
    falls: list[Fall] = []
    for ball, pocket in (pots or {}).items():
        falls.append(fall_from_rest(kind, ball, pocket, seen, step) or fall_of(kind, paths[ball], pocket, -LEAD, step))
    return with_oddities(
        find_events(kind, paths, falls, step, 2.0), Stretch(kind, grounded, paths, step, 2.0, ready.flights, (), ready.shoved)
    )


def _until_it_sank(rows: list[Sighting], kind: Table) -> list[Sighting]:
    """What `vision.watch` leaves of a ball that fell: until it is well inside the hole."""
    for k, s in enumerate(rows):
        if any(np.hypot(s.x - p.centre[0], s.y - p.centre[1]) < p.radius - 0.3 * kind.radius for p in kind.pockets):
            return rows[: k + 1]
    return rows


def told(found: Found) -> list[tuple]:
    return [
        (e.type, e.ball or e.balls, e.over or e.over_jaw or e.cushion or e.pocket)
        for e in found.events
        if e.type not in ("midline", "stop")
    ]


def ways(found: Found) -> list[str]:
    return [e.type for d in found.doubts for w in d.ways for e in w.add]


# jumps ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("gap", "aside", "up", "speed", "white"),
    [
        (200, 0, 1300, 1600, (500.0, 500.0)),
        (260, 25, 1150, 2000, (1500.0, 900.0)),
        (220, -30, 1500, 2000, (400.0, 1000.0)),
        (260, 25, 1150, 2000, (2000.0, 1300.0)),
    ],
)
def test_a_jump_over_a_ball_is_told_with_the_ball(gap, aside, up, speed, white):
    heading = 0.15
    way = np.array([np.cos(heading), np.sin(heading)])
    red = np.array(white) + gap * way + aside * np.array([-way[1], way[0]])
    places = {"white": white, "red": (float(red[0]), float(red[1])), **FAR}
    found = understood(BARE, sighted(jumped(BARE, places, speed, heading, up, longest=1.2), BARE, camera=CAMERA, seed=3))
    assert told(found)[:2] == [("strike", "white", None), ("jump", "white", "red")]
    assert not [e for e in found.events if e.type == "contact"]
    jump = next(e for e in found.events if e.type == "jump")
    assert jump.t == pytest.approx(gap / speed, abs=0.02)
    assert found.doubts == ()


@pytest.mark.parametrize("up", [700, 1200])
def test_a_jump_over_nothing_is_no_event(up):
    places = {"white": (900.0, 700.0), "red": (1500.0, 1500.0), **FAR}
    found = understood(BARE, sighted(jumped(BARE, places, 1700.0, 0.1, up, longest=1.2), BARE, camera=CAMERA, seed=1))
    assert told(found) == [("strike", "white", None)]


def test_a_ball_that_flies_low_over_the_edge_of_another_is_put_to_a_person():
    """Within the error of the place it passed over the ball or beside it."""
    places = {"white": (1200.0, 700.0), "red": (1440.0, 700.0 + 67.0), **FAR}
    found = understood(BARE, sighted(jumped(BARE, places, 1700.0, 0.0, 1300, longest=1.2), BARE, camera=CAMERA, seed=2, fill_noise=0.015))
    assert [d for d in found.doubts if "jump" in d.reason]
    jumps = [e for e in found.events if e.type == "jump"]
    assert jumps or "jump" in ways(found)


@settings(max_examples=4, deadline=None)
@given(st.integers(0, 10**6), st.floats(0, 6.28), st.floats(700, 4000), st.floats(-120, 120))
def test_a_stroke_on_the_cloth_has_no_oddity(seed, heading, speed, miss):
    """Full, thin or past the ball: nothing flies, is pushed, touched, or struck twice."""
    way = np.array([np.cos(heading), np.sin(heading)])
    start = np.array([1775.0, 880.0]) - 500 * way + miss * np.array([-way[1], way[0]])
    places = {"white": (float(start[0]), float(start[1])), "red": (1775.0, 880.0), **FAR}
    truth = play(places, "white", tuple(speed * way), kind=BARE, longest=1.5)
    found = understood(BARE, sighted(on_the_cloth(truth, BARE), BARE, camera=CAMERA, seed=seed, noise=0.6))
    assert {"jump", "touch", "double_hit", "push"}.isdisjoint({e.type for e in found.events} | set(ways(found)))


def test_a_jump_over_a_jaw_names_its_pocket():
    """From the long cushion's side over the jaw of the corner, as into the pocket behind it."""
    jaw = next(j for j in KIND.pocket("foot-left").jaws if j.cushion == "left")
    start = np.array([jaw.tip[0] - 160.0, KIND.width - 60.0])
    way = (np.array(KIND.pocket("foot-left").centre) - start) / np.hypot(*(np.array(KIND.pocket("foot-left").centre) - start))
    flight = Flight("white", 0.0, 0.22, 0.002, start, 1100.0 * way, 50.0)
    [(event, sure)] = passed_over(flight, Walls(KIND), {}, KIND.radius)
    assert (event.type, event.ball, event.over, event.over_jaw) == ("jump", "white", None, "foot-left")
    assert sure > 0.5


# jaws -----------------------------------------------------------------------------------------------------------

HOLE = KIND.pocket("middle-left")
EDGE = (HOLE.centre[0] + 3.0, HOLE.centre[1] - HOLE.radius - 4.0)  # where a ball just does not fall


def hanging(falls_after: float) -> tuple[Staged, float]:
    """White comes straight into a middle pocket's jaws, stops there and falls; and when it stopped, s from the strike."""
    run, slowing = 700.0, 110.0
    stop = float(np.sqrt(2 * run / slowing))
    fall = fall_into(HOLE, EDGE, (0.0, 0.0), stop + falls_after, KIND.radius)

    def white(t: float) -> np.ndarray:
        if t >= fall.t[0]:
            return np.array([np.interp(t, fall.t, fall.places[:, k]) for k in range(3)])
        left = stop - min(max(t, 0.0), stop)
        return np.array([EDGE[0], EDGE[1] - slowing * left * left / 2, KIND.radius])

    still = {b: (lambda t, p=p: np.array([*p, KIND.radius])) for b, p in FAR.items()}
    return Staged({"white": white, **still}, stop + falls_after + 0.15, Truth(np.array([0.0]), {}, (), "white")), stop


@pytest.mark.parametrize("after", [0.8, 2.6, 3.4])
def test_a_ball_that_falls_from_the_jaws_has_its_stop_and_its_fall(after):
    staged, stop = hanging(after)
    seen = sighted(staged, KIND, camera=CAMERA, seed=5, noise=0.6)
    found = understood(KIND, seen, {"white": "middle-left"})
    rest, fall = (next(e for e in found.events if e.type == kind and e.ball == "white") for kind in ("stop", "pocket"))
    assert rest.jaws == "middle-left"
    assert rest.t == pytest.approx(stop, abs=3 * (rest.sigma_ms or 0) / 1000 + 0.02)
    assert fall.t == pytest.approx(stop + after, abs=3 * (fall.sigma_ms or 0) / 1000)
    assert (fall.t - rest.t < 3) == (after < 3)
    assert found.doubts == ()


def test_a_fall_at_three_seconds_is_put_to_a_person_with_the_other_way():
    staged, _ = hanging(2.99)
    found = understood(KIND, sighted(staged, KIND, camera=CAMERA, seed=6, noise=0.6), {"white": "middle-left"})
    [doubt] = found.doubts
    assert "jaws" in doubt.reason
    assert doubt.event is not None
    assert found.events[doubt.event].type == "pocket"
    [way] = doubt.ways
    [stop] = way.add
    fall = found.events[doubt.event]
    [old] = [found.events[k] for k in way.drop]
    assert (old.type, stop.type) == ("stop", "stop")
    assert (fall.t - old.t > 3) != (fall.t - stop.t - found.strike_t > 3)


@pytest.mark.parametrize("after", [2.9, 3.05])
@pytest.mark.parametrize("seed", [1, 2])
def test_a_fall_near_three_seconds_is_never_told_wrong_without_a_doubt(after, seed):
    staged, _ = hanging(after)
    found = understood(KIND, sighted(staged, KIND, camera=CAMERA, seed=seed, noise=0.6), {"white": "middle-left"})
    rest, fall = (next(e for e in found.events if e.type == kind and e.ball == "white") for kind in ("stop", "pocket"))
    assert (fall.t - rest.t > 3) == (after > 3) or any("jaws" in d.reason for d in found.doubts)


def test_doubts_and_their_ways_name_the_same_events_when_a_stop_is_measured_to_be_earlier():
    staged, stop = hanging(0.8)
    events = (
        Event(0.0, "strike", "white"),
        Event(stop + 0.1, "contact", balls=("black", "yellow")),
        Event(stop + 0.2, "stop", "white", jaws="middle-left"),
    )
    doubt = Doubt("not sure", 1, (Way("no contact black-yellow", drop=(1,)),))
    seen = sighted(staged, KIND, camera=CAMERA, seed=5, noise=0.6)
    found = with_stops_in_jaws(Found(events, "white", 0.0, (doubt,), 0.0), seen, 1 / FPS)
    assert [e.type for e in found.events] == ["strike", "stop", "contact"]
    [doubt] = found.doubts
    assert (doubt.event, doubt.ways[0].drop) == (2, (2,))


@pytest.mark.parametrize(("at", "doubted"), [(4.00, True), (4.05, True), (3.7, False), (4.4, False)])
def test_a_ball_knocked_from_the_jaws_at_three_seconds_is_put_to_a_person(at, doubted):
    """The three seconds end with the contact, not with the fall (D39)."""
    stop = Event(1.0, "stop", "yellow", jaws="foot-left", sigma_ms=40.0)
    knock = Event(at, "contact", balls=("white", "yellow"), sigma_ms=3.0)
    events = (Event(0.0, "strike", "white"), stop, knock, Event(at + 0.1, "pocket", "yellow", pocket="foot-left", sigma_ms=5.0))
    found = Found(events, "white", 0.0, (), 500.0)
    doubts = limit_doubts(found).doubts
    assert bool(doubts) == doubted
    for doubt, event in doubts:
        assert event is knock
        [moved] = doubt.ways[0].add
        assert (at - moved.t > 3) != (at - stop.t > 3)


def _lying(after: float, foreign: Callable[[str, float], float] = lambda b, t: 0.0) -> dict[str, list[Sighting]]:
    """The last second before the fall and what comes of it."""
    staged, stop = hanging(after)
    seen = sighted(staged, KIND, camera=CAMERA, seed=7, noise=0.6, foreign=foreign)
    return {b: [s for s in _until_it_sank(rows, KIND) if s.t > stop + after - 1.0] for b, rows in seen.items()}


def test_a_fall_long_after_all_came_to_rest_belongs_to_the_stroke_before():
    _, stop = hanging(4.5)
    seen = _lying(4.5)
    late = fell_by_itself(KIND, {"white": "middle-left"}, seen, 1 / FPS)
    assert late is not None
    fall, touched = late
    assert not touched
    events = (Event(0.0, "strike", "white", video_t=0.0), Event(stop, "stop", "white", jaws="middle-left", video_t=stop))
    before = Stroke(0.0, stop, 0, 200, "white", {}, Shot(events, {"white": EDGE, **FAR}))
    after = with_late_fall(before, fall, 471, touched=touched)
    assert after.shot.events[-1].type == "pocket"
    assert after.shot.events[-1].t == pytest.approx(stop + 4.5, abs=0.1)
    assert after.shot.positions["white"] is None
    assert after.review == ()


def test_a_ball_that_leaves_the_jaws_with_a_hand_beside_it_may_have_been_taken_away():
    late = fell_by_itself(KIND, {"white": "middle-left"}, _lying(4.5, lambda b, t: 0.4 if b == "white" else 0.0), 1 / FPS)
    assert late is not None
    stroke = Stroke(0.0, 3.0, 0, 180, "white", {}, Shot((), {"white": EDGE}))
    doubts = with_late_fall(stroke, *late[:1], 471, touched=late[1]).review
    assert any(w.drop == (0,) for d in doubts for w in d.ways)


def test_a_ball_knocked_from_the_jaws_did_not_fall_by_itself():
    seen = _lying(4.5)
    seen["yellow"] = [replace(s, x=EDGE[0], y=EDGE[1] - 70.0) for s in seen["yellow"]]
    assert fell_by_itself(KIND, {"white": "middle-left"}, seen, 1 / FPS) is None


# double hit, push, wrong ball, two strikes ------------------------------------------------------------------------


def _full(gap: float, elastic: float, speed: float, *, aside: float = 5.0, foreign: float = 0.2, seed: int = 0) -> Found:
    places = {"white": (1300.0, 880.0), "red": (1300.0 + 68.0 + gap, 880.0 + aside), **FAR}
    truth = play(places, "white", (speed, 0.0), kind=BARE, longest=1.0, elastic=elastic)
    beside = lambda ball, t: foreign if ball == "white" and -0.3 < t < 0.15 else 0.0  # noqa: E731
    return understood(BARE, sighted(on_the_cloth(truth, BARE), BARE, camera=CAMERA, seed=seed, noise=0.6, foreign=beside))


@pytest.mark.parametrize(("gap", "kind", "speed"), [(0.5, "push", 900.0), (40.0, "double_hit", 900.0), (90.0, "double_hit", 1800.0)])
def test_a_cue_ball_that_runs_on_through_a_full_contact_is_put_to_a_person(gap, kind, speed):
    found = _full(gap, -0.1, speed)
    assert kind in ways(found)
    assert kind not in [e.type for e in found.events]


def test_a_double_hit_behind_a_thin_contact_is_put_to_a_person():
    """The cue ball runs on aside as well, as it does when the second blow follows the first contact by a frame."""
    assert "double_hit" in ways(_full(40.0, 0.4, 1500.0, aside=45.0))


@pytest.mark.parametrize(("elastic", "speed"), [(0.91, 1000.0), (0.97, 2500.0)])
def test_a_fair_thin_contact_is_no_double_hit(elastic, speed):
    assert ways(_full(40.0, elastic, speed, aside=45.0)) == []


@pytest.mark.parametrize(
    ("gap", "elastic", "speed"),
    [(3.0, 0.91, 1000.0), (3.0, 0.97, 2500.0), (40.0, 0.91, 2500.0), (40.0, 0.97, 500.0), (120.0, 0.91, 1000.0)],
)
def test_a_fair_full_contact_is_no_push(gap, elastic, speed):
    assert ways(_full(gap, elastic, speed)) == []


def test_two_balls_that_touched_and_set_off_alike_leave_open_which_was_struck():
    """Both leave along the line of centres, away from each other: either may have driven the other."""

    def way(side: float, t: float) -> np.ndarray:
        return np.array([1775.0 + side * (34.0 + max(t, 0.0) * 600.0), 880.0, 34.0])

    ways_ = {"white": lambda t: way(-1, t), "red": lambda t: way(1, t), **_still(FAR)}
    found = understood(BARE, sighted(Staged(ways_, 0.5, Truth(np.array([0.0]), {}, (), "white")), BARE, camera=CAMERA, seed=2))
    [doubt] = [d for d in found.doubts if "which of them was struck" in d.reason]
    assert doubt.event is not None
    assert found.events[doubt.event].type == "strike"
    assert [e.ball for w in doubt.ways for e in w.add] != [found.cue_ball]


@pytest.mark.parametrize("angle", [0.0, 0.6, -0.9])
def test_a_frozen_ball_played_away_leaves_no_doubt_which_was_struck(angle):
    places = {"white": (1300.0, 880.0), "red": (1368.2, 880.0), **FAR}
    truth = play(places, "white", (1500 * np.cos(angle), 1500 * np.sin(angle)), kind=BARE, longest=1.0)
    found = understood(BARE, sighted(on_the_cloth(truth, BARE), BARE, camera=CAMERA, seed=1, noise=0.6))
    assert found.cue_ball == "white"
    assert not [d for d in found.doubts if "which of them" in d.reason]


def _still(places: Mapping[str, tuple[float, float]]) -> dict[str, Callable[[float], np.ndarray]]:
    return {b: (lambda t, p=p: np.array([*p, 34.0])) for b, p in places.items()}


def _slide(start: tuple[float, float], at: float, velocity: tuple[float, float], *, lasts: float = 10.0) -> Callable[[float], np.ndarray]:
    return lambda t: np.array([*(np.array(start) + np.array(velocity) * min(max(t - at, 0.0), lasts)), 34.0])


def _staged(ways_: dict[str, Callable[[float], np.ndarray]], length: float = 1.4) -> Staged:
    return Staged(ways_, length, Truth(np.array([0.0]), {}, (), "white"))


def test_a_ball_struck_while_others_roll_is_put_to_a_person_as_a_second_strike():
    balls = {
        "white": _slide((600.0, 500.0), 0.0, (700.0, 0.0)),
        "yellow": _slide((2500.0, 1300.0), 0.7, (-900.0, 0.0)),
        **_still({"red": (300.0, 1500.0)}),
    }
    cue = lambda ball, t: 0.25 if (ball, t > 0.5) in (("white", False), ("yellow", True)) and t < 0.9 else 0.0  # noqa: E731
    found = understood(BARE, sighted(_staged(balls), BARE, camera=CAMERA, seed=4, foreign=cue))
    assert found.cue_ball == "white"
    [doubt] = found.doubts
    assert "white still rolled" in doubt.reason
    [event] = doubt.ways[0].add
    assert (event.type, event.ball) == ("strike", "yellow")
    assert event.t == pytest.approx(0.7, abs=0.02)


# touched balls ----------------------------------------------------------------------------------------------------


def _moved(foreign: float, by: float = 20.0, near: bool = False) -> Found:
    line = 1500.0 if near else 400.0
    balls = {
        "white": _slide((1700.0, line), 0.0, (700.0, 0.0)), "red": _slide((2000.0, 1572.0), 0.43, (0.0, 100.0), lasts=by / 100),
        **_still({"yellow": (300.0, 1500.0)}),
    }  # fmt: skip
    beside = lambda ball, t: foreign if ball == "red" and 0.2 < t < 0.8 else 0.0  # noqa: E731
    return understood(BARE, sighted(_staged(balls), BARE, camera=CAMERA, seed=4, foreign=beside, noise=0.5))


def test_a_ball_moved_by_a_sleeve_during_the_stroke_may_be_a_touch():
    [doubt] = _moved(0.3).doubts
    assert "with something beside it" in doubt.reason
    assert [e.type for w in doubt.ways for e in w.add] == ["touch"]


def test_a_ball_that_moves_by_itself_is_put_to_a_person():
    [doubt] = _moved(0.0).doubts
    assert "red moved" in doubt.reason and "without a cause" in doubt.reason


def test_a_ball_that_moves_as_another_passes_may_have_been_met():
    found = _moved(0.0, near=True)
    assert "contact" in [e.type for e in found.events] or "contact" in ways(found)


def test_a_ball_shoved_before_the_strike_is_not_the_one_struck():
    balls = {"white": _slide((1700.0, 400.0), 0.0, (700.0, 0.0)), "red": _slide((2000.0, 1500.0), -0.7, (0.0, 100.0), lasts=0.2)}
    staged = _staged({**balls, **_still({"yellow": (300.0, 1500.0)})})
    found = understood(BARE, sighted(staged, BARE, camera=CAMERA, seed=4, lead=1.1, noise=0.5))
    assert found.cue_ball == "white"
    assert found.strike_t == pytest.approx(0.0, abs=0.02)
    [doubt] = found.doubts
    assert "red moved by 20 mm" in doubt.reason
    assert "without a cause" in doubt.reason
    assert [e.type for w in doubt.ways for e in w.add] == ["touch"]


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_a_ball_that_was_not_seen_where_it_lay_was_not_shoved():
    xs = (100.0, 1100.0, 100.0, 1100.0, 600.0, 300.0, 900.0, 500.0)  # to and fro, a few pictures a second
    rolled = [Sighting(k, 0.25 * k, x, 500.0, 0.5, "seen", True, 0.0, 1.0) for k, x in enumerate(xs)]
    assert shoved_before({"white": rolled}, KIND.ball, 2.0) is None


def test_a_soft_stroke_that_meets_a_ball_is_no_shove():
    truth = play({"white": (1500.0, 880.0), "red": (1590.0, 880.0), **FAR}, "white", (120.0, 0.0), kind=BARE)
    found = understood(BARE, sighted(on_the_cloth(truth, BARE), BARE, camera=CAMERA, seed=4, noise=0.5))
    assert found.cue_ball == "white"
    assert found.doubts == ()


def test_a_ball_that_lies_still_beside_a_hand_is_not_touched():
    assert _moved(0.4, by=0.0).doubts == ()


def _between(rows: Mapping[str, list[Sighting]], *, lying: Mapping[str, tuple[float, float] | None]) -> tuple:
    between = Between(KIND.spots)
    stroke = Stroke(0.0, 3.0, 0, 180, "white", {}, Shot((), lying))
    between.stroke(stroke)
    between.look(rows, 2.0)
    return between.stroke(stroke)


def _nudged(ball: str, start: tuple[float, float], by: float, foreign: float) -> dict[str, list[Sighting]]:
    balls = {ball: _slide(start, 0.3, (0.0, 150.0), lasts=by / 150), **_still({"red": (300.0, 1500.0)})}
    return sighted(_staged(balls, 0.8), KIND, camera=CAMERA, seed=4, foreign=lambda b, t: foreign if b == ball else 0.0, noise=0.5)


def test_a_ball_nudged_at_once_after_a_stroke_is_said_of_that_stroke():
    between = Between(KIND.spots)
    stroke = Stroke(-3.0, -0.5, 0, 180, "white", {}, Shot((), {"yellow": (1000.0, 500.0)}))
    between.stroke(stroke)
    between.look(_nudged("yellow", (1000.0, 500.0), 12.0, 0.3), 2.0)
    [doubt] = between.of_the_last(stroke).review
    [touch] = doubt.ways[0].add
    assert "after the stroke" in doubt.reason
    assert (touch.type, touch.ball) == ("touch", "yellow")
    assert touch.t == pytest.approx(3.3, abs=0.2)
    assert between.stroke(stroke) == ()


def test_a_ball_nudged_in_aiming_may_be_a_touch():
    [doubt] = _between(_nudged("yellow", (1000.0, 500.0), 12.0, 0.3), lying={"yellow": (1000.0, 500.0)})
    assert "yellow moved by 12 mm" in doubt.reason
    assert [e.type for w in doubt.ways for e in w.add] == ["touch"]


@pytest.mark.parametrize(
    ("rows", "lying"),
    [
        (_nudged("yellow", (1000.0, 500.0), 12.0, 0.3), {"yellow": None}),
        (_nudged("yellow", (1000.0, 500.0), 120.0, 0.3), {"yellow": (1000.0, 500.0)}),
        (_nudged("black", (1775.0, 875.5), 12.0, 0.3), {"black": (1775.0, 875.5)}),
        (_nudged("yellow", (1000.0, 500.0), 0.0, 0.3), {"yellow": (1000.0, 500.0)}),
    ],
    ids=["in hand", "carried", "put on its spot", "not moved"],
)
def test_what_a_hand_places_is_no_touch(rows, lying):
    assert _between(rows, lying=lying) == ()


def _first(rows: Mapping[str, list[Sighting]], places: Mapping[str, tuple[float, float] | None]) -> tuple:
    """What is said of the first stroke of a video that begins with a stretch of motion."""
    between = Between(KIND.spots)
    between.look(rows, 2.0)
    return between.stroke(Stroke(3.0, 6.0, 180, 360, "white", places, Shot((), {})))


@pytest.mark.parametrize(("foreign", "how"), [(0.3, "with something beside it"), (0.0, "without a cause that was seen")])
def test_a_ball_nudged_before_the_first_stroke_of_a_video_may_be_a_touch(foreign, how):
    rows = _rested(_nudged("yellow", (1000.0, 500.0), 12.0, foreign), 0.25)
    [doubt] = _first(rows, {"white": (500.0, 500.0), "yellow": (1012.0, 500.0), "red": (300.0, 1500.0)})
    assert "yellow moved by 12 mm" in doubt.reason
    assert how in doubt.reason
    assert [e.type for w in doubt.ways for e in w.add] == ["touch"]


def test_balls_put_right_for_the_opening_are_not_touched():
    y = KIND.width / 2
    rows = _rested(_nudged("red", (KIND.length / 4 - 12, y), 12.0, 0.3), 0.25)
    places = {"white": (500.0, 500.0), "red": (KIND.length / 4, y), "black": (KIND.length / 2, y), "yellow": (3 * KIND.length / 4, y)}
    assert _first(rows, places) == ()


def _rested(rows: Mapping[str, list[Sighting]], until: float) -> dict[str, list[Sighting]]:
    """The sightings with those before `until` s as the tracker has those of balls at rest."""
    return {ball: [replace(s, state="rest") if s.t < until else s for s in seen] for ball, seen in rows.items()}
