"""What was seen of a stretch of motion, as whoever looks for what is seldom in it takes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from calibration.table import Table
from vision.breaks import Path
from vision.record import Sighting


@dataclass(frozen=True, slots=True)
class Evidence:
    """What was seen of the balls in a stretch of motion: their sightings (those of a ball in the air already grounded) and paths.

    `step`: usual time between frames, s. `slack`: error (mm) of places that the calibration leaves.
    """

    table: Table
    sightings: Mapping[str, list[Sighting]]
    paths: Mapping[str, Path]
    step: float
    slack: float
