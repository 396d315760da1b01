"""A club's labelled folder: what correction tools write is read, mistakes are named in one line, windows keep balls in place."""

from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.errors import UserError
from models.club import Sample, read_club_set, write_windows
from models.labels import data_yaml
from models.pictures import UNTOLD, read_labels

pytest.importorskip("yaml")
BALL = "2 0.5 0.25 0.05 0.1\n"


def folder(root: Path, names: dict[str, str | None], yaml: str | None = None) -> Path:
    """Pictures of 400x200 px (`part/name`) with the text of their labels (None: no file)."""
    for name, text in names.items():
        picture = root / "images" / f"{name}.png"
        picture.parent.mkdir(parents=True, exist_ok=True)
        cv2.imwrite(str(picture), np.full((200, 400, 3), 90, np.uint8))
        if text is not None:
            labels = root / "labels" / f"{name}.txt"
            labels.parent.mkdir(parents=True, exist_ok=True)
            labels.write_text(text)
    (root / "data.yaml").write_text(data_yaml() if yaml is None else yaml)
    return root


def test_our_own_export_is_read(tmp_path):
    found = read_club_set(folder(tmp_path, {"train/a": BALL, "train/b": None, "val/c": BALL}))
    assert [s.picture.stem for s in found.train] == ["a", "b"] and [s.picture.stem for s in found.held] == ["c"]
    assert found.train[0].labels.tolist() == [[2, 200, 50, 20, 20]] and found.train[0].diameter == 20
    assert len(found.train[1].labels) == 0


def test_lists_of_cvat_are_read_and_the_last_fifth_is_held_out(tmp_path):
    yaml = "path: ./\ntrain: train.txt\nnames:\n  0: red\n  1: white\n  2: yellow\n"
    root = folder(tmp_path, {f"train/{n}": BALL for n in range(6)}, yaml)
    (root / "train.txt").write_text("".join(f"data/images/train/{n}.png\n" for n in range(6)))
    found = read_club_set(root)
    assert [s.picture.stem for s in found.held] == ["5"] and len(found.train) == 5
    assert found.train[0].labels[0, 0] == 1, "class 2 of this folder is yellow, which is ours number 1"


def test_label_studio_is_read(tmp_path):
    root = folder(tmp_path, {"a": BALL, "b": BALL})
    (root / "data.yaml").unlink()
    (root / "classes.txt").write_text("black\nother\nred\nwhite\nyellow\n")
    found = read_club_set(root)
    assert found.train[0].labels[0, 0] == 2 and len(found.held) == 1


@pytest.mark.parametrize(
    ("names", "yaml", "said"),
    [
        ({"train/a": BALL, "val/b": BALL}, "train: images/train\nnames: [white, green]\n", "class green is not the detector's"),
        ({"train/a": BALL, "val/b": BALL}, "names: [white]\n", "expected names, train and val"),
        ({"train/a": BALL, "val/b": BALL}, "names: {0: [\n", "expected YAML"),
        ({"train/a": BALL, "val/b": BALL}, "train: elsewhere\nnames: [white, yellow, red]\n", "elsewhere: expected a folder"),
        ({"train/a": "", "val/b": BALL}, None, "pictures to learn from are missing or empty"),
        ({"train/a": BALL, "val/b": None}, None, "held out to check with are missing or empty"),
        ({"train/a": "7 0.5 0.5 0.1 0.1", "val/b": BALL}, None, "line 1: class 7 is not named"),
        ({"train/a": "0 0.5 0.5 0.1", "val/b": BALL}, None, "expected class x y width height"),
        ({"train/a": "0 0.5 0.5 40 40", "val/b": BALL}, None, "as shares of the picture"),
        ({"train/a": "white 0.5 0.5 0.1 0.1", "val/b": BALL}, None, "expected five numbers"),
        ({"train/a": BALL}, "train: images/train\nnames: [white, yellow, red]\n", "at least two pictures"),
    ],
)
def test_mistakes_are_named(tmp_path, names, yaml, said):
    with pytest.raises(UserError, match=said):
        read_club_set(folder(tmp_path, names, yaml))


def test_a_folder_without_layout_or_pictures_is_named(tmp_path):
    with pytest.raises(UserError, match=r"expected data\.yaml or classes\.txt"):
        read_club_set(tmp_path)
    with pytest.raises(UserError, match="expected a folder with data"):
        read_club_set(tmp_path / "none")
    (tmp_path / "images" / "train").mkdir(parents=True)
    (tmp_path / "data.yaml").write_text("train: images/train\nnames: [white]\n")
    with pytest.raises(UserError, match="expected pictures in images"):
        read_club_set(tmp_path)
    (tmp_path / "images" / "train" / "a.jpg").write_text("no picture")
    (tmp_path / "images" / "train" / "b.jpg").write_text("no picture")
    (tmp_path / "labels" / "train").mkdir(parents=True)
    (tmp_path / "labels" / "train" / "a.txt").write_text("0 0.5 0.5 0.1 0.1\n")
    with pytest.raises(UserError, match=r"a\.jpg: expected a picture"):
        read_club_set(tmp_path)


def test_windows_keep_balls_in_place(tmp_path):
    """Each ball lies in the window where its disc is drawn, at the network's scale, and none is lost."""
    picture = np.full((700, 1100, 3), 60, np.uint8)
    places = [(60.0, 80.0), (1010.0, 640.0), (541.0, 333.0)]
    for x, y in places:
        cv2.circle(picture, (int(x), int(y)), 16, (255, 255, 255), cv2.FILLED)
    file = tmp_path / "a.png"
    cv2.imwrite(str(file), picture)
    labels = np.array([[0, x + 0.5, y + 0.5, 33, 33] for x, y in places], np.float32)
    seen = 0
    for window in write_windows([Sample(file, labels)], tmp_path / "windows"):
        shown = cv2.imread(str(window))
        assert shown is not None and shown.shape == (320, 320, 3)
        for _, x, y, w, _ in read_labels(window):
            assert abs(w * 320 - 19) < 0.5
            if 0.04 < x < 0.96 and 0.04 < y < 0.96:
                assert shown[int(y * 320), int(x * 320)].min() > 240
                seen += 1
    assert seen >= len(places)


def test_hands_are_learnt_of_only_where_somebody_labelled_them(tmp_path):
    root = folder(tmp_path, {"train/a": BALL + "5 0.5 0.5 0.2 0.4\n", "val/b": BALL})
    found = read_club_set(root)
    assert len(found.train[0].labels) == 2 and len(found.train[0].balls) == 1 and found.train[0].diameter == 20
    write_windows(found.train, tmp_path / "with")
    write_windows(found.held, tmp_path / "without")
    assert (tmp_path / "with" / UNTOLD).read_text() == "cue\n" and (tmp_path / "without" / UNTOLD).read_text() == "hand\ncue\n"
