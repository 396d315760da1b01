"""The events of a stroke's moments, what else each may have been, and how sure that is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from calibration.table import Table
from vision.breaks import STILL, Path
from vision.chain import Fitted, Hit
from vision.chains import Settled
from vision.explain import Explained
from vision.settle import Settler
from vision.shot import Doubt, Event, Way

_DOUBT = 0.02  # probability from which another chain is put to a person
_AT_ONCE = 0.0015  # s between hits within which rigid bodies are no model of balls
_SURE = 0.9  # confidence from which an event stands for itself
_BEFORE_POT = 0.3  # s before its fall
_SIGMA = 1.25  # what the model leaves out of the error bars of times


@dataclass(frozen=True, slots=True)
class Told:
    """`events` (`t` in video seconds) of the moments that could be settled, `left`: breaks that belong to none of them,
    `strike`: the time of the strike, s."""

    events: tuple[Event, ...]
    left: tuple[Explained, ...]
    settled: tuple[Settled, ...]
    strike: float


def told_of(
    table: Table, paths: Mapping[str, Path], explained: Sequence[Explained], strike: tuple[str | None, float],
    falls: Mapping[str, float], step: float, slack: float,
) -> Told:  # fmt: skip
    """The events of all moments; `strike`: ball and time (s); `falls`: when balls fell, s."""
    settler = Settler(table, paths, explained, step, slack)
    events: list[Event] = []
    settled: list[Settled] = []
    handled: set[int] = set()
    begun = strike[1]
    for moment in settler.moments():
        if moment.items and all(_sinks(e, falls) for e in moment.items):
            continue
        found = settler.settle(moment, strike)
        if found is None or not found.fits:
            continue
        best = found.best
        unknown = {h.balls[0] for h in best.hits if h.kind == "kick" and not h.name[0]}
        if unknown and all(h.kind == "kick" for h in best.hits):
            continue
        settled.append(found)
        handled |= {id(e.at) for e in moment.items if e.at.ball not in unknown}
        events += [_event(h, s, _chance(h, found)) for h, s in zip(best.hits, best.sigma, strict=True) if h.kind != "kick"]
        begun = next((h.t for h in best.hits if h.name[0] == "strike"), begun)
    left = []
    for e in explained:
        if id(e.at) in handled:
            continue
        near = any(s.start - 0.5 * step <= e.at.t <= s.end + 0.5 * step and e.at.ball in s.balls for s in settled)
        left.append(replace(e, causes=()) if near else e)
    return Told(tuple(events), tuple(left), tuple(settled), begun)


def _sinks(e: Explained, falls: Mapping[str, float]) -> bool:
    """Whether a break is that of a ball on its way down: what it touches there is not taken apart."""
    return falls.get(e.at.ball, np.inf) - e.at.t < _BEFORE_POT and all(c.kind == "jaw" for c in e.causes)


def _event(hit: Hit, sigma: float, chance: float) -> Event:
    bar = 1000 * max(_SIGMA * sigma, 0.0005)
    if hit.kind == "contact":
        a, b = sorted(hit.balls)
        return Event(hit.t, "contact", balls=(a, b), sigma_ms=bar, confidence=chance)
    cushion, pocket = hit.name
    return Event(hit.t, hit.kind, hit.balls[0], cushion=cushion, pocket=pocket, sigma_ms=bar, confidence=chance)


def _chance(hit: Hit, found: Settled) -> float:
    """The share of the chains that have this hit."""
    have = found.chance + sum(p for p, chain in found.others if any(h.key == hit.key for h in chain.hits))
    return round(min(max(have, 0.01), 0.999), 3)


def chain_doubts(events: Sequence[Event], told: Told, strike: float) -> list[Doubt]:
    """What the moments may have been instead; `strike`: time of the strike, s. Ways are timed from it, as a shot's events are."""
    doubts = []
    for found in told.settled:
        doubts += _at_once(events, found.best)
        ways: list[Way] = []
        index: int | None = None
        for chance, other in found.others:
            if chance < _DOUBT:
                continue
            dropped, added = _difference(found.best, other)
            drop = tuple(k for k, e in enumerate(events) if any(_is(e, h) for h in dropped))
            if len(drop) != len(dropped) or (not drop and not added):
                continue
            add = tuple(replace(_event(h, 0.002, round(chance, 3)), t=max(0.0, h.t - strike)) for h in added)
            ways.append(Way(_label(dropped, added), add, drop))
            index = min((*drop, *(_nearest(events, h.t) for h in added)), default=None) if index is None else index
        if ways:
            doubts.append(Doubt(f"not sure at {found.start:.2f} s: {ways[0].label}", index, tuple(ways)))
    return doubts


def unsure_doubts(events: Sequence[Event], told: Told, but: Collection[int]) -> list[Doubt]:
    """Events outside the settled moments, whose doubts are told with their chains, that may as well not have happened.

    Those at the indexes `but` are left out.
    """
    doubts = []
    for k, e in enumerate(events):
        if k not in but and e.type in ("cushion", "jaw") and (e.confidence or 0) < _SURE and e not in told.events:
            label = f"no {e.type} {e.ball}"
            doubts.append(Doubt(f"not sure at {e.t:.2f} s: {label}", k, (Way(label, drop=(k,)),)))
    return doubts


def _at_once(events: Sequence[Event], best: Fitted) -> Iterator[Doubt]:
    """Hits of one moving ball that come at once: the model would tell their order, but balls are no rigid bodies."""
    for h, (first, second) in enumerate(pairwise(best.hits)):
        shared = set(first.balls) & set(second.balls)
        moved = any(float(np.hypot(*best.before[h, ball])) > STILL for ball in shared)
        if "kick" in (first.kind, second.kind) or not moved or second.t - first.t > _AT_ONCE:
            continue
        index = next((k for k, e in enumerate(events) if _is(e, second)), None)
        late = max(1000 * (second.t - first.t), 1)
        yield Doubt(f"{_name(first)} and {_name(second)} within {late:.0f} ms: their order is not sure", index)


def _difference(best: Fitted, other: Fitted) -> tuple[list[Hit], list[Hit]]:
    """Hits of the best chain that the other one lacks, and the other way round; all that changed places count as both."""
    mine, theirs = [h for h in best.hits if h.kind != "kick"], [h for h in other.hits if h.kind != "kick"]
    if Counter(h.key for h in mine) == Counter(h.key for h in theirs):
        if [h.key for h in mine] == [h.key for h in theirs]:
            return [], []
        return mine, theirs
    dropped, left = [], list(theirs)
    for hit in mine:
        twin = next((h for h in left if h.key == hit.key), None)
        if twin is None:
            dropped.append(hit)
        else:
            left.remove(twin)
    return dropped, left


def _is(event: Event, hit: Hit) -> bool:
    who = frozenset(event.balls) if event.balls else frozenset((event.ball,))
    return event.type == hit.kind and who == frozenset(hit.balls) and abs(event.t - hit.t) < 1e-9


def _nearest(events: Sequence[Event], t: float) -> int:
    return min((k for k, e in enumerate(events) if e.type in ("contact", "cushion", "jaw", "strike")), key=lambda k: abs(events[k].t - t))


def _label(dropped: Sequence[Hit], added: Sequence[Hit]) -> str:
    if dropped and Counter(h.key for h in dropped) == Counter(h.key for h in added):
        return ", ".join(f"{'then' if k else 'first'} {_name(h)}" for k, h in enumerate(added))
    return ", ".join([f"no {_name(h)}" for h in dropped] + [f"also {_name(h)}" for h in added])


def _name(hit: Hit) -> str:
    if hit.kind == "contact":
        a, b = sorted(hit.balls)
        return f"contact {a}-{b}"
    return f"{hit.kind} {hit.balls[0]}"
