"""A run over a live source whose strokes are worked out elsewhere, so that no frame waits for them.

Working out a stroke takes tenths of a second. What it needs is frozen at the moment when the balls have come to rest;
the result is the same as that of `TableRun`, which works it out on the spot.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from vision.run import TableRun
from vision.segment import Span
from vision.telling import Teller, Told, preview_of
from vision.testimony import Testimony
from vision.workshop import Workshop

Job = Callable[[], Told | None]


class DeferredRun(TableRun):
    """As `TableRun`, but what comes to its end is put into `jobs`, to be done in their order, one at a time, in any thread.

    Args:
        workshop: where strokes are told; None: in the thread that does the job.
    """

    waits = False

    def __init__(self, *arguments, workshop: Workshop | None = None, **more) -> None:
        super().__init__(*arguments, **more)
        self.jobs: list[Job] = []
        self._workshop = workshop

    def preview_job(self) -> Job | None:
        """What tells the stroke that is under way, as far as it can be told now; None if there is none."""
        start = self._watch.since if self._watch is not None else None
        return None if start is None else partial(self._preview, self._seen(Span(start, self._last_t)))

    def _tell(self, seen: Testimony) -> None:
        self.jobs.append(partial(self._next, seen))

    def _next(self, seen: Testimony) -> Told | None:
        self._teller, told = _told(self._teller, seen) if self._workshop is None else self._workshop.do(_told, self._teller, seen)
        return told

    def _preview(self, seen: Testimony) -> Told | None:
        stroke = preview_of(seen) if self._workshop is None else self._workshop.do(preview_of, seen)
        return None if stroke is None else Told(stroke)


def _told(teller: Teller, seen: Testimony) -> tuple[Teller, Told | None]:
    return teller.tell(seen)
