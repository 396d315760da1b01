"""Where a season's matches come from: folders of `analyze` or `batch`, and databases."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from calibration.errors import UserError
from referee.season.load import read_folder
from referee.season.rows import MatchFacts
from referee.season.store import Store

OnStep = Callable[[int, int], None]
_SQLITE = b"SQLite format 3\x00"


def batch_meta(entry: Mapping[str, Any]) -> dict[str, Any]:
    """What the ledger of a batch (batch.json) knows of a match beyond its folder, as `referee.season.record` takes it.

    The recording is named by its content and its folder: two rows of a manifest may ask for two matches of one video.
    """
    players, content, name = entry.get("players"), entry.get("content"), entry.get("name")
    return {
        "date": entry.get("date"),
        "players": players if isinstance(players, list | tuple) and len(players) == 2 else None,
        "source": f"{content} {name}" if content and name else None,
    }


def gather(sources: Sequence[str], db: str | None = None, on_step: OnStep | None = None) -> list[MatchFacts]:
    """All matches of the sources, each once.

    Args:
        sources: folders with match.json in them or somewhere below, paths of SQLite files, database addresses.
        db: a database that the folders' matches are put into first, and that is then read whole.
        on_step: told how many folders of how many are read.

    Raises:
        UserError: names the source, or the file and the field.
    """
    folders: list[tuple[Path, dict[str, Any]]] = []
    addresses: list[str] = []
    for source in sources:
        if is_database(source):
            addresses.append(source)
        else:
            folders += folders_of(Path(source))
    found: dict[str, MatchFacts] = {}
    if db is not None:
        with Store(db, write=True) as store:
            for number, (folder, meta) in enumerate(folders, 1):
                store.put(read_folder(folder, meta))
                _tell(on_step, number, len(folders))
            found |= {f.match.match: f for f in store.matches()}
    for address in addresses:
        with Store(address) as store:
            found |= {f.match.match: f for f in store.matches()}
    if db is None:
        for number, (folder, meta) in enumerate(folders, 1):
            facts = read_folder(folder, meta)
            found[facts.match.match] = facts
            _tell(on_step, number, len(folders))
    return sorted(found.values(), key=lambda f: (f.match.date or "9999", f.match.file, f.match.match))


def _tell(on_step: OnStep | None, done: int, total: int) -> None:
    if on_step is not None:
        on_step(done, total)


def is_database(source: str) -> bool:
    """Whether a source is a database: an address, or a file that SQLite wrote."""
    if "://" in source:
        return True
    path = Path(source)
    try:
        if not path.is_file():
            return False
        with path.open("rb") as file:
            return file.read(len(_SQLITE)) == _SQLITE
    except OSError as error:
        raise UserError(f"{source}: cannot be read: {error.strerror or error}") from None


def folders_of(source: Path) -> list[tuple[Path, dict[str, Any]]]:
    """The folders with a match in or below a folder, in order, with what a batch's ledger says of them. Raises UserError."""
    if source.name == "match.json" and source.is_file():
        source = source.parent
    if not source.exists():
        raise UserError(f"{source}: not found, expected a folder of `poedinok analyze` or `batch`, or a database")
    if not source.is_dir():
        raise UserError(f"{source}: expected a folder of `poedinok analyze` or `batch`, or a database of SQLite")
    try:
        there = sorted(
            p.parent for p in source.rglob("match.json") if not any(part.startswith(".") for part in p.relative_to(source).parts)
        )
    except OSError as error:
        raise UserError(f"{error.filename or source}: cannot be read: {error.strerror or error}") from None
    if not there:
        raise UserError(f"{source}: expected a folder with match.json in it or below, found none")
    ledgers: dict[Path, dict[str, dict[str, Any]]] = {}
    return [(folder, ledgers.setdefault(folder.parent, _ledger(folder.parent)).get(folder.name, {})) for folder in there]


def _ledger(folder: Path) -> dict[str, dict[str, Any]]:
    """By folder's name what batch.json says of the match; nothing where there is no such file, or it is something else."""
    try:
        entries = json.loads((folder / "batch.json").read_text("utf-8"))["videos"]
        return {str(e["name"]): batch_meta(e) for e in entries if e.get("status") == "finished" and e.get("name")}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}
