"""What a camera and a broadcaster do to pictures: flicker in bands, exposure that follows, panels, and cloth that keeps its colour."""

import numpy as np
import pytest

pytest.importorskip("numba")  # pictures are rendered: the extra `simulate`

from calibration.table import table
from sample_videos.render import (
    PARTS,
    Capsule,
    Look,
    Renderer,
    Sensor,
    make_overlay,
    overhead_camera,
    random_camera,
    random_look,
    random_sensor,
    tilted_camera,
)
from sample_videos.render.random_look import brightest

pytestmark = pytest.mark.train

GREY = np.full((100, 8, 3), 128, np.uint8)


def test_lamps_on_the_mains_make_bands_only_with_a_rolling_shutter() -> None:
    rolling, whole = Sensor(readout=0.02, flicker=0.3), Sensor(flicker=0.3)
    bands = rolling.expose(GREY, 0.0, 0.001)[:, 0, 0].astype(int)
    turns = np.flatnonzero(np.diff(np.sign(np.diff(bands[np.r_[True, np.diff(bands) != 0]]))))
    assert np.ptp(bands) > 20 and len(turns) == 3  # two swings of 100 Hz in 20 ms, from crest to crest
    assert np.ptp(whole.expose(GREY, 0.0013, 0.001)[:, 0, 0]) == 0


def test_an_exposure_of_a_whole_swing_sees_no_flicker() -> None:
    assert Sensor(readout=0.02, flicker=0.5).gains(0.3, 50, 0.01) == pytest.approx(np.ones(50), abs=1e-9)
    assert np.ptp(Sensor(readout=0.02, flicker=0.5, mains=60).gains(0.3, 50, 0.01)) > 0.01


def test_automatic_exposure_follows_and_stays() -> None:
    sensor = Sensor(steps=((1.0, 0.5), (3.0, 1.2)))
    assert [float(sensor.gains(t, 1, 0.01)[0]) for t in (0.9, 2.0, 4.0)] == pytest.approx([1.0, 0.5, 1.2])
    dark = sensor.expose(GREY, 2.0, 0.01)[0, 0, 0]
    assert 85 < dark < 100  # half the light of 128 in sRGB is 93
    assert Sensor().expose(GREY, 0.0, 0.01) is GREY


def test_panels_lie_in_their_boxes_and_the_ticker_runs() -> None:
    picture = np.full((360, 640, 3), 90, np.uint8)
    moves = 0
    for seed in range(6):
        overlay = make_overlay((640, 360), seed)
        assert len(overlay.boxes) == len(PARTS)
        first, later = overlay.draw(picture.copy(), 0.0), overlay.draw(picture.copy(), 1.0)
        outside = np.ones(picture.shape[:2], bool)
        for x0, y0, x1, y1 in overlay.boxes:
            assert 0 <= x0 < x1 <= 640 and 0 <= y0 < y1 <= 360
            outside[y0:y1, x0:x1] = False
        assert (first[outside] == 90).all() and not (first[~outside] == 90).all()
        moves += not np.array_equal(first, later)
    assert moves > 1
    with pytest.raises(ValueError, match="expected one of scoreboard"):
        make_overlay((640, 360), 0, ("banner",))


def test_a_ball_under_a_panel_is_not_seen() -> None:
    t = table()
    camera = overhead_camera(t, 320, 180)
    x, y = camera.project_at([(1775, 887)], t.radius)[0]
    box = (int(x) - 10, int(y) - 10, int(x) + 10, int(y) + 10)
    renderer = Renderer(t, camera, Look(noise=0), oversample=1, covered=[box])
    renderer.frame({"white": [(1775, 887, 34)], "red": [(700, 887, 34)]})
    assert set(renderer.visible) == {"red"}


def test_the_cloth_keeps_its_colour() -> None:
    for seed in range(60):
        look = random_look(np.random.default_rng(seed))
        free = random_look(np.random.default_rng(seed), saturates=True)
        assert brightest(look, 3550, 1775) <= 240 and look.exposure <= free.exposure
    t = table()
    look = random_look(np.random.default_rng(3))
    picture = Renderer(t, overhead_camera(t, 320, 180), look, oversample=1).empty
    assert np.percentile(picture[60:120, 90:230].max(axis=2), 99) < 250


def test_random_cameras_see_the_whole_table() -> None:
    t = table()
    for seed in range(30):
        rng = np.random.default_rng(seed)
        camera = tilted_camera(t, 640, 360, **random_camera(rng))  # type: ignore[arg-type]
        corners = camera.project_at(t.corners, t.nose_height)
        assert (corners > -30).all() and (corners < (670, 390)).all()
        assert random_sensor(rng, 50).readout <= 1 / 50


def test_a_bar_that_moves_is_blurred_and_one_that_rests_is_not() -> None:
    t = table()
    renderer = Renderer(t, overhead_camera(t, 320, 180), Look(noise=0), oversample=1)
    bar = Capsule((1775, 700, 60), (1775, 1100, 60), 20, 20, (0.95, 0.95, 0.95))
    still = renderer.frame({}, [bar], noise=False).astype(int)
    swept = Capsule(bar.a, bar.b, 20, 20, bar.colour, 0.0, (120, 0, 0), (120, 0, 0))
    blurred = renderer.frame({}, [swept], noise=False).astype(int)
    empty = renderer.empty.astype(int)
    row = camera_row(renderer, (1775, 900))
    wide = [int((np.abs(picture[row] - empty[row]).max(axis=1) > 12).sum()) for picture in (still, blurred)]
    assert wide[1] > wide[0] + 5 and blurred[row].max() < still[row].max()


def camera_row(renderer: Renderer, at: tuple[float, float]) -> int:
    return round(float(renderer.camera.project_at([at], 60.0)[0, 1]))
