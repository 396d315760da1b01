"""Balls at the brink of a pocket: those that creep to rest over the rim hang, those that run over it or lie deep have fallen."""

import pytest

from calibration.table import table
from tests.vision.tables import profile
from vision.field import Field
from vision.record import Sighting
from vision.watch import Watch

PYRAMID = table()
[MIDDLE] = [p for p in PYRAMID.pockets if p.name == "middle-right"]
R = PYRAMID.radius


def _pocket(ways: list[float], fps: float = 30.0) -> str | None:
    """The pocket in which a ball is that was seen so many mm behind the rim, straight before the middle of the mouth."""
    prof = profile(PYRAMID)
    watch = Watch(Field(prof.camera, PYRAMID, (360, 640)), ("yellow",))
    rim = MIDDLE.centre[1] + MIDDLE.radius
    for n, behind in enumerate(ways):
        watch.records["yellow"].add(Sighting(n, n / fps, MIDDLE.centre[0], rim - behind, 1.0, "moving", True, 0.0, 1.0))
    return watch._at_pocket("yellow", (len(ways) - 1) / fps)


@pytest.mark.parametrize(
    ("ways", "fallen"),
    [
        ([9.0, 9.6, 10.1, 10.5, 10.8, 11.0], False),  # comes to rest, where a shadow was taken for the rim
        ([12.0] * 6, False),  # rests
        ([-20.0, -11.0, -3.0, 4.0, 10.0, 16.0], True),  # rolls over the rim at 0.2 m/s
        ([10.5, 10.6, 10.8, 11.5, 14.0, 19.0], True),  # has hung, and falls
        ([1.2 * R] * 6, True),  # lies in the hole
        ([9.0, 11.0], True),  # so few pictures do not tell that it creeps
        ([0.0, 1.0, 2.0, 2.5], False),  # not in the hole yet
    ],
)
def test_a_ball_that_creeps_over_the_rim_has_not_fallen(ways, fallen):
    assert _pocket(ways) == ("middle-right" if fallen else None)
