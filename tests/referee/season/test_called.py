"""What a stroke was meant to be."""

from __future__ import annotations

import pytest

from calibration.table import table
from referee.season.called import KINDS, Meant, cut_angle, distance, meant

TABLE = table("pyramid-12ft")


@pytest.mark.parametrize(
    ("call", "cue", "expected"),
    [
        (None, "white", Meant("none")),
        ("жёлтый в левый дальний угол", "white", Meant("straight_object", "yellow", "corner", 0, "yellow", "foot-left")),
        ("чужой в середину", "white", Meant("straight_object", "yellow", "middle", 0, "yellow", None)),
        ("чужой в середину", "yellow", Meant("straight_object", None, "middle", 0, None, None)),
        ("свой в правую середину", "white", Meant("straight_own", "white", "middle", 0, "yellow", "middle-right")),
        ("жёлтый от двух бортов в середину", "white", Meant("bank", "yellow", "middle", 2, "yellow", None)),
        ("красный белым в угол", "yellow", Meant("combination", "red", "corner", 0, "white", None)),
        ("свой от двух шаров в правую середину", "white", Meant("combination", "white", "middle", 0, None, "middle-right")),
        ("чёрный жёлтым в ближний правый угол", "white", Meant("black", "black", "corner", 0, "yellow", "home-right")),
        ("свой перескоком через красный в угол", "white", Meant("jump", "white", "corner", 0, "yellow", None)),
        ("свой в середину и чужой от борта в угол", "white", Meant("double")),
        ("триборт от жёлтого по красному", "white", Meant("carom", None, None, 3, "yellow", None)),
        ("красным от борта с одним соударением по чёрному", "yellow", Meant("bank_black", None, None, 1, "red", None)),
        ("как получится", "white", Meant("unclear")),
        ({"elements": [{"kind": "pot", "ball": "other"}]}, "white", Meant("straight_object", "yellow", "any", 0, "yellow", None)),
        ({"elements": "many"}, "white", Meant("unclear")),
    ],
)
def test_kinds(call: str | dict | None, cue: str, expected: Meant) -> None:
    assert meant(call, cue) == expected
    assert expected.kind in KINDS


def test_a_void_call_is_no_attempt() -> None:
    assert meant("чужой в середину", "white", void=True) == Meant("void")


@pytest.mark.parametrize(
    ("cue", "expected"),
    [((1775.0, 1200.0), 0.0), ((1375.0, 1200.0), 45.0), ((1775.0, 400.0), 180.0)],
)
def test_cut_angles(cue: tuple[float, float], expected: float) -> None:
    """Into the right middle pocket, straight down the table's middle: the ball is met 68 mm above itself."""
    yellow = (1775.0, 1200.0 - 400.0 - 68.0)
    found = cut_angle({"white": cue, "yellow": yellow}, "white", "yellow", "middle-right", TABLE)
    assert found == pytest.approx(expected, abs=1e-6)


def test_no_angle_without_places() -> None:
    assert cut_angle({"white": None, "yellow": (1.0, 2.0)}, "white", "yellow", "foot-left", TABLE) is None
    assert cut_angle({"white": (5.0, 5.0), "yellow": (1.0, 2.0)}, "white", "yellow", None, TABLE) is None
    assert cut_angle({"white": (5.0, 5.0)}, "white", "white", "foot-left", TABLE) is None
    assert distance({"white": (0.0, 0.0), "yellow": (300.0, 400.0)}, "white", "yellow") == 500.0
    assert distance({"white": (0.0, 0.0)}, "white", "yellow") is None
