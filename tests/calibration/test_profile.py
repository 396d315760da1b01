"""PROFILE.toml: round trip, hand-written files, and every wrong field named in one line."""

from __future__ import annotations

import os
from dataclasses import replace

import numpy as np
import pytest

from calibration.errors import UserError
from calibration.fit import camera_from_corners
from calibration.profile import Profile, profile_from_fit, read_profile, write_profile
from calibration.table import custom_table, table
from tests.calibration.scenes import OVERHEAD, TABLE, corners_of


def made(kind=TABLE) -> Profile:
    corners = corners_of(OVERHEAD, kind)
    fit = camera_from_corners(corners, kind, (OVERHEAD.width, OVERHEAD.height))
    return profile_from_fit(
        kind, fit, corners, home="left", home_from="given", made_from="a.mp4", colours=(("white", (230.0, 235.0, 240.0)),)
    )


@pytest.mark.parametrize("kind", [TABLE, table("snooker-12ft"), table("carom-10ft"), custom_table(3000, 1500, ball=60.3)])
def test_round_trip(tmp_path, kind):
    profile = made(kind)
    write_profile(profile, tmp_path / "p.toml")
    read = read_profile(tmp_path / "p.toml")
    assert read.table == kind
    np.testing.assert_allclose(read.camera.as_tuple(), profile.camera.as_tuple())
    assert read.corners_px == profile.corners_px
    assert (read.home, read.home_from, read.made_from, read.colours) == ("left", "given", "a.mp4", profile.colours)
    assert os.listdir(tmp_path) == ["p.toml"]


HAND_WRITTEN = """
[table]
name = "pyramid-12ft"
length_mm = 3550
width_mm = 1775
ball_mm = 68
[picture]
width = 1280
height = 720
corners_px = [[136.5, 612.0], [136.5, 108.0], [1143.5, 108.0], [1143.5, 612.0]]
"""


def test_hand_written_profile_without_a_camera(tmp_path):
    (tmp_path / "p.toml").write_text(HAND_WRITTEN)
    profile = read_profile(tmp_path / "p.toml")
    assert profile.table == TABLE
    assert np.abs(profile.camera.project_at(TABLE.corners, TABLE.nose_height) - np.array(profile.corners_px)).max() < 1


@pytest.mark.parametrize(
    ("old", "new", "word"),
    [
        ("[table]", "[tabel]", "[table]"),
        ("length_mm = 3550", "", "table.length_mm"),
        ("length_mm = 3550", 'length_mm = "long"', "table.length_mm"),
        ("length_mm = 3550", "length_mm = 35", "table.length_mm"),
        ("length_mm = 3550", "length_mm = true", "table.length_mm"),
        ("width_mm = 1775", "width_mm = 4000", "table.length_mm, table.width_mm"),
        ("ball_mm = 68", "ball_mm = -1", "table.ball_mm"),
        ('name = "pyramid-12ft"', "name = 3", "table.name"),
        ("ball_mm = 68", "ball_mm = nan", "table.ball_mm"),
        ("width = 1280", "width = 0", "picture.width"),
        ("width = 1280", "width = 1280.5", "picture.width"),
        ("width = 1280", "width = inf", "picture.width"),
        ("[1143.5, 612.0]]", "[1143.5, nan]]", "picture.corners_px"),
        ("[picture]", "[picture]\nhome = 3", "picture.home"),
        ("[picture]", '[picture]\nhome = "up"', "picture.home"),
        ("[picture]", '[picture]\naround = "#112233 green"', "picture.around"),
        ("[1143.5, 612.0]]", f"[1143.5, 1{'0' * 400}]]", "picture.corners_px"),
        ("[1143.5, 612.0]]", "[1143.5]]", "picture.corners_px"),
        ("[1143.5, 612.0]]", '[1143.5, "x"]]', "picture.corners_px"),
        ("[136.5, 612.0], [136.5, 108.0]", "[136.5, 108.0], [136.5, 612.0]", "picture.corners_px"),
        ("[table]", "version = 9\n[table]", "version"),
        ("[table]", "version = true\n[table]", "version"),
        ("[table]", "[table", "not TOML"),
        ("[picture]", "[camera]\nfocal_px = 3\n[picture]", "camera."),
    ],
)
def test_wrong_fields_are_named(tmp_path, old, new, word):
    path = tmp_path / "p.toml"
    path.write_text(HAND_WRITTEN.replace(old, new, 1))
    with pytest.raises(UserError) as caught:
        read_profile(path)
    assert word in str(caught.value) and str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ['[project]\nname = "other"\n', ""])
def test_toml_that_is_no_profile_is_called_so(tmp_path, text):
    (tmp_path / "p.toml").write_text(text)
    with pytest.raises(UserError, match=r"p\.toml: not the profile of a table.*poedinok calibrate"):
        read_profile(tmp_path / "p.toml")


def test_a_camera_that_contradicts_the_corners(tmp_path):
    write_profile(made(), tmp_path / "p.toml")
    text = (tmp_path / "p.toml").read_text()
    lines = [line if not line.startswith("translation_mm") else "translation_mm = [0.0, 0.0, 5000.0]" for line in text.splitlines()]
    (tmp_path / "p.toml").write_text("\n".join(lines))
    with pytest.raises(UserError, match=r"\[camera\]"):
        read_profile(tmp_path / "p.toml")


def test_missing_file_and_folder(tmp_path):
    with pytest.raises(UserError, match="cannot be read"):
        read_profile(tmp_path / "none.toml")
    with pytest.raises(UserError, match="cannot be written"):
        write_profile(made(), tmp_path / "none" / "p.toml")


def test_a_read_only_profile_is_not_replaced(tmp_path, monkeypatch):
    (tmp_path / "p.toml").write_text("kept")
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # root may write everything
    with pytest.raises(UserError, match="read-only"):
        write_profile(made(), tmp_path / "p.toml")
    assert (tmp_path / "p.toml").read_text() == "kept" and os.listdir(tmp_path) == ["p.toml"]


def test_check_names_both_sizes():
    made().check(1280, 720)
    for width, height, why in ((1920, 1080, "another resolution"), (720, 1280, "turned"), (640, 480, "another camera")):
        with pytest.raises(UserError, match=rf"1280x720.*{width}x{height}.*{why}.*calibrate again: poedinok calibrate"):
            made().check(width, height)


def test_a_profile_saved_by_an_editor_that_marks_utf8(tmp_path):
    (tmp_path / "p.toml").write_text(HAND_WRITTEN, encoding="utf-8-sig")
    assert read_profile(tmp_path / "p.toml").table == TABLE


def test_colours_of_balls_are_written_for_people(tmp_path):
    write_profile(made(), tmp_path / "p.toml")
    assert '[balls]\nwhite = "#f0ebe6"' in (tmp_path / "p.toml").read_text()


@pytest.mark.parametrize(
    ("line", "word"),
    [('white = "cream"', "#rrggbb"), ("white = [1, 2, 3]", "balls.white"), ('green = "#00ff00"', "white, yellow, red, black")],
)
def test_wrong_colours_of_balls(tmp_path, line, word):
    path = tmp_path / "p.toml"
    path.write_text(HAND_WRITTEN + f"[balls]\n{line}\n")
    with pytest.raises(UserError) as caught:
        read_profile(path)
    assert word in str(caught.value) and "balls." in str(caught.value)


def test_what_made_it_is_kept(tmp_path):
    write_profile(replace(made(), made_when="2026-01-02T03:04:05+00:00", made_by="poedinok 0.1.0"), tmp_path / "p.toml")
    read = read_profile(tmp_path / "p.toml")
    assert (read.made_when, read.made_by) == ("2026-01-02T03:04:05+00:00", "poedinok 0.1.0")
