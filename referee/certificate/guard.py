"""Whether the picture still shows the table as it did at the start of the protocol.

Unlike the analysis, which finds a table anew when the camera was moved, the certificate is about one profile: what it says
is put to the test, and nothing is set right on the way.
"""

from __future__ import annotations

import numpy as np

from calibration.drift import CameraWatch
from calibration.profile import Profile
from vision.frames import Frame

_EVERY = 0.5  # s between looks
_LASTS = 3  # looks in a row that must disagree: people hide much of a table for a moment


class ProfileGuard:
    """`lost`: the times (s) from which on the table was not seen in its place."""

    def __init__(self, frame: Frame, profile: Profile) -> None:
        self.lost: list[float] = []
        self._steady, self._odd, self._looked = True, 0, frame.seconds
        try:
            self._watch: CameraWatch | None = CameraWatch(np.ascontiguousarray(frame.y), np.array(profile.corners_px))
        except ValueError:
            self._watch = None  # nothing to hold on to round the table: nothing can be told

    def look(self, frame: Frame) -> bool:
        """Takes the next frame; whether the table is where it was."""
        if self._watch is None or frame.seconds - self._looked < _EVERY:
            return self._steady
        self._looked = frame.seconds
        same = self._watch.look(np.ascontiguousarray(frame.y)).same
        self._odd = 0 if same == self._steady else self._odd + 1
        if self._odd >= _LASTS:
            self._steady, self._odd = same, 0
            if not same:
                self.lost.append(frame.seconds)
        return self._steady
