"""Pictures that skip the strike: a cut, or a recording that was stopped. In one picture the balls lie still, in the next they roll, far on.

What a picture does not show is not told from the others: which ball was struck and what it met meanwhile, nobody saw.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

import numpy as np

from vision.record import Sighting
from vision.shot import Doubt

_GAP = 0.15  # s, and as many steps below, between two pictures in which a strike may lie that nobody saw
_STEPS = 3.5
_LEAP = 60.0  # mm: the least that a ball leaps in a cut
_UNSEEN = 0.5  # s: of longer times unseen nothing is told
_FASTER = 2.0  # times faster than anything that rolls afterwards: of a hit within the step some ball keeps seven tenths at least
_AFTER = 0.15  # s in which that is measured
_HAND = 0.2  # share of foreign pixels round a ball that a hand may have put there


def unseen_strike(sightings: Mapping[str, Sequence[Sighting]], times: Sequence[float], strike: float, step: float) -> list[Doubt]:
    """What it means that no picture shows the strike at about `strike` s.

    `times` (s, rising): of all pictures, from before the strike on. `step`: the usual time between them.
    """
    for a, b in pairwise(times):
        if b - a > max(_GAP, _STEPS * step) and a - 1.5 * step <= strike <= b + 1.5 * step:
            return [Doubt(f"the strike was not seen: there is no picture for {b - a:.2f} s at {a:.2f} s")]
    leapt = [(t, ball) for ball, seen in sightings.items() if (t := _leap(seen, sightings, strike, step)) is not None]
    if not leapt:
        return []
    first = min(t for t, _ in leapt)
    balls = ", ".join(sorted(ball for t, ball in leapt if t < first + 1.5 * step))
    return [Doubt(f"the strike was not seen: the pictures skip at {first:.2f} s ({balls})")]


def _leap(seen: Sequence[Sighting], all_seen: Mapping[str, Sequence[Sighting]], strike: float, step: float) -> float | None:
    """When a ball at rest was last seen before it was, in no time, further away than it can have rolled, s."""
    fresh = [s for s in seen if s.fresh and s.t < strike + _UNSEEN + step]
    for a, b in pairwise(fresh):
        away = float(np.hypot(b.x - a.x, b.y - a.y))
        if a.state != "rest" or away < _LEAP + 4 * b.sigma or b.t - a.t > _UNSEEN or b.foreign > _HAND:
            continue
        if away / (b.t - a.t) > _FASTER * _fastest(all_seen, b.t, step):
            return a.t
    return None


def _fastest(sightings: Mapping[str, Sequence[Sighting]], t: float, step: float) -> float:
    """The greatest speed (mm/s) of any ball in the moments after `t` s."""
    speeds = [0.0]
    for seen in sightings.values():
        fresh = [s for s in seen if s.fresh and t - 1e-6 <= s.t <= t + _AFTER]
        speeds += [float(np.hypot(b.x - a.x, b.y - a.y)) / (b.t - a.t) for a, b in pairwise(fresh) if b.t - a.t < 2.5 * step]
    return max(speeds)


def vanished(seen: Sequence[Sighting]) -> float | None:
    """When a ball that is missing, and was not taken by a hand, was last seen, s; None if it rolled or something was beside it."""
    fresh = [s for s in seen if s.fresh]
    before = fresh[-3:]
    if len(before) < 3 or any(s.state != "rest" or s.foreign > _HAND / 4 for s in before):
        return None
    after = [s for s in seen if s.t > before[-1].t]
    return before[-1].t if after and all(s.state == "hidden" and s.foreign <= _HAND / 2 for s in after) else None


def gone(lost: Iterable[tuple[str, float]]) -> list[Doubt]:
    """What is said of balls that lay still and were gone in the next picture; `lost`: which, and when they lay, s."""
    by_time: dict[float, list[str]] = {}
    for ball, t in sorted(lost):
        by_time.setdefault(t, []).append(ball)
    return [
        Doubt(f"{', '.join(balls)} lay still at {t:.2f} s and {'is' if len(balls) == 1 else 'are'} gone in the next picture")
        for t, balls in sorted(by_time.items())
    ]
