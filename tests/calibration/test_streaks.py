"""Widths of moving balls as evidence of how high a camera is."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from calibration.bundle import adjust
from calibration.fit import camera_from_corners
from calibration.streaks import Widths, width_misfit, widths_seen
from tests.calibration.scenes import TABLE, corners_of, draw_table, looking
from tests.calibration.test_bundle import noses_of

CAMERA = looking((1750.0, 870.0, 2900.0), focal=1000.0, size=(1280, 720))
# (from, to) mm: ways towards the camera's foot and round it, near and far
WAYS = [
    ((400.0, 880.0), (620.0, 880.0)), ((420.0, 400.0), (420.0, 600.0)), ((3100.0, 870.0), (2900.0, 870.0)),
    ((3120.0, 1200.0), (3120.0, 1000.0)), ((1700.0, 600.0), (1900.0, 600.0)), ((600.0, 1300.0), (760.0, 1420.0)),
    ((2900.0, 1400.0), (2780.0, 1540.0)), ((1600.0, 1200.0), (1600.0, 1380.0)),
]  # fmt: skip
YELLOW = (40, 190, 215)


def filmed(still: np.ndarray, way, colour=YELLOW, turns: int = 24) -> np.ndarray:
    """The picture with a ball exposed on its way."""
    total = np.zeros(still.shape, float)
    for share in np.linspace(0, 1, turns):
        at = np.array(way[0]) * (1 - share) + np.array(way[1]) * share
        ring = CAMERA.silhouette([at], TABLE.radius)[0]
        big = cv2.resize(still, None, fx=2, fy=2, interpolation=cv2.INTER_CUBIC)
        cv2.fillPoly(big, [np.round(((ring + 0.5) * 2 - 0.5) * 16).astype(np.int32)], colour, cv2.LINE_AA, 4)
        level = cv2.resize(big, (still.shape[1], still.shape[0]), interpolation=cv2.INTER_AREA) / 255.0
        total += np.where(level <= 0.04045, level / 12.92, ((level + 0.055) / 1.055) ** 2.4)
    light = total / turns
    return (255 * np.where(light <= 0.0031308, light * 12.92, 1.055 * light ** (1 / 2.4) - 0.055)).round().astype(np.uint8)


@pytest.fixture(scope="module")
def still() -> np.ndarray:
    return draw_table(CAMERA, balls=())


@pytest.fixture(scope="module")
def seen(still) -> Widths:
    widths = widths_seen([filmed(still, way) for way in WAYS], still, CAMERA, TABLE)
    assert widths is not None
    return widths


def test_streaks_are_as_wide_as_their_balls(seen):
    assert len(seen.px) == len(WAYS)
    places = CAMERA.to_table(seen.px, TABLE.radius)
    share = seen.width / CAMERA.ball_width(places, TABLE.radius, seen.across)
    assert np.ptp(np.log(share)) < 0.035  # alike, if all a little too narrow


def test_the_width_of_a_ball_is_that_of_its_silhouette():
    camera = replace(CAMERA, distortion=(-0.2, 0.03, 0.0, 0.0, 0.0))
    places = np.array([(100.0, 100.0), (1700.0, 900.0), (3400.0, 1700.0)])
    for turn in (0.0, 0.7, 2.1):
        across = np.tile([np.cos(turn), np.sin(turn)], (3, 1))
        rings = camera.silhouette(places, TABLE.radius) @ across[0]
        assert np.allclose(camera.ball_width(places, TABLE.radius, across), np.ptp(rings, axis=1), rtol=0.004)


def test_moving_balls_tell_the_focal_length_that_noses_leave_open(seen):
    """From above the noses hardly tell it: started from a lens half as long, the balls bring it back."""
    noses = noses_of(CAMERA)
    short = camera_from_corners(corners_of(CAMERA), TABLE, (1280, 720), focal=500.0).camera
    alone, with_balls = adjust(short, TABLE, noses), adjust(short, TABLE, noses, widths=seen)
    assert with_balls.focal_sigma < alone.focal_sigma
    assert abs(np.log(with_balls.camera.focal / CAMERA.focal)) < 2 * with_balls.focal_sigma
    assert np.abs(width_misfit(with_balls.camera, TABLE, seen)).max() < 2.5
    assert np.abs(width_misfit(short, TABLE, seen)).max() > np.abs(width_misfit(with_balls.camera, TABLE, seen)).max()


def test_balls_at_rest_and_one_picture_tell_no_width(still):
    resting = filmed(still, ((900.0, 700.0), (900.0, 700.0)), turns=1)
    assert widths_seen([resting] * 8, still, CAMERA, TABLE) is None
    assert widths_seen([filmed(still, WAYS[0])], still, CAMERA, TABLE) is None


def test_what_lies_there_for_a_while_does_not_move(still):
    """A long thing of a ball's colour, in a third of the pictures at one place."""
    assert widths_seen([filmed(still, WAYS[0])] * 8, still, CAMERA, TABLE) is None
