"""Time stamps, rotation, formats and damage of small written videos."""

import threading
from fractions import Fraction

import av
import cv2
import numpy as np
import pytest

from calibration.errors import UserError
from calibration.source import sample_pictures
from tests.vision.clips import CLOCK, shaded, write_sound, write_video
from vision.frames import Damage, Video, frame_of_bgr


def _frames(path):
    with Video(path) as video:
        return list(video)


def _block(picture):
    """Centre (x, y) of the yellow block of `shaded`."""
    ys, xs = np.nonzero((picture[..., 2] > 180) & (picture[..., 0] < 110))
    return xs.mean(), ys.mean()


def test_uneven_time_stamps_come_through_exactly(tmp_path):
    ticks = [7, 1501, 3003, 4507, 9001, 9002, 12000, 15001, 15777, 30001]
    path = write_video(tmp_path / "v.mp4", shaded(320, 180, len(ticks)), ticks=ticks)
    frames = _frames(path)
    times = [f.time for f in frames]
    assert [t - times[0] for t in times] == [Fraction(k - ticks[0], CLOCK) for k in ticks]
    assert [f.index for f in frames] == list(range(len(ticks)))
    assert frames[3].seconds == float(times[3])


def test_avi_with_pictures_coded_out_of_order_has_its_rate(tmp_path):
    # AVI stamps nothing: the stamps that FFmpeg makes up for it run back and forth
    path = write_video(tmp_path / "v.avi", shaded(320, 180, 40), rate=25, options={"bf": "3", "preset": "veryfast"})
    with av.open(str(path)) as container:
        stamps = [f.pts for f in container.decode(video=0)]
    assert stamps != sorted(stamps)
    frames = _frames(path)
    assert [f.seconds for f in frames] == pytest.approx([k / 25 for k in range(40)])
    assert all(f.stamped for f in frames)


def test_info_is_what_the_container_says(tmp_path):
    with Video(write_video(tmp_path / "v.mp4", shaded(320, 180, 30), rate=60)) as video:
        info = video.info
    assert (info.file, info.frames, info.width, info.height) == ("v.mp4", 30, 320, 180)
    assert info.time_base == Fraction(1, CLOCK)
    assert info.rate == pytest.approx(60)
    assert info.duration == pytest.approx(0.5, abs=0.02)


def test_looking_at_the_size_does_not_eat_the_first_frame(tmp_path):
    path = write_video(tmp_path / "v.mp4", shaded(320, 180, 5))
    with Video(path) as video:
        assert [f.index for f in video] == [0, 1, 2, 3, 4]
    assert _block(_frames(path)[0].bgr())[0] == pytest.approx(24.5, abs=1)


@pytest.mark.parametrize("rotation", [90, 180, 270])
def test_display_matrix_turns_frames_like_calibration_does(tmp_path, rotation):
    picture = shaded(320, 180, 3)
    path = write_video(tmp_path / "v.mp4", picture, rotation=rotation)
    frames = _frames(path)
    upright = np.rot90(picture[0], rotation // 90)
    with Video(path) as video:
        assert (video.info.height, video.info.width) == upright.shape[:2]
    assert frames[0].y.shape == upright.shape[:2]
    assert frames[0].u.shape == tuple(n // 2 for n in upright.shape[:2])
    assert _block(frames[0].bgr()) == pytest.approx(_block(upright), abs=1)
    assert _block(sample_pictures(str(path))[0]) == pytest.approx(_block(upright), abs=1)


@pytest.mark.parametrize(
    ("codec", "pixels"),
    [("libx264", "yuv420p"), ("libx264", "yuv444p"), ("libx264", "yuv420p10le"), ("ffv1", "yuv422p"), ("libx264", "yuvj420p")],
)
def test_formats_give_the_same_picture(tmp_path, codec, pixels):
    pictures = shaded(320, 180, 3)
    path = write_video(tmp_path / "v.mkv", pictures, codec=codec, pixels=pixels)
    frame = _frames(path)[1]
    assert frame.y.dtype == frame.u.dtype == frame.v.dtype == np.uint8
    assert frame.y.shape == (180, 320)
    away = np.abs(cv2.GaussianBlur(frame.bgr(), (5, 5), 0).astype(int) - cv2.GaussianBlur(pictures[1], (5, 5), 0))
    assert np.median(away) <= (14 if pixels == "yuvj420p" else 3)
    assert _block(frame.bgr()) == pytest.approx(_block(pictures[1]), abs=1)


def test_grey_video(tmp_path):
    grey = [cv2.cvtColor(p, cv2.COLOR_BGR2GRAY) for p in shaded(320, 180, 3)]
    frame = _frames(write_video(tmp_path / "v.mkv", grey, codec="ffv1", pixels="gray"))[0]
    picture = frame.bgr()
    assert frame.u.shape == (90, 160)
    assert np.abs(picture.astype(int) - picture.mean(axis=2, keepdims=True)).max() <= 3
    assert np.abs(picture[..., 0].astype(int) - grey[0]).max() <= 3


@pytest.mark.parametrize(("width", "height"), [(641, 359), (321, 180), (320, 181)])
def test_odd_sizes_lose_a_row_or_column_only(tmp_path, width, height):
    pictures = shaded(width, height, 2)
    path = write_video(tmp_path / "v.mkv", pictures, codec="ffv1")
    frame = _frames(path)[0]
    assert frame.y.shape == (height // 2 * 2, width // 2 * 2)
    assert frame.u.shape == frame.v.shape == (height // 2, width // 2)
    assert _block(frame.bgr()) == pytest.approx(_block(pictures[0]), abs=0.6)
    with Video(path) as video:
        assert (video.info.width, video.info.height) == (width, height)


def test_video_of_one_frame(tmp_path):
    frames = _frames(write_video(tmp_path / "v.mp4", shaded(320, 180, 1)))
    assert len(frames) == 1
    assert frames[0].time == 0


def _text(path):
    path.write_text("this is not a video\n" * 50)


def _cut(path):
    data = write_video(path, shaded(320, 180, 20)).read_bytes()
    path.write_bytes(data[: len(data) // 2])  # the index of an mp4 is at its end


def _emptied(path):
    data = bytearray(write_video(path, shaded(320, 180, 3)).read_bytes())
    start, end = data.find(b"mdat") + 4, data.find(b"moov") - 4
    data[start:end] = bytes(end - start)
    path.write_bytes(data)


@pytest.mark.parametrize(
    ("make", "word"),
    [
        (lambda path: None, "no such file"),
        (lambda path: path.mkdir(), "expected a video"),
        (lambda path: path.write_bytes(b""), "cannot be opened"),
        (_text, "cannot be opened"),
        (write_sound, "no video stream"),
        (_cut, "cannot be opened"),
        (_emptied, "no picture can be decoded"),
    ],
    ids=["missing", "folder", "empty", "text", "sound", "cut", "emptied"],
)
def test_what_is_no_video_is_said_in_one_line(tmp_path, make, word):
    path = tmp_path / "v.mp4"
    make(path)
    with pytest.raises(UserError) as caught:
        Video(path)
    text = str(caught.value)
    assert "v.mp4" in text
    assert word in text
    assert "\n" not in text


@pytest.mark.parametrize("ending", ["jpg", "png", "bmp"])
def test_a_still_picture_is_called_so(tmp_path, ending):
    path = tmp_path / f"table.{ending}"
    cv2.imwrite(str(path), shaded(320, 180, 1)[0])
    with pytest.raises(UserError, match=r"table\..*: a still picture, expected a video"):
        Video(path)


def test_cut_stream_ends_where_it_was_cut(tmp_path):
    path = write_video(tmp_path / "v.ts", shaded(320, 180, 60))
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    frames = _frames(path)
    assert 10 < len(frames) < 60
    assert not any(f.corrupt for f in frames[:-1])


def _flip(path, first, last):
    data = bytearray(path.read_bytes())
    start = data.find(b"mdat") + 4
    for k in range(start + first, start + last):
        data[k] ^= 0xFF
    path.write_bytes(data)


def test_damaged_frames_are_marked_and_keep_their_times(tmp_path):
    path = write_video(tmp_path / "v.mp4", shaded(320, 180, 60), options={"g": "15"})
    whole = {f.time for f in _frames(path)}
    size = path.read_bytes().find(b"moov") - path.read_bytes().find(b"mdat")
    _flip(path, size // 2, size // 2 + 600)
    frames = _frames(path)
    assert any(f.corrupt for f in frames)
    assert not frames[0].corrupt
    assert len(frames) >= 50
    times = [f.time for f in frames]
    assert set(times) <= whole
    assert times == sorted(set(times))


def test_damage_at_the_start_does_not_spoil_the_rest(tmp_path):
    path = write_video(tmp_path / "v.mp4", shaded(320, 180, 60), options={"g": "15"})
    _flip(path, 0, 400)
    frames = _frames(path)
    assert len(frames) >= 40
    assert frames[0].corrupt
    assert not frames[-1].corrupt


@pytest.mark.parametrize(("codec", "pixels"), [("libx264", "yuv420p"), ("mjpeg", "yuvj420p")])
def test_flipped_bytes_are_noticed(tmp_path, codec, pixels):
    noise = [cv2.add(p, np.random.default_rng(n).integers(0, 40, p.shape).astype(np.uint8)) for n, p in enumerate(shaded(320, 180, 20))]
    path = write_video(tmp_path / "v.mkv", noise, codec=codec, pixels=pixels, options={"g": "5"})
    assert not any(f.corrupt for f in _frames(path))
    with av.open(str(path)) as container:
        packets = [bytes(p) for p in container.demux(video=0)]
    data = bytearray(path.read_bytes())
    at = data.find(packets[12])
    for k in range(at + len(packets[12]) // 2, at + len(packets[12]), 40):
        data[k] ^= 0xFF
    path.write_bytes(data)
    frames = _frames(path)
    assert any(f.corrupt for f in frames[11:15])
    assert not any(f.corrupt for f in [*frames[:11], *frames[-3:]])


@pytest.mark.parametrize("seekable", [True, False])
def test_where_every_picture_is_damaged_they_are_shown_all_the_same(tmp_path, monkeypatch, seekable):
    path = write_video(tmp_path / "v.mkv", shaded(320, 180, 6), codec="mjpeg", pixels="yuvj420p")
    with av.open(str(path)) as container:
        packets = [bytes(p) for p in container.demux(video=0) if p.size]
    data = bytearray(path.read_bytes())
    for packet in packets:
        at = data.find(packet)
        for k in range(at + len(packet) // 2, at + len(packet), 40):
            data[k] ^= 0xFF
    path.write_bytes(data)
    monkeypatch.setattr("vision.frames._seekable", lambda container: seekable)
    assert len(_frames(path)) == 6


class _Picture:
    def __init__(self, word):
        self.key_frame, self.is_corrupt = "key" in word, "bad" in word


class _Packet:
    def __init__(self, word):
        self.is_corrupt = "torn" in word


@pytest.mark.parametrize(
    ("pictures", "marked"),
    [
        ("key . . key .", "....."),
        ("key bad . . key .", ".xxx.."),
        ("key,bad . key .", "xx.."),
        ("key torn . key .", ".xx.."),
        ("key . lost . . key .", "..xx.."),  # what is lost does not come out; the next ones build on it
        ("key . lost key .", "..x."),  # something is missing before this key frame, nothing after it
    ],
)
def test_damage_reaches_as_far_as_the_next_whole_key_frame(pictures, marked):
    damage, found = Damage(), ""
    for word in pictures.split():
        damage.packet(_Packet(word))
        if word == "lost":
            damage.lost()
        else:
            found += "x" if damage.reaches(_Picture(word)) else "."
    assert found == marked


def _decoders():
    return [t for t in threading.enumerate() if t.name == "decoder"]


def test_leaving_early_ends_the_thread(tmp_path):
    path = write_video(tmp_path / "v.mp4", shaded(320, 180, 90))
    with Video(path) as video:
        for frame in video:
            assert _decoders()
            if frame.index == 3:
                break
    assert not _decoders()


def test_an_error_of_the_reader_ends_the_thread(tmp_path):
    path = write_video(tmp_path / "v.mp4", shaded(320, 180, 90))

    def read():
        with Video(path) as video:
            for _ in video:
                raise RuntimeError("reader")

    with pytest.raises(RuntimeError, match="reader"):
        read()
    assert not _decoders()


def test_frame_of_bgr_round_trip():
    picture = shaded(642, 361, 1)[0]
    frame = frame_of_bgr(picture, 7, Fraction(3, 7))
    assert (frame.index, frame.time, frame.corrupt) == (7, Fraction(3, 7), False)
    assert frame.y.shape == (360, 642)
    assert np.median(np.abs(frame.bgr().astype(int) - picture[:360])) <= 2
