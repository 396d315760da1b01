"""A run over a live source whose strokes are worked out in another thread, so that no frame waits for them.

Working out a stroke takes tenths of a second. What it needs is frozen at the moment when the balls have come to rest;
the result is the same as that of `TableRun`, which works it out on the spot. Only what a later stretch of motion would change in
a stroke (its other half after the view was lost, a ball that fell much later) is left out: that stroke has been ruled by then.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from vision.frames import Frame
from vision.run import TableRun
from vision.segment import Span
from vision.shot import Doubt, Stroke

Job = Callable[[], list[Stroke]]


class DeferredRun(TableRun):
    """As `TableRun`, but what comes to its end is put into `jobs`, to be done in their order, one at a time, in any thread."""

    waits = False

    def __init__(self, *arguments, **more) -> None:
        super().__init__(*arguments, **more)
        self.jobs: list[Job] = []

    def interrupt(self, reason: str) -> None:
        before = len(self.jobs)
        super().interrupt(reason)
        self.jobs[before:] = [partial(_doubted, job, Doubt(f"{reason} during the stroke")) for job in self.jobs[before:]]

    def preview_job(self) -> Job | None:
        """What tells the stroke that is under way, as far as it can be told now; None if there is none."""
        return partial(_previewed, self._frozen()) if self.active else None

    def _tell(self, span: Span, until: float | None = None) -> None:
        self.jobs.append(partial(_told, self._frozen(), span, until))

    def _frozen(self) -> TableRun:
        """All that a stroke is told from, as it is now. Shared is what never changes, and what only grows with the strokes told."""
        assert self._watch is not None
        watch = self._watch
        shared: list[object] = [self._profile, self.first_profile, self._table, self._network, self._rows, self._guard, self._between]
        shared += [watch.field, watch.network, watch._tracker, watch.corrupt, *(v for v in vars(watch).values() if isinstance(v, Frame))]
        shared += [sighting for record in watch.records.values() for sighting in record.since(-math.inf)]
        frozen = TableRun.__new__(TableRun)
        frozen.__dict__.update(copy.deepcopy({k: v for k, v in self.__dict__.items() if k != "jobs"}, {id(x): x for x in shared}))
        return frozen


def _told(frozen: TableRun, span: Span, until: float | None) -> list[Stroke]:
    frozen._tell(span, until)
    return frozen.strokes


def _previewed(frozen: TableRun) -> list[Stroke]:
    seen = frozen.preview()
    return [] if seen is None else [seen]


def _doubted(job: Job, doubt: Doubt) -> list[Stroke]:
    return [replace(stroke, review=(*stroke.review, doubt)) for stroke in job()]
