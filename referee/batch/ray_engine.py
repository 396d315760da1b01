"""The engine of a Ray cluster: one of many machines (`--address`), or one on this machine that it starts and stops.

Ray places the tasks, and repeats those whose worker or machine was lost; here is only how many are handed to it at once
and how progress comes back. A repeated task writes into another scratch folder, and only the driver publishes: nothing is
lost and nothing is there twice.
"""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import IO, Any

from calibration.errors import UserError
from referee.batch.jobs import Job, Outcome, Step
from referee.batch.local import free_memory, processors, room_for

_REACH = 5.0  # s for a connection to the head
_JOIN = 10.0  # s for the cluster to take us in
_RETRIES = 3  # of a task whose worker was lost; what a user caused is an outcome and is never repeated
_AHEAD = 2  # tasks handed to Ray for each that can run: a free worker never waits, and the rest waits here
_OFTEN = 0.5  # s between looks at the progress
_QUIET = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0"}


class RayEngine:
    """Runs jobs as Ray tasks.

    Args:
        address: HOST:PORT of the head, ray://HOST:PORT or auto; None: a cluster on this machine for as long as this lives.
        workers: how many tasks at once; by default as many as the cluster has processors (here: and memory).

    Raises:
        UserError: Ray is not installed, or the cluster does not answer.
    """

    name = "ray"

    def __init__(self, address: str | None = None, workers: int | None = None) -> None:
        os.environ.update({name: os.environ.get(name, value) for name, value in _QUIET.items()})
        try:
            import ray
        except ModuleNotFoundError:
            raise UserError("--engine ray: Ray is not installed: expected the ray extra (pip install 'poedinok[ray]')") from None
        self._ray = ray
        self._asked = workers
        self._own = address is None
        if address is None:
            _start(ray, workers)
        else:
            _join(ray, address)
        self._board: Any = None

    @property
    def slots(self) -> int:
        """Tasks that can run at once; machines may join and leave."""
        return self._asked or max(1, int(self._ray.cluster_resources().get("CPU", 1)))

    def run(self, jobs: Sequence[Job], on_step: Callable[[Step], None]) -> Iterator[Outcome]:
        """Outcomes as they come. A job whose worker is lost again and again ends as lost."""
        board = self._steps()
        gpus = gpu_share(self._ray.nodes())
        task = self._ray.remote(max_retries=_RETRIES, retry_exceptions=False)(_work)
        waiting, running = list(reversed(jobs)), {}
        looked = time.monotonic()
        try:
            while waiting or running:
                while waiting and len(running) < self._most():
                    job = waiting.pop()
                    needs = {"num_cpus": 1, "num_gpus": gpus, "memory": job.memory or None, "name": f"{job.kind} {job.label}"}
                    running[task.options(**needs).remote(job, board)] = job
                done, _ = self._ray.wait(list(running), num_returns=1, timeout=_OFTEN)
                for ref in done:
                    yield self._outcome(ref, running.pop(ref))
                if time.monotonic() - looked > _OFTEN:
                    looked = time.monotonic()
                    for step in self._said(board):
                        on_step(step)
        finally:
            for ref in running:  # interrupted
                with contextlib.suppress(Exception):
                    self._ray.cancel(ref, force=True)

    def _most(self) -> int:
        """Tasks in Ray's hands: bounded, so that a season's list does not fill its queues."""
        return self._asked if self._asked else _AHEAD * self.slots

    def _outcome(self, ref: Any, job: Job) -> Outcome:
        try:
            return self._ray.get(ref)
        except self._ray.exceptions.RayError as error:
            reason = type(error).__name__
            return Outcome(job, error=f"{job.label}: its worker was lost {_RETRIES + 1} times ({reason})", lost=True)

    def _steps(self) -> Any:
        """What collects progress; it lives on the driver's machine as long as the engine."""
        if self._board is None:
            self._board = self._ray.remote(num_cpus=0, max_restarts=-1, max_task_retries=-1)(_Steps).remote()
        return self._board

    def _said(self, board: Any) -> list[Step]:
        try:
            return self._ray.get(board.take.remote(), timeout=2 * _OFTEN)
        except self._ray.exceptions.RayError:  # progress is for show only
            return []

    def close(self, *, kill: bool = False) -> None:
        """Leaves the cluster; ends it if it is ours."""
        if self._board is not None:
            with contextlib.suppress(Exception):
                self._ray.kill(self._board)
        with contextlib.suppress(Exception):
            self._ray.shutdown()


class _Steps:
    """An actor: the last step of each job since it was asked."""

    def __init__(self) -> None:
        self._last: dict[int, Step] = {}

    def tell(self, step: Step) -> None:
        self._last[step.number] = step

    def take(self) -> list[Step]:
        last, self._last = self._last, {}
        return list(last.values())


def _work(job: Job, board: Any) -> Outcome:
    """The task. Steps are sent and forgotten: a lost one is made good by the next."""
    with contextlib.suppress(ValueError):  # Ctrl-C is the driver's; it cancels
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    from referee.batch.worker import do, use_threads

    use_threads(1)
    told = 0.0

    def tell(step: Step) -> None:
        nonlocal told
        if time.monotonic() - told >= _OFTEN or not step.done:
            told = time.monotonic()
            board.tell.remote(step)

    return do(job, tell)


def gpu_share(nodes: Sequence[Mapping[str, Any]]) -> float:
    """The part of a GPU that a task asks for: where every machine has one, as much as never keeps a processor idle; else none.

    Ray hides the GPUs from tasks that ask for none, and would never run one that asks on a machine without.
    """
    shares = []
    for node in nodes:
        has = node.get("Resources", {})
        if node.get("Alive") and has.get("CPU"):
            shares.append(has.get("GPU", 0) / has["CPU"])
    least = min(shares, default=0.0)
    return int(min(least, 1.0) * 1000) / 1000


def _start(ray: Any, workers: int | None) -> None:
    """A cluster on this machine with as many processors as there are workers, without dashboard, statistics or talk."""
    count = workers or room_for(800 << 20, processors())
    store = max(80 << 20, min(200 << 20, (free_memory() or 1 << 30) // 8))
    ray.init(
        num_cpus=count, include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR, configure_logging=True,
        object_store_memory=store, ignore_reinit_error=False, _temp_dir=None,
    )  # fmt: skip


def _join(ray: Any, address: str) -> None:
    """Joins a running cluster.

    Raises:
        UserError: nothing answers there in time, or what answers is no cluster of this Ray.
    """
    wrong = UserError(f"--address {address}: no Ray cluster answers there (start one with `ray start --head`; docs/BATCH.md)")
    if address != "auto":
        host, _, port = address.removeprefix("ray://").rpartition(":")
        if not host or not port.isdecimal():
            raise UserError(f"--address {address}: expected HOST:PORT of the cluster's head, ray://HOST:PORT, or auto")
        try:
            socket.create_connection((host, int(port)), timeout=_REACH).close()
        except (OSError, OverflowError):
            raise wrong from None
    failed: list[BaseException] = []

    def init() -> None:
        try:
            ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
        except BaseException as error:
            failed.append(error)

    joining = threading.Thread(target=init, daemon=True)
    with _muted() as core:
        joining.start()
        joining.join(_JOIN)
        core.seek(0)
        said = core.read()
    if b"AuthToken" in said or (failed and "Auth" in type(failed[0]).__name__):
        raise UserError(f"--address {address}: the cluster asks for its token: expected RAY_AUTH_MODE=token and the token of its head")
    if joining.is_alive():
        raise wrong
    if failed:
        text = " ".join(str(failed[0]).split())[:200]
        raise wrong if isinstance(failed[0], ConnectionError) else UserError(f"--address {address}: cannot be joined: {text}")


@contextlib.contextmanager
def _muted() -> Iterator[IO[bytes]]:
    """Ray's own core writes warnings straight to standard error; here they go into a file, and we say in one line what they mean."""
    sys.stderr.flush()
    kept = os.dup(2)
    with tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), 2)
        try:
            yield file
        finally:
            os.dup2(kept, 2)
            os.close(kept)
