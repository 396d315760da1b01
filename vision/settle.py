"""What happened in each busy moment of a stroke: chains of hits, compared by their evidence.

A moment is a set of breaks that lie so near in time that one may belong to another. The causes found for each break alone
are where the search begins; hits that the geometry allows are added, taken away or put in another order as long as the
evidence grows. So two cushions within a frame, a ball driven into a cushion beside it, or a second touch at once are found,
though no piece of path lies between them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from calibration.table import Table
from vision.breaks import STILL, Break, Path
from vision.chain import Hit, Scene
from vision.chains import Search, Settled, wall_of
from vision.explain import Explained
from vision.pieces import Observations, Piece
from vision.walls import NORMALS, Walls

_NEAR = 1.1  # frames between breaks of one moment, from the end of one to the beginning of the other
_WINDOW = 0.11  # s before and after a moment that are looked at
_SLOW_WINDOW = 0.2  # s: the same where no path breaks, so that whatever happened was slow
_ROLLED, _LONGEST = 40.0, 0.3  # mm that the fastest ball goes before and after at least, s: slow ones bend little and roll evenly
_AHEAD = 6  # observations over which two balls must move against each other to be looked at
_BESIDE, _TURN = 1.0, 0.15  # mm besides the slack between a ball and a nose that it may have touched, s in which it comes and goes
_SHORT = 4  # observations, less one, of a piece that is long enough by itself
_RUNS = 6  # half frames before it turns, in which a ball runs
_JUMP = 40.0  # mm/s: smaller jumps belong to no moment


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
        return sorted([*busy, *self._approaches(busy), *self._turns(busy)], key=lambda m: m.early)

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
                if not self._busy(busy, {a, b}, m):
                    yield _Moment((), (a, b), m - self.step, m + self.step)

    def _turns(self, busy: Sequence[_Moment]) -> Iterator[_Moment]:
        """Moments in which a ball comes up to a nose and turns away, though its path does not break: a soft bounce may hide there."""
        for ball, path in self.paths.items():
            for cushion in NORMALS:
                gaps = self.walls.cushion_gaps(cushion, path.seen.xy)
                near = np.flatnonzero(gaps < self.slack + _BESIDE)
                for row in np.split(near, np.flatnonzero(np.diff(near) > 2) + 1) if len(near) else ():
                    m = self._turn(path, cushion, float(path.seen.t[row[0]]), float(path.seen.t[row[-1]]))
                    if m is not None and not self._busy(busy, {ball}, m) and self.walls.straight(cushion, path.at(m)):
                        yield _Moment((), (ball,), m - self.step, m + self.step)

    def _busy(self, moments: Sequence[_Moment], balls: set[str], t: float) -> bool:
        """Whether one of the moments is about all of some balls at about t s."""
        return any(balls <= set(o.balls) and o.early - 1.5 * self.step < t < o.late + 1.5 * self.step for o in moments)

    def _turn(self, path: Path, cushion: str, start: float, end: float) -> float | None:
        """When a ball on its way comes nearest to a nose between two times, if it comes and goes by more than noise; else None."""
        clock = np.arange(start - _WINDOW, end + _WINDOW, self.step / 2)
        gaps = self.walls.cushion_gaps(cushion, path.way(clock)[0])
        k = int(gaps.argmin())
        part = slice(max(0, k - round(2 * _TURN / self.step)), k + 1 + round(2 * _TURN / self.step))
        least = max(1.0, 1.5 * float(path.seen.sigma.min()))
        away = min(float(gaps[part.start : k + 1].max()), float(gaps[k : part.stop].max())) - float(gaps[k])
        # where it turns a ball that came straight at the nose stands still
        came, went = (float(np.hypot(*path.speed_at(float(clock[n])))) for n in (max(part.start, k - _RUNS), k))
        runs = max(came, went) > STILL
        return float(clock[k]) if runs and away > least and gaps[k] < self.slack + _BESIDE else None

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
        alone = moment.items and len(moment.balls) == 1 and not self._by_a_wall(moment)
        if any(len(seen) < 3 for seen in scene.seen.values()) or (alone and not hits):
            return None
        return Search(self.walls, scene, start).run(hits)

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
        fast = max(float(np.hypot(*self.paths[ball].speed_at(t))) for ball in moment.balls for t in (moment.early, moment.late))
        window = float(np.clip(_ROLLED / max(fast, 1.0), _WINDOW if moment.items else _SLOW_WINDOW, _LONGEST))
        for ball in moment.balls:
            path = self.paths[ball]
            own = sorted((e.at for e in moment.items if e.at.ball == ball), key=lambda b: b.t)
            first = own[0].before if own else path.piece_at(moment.early)
            last = own[-1].after if own else path.piece_at(moment.late)
            low, high = self._undisturbed(ball, moment)
            if own:  # a short piece that no hit ends is part of the way
                low = first.start if first.last - first.first >= _SHORT else max(low, moment.early - window)
                high = last.end if last.last - last.first >= _SHORT else min(high, moment.late + window)
            low, high = max(moment.early - window, low), min(moment.late + window, high)
            s = path.whole
            kept = (s.t >= low - 1e-6) & (s.t <= high + 1e-6)
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
                    hits.append(Hit(c.kind, (e.at.ball,), c.t, (c.cushion, c.pocket), wall_of(self.walls, c.kind, c.cushion, c.pocket)))
            jump = float(np.hypot(*e.at.change))
            if not struck and not e.causes and jump > max(100.0, 4 * e.at.speed_sigma):
                hits.append(Hit("kick", (e.at.ball,), e.at.t))
        hits = [h for h in hits if h.kind != "kick" or h.name[0] or not any(h.balls[0] in o.balls for o in hits if o is not h)]
        return tuple(sorted(hits, key=lambda h: (h.name[0] != "strike", h.t)))


def _rests(piece: Piece, t: float) -> bool:
    """Whether a ball lies still in its piece before t; what a parabola's end does is noise."""
    end = min(t, piece.end)
    begin = max(piece.start, end - _WINDOW)
    if end - begin < 1e-6:
        return float(np.hypot(*piece.speed_at(t))) < STILL
    way = float(np.hypot(*(piece.at(end) - piece.at(begin))))
    return way < max(STILL * (end - begin), 2.5 * piece.sigma_at(end))
