"""Why did the paths break? Contacts, cushions and jaws that account for the jumps in velocity.

Each ball's jump at a break must be a sum of pushes along known directions: off a cushion or a jaw along its normal, off
another ball along the line of centres with the opposite push on that ball. The smallest set of causes that were within
reach and explain the jump wins; the others' prices say how sure that is.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import nnls

from calibration.table import Table
from vision.breaks import STILL, Break, Path
from vision.walls import Walls

_CAUSE = 4.0  # price of one more cause (chi squared)
_SLIP = 0.22  # friction, spin and curve turn the push away from its direction by about this share
_UNEXPLAINED = 12.0  # price of a jump left without a cause


@dataclass(frozen=True, slots=True)
class Cause:
    """A candidate: what pushed, when (s, with its error bar), the unit direction of the push, the geometric misfit (squared sigmas)."""

    kind: str  # contact | cushion | jaw
    other: str | None
    cushion: str | None
    pocket: str | None
    t: float
    sigma: float
    direction: np.ndarray
    misfit: float


@dataclass(frozen=True, slots=True)
class Explained:
    """A break with its causes in order of time; `price` (chi squared) of the best set and of the second best."""

    at: Break
    causes: tuple[Cause, ...]
    price: float
    second: float


class Explainer:
    """Explains breaks of all balls of a stroke together."""

    def __init__(
        self,
        table: Table,
        paths: dict[str, Path],
        breaks: dict[str, list[Break]],
        step: float,
        slack: float,
        falls: dict[str, tuple[str, float]],
    ):
        """`step`: usual time between frames, s. `slack`: error (mm) of the calibration in the places of cushions and balls.

        `falls`: {ball: (pocket, time)} of the balls that fell.
        """
        self.falls = falls
        self.table, self.paths, self.breaks = table, paths, breaks
        self.step, self.slack = step, slack
        self.walls = Walls(table)

    def explain(self, br: Break) -> Explained:
        contacts = self.contacts(br)
        causes = contacts + self.walls_hit(br, bool(contacts))
        scored: list[tuple[float, tuple[Cause, ...]]] = [(self._nothing(br), ())]
        for count in (1, 2, 3):
            for chosen in itertools.combinations(causes, count):
                if self._compatible(chosen):
                    scored.append((self._price(br, chosen), chosen))
        scored.sort(key=lambda s: s[0])
        best = scored[0]
        second = next((s for s in scored[1:] if {_key(c) for c in s[1]} != {_key(c) for c in best[1]}), (np.inf, ()))
        return Explained(br, tuple(sorted(best[1], key=lambda c: c.t)), best[0], second[0])

    # prices -------------------------------------------------------------------------------------------------

    def _tolerance(self, br: Break) -> float:
        return float(np.hypot(br.speed_sigma, 8.0))

    def _nothing(self, br: Break) -> float:
        jump = float(np.hypot(*br.change))
        return min((jump / self._tolerance(br)) ** 2, _UNEXPLAINED + 4)

    @staticmethod
    def _compatible(chosen: tuple[Cause, ...]) -> bool:
        keys = [_key(c) for c in chosen]
        return len(set(keys)) == len(keys)

    def _price(self, br: Break, chosen: tuple[Cause, ...]) -> float:
        directions = np.column_stack([c.direction for c in chosen])
        pushes, rest = nnls(directions, br.change)
        floor = self._tolerance(br)
        if (pushes < 0.4 * floor).any():
            return np.inf
        loss = _SLIP * float(pushes.sum())
        return (rest / np.hypot(floor, loss)) ** 2 + sum(c.misfit for c in chosen) + _CAUSE * (len(chosen) - 1)

    # cushions and jaws --------------------------------------------------------------------------------------

    def walls_hit(self, br: Break, hit: bool) -> list[Cause]:
        """Walls that the ball's path reaches near the break, whose normal its velocity crosses.

        Unless another ball may have `hit` it in the same break, it must have been moving towards the wall.
        """
        found: dict[tuple, Cause] = {}
        span = max(br.high - br.low, self.step)
        fast = max(np.hypot(*br.speed_before), np.hypot(*br.speed_after))
        reach = self._reach(br, fast * 0.08 * span)
        first, last = min(br.low, br.t) - 0.25 * self.step, max(br.high, br.t) + 0.25 * self.step
        for t in np.linspace(first, last, 13):
            for piece, side in ((br.before, -1), (br.after, 1)):
                if (t - br.t) * side < -0.6 * span and (t - br.t) * side < -0.6 * self.step:
                    continue
                p = piece.at(float(t))
                for touch in self.walls.touches(p, reach):
                    if touch.kind == "cushion":
                        continue
                    misfit = (touch.gap / reach) ** 2 + ((t - br.t) / (0.7 * self.step)) ** 2
                    cause = Cause("jaw", None, touch.cushion, touch.pocket, float(t), self.step / 4, touch.normal, misfit)
                    key = _key(cause)
                    if key not in found or cause.misfit < found[key].misfit:
                        found[key] = cause
        for cushion in ("home", "foot", "left", "right"):
            cause = self._cushion(br, cushion, reach, first, last)
            if cause is not None and (hit or float(br.speed_before @ cause.direction) < 0.5 * self._tolerance(br)):
                found[_key(cause)] = cause
        return list(found.values())

    def _reach(self, br: Break, blur: float) -> float:
        return float(np.hypot(np.hypot(self.slack, 2.5 * br.sigma), blur)) + 1.0

    def _cushion(self, br: Break, cushion: str, reach: float, first: float, last: float) -> Cause | None:
        """When the coordinate across a cushion turns round: it is the one thing that other pushes in the same break may leave alone."""
        normal = self.walls.normal(cushion)
        after = float(br.speed_after @ normal)
        if after < -0.3 * self._tolerance(br):
            return None
        # the nearest that either piece comes to the nose, extrapolated into the break
        times = np.linspace(first, last, 25)
        gaps = [
            min(
                self.walls.cushion_gap(cushion, br.before.at(float(t))) if t <= last else np.inf,
                self.walls.cushion_gap(cushion, br.after.at(float(t))),
            )
            for t in times
        ]
        k = int(np.argmin(gaps))
        if gaps[k] > reach:
            return None
        if not self.walls.straight(cushion, br.place):
            return None
        t = self._turn_time(br, cushion, first, last)
        gap = self.walls.cushion_gap(cushion, br.before.at(t))
        other = self.walls.cushion_gap(cushion, br.after.at(t))
        closest = min(abs(gap), abs(other), abs(self.walls.cushion_gap(cushion, br.place)))
        push = max(float(br.change @ normal), self._tolerance(br))
        sigma = float(np.hypot(1.4 * br.sigma, self.slack * 0.5) / push)
        return Cause("cushion", None, cushion, None, t, max(sigma, 0.001), normal, (closest / reach) ** 2)

    def _turn_time(self, br: Break, cushion: str, first: float, last: float) -> float:
        normal = self.walls.normal(cushion)
        times = np.linspace(first, last, 61)
        split = np.array([abs(float((br.before.at(float(t)) - br.after.at(float(t))) @ normal)) for t in times])
        outside = np.maximum(np.maximum(br.low - times, times - br.high), 0.0) / self.step
        return float(times[int((split / (br.sigma + 2.0) + 2 * outside).argmin())])

    # contacts -----------------------------------------------------------------------------------------------

    def contacts(self, br: Break) -> list[Cause]:
        """Balls that were two radii away at the break and whose own path broke at the same time."""
        found = []
        for name, path in self.paths.items():
            if name == br.ball:
                continue
            partner = self._partner(br, name)
            if partner is None:
                continue
            cause = self._contact(br, partner, path)
            if cause is not None:
                found.append(cause)
        return found

    def _partner(self, br: Break, name: str) -> Break | None:
        """The break of another ball that may be the other side of this one's."""
        best, cost = None, np.inf
        for other in self.breaks[name]:
            late = max(other.low - br.high, br.low - other.high, 0.0)
            if late > 1.6 * self.step or np.hypot(*other.change) < 0.8 * self._tolerance(other):
                continue
            if other.high - other.low > 6 * self.step and other.significance < 3.0:
                continue  # what a resting ball did while it was not looked at is made up of noise
            price = abs(other.t - br.t) / self.step + late / self.step
            if price < cost:
                best, cost = other, price
        if best is None and name in self.falls:
            return self._vanished(br, name)
        return best

    def _vanished(self, br: Break, name: str) -> Break | None:
        """A resting ball that fell before its motion could be measured: its break as it must have been."""
        pocket, t = self.falls[name]
        pieces = self.paths[name].pieces
        rest = next((p for p in reversed(pieces) if p.last > p.first), None)
        if rest is None or not -0.5 * self.step < t - br.t < 5 * self.step or t - rest.end > 6 * self.step:
            return None
        place = rest.at(rest.end)
        way = np.array(self.table.pocket(pocket).centre) - place
        speed = way / max(t - br.t, 0.5 * self.step)
        after = replace(rest, origin=br.t, position=place, velocity=speed, acceleration=np.zeros(2))
        still = np.zeros(2)
        return Break(name, rest, after, br.t, rest.end, max(rest.end, t), place, 3.0, still, speed, float(np.hypot(*speed)), 0.0)

    def _contact(self, br: Break, partner: Break, path: Path) -> Cause | None:
        double = 2 * self.table.radius
        first = max(min(br.low, partner.low), max(br.t, partner.t) - 2.5 * self.step) - 0.3 * self.step
        last = min(max(br.high, partner.high), min(br.t, partner.t) + 2.5 * self.step) + 0.3 * self.step
        times = np.linspace(first, max(last, first + self.step), 61)
        before = np.array([partner.before.at(float(t)) - br.before.at(float(t)) for t in times])
        after = np.array([partner.after.at(float(t)) - br.after.at(float(t)) for t in times])
        fast = float(np.hypot(*(br.speed_before - partner.speed_before)))
        blur = np.hypot(np.hypot(br.sigma, partner.sigma) * 2, 0.04 * fast * self.step)
        reach = float(np.hypot(self.slack, blur)) + 1.0
        t, line, miss = _meeting(times, before, after, double)
        if abs(miss) > 3.0 * reach:
            return None
        direction = -line / max(float(np.hypot(*line)), 1e-6)
        push = float(br.change @ direction)
        opposite = float(-partner.change @ direction)
        # both set off at once: the cue struck the other one in the same moment, and its push is not known.
        # A third ball that lies against one of them takes its part of the push at once
        struck = rested(br) and rested(partner)
        shared = struck or self._crowded(br, partner, t, reach)
        if (push <= 0 or opposite <= 0) and not shared:
            return None
        # equal masses: the pushes along the line of centres agree, unless either ball met something else as well
        spread = np.hypot(np.hypot(br.speed_sigma, partner.speed_sigma), 0.3 * max(push, opposite)) + 10
        unequal = 0.0 if shared else min(((push - opposite) / spread) ** 2, 6.0)
        late = ((t - br.t) / self.step) ** 2 + ((t - partner.t) / self.step) ** 2
        misfit = (miss / (1.5 * reach)) ** 2 + unequal + min(late, 4.0)
        sigma = float(np.hypot(br.sigma, partner.sigma) / max(abs(push), 20.0))
        return Cause("contact", path.ball, None, None, t, max(sigma, 0.0005), direction, misfit)

    def _crowded(self, br: Break, partner: Break, t: float, reach: float) -> bool:
        """Whether a third ball touches one of the two just before the break."""
        moment = t - 1.5 * self.step
        for name, path in self.paths.items():
            if name in (br.ball, partner.ball) or not path.pieces:
                continue
            third = path.at(moment)
            for ball in (br, partner):
                still = float(np.hypot(*ball.speed_before)) < STILL
                if still and abs(float(np.hypot(*(ball.before.at(moment) - third))) - 2 * self.table.radius) < 1.5 * reach:
                    return True
        return False


def rested(br: Break) -> bool:
    """Whether the ball lay still before the break."""
    return float(np.hypot(*br.speed_before)) < max(STILL, 2.5 * br.before.speed_sigma_at(br.t))


def _key(cause: Cause) -> tuple:
    return cause.kind, cause.other, cause.cushion, cause.pocket


def _meeting(times: np.ndarray, before: np.ndarray, after: np.ndarray, double: float) -> tuple[float, np.ndarray, float]:
    """When two balls touch: time, line of centres (2,) mm, and by how much (mm) they then miss being two radii apart.

    From the paths before: the first time at two radii, or the closest approach; likewise backwards from the paths after.
    Where both are known the one with the smaller miss counts.
    """
    found = []
    for gaps, line in ((np.hypot(*before.T) - double, before), (np.hypot(*after.T)[::-1] - double, after[::-1])):
        clock = times if line is before else times[::-1]
        crossing = np.flatnonzero((gaps[:-1] > 0) & (gaps[1:] <= 0))
        if len(crossing):
            k = int(crossing[0])
            part = gaps[k] / (gaps[k] - gaps[k + 1])
            found.append((float(clock[k] + part * (clock[k + 1] - clock[k])), line[k] + part * (line[k + 1] - line[k]), 0.0))
        else:
            k = int(np.abs(gaps).argmin())
            found.append((float(clock[k]), line[k], float(gaps[k])))
    if found[0][2] == 0.0:
        return found[0]
    return min(found, key=lambda f: abs(f[2]))
