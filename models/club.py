"""A club's own labelled pictures in YOLO's form: reading what correction tools write, and cutting it up for training.

Understood are a folder with data.yaml (our own export, Ultralytics, CVAT's «Ultralytics YOLO Detection»; parts are folders or
lists of files) and one with classes.txt, images and labels (Label Studio's «YOLO with Images»). Classes go by their names.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.errors import UserError
from models.labels import BALLS, CLASSES, SIZE, Mark, MarkedPicture, yolo_text
from models.pictures import UNTOLD

_ENDINGS = (".jpg", ".jpeg", ".png", ".bmp", ".webp")
_BALL = 19.0  # px: diameter in the windows, as vision/detect.py scales pictures
_HELD = 5  # one picture of so many is held out, where the folder does not say which


@dataclass(frozen=True)
class Sample:
    """A picture file and its balls: `labels` (N, 5) class, centre x, y, width, height px from the picture's edge."""

    picture: Path
    labels: NDArray[np.float32]

    @property
    def diameter(self) -> float:
        """Usual diameter of its balls, px; NaN without any."""
        return float(np.median(self.balls[:, 3:5].max(axis=1))) if len(self.balls) else float("nan")

    @property
    def balls(self) -> NDArray[np.float32]:
        """The labels of balls alone, without hands and cues."""
        return self.labels[self.labels[:, 0] < len(BALLS)]

    def read(self) -> NDArray[np.uint8]:
        """The picture, uint8 BGR (H, W, 3). Raises UserError."""
        picture = cv2.imread(str(self.picture), cv2.IMREAD_COLOR)
        if picture is None:
            raise UserError(f"{self.picture}: expected a picture")
        return np.asarray(picture, dtype=np.uint8)


@dataclass(frozen=True)
class ClubSet:
    """`train` to learn from, `held` to check with; no picture is in both."""

    train: tuple[Sample, ...]
    held: tuple[Sample, ...]


def read_club_set(folder: Path) -> ClubSet:
    """Reads a labelled folder.

    Raises:
        UserError: another layout, no pictures, no labels at all, classes that are not ours, a line that is no label.
    """
    if not folder.is_dir():
        raise UserError(f"--data {folder}: expected a folder with data.yaml, images and labels")
    if (folder / "data.yaml").is_file():
        names, train, held = _by_yaml(folder)
    elif (folder / "classes.txt").is_file():
        names = dict(enumerate((folder / "classes.txt").read_text("utf-8-sig").split("\n")))
        names = {n: name.strip() for n, name in names.items() if name.strip()}
        train, held = _below(folder / "images"), []
    else:
        raise UserError(f"{folder}: expected data.yaml or classes.txt beside images and labels (docs/FORMATS.md)")
    kinds = _kinds(folder, names)
    held = [p for p in held if p not in set(train)]
    if not train:
        raise UserError(f"{folder}: expected pictures in images (images/train)")
    if not held:  # the last in order of names, which is that of time: neighbours are too alike to test each other
        share = max(1, len(train) // _HELD)
        train, held = train[:-share], train[-share:]
    if not train:
        raise UserError(f"{folder}: expected at least two pictures, one of them to check with")
    samples = [tuple(_sample(p, kinds) for p in part) for part in (train, held)]
    for part, which in zip(samples, ("to learn from", "held out to check with"), strict=True):
        if not any(len(s.balls) for s in part):
            raise UserError(f"{folder}: expected labelled balls, the label files of the pictures {which} are missing or empty")
    return ClubSet(*samples)


def _by_yaml(folder: Path) -> tuple[dict[int, str], list[Path], list[Path]]:
    import yaml  # comes with the extra `train`

    file = folder / "data.yaml"
    try:
        data: Any = yaml.safe_load(file.read_text("utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError):
        raise UserError(f"{file}: expected YAML with names, train and val") from None
    if not isinstance(data, dict) or "names" not in data or "train" not in data:
        raise UserError(f"{file}: expected names, train and val")
    listed = data["names"]
    names = dict(enumerate(listed)) if isinstance(listed, list) else listed
    if not isinstance(names, dict) or not all(isinstance(k, int) and isinstance(v, str) for k, v in names.items()):
        raise UserError(f"{file}: names: expected the classes, such as 0: white")
    root = folder / str(data.get("path") or ".")
    root = root if root.is_dir() else folder  # `path` is where the folder was when it was written
    return names, _part(file, root, data["train"]), _part(file, root, data.get("val"))


def _part(file: Path, root: Path, given: Any) -> list[Path]:
    """The pictures of a part: a folder, a list of files (.txt), or several of these."""
    if given is None:
        return []
    found: list[Path] = []
    for entry in given if isinstance(given, list) else [given]:
        path = root / str(entry)
        if path.suffix == ".txt" and path.is_file():
            lines = [line.strip() for line in path.read_text("utf-8").splitlines() if line.strip()]
            found += [_listed(path, root, line) for line in lines]
        elif path.is_dir():
            found += _below(path)
        else:
            raise UserError(f"{file}: {entry}: expected a folder of pictures or a list of them (.txt) there")
    return sorted(found)


def _listed(file: Path, root: Path, line: str) -> Path:
    """A picture that a list names: CVAT puts data/ before it."""
    for path in (root / line, root / line.removeprefix("data/")):
        if path.is_file():
            return path
    raise UserError(f"{file}: {line}: picture not found, expected it below {root} (export with the images)")


def _below(folder: Path) -> list[Path]:
    return sorted(p for p in folder.rglob("*") if p.suffix.lower() in _ENDINGS)


def _kinds(folder: Path, names: dict[int, str]) -> dict[int, int]:
    """Number of a class in the folder -> ours."""
    strange = [name for name in names.values() if name not in CLASSES]
    if strange or not names:
        raise UserError(f"{folder}: class {', '.join(strange) or '(none)'} is not the detector's, expected some of {', '.join(CLASSES)}")
    return {n: CLASSES.index(name) for n, name in names.items()}


def _sample(picture: Path, kinds: dict[int, int]) -> Sample:
    parts = list(picture.parts)
    for n in range(len(parts) - 2, -1, -1):  # the last folder called images
        if parts[n] == "images":
            parts[n] = "labels"
            break
    file = Path(*parts).with_suffix(".txt")
    lines = file.read_text("utf-8").splitlines() if file.is_file() else []
    rows = []
    for number, line in enumerate(lines, 1):
        if line.strip():
            rows.append(_row(f"{file}, line {number}", line, kinds))
    if not rows:
        return Sample(picture, np.zeros((0, 5), np.float32))
    height, width = Sample(picture, np.zeros((0, 5), np.float32)).read().shape[:2]
    return Sample(picture, np.array(rows, np.float32) * np.array([1, width, height, width, height], np.float32))


def _row(where: str, line: str, kinds: dict[int, int]) -> list[float]:
    try:
        kind, *box = (float(v) for v in line.split())
    except ValueError:
        raise UserError(f"{where}: expected five numbers: class x y width height") from None
    if len(box) != 4 or not all(0 <= v <= 1 for v in box) or min(box[2:]) <= 0:
        raise UserError(f"{where}: expected class x y width height, the last four as shares of the picture from 0 to 1")
    if kind not in kinds:
        raise UserError(f"{where}: class {kind:g} is not named, expected one of {', '.join(map(str, sorted(kinds)))}")
    return [kinds[int(kind)], *box]


def write_windows(samples: Sequence[Sample], out: Path) -> list[Path]:
    """Square windows of the pictures at the network's scale, in YOLO's form below `out`; returns the pictures.

    The whole picture is cut, so that what is no ball is learnt, too; a picture without balls is scaled as the others are. Where no
    hand, or no cue, is labelled in any picture, nobody looked for them: then nothing is learnt of that class.
    """
    usual = float(np.nanmedian([s.diameter for s in samples]))
    written = []
    for kind in ("images", "labels"):
        (out / kind / "train").mkdir(parents=True, exist_ok=True)
    found = {int(kind) for s in samples for kind in s.labels[:, 0]}
    (out / UNTOLD).write_text("".join(f"{c}\n" for n, c in enumerate(CLASSES) if c not in BALLS and n not in found), "utf-8")
    for n, sample in enumerate(samples):
        scale = _BALL / (usual if np.isnan(sample.diameter) else sample.diameter)
        picture = sample.read()
        how = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
        picture = np.asarray(cv2.resize(picture, None, fx=scale, fy=scale, interpolation=how), dtype=np.uint8)
        labels = sample.labels * np.array([1, scale, scale, scale, scale], np.float32)
        for k, (x0, y0) in enumerate(_corners(picture.shape[1], picture.shape[0])):
            path = out / "images" / "train" / f"{n:05d}_{k:03d}.png"
            cut = picture[y0 : y0 + SIZE, x0 : x0 + SIZE]
            cut = cv2.copyMakeBorder(cut, 0, SIZE - cut.shape[0], 0, SIZE - cut.shape[1], cv2.BORDER_CONSTANT, value=(114, 114, 114))
            cv2.imwrite(str(path), cut)
            mine = labels - np.array([0, x0, y0, 0, 0], np.float32)
            mine = mine[((mine[:, 1:3] >= 0) & (mine[:, 1:3] < SIZE)).all(axis=1)]
            marks = tuple(Mark(CLASSES[int(kind)], *box) for kind, *box in mine.tolist())
            text = yolo_text(MarkedPicture(path.name, "train", SIZE, SIZE, marks))
            (out / "labels" / "train" / path.name).with_suffix(".txt").write_text(text)
            written.append(path)
    return written


def _corners(width: int, height: int) -> list[tuple[int, int]]:
    """Upper left corners of windows that cover a picture, so that each ball lies whole in one; the last ones flush with its edges."""
    step = SIZE - round(1.5 * _BALL)
    across, down = ([*range(0, max(n - SIZE, 0), step), max(n - SIZE, 0)] for n in (width, height))
    return [(x, y) for y in down for x in across]
