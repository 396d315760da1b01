"""One run of a batch: from what was asked for to published folders and the ledger. The driver's side; workers do the work."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from calibration.errors import UserError
from referee.batch.board import Board, duration
from referee.batch.cameras import Camera, Cameras, Shelf, Wanted, kin_of, place
from referee.batch.fetch import mark_of, name_of
from referee.batch.folders import Folder
from referee.batch.jobs import Engine, Job, Outcome
from referee.batch.ledger import DOUBLE, FAILED, FINISHED, Entry, Ledger, digest_of_file, files_of
from referee.batch.settings import FILES, Source, digest_of, is_address
from referee.version import version

OnFinished = Callable[[Entry, Path], None]
_BASE, _A_PIXEL = 600 << 20, 90  # bytes of a worker: at rest after some videos, and for each pixel of a picture (docs/BATCH.md)


@dataclass(frozen=True, slots=True)
class Order:
    """What was asked of a run. `shelves`: folders with profiles; `on_finished` is told of every finished video's entry and
    folder, also of those finished by an earlier run; a UserError of it is reported and the rest goes on."""

    sources: tuple[Source, ...]
    out: Path
    shelves: tuple[Path, ...] = ()
    force: bool = False
    on_finished: OnFinished | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """How a run went: the entries in the order of the sources; `before`: how many were finished already; `troubles`: lines on
    what did not work beside the videos; `stopped`: why it ended early."""

    entries: tuple[Entry, ...]
    before: int
    troubles: tuple[str, ...] = ()
    stopped: str | None = None

    @property
    def failed(self) -> list[Entry]:
        return [e for e in self.entries if e.status == FAILED]

    @property
    def good(self) -> bool:
        return not (self.failed or self.troubles or self.stopped)


class NothingCanBeWritten(Exception):
    """The ledger cannot be written: going on would lose what is done."""


@dataclass(slots=True)
class _Item:
    """A video on its way. `video` is absolute, for workers; the entry's is as it was asked for."""

    index: int
    source: Source
    video: str
    entry: Entry
    mark: str = ""
    probe: dict[str, Any] = field(default_factory=dict)
    profile: str = ""
    candidates: tuple[str, ...] = ()
    camera: Camera | None = None

    @property
    def open(self) -> bool:
        return self.entry.status not in (FINISHED, FAILED, DOUBLE)


def run_batch(order: Order, engine: Engine, board: Board) -> Report:
    """Does what is not done yet. Raises UserError for wrong usage and what stands against any work at all."""
    with Folder(order.out) as folder:
        return _Run(order, folder, engine, board).whole()


class _Run:
    def __init__(self, order: Order, folder: Folder, engine: Engine, board: Board) -> None:
        self._order, self._folder, self._engine, self._board = order, folder, engine, board
        self._ledger = Ledger(folder)
        self._shelf = Shelf(order.shelves)
        self._items = [_item(index, source) for index, source in enumerate(order.sources)]
        self._before = 0
        self._troubles: list[str] = []

    def whole(self) -> Report:
        stopped = None
        try:
            self._save()
            self._probe()
            self._settle_profiles()
            self._find_finished()
            self._find_doubles()
            self._save()
            for item in self._items:
                if item.entry.status == FINISHED:
                    self._tell(item.entry)
            self._place_cameras()
            self._analyze()
            self._save()
        except NothingCanBeWritten as full:
            stopped = str(full)
        return Report(tuple(item.entry for item in self._items), self._before, tuple(self._troubles), stopped)

    # what there is ------------------------------------------------------------------------------------------------------

    def _probe(self) -> None:
        """Content and size of each video, from memory where its file has not changed."""
        asked = []
        for item in self._open():
            try:
                item.mark = mark_of(item.video)
            except UserError as error:
                self._fail(item, self._as_given(item.index, str(error)))
                continue
            known = self._ledger.known(item.video, item.mark)
            if known is not None:
                item.probe = dict(known)
            else:
                asked.append(item)
        jobs = [Job(i.index, "probe", {"video": i.video, "content": "", "views": _needs_camera(i)}, i.entry.video) for i in asked]
        for outcome in self._work("reading videos", jobs):
            item = self._items[outcome.job.number]
            if outcome.error is not None:
                self._fail(item, outcome.error)
                continue
            item.probe = outcome.value
            self._ledger.remember(item.video, item.mark, outcome.value)
        self._write(self._ledger.save_videos)

    def _settle_profiles(self) -> None:
        for item in self._open():
            item.entry.content = item.probe["content"]
            item.entry.frames, item.entry.duration = item.probe["frames"], item.probe["duration"]
            given = item.source.settings.profile
            named = given if given or not _needs_camera(item) else self._shelf.named_for(item.video)
            if named:
                item.profile = os.path.abspath(named)
                if not digest_of_file(Path(named)):
                    self._fail(item, f"{named}: profile not found, expected a file")
            else:
                item.candidates = self._shelf.candidates(item.video, (item.probe["width"], item.probe["height"]))
            item.entry.key = _key(item)

    def _find_finished(self) -> None:
        """What an earlier run has finished: the same content with the same settings by the same program, whatever its name."""
        for item in self._open():
            known = None if self._order.force else self._ledger.finished(item.entry.key)
            if known is None:
                continue
            kept = {"video": item.entry.video, "date": item.entry.date}
            item.entry = replace(known, **kept)
            self._before += 1

    def _find_doubles(self) -> None:
        """Of videos with the same content one is done, unless rows of a manifest ask for different things."""
        first: dict[str, dict[str | None, _Item]] = {}
        # finished ones and those with settings of their own come first: they are what the others are doubles of
        for item in sorted(self._items, key=lambda i: (i.entry.status != FINISHED, not i.source.given, i.index)):
            if item.entry.status == FAILED:
                continue
            seen = first.setdefault(item.entry.content, {})
            asked = item.entry.key if item.source.given else None
            double = seen.get(asked) if asked in seen else next(iter(seen.values()), None) if asked is None else None
            if double is None:
                seen[asked] = item
            elif item.open or item.entry.name == double.entry.name:
                self._before -= item.entry.status == FINISHED
                item.entry = replace(item.entry, status=DOUBLE, double_of=double.entry.video, name=double.entry.name)

    # the work -----------------------------------------------------------------------------------------------------------

    def _place_cameras(self) -> None:
        """A profile for each video that has none of its own."""
        todo = [item for item in self._open() if not item.profile]
        unseen = [item for item in todo if "pictures" not in item.probe]
        jobs = [Job(i.index, "probe", {"video": i.video, "content": i.probe["content"], "views": True}, i.entry.video) for i in unseen]
        for outcome in self._work("looking at views", jobs):
            item = self._items[outcome.job.number]
            if outcome.error is not None:
                self._fail(item, outcome.error)
            else:
                item.probe = outcome.value
        wanted = [_wanted(item) for item in todo if item.open]
        if not wanted:
            return
        cameras = Cameras(self._folder)
        try:
            placed = place(wanted, cameras, lambda jobs: self._work("looking for tables", jobs), self._engine.slots)
        except UserError as error:  # a calibration cannot be written
            raise NothingCanBeWritten(str(error)) from None
        for index, camera in placed.items():
            item = self._items[index]
            if isinstance(camera, str):
                self._fail(item, camera)
            else:
                item.camera, item.profile = camera, camera.profile
        for item in todo:
            item.probe.pop("pictures", None)

    def _analyze(self) -> None:
        kept = {item.entry.name for item in self._items if item.entry.status == FINISHED}
        before = [e for e in self._ledger.before if e.status == FINISHED]
        names = [*(e.name for e in before), *kept]
        # a changed video keeps its folder, unless what lies there is now known to be of another
        old = {e.video: e.name for e in before if e.name not in kept}
        jobs = []
        for item in self._open():
            name = old.pop(item.entry.video, "") or self._folder.free_name(item.video, names)
            names.append(name)
            item.entry.name = name
            item.entry.profile, item.entry.profile_digest = item.profile, digest_of_file(Path(item.profile))
            jobs.append(Job(item.index, "analyze", self._what(item), item.entry.video, item.probe["weight"], _memory(item)))
        self._name_doubles()
        jobs.sort(key=lambda job: -job.weight)  # a long one begun last would keep all others waiting
        for outcome in self._work("refereeing videos", jobs):
            self._take(self._items[outcome.job.number], outcome)
            self._save()

    def _what(self, item: _Item) -> dict[str, Any]:
        camera = item.camera
        note = camera.note(item.entry.content) if camera else ""
        return {
            "video": item.video,
            "settings": asdict(_absolute(item)),
            "profile": item.profile,
            "reprojection_mm": camera.reprojection_mm if camera else None,
            "notes": (note,) if note else (),
            "scratch": str(self._folder.scratch),
            "frames": item.probe["weight"],
        }

    def _take(self, item: _Item, outcome: Outcome) -> None:
        """Publishes a finished video, or says why there is none."""
        entry = item.entry
        entry.seconds, entry.peak_mb, entry.where = round(outcome.seconds, 2), outcome.peak >> 20, outcome.where
        if outcome.error is not None:
            self._fail(item, outcome.error)
            return
        value = outcome.value
        try:
            where = self._folder.publish(value["folder"], entry.name)
        except OSError as error:
            self._fail(item, f"{self._folder.out / entry.name}: results cannot be moved there: {error.strerror or error}")
            return
        for name in ("frames", "duration", "strokes", "to_check", "players"):
            setattr(entry, name, value[name])
        entry.scores = value["scores"] if value["ruled"] else None
        entry.status, entry.reason, entry.files = FINISHED, "", files_of(where)
        self._tell(entry)

    # ------------------------------------------------------------------------------------------------------------------

    def _open(self) -> list[_Item]:
        return [item for item in self._items if item.open]

    def _work(self, title: str, jobs: Sequence[Job]) -> Iterator[Outcome]:
        if not jobs:
            return
        self._board.phase(title, jobs)
        for outcome in self._engine.run(jobs, self._board.step):
            if outcome.error is not None:
                outcome = replace(outcome, error=self._as_given(outcome.job.number, outcome.error))
            self._board.ended(outcome, _line(outcome))
            yield outcome

    def _as_given(self, index: int, text: str) -> str:
        """Workers are told absolute paths; people see the one that they gave."""
        item = self._items[index]
        text = text.replace(item.video, item.entry.video)
        return text if item.entry.video in text or "/" in text else f"{item.entry.video}: {text}"

    def _fail(self, item: _Item, reason: str) -> None:
        item.entry.status, item.entry.reason, item.entry.name = FAILED, reason, ""

    def _name_doubles(self) -> None:
        names = {item.entry.video: item.entry.name for item in self._items if item.entry.status != DOUBLE}
        for item in self._items:
            if item.entry.status == DOUBLE:
                item.entry.name = names.get(item.entry.double_of, item.entry.name)

    def _tell(self, entry: Entry) -> None:
        if self._order.on_finished is None:
            return
        try:
            self._order.on_finished(entry, self._folder.out / entry.name)
        except UserError as error:
            if str(error) not in self._troubles:
                self._troubles.append(str(error))
                self._board.say(str(error))

    def _save(self) -> None:
        self._write(lambda: self._ledger.save(item.entry for item in self._items))

    def _write(self, write: Callable[[], None]) -> None:
        try:
            write()
        except UserError as error:
            raise NothingCanBeWritten(f"{error}: stopped, what is finished is kept; the same command goes on from here") from None


def _item(index: int, source: Source) -> _Item:
    entry = Entry(source.video, date=source.settings.date)
    if source.problem:
        entry.status, entry.reason = FAILED, source.problem
    return _Item(index, source, source.video if is_address(source.video) else os.path.abspath(source.video), entry)


def _needs_camera(item: _Item) -> bool:
    return not item.source.settings.profile


def _absolute(item: _Item) -> Any:
    settings = item.source.settings
    paths = {name: os.path.abspath(getattr(settings, name)) for name in FILES if getattr(settings, name)}
    return replace(settings, **paths)


def _key(item: _Item) -> str:
    """What a result depends on: content, settings with the content of the files they name, profile, program."""
    settings = asdict(replace(item.source.settings, date=None, profile=None))
    for name in ("calls", "start", "weights"):
        if settings[name]:
            settings[name] = digest_of_file(Path(settings[name]))
    profiles = [digest_of_file(Path(path)) for path in ((item.profile,) if item.profile else item.candidates)]
    return digest_of(item.probe["content"], settings, "given" if item.profile else "by camera", profiles, version())


def _wanted(item: _Item) -> Wanted:
    settings, probe = item.source.settings, item.probe
    kin = kin_of(item.video, probe["width"], probe["height"], settings)
    name = name_of(item.video)
    return Wanted(item.index, item.video, name, item.entry.content, kin, _absolute(item), probe["pictures"], item.candidates, _memory(item))


def _memory(item: _Item) -> int:
    return _BASE + _A_PIXEL * item.probe["width"] * item.probe["height"]


def _line(outcome: Outcome) -> str:
    """One line on an ended job; nothing for a small step that went well."""
    if outcome.error is not None:
        return outcome.error
    if outcome.job.kind != "analyze":
        return ""
    value = outcome.value
    score = f", {value['players'][0]} {value['scores'][0]} : {value['scores'][1]} {value['players'][1]}" if value["ruled"] else ""
    check = f", {value['to_check']} to check" if value["to_check"] else ""
    strokes = f"{value['strokes']} stroke{'' if value['strokes'] == 1 else 's'}"
    return f"{outcome.job.label}: {strokes}{check}{score} ({duration(outcome.seconds)})"
