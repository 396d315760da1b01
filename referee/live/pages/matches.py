"""The page of matches: all games with a search, their reports and files, and the players' statistics. Open to all who can reach it."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Literal, TypeVar

from fastapi import APIRouter, HTTPException, Response
from fastapi.responses import HTMLResponse

from calibration.errors import UserError
from calibration.table import Table
from referee.live import export
from referee.live.pages.sorry import PageRoute
from referee.live.replay import to_text
from referee.live.service import Service
from referee.live.store import Game, Store
from referee.live.view import told

_HERE = Path(__file__).parent
_TEXTS = {
    "title": ("Матчи", "Matches"),
    "search": ("Имя игрока или дата", "A player's name or a date"),
    "none": ("Здесь будут сыгранные партии.", "Games that were played will be listed here."),
    "nothing": ("Ничего не найдено", "Nothing found"),
    "playing": ("идёт", "being played"),
    "strokes": ("ударов: {n}", "{n} strokes"),
    "check": ("проверить: {n}", "{n} to check"),
    "report": ("Отчёт", "Report"),
    "text": ("Нотация", "Notation"),
    "statistics": ("Статистика игроков", "Players' statistics"),
    "csv": ("Таблицы CSV", "CSV tables"),
    "console": ("Пульт", "Console"),
    "scoreboard": ("Табло", "Scoreboard"),
    "language": ("English", "Русский"),
}
T = TypeVar("T")
Kind = Literal["report", "match.json", "notation.txt"]


@cache
def _template() -> str:
    return (_HERE / "matches.html").read_text("utf-8")


def matches_routes(service: Service, language: str) -> APIRouter:
    """`/` and what it links to; games are named by number, never by a path."""
    routes = APIRouter(route_class=PageRoute)
    store, table = service.store, service.desk.table
    known = _Games(store, table)

    @routes.get("/", response_class=HTMLResponse, include_in_schema=False)
    def page(lang: str = language) -> str:
        lang = "en" if lang == "en" else "ru"
        data = {
            "lang": lang,
            "texts": {k: v[0 if lang == "ru" else 1] for k, v in _TEXTS.items()},
            "games": known.rows(),
        }
        return _template().replace("/*DATA*/", f"const DATA = {to_text(data)};").replace('lang="ru"', f'lang="{lang}"')

    @routes.get("/api/games", tags=["read"])
    def games() -> list[dict]:
        """All games, the newest first."""
        return known.rows()

    @routes.get("/games/{number}/{kind}", tags=["read"])
    def file(number: int, kind: Kind, lang: str = language) -> Response:
        """A game's report, its match.json, or its notation."""
        game = store.game(number)
        if game is None:
            raise HTTPException(404, f"no game {number}")
        lang = "en" if lang == "en" else "ru"
        if kind == "report":
            return HTMLResponse(_made(lambda: export.game_report(store, game, table, lang)))
        if kind == "match.json":
            document = _made(lambda: export.game_document(store, game, table))
            return Response(json.dumps(document, ensure_ascii=False, indent=1), media_type="application/json")
        return Response(_made(lambda: export.game_notation(store, game, table)), media_type="text/plain; charset=utf-8")

    @routes.get("/statistics", response_class=HTMLResponse, include_in_schema=False)
    def statistics(lang: str = language) -> str:
        return _made(lambda: export.seasons_page(store, table, "en" if lang == "en" else "ru"))

    @routes.get("/statistics.zip", tags=["read"])
    def tables() -> Response:
        """All tables of the statistics as CSV."""
        packed = _made(lambda: export.statistics_zip(store, table))
        return Response(packed, media_type="application/zip", headers={"Content-Disposition": "attachment; filename=statistics.zip"})

    return routes


class _Games:
    """A line of each game for the list. A journal is folded anew only when it has grown, for it never shrinks."""

    def __init__(self, store: Store, table: Table) -> None:
        self._store, self._table = store, table
        self._rows: dict[int, tuple[object, dict]] = {}  # by game, with what the game was when it was folded

    def rows(self) -> list[dict]:
        """The newest first."""
        lengths = self._store.lengths()
        return [self._row(game, lengths.get(game.id, 0)) for game in self._store.games()]

    def _row(self, game: Game, length: int) -> dict:
        state = length, game.ended_at
        if game.id not in self._rows or self._rows[game.id][0] != state:
            self._rows[game.id] = state, self._folded(game)
        return self._rows[game.id][1]

    def _folded(self, game: Game) -> dict:
        match, strokes = told(self._store.journal(game.id), self._table)
        began = datetime.fromtimestamp(game.began_at)
        return {
            "id": game.id,
            "date": began.strftime("%Y-%m-%d %H:%M"),
            "players": list(game.players),
            "scores": list(match.scores),
            "strokes": len(strokes),
            "open": sum(s.open for s in strokes),
            "playing": game.ended_at is None,
        }


def _made(make: Callable[[], T]) -> T:
    try:
        return make()
    except UserError as error:
        raise HTTPException(404, str(error)) from None
