"""The replay page: any stroke again, frame by frame, with what the referee saw drawn over it."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Cookie, HTTPException, Query, Response
from fastapi.responses import FileResponse, HTMLResponse, RedirectResponse

from calibration.errors import UserError
from referee import words
from referee.live import documents
from referee.live.access import COOKIE, Access
from referee.live.pages.sorry import PageRoute
from referee.live.replay import Replays, scene, to_text
from referee.live.service import Service
from referee.live.view import StrokeView, told

_HERE = Path(__file__).parent
_TEXTS = {
    "title": ("Повтор", "Replay"),
    "stroke": ("Удар {n}", "Stroke {n}"),
    "cutting": ("Готовим кадры…", "Preparing the pictures…"),
    "play": ("Пуск", "Play"),
    "stop": ("Стоп", "Stop"),
    "before": ("К началу", "To the start"),
    "paths": ("Пути", "Paths"),
    "marks": ("События", "Events"),
    "ghost": ("Как стояли до удара", "As they lay before"),
    "frame": ("кадр {n} из {all}", "frame {n} of {all}"),
    "close": ("Крупно", "Close-up"),
    "console": ("← К пульту", "← To the console"),
    "earlier": ("← Предыдущий удар", "← Earlier stroke"),
    "later": ("Следующий удар →", "Later stroke →"),
    "review": ("Проверить", "To check"),
    "keys": (
        "Пробел — пуск, стрелки — по кадру, с Shift — по десять",
        "Space: play; arrows: one frame, with Shift ten",
    ),
    "speed": ("Скорость", "Speed"),
    "whole": ("обычная", "normal"),
}
Token = Annotated[str | None, Cookie(alias=COOKIE)]


@cache
def _template() -> str:
    return (_HERE / "replay.html").read_text("utf-8").replace("/*REPLAY*/", (_HERE / "replay.js").read_text("utf-8"))


def replay_routes(service: Service, access: Access, language: str) -> APIRouter:
    """`/replay/N` (of the game being played; `?game=` of another) and its pictures. Asks for an operator's session, as the console does."""
    routes = APIRouter(include_in_schema=False, route_class=PageRoute)
    replays = Replays(service.recording, service.options.data / "replay-pictures", service.options.profile)
    service.at_end(replays.close)

    def stroke(number: int, game: int | None, token: str | None) -> tuple[int, StrokeView, int]:
        if not access.allowed(token):
            raise HTTPException(401, "expected an operator's session")
        view = service.desk.view
        chosen = game if game is not None else view.game.id if view.game else None
        if chosen is None or service.store.game(chosen) is None:
            raise HTTPException(404, "no such game")
        known = view.strokes if view.game and view.game.id == chosen else told(service.store.journal(chosen), service.desk.table)[1]
        found = next((s for s in known if s.number == number), None)
        if found is None:
            raise HTTPException(404, f"no stroke {number} in this game")
        return chosen, found, len(known)

    @routes.get("/replay/{number}", response_class=HTMLResponse)
    def page(number: int, game: int | None = None, lang: str = language, token: Token = None) -> Response:
        if not access.allowed(token):
            return RedirectResponse("/console")
        chosen, found, count = stroke(number, game, token)
        lang = "en" if lang == "en" else "ru"
        where = scene(found, service.store, chosen, service.options.profile)
        data = _texts(documents.shot_json(found), lang) | {"scene": where, "game": chosen, "count": count}
        return HTMLResponse(_template().replace("/*DATA*/", f"const DATA = {to_text(data)};").replace('lang="ru"', f'lang="{lang}"'))

    @routes.get("/replay/{number}/cut")
    def cut(number: int, game: int | None = None, token: Token = None) -> dict:
        chosen, found, _ = stroke(number, game, token)
        made = replays.cut(chosen, found)
        return {"times": made.times, "done": made.done, "failed": made.failed}

    @routes.get("/replay/{number}/{index}.jpg")
    def picture(number: int, index: int, game: Annotated[int, Query()], token: Token = None) -> Response:
        stroke(number, game, token)
        path = replays.picture(game, number, index)
        if path is None or not path.is_file():
            raise HTTPException(404)
        return FileResponse(path, media_type="image/jpeg", headers={"Cache-Control": "max-age=3600"})

    @routes.get("/replay/{number}/close/{event}.jpg")
    def close(number: int, event: int, game: Annotated[int, Query()], token: Token = None) -> Response:
        chosen, found, _ = stroke(number, game, token)
        try:
            return Response(replays.close_up(found, service.store, chosen, event), media_type="image/jpeg")
        except UserError as error:
            raise HTTPException(404, str(error)) from None

    return routes


def _texts(shot: dict, lang: str) -> dict:
    """The stroke (`documents.shot_json`) and all that is said of it, in one language."""
    column = 0 if lang == "ru" else 1
    return {
        "lang": lang,
        "texts": {key: pair[column] for key, pair in _TEXTS.items()},
        "shot": shot,
        "events": [words.event(_fields(event))(lang) for event in shot["events"]],
        "doubts": [doubt[lang] for doubt in shot["review"]],
    }


def _fields(event: dict) -> dict:
    return {k: tuple(v) if isinstance(v, list) else v for k, v in event.items()}
