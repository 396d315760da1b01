"""A safe start of the pages: only this machine unless told otherwise, no other site's scripts, no surprise about the port."""

from __future__ import annotations

import contextlib
import os
import socket
import sys
import webbrowser
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import urlsplit

from calibration.errors import UserError

_LOOPBACK = ("127.0.0.1", "::1", "localhost")
_ASLEEP_S = 900.0  # a tablet that slept so long finds its page as it was
Scope = MutableMapping[str, Any]


class Guard:
    """ASGI middleware against pages of other sites that reach for this server through the user's browser.

    A request whose `Origin` is another address than its `Host` is refused; a server for this machine alone also refuses
    a `Host` that is not this machine (a name of another site that was pointed at 127.0.0.1).
    """

    def __init__(self, app: Callable[..., Awaitable[None]], *, local: bool) -> None:
        self.app, self._local = app, local

    async def __call__(self, scope: Scope, receive: Callable, send: Callable) -> None:
        if scope["type"] in ("http", "websocket") and not self.allowed(dict(scope["headers"])):
            if scope["type"] == "websocket":
                await receive()
                await send({"type": "websocket.close", "code": 1008})
                return
            await send({"type": "http.response.start", "status": 403, "headers": [(b"content-type", b"text/plain")]})
            await send({"type": "http.response.body", "body": b"only from this machine's own pages\n"})
            return
        await self.app(scope, receive, send)

    def allowed(self, headers: dict[bytes, bytes]) -> bool:
        host = headers.get(b"host", b"").decode("latin-1")
        if self._local and _name(f"//{host}") not in _LOOPBACK:
            return False
        origin = headers.get(b"origin")
        return origin is None or urlsplit(origin.decode("latin-1")).netloc == host


class _Gate:
    """ASGI middleware that sends away who may not open a page."""

    def __init__(self, app: Callable[..., Awaitable[None]], allow: Callable[[str, str | None], bool], elsewhere: str) -> None:
        self.app, self._allow, self._elsewhere = app, allow, elsewhere

    async def __call__(self, scope: Scope, receive: Callable, send: Callable) -> None:
        cookies = dict(scope.get("headers", ())).get(b"cookie")
        if scope["type"] == "http" and not self._allow(scope["path"], cookies.decode("latin-1") if cookies else None):
            headers = [(b"location", self._elsewhere.encode())]
            await send({"type": "http.response.start", "status": 303, "headers": headers})
            await send({"type": "http.response.body", "body": b""})
            return
        await self.app(scope, receive, send)


def _name(address: str) -> str:
    try:
        return urlsplit(address).hostname or ""
    except ValueError:
        return ""


def open_socket(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 is any free one.

    Raises:
        UserError: a port that is taken or not allowed, a host that is not this machine's.
    """
    if not 0 <= port <= 65535:
        raise UserError(f"--port {port}: expected a number from 0 to 65535")
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    except OSError:
        raise UserError(f"--host {host}: not an address of this machine") from None
    listening = socket.socket(family, kind, protocol)
    try:
        if os.name == "posix":
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(64)
    except OSError as error:
        listening.close()
        reason = "in use by another program; give another --port" if error.errno in (48, 98, 10048) else str(error.strerror)
        raise UserError(f"--port {port} on {host}: {reason}") from None
    return listening


def address_of(listening: socket.socket, path: str = "/") -> str:
    """What to type into a browser on this machine."""
    host, port = listening.getsockname()[:2]
    name = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)
    return f"http://{name}:{port}{path}"


def desktop() -> bool:
    """Whether a browser can be opened where a person would see it."""
    if os.environ.get("SSH_CONNECTION") or os.environ.get("CI"):
        return False
    return sys.platform in ("win32", "darwin") or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def serve(
    listening: socket.socket, host: str, *, title: str, path: str = "/", on_ready: Callable[[str], None], routes: Any = None,
    allow: Callable[[str, str | None], bool] | None = None,
) -> None:  # fmt: skip
    """Serves the registered pages until Ctrl+C, or until a page calls `stop`. `on_ready` gets the address to open.

    `routes`: an APIRouter of an interface beside the pages; it is described at /openapi.json then. `allow`: whether a path may be
    opened by who sends these cookies; who may not is sent to `path`.
    """
    import uvicorn
    from fastapi import FastAPI
    from nicegui import app, ui

    outer = FastAPI(title=title, openapi_url="/openapi.json" if routes else None, docs_url=None, redoc_url=None)
    if routes is not None:
        outer.include_router(routes)
    ui.run_with(outer, title=title, dark=True, language="ru", show_welcome_message=False, reconnect_timeout=_ASLEEP_S, tailwind=False)
    app.on_startup(lambda: on_ready(address_of(listening, path)))
    guarded = Guard(outer if allow is None else _Gate(outer, allow, path), local=host in _LOOPBACK)
    config = uvicorn.Config(guarded, log_level="error", ws_max_size=1 << 20, timeout_graceful_shutdown=1)
    try:
        with contextlib.suppress(KeyboardInterrupt):
            uvicorn.Server(config).run(sockets=[listening])
    finally:
        listening.close()


def stop() -> None:
    """Ends `serve`."""
    from nicegui import app

    app.shutdown()


def open_browser(address: str) -> None:
    """Opens the page, on a desktop only."""
    if desktop():
        webbrowser.open(address)
