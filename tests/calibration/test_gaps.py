"""Middle pockets by the gaps in the strips, even beds, and noses that only the strips and the pockets tell."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from calibration.bend import NONE
from calibration.canvas import SIDES, STRIP, Canvas
from calibration.cloth import ClothColour, ClothRegion
from calibration.errors import CalibrationRefused
from calibration.find import find_table
from calibration.gaps import middle_gaps, middle_pockets, unevenness
from calibration.shape import leanings
from calibration.sides import NoseLine
from calibration.table import table
from tests.calibration.scenes import OVERHEAD, TABLE, corners_of, draw_table, looking

LINES = {name: NoseLine((STRIP, 0.0, 0.0), 1.0, np.empty((0, 2)), True) for name in SIDES}


def with_mouths(colour=(15, 15, 15)):
    """The table from above, with middle mouths as wide as those of pool at the depth at which strips are looked at."""
    picture = draw_table(OVERHEAD)
    for y, out in ((0.0, -80.0), (TABLE.width, 80.0)):
        x = TABLE.length / 2
        mouth = OVERHEAD.project_at([(x - 65, y), (x + 65, y), (x + 65, y + out), (x - 65, y + out)], TABLE.nose_height)
        cv2.fillPoly(picture, [np.round(mouth * 16).astype(np.int32)], colour, cv2.LINE_AA, 4)
    return picture


def from_the_end():
    """From low down behind the home end, which is the nearest side, the picture upright."""
    return looking((-2700.0, 887.0, 2300.0), (1500.0, 887.0, 0.0), focal=900.0, roll=np.pi / 2)


def flat(picture, camera, kind=TABLE, home=0.0):
    """The picture straightened by the true noses, the home one moved by `home` lengths outwards."""
    margin = STRIP / 100 * kind.length
    low = -home * kind.length
    long = kind.length - low
    inset = margin * long / kind.length
    places = [(low - inset, -margin), (low - inset, kind.width + margin), (kind.length + inset, kind.width + margin)]
    quad = camera.project_at([*places, (kind.length + inset, -margin)], kind.nose_height)
    colour = ClothColour((40.0, -20.0, 20.0), 28.0, 2.3, 0.3, 8.0, 15.0)
    return Canvas(picture, ClothRegion(colour, quad, 1.0, 1.0, (False, False, False, False), NONE), 0, kind.width / kind.length)


def test_middle_pockets_lie_at_half_of_the_length():
    middles = middle_pockets(flat(with_mouths(), OVERHEAD), LINES)
    assert middles is not None
    assert middles.pair
    assert abs(middles.off) < 0.2


@pytest.mark.parametrize("home", [-0.06, 0.1])
def test_a_wrong_end_moves_them_off_the_middle(home):
    middles = middle_pockets(flat(with_mouths(), OVERHEAD, home=home), LINES)
    assert middles is not None
    assert middles.off == pytest.approx(100 * ((0.5 + home) / (1 + home)) - 50, abs=0.5)
    assert middles.deviation > 4


def test_no_pockets_no_gaps_and_one_hand_is_none():
    kind = table("carom-10ft")
    camera = looking((1400.0, 720.0, 2900.0), (1422.0, 711.0, 0.0), focal=1020.0)
    picture = draw_table(camera, kind, cloth=(170, 90, 30))
    canvas = flat(picture, camera, kind)
    assert middle_pockets(canvas, LINES) is None
    hand = camera.project_at([(0.38 * kind.length, kind.width + 30)], kind.nose_height)[0]
    cv2.circle(picture, tuple(np.round(hand).astype(int).tolist()), 22, (120, 150, 200), -1)
    canvas = flat(picture, camera, kind)
    assert len(middle_gaps(canvas, LINES, "left")) == 1
    assert middle_pockets(canvas, LINES) is None


def test_a_rail_inside_of_the_noses_is_uneven():
    picture = draw_table(OVERHEAD)
    assert unevenness(flat(picture, OVERHEAD), LINES, "home", 0.0) < 5
    assert unevenness(flat(picture, OVERHEAD, home=0.12), LINES, "home", 0.0) > 20


def test_leanings_are_those_of_the_camera():
    camera = from_the_end()
    eye = -camera.rotation.T @ camera.translation
    height = eye[2] - TABLE.nose_height
    found = leanings(corners_of(camera), (camera.width, camera.height), TABLE.length / TABLE.width)
    assert found == pytest.approx(np.array([eye[0], TABLE.width - eye[1], TABLE.length - eye[0], eye[1]]) / height, abs=0.1)
    assert found[0] < 0  # nearer than the camera's foot point


@pytest.mark.parametrize("rise", [8.0, 16.0])
def test_near_nose_that_hides_its_face(rise):
    camera = from_the_end()
    found = find_table([draw_table(camera, rise=rise, home_hidden=True)])
    truth = corners_of(camera)
    length = np.linalg.norm(truth[2:].mean(axis=0) - truth[:2].mean(axis=0))
    error = min(np.linalg.norm(np.roll(found.corners_px, k, axis=0) - truth, axis=1).max() for k in (0, 2))
    assert "3 of 4" in found.how
    assert error / length < 0.01
    assert found.confidence < 0.85  # it is told by its neighbours, not seen


def test_middle_pockets_refuse_a_wrong_end():
    """Half of the near half is covered by a board of the rail's colour: what is left has cushions' lines, but no middle."""
    camera = looking((1700.0, 900.0, 3600.0), (1775.0, 887.5, 0.0), focal=1020.0)
    picture = draw_table(camera)
    board = camera.project_at([(-400, -300), (-400, 2100), (500, 2100), (500, -300)], TABLE.nose_height)
    cv2.fillPoly(picture, [np.round(board).astype(np.int32)], (40, 60, 110))
    with pytest.raises(CalibrationRefused):
        find_table([picture])
