"""Lines drawn into the picture: where they are, bent as the lens bends them."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.camera import Camera
from calibration.sketch import LAYERS, SIDE_POINTS, end_area, nose_ends, side_points, sketch
from calibration.table import CUSHIONS, table
from tests.calibration.scenes import OVERHEAD, TABLE, looking


def strokes(layer: str, camera: Camera = OVERHEAD, kind=TABLE) -> list[np.ndarray]:
    return [stroke.points for stroke in sketch(kind, camera) if stroke.layer == layer]


def test_every_layer_of_a_table_with_pockets_is_there():
    assert {stroke.layer for stroke in sketch(TABLE, OVERHEAD)} == set(LAYERS)
    assert len(strokes("nose")) == 4 and len(strokes("grid")) == 10 and len(strokes("pocket")) == 12 and len(strokes("spot")) == 3


def test_a_carom_table_has_no_pockets():
    assert not strokes("pocket", kind=table("carom-10ft")) and not strokes("jaw", kind=table("carom-10ft"))


def test_noses_go_round_the_table_at_their_height():
    noses = strokes("nose")
    np.testing.assert_allclose([line[0] for line in noses], OVERHEAD.project_at(TABLE.corners, TABLE.nose_height))
    for line, following in zip(noses, noses[1:] + noses[:1], strict=True):
        np.testing.assert_allclose(line[-1], following[0])


def test_a_lens_bends_the_noses():
    bent = looking(OVERHEAD.position, lens=(-0.2, 0.0, 0.0, 0.0, 0.0), focal=OVERHEAD.focal)

    def sagitta(line: np.ndarray) -> float:
        chord = line[-1] - line[0]
        middle = line[len(line) // 2] - line[0]
        return abs(float(chord[0] * middle[1] - chord[1] * middle[0])) / float(np.hypot(*chord))

    assert max(map(sagitta, strokes("nose"))) < 0.01 < 2 < max(map(sagitta, strokes("nose", bent)))


@pytest.mark.parametrize("cushion", CUSHIONS)
def test_side_points_lie_on_the_nose_and_in_no_mouth(cushion):
    points = side_points(TABLE, cushion)
    start, end = np.array(nose_ends(TABLE, cushion))
    assert len(points) == len(SIDE_POINTS[cushion])
    for point in points:
        along, to = end - start, point - start
        assert abs(along[0] * to[1] - along[1] * to[0]) < 1e-6
        assert all(np.hypot(*(point - pocket.centre)) > 3 * pocket.mouth for pocket in TABLE.pockets)


def test_ends_cover_their_quarter():
    home, foot = end_area(TABLE, OVERHEAD, "home"), end_area(TABLE, OVERHEAD, "foot")
    middle = OVERHEAD.project_at([[TABLE.length / 2, TABLE.width / 2]], 0.0)[0]
    assert home[:, 0].max() < middle[0] < foot[:, 0].min()
