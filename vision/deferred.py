"""A run over a live source whose strokes are worked out elsewhere, so that no frame waits for them.

Working out a stroke takes tenths of a second. What it needs is frozen at the moment when the balls have come to rest;
the result is the same as that of `TableRun`, which works it out on the spot.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from vision.field import Field
from vision.frames import Frame, frame_of_bgr
from vision.gaps import Gaps
from vision.run import TableRun
from vision.seek import candidates
from vision.segment import Span
from vision.telling import Teller, Told, preview_of
from vision.testimony import Testimony
from vision.workshop import Workshop

_GRID = 16  # px between the pixels by which a picture is known again
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
        self._gaps = Gaps(self._balls)
        self._shown: np.ndarray | None = None
        self._telling = 0  # stretches of motion of which it is not known yet what they were

    def warm(self) -> None:
        """Makes all ready that would take long at the first frames, which would be dropped meanwhile."""
        camera = self._profile.camera
        nothing = frame_of_bgr(np.zeros((camera.height, camera.width, 3), np.uint8))
        # just as it will be asked: the network takes a hundred megabytes more for pictures of another size
        candidates(nothing, Field(camera, self._table, nothing.y.shape), self._network)
        if self._workshop is not None:
            self._workshop.do(float)  # anything: the first answer waits until the process is ready

    def take(self, frame: Frame) -> None:
        super().take(frame)
        grid = frame.y[::_GRID, ::_GRID].copy()
        shown, self._shown = self._shown, grid
        if shown is not None and np.array_equal(grid, shown):
            return  # the very picture before it tells nothing: a camera's grain never repeats
        seen = self.places()
        still = bool(seen) and all(s.state == "rest" and s.fresh for s in seen.values())
        lying = {b: (s.x, s.y) for b, s in seen.items()} if still else None
        unseen = self._gaps.look(frame.seconds, frame.index, lying, busy=self.active or self._telling > 0)
        if unseen is not None:
            self.jobs.append(lambda: Told(unseen, unseen=True))

    def interrupt(self, reason: str) -> None:
        super().interrupt(reason)
        self._gaps.lost()

    def preview_job(self) -> Job | None:
        """What tells the stroke that is under way, as far as it can be told now; None if there is none."""
        start = self._watch.since if self._watch is not None else None
        return None if start is None else partial(self._preview, self._seen(Span(start, self._last_t)))

    def _tell(self, seen: Testimony) -> None:
        self._telling += 1
        self.jobs.append(partial(self._next, seen))

    def _next(self, seen: Testimony) -> Told | None:
        self._teller, told = _told(self._teller, seen) if self._workshop is None else self._workshop.do(_told, self._teller, seen)
        if told is not None and not told.again:
            self._gaps.played()
        self._telling -= 1
        return told

    def _preview(self, seen: Testimony) -> Told | None:
        stroke = preview_of(seen) if self._workshop is None else self._workshop.do(preview_of, seen)
        return None if stroke is None else Told(stroke)


def _told(teller: Teller, seen: Testimony) -> tuple[Teller, Told | None]:
    return teller.tell(seen)
