"""What the detector makes of real clips, frame by frame: resting balls that it misses, and ghosts that last."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import av
import cv2
import numpy as np

from vision.detect import Detection, Detector

_REST = 0.08  # diameters that a resting ball's label may wander in `_SPAN` frames to either side
_SPAN = 3
_LASTS = 3  # frames in a row from which a ghost counts
_NEAR = 0.5  # of a diameter: what counts as at a ball, or at one place

Ball = tuple[str, float, float]


@dataclass
class Watch:
    """Counts of one clip: frames looked at, resting balls seen in them, of these missed; ghosts (their frames), on the bed or off it."""

    frames: int = 0
    resting: int = 0
    missed: list[tuple[int, str]] = field(default_factory=list)
    ghosts: list[tuple[int, int, str, bool]] = field(default_factory=list)  # first frame, frames, colour, on the bed


@dataclass
class _Ghost:
    colour: str
    x: float
    y: float
    first: int
    last: int
    on_bed: bool


def labels(file: Path) -> dict[int, list[Ball]]:
    """Frame -> uncovered balls of a clip's tracks."""
    rows: dict[int, list[Ball]] = {}
    for row in csv.DictReader(file.open()):
        rows.setdefault(int(row["frame"]), [])
        if row["seen"] == "1":
            rows[int(row["frame"])].append((row["ball"], float(row["x_px"]), float(row["y_px"])))
    return rows


def resting(rows: dict[int, list[Ball]], frame: int, ball: Ball, diameter: float) -> bool:
    """Whether the ball is seen at one place in the frames round this one."""
    for n in range(frame - _SPAN, frame + _SPAN + 1):
        same = [b for b in rows.get(n, []) if b[0] == ball[0]]
        if not same or np.hypot(same[0][1] - ball[1], same[0][2] - ball[2]) > _REST * diameter:
            return False
    return True


def watched(clips: Path, detector: Detector, every: int = 1) -> Iterator[tuple[str, Watch]]:
    """Looks at every `every`-th labelled frame of the clips; ghosts are followed over the frames that are looked at."""
    for file in sorted(clips.glob("*.tracks.csv")):
        name = file.name.removesuffix(".tracks.csv")
        truth = json.loads(file.with_name(f"{name}.truth.json").read_text())
        corners = np.array(truth["corners_px"], float)
        mm = truth["ball_mm"] / truth["size_mm"][0] if "size_mm" in truth else 61.5 / 2844
        diameter = float(np.linalg.norm(corners[2] - corners[1])) * mm
        yield name, _watch(next(clips.glob(f"{name}.mp4")), labels(file), corners, diameter, detector, every)


def _watch(video: Path, rows: dict[int, list[Ball]], corners: np.ndarray, diameter: float, detector: Detector, every: int) -> Watch:
    watch, alive = Watch(), list[_Ghost]()
    with av.open(str(video)) as container:
        for n, frame in enumerate(container.decode(video=0)):
            if n not in rows or n % every:
                continue
            found = detector.detect(frame.to_ndarray(format="bgr24"), ball_px=diameter)
            watch.frames += 1
            for ball in rows[n]:
                if resting(rows, n, ball, diameter):
                    watch.resting += 1
                    if not any(d.colour == ball[0] and np.hypot(d.x - ball[1], d.y - ball[2]) < _NEAR * diameter for d in found):
                        watch.missed.append((n, ball[0]))
            alive = _followed(alive, _strange(found, rows, n, diameter), n, corners, diameter, watch, every)
    _end(alive, watch, every)
    return watch


def _strange(found: list[Detection], rows: dict[int, list[Ball]], frame: int, diameter: float) -> list[Detection]:
    """Detections that lie on no ball of this frame (nor on a covered one's place a moment before or after)."""
    near = [b for n in range(frame - _SPAN, frame + _SPAN + 1) for b in rows.get(n, [])]
    return [d for d in found if not any(np.hypot(d.x - x, d.y - y) < max(_NEAR * diameter, 2.0) for _, x, y in near)]


def _followed(
    alive: list[_Ghost], strange: list[Detection], frame: int, corners: np.ndarray, diameter: float, watch: Watch, every: int
) -> list[_Ghost]:
    going, ended = [], []
    left = list(strange)
    for ghost in alive:
        same = next((d for d in left if np.hypot(d.x - ghost.x, d.y - ghost.y) < _NEAR * diameter), None)
        if same is None:
            ended.append(ghost)
            continue
        left.remove(same)
        ghost.x, ghost.y, ghost.last = same.x, same.y, frame
        going.append(ghost)
    _end(ended, watch, every)
    bed = corners.astype(np.float32)
    for d in left:
        inside = cv2.pointPolygonTest(bed, (d.x, d.y), True) > diameter / 4
        going.append(_Ghost(d.colour, d.x, d.y, frame, frame, inside))
    return going


def _end(ghosts: list[_Ghost], watch: Watch, every: int) -> None:
    for g in ghosts:
        if (frames := (g.last - g.first) // every + 1) >= _LASTS:
            watch.ghosts.append((g.first, frames, g.colour, g.on_bed))
