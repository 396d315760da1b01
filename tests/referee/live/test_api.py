"""The interface of a live table, asked over HTTP and WebSocket while a game is played on the stage."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]
STRIKE = {"t": 0, "type": "strike", "ball": "white"}
CONTACT = {"t": 0.5, "type": "contact", "balls": ["white", "yellow"]}
KISS = {"t": 0.2, "type": "contact", "balls": ["white", "black"]}
POT = {"t": 1.5, "type": "pocket", "ball": "yellow", "pocket": "foot-left"}


@contextmanager
def stage(data: Path, *options: str) -> Iterator[tuple[str, subprocess.Popen]]:
    command = [sys.executable, "-m", "tests.referee.live.stage", str(data), *options]
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST", "NICEGUI"))}
    with open(data.with_suffix(".log"), "a") as errors:
        process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=errors, text=True, env=environment)
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            assert line.startswith("ready"), data.with_suffix(".log").read_text()
            yield line.split()[1].rstrip("/"), process
        finally:
            process.kill()
            process.wait()


def ask(url: str, body: Any = None, *, cookie: str | None = None, method: str | None = None) -> tuple[int, Any]:
    data = None if body is None and method is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"content-type": "application/json"}, method=method or ("POST" if data else "GET"))
    if cookie:
        request.add_header("cookie", cookie)
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.status, json.loads(answer.read() or b"null")
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read() or b"null")


def until(url: str, test, seconds: float = 8.0) -> Any:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        _, document = ask(url)
        if test(document):
            return document
        time.sleep(0.05)
    raise AssertionError(f"{url}: still {document}")


def play(base: str, *events: dict, **rest: Any) -> list[dict]:
    count = len(ask(f"{base}/api/shots")[1])
    ask(f"{base}/stage/stroke", {"events": [STRIKE, *events], **rest})
    return until(f"{base}/api/shots", lambda shots: len(shots) > count)


@pytest.mark.slow
def test_a_game_over_the_interface_with_a_kill_in_between(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with stage(data) as (base, process):
        until(f"{base}/healthz", lambda d: d["source"] in ("healthy", "degraded"))
        status, state = ask(f"{base}/api/state")
        assert status == 200 and state["status"] == "none" and state["source"] in ("healthy", "degraded")
        assert {"player", "scores", "cue_ball", "placement", "positions", "waiting"} <= set(state)
        assert ask(f"{base}/api/call", {"call": "красный в угол"})[0] == 409  # no game yet
        assert ask(f"{base}/api/game", {"players": ["Анна", "Борис"], "target": 30})[0] == 200
        assert ask(f"{base}/api/call", {"call": "жёлтый в левый дальний угол"})[1]["call"] == "жёлтый в левый дальний угол"
        (shot,) = play(base, CONTACT, POT, after={"yellow": None})
        assert (shot["ruling"]["points"], shot["open"]) == (3, False)
        process.send_signal(signal.SIGKILL)
        process.wait()
    with stage(data) as (base, _):
        board = ask(f"{base}/api/state")[1]
        assert (board["players"], board["settled"], board["status"]) == (["Анна", "Борис"], [3, 0], "playing")
        shots = play(base, {**CONTACT, "balls": ["yellow", "red"]}, after={"red": [2500, 400]})
        assert len(shots) == 2 and shots[1]["start_t"] > shots[0]["end_t"]  # time goes on after a restart
        assert ask(f"{base}/api/undo", {})[0] == 200
        assert len(ask(f"{base}/api/shots")[1]) == 1
        assert len(ask(f"{base}/api/redo", {}) and ask(f"{base}/api/shots?after=1")[1]) == 1
        paths = ask(f"{base}/openapi.json")[1]["paths"]
        assert {"/healthz", "/api/state", "/api/shots", "/api/call"} <= set(paths)


@pytest.mark.slow
def test_who_has_no_session_reads_but_does_not_act(tmp_path: Path) -> None:
    with stage(tmp_path / "data", "--pin", "2468") as (base, _):
        assert ask(f"{base}/api/state")[0] == 200
        for path, body in (("game", {"players": ["A", "B"]}), ("call", {"call": None}), ("undo", {}), ("confirm", {"stroke": 1})):
            assert ask(f"{base}/api/{path}", body)[0] == 401, path
        assert ask(f"{base}/api/session", {"pin": "0000"})[0] == 403
        request = urllib.request.Request(f"{base}/api/session", json.dumps({"pin": "2468"}).encode(), {"content-type": "application/json"})
        with urllib.request.urlopen(request, timeout=10) as answer:
            given = answer.headers["set-cookie"]
        assert "HttpOnly" in given and "SameSite=strict" in given
        cookie = given.split(";")[0]
        assert ask(f"{base}/api/game", {"players": ["A", "B"]}, cookie=cookie)[0] == 200
        for body in (
            {"players": ["A", "A"]},
            {"players": ["A"]},
            {"players": ["A", "B"], "target": 0},
            {"players": ["A", "B"], "first": 7},
        ):
            assert ask(f"{base}/api/game", body, cookie=cookie)[0] in (409, 422)
        assert ask(f"{base}/api/session", method="DELETE", cookie=cookie)[0] == 200
        assert ask(f"{base}/api/undo", {}, cookie=cookie)[0] == 401
