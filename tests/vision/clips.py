"""Small videos for the tests of vision, written with PyAV."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import av
import numpy as np

CLOCK = 90000  # ticks a second of the written streams


def write_video(
    path: Path,
    pictures: Sequence[np.ndarray],
    *,
    rate: float = 30,
    ticks: Sequence[int] | None = None,
    codec: str = "libx264",
    pixels: str = "yuv420p",
    rotation: int = 0,
    quality: int = 12,
    options: dict[str, str] | None = None,
) -> Path:
    """A video of BGR (H, W, 3) or grey (H, W) pictures. `ticks`: their time stamps in 1/90000 s, else `rate` a second.

    `rotation` (degrees, counter-clockwise) goes into the display matrix, as a phone held upright writes it.
    """
    h, w = pictures[0].shape[:2]
    with av.open(str(path), "w") as container:
        stream = container.add_stream(codec, rate=Fraction(rate).limit_denominator(1001))
        stream.width, stream.height, stream.pix_fmt = w, h, pixels
        stream.time_base = stream.codec_context.time_base = Fraction(1, CLOCK)
        stream.codec_context.thread_count = 1
        if codec == "libx264":
            stream.options = {"preset": "ultrafast", "crf": str(quality), "bf": "0", **(options or {})}
        elif options:
            stream.options = options
        if rotation:
            stream.set_display_rotation(rotation)
        for k, picture in enumerate(pictures):
            frame = av.VideoFrame.from_ndarray(picture, format="bgr24" if picture.ndim == 3 else "gray").reformat(format=pixels)
            frame.pts = ticks[k] if ticks is not None else round(k * CLOCK / rate)
            frame.time_base = Fraction(1, CLOCK)
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return path


def write_sound(path: Path) -> Path:
    """A file with half a second of silence and no picture."""
    with av.open(str(path), "w") as container:
        stream = container.add_stream("aac", rate=48000)
        for k in range(24):
            frame = av.AudioFrame.from_ndarray(np.zeros((1, 1024), np.float32), format="fltp", layout="mono")
            frame.sample_rate, frame.pts, frame.time_base = 48000, 1024 * k, Fraction(1, 48000)
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return path


def shaded(width: int, height: int, count: int, seed: int = 0) -> list[np.ndarray]:
    """Smooth BGR pictures with a bright block that moves a little from each to the next."""
    rng = np.random.default_rng(seed)
    base = np.linspace(40, 150, width)[None, :, None] + np.linspace(0, 60, height)[:, None, None] + rng.uniform(0, 20, 3)
    pictures = []
    for k in range(count):
        picture = base.copy()
        x = 10 + (7 * k) % (width - 60)
        picture[20:50, x : x + 30] = (30, 220, 240)
        pictures.append(np.clip(picture, 0, 255).astype(np.uint8))
    return pictures
