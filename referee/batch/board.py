"""What people see of a run: a live table on a terminal, plain lines elsewhere. Both on standard error."""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from referee.batch.jobs import Job, Outcome, Step

if TYPE_CHECKING:
    from rich.console import Group, RenderableType

_LAST = 5  # ended videos that stay in sight
_WINDOW = 120.0  # s of work that the speed is taken from
_SETTLED = 3.0  # s before a speed is believed


class Board(Protocol):
    """Told of everything; shows what it likes."""

    def phase(self, title: str, jobs: Sequence[Job]) -> None: ...

    def step(self, step: Step) -> None: ...

    def ended(self, outcome: Outcome, line: str) -> None: ...

    def say(self, line: str) -> None: ...


@contextmanager
def board() -> Iterator[Board]:
    """The board for this standard error."""
    if not sys.stderr.isatty():
        yield Lines(lambda line: print(line, file=sys.stderr, flush=True))
        return
    from rich.console import Console
    from rich.live import Live

    console = Console(stderr=True)
    table = Table(console.print)
    with Live(get_renderable=table.render, console=console, refresh_per_second=4, transient=True):
        yield table


class Lines:
    """A line for each phase and for each video that has ended."""

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write
        self._title, self._total, self._done = "", 0, 0
        self._time = Remaining()

    def say(self, line: str) -> None:
        self._write(line)

    def phase(self, title: str, jobs: Sequence[Job]) -> None:
        self._total, self._done = len(jobs), 0
        self._time = Remaining(jobs)
        if title != self._title:  # cameras are looked for in rounds
            self.say(f"{title}: {len(jobs)}" if jobs and jobs[0].kind != "camera" else title)
        self._title = title

    def step(self, step: Step) -> None:
        self._time.step(step)

    def ended(self, outcome: Outcome, line: str) -> None:
        self._done += 1
        self._time.ended(outcome)
        left = self._time.left() if outcome.job.weight else None
        if line:
            self.say(f"[{self._done}/{self._total}] {line}" + (f"; {duration(left)} left" if left and self._done < self._total else ""))


class Remaining:
    """The time left, from the frames done lately. Videos of unknown length count as the mean of the others."""

    def __init__(self, jobs: Sequence[Job] = ()) -> None:
        known = [job.weight for job in jobs if job.weight]
        usual = sum(known) / len(known) if known else 1.0
        self.weights = {job.number: job.weight or usual for job in jobs}
        self.done = dict.fromkeys(self.weights, 0.0)
        self._past: deque[tuple[float, float]] = deque([(time.monotonic(), 0.0)])

    def step(self, step: Step) -> None:
        if step.stage == "frames" and step.number in self.done:
            self._set(step.number, min(float(step.done), self.weights[step.number]))

    def ended(self, outcome: Outcome) -> None:
        if outcome.job.number in self.done:
            self._set(outcome.job.number, self.weights[outcome.job.number])

    def _set(self, number: int, done: float) -> None:
        self.done[number] = done
        now = time.monotonic()
        self._past.append((now, sum(self.done.values())))
        while len(self._past) > 2 and now - self._past[1][0] > _WINDOW:
            self._past.popleft()

    def rate(self) -> float:
        """Frames a second of all workers together; 0 if nothing is known."""
        (t0, d0), (t1, d1) = self._past[0], self._past[-1]
        return (d1 - d0) / (t1 - t0) if t1 - t0 > _SETTLED and d1 > d0 else 0.0

    def share(self) -> float:
        whole = sum(self.weights.values())
        return sum(self.done.values()) / whole if whole else 1.0

    def left(self) -> float | None:
        """Seconds left; None if nothing is known."""
        rate = self.rate()
        return (sum(self.weights.values()) - sum(self.done.values())) / rate if rate > 0 else None


@dataclass
class _Running:
    job: Job
    began: float = field(default_factory=time.monotonic)
    step: Step | None = None
    first: tuple[float, int] | None = None


class Table:
    """The live table: what is running, what ended last, the whole."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._title, self._jobs = "", {}
        self._running: dict[int, _Running] = {}
        self._ended: deque[str] = deque(maxlen=_LAST)
        self._count = self._failed = 0
        self._time = Remaining()

    def say(self, line: str) -> None:
        self._say(line)

    def phase(self, title: str, jobs: Sequence[Job]) -> None:
        self._title, self._jobs = title, {job.number: job for job in jobs}
        self._running.clear()
        self._count = 0
        self._time = Remaining(jobs)

    def step(self, step: Step) -> None:
        self._time.step(step)
        job = self._jobs.get(step.number)
        if job is None:
            return
        row = self._running.setdefault(step.number, _Running(job))
        if row.step is None or row.step.stage != step.stage:
            row.first = (time.monotonic(), step.done)
        row.step = step

    def ended(self, outcome: Outcome, line: str) -> None:
        self._count += 1
        self._failed += outcome.error is not None
        self._time.ended(outcome)
        self._running.pop(outcome.job.number, None)
        if line:
            self._ended.append(line)

    def render(self) -> Group:
        """The table as it is now; called by rich's own thread."""
        from rich.console import Group
        from rich.table import Table as Grid
        from rich.text import Text

        grid = Grid(box=None, padding=(0, 1), expand=False)
        for name, justify in (("video", "left"), ("stage", "left"), ("", "left"), ("frames/s", "right"), ("left", "right")):
            grid.add_column(name, justify=justify, overflow="ellipsis", no_wrap=True)  # type: ignore[arg-type]
        for row in list(self._running.values()):
            grid.add_row(*self._row(row))
        parts: list[RenderableType] = [Text(line, overflow="ellipsis", no_wrap=True, style="dim") for line in list(self._ended)]
        return Group(*parts, grid, self._whole())

    def _row(self, row: _Running) -> tuple[RenderableType, ...]:
        from rich.progress_bar import ProgressBar
        from rich.text import Text

        step = row.step
        name = Text(row.job.label.rpartition("/")[2])  # of a path the end tells videos apart
        if step is None or not step.total:
            return name, step.stage if step else "", ProgressBar(total=None, pulse=True, width=24), "", ""
        rate = 0.0
        if row.first is not None and time.monotonic() - row.first[0] > 0.5:
            rate = (step.done - row.first[1]) / (time.monotonic() - row.first[0])
        left = duration((step.total - step.done) / rate) if rate > 0 else ""
        shown = f"{rate:.0f}" if rate and step.stage == "frames" else ""
        return name, step.stage, ProgressBar(step.total, min(step.done, step.total), width=24), shown, left

    def _whole(self) -> RenderableType:
        from rich.progress_bar import ProgressBar
        from rich.table import Table as Grid

        grid = Grid.grid(padding=(0, 1))
        left, rate = self._time.left(), self._time.rate()
        failed = f", {self._failed} failed" if self._failed else ""
        text = f"{self._title}: {self._count} of {len(self._jobs)}{failed}"
        rest = (f"{rate:.0f} frames/s, " if rate > 1 else "") + (f"{duration(left)} left" if left is not None else "")
        grid.add_row(text, ProgressBar(1.0, self._time.share(), width=30), rest)
        return grid


def duration(seconds: float) -> str:
    """Such as 12 s, 3:05 min, 2:14 h."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60}:{whole % 60:02} min"
    return f"{whole // 3600}:{whole % 3600 // 60:02} h"
