"""Soak of `live`: python -m tests.bench.soak_live [--minutes 30] [--keep DIR] [--seed 1]

The real `poedinok live`, a process of its own, looks at a camera that this script serves over HTTP at real speed: the sample
match at 960x540, 30 frames/s, again and again, with faults: stalls, a frozen picture, damaged packets, a closed connection, a
jump of its clock, one kill -9. Told at the end: how soon each fault was shown, memory after 5 minutes and at the end, and whether
the journal holds each stroke that no fault touched exactly once, and no other.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from bisect import bisect_right
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import av
import numpy as np

from referee.live.recording import frames_between
from referee.live.store import Store
from referee.match import Played
from tests.bench.live_clips import smaller, smaller_profile, strokes

SIZE, EVERY = (960, 540), 2
RATE = 60 // EVERY
FAULTS = ("stall", "frozen", "damaged", "gone", "jump")
LASTS = {"stall": 4.0, "frozen": 4.0, "damaged": 3.0, "gone": 4.0, "jump": 0.0, "killed": 0.0}
SHOWN = {
    "stall": ("stale",), "frozen": ("stale",), "damaged": ("degraded", "stale", "lost"), "gone": ("lost",),
    "jump": ("degraded", "lost"), "killed": ("silent",), "the loop begins again": ("degraded", "lost"),
}  # fmt: skip
WITHIN = 3.0  # s in which a fault must be shown
SEARCHED = 12.0  # s after a fault in which balls that lie elsewhere are found, have settled, and are told
SETTLE = 4.0  # s after a fault in which the source comes back and the balls are found anew
USUAL = 0.9  # s from rest to journal, to tell live time from the wall's
FIRST_STROKE = 3.0  # s into the loop: nothing is played before


@dataclass
class Fault:
    """`start`, `end`: monotonic s; `at` s into the loop; `shown`: s after the start until the state was told, None: never."""

    kind: str
    start: float
    end: float
    at: float
    shown: float | None = None
    state: str = ""


@dataclass
class Camera:
    """The stream: what it sends at a moment, and the faults that it has."""

    path: Path
    seed: int
    t0: float = 0.0
    faults: list[Fault] = field(default_factory=list)
    shift: float = 0.0
    loop: int = 0

    def __post_init__(self) -> None:
        with av.open(str(self.path)) as container:
            stream = container.streams.video[0]
            found = [(bytes(p), bool(p.is_keyframe)) for p in container.demux(stream) if p.size]
        self.packets = [data for data, _ in found]
        self.keys = [n for n, (_, key) in enumerate(found) if key]
        self.length = len(self.packets) / RATE

    def key_at(self, n: int) -> int:
        """The last key frame up to packet `n`."""
        return self.keys[bisect_right(self.keys, n) - 1]

    def fault_now(self, now: float) -> Fault | None:
        return next((f for f in self.faults if f.start <= now < f.end), None)

    def send(self, write: Any) -> None:
        """Sends until the other side goes away or the connection is to be closed."""
        rng = random.Random(self.seed)
        with av.open(str(self.path)) as like, av.open(write, "w", format="mpegts", options={"flush_packets": "1"}) as out:
            stream = out.add_stream_from_template(like.streams.video[0])
            origin = self.t0
            n = int((time.monotonic() - origin) * RATE) + 1
            wait_key, frozen = True, None
            while True:
                due = origin + n / RATE
                time.sleep(max(0.0, due - time.monotonic()))
                fault = self.fault_now(due)
                kind = fault.kind if fault else ""
                if kind == "gone":
                    return
                index = n % len(self.packets)
                n += 1
                if kind == "stall":
                    wait_key = True
                    continue
                if kind == "frozen":
                    frozen = self.key_at(index) if frozen is None else frozen
                    index, wait_key = frozen, True
                else:
                    frozen = None
                    if wait_key and index not in self.keys:
                        continue
                    wait_key = False
                packet = av.Packet(_damaged(self.packets[index], rng) if kind == "damaged" and n % 3 == 0 else self.packets[index])
                packet.stream, packet.time_base = stream, Fraction(1, 90_000)
                packet.pts = packet.dts = round((n / RATE + self.shift) * 90_000)
                packet.is_keyframe = index in self.keys
                out.mux(packet)


def _damaged(data: bytes, rng: random.Random) -> bytes:
    broken = bytearray(data)
    for _ in range(max(3, len(data) // 200)):
        broken[rng.randrange(min(32, len(data) - 1), len(data))] ^= 1 << rng.randrange(8)
    return bytes(broken)


def serve(camera: Camera) -> int:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            fault = camera.fault_now(time.monotonic())
            if fault and fault.kind == "gone":
                self.send_error(503)
                return
            self.send_response(200)
            self.send_header("Content-Type", "video/mp2t")
            self.end_headers()
            with suppress(OSError, av.FFmpegError):
                camera.send(self.wfile)

        def log_message(self, *_: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]


def planned(camera: Camera, minutes: float, seed: int) -> list[Fault]:
    """One fault in two of three loops at a random place, a kill in the third minute; each loop begins with a jump of the clock."""
    rng = random.Random(seed)
    found: list[Fault] = []
    loops = int(minutes * 60 / camera.length) + 1
    kill = 3 if loops > 4 else 1
    for loop in range(loops):
        begin = camera.t0 + loop * camera.length
        if loop:
            found.append(Fault("the loop begins again", begin, begin, 0.0))
        at = rng.uniform(8.5, camera.length - 8.0)
        if loop == kill:
            found.append(Fault("killed", begin + at, begin + at, at))
        elif loop % 3:
            kind = FAULTS[(loop - loop // 3) % len(FAULTS)]
            found.append(Fault(kind, begin + at, begin + at + LASTS[kind], at))
    return found


class Live:
    """The process under test."""

    def __init__(self, folder: Path, profile: Path, address: str) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.folder, self.profile, self.address = folder, profile, address
        self.base = f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        program = str(Path(sys.executable).parent / "poedinok")
        command = [program, "live", self.address, "--profile", str(self.profile), "--data", str(self.folder / "data"), "--port"]
        environment = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        with open(self.folder / "live.log", "a") as log:
            self.process = subprocess.Popen([*command, str(self.port)], stdout=log, stderr=log, env=environment)

    def ask(self, path: str, body: Any = None, timeout: float = 3.0) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, {"content-type": "application/json"})
        with urllib.request.urlopen(request, timeout=timeout) as answer:
            return json.loads(answer.read())

    def rss(self) -> float:
        """MB of memory in use."""
        with suppress(OSError):
            for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
                if line.startswith("VmRSS"):
                    return int(line.split()[1]) / 1024
        return 0.0

    def cpu(self) -> float:
        """Processor seconds used so far."""
        with suppress(OSError):
            fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
            return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        return 0.0


@dataclass
class Watch:
    """What was seen of the process: (monotonic s, source state) and (s since the start, MB)."""

    states: list[tuple[float, str]] = field(default_factory=list)
    memory: list[tuple[float, float]] = field(default_factory=list)
    load: list[float] = field(default_factory=list)
    dropped: int = 0
    frames: int = 0
    ups: list[tuple[float, float]] = field(default_factory=list)  # from a kill until fresh frames again
    cpu: float = 0.0
    heard: int = 0


def watched(live: Live, camera: Camera, until: float) -> Watch:
    """Asks each 0.2 s, starts games and settles strokes as a marker would, kills and restarts when it is time."""
    seen, begun, last = Watch(), time.monotonic(), {"dropped": 0, "frames": 0}
    kills = [f for f in camera.faults if f.kind == "killed"]
    shifts = [f for f in camera.faults if f.kind in ("jump", "the loop begins again")]
    game, told, restart = -1, 0.0, None
    while (now := time.monotonic()) < until:
        while shifts and now >= shifts[0].start:
            camera.shift += 5.0
            shifts.pop(0)
        if kills and now >= kills[0].start:
            seen.cpu += live.cpu()
            seen.dropped, seen.frames = seen.dropped + last["dropped"], seen.frames + last["frames"]
            live.process.send_signal(signal.SIGKILL)
            live.process.wait()
            seen.states.append((time.monotonic(), "silent"))
            restart = kills.pop(0)
            live.start()
        try:
            last = live.ask("/api/state")
            seen.states.append((now, last["source"]))
            if restart and last["source"] in ("healthy", "degraded"):
                restart.end = now
                restart = None
            loop, place = divmod(now - camera.t0, camera.length)
            if loop % 4 == 0 and loop != game and 0.8 < place < FIRST_STROKE:
                game = loop
                live.ask("/api/game", {"players": ["Анна", "Борис"]})
            for number in last["open"]:
                live.ask("/api/confirm", {"stroke": number})
        except (OSError, ValueError):
            seen.states.append((now, "silent"))
        if now - told > 10:
            told = now
            seen.memory.append((now - begun, live.rss()))
            seen.load.append(os.getloadavg()[0])
        time.sleep(0.2)
    seen.dropped, seen.frames = seen.dropped + last["dropped"], seen.frames + last["frames"]
    seen.cpu += live.cpu()
    return seen


def listen(live: Live, seen: Watch, stop: threading.Event) -> None:
    """A scoreboard that reads along."""
    from websockets.exceptions import WebSocketException
    from websockets.sync.client import connect

    while not stop.is_set():
        with suppress(OSError, WebSocketException), connect(live.base.replace("http", "ws") + "/api/events") as socket_:
            for _ in socket_:
                seen.heard += 1
                if stop.is_set():
                    return
        stop.wait(0.5)


def shown(faults: list[Fault], seen: Watch) -> None:
    """Notes when each fault was told."""
    for fault in faults:
        for t, state in seen.states:
            if fault.start <= t <= max(fault.end, fault.start) + WITHIN and state in SHOWN[fault.kind]:
                fault.shown, fault.state = t - fault.start, state
                break


def journal(folder: Path, epoch: float) -> tuple[list[tuple[float, float]], list[float]]:
    """When each stroke was written down (monotonic s), and its end in live time (s); and when one of which only the outcome was seen."""
    store = Store(folder / "data" / "live.sqlite")
    told: dict[tuple[int, int], tuple[float, Played]] = {}
    for game in store.games():
        for entry in store.journal(game.id):
            if isinstance(entry.what, Played) and entry.at is not None:  # one that is told again counts as it was told first
                told.setdefault((game.id, entry.what.stroke), (entry.at - epoch, entry.what))
    store.close()
    seen = sorted((at, played.end_t or 0.0) for at, played in told.values() if played.shot.events)
    return seen, sorted(at for at, played in told.values() if not played.shot.events)


@dataclass
class Books:
    """The journal against what was played. `late`: s from the last ball's rest until it was written down."""

    expected: int = 0
    lost: list[str] = field(default_factory=list)
    doubled: list[str] = field(default_factory=list)
    strange: list[str] = field(default_factory=list)
    touched: int = 0
    late: list[float] = field(default_factory=list)
    unseen: int = 0


def unexplained(camera: Camera, unseen: list[float]) -> list[str]:
    """Strokes told by their outcome alone where nothing kept anybody from seeing; balls jump where the loop begins again."""
    spans = [(f.start, max(f.end, f.start) + SEARCHED) for f in camera.faults]
    return [f"loop {(t - camera.t0) / camera.length:.2f}" for t in unseen if not any(a <= t <= b for a, b in spans)]


def on_the_wall(camera: Camera, written: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """(end, written), both in monotonic s: live time begins anew with the process, so before and after the kill."""
    kills = [f.start for f in camera.faults if f.kind == "killed"] + [float("inf")]
    found, last = [], 0.0
    for until in kills:
        part = [(at, end) for at, end in written if last <= at < until]
        shift = float(np.median([at - end for at, end in part])) - USUAL if part else 0.0
        found += [(end + shift, at) for at, end in part]
        last = until
    return found


def compared(camera: Camera, ends: list[tuple[float, float]], begun: float, ended: float) -> Books:
    """Each stroke outside faults must be there once, at its own time; what else is there must lie where a fault was."""
    books, left = Books(), ends
    spans = [(f.start, f.end + SETTLE) for f in camera.faults if f.kind != "the loop begins again"]
    free = list(spans)
    loop = 0
    while (begin := camera.t0 + loop * camera.length) < ended:
        for n, (start, end) in enumerate(strokes()):
            a, b = begin + start - 0.6, begin + end + 1.2
            if b > ended or a < begun:
                free.append((a, b))
                continue
            if any(a < f1 and b > f0 for f0, f1 in spans):
                books.touched += 1
                free.append((a, b + 2))
                continue
            books.expected += 1
            mine = [pair for pair in left if abs(pair[0] - begin - end) <= 1.2]
            name = f"loop {loop} stroke {n + 1}"
            if not mine:
                books.lost.append(name)
            elif len(mine) > 1:
                books.doubled.append(name)
            books.late += [at - begin - end for _, at in mine[:1]]
            left = [pair for pair in left if pair not in mine]
        loop += 1
    books.strange = [f"loop {(t - camera.t0) / camera.length:.2f}" for t, _ in left if not any(a <= t <= b + 2 for a, b in free)]
    return books


def told(camera: Camera, seen: Watch, books: Books, readable: int, minutes: float) -> tuple[str, bool]:
    """The table, and whether all is well."""
    lines = ["| fault | times | shown as | shown after (median, most) s |", "|---|---|---|---|"]
    fine = True
    for kind in ("stall", "frozen", "damaged", "gone", "jump", "the loop begins again", "killed"):
        mine = [f for f in camera.faults if f.kind == kind]
        if not mine:
            continue
        delays = [f.shown for f in mine if f.shown is not None]
        fine &= len(delays) == len(mine) and max(delays, default=0.0) <= WITHIN
        states = "/".join(sorted({f.state for f in mine if f.state}))
        told_of = f"{np.median(delays):.1f}, {max(delays):.1f}" if delays else "never"
        missing = "" if len(delays) == len(mine) else f" (NOT shown: {len(mine) - len(delays)})"
        lines.append(f"| {kind} | {len(mine)} | {states} | {told_of}{missing} |")
    after = [mb for t, mb in seen.memory if t >= min(300.0, minutes * 30)]
    fifth, end = float(np.median(after[:3] or [0])), float(np.median(after[-3:] or [0]))
    fine &= not (books.lost or books.doubled or books.strange) and end < fifth * 1.1 + 20
    shares = f"{seen.dropped} of {seen.dropped + seen.frames} ({100 * seen.dropped / max(1, seen.dropped + seen.frames):.2f} %)"
    late = books.late or [0.0]
    lines += [
        "", "| | |", "|---|---|",
        f"| minutes, loops | {minutes:g}, {minutes * 60 / camera.length:.1f} |",
        f"| strokes outside faults: expected, lost, doubled | {books.expected}, {len(books.lost)}, {len(books.doubled)} |",
        f"| strokes touched by faults; entries that no stroke explains | {books.touched}; {len(books.strange)} |",
        f"| told by where the balls lie, after faults and where the loop begins again | {books.unseen} |",
        f"| rest to journal, s: median, most | {np.median(late):.2f}, {max(late):.2f} |",
        f"| memory MB: after 5 min, end, most | {fifth:.0f}, {end:.0f}, {max(mb for _, mb in seen.memory):.0f} |",
        f"| frames seen, dropped | {seen.frames}, {shares} |",
        f"| processor of live, cores | {seen.cpu / (minutes * 60):.2f} |",
        f"| messages read by a scoreboard | {seen.heard} |",
        f"| pictures of the last clean stroke in the recording | {readable} |",
        f"| load of the machine: mean, most | {np.mean(seen.load):.1f}, {max(seen.load):.1f} |",
    ]  # fmt: skip
    lines += [f"LOST {x}" for x in books.lost] + [f"DOUBLED {x}" for x in books.doubled] + [f"STRANGE {x}" for x in books.strange]
    return "\n".join(lines), fine


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--keep", type=Path, help="a folder for the data, kept; else a temporary one")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = asked.keep or Path(name)
        folder.mkdir(parents=True, exist_ok=True)
        clip = folder / "camera.ts"
        if not clip.is_file():
            smaller(clip, SIZE, every=EVERY)
        profile = smaller_profile(folder / "camera.toml", SIZE)
        camera = Camera(clip, asked.seed, t0=time.monotonic())
        port = serve(camera)
        live = Live(folder, profile, f"http://127.0.0.1:{port}/camera")
        live.start()
        try:
            text, fine = soaked(live, camera, folder, asked.minutes, asked.seed)
        finally:
            live.process.send_signal(signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):
                live.process.wait(15)
            live.process.kill()
    print(text + ("\nall as it should be" if fine else "\nNOT as it should be"), flush=True)
    sys.exit(0 if fine else 1)


def soaked(live: Live, camera: Camera, folder: Path, minutes: float, seed: int) -> tuple[str, bool]:
    end = time.monotonic() + 90
    while time.monotonic() < end:
        with suppress(OSError, ValueError):
            if live.ask("/api/state")["source"] in ("healthy", "degraded"):
                break
        time.sleep(0.3)
    # the measured loops begin now: the content goes on, so the first of them begins at the next start of the match
    camera.t0 += camera.length * (int((time.monotonic() - camera.t0) / camera.length) + 1)
    time.sleep(max(0.0, camera.t0 - time.monotonic()))
    camera.shift += 5.0
    camera.faults = planned(camera, minutes, seed)
    epoch = time.time() - time.monotonic()
    seen, stop = Watch(), threading.Event()
    threading.Thread(target=listen, args=(live, seen, stop), daemon=True).start()
    heard = seen
    seen = watched(live, camera, camera.t0 + minutes * 60)
    stop.set()
    seen.heard = heard.heard
    ended = time.monotonic()
    camera.faults = [f for f in camera.faults if max(f.start, f.end) + WITHIN < ended]
    shown(camera.faults, seen)
    written, unseen = journal(folder, epoch)
    books = compared(camera, on_the_wall(camera, written), camera.t0 + FIRST_STROKE, ended)
    books.unseen, books.strange = len(unseen), [*books.strange, *unexplained(camera, unseen)]
    last = written[-1][1] if written else 0.0
    readable = sum(1 for _ in frames_between(folder / "data" / "recording", last - 2.0, last))
    return told(camera, seen, books, readable, minutes)


if __name__ == "__main__":
    main()
