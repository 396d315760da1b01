"""Profiles by camera: found beside the videos, or calibrated once for each camera and shared among its videos.

A camera is a view (`views.Reference`) in one folder at one picture size; what was asked of the table and the house belongs
to it. Which video a camera is calibrated on depends only on the order of the videos, not on the number of workers.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from calibration.errors import UserError
from calibration.profile import Profile, read_profile, write_atomic, write_profile
from referee.batch.folders import Folder
from referee.batch.jobs import Job, Outcome
from referee.batch.ledger import digest_of_file
from referee.batch.settings import Settings, is_address
from referee.batch.views import Reference

Kin = tuple[Any, ...]  # videos that can share a camera have the same


@dataclass(frozen=True, slots=True)
class Wanted:
    """A video without a profile of its own. `pictures`: its small views; `candidates`: profiles of its picture size."""

    index: int
    video: str
    name: str
    content: str
    kin: Kin
    settings: Settings
    pictures: Sequence[bytes]
    candidates: tuple[str, ...]
    memory: int


@dataclass(slots=True)
class Camera:
    """`how` and `reprojection_mm` (exact) are of a calibration made here, `content` of the video that it was made on."""

    kin: Kin
    profile: str
    digest: str
    corners: Sequence[Sequence[float]]
    views: Sequence[bytes]
    how: str = ""
    leader: str = ""
    content: str = ""
    reprojection_mm: float | None = None
    _reference: Reference | None = field(default=None, repr=False)

    def shows(self, views: Sequence[bytes]) -> bool:
        if self._reference is None:
            self._reference = Reference(self.views, self.corners, (self.kin[1], self.kin[2]))
        return self._reference.shows(views)

    def note(self, content: str) -> str:
        """What a reader of a match should know: on what the table was found. As `analyze` says it for the video itself."""
        return self.how if content == self.content else self.how.replace("the video itself", f"{self.leader}, by the same camera")


def kin_of(video: str, width: int, height: int, settings: Settings) -> Kin:
    folder = video.rpartition("/")[0] if is_address(video) else str(Path(video).parent)
    return (folder, width, height, settings.table, settings.size, settings.ball_mm, settings.home)


class Cameras:
    """The cameras known in an output folder."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self._store = folder.inner / "cameras"
        self.all: list[Camera] = list(self._stored())

    def _stored(self) -> Iterator[Camera]:
        for path in sorted(self._store.glob("camera-*.json"), key=lambda p: (len(p.name), p.name)):
            profile = self._folder.profiles / f"{path.stem}.toml"
            try:
                data = json.loads(path.read_text("utf-8"))
                seen = read_profile(profile)
                views = [base64.b64decode(view) for view in data.pop("views")]
                camera = Camera(**data | {"kin": tuple(data["kin"]), "profile": str(profile), "views": views, "corners": seen.corners_px})
            except (OSError, ValueError, KeyError, TypeError, UserError):
                continue  # removed or not ours: calibrated anew when it is needed
            digest = digest_of_file(profile)
            if digest != camera.digest:  # put right by hand: what we knew of it no longer holds
                camera.digest, camera.how, camera.reprojection_mm = digest, "", None
            yield camera

    def of(self, wanted: Wanted) -> Camera | None:
        """The camera that made a video."""
        return next((c for c in self.all if c.kin == wanted.kin and c.shows(wanted.pictures)), None)

    def add(self, wanted: Wanted, found: dict[str, Any]) -> Camera:
        """A camera as a worker found it; a new calibration is kept under DIR/profiles. Raises UserError."""
        if "found" in found:
            camera = Camera(wanted.kin, found["found"], digest_of_file(Path(found["found"])), found["corners"], wanted.pictures)
        else:
            camera = self._keep(wanted, found["profile"], found["how"], found["overlay"])
        self.all.append(camera)
        return camera

    def _keep(self, wanted: Wanted, profile: Profile, how: str, overlay: Any) -> Camera:
        from calibration.overlay import save_picture

        number = 1
        while (self._folder.profiles / f"camera-{number}.toml").exists():
            number += 1
        name = f"camera-{number}"
        path = self._folder.profiles / f"{name}.toml"
        try:
            self._folder.profiles.mkdir(exist_ok=True)
            self._store.mkdir(exist_ok=True)
        except OSError as error:
            raise UserError(f"{error.filename}: cannot be made: {error.strerror}") from None
        write_profile(profile, path)
        save_picture(overlay, path.with_suffix(".png"))
        camera = Camera(
            wanted.kin, str(path), digest_of_file(path), profile.corners_px, wanted.pictures, how, wanted.name, wanted.content,
            profile.reprojection_mm,
        )  # fmt: skip
        data = {k: getattr(camera, k) for k in ("kin", "digest", "how", "leader", "content", "reprojection_mm")}
        data |= {"profile": name, "corners": [], "views": [base64.b64encode(view).decode() for view in wanted.pictures]}
        write_atomic(self._store / f"{name}.json", json.dumps(data, ensure_ascii=False).encode())
        return camera


def place(
    wanted: Sequence[Wanted], cameras: Cameras, work: Callable[[Sequence[Job]], Iterator[Outcome]], at_once: int
) -> dict[int, Camera | str]:
    """The camera of each video, or why there is none, by index.

    Several videos may be calibrated at once, but one counts only if no camera from a video before it shows the same view,
    so that the cameras are those of one worker going through the videos in order.
    """
    placed: dict[int, Camera | str] = {}
    left = list(wanted)
    while left:
        for one in left:
            if (camera := cameras.of(one)) is not None:
                placed[one.index] = camera
        left = [one for one in left if one.index not in placed]
        now, left = left[:at_once], left[at_once:]
        jobs = [Job(one.index, "camera", _what(one), one.name, memory=one.memory) for one in now]
        outcomes = {outcome.job.number: outcome for outcome in work(jobs)} if jobs else {}
        for one in now:
            outcome = outcomes[one.index]
            camera = cameras.of(one)
            if camera is None and outcome.error is None:
                camera = cameras.add(one, outcome.value)
            placed[one.index] = camera or outcome.error or "no camera"
    for one in wanted:  # somebody stood before the table in this one, but not in a later one of the same camera
        if isinstance(placed[one.index], str) and (camera := cameras.of(one)) is not None:
            placed[one.index] = camera
    return placed


def _what(wanted: Wanted) -> dict[str, Any]:
    return {"video": wanted.video, "settings": asdict(wanted.settings), "candidates": wanted.candidates}


class Shelf:
    """Profiles that lie in folders: what is TOML but no profile is passed over."""

    def __init__(self, folders: Sequence[Path]) -> None:
        self._folders = tuple(folders)
        self._read: dict[Path, list[tuple[str, Profile]]] = {}

    def named_for(self, video: str) -> str | None:
        """VIDEO.profile.toml, or VIDEO.toml if it is a profile."""
        if is_address(video):
            return None
        path = Path(video)
        sure = path.with_name(f"{path.stem}.profile.toml")
        if sure.is_file():
            return str(sure)
        maybe = str(path.with_suffix(".toml"))
        return maybe if any(name == maybe for name, _ in self._in(path.parent)) else None

    def candidates(self, video: str, size: tuple[int, int]) -> tuple[str, ...]:
        """Profiles of a picture size in the video's folder and in those that were named, in this order."""
        own = () if is_address(video) else (Path(video).parent,)
        found = [name for folder in (*own, *self._folders) for name, profile in self._in(folder) if profile.size == size]
        return tuple(dict.fromkeys(found))

    def _in(self, folder: Path) -> list[tuple[str, Profile]]:
        if folder not in self._read:
            self._read[folder] = []
            for path in sorted(folder.glob("*.toml")):
                try:
                    self._read[folder].append((str(path.absolute()), read_profile(path)))
                except UserError:
                    continue
        return self._read[folder]
