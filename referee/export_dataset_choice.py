"""Which frames of an analysis are worth a person's time: where the tracker was at a loss, and what came of a closer look."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.labels import Mark
from referee.formats.folder import Place

Timed = tuple[int, float, tuple[Place, ...]]  # frame, time stamp (s), balls with a place

_GAP = 0.2  # s without a ball from which its return is news
_THIN = 0.5  # s between two candidates for the same reason
_UNSURE = 0.1  # of a ball's diameter: error of its place
_SAME_PLACE = 0.5  # of a diameter
_SAME_GREY, _CHANGED = 12.0, 0.01  # levels; share of a small picture that a hand over the table changes

# What a reason is worth. A hidden ball alone is none: something may lie over it, which only the picture tells.
WORTH = {
    "uncovered": 5, "unseen by the network": 5, "other colour": 5, "not followed": 5,
    "found again": 3, "unsure place": 3, "unsure network": 3, "stroke in review": 3, "first look": 2,
}  # fmt: skip


@dataclass(frozen=True)
class Candidate:
    """A frame to look at closer: its number, time stamp (s), the balls that have a place in it, and why."""

    frame: int
    t: float
    places: tuple[Place, ...]
    reasons: frozenset[str]


@dataclass(frozen=True)
class Looked:
    """A candidate after the look: labels, reasons in the words of `WORTH`, and the picture in small, (h, w) grey."""

    frame: int
    t: float
    marks: tuple[Mark, ...]
    reasons: frozenset[str]
    small: NDArray[np.float32] = field(repr=False, compare=False)

    @property
    def worth(self) -> int:
        return sum(WORTH.get(reason, 0) for reason in self.reasons)


def candidates(
    frames: Iterable[tuple[int, float, list[Place]]], shots: Sequence[Mapping[str, Any]], ball_mm: float, most: int, every: float
) -> list[Candidate]:
    """Frames to look at, in order.

    Args:
        frames: number, time stamp (s) and the balls with a place, of every frame in order.
        shots: of match.json.
        most: frames of each reason; more are thinned out evenly.
        every: s between the frames that are looked at for no reason but to hear the network.
    """
    asked = _asked(shots)
    by_reason: dict[str, list[Timed]] = {}
    told: dict[tuple[str, str], float] = {}
    seen: dict[str, float] = {}
    checked = -np.inf
    for frame, t, places in frames:
        news = _news(places, t, seen, ball_mm)
        if frame in asked:
            news.append(("stroke in review", str(frame)))
        if t - checked >= every:
            checked = t
            news.append(("checked", ""))
        for reason, ball in news:
            if reason == "checked" or t - told.get((reason, ball), -np.inf) >= _THIN:
                told[reason, ball] = t
                by_reason.setdefault(reason, []).append((frame, t, tuple(places)))
    found: dict[int, Candidate] = {}
    for reason, items in by_reason.items():
        for frame, t, places in _even(items, most):
            known = found[frame].reasons if frame in found else frozenset()
            found[frame] = Candidate(frame, t, places, known | {reason})
    return [found[frame] for frame in sorted(found)]


def _news(places: Sequence[Place], t: float, seen: dict[str, float], ball_mm: float) -> list[tuple[str, str]]:
    """Reasons of this frame, each with its ball; `seen`: when each ball was seen last, kept up to date."""
    news = []
    for place in places:
        if place.state == "hidden":
            news.append(("hidden", place.ball))
            continue
        last = seen.get(place.ball)
        if last is None:
            news.append(("first look", place.ball))
        elif t - last >= _GAP:
            news.append(("found again", place.ball))
        if place.sigma > _UNSURE * ball_mm:
            news.append(("unsure place", place.ball))
        seen[place.ball] = t
    return news


def _asked(shots: Sequence[Mapping[str, Any]]) -> set[int]:
    """Frames of what is in review: of the events that a doubt names, else of the strike."""
    frames: set[int] = set()
    for shot in shots:
        events = shot["events"]
        for doubt in shot["review"]:
            n = doubt.get("event")
            at = events[n].get("frame") if isinstance(n, int) and n < len(events) else None
            frames |= {f for f in (at if at is not None else shot.get("start_frame"),) if f is not None}
    return frames


def _even(items: list[Timed], most: int) -> list[Timed]:
    if len(items) <= most:
        return items
    return [items[round(k)] for k in np.linspace(0, len(items) - 1, most)]


def chosen(looked: Sequence[Looked], most: int) -> list[Looked]:
    """At most `most` frames, in order: the worthiest of each stretch of time first, then the worthiest left, no two alike."""
    worthy = sorted((item for item in looked if item.worth), key=lambda item: (-item.worth, item.t))
    if not worthy:
        return []
    start, end = min(item.t for item in worthy), max(item.t for item in worthy)
    width = max(end - start, 1e-9) / most
    taken: list[Looked] = []
    filled: set[int] = set()
    for spread in (True, False):
        for item in worthy:
            stretch = min(int((item.t - start) / width), most - 1)
            if len(taken) >= most or (spread and stretch in filled) or any(alike(item, other) for other in taken):
                continue
            taken.append(item)
            filled.add(stretch)
    return sorted(taken, key=lambda item: item.frame)


def alike(a: Looked, b: Looked) -> bool:
    """Whether two frames would teach the same: balls in the same places in the same picture."""
    if len(a.marks) != len(b.marks) or float((np.abs(a.small - b.small) > _SAME_GREY).mean()) > _CHANGED:
        return False
    return all(any(m.colour == n.colour and np.hypot(m.x - n.x, m.y - n.y) < _SAME_PLACE * m.width for n in b.marks) for m in a.marks)
