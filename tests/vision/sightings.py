"""What a camera sees of balls whose way in space is known: sightings with apparent places and sizes, as the tracker tells them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from calibration.camera import Camera
from calibration.table import Table
from sample_videos.path import GRAVITY
from tests.vision.motion import LEAD, TAIL, Truth, play
from tests.vision.tables import profile
from vision.record import Sighting

Way = Callable[[float], np.ndarray]  # t from the strike (s) -> place (3,) mm


@dataclass(frozen=True)
class Staged:
    """Ways of all balls through a stroke of `length` s, and the true events (t, what, who) that `motion.play` knows of."""

    ways: Mapping[str, Way]
    length: float
    truth: Truth
    landing: float = 0.0

    @property
    def watched(self) -> float:
        """How long it is looked at, s: where all come to rest, some time after."""
        tracks = self.truth.tracks.values()
        return self.length + (TAIL if all(np.array_equal(track[-1], track[-2]) for track in tracks) else -0.02)


def on_the_cloth(truth: Truth, kind: Table) -> Staged:
    return Staged({b: _way(truth, b, kind.radius) for b in truth.tracks}, float(truth.clock[-1]), truth)


def jumped(
    kind: Table, places: Mapping[str, tuple[float, float]], speed: float, heading: float, up: float, *, left: float = 0.85, **physics
) -> Staged:
    """White leaves the cloth at once with `up` mm/s and flies over whatever there is; from its landing on it is played on the cloth."""
    way = np.array([np.cos(heading), np.sin(heading)])
    flight = 2 * up / GRAVITY
    start = np.array(places["white"], float)
    down = start + speed * flight * way
    after = play({**places, "white": (float(down[0]), float(down[1]))}, "white", tuple(left * speed * way), kind=kind, **physics)
    ways: dict[str, Way] = {}
    for ball in places:
        rolled = _way(after, ball, kind.radius)
        ways[ball] = lambda t, rolled=rolled: rolled(t - flight)

    def white(t: float) -> np.ndarray:
        if not 0 < t < flight:
            return np.array([*start, kind.radius]) if t <= 0 else ways_after(t)
        return np.array([*(start + speed * t * way), kind.radius + up * t - GRAVITY * t * t / 2])

    ways_after = ways["white"]
    return Staged({**ways, "white": white}, float(after.clock[-1]) + flight, after, flight)


def _way(truth: Truth, ball: str, radius: float) -> Way:
    track = truth.tracks[ball]
    return lambda t: np.array([*(np.interp(t, truth.clock, track[:, k]) for k in (0, 1)), radius])


def sighted(
    staged: Staged,
    kind: Table,
    *,
    camera: Camera | None = None,
    fps: float = 60,
    noise: float = 0.8,
    fill_noise: float = 0.03,
    seed: int = 0,
    lead: float = LEAD,
    foreign: Callable[[str, float], float] = lambda ball, t: 0.0,
    seen: Callable[[str, float], bool] = lambda ball, t: True,
) -> dict[str, list[Sighting]]:
    """All balls, frame by frame; times from the strike. `foreign` and `seen` tell of hands and of balls that are covered."""
    camera = camera or profile(kind, 1280, 720).camera
    rng = np.random.default_rng(seed)
    times = np.arange(-lead + rng.random() / fps, staged.watched, 1 / fps)
    drop = float(camera.position[2]) - kind.radius
    out: dict[str, list[Sighting]] = {}
    for ball, way in staged.ways.items():
        rows = []
        real = np.array([way(float(t)) for t in times])
        apparent = camera.to_table(camera.project(real), kind.radius) + rng.normal(0, noise, (len(times), 2))
        speed = np.hypot(*np.gradient(real[:, :2], times, axis=0).T)
        fills = (drop / (drop - (real[:, 2] - kind.radius))) ** 2 * 0.97 * (1 + rng.normal(0, fill_noise, len(times)))
        for k, t in enumerate(map(float, times)):
            x, y = map(float, apparent[k])
            row = Sighting(k, t, x, y, max(noise, 0.05), "moving" if speed[k] > 8 else "rest", True, foreign(ball, t), float(fills[k]))
            rows.append(row if seen(ball, t) else replace(row, sigma=30.0, state="hidden", fresh=False, fill=0.0))
        out[ball] = rows
    return out
