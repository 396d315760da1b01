"""Work for another process, so that what watches in this one never waits for the interpreter.

The process is started before there is anything to do. Where none can be had, or it dies or hangs over a piece of work, the work is done
here instead: none is lost.
"""

from __future__ import annotations

import gc
import logging
import multiprocessing
import signal
import time
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any, ParamSpec, TypeVar

_PATIENCE = 20.0  # s that a piece of work may take before it is done here
_START = 60.0  # s the same for the first one of a process, which must be made ready
_DEATHS, _FORGIVEN = 3, 3600.0  # of the process in so many s, during which no other one is started then
_log = logging.getLogger(__name__)
P = ParamSpec("P")
R = TypeVar("R")


class Workshop:
    """One process that works. A context manager; `do` is for one thread at a time. `pid`: of the process, None without one."""

    def __init__(self) -> None:
        self._process: BaseProcess | None = None
        self._pipe: Connection | None = None
        self._deaths: list[float] = []  # monotonic s
        self._answered = False  # the process is ready: it has given an answer
        self._ended = False

    def __enter__(self) -> Workshop:
        self._open()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended = True  # work that is still waited for, in another thread, starts no other process
        self._close()

    @property
    def pid(self) -> int | None:
        return None if self._process is None else self._process.pid

    def do(self, work: Callable[P, R], *arguments: P.args, **more: P.kwargs) -> R:
        """What `work` gives, or the exception that it raises. It, its arguments and its answer go from process to process (pickle)."""
        if self._pipe is None and self._deaths:  # a table is watched for months: what happened long ago is forgiven
            self._open_again()
        pipe = self._pipe
        if pipe is not None:
            patience = _PATIENCE if self._answered else _START
            try:
                pipe.send((work, arguments, more))
                if not pipe.poll(patience):
                    raise TimeoutError(f"no answer for {patience:g} s")
                done, answer = pipe.recv()
                self._answered = True
            except Exception as error:  # whatever cannot be sent or read: here it need not be
                _log.warning("the second process failed (%s: %s)", type(error).__name__, error)
                self._close()
                self._deaths.append(time.monotonic())
                self._open_again()
            else:
                if done:
                    return answer
                raise answer
        return work(*arguments, **more)

    def _open_again(self) -> None:
        lately = [t for t in self._deaths if time.monotonic() - t < _FORGIVEN]
        if len(lately) < _DEATHS and not self._ended:
            self._deaths = lately
            self._open()

    def _open(self) -> None:
        try:
            context = multiprocessing.get_context("spawn")
            ours, theirs = context.Pipe()
            process = context.Process(target=_work, args=(theirs,), name="strokes", daemon=True)
            process.start()
        except (OSError, ValueError, ImportError) as error:
            # a RuntimeError goes on: it ends a process that would do all over again what the script that started it does
            _log.warning("no second process (%s): strokes are worked out beside the frames", error)
            return
        theirs.close()  # so that the end of the one is seen by the other
        self._process, self._pipe, self._answered = process, ours, False

    def _close(self) -> None:
        process, pipe, self._process, self._pipe = self._process, self._pipe, None, None
        if process is not None:  # first, so that who waits for an answer is told
            process.kill()
            process.join(5)
        if pipe is not None:
            pipe.close()


def _work(pipe: Connection) -> None:
    """In the process: one piece of work after the other, until the one that sends it has ended."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is for that one
    import cv2

    import vision.telling  # noqa: F401  before there is anything to do

    cv2.setNumThreads(1)
    gc.collect()
    gc.freeze()  # what was imported is no garbage and need not be gone through again
    while True:
        try:
            work, arguments, more = pipe.recv()
        except (EOFError, OSError):
            return
        answer: tuple[bool, Any]
        try:
            answer = True, work(*arguments, **more)
        except Exception as error:  # it is for the one who asked
            error.add_note(f"in the second process:\n{traceback.format_exc()}")
            answer = False, error
        try:
            pipe.send(answer)
        except (BrokenPipeError, ConnectionError):
            return
