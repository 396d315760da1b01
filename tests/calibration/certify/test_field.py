"""The error over the field: bounds that hold, nothing claimed where nothing was measured."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.certify.field import ErrorField, grid
from calibration.certify.measure import Sample, samples
from calibration.certify.protocol import recognised, standard
from tests.calibration.certify.observations import PLACES, profile, rests, seen

TRUE = profile()
GRID = np.array([(u, v) for v in grid(TRUE)[1][::3] for u in grid(TRUE)[0][::3]])


def field(told, places=PLACES) -> ErrorField:
    knowns = recognised(rests(TRUE.camera, told.camera, places), told.table, standard(told.table))
    return ErrorField(told, samples(knowns, ()))


def test_bounds_hold_for_wrong_corners() -> None:
    rng, kept = np.random.default_rng(2), []
    for _ in range(4):
        told = profile(rng.normal(0, 3.0, (4, 2)))
        shown = seen(GRID, TRUE.camera, told.camera, 0.1, 7)
        kept.append(np.hypot(*(shown - GRID).T) <= field(told).bound(shown, 0.1))
    assert np.mean(kept) > 0.9


def test_a_shift_is_found() -> None:
    told = profile(np.array([6.0, 0.0]))
    shown = seen(GRID, TRUE.camera, told.camera)
    bias, _ = field(told).at(shown)
    assert np.abs(bias - (shown - GRID)).max() < 3.0
    assert np.hypot(*(shown - GRID).T).max() > 10.0


def test_nothing_measured_leaves_what_the_profile_says() -> None:
    bias, cover = ErrorField(TRUE).at(GRID)
    assert np.abs(bias).max() == 0
    assert (field(TRUE).bound(GRID, 0.1) < ErrorField(TRUE).bound(GRID, 0.1)).mean() > 0.9
    assert (np.linalg.eigvalsh(cover) > 0).all()


def test_far_from_the_checked_corner_the_field_stays_uncertain() -> None:
    near = ErrorField(TRUE, [Sample((300.0, 300.0), way, 0.0, 0.3) for way in ((1.0, 0.0), (0.0, 1.0))])
    here, there = near.bound([(300.0, 300.0), (3300.0, 1500.0)], 0.1)
    assert there > 1.2 * here


def test_noise_widens_the_bound() -> None:
    calm, noisy = field(TRUE).bound(GRID[:3], 0.1), field(TRUE).bound(GRID[:3], 2.0)
    assert (noisy > calm + 1).all()


def test_distances_err_less_than_places() -> None:
    f = field(profile(np.array([[4, 0], [-4, 2], [3, 3], [0, -4]])))
    bias, _ = f.between([(887.5, 887.5)], (68.0, 0.0))
    assert np.hypot(*bias[0]) < 1.0 < np.hypot(*f.at([(887.5, 887.5)])[0][0])


@pytest.mark.parametrize("hand_written", [True, False])
def test_profiles_with_and_without_a_covariance(hand_written) -> None:
    from dataclasses import replace

    told = replace(TRUE, covariance=None) if hand_written else TRUE
    assert np.isfinite(field(told).bound(GRID, 0.1)).all()
