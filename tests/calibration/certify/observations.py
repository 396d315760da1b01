"""Observations of the protocol as a camera would make them that stands elsewhere than the profile says."""

from __future__ import annotations

import numpy as np

from calibration.camera import Camera
from calibration.certify.observed import BallLook, Blur, Clock, Light, Observed, Rest, Run, Still
from calibration.fit import camera_from_corners
from calibration.profile import Profile, profile_from_fit
from calibration.table import Table, table

SIZE = (1280, 720)
R = 34.0
PLACES = (
    *((887.5, 887.5), (1775.0, 887.5), (2662.5, 887.5)),
    *((300.0, R), (3250.0, R), (300.0, 1775 - R), (3250.0, 1775 - R)),
    *((R, 300.0), (R, 1475.0), (3550 - R, 300.0), (3550 - R, 1475.0)),
)


def corners(shift: np.ndarray | float = 0.0) -> np.ndarray:
    """Corners (4, 2) px of a table seen from above, moved by `shift` px."""
    x0, x1, y0, y1 = 80.0, 1200.0, 80.0, 640.0
    return np.array([(x0, y1), (x0, y0), (x1, y0), (x1, y1)]) + shift


def profile(shift: np.ndarray | float = 0.0, kind: Table | None = None) -> Profile:
    kind = kind or table()
    points = corners(shift)
    return profile_from_fit(kind, camera_from_corners(points, kind, SIZE), points, home="left")


def seen(places, true: Camera, told: Camera, noise: float = 0.0, seed: int = 0) -> np.ndarray:
    """Where balls at (N, 2) mm seem to lie, (N, 2) mm; `noise` px."""
    px = true.project_at(places, R)
    return told.to_table(px + np.random.default_rng(seed).normal(0, noise, px.shape), R)


def rests(true: Camera, told: Camera, places=PLACES, noise: float = 0.1, **more) -> tuple[Rest, ...]:
    names = ("white", "yellow", "red", "black")
    spots = seen(places, true, told, noise)
    return tuple(
        Rest(names[k % 4], 2.0 * k, 2.0 * k + 1.5, (float(x), float(y)), (0.2, 0.2), 0.06, 40, **more) for k, (x, y) in enumerate(spots)
    )


def run(start, end, true: Camera, told: Camera, *, ball="white", t0=0.0, seconds=1.0, rate=50, noise=0.05, seed=3) -> Run:
    """A straight run at constant speed."""
    t = np.arange(round(seconds * rate)) / rate
    places = np.array(start) + (np.array(end) - np.array(start)) * (t / seconds)[:, None]
    xy = seen(places, true, told, noise, seed)
    return Run(ball, tuple((t0 + t).tolist()), tuple((float(x), float(y)) for x, y in xy), (0.3,) * len(t))


def blurs(seconds: float, speed: float = 5000.0, count: int = 40, noise: float = 20.0) -> tuple[Blur, ...]:
    rng = np.random.default_rng(5)
    speeds = speed * rng.uniform(0.8, 1.0, count)
    return tuple(Blur(float(v), float((seconds * v) ** 2 + rng.normal(0, noise)), 25.0) for v in speeds)


def light(contrast: float = 40.0) -> Light:
    names = ("white", "yellow", "red", "black")
    balls = tuple(BallLook(name, (0.5, 0.5, 0.5), contrast, 0.01) for name in names)
    return Light((0.1, 0.4, 0.2), 0.8, 0.0, balls, (((names[0], names[1]), 50.0),))


def whole(true: Profile, told: Profile, **more) -> Observed:
    """A protocol with all its steps."""
    a, b = true.camera, told.camera
    runs = (
        run((400, 600), (3516, 600), a, b, t0=30.0, seconds=1.5),
        run((3516, 600), (2500, 600), a, b, t0=31.5, seconds=1.2, seed=4),
        run((1000, 300), (1000, 1700), a, b, t0=40.0, ball="yellow", seed=5),
    )
    fields = {
        "source": "protocol.mp4", "size": SIZE, "clock": Clock(2000, 50.0), "rests": rests(a, b), "runs": runs, "blurs": blurs(0.002),
        "still": Still(0.0, 2.0, 100, 0.8, 0.002), "light": light(), "seen": {"white": True, "yellow": True, "red": True, "black": True},
    }  # fmt: skip
    return Observed(**{**fields, **more})
