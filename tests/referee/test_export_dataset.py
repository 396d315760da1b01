"""Doubtful frames: what is chosen, and the folder that a person corrects."""

import json
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.errors import UserError
from models.labels import CLASSES, Mark
from referee import export_dataset as work
from referee.export_dataset_choice import WORTH, Looked, alike, candidates, chosen
from referee.formats.folder import Analysis, Place
from tests.vision.clips import write_video
from tests.vision.tables import profile as overhead_profile
from vision.detect import Detection

SMALL = np.zeros((36, 64), np.float32)


def look(frame: int, reason: str, x: float = 0.0) -> Looked:
    return Looked(frame, frame / 10, (Mark("red", x, 50, 20, 20),), frozenset({reason}), SMALL)


@given(
    st.lists(st.tuples(st.integers(0, 999), st.sampled_from(sorted(WORTH)), st.floats(0, 900)), unique_by=lambda v: v[0]), st.integers(1, 9)
)
def test_the_choice_is_small_in_order_worthy_and_without_likenesses(given_frames, most):
    frames = [look(*f) for f in given_frames]
    taken = chosen(frames, most)
    assert len(taken) <= most and (bool(taken) or not frames)
    assert [t.frame for t in taken] == sorted(t.frame for t in taken)
    assert not any(alike(a, b) for n, a in enumerate(taken) for b in taken[:n])


def test_the_choice_is_spread_over_time():
    """Ten moments of one busy second do not crowd out a lesser doubt much later."""
    busy = [look(n, "uncovered", x=100.0 * n) for n in range(10)]
    assert 900 in [t.frame for t in chosen([*busy, look(900, "first look", x=5000.0)], 4)]


def test_a_hand_over_the_table_makes_another_picture():
    hand = SMALL.copy()
    hand[:8, :8] = 100
    assert alike(look(1, "uncovered"), look(2, "uncovered"))
    assert not alike(look(1, "uncovered"), replace(look(2, "uncovered"), small=hand))
    assert not alike(look(1, "uncovered"), look(2, "uncovered", x=11.0))


def test_candidates_are_first_looks_returns_unsure_places_and_what_is_in_review():
    def place(t: float, state: str = "seen", sigma: float = 0.5) -> Place:
        return Place("red", t, 100.0, 100.0, sigma, state)

    frames = [(n, n / 10, [place(n / 10)]) for n in range(60)]
    frames[20:25] = [(n, n / 10, []) for n in range(20, 25)]
    frames[40] = (40, 4.0, [place(4.0, sigma=9.0)])
    frames[50] = (50, 5.0, [place(5.0, state="hidden")])
    shots = [
        {"start_frame": 30, "events": [{"frame": 33}], "review": [{"event": 0}, {"event": None}]},
        {"start_frame": 45, "events": [], "review": []},
    ]
    found = {c.frame: set(c.reasons) for c in candidates(frames, shots, 68.0, most=9, every=99.0)}
    assert found == {
        0: {"first look", "checked"}, 25: {"found again"}, 30: {"stroke in review"}, 33: {"stroke in review"},
        40: {"unsure place"}, 50: {"hidden"},
    }  # fmt: skip


class Told:
    """A detector that says what it is told."""

    found: tuple[Detection, ...] = ()

    def __init__(self, weights=None):
        pass

    def detect(self, picture, *, ball_px):
        return list(self.found)


@pytest.fixture
def scene(tmp_path, monkeypatch):
    """An analysis of three frames with a red ball that is seen, then hidden."""
    profile = overhead_profile()
    xy = [1000.0, 800.0]
    px = profile.camera.project_at([xy], profile.table.radius)[0]
    bare = np.full((360, 640, 3), (60, 120, 40), np.uint8)
    ball = bare.copy()
    cv2.circle(ball, (round(px[0]), round(px[1])), 6, (40, 40, 200), cv2.FILLED)
    cv2.rectangle(bare, (450, 60), (560, 140), (140, 160, 200), cv2.FILLED)  # a hand: another picture
    video = write_video(tmp_path / "match.mp4", [ball, bare, bare], rate=10)
    folder = tmp_path / "out"
    folder.mkdir()
    rows = [f"{n},{n / 10:.6f},red,{xy[0]},{xy[1]},0.5,{'seen' if n == 0 else 'hidden'}" for n in range(3)]
    (folder / "tracks.csv").write_text("\n".join(["frame,video_t,ball,x_mm,y_mm,sigma_mm,state", *rows]) + "\n")
    document = {"video": {"file": "match.mp4", "width": 640, "height": 360, "frames": 3, "duration": 0.3}, "shots": []}
    monkeypatch.setattr(work, "Detector", Told)

    def run(*found: Detection, most: int = 9) -> tuple[int, Path]:
        monkeypatch.setattr(Told, "found", found)
        out = tmp_path / "set"
        return work.export_dataset(Analysis(folder, document), video, [(0.0, profile)], out, most=most), out

    return run, Detection("red", float(px[0]), float(px[1]), 12.0, 0.9)


def test_the_folder_has_what_each_tool_needs(scene):
    run, red = scene
    count, out = run(red)
    assert count == 2, "the first look, and the hidden ball that the network sees"
    names = sorted(p.relative_to(out).as_posix() for p in out.rglob("*") if p.is_file())
    assert names == [
        "coco.json", "data.yaml", "frames.csv", "images/train/match_0000000.jpg", "images/val/match_0000001.jpg",
        "label_studio.json", "label_studio.xml", "labels/train/match_0000000.txt", "labels/val/match_0000001.txt",
    ]  # fmt: skip
    kind, x, y, *_ = (out / "labels/train/match_0000000.txt").read_text().split()
    assert CLASSES[int(kind)] == "red" and abs(float(x) * 640 - red.x - 0.5) < 0.5 and abs(float(y) * 360 - red.y - 0.5) < 0.5
    assert json.loads((out / "label_studio.json").read_text())[0]["predictions"][0]["result"][0]["score"] == 0.9
    assert "match_0000001.jpg,1,0.100000,uncovered" in (out / "frames.csv").read_text()


def test_a_ball_that_hides_on_bare_cloth_is_doubtful_and_has_no_label(scene):
    run, _ = scene
    count, out = run()
    assert count == 2
    assert "unseen by the network" in (out / "frames.csv").read_text() and "uncovered" in (out / "frames.csv").read_text()
    assert (out / "labels/val/match_0000001.txt").read_text() == ""


def test_what_the_network_alone_sees_is_labelled_on_the_table_only(scene):
    run, red = scene
    blue, lamp = Detection("other", 200, 180, 12, 0.8), Detection("white", 2, 2, 12, 0.95)
    _, out = run(red, blue, lamp)
    rows = [line.split() for line in (out / "labels/train/match_0000000.txt").read_text().splitlines()]
    assert sorted(CLASSES[int(r[0])] for r in rows) == ["other", "red"]
    assert "not followed" in (out / "frames.csv").read_text()


def test_a_colour_that_the_network_calls_otherwise_keeps_the_trackers_name(scene):
    run, red = scene
    _, out = run(replace(red, colour="other"), most=1)
    assert "other colour" in (out / "frames.csv").read_text()


def test_a_folder_that_holds_something_is_refused(tmp_path):
    (tmp_path / "a").write_text("")
    with pytest.raises(UserError, match="expected a folder that is empty or not there yet"):
        work.check_folder(tmp_path)
