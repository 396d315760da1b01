"""The console of the marker: calls, rulings, what is to be settled. A plain page that acts through the interface."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

from calibration.table import Table
from referee import words
from referee.live.pages.console_texts import TEXTS
from referee.live.pages.said import SCRIPT, patterns

_HERE = Path(__file__).parent


def console_routes(table: Table, language: str) -> APIRouter:
    """`/console`, in the language of `?lang=`. The page itself holds nothing; what it does asks for a session."""
    routes = APIRouter()

    @routes.get("/console", response_class=HTMLResponse, include_in_schema=False)
    def console(lang: str = language) -> str:
        return _page(table, "en" if lang == "en" else "ru")

    return routes


@cache
def _page(table: Table, lang: str) -> str:
    column = 0 if lang == "ru" else 1

    def told(known: dict) -> dict[str, str]:
        return {name: text(lang) for name, text in known.items()}

    data = {
        "lang": lang,
        "texts": {key: pair[column] for key, pair in TEXTS.items()},
        "balls": told(words.BALL), "cushions": told(words.CUSHION), "pockets": told(words.POCKET), "rules": told(words.RULE),
        "outcomes": told(words.OUTCOME),
        "table": {
            "length": table.length, "width": table.width, "ball": table.ball,
            "pockets": [{"name": p.name, "x": p.centre[0], "y": p.centre[1], "r": p.radius} for p in table.pockets],
        },
    }  # fmt: skip
    page = (_HERE / "console.html").read_text("utf-8").replace('lang="ru"', f'lang="{lang}"')
    scripts = "\n".join((_HERE / name).read_text("utf-8") for name in ("console.js", "console_call.js", "console_strokes.js"))
    known = f"const DATA = {json.dumps(data, ensure_ascii=False)}, SAID = {json.dumps(patterns(lang), ensure_ascii=False)};"
    return page.replace("/*DATA*/", known.replace("<", "\\u003c") + SCRIPT).replace("/*CONSOLE*/", scripts)
