"""Where balls meet the cushions of real carom tables, by the camera that was found automatically and the referee's own paths.

    python -m tests.bench.bench_contacts FOOTAGE [--each] [--refine]

FOOTAGE/clips holds the clips; labels are used for the kind of table and the balls alone. Each clip is calibrated and analyzed
as `poedinok` does it. For every cushion event the ball's way to the cushion and its way back, as it was tracked, meet where it
touched: its surface should lie at the nose then. Prints by how much it does not, mm, positive where the ball seems to turn
before the nose. --refine: the camera is first refined with the balls' straight ways (`poedinok calibrate --refine`).
"""

from __future__ import annotations

import argparse
import csv
import json
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from calibration.command import Wishes, calibrated
from calibration.source import sample_pictures
from calibration.table import table
from referee.refine_command import refined
from vision.pieces import Observations, Piece, fit_piece
from vision.pipeline import VideoResult, analyze_video
from vision.shot import Event
from vision.walls import Walls

# frames of a way, the nearest: a ball that comes off a cushion slides, and its way bends in the next tenths of a second
_MOST = 2
_NORMALS = {"home": (0, 1.0), "foot": (0, -1.0), "right": (1, 1.0), "left": (1, -1.0)}  # axis, sign into the table
_CLEAR = 4.0  # mm of error bar beyond which a contact says nothing about 5 mm


@dataclass(frozen=True, slots=True)
class Contact:
    """`off` mm from the nose to the ball's surface when it turned, with its error bar `sigma`; `late` s: turned after the event."""

    event: Event
    off: float
    sigma: float
    late: float


def contacts(result: VideoResult, rows: list[dict[str, str]]) -> list[Contact]:
    """The cushion contacts of all strokes of a clip whose ways before and after were seen."""
    kind = result.profile.table
    reach = Walls(kind).reach
    step = float(np.median(np.diff(sorted({float(row["video_t"]) for row in rows}))))
    found = []
    for stroke in result.strokes:
        for event in stroke.shot.events:
            if event.type != "cushion" or event.video_t is None or event.cushion is None:
                continue
            others = [e.video_t for e in stroke.shot.events if e is not event and e.video_t is not None and e.involves(event.ball or "")]
            ways = [_way(rows, event, side, [*others, stroke.start_t], step) for side in (-1, 1)]
            if ways[0] is None or ways[1] is None:
                continue
            axis, sign = _NORMALS[event.cushion]
            size = kind.length if axis == 0 else kind.width
            turn = _turn(ways[0], ways[1], axis, event.video_t)
            if turn is not None:
                t, place, sigma = turn
                out = place if sign > 0 else size - place
                found.append(Contact(event, out - reach, sigma, t - event.video_t))
    return found


def _way(rows: list[dict[str, str]], event: Event, side: int, others: list[float], step: float) -> Piece | None:
    """The ball's way in the frames before (-1) or after (1) an event, up to its next one; not those that show the contact."""
    t0 = event.video_t or 0.0
    limit = min([abs(t - t0) for t in others if (t - t0) * side > 0], default=9.0) - 0.5 * step
    seen = []
    for row in rows:
        if row["ball"] == event.ball and row["state"] == "seen" and 0.55 * step < side * (float(row["video_t"]) - t0) < limit:
            seen.append([float(row[name]) for name in ("video_t", "x_mm", "y_mm", "sigma_mm")])
    seen = sorted(seen)[-_MOST:] if side < 0 else sorted(seen)[:_MOST]
    if len(seen) < 2:
        return None
    values = np.array(seen)
    return fit_piece(Observations(values[:, 0], values[:, 1:3], values[:, 3], np.arange(len(values))), 0, len(values) - 1)


def _turn(before: Piece, after: Piece, axis: int, guess: float) -> tuple[float, float, float] | None:
    """When (s), where (mm along `axis`) two ways meet, and the error bar of the place."""
    t = guess
    for _ in range(8):
        gap = float((before.at(t) - after.at(t))[axis])
        closing = float((before.speed_at(t) - after.speed_at(t))[axis])
        if abs(closing) < 50:
            return None
        t -= gap / closing
    u, v = float(before.speed_at(t)[axis]), float(after.speed_at(t)[axis])
    # the meeting lies on both lines: an error of one moves it by the share of the other's speed
    sigma = float(np.hypot(v * before.sigma_at(t), u * after.sigma_at(t)) / abs(u - v))
    return t, float((before.at(t) + after.at(t))[axis] / 2), sigma


def measured(video: Path, truth: dict, refine: bool) -> list[Contact]:
    """One clip calibrated and analyzed as the program does it."""
    profile, _ = calibrated(sample_pictures(str(video)), Wishes(table(truth["table"]), True, home="left"), video.name)
    with tempfile.TemporaryDirectory() as folder:
        tracks = Path(folder) / "tracks.csv"
        balls = tuple(truth["balls"])
        if refine:
            profile, line = refined(video, profile, balls)
            print(f"    {line}")
        result = analyze_video(video, profile=profile, balls=balls, home="left", tracks=tracks)
        with tracks.open(encoding="utf-8", newline="") as file:
            return contacts(result, list(csv.DictReader(file)))


def told(name: str, found: list[Contact]) -> str:
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
    everything: list[Contact] = []
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
                print(
                    f"    {e.video_t:7.3f} s {e.ball:7} {e.cushion:6} {c.off:+6.1f} +- {c.sigma:4.1f} mm  turned {1000 * c.late:+5.0f} ms"
                )
        print(told(video.name, found), flush=True)
    print(told("all", everything))
    print(told(f"all with error bars to {_CLEAR:g} mm", [c for c in everything if c.sigma <= _CLEAR]))


if __name__ == "__main__":
    main()
