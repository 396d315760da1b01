"""The table behind the balls is learnt in grainy pictures as in clean ones."""

from fractions import Fraction

import cv2
import numpy as np
import pytest

from vision.frames import frame_of_bgr
from vision.patch import Background, Box

SHAPE = (96, 160)


def _picture(rng, grain, thing=False):
    shown = np.full((*SHAPE, 3), (70, 110, 60), np.float32)
    if thing:
        cv2.circle(shown, (80, 48), 14, (150, 170, 190), -1)
    return frame_of_bgr(np.clip(shown + rng.normal(0, grain, SHAPE)[..., None] + 0.5, 0, 255).astype(np.uint8), time=Fraction(0))


@pytest.mark.parametrize("grain", [1.0, 4.0, 9.0])
def test_what_stays_is_adopted_whatever_the_grain(grain):
    rng = np.random.default_rng(3)
    background = Background(_picture(rng, grain), [])
    for _ in range(4):
        background.look(_picture(rng, grain), [])
    assert background.strange < 12  # pixels at half the size that grain alone makes strange
    for _ in range(8):
        background.look(_picture(rng, grain, thing=True), [])
    inside = background.patch(Box(76, 44, 84, 52))[..., 0]
    assert float(inside.mean()) == pytest.approx(float(_picture(rng, 0.0, thing=True).y[44:52, 76:84].mean()), abs=1.0 + grain / 2)


def test_a_thing_that_has_just_come_is_strange_in_grainy_pictures_too():
    rng = np.random.default_rng(4)
    background = Background(_picture(rng, 6.0), [])
    for _ in range(4):
        background.look(_picture(rng, 6.0), [])
    background.look(_picture(rng, 6.0, thing=True), [])
    assert background.strange > 0.8 * np.pi * 14**2 / 4
