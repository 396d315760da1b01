"""When nothing is awaited: what always lies beside a ball does not matter, what comes there does."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import cv2
import numpy as np
import pytest

from tests.vision.strokes import film
from tests.vision.tables import BALLS
from vision.frames import Frame, frame_of_bgr
from vision.run import TableRun
from vision.tracks import TracksFile

FPS = 30


@pytest.fixture(scope="module")
def scene():
    return film()


def with_bar(scene, picture: np.ndarray) -> np.ndarray:
    """A white line on the cloth that the black ball lies on."""
    line = picture.copy()
    ends = scene.profile.camera.project_at([(2000.0, 90.0), (2000.0, 410.0)], 0.0)
    cv2.line(line, *(tuple(int(v) for v in np.round(end)) for end in ends), (200, 200, 200), 9)
    x, y = scene.profile.camera.project_at([(2000.0, 250.0)], scene.profile.table.radius)[0]
    ys, xs = np.mgrid[: picture.shape[0], : picture.shape[1]]
    ball = np.hypot(xs - x, ys - y) < scene.profile.camera.scale_at([[2000.0, 250.0]], 0.0)[0] * scene.profile.table.radius + 0.5
    line[ball] = picture[ball]
    return line


def calm_times(scene, pictures) -> list[float]:
    """When the run was calm, s."""
    found = []
    with TracksFile(None) as rows:
        run = TableRun(scene.profile, tuple(BALLS), rows, None)
        for n, picture in enumerate(pictures):
            frame: Frame = replace(frame_of_bgr(picture), index=n, time=Fraction(n, FPS))
            run.take(frame)
            if run.calm:
                found.append(n / FPS)
    return found


def grainy(picture: np.ndarray, count: int) -> list[np.ndarray]:
    rng = np.random.default_rng(2)
    return [np.clip(picture + rng.normal(0, 1.0, picture.shape), 0, 255).astype(np.uint8) for _ in range(count)]


def test_a_line_under_a_ball_is_no_disturbance(scene):
    still = next(iter(scene.pictures(FPS, 0.0, 0.1)))
    assert calm_times(scene, grainy(with_bar(scene, still), 80))


def test_what_comes_beside_a_ball_is_waited_for(scene):
    still = next(iter(scene.pictures(FPS, 0.0, 0.1)))
    came = 70 / FPS
    times = calm_times(scene, [*grainy(still, 70), *grainy(with_bar(scene, still), 80)])
    assert any(t < came for t in times) and any(t > came + 1.2 for t in times)
    assert not any(came + 0.1 < t < came + 1.1 for t in times)
