"""Throughput of the batch: python -m tests.bench.bench_batch [--seconds 12] [--size 1280x720] [--fps 30] [--videos 4]

The same videos (stretches of the sample match, encoded anew) with one and two workers, local and on a Ray cluster of this
machine: hours of video per hour, processor time, Ray's overhead, memory of a worker. Processor time hardly depends on what
else the machine does; the hours per hour do, so the load is printed too.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from referee.batch.inputs import read_sources
from referee.batch.jobs import Engine
from referee.batch.local import LocalEngine
from referee.batch.run import Order, Report, run_batch
from referee.batch.settings import checked
from tests.referee.batch.clips import cut, profile
from tests.referee.batch.test_run import Silent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=12.0)
    parser.add_argument("--size", default="1280x720")
    parser.add_argument("--fps", type=int, default=30, choices=(60, 30, 20))
    parser.add_argument("--videos", type=int, default=4)
    parser.add_argument("--workers", type=int, nargs="*", default=[1, 2])
    parser.add_argument("--engines", nargs="*", default=["local", "ray"])
    given = parser.parse_args()
    width, height = (int(n) for n in given.size.split("x"))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "videos"
        folder.mkdir()
        for n in range(given.videos):
            start = 6.0 * n % 22
            cut(folder / f"{n}.mp4", start, start + given.seconds, every=60 // given.fps, size=(width, height), codec="libx264")
        profile(folder / "table.toml", (width, height))
        what = f"{given.videos} videos of {given.seconds:g} s, {given.size} at {given.fps}/s"
        print(f"{what}; load {os.getloadavg()[0]:.1f} of {os.cpu_count()}")
        print(f"{'engine':8}{'workers':>8}{'start s':>9}{'work s':>9}{'h/h':>7}{'work of all s':>15}{'MB':>7}{'load':>7}")
        for workers in given.workers:
            taken = {engine: _measured(engine, workers, folder, Path(name) / f"{engine}{workers}") for engine in given.engines}
            if len(taken) == 2:
                print(f"  overhead of ray: {100 * (taken['ray'] / taken['local'] - 1):+.1f} % without its start")


def _measured(name: str, workers: int, videos: Path, out: Path) -> float:
    """Prints a row; returns the seconds of the run without the start of the engine."""
    began = time.perf_counter()
    engine: Engine = LocalEngine(workers)
    if name == "ray":
        from referee.batch.ray_engine import RayEngine

        engine = RayEngine(None, workers)
    started = time.perf_counter()
    try:
        report = run_batch(Order(read_sources([str(videos)], checked({}), out), out), engine, Silent())
    finally:
        ended = time.perf_counter()
        engine.close()
    assert report.good, report.failed
    _row(name, workers, started - began, ended - started, report)
    return ended - started


def _row(name: str, workers: int, start: float, took: float, report: Report) -> None:
    video = sum(e.duration or 0 for e in report.entries)
    work, peak = sum(e.seconds for e in report.entries), max(e.peak_mb for e in report.entries)
    load = os.getloadavg()[0]
    print(f"{name:8}{workers:8}{start:9.1f}{took:9.1f}{video / took:7.2f}{work:15.1f}{peak:7}{load:7.1f}", flush=True)


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        main()
