"""Labels of hands and cues: a hand's box is its own, what is covered is not asked for."""

import numpy as np
import pytest

pytest.importorskip("numba")  # bars are those of the renderer: the extra `simulate`

from calibration.camera import Camera

pytestmark = pytest.mark.train


def overhead(high: float = 3000.0, focal: float = 600.0) -> Camera:
    """640 x 640 px from above the origin: a millimetre on the cloth is 0.2 px."""
    rotation = np.array([[1.0, 0, 0], [0, -1.0, 0], [0, 0, -1.0]])
    eye = np.array([0.0, 0.0, high])
    return Camera(640, 640, focal, (319.5, 319.5), (0.0, 0.0, 0.0, 0.0, 0.0), rotation, -rotation @ eye)


def test_a_hand_is_boxed_without_its_arm_and_a_tip_lies_in_the_middle():
    from models.things import things
    from sample_videos.render.people import arm, cue, hand

    people = [*hand((0, 0, 0), (1, 0)), *arm((-50, 8, 45), (-600, 100, 420)), *cue((300, 100, 40), (1, 0, -0.05))]
    marks = {m.colour: m for m in things(people, overhead(), 68.0)}
    assert set(marks) == {"hand", "cue"}
    assert 320 + 0.2 * 90 < marks["hand"].x + marks["hand"].width / 2 < 320 + 0.2 * 115, "the fingers' ends"
    assert marks["hand"].width < 0.2 * 190 and 0.2 * 70 < marks["hand"].height < 0.2 * 140
    tip = marks["cue"]
    assert tip.x == pytest.approx(320 + 600 * 300 / 2960, abs=0.01) and tip.y == pytest.approx(320 - 600 * 100 / 2960, abs=0.01)
    assert tip.width == tip.height == pytest.approx(2 * 68 * 600 / 2960)


def test_two_hands_are_two_and_a_covered_one_is_none():
    from models.things import things
    from sample_videos.render.people import Capsule, as_hand, cue, hand

    two = [*hand((0, 0, 0), (1, 0)), Capsule((0, 0, 20), (0, 0, 21), 1, 1, (0, 0, 0)), *hand((500, 200, 0), (0, 1))]
    assert [m.colour for m in things(two, overhead(), 68.0)] == ["hand", "hand"]
    head = Capsule((0, 0, 500), (0, 0, 520), 150, 150, (0.1, 0.1, 0.1))
    assert [m.x > 350 for m in things([*two, head], overhead(), 68.0)] == [True]
    assert things([*cue((0, 0, 40), (1, 0, 0)), head], overhead(), 68.0) == []
    far = as_hand([Capsule((5000, 0, 20), (5050, 0, 20), 40, 40, (0.8, 0.6, 0.5))])
    assert things([*far, *cue((5000, 0, 40), (1, 0, 0))], overhead(), 68.0) == [], "outside the picture"
