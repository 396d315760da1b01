"""How likely a ruling is the right one.

What a ruling rests on: the events without which it would be another one, each with its own confidence, and the doubts that are
left to a person. The likelihood of an error grows with each; how much was measured on simulated strokes
(`tests/bench/reliability.py` fits it and draws how well it holds, docs/FIGURES.md).
"""

from __future__ import annotations

from dataclasses import replace
from math import exp, log

from calibration.table import Table
from referee.alternatives import deciding_events
from referee.match import Judge, Match, Ruled

# -log of the probability that a ruling is right: of every stroke, for each -log of an event's confidence, for each doubt that
# names what may have been instead, and for each that does not (378 strokes, few of them doubtful: to be fitted again with more)
ALWAYS, EVENTS, NAMED, OPEN = 0.013, 0.02, 1.0, 0.2
_LEAST = 0.05  # an event's own confidence is not believed to be less


def with_confidence(match: Match, judge: Judge, table: Table) -> Match:
    """The match with the probability that each ruling is right; `judge` rules a shot in a state with a call, as the match does."""
    return replace(match, strokes=tuple(replace(ruled, confidence=_of(ruled, judge, table)) for ruled in match.strokes))


def _of(ruled: Ruled, judge: Judge, table: Table) -> float | None:
    if ruled.ruling is None:
        return None
    if ruled.confirmed:
        return 1.0
    doubtful, named, open_ = weights(ruled, judge, table)
    return round(exp(-(ALWAYS + EVENTS * doubtful + NAMED * named + OPEN * open_)), 4)


def weights(ruled: Ruled, judge: Judge, table: Table) -> tuple[float, int, int]:
    """What speaks against a ruling: -log of the confidence of the events it rests on, doubts with ways, doubts without."""
    doubtful = -sum(log(max(e.confidence, _LEAST)) for e in deciding_events(ruled, judge, table) if e.confidence is not None)
    named = sum(bool(ways) for ways in ruled.ways)
    return doubtful, named, len(ruled.review) - named
