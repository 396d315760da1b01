"""Prints lie flat where they may, under the balls; pockets without a rim are dark from edge to edge."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

pytest.importorskip("numba")  # pictures are rendered: the extra `simulate`

from calibration.table import table
from models.prints import prints
from sample_videos.render import Renderer, overhead_camera
from sample_videos.render.look import Look

pytestmark = pytest.mark.train

TABLE = table("pyramid-9ft")
CAMERA = overhead_camera(TABLE, 320, 180, margin=0.3)


def masks() -> tuple[np.ndarray, np.ndarray]:
    found = []
    for out in (0.0, 175.0):
        corners = [(-out, -out), (-out, TABLE.width + out), (TABLE.length + out, TABLE.width + out), (TABLE.length + out, -out)]
        mask = np.zeros((180, 320), np.uint8)
        cv2.fillPoly(mask, [CAMERA.project_at(corners, 0.0).astype(np.int32)], 1)
        found.append(mask.astype(bool))
    return found[0], found[1]


def test_prints_lie_on_the_floor_and_the_cloth_alone():
    bed, wood = masks()
    on_floor = on_cloth = 0
    for seed in range(25):
        light = np.full((180, 320, 3), 0.2, np.float32)
        prints(np.random.default_rng(seed), light, CAMERA, TABLE, Look(), bed, wood)
        changed = (light != np.float32(0.2)).any(axis=2)
        assert np.isfinite(light).all() and light.min() >= 0
        assert not (changed & wood & ~bed).any(), "not on the rails"
        on_floor += bool((changed & ~wood).any())
        on_cloth += bool((changed & bed).any())
    assert on_floor > 5 and on_cloth > 1


def test_balls_lie_over_what_is_printed():
    def dark(light: np.ndarray) -> None:
        light[:] *= 0.5

    look = Look(noise=0.0, ambient=1.0)
    at = {"white": [[TABLE.length / 2, TABLE.width / 2, TABLE.radius]]}
    plain, printed = (Renderer(TABLE, CAMERA, look, on_empty=change) for change in (None, dark))
    assert printed.empty[90, 100].sum() < plain.empty[90, 100].sum()
    x, y = (round(v) for v in CAMERA.project(np.array(at["white"]))[0])
    assert np.array_equal(plain.frame(at)[y, x], printed.frame(at)[y, x])


def test_a_plain_pocket_has_no_rim_and_its_edge_may_be_lit():
    look = Look(noise=0.0, pockets="plain", rail=(0.6, 0.3, 0.2), pocket_rim=(0.9, 0.9, 0.9))
    camera = overhead_camera(TABLE, 640, 360, margin=0.05)
    pocket = next(p for p in TABLE.pockets if not p.corner)
    x, y = (round(v) for v in camera.project_at([pocket.centre], 0.0)[0])
    far = int(1.7 * pocket.radius * camera.scale_at([pocket.centre], 0.0)[0])
    cut = np.s_[max(y - far, 0) : y + far, max(x - far, 0) : x + far]
    plain = Renderer(TABLE, camera, look).empty[cut]
    rimmed = Renderer(TABLE, camera, replace(look, pockets="leather")).empty[cut]
    lit = Renderer(TABLE, camera, replace(look, pocket_edge=1.0)).empty[cut]
    assert (rimmed.min(axis=2) > 150).sum() > (plain.min(axis=2) > 150).sum() + 20
    assert lit.mean() > plain.mean() + 0.2
