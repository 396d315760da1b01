"""Pictures of a source for the calibration page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from calibration.source import sample_pictures

Picture = NDArray[np.uint8]
_CAMERA_PICTURES = 10


class Stills(Protocol):
    """Where the page's pictures come from. They may block and may raise UserError: the page calls them in a thread."""

    @property
    def name(self) -> str:
        """What the source is called in the profile: a file name, a camera."""
        ...

    def pictures(self) -> Sequence[Picture]:
        """BGR pictures of one size and one view to find the table in."""
        ...

    def current(self) -> Picture:
        """The picture to show."""
        ...

    def another(self) -> Picture:
        """The next picture to show."""
        ...


class SourceStills:
    """A picture file (read again each time), a video (one of its pictures after another) or a camera (a new picture each time).

    Raises:
        UserError: the source cannot be read.
    """

    def __init__(self, source: str) -> None:
        self._source = source
        self._live = source.isdecimal() or "://" in source
        self._pictures = sample_pictures(source)
        self._shown = len(self._pictures) // 2

    @property
    def name(self) -> str:
        return self._source if self._live else Path(self._source).name

    def pictures(self) -> Sequence[Picture]:
        return self._pictures

    def another(self) -> Picture:
        if self._live or len(self._pictures) == 1:
            self._pictures = sample_pictures(self._source, _CAMERA_PICTURES)
            self._shown = len(self._pictures) // 2
        else:
            self._shown = (self._shown + 1) % len(self._pictures)
        return self._pictures[self._shown]

    def current(self) -> Picture:
        return self._pictures[self._shown]
