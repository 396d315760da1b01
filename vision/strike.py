"""The strike itself: was it one, was it a push, which of two balls that touch was struck, was a second one made meanwhile?

A fair strike lasts a millisecond or two. What a camera sees of an unfair one is what physics forbids: after two equal balls
have met, the first keeps (1 - e) / (1 + e) of the other's speed along the line of centres, and friction cannot give it more
than its slip allows; a ball in the middle of the cloth gains no speed by itself. Both are put to a person, never told as fact.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from vision.additions import Addition
from vision.breaks import Break, Path, breaks_of
from vision.events import Found, unexplained
from vision.evidence import Evidence
from vision.shot import Doubt, Event, Way

_KEPT = 0.05  # of the object ball's speed along the line of centres: restitution 0.92 leaves 0.042, 0.95 0.026
_GRIP = 2200.0  # mm/s²: what sliding friction can give a ball that spins (0.19 g on worsted cloth, 0.22 on a slow one)
_WINDOW = 0.10  # s after a contact in which the cue ball's speed is measured
_LATER = (0.0, 0.05)  # s after the contact at which such a window begins
_REACH = 0.20  # s between strike and contact: later the cue has been left behind (a follow-through is some 20 cm long)
_LEAST = 250.0  # mm/s of the object ball: of slower ones the ratio says little
_TELLING = 4.0  # standard deviations beyond what physics allows
_FROZEN = 4.0  # mm between two balls that count as touching, and the calibration's error besides
_GAIN = 200.0  # mm/s that a ball gains at once without being struck or hit: none does
_SHARE = 0.15  # of a ball's speed that the division of a path into pieces can misplace
_ROLLS = 60.0  # mm/s
_SETTLES = 0.15  # s after a strike in which a path bends once more: the ball slides, then rolls
_PASSING = 15.0  # mm from its surface within which a rolling ball may have grazed another
_MOVES = 2.5  # standard deviations of its speed by which a ball moves
_CLEARLY = 6.0  # squared sigmas between two explanations: 20 to 1
_SLIPS = 0.09  # friction between two balls: the tangent of the angle by which it throws the second one at most (measured: 0.03-0.08)
_THROW = 0.12  # tangent of the angle by which friction between balls turns the second one's way from the line of centres


def strike_doubts(found: Found, seen: Evidence) -> Addition:
    """What makes the strike of a stroke doubtful."""
    if found.cue_ball is None or found.cue_ball not in seen.paths:
        return Addition()
    pushed = _pushed_through(found, seen)
    again = _struck_again(found, seen, bool(pushed))
    bent = [] if again else _bent_again(found, seen)
    told = again if pushed else [*again, *bent]
    doubts = (*pushed, *_which_ball(found, seen), *((d, None) for d, _ in told if d is not None))
    settling = ((br.ball, b.t) for _, br in again for b in breaks_of(seen.paths[br.ball], seen.step) if abs(b.t - br.t) < _SETTLES)
    return Addition(doubts=doubts, explains=(*settling, *((br.ball, br.t) for _, br in bent)))


# double hits and pushes ---------------------------------------------------------------------------------------


def _pushed_through(found: Found, seen: Evidence) -> list[tuple[Doubt, Event | None]]:
    """The cue ball's first contact, if it kept more speed there than a ball that was let go can."""
    cue = found.cue_ball
    assert cue is not None
    first = next((e for e in found.events if e.type in ("contact", "cushion", "jaw", "jump") and e.involves(cue)), None)
    if first is None or first.t - found.strike_t > _REACH:
        first = _joined(seen, cue, found.strike_t)
    if first is None or first.balls is None:
        return []
    other = next(b for b in first.balls if b != cue)
    if other not in seen.paths:
        return []
    end = _free_until(found, seen, first, (cue, other))
    before = _rest_place(seen, other, found.strike_t)
    if _leaning(seen, other, first.t, (cue, other)) or before is None:
        return []
    # the cue may come after the contact: what it gives shows from then on
    kept = [_kept(seen, (cue, other), first.t, (first.t + late, min(end, first.t + late + _WINDOW))) for late in _LATER]
    share = max((k for k in kept if k is not None), default=None)
    if share is None:
        return []
    gap = float(np.hypot(*(before - _at_start(seen, cue, found.strike_t)))) - seen.table.ball
    kind = "push" if gap < _FROZEN + seen.slack else "double_hit"
    reason = f"{cue} ran on with {share:.0f} % of {other}'s speed after the contact: {'a push' if kind == 'push' else 'a double hit'}?"
    event = Event(first.t, kind, cue, sigma_ms=1000 * seen.step, confidence=0.5)
    return [
        (
            Doubt(reason, ways=(Way(f"{'a push' if kind == 'push' else 'a double hit'} of {cue}", (event,)),)),
            first if first in found.events else None,
        )
    ]


def _free_until(found: Found, seen: Evidence, first: Event, pair: tuple[str, str]) -> float:
    """When one of two balls that met in `first` next meets something else, s."""
    end = first.t + _WINDOW + max(_LATER)
    for e in found.events:
        near = e is not first and e.type in ("contact", "cushion", "jaw", "pocket") and any(e.involves(ball) for ball in pair)
        if near and first.t - 2 * seen.step < e.t < end:
            end = e.t - 0.5 * seen.step
    return end


def _kept(seen: Evidence, pair: tuple[str, str], met: float, window: tuple[float, float]) -> float | None:
    """The share (%) of the second ball's speed that the first has in a `window` (s) after they `met`, if physics forbids it."""
    mine, theirs = (_speed(seen.paths[ball], *window) for ball in pair)
    if mine is None or theirs is None:
        return None
    line = theirs[0] / max(float(np.hypot(*theirs[0])), 1e-6)  # it leaves along the line of centres
    driven, kept = float(np.hypot(*theirs[0])), float(mine[0] @ line)
    lasted = max(sum(window) / 2 - met, seen.step)
    # friction between the balls throws the second one: of what the cue ball does across its way, a part seems to go along it
    thrown = _SLIPS * abs(float(line[0] * mine[0][1] - line[1] * mine[0][0]))
    allowed = _KEPT * driven + _GRIP * lasted + thrown
    bar = float(np.hypot(mine[1], _KEPT * theirs[1]))
    return 100 * kept / driven if driven >= _LEAST and kept - allowed >= _TELLING * bar else None


def _joined(seen: Evidence, cue: str, t: float) -> Event | None:
    """The contact, though none was told, with a ball that lay against the cue ball and set off with it."""
    for other in seen.paths:
        place = _rest_place(seen, other, t)
        near = place is not None and float(np.hypot(*(place - _at_start(seen, cue, t)))) < seen.table.ball + _FROZEN + seen.slack
        moves = _speed(seen.paths[other], t + seen.step, t + _WINDOW) if near and other != cue else None
        if moves is not None and float(np.hypot(*moves[0])) > _LEAST:
            return Event(t, "contact", balls=(min(cue, other), max(cue, other)))
    return None


def _leaning(seen: Evidence, ball: str, t: float, apart_from: tuple[str, str]) -> bool:
    """Whether a third ball lies against this one: it takes its share of the push."""
    place = seen.paths[ball].at(t)
    return any(
        float(np.hypot(*(path.at(t) - place))) < seen.table.ball + _FROZEN + seen.slack
        for name, path in seen.paths.items()
        if name not in apart_from
    )


def _rest_place(seen: Evidence, ball: str, t: float) -> np.ndarray | None:
    measured = seen.paths[ball].seen
    early = measured.xy[measured.t < t - 0.5 * seen.step]
    return np.median(early, axis=0) if len(early) else None


def _at_start(seen: Evidence, ball: str, strike: float) -> np.ndarray:
    place = _rest_place(seen, ball, strike)
    return seen.paths[ball].seen.xy[0] if place is None else place


def _speed(path: Path, start: float, end: float) -> tuple[np.ndarray, float] | None:
    """Mean velocity (2,) mm/s between two times, and its error bar; None where fewer than three places were seen."""
    part = (path.seen.t > start + 1e-4) & (path.seen.t < end)
    if part.sum() < 3:
        return None
    t, w = path.seen.t[part], 1 / path.seen.sigma[part] ** 2
    centred = t - (w @ t) / w.sum()
    power = float(w @ centred**2)
    xy = path.seen.xy[part]
    return ((w * centred) @ xy) / power, float(1 / np.sqrt(power))


# which ball ---------------------------------------------------------------------------------------------------


def with_ball_struck(found: Found, seen: Evidence) -> Found:
    """What was found, with the other ball as the one struck where two touched, set off together, and their ways clearly say so."""
    if found.cue_ball is None or (pair := _set_off_together(found, seen)) is None:
        return found
    other, cue_driven, other_driven = pair
    if cue_driven > other_driven - _CLEARLY:
        return found
    events = tuple(replace(e, ball=other) if e.type == "strike" and e.ball == found.cue_ball else e for e in found.events)
    return replace(found, cue_ball=other, events=events)


def _set_off_together(found: Found, seen: Evidence) -> tuple[str, float, float] | None:
    """A ball that touched the cue ball and set off with it, and how badly (squared sigmas) each is seen as driven by the other.

    First the cue ball by that ball, then that ball by the cue ball.
    """
    cue = found.cue_ball
    assert cue is not None
    here = _at_start(seen, cue, found.strike_t)
    for other, path in seen.paths.items():
        there = _rest_place(seen, other, found.strike_t)
        if other == cue or there is None:
            continue
        line = there - here
        if float(np.hypot(*line)) > seen.table.ball + _FROZEN + seen.slack:
            continue
        theirs = _speed(path, found.strike_t, found.strike_t + _WINDOW)
        mine = _speed(seen.paths[cue], found.strike_t, found.strike_t + _WINDOW)
        if theirs is None or mine is None or min(np.hypot(*v) / max(s, 1.0) for v, s in (theirs, mine)) < _MOVES:
            continue
        line = line / np.hypot(*line)
        return other, _driven(mine, -line), _driven(theirs, line)
    return None


def _which_ball(found: Found, seen: Evidence) -> list[tuple[Doubt, Event | None]]:
    """Two balls that touched and set off together, if their ways do not say which of them was struck."""
    cue, pair = found.cue_ball, _set_off_together(found, seen)
    strike = next((e for e in found.events if e.type == "strike"), None)
    if strike is None or pair is None or pair[1] > pair[2] + _CLEARLY:
        return []
    other = pair[0]
    way = Way(f"{other} was struck", (replace(strike, ball=other, confidence=0.5),), (found.events.index(strike),))
    return [(Doubt(f"{cue} and {other} touched and set off together: which of them was struck?", ways=(way,)), strike)]


def _driven(speed: tuple[np.ndarray, float], line: np.ndarray) -> float:
    """Squared sigmas by which a ball's velocity is not that of one that another ball drove along `line`."""
    along, across = float(speed[0] @ line), float(speed[0] @ np.array([-line[1], line[0]]))
    bar = float(np.hypot(max(speed[1], 10.0), _THROW * abs(along)))
    return (across / bar) ** 2 + (min(along, 0.0) / bar) ** 2


# a second strike ----------------------------------------------------------------------------------------------


def _struck_again(found: Found, seen: Evidence, pushed: bool) -> list[tuple[Doubt | None, Break]]:
    """Balls that suddenly gained speed with no ball or cushion to give it; each with its break.

    The cue itself is no condition: its tip is beside the ball for a frame or two, and as narrow as the noise.

    `pushed`: the strike is in doubt already; what comes with it is not told twice.
    """
    strike = found.strike_t
    again: list[tuple[Doubt | None, Break]] = []
    for ball, path in seen.paths.items():
        for br in breaks_of(path, seen.step):
            if br.t < strike + 2.5 * seen.step or not gains(br) or has_cause(found, br, seen.step):
                continue
            if ball != found.cue_ball or br.t - strike > _REACH:
                again.append((_second_strike(seen, br), br))
            else:
                again.append((None if pushed else _double_hit(br, strike, seen.step, "gained speed again"), br))
    return again


def _bent_again(found: Found, seen: Evidence) -> list[tuple[Doubt, Break]]:
    """The change of the cue ball's path, soon after the strike, that nothing which was seen can have made: the cue can."""
    cue, reasons = found.cue_ball or "", {d.reason for d in found.doubts}
    for br in breaks_of(seen.paths[cue], seen.step):
        if found.strike_t < br.t < found.strike_t + _REACH and unexplained(cue, br.t) in reasons:
            return [(_double_hit(br, found.strike_t, seen.step, "changed its path"), br)]
    return []


def _double_hit(br: Break, strike: float, step: float, did: str) -> Doubt:
    event = Event(br.t, "double_hit", br.ball, sigma_ms=500 * step, confidence=0.5)
    reason = f"{br.ball} {did} {1000 * (br.t - strike):.0f} ms after the strike: a double hit?"
    return Doubt(reason, ways=(Way(f"a double hit of {br.ball}", (event,)),))


def _second_strike(seen: Evidence, br: Break) -> Doubt:
    rolling = sorted(b for b, p in seen.paths.items() if b != br.ball and float(np.hypot(*p.speed_at(br.t))) > _ROLLS)
    event = Event(br.t, "strike", br.ball, sigma_ms=500 * seen.step, confidence=0.5)
    reason = f"{br.ball} seems to have been struck at {br.t:.2f} s"
    if rolling:
        reason += f" while {', '.join(rolling)} still rolled"
    met = contact_ways(br.ball, br.t, seen)
    return Doubt(reason, ways=(Way(f"{br.ball} was struck", (event,)), *met))


def contact_ways(ball: str, t: float, seen: Evidence) -> tuple[Way, ...]:
    """Contacts that may have set a ball in motion at t s and were not noticed: with balls that rolled close by."""
    place, found = seen.paths[ball].at(t), []
    for name, path in seen.paths.items():
        near = name != ball and float(np.hypot(*(path.at(t) - place))) < seen.table.ball + seen.slack + _PASSING
        if near and float(np.hypot(*path.speed_at(t))) > _ROLLS:
            pair = (min(ball, name), max(ball, name))
            found.append(Way(f"{name} met {ball}", (Event(t, "contact", balls=pair, confidence=0.5),)))
    return tuple(found)


def gains(br: Break) -> bool:
    """Whether a ball is clearly faster after a break."""
    before, after = float(np.hypot(*br.speed_before)), float(np.hypot(*br.speed_after))
    return after - before > max(_GAIN, 4 * br.speed_sigma, _SHARE * before)


def has_cause(found: Found, br: Break, step: float) -> bool:
    """Whether an event was found that accounts for a break."""
    return any(
        e.type in ("contact", "cushion", "jaw") and e.involves(br.ball) and br.low - 1.6 * step < e.t < br.high + 1.6 * step
        for e in found.events
    )
