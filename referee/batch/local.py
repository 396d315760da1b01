"""The engine of one machine: a few worker processes, each with a pipe. One that dies costs the job that it had, no more."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from referee.batch.jobs import Job, Outcome, Step

_ROOM = 0.8  # of the memory that is free may be used
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


@dataclass(slots=True)
class _Worker:
    process: BaseProcess
    pipe: Connection
    job: Job | None = None


class LocalEngine:
    """Runs jobs in `slots` processes.

    Args:
        workers: how many; by default as many as processors, fewer where the memory of the jobs would not suffice.
    """

    name = "local"

    def __init__(self, workers: int | None = None) -> None:
        self._asked = workers
        self._workers: list[_Worker] = []
        self._context = multiprocessing.get_context("spawn")

    @property
    def slots(self) -> int:
        return self._asked or processors()

    def run(self, jobs: Sequence[Job], on_step: Callable[[Step], None]) -> Iterator[Outcome]:
        """Outcomes as they come. A job that needs more memory than others lowers how many run at once."""
        waiting = list(reversed(jobs))
        most = self._asked or room_for(max((job.memory for job in jobs), default=0), processors())
        while waiting or any(w.job for w in self._workers):
            while waiting and sum(1 for w in self._workers if w.job) < most:
                self._give(waiting.pop())
            busy = [w for w in self._workers if w.job]
            ready = wait([w.pipe for w in busy] + [w.process.sentinel for w in busy], timeout=1.0)
            for worker in busy:
                if worker.pipe in ready or worker.process.sentinel in ready:
                    outcome = self._hear(worker, on_step)
                    if outcome is not None:
                        yield outcome

    def _give(self, job: Job) -> None:
        """To an idle worker, or to a new one; an idle one may have died meanwhile."""
        for worker in [w for w in self._workers if w.job is None]:
            try:
                worker.pipe.send(job)
                worker.job = job
                return
            except OSError:
                self._drop(worker)
        worker = self._start()
        worker.job = job  # a worker that dies before it takes the job is noticed as any other
        try:
            worker.pipe.send(job)
        except OSError:
            return

    def _start(self) -> _Worker:
        here, there = self._context.Pipe()
        threads = max(1, processors() // self.slots)
        with _environment({name: str(threads) for name in _THREADS}), _without_interrupts():
            process = self._context.Process(target=serve, args=(there, threads), daemon=True)
            process.start()
        there.close()
        worker = _Worker(process, here)
        self._workers.append(worker)
        return worker

    def _hear(self, worker: _Worker, on_step: Callable[[Step], None]) -> Outcome | None:
        """What a worker says; an outcome if it has ended its job or itself."""
        try:
            while worker.pipe.poll():
                said = worker.pipe.recv()
                if isinstance(said, Step):
                    on_step(said)
                else:
                    worker.job = None
                    return said
        except (EOFError, OSError):
            pass
        else:
            if worker.process.is_alive():
                return None
        worker.process.join(5)
        job, worker.job = worker.job, None
        self._drop(worker)
        assert job is not None
        return Outcome(job, error=f"{job.label}: {how_it_died(worker.process.exitcode)}", lost=True)

    def _drop(self, worker: _Worker) -> None:
        worker.pipe.close()
        self._workers.remove(worker)

    def close(self, *, kill: bool = False) -> None:
        """Ends the workers: idle ones by closing their pipes, with `kill` all of them at once."""
        for worker in self._workers:
            worker.pipe.close()
            if kill or worker.job is not None:
                worker.process.terminate()
        for worker in self._workers:
            worker.process.join(3)
            if worker.process.is_alive():
                worker.process.kill()
                worker.process.join(3)
        self._workers.clear()


def serve(pipe: Connection, threads: int) -> None:
    """The life of a worker: jobs in, steps and outcomes out, until the driver closes the pipe or is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the driver's; it ends the workers
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    from referee.batch.worker import do, use_threads

    use_threads(threads)
    said = threading.Lock()

    def tell(message: Any) -> None:
        try:
            with said:
                pipe.send(message)
        except OSError:  # the driver is gone: nobody wants this work
            os._exit(1)

    while True:
        try:
            job = pipe.recv()
        except (EOFError, OSError):
            return
        tell(do(job, tell))


def how_it_died(code: int | None) -> str:
    if code is not None and code < 0:
        name = signal.Signals(-code).name if -code in set(signal.Signals) else str(-code)
        why = " (perhaps the machine ran out of memory)" if name == "SIGKILL" else ""
        return f"its worker was ended by {name}{why}"
    return f"its worker ended unexpectedly (status {code})"


def processors() -> int:
    """Processors that this process may use."""
    try:
        return max(1, len(os.sched_getaffinity(0)))
    except AttributeError:  # not on macOS and Windows
        return os.cpu_count() or 1


def room_for(memory: int, most: int) -> int:
    """How many jobs of so many bytes fit into the free memory, from 1 to `most`."""
    free = free_memory()
    if not memory or free is None:
        return most
    return max(1, min(most, int(_ROOM * free) // memory))


def free_memory() -> int | None:
    """Bytes that are free on this machine or left to this container; None if it does not tell."""
    found = []
    try:
        lines = dict(line.split(":", 1) for line in Path("/proc/meminfo").read_text().splitlines())
        found.append(int(lines["MemAvailable"].split()[0]) * 1024)
    except (OSError, KeyError, ValueError):
        pass
    try:
        most, used = (Path(f"/sys/fs/cgroup/memory.{name}").read_text().strip() for name in ("max", "current"))
        found.append(max(0, int(most) - int(used)))
    except (OSError, ValueError):  # no limit, or no such thing here
        pass
    return min(found, default=None)


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """A process started meanwhile never sees Ctrl-C, not even while it starts; here it waits until the end of this."""
    if not hasattr(signal, "pthread_sigmask"):  # not on Windows
        yield
        return
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


@contextmanager
def _environment(values: dict[str, str]) -> Iterator[None]:
    """Variables that a process started meanwhile inherits."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
