"""A Kalman filter for one ball in the picture: constant velocity, white acceleration, px and s."""

from __future__ import annotations

from math import hypot, sqrt


class BallFilter:
    """State (x, y, vx, vy). The acceleration's spread (px/s²) covers friction and swerve; collisions are not in the
    model: a measure far outside the gate restarts the velocity instead of dragging the filter through the bend.

    Nothing tells x from y in the model, so both axes share one covariance (of place, of place and speed, of speed) and do
    not mix: in plain numbers that is an order of magnitude quicker than in 4 x 4 matrices.
    """

    INSTANT = 1e-3  # s: so soon after the last place (in the same picture) a place says nothing of the speed
    GATE = 16.0  # squared Mahalanobis distance: beyond it the ball was hit or bounced

    def __init__(self, x: float, y: float, acceleration: float):
        self.position = (float(x), float(y))
        self.velocity = (0.0, 0.0)
        self._places, self._mixed, self._speeds = 1.0, 0.0, 1.0
        self._acceleration = acceleration

    @property
    def covariance(self) -> tuple[float, float, float]:
        """Along either axis: of the place (px²), of place and speed (px²/s), of the speed (px²/s²)."""
        return self._places, self._mixed, self._speeds

    @property
    def sigma(self) -> float:
        """Error bar of the position along an axis, px."""
        return sqrt(self._places)

    def predict(self, dt: float) -> None:
        (x, y), (vx, vy) = self.position, self.velocity
        self.position = x + vx * dt, y + vy * dt
        noise = self._acceleration**2
        self._places += dt * (2 * self._mixed + dt * self._speeds) + noise * dt**4 / 4
        self._mixed += dt * self._speeds + noise * dt**3 / 2
        self._speeds += noise * dt**2

    def update(self, x: float, y: float, sigma: float, dt: float) -> bool:
        """Take a measure; returns False if it lay outside the gate and the velocity was restarted from it."""
        (x0, y0), (vx, vy) = self.position, self.velocity
        off, spread = (x - x0, y - y0), self._places + sigma**2
        if off[0] ** 2 + off[1] ** 2 > self.GATE * spread:
            self.position = (float(x), float(y))
            if dt >= self.INSTANT:
                # the last place, taken back from what was predicted
                self.velocity = vx + off[0] / dt, vy + off[1] / dt
                speed = hypot(*self.velocity)
                self._places, self._mixed, self._speeds = sigma**2, 0.0, (0.5 * speed + 2 * sigma / dt) ** 2
            return False
        nearer, faster = self._places / spread, self._mixed / spread
        self.position = x0 + nearer * off[0], y0 + nearer * off[1]
        self.velocity = vx + faster * off[0], vy + faster * off[1]
        self._places, self._mixed, self._speeds = (
            (1 - nearer) * self._places,
            (1 - nearer) * self._mixed,
            self._speeds - faster * self._mixed,
        )
        return True

    def rest(self, x: float, y: float) -> None:
        """The ball lies still at (x, y)."""
        self.position, self.velocity = (float(x), float(y)), (0.0, 0.0)
        self._places, self._mixed, self._speeds = 0.05, 0.0, 1.0
