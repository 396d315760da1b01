"""The whole path: a video in, its strokes out."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from calibration.errors import UserError
from vision.detect import DEFAULT_WEIGHTS, Detector
from vision.field import Field
from vision.frames import SWITCH, Frame, Video, VideoInfo, decoded_ahead
from vision.guard import Change
from vision.run import TableRun
from vision.shot import Stroke
from vision.skim import Skim, skimmed
from vision.tracks import TracksFile

if TYPE_CHECKING:
    from calibration.profile import Profile


SHORTEST = 10  # pictures; fewer hold no rest, motion and rest
FEWEST = 8  # pictures a second; the sample is told right at 8.6, wholly doubted at 4, and at 1 most of it is not seen


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a stage is: `done` of `total` frames; total None if it is not known."""

    stage: str
    done: int
    total: int | None


@dataclass(frozen=True, slots=True)
class VideoResult:
    """What a video holds. `notes`: what the reader should know (calibrated on the video itself, view changes, …).

    `profile`: in force at the start; `changes`: of the view, with the profiles that followed.
    """

    video: VideoInfo
    profile: Profile
    strokes: tuple[Stroke, ...]
    notes: tuple[str, ...]
    timings: Mapping[str, float]
    changes: tuple[Change, ...] = ()

    @property
    def moves(self) -> list[tuple[float, Profile]]:
        """When (s) the camera was registered anew, in order of time, and the profile from then on."""
        return [(c.t, c.profile) for c in self.changes if c.profile is not None]


def analyze_video(
    path: Path | str,
    *,
    profile: Profile | None,
    balls: tuple[str, ...] = ("white", "yellow", "red", "black"),
    weights: Path | None = None,
    home: str | None = None,
    on_progress: Callable[[Progress], None] | None = None,
    tracks: Path | None = None,
) -> VideoResult:
    """The strokes of a video.

    Args:
        profile: of the table and camera; None: calibrate on the video itself.
        balls: the balls to expect.
        tracks: where to write the places of all balls in all frames.

    Raises:
        UserError: the video cannot be read, has another size than the profile, or shows no table that could be found.
    """
    notes: list[str] = []
    began = time.perf_counter()
    with Video(path) as video, TracksFile(tracks) as rows:  # opened first: what is no video is said before a table is looked for
        if profile is None:
            profile = _calibrated(path, home, notes)
        calibrated = time.perf_counter()
        profile.check(video.info.width, video.info.height)
        run = TableRun(profile, balls, rows, _network(weights, notes))
        decoding = 0.0
        clock = time.perf_counter()
        skim = Skim(Field(profile.camera, profile.table, (video.info.height // 2 * 2, video.info.width // 2 * 2)).mask)
        switched = sys.getswitchinterval()
        sys.setswitchinterval(SWITCH)
        try:
            for frame in decoded_ahead(skimmed(video, skim)):
                now = time.perf_counter()
                decoding += now - clock
                run.take(frame) if isinstance(frame, Frame) else run.skip(frame)
                skim.seen(run.frames - 1, run.calm, run.busy)
                if on_progress and frame.index % 10 == 0:
                    on_progress(Progress("frames", run.frames, video.info.frames))
                clock = time.perf_counter()
        finally:
            skim.close()
            sys.setswitchinterval(switched)
        run.finish()
        if run.frames == 0:
            raise UserError(f"{path}: no picture can be decoded")
        info = video.info
    notes += [*few_pictures(run.frames, info.duration), *run.notes()]
    ended = time.perf_counter()
    timings = {"calibration": calibrated - began, "waiting for frames": decoding, **run.stages.seconds}
    timings["the rest"] = ended - began - sum(timings.values())
    info = VideoInfo(info.file, run.frames, info.time_base, info.width, info.height, info.duration, info.rate)
    return VideoResult(info, run.first_profile, tuple(run.strokes), tuple(notes), timings, tuple(run.changes))


def few_pictures(frames: int, duration: float | None) -> list[str]:
    """A note if a video of `duration` s has too few pictures for strokes to be seen in it: that none was seen then says little."""
    if frames < SHORTEST:
        return [f"only {frames} picture{'s' if frames > 1 else ''}: too short for a stroke to be seen"]
    if not duration or frames < 2 or frames / duration >= FEWEST:
        return []
    return [f"only {frames / duration:.1f} pictures a second: strokes are missed or told wrongly below {FEWEST}"]


def _calibrated(path: Path | str, home: str | None, notes: list[str]) -> Profile:
    from calibration.command import calibrate_video

    profile, how = calibrate_video(Path(path), home=home)
    notes.append(how)
    return profile


def _network(weights: Path | None, notes: list[str]) -> Detector | None:
    """The ball detector. Without its weights balls are found by shape and colour alone, and the notes say so."""
    if weights is None and not DEFAULT_WEIGHTS.is_file():
        notes.append("the detector's weights are missing: balls are found by shape and colour alone")
        return None
    return Detector(weights)
