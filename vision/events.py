"""From the paths of a stroke to its events, in order, with times between frames, error bars and doubts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from calibration.table import Table
from vision.beside import driven
from vision.breaks import STILL, Break, Path, breaks_of
from vision.explain import Cause, Explained, Explainer, rested
from vision.grazes import graze_doubts, same
from vision.moments import chain_doubts, told_of, unsure_doubts
from vision.pieces import Piece
from vision.rattles import counted_elsewhere, rattle_doubts
from vision.shifts import soft_contacts, soft_doubts, without_told
from vision.shot import Doubt, Event
from vision.visits import with_visits

_TREMBLE = 6.0  # mm
_BIG = 150.0  # mm/s: a jump in velocity that must have a cause
_HANGS, _LIES = 0.25, 1.5  # s for which a ball that hangs at a hole lies still, mm within which it does
_ORDER = 2.0  # sigmas within which the order of two contacts is open


@dataclass(frozen=True, slots=True)
class Fall:
    """A ball that fell: into which pocket, when (s), error bar (s)."""

    ball: str
    pocket: str
    t: float
    sigma: float


@dataclass(frozen=True, slots=True)
class Found:
    """The events of a stroke, times in video seconds (`Event.t` too), and what is doubtful.

    `contact_speed`: the largest change of velocity that a contact of two balls made, mm/s.
    """

    events: tuple[Event, ...]
    cue_ball: str | None
    strike_t: float
    doubts: tuple[Doubt, ...]
    contact_speed: float


def find_events(table: Table, paths: dict[str, Path], falls: list[Fall], step: float, slack: float) -> Found:
    """All events of one stroke.

    Args:
        paths: of every ball on the table, mm.
        falls: the balls that fell during the stroke.
        step: usual time between frames, s.
        slack: error (mm) of places against cushions and balls that the calibration leaves.
    """
    breaks = {ball: breaks_of(path, step) for ball, path in paths.items()}
    explainer = Explainer(table, paths, breaks, step, slack, {f.ball: (f.pocket, f.t) for f in falls})
    explained = [explainer.explain(b) for ball in breaks for b in breaks[ball] if _matters(b, slack)]
    cue, strike = _strike(paths, explained)
    fell = {f.ball: f.t for f in falls}
    known = [e for e in explained if strike - 1.5 * step <= e.at.t <= fell.get(e.at.ball, np.inf) + step]
    told = told_of(table, paths, known, (cue, strike), fell, step, slack)
    events, doubts = _events(told.left, cue, strike, fell, step)
    events = _without_repeats(events, told.events, step)
    events, visits = with_visits(table, paths, events, {f.ball: (f.pocket, f.t, f.sigma) for f in falls}, step, slack)
    among = {unexplained(e.at.ball, e.at.t) for e in told.left if any(v.holds(e.at.ball, e.at.t, step) for v in visits)}
    doubts = [d for d in doubts if d.reason not in among]
    strike = told.strike
    pushed, unmet = driven(told.left, paths, events, cue, strike, ball=table.ball, step=step)
    events += pushed
    doubts += [Doubt(unexplained(ball, t)) for ball, t in unmet]
    known_of = [*events, *(Event(f.t, "pocket", f.ball) for f in falls), Event(strike, "strike", cue)]
    soft = soft_contacts(table, paths, known_of, slack)
    events += soft
    events += [Event(f.t, "pocket", f.ball, pocket=f.pocket, sigma_ms=f.sigma * 1000, confidence=0.95) for f in falls]
    events += _stops(table, paths, falls, step)
    events += _midlines(table, paths, strike)
    if cue is not None:
        events.append(Event(strike, "strike", cue, sigma_ms=1000 * step / 4, confidence=0.95))
    # nothing comes before the strike: what seems to, within the error of its time, comes with it
    events = [replace(e, t=max(e.t, strike)) for e in events if e.t >= strike - 1.5 * step]
    # nor after a ball's fall: what it touches then is the pocket's inside, and a contact came just before it
    events = [e for e in events if e.type not in ("jaw", "cushion") or e.t <= fell.get(e.ball or "", np.inf)]
    events = [replace(e, t=min([e.t, *(t for ball, t in fell.items() if e.involves(ball))])) for e in events]
    events.sort(key=lambda e: (e.t, _RANK.get(e.type, 5)))
    doubts += _order_doubts(events, told.events) + chain_doubts(events, told, strike)
    doubts += unsure_doubts(events, told, counted_elsewhere(events))
    doubts += graze_doubts(table, paths, events, strike, fell, step, slack)
    doubts = [*without_told(doubts, soft, strike), *soft_doubts(events, soft), *rattle_doubts(table, paths, events, strike, step)]
    contact = max((float(np.hypot(*e.at.change)) for e in explained if any(c.kind == "contact" for c in e.causes)), default=0.0)
    return Found(tuple(events), cue, strike, tuple(doubts), contact)


_RANK = {"strike": 0, "contact": 1, "cushion": 2, "jaw": 3, "midline": 4, "pocket": 6, "stop": 7}


def _matters(br: Break, slack: float) -> bool:
    """Whether the ball moves on either side by more than the picture's noise, and its velocity jumps significantly."""
    jump = float(np.hypot(*br.change))
    travel = max(_travel(br.before), _travel(br.after))
    return jump > 15.0 and br.significance > 2.0 and travel > max(0.8 * slack, 3.0)


def _travel(piece: Piece) -> float:
    return float(np.hypot(*(piece.at(piece.end) - piece.at(piece.start))))


def _starts(br: Break) -> bool:
    """Whether the ball rested before the break and moves after it."""
    return rested(br) and float(np.hypot(*br.speed_after)) > STILL


def _leaves(path: Path, br: Break) -> bool:
    """Whether the ball comes away from where the break happened, and does not only tremble there."""
    later = path.seen.t > br.t
    if not later.any():
        return False
    far = np.hypot(*(path.seen.xy[later] - br.before.at(br.before.end)).T) - 4 * path.seen.sigma[later]
    return bool(far.max() > _TREMBLE)


def _strike(paths: dict[str, Path], explained: list[Explained]) -> tuple[str | None, float]:
    """The ball that was struck, and when: the first that moved without another ball having hit it.

    Where the video begins in mid stroke it is the ball that is already moving.
    """
    starts = sorted((e for e in explained if _starts(e.at) and _leaves(paths[e.at.ball], e.at)), key=lambda e: e.at.t)
    first = _first_mover(paths)
    for e in starts:
        if first is not None and first[1] < e.at.t - 1e-6 and first[0] != e.at.ball:
            break
        hitter = next((c.other for c in e.causes if c.kind == "contact"), None)
        if hitter is None:
            return e.at.ball, e.at.t
        own = next((s for s in starts if s.at.ball == hitter), None)
        if own is not None and own is not e:
            later = any(c.kind == "contact" and c.other == e.at.ball for c in own.causes) and own.at.t > e.at.t
            if not later or _speed_after(own) > _speed_after(e):
                return own.at.ball, min(own.at.t, e.at.t)
            return e.at.ball, e.at.t
        if hitter in paths:
            return hitter, _first_motion(paths[hitter]) or e.at.t
    if first is not None:
        return first
    return None, min((p.seen.t[0] for p in paths.values() if len(p.seen)), default=0.0)


def _first_mover(paths: dict[str, Path]) -> tuple[str, float] | None:
    moving = {ball: t for ball, path in paths.items() if (t := _first_motion(path)) is not None}
    if not moving:
        return None
    ball = min(moving, key=lambda b: moving[b])
    return ball, moving[ball]


def _speed_after(e: Explained) -> float:
    return float(np.hypot(*e.at.speed_after))


def _runs(piece: Piece, least: float) -> bool:
    """Whether a piece is faster than `least` mm/s, and than what the noise of a few observations at rest looks like."""
    middle = (piece.start + piece.end) / 2
    return float(np.hypot(*piece.speed_at(middle))) > max(least, 3.0 * piece.speed_sigma_at(middle))


def _first_motion(path: Path) -> float | None:
    for piece in path.pieces:
        if piece.last > piece.first and _runs(piece, STILL):
            # its own way: what the ball does later says nothing of a tremble at rest
            own = slice(piece.first, piece.last + 1)
            noise = 4 * np.hypot(path.seen.sigma[own], path.seen.sigma[piece.first])
            away = np.hypot(*(path.seen.xy[own] - path.seen.xy[piece.first]).T) - noise
            if float(away.max()) > _TREMBLE:
                return piece.start
    return None


def _events(
    explained: Sequence[Explained], cue: str | None, strike: float, fallen: dict[str, float], step: float
) -> tuple[list[Event], list[Doubt]]:
    """The events that the breaks of single balls tell; `fallen`: when balls fell, s."""
    events: list[Event] = []
    doubts: list[Doubt] = []
    contacts: dict[frozenset[str], list[Cause]] = {}
    for e in explained:
        br = e.at
        struck = br.ball == cue and abs(br.t - strike) < 1e-9
        causes = e.causes
        # a resting ball gets no push from a cushion: first somebody hits it
        if _starts(br) and (struck or not any(c.kind == "contact" for c in causes)):
            causes = ()
        for cause in causes:
            if cause.kind == "contact":
                contacts.setdefault(frozenset((br.ball, cause.other or "")), []).append(cause)
                continue
            sure = float(np.clip(1 - np.exp(-(e.second - e.price) / 4), 0.5, 0.999))
            events.append(
                Event(
                    cause.t, cause.kind, br.ball, cushion=cause.cushion, pocket=cause.pocket,
                    sigma_ms=1000 * max(cause.sigma, 0.001), confidence=round(sure, 3),
                )
            )  # fmt: skip
        if causes or struck or not _needs_cause(br) or _undone(e, explained, step) or _aftermath(e, explained, step):
            continue
        if br.t > strike + 2.5 * step and _near_nothing(br, fallen, step):
            doubts.append(Doubt(unexplained(br.ball, br.t)))
    for pair, causes in contacts.items():
        events += _contact_events(pair, causes, step)
    return events, doubts


def unexplained(ball: str, t: float) -> str:
    """What is said of a ball whose path changed at t s for no reason that was found."""
    return f"{ball} changed its path at {t:.2f} s without a cause that was seen"


def _needs_cause(br: Break) -> bool:
    """Whether a jump is too large, and too unlike friction or a slip of the clock, to have happened by itself."""
    jump = float(np.hypot(*br.change))
    return jump > max(_BIG, 4 * br.speed_sigma, 0.15 * float(np.hypot(*br.speed_before)))


def _aftermath(e: Explained, explained: Sequence[Explained], step: float) -> bool:
    """Whether a smaller jump follows at once on one with a cause: a bounce seen in two halves, a ball that begins to roll."""
    jump = float(np.hypot(*e.at.change))
    return any(
        other.causes
        and other.at.ball == e.at.ball
        and abs(e.at.t - other.at.t) < 3.5 * step
        and jump < 0.4 * float(np.hypot(*other.at.change))
        for other in explained
    )


def _undone(e: Explained, explained: Sequence[Explained], step: float) -> bool:
    """Whether another unexplained jump of the same ball, moments away, takes this one back: then it was measured, not made."""
    for other in explained:
        near = other is not e and other.at.ball == e.at.ball and abs(other.at.t - e.at.t) < 8 * step
        if near and not other.causes:
            rest = float(np.hypot(*(e.at.change + other.at.change)))
            if rest < 0.45 * float(np.hypot(*e.at.change)):
                return True
    return False


def _near_nothing(br: Break, fallen: dict[str, float], step: float) -> bool:
    return abs(br.t - fallen.get(br.ball, -np.inf)) > 3 * step


def _contact_events(pair: frozenset[str], causes: list[Cause], step: float) -> list[Event]:
    """One event for each meeting of a pair, told by one or both of their breaks."""
    a, b = sorted(pair)
    events = []
    for cause in sorted(causes, key=lambda c: c.t):
        if events and cause.t - events[-1].t < 1.6 * step:
            continue
        events.append(Event(cause.t, "contact", balls=(a, b), sigma_ms=1000 * max(cause.sigma, 0.0005), confidence=0.98))
    return events


def _without_repeats(events: list[Event], settled: Sequence[Event], step: float) -> list[Event]:
    """`settled` and those of `events` that tell no contact again: the same within a frame or so is one, told by two breaks."""
    kept = list(settled)
    for e in sorted(events, key=lambda e: e.t):
        if not any(same(k, e) and abs(e.t - k.t) < 1.2 * step for k in kept):
            kept.append(e)
    return kept


def _stops(table: Table, paths: dict[str, Path], falls: list[Fall], step: float) -> list[Event]:
    fallen = {f.ball for f in falls}
    events = []
    for ball, path in paths.items():
        moved, rest = False, None
        for k, piece in enumerate(path.pieces):
            if _runs(piece, STILL / 2) or _travel(piece) > 4.0 + 3.0 * piece.sigma_at(piece.end):
                moved = True
                continue
            if piece.last > piece.first and piece.end - piece.start > 3 * step:
                place = piece.at((piece.start + piece.end) / 2)
                # noise can look like motion, but then the ball is where it was
                if moved and (rest is None or float(np.hypot(*(place - rest))) > 3.0):
                    events.append(_stop(table, ball, _end_of_motion(path, k), place, step))
                moved, rest = False, place
        if moved and ball not in fallen and path.pieces and float(np.hypot(*path.pieces[-1].speed_at(path.pieces[-1].end))) < STILL:
            last = path.pieces[-1]
            events.append(_stop(table, ball, last.end, last.at(last.end), step))
    return events


def _end_of_motion(path: Path, k: int) -> float:
    """When the speed of the piece before reaches zero, if it does so about where the rest begins."""
    rest, before = path.pieces[k], path.pieces[k - 1]
    speed = before.speed_at(before.end)
    slowing = float(before.acceleration @ speed) / max(float(np.hypot(*speed)), 1e-6)
    if slowing < -10:
        t = before.end + float(np.hypot(*speed)) / -slowing
        if before.end <= t <= rest.start + 0.3:
            return t
    return (before.end + rest.start) / 2


def _stop(table: Table, ball: str, t: float, place: np.ndarray, step: float) -> Event:
    at = (round(float(place[0]), 1), round(float(place[1]), 1))
    return Event(t, "stop", ball, jaws=in_jaws(table, place), at=at, sigma_ms=1000 * 2 * step, confidence=0.9)


def in_jaws(table: Table, place: np.ndarray) -> str | None:
    """The pocket in whose mouth a ball's centre lies: beyond the line of the jaws' tips."""
    for pocket in table.pockets:
        tips = np.array([jaw.tip for jaw in pocket.jaws])
        middle = tips.mean(axis=0)
        inward = middle - np.array(pocket.centre)
        inward = inward / np.hypot(*inward)
        along = tips[1] - tips[0]
        deep = float((place - middle) @ inward)
        aside = abs(float((place - middle) @ along)) / float(np.hypot(*along))
        if deep < 0.05 * table.radius and aside < pocket.mouth / 2 + 0.2 * table.radius:
            return pocket.name
    return None


def _midlines(table: Table, paths: dict[str, Path], strike: float) -> list[Event]:
    events = []
    half = table.length / 2
    for ball, path in paths.items():
        t, x = path.seen.t, path.seen.xy[:, 0] - half
        side = 0.0
        last = 0
        for k in range(len(t)):
            if abs(x[k]) < max(1.0, 3.0 * path.seen.sigma[k]):
                continue
            now = float(np.sign(x[k]))
            if side and now != side and t[k] >= strike:
                part = abs(x[last]) / (abs(x[last]) + abs(x[k]))
                events.append(Event(float(t[last] + part * (t[k] - t[last])), "midline", ball, sigma_ms=5.0, confidence=0.99))
            side, last = now, k
    return events


def _order_doubts(events: list[Event], settled: Sequence[Event]) -> list[Doubt]:
    """Contacts and cushions of the same ball whose order the error bars leave open; for `settled` ones their chains tell it."""
    doubts = []
    counted = [(k, e) for k, e in enumerate(events) if e.type in ("contact", "cushion", "jaw")]
    for (_i, a), (j, b) in pairwise(counted):
        if a.type != "contact" and b.type != "contact":
            continue
        shared = ({a.ball} | set(a.balls or ())) & ({b.ball} | set(b.balls or ())) - {None}
        bar = np.hypot(a.sigma_ms or 0, b.sigma_ms or 0)
        if a in settled and b in settled:
            continue
        if shared and (b.t - a.t) * 1000 < max(2.0, _ORDER * bar):
            doubts.append(Doubt(f"{_name(a)} and {_name(b)} within {max((b.t - a.t) * 1000, 1):.0f} ms: their order is not sure", j))
    return doubts


def _name(e: Event) -> str:
    if e.type == "contact" and e.balls:
        return f"contact {e.balls[0]}-{e.balls[1]}"
    return f"{e.type} {e.ball}"


def with_frames(found: Found, frames: np.ndarray, times: np.ndarray) -> Found:
    """The same events with `t` counted from the strike, `video_t`, and the index of the frame nearest in time."""
    events = []
    for e in found.events:
        k = int(np.abs(times - e.t).argmin())
        events.append(
            replace(
                e,
                t=round(max(0.0, e.t - found.strike_t), 5),
                video_t=round(e.t, 5),
                frame=int(frames[k]),
                sigma_ms=round(e.sigma_ms or 0, 2),
            )
        )
    return replace(found, events=tuple(events))


def fall_of(table: Table, path: Path, pocket: str, after: float, step: float) -> Fall:
    """When a path enters the drop circle of a pocket; extrapolated a little if it was lost before."""
    hole = table.pocket(pocket)
    centre = np.array(hole.centre)
    last = path.pieces[-1]
    times = np.arange(max(after, path.seen.t[0]), last.end + 0.25, step / 8)
    for t in times:
        place = path.piece_at(t).at(t) if t <= last.end else last.at(t)
        if np.hypot(*(place - centre)) < hole.radius and not _hangs(path, centre, hole.radius, float(t), step):
            return Fall(path.ball, pocket, float(t), step / 3)
    return Fall(path.ball, pocket, float(last.end + step / 2), step)


def _hangs(path: Path, centre: np.ndarray, radius: float, t: float, step: float) -> bool:
    """Whether a ball lies still at the edge of a hole at t s, and has not fallen yet; one that sinks moves, if only seemingly."""
    for start, end in ((t, t + _HANGS + step), (t - _HANGS - step, t)):
        part = (path.whole.t > start) & (path.whole.t < end)
        seen, xy = path.whole.t[part], path.whole.xy[part]
        if len(seen) < 3 or seen[-1] - seen[0] < _HANGS - 2 * step:
            continue
        middle = np.median(xy, axis=0)
        still = float(np.hypot(*(np.vstack([xy, path.at(t)]) - middle).T).max()) < _LIES + 3 * float(path.whole.sigma[part].max())
        if still and float(np.hypot(*(middle - centre))) > radius - _LIES:
            return True
    return False
