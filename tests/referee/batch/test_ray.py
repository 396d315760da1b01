"""The same work on a real Ray cluster of this machine: two worker processes, one of which is killed in the middle."""

from __future__ import annotations

import importlib.util
import os
import signal
import socket
import sys
from collections import Counter
from pathlib import Path

import pytest

from referee import cli
from referee.batch.inputs import read_sources
from referee.batch.jobs import Step
from referee.batch.ray_engine import RayEngine
from referee.batch.run import Order, run_batch
from referee.batch.settings import checked
from tests.referee.batch.clips import cut, profile
from tests.referee.batch.inline import Inline
from tests.referee.batch.test_run import Silent, everything

needs_ray = pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="needs the ray extra")


class Killer(Silent):
    """A board that kills the worker of the first analysis once it has begun."""

    def __init__(self) -> None:
        super().__init__()
        self.killed: str | None = None
        self.analyzing = False

    def phase(self, title: str, jobs: object) -> None:
        self.analyzing = title == "refereeing videos"

    def step(self, step: Step) -> None:
        if self.analyzing and self.killed is None and step.stage == "frames":
            self.killed = step.where
            os.kill(int(step.where.rpartition(":")[2]), signal.SIGKILL)


@needs_ray
@pytest.mark.slow
def test_a_killed_worker_loses_nothing_and_doubles_nothing(tmp_path: Path) -> None:
    videos = tmp_path / "videos"
    videos.mkdir()
    for n in range(3):
        cut(videos / f"{n}.mp4", 5 * n, 5 * n + (5.0 if n == 0 else 0.4))
    (videos / "broken.mp4").write_text("no video")
    profile(videos / "table.toml")
    order = Order(read_sources([str(videos)], checked({}), tmp_path / "ray"), tmp_path / "ray")
    board = Killer()
    engine = RayEngine(None, 2)
    try:
        report = run_batch(order, engine, board)
    finally:
        engine.close()
    assert board.killed is not None
    assert [e.status for e in report.entries] == ["finished"] * 3 + ["failed"]
    assert all(e.where != board.killed for e in report.entries)
    assert max(Counter(e.name for e in report.entries if e.name).values()) == 1
    assert not list((tmp_path / "ray/.batch").glob("work-*"))
    order = Order(read_sources([str(videos)], checked({}), tmp_path / "here"), tmp_path / "here")
    run_batch(order, Inline(), Silent())
    assert everything(tmp_path / "ray") == everything(tmp_path / "here")


def refused(tmp_path: Path, capsys: pytest.CaptureFixture[str], *options: str) -> str:
    cut(tmp_path / "a.mp4", 0, 0.1)
    assert cli.main(["batch", str(tmp_path / "a.mp4"), "--out", str(tmp_path / "out"), *options]) == 2
    said = capsys.readouterr()
    assert said.out == "" and said.err.count("\n") == 1
    return said.err


@needs_ray
def test_a_cluster_that_does_not_answer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"  # nobody listens
        assert f"--address {address}: no Ray cluster answers" in refused(tmp_path, capsys, "--engine", "ray", "--address", address)
    assert "expected HOST:PORT" in refused(tmp_path, capsys, "--engine", "ray", "--address", "the-big-one")


def test_ray_that_is_not_installed(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    assert "pip install 'poedinok[ray]'" in refused(tmp_path, capsys, "--engine", "ray")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--address", "x:1"], "--address: only --engine ray"),
        (["--workers", "0"], "--workers: expected a positive number"),
        (["--profiles", "nowhere"], "--profiles nowhere: expected a folder"),
        (["--profile", "nowhere.toml"], "nowhere.toml: profile not found"),
        (["--players", "Anna"], "--players: expected two names"),
    ],
)
def test_wrong_usage(tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str], message: str) -> None:
    assert message in refused(tmp_path, capsys, *options)
