"""Geometry of the tables: known measures, mirror symmetry, jaws and mouths."""

from __future__ import annotations

from math import acos, degrees, dist, hypot, sqrt

import pytest

from calibration.table import CUSHIONS, KINDS, POCKETS, custom_table, table

WITH_POCKETS = [k for k in KINDS if not k.startswith("carom")]


def test_pyramid_measures():
    kind = table()
    assert (kind.length, kind.width, kind.ball) == (3550, 1775, 68)
    assert kind.spots == {"home": (887.5, 887.5), "centre": (1775, 887.5), "pyramid": (2662.5, 887.5)}
    corner, middle = kind.pocket("home-left"), kind.pocket("middle-left")
    assert corner.corner and not middle.corner
    assert 72 <= corner.mouth <= 73 and 82 <= middle.mouth <= 83


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_is_two_squares_and_carom_has_no_pockets(name):
    kind = table(name)
    assert kind.length / kind.width == pytest.approx(2, abs=0.02)
    assert len(kind.pockets) == (0 if name.startswith("carom") else 6)
    assert 0.59 * kind.ball < kind.nose_height < 0.67 * kind.ball


@pytest.mark.parametrize("name", WITH_POCKETS)
def test_tips_are_a_mouth_apart_on_their_cushions(name):
    kind = table(name)
    lines = {"home": (0, 0.0), "foot": (0, kind.length), "right": (1, 0.0), "left": (1, kind.width)}
    assert tuple(p.name for p in kind.pockets) == POCKETS
    for pocket in kind.pockets:
        one, two = pocket.jaws
        assert dist(one.tip, two.tip) == pytest.approx(pocket.mouth)
        assert pocket.mouth > kind.ball
        for jaw in pocket.jaws:
            assert jaw.pocket == pocket.name and jaw.cushion in CUSHIONS
            axis, at = lines[jaw.cushion]
            assert jaw.tip[axis] == pytest.approx(at)
            assert hypot(*jaw.throat) == pytest.approx(1)
            # the throat leads away from the bed, towards the hole
            to_hole = (pocket.centre[0] - jaw.tip[0], pocket.centre[1] - jaw.tip[1])
            assert jaw.throat[0] * to_hole[0] + jaw.throat[1] * to_hole[1] > 0
        # throats do not widen
        far = [(j.tip[0] + 30 * j.throat[0], j.tip[1] + 30 * j.throat[1]) for j in pocket.jaws]
        assert dist(*far) <= pocket.mouth + 1e-6


@pytest.mark.parametrize("name", WITH_POCKETS)
@pytest.mark.parametrize("mirror", ["length", "width"])
def test_mirror_symmetry(name, mirror):
    kind = table(name)
    swap = {"home": "foot", "foot": "home"} if mirror == "length" else {"left": "right", "right": "left"}

    def image(point, vector=False):
        size = 0 if vector else kind.length if mirror == "length" else kind.width
        return (size - point[0], point[1]) if mirror == "length" else (point[0], size - point[1])

    for pocket in kind.pockets:
        twin = kind.pocket("-".join(swap.get(word, word) for word in pocket.name.split("-")))
        assert twin.centre == pytest.approx(image(pocket.centre))
        for jaw in pocket.jaws:
            other = min(twin.jaws, key=lambda j: dist(j.tip, image(jaw.tip)))
            assert other.tip == pytest.approx(image(jaw.tip))
            assert other.throat == pytest.approx(image(jaw.throat, vector=True))
            assert other.cushion == swap.get(jaw.cushion, jaw.cushion)


def test_a_ball_falls_only_behind_the_noses():
    for name in WITH_POCKETS:
        kind = table(name)
        for pocket in kind.pockets:
            x = min(max(pocket.centre[0], 0), kind.length)
            y = min(max(pocket.centre[1], 0), kind.width)
            assert dist((x, y), pocket.centre) > pocket.radius


def test_clean_angle_of_a_tight_pyramid_corner():
    assert degrees(acos(68 / table().pocket("foot-left").mouth)) == pytest.approx(21.3, abs=0.5)
    assert table().pocket("home-left").centre[0] == pytest.approx(-(6 + 56) / sqrt(2))


def test_custom_and_wrong():
    assert custom_table(3000, 1500).pockets and not custom_table(3000, 1500, pockets=False).pockets
    assert custom_table(1881, 943, ball=52.4).pocket("home-left").mouth > 52.4
    assert table("pool-9ft", ball=60.0).ball == 60
    for length, width, ball in ((1500, 3000, 68), (100, 50, 68), (9000, 4500, 68), (3000, 1500, 10)):
        with pytest.raises(ValueError, match=r"expected"):
            custom_table(length, width, ball=ball)
    with pytest.raises(ValueError, match="pyramid-12ft"):
        table("billiard")
