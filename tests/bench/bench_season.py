"""How long a season takes: `python -m tests.bench.bench_season [MATCHES]` makes simulated matches and times each step on them."""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from referee.season.load import read_folder
from referee.season.page import render
from referee.season.statistics import season
from referee.season.store import Store
from referee.season.tables import all_tables, write_csv, write_parquet
from tests.referee.season.synthetic import write_season


@contextmanager
def timed(what: str) -> Iterator[None]:
    start = time.perf_counter()
    yield
    print(f"{what:<22}{time.perf_counter() - start:8.2f} s")


def main(matches: int = 300) -> None:
    with tempfile.TemporaryDirectory() as name:
        here = Path(name)
        with timed("making the matches"):
            folders = write_season(here / "matches", matches, target=40)
        with timed("folders to rows"):
            facts = [read_folder(folder) for folder in folders]
        with timed("rows to SQLite"), Store(str(here / "season.db"), write=True) as store:
            for f in facts:
                store.put(f)
        with timed("SQLite to rows"), Store(str(here / "season.db")) as store:
            facts = list(store.matches())
        with timed("statistics"):
            whole = season(facts)
        with timed("page"):
            page = render(whole, beside=here)
        tables = all_tables(facts, whole)
        with timed("CSV"):
            write_csv(here / "csv", tables)
        with timed("Parquet"):
            write_parquet(here / "parquet", tables)
        megabytes = {"page": len(page.encode()), "database": (here / "season.db").stat().st_size}
        for kind in ("csv", "parquet"):
            megabytes[kind] = sum(p.stat().st_size for p in (here / kind).iterdir())
        print(f"{len(whole.matches)} matches, {whole.strokes} strokes: " + ", ".join(f"{k} {v / 1e6:.1f} MB" for k, v in megabytes.items()))
        print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
