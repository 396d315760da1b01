"""`poedinok calibrate VIDEO --refine`: the balls of the video are followed once, and their straight ways improve the profile."""

from __future__ import annotations

import tempfile
from pathlib import Path

from calibration.errors import UserError
from calibration.profile import Profile, read_profile, write_profile
from calibration.refine import refine_from_balls, ways_of_tracks
from calibration.table import BALLS


def run_refine(video: str, profile_path: Path) -> str:
    """Refines the profile of a file in place; returns a line for the terminal. Too few straight ways leave it as it is.

    Raises:
        UserError: the source is no video file, or cannot be analyzed.
    """
    if not Path(video).is_file():
        raise UserError(f"--refine {video}: expected a video file with strokes")
    profile = read_profile(profile_path)
    better, line = refined(Path(video), profile)
    if better is not profile:
        write_profile(better, profile_path)
    return line


def refined(video: Path, profile: Profile, balls: tuple[str, ...] = BALLS) -> tuple[Profile, str]:
    """The profile made better by the balls of a video, or the same one, and a line that says which.

    Raises:
        UserError: the video cannot be analyzed.
    """
    from vision.pipeline import analyze_video

    with tempfile.TemporaryDirectory() as folder:
        tracks = Path(folder) / "tracks.csv"
        analyze_video(video, profile=profile, balls=balls, tracks=tracks)
        ways = ways_of_tracks(tracks, profile)
    try:
        better = refine_from_balls(profile, ways)
    except UserError as reason:
        return profile, f"warning not refined ({reason}); the profile is that of the cushions alone"
    return better, f"refined {better.how.rpartition('; ')[2]}"
