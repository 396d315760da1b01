"""Reading a source: live time never goes back, a file keeps its speed, a server that goes away is found again."""

from __future__ import annotations

import contextlib
import errno
import http.server
import threading
import time
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import av
import cv2
import numpy as np
import pytest

from calibration.errors import UserError
from referee.live.address import Address, address_of
from referee.live.capture import Capture
from referee.live.health import SourceState
from referee.live.recording import Recorder, files, frames_between, last_time
from vision.frames import frame_of_bgr

SIZE = (160, 96)
RATE = 30


def write(path: Path, frames: int = 45, size: tuple[int, int] = SIZE) -> Path:
    rng = np.random.default_rng(3)
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=RATE)
        stream.width, stream.height, stream.pix_fmt = *size, "yuv420p"
        stream.options = {"g": "15", "preset": "ultrafast", "bf": "0"}
        for n in range(frames):
            picture = rng.integers(60, 90, (size[1] * 3 // 2, size[0])).astype(np.uint8)
            picture[10:20, n : n + 10] = 220
            frame = av.VideoFrame.from_ndarray(picture, "yuv420p")
            frame.pts, frame.time_base = n, Fraction(1, RATE)
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return path


def take(capture: Capture, count: int, seconds: float = 8.0) -> list:
    end, found = time.monotonic() + seconds, []
    for arrived in capture.frames():
        if arrived is not None:
            found.append(arrived)
        if len(found) >= count or time.monotonic() > end:
            break
    return found


def test_a_file_is_played_at_its_own_speed_and_recorded_as_it_is(tmp_path: Path) -> None:
    path = write(tmp_path / "a.mp4")
    recorder = Recorder(tmp_path / "rec")
    with Capture(address_of(str(path)), SIZE, sink=recorder, start=100.0) as capture:
        began = time.monotonic()
        found = [a for a in capture.frames() if a is not None]
        took = time.monotonic() - began
    assert took > 1.2
    times = [float(a.frame.time) for a in found]
    assert times[0] >= 100.0 and all(b > a for a, b in pairwise(times))
    assert times[-1] - times[0] == pytest.approx((len(found) - 1 + sum(a.dropped for a in found)) / RATE, abs=0.04)
    kept = list(frames_between(tmp_path / "rec", 0.0, 1e6))
    assert len(kept) == 45
    assert float(kept[-1].time) - float(kept[0].time) == pytest.approx(44 / RATE, abs=0.003)
    assert last_time(tmp_path / "rec") == pytest.approx(float(kept[-1].time), abs=0.003)
    part = list(frames_between(tmp_path / "rec", float(kept[10].time), float(kept[19].time)))
    assert len(part) == 10 and np.array_equal(part[0].y, kept[10].y)


def test_a_machine_that_had_no_time_catches_up_and_nothing_is_said_to_have_jumped(tmp_path: Path) -> None:
    path, late = write(tmp_path / "a.mp4", 60), 0.0
    with Capture(address_of(str(path)), SIZE, clock=lambda: time.monotonic() + late) as capture:
        found = take(capture, 10)
        late = 1.6  # it stood still for so long
        found += take(capture, 60)
        assert all(not a.broken for a in found) and len(found) + sum(a.dropped for a in found) == 60
        times = [float(a.frame.time) for a in found]
        assert times[-1] - times[0] == pytest.approx((len(found) - 1 + sum(a.dropped for a in found)) / RATE, abs=0.04)
        assert capture.health().state is SourceState.HEALTHY or "jump" not in capture.health().reason


def test_a_source_that_stays_behind_has_jumped(tmp_path: Path) -> None:
    now = 0.0
    capture = Capture(address_of(str(write(tmp_path / "a.mp4", 2))), SIZE, clock=lambda: now)
    capture._anchor(Fraction(0))  # pyright: ignore[reportPrivateUsage]

    def is_jump(stamp: Fraction) -> bool:
        assert capture._offset is not None  # pyright: ignore[reportPrivateUsage]
        found = capture._is_jump(stamp, float(stamp + capture._offset) - now)  # pyright: ignore[reportPrivateUsage]
        capture._stamp = stamp  # pyright: ignore[reportPrivateUsage]
        return found

    told = []
    for n in range(1, 300):
        now = n / 30 + (2.0 if n > 100 else 0.0)
        told.append(is_jump(Fraction(n, 30)))
    assert told.index(True) in range(100 + 85, 100 + 95), "three seconds later"


def test_first_pictures_without_a_stamp_set_no_clock() -> None:
    """RTSP: FFmpeg knows the stream's clock from its second or third picture on."""
    now = [50.0]
    capture = Capture(Address("x", "x"), SIZE, start=50.0, clock=lambda: now[0])
    for n, pts in enumerate((None, None, 7, 8, 9)):
        now[0] = 50.0 + n / RATE
        picture = av.VideoFrame.from_ndarray(np.full((SIZE[1] * 3 // 2, SIZE[0]), 90 + n, np.uint8), "yuv420p")
        picture.pts, picture.time_base = pts, Fraction(1, RATE)
        capture._take(picture, False)  # pyright: ignore[reportPrivateUsage]
    capture._over = True  # pyright: ignore[reportPrivateUsage]
    found = [a for a in capture.frames() if a is not None]
    assert [a.broken for a in found] == [""] * 5
    assert [float(a.frame.time) for a in found] == pytest.approx([50 + n / RATE for n in range(5)], abs=1e-3)


def test_a_camera_that_speaks_over_udp_only_is_asked_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, asked, real = write(tmp_path / "a.mp4", 5), [], av.open

    def opened(url: str, **more):
        asked.append(dict(more["options"]))
        if "rtsp_transport" in asked[-1]:
            raise av.error.OSError(errno.EPROTONOSUPPORT, "Protocol not supported")
        return real(str(path))

    monkeypatch.setattr(av, "open", opened)
    with Capture(address_of("rtsp://10.0.0.7/stream"), SIZE) as capture:
        assert take(capture, 5)[0].frame.index == 0
    assert [o.get("rtsp_transport") for o in asked[:2]] == ["tcp", None] and asked[1]["timeout"]


def test_a_stream_without_stamps_is_stamped_as_it_comes(tmp_path: Path) -> None:
    """MJPEG over HTTP: FFmpeg takes it for 25 pictures a second, whatever the camera's rate."""
    rate, sent = 40, []

    class Camera(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=b")
            self.end_headers()
            began = time.monotonic()
            with contextlib.suppress(OSError):
                for n in range(400):
                    time.sleep(max(0.0, began + n / rate - time.monotonic()))
                    picture = np.full((*SIZE[::-1], 3), 60 + n % 100, np.uint8)
                    data = cv2.imencode(".jpg", picture)[1].tobytes()
                    self.wfile.write(b"--b\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n" % len(data) + data + b"\r\n")
                    sent.append(n)

        def log_message(self, *_: object) -> None: ...

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Camera) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = address_of(f"http://127.0.0.1:{server.server_address[1]}/video")
        with Capture(address, SIZE, sink=Recorder(tmp_path / "rec")) as capture:
            found = take(capture, 120)
            late = [capture.now - float(a.frame.time) for a in found[-1:]]
        server.shutdown()
    assert len(found) == 120 and all(not a.broken for a in found)
    assert late[0] < 1.0, "by FFmpeg's stamps it would be two seconds ahead of its time"
    assert len(list(frames_between(tmp_path / "rec", 0.0, 1e6))) >= 100


def test_a_short_stay_loses_no_frame_and_a_slow_reader_loses_frames_rather_than_time(tmp_path: Path) -> None:
    path = write(tmp_path / "a.mp4", 60)
    with Capture(address_of(str(path)), SIZE) as capture:
        found = take(capture, 5)
        time.sleep(0.45)
        found += take(capture, 30)
        assert sum(a.dropped for a in found) == 0
    behind = []
    with Capture(address_of(str(path)), SIZE, loop=True) as capture:
        for arrived in capture.frames():
            if arrived is not None:
                behind.append((time.monotonic() - arrived.wall, arrived.dropped))
                time.sleep(0.15)
            if len(behind) == 20:
                break
        assert capture.health().dropped > 10 and capture.health().state is SourceState.DEGRADED
    assert max(late for late, _ in behind) < 1.3 and min(late for late, _ in behind[12:]) < 0.6


def test_what_is_known_of_a_dropped_frame_goes_to_the_very_next_one() -> None:
    now = [0.0]
    capture = Capture(Address("x", "x"), SIZE, clock=lambda: now[0])
    capture._broken = "the source's clock jumped by +5.0 s"  # pyright: ignore[reportPrivateUsage]
    for n, t in enumerate((0.0, 0.5, 1.0)):
        now[0] = t
        frame = frame_of_bgr(np.full((SIZE[1], SIZE[0], 3), n, np.uint8), n)
        capture._deliver(frame)  # pyright: ignore[reportPrivateUsage]
    arrived = capture.frames()
    second, third = next(arrived), next(arrived)
    assert second is not None and third is not None
    assert (second.frame.index, second.broken, second.dropped) == (1, "the source's clock jumped by +5.0 s", 1)
    assert (third.frame.index, third.broken, third.dropped) == (2, "", 0)


def test_a_loop_goes_on_in_time_and_says_where_it_is_broken(tmp_path: Path) -> None:
    with Capture(address_of(str(write(tmp_path / "a.mp4", 20))), SIZE, loop=True) as capture:
        found = take(capture, 50)
    times = [float(a.frame.time) for a in found]
    assert all(b > a for a, b in pairwise(times))
    assert [a.broken for a in found if a.broken][:1] == ["the file begins again"]


def test_a_size_that_the_profile_does_not_have_is_lost(tmp_path: Path) -> None:
    with Capture(address_of(str(write(tmp_path / "a.mp4", 30))), (1920, 1080)) as capture:
        take(capture, 5)
        assert capture.health().state is SourceState.LOST


class _Server:
    """Serves one file over HTTP until it is closed; opened again on the same port."""

    def __init__(self, data: bytes, port: int = 0) -> None:
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(200)
                self.send_header("Content-Type", "video/x-matroska")
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: object) -> None: ...

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def test_a_stream_that_ends_is_lost_and_found_again(tmp_path: Path) -> None:
    data = write(tmp_path / "a.mkv", 20).read_bytes()
    server = _Server(data)
    with Capture(address_of(f"http://user:secret@127.0.0.1:{server.port}/cam"), SIZE) as capture:
        assert "secret" not in capture.address.name
        first = take(capture, 5)
        server.close()
        end = time.monotonic() + 6
        while capture.health().state is not SourceState.LOST and time.monotonic() < end:
            time.sleep(0.05)
        assert capture.health().state is SourceState.LOST and capture.health().reason
        server = _Server(data, server.port)
        again = []
        for arrived in capture.frames():
            if arrived is not None and arrived.broken:
                again.append(arrived)
            if again or time.monotonic() > end + 12:
                break
        assert again and float(again[0].frame.time) > float(first[-1].frame.time)
        assert capture.health().reconnects >= 1
    server.close()


def test_each_damaged_packet_of_a_camera_is_noticed_and_all_that_builds_on_it(tmp_path: Path) -> None:
    good, bad = write(tmp_path / "good.mkv"), tmp_path / "bad.mkv"
    rng = np.random.default_rng(4)
    hit = {16, 20, 23}  # in the second group of fifteen
    with av.open(str(good)) as source, av.open(str(bad), "w") as out:
        stream = out.add_stream_from_template(source.streams.video[0])
        for n, old in enumerate(p for p in source.demux(video=0) if p.size):
            data = bytearray(bytes(old))
            for at in rng.integers(len(data) // 2, len(data), 8) if n in hit else ():
                data[at] ^= 0x10
            packet = av.Packet(bytes(data))
            packet.stream, packet.pts, packet.dts, packet.time_base = stream, old.pts, old.dts, old.time_base
            packet.is_keyframe = n % 15 == 0
            out.mux(packet)
    server = _Server(bad.read_bytes())
    with Capture(address_of(f"http://127.0.0.1:{server.port}/cam"), SIZE) as capture:
        found = take(capture, 45)
        assert capture.health().state is SourceState.DEGRADED and "damaged" in capture.health().reason
    server.close()
    assert [a.frame.corrupt for a in found] == [16 <= n < 30 for n in range(45)]


@pytest.mark.parametrize(
    ("source", "said"), [("99", "no such camera"), ("nothing.mp4", "not found"), ("gopher://x/y", "rtsp://"), ("/dev/video77", "no such")]
)
def test_what_is_no_source(source: str, said: str) -> None:
    with pytest.raises(UserError, match=said):
        address_of(source)


def test_a_full_disk_is_told_and_the_pictures_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import shutil
    from collections import namedtuple

    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(10**12, 10**12, 10**8))
    recorder = Recorder(tmp_path / "rec")
    with Capture(address_of(str(write(tmp_path / "a.mp4", 20))), SIZE, sink=recorder) as capture:
        found = take(capture, 10)
    assert len(found) >= 5 and recorder.state.state == "full" and files(tmp_path / "rec") == []


def test_a_recording_that_a_kill_cut_short_can_be_read(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path / "rec")
    with Capture(address_of(str(write(tmp_path / "a.mp4"))), SIZE, sink=recorder) as capture:
        take(capture, 45)
    (_, path), *_ = files(tmp_path / "rec")
    path.write_bytes(path.read_bytes()[: path.stat().st_size * 2 // 3])
    assert len(list(frames_between(tmp_path / "rec", 0.0, 1e6))) >= 20
