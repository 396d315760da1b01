"""From a small drawn video to strokes: one stroke and a placement, cuts, doubled and damaged frames, bad input."""

import csv

import numpy as np
import pytest

from calibration.errors import UserError
from tests.vision.clips import write_sound, write_video
from tests.vision.strokes import BACK_AT, HAND, KIND, POCKET, STRIKE, film
from tests.vision.tables import BALLS, profile
from vision.pipeline import analyze_video, few_pictures

FPS = 30
END = 6.8


@pytest.fixture(scope="module")
def scene():
    return film()


@pytest.fixture(scope="module")
def pictures(scene):
    return list(scene.pictures(FPS, 0.0, END))


@pytest.fixture(scope="module")
def result(scene, pictures, tmp_path_factory):
    folder = tmp_path_factory.mktemp("film")
    path = write_video(folder / "film.mp4", pictures, rate=FPS)
    told = []
    return analyze_video(path, profile=scene.profile, tracks=folder / "tracks.csv", on_progress=told.append), folder / "tracks.csv", told


def _rows(path):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_one_stroke_and_no_placement(result):
    [stroke] = result[0].strokes
    assert stroke.cue_ball == "white"
    assert stroke.start_t == pytest.approx(STRIKE, abs=0.02)
    assert stroke.end_t < HAND[0]
    assert stroke.start_frame == pytest.approx(STRIKE * FPS, abs=1)
    assert stroke.review == ()


def test_events_of_the_stroke(scene, result):
    [stroke] = result[0].strokes
    told = [(e.type, e.ball or e.balls, e.cushion or e.pocket) for e in stroke.shot.events if e.type != "midline"]
    assert told == [
        ("strike", "white", None),
        ("contact", ("white", "yellow"), None),
        ("pocket", "yellow", POCKET),
        ("cushion", "white", "foot"),
        ("stop", "white", None),
    ]
    times = {e.type: e.t for e in stroke.shot.events}
    real = {kind: t for t, kind, _ in scene.truth.events}
    assert times["strike"] == 0
    assert times["contact"] == pytest.approx(real["contact"], abs=0.01)
    assert times["cushion"] == pytest.approx(real["cushion"], abs=0.01)
    assert times["pocket"] == pytest.approx(scene.fell, abs=0.03)
    for e in stroke.shot.events:
        assert e.video_t == pytest.approx(stroke.start_t + e.t, abs=0.002)
        assert e.frame == pytest.approx((e.video_t or 0) * FPS, abs=0.51)
        assert (e.sigma_ms or 0) > 0
        assert 0 < (e.confidence or 0) <= 1


def test_places_before_and_after(scene, result):
    [stroke] = result[0].strokes
    for ball in BALLS:
        track = scene.truth.tracks[ball]
        assert stroke.positions_before[ball] == pytest.approx(tuple(track[0]), abs=4)
        after = stroke.shot.positions[ball]
        assert after is None if ball == "yellow" else after == pytest.approx(tuple(track[-1]), abs=4)
    assert set(stroke.paths) == {"white", "yellow"}


def test_tracks_have_a_row_for_every_frame_and_ball(scene, result, pictures):
    rows = _rows(result[1])
    assert list(rows[0]) == ["frame", "video_t", "ball", "x_mm", "y_mm", "sigma_mm", "state"]
    assert [(int(r["frame"]), r["ball"]) for r in rows] == [
        (k, b) for k in range(len(pictures)) for b in ("white", "yellow", "red", "black")
    ]
    assert {r["state"] for r in rows} <= {"seen", "hidden", "pocketed", "absent"}
    for row in rows:
        assert float(row["video_t"]) == pytest.approx(int(row["frame"]) / FPS, abs=1e-4)
        assert bool(row["x_mm"]) == (row["state"] in ("seen", "hidden"))
    truth, errors = scene.truth, []
    for row in rows:
        t = float(row["video_t"]) - STRIKE
        if row["state"] == "seen" and t < truth.clock[-1] and not (row["ball"] == "yellow" and t > scene.fell - 0.05):
            track = truth.tracks[row["ball"]]
            place = [np.interp(t, truth.clock, track[:, k]) for k in (0, 1)]
            errors.append(np.hypot(float(row["x_mm"]) - place[0], float(row["y_mm"]) - place[1]))
    assert len(errors) > 300
    assert np.median(errors) < 2.5
    assert np.percentile(errors, 99) < 8


def test_states_of_a_ball_that_fell_and_came_back(scene, result):
    yellow = {round(float(r["video_t"]), 3): r for r in _rows(result[1]) if r["ball"] == "yellow"}
    states = [(t, r["state"]) for t, r in sorted(yellow.items())]
    assert {s for t, s in states if t < STRIKE + scene.fell - 0.1} == {"seen"}
    assert {s for t, s in states if STRIKE + scene.fell + 0.4 < t < HAND[0]} == {"pocketed"}
    last = yellow[max(yellow)]
    assert last["state"] == "seen"
    assert (float(last["x_mm"]), float(last["y_mm"])) == pytest.approx(BACK_AT, abs=5)


def test_result_speaks_of_the_whole_video(result, pictures):
    found, _, told = result
    assert found.video.frames == len(pictures)
    assert (found.video.width, found.video.height) == (640, 360)
    assert found.notes == ()
    assert [p.done for p in told] == sorted(p.done for p in told)
    assert told[0].total == len(pictures)


def _elsewhere(seed=3):
    """A picture of something else: blocks of random colours."""
    blocks = np.random.default_rng(seed).integers(0, 255, (9, 16, 3)).astype(np.uint8)
    return np.kron(blocks, np.ones((40, 40, 1), np.uint8))


def test_a_cut_in_mid_stroke_is_noted_and_doubted(scene, pictures, tmp_path):
    cut = round((STRIKE + 1.0) * FPS)
    shown = [*pictures[:cut], *[_elsewhere()] * 20, *pictures[round(3.9 * FPS) : round(4.15 * FPS)]]
    found = analyze_video(
        write_video(tmp_path / "v.mp4", shown, rate=FPS), profile=scene.profile, tracks=tmp_path / "t.csv"
    )  # fmt: skip
    assert len(found.strokes) == 1
    assert any("view" in d.reason for d in found.strokes[0].review)
    assert any("another view" in note for note in found.notes)
    assert any("again" in note for note in found.notes)
    rows = _rows(tmp_path / "t.csv")
    assert len(rows) == 4 * len(shown)
    assert {r["state"] for r in rows if cut <= int(r["frame"]) < cut + 20} == {"absent"}


@pytest.mark.parametrize("grain", [0.0, 1.5])
def test_pictures_shown_twice_change_nothing_but_a_note(scene, pictures, tmp_path, grain):
    part = pictures[round(0.3 * FPS) : round(4.1 * FPS)]
    rng = np.random.default_rng(1)
    # coded again, a picture has other grain
    shown = [np.clip(p + rng.normal(0, grain, p.shape[:2])[..., None], 0, 255).astype(np.uint8) for p in part for _ in (0, 1)]
    found = analyze_video(write_video(tmp_path / "v.mp4", shown, rate=2 * FPS), profile=scene.profile)
    assert any("twice" in note for note in found.notes)
    [stroke] = found.strokes
    kinds = [e.type for e in stroke.shot.events if e.type != "midline"]
    assert kinds == ["strike", "contact", "pocket", "cushion", "stop"]
    contact = next(e for e in stroke.shot.events if e.type == "contact")
    real = next(t for t, kind, _ in scene.truth.events if kind == "contact")
    assert contact.t == pytest.approx(real, abs=0.03)


def test_a_video_cut_in_mid_stroke_is_doubted(scene, pictures, tmp_path):
    found = analyze_video(write_video(tmp_path / "v.mp4", pictures[: round((STRIKE + 0.9) * FPS)], rate=FPS), profile=scene.profile)
    [stroke] = found.strokes
    assert any("ends while white still rolls" in d.reason for d in stroke.review)
    assert "contact" in [e.type for e in stroke.shot.events]


def test_a_video_that_ends_in_the_first_moments_of_a_stroke_tells_it(scene, pictures, tmp_path):
    found = analyze_video(write_video(tmp_path / "v.mp4", pictures[: round((STRIKE + 0.17) * FPS)], rate=FPS), profile=scene.profile)
    [stroke] = found.strokes
    assert stroke.cue_ball == "white"
    assert any("ends while white still rolls" in d.reason for d in stroke.review)


@pytest.mark.parametrize(
    ("late", "reason"), [(0.15, "the strike was not seen: the pictures skip"), (0.5, "yellow lay still at 0.67 s and")]
)
def test_a_cut_from_rest_into_the_roll_is_doubted(scene, pictures, tmp_path, late, reason):
    shown = [*pictures[: round((STRIKE - 0.2) * FPS)], *pictures[round((STRIKE + late) * FPS) : round(4.1 * FPS)]]
    found = analyze_video(write_video(tmp_path / "v.mp4", shown, rate=FPS), profile=scene.profile)
    [stroke] = found.strokes
    assert any(reason in d.reason for d in stroke.review)


@pytest.mark.parametrize(("late", "doubted"), [(0.1, True), (-0.2, False)])
def test_a_video_that_begins_in_mid_stroke_is_doubted(scene, pictures, tmp_path, late, doubted):
    found = analyze_video(write_video(tmp_path / "v.mp4", pictures[round((STRIKE + late) * FPS) :], rate=FPS), profile=scene.profile)
    first = found.strokes[0]
    assert any("under way when the table came into view" in d.reason for d in first.review) is doubted


def test_a_still_video_has_no_strokes(scene, pictures, tmp_path):
    found = analyze_video(write_video(tmp_path / "v.mp4", pictures[: round(0.8 * FPS)], rate=FPS), profile=scene.profile)
    assert found.strokes == ()
    assert found.notes == ()


def test_one_frame(scene, pictures, tmp_path):
    found = analyze_video(write_video(tmp_path / "v.mp4", pictures[:1], rate=FPS), profile=scene.profile, tracks=tmp_path / "t.csv")
    assert found.strokes == ()
    assert found.video.frames == 1
    assert {r["state"] for r in _rows(tmp_path / "t.csv")} == {"seen"}


def test_balls_that_are_not_there_are_said_so(scene, tmp_path):
    shown = [scene.scene.picture({"white": (500.0, 500.0), "yellow": (900.0, 500.0)}) for _ in range(20)]
    found = analyze_video(write_video(tmp_path / "v.mp4", shown, rate=FPS), profile=scene.profile, tracks=tmp_path / "t.csv")
    assert found.notes == ("never seen: red, black",)
    states = {(r["ball"], r["state"]) for r in _rows(tmp_path / "t.csv")}
    assert states == {("white", "seen"), ("yellow", "seen"), ("red", "absent"), ("black", "absent")}


def test_a_ball_that_is_nowhere_found_makes_a_stroke_doubtful(scene, pictures, tmp_path):
    # cloth from beside it over the place of black
    x, y = np.rint(scene.profile.camera.project_at([scene.truth.tracks["black"][0]], scene.profile.table.radius)[0]).astype(int)
    part = [p.copy() for p in pictures[round(0.3 * FPS) : round(4.1 * FPS)]]
    for picture in part:
        picture[y - 12 : y + 13, x - 12 : x + 13] = picture[y - 12 : y + 13, x - 40 : x - 15]
    found = analyze_video(write_video(tmp_path / "v.mp4", part, rate=FPS), profile=scene.profile)
    [stroke] = found.strokes
    assert "black was not found on the table" in [doubt.reason for doubt in stroke.review]


def test_two_balls_by_request(scene, pictures, tmp_path):
    part = pictures[round(0.3 * FPS) : round(4.1 * FPS)]
    found = analyze_video(write_video(tmp_path / "v.mp4", part, rate=FPS), profile=scene.profile, balls=("white", "yellow"))
    [stroke] = found.strokes
    assert set(stroke.shot.positions) == {"white", "yellow"}


def _broken(path):
    path.write_text("nothing")


@pytest.mark.parametrize(
    ("make", "word"),
    [(lambda path: None, "no such file"), (_broken, "cannot be opened"), (write_sound, "no video stream")],
    ids=["missing", "text", "sound"],
)
def test_bad_videos_are_one_line(scene, tmp_path, make, word):
    make(tmp_path / "v.mp4")
    with pytest.raises(UserError) as caught:
        analyze_video(tmp_path / "v.mp4", profile=scene.profile, tracks=tmp_path / "t.csv")
    assert word in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "t.csv").exists()


def test_profile_of_another_size_is_one_line(scene, pictures, tmp_path):
    path = write_video(tmp_path / "v.mp4", pictures[:2], rate=FPS)
    with pytest.raises(UserError) as caught:
        analyze_video(path, profile=profile(KIND, 1280, 720))
    assert "1280x720" in str(caught.value)
    assert "640x360" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_video_without_a_table_is_one_line(tmp_path):
    path = write_video(tmp_path / "v.mp4", [np.full((180, 320, 3), 90, np.uint8)] * 10, rate=FPS)
    with pytest.raises(UserError) as caught:
        analyze_video(path, profile=None)
    assert "v.mp4" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_stages_make_up_the_whole(result):
    timings = result[0].timings
    assert {"waiting for frames", "view", "finding balls", "following balls", "background", "strokes"} <= timings.keys()
    assert all(seconds >= -1e-9 for seconds in timings.values())


def test_a_video_with_few_pictures_a_second_says_so() -> None:
    assert few_pictures(36, 36.0) == ["only 1.0 pictures a second: strokes are missed or told wrongly below 8"]
    assert few_pictures(1, 0.02) == ["only 1 picture: too short for a stroke to be seen"]
    assert not few_pictures(301, 35.1) and not few_pictures(60, None)
