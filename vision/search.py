"""A search of the whole picture for missing balls, in a second thread, so that no frame waits for it.

The answer is taken a fixed time later by the video's clock: what comes out does not depend on the machine's speed.
"""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache

from vision.detect import Detector
from vision.field import Field
from vision.frames import Frame
from vision.seek import Candidate, candidates

_AFTER = 0.1  # s of video until the answer is taken; on a slow machine it is waited for


@cache
def _worker() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(1, thread_name_prefix="search")


class Search:
    """At most one search at a time."""

    def __init__(self) -> None:
        self._future: Future[list[Candidate]] | None = None
        self._begun = 0.0

    @property
    def idle(self) -> bool:
        return self._future is None

    def begin(self, frame: Frame, field: Field, network: Detector | None) -> None:
        self._begun = frame.seconds
        self._future = _worker().submit(candidates, frame, field, network)

    def answer(self, t: float) -> list[Candidate] | None:
        """What was found in the picture given to `begin`, once, when it is due at the time t (s); None before and after."""
        if self._future is None or t < self._begun + _AFTER:
            return None
        future, self._future = self._future, None
        return future.result()

    def __deepcopy__(self, memo: object) -> Search:
        # a copy of a watch is made to tell a stroke, not to look on
        return Search()
