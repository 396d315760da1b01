"""The sample match as a smaller camera would film it, with its profile; for the live benches."""

from __future__ import annotations

import dataclasses
import json
from fractions import Fraction
from pathlib import Path

import av

import sample_videos
from calibration.profile import read_profile, write_profile

FOLDER = Path(sample_videos.__file__).parent
MATCH, PROFILE = FOLDER / "sample_match.mp4", FOLDER / "sample_match.profile.toml"
RATE = 60  # of the match


def strokes() -> list[tuple[float, float]]:
    """Start and end of the strokes of the match, s."""
    truth = json.loads((FOLDER / "sample_match.truth.json").read_text("utf-8"))
    return [(shot["start_t"], shot["end_t"]) for shot in truth["shots"]]


def smaller_profile(path: Path, size: tuple[int, int]) -> Path:
    """The profile of the match for pictures of another size (16:9): pixel centres move with the pixels."""
    known = read_profile(PROFILE)
    scale = size[0] / known.camera.width
    lens = known.camera
    principal = (lens.principal[0] + 0.5) * scale - 0.5, (lens.principal[1] + 0.5) * scale - 0.5
    camera = dataclasses.replace(lens, width=size[0], height=size[1], focal=lens.focal * scale, principal=principal)
    corners = tuple(((x + 0.5) * scale - 0.5, (y + 0.5) * scale - 0.5) for x, y in known.corners_px)
    made = dataclasses.replace(known, camera=camera, corners_px=corners)
    write_profile(made, path)
    return path


def smaller(path: Path, size: tuple[int, int], *, every: int = 1) -> Path:
    """The match at another size, each `every`th frame, as a camera's H.264: a key frame each half second, no frame held back."""
    rate = RATE // every
    with av.open(str(MATCH)) as source, av.open(str(path), "w") as container:
        source.streams.video[0].thread_type = "AUTO"
        stream = container.add_stream("libx264", rate=rate, options={"preset": "veryfast", "crf": "18", "bf": "0", "g": str(rate // 2)})
        stream.width, stream.height, stream.pix_fmt = *size, "yuv420p"
        for index, frame in enumerate(source.decode(video=0)):
            if index % every:
                continue
            small = frame.reformat(*size, format="yuv420p", interpolation="AREA")
            small.pts, small.time_base, small.pict_type = index // every, Fraction(1, rate), 0
            container.mux(stream.encode(small))
        container.mux(stream.encode(None))
    return path
