"""Balls that roll straight tell the lens; ways that are none, or contradict the profile, are noticed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from calibration.accuracy import place_sigma
from calibration.errors import UserError
from calibration.fit import camera_from_corners
from calibration.profile import Profile, profile_from_fit
from calibration.refine import CushionHit, Way, refine_from_balls, straight_ways, ways_of_tracks
from calibration.uncertainty import CameraUncertainty
from tests.calibration.scenes import TABLE, corners_of, looking

TRUE = looking((1600.0, 700.0, 3300.0), focal=1350.0, size=(1920, 1080), lens=(-0.08, 0.0, 0.0, 0.0, 0.0))
GRID = np.array([(x, y) for x in np.linspace(60, 3490, 9) for y in np.linspace(60, 1715, 5)])


def rough() -> Profile:
    """From the corners alone, which do not tell how the lens bends."""
    corners = corners_of(TRUE)
    return profile_from_fit(TABLE, camera_from_corners(corners, TABLE, (1920, 1080), focal=1350.0), corners)


def rolled(count: int, noise: float = 0.2, bend: float = 0.0) -> list[np.ndarray]:
    rng = np.random.default_rng(3)
    ways = []
    for _ in range(count):
        start, end = rng.uniform((60, 60), (3490, 1715), (2, 2))
        s = np.linspace(0, 1, 25)[:, None]
        places = (
            start + s * (end - start) + bend * np.sin(np.pi * s) * np.array([-1.0, 1.0]) * (end - start)[::-1] / np.hypot(*(end - start))
        )
        px = TRUE.project_at(places, TABLE.radius) + TRUE.silhouette_offset(places, TABLE.radius)
        ways.append(px + rng.normal(0, noise, px.shape))
    return ways


def errors(profile: Profile) -> np.ndarray:
    return np.hypot(*(profile.camera.to_table(TRUE.project_at(GRID, TABLE.radius), TABLE.radius) - GRID).T)


def test_straight_ways_give_the_bend_of_the_lens():
    profile = rough()
    assert np.median(errors(profile)) > 5
    better = refine_from_balls(profile, [Way(px, 0.2) for px in rolled(30)])
    # what bends a picture is k1 over the square of the focal length
    bend = [camera.distortion[0] / camera.focal**2 for camera in (better.camera, TRUE)]
    assert bend[0] == pytest.approx(bend[1], rel=0.2)
    assert np.median(errors(better)) < 0.3 * np.median(errors(profile))
    assert "refined by" in better.how


def test_error_bars_shrink_and_a_right_camera_stays():
    profile = rough()
    assert profile.covariance is not None
    names, matrix = profile.covariance.parameters, np.zeros((7, 7))
    matrix[:6, :6], matrix[6, 6] = profile.covariance.matrix, 0.1**2
    right = replace(profile, camera=TRUE, covariance=CameraUncertainty.of((*names, "k1"), matrix))
    better = refine_from_balls(right, rolled(30))
    assert np.median(errors(better)) < 1.0
    assert np.median(place_sigma(better, GRID)) < 0.7 * np.median(place_sigma(right, GRID))


def test_touches_of_cushions_put_noses_in_their_place():
    """A shade was taken for the foot's nose: straight ways cannot tell that, balls that turn beyond it can."""
    corners = corners_of(TRUE)
    corners[2:] += (corners[:2] - corners[2:])[::-1] * 0.006
    fit = camera_from_corners(corners, TABLE, (1920, 1080), focal=1350.0, lens=TRUE.distortion)
    wrong = profile_from_fit(TABLE, fit, corners)
    rng = np.random.default_rng(5)
    reach, hits = TABLE.reach, []
    for side in ("home", "foot", "left", "right") * 6:
        along = rng.uniform(0.1, 0.9)
        x = {"home": reach, "foot": TABLE.length - reach}.get(side, along * TABLE.length)
        y = {"right": reach, "left": TABLE.width - reach}.get(side, along * TABLE.width)
        at = wrong.camera.to_table(TRUE.project_at([(x, y)], TABLE.radius), TABLE.radius)[0] + rng.normal(0, 1.5, 2)
        hits.append(CushionHit(side, (float(at[0]), float(at[1])), 1.5))
    before, straight = errors(wrong), errors(refine_from_balls(wrong, rolled(30)))
    better = refine_from_balls(wrong, rolled(30), hits)
    assert np.median(straight) > 0.5 * np.median(before)
    assert np.median(errors(better)) < 0.35 * np.median(before), (np.median(before), np.median(straight), np.median(errors(better)))
    assert "24 touches of cushions" in better.how


def test_too_few_straight_ways_are_refused():
    with pytest.raises(UserError, match="at least 6"):
        refine_from_balls(replace(rough(), camera=TRUE), rolled(3))
    assert not straight_ways(replace(rough(), camera=TRUE), rolled(10, bend=120.0))


def test_ways_of_a_tracks_file_are_cut_at_turns(tmp_path):
    rows = ["frame,video_t,ball,x_mm,y_mm,sigma_mm,state"]
    x, y, step = 200.0, 300.0, (40.0, 30.0)
    for frame in range(60):
        rows.append(f"{frame},{frame / 60:.6f},white,{x:.2f},{y:.2f},0.5,seen")
        if frame == 30:
            step = (40.0, -30.0)
        x, y = x + step[0], y + step[1]
    path = tmp_path / "tracks.csv"
    path.write_text("\n".join(rows) + "\n")
    profile = replace(rough(), camera=TRUE)
    ways = ways_of_tracks(path, profile)
    assert [len(way.px) >= 20 for way in ways] == [True, True]
    assert len(straight_ways(profile, ways)) == 2
    path.write_text("a,b\n1,2\n")
    with pytest.raises(UserError, match="tracks"):
        ways_of_tracks(path, profile)
    with pytest.raises(UserError, match="cannot be read"):
        ways_of_tracks(tmp_path / "none.csv", profile)
