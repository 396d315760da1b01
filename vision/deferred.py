"""A run over a live source whose strokes are worked out elsewhere, so that no frame waits for them.

Working out a stroke takes tenths of a second. What it needs is frozen at the moment when the balls have come to rest;
the result is the same as that of `TableRun`, which works it out on the spot.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import cv2
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
        self._begun_early: Testimony | None = None
        self._foretold: tuple[Testimony, Teller, tuple[Teller, Told | None]] | None = None  # by whom it was told, and what came of it
        self._telling = 0  # stretches of motion of which it is not known yet what they were

    def warm(self) -> None:
        """Makes all ready that would take long at the first frames, which would be dropped meanwhile."""
        camera = self._profile.camera
        nothing = frame_of_bgr(np.zeros((camera.height, camera.width, 3), np.uint8))
        # just as it will be asked: the network takes a hundred megabytes more for pictures of another size
        field = Field(camera, self._table, nothing.y.shape)
        candidates(nothing, field, self._network)
        # tables that are made at their first use
        assert field.chart
        cv2.cvtColor(np.zeros((1, 1, 3), np.uint8), cv2.COLOR_BGR2LAB)
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

    def early_job(self) -> Job | None:
        """Once for each stretch whose balls seem to rest: what tells it already, so that it need not be told when that is sure."""
        if self._early is None or self._early is self._begun_early:
            return None
        self._begun_early = self._early
        return partial(self._foretell, self._early)

    def _foretell(self, seen: Testimony) -> Told | None:
        if seen is not self._early:
            return None  # the balls move again, or it was over before there was time
        teller = self._teller
        told = self._do(teller, seen)
        self._foretold = seen, teller, told
        return told[1] if told[1] is not None and not told[1].again else None

    def _do(self, teller: Teller, seen: Testimony) -> tuple[Teller, Told | None]:
        return _told(teller, seen) if self._workshop is None else self._workshop.do(_told, teller, seen)

    def _tell(self, seen: Testimony) -> None:
        self._telling += 1
        self.jobs.append(partial(self._next, seen))

    def _next(self, seen: Testimony) -> Told | None:
        known, self._foretold = self._foretold, None
        if known is None or known[0] is not seen or known[1] is not self._teller:
            known = (seen, self._teller, self._do(self._teller, seen))
        self._teller, told = known[2]
        if told is not None and not told.again:
            self._gaps.played()
        self._telling -= 1
        return told

    def _preview(self, seen: Testimony) -> Told | None:
        stroke = preview_of(seen) if self._workshop is None else self._workshop.do(preview_of, seen)
        return None if stroke is None else Told(stroke)


def _told(teller: Teller, seen: Testimony) -> tuple[Teller, Told | None]:
    return teller.tell(seen)
