"""The journal of a match as a file: one JSON object a line, written so that a kill loses at most the line being written."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from calibration.errors import UserError
from referee.codec import event_to_json, ruling_to_json, shot_to_json, state_to_json
from referee.match import Began, Called, Confirmed, Corrected, Decided, Entry, Played, Undone, What, check
from referee.ruling import Explanation, Foul, Item, Ruling
from referee.state import State
from vision.shot import Doubt, Event, Shot, Way

_KINDS: dict[str, type] = {kind.__name__.lower(): kind for kind in (Began, Played, Called, Corrected, Confirmed, Decided, Undone)}
_NAMES = {kind: name for name, kind in _KINDS.items()}


def entry_to_json(entry: Entry) -> dict[str, Any]:
    """An entry as plain values; `entry_from_json` is its inverse."""
    what = entry.what
    data: dict[str, Any] = {"entry": entry.number, "at": entry.at, "kind": _NAMES[type(what)]}
    if isinstance(what, Began):
        return data | {"state": state_to_json(what.state), "players": list(what.players)}
    if isinstance(what, Undone):
        return data | {"undoes": what.entry}
    data["stroke"] = what.stroke
    if isinstance(what, Played):
        places = {ball: None if place is None else list(place) for ball, place in what.positions_before.items()}
        return data | {
            "shot": shot_to_json(what.shot), "positions_before": places, "review": [_doubt_to_json(d) for d in what.review],
            "start_t": what.start_t, "end_t": what.end_t, "notes": [_doubt_to_json(d) for d in what.notes], "sigma": dict(what.sigma),
        }  # fmt: skip
    if isinstance(what, Called):
        return data | {"call": what.call if what.call is None or isinstance(what.call, str) else dict(what.call), "video_t": what.video_t}
    if isinstance(what, Corrected):
        return data | {"shot": shot_to_json(what.shot)}
    if isinstance(what, Decided):
        return data | {"ruling": ruling_to_json(what.ruling)}
    return data


def entry_from_json(data: Mapping[str, Any]) -> Entry:
    """The entry in a JSON object.

    Nothing is judged: what was seen may contradict itself, and the journal keeps it as it was seen.
    Raises KeyError, TypeError, ValueError or AttributeError if the object is no entry.
    """
    return Entry(data["entry"], _what(_KINDS[data["kind"]], data), data["at"])


def _what(kind: type, data: Mapping[str, Any]) -> What:
    if kind is Began:
        a, b = data["players"]
        return Began(_state(data["state"]), (a, b))
    if kind is Undone:
        return Undone(data["undoes"])
    stroke = data["stroke"]
    if kind is Played:
        review, notes = (tuple(map(_doubt, data.get(name, ()))) for name in ("review", "notes"))
        places, sigma = _places(data["positions_before"]), dict(data.get("sigma", {}))
        return Played(stroke, shot_from_json(data["shot"]), places, review, data["start_t"], data["end_t"], notes, sigma)
    if kind is Called:
        return Called(stroke, data["call"], data["video_t"])
    if kind is Corrected:
        return Corrected(stroke, shot_from_json(data["shot"]))
    if kind is Decided:
        return Decided(stroke, ruling_from_json(data["ruling"]))
    return Confirmed(stroke)


def _doubt_to_json(doubt: Doubt) -> dict[str, Any]:
    data: dict[str, Any] = {"event": doubt.event, "reason": doubt.reason}
    if doubt.ways:
        data["ways"] = [
            {
                "label": way.label, "add": [event_to_json(e) for e in way.add], "drop": list(way.drop),
                "before": {ball: list(place) for ball, place in way.before.items()},
            } for way in doubt.ways
        ]  # fmt: skip
    return data


def _doubt(data: Mapping[str, Any]) -> Doubt:
    ways = tuple(
        Way(way["label"], tuple(Event(**_tuples(e)) for e in way["add"]), tuple(way["drop"]), _places(way["before"]))
        for way in data.get("ways", ())
    )
    return Doubt(data["reason"], data["event"], ways)


def _tuples(data: Mapping[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in data.items()}


def _places(data: Mapping[str, Any]) -> dict[str, Any]:
    return _tuples(data)


def _state(data: Mapping[str, Any]) -> State:
    fields = _tuples(data)
    fields["positions"] = _places(data["positions"])
    return State(**fields)


def shot_from_json(data: Mapping[str, Any]) -> Shot:
    """A stroke as it was seen, unchecked. Raises KeyError, TypeError, ValueError or AttributeError if it is none."""
    return Shot(tuple(Event(**_tuples(event)) for event in data["events"]), _places(data["positions"]))


def ruling_from_json(data: Mapping[str, Any]) -> Ruling:
    """The inverse of `ruling_to_json`. Raises KeyError, TypeError, ValueError or AttributeError if it is none."""
    fields = _tuples(data)
    fields["items"] = tuple(Item(**_tuples(item)) for item in data["items"])
    fields["fouls"] = tuple(Foul(**_tuples(foul)) for foul in data["fouls"])
    fields["state"] = _state(data["state"])
    fields["explanation"] = Explanation(**data["explanation"])
    return Ruling(**fields)


def read_journal(path: Path) -> tuple[Entry, ...]:
    """The entries of a file. A last line that a kill cut short is left out.

    Raises:
        UserError: the file cannot be read, or a line is no entry, or does not fit the ones before it; the line is named.
    """
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise UserError(f"{path}: the journal cannot be read: {error.strerror or error}") from None
    return journal_of(raw, str(path))


def journal_of(raw: bytes, name: str = "journal") -> tuple[Entry, ...]:
    """The entries of a file's bytes, as `read_journal`; `name` is what an error calls it. Raises UserError."""
    entries = []
    for number, line in enumerate(raw[: _whole(raw)].splitlines(), 1):
        try:
            entries.append(entry_from_json(json.loads(line)))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise UserError(f"{name}:{number}: expected an entry of a journal: {type(error).__name__} {error}") from None
    if entries:
        check(entries)
    return tuple(entries)


def _whole(raw: bytes) -> int:
    """How many bytes of a file are whole lines."""
    return raw.rfind(b"\n") + 1


class JournalFile:
    """Appends entries to a file; each is on the disk before `append` returns. A context manager.

    A line that a kill cut short is cut off when the file is opened, so that the next entry begins a line of its own.

    Raises:
        UserError: the file cannot be opened for writing.
    """

    def __init__(self, path: Path) -> None:
        try:
            self._file: IO[bytes] = path.open("a+b")
        except OSError as error:
            raise UserError(f"{path}: the journal cannot be written: {error.strerror or error}") from None
        self._file.seek(0)
        self._file.truncate(_whole(self._file.read()))

    def append(self, *entries: Entry) -> None:
        lines = (json.dumps(entry_to_json(entry), ensure_ascii=False, separators=(",", ":")) for entry in entries)
        self._file.write("".join(f"{line}\n" for line in lines).encode("utf-8"))
        self._file.flush()
        os.fsync(self._file.fileno())

    def __enter__(self) -> JournalFile:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._file.close()


def write_journal(path: Path, journal: Iterable[Entry]) -> None:
    """A whole journal as a new file, moved into place when it is whole."""
    part = path.with_name(f".{path.name}.part")
    part.unlink(missing_ok=True)
    with JournalFile(part) as file:
        file.append(*journal)
    os.replace(part, path)
