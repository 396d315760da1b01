"""What happened in each busy moment of a stroke: chains of hits, compared by their evidence.

A moment is a set of breaks that lie so near in time that one may belong to another. The causes found for each break alone
are where the search begins; hits that the geometry allows are added, taken away or put in another order as long as the
evidence grows. So two cushions within a frame, a ball driven into a cushion beside it, or a second touch at once are found,
though no piece of path lies between them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from calibration.table import Table
from vision.breaks import Break, Path
from vision.chain import Fitted, Hit, Scene, Wall, fit, foretold
from vision.explain import Explained
from vision.pieces import Observations, Piece
from vision.walls import Walls

_NEAR = 1.1  # frames between breaks of one moment, from the end of one to the beginning of the other
_WINDOW = 0.11  # s before and after a moment that are looked at
_SLOW_WINDOW = 0.2  # s: the same where no path breaks, so that whatever happened was slow
_AHEAD = 6  # observations over which two balls must move against each other to be looked at
_HIT = 2.0  # price of one more hit, beside what the evidence says
_KICK = 14.0  # price of a push by nothing that was seen
_ROUNDS = 5  # chains whose changes are tried
_OUTSIDE = 0.4  # frames by which a hit may lie outside the breaks of its moment
_STRAIN = 12.0  # of a hit, beyond which it is no usual one
_FITS = 60  # chains tried in one moment
_JUMP = 40.0  # mm/s: smaller jumps belong to no moment
_STILL = 25.0  # mm/s
_UNLIKELY = 9.0  # cost above the best from which a chain is not told of


@dataclass(frozen=True, slots=True)
class Settled:
    """A moment's best chain, and whether it explains what was seen; `others`: chains that may be instead, with their
    probabilities. `start`..`end`: its breaks' times, s.
    """

    best: Fitted
    fits: bool
    chance: float
    others: tuple[tuple[float, Fitted], ...]
    start: float
    end: float
    balls: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Moment:
    items: tuple[Explained, ...]
    balls: tuple[str, ...]
    early: float
    late: float


class Settler:
    """Finds the best chains for the moments of one stroke."""

    def __init__(self, table: Table, paths: Mapping[str, Path], explained: Sequence[Explained], step: float, slack: float):
        self.table, self.paths, self.step, self.slack = table, paths, step, slack
        self.walls = Walls(table)
        self.explained = [e for e in explained if e.causes or float(np.hypot(*e.at.change)) > _JUMP]

    def moments(self) -> list[_Moment]:
        """Breaks joined where one may belong to another, in order of time."""
        items = sorted(self.explained, key=lambda e: e.at.t)
        groups: list[list[Explained]] = []
        for item in items:
            mine = [g for g in groups if any(self._together(item, other) for other in g)]
            groups = [g for g in groups if g not in mine] + [[item, *(e for g in mine for e in g)]]
        busy = self._joined([self._moment(g) for g in groups])
        return sorted([*busy, *self._approaches(busy)], key=lambda m: m.early)

    def _joined(self, moments: list[_Moment]) -> list[_Moment]:
        """Moments that share a ball and hardly lie apart are one."""
        joined: list[_Moment] = []
        for new in sorted(moments, key=lambda m: m.early):
            near = [m for m in joined if set(m.balls) & set(new.balls) and new.early - m.late < _NEAR * self.step and m.items]
            joined = [m for m in joined if m not in near]
            joined.append(self._moment([*new.items, *(e for m in near for e in m.items)]) if near else new)
        return joined

    def _approaches(self, busy: Sequence[_Moment]) -> Iterator[_Moment]:
        """Moments in which two balls come as near as if they touched, though no path breaks: a soft touch may hide there."""
        margin = self.slack + 3.0
        for a, b in combinations(self.paths, 2):
            one, other = self.paths[a].seen, self.paths[b].seen
            start, end = max(one.t[0], other.t[0]), min(one.t[-1], other.t[-1])
            t = one.t[(one.t >= start) & (one.t <= end)]
            t = np.union1d(t, other.t[(other.t >= start) & (other.t <= end)])
            if len(t) < 3:
                continue
            line = np.column_stack([np.interp(t, one.t, one.xy[:, k]) - np.interp(t, other.t, other.xy[:, k]) for k in (0, 1)])
            way = np.diff(line, axis=0)
            part = np.clip(-(line[:-1] * way).sum(axis=1) / np.maximum((way**2).sum(axis=1), 1e-9), 0, 1)
            gaps = np.hypot(*(line[:-1] + part[:, None] * way).T) - self.table.ball
            moves = np.hypot(*(line[_AHEAD:] - line[:-_AHEAD]).T) > 1.5 + 3 * np.hypot(one.sigma.min(), other.sigma.min())
            moves = np.convolve(moves, np.ones(2 * _AHEAD + 1), "full")[_AHEAD : _AHEAD + len(gaps)] > 0 if len(moves) else gaps < -1e9
            near = np.flatnonzero((gaps < margin) & moves)
            for group in np.split(near, np.flatnonzero(np.diff(near) > 2) + 1) if len(near) else ():
                k = int(group[gaps[group].argmin()])
                m = float(t[k] + part[k] * (t[k + 1] - t[k]))
                if not any({a, b} <= set(o.balls) and o.early - 1.5 * self.step < m < o.late + 1.5 * self.step for o in busy):
                    yield _Moment((), (a, b), m - self.step, m + self.step)

    def _together(self, one: Explained, other: Explained) -> bool:
        a, b = one.at, other.at
        apart = max(a.low - b.high, b.low - a.high, 0.0)
        if apart > _NEAR * self.step:
            return False
        if a.ball == b.ball:
            return True
        if any(c.kind == "contact" and c.other == y.ball for x, y in ((one, b), (other, a)) for c in x.causes):
            return True
        gaps = [float(np.hypot(*(self.paths[a.ball].at(t) - self.paths[b.ball].at(t)))) for t in (a.t, (a.t + b.t) / 2, b.t)]
        return min(gaps) < self.table.ball + self._reach(a, b)

    def _reach(self, *breaks: Break) -> float:
        fast = max(float(np.hypot(*v)) for b in breaks for v in (b.speed_before, b.speed_after))
        return 2 * self.slack + 3.0 + 0.25 * fast * self.step

    def _moment(self, items: Sequence[Explained]) -> _Moment:
        items = sorted(items, key=lambda e: e.at.t)
        early = max(min(min(e.at.low, e.at.t) for e in items), items[0].at.t - 2.5 * self.step)
        late = min(max(max(e.at.high, e.at.t) for e in items), items[-1].at.t + 2.5 * self.step)
        balls = dict.fromkeys(e.at.ball for e in items)
        for e in items:
            balls.update(dict.fromkeys(c.other for c in e.causes if c.kind == "contact" and c.other))
        for name, path in self.paths.items():
            for e in items:
                pieces = (e.at.before, e.at.after)
                gap = min(float(np.hypot(*(path.at(t) - piece.at(t)))) for t in (early, e.at.t, late) for piece in pieces)
                if gap < self.table.ball + self._reach(e.at):
                    balls[name] = None
        return _Moment(tuple(items), tuple(b for b in balls if b is not None), early, late)

    # one moment ---------------------------------------------------------------------------------------------

    def settle(self, moment: _Moment, strike: tuple[str | None, float]) -> Settled | None:
        """The best chain of a moment; None where nothing asks for one or too little was seen. `strike`: ball and time."""
        scene, start = self._scene(moment)
        hits = self._first(moment, strike)
        if any(len(seen) < 3 for seen in scene.seen.values()) or not (hits or len(moment.balls) > 1 or self._by_a_wall(moment)):
            return None
        search = _Search(self, scene, start)
        return search.run(hits)

    def _undisturbed(self, ball: str, moment: _Moment) -> tuple[float, float]:
        """The time round a moment in which a ball's path does not break."""
        others = [e.at for e in self.explained if e.at.ball == ball and e not in moment.items]
        low = max((b.high for b in others if b.t < moment.early), default=-np.inf)
        return float(low), float(min((b.low for b in others if b.t > moment.late), default=np.inf))

    def _by_a_wall(self, moment: _Moment) -> bool:
        pieces = [piece for e in moment.items for piece in (e.at.before, e.at.after)]
        return any(self.walls.touches(p.at(t), 2 * self.slack) for p in pieces for t in (moment.early, moment.late))

    def _scene(self, moment: _Moment) -> tuple[Scene, dict[str, tuple[np.ndarray, np.ndarray]]]:
        seen, start, resting = {}, {}, set()
        for ball in moment.balls:
            path = self.paths[ball]
            own = sorted((e.at for e in moment.items if e.at.ball == ball), key=lambda b: b.t)
            first = own[0].before if own else path.piece_at(moment.early)
            last = own[-1].after if own else path.piece_at(moment.late)
            window = _WINDOW if moment.items else _SLOW_WINDOW
            low, high = (first.start, last.end) if own else self._undisturbed(ball, moment)
            low, high = max(moment.early - window, low), min(moment.late + window, high)
            kept = (path.seen.t >= low - 1e-6) & (path.seen.t <= high + 1e-6)
            s = path.seen
            seen[ball] = Observations(s.t[kept], s.xy[kept], s.sigma[kept], s.frame[kept])
            start[ball] = (first.at(moment.early), first.speed_at(moment.early))
            if _rests(first, moment.early):
                resting.add(ball)
                start[ball] = (first.at(min(moment.early, first.end)), np.zeros(2))
        scene = Scene(
            seen, frozenset(resting), self.table.ball, self.step, self.slack, max(0.5 * self.slack, 1.0), moment.early, moment.late
        )
        return scene, start

    def _first(self, moment: _Moment, strike: tuple[str | None, float]) -> tuple[Hit, ...]:
        """The hits that were found for each break alone; a kick for the strike and for jumps without a cause."""
        hits: list[Hit] = []
        for e in moment.items:
            struck = e.at.ball == strike[0] and abs(e.at.t - strike[1]) < 1e-9
            if struck:
                hits.append(Hit("kick", (e.at.ball,), e.at.t, ("strike", None)))
            for c in () if struck else e.causes:
                if c.kind == "contact":
                    pair = tuple(sorted((e.at.ball, c.other or "")))
                    if not any(h.kind == "contact" and set(h.balls) == set(pair) and abs(h.t - c.t) < 1.6 * self.step for h in hits):
                        hits.append(Hit("contact", pair, c.t))
                else:
                    hits.append(Hit(c.kind, (e.at.ball,), c.t, (c.cushion, c.pocket), self.wall(c.kind, c.cushion, c.pocket)))
            jump = float(np.hypot(*e.at.change))
            if not struck and not e.causes and jump > max(100.0, 4 * e.at.speed_sigma):
                hits.append(Hit("kick", (e.at.ball,), e.at.t))
        hits = [h for h in hits if h.kind != "kick" or h.name[0] or not any(h.balls[0] in o.balls for o in hits if o is not h)]
        return tuple(sorted(hits, key=lambda h: h.t))

    # geometry -----------------------------------------------------------------------------------------------

    def wall(self, kind: str, cushion: str | None, pocket: str | None) -> Wall:
        """A cushion or jaw as a function of a ball's place."""
        if kind == "cushion" and cushion:
            normal = self.walls.normal(cushion)
            return lambda p: (self.walls.cushion_gap(cushion, p), normal)
        return lambda p: self.walls.jaw_gap(p, cushion or "", pocket or "")

    def near_walls(self, ball: str, places: np.ndarray, times: np.ndarray, reach: float) -> Iterator[Hit]:
        """Walls that a path (N, 2) comes within `reach` of, each with the time of its least distance."""
        found: dict[tuple, tuple[float, float]] = {}
        for t, p in zip(times, places, strict=True):
            for touch in self.walls.touches(p, reach):
                key = (touch.kind, touch.cushion, touch.pocket)
                if key not in found or touch.gap < found[key][0]:
                    found[key] = (touch.gap, float(t))
        for (kind, cushion, pocket), (_, t) in found.items():
            yield Hit(kind, (ball,), t, (cushion, pocket), self.wall(kind, cushion, pocket))


def _rests(piece: Piece, t: float) -> bool:
    """Whether a ball lies still in its piece before t; what a parabola's end does is noise."""
    end = min(t, piece.end)
    begin = max(piece.start, end - _WINDOW)
    if end - begin < 1e-6:
        return float(np.hypot(*piece.speed_at(t))) < _STILL
    way = float(np.hypot(*(piece.at(end) - piece.at(begin))))
    return way < max(_STILL * (end - begin), 2.5 * piece.sigma_at(end))


class _Search:
    """Adds, takes away and reorders hits as long as the evidence grows."""

    def __init__(self, settler: Settler, scene: Scene, start: Mapping[str, tuple[np.ndarray, np.ndarray]]):
        self.settler, self.scene, self.start = settler, scene, start
        self.tried: dict[tuple, tuple[float, Fitted]] = {}
        self.times = np.arange(scene.early - 0.6 * scene.step, scene.late + 0.8 * scene.step, scene.step / 6)

    def run(self, hits: tuple[Hit, ...]) -> Settled | None:
        self._try(hits)
        if not self._fits():
            for seed in self._foretold(tuple(h for h in hits if h.name[0] == "strike")):
                self._try(seed)
        expanded: set[tuple] = set()
        for _ in range(_ROUNDS):
            ahead = [item for item in self.tried.items() if item[0] not in expanded]
            if not ahead or len(self.tried) > _FITS:
                break
            best = min(c for c, _ in self.tried.values())
            key, (cost, fitted) = min(ahead, key=lambda item: item[1][0])
            if self._fits() and cost > best + _UNLIKELY:
                break
            expanded.add(key)
            for new in self._moves(fitted):
                self._try(new)
        if not self.tried:
            return None
        told: dict[tuple, tuple[float, Fitted]] = {}
        for cost, fitted in sorted(self.tried.values(), key=lambda f: f[0]):
            told.setdefault(tuple(h.key for h in fitted.hits), (cost, fitted))
        low = min(c for c, _ in told.values())
        chances = {k: float(np.exp(-(c - low) / 2)) for k, (c, _) in told.items()}
        total = sum(chances.values())
        first, *rest = sorted(told.items(), key=lambda item: item[1][0])
        others = tuple((chances[k] / total, f) for k, (c, f) in rest if c < low + _UNLIKELY)
        scene = self.scene
        return Settled(first[1][1], self._fits(), chances[first[0]] / total, others, scene.early, scene.late, tuple(scene.seen))

    def _fits(self) -> bool:
        """Whether the best chain leaves nothing unexplained."""
        if not self.tried:
            return False
        best = min(self.tried.values(), key=lambda f: f[0])[1]
        known = not any(h.kind == "kick" and not h.name[0] for h in best.hits)
        return known and best.chi < best.seen + 3.5 * np.sqrt(2 * best.seen) and best.strain < _STRAIN

    def _foretold(self, hits: tuple[Hit, ...]) -> Iterator[tuple[Hit, ...]]:
        """Chains that the usual physics foretell from what was seen before: a source of hypotheses, judged by what was seen after."""
        for _ in range(6):
            way = foretold(self.scene, hits, self.start)
            places = {ball: way(ball, self.times) for ball in self.scene.seen}
            last = {b: max((h.t for h in hits if b in h.balls), default=-np.inf) for b in places}
            first = min(self._crossings(places, last), key=lambda h: h.t, default=None)
            if first is None:
                return
            hits = (*hits, first)
            yield hits

    def _crossings(self, places: Mapping[str, np.ndarray], last: Mapping[str, float]) -> Iterator[Hit]:
        """Where paths first run into walls or each other after the `last` hit of their balls."""
        for ball, way in places.items():
            for hit in self.settler.near_walls(ball, way, self.times, 0.0):
                assert hit.wall is not None
                gaps = np.array([hit.wall(p)[0] for p in way])
                if (t := self._first(gaps, last[ball])) is not None:
                    yield replace(hit, t=t)
            for other, theirs in places.items():
                if other > ball:
                    gaps = np.hypot(*(way - theirs).T) - self.scene.double
                    if (t := self._first(gaps, max(last[ball], last[other]))) is not None:
                        yield Hit("contact", (ball, other), t)

    def _first(self, gaps: np.ndarray, after: float) -> float | None:
        inside = np.flatnonzero((gaps[1:] < 0) & (gaps[1:] < gaps[:-1] - 1e-3) & (self.times[1:] > after))
        if not len(inside):
            return None
        k = int(inside[0])
        part = float(np.clip(gaps[k] / (gaps[k] - gaps[k + 1]), 0.0, 1.0))
        return max(float(self.times[k]) + part * (self.scene.step / 6), after + 1e-4)

    def _try(self, hits: tuple[Hit, ...]) -> tuple[float, Fitted] | None:
        key = tuple(h.key for h in hits)
        if key in self.tried:
            return self.tried[key]
        if any(h.name[0] == "strike" for h in hits[1:]):  # nothing comes before the strike
            return None
        fitted = fit(self.scene, hits, self.start)
        low, high = self.scene.early - _OUTSIDE * self.scene.step, self.scene.late + _OUTSIDE * self.scene.step
        if fitted is None or any(not low < h.t < high for h in fitted.hits):
            return None
        kicks = sum(h.kind == "kick" and not h.name[0] for h in hits)
        cost = fitted.cost + _HIT * (len(hits) - kicks) + _KICK * kicks + self._through(fitted)
        self.tried[key] = (cost, fitted)
        return cost, fitted

    def _through(self, fitted: Fitted) -> float:
        """What it costs that balls run through walls or each other."""
        cost = 0.0
        places = {ball: fitted.path(ball, self.times) for ball in self.scene.seen}
        for ball, way in places.items():
            deepest: dict[tuple, float] = {}
            for p in way:
                for touch in self.settler.walls.touches(p, 0.0):
                    key = (touch.kind, touch.cushion, touch.pocket)
                    deepest[key] = min(deepest.get(key, 0.0), touch.gap)
            cost += sum(min((gap / self.scene.slack) ** 2, 60.0) for gap in deepest.values())
            for other, theirs in places.items():
                if other > ball:
                    gap = float(np.hypot(*(way - theirs).T).min()) - self.scene.double
                    cost += min((min(gap, 0.0) / self.scene.slack_balls) ** 2, 60.0)
        for (h, _), p in fitted.place.items():
            hit = fitted.hits[h]
            if hit.wall is not None:
                cost += min((self.settler.walls.beyond(hit.kind, hit.name[0] or "", hit.name[1], p) / 2) ** 2, 60.0)
        return cost

    def _moves(self, now: Fitted) -> Iterator[tuple[Hit, ...]]:
        hits = now.hits
        more = [h for h in self._candidates(now) if not any(h.key == o.key and abs(h.t - o.t) < 0.3 * self.scene.step for o in hits)]
        for k, hit in enumerate(hits):
            if hit.name[0] == "strike":
                continue
            rest = (*hits[:k], *hits[k + 1 :])
            yield rest
            for new in more:
                if set(new.balls) & set(hit.balls) and new.key != hit.key:
                    yield from self._inserted(rest, new)
            last = hits[k - 1] if k else None
            if last and set(hit.balls) & set(last.balls) and hit.t - last.t < self.scene.step and last.name[0] != "strike":
                yield (*hits[: k - 1], replace(hit, t=last.t), replace(last, t=hit.t), *hits[k + 1 :])
        for new in more:
            yield from self._inserted(hits, new)

    def _inserted(self, hits: tuple[Hit, ...], new: Hit) -> Iterator[tuple[Hit, ...]]:
        place = sum(h.t <= new.t for h in hits)
        yield (*hits[:place], new, *hits[place:])
        for other in (place - 1, place):
            near = 0 <= other < len(hits) and abs(hits[other].t - new.t) < 0.8 * self.scene.step and set(hits[other].balls) & set(new.balls)
            if near and hits[other].name[0] != "strike":
                turned = other if other < place else other + 1
                t = hits[other].t
                yield (*hits[:turned], replace(new, t=t), *hits[turned:])

    def _candidates(self, now: Fitted) -> list[Hit]:
        """Hits that the geometry allows near the present paths."""
        reach = 2 * self.scene.slack + 2.0
        found: list[Hit] = []
        places = {ball: now.path(ball, self.times) for ball in self.scene.seen}
        for ball, way in places.items():
            found += self.settler.near_walls(ball, way, self.times, reach)
            for other, theirs in places.items():
                if other > ball:
                    gaps = np.hypot(*(way - theirs).T) - self.scene.double
                    if gaps.min() < reach:
                        inside = np.flatnonzero(gaps <= 0)
                        k = int(inside[0]) if len(inside) else int(gaps.argmin())
                        found.append(Hit("contact", (ball, other), float(self.times[k])))
        return found
