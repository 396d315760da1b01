"""Balls that set off together with the struck one: pushed or hit from a few millimetres, with no picture between strike and contact."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from vision.breaks import Break, Path
from vision.explain import Explained, rested
from vision.shot import Event

_BESIDE = 8.0  # mm between two balls, besides their error bars: from there on a picture shows the way between
_AHEAD = 0.5  # cosine: within 60 degrees of the line of centres a ball leaves that was hit along it (rolling, throw, a push that follows)
_SETS_OFF = 100.0  # mm/s: faster than what noise makes of a ball at rest
_SLOW = 0.1  # of its speed afterwards: what the first millimetres of a start within an exposure look like
_SURE = 0.8


def driven(
    left: Sequence[Explained],
    paths: Mapping[str, Path],
    events: Sequence[Event],
    cue: str | None,
    strike: float,
    *,
    ball: float,
    step: float,
) -> tuple[list[Event], list[tuple[str, float]]]:
    """Contacts of the struck ball with balls beside it that nothing else explains, and balls that set off for no reason seen, and when.

    Args:
        left: the breaks that no contact or cushion explains.
        ball: diameter of a ball, mm.
        step: usual time between pictures, s.
    """
    contacts: list[Event] = []
    unmet: list[tuple[str, float]] = []
    if cue is None or cue not in paths:
        return contacts, unmet
    for e in left:
        br = e.at
        speed = float(np.hypot(*br.speed_after))
        if br.ball == cue or _rolled(br) or speed < _SETS_OFF or br.t > strike + 2.5 * step:
            continue
        if any(v.type == "contact" and v.involves(br.ball) and v.t <= br.t + step for v in events):
            continue
        there, here = br.before.at(br.before.end), paths[cue].at(min(br.low, strike))
        line = there - here
        apart = float(np.hypot(*line))
        ahead = float(line @ br.speed_after) / max(apart * speed, 1e-6)
        if apart - ball < _BESIDE + 3 * br.sigma and ahead > _AHEAD:
            pair = (cue, br.ball) if cue < br.ball else (br.ball, cue)
            contacts.append(Event(max(strike, br.t), "contact", balls=pair, sigma_ms=1000 * step / 2, confidence=_SURE))
        else:
            unmet.append((br.ball, br.t))
    return contacts, unmet


def _rolled(br: Break) -> bool:
    """Whether a ball had been on its way before the break."""
    return not rested(br) and float(np.hypot(*br.speed_before)) > _SLOW * float(np.hypot(*br.speed_after))
