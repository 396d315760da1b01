"""Balls that are followed on thin evidence: is another spot of the colour the ball after all?

At the start, and when a ball comes back, the best spot of its colour is followed even if the network does not see a ball there:
it misses some. A panel over the picture or a mark may be taken so. Until the network sees that ball there too, or it has rolled,
the spot is compared with what else the network takes for this ball.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from vision.seek import Candidate, price

_SURE = 0.4  # of the network that a spot is this ball
_BETTER = 5.0  # YUV levels by which the other spot fits better, at the least, with the word of the network for it
_LOOKS = 2  # searches in a row that find it at the same place
_ROLLED = 5  # sightings on the way that no mark and no panel gives


@dataclass
class _Doubted:
    """Where a ball is taken to lie, px; what else may be it, and in how many searches that was there."""

    at: tuple[float, float]
    rival: tuple[float, float] | None = None
    looks: int = 0
    rolled: int = 0


class Rivals:
    """Which balls are followed in doubt, and the spots that may be them instead."""

    def __init__(self) -> None:
        self._doubted: dict[str, _Doubted] = {}

    def __bool__(self) -> bool:
        return bool(self._doubted)

    @property
    def places(self) -> list[tuple[float, float]]:
        """Where balls may lie that are followed elsewhere, px."""
        return [d.rival for d in self._doubted.values() if d.rival is not None]

    def took(self, ball: str, spot: Candidate) -> None:
        """A ball is followed from this spot on."""
        self.forget(ball)
        if not _is_seen(spot, ball):
            self._doubted[ball] = _Doubted((spot.x, spot.y))

    def forget(self, ball: str) -> None:
        """The ball is no more followed, or beyond doubt."""
        self._doubted.pop(ball, None)

    def rolls(self, ball: str, x: float, y: float, radius: float) -> None:
        """The ball was measured on its way, at (x, y) px."""
        doubted = self._doubted.get(ball)
        if doubted is None or np.hypot(x - doubted.at[0], y - doubted.at[1]) < radius:
            return
        doubted.rolled += 1
        if doubted.rolled >= _ROLLED:
            self.forget(ball)

    def compare(self, seen: Sequence[Candidate], free: Sequence[Candidate], now: Mapping[str, tuple[float, float]]) -> dict[str, Candidate]:
        """Balls that lie elsewhere than they are followed, and where.

        Args:
            seen: all that a search of the picture found.
            free: what of it is not followed as any ball.
            now: where balls are seen now, px; of others nothing is told.
        """
        elsewhere: dict[str, Candidate] = {}
        for ball, doubted in list(self._doubted.items()):
            if ball not in now:
                doubted.rival, doubted.looks = None, 0
                continue
            x, y = now[ball]
            own = min((c for c in seen if np.hypot(c.x - x, c.y - y) < 0.7 * c.radius), key=lambda c: price(c, ball), default=None)
            if own is not None and _is_seen(own, ball):
                self.forget(ball)
                continue
            limit = price(own, ball) - _BETTER if own is not None else np.inf
            better = [c for c in free if _is_seen(c, ball) and price(c, ball) < limit]
            spot = min(better, key=lambda c: price(c, ball), default=None)
            if spot is None:
                doubted.rival, doubted.looks = None, 0
                continue
            near = doubted.rival is not None and np.hypot(spot.x - doubted.rival[0], spot.y - doubted.rival[1]) < 0.15 * spot.radius
            doubted.rival, doubted.looks = (spot.x, spot.y), doubted.looks + 1 if near else 1
            if doubted.looks >= _LOOKS:
                elsewhere[ball] = spot
        return elsewhere


def _is_seen(spot: Candidate, ball: str) -> bool:
    """Whether the network takes a spot for this ball."""
    return spot.opinion is not None and spot.opinion[0] == ball and spot.opinion[1] >= _SURE
