"""Pictures of the live camera for the calibration page."""

from __future__ import annotations

import time
from collections.abc import Sequence

from calibration.errors import UserError
from referee.live.service import Service
from referee.web.stills import Picture

_PICTURES, _STEP = 8, 0.25  # pictures to find the table in, and s between them: people move, the table does not


class LiveStills:
    """What the camera shows now. Raises UserError while it shows nothing."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._shown: Picture | None = None

    @property
    def name(self) -> str:
        return self._service.options.address.name

    def pictures(self) -> Sequence[Picture]:
        found = []
        for _ in range(_PICTURES):
            found.append(self._now())
            time.sleep(_STEP)
        self._shown = found[-1]
        return found

    def current(self) -> Picture:
        if self._shown is None:
            self._shown = self._now()
        return self._shown

    def another(self) -> Picture:
        self._shown = self._now()
        return self._shown

    def _now(self) -> Picture:
        frame = self._service.engine.latest
        if frame is None:
            raise UserError("the camera shows nothing yet")
        return frame.bgr()
