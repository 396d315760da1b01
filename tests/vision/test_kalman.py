"""The tracker's filter against the textbook's matrices."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from vision.kalman import BallFilter

_STEPS = st.lists(
    st.tuples(st.floats(-300, 300), st.floats(-300, 300), st.floats(0.05, 3.0), st.floats(0.004, 0.2), st.booleans()),
    min_size=1,
    max_size=12,
)


class _Textbook:
    """Four by four, as in Bar-Shalom, Li, Kirubarajan, «Estimation with Applications to Tracking and Navigation», 6.3.2."""

    def __init__(self, x: float, y: float, acceleration: float):
        self.state, self.covariance = np.array([x, y, 0.0, 0.0]), np.eye(4)
        self._q = acceleration**2

    def predict(self, dt: float) -> None:
        step = np.eye(4)
        step[0, 2] = step[1, 3] = dt
        push = np.array([[dt * dt / 2, 0], [0, dt * dt / 2], [dt, 0], [0, dt]])
        self.state = step @ self.state
        self.covariance = step @ self.covariance @ step.T + push @ push.T * self._q

    def update(self, x: float, y: float, sigma: float) -> None:
        look = np.eye(2, 4)
        gain = self.covariance @ look.T @ np.linalg.inv(look @ self.covariance @ look.T + np.eye(2) * sigma**2)
        self.state = self.state + gain @ (np.array([x, y]) - look @ self.state)
        self.covariance = (np.eye(4) - gain @ look) @ self.covariance


@given(_STEPS, st.floats(0, 5000))
def test_within_the_gate_it_is_the_textbooks(steps, acceleration) -> None:
    ours, theirs = BallFilter(0.0, 0.0, acceleration), _Textbook(0.0, 0.0, acceleration)
    for x, y, sigma, dt, seen in steps:
        ours.predict(dt)
        theirs.predict(dt)
        if seen:
            if not ours.update(x, y, sigma, dt):
                return
            theirs.update(x, y, sigma)
        np.testing.assert_allclose([*ours.position, *ours.velocity], theirs.state, rtol=1e-6, atol=1e-6)
        places, mixed, speeds = ours.covariance
        apart = np.kron([[places, mixed], [mixed, speeds]], np.eye(2))
        np.testing.assert_allclose(apart, theirs.covariance, rtol=1e-6, atol=1e-6)


def test_beyond_the_gate_the_speed_is_that_from_the_last_place() -> None:
    ball = BallFilter(100.0, 50.0, 100.0)
    ball.rest(100.0, 50.0)
    ball.predict(0.1)
    assert not ball.update(160.0, 20.0, 0.2, 0.1)
    assert ball.position == (160.0, 20.0)
    np.testing.assert_allclose(ball.velocity, (600.0, -300.0))


def test_a_place_in_the_same_picture_says_nothing_of_the_speed() -> None:
    ball = BallFilter(0.0, 0.0, 100.0)
    assert not ball.update(30.0, 0.0, 0.2, 1e-5)
    assert ball.position == (30.0, 0.0) and ball.velocity == (0.0, 0.0)
