"""The tables of the model card: average precision as COCO counts it, and what a resting ball and a lasting ghost are."""

import numpy as np
import pytest

from tests.bench.detector_ap import LEVELS, Box, Shown, overlap, precision, raw
from tests.bench.detector_clips import Watch, _end, _followed, _strange, resting
from tests.bench.detector_failures import failures
from vision.detect import Detection

BLANK = np.zeros((64, 64, 3), np.uint8)
ITEM = Shown(BLANK, np.array([[2, 20, 20, 10, 10], [2, 50, 20, 10, 10], [0, 20, 50, 30, 30]], np.float32))


def box(kind: int, x: float, y: float, side: float, score: float) -> Box:
    return Box(kind, x - side / 2, y - side / 2, x + side / 2, y + side / 2, score)


def test_perfect_boxes_have_full_precision_and_false_ones_cost_it():
    right = [box(2, 20, 20, 10, 0.9), box(2, 50, 20, 10, 0.8)]
    found = precision([ITEM], [right], {2})
    assert (found.n, found.at_50, found.mean) == (2, pytest.approx(1.0), pytest.approx(1.0))
    first_wrong = [box(2, 35, 50, 10, 0.95), *right]
    assert precision([ITEM], [first_wrong], {2}).at_50 == pytest.approx(2 / 3, abs=0.01)
    assert precision([ITEM], [[*right, box(2, 20, 20, 10, 0.5)]], {2}).at_50 == pytest.approx(1.0), "a double comes last"
    assert precision([ITEM], [right[:1]], {2}).at_50 == pytest.approx(0.5, abs=0.01)
    assert np.isnan(precision([ITEM], [right], {3}).mean)


def test_a_shifted_box_is_right_at_low_levels_only():
    shifted = precision([ITEM], [[box(2, 22, 20, 10, 0.9), box(2, 52, 20, 10, 0.8)]], {2})  # IoU 2/3
    assert shifted.at_50 == pytest.approx(1.0) and shifted.mean == pytest.approx(float((LEVELS <= 2 / 3).mean()))
    assert overlap(np.array([[0, 0, 2, 2.0]]), np.array([[1, 0, 3, 2.0]])).item() == pytest.approx(1 / 3)


def test_other_sizes_count_neither_way():
    seen = [box(2, 20, 20, 10, 0.9), box(2, 50, 20, 10, 0.8), box(0, 20, 50, 30, 0.7), box(0, 50, 50, 30, 0.95)]
    small = precision([ITEM], [seen], {0, 1, 2, 3, 4}, (0, 12))
    assert (small.n, small.at_50) == (2, pytest.approx(1.0))
    assert precision([ITEM], [seen], {0, 1, 2, 3, 4}, (24, 99)).at_50 == pytest.approx(0.5, abs=0.01)


def test_a_networks_rows_become_boxes_once():
    out = np.zeros((11, 3), np.float32)
    out[:4] = np.array([[20, 20, 10, 10], [20.5, 20, 10, 10], [50, 20, 10, 10]]).T
    out[4 + 2] = (0.9, 0.8, 0.6)
    assert [(b.kind, round(b.score, 2)) for b in raw(lambda blob: out)(ITEM)] == [(2, 0.9), (2, 0.6)]
    ended = np.array([[15, 15, 25, 25, 0.9, 2], [0, 0, 5, 5, 0.001, 1]], np.float32)
    (only,) = raw(lambda blob: ended)(ITEM)
    assert only[:5] == (2, 15, 15, 25, 25) and only.score == pytest.approx(0.9)


def test_a_ball_rests_while_its_label_stays():
    rows = {n: [("red", 100.0 if n < 8 else 100.0 + 3 * (n - 8), 50.0)] for n in range(12)}
    assert resting(rows, 3, rows[3][0], 20) and not resting(rows, 9, rows[9][0], 20)
    assert not resting(rows, 1, rows[1][0], 20), "the frames before are not known"


def test_a_ghost_counts_from_three_frames_on():
    rows = {n: [("red", 100.0, 50.0)] for n in range(10)}
    bed = np.array([(0, 0), (200, 0), (200, 100), (0, 100)], float)
    ball, ghost = Detection("red", 101, 50, 20, 0.9), Detection("black", 150, 50, 20, 0.5)
    assert _strange([ball, ghost], rows, 5, 20) == [ghost]
    for lasting, counted in ((2, []), (4, [(1, 4, "black", True)])):
        watch, alive = Watch(), []
        for n in range(1, 8):
            alive = _followed(alive, [ghost] if n <= lasting else [], n, bed, 20, watch, 1)
        _end(alive, watch, 1)
        assert watch.ghosts == counted


def test_failures_are_false_missed_and_miscalled():
    found = [Detection("red", 10, 10, 10, 0.9), Detection("black", 50, 50, 10, 0.5), Detection("other", 90, 10, 10, 0.6)]
    balls = [("brown", 11.0, 10.0), ("blue", 90.0, 11.0), ("white", 30.0, 90.0), ("unknown", 52.0, 50.0)]
    assert sorted(f[:2] for f in failures(found, balls, 10)) == [("colour", "brown as red 0.90"), ("missed", "missed white")]
    assert [f[0] for f in failures(found, [], 10)] == ["false"] * 3
