"""A search of the whole picture for missing balls, in a second thread, so that no frame waits for it.

The answer is taken a fixed time later by the video's clock: what comes out does not depend on the machine's speed. Over a live table
a frame waits for it for a moment only; where that is not enough, it is taken when it is there.
"""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import cache

from vision.detect import Detector
from vision.field import Field
from vision.frames import Frame
from vision.seek import Candidate, candidates

_AFTER = 0.3  # s of video until the answer is taken
_PATIENCE = 0.25  # s that a frame of a live table waits for it: less than after which frames are dropped


@cache
def _worker() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(1, thread_name_prefix="search")


class Search:
    """At most one search at a time. `waits`: an answer that is due is waited for, however long it takes."""

    def __init__(self, waits: bool = True) -> None:
        self._waits = waits
        self._future: Future[list[Candidate]] | None = None
        self._begun = 0.0
        self._late = False  # it was waited for

    @property
    def idle(self) -> bool:
        return self._future is None

    def begin(self, frame: Frame, field: Field, network: Detector | None) -> None:
        self._begun, self._late = frame.seconds, False
        self._future = _worker().submit(candidates, frame, field, network)

    def answer(self, t: float) -> list[Candidate] | None:
        """What was found in the picture given to `begin`, once, when it is due at the time t (s); None before and after."""
        if self._future is None or t < self._begun + _AFTER:
            return None
        if not self._waits and not self._late:
            wait([self._future], _PATIENCE)
            self._late = True
        if not (self._waits or self._future.done()):
            return None
        future, self._future = self._future, None
        return future.result()

    def __deepcopy__(self, memo: object) -> Search:
        # a copy of a watch is made to tell a stroke, not to look on
        return Search(self._waits)
