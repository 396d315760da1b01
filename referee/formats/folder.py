"""The folder that `analyze` wrote, opened for reading again."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from calibration.errors import UserError
from calibration.profile import Profile, read_profile
from referee.analyze import PROFILE, SOURCE


@dataclass(frozen=True, slots=True)
class Place:
    """One ball in one frame: `x`, `y`, `sigma` mm, `t` s of the video; `state` is seen or hidden."""

    ball: str
    t: float
    x: float
    y: float
    sigma: float
    state: str


@dataclass(frozen=True)
class Analysis:
    """`document` is match.json; frames of tracks.csv are read as they are asked for, so memory does not grow with length."""

    folder: Path
    document: dict[str, Any]

    @property
    def name(self) -> str:
        """What files made of this analysis are called after: the video's name without its ending."""
        return Path(self.document["video"]["file"]).stem or self.folder.name

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the video, px."""
        return self.document["video"]["width"], self.document["video"]["height"]

    def profile(self, other: Path | None = None) -> Profile:
        """The camera that the places were measured with, or the one of the file `other`. Raises UserError."""
        path = other or self.folder / PROFILE
        if not path.is_file():
            raise UserError(f"{path}: the profile is missing, expected one beside match.json or --profile")
        profile = read_profile(path)
        profile.check(*self.size)
        return profile

    def frames(self) -> Iterator[tuple[int, float, list[Place]]]:
        """Number, time stamp (s) and the balls with a place of every frame, in order. Raises UserError."""
        path = self.folder / "tracks.csv"
        if not path.is_file():
            raise UserError(f"{path}: not found, expected the tracks beside match.json")
        with path.open(newline="", encoding="utf-8") as file:
            try:
                for frame, rows in groupby(csv.DictReader(file), key=lambda row: int(row["frame"])):
                    same = list(rows)
                    yield frame, float(same[0]["video_t"]), [_place(row) for row in same if row["x_mm"]]
            except (KeyError, ValueError, TypeError) as error:
                raise UserError(f"{path}: expected rows of frame,video_t,ball,x_mm,y_mm,sigma_mm,state ({error})") from None

    def video(self, given: Sequence[Path] = ()) -> Path:
        """The video that was analyzed: among `given` files and folders, where it was, or beside the results.

        Raises:
            UserError: it is in none of these places.
        """
        name = self.document["video"]["file"]
        places = [path / name if path.is_dir() else path for path in given]
        if given and not any(path.is_dir() for path in given) and len(given) == 1:
            places = list(given)
        else:
            places = [path for path in places if path.name == name]
        source = self.folder / SOURCE
        if not given and source.is_file():
            try:
                places.append(Path(json.loads(source.read_text("utf-8"))["video"]))
            except (ValueError, KeyError, TypeError):
                raise UserError(f'{source}: expected {{"video": "…"}}') from None
        if not given:
            places += [self.folder / name, self.folder.parent / name]
        found = next((path for path in places if path.is_file()), None)
        if found is None:
            raise UserError(f"{name}: the video of {self.folder} was not found, expected --video FILE or the folder it is in")
        return found


def _place(row: dict[str, str]) -> Place:
    return Place(row["ball"], float(row["video_t"]), float(row["x_mm"]), float(row["y_mm"]), float(row["sigma_mm"] or 0.0), row["state"])


def open_analysis(folder: Path) -> Analysis:
    """Reads match.json of a folder (or the file itself).

    Raises:
        UserError: there is none, or it is not what `analyze` writes.
    """
    path = folder if folder.is_file() else folder / "match.json"
    if not path.is_file():
        raise UserError(f"{path}: not found, expected a folder that analyze wrote")
    try:
        document = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise UserError(f"{path}: expected match.json of analyze ({error})") from None
    _check(path, document)
    return Analysis(path.parent, document)


def _check(path: Path, document: Any) -> None:
    """The fields that the formats rest on."""
    video = document.get("video") if isinstance(document, dict) else None
    if not isinstance(video, dict) or not all(isinstance(video.get(k), int) for k in ("width", "height")) or "file" not in video:
        raise UserError(f"{path}: video: expected file, width and height")
    shots = document.get("shots")
    if not isinstance(shots, list):
        raise UserError(f"{path}: shots: expected a list")
    for number, shot in enumerate(shots, 1):
        for field in ("index", "start_t", "end_t", "events", "ruling", "review"):
            if not isinstance(shot, dict) or field not in shot:
                raise UserError(f"{path}: shots[{number}].{field}: missing")


def analyses(places: Sequence[Path]) -> list[Analysis]:
    """All analyses in folders: each folder itself, or the folders in it (as `batch` leaves them), by name.

    Raises:
        UserError: a place without any.
    """
    found: list[Analysis] = []
    for place in places:
        if place.is_file() or (place / "match.json").is_file():
            found.append(open_analysis(place))
            continue
        inside = sorted(path.parent for path in place.glob("*/match.json")) if place.is_dir() else []
        if not inside:
            raise UserError(f"{place}: no match.json there, expected a folder that analyze or batch wrote")
        found += [open_analysis(path) for path in inside]
    return found
