"""Pictures of the pages for docs/LIVE.md: python -m tests.bench.live_pictures DIR [--all]

The real `poedinok live` plays the sample match; a game is begun and its calls are said. `--all`: every page in both languages on a
phone, a tablet and a wall screen; else the few that the docs show.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.bench.live_clips import smaller, smaller_profile
from tests.bench.soak_live import Live

SIZES = {"phone": (420, 860), "tablet": (1024, 768), "wall": (1920, 1080)}
PAGES = {
    "console": "/console", "scoreboard": "/scoreboard", "overlay": "/overlay?parts=score,call,last,source", "replay": "/replay/4",
    "matches": "/", "calibrate": "/calibrate",
}  # fmt: skip
CALLS = {2: "жёлтый в левый дальний угол", 3: "красный от борта в левый дальний угол"}
SHOWN = (
    "console-ru-tablet", "console-en-phone", "scoreboard-ru-wall", "overlay-en-tablet", "replay-ru-tablet", "replay-en-phone",
    "matches-ru-tablet", "calibrate-en-wall", "console-en-wall", "scoreboard-en-phone",
)  # fmt: skip


def main() -> None:
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--all", action="store_true")
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    names = [f"{page}-{lang}-{size}" for page in PAGES for lang in ("ru", "en") for size in SIZES] if asked.all else list(SHOWN)
    with tempfile.TemporaryDirectory() as name, sync_playwright() as kit:
        folder = Path(name)
        video = smaller(folder / "table.mp4", (1280, 720), every=2)
        chromium = kit.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        )
        live = Live(folder, smaller_profile(folder / "table.toml", (1280, 720)), str(video))
        live.start()
        try:
            _played(live)
            names.sort(key=lambda n: not n.startswith("console"))  # while the balls still lie as the last ruling left them
            for shot in names:
                _picture(chromium, live, asked.out, shot)
        finally:
            live.process.kill()
            live.process.wait()
            chromium.close()


def _played(live: Live) -> None:
    """The match up to its fourth stroke."""
    while True:
        try:
            if len(live.ask("/api/table")["balls"]) == 3:  # the white one is put on the table later
                break
        except OSError:
            pass
        time.sleep(0.1)
    live.ask("/api/game", {"players": ["Анна Петрова", "Борис Лебедев"], "target": 30})
    said: set[int] = set()
    while (count := len(live.ask("/api/shots"))) < 4:
        if count in CALLS and count not in said:
            said.add(count)
            live.ask("/api/call", {"call": CALLS[count]})
        time.sleep(0.1)


def _picture(chromium: Any, live: Live, out: Path, name: str) -> None:
    page_name, lang, size = name.split("-")
    width, height = SIZES[size]
    context = chromium.new_context(viewport={"width": width, "height": height})
    page = context.new_page()
    path = PAGES[page_name]
    page.goto(f"{live.base}{path}{'&' if '?' in path else '?'}lang={lang}")
    if page_name == "overlay":
        page.add_style_tag(content="html { background: #3c6b50 !important; }")
    if page_name == "replay":
        page.wait_for_function("() => !document.getElementById('place').textContent.endsWith('…') && times.length > 0", timeout=60_000)
        page.wait_for_function("() => document.getElementById('picture').naturalWidth > 0")
        page.evaluate("() => go(Math.floor(times.length / 2))")
    if page_name == "calibrate":
        page.wait_for_timeout(3000)
        page.wait_for_function("() => !/Ищу стол|Looking for the table/.test(document.body.innerText)", timeout=90_000)
    page.wait_for_timeout(900)
    page.screenshot(path=str(out / f"live-{name}.jpg"), type="jpeg", quality=72, full_page=page_name in ("console", "matches", "replay"))
    context.close()


if __name__ == "__main__":
    main()
