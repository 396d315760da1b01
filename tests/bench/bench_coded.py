"""The sample match as other cameras and coders write it: is it refereed alike?

    python -m tests.bench.bench_coded [--list] [--keep DIR] [--details] [--strokes FIRST-LAST] [NAME…]

A NAME picks all variants whose names contain it. A line a variant: events found, missed, invented and their F1, the error of their
times, that of resting places, rulings that are right and those that are wrong without review, and the score (the match ends 14 : 0).
A variant is coded once where DIR keeps it. With --strokes only a part of the match is written and refereed.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import av.filter
import numpy as np

from tests.bench.footage import SHARED, poedinok, scorer
from tests.bench.live_clips import FOLDER, MATCH, RATE, smaller_profile

FULL, HD, SMALL = (1920, 1080), (1280, 720), (960, 540)
TOLERANCE = 0.060  # s
_RULING = ("outcome", "points", "opponent_points", "turn")
_FAST = {"preset": "veryfast", "bf": "0"}
_PATTERN = 256  # px of a noise pattern, moved about from picture to picture
Shown = Callable[[int], Iterator[Fraction]]  # number of a picture -> when it is shown, in steps of the rate; none: left out


def crf(level: int, **more: str) -> dict[str, str]:
    return _FAST | {"crf": str(level)} | more


def bits(megabits: float, **more: str) -> dict[str, str]:
    rate = str(int(megabits * 1e6))
    return _FAST | {"b": rate, "maxrate": rate, "bufsize": rate} | more


@dataclass(frozen=True)
class Coded:
    """How the match is written: each `every`th picture at `size`, after `filters`, with `grain` (levels; `blotch` px wide), by `codec`.

    `shown`: the stamps of a picture, in steps between pictures; `stretch`: how many times longer than in truth all takes.
    """

    size: tuple[int, int] = FULL
    every: int = 1
    grain: float = 0.0
    blotch: float = 0.0
    filters: tuple[tuple[str, str], ...] = ()
    codec: str = "libx264"
    options: Mapping[str, str] = field(default_factory=lambda: crf(18))
    pixels: str = "yuv420p"
    shown: Shown = lambda n: iter((Fraction(n),))
    stretch: float = 1.0
    suffix: str = ".mp4"


def twice(n: int) -> Iterator[Fraction]:
    """Each picture fills the place of the next one too."""
    yield Fraction(n)
    yield Fraction(n) + Fraction(1, 2)


def pulldown(n: int) -> Iterator[Fraction]:
    """Four pictures in ten places, three and two by turns: in units of pictures, 24 in a second of 60."""
    first = (5 * n + 1) // 2
    yield from (Fraction(2 * k, 5) for k in range(first, (5 * n + 6) // 2))


def jittered(levels: float) -> Shown:
    """Stamps off by up to so many steps, drawn for each picture anew."""
    return lambda n: iter((n + Fraction(round(1000 * levels * float(np.random.default_rng(n).uniform(-1, 1))), 1000),))


def dropped(n: int) -> Iterator[Fraction]:
    """A telephone's: one picture in eight is left out, the rest bear their own times within a millisecond or two."""
    rng = np.random.default_rng(n)
    if rng.random() > 0.125 or not n:
        yield n + Fraction(round(100 * float(rng.uniform(0, 0.1))), 100)


def scaled(**options: str) -> tuple[tuple[str, str], ...]:
    return (("scale", ":".join(f"{k}={v}" for k, v in {"w": "iw", "h": "ih", "flags": "bicubic+accurate_rnd", **options}.items())),)


CENTRED = scaled(out_h_chr_pos="128", out_v_chr_pos="128")
TOP_LEFT = scaled(out_h_chr_pos="0", out_v_chr_pos="0")
SHARP, SOFT = (("unsharp", "5:5:1.5:3:3:0"),), (("gblur", "sigma=1.2"),)
VARIANTS: dict[str, Coded] = {
    "as it is": Coded(),
    "camera, grain 2, 20 Mbit/s": Coded(grain=2, options=bits(20)),
    "camera, grain 4, 20 Mbit/s": Coded(grain=4, options=bits(20)),
    "camera, grain 4, 8 Mbit/s": Coded(grain=4, options=bits(8)),
    "camera, grain 8, 20 Mbit/s": Coded(grain=8, options=bits(20)),
    "camera, grain 4, 2 px wide, 20 Mbit/s": Coded(grain=4, blotch=1.0, options=bits(20)),
    "film, grain 6, 1.5 px wide, crf 18": Coded(grain=6, blotch=0.7, options=crf(18, tune="grain")),
    "720p30 camera, grain 3, 5 Mbit/s": Coded(HD, 2, grain=3, options=bits(5)),
    "crf 24": Coded(options=crf(24)),
    "crf 28": Coded(options=crf(28)),
    "crf 32": Coded(options=crf(32)),
    "crf 24, B pictures": Coded(options=crf(24) | {"bf": "3"}),
    "sharpened": Coded(filters=SHARP),
    "soft": Coded(filters=SOFT),
    "full range": Coded(filters=scaled(out_range="pc"), pixels="yuvj420p"),
    "BT.709": Coded(filters=scaled(in_color_matrix="bt601", out_color_matrix="bt709")),
    "HEVC crf 26": Coded(codec="libx265", options={"preset": "ultrafast", "crf": "26", "x265-params": "log-level=none:bframes=0"}),
    "MJPEG": Coded(HD, codec="mjpeg", options={"qscale": "4"}, filters=CENTRED, pixels="yuvj420p", suffix=".avi"),
    "4:2:2": Coded(options=crf(18), pixels="yuv422p"),
    "chroma centred": Coded(filters=CENTRED),
    "chroma top left": Coded(filters=TOP_LEFT),
    "1080p30": Coded(every=2),
    "720p60": Coded(HD),
    "720p30": Coded(HD, 2),
    "720p30 crf 28": Coded(HD, 2, options=crf(28)),
    "540p30": Coded(SMALL, 2),
    "540p60": Coded(SMALL),
    "30 in 60": Coded(HD, 2, shown=twice),
    "24 in 60": Coded(HD, 2, shown=pulldown, stretch=1.25),
    "stamps off by 10 ms": Coded(HD, 2, shown=jittered(0.3)),
    "stamps off by 5 ms, 60": Coded(HD, shown=jittered(0.3)),
    "some pictures left out": Coded(HD, 2, shown=dropped),
    "slow motion, 4 times": Coded(HD, 2, stretch=4.0),
}  # fmt: skip


# coding -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Part:
    """The strokes `first`..`last` (from 1) of the match, and the time (s) that is written of it."""

    first: int
    last: int
    start: float
    end: float

    @classmethod
    def of(cls, truth: Mapping[str, Any], first: int, last: int) -> Part:
        shots = truth["shots"]
        return cls(first, last, shots[first - 2]["end_t"] + 0.5 if first > 1 else 0.0, shots[last - 1]["end_t"] + 1.5)


def pictures(how: Coded, part: Part) -> Iterator[tuple[int, av.VideoFrame]]:
    """The pictures of the match that are kept, with their numbers among those, filtered and scaled."""
    with av.open(str(MATCH)) as source:
        stream = source.streams.video[0]
        stream.thread_type = "AUTO"
        graph = av.filter.Graph()
        nodes = [graph.add_buffer(template=stream), *(graph.add(name, options) for name, options in how.filters), graph.add("buffersink")]
        graph.link_nodes(*nodes).configure()
        for n, frame in enumerate(source.decode(stream)):
            if n % how.every or n < part.start * RATE:
                continue
            if n > part.end * RATE:
                break
            if how.size != FULL:
                frame = frame.reformat(*how.size, interpolation="AREA")
            if how.filters and how.size == FULL:
                graph.push(frame)
                frame = graph.pull()
            yield n // how.every, frame  # pyright: ignore[reportReturnType]


def grain(how: Coded) -> list[np.ndarray]:
    """Noise patterns (_PATTERN + H, _PATTERN + W) for luma and chroma, standard deviation `how.grain`; chroma has half of it."""
    import cv2

    rng = np.random.default_rng(0)
    made = []
    for divisor, share in ((1, 1.0), (2, 0.5), (2, 0.5)):
        noise = rng.normal(0, 1, (how.size[1] // divisor + _PATTERN, how.size[0] // divisor + _PATTERN)).astype(np.float32)
        if how.blotch:
            noise = cv2.GaussianBlur(noise, (0, 0), how.blotch / divisor + 0.01)
        made.append((noise / noise.std() * how.grain * share).astype(np.float32))
    return made


def noisy(frame: av.VideoFrame, patterns: list[np.ndarray], rng: np.random.Generator) -> av.VideoFrame:
    made = av.VideoFrame(frame.width, frame.height, frame.format.name)
    for source, target, pattern in zip(frame.planes, made.planes, patterns, strict=True):
        shown = np.frombuffer(source, np.uint8).reshape(-1, source.line_size)[: source.height, : source.width]
        y, x = rng.integers(0, _PATTERN, 2)
        mixed = np.clip(shown + pattern[y : y + source.height, x : x + source.width] + 0.5, 0, 255).astype(np.uint8)
        padded = np.zeros((target.height, target.line_size), np.uint8)
        padded[:, : target.width] = mixed
        target.update(padded)
    return made


def coded(how: Coded, path: Path, part: Part) -> None:
    """Writes a variant."""
    rate = Fraction(RATE, how.every)
    base = Fraction(1, 60000)
    rng = np.random.default_rng(1)
    patterns = grain(how) if how.grain else []
    with av.open(str(path), "w") as target:
        stream = target.add_stream(how.codec, rate=rate, options={"g": str(int(rate)), **how.options})
        stream.width, stream.height, stream.pix_fmt = *how.size, how.pixels
        if how.suffix != ".avi":
            stream.codec_context.time_base = base
        for n, frame in pictures(how, part):
            frame = frame.reformat(format=how.pixels) if frame.format.name != how.pixels else frame
            for step in how.shown(n):
                shown = noisy(frame, patterns, rng) if patterns else frame
                time = step / rate * Fraction(how.stretch)
                shown.time_base = 1 / rate if how.suffix == ".avi" else base
                shown.pts, shown.pict_type = round(time / shown.time_base), 0  # pyright: ignore[reportAttributeAccessIssue]
                target.mux(stream.encode(shown))
        target.mux(stream.encode(None))


# scoring ------------------------------------------------------------------------------------------------------


@dataclass
class Tally:
    """What became of the strokes of a variant; errors in s and mm."""

    hits: int = 0
    missed: int = 0
    invented: int = 0
    right: int = 0
    silent: int = 0
    reviewed: int = 0
    errors: list[float] = field(default_factory=list)
    rest: list[float] = field(default_factory=list)
    details: list[str] = field(default_factory=list)

    def take(self, want: Mapping[str, Any], got: Mapping[str, Any] | None, score: Any) -> None:
        """One stroke of the truth and what was found of it."""
        a, b = ([e for e in s["events"] if e["type"] in score.COUNTED] if s else [] for s in (want, got))
        matched, lost, extra = score.match_events(a, b, TOLERANCE)
        self.hits, self.missed, self.invented = self.hits + len(matched), self.missed + len(lost), self.invented + len(extra)
        self.errors += [f["video_t"] - t["video_t"] for t, f in matched]
        ruling = (got or {}).get("ruling") or {}
        fits = all(ruling.get(k) == want["ruling"].get(k) for k in _RULING)
        review = [d["reason"] for d in got["review"]] if got else []
        self.right, self.reviewed, self.silent = self.right + fits, self.reviewed + bool(review), self.silent + (not fits and not review)
        places = got["positions_before"] if got else {}
        self.rest += [float(np.hypot(*np.subtract(places[b], at))) for b, at in want["positions_before"].items() if at and places.get(b)]
        told = [] if got and fits else ["ruled wrong" if got else "not found"]
        told += [f"missed {e}" for e in lost] + [f"invented {e}" for e in extra] + [f"review: {reason}" for reason in review]
        self.details += [f"stroke {want['index']}: {text}" for text in told]


def told(shots: Sequence[Mapping[str, Any]], match: Mapping[str, Any], score: Any) -> tuple[str, list[str]]:
    """The line of a variant, and what is missing, invented or in review."""
    pairs = dict(score.pair_shots(shots, match["shots"]))
    tally = Tally()
    for i, want in enumerate(shots):
        tally.take(want, match["shots"][pairs[i]] if i in pairs else None, score)
    f1 = 2 * tally.hits / max(1, 2 * tally.hits + tally.missed + tally.invented)
    times, rest = (np.abs(v) if v else np.array([np.nan]) for v in (np.multiply(tally.errors, 1000).tolist(), tally.rest))
    points = match.get("scores") or ["?", "?"]
    return (
        f"{f1:6.3f} ({tally.hits}/{tally.hits + tally.missed} +{tally.invented}){np.median(times):8.2f} /{np.quantile(times, 0.95):6.2f}"
        f"{np.median(rest):8.2f} /{np.max(rest):6.2f}{tally.right:6}/{len(shots)}{tally.silent:8}{tally.reviewed:8}"
        f"{len(match['shots']) - len(pairs):8}{points[0]:>5} : {points[1]}"
    ), [*tally.details, *(f"note: {note}" for note in match["notes"])]


def slower(truth: dict[str, Any], times: float) -> dict[str, Any]:
    """The truth of a video in which all takes longer."""
    for shot in truth["shots"]:
        shot |= {key: shot[key] * times for key in ("start_t", "end_t")}
        for event in shot["events"]:
            event |= {key: event[key] * times for key in ("t", "video_t")}
    return truth


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--list", action="store_true", help="only the names of the variants")
    parser.add_argument("--keep", type=Path, help="keep the videos and what was made of them in this folder")
    parser.add_argument("--strokes", help="only these strokes of the match, such as 4-5")
    parser.add_argument("--details", action="store_true", help="also what is missed, invented, in review, and the notes")
    arguments = parser.parse_args()
    chosen = {n: v for n, v in VARIANTS.items() if not arguments.names or any(word in n for word in arguments.names)}
    if arguments.list:
        print(*chosen, sep="\n")
        return 0
    score = scorer(SHARED / "eval" / "score.py")
    work = arguments.keep or Path(tempfile.mkdtemp(prefix="coded-"))
    truth = json.loads((FOLDER / "sample_match.truth.json").read_text("utf-8"))
    first, _, last = (arguments.strokes or f"1-{len(truth['shots'])}").partition("-")
    part = Part.of(truth, int(first), int(last or first))
    titles = ("F1", 18), ("ms: 50 / 95 %", 17), ("rest mm: 50 %/max", 19), ("right", 6), ("silent", 7), ("review", 8), ("ghosts", 8)
    print(f"{'coded':40}" + "".join(f"{title:>{width}}" for title, width in (*titles, ("score", 8))), flush=True)
    try:
        for name, how in chosen.items():
            line, details = measured(how, work / (arguments.strokes or "") / "".join(c if c.isalnum() else "_" for c in name), part, score)
            print(f"{name:40}{line}", flush=True)
            if arguments.details:
                print(*(f"    {text}" for text in details), sep="\n", flush=True)
    finally:
        if arguments.keep is None:
            shutil.rmtree(work, ignore_errors=True)
    return 0


def measured(how: Coded, folder: Path, part: Part, score: Any) -> tuple[str, list[str]]:
    """Writes a variant into `folder`, unless it is there, and referees it."""
    folder.mkdir(parents=True, exist_ok=True)
    video = folder / f"video{how.suffix}"
    if not video.is_file():
        making = folder / f"making{how.suffix}"
        coded(how, making, part)
        making.rename(video)
    truth = slower(json.loads((FOLDER / "sample_match.truth.json").read_text("utf-8")), how.stretch)
    shots = truth["shots"][part.first - 1 : part.last]
    profile = smaller_profile(folder / "profile.toml", how.size)
    calls, state = folder / "calls.srt", folder / "start.json"
    calls.write_text(_later((FOLDER / "sample_match.srt").read_text("utf-8"), how.stretch, part), "utf-8")
    state.write_text(json.dumps(shots[0]["state"]), "utf-8")
    error = poedinok(
        "analyze", str(video), "--profile", str(profile), "--calls", str(calls), "--out", str(folder / "out"), "--start", str(state)
    )
    return (error, []) if error else told(shots, json.loads((folder / "out" / "match.json").read_text("utf-8")), score)


def _later(subtitles: str, times: float, part: Part) -> str:
    """The calls in a part of the video, in which all takes longer."""
    kept = []
    for block in subtitles.strip().split("\n\n"):
        first = _STAMP.search(block)
        if first and part.start <= _seconds(first) <= part.end:
            kept.append(_STAMP.sub(lambda found: _stamp(times * _seconds(found)), block))
    return "\n\n".join(kept) + "\n"


_STAMP = re.compile(r"(\d+):(\d+):(\d+)[,.](\d+)")


def _seconds(found: re.Match[str]) -> float:
    h, m, s, ms = map(int, found.groups())
    return h * 3600 + m * 60 + s + ms / 1000


def _stamp(seconds: float) -> str:
    ms = round(1000 * seconds)
    return f"{ms // 3600000:02}:{ms // 60000 % 60:02}:{ms // 1000 % 60:02},{ms % 1000:03}"


if __name__ == "__main__":
    sys.exit(main())
