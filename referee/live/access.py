"""Who may act: on this machine alone, everybody who sits at it; over a network, who knows the PIN, for some hours.

Scoreboard, overlay and the reading interface are open to all who can reach the server.
"""

from __future__ import annotations

import contextlib
import hmac
import secrets
import threading
import time
from collections.abc import Callable
from http.cookies import CookieError, SimpleCookie

from calibration.errors import UserError

COOKIE = "poedinok_session"
_HOURS = 12.0
_TRIES, _SPAN = 5, 60.0  # wrong PINs from all together in so many seconds, then nobody is let in for as long
_LOOPBACK = ("127.0.0.1", "::1", "localhost")
_LEAST = 4  # characters of a PIN


class Access:
    """Sessions of operators.

    Args:
        host: address that is listened on.
        pin: needed for the console; None only where `host` is this machine alone.

    Raises:
        UserError: a network-facing host without a PIN, or a PIN that is too short.
    """

    def __init__(self, host: str, pin: str | None, clock: Callable[[], float] = time.monotonic) -> None:
        if pin is None and host not in _LOOPBACK:
            raise UserError(f"--host {host}: reachable over the network, expected --pin for the console (or POEDINOK_PIN)")
        if pin is not None and len(pin) < _LEAST:
            raise UserError(f"--pin: expected at least {_LEAST} characters")
        self._pin, self._clock = pin, clock
        self._sessions: dict[str, float] = {}
        self._wrong: list[float] = []
        self._lock = threading.Lock()

    @property
    def open(self) -> bool:
        """Whether no PIN is asked for."""
        return self._pin is None

    def enter(self, pin: str) -> str:
        """The token of a new session. Raises UserError for a wrong PIN, and for a while after several of them."""
        with self._lock:
            now = self._clock()
            self._wrong = [t for t in self._wrong if now - t < _SPAN]
            if len(self._wrong) >= _TRIES:
                raise UserError("too many wrong PINs: wait a minute")
            if self._pin is not None and not hmac.compare_digest(pin.encode(), self._pin.encode()):
                self._wrong.append(now)
                raise UserError("wrong PIN")
            token = secrets.token_urlsafe(24)
            self._sessions = {t: end for t, end in self._sessions.items() if end > now}
            self._sessions[token] = now + _HOURS * 3600
            return token

    def may_open(self, path: str, cookies: str | None) -> bool:
        """Whether a page may be opened with these cookies (the header's text): calibration is for operators."""
        if not path.startswith("/calibrate"):
            return True
        jar = SimpleCookie()
        with contextlib.suppress(CookieError):
            jar.load(cookies or "")
        return self.allowed(jar[COOKIE].value if COOKIE in jar else None)

    def leave(self, token: str | None) -> None:
        """Ends a session."""
        with self._lock:
            self._sessions.pop(token or "", None)

    def allowed(self, token: str | None) -> bool:
        """Whether a session's token may act now."""
        if self._pin is None:
            return True
        with self._lock:
            return token is not None and self._sessions.get(token, 0.0) > self._clock()
