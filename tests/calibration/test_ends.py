"""A nose that its own cushion hides lies where the noses beside it end."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.bend import NONE
from calibration.canvas import SIDES, STRIP
from calibration.cloth import ClothColour, ClothRegion, cloth_colour
from calibration.ends import Ending, ending
from calibration.noses import find_noses
from calibration.sides import NoseLine, Side
from calibration.table import table
from tests.calibration.scenes import OVERHEAD, draw_table, looking
from tests.calibration.test_gaps import LINES, flat, with_mouths

KIND = table("carom-10ft")


def from_the_end():
    """A carom table from low down behind its home end."""
    return looking((-2200.0, 711.0, 1900.0), (1200.0, 711.0, 0.0), focal=900.0, roll=np.pi / 2)


def hidden_near(shift=0.0):
    """The table's canvas, its sides and lines, home not seen and guessed `shift` units too far inside."""
    camera = from_the_end()
    picture = draw_table(camera, KIND, cloth=(170, 90, 30), rise=8.0, home_hidden=True)
    canvas = flat(picture, camera, KIND)
    bed = canvas.lab[120:-120:3, 120:-120:3].reshape(-1, 3)

    sides = {name: Side(canvas, name, cloth_colour(bed)) for name in SIDES}
    home = NoseLine((STRIP + shift, 0.0, 0.0), 0.0, np.empty((0, 2)), False)
    return canvas, sides, {**LINES, "home": home}


@pytest.mark.parametrize("shift", [0.0, 2.5])
def test_neighbours_end_at_the_hidden_nose(shift):
    canvas, sides, lines = hidden_near(shift)
    found = ending("home", canvas, sides, lines)
    assert found.open_ends
    assert found.line == pytest.approx((STRIP, STRIP), abs=0.7)
    assert found.agrees(lines["home"], 1.0) == (shift == 0.0)


def test_a_far_nose_that_is_seen_may_be_asked_for_too():
    canvas, sides, lines = hidden_near()
    found = ending("foot", canvas, sides, {**lines, "home": LINES["home"]})
    assert (found.start, found.end) == pytest.approx((STRIP, STRIP), abs=1.0)


def test_nothing_is_told_without_neighbours():
    canvas, sides, lines = hidden_near()
    unseen = {name: NoseLine((STRIP, 0.0, 0.0), 0.0, np.empty((0, 2)), False) for name in SIDES}
    found = ending("home", canvas, sides, unseen)
    assert not np.isfinite([found.start, found.end]).any()
    assert found.line is None
    assert not found.agrees(lines["home"], 5.0)


@pytest.mark.parametrize("nets", [(15, 15, 15), (205, 220, 225)])
def test_nets_as_bright_as_the_cloth_are_pockets_too(nets):
    canvas = flat(with_mouths(nets), OVERHEAD)
    bed = canvas.lab[120:-120:3, 120:-120:3].reshape(-1, 3)
    sides = {name: Side(canvas, name, cloth_colour(bed)) for name in SIDES}
    assert not any(ending(name, canvas, sides, LINES).open_ends for name in SIDES)


def test_pockets_leave_the_ends_in_doubt():
    assert Ending(2.0, 2.1, False).line is None
    assert Ending(2.0, 2.1, True).line == (2.0, 2.1)
    assert Ending(2.0, float("nan"), True).line is None


def test_the_whole_nose_line_is_placed():
    camera = from_the_end()
    picture = draw_table(camera, KIND, cloth=(170, 90, 30), rise=8.0, home_hidden=True)

    outer = STRIP / 100 * KIND.length
    length, width = KIND.length, KIND.width
    quad = camera.project_at([(-outer, -outer), (-outer, width + outer), (length + outer, width + outer), (length + outer, -outer)], 40.0)
    colour = ClothColour((40.0, -20.0, 20.0), 28.0, 2.3, 0.3, 8.0, 15.0)
    noses = find_noses(picture, ClothRegion(colour, quad, 1.0, 1.0, (False, False, False, False), NONE), 0)
    assert noses is not None
    assert "home" not in noses.points_px
    assert 0 < noses.guessed < 1.5
    truth = camera.project_at(KIND.corners, KIND.nose_height)
    long = np.linalg.norm(truth[2:].mean(axis=0) - truth[:2].mean(axis=0))
    assert np.linalg.norm(noses.corners - truth, axis=1).max() / long < 0.01
