"""The HTTP and WebSocket interface of a live table, for other scoreboards and remote controls (docs/LIVE.md, /openapi.json)."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Cookie, HTTPException, Query, Response, WebSocket, WebSocketDisconnect
from pydantic import BaseModel, Field

from calibration.errors import UserError
from referee.live import documents
from referee.live.access import COOKIE, Access
from referee.live.service import Service

_WAITING = 50  # messages that a slow reader may be behind; older ones are dropped
_BEAT = 1.0  # s between two words about the source
Token = Annotated[str | None, Cookie(alias=COOKIE)]


class Pin(BaseModel):
    """What opens the console."""

    pin: str = Field(max_length=64)


class Start(BaseModel):
    """A game to begin."""

    players: tuple[str, str]
    target: int | None = Field(None, ge=1, le=999)
    handicap: tuple[int, int] = (0, 0)
    first: Literal[0, 1] = 0


class CallText(BaseModel):
    """A call: a text, a structured call (contract: adjudication), or null to take it back. `stroke`: of an earlier one."""

    call: str | dict[str, Any] | None = Field(None)
    stroke: int | None = Field(None, ge=1, le=100_000)


class Which(BaseModel):
    """A stroke by its number."""

    stroke: int = Field(ge=1, le=100_000)


class Way(Which):
    """One of a stroke's alternatives, counted from 0."""

    way: int = Field(ge=0, le=1000)


class Correction(Which):
    """What happened instead: all events in order (contract: adjudication), and places after the stroke where they differ."""

    events: list[dict[str, Any]] = Field(max_length=200)
    positions: dict[Literal["white", "yellow", "red", "black"], tuple[float, float] | None] = Field(default_factory=dict)


class HandFoul(Which):
    """A foul that the camera does not see."""

    kind: Literal["touch", "double_hit", "push", "press"]
    ball: Literal["white", "yellow", "red", "black"]


def router(service: Service, access: Access) -> APIRouter:
    """All addresses of the interface; what acts asks for an operator's session."""
    routes = APIRouter()
    _reading(routes, service)
    _entering(routes, access)
    _acting(routes, service, access)
    _watching(routes, service)
    return routes


def _reading(routes: APIRouter, service: Service) -> None:
    @routes.get("/healthz", tags=["read"])
    def healthz(response: Response) -> dict[str, Any]:
        """200 while fresh frames arrive, 503 else."""
        health = service.health()
        response.status_code = 200 if health.fresh else 503
        return {"source": str(health.state), "reason": health.reason}

    @routes.get("/api/state", tags=["read"])
    def state() -> dict[str, Any]:
        """The state before the next stroke (contract: adjudication), the board and the source."""
        return documents.state_json(service)

    @routes.get("/api/shots", tags=["read"])
    def shots(after: Annotated[int, Query(ge=0)] = 0) -> list[dict[str, Any]]:
        """The strokes of the game with a number above `after`."""
        return [documents.shot_json(s) for s in service.desk.view.strokes if s.number > after]

    @routes.get("/api/picture.jpg", tags=["read"], response_class=Response)
    def picture() -> Response:
        """The latest picture of the camera, at most 960 px wide."""
        data = service.engine.picture()
        if data is None:
            raise HTTPException(404, "no picture yet")
        return Response(data, media_type="image/jpeg", headers={"Cache-Control": "no-store"})

    @routes.get("/api/table", tags=["read"])
    def table() -> dict[str, Any]:
        """The balls as they are seen now."""
        return documents.glance_json(service.glance)


def _entering(routes: APIRouter, access: Access) -> None:
    @routes.post("/api/session", tags=["act"])
    def enter(pin: Pin, response: Response) -> dict[str, bool]:
        """Opens an operator's session: sets its cookie."""
        try:
            token = access.enter(pin.pin)
        except UserError as error:
            raise HTTPException(403, str(error)) from None
        response.set_cookie(COOKIE, token, httponly=True, samesite="strict", max_age=12 * 3600)
        return {"ok": True}

    @routes.get("/api/session", tags=["act"])
    def session(token: Token = None) -> dict[str, bool]:
        """Whether this browser may act, and whether a PIN is asked for at all."""
        return {"allowed": access.allowed(token), "pin": not access.open}

    @routes.delete("/api/session", tags=["act"])
    def leave(response: Response, token: Token = None) -> dict[str, bool]:
        """Ends the session."""
        access.leave(token)
        response.delete_cookie(COOKIE)
        return {"ok": True}


def _acting(routes: APIRouter, service: Service, access: Access) -> None:
    desk = service.desk

    def act(token: str | None, what: Callable[[], Any]) -> dict[str, Any]:
        if not access.allowed(token):
            raise HTTPException(401, "expected an operator's session (POST /api/session)")
        try:
            return documents.board_json(what())
        except UserError as error:
            raise HTTPException(409, str(error)) from None

    @routes.post("/api/game", tags=["act"])
    def start(game: Start, token: Token = None) -> dict[str, Any]:
        """Begins a game."""
        return act(token, lambda: desk.start(game.players, target=game.target, handicap=game.handicap, first=game.first))

    @routes.post("/api/game/{what}", tags=["act"])
    def change(what: Literal["next", "pause", "resume", "end"], token: Token = None) -> dict[str, Any]:
        """The next game of the same two, a pause, its end, or the game's end."""
        acts = {"next": desk.next_game, "pause": desk.pause, "resume": lambda: desk.pause(False), "end": desk.end}
        return act(token, acts[what])

    @routes.post("/api/call", tags=["act"])
    def call(said: CallText, token: Token = None) -> dict[str, Any]:
        """The call for the next stroke, or a late one."""
        return act(token, lambda: desk.call(said.call, said.stroke))

    @routes.post("/api/confirm", tags=["act"])
    def confirm(which: Which, token: Token = None) -> dict[str, Any]:
        """The ruling stands."""
        return act(token, lambda: desk.confirm(which.stroke))

    @routes.post("/api/choose", tags=["act"])
    def choose(way: Way, token: Token = None) -> dict[str, Any]:
        """One of the alternatives is what happened."""
        return act(token, lambda: desk.choose(way.stroke, way.way))

    @routes.post("/api/correct", tags=["act"])
    def correct(right: Correction, token: Token = None) -> dict[str, Any]:
        """A person says what happened."""
        return act(token, lambda: desk.correct_events(right.stroke, right.events, dict(right.positions)))

    @routes.post("/api/foul", tags=["act"])
    def foul(seen: HandFoul, token: Token = None) -> dict[str, Any]:
        """A foul that the camera does not see."""
        return act(token, lambda: desk.foul(seen.stroke, seen.kind, seen.ball))

    @routes.post("/api/undo", tags=["act"])
    def undo(token: Token = None) -> dict[str, Any]:
        """Takes the last act back."""
        return act(token, desk.undo)

    @routes.post("/api/redo", tags=["act"])
    def redo(token: Token = None) -> dict[str, Any]:
        """Takes the last undo back."""
        return act(token, desk.redo)


def _watching(routes: APIRouter, service: Service) -> None:
    @routes.websocket("/api/events")
    async def events(socket: WebSocket) -> None:
        """Messages `{"type": "board" | "table" | "source", ...}` as things happen; a source message each second."""
        await socket.accept()
        loop, waiting = asyncio.get_running_loop(), asyncio.Queue(_WAITING)

        def offer(message: dict[str, Any]) -> None:
            if waiting.full():
                waiting.get_nowait()
            waiting.put_nowait(message)

        def tell(kind: str, document: dict[str, Any]) -> None:
            with contextlib.suppress(RuntimeError):  # the loop is closed
                loop.call_soon_threadsafe(offer, {"type": kind} | document)

        stops = [
            service.desk.listen(lambda view: tell("board", documents.board_json(view))),
            service.listen(lambda glance: tell("table", documents.glance_json(glance))),
        ]
        try:
            await socket.send_json({"type": "board"} | documents.board_json(service.desk.view))
            gone, beat = asyncio.create_task(_until_gone(socket)), 0.0
            while not gone.done():
                if loop.time() - beat >= _BEAT:
                    beat = loop.time()
                    await socket.send_json({"type": "source"} | documents.source_json(service))
                with contextlib.suppress(TimeoutError):
                    await socket.send_json(await asyncio.wait_for(waiting.get(), _BEAT))
        except (WebSocketDisconnect, RuntimeError):
            pass
        finally:
            for stop in stops:
                stop()


async def _until_gone(socket: WebSocket) -> None:
    """Reads what the other side sends, which means nothing here, until it goes."""
    with contextlib.suppress(WebSocketDisconnect, RuntimeError):
        while True:
            await socket.receive_text()
