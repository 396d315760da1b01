"""How fast is `analyze`, and how much memory does it take?  python -m tests.bench.speed VIDEO --profile PROFILE.toml

Bare decoding of the same video on as many threads stands beside it, without a look at the pictures («decode») and with each one brought to
the BGR that OpenCV's programs work on («as BGR»), and the same for the same pictures coded as a camera codes
them: rendered videos have no grain and decode several times as fast. With --options=--timings the stages are printed. With
--loops 1,4 the video is analyzed once and four times in a row as one longer video: memory must not grow with length.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import av
import numpy as np

ROOT = Path(__file__).resolve().parents[2]
_BITS = 20_000_000  # a second: what phones and action cameras write at 1080p60
_GRAIN = 2.0  # levels


def decoding(path: Path, *, bgr: bool = False) -> tuple[int, float]:
    """Frames of a video, and seconds that decoding them all takes; `bgr`: and bringing them to BGR."""
    began, frames = time.perf_counter(), 0
    with av.open(str(path)) as container:
        container.streams.video[0].thread_type = "AUTO"
        for frame in container.decode(video=0):
            if bgr:
                frame.to_ndarray(format="bgr24")
            frames += 1
    return frames, time.perf_counter() - began


def as_camera(path: Path, out: Path) -> Path:
    """The same pictures with the noise of a sensor, coded at about `_BITS` a second, a key picture each second, no pictures ahead."""
    rng = np.random.default_rng(0)
    with av.open(str(path)) as source, av.open(str(out), "w") as target:
        read = source.streams.video[0]
        read.thread_type = "AUTO"
        stream = target.add_stream("libx264", rate=read.average_rate)
        stream.width, stream.height, stream.pix_fmt, stream.bit_rate = read.width, read.height, "yuv420p", _BITS
        stream.options = {
            "preset": "veryfast",
            "g": str(round(read.average_rate or 30)),
            "bf": "0",
            "maxrate": str(_BITS),
            "bufsize": str(_BITS),
        }
        stream.codec_context.time_base = read.time_base
        grain = rng.normal(0, _GRAIN, (read.height * 3 // 2 + 64, read.width + 64)).round().astype(np.int16)
        for frame in source.decode(read):
            y, x = rng.integers(0, 64, 2)
            planes = frame.reformat(format="yuv420p").to_ndarray()
            noisy = np.clip(planes + grain[y : y + planes.shape[0], x : x + planes.shape[1]], 0, 255).astype(np.uint8)
            shown = av.VideoFrame.from_ndarray(noisy, format="yuv420p")
            shown.pts, shown.time_base = frame.pts, frame.time_base
            target.mux(stream.encode(shown))
        target.mux(stream.encode())
    return out


def looped(path: Path, times: int, out: Path) -> Path:
    """The video so many times in a row, its packets copied as they are."""
    if times == 1:
        return path
    with av.open(str(out), "w") as target:
        copy, offset = None, 0
        for _ in range(times):
            with av.open(str(path)) as source:
                stream = source.streams.video[0]
                copy = copy or target.add_stream_from_template(stream)
                end = offset
                for packet in source.demux(stream):
                    if packet.dts is None or packet.pts is None:
                        continue
                    packet.pts, packet.dts = packet.pts + offset, packet.dts + offset
                    end = max(end, packet.pts + (packet.duration or 0))
                    packet.stream = copy
                    target.mux(packet)
                offset = end
    return out


def analysis(path: Path, profile: Path | None, out: Path, options: list[str]) -> tuple[float, float]:
    """Seconds and peak MiB of one `poedinok analyze` in a process of its own."""
    command = [sys.executable, "-m", "referee.cli", "analyze", str(path), "--out", str(out), *options]
    began = time.perf_counter()
    running = subprocess.Popen(
        [*command, "--profile", str(profile)] if profile else command,
        stdout=None if "--timings" in options else subprocess.DEVNULL,
        cwd=ROOT,
    )
    _, status, usage = os.wait4(running.pid, 0)
    if status:
        raise SystemExit(f"analyze failed on {path}")
    return time.perf_counter() - began, usage.ru_maxrss / (1024 if sys.platform != "darwin" else 1024**2)


def measured(video: Path, loops: int, arguments: argparse.Namespace, folder: Path) -> str:
    """A line of the table: a video decoded and then analyzed."""
    with av.open(str(video)) as container:
        rate = container.bit_rate / 1e6
    frames, bare = decoding(video)
    _, shown = decoding(video, bgr=True)
    seconds, peak = analysis(video, arguments.profile, folder / "out", arguments.options.split())
    shots = len(json.loads((folder / "out" / "match.json").read_text("utf-8"))["shots"])
    speeds = f"{frames / bare:12.1f}{frames / shown:8.1f}{frames / seconds:13.1f}{bare / seconds:7.2f}{shown / seconds:8.2f}"
    return f"{rate:8.1f}{loops:>7}x{frames:8}{speeds}{peak:10.0f}{shots:7}"


def main() -> int:
    parser = argparse.ArgumentParser(description="Speed and memory of analyze.")
    parser.add_argument("video", type=Path)
    parser.add_argument("--profile", type=Path)
    parser.add_argument("--loops", default="1", help="how many times in a row, such as 1,4")
    parser.add_argument("--options", default="", help="further options of analyze, in one text")
    parser.add_argument("--no-camera", action="store_true", help="only the video as it is")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        videos = {"as it is": arguments.video}
        if not arguments.no_camera:
            videos["as a camera"] = as_camera(arguments.video, folder / "camera.mp4")
        titles = (
            ("coded", 12),
            ("Mbit/s", 8),
            ("length", 8),
            ("frames", 8),
            ("decode f/s", 12),
            ("as BGR", 8),
            ("analyze f/s", 13),
            ("ratio", 7),
            ("to BGR", 8),
        )
        print("".join(f"{title:>{width}}" for title, width in (*titles, ("peak MiB", 10), ("shots", 7))), flush=True)
        for coded, video in videos.items():
            for loops in map(int, arguments.loops.split(",")):
                print(
                    f"{coded:>12}" + measured(looped(video, loops, folder / f"x{loops}{video.suffix}"), loops, arguments, folder),
                    flush=True,
                )
    return 0


if __name__ == "__main__":
    sys.exit(main())
