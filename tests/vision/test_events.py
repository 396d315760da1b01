"""Events of simulated strokes: the right ones, at the right times, and no others."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calibration.table import custom_table, table
from tests.vision.motion import compare, found_in, play, seen, told
from vision.breaks import path_of
from vision.events import Fall, fall_of, find_events, in_jaws, with_frames
from vision.pieces import Observations, divide

BARE = custom_table(3550, 1775, pockets=False)
FAR = {"red": (300.0, 1500.0), "black": (3300.0, 300.0)}  # out of the way
BALL = 68.0


def _around(target, angle, miss, back):
    """Where a ball starts that runs at `angle` (rad) and passes the target's centre at `miss` mm, `back` mm before it."""
    way = np.array([np.cos(angle), np.sin(angle)])
    return tuple(float(v) for v in np.array(target) - back * way + miss * np.array([-way[1], way[0]]))


def _aimed(angle, miss, speed, *, target=(1775.0, 880.0), back=600.0, others=None, **physics):
    places = {"white": _around(target, angle, miss, back), "yellow": target, **(FAR if others is None else others)}
    return play(places, "white", (speed * np.cos(angle), speed * np.sin(angle)), kind=BARE, longest=1.6, **physics)


def _check(truth, found, within):
    missed, invented, errors = compare(truth, found, within)
    assert missed == []
    assert invented == []
    assert found.cue_ball == truth.cue
    return np.abs(errors)


@pytest.mark.parametrize(("fps", "noise"), [(15, 1.0), (30, 1.0), (60, 1.0), (60, 4.0)])
def test_straight_roll_has_a_strike_and_a_stop_only(fps, noise):
    truth = play({"white": (600.0, 500.0), "yellow": (600.0, 1200.0), **FAR}, "white", (560.0, 60.0), kind=BARE)
    found = found_in(truth, fps, noise, kind=BARE, seed=2)
    assert told(found) == []
    strike, *rest = [e for e in found.events if e.type != "midline"]
    assert (strike.type, strike.ball) == ("strike", "white")
    assert strike.t == pytest.approx(0, abs=0.5 / fps)
    assert [(e.type, e.ball) for e in rest] == [("stop", "white")]
    assert rest[0].t == pytest.approx(float(truth.clock[-1]), abs=0.25)
    assert rest[0].at == pytest.approx(tuple(truth.tracks["white"][-1]), abs=2 * noise)
    assert found.doubts == ()


@settings(max_examples=8, deadline=None)
@given(st.floats(0, 6.28), st.floats(-55, 55), st.floats(500, 3500), st.integers(0, 10**6))
def test_contact_of_two_balls_at_60_fps(angle, miss, speed, seed):
    truth = _aimed(angle, miss, speed)
    errors = _check(truth, found_in(truth, 60, 1.0, kind=BARE, seed=seed), 0.025)
    assert np.median(errors) < 0.010


@pytest.mark.parametrize(("fps", "noise", "bar"), [(15, 1.0, 0.012), (30, 1.0, 0.006), (30, 3.0, 0.012), (60, 3.0, 0.010)])
@pytest.mark.parametrize("miss", [20.0, -45.0])
def test_contact_and_cushion_at_other_rates(fps, noise, bar, miss):
    truth = _aimed(0.4, miss, 1600.0)
    errors = _check(truth, found_in(truth, fps, noise, kind=BARE, seed=3), 1.5 / fps)
    assert errors[0] < bar


@pytest.mark.parametrize("speed", [400.0, 3000.0])
@pytest.mark.parametrize("angle", [0.05, 1.5, 2.4, -0.8])
def test_cushions_one_after_another(speed, angle):
    places = {"white": (1200.0, 700.0), "yellow": (1500.0, 1650.0), **FAR}
    truth = play(places, "white", (speed * np.cos(angle), speed * np.sin(angle)), kind=BARE, longest=1.6)
    found = found_in(truth, 60, 1.0, kind=BARE, seed=5)
    errors = _check(truth, found, 0.03)
    assert len(errors) == 0 or np.median(errors) < 0.004


def test_error_bars_are_honest():
    """Times of contacts and cushions lie within three of their error bars, nearly always."""
    pulls = []
    for k in range(10):
        truth = _aimed(0.3 + 0.5 * k, (-50 + 9 * k), 800.0 + 200 * k)
        found = found_in(truth, 60, 1.0, kind=BARE, seed=k)
        for t, kind, who in truth.events:
            for e in found.events:
                same = frozenset(e.balls) == who if e.balls and kind == "contact" else (e.ball, e.cushion) == who
                if e.type == kind and same and abs(e.t - t) < 0.03:
                    pulls.append(abs(e.t - t) * 1000 / (e.sigma_ms or 1))
    assert len(pulls) >= 15
    assert np.mean(np.array(pulls) < 3) > 0.85


@pytest.mark.parametrize("gap", [5.0, 8.0, 20.0])
@pytest.mark.parametrize("speed", [800.0, 2500.0])
@pytest.mark.parametrize("side", [1, -1])
def test_near_miss_is_no_contact(gap, speed, side):
    truth = _aimed(0.35, side * (BALL + gap), speed)
    assert not [e for e in truth.events if e[1] == "contact" and "yellow" in e[2]]
    found = found_in(truth, 60, 1.0, kind=BARE, seed=7)
    assert not [e for e in found.events if e.type == "contact"]
    _check(truth, found, 0.03)


@pytest.mark.parametrize("side", [1, -1])
def test_thin_kiss_is_a_contact(side):
    """The cue ball is hardly turned, the other one leaves slowly and nearly at right angles."""
    truth = _aimed(0.2, side * 64.5, 1800.0)
    errors = _check(truth, found_in(truth, 60, 1.0, kind=BARE, seed=8), 0.03)
    assert errors[0] < 0.015


def test_ball_set_in_motion_by_a_contact_is_not_struck():
    truth = _aimed(0.1, 10.0, 1500.0)
    found = found_in(truth, 60, 1.0, kind=BARE)
    assert [e.ball for e in found.events if e.type == "strike"] == ["white"]
    assert found.strike_t == pytest.approx(0, abs=0.008)


@pytest.mark.parametrize("gap", [3.0, 15.0, 40.0])
def test_cue_ball_close_to_its_target(gap):
    """The strike and the contact lie within a frame or two: the stroke is still that of the ball that was struck."""
    truth = _aimed(0.3, 8.0, 1500.0, back=BALL + gap)
    found = found_in(truth, 60, 0.7, kind=BARE, seed=4)
    assert found.cue_ball == "white"
    assert ("contact", frozenset(("white", "yellow"))) in [e[1:] for e in told(found, "contact")]


def test_chain_of_contacts():
    places = {"white": (900.0, 887.0), "yellow": (1500.0, 887.0), "red": (2100.0, 890.0), "black": (300.0, 300.0)}
    truth = play(places, "white", (2500.0, 0.0), kind=BARE, longest=1.6)
    found = found_in(truth, 60, 1.0, kind=BARE, seed=1)
    _check(truth, found, 0.03)
    assert [e[2] for e in told(found, "contact")][:2] == [frozenset(("white", "yellow")), frozenset(("yellow", "red"))]


@pytest.mark.parametrize("shift", [0.0, 60.0, 150.0])
def test_both_cushions_of_a_corner(shift):
    places = {"white": (2900.0, 1100.0 + shift), "yellow": (400.0, 400.0), "red": (300.0, 1500.0), "black": (1775.0, 200.0)}
    truth = play(places, "white", (1700.0, 1700.0), kind=BARE, longest=2.0)
    cushions = [e for e in truth.events if e[1] == "cushion"][:2]
    assert {e[2] for e in cushions} == {("white", "foot"), ("white", "left")}
    found = found_in(truth, 60, 1.0, kind=BARE, seed=6)
    _check(truth, found, 0.03)


def test_contact_at_a_cushion_leaves_the_order_in_doubt():
    """A ball frozen to a cushion is driven into it: contact and cushion come within a few milliseconds."""
    reach = BALL / 2
    places = {"white": (2500.0, 600.0), "yellow": (2700.0, 1775.0 - reach + 0.2), **FAR}
    way = np.array(places["yellow"]) - (0, 40) - places["white"]
    truth = play(places, "white", tuple(1800 * way / np.hypot(*way)), kind=BARE, longest=2.0)
    first = [e for e in truth.events if "yellow" in e[2]][:2]
    assert [e[1] for e in first] == ["contact", "cushion"]
    assert first[1][0] - first[0][0] < 0.01
    found = found_in(truth, 60, 1.0, kind=BARE, seed=3)
    assert ("contact", frozenset(("white", "yellow"))) in [e[1:] for e in told(found)]
    order = [d for d in found.doubts if d.event is not None]
    told_cushion = [e for e in told(found, "cushion") if e[2] == ("yellow", "left") and abs(e[0] - first[1][0]) < 0.03]
    assert order or not told_cushion


def test_two_contacts_at_once_leave_their_order_in_doubt():
    """The cue ball meets two balls that lie side by side."""
    half = 35.0
    places = {"white": (1000.0, 880.0), "yellow": (1700.0, 880.0 + half), "red": (1700.0, 880.0 - half), "black": (300.0, 300.0)}
    truth = play(places, "white", (2000.0, 0.0), kind=BARE, longest=1.5)
    found = found_in(truth, 60, 1.0, kind=BARE, seed=2)
    pairs = [e[2] for e in told(found, "contact")]
    assert {frozenset(("white", "yellow")), frozenset(("white", "red"))} <= set(pairs)
    assert [d for d in found.doubts if d.event is not None]


def test_order_doubt_points_at_an_event():
    places = {"white": (1000.0, 880.0), "yellow": (1700.0, 915.0), "red": (1700.0, 845.0), "black": (300.0, 300.0)}
    found = found_in(play(places, "white", (2000.0, 0.0), kind=BARE, longest=1.5), 60, 1.0, kind=BARE, seed=2)
    for doubt in found.doubts:
        if doubt.event is not None:
            assert found.events[doubt.event].type in ("contact", "cushion", "jaw")


@settings(max_examples=4, deadline=None)
@given(st.integers(0, 10**6), st.floats(0, 6.28), st.floats(700, 3000), st.floats(-60, 60))
def test_left_and_right_are_alike(seed, angle, speed, miss):
    """Mirrored paths have mirrored events at the same times."""
    paths = seen(_aimed(angle, miss, speed), 60, 1.0, seed=seed)
    turned = {}
    for ball, path in paths.items():
        xy = path.seen.xy * (1, -1) + (0, BARE.width)
        turned[ball] = path_of(ball, Observations(path.seen.t, xy, path.seen.sigma, path.seen.frame))
    one, other = (find_events(BARE, p, [], 1 / 60, 2.0) for p in (paths, turned))
    swap = {"left": "right", "right": "left"}
    mine = [(e.type, e.ball, e.balls, swap.get(e.cushion or "", e.cushion)) for e in one.events]
    theirs = [(e.type, e.ball, e.balls, e.cushion) for e in other.events]
    assert sorted(mine, key=str) == sorted(theirs, key=str)
    assert sorted(e.t for e in one.events) == pytest.approx(sorted(e.t for e in other.events), abs=0.001)
    assert len(one.doubts) == len(other.doubts)


@pytest.mark.parametrize("noise", [0.5, 1.5, 3.0])
def test_resting_balls_have_no_events(noise):
    truth = play({"white": (600.0, 500.0), "yellow": (1776.5, 1200.0), **FAR}, "white", (700.0, 0.0), kind=BARE)
    for seed in range(4):
        found = found_in(truth, 60, noise, kind=BARE, seed=seed)
        assert found.cue_ball == "white"
        assert {e.ball for e in found.events} == {"white"}


def test_midline_is_crossed_when_the_centre_does():
    truth = play({"white": (1000.0, 500.0), "yellow": (600.0, 1200.0), **FAR}, "white", (1500.0, 0.0), kind=BARE, longest=1.5)
    [crossing] = [e for e in found_in(truth, 60, 1.0, kind=BARE).events if e.type == "midline"]
    real = float(np.interp(1775.0, truth.tracks["white"][:, 0], truth.clock))
    assert crossing.ball == "white"
    assert crossing.t == pytest.approx(real, abs=0.005)


def test_uneven_frames_and_jitter():
    truth = _aimed(0.3, 20.0, 1500.0)
    found = found_in(truth, 60, 0.7, kind=BARE, seed=1, jitter=0.03)
    assert [e[1:] for e in told(found, "contact")] == [("contact", frozenset(("white", "yellow")))]


def test_a_pot_ends_the_path_at_the_hole():
    kind = table()
    hole = kind.pocket("foot-left")
    start = np.array([2800.0, 1100.0])
    way = np.array(hole.centre) - start
    way = way / np.hypot(*way)
    t = np.arange(-0.3, 1.2, 1 / 60)
    run = np.clip(t, 0, None) * 1500
    enters = (np.hypot(*(np.array(hole.centre) - start)) - hole.radius) / 1500
    xy = start + run[:, None] * way + np.random.default_rng(0).normal(0, 0.7, (len(t), 2))
    kept = t < enters - 0.02  # it is not seen in the hole
    path = path_of("white", Observations(t[kept], xy[kept], np.full(kept.sum(), 0.7), np.arange(kept.sum())))
    fall = fall_of(kind, path, "foot-left", -0.3, 1 / 60)
    assert (fall.ball, fall.pocket) == ("white", "foot-left")
    assert fall.t == pytest.approx(enters, abs=0.006)
    found = find_events(kind, {"white": path}, [fall], 1 / 60, 2.0)
    assert [(e.type, e.ball, e.pocket) for e in found.events] == [("strike", "white", None), ("pocket", "white", "foot-left")]
    assert found.events[1].t == fall.t


def test_ball_that_stops_in_the_jaws_is_said_to():
    kind = table()
    assert in_jaws(kind, np.array([1775.0, 1775.0])) == "middle-left"
    assert in_jaws(kind, np.array([15.0, 15.0])) == "home-right"
    assert in_jaws(kind, np.array([1775.0, 1700.0])) is None
    assert in_jaws(kind, np.array([200.0, 34.0])) is None
    for pocket in kind.pockets:
        assert in_jaws(kind, np.array(pocket.centre)) == pocket.name


def test_with_frames_counts_from_the_strike():
    truth = _aimed(0.3, 20.0, 1500.0)
    paths = seen(truth, 60, 0.7, seed=1, phase=0.3)
    moved = {b: path_of(b, Observations(p.seen.t + 100.0, p.seen.xy, p.seen.sigma, p.seen.frame)) for b, p in paths.items()}
    found = find_events(BARE, moved, [], 1 / 60, 2.0)
    times = np.arange(0, 400) / 60 + 98.0
    told_ = with_frames(found, np.arange(1000, 1400), times)
    assert told_.events[0].t == 0.0
    assert told_.events[0].type == "strike"
    for e in told_.events:
        assert e.video_t == pytest.approx(100.0 + e.t, abs=0.02)
        assert e.frame is not None
        assert abs(times[e.frame - 1000] - (e.video_t or 0)) <= 0.5 / 60 + 1e-6


def test_nothing_seen_is_nothing_found():
    found = find_events(BARE, {}, [], 1 / 60, 2.0)
    assert (found.events, found.cue_ball, found.doubts) == ((), None, ())


def test_pieces_of_a_bounce():
    """Two straight pieces whose boundary is where the ball turned round."""
    t = np.arange(0, 1.0, 1 / 60)
    x = np.where(t < 0.5, 1000 - 1200 * t, 400 + 900 * (t - 0.5))
    xy = np.column_stack([x, 300 + 200 * t]) + np.random.default_rng(0).normal(0, 0.8, (len(t), 2))
    pieces = divide(Observations(t, xy, np.full(len(t), 0.8), np.arange(len(t))))
    assert len(pieces) == 2
    assert pieces[0].end <= 0.5 + 1 / 60
    assert pieces[1].start >= 0.5 - 1 / 60
    assert pieces[0].speed_at(0.3) == pytest.approx((-1200, 200), abs=25)
    assert pieces[1].speed_at(0.7) == pytest.approx((900, 200), abs=25)
    assert pieces[0].last + 1 == pieces[1].first


@pytest.mark.parametrize("count", [0, 1, 2, 3])
def test_few_observations_are_borne(count):
    seen_ = Observations(np.arange(count) / 60, np.zeros((count, 2)), np.full(count, 1.0), np.arange(count))
    pieces = divide(seen_)
    assert sum(p.last - p.first + 1 for p in pieces) == count


def test_fall_that_was_never_seen_to_near_the_hole_is_late_and_unsure():
    kind = table()
    t = np.arange(0, 0.3, 1 / 60)
    xy = np.full((len(t), 2), (1000.0, 800.0))
    path = path_of("red", Observations(t, xy, np.full(len(t), 0.5), np.arange(len(t))))
    fall = fall_of(kind, path, "home-left", 0.0, 1 / 60)
    assert isinstance(fall, Fall)
    assert fall.sigma >= 1 / 60


def _random_stroke(rng):
    """Four balls anywhere, the white one sent roughly at another, at up to 4 m/s."""
    while True:
        places = {b: (float(rng.uniform(100, 3450)), float(rng.uniform(100, 1675))) for b in ("white", "yellow", "red", "black")}
        spots = np.array(list(places.values()))
        if (np.hypot(*(spots[:, None] - spots[None]).transpose(2, 0, 1)) + 1e4 * np.eye(4)).min() > 90:
            break
    way = spots[rng.integers(1, 4)] - spots[0]
    angle, speed = np.arctan2(way[1], way[0]) + rng.normal(0, 0.04), rng.uniform(600, 4000)
    return play(places, "white", (speed * np.cos(angle), speed * np.sin(angle)), kind=BARE, longest=2.5)


@pytest.mark.parametrize(("fps", "noise", "floor"), [(60, 0.6, 0.98), (30, 1.0, 0.93)])
def test_random_strokes(fps, noise, floor):
    """Most events of any stroke are found, hardly any invented, and the struck ball is never another one."""
    rng = np.random.default_rng(11)
    right = wrong = 0
    errors = []
    for k in range(12):
        truth = _random_stroke(rng)
        found = found_in(truth, fps, noise, kind=BARE, seed=k)
        assert found.cue_ball == "white"
        missed, invented, late = compare(truth, found, 2 / fps)
        right, wrong, errors = right + len(late), wrong + len(missed) + len(invented), errors + late
    assert 2 * right / (2 * right + wrong) >= floor
    assert np.median(np.abs(errors)) < 0.002


def test_two_cushions_within_a_frame():
    places = {"white": (1200.0, 700.0), "yellow": (1500.0, 1650.0), **FAR}
    truth = play(places, "white", (3000 * np.cos(-0.9), 3000 * np.sin(-0.9)), kind=BARE, longest=1.6)
    found = found_in(truth, 60, 1.0, kind=BARE, seed=5)
    assert [e[2] for e in told(found, "cushion")] == [("white", "right"), ("white", "foot"), ("white", "left")]


def _at_a_hole(places: list[float]) -> Fall:
    """The fall of a ball seen so far (mm) from the middle of a hole, picture by picture, after it rolled up to it."""
    kind = table()
    hole = kind.pocket("foot-left")
    way = np.array([1.0, 1.0]) / np.sqrt(2)
    far = np.array([*np.linspace(hole.radius + 100, hole.radius + 1, 20), *(hole.radius + d for d in places)])
    t = np.arange(len(far)) / 60
    xy = np.array(hole.centre) - far[:, None] * way + np.random.default_rng(1).normal(0, 0.2, (len(far), 2))
    return fall_of(kind, path_of("yellow", Observations(t, xy, np.full(len(t), 0.3), np.arange(len(t)))), "foot-left", 0.0, 1 / 60)


def test_a_ball_that_hangs_at_a_hole_falls_when_it_leaves_the_edge():
    fall = _at_a_hole([-0.2] * 40 + [-4.0, -9.0, -15.0, -22.0])
    assert fall.t == pytest.approx(60 / 60, abs=0.04)


def test_a_ball_that_sinks_is_seen_at_the_edge_again_but_has_fallen():
    fall = _at_a_hole([-4.0, -9.0, -14.0, -17.0, -15.0, -11.0, -6.0, -2.0, 2.0, 5.0])
    assert fall.t == pytest.approx(20 / 60, abs=0.03)
