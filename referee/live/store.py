"""The database of live matches: SQLite in WAL mode, every entry on the disk before it counts.

One row a game; its journal is rows that are only ever added (`referee.match`). Beside it lie the paths of each stroke's
balls, which plans and replays draw.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from sqlalchemy import Engine, ForeignKey, String, Text, create_engine, event, func, select
from sqlalchemy.exc import DatabaseError, SQLAlchemyError
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

from calibration.errors import UserError
from referee.journal_file import entry_from_json, entry_to_json
from referee.match import Entry, check

VERSION = 1
Paths = Mapping[str, Sequence[tuple[float, float, float]]]  # ball -> (live time s, x mm, y mm)


class _Base(DeclarativeBase):
    pass


class _Schema(_Base):
    __tablename__ = "live_schema"
    only: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    version: Mapped[int]


class _Game(_Base):
    __tablename__ = "live_games"
    id: Mapped[int] = mapped_column(primary_key=True)
    match: Mapped[int] = mapped_column(index=True)  # games of the same two players in a row share it
    began_at: Mapped[float]
    ended_at: Mapped[float | None]
    player_a: Mapped[str] = mapped_column(Text, index=True)
    player_b: Mapped[str] = mapped_column(Text, index=True)
    table: Mapped[str] = mapped_column(Text)


class _Line(_Base):
    __tablename__ = "live_journal"
    game: Mapped[int] = mapped_column(ForeignKey("live_games.id"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    kind: Mapped[str] = mapped_column(String(16))
    data: Mapped[str] = mapped_column(Text)


class _Trace(_Base):
    __tablename__ = "live_paths"
    game: Mapped[int] = mapped_column(ForeignKey("live_games.id"), primary_key=True)
    stroke: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    data: Mapped[str] = mapped_column(Text)


class _Pause(_Base):
    __tablename__ = "live_pauses"
    game: Mapped[int] = mapped_column(ForeignKey("live_games.id"), primary_key=True)


@dataclass(frozen=True, slots=True)
class Game:
    """One game as it is listed: times are Unix seconds, `ended_at` None while it is played, `table` the table's name and sizes."""

    id: int
    match: int
    began_at: float
    ended_at: float | None
    players: tuple[str, str]
    table: Mapping[str, Any]

    FIELDS: ClassVar[tuple[str, ...]] = ("name", "length_mm", "width_mm", "ball_mm")


class Store:
    """The file of the database; made when it is not there.

    Raises:
        UserError: the file cannot be opened or written, is no database, or is one of another version.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._engine = _engine(path)
        try:
            _Base.metadata.create_all(self._engine)
            with Session(self._engine) as session, session.begin():
                found = session.get(_Schema, 1)
                if found is None:
                    session.add(_Schema(only=1, version=VERSION))
                elif found.version != VERSION:
                    raise UserError(f"{path}: a database of version {found.version}, expected {VERSION}")
        except SQLAlchemyError as error:
            raise UserError(f"{path}: {_told(error)}") from None

    def close(self) -> None:
        self._engine.dispose()

    def create(self, match: int | None, players: tuple[str, str], table: Mapping[str, Any], first: Entry, at: float) -> int:
        """A new game with its beginning; `match` None: the first of a new match. Returns its id."""
        with self._writing() as session:
            if match is None:
                match = (session.scalar(select(func.max(_Game.match))) or 0) + 1
            row = _Game(
                match=match, began_at=at, player_a=players[0], player_b=players[1], table=json.dumps(dict(table), ensure_ascii=False)
            )
            session.add(row)
            session.flush()
            session.add(_line(row.id, first))
            return row.id

    def append(self, game: int, entries: Sequence[Entry], paths: Mapping[int, Paths] | None = None) -> None:
        """Adds entries and the paths of strokes in one transaction; they are on the disk when this returns."""
        with self._writing() as session:
            session.add_all(_line(game, entry) for entry in entries)
            for stroke, traces in (paths or {}).items():
                session.merge(_Trace(game=game, stroke=stroke, data=json.dumps(traces, separators=(",", ":"))))

    def tidy(self) -> None:
        """Moves what was appended from the log of the database into its file, as far as nobody reads it: for when nobody waits."""
        with contextlib.suppress(SQLAlchemyError), self._engine.connect() as connection:
            connection.exec_driver_sql("PRAGMA wal_checkpoint(PASSIVE)")

    def end(self, game: int, at: float | None) -> None:
        """Marks a game as over at `at`; None: it goes on."""
        with self._writing() as session:
            row = session.get(_Game, game)
            if row is not None:
                row.ended_at = at

    def pause(self, game: int, on: bool) -> None:
        """Marks a game as paused, or as played again."""
        with self._writing() as session:
            row = session.get(_Pause, game)
            if on and row is None:
                session.add(_Pause(game=game))
            elif not on and row is not None:
                session.delete(row)

    def paused(self, game: int) -> bool:
        """Whether a game is paused."""
        with Session(self._engine) as session:
            return session.get(_Pause, game) is not None

    def journal(self, game: int) -> tuple[Entry, ...]:
        """All entries of a game, in order. Raises UserError for a damaged one."""
        with Session(self._engine) as session:
            rows = session.scalars(select(_Line).where(_Line.game == game).order_by(_Line.number)).all()
        entries = []
        for row in rows:
            try:
                entries.append(entry_from_json(json.loads(row.data)))
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise UserError(f"{self._path}: game {game}, entry {row.number}: {type(error).__name__} {error}") from None
        if entries:
            check(entries)
        return tuple(entries)

    def paths(self, game: int, stroke: int) -> dict[str, list[tuple[float, float, float]]]:
        """The paths of a stroke's balls; empty if none are known."""
        with Session(self._engine) as session:
            row = session.get(_Trace, (game, stroke))
        return {} if row is None else {ball: [tuple(p) for p in points] for ball, points in json.loads(row.data).items()}

    def games(self) -> list[Game]:
        """All games, the newest first."""
        with Session(self._engine) as session:
            return [_game(row) for row in session.scalars(select(_Game).order_by(_Game.id.desc()))]

    def lengths(self) -> dict[int, int]:
        """The number of entries of each game's journal."""
        with Session(self._engine) as session:
            return {game: count for game, count in session.execute(select(_Line.game, func.count()).group_by(_Line.game))}

    def game(self, number: int) -> Game | None:
        with Session(self._engine) as session:
            row = session.get(_Game, number)
            return None if row is None else _game(row)

    def _writing(self):
        """A session that commits at its end; a failure is a UserError that names the file."""
        return _Writing(self._engine, self._path)


class _Writing:
    def __init__(self, engine: Engine, path: Path) -> None:
        self._session, self._path = Session(engine), path

    def __enter__(self) -> Session:
        return self._session

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        try:
            if error is None:
                self._session.commit()
        except SQLAlchemyError as failure:
            raise UserError(f"{self._path}: {_told(failure)}") from None
        finally:
            self._session.close()
        if isinstance(error, SQLAlchemyError):
            raise UserError(f"{self._path}: {_told(error)}") from None


def _engine(path: Path) -> Engine:
    engine = create_engine(f"sqlite:///{path}", connect_args={"timeout": 10, "check_same_thread": False})

    @event.listens_for(engine, "connect")
    def _set_up(connection, _record) -> None:
        cursor = connection.cursor()
        # its log is moved into the file by `tidy`, not within an append, or else when it has grown very long
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "wal_autocheckpoint=20000"):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    return engine


def _line(game: int, entry: Entry) -> _Line:
    data = entry_to_json(entry)
    return _Line(game=game, number=entry.number, kind=data["kind"], data=json.dumps(data, ensure_ascii=False, separators=(",", ":")))


def _game(row: _Game) -> Game:
    return Game(row.id, row.match, row.began_at, row.ended_at, (row.player_a, row.player_b), json.loads(row.table))


def _told(error: SQLAlchemyError) -> str:
    cause = error.orig if isinstance(error, DatabaseError) and error.orig else error
    return str(cause).splitlines()[0]
