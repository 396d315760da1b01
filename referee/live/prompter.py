"""Says the calls of a file at their times in a video that is played as a camera, as a marker would say them."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

from calibration.errors import UserError
from referee.callfile import TimedCall
from referee.live.desk import Desk
from referee.live.engine import Glance

_log = logging.getLogger(__name__)


class Prompter:
    """Told of each glance at the table.

    Args:
        calls: in order of time.
        zero: live time, s, of the video's time stamp zero; None before it begins. Another one: it begins again.
    """

    def __init__(self, calls: Sequence[TimedCall], desk: Desk, zero: Callable[[], float | None]) -> None:
        self._calls, self._desk, self._now = calls, desk, zero
        self._zero: float | None = None
        self._said = 0

    def look(self, glance: Glance) -> None:
        zero = self._now()
        if zero is None:
            return
        if zero != self._zero:
            self._zero, self._said = zero, 0
        while self._said < len(self._calls) and zero + self._calls[self._said].video_t <= glance.t:
            call = self._calls[self._said]
            self._said += 1
            if self._desk.view.status != "playing":
                continue
            try:
                self._desk.call(call.text, at=zero + call.video_t)
            except UserError as error:
                _log.warning("line %d of the calls: %s", call.line, error)
