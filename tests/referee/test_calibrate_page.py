"""The calibration page in a real browser, from start to save: with a mouse and a keyboard, and with fingers on a tablet."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import tomllib
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import cv2
import numpy as np
import pytest

from referee.cli import main
from tests.calibration.scenes import OVERHEAD, TABLE, corners_of
from tests.referee.web.stills import BALLS, ball_px, table_picture

CHROMIUM = Path("/usr/bin/chromium")


@pytest.fixture(scope="module")
def picture(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("page") / "table.png"
    cv2.imwrite(str(path), table_picture())
    return path


@contextmanager
def served(picture: Path, out: Path) -> Iterator[tuple[str, subprocess.Popen]]:
    """The page of a picture; its address and the process."""
    command = [sys.executable, "-m", "referee.cli", "calibrate", str(picture), "--page", "--out", str(out), "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=_environment(), cwd=out.parent)
    try:
        line = process.stdout.readline()  # pyright: ignore[reportOptionalMemberAccess]
        address = re.search(r"http://127\.0\.0\.1:\d+/", line)
        assert address, line
        yield address[0], process
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()


def _environment() -> dict[str, str]:
    import os

    root = str(Path(__file__).parents[2])
    return {**os.environ, "CI": "1", "PYTHONPATH": root, "PYTHONUNBUFFERED": "1"}


@contextmanager
def browsing(address: str, *, width: int, height: int, touch: bool = False):
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=arguments)
        page = browser.new_context(viewport={"width": width, "height": height}, has_touch=touch).new_page()
        page.set_default_timeout(30_000)
        errors: list[str] = []
        elsewhere: list[str] = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
        page.on(
            "request", lambda request: None if request.url.startswith((address.split("?")[0], "data:")) else elsewhere.append(request.url)
        )
        page.goto(address)
        page.wait_for_selector("[data-step=corners].done")  # the table is found
        yield page
        assert errors == [] and elsewhere == []
        browser.close()


def _on_screen(page, px: tuple[float, float]) -> tuple[float, float]:
    """Where on the screen a pixel of the picture is shown."""
    box = page.locator(".sheet").bounding_box()
    return box["x"] + (px[0] + 0.5) * box["width"] / 1280, box["y"] + (px[1] + 0.5) * box["height"] / 720


def _handle_place(page, name: str) -> tuple[float, float]:
    x, y = page.get_attribute(f"[data-handle={name}]", "aria-label").split(", ")[-2:]
    return float(x), float(y)


def _type_ball(page, value):
    """Types a size as a person would: again, if an answer to what was done before has just written the old one over it."""
    for _ in range(5):
        page.fill("#ball", value)
        page.press("#ball", "Enter")
        page.wait_for_timeout(700)
        if page.input_value("#ball") == value:
            return
    raise AssertionError(f"the ball's size {value} is not taken")


def _wait_for_corner(page, name: str, expected: tuple[float, float]) -> None:
    page.wait_for_function(
        """([name, x, y]) => {
            const place = document.querySelector(`[data-handle=${name}]`).ariaLabel.split(', ').slice(-2).map(Number);
            return Math.hypot(place[0] - x, place[1] - y) < 0.16;
        }""",
        arg=[name, *expected],
    )


@pytest.mark.browser
@pytest.mark.skipif(not CHROMIUM.exists(), reason="no chromium")
@pytest.mark.slow
def test_from_start_to_save_with_a_mouse(picture, tmp_path):
    out = tmp_path / "table.toml"
    with served(picture, out) as (address, process), browsing(address, width=1280, height=800) as page:
        assert page.inner_text("h1") == "Калибровка стола"
        truth = corners_of(OVERHEAD, TABLE)
        np.testing.assert_allclose([_handle_place(page, f"corner{k}") for k in range(4)], truth, atol=3)

        page.click("[data-step=table] .head")
        page.select_option("#kind", "pyramid-11ft")
        page.wait_for_function("document.querySelector('[data-step=table] .sum').textContent.includes('11')")
        page.select_option("#kind", "pyramid-12ft")
        page.wait_for_function("document.querySelector('[data-step=table] .sum').textContent.includes('12')")  # it writes the ball's size
        page.fill("#ball", "6")
        page.press("#ball", "Enter")
        page.wait_for_selector("[data-step=table] .notice.warn:has-text('от 20 до 100')")
        page.wait_for_function("document.querySelector('#ball').value === '68'")
        _type_ball(page, "67.5")

        page.click("[data-action=next-table]")
        start = _handle_place(page, "corner2")
        x, y = _on_screen(page, start)
        page.mouse.move(x + 3, y - 2)  # not quite in its middle: it must not jump
        page.mouse.down()
        page.mouse.move(x + 30, y - 2, steps=4)
        loupe = page.locator(".loupe").bounding_box()
        assert abs(loupe["x"] + loupe["width"] / 2 - x - 27) > 40 or abs(loupe["y"] + loupe["height"] / 2 - y) > 40
        page.mouse.move(x + 3, y - 2, steps=4)
        page.mouse.up()
        _wait_for_corner(page, "corner2", start)
        page.wait_for_function("document.querySelector('[data-step=corners] .state').textContent.includes('вручную')")

        page.focus("[data-handle=corner2]")
        for keys in ("ArrowRight", "Shift+ArrowDown", "Alt+ArrowLeft", "Shift+ArrowUp"):
            page.keyboard.press(keys)
        _wait_for_corner(page, "corner2", (start[0] + 0.9, start[1]))

        page.click("[data-action=next-corners]")
        assert "слева" in page.inner_text("[data-step=house] .state")
        page.click("[data-action=swap]")
        page.wait_for_function("document.querySelector('[data-step=house] .state').textContent.includes('справа')")

        page.click("[data-action=next-house]")
        page.wait_for_selector(".board.mode-balls")
        page.mouse.click(*_on_screen(page, ball_px((1775.0, 300.0), 0)))
        page.wait_for_selector("[data-step=balls] .notice.warn:has-text('сукно')")
        for count, (place, _) in enumerate(BALLS.values(), 1):
            page.mouse.click(*_on_screen(page, ball_px(place, 0)))
            page.wait_for_selector(f"[data-step=balls] .sum:has-text('{count} из 4')")
        page.click("[data-action=undo]")
        page.wait_for_selector("[data-step=balls] .sum:has-text('3 из 4')")
        page.keyboard.press("Control+Shift+z")
        page.wait_for_selector("[data-step=balls] .sum:has-text('4 из 4')")

        page.click("[data-lang=en]")
        page.wait_for_selector("h1:has-text('Calibrate a table')")
        page.click("[data-action=next-balls]")
        page.click("[data-action=save]")
        page.wait_for_selector("[data-step=save] .notice.good:has-text('table.toml')")
        page.click("[data-action=finish]")
        page.wait_for_selector("[data-step=save] .notice:has-text('You can close this page')")
        assert process.wait(20) == 0

    profile = tomllib.loads(out.read_text())
    assert profile["table"]["name"] == "pyramid-12ft" and profile["table"]["ball_mm"] == 67.5
    moved = (round(start[0] + 0.9, 1), round(start[1], 1))
    np.testing.assert_allclose(profile["picture"]["corners_px"][0], moved, atol=0.11)  # swapped: foot left is home right now
    assert profile["picture"]["home"] == "right" and profile["picture"]["home_from"] == "chosen on the page"
    for ball, (_, (b, g, r)) in BALLS.items():
        np.testing.assert_allclose(list(bytes.fromhex(profile["balls"][ball][1:])), (r, g, b), atol=6)
    assert profile["made"]["from"] == "table.png" and profile["made"]["program"].startswith("poedinok")


@pytest.mark.browser
@pytest.mark.skipif(not CHROMIUM.exists(), reason="no chromium")
@pytest.mark.slow
def test_on_a_tablet_with_fingers(picture, tmp_path):
    out = tmp_path / "table.toml"
    with served(picture, out) as (address, _), browsing(address + "?lang=en", width=768, height=1024, touch=True) as page:
        assert page.evaluate("document.documentElement.scrollWidth") <= 768
        page.tap("[data-step=corners] .head")
        start = _handle_place(page, "corner0")
        x, y = _on_screen(page, start)
        finger = page.context.new_cdp_session(page)

        def touch(kind: str, *points: tuple[float, float]) -> None:
            finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": a, "y": b} for a, b in points]})

        touch("touchStart", (x + 8, y + 9))
        touch("touchMove", (x + 38, y + 9))
        page.wait_for_selector(".loupe")
        loupe = page.locator(".loupe").bounding_box()
        assert loupe["y"] + loupe["height"] < y + 9 - 20  # above the finger
        touch("touchMove", (x + 28, y + 9))
        touch("touchEnd")
        scale = 1280 / page.locator(".sheet").bounding_box()["width"]
        _wait_for_corner(page, "corner0", (start[0] + 20 * scale, start[1]))
        page.tap("[data-action=undo]")
        _wait_for_corner(page, "corner0", start)

        page.tap("[data-step=house] .head")
        page.locator("[data-end=foot]").tap(position={"x": 20, "y": 20})
        page.wait_for_function("document.querySelector('[data-step=house] .sum').textContent.includes('right')")
        page.tap("[data-step=balls] .head")
        page.tap("[data-ball=red]")
        page.wait_for_selector("[data-ball=red][aria-pressed=true]")
        page.touchscreen.tap(*_on_screen(page, ball_px(BALLS["red"][0], 0)))
        page.wait_for_selector("[data-step=balls] .sum:has-text('1 of 4')")

        for target in page.locator("button:visible, select:visible, .handle:visible").all():
            box = target.bounding_box()
            assert box["height"] >= 44 and box["width"] >= 44, target.evaluate("e => e.outerHTML")
        page.tap("[data-step=save] .head")
        page.tap("[data-action=save]")
        page.wait_for_selector("[data-step=save] .notice.good")
    profile = tomllib.loads(out.read_text())
    assert profile["picture"]["home"] == "right" and set(profile["balls"]) == {"red"}


@pytest.mark.browser
@pytest.mark.skipif(not CHROMIUM.exists(), reason="no chromium")
@pytest.mark.slow
def test_what_is_wrong_is_said_and_nothing_is_written(tmp_path):
    grey = tmp_path / "grey.png"
    cv2.imwrite(str(grey), np.full((720, 1280, 3), 90, np.uint8))
    out = tmp_path / "table.toml"
    with served(grey, out) as (address, _):
        for strange in ("picture/x", "picture/..%2f..%2fetc%2fpasswd", "../../etc/passwd", "docs", "openapi.json"):
            with pytest.raises(urllib.error.HTTPError) as caught:
                urllib.request.urlopen(address + strange)
            assert caught.value.code == 404
        sync_api = pytest.importorskip("playwright.sync_api")
        with sync_api.sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox", "--disable-gpu"])
            page = browser.new_page(viewport={"width": 1280, "height": 800})
            page.goto(address)
            page.wait_for_selector("[data-step=corners].open .state:has-text('не нашёлся')")
            assert "сукно" not in page.inner_text("[data-step=corners] .state")
            x, y = page.locator("[data-handle=corner0]").bounding_box(), page.locator("[data-handle=corner1]").bounding_box()
            page.mouse.move(x["x"] + 24, x["y"] + 24)
            page.mouse.down()
            page.mouse.move(y["x"] + 24, y["y"] - 60, steps=3)
            page.mouse.up()
            page.wait_for_selector("[data-step=corners] .fault:visible")
            page.click("[data-step=save] .head")
            page.click("[data-action=save]")
            page.wait_for_selector("[data-step=save] .fault:visible")
            page.click("[data-action=undo]")
            page.click("[data-action=save]")
            page.wait_for_selector("[data-step=save] .notice.warn:has-text('Поставьте углы')")
            page.click("[data-step=corners] .head")
            page.focus("[data-handle=corner0]")
            page.keyboard.press("ArrowLeft")
            page.click("[data-step=save] .head")
            page.click("[data-action=save]")
            page.wait_for_selector("[data-step=save] .notice.warn:has-text('где дом')")
            browser.close()
    assert not out.exists()


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["none.png", "--page"], "no such file"),
        (["bad.png", "--page"], "not a picture"),
        (["bad.png", "--page", "--out", "none/p.toml"], "--out"),
        (["bad.png", "--page", "--out", "."], "--out"),
        (["bad.png", "--page", "--port", "99999"], "--port"),
        (["bad.png", "--page", "--host", "no.such.host.invalid"], "--host"),
        (["bad.png", "--page", "--table", "pool-3ft"], "--table"),
        (["bad.png", "--page", "--corners", "1,2 3,4 5,6 7,8"], "--corners"),
        (["bad.png", "--page", "--near", "3,4"], "--near"),
        (["bad.png", "--page", "--lens", "lens.toml"], "--lens"),
        (["bad.png", "--page", "--refine"], "--refine"),
        (["bad.png"], "--out"),
    ],
)
def test_bad_input_is_one_line(arguments, word, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.png").write_text("no picture")
    assert main(["calibrate", *arguments]) == 2
    error = capsys.readouterr().err
    assert word in error and error.count("\n") == 1
