"""Where on the table the way of a ball leads."""

import pytest

from calibration.table import table
from tests.vision.tables import profile
from vision.field import Field

POOL = table("pool-9ft")
R = POOL.radius


@pytest.mark.parametrize(
    ("x", "y", "step", "pocket"),
    [
        (POOL.length - 70, R, (90, -3), "foot-right"),  # along the cushion, past the hole
        (POOL.length - 200, POOL.width - 200, (180, 180), "foot-left"),
        (POOL.length / 2, 60, (10, -90), "middle-right"),
        (POOL.length / 2 - 80, R, (160, 0), None),  # along the cushion, past a middle pocket
        (POOL.length - 70, R, (-90, 0), None),  # away from it
        (POOL.length - 90, R, (20, 0), None),  # not that far
        (POOL.length - 100, 300, (120, 0), None),  # against the cushion beside it
        (POOL.length + 20, -20, (-60, 60), None),  # out of the mouth
    ],
)
def test_the_mouth_that_a_step_leads_into(x, y, step, pocket):
    prof = profile(POOL)
    assert Field(prof.camera, prof.table, (360, 640)).mouth_ahead(x, y, *step) == pocket
