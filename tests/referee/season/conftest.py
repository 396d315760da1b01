"""A simulated season and a real PostgreSQL server for the tests of the season."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

from referee.season.load import read_folder
from referee.season.rows import MatchFacts
from tests.referee.season.synthetic import write_season

_BIN = next(iter(sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)), None)


@pytest.fixture(scope="session")
def club(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Folders of six matches of four players."""
    return write_season(tmp_path_factory.mktemp("club"), 6, page=True, target=40)


@pytest.fixture(scope="session")
def facts(club: list[Path]) -> list[MatchFacts]:
    return [read_folder(folder) for folder in club]


def _as_postgres(*command: str) -> list[str]:
    """PostgreSQL refuses to run as root."""
    return ["runuser", "-u", "postgres", "--", *command] if os.geteuid() == 0 else list(command)


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The address of a server in a folder of its own, without a database's name; skipped where PostgreSQL is not installed."""
    if _BIN is None or not (_BIN / "initdb").exists():
        pytest.skip("PostgreSQL is not installed")
    pytest.importorskip("psycopg")
    root = os.geteuid() == 0
    if root and (shutil.which("runuser") is None or "postgres" not in {p.pw_name for p in pwd.getpwall()}):
        pytest.skip("no user postgres to run the server as")
    home = Path(tempfile.mkdtemp(prefix="poedinok-postgres-"))
    if root:
        shutil.chown(home, "postgres")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    options = f"-c listen_addresses=127.0.0.1 -c port={port} -c unix_socket_directories={home} -c fsync=off"
    data = str(home / "data")
    try:
        _run(_as_postgres(str(_BIN / "initdb"), "-D", data, "-U", "referee", "-A", "trust", "-E", "UTF8", "--locale=C", "-N"), home)
        _run(_as_postgres(str(_BIN / "pg_ctl"), "-D", data, "-l", str(home / "log"), "-w", "-o", options, "start"), home)
        yield f"postgresql://referee@127.0.0.1:{port}"
        _run(_as_postgres(str(_BIN / "pg_ctl"), "-D", data, "-m", "immediate", "stop"), home)
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _run(command: list[str], home: Path) -> None:
    # the server keeps its standard streams open: a pipe to us would never end
    with (home.parent / f"{home.name}.out").open("w+") as out:
        try:
            done = subprocess.run(command, cwd="/", stdout=out, stderr=out, timeout=60, check=False)
            out.seek(0)
            assert done.returncode == 0, out.read()
        finally:
            os.unlink(out.name)


_number = count(1)


@pytest.fixture(params=["sqlite", "postgresql"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database of each kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'season.db'}"
    make: Callable[[], str] = request.getfixturevalue("new_database")
    return make()


@pytest.fixture
def new_database(postgres_server: str) -> Callable[[], str]:
    """Makes an empty database on the server and gives its address."""
    import psycopg

    def make() -> str:
        name = f"season_{next(_number)}"
        with psycopg.connect(f"{postgres_server}/postgres", autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}".encode())
        return f"{postgres_server}/{name}"

    return make
