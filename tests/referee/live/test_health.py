"""A source that stalls, hangs on one picture, jumps or drops is told within three seconds, and only then."""

from __future__ import annotations

from referee.live.health import HealthMonitor, SourceState

SIZE = (1920, 1080)


def running(seconds: float = 10.0, rate: float = 30.0, **options) -> tuple[HealthMonitor, float]:
    monitor = HealthMonitor(SIZE)
    monitor.opened(0.0)
    now = 0.0
    while now < seconds:
        monitor.frame(now, SIZE, changed=options.get("changed", True), corrupt=False)
        now += 1 / rate
    return monitor, now


def test_a_running_source_is_healthy() -> None:
    monitor, now = running()
    health = monitor.health(now)
    assert (health.state, health.reason, health.fresh) == (SourceState.HEALTHY, "", True)
    assert abs(health.rate - 30) < 1


def test_before_the_first_frame_it_is_lost_then_stale() -> None:
    monitor = HealthMonitor(SIZE)
    assert monitor.health(0.0).state is SourceState.LOST
    monitor.opened(1.0)
    assert monitor.health(1.1).state is SourceState.STALE


def test_a_stall_is_told_within_three_seconds() -> None:
    monitor, now = running()
    assert monitor.health(now + 0.5).state is SourceState.HEALTHY
    stalled = monitor.health(now + 3.0)
    assert stalled.state is SourceState.STALE and "no frame for" in stalled.reason and not stalled.fresh


def test_one_frame_left_over_of_a_stream_that_hangs_is_no_life() -> None:
    monitor, now = running()
    monitor.frame(now + 2.5, SIZE, changed=True, corrupt=False)
    assert monitor.health(now + 2.6).state is SourceState.STALE
    monitor.frame(now + 2.7, SIZE, changed=True, corrupt=False)
    assert monitor.health(now + 2.7).state is SourceState.HEALTHY


def test_a_frozen_picture_is_told_although_frames_arrive() -> None:
    monitor, now = running()
    for _ in range(90):
        now += 1 / 30
        monitor.frame(now, SIZE, changed=False, corrupt=False)
    frozen = monitor.health(now)
    assert frozen.state is SourceState.STALE and "same picture" in frozen.reason
    monitor.frame(now + 0.03, SIZE, changed=True, corrupt=False)
    assert monitor.health(now + 0.04).state is SourceState.HEALTHY


def test_some_equal_pictures_are_no_freeze() -> None:
    monitor, now = running()
    for n in range(90):  # a video of 30 pictures a second in which every second one is repeated
        now += 1 / 30
        monitor.frame(now, SIZE, changed=n % 2 == 0, corrupt=False)
    assert monitor.health(now).state is SourceState.HEALTHY


def test_damage_drops_and_jumps_degrade_for_a_while() -> None:
    for trouble in (
        lambda m, t: [m.frame(t, SIZE, changed=True, corrupt=True) for _ in range(5)],
        lambda m, t: [m.drop(t) for _ in range(20)],
        lambda m, t: m.jump(t, -3.0),
    ):
        monitor, now = running()
        trouble(monitor, now)
        assert monitor.health(now).state is SourceState.DEGRADED and monitor.health(now).fresh
        for n in range(200):
            monitor.frame(now + n / 30, SIZE, changed=True, corrupt=False)
        assert monitor.health(now + 200 / 30).state is SourceState.HEALTHY


def test_one_dropped_frame_is_counted_but_no_alarm() -> None:
    monitor, now = running()
    monitor.drop(now)
    assert monitor.health(now).state is SourceState.HEALTHY and monitor.health(now).dropped == 1


def test_a_machine_that_is_slow_is_told_apart_from_a_camera_in_trouble() -> None:
    monitor, now = running()
    for _ in range(20):
        monitor.drop(now)
    assert monitor.health(now).state is SourceState.DEGRADED and monitor.health(now).slow
    monitor.jump(now, -3.0)
    assert monitor.health(now).state is SourceState.DEGRADED and not monitor.health(now).slow


def test_another_size_of_the_picture_is_lost() -> None:
    monitor, now = running()
    monitor.frame(now, (1280, 720), changed=True, corrupt=False)
    lost = monitor.health(now)
    assert lost.state is SourceState.LOST and "1280x720" in lost.reason and "1920x1080" in lost.reason


def test_a_lost_connection_says_why() -> None:
    monitor, now = running()
    monitor.lost("Connection refused")
    assert (monitor.health(now).state, monitor.health(now).reason) == (SourceState.LOST, "Connection refused")
