"""Repeats at a regular rhythm are noticed where they cannot be seen, and uneven stamps where the balls' motion says so."""

from dataclasses import replace

import numpy as np
import pytest

from tests.vision.tables import profile
from vision import testimony
from vision.clock import rhythm, steadied
from vision.record import Sighting
from vision.segment import Span
from vision.unseen import Pictures

STEP = 1 / 30


def told(stamps, taken=None, again=None, speed=1500.0, noise=0.3):
    """What is seen of a ball that rolls on, with pictures stamped and taken at those times (N,) s."""
    rng = np.random.default_rng(1)
    taken = stamps if taken is None else taken
    again = np.zeros(len(stamps), bool) if again is None else again
    x = 200.0 + speed * taken - 60.0 * taken**2 + rng.normal(0, noise, len(stamps))
    seen = tuple(
        Sighting(k, float(t), float(x[k]), 500.0 + float(rng.normal(0, noise)), 0.5, "moving", not again[k], 0.0, 1.0)
        for k, t in enumerate(stamps)
    )
    flags = np.zeros(len(stamps), bool)
    prof = profile()
    return testimony.Testimony(
        Span(float(stamps[0]), float(stamps[-1])), None, "", ("white",), prof, prof.table, prof.table, {"white": seen}, (), (),
        Pictures(stamps, flags, again, flags), 0, STEP, 0.0, False, (),
    )  # fmt: skip


@pytest.mark.parametrize("pattern", [".=", "..=", ".=.==", "....=", ".....=", ".=="])
def test_rhythms_are_known_from_the_repeats_that_are_seen(pattern):
    true = np.array([c == "=" for c in pattern * 30])
    seen = true.copy()
    seen[np.flatnonzero(true)[::9]] = False  # some are not noticed
    seen[np.arange(len(seen)) > 0.8 * len(seen)] = False  # nor any at the end, where the balls are slow
    found = rhythm(seen)
    assert found is not None
    assert (found == true).all()


def test_no_rhythm_in_repeats_by_chance():
    seen = np.random.default_rng(4).random(200) < 0.2
    assert rhythm(seen) is None
    assert rhythm(np.zeros(100, bool)) is None
    once = np.zeros(200, bool)
    once[80:84] = True
    assert rhythm(once) is None


def test_a_repeat_that_was_not_noticed_is_no_sighting():
    stamps = np.arange(80) / 60
    again = np.arange(80) % 2 == 1
    known = again.copy()
    known[[21, 33]] = False
    seen, notes = steadied(told(stamps, np.floor(np.arange(80) / 2) / 30, known))
    assert [s.fresh for s in seen.seen["white"]] == (~again).tolist()
    assert "shown again at a regular rhythm: 40 of 80 are new" in notes[0].reason


def test_uneven_stamps_give_way_to_equal_distances():
    even = np.arange(50) * STEP
    stamps = even + np.random.default_rng(2).uniform(-0.01, 0.01, 50)
    seen, notes = steadied(told(stamps, even))
    assert np.abs(seen.pictures.t - even).max() < 0.003
    assert [s.t for s in seen.seen["white"]] == pytest.approx(seen.pictures.t.tolist())
    assert np.abs(np.diff([s.t for s in seen.seen["white"]]) - STEP).max() < 1e-3
    assert "stamps are uneven" in notes[0].reason


def test_places_without_a_picture_stay_empty():
    even = np.delete(np.arange(60), [11, 27, 28, 40]) * STEP
    stamps = even + np.random.default_rng(2).uniform(-0.008, 0.008, len(even))
    seen, _ = steadied(told(stamps, even))
    assert np.abs(seen.pictures.t - even).max() < 0.003


def test_a_pulldown_is_taken_apart():
    """24 pictures a second, each shown two or three times in 60."""
    number = np.repeat(np.arange(40), np.resize([2, 3], 40))
    stamps = np.arange(len(number)) / 60
    again = np.r_[False, np.diff(number) == 0]
    seen, notes = steadied(told(stamps, number / 24, again))
    fresh = [s.t for s in seen.seen["white"] if s.fresh]
    assert np.diff(fresh) == pytest.approx(1 / 24, abs=1e-3)
    assert len(notes) == 2


def test_stamps_of_a_telephone_are_believed():
    """Pictures come unevenly, and the stamps say when."""
    stamps = np.cumsum(np.random.default_rng(3).uniform(0.02, 0.05, 50))
    before = told(stamps)
    seen, notes = steadied(before)
    assert seen is before
    assert notes == ()


def test_where_nothing_runs_nothing_is_said():
    stamps = np.arange(50) * STEP + np.random.default_rng(2).uniform(-0.01, 0.01, 50)
    before = told(stamps, np.arange(50) * STEP, speed=20.0)
    seen, notes = steadied(replace(before))
    assert notes == ()
    assert (seen.pictures.t == stamps).all()
