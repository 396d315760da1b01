"""Where balls meet the cushions of real carom tables, by the camera that was found automatically.

    python -m tests.bench.bench_contacts FOOTAGE

FOOTAGE/clips holds clips with labelled tracks (px) and events. A ball's straight ways before and after a cushion meet where it
touched it: its centre should lie a radius in front of the nose. Prints the difference for every such contact, mm.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from calibration.command import Wishes, calibrated
from calibration.profile import Profile
from calibration.source import sample_pictures
from calibration.table import table

WAY = 3  # frames of a way
_TURN = 10.0  # degrees that the two ways must differ by


def contacts(profile: Profile, truth: dict, rows: list[dict[str, str]]) -> list[tuple[float, str, str, float, int]]:
    """(frame, ball, cushion, mm, frames of the shorter way): how much farther from the nose than a radius the balls turned."""
    kind = profile.table
    paths: dict[str, dict[int, np.ndarray]] = {}
    for row in rows:
        if row.get("seen") == "1" and row["x_px"]:
            place = profile.camera.ball_at([(float(row["x_px"]), float(row["y_px"]))], kind.radius)[0]
            paths.setdefault(row["ball"], {})[int(row["frame"])] = place
    found = []
    for event in truth["events"]:
        if event["type"] != "cushion":
            continue
        ball, frame = event["ball"], float(event["frame"])
        others = [float(e["frame"]) for e in truth["events"] if e is not event and (e.get("ball") == ball or ball in e.get("balls", []))]
        ways = [_way(paths.get(ball, {}), frame, others, side) for side in (-1, 1)]
        ways = [way for way in ways if way is not None]
        if len(ways) < 2:
            continue
        place = _meeting(ways[0], ways[1])
        if place is None:
            continue
        away = {"home": place[0], "foot": kind.length - place[0], "right": place[1], "left": kind.width - place[1]}[event["cushion"]]
        found.append((frame, ball, event["cushion"], float(away - kind.radius), min(map(len, ways))))
    return found


def _way(path: Mapping[int, np.ndarray], frame: float, others: list[float], side: int) -> np.ndarray | None:
    """Places of the frames before (-1) or after (1) an event, up to the ball's next one."""
    first = int(np.floor(frame - 0.3)) if side < 0 else int(np.ceil(frame + 0.3))
    limits = [o for o in others if (o - frame) * side > 0]
    limit = min((abs(o - frame) for o in limits), default=99.0)
    frames = [f for f in range(first, first + side * (WAY + 1), side) if abs(f - frame) < limit - 0.5 and f in path]
    return np.array([path[f] for f in frames]) if len(frames) >= 2 else None


def _meeting(before: np.ndarray, after: np.ndarray) -> np.ndarray | None:
    lines = []
    for way in (before, after):
        middle = way.mean(axis=0)
        lines.append((middle, np.linalg.svd(way - middle)[2][0]))
    (p, u), (q, v) = lines
    turn = np.degrees(np.arcsin(min(1.0, abs(u[0] * v[1] - u[1] * v[0]))))
    if turn < _TURN:
        return None
    along = np.linalg.solve(np.column_stack([u, -v]), q - p)
    return p + along[0] * u


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("footage", type=Path)
    parser.add_argument("--each", action="store_true")
    arguments = parser.parse_args()
    everything = []
    for path in sorted((arguments.footage / "clips").glob("carom*.truth.json")):
        truth = json.loads(path.read_text())
        video = path.with_name(truth["clip"])
        rows = list(csv.DictReader(path.with_name(path.name.replace(".truth.json", ".tracks.csv")).open()))
        profile, _ = calibrated(sample_pictures(str(video)), Wishes(table(truth["table"]), True, home="left"), video.name)
        found = contacts(profile, truth, rows)
        values = np.array([v for *_, v, _ in found])
        everything += [(v, frames) for *_, v, frames in found]
        if arguments.each:
            print(*(f"    frame {frame:7.2f} {ball:7} {cushion:6} {value:+6.1f} mm" for frame, ball, cushion, value, _ in found), sep="\n")
        print(f"{video.name:28} {len(values):3} contacts  median {np.median(values):+5.1f} mm  of sizes {np.median(np.abs(values)):4.1f}"
              f"  within 5 mm {np.sum(np.abs(values) <= 5)}", flush=True)  # fmt: skip
    for text, least in (("all", 2), ("both ways seen in 4 frames", 4)):
        values = np.array([v for v, frames in everything if frames >= least])
        head = f"{text}: {len(values)} contacts, median {np.median(values):+.1f} mm, of sizes {np.median(np.abs(values)):.1f} mm"
        print(f"{head}, within 5 mm {100 * np.mean(np.abs(values) <= 5):.0f} %")


if __name__ == "__main__":
    main()
