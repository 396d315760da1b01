"""Banks of two and three cushions: the object ball is first played alone, as if the cue struck it.

A full hit gives a ball nearly the motion that a cue gives it. So its way into a pocket is looked for without the cue ball, which
leaves one unknown, the heading, and costs a third of the time; then the cue ball is laid behind it on the line, and the heading bisected
once more for what the contact's friction changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import atan2, cos, degrees, pi, radians, remainder, sin

import numpy as np

from calibration.table import Point, Table
from sample_videos import search
from sample_videos.physics import SimulatedShot
from sample_videos.recipes.base import adjoins, inside, speed

_HEADINGS = (*np.linspace(0, 2 * pi, 300, endpoint=False).tolist(), 2 * pi)
_NEAR = (14.0, 24.0)  # degrees from a pocket's axis, corner and middle, beyond which a ball does not fall
_GIVES = 0.95  # share of the cue ball's speed that a full hit passes on, about
_TURN = 0.8  # degrees by which the contact may change the object ball's way


def bank_alone(
    rng: np.random.Generator, t: Table, placing: Mapping[str, Point], n: int, fast: tuple[float, float],
    headings: Sequence[float] = _HEADINGS,
) -> Iterator[SimulatedShot]:  # fmt: skip
    """Strokes in which yellow, hit full by white from behind, runs over `n` cushions into a pocket; `fast` mm/s: yellow's first speed.

    Args:
        placing: yellow's place and those of the balls that must not be met; white's is chosen.
        headings: rad, between which yellow's ways are looked for.
    """
    others = {ball: place for ball, place in placing.items() if ball != "white"}
    yellow, pace = others["yellow"], speed(rng, *fast)
    for alone, pocket in _ways(t, others, pace, n, headings):
        heading = alone.strike.heading
        for gap in rng.uniform(130, 420, 3):
            white = (yellow[0] - (t.ball + gap) * cos(heading), yellow[1] - (t.ball + gap) * sin(heading))
            if not inside(t, white) or not search.clear(t, others, white, yellow, ("yellow",)):
                continue
            placed = {"white": white, **others}
            trial = search.player(t, placed, "white", pace / _GIVES)(heading)
            if trial is None or not trial.contacts():
                continue
            given = float(np.hypot(*trial.paths["yellow"].velocity(trial.contacts()[0][0] + 1e-4)))
            play = search.player(t, placed, "white", pace / _GIVES * pace / max(given, 1.0))
            miss = search.leg_after("cushion", "yellow", n, target=_mouth(t, pocket)[0])
            # the cue ball's heading counts double and more: it also moves where the balls meet
            wide = radians(_TURN) * t.ball / (t.ball + gap)
            yield from search.solutions(play, miss, heading - wide, heading + wide, 11, largest=600.0)
            break


def _ways(
    t: Table, others: Mapping[str, Point], pace: float, n: int, headings: Sequence[float]
) -> Iterator[tuple[SimulatedShot, str]]:  # fmt: skip
    """Strokes of yellow alone that end in a pocket after `n` cushions and nothing else, and the pocket."""
    play = search.player(t, others, "yellow", pace)
    last: SimulatedShot | None = None
    for heading in headings:
        shot = play(heading)
        if shot and last and _order(shot, n) and _order(shot, n) == _order(last, n):
            for pocket in t.pockets:
                if not adjoins(pocket.name, _order(shot, n)[-1]) and _faces(t, shot, pocket.name, n):
                    found = _between(play, last.strike.heading, heading, n, _mouth(t, pocket.name)[0])
                    if found and found.pot("yellow") == pocket.name and len(found.of("cushion", "yellow")) == n and not found.contacts():
                        yield found, pocket.name
        last = shot


def _between(play: search.Play, low: float, high: float, n: int, target: Point) -> SimulatedShot | None:
    miss = search.leg_after("cushion", "yellow", n, target=target)
    return next(search.solutions(play, miss, low, high, 2, largest=1500.0), None)


def _order(shot: SimulatedShot, n: int) -> tuple[str, ...]:
    """The first `n` cushions of a way on which yellow meets no other ball and no jaw before the last of them; else empty."""
    made = shot.of("cushion", "yellow")[:n]
    if len(made) < n or any(e["t"] < made[-1]["t"] for kind in ("contact", "jaw") for e in shot.of(kind, "yellow")):
        return ()
    return tuple(e["cushion"] for e in made)


def _faces(t: Table, shot: SimulatedShot, pocket: str, n: int) -> bool:
    """Whether the leg after the n-th cushion ends near the direction of the pocket's axis."""
    start = shot.of("cushion", "yellow")[n - 1]["t"]
    ends = [e["t"] for kind in ("contact", "cushion", "jaw", "pocket", "stop") for e in shot.of(kind, "yellow") if e["t"] > start + 1e-6]
    v = shot.paths["yellow"].velocity(max(min(ends, default=start) - 0.02, start + 1e-3))
    return abs(degrees(remainder(atan2(v[1], v[0]) - _mouth(t, pocket)[1], 2 * pi))) < _NEAR[0 if t.pocket(pocket).corner else 1]


def _mouth(t: Table, pocket: str) -> tuple[Point, float]:
    """A point a little behind the jaws' tips, where a ball must pass, and the direction (rad) in which the pocket opens inwards."""
    mouth = t.pocket(pocket)
    tips = np.mean([jaw.tip for jaw in mouth.jaws], axis=0)
    x, y = (tips + 0.25 * (np.asarray(mouth.centre) - tips)).tolist()
    return (x, y), search.heading_to((float(tips[0]), float(tips[1])), mouth.centre)
