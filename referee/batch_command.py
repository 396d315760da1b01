"""`poedinok batch`: options in, summary and exit status out."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from calibration.errors import UserError
from referee.batch.board import board, duration
from referee.batch.inputs import read_sources
from referee.batch.jobs import Engine
from referee.batch.ledger import DOUBLE, FINISHED
from referee.batch.run import OnFinished, Order, Report, run_batch
from referee.batch.settings import Settings


def run_batch_command(
    videos: Sequence[str],
    out: Path,
    settings: Settings,
    *,
    engine: str = "local",
    workers: int | None = None,
    address: str | None = None,
    profiles: Sequence[Path] = (),
    force: bool = False,
    on_finished: OnFinished | None = None,
) -> int:
    """Referees videos; returns the exit status: 0, 1 if any video failed, 130 if it was interrupted.

    Args:
        settings: what the options say for every video (`settings.checked`).
        profiles: folders with profiles to choose from.
        on_finished: told of every finished video, now or earlier (see `Order`).

    Raises:
        UserError: wrong usage.
    """
    if workers is not None and workers < 1:
        raise UserError(f"--workers: expected a positive number, got {workers}")
    if address is not None and engine != "ray":
        raise UserError("--address: only --engine ray has one")
    for folder in profiles:
        if not folder.is_dir():
            raise UserError(f"--profiles {folder}: expected a folder with profiles")
    for name in ("profile", "weights"):
        path = getattr(settings, name)
        if path and not Path(path).is_file():
            raise UserError(f"{path}: {name} not found, expected a file")
    if settings.profile:  # what is wrong with it is wrong for all
        from calibration.profile import read_profile

        read_profile(settings.profile)
    sources = read_sources(videos, settings, out)
    order = Order(sources, out, tuple(p.absolute() for p in profiles), force, on_finished)
    try:
        with _interruptible(), _engine(engine, workers, address) as works, board() as shown:
            report = run_batch(order, works, shown)
    except KeyboardInterrupt:
        print("poedinok: interrupted; what is finished is kept, the same command goes on from here", file=sys.stderr)
        return 130
    print_summary(report, out)
    return 0 if report.good else 1


@contextmanager
def _engine(name: str, workers: int | None, address: str | None) -> Iterator[Engine]:
    """The engine; its workers are gone when this ends, however it ends."""
    if name == "ray":
        from referee.batch.ray_engine import RayEngine

        engine: Engine = RayEngine(address, workers)
    else:
        from referee.batch.local import LocalEngine

        engine = LocalEngine(workers)
    try:
        yield engine
    except BaseException:
        engine.close(kill=True)
        raise
    engine.close()


@contextmanager
def _interruptible() -> Iterator[None]:
    """SIGTERM ends the run as Ctrl-C does: workers are stopped, what is finished is kept."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    try:
        before = signal.signal(signal.SIGTERM, interrupt)
    except ValueError:  # not the main thread: the caller's affair
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def print_summary(report: Report, out: Path) -> None:
    """What is done, what failed and why, on standard output."""
    finished = [e for e in report.entries if e.status == FINISHED]
    doubles = [e for e in report.entries if e.status == DOUBLE]
    now = len(finished) - report.before
    waiting = len(report.entries) - len(finished) - len(doubles) - len(report.failed)
    counts = {"refereed": now, "finished before": report.before, "double": len(doubles), "failed": len(report.failed), "not begun": waiting}
    videos = len(report.entries)
    print(f"{videos} video{'' if videos == 1 else 's'}: " + ", ".join(f"{count} {what}" for what, count in counts.items() if count))
    hours = sum(e.duration or 0 for e in finished)
    doubtful = sum(e.to_check or 0 for e in finished)
    strokes = sum(e.strokes or 0 for e in finished)
    if finished:
        print(
            f"{strokes} stroke{'' if strokes == 1 else 's'} in {duration(hours)} of video" + (f", {doubtful} to check" if doubtful else "")
        )
    for entry in doubles:
        print(f"double: {entry.video} is the same video as {entry.double_of}")
    for entry in report.failed:
        print(f"failed: {entry.reason}" if entry.video in entry.reason else f"failed: {entry.video}: {entry.reason}")
    for line in report.troubles:
        print(f"trouble: {line}")
    if report.stopped:
        print(f"stopped: {report.stopped}")
    print(f"results: {out}")
