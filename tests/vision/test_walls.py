"""Cushions and jaws as walls for a ball's centre."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calibration.table import KINDS, custom_table, table
from vision.walls import Walls

POCKETED = [k for k in KINDS if not k.startswith("carom")]


def _key(touches, swap=None):
    name = (lambda s: s) if swap is None else lambda s: swap.get(s, s) if s else s
    return sorted((t.kind, name(t.cushion), _swapped(t.pocket, swap), round(float(t.gap), 6)) for t in touches)


def _swapped(pocket, swap):
    if pocket is None or swap is None:
        return str(pocket)
    return "-".join(swap.get(part, part) for part in pocket.split("-"))


def _places(kind):
    return st.tuples(st.floats(-60, kind.length + 60), st.floats(-60, kind.width + 60))


@settings(max_examples=150, deadline=None)
@given(_places(table()), st.sampled_from([0, 1]))
def test_mirror_symmetry(place, axis):
    kind, walls = table(), Walls(table())
    p = np.array(place)
    other = p.copy()
    other[axis] = (kind.length, kind.width)[axis] - p[axis]
    swap = {"home": "foot", "foot": "home"} if axis == 0 else {"left": "right", "right": "left"}
    assert _key(walls.touches(p, 40.0), swap) == _key(walls.touches(other, 40.0))
    normals = [sorted(tuple(np.round(t.normal, 9) + 0.0) for t in walls.touches(q, 40.0)) for q in (p, other)]
    turned = sorted(tuple(np.round(np.array(n) * ((-1, 1) if axis == 0 else (1, -1)), 9) + 0.0) for n in normals[0])
    assert turned == normals[1]


@pytest.mark.parametrize("kind", KINDS)
def test_cushion_gap_is_zero_where_the_ball_touches(kind):
    t = table(kind)
    walls = Walls(t)
    rise = t.nose_height - t.radius
    assert walls.reach == pytest.approx(np.sqrt(t.radius**2 - rise**2))
    assert 0.9 * t.radius < walls.reach < t.radius
    x, y = 0.3 * t.length, 0.4 * t.width
    for cushion, p in {
        "home": (walls.reach, y), "foot": (t.length - walls.reach, y), "right": (x, walls.reach), "left": (x, t.width - walls.reach),
    }.items():  # fmt: skip
        assert walls.cushion_gap(cushion, np.array(p)) == pytest.approx(0, abs=1e-9)
        inward = np.array(p) + 25.0 * walls.normal(cushion)
        assert walls.cushion_gap(cushion, inward) == pytest.approx(25.0)
        touches = walls.touches(np.array(p), 5.0)
        assert [(t_.kind, t_.cushion, t_.pocket) for t_ in touches] == [("cushion", cushion, None)]
        assert walls.touches(inward, 20.0) == []


@pytest.mark.parametrize("kind", POCKETED)
def test_no_nose_in_the_mouths(kind):
    t = table(kind)
    walls = Walls(t)
    for pocket in t.pockets:
        for jaw in pocket.jaws:
            along = np.array(jaw.tip)
            into = np.array(pocket.centre) - along
            axis = 0 if jaw.cushion in ("left", "right") else 1
            mouth = along.copy()
            mouth[axis] += np.sign(into[axis]) * 10.0
            body = along.copy()
            body[axis] -= np.sign(into[axis]) * (jaw.radius + 60.0)
            assert not walls.straight(jaw.cushion, mouth)
            assert walls.straight(jaw.cushion, body)


@pytest.mark.parametrize("kind", POCKETED)
def test_a_ball_rolled_along_the_nose_meets_the_jaw_smoothly(kind):
    """Where the rounding begins, nose and jaw are the same distance away: no step."""
    t = table(kind)
    walls = Walls(t)
    for pocket in t.pockets:
        for jaw in pocket.jaws:
            axis = 0 if jaw.cushion in ("left", "right") else 1
            outward = np.sign(np.array(pocket.centre) - jaw.tip)[axis]
            gaps = []
            for away in np.arange(-90.0, 10.0, 2.0):
                p = np.array(jaw.tip, float)
                p[axis] += outward * away
                p = p + walls.normal(jaw.cushion) * (walls.reach + 3.0)
                mine = [w for w in walls.touches(p, 30.0) if w.cushion == jaw.cushion]
                if mine:
                    gaps.append(min(w.gap for w in mine))
            assert len(gaps) > 25
            assert np.abs(np.diff(gaps)).max() < 2.5
            assert gaps[0] == pytest.approx(3.0)


def test_jaw_normal_leads_away_from_the_cushion_into_the_mouth():
    kind = table()
    walls = Walls(kind)
    for pocket in kind.pockets:
        middle = np.mean([j.tip for j in pocket.jaws], axis=0)
        inward = (np.array(pocket.centre) - middle) / np.hypot(*(np.array(pocket.centre) - middle))
        for share in (0.0, 0.3):
            touches = [t for t in walls.touches(middle + share * kind.radius * inward, 40.0) if t.kind == "jaw"]
            assert {t.pocket for t in touches} == {pocket.name}
            assert len(touches) == 2
            for touch in touches:
                assert np.hypot(*touch.normal) == pytest.approx(1)
                tip = next(np.array(j.tip) for j in pocket.jaws if j.cushion == touch.cushion and (middle - j.tip) @ touch.normal > 0)
                assert float((middle - tip) @ touch.normal) > 0
                # 68 mm in a mouth of 73 or 83 mm: a few mm of play on either side
                assert -1 < touch.gap < 20


def test_the_middle_of_the_table_touches_nothing():
    for kind in KINDS:
        t = table(kind)
        assert Walls(t).touches(np.array([t.length / 2, t.width / 2]), 100.0) == []


def test_table_without_pockets_has_noses_to_its_corners():
    t = custom_table(2840, 1420, pockets=False)
    walls = Walls(t)
    p = np.array([walls.reach, walls.reach])
    assert sorted(w.cushion for w in walls.touches(p, 1.0)) == ["home", "right"]
