"""Scoreboard for the hall and overlay for a broadcast: plain pages that read the interface; they show only what is settled."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

from referee import words

_HERE = Path(__file__).parent
_PARTS = ("score", "last", "call", "source")

_TEXTS = {
    "waiting": ("Ждём начала игры", "Waiting for the game"),
    "to": ("до {n}", "to {n}"),
    "paused": ("Пауза", "Pause"),
    "over": ("Победа: {name}", "{name} wins"),
    "ended": ("Игра окончена", "The game is over"),
    "open": ("Удар на проверке у судьи", "A stroke is with the referee"),
    "call": ("Заказ", "Call"),
    "degraded": ("Камера: помехи", "Camera: trouble"),
    "stale": ("Камера не показывает нового", "The camera shows nothing new"),
    "lost": ("Камеры нет", "No camera"),
    "filmover": ("Запись окончена", "The recording is over"),
    "nolink": ("Нет связи с судьёй", "No connection to the referee"),
    "points": ("+{n}", "+{n}"),
    "hand": ("с рук", "in hand"),
    "house": ("с рук из дома", "in hand, house"),
}


@cache
def _page(name: str, lang: str) -> str:
    column = 0 if lang == "ru" else 1
    texts = {key: pair[column] for key, pair in _TEXTS.items()}
    rules = {number: text(lang) for number, text in words.RULE.items()}
    balls = {name: text(lang) for name, text in words.BALL.items()}
    data = json.dumps({"texts": texts, "rules": rules, "balls": balls, "lang": lang}, ensure_ascii=False).replace("<", "\\u003c")
    page = (_HERE / f"{name}.html").read_text("utf-8")
    script = (_HERE / "board.js").read_text("utf-8")
    return page.replace("/*WORDS*/", f"const WORDS = {data};").replace("/*BOARD*/", script).replace('lang="ru"', f'lang="{lang}"')


def board_routes(language: str) -> APIRouter:
    """`/scoreboard` and `/overlay`; `?lang=ru|en`, and for the overlay `?parts=score,last,call` and `?scale=1.5`."""
    routes = APIRouter()

    @routes.get("/scoreboard", response_class=HTMLResponse, include_in_schema=False)
    def scoreboard(lang: str = language) -> str:
        return _page("scoreboard", "en" if lang == "en" else "ru")

    @routes.get("/overlay", response_class=HTMLResponse, include_in_schema=False)
    def overlay(lang: str = language) -> str:
        return _page("overlay", "en" if lang == "en" else "ru")

    return routes
