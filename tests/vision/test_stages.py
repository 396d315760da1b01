"""Where the time goes: the stages of an analysis, and that they make up the whole."""

import time

import pytest

from vision.stages import Stages


def test_a_stage_that_comes_again_is_added_to():
    stages = Stages()
    for stage in ("a", "b", "a"):
        with stages(stage):
            time.sleep(0.002)
    assert list(stages.seconds) == ["a", "b"]
    assert stages.seconds["a"] >= 0.004


def test_time_up_to_an_error_counts():
    stages = Stages()
    with pytest.raises(KeyError), stages("a"):
        raise KeyError
    assert list(stages.seconds) == ["a"]
