"""The season's database: opened with care, written by several processes at once, read back as the same rows.

A writer takes its lock before it looks (SQLite: BEGIN IMMEDIATE; PostgreSQL: one advisory lock), so what it saw still holds
when it writes, and two workers that finish at once wait for each other instead of failing.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterable
from contextlib import contextmanager
from dataclasses import asdict, fields
from pathlib import Path
from types import TracebackType
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, IntegrityError, NoSuchModuleError, SQLAlchemyError

from calibration.errors import UserError
from referee.season.rows import TABLES, MatchFacts, rows_of
from referee.season.schema import MODELS, VERSION, Base, Match, Schema

_BUSY_MS = 60_000  # how long a writer waits for the others
_LOCK = 0x706F6564  # PostgreSQL's advisory lock of this program («poed»)
_CONNECT_S = 10


class StoreError(UserError):
    """The database cannot be reached, read or written; the message names it without its password."""


class Store:
    """A connection to the season's database; `with Store(address) as store: …`.

    Args:
        address: a SQLAlchemy address, or the path of a SQLite file.
        write: makes the tables where there are none. A reader changes nothing and wants them there.

    Raises:
        StoreError: one line that names the database.
    """

    def __init__(self, address: str, *, write: bool = False) -> None:
        self._url = database_url(address)
        self._name = self._url.render_as_string(hide_password=True)
        self._write = write
        try:
            self._engine = _engine(self._url, write)
        except NoSuchModuleError:
            raise StoreError(f"{self._name}: expected a sqlite or postgresql address") from None
        except ModuleNotFoundError as error:
            raise StoreError(f"{self._name}: {error.name} is not installed: pip install 'poedinok[postgres]'") from None
        with self._errors():
            self._prepare()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._engine.dispose()

    def put(self, facts: MatchFacts) -> bool:
        """Keeps a match; what is already there in the same words stays as it is. Returns whether anything changed."""
        for attempt in (1, 2):
            try:
                with self._errors(), self._writing() as connection:
                    return _put(connection, facts)
            except _Twice:  # a server without our lock let another writer in between
                if attempt == 2:
                    raise StoreError(f"{self._name}: another program changes the same match at the same time") from None
        return False

    def matches(self) -> tuple[MatchFacts, ...]:
        """All matches, by date, then file."""
        with self._errors(), self._engine.connect() as connection:
            found: dict[str, dict[str, list[Any]]] = {}
            for name, row_type in TABLES.items():
                table = MODELS[name].__table__
                columns = [table.c[f.name] for f in fields(row_type)]
                for values in connection.execute(sa.select(*columns).order_by(*table.primary_key.columns)):
                    found.setdefault(values[0], {}).setdefault(name, []).append(row_type(*values))
        facts = [
            MatchFacts(tables["matches"][0], **{name: tuple(tables.get(name, ())) for name in TABLES if name != "matches"})
            for tables in found.values()
            if "matches" in tables  # a match that was being replaced while we read
        ]
        return tuple(sorted(facts, key=lambda f: (f.match.date or "", f.match.file, f.match.match)))

    def _prepare(self) -> None:
        """Checks the version; a writer makes the tables of an empty database."""
        with self._engine.connect() as connection:
            there = set(sa.inspect(connection).get_table_names())
        if Schema.__tablename__ not in there:
            if not self._write:
                raise StoreError(f"{self._name}: expected a season's database, found none of its tables")
            ours = sorted(there & set(MODELS))
            if ours:
                raise StoreError(f"{self._name}: holds a table {ours[0]!r} of another program; expected an empty database or a season's")
            with self._writing() as connection:
                Base.metadata.create_all(connection)
                if connection.execute(sa.select(Schema.version)).first() is None:
                    connection.execute(sa.insert(Schema).values(only=1, version=VERSION))
        with self._engine.connect() as connection:
            version = connection.execute(sa.select(Schema.version)).scalar()
        if version != VERSION:
            raise StoreError(
                f"{self._name}: has version {version} of the season's tables, expected {VERSION}: "
                "use the version of Poedinok that wrote it, or make the database again from the folders (poedinok report --db)"
            )

    @contextmanager
    def _writing(self):
        with self._engine.connect() as connection:
            if self._engine.dialect.name == "sqlite":
                connection = connection.execution_options(immediate=True)
            with connection.begin():
                if self._engine.dialect.name == "postgresql":
                    connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_LOCK)))
                yield connection

    @contextmanager
    def _errors(self):
        try:
            yield
        except IntegrityError:
            raise _Twice from None
        except SQLAlchemyError as error:
            cause = " ".join(str(getattr(error, "orig", None) or error).split())
            raise StoreError(f"{self._name}: {cause[:300] or type(error).__name__}") from None


class _Twice(Exception):
    """Two writers met."""


def database_url(address: str) -> URL:
    """The address as SQLAlchemy's; a path is a SQLite file. Raises StoreError."""
    if "://" not in address:
        return URL.create("sqlite", database=address)
    try:
        url = make_url(address)
    except (ArgumentError, ValueError):
        raise StoreError("--db: expected an address such as sqlite:///season.db or postgresql://user@host/season") from None
    if url.drivername in ("postgres", "postgresql"):
        url = url.set(drivername="postgresql+psycopg")
    if url.get_backend_name() not in ("sqlite", "postgresql"):
        raise StoreError(f"{url.render_as_string(hide_password=True)}: expected a sqlite or postgresql address")
    return url


def _engine(url: URL, write: bool) -> sa.Engine:
    if url.get_backend_name() == "postgresql":
        return sa.create_engine(url, connect_args={"connect_timeout": _CONNECT_S}, pool_pre_ping=True)
    if not url.database or url.database == ":memory:":
        raise StoreError("--db: expected the path of a SQLite file, such as sqlite:///season.db")
    if not write:
        if not Path(url.database).is_file():
            raise StoreError(f"{url.database}: no such database")
        url = _read_only(url)
    engine = sa.create_engine(url, connect_args={"timeout": _BUSY_MS / 1000}, poolclass=sa.pool.NullPool)
    sa.event.listen(engine, "connect", lambda connection, _: _settle(connection, write))
    sa.event.listen(engine, "begin", _begin)
    return engine


def _read_only(url: URL) -> URL:
    """The file opened so that nothing is changed.

    SQLite's readers keep a small file beside a database in WAL mode, and tidy it up only if they may write. On a disk that
    is read-only, a database without unfinished writes is read as it stands.
    """
    path = Path(url.database or "").resolve()
    if os.access(path, os.W_OK) and os.access(path.parent, os.W_OK):
        return url.set(database=path.as_uri(), query={"mode": "rw", "uri": "true"})
    unfinished = path.with_name(path.name + "-wal")
    still = not (unfinished.exists() and unfinished.stat().st_size)
    return url.set(database=path.as_uri(), query={"mode": "ro", "uri": "true"} | ({"immutable": "1"} if still else {}))


def _settle(connection: Any, write: bool) -> None:
    """SQLite's own habits: the driver begins no transactions (we do), writers queue, readers read beside them."""
    connection.isolation_level = None
    cursor = connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout={_BUSY_MS}")
    cursor.execute("PRAGMA foreign_keys=ON")
    if write:
        _write_ahead(cursor)
        cursor.execute("PRAGMA synchronous=NORMAL")
    else:
        cursor.execute("PRAGMA query_only=ON")
    cursor.close()


def _write_ahead(cursor: sqlite3.Cursor) -> None:
    """Set the WAL mode, waiting for others: the one thing at which SQLite says «locked» at once, whatever the busy timeout."""
    until = time.monotonic() + _BUSY_MS / 1000
    while True:
        try:
            cursor.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > until:
                raise
            time.sleep(0.02)


def _begin(connection: sa.Connection) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE" if connection.get_execution_options().get("immediate") else "BEGIN")


def _put(connection: sa.Connection, facts: MatchFacts) -> bool:
    table = Match.__table__
    names = [f.name for f in fields(facts.match)]
    there = connection.execute(sa.select(*(table.c[n] for n in names)).where(table.c.match == facts.match.match)).first()
    if there is not None and tuple(there) == tuple(getattr(facts.match, n) for n in names):
        return False
    connection.execute(sa.delete(table).where((table.c.match == facts.match.match) | (table.c.source == facts.match.source)))
    for name in TABLES:
        _insert(connection, name, rows_of(facts, name))
    return True


def _insert(connection: sa.Connection, name: str, rows: Iterable[Any]) -> None:
    values = [asdict(row) for row in rows]
    if values:
        connection.execute(sa.insert(MODELS[name].__table__), values)
