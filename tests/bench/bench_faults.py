"""Faulty pictures in the sample match, and what the referee says of them: python -m tests.bench.bench_faults [STROKE…]

Each fault is put into one stroke: at its first contact (or cushion), in free run, and before the strike. Told are what is up for
review and what is only noted, and whether the ruling is the right one. Pictures are 960x540, as they come out of the decoder.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import cv2
import numpy as np

from calibration.profile import Profile, read_profile
from referee.analyze import referee_strokes
from referee.callfile import TimedCall
from referee.codec import state_from_json
from tests.bench.live_clips import FOLDER, MATCH, smaller_profile
from vision.detect import Detector
from vision.frames import Frame, Video
from vision.run import TableRun
from vision.tracks import TracksFile

SIZE = (960, 540)
STEP = Fraction(1, 60)
Fault = Callable[[Iterable[Frame], float], Iterator[Frame]]


def small(frames: Iterable[Frame]) -> Iterator[Frame]:
    w, h = SIZE
    for f in frames:
        planes = ((f.y, (w, h)), (f.u, (w // 2, h // 2)), (f.v, (w // 2, h // 2)))
        y, u, v = (cv2.resize(np.ascontiguousarray(p), size, interpolation=cv2.INTER_AREA) for p, size in planes)
        yield replace(f, y=y, u=u, v=v)


def within(f: Frame, at: float, count: int) -> bool:
    return at - 0.5 / 60 <= f.seconds < at + (count - 0.5) / 60


def removed(count: int) -> Fault:
    return lambda frames, at: (f for f in frames if not within(f, at, count))


def removed_in_secret(frames: Iterable[Frame], at: float) -> Iterator[Frame]:
    """Three pictures are missing, and the stamps hide it."""
    for f in frames:
        if not within(f, at, 3):
            yield replace(f, time=f.time - 3 * STEP) if f.seconds > at else f


def repeated(frames: Iterable[Frame], at: float) -> Iterator[Frame]:
    """A picture is shown three times, over the two after it."""
    kept = None
    for f in frames:
        if within(f, at, 1):
            kept = f
        yield replace(f, y=kept.y, u=kept.u, v=kept.v) if kept is not None and within(f, at, 3) else f


def late(frames: Iterable[Frame], at: float) -> Iterator[Frame]:
    return (replace(f, time=f.time + STEP * Fraction(6, 10)) if within(f, at, 1) else f for f in frames)


def jumped(frames: Iterable[Frame], at: float) -> Iterator[Frame]:
    """The clock goes half a second forward."""
    return (replace(f, time=f.time + Fraction(1, 2)) if f.seconds > at else f for f in frames)


def unstamped(frames: Iterable[Frame], at: float) -> Iterator[Frame]:
    return (replace(f, stamped=False) if within(f, at, 10) else f for f in frames)


def black(seconds: float) -> Fault:
    def dark(frames: Iterable[Frame], at: float) -> Iterator[Frame]:
        for f in frames:
            if at <= f.seconds < at + seconds:
                f = replace(f, y=np.full_like(f.y, 16), u=np.full_like(f.u, 128), v=np.full_like(f.v, 128))
            yield f

    return dark


def damaged(frames: Iterable[Frame], at: float) -> Iterator[Frame]:
    """A band of the picture shows another place, for six pictures, and the decoder says so."""
    for f in frames:
        if within(f, at, 6):
            y = f.y.copy()
            y[200:330] = np.roll(y[200:330], 40, axis=1)
            f = replace(f, y=y, corrupt=True)
        yield f


FAULTS: dict[str, Fault] = {
    "none": lambda frames, _: iter(frames), "3 missing": removed(3), "3 missing, stamps hide it": removed_in_secret,
    "1 missing": removed(1), "shown 3 times": repeated, "one 10 ms late": late, "clock +0.5 s": jumped, "no stamps": unstamped,
    "black 0.1 s": black(0.1), "black 0.5 s": black(0.5), "black 2 s": black(2.0), "6 damaged": damaged,
}  # fmt: skip


def analyzed(frames: Iterable[Frame], profile: Profile, network: Detector) -> TableRun:
    with TracksFile(None) as rows:
        run = TableRun(profile, ("white", "yellow", "red", "black"), rows, network)
        for f in frames:
            run.take(f)
        run.finish()
    return run


def told(shot: dict, run: TableRun, profile: Profile) -> str:
    strokes = run.strokes
    calls = (TimedCall(0.0, shot["call"], 1),) if shot["call"] else ()
    match, _, _ = referee_strokes(strokes, profile.table, calls=calls, start=state_from_json(shot["state"]))
    right = [
        r.ruling is not None and (r.ruling.outcome, r.ruling.points) == (shot["ruling"]["outcome"], shot["ruling"]["points"])
        for r in match.strokes
    ]
    parts = [
        f"{'right' if ok else 'WRONG'}; review: {[d.reason for d in r.review]}; notes: {[d.reason for d in r.notes]}"
        for ok, r in zip(right, match.strokes, strict=True)
    ]
    silent = any(not ok and not r.review for ok, r in zip(right, match.strokes, strict=True)) or len(strokes) != 1
    return f"{len(strokes)} stroke(s) {'!! ' if silent else ''}" + " | ".join(parts)


def main() -> None:
    truth = json.loads((FOLDER / "sample_match.truth.json").read_text("utf-8"))
    profile = read_profile(smaller_profile(Path(tempfile.gettempdir()) / "sample_small.toml", SIZE))
    network = Detector(None)
    for number in [int(word) for word in sys.argv[1:]] or (2, 3, 4):
        shot = truth["shots"][number - 1]
        with Video(MATCH) as video:
            frames = list(small(f for f in video if shot["start_t"] - 1.2 < f.seconds < shot["end_t"] + 1.0))
        hit = next(e["video_t"] for e in shot["events"] if e["type"] in ("contact", "cushion"))
        free = (hit + next(e["video_t"] for e in shot["events"] if e["video_t"] > hit + 0.05)) / 2
        for name, fault in FAULTS.items():
            for where, at in {"hit": hit, "free": free, "rest": shot["start_t"] - 0.4}.items():
                print(f"{shot['index']} {name:28}{where:6}{told(shot, analyzed(fault(frames, at), profile, network), profile)}", flush=True)
                if name == "none":
                    break


if __name__ == "__main__":
    main()
