"""`calibrate`: pictures, videos (also turned ones), options, and everything a user can get wrong."""

from __future__ import annotations

import os
import shutil
import socket
from fractions import Fraction

import av
import cv2
import numpy as np
import pytest

from calibration.command import calibrate_video, chosen_table, parse_corners, run_calibrate
from calibration.errors import CalibrationRefused, UserError
from calibration.fit import camera_from_corners
from calibration.lens_command import run_calibrate_lens
from calibration.measure import Measured
from calibration.profile import read_profile
from calibration.source import check_pictures, sample_pictures
from calibration.table import table
from tests.calibration.scenes import OVERHEAD, TABLE, corners_of, draw_table, looking

CORNERS = " ".join(f"{x:.2f},{y:.2f}" for x, y in corners_of(OVERHEAD))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sources")
    picture = draw_table(OVERHEAD)
    cv2.imwrite(str(folder / "table.png"), picture)
    cv2.imwrite(str(folder / "grey.png"), cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY))
    cv2.imwrite(str(folder / "none.png"), np.full((480, 640, 3), 90, np.uint8))
    write_video(folder / "table.mp4", [draw_table(OVERHEAD, seed=k) for k in range(4)])
    write_video(folder / "one.mp4", [picture])
    (folder / "text.mp4").write_text("this is no video\n" * 50)
    (folder / "text.png").write_text("this is no picture")
    (folder / "empty.mp4").write_bytes(b"")
    write_sound(folder / "sound.mp4")
    whole = (folder / "table.mp4").read_bytes()
    (folder / "broken.mp4").write_bytes(whole[: len(whole) // 3])
    return folder


@pytest.fixture
def quick(monkeypatch):
    """The camera from the corners alone: for tests of what is decided before the noses are measured."""

    def from_corners(picture, corners, kind, *, nose_points=None, **_):
        size = (picture.shape[1], picture.shape[0])
        return Measured(camera_from_corners(corners, kind, size, nose_points=nose_points), np.asarray(corners, float), {}, None)

    monkeypatch.setattr("calibration.command.measured_camera", from_corners)


def write_video(path, pictures) -> None:
    with av.open(str(path), "w") as container:
        stream = container.add_stream("mpeg4", rate=25)
        stream.width, stream.height, stream.pix_fmt = pictures[0].shape[1], pictures[0].shape[0], "yuv420p"
        stream.bit_rate = 20_000_000
        for picture in pictures:
            for packet in stream.encode(av.VideoFrame.from_ndarray(picture, format="bgr24")):
                container.mux(packet)
        for packet in stream.encode():
            container.mux(packet)


def write_sound(path) -> None:
    with av.open(str(path), "w") as container:
        stream = container.add_stream("aac", rate=44100)
        frame = av.AudioFrame.from_ndarray(np.zeros((1, 4096), np.float32), format="fltp", layout="mono")
        frame.sample_rate, frame.pts, frame.time_base = 44100, 0, Fraction(1, 44100)
        for packet in [*stream.encode(frame), *stream.encode()]:
            container.mux(packet)


def test_finds_writes_and_says_so(folder, tmp_path):
    result = run_calibrate(str(folder / "table.png"), tmp_path / "p.toml", overlay=tmp_path / "o.png")
    profile = read_profile(tmp_path / "p.toml")
    assert np.abs(np.array(profile.corners_px) - corners_of(OVERHEAD)).max() < 1.5
    assert profile.size == (1280, 720) and profile.home == "left"
    for word in ("pyramid-12ft", "assumed", "home    left", "error", str(tmp_path / "p.toml")):
        assert word in str(result)
    drawn = cv2.imread(str(tmp_path / "o.png"))
    assert drawn.shape[1] == 1280 and drawn.shape[0] > 720
    assert sorted(os.listdir(tmp_path)) == ["o.png", "p.toml"]


def test_given_corners_and_size(folder, tmp_path):
    run_calibrate(str(folder / "table.png"), tmp_path / "p.toml", corners=CORNERS, size="3550x1775", ball_mm=60.0)
    profile = read_profile(tmp_path / "p.toml")
    assert (profile.table.length, profile.table.width, profile.table.ball) == (3550, 1775, 60)
    assert profile.home == "left" and profile.how.startswith("corners given, noses measured, 3 balls")


@pytest.mark.parametrize("name", ["table.mp4", "one.mp4"])
def test_videos(folder, name):
    profile, how = calibrate_video(folder / name)
    assert np.abs(np.array(profile.corners_px) - corners_of(OVERHEAD)).max() < 2
    assert "video itself" in how and "home: left" in how


def test_turned_video_is_seen_as_players_show_it(folder, tmp_path):
    path = tmp_path / "turned.mp4"
    with av.open(str(folder / "table.mp4")) as source, av.open(str(path), "w") as target:
        stream = target.add_stream_from_template(source.streams.video[0])
        for packet in source.demux(source.streams.video[0]):
            if packet.dts is not None:
                packet.stream = stream
                target.mux(packet)
    turn_display(path)
    with av.open(str(path)) as container:
        if not next(container.decode(video=0)).rotation:
            pytest.skip("this build of FFmpeg does not show the rotation")
    plain, turned = sample_pictures(str(folder / "table.mp4"))[0], sample_pictures(str(path))[0]
    assert turned.shape == (1280, 720, 3)
    np.testing.assert_array_equal(turned, np.rot90(plain, -1))


def turn_display(path) -> None:
    """Writes a rotation by 90 degrees clockwise into the track header, as phones do."""
    data = bytearray(path.read_bytes())
    at = data.index(b"tkhd") + 4 + 40
    one, zero = (1 << 16).to_bytes(4, "big"), bytes(4)
    minus, last = (-(1 << 16)).to_bytes(4, "big", signed=True), (1 << 30).to_bytes(4, "big")
    data[at : at + 36] = zero + one + zero + minus + zero + zero + (720 << 16).to_bytes(4, "big") + zero + last
    path.write_bytes(bytes(data))


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("missing.png", "no such file"),
        (".", "not a file"),
        ("text.mp4", "not a video"),
        ("text.png", "not a picture"),
        ("empty.mp4", "empty"),
        ("sound.mp4", "no video stream"),
        ("broken.mp4", "broken.mp4"),
        ("none.png", "no table"),
    ],
)
def test_bad_sources_are_one_line_that_names_them(folder, tmp_path, name, word):
    source = str(folder / name) if name != "." else str(folder)
    with pytest.raises(UserError) as caught:
        run_calibrate(source, tmp_path / "p.toml")
    assert word in str(caught.value) and source in str(caught.value) and "\n" not in str(caught.value)
    assert not (tmp_path / "p.toml").exists()


def test_refusal_leaves_the_picture_of_what_was_seen(folder, tmp_path):
    with pytest.raises(UserError, match=r"p\.refused\.png shows what was seen"):
        run_calibrate(str(folder / "none.png"), tmp_path / "p.toml")
    assert os.listdir(tmp_path) == ["p.refused.png"]
    with pytest.raises(UserError, match=r"o\.png shows what was seen"):
        run_calibrate(str(folder / "none.png"), tmp_path / "p.toml", overlay=tmp_path / "o.png")
    assert sorted(os.listdir(tmp_path)) == ["o.png", "p.refused.png"]


def test_a_refusal_never_writes_over_its_source(folder, tmp_path):
    source = tmp_path / "p.refused.png"
    shutil.copy(folder / "none.png", source)
    before = source.read_bytes()
    with pytest.raises(UserError, match=r"p\.refused\.seen\.png shows"):
        run_calibrate(str(source), tmp_path / "p.toml")
    assert source.read_bytes() == before


@pytest.mark.parametrize("number", ["93", "99999999999999999999"])
def test_no_camera_there_is_said_in_one_line_only(tmp_path, capfd, number):
    with pytest.raises(UserError, match=f"{number}: no camera"):
        run_calibrate(number, tmp_path / "p.toml")
    assert capfd.readouterr() == ("", "")  # what OpenCV has to say about it is kept back


def test_a_stream_that_does_not_answer(monkeypatch):
    monkeypatch.setattr("calibration.source._STREAM_TIMEOUT_S", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as server:  # takes the call and says nothing
        address = f"http://127.0.0.1:{server.getsockname()[1]}/live.mp4"
        with pytest.raises(UserError, match=r"no stream answers there \(no answer within 0.5 s\)") as caught:
            sample_pictures(address)
    assert address in str(caught.value)
    for wrong in (address, "nonsense://there"):
        with pytest.raises(UserError, match="no stream answers there"):
            sample_pictures(wrong)


@pytest.mark.parametrize(
    ("picture", "word"),
    [
        (np.full((480, 640, 3), 90, np.uint8), "blank"),
        (np.full((480, 640), 90, np.uint8), "blank"),
        ((draw_table(OVERHEAD) * 0.06).astype(np.uint8), "too dark"),
        (draw_table(OVERHEAD)[300:400, 300:500], "too small"),
    ],
)
def test_pictures_in_which_nothing_can_be_seen(picture, word):
    with pytest.raises(CalibrationRefused, match=word) as refused:
        check_pictures([picture])
    assert not refused.value.by_hand  # corners set by hand do not make it lighter


def test_a_refusal_advises_corners_only_where_they_serve(tmp_path):
    cv2.imwrite(str(tmp_path / "dark.png"), (draw_table(OVERHEAD) * 0.06).astype(np.uint8))
    cv2.imwrite(str(tmp_path / "half.png"), draw_table(OVERHEAD)[250:])
    for name, serves in (("dark", False), ("half", True)):
        with pytest.raises(CalibrationRefused, match="shows what was seen") as refused:
            run_calibrate(str(tmp_path / f"{name}.png"), tmp_path / "p.toml")
        assert ("--corners" in str(refused.value)) == serves


def test_half_a_table_is_refused(tmp_path):
    picture = draw_table(OVERHEAD)
    for name, part in (("left", picture[:, :640]), ("low", picture[250:])):
        cv2.imwrite(str(tmp_path / f"{name}.png"), part)
        with pytest.raises(CalibrationRefused, match=f"{name}.png"):
            run_calibrate(str(tmp_path / f"{name}.png"), tmp_path / "p.toml")
    assert not (tmp_path / "p.toml").exists()


def test_given_corners_have_no_error_where_no_noses_are_seen(tmp_path, quick):
    cv2.imwrite(
        str(tmp_path / "cloth.png"), np.random.default_rng(1).normal((60, 120, 40), 6.0, (720, 1280, 3)).clip(0, 255).astype(np.uint8)
    )
    result = run_calibrate(str(tmp_path / "cloth.png"), tmp_path / "p.toml", corners=CORNERS, table="pyramid-12ft")
    assert "error   unknown" in str(result) and "+-" not in str(result)
    assert any("no noses of cushions are seen along --corners" in text for text in result.warnings)


def test_the_assumed_end_of_the_house_is_said_and_asked_for(folder, tmp_path, quick):
    result = run_calibrate(str(folder / "table.png"), tmp_path / "p.toml", table="pyramid-12ft")
    assert result.profile.home_from == "assumed"
    assert "home    left of the picture (assumed: " in str(result) and "--home right" in str(result)
    assert str(result).count("--home") == 1  # once is enough


@pytest.mark.parametrize(
    ("answers", "home", "home_from"),
    [(["right"], "right", "given"), (["top", "l"], "left", "given"), ([""], "left", "assumed"), ([], "left", "assumed")],
)
def test_a_person_is_asked_for_the_house_that_nothing_tells(folder, tmp_path, quick, answers, home, home_from):
    def ask(question):
        assert "left or right" in question
        if not answers:
            raise EOFError
        return answers.pop(0)

    answers = list(answers)
    profile = run_calibrate(str(folder / "table.png"), tmp_path / "p.toml", table="pyramid-12ft", ask=ask).profile
    assert (profile.home, profile.home_from) == (home, home_from) and not answers
    side = np.array(profile.corners_px)[:2, 0]
    assert (side < 640).all() if home == "left" else (side > 640).all()


def test_nobody_is_asked_where_the_picture_tells_the_house(tmp_path, quick):
    cv2.imwrite(str(tmp_path / "t.png"), draw_table(OVERHEAD, home_line=True))
    profile = run_calibrate(str(tmp_path / "t.png"), tmp_path / "p.toml", table="pyramid-12ft", ask=lambda _: pytest.fail("asked")).profile
    assert profile.home_from == "home line"


def test_the_house_is_turned_to_where_the_line_is(tmp_path, quick):
    picture = draw_table(OVERHEAD, home_line=True)[::-1, ::-1]  # turned by half a turn, not mirrored
    cv2.imwrite(str(tmp_path / "turned.png"), picture)
    profile = run_calibrate(str(tmp_path / "turned.png"), tmp_path / "p.toml", table="pyramid-12ft").profile
    assert (profile.home, profile.home_from) == ("right", "home line")
    np.testing.assert_allclose(np.array(profile.corners_px), (1279, 719) - corners_of(OVERHEAD), atol=2)


def test_corners_against_the_line_on_the_cloth_are_a_warning(tmp_path, quick):
    cv2.imwrite(str(tmp_path / "t.png"), draw_table(OVERHEAD, home_line=True))
    other = " ".join(CORNERS.split()[2:] + CORNERS.split()[:2])
    result = run_calibrate(str(tmp_path / "t.png"), tmp_path / "p.toml", corners=other, table="pyramid-12ft")
    assert result.profile.home == "right" and any("other end" in text for text in result.warnings)


def test_a_table_that_is_not_what_it_is_called(tmp_path, quick):
    carom = table("carom-10ft")
    camera = looking((1400.0, 720.0, 2900.0), (1422.0, 711.0, 0.0), focal=1020.0)
    cv2.imwrite(str(tmp_path / "carom.png"), draw_table(camera, carom))
    corners = " ".join(f"{x:.2f},{y:.2f}" for x, y in corners_of(camera, carom))
    source, out = str(tmp_path / "carom.png"), tmp_path / "p.toml"
    with pytest.raises(UserError, match=r"--table: a pyramid-12ft table has pockets.*carom-10ft.*--force") as caught:
        run_calibrate(source, out, table="pyramid-12ft", corners=corners)
    assert "\n" not in str(caught.value) and not out.exists()
    forced = run_calibrate(source, out, table="pyramid-12ft", corners=corners, force=True)
    assert "--force" in read_profile(out).how and forced.profile.table.name == "pyramid-12ft"
    assert run_calibrate(source, out, corners=corners).profile.table.name.startswith("carom")
    assert run_calibrate(source, out, corners=corners, table="carom-10ft").profile.table.name == "carom-10ft"


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"table": "billiard"}, "--table"),
        ({"table": "pool-9ft", "size": "2540x1270"}, "--table and --size"),
        ({"size": "big"}, "--size"),
        ({"size": "100x50"}, "--size"),
        ({"size": "1775x3550"}, "such as 3550x1775"),
        ({"ball_mm": 3.0}, "--ball-mm"),
        ({"home": "north"}, "--home"),
        ({"corners": "1,2 3,4"}, "--corners"),
        ({"corners": "a,b c,d e,f g,h"}, "--corners"),
        ({"corners": "1,2,3 3,4 5,6 7,8"}, "--corners"),
        ({"corners": "1,nan 3,4 5,6 7,8"}, "--corners"),
        ({"corners": " ".join(reversed(CORNERS.split()))}, "mirrored"),
        ({"corners": "100,100 1100,600 1100,100 100,600"}, "crosses"),
        ({"corners": CORNERS, "home": "right"}, "contradicts"),
        ({"corners": CORNERS, "size": "3550x1000"}, "--corners"),
        ({"corners": " ".join(CORNERS.split()[1:] + CORNERS.split()[:1])}, "begins on a long side"),
        ({"corners": " ".join(CORNERS.split()[:3]) + " 2900,600"}, "outside the picture"),
        ({"corners": "100,100 100,100 900,100 900,600"}, "coincide"),
        ({"table": "pool-9ft", "home": "top"}, "home top"),
    ],
)
def test_bad_options_are_named(folder, tmp_path, options, word):
    with pytest.raises(UserError) as caught:
        run_calibrate(str(folder / "table.png"), tmp_path / "p.toml", **options)
    assert word in str(caught.value) and "\n" not in str(caught.value)
    assert os.listdir(tmp_path) == []


def test_missing_folders_are_named_before_any_work(folder, tmp_path):
    with pytest.raises(UserError, match="--out"):
        run_calibrate(str(folder / "table.png"), tmp_path / "none" / "p.toml")
    with pytest.raises(UserError, match="--overlay"):
        run_calibrate(str(folder / "table.png"), tmp_path / "p.toml", overlay=tmp_path / "none" / "o.png")


def test_overlay_of_an_unknown_kind(folder, tmp_path):
    with pytest.raises(UserError, match=r"\.png"):
        run_calibrate(str(folder / "table.png"), tmp_path / "p.toml", corners=CORNERS, overlay=tmp_path / "o.docx")


def test_options_parsed():
    assert chosen_table(None, None, None) == (TABLE, False)
    assert chosen_table(None, " 3000 x 1500 ", None)[0].length == 3000
    np.testing.assert_allclose(parse_corners("1,2;3,4  5,6\n7,8"), [[1, 2], [3, 4], [5, 6], [7, 8]])


def test_a_source_is_never_written_over(folder, tmp_path):
    picture = tmp_path / "table.png"
    picture.write_bytes((folder / "table.png").read_bytes())
    before = picture.read_bytes()
    link = tmp_path / "link.png"
    link.symlink_to(picture)
    for out, overlay in ((picture, None), (link, None), (tmp_path / "p.toml", picture), (tmp_path / "p.png", tmp_path / "p.png")):
        with pytest.raises(UserError, match="another file"):
            run_calibrate(str(picture), out, overlay=overlay)
    with pytest.raises(UserError, match="would replace the source"):
        run_calibrate_lens([str(picture)], picture)
    assert picture.read_bytes() == before and sorted(os.listdir(tmp_path)) == ["link.png", "table.png"]
