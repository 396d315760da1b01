"""Who may reach the pages, and what happens when the port is taken."""

from __future__ import annotations

import asyncio
import socket

import pytest

from calibration.errors import UserError
from referee.web.serve import Guard, address_of, open_socket


@pytest.mark.parametrize(
    ("host", "origin", "allowed"),
    [
        ("127.0.0.1:8090", None, True),
        ("localhost:8090", "http://localhost:8090", True),
        ("[::1]:8090", None, True),
        ("127.0.0.1:8090", "http://127.0.0.1:9999", False),
        ("127.0.0.1:8090", "https://elsewhere.example", False),
        ("elsewhere.example:8090", None, False),
        ("elsewhere.example:8090", "http://elsewhere.example:8090", False),
        ("127.0.0.1.elsewhere.example", None, False),
        ("[", None, False),
        ("", None, False),
    ],
)
def test_a_local_server_answers_only_its_own_pages(host, origin, allowed):
    headers = {b"host": host.encode()} | ({b"origin": origin.encode()} if origin else {})
    assert Guard(_never, local=True).allowed(headers) is allowed


def test_a_server_for_the_network_still_refuses_other_sites():
    guard = Guard(_never, local=False)
    assert guard.allowed({b"host": b"192.168.1.5:8090", b"origin": b"http://192.168.1.5:8090"})
    assert not guard.allowed({b"host": b"192.168.1.5:8090", b"origin": b"https://elsewhere.example"})


def test_refused_requests_never_reach_the_pages():
    sent = []

    async def send(message):
        sent.append(message)

    async def receive():
        return {"type": "websocket.connect"}

    for kind in ("http", "websocket"):
        scope = {"type": kind, "headers": [(b"host", b"elsewhere.example")]}
        asyncio.run(Guard(_never, local=True)(scope, receive, send))
    assert sent[0]["status"] == 403 and sent[-1] == {"type": "websocket.close", "code": 1008}


async def _never(scope, receive, send):
    raise AssertionError("reached")


def test_a_taken_port_is_named():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(UserError, match=rf"--port {port}.*in use"):
            open_socket("127.0.0.1", port)


def test_wrong_ports_and_hosts_are_named():
    with pytest.raises(UserError, match="--port 70000"):
        open_socket("127.0.0.1", 70000)
    with pytest.raises(UserError, match="--host"):
        open_socket("no.such.host.invalid", 0)
    with pytest.raises(UserError, match=r"--port 0 on 192\.0\.2\.1"):
        open_socket("192.0.2.1", 0)


def test_the_address_is_one_that_this_machine_can_open():
    listening = open_socket("0.0.0.0", 0)
    with listening:
        assert address_of(listening, "/calibrate") == f"http://127.0.0.1:{listening.getsockname()[1]}/calibrate"
