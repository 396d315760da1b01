"""All that was seen of one stretch of motion, frozen: a stroke is told from it (`vision.telling`), in any thread or process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from calibration.profile import Profile
from calibration.table import Table
from vision.guard import Change
from vision.leaving import Left
from vision.record import Sighting
from vision.segment import Span
from vision.unseen import Pictures
from vision.watch import Pot


@dataclass(frozen=True)
class Testimony:
    """A stretch of motion, `span`, as far as it was seen.

    `until`: it was cut short, not by rest, at that time, s; `reason`: of a gap in the frames that ended it. `rims`: the table with
    its holes as they are seen at the end. `seen`: the sightings of all balls since the start of the stretch, also after its end.
    `pictures`: those around it, the first of them frame `first_frame`; `step`: usual time between them, s. `begun`: when the table came
    into view, s; `interrupted`: it had been out of view before. `changes`: of the view so far.
    `vanished`: balls that lay still in one picture and were gone in the next, and when they lay, s. `ended`: no picture follows.
    `missing`: balls that are expected and were not found up to its end, nor seen to fall or to leave the table.
    """

    span: Span
    until: float | None
    reason: str
    balls: tuple[str, ...]
    profile: Profile
    table: Table
    rims: Table
    seen: Mapping[str, tuple[Sighting, ...]]
    pots: tuple[Pot, ...]
    left: tuple[Left, ...]
    pictures: Pictures
    first_frame: int
    step: float
    begun: float
    interrupted: bool
    changes: tuple[Change, ...]
    vanished: tuple[tuple[str, float], ...] = ()
    ended: bool = False
    missing: tuple[str, ...] = ()

    @property
    def end(self) -> float:
        """When it was over or was cut short, s."""
        return self.span.end if self.until is None else self.until

    def sightings(self, end: float) -> dict[str, list[Sighting]]:
        """Of all balls, up to a time, s."""
        return {ball: [s for s in seen if s.t <= end] for ball, seen in self.seen.items()}

    def pictures_of(self, start: float, end: float) -> Pictures:
        """The pictures between two times, s."""
        shown = self.pictures
        part = (shown.t >= start) & (shown.t <= end)
        return Pictures(shown.t[part], shown.damaged[part], shown.again[part], shown.unstamped[part])

    def frame_at(self, t: float) -> int:
        """The number of the frame nearest to a time, s."""
        return self.first_frame + int(np.abs(self.pictures.t - t).argmin())

    @cached_property
    def real_step(self) -> float:
        """Usual time between new pictures: longer than between frames where pictures are shown twice."""
        gaps: list[float] = []
        for seen in self.seen.values():
            fresh = [s.t for s in seen if s.fresh and s.state == "moving"]
            gaps += [b - a for a, b in pairwise(fresh)]
        return max(self.step, float(np.median(gaps))) if len(gaps) >= 5 else self.step

    @cached_property
    def scale(self) -> float:
        """Pixels for a millimetre in the middle of the table."""
        camera, table = self.profile.camera, self.profile.table
        return float(camera.scale_at([[table.length / 2, table.width / 2]], table.radius)[0])

    @property
    def slack(self) -> float:
        """How far (mm) places may be off against cushions and other balls: the calibration, and a part of a pixel."""
        return max(2.0, 1.5 / self.scale)
