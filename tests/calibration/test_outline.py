"""Outlines of regions, lenses read from bent borders, and which quadrilaterals can be tables."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from calibration.bend import Bend, bend_of
from calibration.outline import outlines_of
from calibration.shape import implausibility
from tests.calibration.scenes import OVERHEAD, corners_of, looking

SIZE = (1280, 720)


def sides(k1: float) -> list[np.ndarray]:
    """Points of four straight sides as a lens with k1 shows them."""
    quad = np.array([[120, 650], [150, 60], [1160, 80], [1120, 640]], float)
    bend = Bend(k1, SIZE)
    return [bend.to_picture(np.linspace(quad[i], quad[(i + 1) % 4], 200)) for i in range(4)]


@pytest.mark.parametrize("k1", [-0.3, -0.1, 0.1, 0.2])
def test_lens_from_bent_borders_with_a_person_over_one(k1):
    borders = sides(k1)
    borders[3][80:110] += (0, -60)
    found = bend_of(borders, SIZE)
    assert abs(found.k1 - k1) < 0.03
    points = np.array([[100.0, 100.0], [640.0, 360.0], [1200.0, 650.0]])
    assert np.abs(found.to_straight(found.to_picture(points)) - points).max() < 0.05


def test_straight_borders_leave_the_picture_as_it_is():
    assert bend_of(sides(0.0), SIZE).k1 == 0
    assert bend_of([], SIZE).k1 == 0
    picture = np.zeros((720, 1280, 3), np.uint8)
    assert Bend(0.0, SIZE).straight(picture) is picture


def test_bulges_do_not_turn_the_sides():
    mask = np.zeros((450, 800), np.uint8)
    quad = np.array([[100, 400], [200, 60], [620, 60], [720, 400]])
    cv2.fillConvexPoly(mask, quad, 1)
    cv2.circle(mask, (300, 420), 45, 1, -1)  # the cloth mirrored in a rail
    cv2.circle(mask, (660, 230), 50, 0, -1)  # a player
    found = outlines_of(mask)
    errors = [min(np.abs(np.roll(o.quad, k, axis=0) - quad).max() for k in range(4)) for o in found]
    assert min(errors) < 5
    assert not any(any(o.opened) for o in found)


def test_sides_cut_by_the_picture_are_open():
    mask = np.zeros((450, 800), np.uint8)
    cv2.rectangle(mask, (300, 80), (799, 380), 1, -1)
    assert any(sum(o.opened) == 1 for o in outlines_of(mask))


def test_tables_are_likely_and_squares_and_the_other_way_round_are_not():
    for camera in (OVERHEAD, looking((1775.0, -1800.0, 2400.0), focal=900.0)):
        corners = corners_of(camera)
        assert implausibility(corners, SIZE, 2.0) < 3
        assert implausibility(np.roll(corners, -1, axis=0), SIZE, 2.0) > 8
    square = np.array([[440, 560], [440, 160], [840, 160], [840, 560]], float)
    assert implausibility(square, SIZE, 2.0) > 50
