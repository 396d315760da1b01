"""Training pictures for the ball detector, all rendered: stills with labels in YOLO's form (data.yaml) and COCO's.

    poedinok simulate pictures --out DIR --pictures 8000

A picture is a square window of a random camera's view of a random table, at the network's own scale (balls of about 7 to
46 px). A label is the disc of a ball in the middle of the exposure, also for a ball drawn out to a streak: so a detection
gives where the ball was and how large it is, which is what a tracker starts from; the streak's length it measures itself.
Balls of which less than a third can be seen, and balls that have fallen into a pocket, carry no label. Hands and cues: `things`.
"""

from __future__ import annotations

import argparse
import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from calibration.errors import UserError
from models.clutter import furniture, lures, overlays, projected_light, reflections
from models.labels import BALLS, SIZE, Mark, MarkedPicture, coco, data_yaml, yolo_text
from models.prints import prints
from models.scene import Scene, hard_scene, random_scene
from models.things import things
from sample_videos.render.renderer import Renderer

_LEAST_SEEN = 0.34  # share of a ball's disc


def class_of(ball: str) -> str:
    """Class of a ball's name: `red#2` -> `red`, `blue` -> `other`."""
    kind = ball.split("#")[0]
    return kind if kind in BALLS else "other"


def _disc(scene: Scene, places: NDArray[np.float64]) -> tuple[float, float, float]:
    """Centre and diameter px of a ball in the middle of the exposure."""
    middle = places[len(places) // 2] if len(places) % 2 else places[len(places) // 2 - 1 : len(places) // 2 + 1].mean(axis=0)
    x, y = scene.camera.project(middle[None])[0]
    far = float((scene.camera.rotation @ middle + scene.camera.translation)[2])
    return float(x), float(y), 2 * scene.camera.focal * scene.table.radius / far


def ball_marks(scene: Scene, renderer: Renderer) -> list[Mark]:
    """Marks of the balls that the renderer's last frame shows: from the picture's edge, where the camera counts from a pixel's centre."""
    found = []
    visible = renderer.visible
    for name, places in scene.moves.items():
        if name not in visible or places[0, 2] < 0:
            continue
        x, y, d = _disc(scene, places)
        disc = np.pi * d * d / 4  # a streak's cover, summed, is that of the disc
        inside = 0 <= x <= scene.camera.width - 1 and 0 <= y <= scene.camera.height - 1
        if np.isfinite(x) and inside and visible[name].area > _LEAST_SEEN * disc:
            found.append(Mark(class_of(name), x + 0.5, y + 0.5, d, d))
    return found


def _finish(rng: Generator, picture: NDArray[np.uint8], scene: Scene) -> NDArray[np.uint8]:
    """Faults of cameras and encoders that come after the light: lost resolution, sharpening, compression."""
    look, (h, w) = scene.look, picture.shape[:2]
    if rng.random() < 0.25:
        share = rng.uniform(0.45, 0.9)
        small = cv2.resize(picture, None, fx=share, fy=share, interpolation=cv2.INTER_AREA)
        picture = np.asarray(cv2.resize(small, (w, h), interpolation=cv2.INTER_LINEAR), dtype=np.uint8)
    if look.sharpen:
        soft = cv2.GaussianBlur(picture, (0, 0), 1.5)
        picture = np.asarray(cv2.addWeighted(picture, 1 + look.sharpen, soft, -look.sharpen, 0), dtype=np.uint8)
    return picture


def _covered(scene: Scene, out: float) -> NDArray[np.bool_]:
    """Which pixels (H, W) lie inside the nose rectangle enlarged by `out` mm; all of them if the picture shows the horizon."""
    inside = np.zeros((scene.camera.height, scene.camera.width), np.uint8)
    length, width = scene.table.length + out, scene.table.width + out
    corners = scene.camera.project_at([(-out, -out), (-out, width), (length, width), (length, -out)], scene.table.nose_height)
    if not np.isfinite(corners).all():
        return np.ones(inside.shape, bool)
    cv2.fillPoly(inside, [np.clip(corners, -9999, 9999).astype(np.int32)], 1)
    return inside.astype(bool)


def draw_picture(seed: int, size: int = SIZE, *, hard: bool = False) -> tuple[NDArray[np.uint8], list[Mark], int]:
    """Picture number `seed`: uint8 BGR (size, size, 3), its labels, and the JPEG quality to save it with.

    `hard`: a hard negative, without any ball of the game, but with much that may be taken for one.
    """
    rng = np.random.default_rng(seed)
    scene = hard_scene(rng, (size, size)) if hard else random_scene(rng, (size, size))
    bed, wood = _covered(scene, 0.0), _covered(scene, scene.look.cushion_width + scene.look.rail_width + 20)

    def printed(light: NDArray[np.floating]) -> None:
        prints(rng, light, scene.camera, scene.table, scene.look, bed, wood)

    renderer = Renderer(
        scene.table, scene.camera, scene.look, seed, oversample=1, floor_step=30.0, samples=12, on_empty=printed
    )  # fmt: skip
    picture = renderer.frame(scene.moves, scene.people)
    labels = ball_marks(scene, renderer)
    if rng.random() < 0.18:
        projected_light(rng, picture, [(b.x - 0.5, b.y - 0.5, b.width) for b in labels])
    if rng.random() < 0.25:
        reflections(rng, picture, bed)
    parts = things(scene.people, scene.camera, scene.table.ball)
    if rng.random() < 0.4:
        table = _covered(scene, scene.look.cushion_width + rng.uniform(0.3, 1.0) * scene.look.rail_width)
        furniture(rng, picture, table)
        parts = [m for m in parts if table[int(m.y), int(m.x)]]  # the rest may have been painted over
    if hard:
        lures(rng, picture)
    covered = overlays(rng, picture)
    return _finish(rng, picture, scene), [m for m in [*labels, *parts] if not _under(m, covered)], scene.look.compression


def _under(mark: Mark, boxes: list[tuple[int, int, int, int]]) -> bool:
    """Whether so much of it lies under an overlay that it cannot be asked for."""
    x, y, out = mark.x - 0.5, mark.y - 0.5, min(mark.width, mark.height) / 4
    return any(x0 - out < x < x1 + out and y0 - out < y < y1 + out for x0, y0, x1, y1 in boxes)


@dataclass(frozen=True, slots=True)
class _Job:
    out: Path
    part: str
    seed: int
    size: int
    hard: bool


def _write_one(job: _Job) -> MarkedPicture:
    cv2.setNumThreads(1)
    picture, labels, quality = draw_picture(job.seed, job.size, hard=job.hard)
    done = MarkedPicture(f"{job.seed:08d}.jpg", job.part, job.size, job.size, tuple(labels))
    cv2.imwrite(str(job.out / "images" / job.part / done.name), picture, [cv2.IMWRITE_JPEG_QUALITY, max(quality, 25)])
    (job.out / "labels" / job.part / done.name).with_suffix(".txt").write_text(yolo_text(done))
    return done


def _jobs(out: Path, n: int, seed: int, size: int, negatives: float) -> Iterator[_Job]:
    held = max(1, n // 20)
    for i in range(n):
        hard = int((i + 1) * negatives) > int(i * negatives)  # spread evenly, so that both parts have their share
        yield _Job(out, "val" if i >= n - held else "train", seed * 1_000_000 + i, size, hard)


def write_dataset(
    out: Path, n: int, seed: int = 0, size: int = SIZE, *, workers: int = 1, negatives: float = 0.0,
    on_picture: Callable[[int, int], None] | None = None,
) -> int:  # fmt: skip
    """Writes `n` pictures (5 % of them for validation), data.yaml and coco_PART.json into the folder `out`.

    Args:
        negatives: share of hard negatives among the pictures, 0..1, beside the empty tables that are drawn anyway.
        on_picture: called with (pictures done, pictures in all).

    Returns:
        The number of labelled balls.

    Raises:
        UserError: `out` exists and is not an empty folder, or a number makes no sense.
    """
    if n < 2 or size < 64 or size % 32:
        raise UserError(f"data set of {n} pictures of {size} px: expected at least 2 pictures and a multiple of 32 px")
    if not 0 <= negatives <= 1:
        raise UserError(f"data set with a share of {negatives:g} negatives: expected 0 to 1")
    out = Path(out)
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UserError(f"{out}: expected a new or empty folder for the data set")
    unfinished = out.with_name(out.name + ".part")
    shutil.rmtree(unfinished, ignore_errors=True)
    for kind in ("images", "labels"):
        for part in ("train", "val"):
            (unfinished / kind / part).mkdir(parents=True)
    done: list[MarkedPicture] = []
    for picture in _drawn(list(_jobs(unfinished, n, seed, size, negatives)), workers):
        done.append(picture)
        if on_picture:
            on_picture(len(done), n)
    balls = sum(m.colour in BALLS for p in done for m in p.marks)
    (unfinished / "data.yaml").write_text(data_yaml())
    for part in ("train", "val"):
        named = sorted((p for p in done if p.part == part), key=lambda p: p.name)
        (unfinished / f"coco_{part}.json").write_text(json.dumps(coco(named, "rendered balls, hands and cues, Poedinok")) + "\n")
    made_by = {"pictures": n, "seed": seed, "size": size, "negatives": negatives, "balls": balls}
    (unfinished / "made_by.json").write_text(json.dumps(made_by) + "\n")
    if out.exists():
        out.rmdir()
    unfinished.rename(out)
    return balls


def _drawn(jobs: list[_Job], workers: int) -> Iterator[MarkedPicture]:
    """The pictures as they are finished."""
    if workers > 1:
        with get_context("spawn").Pool(workers) as pool:
            yield from pool.imap_unordered(_write_one, jobs, chunksize=8)
    else:
        yield from map(_write_one, jobs)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m models.dataset", description="Render training pictures for the ball detector.")
    parser.add_argument("--out", type=Path, required=True, help="a new folder")
    parser.add_argument("--pictures", type=int, default=8000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--size", type=int, default=SIZE, help="side of a picture, px, a multiple of 32")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--negatives", type=float, default=0.0, help="share of hard negatives, 0 to 1")
    given = parser.parse_args(arguments)
    try:
        balls = write_dataset(given.out, given.pictures, given.seed, given.size, workers=given.workers, negatives=given.negatives)
    except UserError as error:
        parser.error(str(error))
    print(f"{given.out}: {given.pictures} pictures, {balls} balls")


if __name__ == "__main__":
    main()
