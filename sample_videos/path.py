"""Paths of simulated balls as functions of time: exact pieces on the cloth, then the fall into a pocket.

On the cloth the friction forces are constant between two events, so each piece is a parabola in time and a place is
evaluated exactly, never interpolated. Units: mm, s, mm/s.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, hypot, sin, sqrt

import numpy as np

from calibration.table import Pocket

GRAVITY = 9810.0  # mm/s^2
IN_NET = -105.0  # height at which the net of a pocket holds a ball, mm
_SLOWEST_TIP = 60.0  # a ball that tips over the edge from rest: speed at which its tipping starts, mm/s
_STEP = 5e-4


@dataclass(frozen=True, slots=True, eq=False)
class Air:
    """The way of a ball that falls into a pocket: `t` (n,) seconds of the stroke, `places` (n, 3) mm."""

    t: np.ndarray
    places: np.ndarray


@dataclass(frozen=True, slots=True, eq=False)
class Path:
    """The path of one ball's centre through a stroke.

    Piece i holds from `t[i]` on: place = r[i] + v[i] (t - t[i]) + a[i] (t - t[i])^2 / 2, with r, v, a of shape (n, 3): on the
    cloth, in the air, on a rail. The `fall` into a pocket comes after the pieces.
    """

    t: np.ndarray
    r: np.ndarray
    v: np.ndarray
    a: np.ndarray
    fall: Air | None = None

    def at(self, times: np.ndarray | float) -> np.ndarray:
        """Places (..., 3) in mm at `times` in seconds after the strike; before the first piece its beginning, at last the last place."""
        times = np.asarray(times, float)
        i, dt = self._piece(times)
        places = self.r[i] + self.v[i] * dt + 0.5 * self.a[i] * dt**2
        if self.fall is not None and np.any(falling := times >= self.fall.t[0]):
            for k in range(3):
                places[..., k] = np.where(falling, np.interp(times, self.fall.t, self.fall.places[:, k]), places[..., k])
        return places

    def velocity(self, times: np.ndarray | float) -> np.ndarray:
        """Velocities (..., 2) along the cloth in mm/s; at the instant of an event the one after it."""
        i, dt = self._piece(np.asarray(times, float))
        return (self.v[i] + self.a[i] * dt)[..., :2]

    def leap(self) -> float:
        """The largest distance in mm between the end of a piece and the beginning of the next one: 0 for a true path."""
        dt = np.diff(self.t)[:, None]
        ends = self.r[:-1] + self.v[:-1] * dt + 0.5 * self.a[:-1] * dt**2
        return float(np.linalg.norm(ends - self.r[1:], axis=1).max(initial=0.0))

    @property
    def end(self) -> tuple[float, float] | None:
        """The last place on the cloth, None for a ball that fell."""
        return None if self.fall is not None else (float(self.r[-1, 0]), float(self.r[-1, 1]))

    @property
    def moves(self) -> bool:
        return bool(np.any(self.v)) or self.fall is not None

    def _piece(self, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        i = np.clip(np.searchsorted(self.t, times, side="right") - 1, 0, len(self.t) - 1)
        return i, np.maximum(times - self.t[i], 0.0)[..., None]

    def crossings(self, x: float) -> list[float]:
        """Times at which the centre crosses the line at `x`, in order; touching it, or leaving it from rest, is none."""
        found: list[float] = []
        side = 0.0 if abs(self.r[0, 0] - x) < 0.5 else np.sign(self.r[0, 0] - x)
        end = self.fall.t[0] if self.fall is not None else np.inf
        for k in range(len(self.t)):
            last = self.t[k + 1] if k + 1 < len(self.t) else end
            for t in [*self._roots(k, x, last), last]:
                probe = min(t + 1e-7, last) if t < last else last
                place = self._x_in(k, probe) - x if np.isfinite(probe) else self.r[k, 0] - x
                if abs(place) < 1e-9:
                    continue
                if side and np.sign(place) != side:
                    found.append(float(min(t, last)))
                side = np.sign(place)
        return found

    def _x_in(self, k: int, t: float) -> float:
        dt = t - self.t[k]
        return float(self.r[k, 0] + self.v[k, 0] * dt + 0.5 * self.a[k, 0] * dt * dt)

    def _roots(self, k: int, x: float, last: float) -> list[float]:
        a, b, c = 0.5 * self.a[k, 0], self.v[k, 0], self.r[k, 0] - x
        if a == 0:
            roots = [-c / b] if b else []
        elif (inner := b * b - 4 * a * c) < 0:
            return []
        else:  # without loss of digits where one root is near zero
            q = -0.5 * (b + (sqrt(inner) if b >= 0 else -sqrt(inner)))
            roots = [q / a, *([c / q] if q else [])]
        times = [float(self.t[k]) + float(root) for root in roots]
        return sorted(t for t in times if self.t[k] < t < last)


def fall_into(pocket: Pocket, at: tuple[float, float], velocity: tuple[float, float], t: float, radius: float) -> Air:
    """The fall of a ball of `radius` whose centre is over the edge of `pocket` at time `t`.

    The ball rolls over the edge until the edge carries it no more, then flies; the far wall of the pocket takes most of
    its speed, the net holds it. `velocity` in mm/s.
    """
    (x, y), (cx, cy) = at, pocket.centre
    far = hypot(cx - x, cy - y) or 1.0
    ix, iy = (cx - x) / far, (cy - y) / far  # inwards; (-iy, ix) is across
    rate = max(velocity[0] * ix + velocity[1] * iy, _SLOWEST_TIP) / radius  # angular speed about the edge
    slip = -velocity[0] * iy + velocity[1] * ix
    angle, side, times, places = 0.0, 0.0, [t], [(x, y, radius)]
    while cos(angle) > radius * rate * rate / GRAVITY and angle < 1.5:
        rate += 5 / 7 * GRAVITY / radius * sin(angle) * _STEP
        angle += rate * _STEP
        side += slip * _STEP
        along = radius * sin(angle)
        times.append(times[-1] + _STEP)
        places.append((x + along * ix - side * iy, y + along * iy + side * ix, radius * cos(angle)))
    (px, py, pz), out = places[-1], radius * rate * cos(angle)
    vx, vy, vz = out * ix - slip * iy, out * iy + slip * ix, -radius * rate * sin(angle)
    room = max(pocket.radius - radius, 8.0)
    while pz > IN_NET:
        vz -= GRAVITY * _STEP
        px, py, pz = px + vx * _STEP, py + vy * _STEP, pz + vz * _STEP
        ox, oy = px - cx, py - cy
        far = hypot(ox, oy)
        if far > room and (outward := vx * ox + vy * oy) > 0:
            wx, wy = ox / far, oy / far
            outward /= far
            vx, vy = 0.35 * (vx - 1.5 * outward * wx), 0.35 * (vy - 1.5 * outward * wy)
            px, py = cx + wx * room, cy + wy * room
        times.append(times[-1] + _STEP)
        places.append((px, py, pz))
    return Air(np.array(times), np.array(places, float))
