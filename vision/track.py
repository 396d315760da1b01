"""Follows every ball from frame to frame: one Kalman filter each, identity by colour.

A resting ball is compared with a remembered window, which costs next to nothing; a moving one is measured in a window
round its prediction, wide enough for any collision. Not seen is `hidden`, never invented.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field

import cv2
import numpy as np

from vision.field import Field
from vision.frames import Frame
from vision.kalman import BallFilter
from vision.locate import LEVELS, Spot, ball_matte, clipping, differs, explains_better, matte_spots, over_marks, rim_spot, without_thin
from vision.patch import Background, Box, box_around, patch

_TOP_SPEED = 9000.0  # mm/s: faster than any ball a player sends
_ACCELERATION = 2500.0  # mm/s²: sliding friction, swerve
_FOREIGN = 28.0  # YUV levels from the background that mean something lies there
_REST_SPAN = 0.4  # s in which a resting ball must not move
_REST_MOVE = 0.8  # mm
_LOST_AFTER = 0.25  # s unseen before wide looks get rarer
_BESIDE = 0.2  # share of foreign pixels round a ball with which it may be something else
_PART = 0.3  # share of a ball in a pixel that accounts for it
_IN_FRONT = 0.04  # share of a resting ball's disc that another ball shows on: it lies in front of it
_COVERED = 0.7  # share of a place at which no cloth shows
_UNLIKE = 0.06  # mean misfit of what is hardly the ball any more
_OVEREXPOSED = 2.0  # times its area that the streak of an overexposed ball may show: it was brighter than any picture can be
_LONG = 6.0  # price of a streak much longer than the way to it: a cue; or a ball that bounced meanwhile
_NARROW, _NARROWER = 0.75, 0.12  # of a ball's width: streaks below it are a cue's rather, and how fast that is so
_CUT, _CUT_SHARE = 20.0, 0.4  # price of what goes on beyond the bed, and the share of the ball's colour there
_SURE, _PLAUSIBLE = 5.0, 9.0  # prices of a spot: no need to look further; may be the ball


@dataclass(frozen=True, slots=True)
class Seen:
    """One ball in one frame: centre (px) and error bar (px), and how it was seen.

    `state`: rest | moving | hidden | gone. `fresh` is False where the position is predicted or repeated.
    `foreign`: share of the ring round the ball that is neither table nor ball (hand, cue). `fill`: matte area over ball area.
    """

    x: float
    y: float
    sigma: float
    state: str
    fresh: bool
    fill: float = 1.0
    foreign: float = 0.0


@dataclass
class _Ball:
    name: str
    palette: np.ndarray
    filter: BallFilter
    radius: float
    state: str = "rest"
    unseen: float = 0.0
    reference: tuple[Box, np.ndarray, np.ndarray, np.ndarray] | None = None
    trail: deque[tuple[float, float, float]] = field(default_factory=lambda: deque(maxlen=90))
    rest_at: tuple[float, float] | None = None
    rest_count: int = 0
    next_check: float = 0.0
    doubtful: bool = False  # moving, and not seen or seen beside something foreign when last looked at


class Tracker:
    """Steps through frames in order. Positions in px of the balls' silhouettes' centres."""

    def __init__(self, field: Field, frame: Frame, background: Background, found: Mapping[str, tuple[float, float, np.ndarray]]):
        """`found`: {ball: (x px, y px, palette (K, 3) YUV)} of the balls seen in `frame`."""
        self._field, self._table = field, field.table
        self.background = background
        self._shape = frame.y.shape
        self._balls: dict[str, _Ball] = {}
        self._time = frame.seconds
        self._clipped = clipping(frame.y)
        for name, (x, y, shades) in found.items():
            self.add(name, x, y, shades)

    def add(self, name: str, x: float, y: float, shades: np.ndarray, *, still: bool = False) -> None:
        """Follow a ball from (x, y) px on. `still`: it is known to lie there; else it counts as moving until it is seen to rest."""
        radius, scale = self._radius(x, y)
        ball = _Ball(name, np.asarray(shades, np.float32), BallFilter(x, y, _ACCELERATION * scale), radius)
        ball.filter.rest(x, y)
        ball.state = "rest" if still else "moving"
        ball.trail.append((self._time, x, y))
        self._balls[name] = ball

    def _radius(self, x: float, y: float) -> tuple[float, float]:
        """A ball's radius in px and px per mm, at a place of the picture."""
        _, _, scale, radius = self._field.chart.ball(x, y)
        return (radius, scale) if np.isfinite(scale) else (0.1 * self._table.radius, 0.1)

    def discs(self) -> list[tuple[float, float, float]]:
        return [(*b.filter.position, b.radius + 2) for b in self._balls.values() if b.state != "gone"]

    def places(self) -> dict[str, tuple[float, float]]:
        """Where the balls that are followed are taken to be, px."""
        return {b.name: b.filter.position for b in self._balls.values() if b.state != "gone"}

    def runners(self, elapsed: float, least: float) -> list[tuple[Box, float]]:
        """The windows in which balls were seen in the last picture that must have run `least` px in `elapsed` s since then.

        With each, how far it must have run, in radii.
        """
        seen = [b for b in self._balls.values() if b.state == "moving" and b.unseen == 0 and b.trail]
        runs = [(b, float(np.hypot(*b.filter.velocity)) * elapsed) for b in seen]
        return [(box_around(*b.trail[-1][1:], b.radius + 2, self._shape), run / b.radius) for b, run in runs if run >= least]

    def forget(self, name: str) -> None:
        """The ball has left the table (pocketed): it is looked for again on the whole table only."""
        ball = self._balls[name]
        ball.state, ball.reference, ball.rest_at = "gone", None, None

    def step(self, frame: Frame, doubled: bool = False) -> dict[str, Seen]:
        """Where each ball is in the next frame. A doubled frame tells nothing new."""
        if doubled:
            return {b.name: self._again(b) for b in self._balls.values()}
        dt = max(1e-4, frame.seconds - self._time)
        self._time = frame.seconds
        out: dict[str, Seen] = {}
        for ball in self._balls.values():
            if ball.state == "gone":
                out[ball.name] = Seen(*ball.filter.position, 0.0, "gone", False)
            elif ball.state == "rest":
                out[ball.name] = self._step_rest(ball, frame, dt)
            else:
                out[ball.name] = self._step_moving(ball, frame, dt)
        return out

    def _again(self, ball: _Ball) -> Seen:
        state = {"rest": "rest", "gone": "gone"}.get(ball.state, "moving")
        x, y = ball.rest_at if state == "rest" and ball.rest_at else ball.filter.position
        return Seen(x, y, 0.5, state, state == "rest")

    def unseen_for(self, name: str) -> float:
        """Seconds for which a ball has not been seen although nothing covers its place."""
        return self._balls[name].unseen

    def shades_of(self, name: str) -> np.ndarray:
        return self._balls[name].palette

    # resting ------------------------------------------------------------------------------------------------

    def _unchanged(self, ball: _Ball, frame: Frame) -> bool:
        if ball.reference is None:
            return False
        box, y, u, v = ball.reference
        luma = cv2.blur(cv2.absdiff(np.ascontiguousarray(frame.y[box.luma]), y), (3, 3))
        if float(cv2.mean(luma)[0]) > 4.0 or float(luma.max()) > 26:
            return False
        return all(
            float(cv2.blur(cv2.absdiff(np.ascontiguousarray(p[box.chroma]), q), (3, 3)).max()) <= 14
            for p, q in ((frame.u, u), (frame.v, v))
        )

    def _remember(self, ball: _Ball, frame: Frame) -> None:
        x, y = ball.filter.position
        box = box_around(x, y, ball.radius + 4, self._shape)
        if box.empty:
            ball.reference = None
            return
        ball.reference = (box, frame.y[box.luma].copy(), frame.u[box.chroma].copy(), frame.v[box.chroma].copy())

    def _step_rest(self, ball: _Ball, frame: Frame, dt: float) -> Seen:
        x, y = ball.rest_at or ball.filter.position
        if self._unchanged(ball, frame) and self._time < ball.next_check:
            ball.unseen = 0.0
            return Seen(x, y, 0.15, "rest", True)
        box = box_around(x, y, 2.2 * ball.radius + 3, self._shape)
        share, foreign, _, others = self._matte(ball, frame, box)
        here = rim_spot(share, x, y, ball.radius, (box.x0, box.y0))
        fill = _fill_at(share, x - box.x0, y - box.y0, ball.radius)
        beside = _ring_share(foreign, x - box.x0, y - box.y0, ball.radius)
        off = float(np.hypot(here.x - x, here.y - y)) if here is not None else 0.0
        # the first look at rest may correct where the moving ball was taken to be: it was measured by its area, not its rim
        near = max(0.6, 0.06 * ball.radius) if ball.rest_count else 0.3 * ball.radius
        if here is not None and fill > 0.5 and off < near:
            return self._still(ball, frame, here, fill, beside)
        # seen from the side, a ball in front covers it: what is left of it has its middle elsewhere
        cover = _fill_at(others, x - box.x0, y - box.y0, ball.radius)
        if cover > _IN_FRONT and fill + cover > 0.8 and self._is_hidden(ball, x, y):
            ball.unseen = 0.0
            return Seen(x, y, 0.5, "rest", False, fill, beside)
        moved = here is not None and off > max(near, 4 * here.sigma) and beside < 0.15
        if fill > 0.6 and not moved:
            ball.unseen = 0.0
            return Seen(x, y, 0.5, "rest", False, fill, beside)  # partly covered or badly seen, but there
        ball.state = "moving"
        ball.filter.rest(x, y)
        ball.trail.clear()
        ball.trail.append((self._time - dt, x, y))
        unseen, ball.unseen = ball.unseen, 0.0
        seen = self._step_moving(ball, frame, dt, wide=fill < 0.6)
        # while part of it shows at its place it can have begun to roll, but not be far away: a hand over it may look like it.
        # What is too thin for a ball there is the cue; and a place that was left shows cloth, whatever else is over it
        left = _fill_at(without_thin(share, ball.radius), x - box.x0, y - box.y0, ball.radius)
        covered = _fill_at(foreign | (share >= _PART), x - box.x0, y - box.y0, ball.radius)
        if seen.fresh and ((left < 0.3 and covered < _COVERED) or np.hypot(seen.x - x, seen.y - y) < 2 * ball.radius):
            return seen
        # nothing of it elsewhere: it is covered, unless its place is plainly empty
        ball.state = "rest"
        ball.filter.rest(x, y)
        empty = fill < 0.25 and beside < 0.12
        ball.unseen = unseen + dt if empty else 0.0
        return Seen(x, y, 0.5 + ball.unseen * 20, "hidden", False, fill, beside)

    def _is_hidden(self, ball: _Ball, x: float, y: float) -> bool:
        """Whether another ball hides a part of this one at (x, y) px without touching it, as only in views from the side."""
        left, up, _ = self._field.chart.place(x, y)
        for other in self._balls.values():
            if other is ball or other.state == "gone":
                continue
            ox, oy = other.filter.position
            theirs = self._field.chart.place(ox, oy)
            apart = float(np.hypot(theirs[0] - left, theirs[1] - up))
            if np.hypot(ox - x, oy - y) < 0.95 * (ball.radius + other.radius) and apart > self._table.ball:
                return True
        return False

    def _still(self, ball: _Ball, frame: Frame, spot: Spot, fill: float, foreign: float) -> Seen:
        x, y = ball.rest_at or (spot.x, spot.y)
        if foreign < 0.05:
            ball.rest_count = min(ball.rest_count + 1, 12)
            k = 1.0 / ball.rest_count
            x, y = x + k * (spot.x - x), y + k * (spot.y - y)
            ball.rest_at = (x, y)
            ball.filter.rest(x, y)
            self._remember(ball, frame)
            ball.next_check = self._time + (0.0 if ball.rest_count < 6 else 0.4)
        ball.unseen = 0.0
        return Seen(x, y, 0.1, "rest", True, fill, foreign)

    # moving -------------------------------------------------------------------------------------------------

    def _never_left(self, ball: _Ball, frame: Frame) -> bool:
        """Whether a ball of doubtful whereabouts lies where it last rested, to the pixel: what was followed instead was something else."""
        if not ball.doubtful or ball.reference is None or ball.rest_at is None or not self._unchanged(ball, frame):
            return False
        x, y = ball.rest_at
        box = ball.reference[0]
        share, _, _, _ = self._matte(ball, frame, box)
        return _fill_at(share, x - box.x0, y - box.y0, ball.radius) > 0.6

    def _step_moving(self, ball: _Ball, frame: Frame, dt: float, wide: bool = False) -> Seen:
        if self._never_left(ball, frame):
            return self._at_rest_again(ball)
        ball.filter.predict(dt)
        px, py = ball.filter.position
        scale = ball.radius / self._table.radius
        speed = float(np.hypot(*ball.filter.velocity))
        spot, foreign, price = None, 0.0, np.inf
        if not wide and ball.unseen < 3 * dt:
            half = 1.8 * ball.radius + 1.2 * speed * dt + 3 * min(ball.filter.sigma, 3 * ball.radius)
            spot, foreign, price = self._search(ball, frame, px, py, half, speed * dt, LEVELS[:1])
        if price > _SURE and self._may_look_wide(ball):
            lx, ly = ball.trail[-1][1:] if ball.trail else (px, py)
            half = 2 * ball.radius + _TOP_SPEED * scale * (dt + ball.unseen) * 1.1
            if self._over_hole(lx, ly) or self._falls(ball):
                half = 3 * ball.radius + speed * dt  # most likely it fell: what looks like it far away is something else
            other = self._search(ball, frame, lx, ly, min(half, 0.6 * self._shape[1]), None, LEVELS)
            if other[2] < price:
                spot, foreign, price = other
        if spot is not None and price < _PLAUSIBLE:
            ball.doubtful = foreign > _BESIDE
            return self._moved(ball, spot, foreign, dt)
        ball.unseen += dt
        ball.doubtful = True
        if not self._holds(px, py):
            ball.filter.rest(*(ball.trail[-1][1:] if ball.trail else (px, py)))
        return Seen(*ball.filter.position, ball.filter.sigma + 1.0, "hidden", False, 0.0, foreign)

    def _at_rest_again(self, ball: _Ball) -> Seen:
        assert ball.rest_at is not None
        ball.state, ball.unseen, ball.doubtful = "rest", 0.0, False
        ball.filter.rest(*ball.rest_at)
        ball.trail.clear()
        ball.trail.append((self._time, *ball.rest_at))
        return Seen(*ball.rest_at, 0.15, "rest", True)

    def _over_hole(self, x: float, y: float) -> bool:
        left, up, _ = self._field.chart.place(x, y)
        return self._field.pocket_of(left, up, 0.3 * self._table.radius) is not None

    def _falls(self, ball: _Ball) -> bool:
        """Whether the last that was seen of a ball's way leads into a pocket's mouth."""
        if len(ball.trail) < 2:
            return False
        (x0, y0, _), (x, y, _) = (self._field.chart.place(*seen[1:]) for seen in (ball.trail[-2], ball.trail[-1]))
        return self._field.mouth_ahead(x, y, 2 * (x - x0), 2 * (y - y0)) is not None

    def _holds(self, x: float, y: float) -> bool:
        """Whether a ball seen at (x, y) px can be there: on the bed or in a pocket's mouth."""
        left, up, _ = self._field.chart.place(x, y)
        return self._field.holds(left, up)

    def _may_look_wide(self, ball: _Ball) -> bool:
        """Wide looks cost: after some frames unseen they are made a few times a second only."""
        if ball.unseen < _LOST_AFTER or self._time >= ball.next_check:
            ball.next_check = self._time + 0.15
            return True
        return False

    def _search(
        self, ball: _Ball, frame: Frame, px: float, py: float, half: float, travel: float | None, levels: tuple[float, ...]
    ) -> tuple[Spot | None, float, float]:
        """The best spot round (px, py), the share of foreign pixels round it, and its price (squared standard deviations)."""
        box = box_around(px, py, half, self._shape)
        if box.empty:
            return None, 0.0, np.inf
        share, foreign, misfit, _ = self._matte(ball, frame, box)
        solid = without_thin(share, ball.radius, min(levels))
        gate = ball.radius + (travel if travel is not None else half) + ball.filter.sigma
        best, cost = None, np.inf
        for level in levels:
            for spot in matte_spots(solid, ball.radius, (box.x0, box.y0), level, misfit):
                if not self._holds(spot.x, spot.y):
                    continue
                away = float(np.hypot(spot.x - px, spot.y - py))
                length = float(np.hypot(*spot.streak))
                odd = max(0.0, length - 2.5 * (away + ball.radius + (travel or 0))) / ball.radius
                long = min((max(0.0, length - self._run(ball, spot) - ball.radius) / ball.radius) ** 2, _LONG)
                thin = max(0.0, _NARROW - spot.width) / _NARROWER if length > 2 * ball.radius else 0.0
                price = (away / gate) ** 2 + (self._excess(ball, spot, length) / 0.3) ** 2 + odd**2 + long + thin**2
                price += (spot.misfit / _UNLIKE) ** 2
                if price < cost and travel is None and away > 2 * ball.radius:
                    price += _CUT * self._goes_on(ball, frame, spot)
                if price < cost:
                    best, cost = spot, price
        if best is None:
            return None, _ring_share(foreign, px - box.x0, py - box.y0, ball.radius), np.inf
        beside = _ring_share(foreign, best.x - box.x0, best.y - box.y0, ball.radius)
        if min(float(np.hypot(*best.streak)), self._run(ball, best)) < 0.8 * ball.radius:
            rim = rim_spot(share, best.x, best.y, ball.radius, (box.x0, box.y0))
            if rim is not None and rim.fill > 0.55 and np.hypot(rim.x - best.x, rim.y - best.y) < 0.6 * ball.radius:
                best = Spot(rim.x, rim.y, rim.sigma + 0.05, best.fill, best.streak, "rim")
        return best, beside, float(cost)

    def _goes_on(self, ball: _Ball, frame: Frame, spot: Spot) -> bool:
        """Whether what was found far away goes on where no ball can be: a sleeve or a hand, cut off by the edge of the bed."""
        box = box_around(spot.x, spot.y, 1.6 * ball.radius, self._shape)
        share, _ = ball_matte(patch(frame, box), self.background.patch(box), ball.palette, self._clipped)
        beyond = share[self._field.mask[box.luma] == 0]
        return len(beyond) > ball.radius**2 and float(beyond.mean()) > _CUT_SHARE

    @staticmethod
    def _run(ball: _Ball, spot: Spot) -> float:
        """How long (px) a streak at `spot` can be at most: a ball just struck has its middle half way along it."""
        if ball.unseen > 0 or not ball.trail:
            return np.inf
        return 2 * float(np.hypot(spot.x - ball.trail[-1][1], spot.y - ball.trail[-1][2]))

    def _excess(self, ball: _Ball, spot: Spot, length: float) -> float:
        """The logarithm of a spot's area over the ball's, but for what is usual; `length` of its streak, px."""
        excess = float(np.log(spot.fill / 0.95))
        if excess <= 0 or length < ball.radius or ball.palette[:, 0].max() <= self._clipped:
            return excess
        return max(0.0, excess - float(np.log(_OVEREXPOSED)))

    def _moved(self, ball: _Ball, spot: Spot, foreign: float, dt: float) -> Seen:
        span = dt + ball.unseen
        ball.unseen = 0.0
        ball.filter.update(spot.x, spot.y, spot.sigma, span)
        ball.radius, _ = self._radius(spot.x, spot.y)
        ball.trail.append((self._time, spot.x, spot.y))
        state = "moving"
        if self._settled(ball):
            state = ball.state = "rest"
            ball.rest_at, ball.rest_count, ball.next_check = None, 0, 0.0
            ball.filter.rest(spot.x, spot.y)
        return Seen(spot.x, spot.y, spot.sigma, state, True, spot.fill, foreign)

    def _settled(self, ball: _Ball) -> bool:
        if self._time - ball.trail[0][0] < _REST_SPAN:
            return False
        recent = [p for p in ball.trail if p[0] > self._time - _REST_SPAN]
        if len(recent) < 4:  # pictures come seldom: the last four must do
            recent = list(ball.trail)[-4:]
        if len(recent) < 4:
            return False
        points = np.array(recent)
        k = len(points) // 2
        moved = np.hypot(*(points[:k, 1:].mean(axis=0) - points[k:, 1:].mean(axis=0)))
        return bool(moved < max(0.15, 0.5 * _REST_MOVE * ball.radius / self._table.radius))

    # pixels -------------------------------------------------------------------------------------------------

    def _matte(self, ball: _Ball, frame: Frame, box: Box) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """The ball's matte in a window, what is neither table nor ball there (bool), the matte's misfit, and the other balls' matte.

        Near another ball a pixel belongs to the one whose colour explains it clearly better.
        """
        picture, behind = patch(frame, box), self.background.patch(box)
        mine, misfit = ball_matte(picture, behind, ball.palette, self._clipped)
        known, others = mine.copy(), np.zeros_like(mine)
        for other in self._balls.values():
            if other is ball or other.state == "gone":
                continue
            near = self._near(other, box)
            if near is None:
                continue
            theirs, their_misfit = ball_matte(picture[near], behind[near], other.palette, self._clipped)
            lost = explains_better(picture[near], behind[near], their_misfit < misfit[near], ball.palette, other.palette, self._clipped)
            mine[near][lost] = 0.0
            others[near] = np.where(lost, np.maximum(others[near], theirs), others[near])
            np.maximum(known[near], theirs, out=known[near])
        mine = over_marks(mine, behind, ball.palette, ball.radius)
        inside = self._field.mask[box.luma]
        return mine * inside, differs(picture, behind, _FOREIGN) & (known < _PART), misfit, others

    def _near(self, other: _Ball, box: Box) -> tuple[slice, slice] | None:
        """The part of a window that another ball may cover."""
        x, y = other.filter.position
        reach = 1.6 * other.radius + 0.03 * float(np.hypot(*other.filter.velocity)) + min(other.filter.sigma, 3 * other.radius)
        x0, x1 = max(box.x0, int(x - reach)), min(box.x1, int(x + reach) + 1)
        y0, y1 = max(box.y0, int(y - reach)), min(box.y1, int(y + reach) + 1)
        if x1 - x0 < 2 or y1 - y0 < 2:
            return None
        return slice(y0 - box.y0, y1 - box.y0), slice(x0 - box.x0, x1 - box.x0)


def _fill_at(matte: np.ndarray, x: float, y: float, radius: float) -> float:
    """Mean share of the ball within its disc at (x, y) of the window."""
    part, away = _around(matte, x, y, 0.9 * radius)
    disc = away <= (0.9 * radius) ** 2
    return float(part[disc].mean()) if disc.any() else 0.0


def _ring_share(foreign: np.ndarray, x: float, y: float, radius: float) -> float:
    part, away = _around(foreign, x, y, 1.9 * radius)
    ring = (away <= (1.9 * radius) ** 2) & (away > (1.15 * radius) ** 2)
    return float(part[ring].mean()) if ring.any() else 0.0


def _around(window: np.ndarray, x: float, y: float, reach: float) -> tuple[np.ndarray, np.ndarray]:
    """The part of a window within `reach` px of (x, y), and its pixels' squared distances from there."""
    x0, y0 = max(0, int(x - reach)), max(0, int(y - reach))
    part = window[y0 : max(y0, int(y + reach) + 1), x0 : max(x0, int(x + reach) + 1)]
    ys, xs = np.ogrid[y0 : y0 + part.shape[0], x0 : x0 + part.shape[1]]
    return part, (xs - x) ** 2 + (ys - y) ** 2
