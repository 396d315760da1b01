"""Where the time of an analysis goes: seconds by stage."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager


class Stages:
    """A stopwatch with a dial for each stage, used in one thread; `seconds` by the clock, in the order in which stages first began."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def __call__(self, stage: str) -> Iterator[None]:
        """Counts the time inside to `stage`. One stage is not to be measured within another: it would be counted twice."""
        began = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[stage] = self.seconds.get(stage, 0.0) + time.perf_counter() - began
