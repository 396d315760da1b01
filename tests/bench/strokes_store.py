"""What the tracker saw of a video, kept, and the video refereed again from that: all that comes after the pixels, in a second.

Kept are the sightings of every ball frame by frame, the pots and the seen rims of the pockets. Played again are `TableRun`
(division into strokes, paths, events, doubts), the rules, and match.json with tracks.csv.
"""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, cast

import vision.pipeline
from calibration.profile import Profile
from calibration.table import Table
from referee.analyze import Request, referee_strokes
from referee.document import document
from vision.field import Field
from vision.frames import Frame, Still, VideoInfo
from vision.guard import Change
from vision.pipeline import VideoResult
from vision.record import BallRecord, Sighting
from vision.run import TableRun
from vision.segment import Span
from vision.tracks import TracksFile
from vision.watch import Pot, Watch, _Waiting


@dataclass(slots=True)
class StoredFrame:
    """One frame as the tracker saw it; a row of skipped ones has their `times` instead. Sightings by field name: fields may be added."""

    index: int
    seconds: float
    corrupt: bool = False
    stamped: bool = True
    steady: bool = True
    again: bool = False
    seen: dict[str, dict[str, Any]] = field(default_factory=dict)
    states: dict[str, str] = field(default_factory=dict)
    pots: list[dict[str, Any]] = field(default_factory=list)
    waiting: dict[str, tuple[bool, bool]] = field(default_factory=dict)  # balls not on the table; whether they fell, or left it
    left: list[Any] = field(default_factory=list)  # vision.beyond.Left
    rims: Table | None = None  # where a stretch of motion ended
    times: tuple[float, ...] = ()


@dataclass(slots=True)
class Log:
    """A whole video: the profile at its start, the table with the rims as first seen, the frames in order."""

    profile: Profile
    table: Table
    balls: tuple[str, ...]
    frames: list[StoredFrame] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    info: VideoInfo | None = None
    drawn: bool = False  # by `strokes_drawn`: no tracker has said which balls have fallen


class _Recording(TableRun):
    """A run that notes what its watch saw."""

    log: Log

    def __init__(self, profile: Profile, balls: tuple[str, ...], *rest: Any) -> None:
        super().__init__(profile, balls, *rest)
        self.log = Log(profile, profile.table, balls)
        self._told: list[Pot] = []
        self._rims: Table | None = None

    def take(self, frame: Frame) -> None:
        self._told, self._rims = [], None
        known, gone, doubled = (list(self._watch.pots), list(self._watch.left), self._watch.doubled) if self._watch else ([], [], 0)
        super().take(frame)
        watch = self._watch
        stored = StoredFrame(frame.index, frame.seconds, frame.corrupt, frame.stamped, watch is not None, rims=self._rims)
        if watch is not None:
            new = self._told or watch.pots
            stored.pots = [asdict(p) for p in new if all(p is not k for k in known)]
            lasts = {b: r.last for b, r in watch.records.items()}
            stored.seen = {b: asdict(s) for b, s in lasts.items() if s is not None and s.frame == frame.index}
            stored.states = dict(watch.states)
            stored.left = [n for n in watch.left if n not in gone]
            stored.waiting = {b: (w.pocketed, w.left) for b, w in watch._waiting.items()}
            stored.again = watch.doubled > doubled
        self.log.frames.append(stored)

    def skip(self, still: Still) -> None:
        super().skip(still)
        self.log.frames.append(StoredFrame(still.index, float(still.times[0]), times=tuple(float(t) for t in still.times)))

    def _close(self, span: Span, until: float | None = None) -> None:
        assert self._watch is not None
        self._told, self._rims = list(self._watch.pots), self._watch.rims(self._profile.table)
        super()._close(span, until)

    def finish(self) -> None:
        self._told, self._rims = [], None
        super().finish()
        if self.log.frames and self._rims is not None:
            self.log.frames[-1].rims = self._rims
        self.log.profile, self.log.table, self.log.changes = self.first_profile, self._table, self.changes


@contextmanager
def recorded() -> Iterator[list[Log]]:
    """While it lasts, each analysis of a video leaves its log in the list."""
    runs: list[_Recording] = []
    logs: list[Log] = []

    def run(*given: Any) -> TableRun:
        runs.append(_Recording(*given))
        return runs[-1]

    whole, vision.pipeline.TableRun = vision.pipeline.TableRun, run  # type: ignore[misc, assignment]
    try:
        yield logs
    finally:
        vision.pipeline.TableRun = whole  # type: ignore[misc]
        logs += [r.log for r in runs]


def write_log(log: Log, path: Path) -> None:
    part = path.with_suffix(".part")
    part.write_bytes(pickle.dumps(log, protocol=5))
    part.replace(path)


def read_log(path: Path) -> Log:
    """Written by `write_log`, of one's own runs only: a pickle is not to be read from elsewhere."""
    return pickle.loads(path.read_bytes())


# played again -----------------------------------------------------------------------------------------------

_KNOWN = {f.name for f in fields(Sighting)}


class _NoSearch:
    """Balls are not looked for: the log says when they were found."""

    idle = False

    def answer(self, t: float) -> None:
        return None


class _StoredTracker:
    """Finds nothing by itself: the sightings come from the log."""

    def __init__(self, records: Mapping[str, BallRecord]) -> None:
        self._records = records

    def step(self, frame: Any, doubled: bool) -> dict[str, Any]:
        return {}

    def unseen_for(self, ball: str) -> float:
        seen = self._records[ball].since(0.0)
        return seen[-1].t - max((s.t for s in seen if s.fresh), default=seen[0].t) if seen else 0.0

    def shades_of(self, ball: str) -> None:
        return None

    def forget(self, ball: str) -> None:
        pass


class _StoredWatch(Watch):
    """A watch whose eyes are a log."""

    log: Log

    @classmethod
    def of(cls, log: Log) -> _StoredWatch:
        camera = log.profile.camera
        watch = cls(Field(camera, log.table, (camera.height, camera.width)), log.balls)
        watch.log, watch._tracker = log, cast(Any, _StoredTracker(watch.records))
        watch._search = cast(Any, _NoSearch())
        return watch

    def _is_doubled(self, frame: Any) -> bool:
        return frame.again

    def _note(self, frame: Any, seen: Any) -> None:
        for ball, told in frame.seen.items():
            if self.log.drawn and ball in self._waiting:
                if self._waiting[ball].pocketed or not told["fresh"]:
                    continue
                del self._waiting[ball]
            sighting = Sighting(**{name: value for name, value in told.items() if name in _KNOWN})
            self.records[ball].add(sighting)
            if sighting.state == "moving" and sighting.fresh:
                self._moved[ball] = sighting.t
        self.pots += [Pot(**p) for p in frame.pots]
        self.states = dict(frame.states)
        self._index = frame.index
        if not self.log.drawn:
            self.left += frame.left
            self._waiting = {b: _Waiting(pocketed=fell, left=left) for b, (fell, left) in frame.waiting.items()}

    def _watch_pockets(self, frame: Any) -> None:
        if self.log.drawn:
            super()._watch_pockets(frame)

    def _give_up(self, doubled: bool) -> None:
        if self.log.drawn:
            super()._give_up(doubled)

    def _watch_cushions(self, frame: Any) -> None:
        pass

    def rims(self, nominal: Table) -> Table:
        seen = [frame.rims for frame in self.log.frames if frame.rims is not None and frame.index >= self._index]
        return seen[0] if seen else nominal


class _StoredGuard:
    """A view that stays as it is, but for the frames in which it was lost."""

    def __init__(self, log: Log) -> None:
        self.profile, self.changes, self.calm = log.profile, log.changes, True
        self.good_until = 0.0

    def look(self, frame: StoredFrame) -> bool:
        if frame.steady:
            self.good_until = frame.seconds
        return frame.steady


class _Replaying(TableRun):
    def __init__(self, log: Log, rows: TracksFile) -> None:
        super().__init__(log.profile, log.balls, rows, None)
        self._log = log
        self._guard = cast(Any, _StoredGuard(log))

    def _begin(self, frame: Any) -> None:
        self._table = self._log.table
        self._watch = _StoredWatch.of(self._log)
        self._begun = frame.seconds


def replayed(log: Log, tracks: Path | None) -> VideoResult:
    """The strokes of a log, as `analyze_video` gives those of its video."""
    with TracksFile(tracks) as rows:
        run = _Replaying(log, rows)
        for frame in log.frames:
            if frame.times:
                run.skip(Still(frame.index, cast(Any, frame.times)))
            else:
                run.take(cast(Any, frame))
        run.finish()
    assert log.info is not None
    return VideoResult(log.info, run.first_profile, tuple(run.strokes), tuple(run.notes()), {}, tuple(run.changes))


def referee_again(log: Log, request: Request, out: Path) -> Mapping[str, Any]:
    """Replay a log and write tracks.csv and match.json into `out`; returns the latter."""
    out.mkdir(parents=True, exist_ok=True)
    video = replayed(log, out / "tracks.csv")
    match, strokes, notes = referee_strokes(
        video.strokes, video.profile.table, balls=request.balls, calls=request.calls, start=request.start, target=request.target,
        players=request.players,
    )  # fmt: skip
    whole = document(video, match, strokes, [*video.notes, *notes])
    (out / "match.json").write_text(json.dumps(whole, ensure_ascii=False) + "\n", "utf-8")
    return whole
