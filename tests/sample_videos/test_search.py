# ruff: noqa: E402 (the imports need what is checked first)
"""Aiming: mirrors, approaches, and strokes that do what was searched."""

from __future__ import annotations

import pytest

for package in ("numba", "pooltool"):
    pytest.importorskip(package, reason=f"needs {package} (the simulate extra)")

from dataclasses import replace
from math import hypot

import numpy as np

from calibration.table import table
from sample_videos import search
from sample_videos.physics import simulate
from sample_videos.recipes import RECIPES, find, stroke_toml
from sample_videos.strokes import library, play, read_stroke

pytestmark = pytest.mark.train
TABLE = table()


def test_the_mirror_image_lies_behind_the_line_that_the_ball_centres_reach() -> None:
    assert search.image(TABLE, (1000.0, 300.0), ("right",)) == (1000.0, -232.0)
    assert search.image(TABLE, (1000.0, 300.0), ("foot",)) == (2 * (3550 - 34) - 1000.0, 300.0)
    # the first mirror met is the last one to be applied
    x, y = search.image(TABLE, (1000.0, 300.0), ("left", "right"))
    assert (x, y) == (1000.0, 2 * (1775 - 34) - (2 * 34 - 300.0))


def test_a_ball_on_the_axis_of_a_pocket_approaches_it_straight() -> None:
    assert search.approach(TABLE, (1775.0, 900.0), "middle-left") == pytest.approx(0)
    assert search.approach(TABLE, (3000.0, 1225.0), "foot-left") == pytest.approx(0, abs=0.5)
    assert search.approach(TABLE, (1775.0, 1700.0), "foot-left") > 20


def test_a_pot_is_found_where_there_is_one() -> None:
    placing = {"white": (1500.0, 900.0), "yellow": (2600.0, 900.0)}
    shots = list(search.pot(TABLE, placing, "white", "yellow", "foot-left", 2000.0))
    assert shots and all(shot.pot("yellow") == "foot-left" for shot in shots)


def test_nearest_is_the_gap_between_the_balls() -> None:
    shot = simulate(TABLE, {"white": (500.0, 500.0), "yellow": (1500.0, 575.0)}, "white", 1500.0, 0.0)
    gap, t = search.nearest(shot, "white", "yellow")
    assert gap == pytest.approx(7.0, abs=0.01)
    assert shot.paths["white"].at(t)[0] == pytest.approx(1500.0, abs=1.0)


def test_what_is_written_plays_as_it_was_found() -> None:
    import tomllib

    for name in ("miss", "red-first", "near-miss"):
        found = find(RECIPES[name], seconds=20)
        assert found is not None
        stroke = read_stroke(tomllib.loads(stroke_toml(found, RECIPES[name]))["stroke"][0], name)
        again = play(stroke, TABLE)
        assert [(e["type"], e["t"]) for e in again.events] == [(e["type"], pytest.approx(e["t"], abs=1e-9)) for e in found.events]
        for ball, place in found.after.items():
            assert place is not None and again.after[ball] is not None
            assert hypot(*np.subtract(place, again.after[ball])) < 1e-6  # type: ignore[arg-type]


@pytest.mark.parametrize("name", sorted(library()))
def test_strokes_of_the_library_are_what_their_recipes_want(name: str) -> None:
    stroke = library()[name]
    plain = play(replace(stroke, falls=None), TABLE)  # before a ball that hangs at the edge falls
    assert RECIPES[name].wanted(plain)
    call = RECIPES[name].call
    assert stroke.call == (call(plain) if callable(call) else call)
