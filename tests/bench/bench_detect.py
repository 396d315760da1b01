"""How well the detector finds balls in real pictures and clips: `python -m tests.bench.bench_detect [--weights FILE]`.

Real footage lies beside the repository and belongs to its owners: it is read where it lies. A detection is right if its
centre lies within half a ball of a labelled one; colours brown, green, blue and pink count as `other`. `off`: centre errors, median
and 95 %, px and diameters; `ours`: precision and recall of white, yellow, red and black with their colours; `taken`: balls of other
colours said to be ours.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import av
import cv2
import numpy as np
from scipy.optimize import linear_sum_assignment

from vision.detect import COLOURS, Detection, Detector

FOOTAGE = Path(__file__).resolve().parents[3] / "shared" / "footage"
OURS = COLOURS[:4]
_BALL_PX = {"snk_oh_tv": 10.0, "snk_oh": 30.0}  # diameters in the labelled sets, measured by hand


@dataclass
class Tally:
    """Counts over some pictures."""

    right: int = 0
    missed: int = 0
    false: int = 0
    colour_right: int = 0
    colour_asked: int = 0
    ours: int = 0  # balls labelled with one of our four colours
    ours_found: int = 0  # detections of our four colours
    ours_right: int = 0  # both, at one place and of one colour
    strangers: int = 0  # found balls that are labelled with another colour
    taken: int = 0  # of them those that are said to be ours
    errors: list[float] = field(default_factory=list)
    shares: list[float] = field(default_factory=list)  # errors in diameters
    mixed: dict[tuple[str, str], int] = field(default_factory=dict)

    def line(self) -> str:
        precision = self.right / max(self.right + self.false, 1)
        recall = self.right / max(self.right + self.missed, 1)
        colour = self.colour_right / self.colour_asked if self.colour_asked else float("nan")
        off = np.percentile(self.errors, (50, 95)) if self.errors else (np.nan, np.nan)
        total = self.right + self.missed
        parts = np.percentile(self.shares, (50, 95)) if self.shares else (np.nan, np.nan)
        text = f"precision {precision:.3f}  recall {recall:.3f}  colour {colour:.3f}  off {off[0]:.2f}/{off[1]:.2f} px"
        text += f" {parts[0]:.3f}/{parts[1]:.3f} d  n {total}"
        if self.ours:
            text += f"  ours {self.ours_right / max(self.ours_found, 1):.3f}/{self.ours_right / self.ours:.3f}"
        if self.strangers:
            text += f"  taken {self.taken}/{self.strangers}"
        return text


def count(
    tally: Tally, found: list[Detection], balls: list[tuple[str, float, float]], diameter: float, *, all_labelled: bool = True
) -> None:
    """Matches detections with labels (colour or `unknown`, x, y) and adds to `tally`."""
    far = np.array([[np.hypot(d.x - x, d.y - y) for _, x, y in balls] for d in found]).reshape(len(found), len(balls))
    rows, columns = linear_sum_assignment(np.minimum(far, diameter))
    pairs = [(r, c) for r, c in zip(rows, columns, strict=True) if far[r, c] <= diameter / 2]
    tally.right += len(pairs)
    tally.missed += len(balls) - len(pairs)
    tally.false += len(found) - len(pairs) if all_labelled else 0
    if all(colour != "unknown" for colour, _, _ in balls):
        tally.ours += sum(colour in OURS for colour, _, _ in balls)
        tally.ours_found += sum(d.colour in OURS for d in found)
        tally.ours_right += sum(found[r].colour == balls[c][0] and balls[c][0] in OURS for r, c in pairs)
        tally.strangers += sum(balls[c][0] not in OURS for _, c in pairs)
        tally.taken += sum(balls[c][0] not in OURS and found[r].colour in OURS for r, c in pairs)
    for r, c in pairs:
        tally.errors.append(float(far[r, c]))
        tally.shares.append(float(far[r, c]) / diameter)
        colour = balls[c][0]
        if colour != "unknown":
            kind = colour if colour in COLOURS else "other"
            tally.colour_asked += 1
            tally.colour_right += found[r].colour == kind
            if found[r].colour != kind:
                key = (colour, found[r].colour)
                tally.mixed[key] = tally.mixed.get(key, 0) + 1


def labelled_pictures(footage: Path) -> Iterator[tuple[str, np.ndarray, list[tuple[str, float, float]], float]]:
    for file in sorted((footage / "pictures").glob("*.labels.json")):
        name = file.name.removesuffix(".labels.json")
        truth = json.loads(file.read_text())
        picture = cv2.imread(str(file.with_name(truth["picture"])))
        diameter = next(d for p, d in _BALL_PX.items() if name.startswith(p))
        yield name.rstrip("0123456789").rstrip("_"), picture, [(b["colour"], b["x"], b["y"]) for b in truth["balls"]], diameter


def labelled_frames(footage: Path, every: int) -> Iterator[tuple[str, np.ndarray, list[tuple[str, float, float]], float]]:
    for file in sorted((footage / "clips").glob("*.tracks.csv")):
        name = file.name.removesuffix(".tracks.csv")
        truth = json.loads(file.with_name(f"{name}.truth.json").read_text())
        rows: dict[int, list[tuple[str, float, float]]] = {}
        for row in csv.DictReader(file.open()):
            if row["seen"] == "1":
                rows.setdefault(int(row["frame"]), []).append((row["ball"], float(row["x_px"]), float(row["y_px"])))
        corners = np.array(truth["corners_px"], float)
        mm = truth["ball_mm"] / truth["size_mm"][0] if "size_mm" in truth else 61.5 / 2844
        diameter = float(np.linalg.norm(corners[2] - corners[1])) * mm
        with av.open(str(next(file.parent.glob(f"{name}.mp4")))) as container:
            for i, frame in enumerate(container.decode(video=0)):
                if i % every == 0 and i in rows:
                    yield name, frame.to_ndarray(format="bgr24"), rows[i], diameter


def report(detector: Detector, footage: Path, every: int, confidence: float = 0.35) -> None:
    """Prints a line for each set of pictures and each clip, and one for all frames of a kind of clip."""
    for title, source in (("pictures", labelled_pictures(footage)), ("clips", labelled_frames(footage, every))):
        tallies: dict[str, Tally] = {}
        for name, picture, balls, diameter in source:
            found = detector.detect(picture, confidence=confidence)
            for key in (name,) if title == "pictures" else (name, f"all {name.rsplit('_', 1)[0]}"):
                count(tallies.setdefault(key, Tally()), found, balls, diameter)
        print(title)
        for name, tally in sorted(tallies.items(), key=lambda item: item[0].startswith("all")):
            mixed = ", ".join(f"{a} as {b} {n}" for (a, b), n in sorted(tally.mixed.items()))
            print(f"  {name:26s} {tally.line()}  {mixed}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--weights", type=Path)
    parser.add_argument("--footage", type=Path, default=FOOTAGE)
    parser.add_argument("--every", type=int, default=15, help="look at every n-th frame of the clips")
    parser.add_argument("--confidence", type=float, default=0.35)
    given = parser.parse_args()
    if not given.footage.is_dir():
        raise SystemExit(f"{given.footage}: no footage here, nothing to measure")
    report(Detector(given.weights), given.footage, given.every, given.confidence)


if __name__ == "__main__":
    main()
