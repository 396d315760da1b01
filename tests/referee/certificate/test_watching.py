"""A drawn protocol, watched: places of laid balls, a roll and its bounce, noise, light."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from calibration.certify.certificate import certify
from referee.certificate.guide import Guide, follow
from referee.certificate.watching import Watching
from tests.vision.tables import Scene, profile
from vision.frames import frame_of_bgr

RATE = 30
SCENE = Scene(profile(width=960, height=540))
BALLS = ("white", "yellow", "red", "black")
LAID = {"yellow": (887.5, 887.5), "red": (2662.5, 887.5), "black": (2300.0, 34.0)}


def rolling(t: float) -> tuple[float, float]:
    """White rolls along to the foot cushion, comes back and slows down to rest within a second."""
    back = min(max(0.0, t - (3516 - 1000) / 2000), 1.0)
    return (1000 + 2000 * t if back == 0 else 3516 - 900 * back + 450 * back**2, 1300.0)


def frames(rest: float = 1.5, roll: float = 2.3):
    """A still table, then the roll, then a still table again."""
    for k in range(round((2 * rest + roll) * RATE)):
        t = k / RATE - rest
        spots = rolling(min(max(t, 0.0), roll)) if t > 0 else rolling(0.0)
        blurred = np.array([rolling(t + s) for s in np.linspace(-0.002, 0.002, 5)]) if 0 < t < roll else spots
        yield frame_of_bgr(SCENE.picture({**LAID, "white": blurred}, noise=2.0), k, Fraction(k, RATE))


@pytest.fixture(scope="module")
def observed():
    watching = Watching(SCENE.profile, BALLS)
    for frame in frames():
        watching.take(frame)
    watching.finish()
    return watching.observed("drawn")


def test_rests_are_where_balls_were_laid(observed) -> None:
    for ball, place in LAID.items():
        rest = next(r for r in observed.rests if r.ball == ball)
        assert np.hypot(rest.at[0] - place[0], rest.at[1] - place[1]) < 3.0
        assert 0 < rest.jitter_px < 0.3 and not rest.rolled


def test_the_roll_and_where_it_ended(observed) -> None:
    runs = [r for r in observed.runs if r.ball == "white"]
    assert max(r.length for r in runs) > 2000
    assert [r.rolled for r in observed.rests if r.ball == "white"][-1]


def test_still_and_light(observed) -> None:
    assert observed.still is not None and observed.still.end - observed.still.start > 0.8 and observed.still.noise > 0.3
    assert observed.light is not None and {b.ball for b in observed.light.balls} == set(BALLS)
    assert min(b.contrast for b in observed.light.balls) > 15
    assert observed.clock.rate == pytest.approx(RATE) and observed.clock.doubled == 0


def test_the_certificate_of_it(observed) -> None:
    found = certify(SCENE.profile, observed)
    assert {name for k in found.knowns for name in k.names} == {"home-spot", "pyramid-spot", "right"}
    assert all(k.miss < 3.0 for k in found.knowns)
    (bounce,) = found.bounces
    assert bounce.cushion == "foot" and abs(bounce.off) < 5.0
    assert found.steps == {"places": False, "roll_along": True, "roll_across": False, "bounce": True, "still": True}


def test_the_guide_asks_for_what_is_missing() -> None:
    from calibration.certify.protocol import standard

    guide, said = Guide(SCENE.profile, standard(SCENE.profile.table), "en"), []
    follow(frames(1.2, 0.0), Watching(SCENE.profile, BALLS), guide, "drawn", said.append, lambda: False)
    assert any("✓ yellow: the home spot" in line for line in said)
    assert [line for line in said if line.startswith("→")][-1].startswith("→ Lay balls")
    assert not guide.done


def test_enter_skips_and_ends() -> None:
    from calibration.certify.protocol import standard

    guide, said = Guide(SCENE.profile, standard(SCENE.profile.table), "ru"), []
    watching = Watching(SCENE.profile, BALLS)
    follow(frames(0.5, 0.0), watching, guide, "drawn", said.append, lambda: True)
    assert guide.done and watching.frames == 5
