"""Does a profile fit the video at all? Told when nothing in it confirms the profile: that is no reason to measure nothing.

A wrong profile of the same picture size mostly shows no noses where it expects them, and so contradicts nothing (`guard` refuses those
that do). What lies round the table then tells another place from noses that are only too faint to be seen.
"""

from __future__ import annotations

from calibration.in_place import noses_in_place
from calibration.profile import Profile
from calibration.surroundings import elsewhere, surroundings
from vision.frames import Frame

_EVERY = 1.5  # s between looks: people and dark beginnings pass
_LOOKS = 4  # they take some tenths of a second each

UNFIT = (
    "the profile does not fit this video: neither the cushions nor what lies round the table are seen where it has them; calibrate again"
)
UNCONFIRMED = "nothing seen confirms the profile: the noses are not seen where it has them; is it of this table and camera?"


class Fitting:
    """What the pictures say of a profile whose noses the first one did not confirm."""

    def __init__(self) -> None:
        self._looks = 0
        self._last = -1e9
        self._confirmed = False
        self._elsewhere = True

    def look(self, frame: Frame, profile: Profile) -> None:
        """Takes a picture that is said to show the table where `profile` has it; few of them are looked at."""
        if self._confirmed or self._looks >= _LOOKS or frame.seconds - self._last < _EVERY:
            return
        picture = frame.bgr()
        self._looks += 1
        self._last = frame.seconds
        self._confirmed = noses_in_place(picture, profile.camera, profile.table).confirmed
        self._elsewhere &= elsewhere(profile.around, surroundings(picture, profile.camera, profile.table))

    def notes(self, *, found: bool) -> list[str]:
        """What a reader should know. `found`: all balls and some strokes were, so that faint noses are no matter."""
        if self._confirmed or not self._looks:
            return []
        return [UNFIT] if self._elsewhere else [] if found else [UNCONFIRMED]
