"""A stroke again, frame by frame: its pictures out of the recording, and where balls and events are in them.

The pictures of a stroke are cut once, as JPEG files under the data folder, by one thread; a page shows them as they come.
"""

from __future__ import annotations

import json
import os
import shutil
import threading
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from calibration.errors import UserError
from calibration.profile import Profile
from referee.live.recording import frames_between
from referee.live.store import Store
from referee.live.view import StrokeView
from vision.shot import Event

_BEFORE, _AFTER = 1.2, 0.8  # s round the stroke
_LONGEST = 40.0  # s of a stroke that are shown
_WIDTH = 1280  # px of the pictures shown
_KEPT = 12  # strokes whose pictures are kept
_CLOSE = 7.0  # ball radii round a contact that the close-up shows
_CLOSE_WIDTH = 900


@dataclass(frozen=True, slots=True)
class Cut:
    """Pictures of one stroke: `times` live time of each (s), `done` whether all are there, `failed` why there are none."""

    folder: Path
    times: tuple[float, ...]
    done: bool
    failed: str = ""


class Replays:
    """Cuts strokes out of a recording.

    Args:
        recording: folder of the recording.
        cache: where pictures are kept; what a former run left there is removed.
    """

    def __init__(self, recording: Path, cache: Path, profile: Profile) -> None:
        self._recording, self._cache, self._profile = recording, cache, profile
        shutil.rmtree(cache, ignore_errors=True)
        self._cuts: OrderedDict[tuple[int, int], Cut] = OrderedDict()
        self._lock = threading.Lock()
        self._threads: list[threading.Thread] = []
        self._stop = threading.Event()
        self._one = threading.Lock()  # one stroke is cut at a time: the eyes need the processor

    def cut(self, game: int, stroke: StrokeView) -> Cut:
        """The pictures of a stroke as far as they are there; the first call begins to cut them."""
        key = (game, stroke.number)
        with self._lock:
            found = self._cuts.get(key)
            if found is not None and not found.failed:
                self._cuts.move_to_end(key)
                return found
            folder = self._cache / f"{game}-{stroke.number}"
            self._cuts[key] = begun = Cut(folder, (), False)
            self._forget()
        thread = threading.Thread(target=self._work, args=(key, stroke.start_t or 0.0, stroke.end_t or 0.0), name="replay", daemon=True)
        self._threads = [t for t in self._threads if t.is_alive()] + [thread]
        thread.start()
        return begun

    def close(self) -> None:
        """Ends the cutting: a thread that decodes while the program ends would abort it."""
        self._stop.set()
        for thread in self._threads:
            thread.join(10)

    def picture(self, game: int, number: int, index: int) -> Path | None:
        """The file of one picture."""
        found = self._cuts.get((game, number))
        if found is None or not 0 <= index < len(found.times):
            return None
        return found.folder / f"{index}.jpg"

    def _work(self, key: tuple[int, int], start: float, end: float) -> None:
        folder = self._cuts[key].folder
        times: list[float] = []
        try:
            with self._one:
                folder.mkdir(parents=True, exist_ok=True)
                for frame in frames_between(self._recording, start - _BEFORE, min(end, start + _LONGEST) + _AFTER):
                    if self._stop.is_set():
                        break
                    picture = frame.bgr()
                    if picture.shape[1] > _WIDTH:
                        size = (_WIDTH, round(picture.shape[0] * _WIDTH / picture.shape[1]))
                        picture = cv2.resize(picture, size, interpolation=cv2.INTER_AREA)
                    data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, 82])[1].tobytes()
                    part = folder / "part"
                    part.write_bytes(data)
                    os.replace(part, folder / f"{len(times)}.jpg")
                    times.append(frame.seconds)
                    if len(times) % 10 == 0:
                        self._tell(key, Cut(folder, tuple(times), False))
            self._tell(key, Cut(folder, tuple(times), True, "" if times else "the recording does not hold this stroke"))
        except OSError as error:
            self._tell(key, Cut(folder, (), True, f"the pictures cannot be kept: {error.strerror or error}"))

    def _tell(self, key: tuple[int, int], cut: Cut) -> None:
        with self._lock:
            if key in self._cuts:
                self._cuts[key] = cut

    def _forget(self) -> None:
        while len(self._cuts) > _KEPT:
            _, old = self._cuts.popitem(last=False)
            shutil.rmtree(old.folder, ignore_errors=True)

    # the close-up -------------------------------------------------------------------------------------------

    def close_up(self, stroke: StrokeView, store: Store, game: int, event: int) -> bytes:
        """The picture nearest to an event, magnified round where it happened, as JPEG.

        Raises:
            UserError: there is no such event, its place is not known, or the recording does not hold it.
        """
        if not 0 <= event < len(stroke.ruled.shot.events):
            raise UserError(f"stroke {stroke.number}: has no event {event + 1}")
        found = stroke.ruled.shot.events[event]
        at = (stroke.start_t or 0.0) + found.t
        place = place_of(found, store.paths(game, stroke.number), at)
        if place is None:
            raise UserError(f"event {event + 1}: where it happened is not known")
        frames = list(frames_between(self._recording, at - 0.1, at + 0.1))
        if not frames:
            raise UserError(f"the recording does not hold {at:.1f} s")
        best = min(frames, key=lambda frame: abs(frame.seconds - at))
        return _magnified(best.bgr(), self._profile, place)


def _magnified(picture: np.ndarray, profile: Profile, place: tuple[float, float]) -> bytes:
    camera, radius = profile.camera, profile.table.radius
    x, y = camera.project_at([place], radius)[0]
    half = _CLOSE * float(camera.ball_radius([place], radius)[0])
    zoom = _CLOSE_WIDTH / (2 * half)
    move = np.array([[zoom, 0, _CLOSE_WIDTH / 2 - zoom * x], [0, zoom, _CLOSE_WIDTH * 0.375 - zoom * y]])
    close = cv2.warpAffine(picture, move, (_CLOSE_WIDTH, round(_CLOSE_WIDTH * 0.75)), flags=cv2.INTER_CUBIC)
    return cv2.imencode(".jpg", close, [cv2.IMWRITE_JPEG_QUALITY, 88])[1].tobytes()


def place_of(event: Event, paths: dict[str, list[tuple[float, float, float]]], at: float) -> tuple[float, float] | None:
    """Where an event happened, mm: between the balls of a contact, else at its ball."""
    if event.at is not None:
        return event.at
    places = [p for ball in (event.balls or (event.ball,)) if (p := _path_at(paths.get(ball or "", []), at)) is not None]
    if not places:
        return None
    return float(np.mean([p[0] for p in places])), float(np.mean([p[1] for p in places]))


def _path_at(path: list[tuple[float, float, float]], at: float) -> tuple[float, float] | None:
    if not path:
        return None
    t, x, y = np.array(path).T
    return float(np.interp(at, t, x)), float(np.interp(at, t, y))


def scene(stroke: StrokeView, store: Store, game: int, profile: Profile) -> dict[str, Any]:
    """What a page draws over the pictures, in px of the full picture: paths by ball, events, places before and after, the ball's size."""
    camera, radius = profile.camera, profile.table.radius

    def pixels(points: list[tuple[float, float]]) -> list[list[float]]:
        return np.round(camera.project_at(points, radius), 1).tolist() if points else []

    paths = store.paths(game, stroke.number)
    drawn = {ball: [[t, *px] for (t, _, _), px in zip(path, pixels([p[1:] for p in path]), strict=True)] for ball, path in paths.items()}
    events = []
    for index, event in enumerate(stroke.ruled.shot.events):
        at = (stroke.start_t or 0.0) + event.t
        place = place_of(event, paths, at) or (stroke.ruled.before.positions.get(event.ball or "") if event.type == "strike" else None)
        events.append({"index": index, "t": at, "px": pixels([place])[0] if place else None, "type": event.type})
    before = {b: pixels([p])[0] for b, p in stroke.ruled.before.positions.items() if p is not None}
    after = {b: pixels([p])[0] for b, p in stroke.ruled.shot.positions.items() if p is not None}
    middle = float(camera.scale_at([[profile.table.length / 2, profile.table.width / 2]], radius)[0])
    return {
        "width": camera.width,
        "height": camera.height,
        "radius": round(middle * radius, 1),
        "paths": drawn,
        "events": events,
        "before": before,
        "after": after,
    }


def to_text(document: dict[str, Any]) -> str:
    """JSON that may stand inside a script element."""
    return json.dumps(document, ensure_ascii=False).replace("<", "\\u003c")
