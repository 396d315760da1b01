"""Short clips for the batch, cut out of the sample match and encoded anew: other codecs, sizes, rates, containers."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import tomli_w

import sample_videos

FOLDER = Path(sample_videos.__file__).parent
MATCH, PROFILE = FOLDER / "sample_match.mp4", FOLDER / "sample_match.profile.toml"


def frames(start: float, end: float, every: int = 1) -> Iterator[av.VideoFrame]:
    """Frames of the sample match from `start` to `end` s, each `every`th."""
    with av.open(str(MATCH)) as container:
        stream = container.streams.video[0]
        stream.thread_type = "AUTO"
        container.seek(int(start * 1e6), backward=True)
        kept = 0
        for frame in container.decode(stream):
            if frame.time is None or frame.time < start:
                continue
            if frame.time >= end:
                return
            if kept % every == 0:
                yield frame
            kept += 1


def cut(
    path: Path, start: float = 0.0, end: float = 0.5, *, every: int = 3, size: tuple[int, int] = (640, 360), codec: str = "mpeg4"
) -> Path:
    """A clip of the sample match at `path`."""
    rate = Fraction(60, every)
    with av.open(str(path), "w") as container:
        stream = container.add_stream(codec, rate=rate, options={"preset": "ultrafast"} if codec == "libx264" else {})
        stream.width, stream.height, stream.pix_fmt = *size, "yuvj420p" if codec == "mjpeg" else "yuv420p"
        stream.bit_rate = 2_000_000
        for index, frame in enumerate(frames(start, end, every)):
            small = frame.reformat(*size, format=stream.pix_fmt)
            small.pts, small.time_base = index, 1 / rate
            container.mux(stream.encode(small))
        container.mux(stream.encode(None))
    return path


def football(path: Path, size: tuple[int, int] = (240, 136), count: int = 8) -> Path:
    """A video that shows no table: a wide lawn with lines and people."""
    rng = np.random.default_rng(5)
    lawn = np.full((size[1], size[0], 3), (60, 140, 70), np.uint8)
    lawn[:, ::40] = 230
    lawn[: size[1] // 3] = rng.integers(0, 255, (size[1] // 3, size[0], 3), np.uint8)
    with av.open(str(path), "w") as container:
        stream = container.add_stream("mpeg4", rate=20)
        stream.width, stream.height, stream.pix_fmt = *size, "yuv420p"
        for index in range(count):
            picture = lawn.copy()
            picture[80:110, 50 + 5 * index : 60 + 5 * index] = (30, 30, 200)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="bgr24")))
        container.mux(stream.encode(None))
    return path


def profile(path: Path, size: tuple[int, int] = (640, 360)) -> Path:
    """The profile of the sample match for a picture of another size (16:9), without the camera, which is fitted again."""
    known = tomllib.loads(PROFILE.read_text("utf-8"))
    scale = size[0] / known["picture"]["width"]
    corners = [[round((v + 0.5) * scale - 0.5, 2) for v in corner] for corner in known["picture"]["corners_px"]]
    picture = {"width": size[0], "height": size[1], "corners_px": corners, "home": "left"}
    path.write_text(tomli_w.dumps({"table": known["table"], "picture": picture}), "utf-8")
    return path
