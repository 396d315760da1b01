"""The eyes of a live table: take frames from the capture, and tell of places, of events as they happen, and of strokes.

Two threads: one looks at the frames, the other has the strokes told (`vision.deferred`), so that no frame waits for that.
"""

from __future__ import annotations

import contextlib
import logging
import queue
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import dist
from typing import Protocol

import cv2
import numpy as np

from referee.live.capture import Arrived
from vision.frames import SWITCH, Frame
from vision.record import Sighting
from vision.shot import Doubt, Event, Stroke
from vision.telling import Told

_TELL = 0.1  # s between two tellings of the places
_BEFORE = 0.1  # s round a stroke in which a missing frame matters
_PREVIEW, _SHARE = 0.7, 8.0  # s between two looks at a stroke that is under way; at least so many times what the last one took
_SLOW = 100.0  # mm/s: balls that run no faster are about to rest, and the stroke itself about to be told
_LATE = 150.0  # ms behind, from which there is no time for such a look
_log = logging.getLogger(__name__)


class Run(Protocol):
    """What sees the strokes (`vision.deferred.DeferredRun`). `jobs`: what finds out what has come to its end, in order."""

    jobs: list[Callable[[], Told | None]]

    @property
    def active(self) -> bool: ...

    def warm(self) -> None: ...

    def take(self, frame: Frame) -> None: ...

    def interrupt(self, reason: str) -> None: ...

    def early_job(self) -> Callable[[], Told | None] | None: ...

    def preview_job(self) -> Callable[[], Told | None] | None: ...

    def places(self) -> dict[str, Sighting]: ...


@dataclass(frozen=True, slots=True)
class Glance:
    """The table now: `t` live time (s) of the frame, `places` mm and their error bar by ball, `hidden` those predicted only.

    `moving`: a stroke (or a hand) is under way; `events`: those of it so far, which may still change. `lag_ms`: from the frame's
    arrival to this.
    """

    t: float
    places: dict[str, tuple[float, float, float]]
    hidden: tuple[str, ...]
    moving: bool
    events: tuple[Event, ...] = ()
    lag_ms: float = 0.0


@dataclass(frozen=True, slots=True)
class Delays:
    """Milliseconds from a frame's arrival until it was seen through: `p50`, `p99` of the last ones; `load`: share of time at work."""

    p50: float
    p99: float
    load: float


class Engine:
    """Runs in threads of its own until the frames end.

    Args:
        run: what sees the strokes.
        frames: of the capture; None is a half second of silence.
        on_glance, on_stroke: told from the engine's threads, each from one; an error in them does not stop the eyes.
    """

    def __init__(
        self, run: Run, frames: Iterator[Arrived | None], on_glance: Callable[[Glance], None], on_stroke: Callable[[Told], None]
    ) -> None:
        self._run, self._frames = run, frames
        self._on_glance, self._on_stroke = on_glance, on_stroke
        self._told = self._previewed = -1e9
        self._preview_took = 0.0
        self._events: tuple[Event, ...] = ()
        self._before: dict[str, Sighting] = {}
        self._lags: list[float] = []
        self._busy: list[tuple[float, float]] = []
        self._latest: Frame | None = None
        self._drops: deque[tuple[float, int]] = deque(maxlen=2000)  # live time of the next frame seen, how many before it
        self.failure = ""
        self.worked: deque[float] = deque(maxlen=1000)  # s that working out took, by stretch of motion
        self._jobs: queue.Queue[tuple[bool, Callable[[], Told | None]] | None] = queue.Queue()
        self._thread = threading.Thread(target=self._guarded, args=(self._work,), name="engine", daemon=True)
        self._thinker = threading.Thread(target=self._guarded, args=(self._think,), name="strokes", daemon=True)

    def start(self) -> None:
        sys.setswitchinterval(SWITCH)
        self._thread.start()
        self._thinker.start()

    def join(self, timeout: float | None = None) -> None:
        for thread in (self._thread, self._thinker):
            if thread.ident is not None:  # else it was never started
                thread.join(timeout)

    @property
    def alive(self) -> bool:
        return self._thread.is_alive() or (self._thinker.is_alive() and not self.failure)

    @property
    def latest(self) -> Frame | None:
        """The frame that was seen last."""
        return self._latest

    def picture(self, width: int = 960, quality: int = 80) -> bytes | None:
        """The latest frame as JPEG, at most `width` px wide; None before the first."""
        frame = self._latest
        if frame is None:
            return None
        shown = frame.bgr()
        if shown.shape[1] > width:
            height = round(shown.shape[0] * width / shown.shape[1])
            shown = cv2.resize(shown, (width, height), interpolation=cv2.INTER_AREA)
        return cv2.imencode(".jpg", shown, [cv2.IMWRITE_JPEG_QUALITY, quality])[1].tobytes()

    def delays(self, skip: int = 0) -> Delays:
        """How long frames took lately; the first `skip` of all do not count (the start, when everything is made)."""
        lags = np.array(self._lags[skip:][-2000:] or [0.0])
        busy = self._busy[-2000:]
        span = busy[-1][0] - busy[0][0] if len(busy) > 1 else 0.0
        load = sum(b for _, b in busy[1:]) / span if span > 0 else 0.0
        return Delays(float(np.percentile(lags, 50)), float(np.percentile(lags, 99)), load)

    def _guarded(self, work: Callable[[], None]) -> None:
        try:
            work()
        except Exception as error:
            # a fault of ours must be seen on the console, not only in a log: the thread's end is shown as a lost source
            self.failure = f"{type(error).__name__}: {error}"
            _log.exception("the engine stopped")

    def _work(self) -> None:
        try:
            for arrived in self._frames:
                if self.failure:
                    return
                if arrived is not None:
                    self._see(arrived)
        finally:
            self._jobs.put(None)

    def _see(self, arrived: Arrived) -> None:
        began = time.monotonic()
        if arrived.broken:
            self._run.interrupt(arrived.broken)
            self._hand_over()
        if arrived.dropped:
            self._drops.append((arrived.frame.seconds, arrived.dropped))
        self._run.take(arrived.frame)
        self._latest = arrived.frame
        if early := self._run.early_job():
            self._jobs.put((False, early))
        self._hand_over()
        now = time.monotonic()
        lag = 1000 * (now - arrived.wall)
        self._note(lag, now, now - began)
        if now - self._told >= _TELL:
            self._told = now
            self._tell(arrived.frame.seconds, lag)

    def _hand_over(self) -> None:
        while self._run.jobs:
            self._events = ()
            self._jobs.put((True, self._run.jobs.pop(0)))

    def _think(self) -> None:
        """The second thread: strokes in their order, and looks at one that is under way."""
        while (item := self._jobs.get()) is not None:
            whole, job = item
            began = time.monotonic()
            told, took = job(), time.monotonic() - began
            if whole:
                self.worked.append(took)
                if told is not None:
                    with _survived():
                        self._on_stroke(replace(told, stroke=self._with_drops(told.stroke)))
                continue
            self._preview_took = took
            if told is not None and self._run.active and self._jobs.empty():
                self._events = told.stroke.shot.events

    def _with_drops(self, stroke: Stroke) -> Stroke:
        """A stroke of which frames are missing is put to a person: what happened in them was not seen."""
        lost = sum(count for t, count in tuple(self._drops) if stroke.start_t - _BEFORE <= t <= stroke.end_t + _BEFORE)
        if not lost:
            return stroke
        return replace(stroke, review=(*stroke.review, Doubt(f"{lost} frames were dropped during the stroke")))

    def _tell(self, t: float, lag: float) -> None:
        moving = self._run.active
        sightings = self._run.places()
        if not moving:
            self._events = ()
        # when all are about to rest, the stroke itself is about to come, and nothing may be in its way
        elif lag < _LATE and any(s.state == "moving" and self._runs(b, s) for b, s in sightings.items()):
            self._preview(t)
        self._before = sightings
        places = {ball: (float(s.x), float(s.y), float(s.sigma)) for ball, s in sightings.items()}
        hidden = tuple(ball for ball, s in sightings.items() if s.state == "hidden")
        with _survived():
            self._on_glance(Glance(t, places, hidden, moving, self._events, lag))

    def _runs(self, ball: str, now: Sighting) -> bool:
        """Whether a ball has come far since the last telling."""
        then = self._before.get(ball)
        return then is not None and now.t > then.t and dist((now.x, now.y), (then.x, then.y)) > _SLOW * (now.t - then.t)

    def _preview(self, t: float) -> None:
        """Has a look at the stroke that is under way, now and then and when there is time."""
        if t - self._previewed < max(_PREVIEW, _SHARE * self._preview_took) or not self._jobs.empty():
            return
        self._previewed = t
        if job := self._run.preview_job():
            self._jobs.put((False, job))

    def _note(self, lag: float, now: float, busy: float) -> None:
        self._lags.append(lag)
        self._busy.append((now, busy))
        if len(self._lags) > 8000:
            del self._lags[:4000], self._busy[:4000]


@contextlib.contextmanager
def _survived() -> Iterator[None]:
    """What a listener does wrong is logged; the eyes stay open."""
    try:
        yield
    except Exception:
        _log.exception("a listener failed")
