"""What parts of the analysis are worth: the benchmark's strokes again from what the tracker saw, each time with one part taken out."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from unittest import mock

import cv2
import numpy as np

from calibration.profile import Profile
from tests.bench.strokes_report import HEAD, row
from tests.bench.strokes_store import Log
from vision import breaks
from vision.breaks import Path as BallPath
from vision.pieces import Piece, fit_piece


@dataclass(frozen=True, slots=True)
class Ablation:
    """`patched`: what is replaced meanwhile; `log`, `out`: what is done to a log before, and to what was written after."""

    name: str
    patched: Callable[[], AbstractContextManager[Any]] = nullcontext
    log: Callable[[Log], Log] = lambda log: log
    out: Callable[[Log, Path], None] = lambda log, out: None


def ablations(again: Callable[[Ablation], Sequence[dict[str, Any]]]) -> str:
    """A table: a row as the benchmark has it for each part that is left out."""
    rows = [HEAD]
    for ablation in ALL:
        with ablation.patched():
            lines = again(ablation)
        rows.append(row(ablation.name, [line for line in lines if "refused" not in line]))
    return "\n".join(rows)


def _alone(table: Any, paths: Any, explained: Sequence[Any], strike: tuple[str | None, float], *rest: Any) -> Any:
    """No moment is fitted as a whole: each ball's breaks are explained by themselves."""
    from vision.moments import Told

    return Told((), tuple(explained), (), strike[1])


@contextmanager
def _without_joint() -> Iterator[None]:
    with mock.patch("vision.events.told_of", _alone):
        yield


def _two_nearest(path: BallPath, piece: Piece, last: bool, step: float) -> Piece:
    """Velocities from the two observations beside a break, nothing smoothed."""
    if last:
        return fit_piece(path.seen, max(piece.first, piece.last - 1), piece.last)
    return fit_piece(path.seen, piece.first, min(piece.last, piece.first + 1))


@contextmanager
def _without_smoothing() -> Iterator[None]:
    with _without_joint(), mock.patch.object(breaks, "_near_end", _two_nearest):
        yield


def _by_homography(log: Log) -> Log:
    """Places as the homography of the cloth gives them: the balls' centres taken for points on it, the lens left out."""
    to_mm = _homography(log.profile)
    frames = [replace(f, seen={ball: _moved(log.profile, to_mm, s) for ball, s in f.seen.items()}) for f in log.frames]
    return replace(log, frames=frames)


def _homography(profile: Profile) -> np.ndarray:
    corners = np.array(profile.table.corners, np.float32)
    seen = np.asarray(profile.camera.project_at(corners, 0.0), np.float32)
    return cv2.getPerspectiveTransform(seen, corners)


def _moved(profile: Profile, to_mm: np.ndarray, seen: Mapping[str, Any]) -> dict[str, Any]:
    pixel = profile.camera.project_at([[seen["x"], seen["y"]]], profile.table.radius)
    place = cv2.perspectiveTransform(np.asarray(pixel, float).reshape(1, 1, 2), to_mm)[0, 0]
    return {**seen, "x": float(place[0]), "y": float(place[1])}


def _whole_frames(log: Log, out: Path) -> None:
    """Every event at the time of the frame nearest to it."""
    times = {f.index: f.seconds for f in log.frames if not f.times}
    times |= {f.index + n: t for f in log.frames for n, t in enumerate(f.times)}
    path = out / "match.json"
    match = json.loads(path.read_text("utf-8"))
    for shot in match["shots"]:
        for event in shot["events"]:
            event["video_t"] = times.get(event.get("frame"), event.get("video_t"))
    path.write_text(json.dumps(match), "utf-8")


ALL = (
    Ablation("all of it"),
    Ablation("without smoothing", _without_smoothing),
    Ablation("without joint contacts", _without_joint),
    Ablation("homography of the cloth", log=_by_homography),
    Ablation("times of the nearest frames", out=_whole_frames),
)
