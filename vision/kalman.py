"""A Kalman filter for one ball in the picture: constant velocity, white acceleration, px and s."""

from __future__ import annotations

import numpy as np


class BallFilter:
    """State (x, y, vx, vy). The acceleration's spread (px/s²) covers friction and swerve; collisions are not in the
    model: a measure far outside the gate restarts the velocity instead of dragging the filter through the bend."""

    INSTANT = 1e-3  # s: so soon after the last place (in the same picture) a place says nothing of the speed
    GATE = 16.0  # squared Mahalanobis distance: beyond it the ball was hit or bounced

    def __init__(self, x: float, y: float, acceleration: float):
        self.state = np.array([x, y, 0.0, 0.0])
        self.covariance = np.diag([1.0, 1.0, 1.0, 1.0])
        self._acceleration = acceleration

    @property
    def position(self) -> tuple[float, float]:
        return float(self.state[0]), float(self.state[1])

    @property
    def velocity(self) -> tuple[float, float]:
        return float(self.state[2]), float(self.state[3])

    @property
    def sigma(self) -> float:
        """Error bar of the position, px."""
        return float(np.sqrt(max(self.covariance[0, 0], self.covariance[1, 1])))

    def predict(self, dt: float) -> None:
        step = np.eye(4)
        step[0, 2] = step[1, 3] = dt
        q = self._acceleration**2
        noise = np.zeros((4, 4))
        for a, b in ((0, 2), (1, 3)):
            noise[a, a] = q * dt**4 / 4
            noise[a, b] = noise[b, a] = q * dt**3 / 2
            noise[b, b] = q * dt**2
        self.state = step @ self.state
        self.covariance = step @ self.covariance @ step.T + noise

    def update(self, x: float, y: float, sigma: float, dt: float) -> bool:
        """Take a measure; returns False if it lay outside the gate and the velocity was restarted from it."""
        innovation = np.array([x, y]) - self.state[:2]
        spread = self.covariance[:2, :2] + np.eye(2) * sigma**2
        if float(innovation @ np.linalg.solve(spread, innovation)) > self.GATE:
            if dt < self.INSTANT:
                self.state = np.array([x, y, *self.state[2:]])
                return False
            before = self.state[:2] - self.state[2:] * dt
            self.state = np.array([x, y, *((np.array([x, y]) - before) / max(dt, 1e-6))])
            speed = float(np.hypot(*self.state[2:]))
            self.covariance = np.diag([sigma**2] * 2 + [(0.5 * speed + 2 * sigma / max(dt, 1e-6)) ** 2] * 2)
            return False
        gain = self.covariance[:, :2] @ np.linalg.inv(spread)
        self.state = self.state + gain @ innovation
        self.covariance = (np.eye(4) - np.hstack([gain, np.zeros((4, 2))])) @ self.covariance
        return True

    def rest(self, x: float, y: float) -> None:
        """The ball lies still at (x, y)."""
        self.state = np.array([x, y, 0.0, 0.0])
        self.covariance = np.diag([0.05, 0.05, 1.0, 1.0])
