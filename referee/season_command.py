"""`poedinok report`: a season's page and tables. And what `poedinok batch --db` does with every finished video."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from calibration.errors import UserError
from calibration.profile import write_atomic
from referee.season import record
from referee.season.load import iso_date
from referee.season.page import render
from referee.season.played import same_name
from referee.season.rows import MatchFacts
from referee.season.sources import batch_meta, gather
from referee.season.statistics import Season, season
from referee.words import Text

if TYPE_CHECKING:
    from referee.batch.ledger import Entry

_NAMES_SHOWN = 8


def run_report(
    sources: Sequence[str],
    out: Path,
    *,
    db: str | None = None,
    csv: Path | None = None,
    parquet: Path | None = None,
    lang: str = "ru",
    player: str | None = None,
    since: str | None = None,
    until: str | None = None,
) -> str:
    """Writes the page and the tables; returns the line to print.

    Args:
        sources: see `referee.season.sources.gather`; may be empty with `db`.
        since, until: ISO dates, both days included.

    Raises:
        UserError: one line.
    """
    first, last = iso_date(since, "--since"), iso_date(until, "--until")
    if first and last and first > last:
        raise UserError(f"--since {first}: expected a day not after --until {last}")
    if not sources and db is None:
        raise UserError("report: expected folders or databases, or --db ADDRESS")
    _room(out)
    with _progress() as on_step:
        facts = gather(sources, db, on_step)
    if not facts:
        raise UserError("report: expected at least one match, found none in " + ", ".join(filter(None, [*sources, db and _shown(db)])))
    chosen, undated = _between(facts, first, last)
    chosen, name = _of_player(chosen, player)
    whole = season(chosen)
    if name is not None:
        whole = replace(whole, players=tuple(p for p in whole.players if p.name == name))
    page = render(whole, lang=lang, beside=out.parent, notes=_notes(chosen, undated), player=name)
    _write_tables(chosen, whole, csv, parquet)
    write_atomic(out, page.encode("utf-8"))
    review = sum(m.in_review for m in whole.matches)
    matches = f"{len(chosen)} match{'' if len(chosen) == 1 else 'es'}"
    return f"{matches}, {whole.strokes} strokes" + (f", {review} to check" if review else "") + f": {out}"


def _write_tables(chosen: Sequence[MatchFacts], whole: Season, csv: Path | None, parquet: Path | None) -> None:
    from referee.season.tables import all_tables, write_csv, write_parquet

    if csv is None and parquet is None:
        return
    tables = all_tables(chosen, whole)
    if csv is not None:
        write_csv(csv, tables)
    if parquet is not None:
        write_parquet(parquet, tables)


def _shown(address: str) -> str:
    from referee.season.store import database_url

    return database_url(address).render_as_string(hide_password=True)


def _room(out: Path) -> None:
    """Makes the folder of the page, so that one that cannot be written to is known before any work."""
    if out.is_dir():
        raise UserError(f"{out}: expected the name of a file such as season.html, found a folder")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"{out.parent}: cannot write there: {error.strerror or error}") from None


def _between(facts: Sequence[MatchFacts], first: str | None, last: str | None) -> tuple[list[MatchFacts], int]:
    """The matches of a time, and how many have no date and are left out. Raises UserError if none remains."""
    if first is None and last is None:
        return list(facts), 0
    undated = sum(f.match.date is None for f in facts)
    chosen = [f for f in facts if f.match.date is not None and (first or "") <= f.match.date <= (last or "9999")]
    if not chosen:
        told = f" ({undated} without a date)" if undated else ""
        raise UserError(
            f"report: expected matches from {first or 'the beginning'} to {last or 'today'}, found none among {len(facts)}{told}"
        )
    return chosen, undated


def _of_player(facts: Sequence[MatchFacts], player: str | None) -> tuple[list[MatchFacts], str | None]:
    """The matches of a player, and the name as the page spells it. Raises UserError for one who played none."""
    if player is None:
        return list(facts), None
    wanted = same_name(player)
    chosen = [f for f in facts if f.match.named and wanted in map(same_name, f.players)]
    if not chosen:
        known = Counter(name for f in facts if f.match.named for name in f.players)
        names = ", ".join(name for name, _ in known.most_common(_NAMES_SHOWN)) + (", …" if len(known) > _NAMES_SHOWN else "")
        raise UserError(
            f"--player: nobody of the name {player!r} played; " + (f"expected one of {names}" if known else "no names are told")
        )
    return chosen, next(name for f in chosen for name in f.players if same_name(name) == wanted)


def _notes(facts: Sequence[MatchFacts], undated: int) -> list[Text]:
    """What a reader should know of these matches."""
    notes = []
    if undated:
        notes.append(Text(f"Матчей без даты, не вошедших в отчёт: {undated}.", f"Matches without a date, left out: {undated}."))
    if silent := sum(not f.match.tracks for f in facts):
        ru, en = "Матчей без tracks.csv: {}; скоростей в них нет.", "Matches without tracks.csv, and so without speeds: {}."
        notes.append(Text(ru.format(silent), en.format(silent)))
    films = Counter((f.match.file, f.match.frames, f.match.duration_s) for f in facts)
    twice = [file for (file, _, _), count in films.items() if count > 1]
    if twice:
        names = ", ".join(twice[:_NAMES_SHOWN])
        ru = f"Похоже, одна запись посчитана больше одного раза (то же имя и длина видео): {names}."
        notes.append(Text(ru, f"One recording may be counted more than once (same name and length of video): {names}."))
    return notes


@contextmanager
def _progress() -> Iterator[Callable[[int, int], None] | None]:
    """A bar on a terminal, nothing elsewhere."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("reading matches", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


class Recorder:
    """Puts each finished video of a batch into the season's database (`referee.batch.run.OnFinished`).

    The first failure of each kind is raised, for the batch to report; the others are only counted: a database that is
    away all night is one line, not hundreds. `missed` matches are on disk, and the next run or `poedinok report` puts them in.
    """

    def __init__(self, address: str) -> None:
        self._address = address
        self._told: set[str] = set()
        self.missed = 0

    def __call__(self, entry: Entry | Mapping[str, Any], folder: Path) -> None:
        """Raises UserError, once for each kind of failure."""
        try:
            record(self._address, folder, batch_meta(entry if isinstance(entry, Mapping) else asdict(entry)))
        except UserError as error:
            self.missed += 1
            if str(error) not in self._told:
                self._told.add(str(error))
                raise UserError(f"{error}; the results are in {folder.parent}, the next run puts them into the database") from None
