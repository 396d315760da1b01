"""A live table on a stage: the real service and pages over a small looped video, with strokes that the test tells.

Run as a program: `python -m tests.referee.live.stage DATA [--port N] [--pin PIN] [--video FILE]`. It prints `ready ADDRESS`.
`POST /stage/stroke` plays a stroke (`{"events": [...], "after": {...}, "doubts": [[reason, event]]}`), `POST /stage/places` moves
the balls.
"""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np

import sample_videos
from calibration.fit import camera_from_corners
from calibration.profile import profile_from_fit
from calibration.table import table
from referee.live.access import Access
from referee.live.address import address_of
from referee.live.api import router
from referee.live.pages import register_pages
from referee.live.service import Options, Service
from referee.web import serve
from vision.frames import Frame
from vision.record import Sighting
from vision.shot import Doubt, Event, PathPoint, Shot, Stroke
from vision.telling import Told

SIZE = (480, 270)
CORNERS = [(34.0, 238.0), (36.0, 34.0), (441.0, 31.0), (446.0, 235.0)]
MID = {"white": (900.0, 300.0), "yellow": (2000.0, 1200.0), "red": (3000.0, 400.0), "black": (1775.0, 887.5)}
OPENING = {"white": (500.0, 600.0), "yellow": (2662.5, 887.5), "red": (887.5, 887.5), "black": (1775.0, 887.5)}
RATE = 15


class ToldRun:
    """Sees what it is told to see."""

    def __init__(self) -> None:
        self.jobs: list[Callable[[], Told | None]] = []
        self.active = False
        self.here: dict[str, tuple[float, float]] = dict(MID)
        self.frame: Frame | None = None

    def warm(self) -> None: ...

    def take(self, frame: Frame) -> None:
        self.frame = frame

    def interrupt(self, reason: str) -> None: ...

    def early_job(self) -> Callable[[], Told | None] | None:
        return None

    def preview_job(self) -> Callable[[], Told | None] | None:
        return None

    def places(self) -> dict[str, Sighting]:
        n, t = (self.frame.index, self.frame.seconds) if self.frame else (0, 0.0)
        return {ball: Sighting(n, t, x, y, 0.5, "rest", True, 0.0, 1.0) for ball, (x, y) in self.here.items()}

    def play(self, told: dict[str, Any]) -> None:
        """A stroke that has just come to its end, straight paths from place to place."""
        end = self.frame.seconds if self.frame else 10.0
        start = end - told.get("seconds", 3.0)
        events = [Event(**{k: tuple(v) if isinstance(v, list) else v for k, v in e.items()}) for e in told["events"]]
        events = [dataclasses.replace(e, video_t=start + e.t, sigma_ms=2.0, confidence=0.98) for e in events]
        before = dict(self.here)
        after = {b: tuple(p) if p else None for b, p in (dict(self.here) | told.get("after", {})).items()}
        paths = {}
        for ball, place in after.items():
            goal = place or (3500.0, 1720.0)
            if goal != before.get(ball) and ball in before:
                points = np.linspace(before[ball], goal, 30)
                paths[ball] = tuple(PathPoint(start + 0.1 * n, float(x), float(y)) for n, (x, y) in enumerate(points))
        doubts = tuple(Doubt(reason, event) for reason, event in told.get("doubts", ()))
        struck = next((e.ball for e in events if e.type == "strike"), None)
        self.here = {b: p for b, p in after.items() if p is not None}
        stroke = Stroke(start, end, 0, 1, struck, before, Shot(tuple(events), after), doubts, paths)
        self.jobs.append(lambda: Told(stroke))


def small_video(path: Path) -> Path:
    """Four seconds of a grey-green bed with grain."""
    rng = np.random.default_rng(5)
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=RATE)
        stream.width, stream.height, stream.pix_fmt = *SIZE, "yuv420p"
        stream.options = {"preset": "ultrafast", "g": str(RATE)}
        for n in range(4 * RATE):
            picture = np.full((SIZE[1] * 3 // 2, SIZE[0]), 118, np.uint8)
            picture[: SIZE[1]] = rng.integers(68, 76, (SIZE[1], SIZE[0]))
            picture[120:132, 40 + 3 * n : 52 + 3 * n] = 220
            frame = av.VideoFrame.from_ndarray(picture, "yuv420p")
            frame.pts, frame.time_base = n, Fraction(1, RATE)
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return path


def sample_folder() -> Path:
    return Path(sample_videos.__file__).parent


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("data", type=Path)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--pin")
    parser.add_argument("--video", type=Path)
    asked = parser.parse_args()
    asked.data.mkdir(parents=True, exist_ok=True)
    video = asked.video or small_video(asked.data / "stage.mp4")
    kind = table()
    profile = profile_from_fit(kind, camera_from_corners(CORNERS, kind, SIZE), np.array(CORNERS))
    run = ToldRun()
    access = Access("127.0.0.1", asked.pin)
    with Service(Options(address_of(str(video)), profile, asked.data, loop=True), run) as service:
        routes = router(service, access)
        routes.include_router(register_pages(service, access, "ru"))

        @routes.post("/stage/stroke")
        def stroke(told: dict[str, Any]) -> dict[str, bool]:
            run.play(told)
            return {"ok": True}

        @routes.post("/stage/places")
        def places(told: dict[str, list[float]]) -> dict[str, bool]:
            run.here = {ball: (x, y) for ball, (x, y) in told.items()}
            return {"ok": True}

        listening = serve.open_socket("127.0.0.1", asked.port)
        serve.serve(listening, "127.0.0.1", title="Poedinok", on_ready=lambda url: print("ready", url, flush=True), routes=routes)


if __name__ == "__main__":
    main()
