"""A short filmed stroke: contact, pot and cushion, then a hand that puts the potted ball back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from calibration.profile import Profile
from calibration.table import table
from tests.vision.motion import Truth, play
from tests.vision.tables import Scene, profile

KIND = table("pyramid-8ft")
STRIKE = 0.9  # s of the video
POCKET = "middle-left"
YELLOW = (1010.0, 780.0)
BACK_AT = (1680.0, 560.0)  # where the hand puts the yellow ball
HAND = (4.2, 5.0, 5.4)  # s: comes, lets go, is gone
SHUTTER = 0.008


@dataclass(frozen=True)
class Film:
    """A scene, its true stroke (times from the strike) and when the yellow ball fell (s from the strike)."""

    profile: Profile
    scene: Scene
    truth: Truth
    fell: float

    def picture(self, t: float) -> np.ndarray:
        """The BGR picture at video time t."""
        exposure = np.linspace(t - SHUTTER / 2, t + SHUTTER / 2, 4) - STRIKE
        places: dict[str, np.ndarray | None] = {}
        for ball, track in self.truth.tracks.items():
            places[ball] = np.column_stack([np.interp(exposure, self.truth.clock, track[:, k]) for k in (0, 1)])
        if t - STRIKE > self.fell:
            places["yellow"] = None
        extra = []
        if t >= HAND[0]:
            ball, hand = _placing(t)
            places["yellow"] = np.atleast_2d(ball) if ball is not None else None
            extra = [(self.scene.camera.project_at(hand, 60.0), (120, 150, 205))] if hand is not None else []
        return self.scene.picture(places, extra=extra)

    def pictures(self, fps: float, start: float, end: float) -> Iterator[np.ndarray]:
        for k in range(round((end - start) * fps)):
            yield self.picture(start + k / fps)


def _placing(t: float) -> tuple[np.ndarray | None, np.ndarray | None]:
    """Place of the yellow ball and outline of the hand (mm) while it is put back, from the right cushion's side."""
    target, away = np.array(BACK_AT), np.array([BACK_AT[0] + 60, -500.0])
    if t < HAND[1]:
        share = (t - HAND[0]) / (HAND[1] - HAND[0])
    elif t < HAND[2]:
        share = 1 - (t - HAND[1]) / (HAND[2] - HAND[1])
    else:
        return target, None
    tip = away + share * (target - away)
    # the fingers hold the ball from behind, half over it
    hand = np.array([(-50, 20), (55, 15), (75, -200), (60, -900), (-60, -900), (-80, -200)]) + tip
    return (tip if t < HAND[1] else target), hand


def film(seed: int = 1) -> Film:
    prof = profile(KIND)
    hole = np.array(KIND.pocket(POCKET).centre)
    way = (hole - YELLOW) / np.hypot(*(hole - np.array(YELLOW)))
    ghost = np.array(YELLOW) - KIND.ball * way
    turn = np.radians(-35)
    run = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]]) @ way
    white = ghost - 420 * run
    places: Mapping[str, tuple[float, float]] = {
        "white": (float(white[0]), float(white[1])), "yellow": YELLOW, "red": (300.0, 250.0), "black": (2000.0, 250.0),
    }  # fmt: skip
    truth = play(places, "white", tuple(1900 * run), kind=KIND, slowing=420.0, longest=3.2)
    # `play` knows no pockets: at the nose line the ball goes on into the hole
    clock, track = truth.clock, truth.tracks["yellow"].copy()
    k = int((track[:, 1] > KIND.width - KIND.radius - 5).argmax())
    speed = (track[k] - track[k - 5]) / (clock[k] - clock[k - 5])
    track[k:] = track[k] + speed * (clock[k:, None] - clock[k])
    fell = float(clock[int((np.hypot(*(track - hole).T) < KIND.pocket(POCKET).radius).argmax())])
    truth = replace(
        truth, tracks={**truth.tracks, "yellow": track}, events=tuple(e for e in truth.events if e[1:] != ("cushion", ("yellow", "left")))
    )
    return Film(prof, Scene(prof, seed=seed), truth, fell)
