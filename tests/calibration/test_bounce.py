"""Where balls touched cushions: ways that are played by their physics, also with frames that are not evenly spaced."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.bounce import Seen, frame_jitter, touch_of

REST = 30.35  # mm from the nose to the centre when they touch


def played(rng: np.random.Generator, fps: float, noise: float, uneven: float = 0.0):
    """Times (N,) s and places (N, 2) mm, out and along, of a ball that touches at t = 0, 8 frames on either side."""
    speed, angle = rng.uniform(400, 2500), np.radians(rng.uniform(-60, 60))
    coming = speed * np.array([-np.cos(angle), np.sin(angle)])
    dwell, left, along = rng.uniform(0.003, 0.008), rng.uniform(0.65, 0.9), rng.uniform(0.8, 1.0)
    going = np.array([-coming[0] * left, coming[1] * along])
    spin = np.array([coming[0] * rng.uniform(0, 1), coming[1] * rng.uniform(0.7, 1)])
    slip = going - spin
    grip = rng.uniform(0.17, 0.24) * 9810
    slides = 2 * np.hypot(*slip) / (7 * grip)
    pull = -grip * slip / np.hypot(*slip)

    def at(t: float) -> np.ndarray:
        if t < 0:
            return coming * t - 40 * coming / speed * t * t
        if t < dwell:
            return np.array([0.0, coming[1] * t])
        s, start = t - dwell, np.array([0.0, coming[1] * dwell])
        if s < slides:
            return start + going * s + pull * s * s / 2
        return start + going * slides + pull * slides**2 / 2 + (going + pull * slides) * (s - slides)

    times = np.arange(-8, 9) / fps + rng.uniform(0, 1 / fps)
    real = times + rng.normal(0, uneven, len(times)) if uneven else times
    places = np.array([at(t) for t in real]) + rng.normal(0, noise, (len(times), 2))
    return times, places + np.array([REST, 500.0])


def touched(times, places, fps: float, noise: float, jitter: float = 0.0, most: int = 4):
    before, after = np.flatnonzero(times < -0.55 / fps)[-most:], np.flatnonzero(times > 0.55 / fps)[:most]
    seen = [Seen(times[i], places[i, 0], places[i, 1], np.full(len(i), noise)) for i in (before, after)]
    return touch_of(seen[0], seen[1], jitter)


@pytest.mark.parametrize(
    ("fps", "noise", "uneven", "usual"), [(15, 1.5, 0, 3.2), (15, 1.5, 0.008, 5.5), (30, 1.2, 0, 2.2), (60, 1.0, 0, 1.8)]
)
def test_touches_lie_at_the_nose(fps, noise, uneven, usual):
    rng = np.random.default_rng(7)
    found = [touched(*played(rng, fps, noise, uneven), fps, noise, uneven) for _ in range(60)]
    assert None not in found
    off = np.array([touch.out - REST for touch in found])
    sigma = np.array([touch.out_sigma for touch in found])
    assert np.sqrt(np.mean(off**2)) < usual and abs(np.mean(off)) < 0.5 * usual
    assert np.mean(np.abs(off) < 2 * sigma) > 0.9 and np.median(sigma) < 1.4 * usual
    assert np.percentile([abs(touch.t) for touch in found], 90) < 0.006 + 2 * uneven


def test_a_nose_that_lies_elsewhere_shows():
    rng = np.random.default_rng(3)
    found = [touched(*played(rng, 60, 1.0), 60, 1.0) for _ in range(12)]
    shifted = [touched(t, p + np.array([8.0, 0.0]), 60, 1.0) for t, p in (played(np.random.default_rng(k), 60, 1.0) for k in range(12))]
    assert np.median([touch.out for touch in shifted]) - np.median([touch.out for touch in found]) == pytest.approx(8, abs=1.5)


def test_what_does_not_bounce_tells_nothing():
    t = np.arange(8) / 60
    rolls = np.column_stack([300 + 500 * t, 200 * t])
    seen = [Seen(t[i], rolls[i, 0], rolls[i, 1], np.full(4, 1.0)) for i in (slice(0, 4), slice(4, 8))]
    assert touch_of(seen[0], seen[1]) is None
    assert touch_of(Seen(t[:1], rolls[:1, 0], rolls[:1, 1], np.ones(1)), seen[1]) is None


def test_uneven_frames_are_told_from_noise():
    rng = np.random.default_rng(2)

    def ways(jitter: float):
        for _ in range(20):
            t = np.arange(8) / 15
            real = t + rng.normal(0, jitter, 8)
            speed = rng.uniform(800, 2000) * np.array([0.6, 0.8])
            yield np.column_stack([t, speed * real[:, None] + rng.normal(0, 1.0, (8, 2))])

    assert frame_jitter(list(ways(0.008))) == pytest.approx(0.008, rel=0.3)
    assert frame_jitter(list(ways(0.0))) < 0.001
    assert frame_jitter([]) == 0.0
