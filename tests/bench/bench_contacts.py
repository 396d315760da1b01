"""Where balls meet the cushions of real carom tables, by the camera that was found automatically and the referee's own paths.

    python -m tests.bench.bench_contacts FOOTAGE [--each] [--refine]

FOOTAGE/clips holds the clips; labels are used for the kind of table and the balls alone. Each clip is calibrated and analyzed
as `poedinok` does it. For every cushion event the ball's way to the cushion and its way back, as it was tracked, meet where it
touched (`vision.touches`): its surface should lie at the nose then. Prints by how much it does not, mm, positive where the ball seems
to turn before the nose. --refine: the camera is first refined with the balls' straight ways (`poedinok calibrate --refine`).
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path

import numpy as np

from calibration.command import Wishes, calibrated
from calibration.source import sample_pictures
from calibration.table import table
from referee.refine_command import refined
from vision.pipeline import analyze_video
from vision.touches import CushionTouch, cushion_touches, places_of_tracks

_CLEAR = 4.0  # mm of error bar beyond which a contact says nothing about 5 mm


def measured(video: Path, truth: dict, refine: bool) -> list[CushionTouch]:
    """One clip calibrated and analyzed as the program does it."""
    profile, _ = calibrated(sample_pictures(str(video)), Wishes(table(truth["table"]), True, home="left"), video.name)
    with tempfile.TemporaryDirectory() as folder:
        tracks = Path(folder) / "tracks.csv"
        balls = tuple(truth["balls"])
        if refine:
            profile, line = refined(video, profile, balls)
            print(f"    {line}")
        result = analyze_video(video, profile=profile, balls=balls, home="left", tracks=tracks)
        return cushion_touches(result.strokes, places_of_tracks(tracks), result.profile.table)


def told(name: str, found: list[CushionTouch]) -> str:
    values = np.array([c.off for c in found])
    if not len(values):
        return f"{name:28}   0 contacts"
    sure = np.array([c.sigma for c in found])
    return (
        f"{name:28} {len(values):3} contacts  median {np.median(values):+5.1f} mm  of sizes {np.median(np.abs(values)):4.1f}"
        f"  error bars {np.median(sure):4.1f}  within 5 mm {np.sum(np.abs(values) <= 5):3}"
        f"  within 5 mm or 2 sigma {np.sum(np.abs(values) <= np.maximum(5, 2 * sure)):3}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("footage", type=Path)
    parser.add_argument("--each", action="store_true")
    parser.add_argument("--refine", action="store_true")
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    everything: list[CushionTouch] = []
    for path in sorted((arguments.footage / "clips").glob("carom*.truth.json")):
        if arguments.only not in path.name:
            continue
        truth = json.loads(path.read_text())
        video = path.with_name(truth["clip"])
        found = measured(video, truth, arguments.refine)
        everything += found
        if arguments.each:
            for c in found:
                e = c.event
                late = 1000 * (c.t - (e.video_t or 0))
                print(f"    {e.video_t:7.3f} s {e.ball:7} {e.cushion:6} {c.off:+6.1f} +- {c.sigma:4.1f} mm  turned {late:+5.0f} ms")
        print(told(video.name, found), flush=True)
    print(told("all", everything))
    print(told(f"all with error bars to {_CLEAR:g} mm", [c for c in everything if c.sigma <= _CLEAR]))


if __name__ == "__main__":
    main()
