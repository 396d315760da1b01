"""`poedinok calibrate VIDEO --refine`: the balls of the video are followed once; their straight ways and touches improve the profile."""

from __future__ import annotations

import tempfile
from pathlib import Path

from calibration.errors import UserError
from calibration.profile import Profile, read_profile, write_profile
from calibration.refine import CushionHit, refine_from_balls, ways_of_tracks
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
    from vision.touches import cushion_touches, places_of_tracks

    with tempfile.TemporaryDirectory() as folder:
        tracks = Path(folder) / "tracks.csv"
        result = analyze_video(video, profile=profile, balls=balls, tracks=tracks)
        ways = ways_of_tracks(tracks, profile)
        seen = cushion_touches(result.strokes, places_of_tracks(tracks), profile.table)
    hits = [CushionHit(touch.event.cushion or "", touch.at, touch.sigma) for touch in seen]
    try:
        better = refine_from_balls(profile, ways, hits)
    except UserError as reason:
        return profile, f"warning not refined ({reason}); the profile is that of the cushions alone"
    return better, f"refined {better.how.rpartition('; ')[2]}"
