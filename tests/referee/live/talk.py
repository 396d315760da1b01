"""Talks to a live table on the stage (`stage.py`), a process of its own, over HTTP."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

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
    ask(f"{base}/stage/stroke", {"events": [STRIKE, *events], "seconds": 0.3, **rest})
    return until(f"{base}/api/shots", lambda shots: len(shots) > count)
