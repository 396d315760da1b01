"""The pages of a live table: matches, console, scoreboard, overlay, replay, calibration."""

from __future__ import annotations

from fastapi import APIRouter

from referee.live.access import Access
from referee.live.pages.board import board_routes
from referee.live.pages.console import console_routes
from referee.live.pages.matches import matches_routes
from referee.live.pages.replay import replay_routes
from referee.live.service import Service


def register_pages(service: Service, access: Access, language: str = "ru") -> APIRouter:
    """Puts the pages that act on the app, before it is started, and returns the plain ones."""
    routes = APIRouter()
    routes.include_router(board_routes(language))
    routes.include_router(matches_routes(service, language))
    routes.include_router(console_routes(service.desk.table, language))
    routes.include_router(replay_routes(service, access, language))
    return routes
