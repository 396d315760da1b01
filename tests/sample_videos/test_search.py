# ruff: noqa: E402 (the imports need what is checked first)
"""Aiming: mirrors, approaches, and strokes that do what was searched."""

from __future__ import annotations

import pytest

for package in ("numba", "pooltool"):
    pytest.importorskip(package, reason=f"needs {package} (the simulate extra)")

import tomllib
from dataclasses import replace
from math import radians

import numpy as np

from calibration.table import table
from sample_videos import search
from sample_videos.physics import Cloth, simulate
from sample_videos.recipes import RECIPES, stroke_toml, without_fall
from sample_videos.recipes.alone import bank_alone
from sample_videos.recipes.cushions import banked
from sample_videos.strokes import library, read_stroke
from sample_videos.variants import timed, variant

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


def test_what_is_written_is_read_again() -> None:
    for stroke in library().values():
        assert read_stroke(tomllib.loads(stroke_toml(stroke))["stroke"][0], stroke.name) == stroke
    odd = replace(library()["miss"], cloth=Cloth(roll=0.0081), opening=True, placement="in_hand", side=0.125)
    assert read_stroke(tomllib.loads(stroke_toml(odd))["stroke"][0], "odd") == odd


@pytest.mark.parametrize("name", sorted(library()))
def test_strokes_of_the_library_are_what_their_recipes_want(name: str) -> None:
    stroke, item = library()[name], RECIPES[name]
    plain = without_fall(stroke, TABLE)
    assert plain is not None and item.wanted(plain)
    assert stroke.call == (item.call(plain) if callable(item.call) else item.call)
    assert (stroke.kind, stroke.about) == (item.kind, item.about)


@pytest.mark.parametrize("kind", ["pyramid-12ft", "pyramid-7ft"])
def test_a_variant_shows_the_same_on_a_table_of_another_size(kind: str) -> None:
    size = table(kind)
    for name in ("near-miss", "opening", "touch-during", "off-table"):
        a, b, again = (variant(library()[name], size, seed) for seed in (1, 2, 1))
        assert a == again and a.placing != b.placing and a.cloth != b.cloth
        for stroke in (a, b):
            assert (stroke.name, stroke.kind, stroke.opening) == (name, library()[name].kind, library()[name].opening)
            shot = without_fall(stroke, size)
            assert shot is not None and RECIPES[name].wanted(shot)


def test_a_variant_of_an_unknown_stroke_is_refused() -> None:
    with pytest.raises(ValueError, match="library"):
        variant(replace(library()["miss"], name="trick shot"), TABLE, 0)


def test_a_variant_falls_on_the_same_side_of_the_three_seconds() -> None:
    rng = np.random.default_rng(4)
    for name, low, high in (("jaws-then-falls", 0.3, 2.8), ("jaws-falls-late", 3.2, 6.0), ("own-jaws-falls-late", 3.2, 6.0)):
        falls = [timed(library()[name], rng).falls for _ in range(20)]
        assert all(fall is not None and low <= fall.after <= high for fall in falls) and len(set(falls)) == 20


def test_a_bank_of_two_cushions_is_found_by_way_of_the_ball_alone() -> None:
    stroke, kind = library()["bank-pot-two"], table()
    low, high = radians(stroke.heading - 0.7), radians(stroke.heading + 0.7)
    found = list(bank_alone(np.random.default_rng(0), kind, stroke.placing, 2, (5500.0, 5500.0), (low, high)))
    assert found and all(banked(2)(shot) for shot in found)
    assert not list(bank_alone(np.random.default_rng(0), kind, stroke.placing, 3, (5500.0, 5500.0), (low, high))), "not off three"
