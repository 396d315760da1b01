"""Every failure of the detector on the labelled real pictures and frames: counts, and a sheet of them to look at.

    python -m tests.bench.detector_failures --weights FILE --sheet ../failures.png

A failure is a detection on no ball, a ball without a detection, or one found with another colour (brown, green, blue, pink: `other`).
Real frames belong to their owners: write the sheet outside the repository.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from tests.bench.bench_detect import FOOTAGE, labelled_frames, labelled_pictures
from vision.detect import COLOURS, DEFAULT_WEIGHTS, Detection, Detector

Picture = NDArray[np.uint8]
_TILE, _HEAD, _ACROSS = 130, 26, 10
_REACH = 3.5  # diameters from the middle of a tile to its edge


def failures(found: list[Detection], balls: list[tuple[str, float, float]], diameter: float) -> Iterator[tuple[str, str, float, float]]:
    """Kind (`false`, `missed`, `colour`), what is wrong in words, and where, px. `balls`: colour or `unknown`, x, y."""
    far = np.array([[np.hypot(d.x - x, d.y - y) for _, x, y in balls] for d in found]).reshape(len(found), len(balls))
    rows, columns = linear_sum_assignment(np.minimum(far, diameter))
    pairs = [(int(r), int(c)) for r, c in zip(rows, columns, strict=True) if far[r, c] <= diameter / 2]
    for n, d in enumerate(found):
        if all(r != n for r, _ in pairs):
            yield "false", f"no {d.colour} {d.confidence:.2f}", d.x, d.y
    for n, (colour, x, y) in enumerate(balls):
        if all(c != n for _, c in pairs):
            yield "missed", f"missed {colour}", x, y
    for r, c in pairs:
        colour = balls[c][0]
        if colour != "unknown" and found[r].colour != (colour if colour in COLOURS else "other"):
            yield "colour", f"{colour} as {found[r].colour} {found[r].confidence:.2f}", found[r].x, found[r].y


def tile(picture: Picture, x: float, y: float, diameter: float, lines: tuple[str, ...]) -> Picture:
    scale = _TILE / (2 * _REACH * max(diameter, 10.0))
    cut = cv2.warpAffine(picture, np.array([[scale, 0, _TILE / 2 - scale * x], [0, scale, _TILE / 2 - scale * y]]), (_TILE, _TILE))
    cv2.circle(cut, (_TILE // 2, _TILE // 2), round(scale * diameter / 2) + 3, (255, 255, 255), 1, cv2.LINE_AA)
    head = np.full((_HEAD, _TILE, 3), 255, np.uint8)
    for n, line in enumerate(lines):
        cv2.putText(head, line, (1, 10 + 12 * n), cv2.FONT_HERSHEY_SIMPLEX, 0.33, (0, 0, 0), 1, cv2.LINE_AA)
    return np.asarray(np.vstack([head, cut]), np.uint8)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--weights", type=Path, default=DEFAULT_WEIGHTS)
    parser.add_argument("--footage", type=Path, default=FOOTAGE)
    parser.add_argument("--every", type=int, default=15, help="look at every n-th frame of the clips")
    parser.add_argument("--sheet", type=Path, help="write them as a picture")
    given = parser.parse_args()
    detector, tiles, counts = Detector(given.weights), list[Picture](), dict[str, dict[str, int]]()
    for name, picture, balls, diameter in chain(labelled_pictures(given.footage), labelled_frames(given.footage, given.every)):
        count = counts.setdefault(name, {"pictures": 0, "false": 0, "missed": 0, "colour": 0})
        count["pictures"] += 1
        for kind, words, x, y in failures(detector.detect(picture), balls, diameter):
            count[kind] += 1
            tiles.append(tile(picture, x, y, diameter, (name[-20:], words)))
    for name, count in counts.items():
        print(f"{name:24s} " + "  ".join(f"{kind} {n}" for kind, n in count.items()))
    print(f"{len(tiles)} failures")
    if given.sheet and tiles:
        tiles += [np.full_like(tiles[0], 255)] * (-len(tiles) % _ACROSS)
        cv2.imwrite(str(given.sheet), np.vstack([np.hstack(tiles[i : i + _ACROSS]) for i in range(0, len(tiles), _ACROSS)]))


if __name__ == "__main__":
    main()
