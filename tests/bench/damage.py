"""What share of damage in a stream is noticed: python -m tests.bench.damage [CLEAN-VIDEO ...]

One packet in each group of pictures of the sample match (960x540) is damaged, and the file read as `analyze` reads it. Told, by codec
and kind of damage: the share of groups in which a frame is marked corrupt, and the share in which pictures differ visibly from the
clean ones (by more than 16 levels in more than 40 px) without any mark. Then, for the match and each CLEAN-VIDEO: frames that are
marked though nothing was done to them.
"""

from __future__ import annotations

import random
import sys
import tempfile
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import av
import numpy as np

from tests.bench.live_clips import MATCH
from vision.frames import Frame, Video

SIZE, FRAMES, GROUP = (960, 540), 300, 15
LEVELS, PIXELS = 16, 40  # what is visible
ROUNDS = 5
X264 = {"preset": "veryfast", "crf": "20", "bf": "0"}
CODECS: dict[str, tuple[str, dict[str, str]]] = {
    "H.264": ("libx264", X264),
    "H.264, CAVLC": ("libx264", X264 | {"profile": "baseline"}),
    "H.264, 4 slices": ("libx264", X264 | {"slices": "4"}),
    "H.264, B frames": ("libx264", X264 | {"bf": "2"}),
    "HEVC": ("libx265", {"preset": "ultrafast", "x265-params": "log-level=none:bframes=0:open-gop=0"}),
    "MPEG-4": ("mpeg4", {"qscale": "4"}),
    "MJPEG": ("mjpeg", {"qscale": "4"}),
}


def flipped(data: bytes, rng: random.Random, bits: int) -> bytes:
    """Flips `bits` bits after the first 32 bytes (headers are another matter: they are nearly always noticed)."""
    broken = bytearray(data)
    for _ in range(bits):
        broken[rng.randrange(min(32, len(data) - 1), len(data))] ^= 1 << rng.randrange(8)
    return bytes(broken)


KINDS: dict[str, Callable[[bytes, random.Random], bytes]] = {
    "one bit": lambda d, r: flipped(d, r, 1),
    "a bit each 200 bytes": lambda d, r: flipped(d, r, max(3, len(d) // 200)),
    "cut in half": lambda d, _: d[: max(33, len(d) // 2)],
    "missing": lambda d, _: b"",
}


def encoded(path: Path, codec: str, options: dict[str, str]) -> None:
    with av.open(str(MATCH)) as source, av.open(str(path), "w") as out:
        source.streams.video[0].thread_type = "AUTO"
        stream = out.add_stream(codec, rate=30, options=options | {"g": str(GROUP)})
        stream.width, stream.height, stream.pix_fmt = *SIZE, "yuvj420p" if codec == "mjpeg" else "yuv420p"
        for n, frame in enumerate(source.decode(video=0)):
            if n >= FRAMES:
                break
            small = frame.reformat(*SIZE, format=stream.pix_fmt, interpolation="AREA")
            small.pts, small.time_base, small.pict_type = n, Fraction(1, 30), 0
            out.mux(stream.encode(small))
        out.mux(stream.encode(None))


def spoilt(path: Path, into: Path, kind: Callable[[bytes, random.Random], bytes], seed: int) -> list[float]:
    """Writes `path` anew with one damaged packet in each second group; the times of those groups' beginnings, s."""
    rng = random.Random(seed)
    hit: list[float] = []
    with av.open(str(path)) as source, av.open(str(into), "w") as out:
        stream = out.add_stream_from_template(source.streams.video[0])
        packets = [p for p in source.demux(video=0) if p.size]
        for first in range(0, len(packets), GROUP):
            chosen = rng.randrange(first + 1, min(first + GROUP, len(packets))) if first // GROUP % 2 else None
            for n in range(first, min(first + GROUP, len(packets))):
                old = packets[n]
                data = kind(bytes(old), rng) if n == chosen else bytes(old)
                if n == chosen:
                    hit.append(first / 30)
                if not data:
                    continue
                packet = av.Packet(data)
                packet.stream, packet.pts, packet.dts, packet.time_base = stream, old.pts, old.dts, old.time_base
                packet.is_keyframe = old.is_keyframe
                out.mux(packet)
    return hit


def frames(path: Path) -> list[Frame]:
    with Video(path) as video:
        return list(video)


def visible(frame: Frame, clean: Frame) -> bool:
    return int((np.abs(frame.y.astype(np.int16) - clean.y) > LEVELS).sum()) > PIXELS


def judged(made: list[Frame], clean: list[Frame], hit: list[float]) -> tuple[int, int]:
    """(groups noticed, groups that look different without a mark)."""
    noticed = unseen = 0
    begin = clean[0].seconds
    for start in hit:
        a, b = begin + start - 0.01, begin + start + GROUP / 30 - 0.01
        mine = [f for f in made if a <= f.seconds < b + 1 / 30]  # a missing packet may be told by the next picture
        if any(f.corrupt for f in mine):
            noticed += 1
            continue
        like = {round(f.seconds * 30): f for f in clean}
        unseen += any((c := like.get(round(f.seconds * 30))) is not None and visible(f, c) for f in mine)
    return noticed, unseen


def main() -> None:
    print("| codec | " + " | ".join(KINDS) + " |\n|---|" + "---|" * len(KINDS))
    with tempfile.TemporaryDirectory() as name:
        for codec, (encoder, options) in CODECS.items():
            good, bad = Path(name) / "good.mkv", Path(name) / "bad.mkv"
            encoded(good, encoder, options)
            clean = frames(good)
            cells = []
            for kind in KINDS.values():
                counts = np.zeros(3, int)
                for seed in range(ROUNDS):
                    hit = spoilt(good, bad, kind, seed)
                    counts += (len(hit), *judged(frames(bad), clean, hit))
                cells.append(f"{100 * counts[1] / counts[0]:.0f} %, unseen {100 * counts[2] / counts[0]:.0f} %")
            print(f"| {codec} | " + " | ".join(cells) + " |", flush=True)
            print(f"  clean, {codec}: {sum(f.corrupt for f in clean)} of {len(clean)} marked", flush=True)
    for path in (MATCH, *map(Path, sys.argv[1:])):
        with Video(path) as video:
            marks = [f.corrupt for f in video]
        print(f"clean {path.name}: {sum(marks)} of {len(marks)} marked", flush=True)


if __name__ == "__main__":
    main()
