"""Balls in the air: a jump is seen by its size and by where it seems to be.

A ball `h` mm above the cloth is nearer to the camera: its outline is `k = D / (D - h)` times as wide, D being the height of
the camera over the balls' centres, and taken for a ball on the cloth it seems to lie `k` times as far from the camera's foot
point. Both hold for any pinhole camera. In the air nothing slows it down, so a flight is a straight line above the cloth and
a parabola in height, whose length alone says how high it goes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import ndtr

from calibration.camera import Camera
from vision.record import Sighting
from vision.shot import Event
from vision.walls import Walls

GRAVITY = 9810.0  # mm/s²
_LONGEST = 0.65  # s: 3.2 m/s upwards, half a metre high; no player's jump is longer
_SHORTEST = 0.06  # s: 4 mm high
_FILL_SIGMA = 0.02  # least scatter of a moving ball's area: 1 to 3 % in the sample match and a filmed jump
_PLACE_SIGMA = 1.2  # mm: what the calibration and the lens leave in the shape of a path
_GROWN = 4.0  # standard deviations by which a run of areas must be too large to be looked into
_CAP = 9.0  # squared sigmas that one observation can speak: a contact after the landing is another matter
_SURE = 30.0  # gain (chi squared) over a path on the cloth; eight more numbers would give 8 by chance
_PASSED = 6.0  # the same where the ball seems to overlap another one that does not move: no ball on the cloth can
_BENT = 12.0  # price of a bend of a path on the cloth
_BEND = 0.9  # cosine of the angle by which a path is bent sharply
_LANDING, _LANDING_SIGMA = 0.8, 0.15  # share of its speed along the cloth that a ball keeps when it lands
_TAIL = 0.10  # s after the landing that the fit looks at
_ABOVE = 5.0  # mm: error of a place above which a ball flies
_PULL = 2200.0  # mm/s²: spread of the acceleration on the cloth, sliding


@dataclass(frozen=True, slots=True)
class Flight:
    """`ball` left the cloth at `t0` and came down at `t1` (s, each within `sigma`); `start` (2,) mm, `velocity` (2,) mm/s above the cloth.

    `gain`: how much better (chi squared) this explains what was seen than a path on the cloth.
    """

    ball: str
    t0: float
    t1: float
    sigma: float
    start: np.ndarray
    velocity: np.ndarray
    gain: float

    def height(self, t: np.ndarray | float) -> np.ndarray:
        """Height (mm) of the ball's lowest point at t s; 0 before and after."""
        t = np.asarray(t, float)
        return np.maximum(0.0, GRAVITY / 2 * (t - self.t0) * (self.t1 - t))

    def place(self, t: float) -> np.ndarray:
        """Where above the cloth (2,) mm the ball is."""
        return self.start + self.velocity * (t - self.t0)

    @property
    def top(self) -> float:
        """The greatest height, mm."""
        return float(self.height((self.t0 + self.t1) / 2))


class View:
    """What the camera makes of heights: its foot point and its height over the balls' centres."""

    def __init__(self, camera: Camera, radius: float):
        eye = camera.position
        self.foot, self.drop = eye[:2].copy(), float(eye[2]) - radius

    def growth(self, height: np.ndarray) -> np.ndarray:
        """How much wider than on the cloth a ball at `height` mm looks."""
        return self.drop / (self.drop - np.minimum(height, 0.6 * self.drop))

    def grounded(self, seen: np.ndarray, height: np.ndarray) -> np.ndarray:
        """Places (N, 2) above the cloth of balls at heights (N,) that seem to lie at (N, 2)."""
        return self.foot + (seen - self.foot) / self.growth(height)[:, None]


def flight_of(
    ball: str, sightings: Sequence[Sighting], view: View, others: Mapping[str, Sequence[Sighting]], radius: float, step: float
) -> Flight | None:
    """The flight of a ball that was struck, if what was seen of it cannot be a path on the cloth.

    Args:
        others: the sightings of the other balls; one that the ball seems to overlap without moving it was passed over.
        radius: of a ball, mm.
        step: usual time between frames, s.
    """
    fresh = [s for s in sightings if s.fresh]
    begin = _start(fresh)
    if begin is None:
        return None
    moving = fresh[begin:]
    early = [s for s in moving if s.t < moving[0].t + _LONGEST]
    if len(early) < 5:
        return None
    base, spread = _usual_fill(moving, early)
    over = _overlaps(early, others, radius)
    if not over and not _grows(early, base, spread, step):
        return None
    rest = fresh[max(0, begin - 5) : begin]
    near = _straight([s for s in moving if s.t < moving[0].t + _LONGEST + _TAIL])
    if len(near) < 5:
        return None
    return _fitted(ball, rest, near, view, (base, spread), step, _PASSED if over else _SURE)


def grounded(sightings: list[Sighting], flight: Flight, view: View) -> list[Sighting]:
    """The sightings with the places above which the ball really was while it flew; less sure by what the height is."""
    out = []
    for s in sightings:
        h = flight.height(s.t)
        if h <= 0:
            out.append(s)
            continue
        place = view.grounded(np.array([[s.x, s.y]]), np.atleast_1d(h))[0]
        # the height's error is that of the landing
        slope = GRAVITY / 2 * (s.t - flight.t0) * flight.sigma
        bias = float(np.hypot(*(place - view.foot))) * slope / view.drop
        out.append(replace(s, x=float(place[0]), y=float(place[1]), sigma=float(np.hypot(s.sigma, bias))))
    return out


def _start(fresh: Sequence[Sighting]) -> int | None:
    """Index of the first sighting after the ball has left its rest."""
    if len(fresh) < 8:
        return None
    rest = np.median([(s.x, s.y) for s in fresh[:3]], axis=0)
    for k, s in enumerate(fresh):
        if np.hypot(s.x - rest[0], s.y - rest[1]) > 6.0 + 4 * s.sigma:
            return k
    return None


def _straight(moving: Sequence[Sighting]) -> Sequence[Sighting]:
    """The sightings before the first sharp bend or loss of speed: a cushion or a ball, which no landing looks like."""
    xy = np.array([(s.x, s.y) for s in moving])
    for k in range(2, len(xy) - 2):
        before, after = xy[k] - xy[k - 2], xy[k + 2] - xy[k]
        size = np.hypot(*before) * np.hypot(*after)
        if np.hypot(*before) > 12.0 and (before @ after < _BEND * size or np.hypot(*after) < 0.4 * np.hypot(*before)):
            return moving[: k - 1]
    return moving


def _usual_fill(moving: Sequence[Sighting], early: Sequence[Sighting]) -> tuple[float, float]:
    """The area over a ball's that this ball has while it rolls, and its scatter; from after the time in which it may fly."""
    late = np.array([s.fill for s in moving[len(early) :] if s.foreign < 0.1 and s.state == "moving" and s.fill > 0.5])
    if len(late) < 6:
        return 1.0, 0.06
    middle = float(np.median(late))
    return middle, max(_FILL_SIGMA, 1.4826 * float(np.median(np.abs(late - middle))))


def _clear(s: Sighting) -> bool:
    """Whether the area of a sighting is the ball's alone."""
    return s.foreign < 0.1 and 0.5 < s.fill < 2.0


def _grows(early: Sequence[Sighting], base: float, spread: float, step: float) -> bool:
    """Whether the ball looks too large for longer than a glance."""
    z = np.array([(s.fill / base - 1) / spread for s in early if _clear(s)])
    width = max(5, round(0.12 / step))
    if len(z) < width:
        return False
    # a median: the cue's tip at the strike makes some frames too large
    middles = np.median(np.lib.stride_tricks.sliding_window_view(z, width), axis=1)
    return bool(middles.max() * np.sqrt(width) / 1.25 > _GROWN)


def _overlaps(early: Sequence[Sighting], others: Mapping[str, Sequence[Sighting]], radius: float) -> bool:
    """Whether the ball seems to lie where another one lies that does not move: no ball on the cloth can."""
    for seen in others.values():
        before = [(s.x, s.y) for s in seen if s.fresh and s.t < early[0].t]
        after = [(s.x, s.y) for s in seen if s.fresh and s.t > early[-1].t]
        if not before or not after or np.hypot(*np.subtract(np.median(before, axis=0), np.median(after, axis=0))) > 6.0:
            continue
        place = np.median(before, axis=0)
        if any(np.hypot(s.x - place[0], s.y - place[1]) < 2 * radius - 8.0 - 3 * s.sigma for s in early):
            return True
    return False


@dataclass(frozen=True, slots=True)
class _Data:
    t: np.ndarray
    xy: np.ndarray
    sigma: np.ndarray
    size: np.ndarray  # logarithm of the diameter over the usual one; NaN where it is not clear
    size_sigma: float
    speed: float  # mm/s, about


def _fitted(
    ball: str, rest: Sequence[Sighting], moving: Sequence[Sighting], view: View, usual: tuple[float, float], step: float,
    least: float,
) -> Flight | None:  # fmt: skip
    both = [*rest, *moving]
    base, spread = usual
    data = _Data(
        np.array([s.t for s in both]),
        np.array([(s.x, s.y) for s in both]),
        np.hypot([s.sigma for s in both], _PLACE_SIGMA),
        np.array([0.5 * np.log(s.fill / base) if _clear(s) and s.state == "moving" else np.nan for s in both]),
        spread / 2,
        max(200.0, float(np.hypot(moving[4].x - moving[0].x, moving[4].y - moving[0].y)) / max(moving[4].t - moving[0].t, 1e-3)),
    )
    moved = float(data.t[len(rest)])
    starts = np.linspace(moved - 1.5 * step, moved + 0.2 * step, 6)
    lengths = np.arange(_SHORTEST, _LONGEST + _TAIL, 0.02)
    cloth, *_ = _best(data, view, starts, lengths, flying=False)
    _, _, t0, length = _best(data, view, starts, lengths, flying=True)
    fine = [_best(data, view, [t0], [d], flying=True) for d in np.linspace(length - 0.02, length + 0.02, 21)]
    price, found, t0, length = min(fine, key=lambda f: f[0])
    near = [f[3] for f in fine if f[0] < price + 4.0]
    sigma, gain = max((max(near) - min(near)) / 4, 0.002), cloth - price
    if gain < least:
        return None
    return Flight(ball, float(t0), float(t0 + length), float(sigma), found[0], found[1], float(gain))


def _best(
    data: _Data, view: View, starts: Sequence[float] | np.ndarray, lengths: Sequence[float] | np.ndarray, *, flying: bool
) -> tuple[float, np.ndarray, float, float]:
    """The cheapest start and length: price, what was found, start (s), length (s)."""
    every = ((*_price(data, view, float(t0), float(t0 + d), flying), float(t0), float(d)) for t0 in starts for d in lengths)
    return min(every, key=lambda p: p[0])


def _price(data: _Data, view: View, t0: float, t1: float, flying: bool) -> tuple[float, np.ndarray]:
    """Chi squared of a start at `t0` and, at `t1`, a landing or (on the cloth) whatever bent the path; place and velocity at `t0`."""
    tau, after = np.maximum(data.t - t0, 0.0), np.maximum(data.t - t1, 0.0)
    before = np.minimum(tau, t1 - t0)
    height = GRAVITY / 2 * before * (t1 - t0 - before) if flying else np.zeros_like(tau)
    k = view.growth(height)
    w = 1 / data.sigma**2
    target = data.xy - view.foot * (1 - k)[:, None]
    design = np.column_stack([k, k * before, after, after**2 / 2, before**2 / 2])
    pull = 1 / _PULL**2
    prior = np.diag([1e-9, 1e-9, 1e-9, pull, 1e12 if flying else pull])
    price = 0.0 if flying or not after.any() else _BENT
    if flying:  # it lands in the direction in which it flew
        turn = np.array([0.0, -_LANDING, 1.0, 0.0, 0.0])
        prior = prior + np.outer(turn, turn) / (_LANDING_SIGMA * data.speed) ** 2
    normal = design.T @ (design * w[:, None]) + prior
    found = np.linalg.solve(normal, design.T @ (target * w[:, None]))
    off = ((target - design @ found) ** 2).sum(axis=1) * w
    size = ((data.size - np.log(k)) / data.size_sigma) ** 2
    price += float(np.minimum(off, _CAP).sum() + np.nansum(np.minimum(size, _CAP)))
    return price + float(np.einsum("ia,ij,ja->", found, prior, found)), found


def passed_over(
    flight: Flight, walls: Walls, others: Mapping[str, Callable[[float], np.ndarray]], radius: float
) -> list[tuple[Event, float]]:
    """The balls and jaws that a ball passed over, as events (video time), each with how sure that is (0..1).

    `others`: where the other balls are, (2,) mm at t s. A ball is passed over when its centre lies within two radii of the
    flying one's on the plane; that it was not touched is for who looks at its own path.
    """
    times = np.linspace(flight.t0, flight.t1, max(20, round((flight.t1 - flight.t0) * 500)))
    found = []
    for name, place in others.items():
        away = np.array([float(np.hypot(*(flight.place(t) - place(t)))) for t in times])
        k = int(away.argmin())
        sure = float(ndtr((2 * radius - away[k]) / _ABOVE))
        if sure > 0.02 and 0 < k < len(times) - 1:
            found.append((_jump(flight, float(times[k]), sure, over=name), sure))
    return found + _over_jaws(flight, walls, times)


def _over_jaws(flight: Flight, walls: Walls, times: np.ndarray) -> list[tuple[Event, float]]:
    deepest: dict[str, tuple[float, float]] = {}
    for t in times:
        for touch in walls.touches(flight.place(float(t)), -1.0):
            if touch.kind == "jaw" and touch.pocket is not None and touch.gap < deepest.get(touch.pocket, (0.0, 0.0))[0]:
                deepest[touch.pocket] = (touch.gap, float(t))
    sure = {pocket: float(ndtr((-gap - _ABOVE) / _ABOVE)) for pocket, (gap, _) in deepest.items()}
    return [(_jump(flight, t, sure[pocket], over_jaw=pocket), sure[pocket]) for pocket, (_, t) in deepest.items() if sure[pocket] > 0.5]


def _jump(flight: Flight, t: float, sure: float, *, over: str | None = None, over_jaw: str | None = None) -> Event:
    bar = 1000 * max(0.002, flight.sigma, _ABOVE / max(float(np.hypot(*flight.velocity)), 100.0))
    return Event(t, "jump", flight.ball, over=over, over_jaw=over_jaw, sigma_ms=bar, confidence=round(min(sure, 0.98), 3))
