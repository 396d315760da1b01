"""Filming a timeline: the video, and beside it the truth, the tracks, the calls and the table's profile.

A frame with the time stamp p shows the moment p: the middle of its exposure. Events carry `video_t` on the same clock.
"""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Protocol

import av
import numpy as np

from calibration.camera import Camera
from calibration.profile import Profile, write_profile
from calibration.table import BALLS, Table
from sample_videos.exposure import balls_over, people_over, row_delays
from sample_videos.match import Played, Timeline

_SEEN = 0.35  # share of a ball's silhouette that must be visible for the truth to call it seen

# a case of the contract in, a ruling of the contract out; given by those above this package
Adjudicate = Callable[[dict[str, Any]], dict[str, Any]]
Progress = Callable[[int, int], None]
Develop = Callable[[np.ndarray, float], np.ndarray]


class Films(Protocol):
    """What `record` needs of a renderer."""

    def frame(self, balls: Mapping[str, Any], extras: Sequence[Any] = ()) -> np.ndarray: ...

    @property
    def visible(self) -> Mapping[str, Any]: ...


@dataclass(frozen=True, slots=True)
class Film:
    """How the video is taken: frame rate, share of the frame time that the shutter is open, the encoder's settings, and the seconds
    between the exposure of the first and of the last row (rolling shutter)."""

    fps: Fraction = Fraction(60)
    shutter: float = 0.5
    crf: int = 24
    preset: str = "superfast"
    readout: float = 0.0

    @property
    def time_base(self) -> Fraction:
        """Fine enough for the exact duration of a frame: 1/60000 for 60 and for 60000/1001 frames/s."""
        return Fraction(1, self.fps.numerator * (1000 if self.fps.denominator == 1 else 1))

    @property
    def exposure(self) -> float:
        """Seconds that the shutter is open."""
        return self.shutter / float(self.fps)

    def pts(self, frame: int) -> int:
        return round(frame / self.fps / self.time_base)

    def stamp(self, frame: int) -> float:
        """Time stamp of a frame, s."""
        return float(frame / self.fps)

    def nearest(self, t: float) -> int:
        """The frame whose stamp is nearest to t."""
        return max(0, round(t * self.fps))


@contextmanager
def _replaced(path: Path) -> Iterator[Path]:
    """A temporary name beside `path` that takes its place when all is written."""
    temporary = path.with_name(f".{path.stem}.part{path.suffix}")
    try:
        yield temporary
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def record(
    timeline: Timeline,
    renderer: Films,
    camera: Camera,
    out: Path,
    name: str,
    *,
    film: Film | None = None,
    adjudicate: Adjudicate | None = None,
    tracks: bool = True,
    progress: Progress | None = None,
    develop: Develop | None = None,
) -> list[Path]:
    """Film a timeline into `out`/`name`.mp4 with .truth.json, .tracks.csv, .srt (if something was called) and .profile.toml.

    Args:
        renderer: draws the frames; its pictures have the camera's size.
        adjudicate: takes a case and gives the ruling (contract: adjudication); without it `ruling` is null.
        tracks: write the balls' places frame by frame.
        progress: called with (frames done, frames in all).
        develop: changes each picture after it was drawn, given its time stamp.

    Returns:
        The files written.
    """
    film = film or Film()
    out.mkdir(parents=True, exist_ok=True)
    written = [out / f"{name}.mp4"]
    with _replaced(written[0]) as temporary:
        rows = _film(timeline, renderer, camera, temporary, film, progress, develop)
    if tracks:
        written.append(out / f"{name}.tracks.csv")
        with _replaced(written[-1]) as temporary, open(temporary, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["frame", "video_t", "ball", "x_mm", "y_mm", "sigma_mm", "state"])
            writer.writerows(rows)
    truth = truth_of(timeline, camera, film, frames=_count(timeline, film), adjudicate=adjudicate)
    written.append(out / f"{name}.truth.json")
    _write(written[-1], json.dumps(truth, ensure_ascii=False, indent=1) + "\n")
    if truth["calls"]:
        written.append(out / f"{name}.srt")
        _write(written[-1], srt(truth["calls"]))
    written.append(out / f"{name}.profile.toml")
    write_profile(profile_of(timeline.table, camera), written[-1])
    return written


def _write(path: Path, text: str) -> None:
    with _replaced(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def _count(timeline: Timeline, film: Film) -> int:
    return max(1, int(timeline.duration * film.fps))


def _film(
    timeline: Timeline, renderer: Films, camera: Camera, path: Path, film: Film, progress: Progress | None, develop: Develop | None
) -> list[list[Any]]:
    """Write the video; returns the rows of the tracks."""
    rows: list[list[Any]] = []
    count = _count(timeline, film)
    with av.open(str(path), "w", format="mp4") as container:
        stream = container.add_stream("libx264", rate=film.fps, options={"crf": str(film.crf), "preset": film.preset})
        stream.width, stream.height, stream.pix_fmt = camera.width, camera.height, "yuv420p"
        stream.thread_count = 2
        stream.time_base = stream.codec_context.time_base = film.time_base
        for n in range(count):
            t = film.stamp(n)
            delays = row_delays(timeline, camera, t, film.readout)
            extras = people_over(timeline, camera, t, film.exposure, film.readout)
            picture = renderer.frame(balls_over(timeline, t, film.exposure, delays), extras)
            rows += track_rows(timeline, camera, n, t, renderer.visible, delays)
            if develop:
                picture = develop(picture, t)
            frame = av.VideoFrame.from_ndarray(picture, format="bgr24")
            frame.pts, frame.time_base = film.pts(n), film.time_base
            container.mux(stream.encode(frame))
            if progress:
                progress(n + 1, count)
        container.mux(stream.encode())
    return rows


def track_rows(
    timeline: Timeline, camera: Camera, frame: int, stamp: float, visible: Mapping[str, Any], delays: Mapping[str, float] | None = None
) -> list[list[Any]]:
    """Rows of tracks.csv for one frame; with a rolling shutter at the moment of each ball's own row."""
    rows: list[list[Any]] = []
    for ball in timeline.balls:
        t = stamp + (delays or {}).get(ball, 0.0)
        state = timeline.state(ball, t)
        places = timeline.places(ball, np.array([t])) if state in ("seen", "carried") else None
        if places is None:
            rows.append([frame, f"{t:.6f}", ball, "", "", "", "pocketed" if state == "pocketed" else "absent"])
            continue
        x, y = float(places[0, 0]), float(places[0, 1])
        seen = state == "seen" and visible_share(camera, (x, y), timeline.table, visible.get(ball)) >= _SEEN
        rows.append([frame, f"{t:.6f}", ball, f"{x:.3f}", f"{y:.3f}", "0", "seen" if seen else "hidden"])
    return rows


def visible_share(camera: Camera, at: tuple[float, float], table: Table, seen: Any) -> float:
    """Visible area of a ball over the area of its silhouette."""
    if seen is None:
        return 0.0
    axes = camera.ball_outline([at], table.radius).semi_axes[0]
    return float(seen.area) / max(1e-6, float(np.pi * axes[0] * axes[1]))


# --- truth ----------------------------------------------------------------------------------------------------------


def truth_of(timeline: Timeline, camera: Camera, film: Film, *, frames: int, adjudicate: Adjudicate | None = None) -> dict[str, Any]:
    """The truth of a video in the form of the contract (analysis: truth files)."""
    table = timeline.table
    shots, state = [], None
    for index, played in enumerate(timeline.shots, 1):
        shot, state = _shot_truth(index, played, film, table, state, adjudicate)
        shots.append(shot)
    return {
        "table": table.name,
        "size_mm": [table.length, table.width],
        "ball_mm": table.ball,
        "corners_px": _rounded(camera.project_at(table.corners, table.nose_height)),
        "balls": list(timeline.balls),
        "fps": float(film.fps),
        "time_base": f"{film.time_base.numerator}/{film.time_base.denominator}",
        "frames": frames,
        "width": camera.width,
        "height": camera.height,
        "exposure_s": film.exposure,
        "readout_s": film.readout,
        "clock": "video_t is the container's time stamp; a frame with stamp p shows, in its middle row, the moment p, "
        "the middle of its exposure; with a rolling shutter the first row is exposed readout_s / 2 earlier",
        "camera": camera_values(camera),
        "shots": shots,
        "calls": [
            {"video_t": round(p.called_t, 3), "end_t": round(p.strike_t, 3), "text": p.stroke.call}
            for p in timeline.shots
            if p.called_t is not None
        ],
    }


def _rounded(points: np.ndarray, digits: int = 3) -> list[list[float]]:
    return [[round(float(v), digits) for v in point] for point in points]


def camera_values(camera: Camera) -> dict[str, Any]:
    """All numbers of the camera, by name (see `calibration.camera`)."""
    return {
        "focal": camera.focal,
        "principal": list(camera.principal),
        "distortion": list(camera.distortion),
        "rotation": camera.rotation.tolist(),
        "translation": camera.translation.tolist(),
    }


def _places(places: Mapping[str, Any]) -> dict[str, Any]:
    return {ball: (None if p is None else [round(p[0], 3), round(p[1], 3)]) for ball, p in places.items()}


def _shot_truth(
    index: int, played: Played, film: Film, table: Table, state: dict[str, Any] | None, adjudicate: Adjudicate | None
) -> tuple[dict[str, Any], dict[str, Any] | None]:
    events = []
    for e in played.shot.events:
        video_t = played.strike_t + e["t"]
        events.append({**e, "t": round(e["t"], 6), "frame": film.nearest(video_t), "video_t": round(video_t, 6)})
    before = {ball: played.shot.before.get(ball) for ball in BALLS if ball in played.shot.before}
    case = case_of(table, played, state)
    ruling = adjudicate(case) if adjudicate and table.pockets and set(before) == set(BALLS) else None
    shot = {
        "index": index,
        "name": played.stroke.name,
        "start_t": round(played.strike_t, 6),
        "end_t": round(played.end_t, 6),
        "start_frame": film.nearest(played.strike_t),
        "end_frame": film.nearest(played.end_t),
        "cue_ball": played.stroke.cue_ball,
        "between": [dict(row) for row in played.between],
        "positions_wanted": (state or {}).get("positions"),
        "positions_before": _places(before),
        "positions_after": _places(played.shot.after),
        "events": events,
        "call": played.stroke.call,
        "state": case["state"],
        "ruling": ruling,
    }
    return shot, (ruling or {}).get("state")


def case_of(table: Table, played: Played, state: dict[str, Any] | None = None) -> dict[str, Any]:
    """The case of a stroke (contract: adjudication); scores and waiting balls from `state`, that before the stroke."""
    stroke, before = played.stroke, state or {}
    return {
        "table": table.name,
        "state": {
            "player": played.player,
            "scores": list(before.get("scores", [0, 0])),
            "target": before.get("target", 30),
            "opening": stroke.opening,
            "cue_ball": stroke.cue_ball,
            "placement": stroke.placement,
            "positions": _places({ball: played.shot.before.get(ball) for ball in BALLS}),
            "waiting": [ball for ball in before.get("waiting", []) if ball not in stroke.placing],  # a hand may have laid it back
        },
        "call": stroke.call,
        "shot": {
            "events": [{**e, "t": round(e["t"], 6)} for e in played.shot.events],
            "positions": _places({ball: played.shot.after.get(ball) for ball in BALLS}),
        },
    }


def srt(calls: Sequence[Mapping[str, Any]]) -> str:
    """The calls as SubRip text."""

    def clock(t: float) -> str:
        ms = round(t * 1000)
        return f"{ms // 3600000:02d}:{ms // 60000 % 60:02d}:{ms // 1000 % 60:02d},{ms % 1000:03d}"

    return "\n".join(f"{i}\n{clock(c['video_t'])} --> {clock(c['end_t'])}\n{c['text']}\n" for i, c in enumerate(calls, 1))


def profile_of(table: Table, camera: Camera) -> Profile:
    """The profile that a perfect calibration of this camera would give."""
    corners = np.round(camera.project_at(table.corners, table.nose_height), 3)
    seen = tuple((float(u), float(v)) for u, v in corners)
    u, v = corners[:2].mean(axis=0) - corners[2:].mean(axis=0)  # from the foot to the house
    home = ("left" if u < 0 else "right") if abs(u) > abs(v) else ("top" if v < 0 else "bottom")
    return Profile(table, camera, seen, home=home, home_from="simulated", how="the camera that filmed it")  # type: ignore[arg-type]
