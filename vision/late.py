"""Balls that stop in the jaws and fall later, or are knocked in: what counts is whether three seconds had passed.

The fall is the moment at which the ball leaves its place; the stop is where its slowing down comes to an end. Both have
error bars, and a difference within them of three seconds is for a person (rule 3, D18, D39).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from calibration.table import Table
from vision.additions import Addition, pointed
from vision.events import Fall, Found, in_jaws
from vision.record import Sighting
from vision.shot import Doubt, Event, Shot, Stroke, Way

LIMIT = 3.0  # s (rule 3)
# s after a ball was last seen to move: rest is known 0.4 s after the stop, and half a second is more than any error of its time
HOLD = LIMIT + 0.2
_PLACE = 2.5  # mm within which a ball lies where it lay
_VAGUE = 5.0  # mm: a place with such an error bar shows no rest
_SETTLED = 0.25  # s that make a rest
_NEAR = 25.0  # mm from its surface within which another ball may have knocked it in
_TIP = 0.04  # s: a ball that tips over an edge hardly moves at first (simulated: 0.02 to 0.06 until it is seen to)
_SLOWING = (40.0, 4000.0)  # mm/s²: rolling on the slowest cloth, stopping at a jaw
_HAND = 0.12  # share of foreign pixels round a ball from which a hand may have been at it
_OPEN = 2.5  # sigmas within which the order of a time and the limit is open


def fall_from_rest(table: Table, ball: str, pocket: str, sightings: Mapping[str, Sequence[Sighting]], step: float) -> Fall | None:
    """The fall of a ball that lay in the jaws: when it left its place. None if it rolled in or was knocked in."""
    fresh = [s for s in sightings[ball] if s.fresh and s.sigma < _VAGUE]
    if len(fresh) < 4:
        return None
    xy, t = np.array([(s.x, s.y) for s in fresh]), np.array([s.t for s in fresh])
    for k in range(len(fresh) - 1, 2, -1):
        settled = (t <= t[k]) & (t > t[k] - _SETTLED)
        place = np.median(xy[settled], axis=0)
        if settled.sum() < 3 or np.hypot(*(xy[settled] - place).T).max() > _PLACE + 3 * fresh[k].sigma:
            continue
        if in_jaws(table, place) != pocket or t[-1] - t[k] > 0.6:
            return None
        others = [s for name, seen in sightings.items() if name != ball for s in seen if s.fresh and abs(s.t - t[k]) < 2.5 * step]
        if any(np.hypot(s.x - place[0], s.y - place[1]) < table.ball + _NEAR for s in others):
            return None
        # seen for the last time where it lay; what was seen of it later is on its way down
        later = t[k + 1] if k + 1 < len(t) else t[k] + step
        return Fall(ball, pocket, float((t[k] + later) / 2 - _TIP), float(np.hypot(step / 3 + (later - t[k] - step) / 3, _TIP / 2)))
    return None


@dataclass(frozen=True, slots=True)
class Stop:
    """When a ball came to rest, s, and the error bar, s."""

    t: float
    sigma: float


def stop_time(sightings: Sequence[Sighting], near: float, step: float) -> Stop | None:
    """When a ball that rests from about `near` s on stopped.

    Its way to that place is half its slowing times the square of the time left.
    """
    fresh = [s for s in sightings if s.fresh]
    t, xy = np.array([s.t for s in fresh]), np.array([(s.x, s.y) for s in fresh])
    lying = (t >= near) & (t < near + 0.3)
    if lying.sum() < 3:
        return None
    rest = np.median(xy[lying], axis=0)
    away = np.hypot(*(xy - rest).T)
    # the last unbroken approach: before a jaw or a cushion it was going elsewhere
    moving = np.flatnonzero((away > _PLACE + 0.5) & (t < near + 0.1))
    if not len(moving):
        return None
    kept = (t > t[moving[-1]] - 0.8) & (t < t[moving[-1]] + 0.8) & ((t <= t[moving[-1]]) | (away <= _PLACE + 0.5))
    t, xy, away = t[kept], xy[kept], away[kept]
    moving = np.flatnonzero(away > _PLACE + 0.5)
    after = xy[moving[-1] + 1 :]
    if len(after) < 3:
        return None
    rest = np.median(after[len(after) // 2 :], axis=0)
    direction = (xy[moving[-1]] - rest) / away[moving[-1]]
    first = int(moving[-1])
    while first > 0 and (xy[first - 1] - rest) @ direction > away[first] * 0.98 and t[first] > near - 0.6:
        first -= 1
    part = slice(first, len(t))
    way = (xy[part] - rest) @ direction
    # from neighbours: the last millimetres of a ball that rolls take a fifth of a second
    noise = max(0.2, float(np.median(np.abs(np.diff(way)))) / 0.954)
    clock = np.arange(t[first] + step, t[-1], step / 4)
    price = np.array([_approach(t[part], way, float(s)) for s in clock]) / noise**2
    k = int(price.argmin())
    weight = np.exp(-(price - price[k]) / 2)
    mean = float(weight @ clock / weight.sum())
    return Stop(mean, max(step / 3, float(np.sqrt(weight @ (clock - mean) ** 2 / weight.sum()))))


def _approach(t: np.ndarray, way: np.ndarray, stop: float) -> float:
    """Squared misfit (mm²) of a ball that slows down evenly and stops at `stop` s, at a place near 0."""
    left = np.maximum(stop - t, 0.0) ** 2 / 2
    power = float(((left - left.mean()) ** 2).sum())
    slowing = float(np.clip((left - left.mean()) @ way / power, *_SLOWING)) if power > 0 else 0.0
    rest = way - slowing * left
    return float(((rest - rest.mean()) ** 2).sum())


def with_stops_in_jaws(found: Found, sightings: Mapping[str, Sequence[Sighting]], step: float) -> Found:
    """What was found, with the times of stops in the jaws measured for what hangs on them."""
    events = []
    for e in found.events:
        stop = stop_time(sightings.get(e.ball or "", ()), e.t, step) if e.type == "stop" and e.jaws else None
        if stop is not None:
            e = replace(e, t=max(stop.t, found.strike_t), sigma_ms=1000 * stop.sigma)
        events.append(e)
    order = sorted(range(len(events)), key=lambda k: events[k].t)
    place = {old: new for new, old in enumerate(order)}
    return replace(found, events=tuple(events[k] for k in order), doubts=tuple(pointed(d, place) for d in found.doubts))


def fell_by_itself(
    table: Table, pots: Mapping[str, str], sightings: Mapping[str, Sequence[Sighting]], step: float
) -> tuple[Fall, bool] | None:
    """The fall, after all had come to rest, of a ball that lay in the jaws, and whether a hand or a cue was near it then.

    `pots`: {ball: pocket} of all falls in a stretch of motion; None if that was something else.
    """
    if len(pots) != 1:
        return None
    [(ball, pocket)] = pots.items()
    fall = fall_from_rest(table, ball, pocket, sightings, step)
    if fall is None or any(s.state == "moving" and s.fresh for name, seen in sightings.items() if name != ball for s in seen):
        return None
    beside = [s.foreign for s in sightings[ball] if fall.t - 0.3 < s.t < fall.t + 0.1]
    return fall, max(beside, default=0.0) > _HAND


def with_late_fall(stroke: Stroke, fall: Fall, frame: int, *, touched: bool) -> Stroke:
    """The stroke, which was over, with the fall that came later."""
    event = Event(
        round(fall.t - stroke.start_t, 5), "pocket", fall.ball, pocket=fall.pocket, frame=frame, video_t=round(fall.t, 5),
        sigma_ms=round(1000 * fall.sigma, 2), confidence=0.95,
    )  # fmt: skip
    events = (*stroke.shot.events, event)
    doubts = []
    if touched:
        way = Way(f"{fall.ball} did not fall: it was taken away", drop=(len(events) - 1,))
        doubts.append(Doubt(f"something was beside {fall.ball} when it fell at {fall.t:.2f} s", len(events) - 1, (way,)))
    if not any(e.type == "stop" and e.ball == fall.ball for e in stroke.shot.events):
        doubts.append(
            Doubt(f"{fall.ball} fell at {fall.t:.2f} s from the jaws in which it had lain since before the stroke", len(events) - 1)
        )
    shot = Shot(events, {**stroke.shot.positions, fall.ball: None})
    return replace(stroke, end_t=fall.t, end_frame=frame, shot=shot, review=(*stroke.review, *doubts))


def limit_doubts(found: Found) -> Addition:
    """Falls and knocks so near to three seconds after the stop that the error bars leave open which came first."""
    doubts: list[tuple[Doubt, Event | None]] = []
    for k, stop in enumerate(found.events):
        if stop.type != "stop" or not stop.jaws:
            continue
        later = [e for e in found.events[k + 1 :] if e.involves(stop.ball or "") and e.type in ("contact", "pocket")]
        if not later or not any(e.type == "pocket" for e in later):
            continue
        end = later[0]
        bar = float(np.hypot(stop.sigma_ms or 0.0, end.sigma_ms or 0.0)) / 1000
        over = end.t - stop.t - LIMIT
        if abs(over) > _OPEN * bar:
            continue
        # the stop moved to the other side of the limit
        moved = replace(stop, t=end.t - LIMIT - 0.001 if over <= 0 else end.t - LIMIT + 0.001)
        what = "fell" if end.type == "pocket" else "was knocked in"
        label = f"{stop.ball} {what} {'after more than' if over <= 0 else 'within'} 3 s"
        reason = f"{stop.ball} {what} {end.t - stop.t:.2f} s after it had stopped in the jaws, give or take {max(bar, 0.01):.2f} s"
        doubts.append((Doubt(reason, ways=(Way(label, (moved,), (k,)),)), end))
    return Addition(doubts=tuple(doubts))
