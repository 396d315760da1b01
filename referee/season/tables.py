"""The season as files of tables, CSV (UTF-8) and Parquet: one file a table, the rows of `referee.season.rows` and the statistics."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields
from math import isinf
from pathlib import Path
from typing import Any, get_type_hints

from referee.output import staged
from referee.season.numbers import Rate
from referee.season.rows import TABLES, MatchFacts, rows_of
from referee.season.statistics import Player, Season


@dataclass(frozen=True, slots=True)
class PlayerRow:
    """A player's season in figures; `player` is empty for all players without a name together."""

    player: str
    matches: int
    matches_won: int
    matches_ended: int
    strokes: int
    strokes_in_review: int
    points: int
    points_in_review: int
    points_by_opponents_fouls: int
    visits: int
    visit_points: int
    best_visit: int | None
    longest_series_strokes: int | None
    longest_series_points: int | None
    longest_series_match: str | None
    longest_series_stroke: int | None
    foul_strokes: int
    speeds: int
    speed_median_m_s: float | None
    speed_largest_m_s: float | None
    pauses: int
    pause_median_s: float | None


@dataclass(frozen=True, slots=True)
class PointsRow:
    """Points by rule: `count` times `each`."""

    player: str
    rule: str
    each: int
    count: int
    points: int


@dataclass(frozen=True, slots=True)
class SuccessRow:
    """Success by `what`: kind | kind_part | distance_mm | cut_deg | pocket; `group` names the part. 95 % by Wilson, 0..1."""

    player: str
    what: str
    group: str
    made: int
    of: int
    share: float | None
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class CountRow:
    """Counts by `what`: foul (by rule) | pot (by pocket) | series (by length in strokes)."""

    player: str
    what: str
    group: str
    count: int


STATISTICS: dict[str, type] = {
    "player_summary": PlayerRow, "player_points": PointsRow, "player_success": SuccessRow, "player_counts": CountRow,
}  # fmt: skip


def all_tables(facts: Sequence[MatchFacts], season: Season) -> dict[str, tuple[type, list[Any]]]:
    """Each table's name, the type of its rows and the rows."""
    found: dict[str, tuple[type, list[Any]]] = {name: (kind, [r for f in facts for r in rows_of(f, name)]) for name, kind in TABLES.items()}
    made = {
        "player_summary": [_summary(p) for p in season.players],
        "player_points": [PointsRow(p.name, r.rule, r.each, r.count, r.total) for p in season.players for r in p.points_by],
        "player_success": [row for p in season.players for row in _success(p)],
        "player_counts": [row for p in season.players for row in _counts(p)],
    }
    return found | {name: (kind, made[name]) for name, kind in STATISTICS.items()}


def _summary(p: Player) -> PlayerRow:
    run = p.longest
    return PlayerRow(
        p.name, p.matches, p.won.made, p.won.of, p.strokes, p.in_review, p.points, p.points_in_review, p.by_opponents_fouls,
        p.visits, p.visit_points, p.best_visit, run.strokes if run else None, run.points if run else None, run.match if run else None,
        run.first_stroke if run else None, p.foul_strokes.made, p.speed.count if p.speed else 0, p.speed.median if p.speed else None,
        p.speed.largest if p.speed else None, p.pause.count if p.pause else 0, p.pause.median if p.pause else None,
    )  # fmt: skip


def _success(p: Player) -> list[SuccessRow]:
    def row(what: str, group: str, rate: Rate) -> SuccessRow:
        return SuccessRow(p.name, what, group, rate.made, rate.of, rate.share, *rate.interval)

    def limits(low: float, high: float) -> str:
        return f"{low:g}+" if isinf(high) or high > 180 else f"{low:g}-{high:g}"

    found = [row("kind", k.kind, k.rate) for k in p.kinds]
    found += [row("kind_part", f"{k.kind}:{part}", rate) for k in p.kinds for part, rate in k.parts]
    found += [row("distance_mm", limits(b.low, b.high), b.rate) for b in p.distances]
    found += [row("cut_deg", limits(b.low, b.high), b.rate) for b in p.cuts]
    return found + [row("pocket", pocket, rate) for pocket, rate in p.pocket_success]


def _counts(p: Player) -> list[CountRow]:
    found = [CountRow(p.name, "foul", rule, count) for rule, count in p.fouls]
    found += [CountRow(p.name, "pot", pocket, count) for pocket, count in p.pots]
    return found + [CountRow(p.name, "series", str(length), count) for length, count in p.series_lengths]


def write_csv(folder: Path, tables: dict[str, tuple[type, list[Any]]]) -> None:
    """`NAME.csv` for each table. Raises UserError if the folder cannot be written to."""
    with staged(folder) as aside:
        for name, (kind, rows) in tables.items():
            text = io.StringIO()
            out = csv.writer(text, lineterminator="\n")
            out.writerow([f.name for f in fields(kind)])
            out.writerows(astuple(row) for row in rows)
            (aside / f"{name}.csv").write_text(text.getvalue(), "utf-8", newline="")


def write_parquet(folder: Path, tables: dict[str, tuple[type, list[Any]]]) -> None:
    """`NAME.parquet` for each table; an empty table keeps its columns and their types. Raises UserError as `write_csv` does."""
    import pyarrow as pa
    from pyarrow import parquet

    of = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_()}
    with staged(folder) as aside:
        for name, (kind, rows) in tables.items():
            hints = get_type_hints(kind)
            schema = pa.schema([(f.name, of[_plain(hints[f.name])]) for f in fields(kind)])
            columns = [[getattr(row, f.name) for row in rows] for f in fields(kind)]
            arrays = [pa.array(values, field.type) for values, field in zip(columns, schema, strict=True)]
            parquet.write_table(pa.Table.from_arrays(arrays, schema=schema), aside / f"{name}.parquet")


def _plain(hint: Any) -> type:
    """The type of a column without its None."""
    kinds = [k for k in getattr(hint, "__args__", (hint,)) if k is not type(None)]
    return kinds[0]
