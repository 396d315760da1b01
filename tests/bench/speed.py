"""How fast is `analyze`, and how much memory does it take?  python -m tests.bench.speed VIDEO --profile PROFILE.toml

Bare decoding of the same video on as many threads stands beside it. With --loops 1,4 the video is analyzed once and four
times in a row as one longer video: memory must not grow with length.
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

ROOT = Path(__file__).resolve().parents[2]


def decoding(path: Path) -> tuple[int, float]:
    """Frames of a video, and seconds that decoding them all takes."""
    began = time.perf_counter()
    with av.open(str(path)) as container:
        container.streams.video[0].thread_type = "AUTO"
        frames = sum(1 for _ in container.decode(video=0))
    return frames, time.perf_counter() - began


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
    running = subprocess.Popen([*command, "--profile", str(profile)] if profile else command, stdout=subprocess.DEVNULL, cwd=ROOT)
    _, status, usage = os.wait4(running.pid, 0)
    if status:
        raise SystemExit(f"analyze failed on {path}")
    return time.perf_counter() - began, usage.ru_maxrss / (1024 if sys.platform != "darwin" else 1024**2)


def main() -> int:
    parser = argparse.ArgumentParser(description="Speed and memory of analyze.")
    parser.add_argument("video", type=Path)
    parser.add_argument("--profile", type=Path)
    parser.add_argument("--loops", default="1", help="how many times in a row, such as 1,4")
    parser.add_argument("--options", default="", help="further options of analyze, in one text")
    arguments = parser.parse_args()
    print(f"{'length':>8}{'frames':>8}{'decode f/s':>12}{'analyze f/s':>13}{'ratio':>7}{'peak MiB':>10}{'shots':>7}")
    with tempfile.TemporaryDirectory() as folder:
        for loops in map(int, arguments.loops.split(",")):
            video = looped(arguments.video, loops, Path(folder) / f"x{loops}{arguments.video.suffix}")
            frames, bare = decoding(video)
            seconds, peak = analysis(video, arguments.profile, Path(folder) / f"out{loops}", arguments.options.split())
            shots = len(json.loads((Path(folder) / f"out{loops}" / "match.json").read_text("utf-8"))["shots"])
            print(
                f"{loops:>7}x{frames:8}{frames / bare:12.1f}{frames / seconds:13.1f}{bare / seconds:7.2f}{peak:10.0f}{shots:7}", flush=True
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
