"""What other programs read, checked by reading it as they do: boxes lie round the balls, stamps are those of the video."""

from __future__ import annotations

import csv
import json
import re
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import av
import cv2
import numpy as np
import pytest

from calibration.errors import UserError
from calibration.fit import camera_from_corners
from calibration.profile import profile_from_fit, write_profile
from calibration.table import table
from referee import cli
from referee.formats.clips import Choice, chosen
from referee.formats.folder import analyses, open_analysis
from referee.formats.subtitles import captions, srt, title, webvtt
from referee.formats_command import chapters, run_clips, run_export
from tests.referee.documents import document

SIZE = (480, 270)
CORNERS = [(30, 230), (80, 60), (400, 60), (450, 230)]
RATE = 10
FRAMES = 260  # 26 s: all three strokes of the document and the ruling of the last
PLACES = {"white": (500.0, 600.0), "yellow": (2662.5, 887.5)}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An analysis with its video beside it. Frame n has the luma n % 200 + 16 all over, so that a cut shows where it was made."""
    place = tmp_path_factory.mktemp("match")
    data = document()
    data["video"] = {"file": "game.mp4", "frames": FRAMES, "time_base": "1/1000", "width": SIZE[0], "height": SIZE[1], "duration": 26.0}
    (place / "match.json").write_text(json.dumps(data, ensure_ascii=False), "utf-8")
    kind = table()
    write_profile(profile_from_fit(kind, camera_from_corners(CORNERS, kind, SIZE), np.array(CORNERS, float)), place / "profile.toml")
    with (place / "tracks.csv").open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(("frame", "video_t", "ball", "x_mm", "y_mm", "sigma_mm", "state"))
        for n in range(FRAMES):
            for ball, (x, y) in PLACES.items():
                hidden = ball == "white" and 20 <= n < 40
                rows.writerow((n, f"{n / RATE:.6f}", ball, x, y, 0.4, "hidden" if hidden else "seen"))
            rows.writerow((n, f"{n / RATE:.6f}", "red", "", "", "", "pocketed"))
    with av.open(str(place / "game.mp4"), "w") as container:
        stream = container.add_stream("libx264", rate=RATE)
        stream.width, stream.height, stream.pix_fmt = *SIZE, "yuv420p"
        stream.codec_context.time_base = Fraction(1, 1000)
        for n in range(FRAMES):
            planes = np.full((SIZE[1] * 3 // 2, SIZE[0]), 128, np.uint8)
            planes[: SIZE[1]] = n % 200 + 16
            frame = av.VideoFrame.from_ndarray(planes, "yuv420p")
            frame.pts, frame.time_base = n * 1000 // RATE, Fraction(1, 1000)
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return place


def exported(folder: Path, form: str, out: Path, **options) -> Path:
    run_export(folder, form, out, **options)
    return out


def test_motchallenge_rows_hold_the_ball(folder: Path, tmp_path: Path) -> None:
    rows = [line.split(",") for line in exported(folder, "mot", tmp_path / "m.txt").read_text().splitlines()]
    assert {len(row) for row in rows} == {10}
    assert [row[0] for row in rows[:3]] == ["1", "1", "2"]  # frames count from 1
    camera = open_analysis(folder).profile().camera
    for row in rows[:2]:
        ball = ("white", "yellow", "red", "black")[int(row[1]) - 1]
        assert (float(row[7]), float(row[8])) == pytest.approx(np.array(PLACES[ball]) / 1000)
        left, top, width, height = map(float, row[2:6])
        seen = camera.project_at([PLACES[ball]], 34.0)[0] + 1.5  # MOT: the first pixel's corner is 1, 1
        assert left < seen[0] < left + width and top < seen[1] < top + height
        assert np.hypot(left + width / 2 - seen[0], top + height / 2 - seen[1]) < 0.5
    assert {row[6] for row in rows if row[1] == "1" and 21 <= int(row[0]) <= 40} == {"0"}  # hidden: predicted only


def test_coco_leaves_out_frames_with_hidden_balls(folder: Path, tmp_path: Path) -> None:
    out = exported(folder, "coco", tmp_path / "set")
    data = json.loads((out / "annotations.json").read_text("utf-8"))
    frames = [image["id"] for image in data["images"]]
    assert 0 in frames and 10 in frames and not set(frames) & set(range(20, 40))
    assert {a["category_id"] for a in data["annotations"]} == {1, 2}
    assert len({a["id"] for a in data["annotations"]}) == len(data["annotations"]) == 2 * len(frames)
    for image in data["images"]:
        picture = cv2.imread(str(out / "images" / image["file_name"]))
        assert picture.shape[:2] == (image["height"], image["width"])
        assert abs(float(picture.mean()) - (image["id"] % 200) * 255 / 219) < 4  # the picture is that of this frame


def test_yolo_labels_say_the_same_as_coco(folder: Path, tmp_path: Path) -> None:
    coco = json.loads((exported(folder, "coco", tmp_path / "c", pictures=False) / "annotations.json").read_text("utf-8"))
    out = exported(folder, "yolo", tmp_path / "y", step=1.0)
    assert "0: white" in (out / "data.yaml").read_text()
    names = {image["id"]: image["file_name"] for image in coco["images"]}
    assert {p.stem for p in (out / "labels").iterdir()} == {Path(name).stem for name in names.values()}
    assert {p.name for p in (out / "images").iterdir()} == set(names.values())
    for mark in coco["annotations"]:
        lines = (out / "labels" / names[mark["image_id"]]).with_suffix(".txt").read_text().splitlines()
        _, *shares = next(line.split() for line in lines if int(line.split()[0]) == mark["category_id"] - 1)
        x, y, w, h = (float(v) * s for v, s in zip(shares, (*SIZE, *SIZE), strict=True))
        assert [x - w / 2, y - h / 2, w, h] == pytest.approx(mark["bbox"], abs=0.02)


def test_soccernet_positions_are_milliseconds_of_the_video(folder: Path, tmp_path: Path) -> None:
    data = json.loads(exported(folder, "soccernet", tmp_path / "Labels-v2.json").read_text("utf-8"))
    first = data["annotations"][0]
    assert (first["label"], first["position"], first["gameTime"], first["team"]) == ("strike", "2500", "1 - 00:02", "home")
    places = [int(note["position"]) for note in data["annotations"]]
    assert places == sorted(places)
    ruling = next(note for note in data["annotations"] if note["label"] == "ruling: scored")
    assert (ruling["rules"], ruling["points"], ruling["position"]) == (["8.2", "9.1"], 6, "7000")
    spotted = data["predictions"][0]  # what SoccerNet's scorer reads of results
    assert set(spotted) == {"gameTime", "label", "position", "half", "confidence"} and spotted["half"] == "1"
    assert len(data["predictions"]) == len(data["annotations"])


def test_subtitles_follow_each_other_and_are_told_in_both_languages(folder: Path) -> None:
    analysis = open_analysis(folder)
    lines = captions(analysis, "ru")
    assert all(a.end <= b.start for a, b in pairwise(lines))
    call, ruling = lines[:2]
    assert "жёлтый от борта" in call.text and call.start < 2.5
    assert ruling.start == 7.0 and "Жёлтый сыгран" in ruling.text and "6 : 0" in ruling.text
    assert "Yellow potted" in captions(analysis, "en")[1].text
    assert re.match(r"1\n00:00:00,000 --> 00:00:07,000\n", srt(lines))
    assert webvtt(lines).startswith("WEBVTT\n\n00:00:00.000 --> 00:00:07.000\n")


def test_a_call_is_not_shown_before_the_ruling_on_the_stroke_before(folder: Path) -> None:
    data = document()
    first, second = data["shots"][:2]
    second |= {"call": "красный в угол", "start_t": first["end_t"] + 2.0, "end_t": first["end_t"] + 4.0}
    analysis = open_analysis(folder)
    found = captions(type(analysis)(folder, analysis.document | {"shots": [first, second]}))
    ruled = next(c for c in found if "Жёлтый сыгран" in c.text)
    called = next(c for c in found if "красный в угол" in c.text)
    assert ruled.end - ruled.start == pytest.approx(2.0)  # what is needed to read it, but the call waits no longer than for the strike
    assert called.start == ruled.end == second["start_t"]


@pytest.mark.parametrize("left", [0.3, 2.0])
def test_the_last_caption_ends_with_the_video_and_can_be_read(folder: Path, left: float) -> None:
    data = document()
    analysis = open_analysis(folder)
    shots = data["shots"][:1]
    video = analysis.document["video"] | {"duration": shots[0]["end_t"] + left}
    call, ruling = captions(type(analysis)(folder, analysis.document | {"shots": shots, "video": video}))
    assert ruling.end == video["duration"] and ruling.end - ruling.start > 1.4
    assert call.end <= ruling.start and call.end - call.start > 1.4


def test_webvtt_escapes_what_would_be_markup(folder: Path) -> None:
    analysis = open_analysis(folder)
    renamed = type(analysis)(folder, analysis.document | {"players": ["A<b>", "B&C"]})
    assert "A&lt;b&gt;" in webvtt(captions(renamed)) and "<b>" not in webvtt(captions(renamed))


@pytest.mark.parametrize("ending", [".mp4", ".mkv"])
def test_chapters_are_in_the_container_and_the_pictures_are_untouched(folder: Path, tmp_path: Path, ending: str) -> None:
    out = exported(folder, "chapters", tmp_path / f"game{ending}")
    analysis = open_analysis(folder)
    with av.open(str(out)) as copy, av.open(str(folder / "game.mp4")) as original:
        found = [(c["metadata"]["title"], float(c["start"] * c["time_base"])) for c in copy.chapters()]
        assert found == [(c.title, pytest.approx(c.start, abs=0.002)) for c in chapters(analysis)]
        assert [float(f.time) for f in copy.decode(video=0)] == pytest.approx([float(f.time) for f in original.decode(video=0)], abs=0.002)


def test_a_title_says_who_and_what(folder: Path) -> None:
    shot = open_analysis(folder).document["shots"][0]
    assert title(shot, ["Анна", "Борис"]) == "1. Анна: жёлтый сыгран, бонус: от борта +6"
    assert title(shot, ["Анна", "Борис"], "en") == "1. Анна: yellow potted, bonus: off cushions +6"


def test_a_clip_begins_and_ends_where_it_should(folder: Path, tmp_path: Path) -> None:
    shot = open_analysis(folder).document["shots"][0]
    assert run_clips([folder], tmp_path / "clips", Choice(rules=("8.2",)), before=1.0, after=0.5) == 1
    (clip,) = (tmp_path / "clips").glob("*.mp4")
    assert clip.name == "game_001_8.2_9.1.mp4"
    with av.open(str(clip)) as video:
        frames = list(video.decode(video=0))
    first, last = (round(t * RATE) for t in (shot["start_t"] - 1.0, shot["end_t"] + 0.5))
    assert len(frames) == last - first + 1
    for frame, n in ((frames[0], first), (frames[-1], last)):
        assert abs(float(frame.to_ndarray()[: SIZE[1]].mean()) - (n % 200 + 16)) < 2
    (row,) = csv.DictReader((tmp_path / "clips" / "clips.csv").read_text("utf-8-sig").splitlines())
    assert (row["clip"], row["stroke"], row["rules"], row["points"]) == (clip.name, "1", "8.2 9.1", "6")


def test_a_name_is_no_formula_in_a_spreadsheet() -> None:
    from referee.formats_command import _table

    assert "'=cmd()" in _table([{"player": "=cmd()", "points": -3}]) and "-3" in _table([{"player": "A", "points": -3}])


def test_sound_is_cut_with_the_picture(tmp_path: Path) -> None:
    from referee.formats.cut import write_clip

    with av.open(str(tmp_path / "loud.mp4"), "w") as container:
        picture, sound = container.add_stream("libx264", rate=RATE), container.add_stream("aac", rate=8000)
        picture.width, picture.height, picture.pix_fmt = 64, 48, "yuv420p"
        for n in range(40):
            container.mux(picture.encode(av.VideoFrame.from_ndarray(np.full((72, 64), 90, np.uint8), "yuv420p")))
            wave = av.AudioFrame.from_ndarray(np.full((1, 800), 0.1, np.float32), "fltp", "mono")
            wave.sample_rate, wave.pts, wave.time_base = 8000, 800 * n, Fraction(1, 8000)
            container.mux(sound.encode(wave))
        container.mux(picture.encode())
        container.mux(sound.encode())
    assert write_clip(tmp_path / "loud.mp4", 1.0, 2.0, tmp_path / "cut.mp4") == 11
    with av.open(str(tmp_path / "cut.mp4")) as cut:
        assert cut.streams.audio and sum(f.samples for f in cut.decode(audio=0)) == pytest.approx(8000, abs=2500)


def test_a_clip_of_an_avi_begins_where_the_referee_says(tmp_path: Path) -> None:
    from referee.formats.cut import write_clip
    from tests.vision.clips import write_video

    levels = [20 + 5 * n for n in range(40)]
    pictures = [np.full((180, 320, 3), level, np.uint8) for level in levels]
    write_video(tmp_path / "v.avi", pictures, rate=25, options={"bf": "3", "preset": "veryfast"})  # AVI stamps nothing
    assert write_clip(tmp_path / "v.avi", 0.4, 0.8, tmp_path / "cut.mp4") == 11
    with av.open(str(tmp_path / "cut.mp4")) as cut:
        seen = [float(f.to_ndarray(format="gray").mean()) for f in cut.decode(video=0)]
    assert seen == pytest.approx(levels[10:21], abs=4)


@pytest.mark.parametrize(
    ("choice", "strokes"),
    [
        (Choice(), [1, 2]),  # the third has something to check
        (Choice(unsettled=True), [1, 2, 3]),
        (Choice(rules=("8",)), [1]),
        (Choice(rules=("9.1", "12.3")), [1]),
        (Choice(outcome="scored"), [1]),
        (Choice(least_points=7), []),
        (Choice(strokes=(2,)), [2]),
        (Choice(player="nobody"), []),
    ],
)
def test_choosing_strokes(folder: Path, choice: Choice, strokes: list[int]) -> None:
    analysis = open_analysis(folder)
    shots = [shot | {"review": shot["review"] if shot["index"] == 3 else []} for shot in analysis.document["shots"]]
    shots[2] = shots[2] | {"review": [{"event": None, "reason": "red was hidden for 0.4 s"}]}
    assert [s["index"] for s in chosen(type(analysis)(folder, analysis.document | {"shots": shots}), choice)] == strokes


def test_a_rule_that_no_ruling_cites_is_named() -> None:
    with pytest.raises(UserError, match=r"--rule 8\.9: expected one of 8\.1, 8\.2"):
        Choice(rules=("8.9",))


class TestErrors:
    """One line that names the file, exit 2, nothing written."""

    def line(self, arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
        assert cli.main(arguments) == 2
        text = capsys.readouterr().err
        assert text.count("\n") == 1
        return text

    def test_no_analysis(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        said = self.line(["export", str(tmp_path), "--format", "srt", "--out", str(tmp_path / "a.srt")], capsys)
        assert "match.json: not found" in said and not (tmp_path / "a.srt").exists()

    @pytest.mark.parametrize(
        ("text", "field"), [("{", "match.json"), ("[]", "video"), ('{"video": {"file": "a", "width": 3, "height": 2}}', "shots")]
    )
    def test_not_what_analyze_writes(self, text: str, field: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        (tmp_path / "match.json").write_text(text)
        assert field in self.line(["export", str(tmp_path), "--format", "srt", "--out", str(tmp_path / "a.srt")], capsys)

    def test_no_video(self, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        said = self.line(["clips", str(folder), "--video", str(tmp_path / "other.mp4"), "--out", str(tmp_path / "c")], capsys)
        assert "--video" in said and not (tmp_path / "c").exists()

    def test_nothing_chosen(self, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert "no stroke" in self.line(["clips", str(folder), "--points", "99", "--out", str(tmp_path / "c")], capsys)

    def test_another_container(self, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert ".mkv" in self.line(["export", str(folder), "--format", "chapters", "--out", str(tmp_path / "a.avi")], capsys)

    def test_over_the_video_itself(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        before = (folder / "game.mp4").stat().st_size
        assert "itself" in self.line(["export", str(folder), "--format", "chapters", "--out", str(folder / "game.mp4")], capsys)
        assert (folder / "game.mp4").stat().st_size == before

    def test_a_used_folder_for_a_data_set(self, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        (tmp_path / "old.txt").write_text("x")
        assert "empty" in self.line(["export", str(folder), "--format", "yolo", "--out", str(tmp_path)], capsys)

    def test_damaged_tracks(self, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        for name in ("match.json", "profile.toml"):
            (tmp_path / name).write_bytes((folder / name).read_bytes())
        (tmp_path / "tracks.csv").write_text("frame,video_t,ball,x_mm,y_mm,sigma_mm,state\n0,zero,white,1,2,3,seen\n")
        assert "tracks.csv" in self.line(["export", str(tmp_path), "--format", "mot", "--out", str(tmp_path / "a.txt")], capsys)


def test_folders_of_a_batch_are_opened_one_by_one(folder: Path, tmp_path: Path) -> None:
    for name in ("b", "a"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "match.json").write_bytes((folder / "match.json").read_bytes())
    assert [a.folder.name for a in analyses([tmp_path])] == ["a", "b"]


def changed(folder: Path, place: Path, change) -> Path:
    """A copy of match.json with a change."""
    data = json.loads((folder / "match.json").read_text("utf-8"))
    change(data)
    (place / "match.json").write_text(json.dumps(data, ensure_ascii=False), "utf-8")
    return place


def test_a_text_never_ends_its_caption(folder: Path, tmp_path: Path) -> None:
    def speak(data) -> None:
        data["shots"][0]["call"] = "yellow\r\n\r\n into the corner --> now\n"
        data["players"] = ["A\n\nB", "C"]

    lines = captions(open_analysis(changed(folder, tmp_path, speak)))
    assert any("into the corner → now" in line.text for line in lines)
    for form in (srt(lines), webvtt(lines).removeprefix("WEBVTT\n\n")):
        blocks = form.strip().split("\n\n")
        assert len(blocks) == len(lines) and all(block.count("-->") == 1 for block in blocks)


def test_a_match_without_strokes(folder: Path, tmp_path: Path) -> None:
    place = changed(folder, tmp_path, lambda data: data.update(shots=[]))
    analysis = open_analysis(place)
    assert srt(captions(analysis)) == "" and webvtt(captions(analysis)) == "WEBVTT\n\n" and chapters(analysis) == []
    out = tmp_path / "copy.mkv"
    run_export(place, "chapters", out, videos=(folder / "game.mp4",))
    with av.open(str(out)) as copy:
        assert copy.chapters() == []
