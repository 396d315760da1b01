"""Simulated strokes in the plane, with their true events, sampled as a camera would see them.

Balls roll and slow down evenly, bounce off the noses, and hit each other as equal masses; no spin. Just what is needed to
know the truth to a fraction of a millisecond.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from calibration.table import Table, table
from vision.breaks import Path, path_of
from vision.events import Fall, Found, find_events
from vision.pieces import Observations
from vision.walls import Walls

SLOWING = 110.0  # mm/s², rolling
_DT = 0.001
LEAD = 0.35  # s of rest before the stroke, as the segmentation gives
TAIL = 0.45


@dataclass(frozen=True)
class Truth:
    """`events`: (t from the strike, what, who): contacts (frozenset of two), cushions (ball, cushion). `tracks`: ball -> (K, 2) mm."""

    clock: np.ndarray
    tracks: Mapping[str, np.ndarray]
    events: tuple[tuple[float, str, object], ...]
    cue: str


@dataclass
class _Balls:
    names: list[str]
    xy: np.ndarray
    v: np.ndarray
    events: list[tuple[float, str, object]] = field(default_factory=list)


def play(
    places: Mapping[str, tuple[float, float]],
    cue: str,
    velocity: tuple[float, float],
    *,
    kind: Table | None = None,
    bounce: float = 0.75,
    elastic: float = 0.95,
    slowing: float = SLOWING,
    longest: float = 6.0,
) -> Truth:
    """A stroke: `cue` starts at t = 0 with `velocity` mm/s; ends when all balls rest or after `longest` s."""
    kind = kind or table()
    walls = Walls(kind)
    low, high = np.full(2, walls.reach), np.array([kind.length, kind.width]) - walls.reach
    balls = _Balls(list(places), np.array([places[b] for b in places], float), np.zeros((len(places), 2)))
    balls.v[balls.names.index(cue)] = velocity
    clock, tracks = [0.0], [balls.xy.copy()]
    t = 0.0
    while t < longest and (balls.v != 0).any():
        speed = np.hypot(*balls.v.T)
        step = _step(balls, speed, low, high, kind.ball)
        mean = np.where(speed > slowing * step, 1 - slowing * step / 2 / np.maximum(speed, 1e-9), 0.5)
        balls.xy = balls.xy + balls.v * (mean * step)[:, None]
        balls.v = balls.v * np.where(speed > slowing * step, 2 * mean - 1, 0.0)[:, None]
        t += step
        _bounce(balls, low, high, t, bounce)
        _collide(balls, kind.ball, t, elastic)
        clock.append(t)
        tracks.append(balls.xy.copy())
    path = np.array(tracks)
    return Truth(np.array(clock), {b: path[:, k] for k, b in enumerate(balls.names)}, tuple(sorted(balls.events, key=lambda e: e[0])), cue)


def _step(balls: _Balls, speed: np.ndarray, low: np.ndarray, high: np.ndarray, double: float) -> float:
    """A short step where anything may be touched in it, else a longer one."""
    long = 8 * _DT
    reach = speed * long
    if (np.minimum(balls.xy - low, high - balls.xy).min(axis=1) < reach).any():
        return _DT
    lines = balls.xy[None] - balls.xy[:, None]
    near = np.hypot(lines[..., 0], lines[..., 1]) - double < reach[:, None] + reach[None]
    return _DT if np.triu(near, 1).any() else long


def _bounce(balls: _Balls, low: np.ndarray, high: np.ndarray, t: float, bounce: float) -> None:
    for side, limits, cushions in ((-1, low, ("home", "right")), (1, high, ("foot", "left"))):
        over = (balls.xy - limits) * side
        for k, axis in np.argwhere((over > 0) & (balls.v * side > 0)):
            late = over[k, axis] / abs(balls.v[k, axis])
            balls.events.append((t - late, "cushion", (balls.names[k], cushions[axis])))
            balls.xy[k, axis] = limits[axis] - side * over[k, axis] * bounce
            balls.v[k, axis] *= -bounce


def _collide(balls: _Balls, double: float, t: float, elastic: float) -> None:
    lines = balls.xy[None] - balls.xy[:, None]
    for i, j in np.argwhere(np.triu(np.hypot(lines[..., 0], lines[..., 1]) < double, 1)):
        line, relative = lines[i, j], balls.v[j] - balls.v[i]
        if line @ relative >= 0:
            continue
        # back to the moment of contact: |line - relative * late| = double
        a, b, c = relative @ relative, line @ relative, line @ line - double**2
        late = (b + np.sqrt(b * b - a * c)) / a
        normal = (line - relative * late) / double
        push = (1 + elastic) / 2 * float(-relative @ normal) * normal
        balls.events.append((t - late, "contact", frozenset((balls.names[i], balls.names[j]))))
        for k, sign in ((i, -1), (j, 1)):
            balls.v[k] += sign * push
            balls.xy[k] += sign * push * late


def seen(truth: Truth, fps: float, noise: float, *, seed: int = 0, phase: float | None = None, jitter: float = 0.0) -> dict[str, Path]:
    """The paths that a camera of `fps` frames a second measures with gaussian `noise` mm; time counts from the strike."""
    rng = np.random.default_rng(seed)
    start = -LEAD + (rng.random() if phase is None else phase) / fps
    resting = all(np.array_equal(track[-1], track[-2]) for track in truth.tracks.values())
    t = np.arange(start, float(truth.clock[-1]) + (TAIL if resting else 0.0), 1 / fps)
    real = t + rng.normal(0, jitter / fps, len(t)) if jitter else t
    paths = {}
    for ball, track in truth.tracks.items():
        xy = np.column_stack([np.interp(real, truth.clock, track[:, k]) for k in (0, 1)])
        xy += rng.normal(0, noise, xy.shape)
        paths[ball] = path_of(ball, Observations(t, xy, np.full(len(t), max(noise, 0.05)), np.arange(len(t))))
    return paths


def found_in(truth: Truth, fps: float, noise: float, *, falls: list[Fall] | None = None, kind: Table | None = None, **camera) -> Found:
    """What the events of a stroke look like to the program (times from the strike)."""
    return find_events(kind or table(), seen(truth, fps, noise, **camera), falls or [], 1 / fps, max(2.0, noise))


def told(found: Found, *types: str) -> list[tuple[float, str, object]]:
    """The events of some types in the form of `Truth.events`."""
    out: list[tuple[float, str, object]] = []
    for e in found.events:
        if e.type in (types or ("contact", "cushion")):
            who: object = frozenset(e.balls) if e.balls else (e.ball, e.cushion) if e.type == "cushion" else (e.ball, e.pocket)
            out.append((e.t, e.type, who))
    return out


def compare(truth: Truth, found: Found, within: float) -> tuple[list, list, list[float]]:
    """Events missed, events invented, and the errors (s) of the times of the others; the last tenth of a second is left out."""
    end = float(truth.clock[-1]) - 0.1
    left = [e for e in told(found, "contact", "cushion", "jaw") if e[0] < end]
    missed, errors = [], []
    for event in truth.events:
        if event[0] >= end - within:
            continue
        near = [e for e in left if e[1:] == event[1:] and abs(e[0] - event[0]) < within]
        if not near:
            missed.append(event)
            continue
        best = min(near, key=lambda e: abs(e[0] - event[0]))
        left.remove(best)
        errors.append(best[0] - event[0])
    return missed, [e for e in left if e[0] < end - 2 * within], errors
