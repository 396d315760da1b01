"""A recording for the Rerun viewer: frames, tracks with their error bars, events and doubts, to step through (`analyze --rerun`).

Two timelines: `video` (s) and `frame`. In the picture places are px, on the table mm from the home-left corner of the contract.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import cv2
import numpy as np

from calibration.errors import UserError
from referee import words
from referee.annotate import COLOURS, Latest, Seen, rows_by_frame
from referee.output import staged_file
from referee.reasons import told
from vision.frames import Video

if TYPE_CHECKING:
    import rerun

    from calibration.profile import Profile

EVERY = 2  # frames to one picture; places are written for every frame
_WIDTH, _QUALITY = 1280, 75
_TURNS = np.linspace(0, 2 * np.pi, 25)
_RING = np.column_stack([np.cos(_TURNS), np.sin(_TURNS)])


def check(path: Path) -> None:
    """Raises UserError if no recording can be written to `path`."""
    if find_spec("rerun") is None:
        raise UserError("--rerun: rerun-sdk is not installed: expected the rerun extra (pip install 'poedinok[rerun]')")
    if path.suffix != ".rrd":
        raise UserError(f"--rerun {path}: expected a file ending in .rrd")
    if not path.absolute().parent.is_dir() or path.is_dir():
        raise UserError(f"--rerun {path}: cannot write there: expected a file in a folder that exists")


def write_recording(
    video: Path, tracks: Path, document: Mapping[str, Any], profile: Profile, out: Path, *, lang: str = "ru",
    moves: Sequence[tuple[float, Profile]] = (),
) -> None:  # fmt: skip
    """Write what was seen and said; arguments as of `referee.annotate.annotate`, `out` a file .rrd."""
    import rerun

    with staged_file(out) as aside, rerun.RecordingStream("poedinok") as recording:
        recording.save(aside)
        _write_table(recording, profile)
        _write_words(recording, document, lang)
        waiting, seen = list(moves), Latest(rows_by_frame(tracks))
        with Video(video) as source:
            for frame in source:
                while waiting and frame.seconds >= waiting[0][0]:
                    profile = waiting.pop(0)[1]
                recording.set_time("frame", sequence=frame.index)
                recording.set_time("video", duration=frame.seconds)
                if frame.index % EVERY == 0:
                    recording.log("picture", rerun.EncodedImage(contents=_jpeg(frame.bgr()), media_type="image/jpeg"))
                _write_balls(recording, seen.at(frame.index), profile, frame.y.shape[1])
        recording.flush()
        recording.disconnect()


def _jpeg(picture: np.ndarray) -> bytes:
    scale = _scale(picture.shape[1])
    small = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA) if scale < 1 else picture
    return cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, _QUALITY])[1].tobytes()


def _scale(width: int) -> float:
    """Pixels of the recording's pictures for one of the video's."""
    return min(1.0, _WIDTH / width)


def _write_table(recording: rerun.RecordingStream, profile: Profile) -> None:
    import rerun

    table = profile.table
    corners = np.array([*table.corners, table.corners[0]], float)
    pockets = [np.array(p.centre) + p.radius * _RING for p in table.pockets]
    recording.log("table/outline", rerun.LineStrips2D([corners, *pockets], colors=(90, 160, 110)), static=True)


def _write_balls(recording: rerun.RecordingStream, seen: Sequence[Seen], profile: Profile, width: int) -> None:
    """Places and two standard deviations round them, on the table and in the picture; none where no ball is."""
    import rerun

    colours = [COLOURS[s.ball][::-1] for s in seen]
    names = [s.ball if s.state == "seen" else f"{s.ball} ({s.state})" for s in seen]
    places = np.array([(s.x, s.y) for s in seen], float).reshape(-1, 2)
    rings = [np.array((s.x, s.y)) + 2 * s.sigma * _RING for s in seen]
    radii = np.full(len(seen), profile.table.radius)
    recording.log("table/balls", rerun.Points2D(places, colors=colours, radii=radii, labels=names))
    recording.log("table/errors", rerun.LineStrips2D(rings, colors=colours))
    scale = _scale(width)
    px = profile.camera.project_at(places, profile.table.radius) * scale if seen else places
    shown = [profile.camera.project_at(ring, profile.table.radius) * scale for ring in rings]
    recording.log("picture/balls", rerun.Points2D(px, colors=colours, radii=3.0, labels=names))
    recording.log("picture/errors", rerun.LineStrips2D(shown, colors=colours))


def _write_words(recording: rerun.RecordingStream, document: Mapping[str, Any], lang: str) -> None:
    """Events, doubts with their alternatives, and rulings, as text logs in order of time."""
    import rerun

    for t, entity, level, text in sorted(_words(document, lang)):
        recording.reset_time()
        recording.set_time("video", duration=t)
        recording.log(entity, rerun.TextLog(text, level=level))


def _words(document: Mapping[str, Any], lang: str) -> Iterator[tuple[float, str, str, str]]:
    s, ms = words.Text("с", "s")(lang), words.Text("мс", "ms")(lang)
    for shot in document["shots"]:
        for event in shot["events"]:
            if event.get("video_t") is not None:
                error = f", ±{event['sigma_ms']} {ms}" if event.get("sigma_ms") is not None else ""
                sure = f", p = {event['confidence']}" if event.get("confidence") is not None else ""
                yield event["video_t"], "events", "INFO", f"{event['video_t']:.4f} {s}{error}{sure}: {words.event(event)(lang)}"
        for doubt in shot["review"]:
            at = shot["events"][doubt["event"]].get("video_t") if doubt.get("event") is not None else None
            yield at or shot["start_t"], "doubts", "WARN", _doubt(doubt, shot["index"], lang)
        if shot["ruling"]:
            yield shot["end_t"], "rulings", "INFO", f"{shot['index']}: {shot['ruling']['explanation'][lang]}"


def _doubt(doubt: Mapping[str, Any], index: int, lang: str) -> str:
    lines = [f"{index}: {told(doubt['reason'])(lang)}"]
    for way in doubt.get("alternatives") or ():
        ruling = way["ruling"]
        then = ruling["explanation"][lang] if ruling else words.Text("без решения", "no ruling")(lang)
        lines.append(f"  {way['label'][lang]} → {then}")
    return "\n".join(lines)
