"""Labels of hands and cues in a rendered picture.

A hand is its own box, fingers to wrist, of what other parts of people leave seen of it: about two to three balls wide, which a
network with one scale for balls can learn (an arm or a player it cannot). A cue is a square two balls wide with its tip in the middle:
the tip is what a referee asks for, a whole cue is longer than the network looks and its box says little about where it lies.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from calibration.camera import Camera
from models.labels import CUE, HAND, Mark
from sample_videos.render.people import Capsule

LEAST_SEEN = 0.34  # share of a hand's points, and of its box, that the picture must show
TIP_BALLS = 2.0  # side of a cue's box, in diameters of the balls
_ALONG = np.array([0.0, 0.5, 1.0])  # points of a bar that are looked at


def things(people: Sequence[Capsule], camera: Camera, ball: float) -> list[Mark]:
    """Hands and cue tips that the camera sees; px counted from the picture's edge.

    Args:
        people: all bars of the picture.
        camera: lens and pose.
        ball: diameter of the balls, mm.
    """
    marks = [_hand(people, first, end, camera) for first, end in _runs(people)]
    marks += [_tip(people, n, camera, ball) for n, bar in enumerate(people) if bar.part == "tip"]
    return [mark for mark in marks if mark is not None]


def _runs(people: Sequence[Capsule]) -> list[tuple[int, int]]:
    """First and last + 1 of the bars of each hand."""
    found, start = [], None
    for n, part in enumerate([*(bar.part for bar in people), ""]):
        if part == "hand" and start is None:
            start = n
        elif part != "hand" and start is not None:
            found.append((start, n))
            start = None
    return found


def _hand(people: Sequence[Capsule], first: int, end: int, camera: Camera) -> Mark | None:
    bars = people[first:end]
    points = np.concatenate([_points(bar) for bar in bars])
    radii = np.concatenate([bar.ra + (bar.rb - bar.ra) * _ALONG for bar in bars])
    seen = ~_covered(points, [*people[:first], *people[end:]], camera.position)
    if seen.mean() < LEAST_SEEN:
        return None
    at, half = camera.project(points), camera.focal * radii / _depth(points, camera)
    if not np.isfinite(at).all():
        return None
    whole = np.concatenate([(at - half[:, None]).min(axis=0), (at + half[:, None]).max(axis=0)])
    low, high = (at - half[:, None])[seen].min(axis=0), (at + half[:, None])[seen].max(axis=0)
    low, high = np.maximum(low, -0.5), np.minimum(high, (camera.width - 0.5, camera.height - 0.5))
    if (high <= low).any() or np.prod(high - low) < LEAST_SEEN * np.prod(whole[2:] - whole[:2]):
        return None
    (x, y), (w, h) = (low + high) / 2 + 0.5, high - low
    return Mark(HAND, float(x), float(y), float(w), float(h))


def _tip(people: Sequence[Capsule], n: int, camera: Camera, ball: float) -> Mark | None:
    point = np.array([people[n].a], float)
    if _covered(point, [bar for k, bar in enumerate(people) if abs(k - n) > 1], camera.position)[0]:
        return None
    (x, y), far = camera.project(point)[0], float(_depth(point, camera)[0])
    if not (0 <= x <= camera.width - 1 and 0 <= y <= camera.height - 1):
        return None
    side = TIP_BALLS * ball * camera.focal / far
    return Mark(CUE, float(x) + 0.5, float(y) + 0.5, side, side)


def _points(bar: Capsule) -> NDArray[np.float64]:
    a, b = np.array(bar.a, float), np.array(bar.b, float)
    return a + (b - a) * _ALONG[:, None]


def _depth(points: NDArray[np.float64], camera: Camera) -> NDArray[np.float64]:
    return points @ camera.rotation[2] + camera.translation[2]


def _covered(points: NDArray[np.float64], bars: Sequence[Capsule], eye: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which points (P, 3) lie behind one of the bars: the ray from the eye comes nearer to its axis than its radius."""
    if not bars:
        return np.zeros(len(points), bool)
    a = np.array([bar.a for bar in bars], float)[None]
    v = np.array([bar.b for bar in bars], float)[None] - a
    u = (points - eye)[:, None] * 0.98  # short of the point itself: what touches it from below does not cover it
    w = eye - a
    uu, uv, vv = (u * u).sum(-1), (u * v).sum(-1), np.maximum((v * v).sum(-1), 1e-9)
    uw, vw = (u * w).sum(-1), (v * w).sum(-1)
    s = np.clip((uv * vw - vv * uw) / np.maximum(uu * vv - uv * uv, 1e-9), 0, 1)
    t = np.clip((uv * s + vw) / vv, 0, 1)
    s = np.clip((uv * t - uw) / uu, 0, 1)
    gap = np.linalg.norm(w + s[..., None] * u - t[..., None] * v, axis=-1)
    radius = np.array([bar.ra for bar in bars]) * (1 - t) + np.array([bar.rb for bar in bars]) * t
    return (gap < radius).any(axis=1)
