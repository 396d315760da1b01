"""The lens from a board: known lenses come back within their error bars; too little is refused, and said why."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.boards import Board, parse_squares
from calibration.camera import Camera
from calibration.errors import UserError
from calibration.lens import NAMES, View, calibrate_lens, read_lens, views_of, write_lens
from calibration.lens_command import run_calibrate_lens

SIZE = (800, 600)
TRUE = (np.log(640.0), 404.0, 296.0, -0.22, 0.05, 1e-3, -5e-4, 0.0)
CHARUCO = Board()
PLAIN = Board("checkerboard", (8, 6), 28.0)


def alone(values) -> Camera:
    """A camera of these numbers of its lens."""
    focal, u, v, k1, k2, p1, p2, k3 = map(float, values)
    return Camera(*SIZE, float(np.exp(focal)), (u, v), (k1, k2, p1, p2, k3), np.eye(3), np.zeros(3))


def held(rng: np.random.Generator, board: Board, slant: float = 35.0, size=SIZE) -> Camera:
    """A camera that looks at a board; the board's plane is z = 0."""
    turn = cv2.Rodrigues(np.radians(rng.uniform(-slant, slant, 3)) * (1, 1, 0.5))[0]
    middle = np.array([*np.multiply(board.squares, board.square_mm) / 2, 0.0])
    aim = np.array([rng.uniform(-120, 120), rng.uniform(-80, 80), rng.uniform(380, 520)])
    lens = TRUE[3:]
    return Camera(
        *size, float(np.exp(TRUE[0])), (TRUE[1], TRUE[2]), (lens[0], lens[1], lens[2], lens[3], lens[4]), turn, aim - turn @ middle
    )


def filmed(camera: Camera, board: Board, rng: np.random.Generator) -> np.ndarray:
    """Grey picture of the board on a grey wall."""
    k = 4.0  # px per mm of the board's own picture, with a white rim
    art = cv2.copyMakeBorder(board.picture(k), 40, 40, 40, 40, cv2.BORDER_CONSTANT, value=255)
    x, y = np.meshgrid(np.arange(camera.width), np.arange(camera.height))
    at = (
        (camera.to_table(np.column_stack([x.ravel(), y.ravel()]), 0.0) * k + 39.5)
        .astype(np.float32)
        .reshape(camera.height, camera.width, 2)
    )
    seen = cv2.remap(
        cv2.GaussianBlur(art, (0, 0), 1.5), at[..., 0], at[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=128
    )
    return np.clip(seen + rng.normal(0, 2, seen.shape), 0, 255).astype(np.uint8)


def pictures(board: Board, count: int, slant: float = 35.0) -> list[tuple[str, np.ndarray]]:
    rng = np.random.default_rng(4)
    return [(f"{i}.png", filmed(held(rng, board, slant), board, rng)) for i in range(count)]


def points(count: int, *, slant: float = 35.0, noise: float = 0.1) -> list[View]:
    """Exactly projected corners with noise."""
    rng = np.random.default_rng(7)
    x, y = np.meshgrid(np.arange(1, 9), np.arange(1, 6))
    places = np.column_stack([x.ravel(), y.ravel(), np.zeros(x.size)]) * 25.0
    views = []
    for i in range(count):
        px = held(rng, CHARUCO, slant).project(places)
        views.append(View(f"view {i}", places, px + rng.normal(0, noise, px.shape)))
    return views


@pytest.mark.parametrize("board", [CHARUCO, PLAIN])
def test_a_filmed_board_gives_the_lens(board):
    result = calibrate_lens(views_of(pictures(board, 10), board), SIZE)
    lens = result.lens
    assert lens.views >= 8 and lens.rms_px < 0.3
    assert lens.focal == pytest.approx(640, rel=0.01)
    x, y = np.meshgrid(np.linspace(0, 800, 9), np.linspace(0, 600, 7))
    px = np.column_stack([x.ravel(), y.ravel()])
    found, true = (alone(values) for values in (lens.values, TRUE))
    # where the board was, rays agree to a pixel
    inner = np.hypot(*(px - (400, 300)).T) < 300
    assert np.abs(found.rays(px) - true.rays(px))[inner].max() * 640 < 2.5


def test_the_error_bars_hold():
    inside = []
    for shift in range(6):
        views = [replace(v, px=v.px + np.random.default_rng(shift * 50 + i).normal(0, 0.2, v.px.shape)) for i, v in enumerate(points(14))]
        lens = calibrate_lens(views, SIZE).lens
        inside += (np.abs(np.array(lens.values) - TRUE) < 2 * np.sqrt(np.diag(lens.covariance))).tolist()
    assert np.mean(inside) > 0.85


def test_a_bad_view_is_left_out():
    views = points(14)
    views[5] = replace(views[5], px=views[5].px + np.random.default_rng(1).normal(0, 4, views[5].px.shape))
    result = calibrate_lens(views, SIZE)
    assert result.left_out == ("view 5",)
    assert result.lens.focal == pytest.approx(640, rel=0.01)


def test_too_few_views_and_views_alike_are_refused():
    with pytest.raises(UserError, match=r"5 different views .* at least 8"):
        calibrate_lens(points(5), SIZE)
    with pytest.raises(UserError, match=r"no picture shows the board.*--squares"):
        calibrate_lens([], SIZE)
    with pytest.raises(UserError, match="held alike"):
        calibrate_lens(points(12, slant=3.0), SIZE)


def test_the_same_view_twice_counts_once():
    several = pictures(CHARUCO, 2)
    assert len(views_of(several + several, CHARUCO)) == len(views_of(several, CHARUCO))


def test_parts_of_the_picture_without_a_board_are_named():
    kept = [replace(v, places=v.places[v.px[:, 0] < 400], px=v.px[v.px[:, 0] < 400]) for v in points(14)]
    result = calibrate_lens([v for v in kept if len(v.px) >= 12], SIZE)
    assert any("bottom right" in text for text in result.advice)


def test_the_file_round_trips_and_wrong_ones_are_named(tmp_path):
    lens = calibrate_lens(points(12), SIZE, made_from="a.mp4").lens
    path = tmp_path / "lens.toml"
    write_lens(lens, path)
    read = read_lens(path)
    np.testing.assert_allclose(read.values, lens.values)
    np.testing.assert_allclose(read.covariance, lens.covariance)
    assert (read.size, read.views, read.made_from) == (lens.size, lens.views, "a.mp4")
    text = path.read_text()
    for old, new, word in (
        ("version = 1", "version = 2", "version"),
        ("[lens]", "[lense]", "[lens]"),
        ("width = 800", "width = 3", "width"),
        ("focal_px = ", 'focal_px = "x" #', "focal_px"),
        ('"k3"', '"k4"', "parameters"),
        ("matrix = [", "matrix = []\nrest = [", "matrix"),
    ):
        assert old in text
        path.write_text(text.replace(old, new, 1))
        with pytest.raises(UserError) as caught:
            read_lens(path)
        assert word in str(caught.value) and "\n" not in str(caught.value)
    with pytest.raises(UserError, match="cannot be read"):
        read_lens(tmp_path / "none.toml")


def test_a_lens_holds_for_its_size_only():
    lens = calibrate_lens(points(12), SIZE).lens
    prior = lens.prior(SIZE)
    assert prior.together == NAMES
    with pytest.raises(UserError, match="800x600"):
        lens.prior((1920, 1080))


def test_the_command_from_pictures_to_the_file(tmp_path):
    for name, picture in pictures(CHARUCO, 9):
        cv2.imwrite(str(tmp_path / name), picture)
    result = run_calibrate_lens([str(p) for p in sorted(tmp_path.glob("*.png"))], tmp_path / "lens.toml")
    assert read_lens(tmp_path / "lens.toml").focal == pytest.approx(640, rel=0.01)
    assert "written" in str(result) and "focal" in str(result)


@pytest.mark.parametrize("ending", ["png", "pdf"])
def test_a_printed_board_is_found_again(tmp_path, ending):
    path = tmp_path / f"board.{ending}"
    assert "100 %" in str(run_calibrate_lens([], None, print_to=path))
    assert path.stat().st_size > 3000
    if ending == "png":
        page = cv2.imread(str(path), cv2.IMREAD_GRAYSCALE)
        assert page is not None and page.shape[1] == pytest.approx(297 / 25.4 * 300, abs=2)
        seen = CHARUCO.corners(np.asarray(page, np.uint8))
        assert seen is not None
        places, px = seen
        assert len(px) == 40
        across = np.ptp(px[:, 0]) / np.ptp(places[:, 0])
        assert across == pytest.approx(300 / 25.4, rel=2e-3)  # true size


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"sources": []}, "--print"),
        ({"sources": ["none.png"]}, "no such file"),
        ({"squares": "9"}, "--squares"),
        ({"squares": "2x9"}, "--squares"),
        ({"board": "chess"}, "--board"),
        ({"square_mm": 0.0}, "--square-mm"),
        ({"marker_mm": 30.0}, "--marker-mm"),
        ({"out": None}, "--out"),
        ({"out": Path("nowhere/lens.toml")}, "--out"),
        ({"print_to": Path("board.gif")}, "--print"),
    ],
)
def test_wrong_options_are_named(tmp_path, options, word):
    arguments = {"sources": ["none.png"], "out": tmp_path / "lens.toml"} | options
    with pytest.raises(UserError, match=word):
        run_calibrate_lens(arguments.pop("sources"), arguments.pop("out"), **arguments)


def test_squares_of_a_text():
    assert parse_squares("6х9") == (9, 6)  # a Cyrillic letter
