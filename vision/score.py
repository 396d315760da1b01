"""How many balls of labelled pictures a detector finds: precision, recall, colour."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import linear_sum_assignment

from models.club import Sample
from vision.detect import COLOURS, Detector


@dataclass(frozen=True, slots=True)
class Figures:
    """Counts: labelled balls, detections, detections within half a ball of a label, those with its colour too."""

    balls: int
    found: int
    right: int
    coloured: int

    @property
    def precision(self) -> float:
        return self.right / self.found if self.found else float(not self.balls)

    @property
    def recall(self) -> float:
        return self.right / self.balls if self.balls else 1.0

    @property
    def colour(self) -> float:
        """Share of the right places with the right colour."""
        return self.coloured / self.right if self.right else 1.0

    @property
    def whole(self) -> float:
        """One figure for all: harmonic mean of precision and recall, where a ball of the wrong colour is wrong (F1)."""
        return 2 * self.coloured / (self.balls + self.found) if self.balls + self.found else 1.0


def scored(detector: Detector, samples: Iterable[Sample]) -> Figures:
    """What the detector makes of pictures, each at the scale of its balls, as it is used on a table that is known."""
    balls = found = right = coloured = 0
    for sample in samples:
        size = sample.diameter
        seen = detector.detect(sample.read(), ball_px=None if np.isnan(size) else size)
        labels = sample.balls
        balls, found = balls + len(labels), found + len(seen)
        far = np.array([[np.hypot(d.x + 0.5 - x, d.y + 0.5 - y) / max(w, h) for _, x, y, w, h in labels] for d in seen])
        far = far.reshape(len(seen), len(labels))
        for r, c in zip(*linear_sum_assignment(np.minimum(far, 1.0)), strict=True):
            if far[r, c] <= 0.5:
                right += 1
                coloured += seen[r].colour == COLOURS[int(labels[c, 0])]
    return Figures(balls, found, right, coloured)
