"""Slow motion is told from how little rolling balls slow down; it decides only where a ball stops in the jaws."""

import numpy as np
import pytest

from vision.breaks import path_of
from vision.pace import pace_doubt, slowing
from vision.pieces import Observations
from vision.shot import Event


def rolling(slow=1.0, loses=80.0, speed=900.0, seconds=3.0, fps=60):
    """The path of a ball that loses so many mm/s each second, filmed `slow` times slower than it goes."""
    t = np.arange(0, seconds * slow, 1 / fps)
    true = t / slow
    x = 300 + speed * true - loses * true**2 / 2
    rng = np.random.default_rng(0)
    xy = np.column_stack([x, np.full_like(x, 500.0)]) + rng.normal(0, 0.6, (len(t), 2))
    return {"white": path_of("white", Observations(t, xy, np.full(len(t), 0.7), np.arange(len(t))))}


@pytest.mark.parametrize(("slow", "loses"), [(1, 45.0), (1, 80.0), (1, 130.0), (2, 45.0), (4, 80.0), (8, 130.0)])
def test_what_balls_lose(slow, loses):
    found = slowing(rolling(slow, loses))
    assert found is not None
    assert found == pytest.approx(loses / slow**2, abs=5)
    assert any(pace_doubt(rolling(slow, loses), ())) is (slow > 1)


def test_too_little_says_nothing():
    assert slowing(rolling(seconds=0.5)) is None
    assert pace_doubt({}, ()) == ((), ())


def test_only_a_stop_in_the_jaws_makes_it_a_doubt():
    paths = rolling(slow=4)
    doubts, notes = pace_doubt(paths, [Event(1.0, "stop", "white", at=(1.0, 1.0))])
    assert not doubts
    assert "slow motion" in notes[0].reason
    doubts, notes = pace_doubt(paths, [Event(1.0, "stop", "white", jaws="foot-left", at=(1.0, 1.0))])
    assert "slow motion" in doubts[0].reason
    assert not notes
