"""Figures of a detector on labelled pictures, against a detector that says what it is told."""

import cv2
import numpy as np
import pytest

from models.club import Sample
from vision.detect import Detection
from vision.score import Figures, scored


class Told:
    """Says the same of every picture."""

    def __init__(self, *found: Detection):
        self.found = list(found)

    def detect(self, picture, *, ball_px):
        return self.found


def test_right_wrong_missed_and_miscoloured_are_counted(tmp_path):
    file = tmp_path / "a.png"
    cv2.imwrite(str(file), np.zeros((100, 100, 3), np.uint8))
    sample = Sample(file, np.array([[0, 20.5, 20.5, 20, 20], [2, 60.5, 60.5, 20, 20], [3, 90.5, 20.5, 20, 20]], np.float32))
    white, pink, ghost = (Detection(c, x, y, 20, 0.9) for c, x, y in (("white", 22, 20), ("other", 60, 69), ("red", 45, 20)))
    got = scored(Told(white, pink, ghost), [sample])  # pyright: ignore[reportArgumentType]
    assert got == Figures(balls=3, found=3, right=2, coloured=1)
    assert (got.precision, got.recall, got.colour) == pytest.approx((2 / 3, 2 / 3, 1 / 2)) and got.whole == pytest.approx(1 / 3)


def test_an_empty_picture_is_right_if_nothing_is_found(tmp_path):
    file = tmp_path / "a.png"
    cv2.imwrite(str(file), np.zeros((50, 50, 3), np.uint8))
    empty = Sample(file, np.zeros((0, 5), np.float32))
    assert scored(Told(), [empty]).whole == 1  # pyright: ignore[reportArgumentType]
    assert scored(Told(Detection("red", 20, 20, 10, 0.9)), [empty]).whole == 0  # pyright: ignore[reportArgumentType]
