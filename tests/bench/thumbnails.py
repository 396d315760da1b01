"""A sheet of eight rendered and eight real frames at thumbnail size, shuffled: can a person tell them apart?

    python -m tests.bench.thumbnails OUT.png                      # the sheet; OUT.key.txt says which are which
    python -m tests.bench.thumbnails OUT.png --own                # the rendered half alone, for the documentation
    python -m tests.bench.thumbnails OUT.png --looks random       # colours and cameras drawn independently, as for training

Real frames come from ../shared/footage and may not be kept in the repository: write the sheet elsewhere.
"""

from __future__ import annotations

import argparse
from fractions import Fraction
from io import BytesIO
from pathlib import Path
from typing import Any

import av
import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.table import Table, table
from sample_videos.people import Aim, Person
from sample_videos.render import Renderer, halls, make_overlay, random_camera, random_look, random_sensor, tilted_camera
from sample_videos.render.overlay import random_parts
from sample_videos.render.people import SKIN

Picture = NDArray[np.uint8]
SIZE, FULL = (320, 180), (1280, 720)
FOOTAGE = Path(__file__).resolve().parents[2].parent / "shared" / "footage"
KINDS = ("pyramid-12ft", "carom-10ft", "pyramid-10ft", "pool-9ft", "pyramid-12ft", "snooker-12ft", "pyramid-9ft", "carom-10ft")
# file, second of a clip: one of each place and camera
REAL: tuple[tuple[str, float], ...] = (
    ("clips/carom_oh_lgu_topview.mp4", 2.0),
    ("clips/carom_oh_sbs_f3.mp4", 1.0),
    ("clips/engpool_oh_break.mp4", 1.0),
    ("clips/snk_oh_bfh_zero1.mp4", 0.5),
    ("clips/pool_oh_clip002.avi", 2.0),
    ("clips/pool_oh_pt3.mp4", 1.0),
    ("clips/carom_ob_lgu_persp.mp4", 2.0),
    ("pictures/snk_oh_tv_32.jpg", 0.0),
)


def real(footage: Path) -> list[tuple[str, Picture]]:
    """The real frames, cut to 16:9, at thumbnail size."""
    found = []
    for name, second in REAL:
        path = footage / name
        if not path.is_file():
            raise SystemExit(f"{path}: expected the real footage there (--footage FOLDER)")
        picture = cv2.imread(str(path)) if path.suffix == ".jpg" else _frame_at(path, second)
        found.append((name, _thumbnail(np.asarray(picture, np.uint8))))
    return found


def _frame_at(path: Path, second: float) -> Picture:
    with av.open(str(path)) as container:
        for frame in container.decode(container.streams.video[0]):
            if (frame.time or 0.0) >= second:
                return np.asarray(frame.to_ndarray(format="bgr24"), np.uint8)
    raise SystemExit(f"{path}: expected a clip of more than {second:g} s")


def _thumbnail(picture: Picture) -> Picture:
    h, w = picture.shape[:2]
    wide, tall = min(w, round(h * 16 / 9)), min(h, round(w * 9 / 16))
    x, y = (w - wide) // 2, (h - tall) // 2
    return np.asarray(cv2.resize(picture[y : y + tall, x : x + wide], SIZE, interpolation=cv2.INTER_AREA), np.uint8)


def rendered(count: int, seed: int, looks: str, size: tuple[int, int] = FULL) -> list[tuple[str, Picture]]:
    """Frames of random places, each through an encoder, before they are made small."""
    found = []
    for k in range(count):
        rng = np.random.default_rng([seed, k])
        kind = table(KINDS[k % len(KINDS)])
        found.append((f"rendered, seed {seed}, number {k}, {kind.name}", scene(rng, kind, looks, size, 100 * seed + k)))
    return found


def scene(rng: np.random.Generator, kind: Table, looks: str, size: tuple[int, int], seed: int) -> Picture:
    """One frame: balls anywhere, somebody aiming in two of three."""
    if looks == "random":
        look, camera, sensor = random_look(rng, length=kind.length, width=kind.width), random_camera(rng), random_sensor(rng, 30.0)
        parts = random_parts(rng)
    else:
        hall = halls.random_hall(rng, kind)
        look, camera, sensor, parts = hall.look, dict(hall.camera), hall.sensor, hall.overlay
    view = tilted_camera(kind, *size, **camera)
    overlay = make_overlay(size, seed, parts)
    balls, people = _balls(rng, kind), []
    if rng.random() < 0.67:
        people = _player(rng, kind, next(iter(balls.values())), [np.asarray(b) for b in balls.values()])
    picture = Renderer(kind, view, look, seed).frame(balls, people)
    return _coded(overlay.draw(sensor.expose(picture, 1.0, 1 / 60), 1.0), int(rng.integers(21, 30)))


def _balls(rng: np.random.Generator, kind: Table) -> dict[str, list[list[float]]]:
    names = ("white", "yellow", "red") if not kind.pockets else ("white", "yellow", "red", "black")
    if kind.name.startswith(("pool", "snooker")):
        names = (*names, "blue", "green", "pink", "red#2", "red#3", "orange" if kind.name.startswith("pool") else "brown")
    found: dict[str, list[list[float]]] = {}
    while len(found) < len(names):
        at = (float(rng.uniform(0.06, 0.94) * kind.length), float(rng.uniform(0.08, 0.92) * kind.width))
        if all(np.hypot(at[0] - p[0][0], at[1] - p[0][1]) > 2 * kind.ball for p in found.values()):
            found[names[len(found)]] = [[*at, kind.radius]]
    return found


def _player(rng: np.random.Generator, kind: Table, cue_ball: Any, balls: list[NDArray[np.float64]]) -> list[Any]:
    at = (float(cue_ball[0][0]), float(cue_ball[0][1]))
    middle = np.array((kind.length / 2, kind.width / 2)) + rng.normal(0, 300, 2)
    heading = float(np.arctan2(middle[1] - at[1], middle[0] - at[0]))  # from the nearer cushion, where a player can reach
    shirts = ((0.06, 0.06, 0.07), (0.85, 0.85, 0.86), (0.10, 0.12, 0.25), (0.35, 0.07, 0.10), (0.16, 0.16, 0.17))
    hairs = ((0.05, 0.04, 0.03), (0.16, 0.10, 0.06), (0.35, 0.33, 0.31))
    person = Person(SKIN[int(rng.integers(3))], hairs[int(rng.integers(3))], shirts[int(rng.integers(5))], sleeve=bool(rng.random() < 0.7))
    others = tuple((float(b[0][0]), float(b[0][1])) for b in balls[1:])
    return Aim(kind, at, heading, 1200.0, 0.0, 4.0, 6.0, person, others, lambda t: 1e9).bars(float(rng.uniform(1.2, 3.4)))


def _coded(picture: Picture, crf: int) -> Picture:
    """The picture as the sixth frame of a video shows it."""
    data = BytesIO()
    with av.open(data, "w", format="mp4") as container:
        stream: Any = container.add_stream("libx264", rate=Fraction(30), options={"crf": str(crf), "preset": "superfast"})
        stream.width, stream.height, stream.pix_fmt = picture.shape[1], picture.shape[0], "yuv420p"
        for _ in range(6):
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="bgr24")))
        container.mux(stream.encode())
    data.seek(0)
    with av.open(data) as container:
        return np.asarray(list(container.decode(video=0))[-1].to_ndarray(format="bgr24"), np.uint8)


def sheet(tiles: list[Picture], across: int = 4, numbered: bool = True) -> Picture:
    """The pictures in rows of `across` with a gap; numbered from 1."""
    rows = []
    for start in range(0, len(tiles), across):
        row = []
        for k, tile in enumerate(tiles[start : start + across], start + 1):
            framed = cv2.copyMakeBorder(tile, 3, 3, 3, 3, cv2.BORDER_CONSTANT, value=(255, 255, 255))
            if numbered:
                cv2.rectangle(framed, (3, 3), (25, 19), (255, 255, 255), -1)
                cv2.putText(framed, str(k), (5, 16), cv2.FONT_HERSHEY_SIMPLEX, 0.45, (0, 0, 0), 1, cv2.LINE_AA)
            row.append(framed)
        row += [np.full_like(row[0], 255)] * (across - len(row))
        rows.append(np.hstack(row))
    return np.asarray(np.vstack(rows), np.uint8)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.thumbnails", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--looks", choices=("hall", "random"), default="hall")
    parser.add_argument("--own", action="store_true", help="the rendered half alone")
    parser.add_argument("--footage", type=Path, default=FOOTAGE)
    given = parser.parse_args(arguments)
    own = [(name, _thumbnail(picture)) for name, picture in rendered(8, given.seed, given.looks)]
    tiles = own if given.own else [*own, *real(given.footage)]
    if not given.own:
        tiles = [tiles[k] for k in np.random.default_rng([given.seed, 77]).permutation(len(tiles))]
        key = given.out.with_suffix(".key.txt")
        key.write_text("".join(f"{k}\t{name}\n" for k, (name, _) in enumerate(tiles, 1)), "utf-8")
    if not cv2.imwrite(str(given.out), sheet([tile for _, tile in tiles], numbered=not given.own)):
        raise SystemExit(f"{given.out}: expected a picture file (.png, .jpg) in a folder that exists")
    print(given.out)


if __name__ == "__main__":
    main()
