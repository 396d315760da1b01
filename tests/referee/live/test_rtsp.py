"""A camera over RTSP, where the system's Python has GStreamer's server (Debian: gir1.2-gst-rtsp-server-1.0, gstreamer1.0-plugins-bad)."""

from __future__ import annotations

import socket
import struct
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import av
import pytest

from referee.live.address import address_of
from referee.live.capture import Capture
from referee.live.health import SourceState
from referee.live.recording import Recorder, frames_between
from tests.referee.live.test_capture import SIZE, take, write

PYTHON = "/usr/bin/python3"
NEEDS = (
    "import gi; gi.require_version('Gst', '1.0'); gi.require_version('GstRtspServer', '1.0'); "
    "from gi.repository import Gst, GstRtspServer; Gst.init(None); "
    "assert Gst.ElementFactory.find('h264parse') and Gst.ElementFactory.find('rtph264pay')"
)


@cache
def is_there() -> bool:
    return Path(PYTHON).exists() and subprocess.run([PYTHON, "-c", NEEDS], capture_output=True).returncode == 0


@pytest.fixture(scope="module")
def units(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not is_there():
        pytest.skip("no RTSP server of GStreamer")
    folder = tmp_path_factory.mktemp("rtsp")
    path = folder / "units"
    write(folder / "a.h264", 60)
    with av.open(str(folder / "a.h264")) as container:
        packets = [(bytes(p), bool(p.is_keyframe)) for p in container.demux(video=0) if p.size]
    path.write_bytes(b"".join(struct.pack("<I?", len(data), key) + data for data, key in packets))
    return path


@contextmanager
def camera(units: Path, port: int, transport: str) -> Iterator[subprocess.Popen]:
    script = Path(__file__).with_name("rtsp_camera.py")
    process = subprocess.Popen([PYTHON, script, units, str(port), transport], stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None and process.stdout.readline() == b"ready\n"
        yield process
    finally:
        process.kill()
        process.wait()


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


@pytest.mark.parametrize("transport", ["tcp", "udp"])
def test_a_camera_over_rtsp_that_dies_and_comes_back(units: Path, tmp_path: Path, transport: str) -> None:
    port = free_port()
    with Capture(address_of(f"rtsp://127.0.0.1:{port}/camera"), SIZE, sink=Recorder(tmp_path / "rec")) as capture:
        with camera(units, port, transport):
            before = take(capture, 60)
            assert len(before) == 60 and all(not a.broken for a in before[1:]), "no clock jumped"
            assert capture.health().state is SourceState.HEALTHY
        end = time.monotonic() + 8
        while capture.health().state is not SourceState.LOST and time.monotonic() < end:
            take(capture, 1, 0.1)
        assert capture.health().state in (SourceState.LOST, SourceState.STALE)
        with camera(units, port, transport):
            after = [a for a in take(capture, 60, 12.0) if float(a.frame.time) > float(before[-1].frame.time)]
    lost = [a.broken for a in after if a.broken]
    assert len(lost) == 1 and lost[0].startswith("the source was lost")
    assert float(after[-1].frame.time) > float(before[-1].frame.time) + 1.0
    assert sum(1 for _ in frames_between(tmp_path / "rec", 0.0, 1e6)) > 80
