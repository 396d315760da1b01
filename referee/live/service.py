"""A live table as one thing: source, eyes, desk and recording, started and stopped together."""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from calibration.errors import UserError
from calibration.profile import Profile
from referee.callfile import TimedCall
from referee.live.address import Address
from referee.live.capture import Capture
from referee.live.desk import Desk
from referee.live.engine import Delays, Engine, Glance, Run
from referee.live.health import Health, SourceState
from referee.live.prompter import Prompter
from referee.live.recording import Recorder, RecordingState, last_time
from referee.live.store import Store
from vision.telling import Told
from vision.workshop import Workshop

BALLS = ("white", "yellow", "red", "black")
_RETRY = 1.0  # s between two tries to write down a stroke


@dataclass(frozen=True)
class Options:
    """What `live` was asked for. `loop`: play a file again and again; `record`: keep the source's packets.

    `wait`: a file begins with a game; `calls`: said at their times in a file; `delay`: s by which the source's pictures are late.
    """

    address: Address
    profile: Profile
    data: Path
    balls: tuple[str, ...] = BALLS
    weights: Path | None = None
    loop: bool = False
    record: bool = True
    wait: bool = False
    calls: tuple[TimedCall, ...] = ()
    delay: float = 0.0


class Service:
    """The live table. A context manager.

    Args:
        run: what sees the strokes; the tracker of `vision` unless a test brings its own.

    Raises:
        UserError: the data folder or its database cannot be used.
    """

    def __init__(self, options: Options, run: Run | None = None) -> None:
        self.options = options
        try:
            options.data.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UserError(f"--data {options.data}: {error.strerror or error}") from None
        self._lock = _OnlyOne(options.data)
        self.store = Store(options.data / "live.sqlite")
        self.desk = Desk(self.store, options.profile.table, live=lambda: self.capture.now + options.delay)
        self.recorder = Recorder(self.recording) if options.record else None
        profile = options.profile
        self.capture = Capture(
            options.address, (profile.camera.width, profile.camera.height), loop=options.loop, sink=self.recorder, start=self._start(),
            hold=options.wait and self.desk.view.status not in ("playing", "paused"),
        )  # fmt: skip
        self._workshop = None if run else Workshop()
        self.run = run or _run(options, self._workshop)
        self.engine = Engine(self.run, self.capture.frames(), self._glanced, self._played)
        self.glance = Glance(0.0, {}, (), False)
        self.ruling_delays: list[float] = []
        self._listeners: list[Callable[[Glance], None]] = []
        self._endings: list[Callable[[], None]] = []
        self._unwritten: list[tuple[int | None, Told]] = []  # with the game in which it was played
        self._tried = 0.0
        self._writing = threading.Lock()  # strokes come from one thread, tries anew from another
        self.journal_failure = ""
        self.began = time.time()
        self.desk.listen(lambda view: self.capture.release() if view.status == "playing" else None)
        if options.calls:
            self.listen(Prompter(options.calls, self.desk, lambda: self.capture.zero).look)

    @property
    def recording(self) -> Path:
        """The folder of the recording."""
        return self.options.data / "recording"

    def __enter__(self) -> Service:
        try:
            if self._workshop is not None:
                self._workshop.__enter__()
            self.run.warm()
            gc.collect()
            gc.freeze()  # all that is there stays: to go through it takes a tenth of a second, in which every thread waits
            self.capture.__enter__()
            self.engine.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def at_end(self, act: Callable[[], None]) -> None:
        """Does `act` when the service ends, before anything else."""
        self._endings.append(act)

    def __exit__(self, *_: object) -> None:
        for act in self._endings:
            act()
        self.capture.close()
        self.engine.join(10)
        gc.unfreeze()
        if self._workshop is not None:
            self._workshop.__exit__()
        self.store.close()
        self._lock.close()

    def listen(self, listener: Callable[[Glance], None]) -> Callable[[], None]:
        """Calls `listener` about ten times a second with what is seen; returns what ends it."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener) if listener in self._listeners else None

    def health(self) -> Health:
        """How the source is; an engine that stopped is a lost source, whatever the camera does."""
        health = self.capture.health()
        if self.engine.failure:
            return replace(health, state=SourceState.LOST, reason=f"the referee's eyes stopped ({self.engine.failure}); start it again")
        if not self.engine.alive and health.state is not SourceState.LOST:
            return replace(health, state=SourceState.LOST, reason="the source is over", over=self.capture.over)
        return health

    def recording_state(self) -> RecordingState:
        return self.recorder.state if self.recorder else RecordingState("off", "not asked for")

    def delays(self, skip: int = 0) -> Delays:
        return self.engine.delays(skip)

    def _start(self) -> float:
        """Live time goes on from all that was recorded or written down before, whatever the clock on the wall says."""
        ends = [stroke.end_t or 0.0 for stroke in self.desk.view.strokes]
        return max([0.0, last_time(self.recording), *ends]) + 1.0

    def _glanced(self, glance: Glance) -> None:
        self.glance = glance
        if self._unwritten and time.monotonic() - self._tried >= _RETRY:
            self._write_down()
        self.desk.seen({ball: (x, y) for ball, (x, y, _) in glance.places.items() if ball not in glance.hidden})
        for listener in tuple(self._listeners):
            listener(glance)

    def _played(self, told: Told) -> None:
        game = self.desk.view.game
        with self._writing:
            self._unwritten.append((game.id if game else None, told))
        self._write_down()
        self.ruling_delays.append(self.capture.now - told.stroke.end_t)
        del self.ruling_delays[:-1000]
        self.store.tidy()

    def _write_down(self) -> None:
        """Hands strokes to the desk; one that cannot be written (the disk is full) is kept, said, and tried again."""
        self._tried = time.monotonic()
        with self._writing:
            try:
                while self._unwritten:
                    number, told = self._unwritten[0]
                    game = self.desk.view.game
                    if number == (game.id if game else None):
                        self.desk.played(told.stroke, again=told.again, unseen=told.unseen)
                    self._unwritten.pop(0)
                self.journal_failure = ""
            except UserError as error:
                self.journal_failure = f"{len(self._unwritten)} strokes are not written down yet: {error}"


def _run(options: Options, workshop: Workshop | None):
    from vision.deferred import DeferredRun
    from vision.detect import Detector
    from vision.tracks import TracksFile

    return DeferredRun(options.profile, options.balls, TracksFile(None), Detector(options.weights), workshop=workshop)


class _OnlyOne:
    """Holds a data folder for one program at a time. Raises UserError if another one has it."""

    def __init__(self, folder: Path) -> None:
        self._file = (folder / "live.lock").open("a+b")
        try:
            import fcntl

            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except ImportError:
            pass  # Windows: the port is the only guard
        except OSError:
            self._file.close()
            raise UserError(f"--data {folder}: another poedinok live is using this folder") from None

    def close(self) -> None:
        self._file.close()


def keep(service: Service, stop: threading.Event) -> None:
    """Waits until the source is over or `stop` is set."""
    while service.engine.alive and not stop.wait(0.5):
        pass
