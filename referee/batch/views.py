"""Which videos one camera made: a few small grey pictures of each are compared round the table's noses."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.drift import CameraWatch
from calibration.in_place import noses_in_place
from calibration.profile import Profile
from calibration.source import sample_pictures

Picture = NDArray[np.uint8]
COUNT = 4  # pictures of a video that are compared
_WIDTH = 960  # longer side of the small pictures, px
_STILL = 0.4  # px of a small picture that a corner of the table may seem to go: 1.6 mm where it fills the picture


def small_views(path: Path) -> list[bytes]:
    """A few pictures of a video, spread over it, small and grey, as JPEG. Raises UserError."""
    views = []
    for picture in sample_pictures(str(path), COUNT)[:COUNT]:
        grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
        scale = _WIDTH / max(grey.shape)
        small = cv2.resize(grey, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR)
        views.append(cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, 95])[1].tobytes())
    return views


class Reference:
    """The view of one camera.

    Args:
        views: small pictures of a video that it made (`small_views`).
        corners: (4, 2) px of the noses' rectangle in the full picture.
        size: width and height of the full picture, px.
    """

    def __init__(self, views: Sequence[bytes], corners: Sequence[Sequence[float]], size: tuple[int, int]) -> None:
        scale = _WIDTH / max(size)
        self._corners = (np.asarray(corners, float) + 0.5) * scale - 0.5
        self._views = [_grey(view) for view in views]

    def shows(self, views: Sequence[bytes]) -> bool:
        """Whether most of another video's pictures are of the same view, to a part of a pixel.

        People hide the table in some pictures; a moved camera is elsewhere in all. A doubt is a no: then it is calibrated anew.
        """
        pictures = [_grey(view) for view in views]
        alike = [any(self._same(own, picture) for own in self._views) for picture in pictures]
        return bool(alike) and 2 * sum(alike) > len(alike)

    def _same(self, own: Picture, other: Picture) -> bool:
        try:
            view = CameraWatch(own, self._corners).look(other)  # a new one each time: it remembers what it has looked at
        except ValueError:  # nothing to hold on to in this picture
            return False
        return view.same and view.shift_px <= _STILL


def _grey(view: bytes) -> Picture:
    return np.asarray(cv2.imdecode(np.frombuffer(view, np.uint8), cv2.IMREAD_GRAYSCALE), np.uint8)


def agrees(profile: Profile, pictures: Sequence[Picture]) -> bool:
    """Whether noses are seen where the profile says, in most of the pictures (BGR) of a video.

    What cannot be seen does not agree: a profile is then used only if it is named.
    """
    height, width = pictures[0].shape[:2]
    if (width, height) != profile.size:
        return False
    some = pictures[:: max(1, len(pictures) // COUNT)]
    seen = [noses_in_place(p, profile.camera, profile.table).confirmed for p in some]
    return 2 * sum(seen) > len(seen)
