"""Balls that fell though nothing that was told had met them: what sent them down was not seen."""

from __future__ import annotations

import numpy as np

from vision.additions import Addition
from vision.breaks import Path
from vision.events import Found, in_jaws
from vision.evidence import Evidence
from vision.shot import Doubt, Event, Way

_BEFORE = 0.3  # s before its fall within which a ball was met that lay at the edge
_NEAR = 6.0  # mm besides the calibration's error: nearer than this, two balls may have touched


def unmet_falls(found: Found, seen: Evidence) -> Addition:
    """What is doubtful about balls that fell and that no told contact, and no strike, had set in motion.

    A ball in the jaws may fall by itself: it is doubted only if another came near it then.
    """
    doubts: list[tuple[Doubt, Event | None]] = []
    for fall in found.events:
        ball = fall.ball
        if fall.type != "pocket" or ball is None or ball == found.cue_ball or ball not in seen.paths:
            continue
        if any(e.type == "contact" and e.involves(ball) and e.t <= fall.t + seen.step for e in found.events):
            continue
        path = seen.paths[ball]
        near = [(t, other) for other, its in seen.paths.items() if other != ball and (t := _met(its, path, fall.t, seen)) is not None]
        hung = in_jaws(seen.table, path.seen.xy[0]) == fall.pocket
        if hung and not near:
            continue
        ways = tuple(
            Way(f"also contact {a}-{b}", (Event(t, "contact", balls=(a, b), sigma_ms=1000 * seen.step, confidence=0.5),))
            for t, other in sorted(near)
            for a, b in (sorted((ball, other)),)
        )
        doubts.append((Doubt(f"{ball} fell into {fall.pocket}, and what had met it was not seen", ways=ways), fall))
    return Addition(doubts=tuple(doubts))


def _met(its: Path, fallen: Path, fall: float, seen: Evidence) -> float | None:
    """When a ball came so near to where the `fallen` one was just before its `fall` (s) that it may have met it; None if never."""
    t, xy = its.seen.t, its.seen.xy
    part = (t > fall - _BEFORE) & (t < fall + 2.5 * seen.step)
    if part.sum() < 2 or float(np.hypot(*np.ptp(xy[part], axis=0))) < 2 * _NEAR:
        return None
    times = np.linspace(t[part][0], min(float(t[part][-1]), fall + seen.step), 60)
    places = np.column_stack([np.interp(times, t, xy[:, k]) for k in (0, 1)])
    there = np.column_stack([np.interp(times, fallen.seen.t, fallen.seen.xy[:, k]) for k in (0, 1)])
    apart = np.hypot(*(places - there).T)
    k = int(apart.argmin())
    return float(min(times[k], fall)) if apart[k] < seen.table.ball + _NEAR + seen.slack else None
