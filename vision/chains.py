"""The chain of hits that explains a moment best, found by adding, taking away and reordering hits as the evidence grows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from vision.chain import Fitted, Hit, Scene, Wall, fit, foretold
from vision.walls import Walls

_HIT = 2.0  # price of one more hit, beside what the evidence says
_KICK = 14.0  # price of a push by nothing that was seen
_LOOSE = 0.1  # of the way in a frame by which a path that lacks a hit may miss the ball that was hit
_SEAM = 6.0  # mm
_OUTSIDE = 0.4  # frames by which a hit may lie outside the breaks of its moment
_SOON, _AFTER = 1.6, 3  # frames after them by which a ball may be hit once more, if it was seen so often after that
_STRAIN = 12.0  # of a hit, beyond which it is no usual one
_FITS = 60  # chains tried in one moment
_UNLIKELY = 9.0  # cost above the best from which a chain is not told of
_ROUNDS = 5  # chains whose changes are tried


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


def wall_of(walls: Walls, kind: str, cushion: str | None, pocket: str | None) -> Wall:
    """A cushion or jaw as a function of a ball's place."""
    if kind == "cushion" and cushion:
        normal = walls.normal(cushion)
        return lambda p: (walls.cushion_gap(cushion, p), normal)
    return lambda p: walls.jaw_gap(p, cushion or "", pocket or "")


def near_walls(walls: Walls, ball: str, places: np.ndarray, times: np.ndarray, reach: float) -> Iterator[Hit]:
    """Walls that a path (N, 2) comes within `reach` of, each with the time of its least distance."""
    found: dict[tuple, tuple[float, float]] = {}
    for t, p in zip(times, places, strict=True):
        for touch in walls.touches(p, reach):
            key = (touch.kind, touch.cushion, touch.pocket)
            if key not in found or touch.gap < found[key][0]:
                found[key] = (touch.gap, float(t))
    for (kind, cushion, pocket), (_, t) in found.items():
        yield Hit(kind, (ball,), t, (cushion, pocket), wall_of(walls, kind, cushion, pocket))


class Search:
    """Adds, takes away and reorders hits as long as the evidence grows."""

    def __init__(self, walls: Walls, scene: Scene, start: Mapping[str, tuple[np.ndarray, np.ndarray]]):
        self.walls, self.scene, self.start = walls, scene, start
        self.tried: dict[tuple, tuple[float, Fitted]] = {}
        self.times = np.arange(scene.early - 0.6 * scene.step, scene.late + (_SOON + 0.2) * scene.step, scene.step / 6)

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
        ranked = sorted(self.tried.values(), key=lambda f: f[0])
        low, best = ranked[0]
        weights = [float(np.exp(-(c - low) / 2)) for c, _ in ranked]
        total = sum(weights)
        others = tuple((w / total, f) for w, (c, f) in zip(weights[1:], ranked[1:], strict=True) if c < low + _UNLIKELY)
        scene = self.scene
        return Settled(best, self._fits(), 1 / total, others, scene.early, scene.late, tuple(scene.seen))

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
            for hit in near_walls(self.walls, ball, way, self.times, 0.0):
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

    def _try(self, hits: tuple[Hit, ...]) -> None:
        key = tuple(h.key for h in hits)
        if key in self.tried or any(h.name[0] == "strike" for h in hits[1:]):  # nothing comes before the strike
            return
        fitted = fit(self.scene, hits, self.start)
        if fitted is None or not all(self._inside(h) for h in fitted.hits):
            return
        kicks = sum(h.kind == "kick" and not h.name[0] for h in hits)
        self.tried[key] = (fitted.cost + _HIT * (len(hits) - kicks) + _KICK * kicks + self._through(fitted), fitted)

    def _inside(self, hit: Hit) -> bool:
        """Whether a hit belongs to this moment; so does one so soon after it that the new path is too short to break again."""
        scene = self.scene
        if not scene.early - _OUTSIDE * scene.step < hit.t < scene.late + (_OUTSIDE if hit.kind == "kick" else _SOON) * scene.step:
            return False
        late = hit.t > scene.late + _OUTSIDE * scene.step
        return not late or all(int((scene.seen[ball].t > hit.t).sum()) >= _AFTER for ball in hit.balls)

    def _through(self, fitted: Fitted) -> float:
        """What it costs that balls run through walls or each other."""
        cost = 0.0
        places = {ball: fitted.path(ball, self.times) for ball in self.scene.seen}
        for ball, way in places.items():
            deepest: dict[tuple, float] = {}
            for p in way:
                for touch in self.walls.touches(p, 0.0):
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
                cost += min((self.walls.beyond(hit.kind, hit.name[0] or "", hit.name[1], p) / 2) ** 2, 60.0)
        return cost

    def _moves(self, now: Fitted) -> Iterator[tuple[Hit, ...]]:
        hits = now.hits
        more = [h for h in self._candidates(now) if not self._told(h, hits)]
        for k, hit in enumerate(hits):
            if hit.name[0] == "strike":
                continue
            rest = (*hits[:k], *hits[k + 1 :])
            yield rest
            for twin in self._twins(now, k):
                yield (*hits[:k], twin, *hits[k + 1 :])
            for new in more:
                if set(new.balls) & set(hit.balls) and new.key != hit.key:
                    yield from self._inserted(rest, new)
            last = hits[k - 1] if k else None
            if last and set(hit.balls) & set(last.balls) and hit.t - last.t < self.scene.step and last.name[0] != "strike":
                yield (*hits[: k - 1], replace(hit, t=last.t), replace(last, t=hit.t), *hits[k + 1 :])
        for new in more:
            yield from self._inserted(hits, new)

    def _told(self, new: Hit, hits: tuple[Hit, ...]) -> bool:
        """Whether one of the hits is the same as a new one: then none of its balls was hit by something else between the two."""
        for o in hits:
            if o.key == new.key and abs(new.t - o.t) < 0.3 * self.scene.step:
                low, high = sorted((o.t, new.t))
                if not any(set(x.balls) & set(new.balls) and x is not o and low < x.t <= high for x in hits):
                    return True
        return False

    def _twins(self, now: Fitted, k: int) -> Iterator[Hit]:
        """The jaw that a cushion turns into near where it was hit, or the other way round."""
        hit = now.hits[k]
        cushion, pocket = hit.name
        if hit.wall is None or cushion is None:
            return
        pockets = self.walls.seams(cushion, now.place[k, hit.balls[0]], _SEAM)
        if hit.kind == "jaw" and pocket in pockets:
            yield replace(hit, kind="cushion", name=(cushion, None), wall=wall_of(self.walls, "cushion", cushion, None))
        elif hit.kind == "cushion":
            for name in pockets:
                yield replace(hit, kind="jaw", name=(cushion, name), wall=wall_of(self.walls, "jaw", cushion, name))

    def _inserted(self, hits: tuple[Hit, ...], new: Hit) -> Iterator[tuple[Hit, ...]]:
        place = sum(h.t <= new.t for h in hits)
        yield (*hits[:place], new, *hits[place:])
        for other in (place - 1, place):
            near = 0 <= other < len(hits) and abs(hits[other].t - new.t) < 0.8 * self.scene.step and set(hits[other].balls) & set(new.balls)
            if near and hits[other].name[0] != "strike":
                turned = other if other < place else other + 1
                t = hits[other].t
                yield (*hits[:turned], replace(new, t=t), *hits[turned:])

    def _free(self, now: Fitted, ball: str) -> Iterator[slice]:
        """The times between a ball's hits in which it moves: before, between and after them it may have met the same wall."""
        own = [h.t for h in now.hits if ball in h.balls]
        cuts = [0, *np.searchsorted(self.times, own).tolist(), len(self.times)]
        rests = ball in self.scene.resting
        yield from (slice(a, b) for n, (a, b) in enumerate(pairwise(cuts)) if b > a and not (rests and own and n == 0))

    def _candidates(self, now: Fitted) -> list[Hit]:
        """Hits that the geometry allows near the present paths."""
        reach = 2 * self.scene.slack + 2.0
        found: list[Hit] = []
        places = {ball: now.path(ball, self.times) for ball in self.scene.seen}
        for ball, way in places.items():
            for part in self._free(now, ball):
                found += near_walls(self.walls, ball, way[part], self.times[part], reach)
            for other, theirs in places.items():
                if other > ball:
                    gaps = np.hypot(*(way - theirs).T) - self.scene.double
                    fast = float(np.hypot(*np.diff(way - theirs, axis=0).T).max()) / (self.scene.step / 6)
                    if gaps.min() < reach + _LOOSE * fast * self.scene.step:
                        inside = np.flatnonzero(gaps <= 0)
                        k = int(inside[0]) if len(inside) else int(gaps.argmin())
                        found.append(Hit("contact", (ball, other), float(self.times[k])))
        return found
