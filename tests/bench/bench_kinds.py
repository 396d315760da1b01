"""Which kind of table the guess says on labelled pictures and clips, and on rendered tables.

    python -m tests.bench.bench_kinds [FOOTAGE] [--only TEXT] [--given] [--rendered N]

FOOTAGE holds pictures/tables.json (hand-made corners, and in words what the table is) beside pictures/ and clips/. The corners
are found automatically, or with --given taken from the labels. One line a table: what it is said to be, the guess (or
«uncertain»), the likeliest kinds, what was measured, the end of the house, and what would happen with --table pyramid-12ft.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from calibration.command import house_seen
from calibration.errors import UserError
from calibration.find import find_table
from calibration.fit import camera_from_corners
from calibration.kind import contradiction, guess_kind
from calibration.source import sample_pictures
from calibration.table import KINDS, table

_SHAPE = table()


def line(name: str, truth: str, pictures: Sequence[np.ndarray], corners: np.ndarray | None) -> tuple[str, str]:
    """The line of a table, and what was claimed: a kind, «none» (carom of any size), or nothing."""
    height, width = pictures[0].shape[:2]
    points = None
    try:
        if corners is None:
            found = find_table(pictures, _SHAPE)
            corners, points = found.corners_px, found.nose_points_px
        camera = camera_from_corners(corners, _SHAPE, (width, height), nose_points=points).camera
    except UserError as refused:
        return f"{name:30.30} {truth:38.38} refused: {str(refused)[:70]}", "refused"
    guess = guess_kind(pictures, camera, _SHAPE)
    claim = guess.best or ("none" if guess.mouths.none else "")
    shown = {"": "uncertain", "none": "no pockets"}.get(claim, claim)
    house = house_seen(list(pictures), camera, guess, _SHAPE, table(guess.best) if guess.best else _SHAPE)
    ends = "-" if house is None else f"{house.reason} ({'first' if house.end == 0 else 'other'} end)"
    against = contradiction(_SHAPE, guess)
    named = "fits" if against is None else "REFUSED" if against.strong else "warning"
    likely = ", ".join(f"{kind} {p:.2f}" for kind, p in guess.ranked[:2])
    return f"{name:30.30} {truth:38.38} {shown:13} {likely:40} {guess.evidence()}; house: {ends}; as pyramid-12ft: {named}", claim


def footage(folder: Path, only: str, given: bool) -> None:
    labels = json.loads((folder / "pictures" / "tables.json").read_text())
    for path in sorted((folder / "clips").glob("*.truth.json")):
        truth = json.loads(path.read_text())
        words = truth.get("table") or f"size {truth.get('size_mm')}, ball {truth.get('ball_mm')}"
        labels.setdefault(truth["clip"], {"corners_px": truth["corners_px"], "table": str(words), "refuse": False})
    for name, label in labels.items():
        if only not in name or label["refuse"]:
            continue
        path = next(p for p in (folder / d / name for d in ("pictures", "clips")) if p.exists())
        corners = np.array(label["corners_px"], float) if given else None
        print(line(name, str(label.get("table", "?")), sample_pictures(str(path)), corners)[0], flush=True)


def drawn(count: int) -> None:
    """Rendered tables, half of them pyramid-12ft: how many kinds are claimed, and how many claims are wrong."""
    from sample_videos.render import Renderer, random_look, tilted_camera

    right = wrong = doubt = 0
    for index in range(count):
        rng = np.random.default_rng(7000 + index)
        kind = table(str(rng.choice(KINDS))) if index % 2 else _SHAPE
        tilt, far = float(rng.choice([rng.uniform(0, 12), rng.uniform(12, 40)])), float(rng.uniform(0.8, 1.5)) * kind.length
        camera = tilted_camera(kind, 1280, 720, distance=far, tilt=tilt, side=str(rng.choice(["left", "home"])), margin=0.05)
        look = random_look(rng, length=kind.length, width=kind.width)
        balls = {
            colour: [(float(rng.uniform(0.1, 0.9) * kind.length), float(rng.uniform(0.1, 0.9) * kind.width), kind.radius)]
            for colour in ("white", "yellow", "red", "black", "red#2")[: int(rng.integers(0, 6))]
        }
        picture = Renderer(kind, camera, look, index, oversample=1, floor_step=30.0, samples=8).frame(balls)
        corners = camera.project_at(kind.corners, kind.nose_height)
        text, claim = line(f"rendered {index}, tilt {tilt:.0f}, {len(balls)} balls", kind.name, [picture], corners)
        good = claim == kind.name or (claim == "none" and not kind.pockets)
        right, wrong, doubt = right + good, wrong + (bool(claim) and not good), doubt + (not claim)
        print(text, "" if good or not claim else "  WRONG", flush=True)
    print(f"rendered: {right} right, {wrong} wrong, {doubt} uncertain of {count}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("footage", type=Path, nargs="?")
    parser.add_argument("--only", default="")
    parser.add_argument("--given", action="store_true")
    parser.add_argument("--rendered", type=int, default=0, metavar="N")
    arguments = parser.parse_args()
    if arguments.footage is not None:
        footage(arguments.footage, arguments.only, arguments.given)
    if arguments.rendered:
        drawn(arguments.rendered)


if __name__ == "__main__":
    main()
