"""Tracks in the form of MOTChallenge (motchallenge.net, «submission format»).

frame (from 1), id, left, top, width, height (px, the first pixel's corner is 1, 1), confidence, x, y, z (metres in the table's frame).
"""

from __future__ import annotations

from collections.abc import Iterator

from calibration.profile import Profile
from calibration.table import BALLS
from referee.formats.boxes import boxes
from referee.formats.folder import Analysis

# MOTChallenge counts pixels from 1 at the corner of the first one; ours has its centre at 0
_ORIGIN = 1.5


def mot_lines(analysis: Analysis, profile: Profile) -> Iterator[str]:
    """A line a ball and frame; a hidden ball's place is predicted and has the confidence 0."""
    radius = profile.table.radius
    for frame, _, places in analysis.frames():
        by_ball = {place.ball: place for place in places}
        for box in boxes(profile, places, analysis.size):
            place = by_ball[box.ball]
            numbers = (box.left + _ORIGIN, box.top + _ORIGIN, box.width, box.height)
            confidence = 1 if place.state == "seen" else 0
            metres = (place.x / 1000, place.y / 1000, radius / 1000)
            identity = BALLS.index(box.ball) + 1
            yield ",".join([str(frame + 1), str(identity), *(f"{v:.2f}" for v in numbers), str(confidence), *(f"{v:.4f}" for v in metres)])
