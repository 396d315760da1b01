"""The season's database, SQLite and a real PostgreSQL server alike."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy as sa

from calibration.errors import UserError
from referee.season import record
from referee.season.rows import TABLES, MatchFacts, rows_of
from referee.season.schema import MODELS, VERSION
from referee.season.store import Store, StoreError, database_url


def test_what_goes_in_comes_out(address: str, facts: list[MatchFacts]) -> None:
    with Store(address, write=True) as store:
        assert all(store.put(f) for f in facts)
    with Store(address) as store:
        assert store.matches() == tuple(facts)


def test_columns_of_the_tables_are_those_of_the_rows() -> None:
    for name, row in TABLES.items():
        assert list(MODELS[name].__table__.columns.keys()) == [f for f in row.__dataclass_fields__]


def test_the_same_match_is_kept_once(address: str, club: list[Path]) -> None:
    assert record(address, club[0])
    assert not record(address, club[0])
    with Store(address) as store:
        (kept,) = store.matches()
    assert record(address, club[0], {"date": "2026-12-24"})
    with Store(address) as store:
        assert [f.match for f in store.matches()] == [replace(kept.match, date="2026-12-24")]


def test_a_recording_refereed_anew_takes_the_place_of_the_former(address: str, facts: list[MatchFacts]) -> None:
    old, other = facts[0], facts[1]
    new = replace(facts[2], match=replace(facts[2].match, source=old.match.source))
    with Store(address, write=True) as store:
        for f in (old, other, new):
            assert store.put(f)
        assert {f.match.match for f in store.matches()} == {other.match.match, new.match.match}
    _nothing_left_of(address, old.match.match)


def _nothing_left_of(address: str, match: str) -> None:
    engine = sa.create_engine(database_url(address))
    with engine.connect() as connection:
        for name, model in MODELS.items():
            left = connection.execute(sa.select(sa.func.count()).where(model.__table__.c.match == match)).scalar()
            assert left == 0, name
    engine.dispose()


def test_workers_that_finish_at_once(address: str, facts: list[MatchFacts]) -> None:
    """Each of six writers puts all matches, each in another order, into a database that none of them has made yet."""

    def work(number: int) -> int:
        done = 0
        for f in facts[number:] + facts[:number]:
            with Store(address, write=True) as store:
                done += store.put(f)
        return done

    with ThreadPoolExecutor(6) as pool:
        assert sum(pool.map(work, range(6))) == len(facts)
    with Store(address) as store:
        assert len(store.matches()) == len(facts)


def _put_all(address: str, club: list[Path]) -> int:
    return sum(record(address, folder) for folder in club)


@pytest.mark.slow
def test_processes_that_finish_at_once(tmp_path: Path, club: list[Path]) -> None:
    address = str(tmp_path / "season.db")
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        assert sum(pool.starmap(_put_all, [(address, club[:3])] * 2)) == 3


def test_a_reader_beside_a_writer(address: str, facts: list[MatchFacts]) -> None:
    with Store(address, write=True) as writer:
        writer.put(facts[0])
        with Store(address) as reader:
            assert len(reader.matches()) == 1
            writer.put(facts[1])
            assert len(reader.matches()) == 2


def test_a_failure_leaves_what_was_there(address: str, facts: list[MatchFacts], monkeypatch: pytest.MonkeyPatch) -> None:
    from referee.season import store as module

    with Store(address, write=True) as store:
        store.put(facts[0])
        insert = module._insert

        def breaks(connection: sa.Connection, name: str, rows: object) -> None:
            if name == "reviews":
                raise sa.exc.OperationalError("INSERT", {}, Exception("disk full"))
            insert(connection, name, rows)  # type: ignore[arg-type]

        monkeypatch.setattr(module, "_insert", breaks)
        changed = replace(facts[0], match=replace(facts[0].match, date="2030-01-01"))
        with pytest.raises(StoreError, match="disk full"):
            store.put(changed)
        assert store.matches() == (facts[0],)


def test_another_version_is_refused(address: str, facts: list[MatchFacts]) -> None:
    with Store(address, write=True) as store:
        store.put(facts[0])
    engine = sa.create_engine(database_url(address))
    with engine.begin() as connection:
        connection.execute(sa.text(f"UPDATE poedinok_schema SET version = {VERSION + 1}"))
    engine.dispose()
    for write in (True, False):
        with pytest.raises(StoreError, match=f"has version {VERSION + 1} of the season's tables, expected {VERSION}"):
            Store(address, write=write)


def test_a_database_of_another_program_is_left_alone(address: str) -> None:
    engine = sa.create_engine(database_url(address))
    with engine.begin() as connection:
        connection.execute(sa.text("CREATE TABLE matches (football INTEGER)"))
    with pytest.raises(StoreError, match="table 'matches' of another program"):
        Store(address, write=True)
    assert sa.inspect(engine).get_table_names() == ["matches"]
    engine.dispose()
    with pytest.raises(StoreError, match="found none of its tables"):
        Store(address)


def test_a_reader_makes_no_database(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"none\.db: no such database"):
        Store(str(tmp_path / "none.db"))
    assert list(tmp_path.iterdir()) == []


def test_a_reader_changes_nothing(tmp_path: Path, facts: list[MatchFacts]) -> None:
    path = tmp_path / "season.db"
    with Store(str(path), write=True) as store:
        store.put(facts[0])
    before = path.read_bytes()
    with Store(str(path)) as store:
        store.matches()
        with pytest.raises(StoreError, match="readonly"):
            store.put(facts[1])
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["season.db"]


@pytest.fixture
def locked_away(facts: list[MatchFacts]) -> Iterator[Path]:
    """A database in a folder that nobody may write to."""
    folder = Path(tempfile.mkdtemp(prefix="poedinok-"))
    with Store(str(folder / "season.db"), write=True) as store:
        store.put(facts[0])
    (folder / "season.db").chmod(0o444)
    folder.chmod(0o555)
    yield folder / "season.db"
    folder.chmod(0o755)
    shutil.rmtree(folder)


def test_a_database_that_may_only_be_read(locked_away: Path, facts: list[MatchFacts]) -> None:
    def look() -> None:
        with Store(str(locked_away)) as store:
            assert store.matches() == (facts[0],)
        with pytest.raises(StoreError, match=r"readonly database|unable to open"):
            Store(str(locked_away), write=True).put(facts[1])

    if os.geteuid():
        look()
        return
    child = os.fork()  # root may write anywhere: somebody else must look
    if not child:
        try:
            os.setresuid(65534, 65534, 65534)
            look()
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_sqlite_writes_ahead(tmp_path: Path, facts: list[MatchFacts]) -> None:
    with Store(str(tmp_path / "season.db"), write=True) as store:
        store.put(facts[0])
    assert sqlite3.connect(tmp_path / "season.db").execute("PRAGMA journal_mode").fetchone() == ("wal",)


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("/proc/none/season.db", "unable to open database file"),
        ("mysql://a@b/c", "expected a sqlite or postgresql address"),
        ("sqlite://", "expected the path of a SQLite file"),
        ("postgresql://a:b@c:d/e", "--db: expected an address"),
        ("postgresql+nodriver://a@127.0.0.1/e", "expected a sqlite or postgresql address"),
    ],
)
def test_an_address_that_leads_nowhere(address: str, told: str) -> None:
    with pytest.raises(StoreError, match=told) as caught:
        Store(address, write=True)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    (tmp_path / "season.db").write_text("not a database, but quite long enough to be one " * 40)
    for write in (True, False):
        with pytest.raises(StoreError, match="not a database"):
            Store(str(tmp_path / "season.db"), write=write)


def test_a_server_that_is_not_there_is_named_without_its_password(facts: list[MatchFacts], club: list[Path]) -> None:
    pytest.importorskip("psycopg")
    address = "postgresql://referee:verysecret@127.0.0.1:1/season"
    with pytest.raises(UserError, match="Connection refused") as caught:
        record(address, club[0])
    assert "127.0.0.1:1/season" in str(caught.value) and "verysecret" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_account_without_rights(new_database: Callable[[], str], facts: list[MatchFacts]) -> None:
    import psycopg

    address = new_database()
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("DROP ROLE IF EXISTS guest")
        connection.execute("CREATE ROLE guest LOGIN")
    guest = address.replace("//referee@", "//guest@")
    with pytest.raises(StoreError, match="permission denied for schema public"):
        Store(guest, write=True)
    with Store(address, write=True) as store:
        store.put(facts[0])
    with pytest.raises(StoreError, match="permission denied for table"):
        Store(guest)
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("GRANT SELECT ON ALL TABLES IN SCHEMA public TO guest")
    with Store(guest) as store:
        assert len(store.matches()) == 1
        with pytest.raises(StoreError, match="permission denied"):
            store.put(facts[1])
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("DROP OWNED BY guest")
        connection.execute("DROP ROLE guest")


def test_rows_of_every_table_are_there(facts: list[MatchFacts]) -> None:
    """A round trip of empty tables would prove nothing."""
    assert all(any(rows_of(f, name) for f in facts) for name in TABLES)


def test_the_command_line_does_not_load_the_database() -> None:
    code = "import sys, referee.cli, referee.season; assert not {'sqlalchemy', 'pyarrow'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
