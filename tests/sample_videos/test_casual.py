"""An endless match: each stroke goes on from the ruling before, and a spotted ball can lie beside its spot."""

import numpy as np
import pytest

pytest.importorskip("numba")

from sample_videos import physics
from sample_videos.casual import play_match
from sample_videos.sample_script import ruled_by_command
from sample_videos.scenario import parse

pytestmark = [pytest.mark.train, pytest.mark.skipif(not physics.available(), reason="needs pooltool (the simulate extra)")]


def test_strokes_go_on_from_the_rulings_and_a_file_holds_them():
    rows = play_match(np.random.default_rng(3), 2, [8.0], ruled_by_command)
    scenario = parse("\n".join(rows), "casual")
    first, second = scenario.strokes
    assert first.opening and not second.opening
    # the opening made no point: the other one plays, and yellow, put down by hand, lies 8 mm from its spot
    assert scenario.players == (0, 1)
    assert np.hypot(*np.subtract(second.placing["yellow"], (2662.5, 887.5))) == pytest.approx(8, abs=0.02)
