"""Figures of `live`: python -m tests.bench.live_figures [--sizes 1080p60 720p60 540p30] [--keep DIR] [--live-only]

The sample match played at real speed as a camera, through the same service as `poedinok live` (source, recording, eyes,
journal), with its calls said as the clip's subtitles say them. For each size: the score (and that of `analyze` on the same
file), p50 and p99 from a frame's arrival until it was seen through (after the first 3 s), from the last ball's rest until the
ruling, how long each stretch of motion took to be worked out after it was over, processor time, dropped frames.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from calibration.profile import read_profile
from referee.callfile import read_calls
from referee.live.address import address_of
from referee.live.service import Options, Service
from tests.bench.live_clips import FOLDER, MATCH, PROFILE, RATE, smaller, smaller_profile, strokes

SIZES = {"1080p60": None, "720p60": ((1280, 720), 1), "540p30": ((960, 540), 2)}
CALLS = FOLDER / "sample_match.srt"


@dataclass(frozen=True)
class Played:
    """One run. Delays in ms, `late` in s; `cores`: processor time by wall time; `waited`: the machine's load."""

    name: str
    score: tuple[int, ...]
    analyzed: tuple[int, ...]
    open: int
    p50: float
    p99: float
    late: tuple[float, ...]
    worked: tuple[float, ...]
    cores: float
    frames: int
    dropped: int
    load: float


def clip(name: str, folder: Path) -> tuple[Path, Path]:
    """The match and its profile at one size."""
    shape = SIZES[name]
    if shape is None:
        return MATCH, PROFILE
    size, every = shape
    path = folder / f"{name}.mp4"
    if not path.is_file():
        smaller(path, size, every=every)
    return path, smaller_profile(folder / f"{name}.toml", size)


def analyzed(path: Path, profile: Path, out: Path) -> tuple[int, ...]:
    """The score of `analyze`."""
    from referee.analyze import Request, run

    return tuple(run(Request(path, out, read_profile(profile), read_calls(CALLS))).document["scores"])


def played(name: str, folder: Path, live_only: bool = False) -> Played:
    path, profile = clip(name, folder)
    options = Options(address_of(str(path)), read_profile(profile), folder / f"data-{name}-{time.monotonic_ns()}")
    written: list[float] = []
    shape = SIZES[name]
    rate = RATE / (shape[1] if shape else 1)
    with Service(options) as service:
        first = None
        while first is None:  # the clip's own time zero in live time
            latest = service.engine.latest
            first = latest.seconds - latest.index / rate if latest else None
            time.sleep(0.005)
        zero = first
        count = 0

        def look(view) -> None:
            nonlocal count
            if len(view.strokes) > count:
                count = len(view.strokes)
                written.append(service.capture.now - zero)

        service.desk.listen(look)
        began, spent = time.monotonic(), time.process_time()
        saying = threading.Thread(target=_say, args=(service, zero), daemon=True)
        saying.start()
        loads = []
        while service.engine.alive:
            time.sleep(0.5)
            loads.append(os.getloadavg()[0])
        wall, spent = time.monotonic() - began, time.process_time() - spent
        saying.join(5)
        worked = tuple(service.engine.worked)
        delays, health, view = service.delays(int(3 * rate)), service.health(), service.desk.view
    scores = tuple(view.match.scores) if view.match else ()
    late = tuple(at - end for at, (_, end) in zip(written, strokes(), strict=False))
    known = () if live_only else analyzed(path, profile, folder / f"analyzed-{name}")
    seen, load = (health.frames, health.dropped), float(np.mean(loads))
    return Played(name, scores, known, len(view.open), delays.p50, delays.p99, late, worked, spent / wall, *seen, load)


def _say(service: Service, zero: float) -> None:
    """A marker: starts the game when the balls are seen, and says each call when it is said."""
    while len(service.glance.places) < 4 and service.engine.alive:
        time.sleep(0.02)
    service.desk.start(("A", "B"))
    for call in read_calls(CALLS):
        while service.capture.now - zero < call.video_t and service.engine.alive:
            time.sleep(0.02)
        service.desk.call(call.text)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", nargs="*", default=list(SIZES), choices=list(SIZES))
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--live-only", action="store_true", help="without `analyze` of the same file")
    asked = parser.parse_args()
    print(
        "| camera | score (analyze) | to check | seen after p50, p99 ms | rest to ruling, s | worked out after its end in, s | cores "
        "| frames, dropped | load |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        folder = asked.keep or Path(name)
        folder.mkdir(parents=True, exist_ok=True)
        for size in asked.sizes:
            p = played(size, folder, asked.live_only)
            worked = " ".join(f"{t:.2f}" for t in p.worked)
            late = " ".join(f"{t:.2f}" for t in p.late) or "—"
            print(
                f"| {p.name} | {p.score} ({p.analyzed}) | {p.open} | {p.p50:.0f}, {p.p99:.0f} | {late} | {worked} | {p.cores:.2f} "
                f"| {p.frames}, {p.dropped} | {p.load:.1f} |", flush=True,
            )  # fmt: skip


if __name__ == "__main__":
    main()
