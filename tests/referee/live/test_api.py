"""The interface of a live table, asked over HTTP and WebSocket while a game is played on the stage."""

from __future__ import annotations

import json
import signal
import urllib.request
from pathlib import Path

import pytest

from tests.referee.live.talk import CONTACT, POT, ask, play, stage, until


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
