"""The detector's geometry (scaling, regions, thinning) with a made-up network, and the shipped weights on a rendered table."""

import json

import cv2
import numpy as np
import pytest

from calibration.errors import UserError
from calibration.table import table
from vision import detect as module
from vision.detect import DEFAULT_WEIGHTS, Detection, Detector
from vision.detect_command import read_picture, run_detect
from vision.refine import rim_circle
from vision.shades import second_opinion
from vision.things import thinned_things

_needs_weights = pytest.mark.skipif(not DEFAULT_WEIGHTS.is_file(), reason="no weights here")


def _blobs(blob):
    """A network that finds white discs: one row a connected component, told by several cells."""
    seen = (blob[0].min(axis=0) > 0.8).astype(np.uint8)
    _, _, stats, centres = cv2.connectedComponentsWithStats(seen)
    rows = []
    for (_, _, w, h, _), (x, y) in zip(stats[1:], centres[1:], strict=True):
        for shift, score in ((0, 0.9), (1, 0.5), (-1, 0.5)):
            rows.append([x + 0.5 + shift, y + 0.5, w, h, score, 0, 0, 0.1, 0])
    return np.array(rows or np.zeros((0, 9)), np.float32).reshape(-1, 9).T


@pytest.fixture
def detector(monkeypatch, tmp_path):
    weights = tmp_path / "w.onnx"
    weights.write_bytes(b"x")
    monkeypatch.setattr(module, "_network", lambda path, threads: _blobs)
    return Detector(weights)


def _picture(discs, shape=(540, 960)):
    picture = np.zeros((*shape, 3), np.uint8)
    for x, y, d in discs:
        cv2.circle(picture, (round(x * 16), round(y * 16)), round(d * 8), (255, 255, 255), cv2.FILLED, cv2.LINE_AA, 4)
    return picture


@pytest.mark.parametrize("long_side", [None, 480, 960, 1920])
def test_places_do_not_depend_on_the_scale(detector, long_side):
    discs = [(100.0, 200.0, 20), (700.5, 411.0, 22)]
    found = sorted(detector.detect(_picture(discs), long_side=long_side), key=lambda d: d.x)
    assert len(found) == 2
    for got, (x, y, d) in zip(found, discs, strict=True):
        assert np.hypot(got.x - x, got.y - y) < 0.6
        assert got.diameter == pytest.approx(d, abs=3)
        assert got.colour == "white" and got.confidence == pytest.approx(0.9)


def test_a_region_only_shifts(detector):
    picture = _picture([(100, 200, 20), (700, 400, 20)])
    (found,) = detector.detect(picture, region=(600, 300, 960, 540), ball_px=20)
    assert np.hypot(found.x - 700, found.y - 400) < 0.6
    with pytest.raises(ValueError, match="region"):
        detector.detect(picture, region=(2000, 0, 2100, 100))


def test_wrong_pictures_are_named(detector):
    with pytest.raises(ValueError, match=r"expected uint8 \(H, W, 3\)"):
        detector.detect(np.zeros((10, 10), np.uint8))


def test_touching_balls_stay_two_and_one_ball_stays_one():
    # rows: x, y, w, h, five scores; two balls 20 px wide that touch, one of them told in two colours
    out = np.array(
        [
            [50, 50, 20, 20, 0.9, 0.2, 0, 0, 0],
            [53, 50, 20, 20, 0.5, 0.6, 0, 0, 0],
            [70, 50, 20, 20, 0, 0, 0.8, 0, 0],
            [200, 50, 20, 20, 0.2, 0, 0, 0, 0],
        ],
        np.float32,
    ).T
    found = module._thinned(out, 0.25, (1.0, 1.0), (100, 100))
    assert [d.colour for d in found] == ["white", "red"]
    assert 49.5 < found[0].x < 52.5 and found[1].x == pytest.approx(69.5)


def test_hands_and_cues_are_no_balls():
    # rows: x, y, w, h, scores of five balls, hand, cue; the first two cells speak of one hand, the third of a tip beside a ball
    out = np.array(
        [
            [50, 50, 40, 30, 0, 0, 0, 0, 0, 0.9, 0],
            [58, 50, 44, 30, 0, 0, 0, 0, 0, 0.6, 0],
            [90, 50, 40, 40, 0.4, 0, 0, 0, 0, 0, 0.8],
            [150, 50, 40, 40, 0, 0, 0, 0, 0, 0.1, 0],
        ],
        np.float32,
    ).T
    found = thinned_things(out, 0.35, (2.0, 2.0), (100, 100))
    assert [(d.kind, d.x, d.width, d.height) for d in found] == [("hand", 24.5, 20, 15), ("cue", 44.5, 20, 20)]
    assert [d.colour for d in module._thinned(out, 0.35, (1.0, 1.0), (200, 200))] == ["white"]
    assert thinned_things(out[:9], 0.35, (1.0, 1.0), (100, 100)) == [], "weights of five classes know neither"


def test_an_odd_size_needs_more_certainty():
    near = [Detection("red", 100.0 * i, 50.0 * (i % 3), 20 + 2.0 * i, 0.45) for i in range(6)]  # larger to the right: a tilted view
    head, spot = Detection("white", 250, 300, 60, 0.4), Detection("white", 300, 20, 8, 0.4)
    sure = Detection("black", 250, 60, 60, 0.9)
    assert module._of_one_size([*near, head, spot]) == near
    assert module._of_one_size([*near, sure]) == [*near, sure]
    assert module._of_one_size([head, spot]) == [head, spot]


def test_bad_weights_are_named(tmp_path):
    with pytest.raises(UserError, match=r"none\.onnx"):
        Detector(tmp_path / "none.onnx")
    (tmp_path / "w.txt").write_text("")
    with pytest.raises(UserError, match=r"as \.onnx or \.pt"):
        Detector(tmp_path / "w.txt")
    (tmp_path / "broken.onnx").write_bytes(b"no network")
    with pytest.raises(UserError, match=r"broken\.onnx: expected an ONNX file"):
        Detector(tmp_path / "broken.onnx")


def test_bad_pictures_are_named_and_nothing_is_written(tmp_path):
    out = tmp_path / "found.json"
    with pytest.raises(UserError, match="at least one picture"):
        run_detect([], out)
    with pytest.raises(UserError, match=r"none\.jpg"):
        run_detect([tmp_path / "none.jpg"], out)
    (tmp_path / "text.jpg").write_text("not a picture")
    with pytest.raises(UserError, match=r"text\.jpg: expected a picture"):
        read_picture(tmp_path / "text.jpg")
    with pytest.raises(UserError, match="existing folder"):
        run_detect([tmp_path / "text.jpg"], tmp_path / "no" / "found.json")
    assert not out.exists()


def test_detect_writes_the_contracts_form(monkeypatch, tmp_path):
    picture = tmp_path / "table.png"
    cv2.imwrite(str(picture), _picture([(100, 200, 20)]))
    weights = tmp_path / "w.onnx"
    weights.write_bytes(b"x")
    monkeypatch.setattr(module, "_network", lambda path, threads: _blobs)
    out = tmp_path / "found.json"
    assert run_detect([picture], out, weights) == 1
    (row,) = json.loads(out.read_text())
    assert row["picture"] == str(picture)
    assert set(row["balls"][0]) == {"colour", "x", "y", "diameter", "confidence"}
    assert [p.name for p in tmp_path.glob("*.part")] == []


@_needs_weights
@pytest.mark.train
@pytest.mark.parametrize(
    ("size", "cloth"), [((1920, 1080), (0.0, 0.36, 0.22)), ((854, 480), (0.13, 0.38, 0.75)), ((640, 360), (0.45, 0.47, 0.49))]
)
def test_the_shipped_weights_find_the_four_balls(size, cloth):
    pytest.importorskip("numba")
    from sample_videos.render import Look, Renderer, overhead_camera

    t = table()
    camera = overhead_camera(t, *size)
    places = {"white": (500, 900), "yellow": (2662.5, 887.5), "red": (887.5, 600), "black": (1775, 1200)}
    renderer = Renderer(t, camera, Look(cloth=cloth), step=4.0, oversample=1)
    picture = renderer.frame({k: [(*v, t.radius)] for k, v in places.items()})
    found: list[Detection] = Detector().detect(picture)
    true = {k: camera.project([(*v, t.radius)])[0] for k, v in places.items()}
    assert len(found) == 4
    for ball in found:
        assert ball.colour in true
        assert np.hypot(ball.x - true[ball.colour][0], ball.y - true[ball.colour][1]) < ball.diameter / 4


@pytest.mark.parametrize(("x", "y", "d"), [(50.3, 40.8, 34.0), (50.0, 41.25, 11.0)])
def test_the_rim_gives_sub_pixel_places(x, y, d):
    cloth, ball = (90, 130, 40), (40, 40, 200)
    fine = np.zeros((80 * 8, 100 * 8, 3), np.uint8)
    fine[:] = cloth
    cv2.circle(fine, (round((x + 0.5) * 8 - 0.5), round((y + 0.5) * 8 - 0.5)), round(d * 4), ball, cv2.FILLED, cv2.LINE_AA)
    cv2.circle(fine, (round(x * 8 + 14), round(y * 8 + 10)), round(d / 2), (255, 255, 255), cv2.FILLED)  # a highlight
    picture = cv2.GaussianBlur(cv2.resize(fine, (100, 80), interpolation=cv2.INTER_AREA), (0, 0), 0.6)
    lab = cv2.cvtColor(np.uint8([[cloth]]), cv2.COLOR_BGR2LAB)[0, 0].astype(np.float32)
    found = rim_circle(picture, x + 0.06 * d, y - 0.05 * d, 1.08 * d, lab)
    assert found is not None
    assert np.hypot(found[0] - x, found[1] - y) < 0.12
    assert found[2] == pytest.approx(d, abs=0.5)
    assert rim_circle(picture[:, ::-1].copy(), 20.0, 20.0, d, lab) is None  # bare cloth


def test_browns_pinks_and_odd_ones_are_no_reds():
    picture = np.full((60, 420, 3), (60, 120, 30), np.uint8)
    colours = [(30, 20, 190), (35, 80, 130), (160, 140, 235), (30, 20, 180), (28, 22, 200), (35, 30, 185), (30, 75, 190)]
    found = []
    for i, bgr in enumerate(colours):
        cv2.circle(picture, (30 + 60 * i, 30), 12, bgr, cv2.FILLED)
        found.append(Detection("red", 30 + 60 * i, 30, 24, 0.9))
    assert [d.colour for d in second_opinion(picture, found)] == ["red", "other", "other", "red", "red", "red", "other"]


def test_a_colourless_ball_is_white_and_a_yellow_one_yellow():
    picture = np.full((60, 120, 3), (60, 120, 30), np.uint8)
    cv2.circle(picture, (30, 30), 12, (215, 235, 240), cv2.FILLED)
    cv2.circle(picture, (90, 30), 12, (30, 190, 235), cv2.FILLED)
    found = [Detection("yellow", x, 30, 24, 0.9) for x in (30, 90)]
    assert [d.colour for d in second_opinion(picture, found)] == ["white", "yellow"]
