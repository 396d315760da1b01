"""What a person at a terminal sees of a long analysis: a bar while it runs, a few lines when it is done."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from referee.analyze import Result
    from vision.pipeline import Progress


_SHOWN = 8  # strokes to check that are listed
_EACH = 60.0  # s between two lines of progress where there is no terminal


@contextmanager
def progress() -> Iterator[Callable[[Progress], None]]:
    """A function to report progress to: a bar on a terminal, elsewhere a line for each stage and each minute on standard error."""
    if not sys.stderr.isatty():
        lines = _Lines()
        yield lines.show
        lines.end()
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed:.0f}/{task.total} {task.fields[rate]}"),
        TimeRemainingColumn(),
    )
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        tasks: dict[str, int] = {}

        def show(step: Progress) -> None:
            if step.stage not in tasks:
                tasks[step.stage] = bar.add_task(step.stage, total=step.total, rate="")
            task = bar.tasks[tasks[step.stage]]
            rate = f"{task.speed:.0f} frames/s" if task.speed else ""
            bar.update(task.id, completed=step.done, total=step.total, rate=rate)

        yield show


@contextmanager
def counted(stage: str) -> Iterator[Callable[[int, int], None]]:
    """`progress` for one stage, reported as (done, in all)."""
    from vision.pipeline import Progress

    with progress() as show:
        yield lambda done, total: show(Progress(stage, done, total))


class _Lines:
    """Progress as lines of text, few enough for a log."""

    def __init__(self) -> None:
        self._step: Progress | None = None
        self._began = self._said = time.monotonic()

    def show(self, step: Progress) -> None:
        now = time.monotonic()
        if self._step is None or step.stage != self._step.stage:
            self.end()
            self._began = self._said = now
            print(f"{step.stage}: begun", file=sys.stderr, flush=True)
        elif now - self._said >= _EACH:
            self._said = now
            print(f"{step.stage}: {step.done}" + (f" of {step.total}" if step.total else ""), file=sys.stderr, flush=True)
        self._step = step

    def end(self) -> None:
        if self._step is not None:
            print(f"{self._step.stage}: done in {time.monotonic() - self._began:.0f} s", file=sys.stderr, flush=True)


def summary(result: Result, *, timings: bool) -> None:
    """The score, what is left to check and where the report is, on standard output."""
    document = result.document
    shots = document["shots"]
    doubtful = sum(1 for shot in shots if shot["review"])
    a, b = document["players"]
    for note in document["notes"]:
        print(f"note: {note}")
    if any(shot["ruling"] for shot in shots):
        winner = document.get("winner")
        print(f"{a} {document['scores'][0]} : {document['scores'][1]} {b}" + (f", {(a, b)[winner]} wins" if winner is not None else ""))
    print(f"{_count(len(shots), 'stroke')}, {doubtful} to check" if doubtful else _count(len(shots), "stroke"))
    for shot in [shot for shot in shots if shot["review"]][:_SHOWN]:
        more = f" (and {len(shot['review']) - 1} more)" if len(shot["review"]) > 1 else ""
        print(f"  stroke {shot['index']} at {shot['start_t']:.1f} s: {shot['review'][0]['reason']}{more}")
    if doubtful > _SHOWN:
        print(f"  and {doubtful - _SHOWN} more")
    print(f"report: {result.out / 'report.html'}")
    if timings:
        _timings(result)


def _timings(result: Result) -> None:
    frames = result.document["video"]["frames"] or 0
    rows = [*result.timings.items(), ("whole", result.seconds)]
    print(f"{'stage':24}{'seconds':>9}{'ms/frame':>10}")
    for name, seconds in rows:
        print(f"{name:24}{seconds:9.2f}{1000 * seconds / frames if frames else 0:10.2f}")
    if frames and result.seconds:
        print(f"{frames / result.seconds:.1f} frames/s")


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
