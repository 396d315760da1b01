# ruff: noqa: E402 (the imports need what is checked first)
"""Simulated strokes: events and paths tell the same story, and the table's symmetry is kept."""

from __future__ import annotations

from math import hypot, pi

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

for package in ("numba", "pooltool"):
    pytest.importorskip(package, reason=f"needs {package} (the simulate extra)")

from calibration.table import table
from sample_videos.faults import Again, Faults, Touch
from sample_videos.physics import SimulatedShot, SimulationFailed, delayed_fall, simulate
from sample_videos.stroke_events import jaw_discs, jaws_at

pytestmark = pytest.mark.train

TABLE = table()
SPOTS = TABLE.spots


def random_shot(seed: int) -> SimulatedShot | None:
    """A stroke from random places, None where balls would overlap or the physics break off."""
    rng = np.random.default_rng(seed)
    placing = {b: (float(rng.uniform(40, 3510)), float(rng.uniform(40, 1735))) for b in ("white", "yellow", "red", "black")}
    try:
        return simulate(
            TABLE, placing, "white", float(rng.uniform(500, 5000)), float(rng.uniform(-pi, pi)),
            follow=float(rng.uniform(-0.4, 0.4)), side=float(rng.uniform(-0.4, 0.4)),
        )  # fmt: skip
    except (ValueError, SimulationFailed):
        return None


SHOTS = [shot for seed in range(60) if (shot := random_shot(seed)) is not None]


def test_contacts_happen_at_two_radii() -> None:
    gaps = []
    for shot in SHOTS:
        for e in shot.of("contact"):
            a, b = (shot.paths[ball].at(e["t"])[:2] for ball in e["balls"])
            gaps.append(hypot(*(a - b)) - TABLE.ball)
    assert len(gaps) >= 10
    assert np.abs(gaps).max() < 0.01


def test_no_contact_is_left_out() -> None:
    """Between contacts no two balls are nearer than two radii, on a grid of 2 ms."""
    for shot in SHOTS[:25]:
        names = [b for b in shot.paths]
        times = np.arange(0, shot.duration, 0.002)
        for i, a in enumerate(names):
            for b in names[:i]:
                end = min([e["t"] for e in shot.of("pocket") if e["ball"] in (a, b)], default=np.inf)
                t = times[times < end]
                gap = np.linalg.norm(shot.paths[a].at(t)[:, :2] - shot.paths[b].at(t)[:, :2], axis=1) - TABLE.ball
                assert gap.min() > -0.01
                met = any(set(e["balls"]) == {a, b} for e in shot.of("contact"))
                assert met or gap.min() > 0 or gap.min() > -0.01


def test_cushions_are_touched_at_one_radius_from_the_nose() -> None:
    for shot in SHOTS:
        for e in shot.of("cushion"):
            x, y, _ = shot.paths[e["ball"]].at(e["t"])
            gap = {"home": x, "foot": TABLE.length - x, "right": y, "left": TABLE.width - y}[e["cushion"]]
            assert gap == pytest.approx(TABLE.radius, abs=0.01)


def test_jaws_are_touched_where_the_table_has_them() -> None:
    count = 0
    for shot in SHOTS:
        for e in shot.of("jaw"):
            pocket = TABLE.pocket(e["pocket"])
            place = shot.paths[e["ball"]].at(e["t"])[:2]
            gap = min(
                float(np.linalg.norm(jaw_discs(pocket, jaw) - place, axis=1).min()) - jaw.radius
                for jaw in pocket.jaws
                if jaw.cushion == e["cushion"]
            )
            assert gap == pytest.approx(TABLE.radius, abs=0.05)
            count += 1
    assert count > 5


def test_events_are_in_order_and_begin_with_the_strike() -> None:
    for shot in SHOTS:
        times = [e["t"] for e in shot.events]
        assert times == sorted(times)
        assert shot.events[0] == {"t": 0.0, "type": "strike", "ball": "white"}


def test_midline_events_are_on_the_line_and_change_the_side() -> None:
    for shot in SHOTS:
        for e in shot.of("midline"):
            path = shot.paths[e["ball"]]
            assert path.at(e["t"])[0] == pytest.approx(TABLE.length / 2, abs=1e-3)
            before, after = path.at(e["t"] - 1e-4)[0], path.at(e["t"] + 1e-4)[0]
            assert (before - TABLE.length / 2) * (after - TABLE.length / 2) < 0


def test_leaving_the_middle_line_from_rest_is_no_crossing() -> None:
    placing = {"white": (1200.0, 887.5), "black": SPOTS["centre"]}
    shot = simulate(TABLE, placing, "white", 1200.0, 0.0)
    assert shot.of("contact")
    assert not [e for e in shot.of("midline", "black") if e["t"] < 1.0]


def test_paths_are_continuous_and_stop_where_they_end() -> None:
    for shot in SHOTS[:20]:
        for ball, path in shot.paths.items():
            steps = np.diff(path.at(np.arange(0, shot.duration + 0.1, 1e-3)), axis=0)
            assert np.linalg.norm(steps, axis=1).max() < 8.0  # 8 m/s
            if shot.after[ball] is not None:
                assert path.at(shot.duration + 5)[:2] == pytest.approx(shot.after[ball], abs=1e-6)
                assert np.hypot(*path.velocity(shot.duration + 1)) == pytest.approx(0, abs=1e-6)


def test_a_potted_ball_sinks_below_the_cloth_and_stays_in_its_pocket() -> None:
    placing = {"white": (1775.0, 500.0), "yellow": (1775.0, 300.0)}
    shot = simulate(TABLE, placing, "white", 1500.0, -pi / 2)
    assert shot.pot("yellow") == "middle-right"
    assert shot.after["yellow"] is None
    path, pocket = shot.paths["yellow"], TABLE.pocket("middle-right")
    end = path.at(shot.duration + 2)
    assert end[2] < -90
    assert hypot(end[0] - pocket.centre[0], end[1] - pocket.centre[1]) <= pocket.radius
    t = shot.of("pocket")[0]["t"]
    assert path.at(t)[2] == pytest.approx(TABLE.radius, abs=0.2)
    assert hypot(*(path.at(t)[:2] - pocket.centre)) == pytest.approx(pocket.radius, abs=0.1)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000))
def test_mirroring_the_table_mirrors_the_stroke(seed: int) -> None:
    """Left and right exchanged, heading and side reversed: the same times, mirrored places; for the first second and a half."""
    shot = random_shot(seed)
    if shot is None:
        return
    s = shot.strike
    mirrored = {b: (x, TABLE.width - y) for b, (x, y) in shot.before.items()}
    try:
        other = simulate(TABLE, mirrored, s.cue_ball, s.speed, -s.heading, follow=s.follow, side=-s.side)
    except SimulationFailed:
        return
    swap = {"left": "right", "right": "left"}
    ours = [(e["type"], e.get("ball"), e.get("cushion")) for e in shot.events if e["t"] < 1.5]
    theirs = [(e["type"], e.get("ball"), swap.get(e.get("cushion", ""), e.get("cushion"))) for e in other.events if e["t"] < 1.5]
    assert ours == theirs
    for ball in shot.paths:
        a, b = shot.paths[ball].at(1.5), other.paths[ball].at(1.5)
        assert a[0] == pytest.approx(b[0], abs=0.5)
        assert a[1] == pytest.approx(TABLE.width - b[1], abs=0.5)


def test_follow_and_draw_go_the_right_way() -> None:
    placing = {"white": (1000.0, 887.5), "yellow": (1500.0, 889.0)}
    drawn = simulate(TABLE, placing, "white", 2500.0, 0.0, follow=-0.45)
    followed = simulate(TABLE, placing, "white", 2500.0, 0.0, follow=0.45)
    t = drawn.of("contact")[0]["t"] + 0.4
    assert drawn.paths["white"].at(t)[0] < 1400
    assert followed.paths["white"].at(t)[0] > 1450


def test_right_side_turns_the_rebound_to_the_right() -> None:
    """Played straight at the foot cushion, a ball with right side comes off it towards the right cushion (seen by the player)."""
    shot = simulate(TABLE, {"white": (3000.0, 887.5)}, "white", 2000.0, 0.0, side=0.4)
    t = shot.of("cushion")[0]["t"]
    assert shot.paths["white"].velocity(t + 0.01)[1] < 0


def test_stops_in_the_jaws_are_named() -> None:
    corner = TABLE.pocket("foot-left")
    assert jaws_at(TABLE, (TABLE.length - 10, TABLE.width - 10)) == "foot-left"
    assert jaws_at(TABLE, (TABLE.length - 60, TABLE.width - 60)) is None
    assert jaws_at(TABLE, (TABLE.length / 2 + 3, -5.0)) == "middle-right"
    assert jaws_at(TABLE, (TABLE.length / 2 + 3, 20.0)) is None
    assert corner.jaws[0].tip[0] < TABLE.length


def test_a_ball_at_the_edge_may_fall_later() -> None:
    placing = {"white": (600.0, 600.0), "yellow": (1775.0, -15.0)}
    shot = simulate(TABLE, placing, "white", 500.0, pi / 2)
    late = delayed_fall(shot, "yellow", "middle-right", 1.0)
    assert [(e["t"], e["pocket"]) for e in late.of("pocket")] == [(1.0, "middle-right")]
    assert late.after["yellow"] is None
    assert late.paths["yellow"].at(0.99)[2] == pytest.approx(TABLE.radius)
    assert late.paths["yellow"].at(2.0)[2] < -90


def test_bad_placings_are_refused() -> None:
    with pytest.raises(ValueError, match="overlap"):
        simulate(TABLE, {"white": (500, 500), "yellow": (520, 500)}, "white", 1000, 0)
    with pytest.raises(ValueError, match="cue ball"):
        simulate(TABLE, {"yellow": (520, 500)}, "white", 1000, 0)
    with pytest.raises(ValueError, match="expected a place on the table"):
        simulate(TABLE, {"white": (5000, 500)}, "white", 1000, 0)


def test_a_table_without_pockets() -> None:
    carom = table("carom-10ft")
    shot = simulate(carom, {"white": (500.0, 700.0), "yellow": (2300.0, 700.0)}, "white", 3000.0, 0.05)
    assert len(shot.of("cushion")) >= 2
    assert not shot.of("jaw") and not shot.of("pocket")


def test_a_jump_clears_the_ball_hops_and_goes_on_where_it_lands() -> None:
    placing = {"white": (500.0, 600.0), "black": (750.0, 610.0), "yellow": (2000.0, 620.0)}
    shot = simulate(TABLE, placing, "white", 2000.0, 0.01, up=1300.0)
    (over,) = shot.of("jump")
    assert over["over"] == "black"
    assert set(shot.of("contact")[0]["balls"]) == {"white", "yellow"}
    times = np.linspace(0, 0.6, 1201)
    path, black = shot.paths["white"], np.array([*placing["black"], TABLE.radius])
    assert np.linalg.norm(path.at(times) - black, axis=1).min() > TABLE.ball
    assert path.at(over["t"])[2] > TABLE.radius + 60
    heights = path.at(times)[:, 2] - TABLE.radius
    landings = int(np.sum((heights[1:-1] < heights[:-2]) & (heights[1:-1] <= heights[2:]) & (heights[1:-1] < 3)))
    assert landings >= 2 and heights[-1] == 0
    first, second = (heights[(times > a) & (times < b)].max() for a, b in ((0.0, 0.26), (0.28, 0.39)))
    assert second == pytest.approx(first / 4, rel=0.1)  # half the speed upwards, a quarter of the height
    assert path.leap() < 0.3
    assert shot.paths["yellow"].at(0.3)[:2] == pytest.approx(placing["yellow"])
    assert [e["t"] for e in shot.events] == sorted(e["t"] for e in shot.events)


def test_a_jump_too_low_clips_the_ball_or_drives_it() -> None:
    placing = {"white": (500.0, 600.0), "black": (750.0, 610.0)}
    clipped = simulate(TABLE, placing, "white", 2000.0, 0.01, up=1150.0)
    assert clipped.of("contact") and 0 < np.hypot(*clipped.paths["black"].velocity(0.13)) < 100
    driven = simulate(TABLE, placing, "white", 2000.0, 0.01, up=600.0)
    assert np.hypot(*driven.paths["black"].velocity(0.13)) > 1000
    for shot in (clipped, driven):
        e = shot.of("contact")[0]
        a, b = (shot.paths[ball].at(e["t"]) for ball in e["balls"])
        assert np.linalg.norm(a - b) == pytest.approx(TABLE.ball, abs=0.05)


def test_a_ball_over_the_cushion_leaves_the_table() -> None:
    placing = {"white": (3200.0, 600.0), "yellow": (500.0, 500.0)}
    shot = simulate(TABLE, placing, "white", 3500.0, 0.01, up=900.0)
    assert [e["ball"] for e in shot.of("off_table")] == ["white"] and shot.after["white"] is None
    assert shot.paths["white"].at(shot.of("off_table")[0]["t"])[0] > TABLE.length + 150
    assert shot.paths["white"].at(20.0)[2] == pytest.approx(-820 + TABLE.radius, abs=1)
    lies = simulate(TABLE, {**placing, "white": (3550.0 - 307.0, 600.0)}, "white", 2937.0, 0.0, up=700.0)
    for ball, path in lies.paths.items():
        assert path.leap() < 0.5, ball


@pytest.mark.parametrize("gap", [2.0, 30.0, 60.0])
def test_a_double_hit_drives_the_cue_ball_faster_than_a_full_hit_leaves_it(gap: float) -> None:
    placing = {"white": (1000.0, 600.0), "yellow": (1068.0 + gap, 603.0)}
    shot = simulate(TABLE, placing, "white", 1500.0, 0.0, faults=Faults(double=0.45))
    (e,) = shot.of("double_hit")
    path = shot.paths["white"]
    assert shot.contacts()[0][0] < e["t"] < 0.3
    assert np.hypot(*path.velocity(e["t"] - 1e-4)) < 0.3 * 1500 < 0.4 * 1500 < np.hypot(*path.velocity(e["t"] + 1e-4))
    tip = np.interp(e["t"], *zip(*shot.tip, strict=True))
    assert path.at(e["t"])[0] - placing["white"][0] == pytest.approx(tip, abs=2.5)


def test_a_free_cue_ball_is_not_hit_twice() -> None:
    with pytest.raises(SimulationFailed, match="away"):
        simulate(TABLE, {"white": (1000.0, 600.0), "yellow": (3000.0, 603.0)}, "white", 1500.0, 0.0, faults=Faults(double=0.45))


def test_a_pushed_ball_stays_with_the_cue_through_the_contact() -> None:
    placing = {"white": (1000.0, 600.0), "yellow": (1078.0, 604.0)}
    shot = simulate(TABLE, placing, "white", 1000.0, 0.0, faults=Faults(push=0.1))
    (push,), (contact,) = shot.of("push"), shot.of("contact")
    assert push["t"] == contact["t"]
    a, b = (shot.paths[ball].at(contact["t"])[:2] for ball in contact["balls"])
    assert hypot(*(a - b)) == pytest.approx(TABLE.ball, abs=0.6)
    after = contact["t"] + 0.05
    assert shot.paths["white"].velocity(after)[0] > 600  # a ball that physics alone moves keeps next to nothing of a full hit
    rear = shot.paths["white"].at(after)[0] - placing["white"][0]
    assert np.interp(after, *zip(*shot.tip, strict=True)) == pytest.approx(rear, abs=0.1)
    with pytest.raises(SimulationFailed, match="meets no ball"):
        simulate(TABLE, {"white": (1000.0, 600.0), "yellow": (1300.0, 604.0)}, "white", 1000.0, 0.0, faults=Faults(push=0.1))


@pytest.mark.parametrize("at", [-0.7, 0.6, 9.0])
def test_a_touched_ball_is_shoved_before_during_and_after_the_stroke(at: float) -> None:
    placing = {"white": (1000.0, 600.0), "yellow": (2000.0, 630.0), "red": (1000.0, 300.0)}
    shot = simulate(TABLE, placing, "white", 800.0, 0.0, faults=Faults(touch=Touch("red", at, (8.0, -4.0))))
    assert [(e["t"], e["ball"]) for e in shot.of("touch")] == [(at, "red")]
    assert shot.after["red"] == pytest.approx((1008.0, 296.0))
    assert shot.before["red"] == pytest.approx((1008.0, 296.0) if at < 0 else (1000.0, 300.0))
    path = shot.paths["red"]
    assert path.at(at - 0.1)[:2] == pytest.approx((1000.0, 300.0)) and path.leap() < 1e-6
    assert shot.of("contact") and [e["t"] for e in shot.events] == sorted(e["t"] for e in shot.events)
    with pytest.raises(SimulationFailed, match="cushion"):
        simulate(TABLE, placing, "white", 800.0, 0.0, faults=Faults(touch=Touch("red", 0.6, (0.0, -290.0))))
    with pytest.raises(SimulationFailed, match="rest"):
        simulate(TABLE, placing, "white", 800.0, 0.0, faults=Faults(touch=Touch("white", 0.6, (0.0, 9.0))))


def test_a_second_strike_while_a_ball_still_rolls() -> None:
    placing = {"white": (1000.0, 600.0), "yellow": (1500.0, 620.0), "red": (1000.0, 300.0)}
    shot = simulate(TABLE, placing, "white", 1300.0, 0.0, faults=Faults(again=Again("red", 2.0, 800.0, 90.0)))
    assert [(e["t"], e["ball"]) for e in shot.of("strike")] == [(0.0, "white"), (2.0, "red")]
    assert np.hypot(*shot.paths["yellow"].velocity(2.0)) > 50 and shot.paths["red"].velocity(2.01)[1] > 700
    with pytest.raises(SimulationFailed, match="at rest before"):
        simulate(TABLE, placing, "white", 1300.0, 0.0, faults=Faults(again=Again("red", 30.0, 800.0, 90.0)))
