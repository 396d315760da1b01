"""What was seen of one ball, frame by frame, until the stroke it belongs to is understood."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from vision.pieces import Observations

_SETTLED, _SAME, _RETURN = 5, 4.0, 0.6  # observations that make a rest, mm within which it is the same, s
_JITTER = 0.02  # of a frame: how uneven the exposures of real cameras are; along the path it looks like noise


@dataclass(frozen=True, slots=True)
class Sighting:
    """One ball in one frame: centre (mm) and error bar (mm); the rest as in `track.Seen`."""

    frame: int
    t: float
    x: float
    y: float
    sigma: float
    state: str
    fresh: bool
    foreign: float
    fill: float

    def __reduce__(self):  # thousands go to another process at once: the usual way takes five times as long
        return Sighting, (self.frame, self.t, self.x, self.y, self.sigma, self.state, self.fresh, self.foreign, self.fill)


class BallRecord:
    """The sightings of one ball since the last stroke, oldest dropped first while it rests."""

    def __init__(self, name: str, keep: float = 1.0):
        self.name = name
        self._keep = keep
        self._sightings: deque[Sighting] = deque()
        self.never = True  # nothing was ever seen of it

    def __len__(self) -> int:
        return len(self._sightings)

    def add(self, sighting: Sighting) -> None:
        self._sightings.append(sighting)
        self.never = False

    def forget_before(self, t: float) -> None:
        """Drop what is older than t minus the time kept for context."""
        while self._sightings and self._sightings[0].t < t - self._keep:
            self._sightings.popleft()

    def since(self, t: float) -> list[Sighting]:
        return [s for s in self._sightings if s.t >= t]

    @property
    def last(self) -> Sighting | None:
        return self._sightings[-1] if self._sightings else None


def observations(sightings: list[Sighting], step: float) -> Observations:
    """The measured places among sightings; the error bars grow with speed by the frames' jitter."""
    fresh = [s for s in sightings if s.fresh]
    t = np.array([s.t for s in fresh])
    xy = np.array([(s.x, s.y) for s in fresh]).reshape(-1, 2)
    sigma = np.array([s.sigma for s in fresh])
    if len(fresh) > 1:
        speed = np.hypot(*np.diff(xy, axis=0).T) / np.maximum(np.diff(t), 1e-4)
        fastest = np.maximum(np.r_[speed[0], speed], np.r_[speed, speed[-1]])
        # the strike itself lies within one exposure: a jump from rest is not jitter
        calm = np.minimum(np.r_[speed[0], speed], np.r_[speed, speed[-1]])
        sigma = np.hypot(sigma, np.sqrt(fastest * calm) * _JITTER * step)
    return Observations(t, xy, np.maximum(sigma, 0.05), np.array([s.frame for s in fresh], int))


def one_life(seen: list[Sighting]) -> list[Sighting]:
    """Sightings without a leap no ball can make (it was taken away and put elsewhere): those before it."""
    fresh = [s for s in seen if s.fresh]
    for a, b in pairwise(fresh):
        if b.t - a.t > 1.0 and np.hypot(b.x - a.x, b.y - a.y) > 60:
            return [s for s in seen if s.t <= a.t]
    return seen


def without_excursions(seen: Observations) -> Observations:
    """Without the moments in which a resting ball seems to be elsewhere and then lies where it lay.

    A hand or a sleeve of the ball's colour can be taken for it while it is covered; no ball comes back to a
    millimetre within half a second.
    """
    keep = np.ones(len(seen), bool)
    if len(seen) <= _SETTLED:
        return seen
    before = np.lib.stride_tricks.sliding_window_view(seen.xy[:-1], _SETTLED, axis=0)  # (N - _SETTLED, 2, _SETTLED)
    anchors = np.median(before, axis=-1)
    away = before - anchors[..., None]
    rests = np.hypot(away[:, 0], away[:, 1]).max(axis=-1) <= _SAME
    leaves = np.hypot(*(seen.xy[_SETTLED:] - anchors).T) > 2 * _SAME
    returned = 0
    for k in (np.flatnonzero(rests & leaves) + _SETTLED).tolist():
        if k < returned:
            continue
        ahead = (np.arange(len(seen)) > k) & (seen.t <= seen.t[k] + _RETURN)
        back = np.flatnonzero(ahead & (np.hypot(*(seen.xy - anchors[k - _SETTLED]).T) <= _SAME))
        if len(back) >= 3:
            keep[k : back[0]] = False
            returned = int(back[0]) + 1
    return Observations(seen.t[keep], seen.xy[keep], seen.sigma[keep], seen.frame[keep])
