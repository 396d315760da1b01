"""Is the picture still the table seen from where it was calibrated? Cuts to other views and moved cameras."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from calibration.drift import CameraWatch
from vision.frames import Frame

_EVERY = 0.5  # s between looks
_CUT = 14.0  # mean change of luma between two frames that calls for a look at once
_GRID = 12  # px between the points compared for that


@dataclass(frozen=True, slots=True)
class Change:
    """The view changed at `t` s: `other` (another scene), `moved` (by `shift_px`), or `back`."""

    t: float
    kind: str
    shift_px: float = 0.0


class ViewGuard:
    """Tells for every frame whether the table can be believed to be where the profile says.

    `steady` is False while another view is shown or the camera has moved.
    """

    def __init__(self, frame: Frame, corners: np.ndarray):
        self.steady = True
        self.changes: list[Change] = []
        self._last_look = frame.seconds
        self._suspect = 0
        self._grid = self._points(frame)
        try:
            self._watch: CameraWatch | None = CameraWatch(np.ascontiguousarray(frame.y), corners)
        except ValueError:
            self._watch = None  # nothing to hold on to round the table: nothing can be told

    @staticmethod
    def _points(frame: Frame) -> np.ndarray:
        return np.ascontiguousarray(frame.y[::_GRID, ::_GRID])

    def look(self, frame: Frame) -> bool:
        """Takes the next frame; returns `steady`."""
        if self._watch is None:
            return True
        grid = self._points(frame)
        jump = float(cv2.mean(cv2.absdiff(grid, self._grid))[0])
        self._grid = grid
        if jump < _CUT and frame.seconds - self._last_look < _EVERY and not self._suspect:
            return self.steady
        self._last_look = frame.seconds
        view = self._watch.look(np.ascontiguousarray(frame.y))
        if view.same == self.steady:
            self._suspect = 0
            return self.steady
        # a cut is plain at once; a slow disagreement (people at the rails) must last
        self._suspect += 1
        if jump < _CUT and self._suspect < (3 if self.steady else 2):
            return self.steady
        self._suspect, self.steady = 0, view.same
        kind = "back" if view.same else "other" if np.isnan(view.shift_px) else "moved"
        self.changes.append(Change(frame.seconds, kind, 0.0 if np.isnan(view.shift_px) else view.shift_px))
        return self.steady
