"""Shares with their uncertainty, and medians. Pure functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

_Z = 1.959963984540054  # 95 %


@dataclass(frozen=True, slots=True)
class Rate:
    """`made` of `of`; never shown without both."""

    made: int = 0
    of: int = 0

    def __add__(self, other: Rate) -> Rate:
        return Rate(self.made + other.made, self.of + other.of)

    @property
    def share(self) -> float | None:
        """0..1, None without a trial."""
        return self.made / self.of if self.of else None

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval of the share, 0..1; (0, 1) without a trial."""
        if not self.of:
            return 0.0, 1.0
        n, p, z2 = self.of, self.made / self.of, _Z * _Z
        middle = (p + z2 / (2 * n)) / (1 + z2 / n)
        half = _Z * sqrt(p * (1 - p) / n + z2 / (4 * n * n)) / (1 + z2 / n)
        low = 0.0 if self.made == 0 else max(0.0, middle - half)
        return low, 1.0 if self.made == n else min(1.0, middle + half)


@dataclass(frozen=True, slots=True)
class Spread:
    """Quartiles and the largest of `count` values."""

    count: int
    low: float
    median: float
    high: float
    largest: float


def spread(values: Sequence[float]) -> Spread | None:
    """None without values."""
    if not values:
        return None
    ordered = sorted(values)
    return Spread(len(ordered), _quantile(ordered, 0.25), _quantile(ordered, 0.5), _quantile(ordered, 0.75), ordered[-1])


def _quantile(ordered: Sequence[float], q: float) -> float:
    at = q * (len(ordered) - 1)
    i = int(at)
    return ordered[i] + (at - i) * (ordered[min(i + 1, len(ordered) - 1)] - ordered[i])
