"""The pages of a live table: matches, console, scoreboard, overlay, replay, calibration."""

from __future__ import annotations

from referee.live.access import Access
from referee.live.service import Service


def register_pages(service: Service, access: Access, language: str = "ru") -> None:
    """Puts all pages on the app, before it is started."""
