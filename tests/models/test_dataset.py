"""Training pictures: labels lie on the balls, in the files' own form, and a random likeness keeps them there."""

import json

import cv2
import numpy as np
import pytest

pytest.importorskip("numba")  # pictures are rendered: the extra `simulate`

from calibration.errors import UserError
from models.dataset import class_of, draw_picture, write_dataset
from models.labels import BALLS, CLASSES
from models.pictures import UNTOLD, USUAL, as_batch, batches, changed, classes_told, misleading, picture_files, read_labels
from vision import detect

pytestmark = pytest.mark.train


def test_names_have_classes():
    assert [class_of(n) for n in ("white", "red#3", "blue", "orange#2")] == ["white", "red", "other", "other"]


def test_pictures_are_made_the_same_again():
    first, second = draw_picture(11, 128), draw_picture(11, 128)
    assert np.array_equal(first[0], second[0]) and first[1] == second[1]


def test_a_dataset_is_written_whole(tmp_path):
    out = tmp_path / "data"
    balls = write_dataset(out, 6, seed=4, size=128)
    files = picture_files(out)
    assert len(files) == 5 and len(picture_files(out, "val")) == 1
    labels = [read_labels(f) for f in [*files, *picture_files(out, "val")]]
    assert sum(int((rows[:, 0] < len(BALLS)).sum()) for rows in labels) == balls > 0
    for rows in labels:
        assert ((rows[:, 0] >= 0) & (rows[:, 0] < len(CLASSES))).all()
        assert ((rows[:, 1:3] >= 0) & (rows[:, 1:3] <= 1)).all()
        assert (rows[:, 3] == rows[:, 4])[rows[:, 0] != CLASSES.index("hand")].all(), "discs and tips have square boxes"
    assert "train: images/train" in (out / "data.yaml").read_text()
    with pytest.raises(UserError, match="new or empty folder"):
        write_dataset(out, 6)
    with pytest.raises(UserError, match="multiple of 32"):
        write_dataset(tmp_path / "other", 6, size=100)


def test_random_likenesses_keep_labels_on_the_balls():
    picture = np.zeros((160, 160, 3), np.uint8)
    cv2.circle(picture, (60, 90), 12, (255, 255, 255), cv2.FILLED)
    labels = np.array([[0, 60.5 / 160, 90.5 / 160, 25 / 160, 25 / 160]], np.float32)
    seen = 0
    for seed in range(30):
        shown, rows = changed(np.random.default_rng(seed), picture, labels)
        light = shown.min(axis=2).astype(float)
        light[light < 0.8 * light.max()] = 0  # the border may be filled with grey
        if not len(rows) or (rows[0, 1:3] - rows[0, 3] / 2 < 0.02).any() or (rows[0, 1:3] + rows[0, 3] / 2 > 0.98).any():
            continue
        ys, xs = np.nonzero(light)
        centre = (np.array([xs.mean(), ys.mean()]) + 0.5) / 160
        assert np.abs(centre - rows[0, 1:3]).max() < 0.8 / 160
        assert np.ptp(xs) + 1 == pytest.approx(rows[0, 3] * 160, abs=4)
        seen += 1
    assert seen > 10


def test_windows_show_balls_as_wide_as_the_detector_does_and_little_margin():
    picture = np.full((160, 160, 3), 200, np.uint8)
    for diameter in (9, 19, 30):
        labels = np.array([[0, 0.5, 0.1, diameter / 160, diameter / 160]], np.float32)
        seen = [changed(np.random.default_rng(seed), picture, labels, 96) for seed in range(40)]
        wide = np.array([rows[0, 3] * 96 for _, rows in seen if len(rows)])
        assert len(wide) >= 26, "the ball is in view mostly"
        assert (np.abs(np.log(wide / USUAL)) < 0.4).mean() > 0.4
        assert np.mean([bool((shown.std(axis=(0, 1)) < 12).all()) for shown, _ in seen]) > 0.25, "no margin in more than turned ones"


def test_balls_are_learnt_as_wide_as_the_detector_shows_them():
    assert detect._BEST == USUAL


def test_a_ball_of_another_game_that_looks_white_is_not_learnt_from(tmp_path):
    for part in ("images", "labels"):
        (tmp_path / part / "train").mkdir(parents=True)
    for name, kind, colour in (("white", 0, (240, 245, 250)), ("bleached", 4, (240, 245, 250)), ("pink", 4, (150, 140, 235))):
        picture = np.full((96, 96, 3), (60, 120, 30), np.uint8)
        cv2.circle(picture, (40, 50), 10, colour, cv2.FILLED)
        cv2.imwrite(str(tmp_path / "images" / "train" / f"{name}.png"), picture)
        (tmp_path / "labels" / "train" / f"{name}.txt").write_text(f"{kind} {40.5 / 96:.4f} {50.5 / 96:.4f} 0.2188 0.2188\n")
    assert [f.stem for f in picture_files(tmp_path) if misleading(f)] == ["bleached"]


def test_a_turned_hand_has_a_turned_box_and_a_turned_ball_its_own():
    picture = np.zeros((160, 160, 3), np.uint8)
    labels = np.array([[5, 0.5, 0.5, 0.4, 0.1], [0, 0.5, 0.5, 0.2, 0.2]], np.float32)
    shapes = set()
    for seed in range(20):
        _, rows = changed(np.random.default_rng(seed), picture, labels)
        for kind, _, _, w, h in rows:
            assert kind or w == h
            if kind:
                shapes.add(bool(w > h))
    assert shapes == {True, False}


def test_a_folder_may_tell_nothing_of_a_class(tmp_path):
    write_dataset(tmp_path / "data", 4, seed=2, size=64)
    (tmp_path / "data" / UNTOLD).write_text("hand\n")
    classes_told.cache_clear()
    (batch,) = batches(picture_files(tmp_path / "data")[:2], 2, seed=0)
    assert batch.told is not None and batch.told.tolist() == [[True] * 5 + [False, True]] * 2


def test_batches_hold_every_picture_once(tmp_path):
    write_dataset(tmp_path / "data", 9, seed=2, size=64)
    files = picture_files(tmp_path / "data")
    got = list(batches(files, 4, seed=0))
    assert [b.pictures.shape for b in got] == [(4, 3, 64, 64)] * 2
    assert all(b.pictures.dtype == np.float32 and b.pictures.min() >= 0 and b.pictures.max() <= 1 for b in got)
    one = as_batch([(np.zeros((64, 64, 3), np.uint8), np.zeros((0, 5), np.float32))])
    assert one.labels.shape == (0, 6)


def test_bad_folders_and_labels_are_named(tmp_path):
    with pytest.raises(UserError, match="expected pictures in images/train"):
        picture_files(tmp_path)
    (tmp_path / "images" / "train").mkdir(parents=True)
    (tmp_path / "labels" / "train").mkdir(parents=True)
    (tmp_path / "labels" / "train" / "a.txt").write_text("0 0.5 half 0.1 0.1\n")
    with pytest.raises(UserError, match=r"a\.txt: expected lines of five numbers"):
        read_labels(tmp_path / "images" / "train" / "a.jpg")


def test_hard_negatives_show_no_ball_of_the_game(tmp_path):
    assert {b.colour for seed in range(4) for b in draw_picture(seed, 96, hard=True)[1]} <= {"other", "hand", "cue"}
    write_dataset(tmp_path / "data", 4, seed=1, size=64, negatives=1.0)
    document = json.loads((tmp_path / "data" / "coco_train.json").read_text())
    assert len(document["images"]) == 3 and {m["category_id"] for m in document["annotations"]} <= {5, 6, 7}
    with pytest.raises(UserError, match="expected 0 to 1"):
        write_dataset(tmp_path / "more", 4, negatives=1.5)
