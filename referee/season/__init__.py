"""A season: what `analyze` found in many matches, in one database, as tables and as a page for a coach.

`record` puts one finished folder into a database; `report` (see `referee.season_command`) reads folders or a database.
Nothing heavy is imported here.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

__all__ = ["record"]


def record(address: str, folder: Path | str, meta: Mapping[str, Any] | None = None) -> bool:
    """Puts the match of a finished `analyze` folder into the season's database; the folder itself is only read.

    Safe to call again and from several processes at once: the same content is kept once, and another content of the same
    `source` takes the place of the former one.

    Args:
        address: a SQLAlchemy address (`sqlite:///season.db`, `postgresql://user@host/name`) or the path of a SQLite file.
        folder: holds match.json and, for speeds, tracks.csv.
        meta: what the folder does not tell; all are optional. `date` (ISO text or `datetime.date`); `players` (two names, in
            place of those of match.json); `source` (what names the recording, such as the hash of the video; the folder's
            absolute path without it).

    Returns:
        Whether the database changed.

    Raises:
        UserError: one line: a file of the folder is missing or malformed, or the database cannot be reached, read or written.
            The folder keeps its results; `poedinok report FOLDER --db ADDRESS` puts them in later.
    """
    from referee.season.load import read_folder
    from referee.season.store import Store

    facts = read_folder(Path(folder), meta or {})
    with Store(address, write=True) as store:
        return store.put(facts)
