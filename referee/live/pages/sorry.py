"""A page for a person where the interface would say an error in JSON: in the browser's own words, with a way on."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import HTTPException, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse
from fastapi.routing import APIRoute

from referee.live.pages.said import SAID

_TEXTS = {
    "title": ("Здесь ничего нет", "There is nothing here"),
    "console": ("Пульт", "Console"),
    "matches": ("Матчи", "Matches"),
    "address": ("неверный адрес", "this address is not right"),
}
_PAGE = """<!doctype html>
<html lang="{lang}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Poedinok</title>
<style>
body {{ margin: 0; min-height: 100vh; display: grid; place-content: center; gap: 12px; padding: 24px; text-align: center;
  background: #161719; color: #f1efe9; font: 18px/1.45 "Inter", "Segoe UI", "Noto Sans", "DejaVu Sans", Arial, sans-serif; }}
h1 {{ font-size: 26px; font-weight: 600; margin: 0; }} p {{ margin: 0; color: #a3a5a8; }}
a {{ color: #8fb8ff; min-height: 44px; display: inline-flex; align-items: center; padding: 0 14px; }}
</style></head>
<body><h1>{title}</h1><p>{text}</p>
<nav><a href="/console?lang={lang}">{console}</a><a href="/?lang={lang}">{matches}</a></nav></body></html>
"""


class PageRoute(APIRoute):
    """A route whose errors a browser shows as a page; programs get them as JSON as before."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handler = super().get_route_handler()

        async def friendly(request: Request) -> Response:
            try:
                return await handler(request)
            except (HTTPException, RequestValidationError) as error:
                if "text/html" not in request.headers.get("accept", ""):
                    raise
                status, detail = (error.status_code, str(error.detail)) if isinstance(error, HTTPException) else (422, "")
                return sorry(status, detail, "en" if request.query_params.get("lang") == "en" else "ru")

        return friendly


def sorry(status: int, detail: str, lang: str) -> HTMLResponse:
    """The page. `detail`: the interface's message, in English; empty: the address is wrong."""
    column = 0 if lang == "ru" else 1
    texts = {key: pair[column] for key, pair in _TEXTS.items()}
    text = _in_words(detail, lang) if detail else texts["address"]
    return HTMLResponse(_PAGE.format(lang=lang, text=html.escape(text), **texts), status)


def _in_words(detail: str, lang: str) -> str:
    if lang == "ru":
        for pattern, russian in SAID:
            if found := re.fullmatch(pattern, detail):
                return re.sub(r"\{(\d)\}", lambda n: found[int(n[1])] or "", russian)
    return detail
