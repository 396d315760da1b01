"""A whole game in a real browser: console, scoreboard, overlay and replay side by side, with a kill of the server in between."""

from __future__ import annotations

import re
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from referee.live.store import Store
from tests.referee.live.talk import ask, stage, until

CHROMIUM = Path("/usr/bin/chromium")
PIN = "2468"
DOUBT = [["black was hardly moved by white", 1]]
pytestmark = [pytest.mark.slow, pytest.mark.browser, pytest.mark.skipif(not CHROMIUM.exists(), reason="no chromium")]


@contextmanager
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as kit:
        program = kit.chromium.launch(
            executable_path=str(CHROMIUM), args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        )
        try:
            yield program
        finally:
            program.close()


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


class Console:
    """The marker's hands on one console."""

    def __init__(self, page: Any) -> None:
        self.page = page
        page.set_default_timeout(10_000)
        page.on("dialog", lambda dialog: dialog.accept())
        self.faults: list[str] = []
        page.on("pageerror", lambda error: self.faults.append(str(error)))

    def sees(self, selector: str, text: str | re.Pattern) -> None:
        from playwright.sync_api import expect

        wanted = text if isinstance(text, re.Pattern) else re.compile(re.escape(text))
        expect(self.page.locator(selector).first).to_have_text(wanted, timeout=15_000)

    def enter(self, pin: str = PIN) -> None:
        self.page.fill("#pin", pin)
        self.page.click("#enter")
        if pin == PIN:
            self.page.wait_for_selector("#login", state="hidden")

    def pick(self, row: str, *names: str) -> None:
        for name in names:
            rows = self.page.locator("#builder .row").filter(has=self.page.locator("span:first-child", has_text=re.compile(f"^{row}$")))
            rows.get_by_role("button", name=name, exact=True).first.click()

    def write(self, text: str) -> None:
        self.page.fill("#saytext", text)
        self.page.click("#sayit")

    def card(self, number: int) -> Any:
        return self.page.locator(f'[data-stroke="{number}"]')

    def open(self, number: int) -> Any:
        card = self.card(number)
        if card.locator("details").get_attribute("open") is None:
            card.locator("summary").click()
        return card


def set_out(base: str) -> str:
    """Puts the balls where the last ruling wants them; returns the cue ball."""
    state = ask(f"{base}/api/state")[1]
    places = {ball: place for ball, place in state["expected"].items() if place}
    places.setdefault(state["turn"]["cue_ball"], [400.0, 600.0])
    ask(f"{base}/stage/places", places)
    return state["turn"]["cue_ball"]


def pot(base: str, ball: str, pocket: str = "foot-left", *, kiss: bool = False) -> list[dict]:
    """The cue ball pots another ball, in doubt after a `kiss` of the black."""
    cue = set_out(base)
    events = [{"t": 0.2, "type": "contact", "balls": [cue, "black"]}] if kiss else []
    events += [{"t": 0.5, "type": "contact", "balls": [cue, ball]}, {"t": 1.5, "type": "pocket", "ball": ball, "pocket": pocket}]
    strike = {"t": 0, "type": "strike", "ball": cue}
    doubts = [[DOUBT[0][0].replace("white", cue), 1]] if kiss else []
    before = len(ask(f"{base}/api/shots")[1])
    ask(f"{base}/stage/stroke", {"events": [strike, *events], "after": {ball: None}, "doubts": doubts, "seconds": 0.4})
    return until(f"{base}/api/shots", lambda shots: len(shots) > before)


def written_at(data: Path) -> float:
    """When the last entry of the newest game was written, Unix s."""
    store = Store(data / "live.sqlite")
    try:
        return store.journal(store.games()[0].id)[-1].at or 0.0
    finally:
        store.close()


def test_a_game_from_login_to_statistics(tmp_path: Path) -> None:
    data, port = tmp_path / "data", free_port()
    options = ("--pin", PIN, "--port", str(port))
    with browser() as chromium:
        context = chromium.new_context(viewport={"width": 1024, "height": 768})
        # the scoreboards have windows of their own: a tab behind another one is slowed down
        console, board, overlay = (Console(c.new_page()) for c in (context, chromium.new_context(), chromium.new_context()))
        with stage(data, *options) as (base, process):
            until(f"{base}/healthz", lambda d: d["source"] in ("healthy", "degraded"))
            _login_and_start(console, board, overlay, base)
            _calls(console, overlay, base)
            _settled_only(console, board, overlay, base, data)
            _corrected(console, board, base)
            second = Console(chromium.new_context().new_page())
            _two_consoles(console, second, base)
            _paused(console, base)
            _replayed(console, base)
            console.sees("#score", re.compile(r"^\d+ : \d+$"))
            before = console.page.inner_text("#score")
            process.send_signal(signal.SIGKILL)
            process.wait()
            console.sees("#source", "нет связи с судьёй")
            board.sees("#source", "Нет связи с судьёй")
        with stage(data, *options) as (base, _):
            console.sees("#source", re.compile("камера в порядке|помехи камеры"))
            console.enter()
            console.sees("#score", before)
            board.sees("#source", re.compile("^(Камера: помехи)?$"))
            pot(base, "red")
            console.page.wait_for_selector('[data-stroke="4"]')
            _ended(console, board, base)
            _matches(Console(context.new_page()), base)
        assert not console.faults + board.faults + overlay.faults + second.faults


def _login_and_start(console: Console, board: Console, overlay: Console, base: str) -> None:
    console.page.goto(f"{base}/console")
    console.enter("0000")
    console.sees("#message", "неверный ПИН-код")
    console.enter()
    board.page.goto(f"{base}/scoreboard")
    board.sees("#idletext", "Ждём начала игры")
    overlay.page.goto(f"{base}/overlay?parts=score,call,last")
    page = console.page
    page.click("#newgame")
    for field, value in (("player1", "Анна Петрова"), ("player2", "Борис"), ("target", "60"), ("h2", "2")):
        page.fill(f"#{field}", value)
    page.click("#startgame")
    console.sees("#score", "0 : 2")
    console.sees("#turn", "Бьёт Анна Петрова, биток — белый")
    board.sees("#score1", "2")
    overlay.sees("#name0", "Анна Петрова")


def _calls(console: Console, overlay: Console, base: str) -> None:
    page = console.page
    # two elements: a pot with its pocket tapped on the plan, a cushion and a ball between, and a carom
    console.pick("Шар", "жёлтый")
    page.click('#plan [data-pocket="foot-left"]')
    console.pick("Бортов", "1")
    console.pick("Как", "от шара")
    page.locator("#builder .row").last.get_by_role("button", name="красный").click()
    page.click("#morecall")
    page.get_by_role("button", name="Триборт").click()
    console.pick("С шара", "жёлтый")
    console.pick("На шар", "красный")
    page.click("#takecall")
    console.sees("#callnow", re.compile("Заказ на удар 1: .*жёлтый.*красн"))
    call = ask(f"{base}/api/state")[1]["call"]["elements"]
    assert [e["kind"] for e in call] == ["pot", "carom"]
    assert (call[0]["pocket"], call[0]["cushions"], call[0]["combination"]) == ("foot-left", 1, {"how": "off", "balls": ["red"]})
    page.get_by_role("button", name="Дуплет по чёрному").click()
    console.pick("Шар", "красный")
    console.pick("Бортов", "2")
    page.click("#takecall")
    console.sees("#callnow", re.compile("Заказ на удар 1: .*чёрн"))
    overlay.sees("#call", re.compile("Заказ: .*чёрн"))
    page.click("#nocall")
    console.sees("#callnow", "Заказа на удар 1 нет")
    console.write("абракадабра")
    console.sees("#message", "«абракадабра» непонятно")
    console.write("жёлтый в левый дальний угол")
    console.sees("#callnow", "Заказ на удар 1: жёлтый в левый дальний угол")


def _settled_only(console: Console, board: Console, overlay: Console, base: str, data: Path) -> None:
    overlay.sees("#call", "жёлтый в левый дальний угол")
    board.page.evaluate(
        "() => new MutationObserver(() => { window.changedAt ??= Date.now(); }).observe(document.getElementById('score0'),"
        " { childList: true, characterData: true, subtree: true })"
    )
    (shot,) = pot(base, "yellow")
    assert shot["ruling"]["points"] == 3
    board.sees("#score0", "3")
    delay = board.page.evaluate("() => window.changedAt") / 1000 - written_at(data)
    print(f"ruling written -> on the scoreboard: {1000 * delay:.0f} ms")
    assert -0.1 < delay < 2.0
    board.sees("#last", "+3")
    overlay.sees("#score0", "3")
    overlay.sees("#last", "+3")
    # in doubt: nothing on the board until one of the alternatives is chosen
    pot(base, "red", kiss=True)
    console.page.wait_for_selector(".stroke.open")
    board.sees("#open", "Удар на проверке у судьи")
    board.sees("#score0", "3")
    board.sees("#score1", "2")
    overlay.sees("#score0", "3")
    # a stroke while the last one is under review
    pot(base, "yellow", pocket="foot-right", kiss=True)
    until(f"{base}/api/state", lambda d: d["open"] == [2, 3])
    board.sees("#score0", "3")
    console.card(2).locator(".ways button:not(.main)").first.click()
    until(f"{base}/api/state", lambda d: d["open"] == [3])
    console.card(3).locator(".ways button.main").click()
    until(f"{base}/api/state", lambda d: d["open"] == [])
    board.sees("#open", re.compile("^$"))
    console.sees('[data-stroke="3"]', "подтверждено человеком")
    page = overlay.page
    page.goto(f"{base}/overlay?parts=last&scale=2")
    page.wait_for_function("() => typeof shown !== 'undefined' && shown !== null")
    assert not page.is_visible("#score") and not page.is_visible("#call")
    page.goto(f"{base}/overlay?parts=score")
    page.wait_for_selector("#score:visible")
    assert page.evaluate("() => getComputedStyle(document.body).backgroundColor") == "rgba(0, 0, 0, 0)"


def _corrected(console: Console, board: Console, base: str) -> None:
    page = console.page
    before = ask(f"{base}/api/shots")[1][2]
    card = console.open(3)
    card.get_by_role("button", name="Исправить").click()
    page.locator("#edits .edit").last.get_by_role("button", name="убрать").click()
    page.click("#applyedit")
    page.wait_for_selector("#editor", state="hidden")
    after = until(f"{base}/api/shots", lambda shots: shots[2] != before)[2]
    assert len(after["events"]) == len(before["events"]) - 1 and after["ruling"] != before["ruling"]
    count = len(after["events"])
    console.open(3).locator("select").first.select_option("double_hit")
    console.card(3).locator("button.warn").click()
    fouled = until(f"{base}/api/shots", lambda shots: len(shots[2]["events"]) == count + 1)[2]
    assert fouled["ruling"]["outcome"] == "foul"
    score = ask(f"{base}/api/state")[1]["settled"]
    page.click("#undo")
    until(f"{base}/api/shots", lambda shots: len(shots[2]["events"]) == count)
    page.click("#redo")
    until(f"{base}/api/state", lambda d: d["settled"] == score)
    console.sees("#score", f"{score[0]} : {score[1]}")
    board.sees("#score0", str(score[0]))


def _two_consoles(console: Console, second: Console, base: str) -> None:
    second.page.goto(f"{base}/console?lang=en")
    second.enter()
    second.sees("#calltitle", "Call")
    second.write("red in the corner")
    second.sees("#callnow", "red in the corner")  # as it was said
    console.sees("#callnow", "красный в угол")
    console.write("красный в середину")
    second.sees("#callnow", "red into a middle")
    second.page.click("#undo")
    console.sees("#callnow", "красный в угол")
    second.page.click("#nocall")
    console.sees("#callnow", "Заказа на удар 4 нет")
    second.page.click("#to_language")
    second.sees("#calltitle", "Заказ")
    second.page.context.close()


def _paused(console: Console, base: str) -> None:
    console.page.click("#pause")
    console.sees("#turn", "Пауза: удары не записываются")
    ask(f"{base}/stage/stroke", {"events": [{"t": 0, "type": "strike", "ball": "white"}], "seconds": 0.3})
    console.page.wait_for_timeout(600)
    assert len(ask(f"{base}/api/shots")[1]) == 3
    console.page.click("#pause")
    console.sees("#turn", "Бьёт")


def _replayed(console: Console, base: str) -> None:
    page = console.page
    console.open(1).get_by_role("link", name="Повтор").click()
    console.sees("#title", "Повтор: Удар 1")
    console.sees("#place", re.compile(r"кадр \d+ из \d+$"))
    page.wait_for_function("() => document.getElementById('picture').naturalWidth > 0")
    place = page.inner_text("#place")
    page.click("#ahead")
    assert page.inner_text("#place") != place
    page.keyboard.press("ArrowLeft")
    assert page.inner_text("#place") == place
    page.click("#ghost")
    assert "on" in (page.get_attribute("#ghost", "class") or "")
    page.locator("#events button").nth(1).click()
    page.wait_for_function("() => document.querySelector('#close img').naturalWidth > 0")
    page.click("#console")
    console.sees("#strokestitle", "Удары")


def _ended(console: Console, board: Console, base: str) -> None:
    console.page.click("#end")
    console.sees("#turn", "Партия окончена")
    board.sees("#status", "Игра окончена")
    console.page.click("#next")
    console.sees("#score", "0 : 2")
    console.sees("#turn", "Бьёт Борис")
    assert len(ask(f"{base}/api/games")[1]) == 2


def _matches(matches: Console, base: str) -> None:
    page = matches.page
    page.goto(f"{base}/")
    assert page.locator("#games li").count() == 2
    page.fill("#search", "такого нет")
    matches.sees("#none", "Ничего не найдено")
    page.fill("#search", "борис")
    assert page.locator("#games li").count() == 2
    page.locator("#games li").last.get_by_role("link", name="Отчёт").click()
    matches.sees("body", re.compile("Анна Петрова", re.S))
    page.goto(f"{base}/games/1/notation.txt")
    assert "Анна" in page.inner_text("body")
    page.goto(f"{base}/statistics?lang=ru")
    matches.sees("body", re.compile("Борис", re.S))
    page.goto(f"{base}/?lang=en")
    matches.sees("#title", "Matches")
