"""The season as CSV and Parquet."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from calibration.errors import UserError
from referee.season.rows import TABLES, MatchFacts, rows_of
from referee.season.statistics import season
from referee.season.tables import STATISTICS, all_tables, write_csv, write_parquet


def test_both_hold_the_same(tmp_path: Path, facts: list[MatchFacts]) -> None:
    from pyarrow import parquet

    tables = all_tables(facts, season(facts))
    write_csv(tmp_path / "csv", tables)
    write_parquet(tmp_path / "parquet", tables)
    assert {p.stem for p in (tmp_path / "csv").iterdir()} == {*TABLES, *STATISTICS} == {p.stem for p in (tmp_path / "parquet").iterdir()}
    for name in tables:
        with (tmp_path / "csv" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
            head, *lines = csv.reader(file)
        read = parquet.read_table(tmp_path / "parquet" / f"{name}.parquet")
        assert head == read.column_names
        assert lines == [["" if v is None else str(v) for v in row.values()] for row in read.to_pylist()], name


def test_rows_are_all_there(facts: list[MatchFacts]) -> None:
    tables = all_tables(facts, season(facts))
    for name in TABLES:
        assert len(tables[name][1]) == sum(len(rows_of(f, name)) for f in facts) > 0
    assert all(rows for _, rows in tables.values())


def test_an_empty_table_keeps_its_columns_and_types(tmp_path: Path, facts: list[MatchFacts]) -> None:
    from pyarrow import parquet

    bare = MatchFacts(facts[0].match)
    write_parquet(tmp_path, all_tables([bare], season([bare])))
    full = all_tables(facts, season(facts))
    write_parquet(tmp_path / "full", full)
    for name in full:
        assert parquet.read_schema(tmp_path / f"{name}.parquet").equals(parquet.read_schema(tmp_path / "full" / f"{name}.parquet"))
    assert parquet.read_metadata(tmp_path / "strokes.parquet").num_rows == 0


def test_a_folder_that_cannot_be_written(tmp_path: Path, facts: list[MatchFacts]) -> None:
    (tmp_path / "file").write_text("")
    for write in (write_csv, write_parquet):
        with pytest.raises(UserError, match="file: cannot write there"):
            write(tmp_path / "file", {})
