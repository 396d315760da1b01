"""Rendered frames of halls with labels: what a referee's camera sees, where the training pictures are harder than any hall."""

from __future__ import annotations

from math import cos, sin

import cv2
import numpy as np

from calibration.table import Table, table
from models.dataset import ball_marks
from models.labels import CLASSES
from models.scene import Scene
from models.things import things
from sample_videos.people import Aim, Person
from sample_videos.render import Renderer, halls, make_overlay, tilted_camera
from sample_videos.render.people import SKIN, Capsule
from tests.bench.detector_ap import Shown

TABLES = ("pyramid-12ft", "pyramid-10ft", "pyramid-9ft", "pool-9ft")
BALLS = ("white", "yellow", "red", "black", "white#2", "yellow#2", "red#2", "black#2", "pink", "blue", "brown", "green")
_QUALITY = (55, 90)  # of JPEG


def halls_shown(count: int, seed: int, size: tuple[int, int] = (1280, 720)) -> list[Shown]:
    """`count` frames of halls, one each, with resting balls and in two of three somebody who aims."""
    return [_frame(np.random.default_rng([seed, k]), table(TABLES[k % len(TABLES)]), size, 1000 * seed + k) for k in range(count)]


def _frame(rng: np.random.Generator, kind: Table, size: tuple[int, int], seed: int) -> Shown:
    hall = halls.random_hall(rng, kind)
    view = tilted_camera(kind, *size, **dict(hall.camera))
    overlay = make_overlay(size, seed, hall.overlay)
    balls = _balls(rng, kind)
    people = _player(rng, kind, [b[0] for b in balls.values()]) if rng.random() < 0.67 else []
    renderer = Renderer(kind, view, hall.look, seed, covered=overlay.boxes)
    picture = overlay.draw(hall.sensor.expose(renderer.frame(balls, people), 1.0, 1 / 60), 1.0)
    marks = [*ball_marks(Scene(kind, view, hall.look, balls, people), renderer), *things(people, view, kind.ball)]
    marks = [m for m in marks if not any(x0 <= m.x <= x1 and y0 <= m.y <= y1 for x0, y0, x1, y1 in overlay.boxes)]
    _, coded = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(*_QUALITY))])
    shown = cv2.imdecode(coded, cv2.IMREAD_COLOR)
    assert shown is not None
    rows = [[CLASSES.index(m.colour), m.x, m.y, m.width, m.height] for m in marks]
    return Shown(np.asarray(shown, np.uint8), np.array(rows, np.float32).reshape(-1, 5))


def _balls(rng: np.random.Generator, kind: Table) -> dict[str, np.ndarray]:
    """Resting balls anywhere on the bed, each at its own place; one of four lies at another."""
    found: dict[str, np.ndarray] = {}
    for name in BALLS:
        for _ in range(50):
            at = np.array([rng.uniform(0.03, 0.97) * kind.length, rng.uniform(0.05, 0.95) * kind.width])
            if found and rng.random() < 0.25:
                turn = rng.uniform(0, 2 * np.pi)
                at = next(iter(found.values()))[0, :2] + 1.005 * kind.ball * np.array([cos(turn), sin(turn)])
            inside = (at > kind.radius).all() and (at < np.array([kind.length, kind.width]) - kind.radius).all()
            if inside and all(np.linalg.norm(at - b[0, :2]) > kind.ball for b in found.values()):
                found[name] = np.array([[*at, kind.radius]])
                break
    return found


def _player(rng: np.random.Generator, kind: Table, balls: list[np.ndarray]) -> list[Capsule]:
    at = (float(balls[0][0]), float(balls[0][1]))
    middle = np.array((kind.length / 2, kind.width / 2)) + rng.normal(0, 300, 2)
    heading = float(np.arctan2(middle[1] - at[1], middle[0] - at[0]))
    shirt = tuple(float(v) for v in np.full(3, rng.choice((0.06, 0.3, 0.85))) * rng.uniform(0.8, 1.1, 3))
    person = Person(SKIN[int(rng.integers(len(SKIN)))], shirt=(shirt[0], shirt[1], shirt[2]), sleeve=bool(rng.random() < 0.7))
    others = tuple((float(b[0]), float(b[1])) for b in balls[1:])
    return Aim(kind, at, heading, 1200.0, 0.0, 4.0, 6.0, person, others, lambda t: 1e9).bars(float(rng.uniform(1.2, 3.4)))
