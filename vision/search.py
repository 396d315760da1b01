"""A search of the whole picture for missing balls, in a second thread, so that no frame waits for it.

Of a file the answer is taken a fixed time later by the video's clock: what comes out does not depend on the machine's speed.
Of a live table it is taken when it is there: no frame waits.
"""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache

from vision.detect import Detector
from vision.field import Field
from vision.frames import Frame
from vision.seek import Candidate, candidates

_AFTER = 0.3  # s of video until the answer is taken


@cache
def _worker() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(1, thread_name_prefix="search")


class Search:
    """At most one search at a time. `waits`: an answer that is due is waited for."""

    def __init__(self, waits: bool = True) -> None:
        self._waits = waits
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
        if self._future is None or t < self._begun + _AFTER or not (self._waits or self._future.done()):
            return None
        future, self._future = self._future, None
        return future.result()

    def __deepcopy__(self, memo: object) -> Search:
        # a copy of a watch is made to tell a stroke, not to look on
        return Search(self._waits)
