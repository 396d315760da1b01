"""DIR/batch.json: every video of the folder and how it went. What it calls finished is believed only while the files are there.

Beside it, DIR/.batch/videos.json remembers the digests of videos by path, size and times, so that a resumed run need not
read hundreds of films again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from calibration.errors import UserError
from calibration.profile import write_atomic
from referee.batch.folders import Folder
from referee.version import version

FORM = 1
FINISHED, FAILED, DOUBLE, WAITING = "finished", "failed", "double", "waiting"


@dataclass(slots=True)
class Entry:
    """One video. `key`: digest of content, settings and program; `profile`: the file used; `files`: digest of match.json and
    sizes of the other results; `seconds` of work, `peak_mb` of its worker's memory."""

    video: str
    status: str = WAITING
    name: str = ""
    reason: str = ""
    key: str = ""
    content: str = ""
    double_of: str = ""
    profile: str = ""
    profile_digest: str = ""
    date: str | None = None
    players: list[str] = field(default_factory=list)
    scores: list[int] | None = None
    strokes: int | None = None
    to_check: int | None = None
    frames: int | None = None
    duration: float | None = None
    seconds: float = 0.0
    peak_mb: int = 0
    where: str = ""
    files: dict[str, Any] = field(default_factory=dict)


_FIELDS = frozenset(f.name for f in fields(Entry))


class Ledger:
    """What is known of a folder.

    Raises:
        UserError: batch.json is there but is not a ledger.
    """

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self.path = folder.out / "batch.json"
        self._seen = folder.inner / "videos.json"
        self.before = self._read()
        self._videos: dict[str, Any] = _json(self._seen) or {}

    def _read(self) -> list[Entry]:
        if not self.path.exists():
            return []
        data = _json(self.path)
        if not isinstance(data, dict) or data.get("form") != FORM or not isinstance(data.get("videos"), list):
            raise UserError(f"{self.path}: expected the ledger of a batch (form {FORM}); move it away to begin anew")
        try:
            return [Entry(**{k: v for k, v in row.items() if k in _FIELDS}) for row in data["videos"]]
        except (TypeError, AttributeError):
            raise UserError(f"{self.path}: videos: expected objects with a video each; move it away to begin anew") from None

    def finished(self, key: str) -> Entry | None:
        """The entry that did this very work, if its results and the profile that they rest on are still as it left them."""
        return next((e for e in self.before if e.key == key and e.status == FINISHED and self._stands(e)), None)

    def _stands(self, entry: Entry) -> bool:
        here = self._folder.out / entry.name
        profile = digest_of_file(Path(entry.profile)) if entry.profile else ""
        return bool(entry.files) and entry.files == files_of(here) and profile == entry.profile_digest

    def known(self, video: str, mark: str) -> Mapping[str, Any] | None:
        """What a probe found of a video whose file has not changed since."""
        found = self._videos.get(video)
        if not found or not mark or found["mark"] != mark or "weight" not in found["found"]:
            return None
        return found["found"]

    def remember(self, video: str, mark: str, found: Mapping[str, Any]) -> None:
        if mark:
            self._videos[video] = {"mark": mark, "found": {k: v for k, v in found.items() if k != "pictures"}}

    def save_videos(self) -> None:
        """Raises UserError."""
        write_atomic(self._seen, json.dumps(self._videos, ensure_ascii=False).encode())

    def save(self, entries: Iterable[Entry]) -> None:
        """Writes batch.json: these entries, and what earlier runs have finished in folders that none of these has.

        Raises:
            UserError: it cannot be written.
        """
        now = list(entries)
        names = {e.name for e in now}
        kept = [e for e in self.before if e.status == FINISHED and e.name not in names]
        data = {"form": FORM, "poedinok": version(), "videos": [_plain(e) for e in (*kept, *now)]}
        write_atomic(self.path, (json.dumps(data, ensure_ascii=False, indent=1) + "\n").encode())


def _plain(entry: Entry) -> dict[str, Any]:
    return {k: v for k, v in asdict(entry).items() if (v is not None and v not in ("", [], {})) or k in ("video", "status")}


def files_of(folder: Path) -> dict[str, Any]:
    """What results a folder holds; {} if it lacks any that every analysis has."""
    try:
        sizes: dict[str, Any] = {name: (folder / name).stat().st_size for name in ("tracks.csv", "report.html")}
        annotated = folder / "annotated.mp4"
        if annotated.exists():
            sizes[annotated.name] = annotated.stat().st_size
        return {"match.json": digest_of_file(folder / "match.json")} | sizes
    except OSError:
        return {}


def digest_of_file(path: Path) -> str:
    """Digest of a file's bytes; "" if it cannot be read."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16)).hexdigest()
    except OSError:
        return ""


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return None
