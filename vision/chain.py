"""A moment of a stroke as one model: the paths of its balls, bent by a chain of hits, fitted to what was seen all at once.

Between hits a ball moves with constant acceleration; at a hit its velocity changes and its place does not. A hit off a wall
happens where the ball touches it, a contact where two balls are two radii apart, and both change velocities about as physics
allows (restitution, friction, equal masses). Times, places and velocities are found together by Gauss-Newton; the evidence of
a hypothesis (Laplace) compares chains with different hits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from vision.pieces import Observations

_SLIDE, _ROLL, _SLIP_RATE = 1800.0, 130.0, 3.0  # mm/s², mm/s², 1/s: see `_friction`
_BOUNCE, _BOUNCE_SIGMA = 1.72, 0.22  # 1 + restitution of a cushion
_ELASTIC, _ELASTIC_SIGMA = 0.97, 0.06  # (1 + restitution) / 2 of two balls
_WALL_SLIP, _BALL_SLIP = 0.22, 0.08  # tangential share of a push: friction and spin
_LEAST = 12.0  # mm/s: error of any model of a push
_CURVED = 0.35  # share of the acceleration that is across the path
_KICK = 1500.0  # mm/s: spread of a push without a known direction
_EXPOSED = 0.4  # of a frame time: usual exposure
_CURVE, _CURVE_SLOW, _CURVE_RATE = 150.0, 20.0, 0.25  # mm/s², mm/s², 1/s: see `_curve`
_GRAZE = 0.12  # share of the relative speed with which the fit of a thin contact starts
_TURNS = 9
_HUBER = 2.5
_SETTLED = 4e-5  # s
_LOG = float(np.log(2 * np.pi))

# distance of a ball's surface at (2,) mm from something, and the unit normal off it
Wall = Callable[[np.ndarray], tuple[float, np.ndarray]]


@dataclass(frozen=True, slots=True)
class Hit:
    """`kind`: contact | cushion | jaw | kick. A contact has two `balls`, any other one; `name` tells walls apart."""

    kind: str
    balls: tuple[str, ...]
    t: float
    name: tuple[str | None, str | None] = (None, None)  # cushion, pocket
    wall: Wall | None = None

    @property
    def key(self) -> tuple:
        return (self.kind, frozenset(self.balls), self.name)


@dataclass(frozen=True, slots=True)
class Scene:
    """What was seen of the balls near a moment: `seen` by ball, which of them rested before, `double` (2 R, mm), `step` (s).

    `slack`: error (mm) of a place against the walls; against other balls it is `slack_balls`.
    """

    seen: Mapping[str, Observations]
    resting: frozenset[str]
    double: float
    step: float
    slack: float
    slack_balls: float
    early: float
    late: float


@dataclass(frozen=True, slots=True)
class Fitted:
    """A chain that was fitted: hits with their times; `sigma` (s) of these, places (2,) and velocities before by (hit, ball).

    `cost`: minus twice the logarithm of the evidence, but for what all chains of a scene share. `chi`: chi squared of what
    was seen, by `seen` numbers; `strain`: how far (in the same units, for each hit) physics had to be bent for it.
    """

    hits: tuple[Hit, ...]
    sigma: tuple[float, ...]
    place: Mapping[tuple[int, str], np.ndarray]
    before: Mapping[tuple[int, str], np.ndarray]
    cost: float
    chi: float
    seen: int
    strain: float
    path: Callable[[str, np.ndarray], np.ndarray]


class _Chain:
    """Layout of the unknowns: 6 of each ball (place, velocity, acceleration), 4 of each side of a hit (their changes), times."""

    def __init__(self, scene: Scene, hits: Sequence[Hit]):
        self.scene, self.hits = scene, list(hits)
        self.balls = list(scene.seen)
        self.sides = [(h, ball) for h, hit in enumerate(hits) for ball in hit.balls]
        self.clock = 6 * len(self.balls) + 4 * len(self.sides)
        self.size = self.clock + len(hits)
        self.zero = float(np.mean([h.t for h in hits])) if hits else (scene.early + scene.late) / 2
        self.theta = np.zeros(self.size)
        self.theta[self.clock :] = [h.t for h in hits]
        self.blur = _EXPOSED * scene.step

    def at(self, h: int) -> float:
        return float(self.theta[self.clock + h])

    def base(self, ball: str) -> int:
        return 6 * self.balls.index(ball)

    def bends(self, ball: str, before: int | None = None) -> list[tuple[int, int]]:
        """(hit, column of its side) of a ball's hits, those before hit `before` only."""
        n = 6 * len(self.balls)
        return [(h, n + 4 * s) for s, (h, b) in enumerate(self.sides) if b == ball and (before is None or h < before)]

    def side(self, h: int, ball: str) -> int:
        """Column of a ball's side of a hit."""
        return 6 * len(self.balls) + 4 * self.sides.index((h, ball))

    def rows(self, ball: str, t: np.ndarray, rate: int = 0, before: int | None = None) -> np.ndarray:
        """(2 N, size) derivatives of a ball's places at t (N,), or velocities (`rate` 1), x then y; with those by the times."""
        n, u = len(t), t - self.zero
        out = np.zeros((2 * n, self.size))
        base = self.base(ball)
        columns = (np.ones(n), u, u * u / 2) if rate == 0 else (np.zeros(n), np.ones(n), u)
        for k, column in enumerate(columns):
            out[:n, base + 2 * k] = out[n:, base + 2 * k + 1] = column
        blur = self.blur if before is None else 0.0
        for h, side in self.bends(ball, before):
            late = t - self.at(h)
            bent, on = _hinge(late, blur) if before is None else (late, np.ones(n))
            past = np.maximum(late, 0.0) if before is None else late
            dv, da = (bent, past * past / 2) if rate == 0 else (on, past)
            out[:n, side] = out[n:, side + 1] = dv
            out[:n, side + 2] = out[n:, side + 3] = da
            if rate == 0:
                for axis, part in ((0, slice(0, n)), (1, slice(n, None))):
                    out[part, self.clock + h] = -on * self.theta[side + axis] - past * self.theta[side + 2 + axis]
        return out

    def value(self, ball: str, t: np.ndarray, rate: int = 0, before: int | None = None) -> np.ndarray:
        """(N, 2) places, or velocities."""
        rows = self.rows(ball, t, rate, before)[:, : self.clock]
        return (rows @ self.theta[: self.clock]).reshape(2, -1).T


def _hinge(u: np.ndarray, width: float) -> tuple[np.ndarray, np.ndarray]:
    """max(u, 0) averaged over an exposure of `width`, and its derivative."""
    on = np.clip(u / width + 0.5, 0.0, 1.0)
    return np.where(u > width / 2, u, on * on * width / 2), on


class _System:
    """Normal equations of weighted residuals: `normal` (P, P), `gradient` (P,), `chi` their sum of squares."""

    def __init__(self, size: int):
        self.normal = np.zeros((size, size))
        self.gradient = np.zeros(size)
        self.chi = 0.0
        self.norm = 0.0  # 2 log of the spreads of the rows that a hit brings

    def rows(self, rows: np.ndarray, off: np.ndarray, sigma: np.ndarray) -> None:
        """Residuals (N,) `off` with derivatives (N, P)."""
        rows, off = rows / sigma[:, None], off / sigma
        self.normal += rows.T @ rows
        self.gradient += rows.T @ off
        self.chi += float(off @ off)

    def row(self, row: np.ndarray, off: float, sigma: float) -> None:
        """One residual of a hit: `off` is how far the value is above what it should be."""
        row, off = row / sigma, off / sigma
        self.normal += np.outer(row, row)
        self.gradient += row * off
        self.chi += off * off
        self.norm += 2 * np.log(sigma) + _LOG

    def unknown(self, index: int, value: float, sigma: float, *, hit: bool = False) -> None:
        """An unknown that is about zero."""
        self.normal[index, index] += 1 / sigma**2
        self.gradient[index] += value / sigma**2
        self.chi += (value / sigma) ** 2
        if hit:
            self.norm += 2 * np.log(sigma) + _LOG


def fit(scene: Scene, hits: Sequence[Hit], start: Mapping[str, tuple[np.ndarray, np.ndarray]]) -> Fitted | None:
    """The best chain with these hits, in this order; None if it makes no sense. `start`: place and velocity of each ball
    at the scene's beginning (`early`)."""
    chain = _Chain(scene, hits)
    _begin(chain, start)
    return _fitted(chain)


def _fitted(chain: _Chain) -> Fitted | None:
    hits, late = chain.hits, np.inf
    for turn in range(_TURNS + 1):
        system = _System(chain.size)
        chi, seen = _observed(chain, system)
        strain = system.chi
        _priors(chain, system)
        for h in range(len(hits)):
            _pushed(chain, system, h)
        last = turn == _TURNS or (turn >= 2 and (not hits or late < _SETTLED))
        if last:
            break
        step = np.linalg.solve(system.normal + 1e-9 * np.eye(chain.size), system.gradient)
        late = float(np.abs(step[chain.clock :]).max()) if hits else 0.0
        _move(chain, step)
    sign, size = np.linalg.slogdet(system.normal)
    if sign <= 0 or not np.isfinite(chain.theta).all():
        return None
    cost = system.chi + size - chain.size * _LOG + system.norm
    return _result(chain, np.linalg.inv(system.normal), cost, (chi, seen, (system.chi - strain) / max(len(hits), 1)))


def foretold(
    scene: Scene, hits: Sequence[Hit], start: Mapping[str, tuple[np.ndarray, np.ndarray]]
) -> Callable[[str, np.ndarray], np.ndarray]:
    """The paths that a chain would make by the usual physics, without regard to what was seen after its first hit."""
    chain = _Chain(scene, hits)
    _begin(chain, start)
    return chain.value


def _begin(chain: _Chain, start: Mapping[str, tuple[np.ndarray, np.ndarray]]) -> None:
    """Walk through the hits with the usual physics, so that the fit starts from a chain that could be."""
    scene = chain.scene
    for ball, (p, v) in start.items():
        base, back = chain.base(ball), chain.zero - scene.early
        chain.theta[base : base + 2], chain.theta[base + 2 : base + 4] = p + v * back, v
    for h, hit in enumerate(chain.hits):
        t = np.array([hit.t])
        speeds = [chain.value(b, t, 1, h)[0] for b in hit.balls]
        places = [chain.value(b, t, 0, h)[0] for b in hit.balls]
        sides = [chain.side(h, b) for b in hit.balls]
        if hit.kind == "contact":
            line = places[1] - places[0]
            line = line / max(float(np.hypot(*line)), 1e-6)
            relative = speeds[0] - speeds[1]
            closing = float(relative @ line)
            fast = float(np.hypot(*relative))
            if closing < _GRAZE * fast:  # hardly touched: earlier by so much that they close in on each other
                chain.theta[chain.clock + h] -= (_GRAZE * fast - closing) * scene.double / fast**2
                across = np.array([-line[1], line[0]])
                line = line * np.sqrt(1 - _GRAZE**2) + _GRAZE * across * np.sign(float(relative @ across))
                closing = _GRAZE * fast
            push = _ELASTIC * closing * line
            chain.theta[sides[0] : sides[0] + 2] = -push
            chain.theta[sides[1] : sides[1] + 2] = push
        elif hit.wall is not None:
            normal = hit.wall(places[0])[1]
            chain.theta[sides[0] : sides[0] + 2] = _BOUNCE * max(float(-speeds[0] @ normal), 0.0) * normal


def _observed(chain: _Chain, system: _System) -> tuple[float, int]:
    scene, chi, count = chain.scene, 0.0, 0
    for ball, seen in scene.seen.items():
        rows = chain.rows(ball, seen.t)
        off = (rows[:, : chain.clock] @ chain.theta[: chain.clock]) - seen.xy.T.ravel()
        far = np.maximum(np.maximum(scene.early - seen.t, seen.t - scene.late), 0.0)
        sigma = np.hypot(seen.sigma, _curve(seen) / 2 * far**2)
        for h, side in chain.bends(ball):
            near = np.abs(seen.t - chain.at(h)) < chain.blur / 2  # the exposure is not known
            sigma = np.hypot(sigma, near * float(np.hypot(*chain.theta[side : side + 2])) * chain.blur * 0.06)
        sigma = np.tile(sigma, 2)
        z = np.abs(off / sigma)
        weight = np.sqrt(np.where(z > _HUBER, _HUBER * (2 * z - _HUBER), z * z)) / np.maximum(z, 1e-9)
        system.rows(rows, off, sigma / np.maximum(weight, 0.05))
        chi += float(np.minimum(z, 6.0) @ np.minimum(z, 6.0))
        count += 2 * len(seen)
    return chi, count


def _curve(seen: Observations) -> float:
    """What constant acceleration leaves out of a ball's path, mm/s²: the less, the slower it rolls."""
    way = float(np.hypot(*np.diff(seen.xy, axis=0).T).sum())
    return min(_CURVE, _CURVE_SLOW + _CURVE_RATE * way / max(float(seen.t[-1] - seen.t[0]), 1e-3))


def _priors(chain: _Chain, system: _System) -> None:
    theta = chain.theta
    for ball in chain.balls:
        base = chain.base(ball)
        v, a = theta[base + 2 : base + 4], theta[base + 4 : base + 6]
        if ball in chain.scene.resting:
            for k in (0, 1):
                system.unknown(base + 4 + k, float(a[k]), 5.0)
                system.unknown(base + 2 + k, float(v[k]), 2.0)
        else:
            speed = max(float(np.hypot(*v)), 1e-6)
            rows = np.zeros((2, chain.size))
            rows[:, base + 4 : base + 6] = np.array([v, (-v[1], v[0])]) / speed
            system.rows(rows, rows[:, base + 4 : base + 6] @ a, _friction(speed) * np.array([1.0, _CURVED]))  # paths hardly curve
        for _, side in chain.bends(ball):
            spread = 1.4 * _friction(float(np.hypot(*theta[side : side + 2])))
            for k in (2, 3):
                system.unknown(side + k, float(theta[side + k]), spread, hit=True)
    for h, hit in enumerate(chain.hits):
        system.unknown(chain.clock + h, chain.at(h) - hit.t, 2.5 * chain.scene.step)


def _friction(speed: float) -> float:
    """Spread of a ball's acceleration, mm/s², at a speed or after a change of it: the less, the sooner it only rolls."""
    return min(_SLIDE, _ROLL + _SLIP_RATE * speed)


def _pushed(chain: _Chain, system: _System, h: int) -> None:
    """Where a hit happens, and how it changes velocities."""
    hit, t = chain.hits[h], np.array([chain.at(h)])
    sides = [chain.side(h, b) for b in hit.balls]
    place = [chain.rows(b, t, 0, h) for b in hit.balls]
    speed = [chain.rows(b, t, 1, h) for b in hit.balls]
    where = [chain.value(b, t, 0, h)[0] for b in hit.balls]
    moving = [chain.value(b, t, 1, h)[0] for b in hit.balls]
    change = [chain.theta[s : s + 2] for s in sides]
    if hit.kind == "kick":
        for k in (0, 1):
            system.unknown(sides[0] + k, float(change[0][k]), _KICK, hit=True)
        system.norm += 2 * np.log(4 * chain.scene.step)  # it may come at any time
        return
    turn = np.zeros(chain.size)  # how the unknowns turn the direction of the push, rad
    if hit.kind == "contact":
        line = where[1] - where[0]
        far = max(float(np.hypot(*line)), 1e-6)
        n = line / far
        across = np.array([-n[1], n[0]])
        gap, slack, relative, rate = far - chain.scene.double, chain.scene.slack_balls, moving[0] - moving[1], speed[0] - speed[1]
        closing = float(relative @ n)
        row = n @ (place[1] - place[0])
        turn = across @ (place[1] - place[0]) / far
        turn[chain.clock + h] = -float(across @ relative) / far
    else:
        assert hit.wall is not None
        gap, n = hit.wall(where[0])
        across = np.array([-n[1], n[0]])
        slack, relative, rate = chain.scene.slack, -moving[0], -speed[0]
        closing = float(relative @ n)
        row = n @ place[0]
    row[chain.clock + h] = -closing
    system.row(row, gap, slack)
    system.norm -= 2 * np.log(max(abs(closing), 20.0))
    if closing < 0:
        system.chi += (min(-closing, 200.0) / _LEAST) ** 2  # nothing is hit by what goes away from it
    elastic, spread, slip = (_ELASTIC, _ELASTIC_SIGMA, _BALL_SLIP) if hit.kind == "contact" else (_BOUNCE, _BOUNCE_SIGMA, _WALL_SLIP)
    size = max(closing, 0.0)
    closer = n @ rate + float(across @ relative) * turn
    for k, side in enumerate(sides):
        sign = (-1 if k == 0 else 1) if hit.kind == "contact" else 1
        along, aside = float(change[k] @ n), float(change[k] @ across)
        wanted = sign * aside * turn - elastic * closer
        wanted[side : side + 2] += sign * n
        system.row(wanted, sign * along - elastic * closing, float(np.hypot(spread * size, _LEAST)))
        beside = -along * turn
        beside[side : side + 2] += across
        system.row(beside, aside, float(np.hypot(slip * elastic * size, _LEAST)))


def _move(chain: _Chain, step: np.ndarray) -> None:
    """One Gauss-Newton step; times go by less than a frame at once and keep their order on each ball."""
    most = 0.6 * chain.scene.step
    step = step.copy()
    step[chain.clock :] = np.clip(step[chain.clock :], -most, most)
    chain.theta -= step
    for h, hit in enumerate(chain.hits):
        earlier = [chain.at(g) for g in range(h) if set(chain.hits[g].balls) & set(hit.balls)]
        if earlier:
            chain.theta[chain.clock + h] = max(chain.at(h), max(earlier) + 1e-5)


def _result(chain: _Chain, covariance: np.ndarray, cost: float, quality: tuple[float, int, float]) -> Fitted:
    hits, place, before = [], {}, {}
    for h, hit in enumerate(chain.hits):
        hits.append(replace(hit, t=chain.at(h)))
        for ball in hit.balls:
            t = np.array([chain.at(h)])
            place[h, ball] = chain.value(ball, t, 0, h)[0]
            before[h, ball] = chain.value(ball, t, 1, h)[0]
    sigma = np.sqrt(np.maximum(np.diag(covariance)[chain.clock :], 1e-10))
    return Fitted(tuple(hits), tuple(float(s) for s in sigma), place, before, cost, *quality, chain.value)
