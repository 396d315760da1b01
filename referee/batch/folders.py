"""The output folder: its lock, scratch folders, names of results, and the moment when results take their place.

DIR/NAME/          what `analyze` writes          DIR/profiles/     calibrations made here
DIR/batch.json     the ledger                     DIR/.batch/       lock, scratch, what is known of videos and cameras
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import uuid
from collections.abc import Iterable
from pathlib import Path
from typing import IO

from calibration.errors import UserError
from referee.batch.fetch import name_of
from referee.batch.settings import is_address

_OURS = frozenset({"match.json", "tracks.csv", "report.html", "annotated.mp4", "profile.toml", "source.json"})
_TAKEN = frozenset({"profiles", "batch.json"})
_UNFIT = re.compile(r'[\x00-\x1f/\\:*?"<>|]+')
_LONGEST = 80


class Folder:
    """DIR, held by one batch at a time: use as a context.

    Raises:
        UserError: the folder cannot be made or written to, or another batch is at work in it.
    """

    def __init__(self, out: Path) -> None:
        self.out = out.absolute()
        self.inner = self.out / ".batch"
        self.profiles = self.out / "profiles"
        self.scratch = self.inner / f"work-{uuid.uuid4().hex[:12]}"
        self._lock: IO[str] | None = None

    def __enter__(self) -> Folder:
        try:
            self.inner.mkdir(parents=True, exist_ok=True)
            self._lock = (self.inner / "lock").open("w")
            _hold(self._lock, self.out)
            self._clean()
            self.scratch.mkdir()
        except OSError as error:
            raise UserError(f"{self.out}: cannot write there: {error.strerror or error}") from None
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self.scratch, ignore_errors=True)
        if self._lock is not None:
            self._lock.close()

    def _clean(self) -> None:
        """What a batch that was killed has left: scratch goes, results that had been set aside come back."""
        for left in self.inner.glob("work-*"):
            shutil.rmtree(left, ignore_errors=True)
        for left in self.inner.glob("old-*"):
            for folder in left.iterdir():
                target = self.out / folder.name
                if target.exists():
                    _carry(folder, target)
                else:
                    os.replace(folder, target)
            shutil.rmtree(left, ignore_errors=True)

    def publish(self, made: str, name: str) -> Path:
        """Moves a scratch folder to DIR/name at once. An older result there is replaced; files that are not ours stay.

        Raises:
            OSError: it cannot be moved; what was there is there again.
        """
        source, target = self.scratch / made, self.out / name
        if not target.exists():
            os.replace(source, target)
            return target
        aside = self.inner / f"old-{uuid.uuid4().hex[:12]}"
        aside.mkdir()
        os.replace(target, aside / name)
        try:
            os.replace(source, target)
        except OSError:
            os.replace(aside / name, target)
            raise
        _carry(aside / name, target)
        shutil.rmtree(aside, ignore_errors=True)
        return target

    def free_name(self, video: str, taken: Iterable[str]) -> str:
        """A readable name for a video's folder that no other has: its stem, with its folder's name or a number if need be."""
        used = {name.casefold() for name in (*taken, *_TAKEN)}
        stem = clean_name(Path(name_of(video)).stem)
        above = clean_name(Path(video).absolute().parent.name) if not is_address(video) else ""
        choices = [stem, *([f"{stem} ({above})"] if above else [])]
        number = 2
        while True:
            for choice in choices:
                if choice.casefold() not in used and self._is_ours(choice):
                    return choice
            choices = [f"{stem}-{number}"]
            number += 1

    def _is_ours(self, name: str) -> bool:
        """Whether a result may be put there: nothing is there, or an older result."""
        target = self.out / name
        if not target.exists():
            return True
        return target.is_dir() and ((target / "match.json").exists() or not any(target.iterdir()))


def clean_name(text: str) -> str:
    """A text as the name of a folder on any system."""
    return _UNFIT.sub("_", text).strip(" .")[:_LONGEST].rstrip(" .") or "video"


def _carry(old: Path, new: Path) -> None:
    for path in old.iterdir():
        if path.name not in _OURS and not path.name.startswith(".part-") and not (new / path.name).exists():
            os.replace(path, new / path.name)


def _hold(lock: IO[str], out: Path) -> None:
    try:
        import fcntl
    except ImportError:  # not on Windows
        return
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in (errno.EWOULDBLOCK, errno.EACCES):
            raise UserError(f"{out}: another batch is at work there") from None
        # some shared storage has no locks: then it is the user's to start one at a time
