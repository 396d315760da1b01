"""The calibration page: the picture at the left, five steps at its side. `register_calibrate_page` puts it on the pages' app.

Each visitor has a `Workbench` of their own. Nothing of a request names a file: pictures are kept in memory under random keys,
and what is saved goes where the caller's `save` puts it.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from typing import Any

import cv2
from fastapi import HTTPException, Request, Response
from nicegui import app, run, ui

from calibration.errors import UserError
from calibration.profile import Profile
from calibration.table import Table
from referee.web import theme
from referee.web.board import Board, board_view
from referee.web.calibrate_panel import STEPS, Panel
from referee.web.calibrate_texts import TEXTS, reason_text
from referee.web.draft import Draft, keep_home, set_ball, set_bend, swap_home
from referee.web.language import Texts
from referee.web.stills import Picture, Stills
from referee.web.tags import button, put, tag
from referee.web.workbench import Workbench

_MODES = {"table": "corners", "corners": "corners", "house": "house", "balls": "balls", "save": "look"}
_QUALITY = 94  # of the JPEG: sharp enough for a magnifier


def register_calibrate_page(
    path: str,
    stills: Stills,
    table: Table,
    save: Callable[[Profile], str],
    *,
    chosen: bool = True,
    target: str,
    replaces: bool = False,
    home: str | None = None,
    language: str = "ru",
    on_finish: Callable[[], None] | None = None,
) -> None:
    """Puts the page on the app of the pages, before it is started.

    Args:
        path: of the page, such as `/calibrate`.
        stills: gives the pictures; called in threads.
        table: at first; not `chosen`, it gives way to a kind that is clearly seen.
        save: writes the profile and says where it is; raises UserError.
        target: what the page says about where it will be; `replaces`: whether something is there that will be replaced.
        home: side of the picture where the house is, if known.
        language: `ru` or `en`; `?lang=` of the address goes before it.
        on_finish: called when the visitor is done; without it the page has no such button.
    """
    pictures: dict[str, bytes] = {}
    prefix = path.rstrip("/")

    @app.get(f"{prefix}/picture/{{key}}")
    def _picture(key: str) -> Response:
        if key not in pictures:
            raise HTTPException(status_code=404)
        return Response(pictures[key], media_type="image/jpeg", headers={"Cache-Control": "no-store"})

    @ui.page(path, title="Poedinok")
    async def _page(request: Request) -> None:
        texts = Texts(TEXTS, request.query_params.get("lang", language))
        page = CalibratePage(Workbench(stills, table, home, chosen=chosen), texts, pictures, prefix, save, target, replaces, on_finish)
        page.build()
        client = ui.context.client
        client.on_delete(page.forget)
        try:
            await client.connected(timeout=60)
        except TimeoutError:  # asked for by something that is no browser
            return page.forget()
        await page.find()


class CalibratePage:
    """One visitor's page."""

    def __init__(
        self,
        desk: Workbench,
        texts: Texts,
        pictures: dict[str, bytes],
        prefix: str,
        save: Callable[[Profile], str],
        target: str,
        replaces: bool,
        on_finish: Callable[[], None] | None,
    ) -> None:
        self.desk, self.texts, self.target, self.replaces = desk, texts, target, replaces
        self._pictures, self._prefix, self._save, self._on_finish = pictures, prefix, save, on_finish
        self.step, self.ball, self.busy = "table", "white", ""
        self.notices: dict[str, tuple[str, dict[str, Any]]] = {}  # step -> key of a text, its values
        self.finished = False
        self._seq = self._epoch = 0
        self._newest: dict[str, int] = {}  # handle -> number of its newest move
        self._turn = asyncio.Lock()
        self._key = ""
        self._publish(desk.picture)

    # building ------------------------------------------------------------------------------------------------

    def build(self) -> None:
        theme.apply("calibrate.css")
        self._root = tag("main", classes="calibrate")
        self._fill()

    def _fill(self) -> None:
        self._root.clear()
        with self._root:
            with tag("section", classes="stage", aria_label=self.texts["picture"]):
                self.board = Board(
                    self._view(), on_move=self.on_move, on_tap=self.on_tap, on_house=self.on_house, on_undo=self.undo, on_redo=self.redo
                )
                with tag("div", classes="tools"):
                    self._undo = button("↶ " + self.texts["undo"], self.undo, data_action="undo")
                    self._redo = button("↷ " + self.texts["redo"], self.redo, data_action="redo")
                    button(self.texts["another"], self.another, data_action="another")
                    button(self.texts["find_again"], self.find, data_action="find")
            self.panel = Panel(self)
        self.show()

    def set_language(self, language: str) -> None:
        """The page in another language, with everything as it is."""
        self.texts = Texts(TEXTS, language)
        ui.run_javascript(
            f"document.documentElement.lang = '{self.texts.language}';"
            f"history.replaceState(null, '', location.pathname + '?lang={self.texts.language}')"
        )
        with self._root.parent_slot or self._root:
            self._fill()

    # showing -------------------------------------------------------------------------------------------------

    def show(self) -> None:
        """Brings board and panel up to date."""
        self.board.show(self._view())
        put(self._undo, disabled=not self.desk.can_undo)
        put(self._redo, disabled=not self.desk.can_redo)
        self.panel.show()

    def _view(self) -> dict[str, Any]:
        picture = f"{self._prefix}/picture/{self._key}"
        busy = self.texts[self.busy] if self.busy else ""
        return board_view(
            self.desk.draft, self.desk.solution, self.texts,
            picture=picture, mode=_MODES[self.step], seq=self._seq, epoch=self._epoch, busy=busy,
        )  # fmt: skip

    def notice(self, step: str, key: str = "", **values: Any) -> None:
        """A sentence under a step; no key: none."""
        self.notices.pop(step, None)
        if key:
            self.notices[step] = (key, values)

    def _publish(self, picture: Picture) -> None:
        self.forget()
        good, data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, _QUALITY])
        if good:
            self._key = secrets.token_urlsafe(12)
            self._pictures[self._key] = data.tobytes()

    def forget(self) -> None:
        """Lets go of the picture."""
        self._pictures.pop(self._key, None)

    # doing ---------------------------------------------------------------------------------------------------

    async def _work(self, busy: str, job: Callable[..., Any], *args: Any) -> Any:
        """A job in a thread, one after another, while the page answers."""
        self.busy = busy or self.busy
        if busy:
            self.show()
        async with self._turn:
            try:
                return await run.io_bound(job, *args)
            finally:
                if busy:
                    self.busy = ""

    async def find(self) -> None:
        """Looks for the table in a thread of its own; handles can be dragged meanwhile."""
        if self.busy:
            return
        self.busy = "finding"
        self.notice("corners")
        self.show()
        try:
            self._epoch += bool(await run.io_bound(self.desk.find))  # None: the server is being stopped
        except UserError as error:
            self.desk.refused = str(error)
        if not self.desk.refused:
            for job in (self.desk.fit_to_picture, self.desk.judge_table):
                self.busy = "measuring"
                self.show()
                self._epoch += bool(await run.io_bound(job))
        self.busy = ""
        if self.desk.refused and self.step == "table":
            self.step = "corners"
        self.show()

    async def fit_to_picture(self) -> None:
        """The camera, and with it the handles, fitted to the noses that are seen near the lines."""
        if self.busy:
            return
        done = await self._work("measuring", self.desk.fit_to_picture)
        self._epoch += bool(done)
        self.notice("corners", "" if done else "not_measured")
        self.show()

    async def another(self) -> None:
        size = self.desk.draft.size
        try:
            await self._work("loading", self.desk.another_picture)
        except UserError as error:
            self.notice(self.step, "no_picture", reason=str(error))
            self.show()
            return
        self.notices.clear()
        if self.desk.draft.size != size:
            self.notice("corners", "new_size")
        self._publish(self.desk.picture)
        self._epoch += 1
        self.show()

    async def change(self, step: Callable[[Draft], Draft]) -> None:
        """The next draft: what `step` makes of the one there is when its turn comes."""
        await self._work("", lambda: self.desk.change(step(self.desk.draft)))
        self.show()

    async def on_move(self, handle: str, x: float, y: float, done: bool, seq: int, epoch: int) -> None:
        """A handle at a new place. A newer move of it makes this one needless; so does what changed the handles meanwhile."""
        self._newest[handle] = seq

        def move() -> None:
            if self._newest[handle] == seq and epoch == self._epoch:
                self.desk.move(handle, (x, y), done=done)

        await self._work("", move)
        self._seq = seq
        if not done:
            self.board.show(self._view())
            return
        self.show()

    async def on_tap(self, x: float, y: float) -> None:
        """A ball pointed at: its colour, then the next ball without one."""
        problem = await self._work("", lambda: self.desk.sample(self.ball, (x, y)))
        self.notice("balls", f"sample_{problem}" if problem else "")
        if not problem:  # after a doubt the ball stays chosen, to be tapped again
            left = [ball for ball in ("white", "yellow", "red", "black") if ball not in (self.desk.draft.balls or {})]
            self.ball = left[0] if left else self.ball
        self.show()

    async def on_house(self, end: str) -> None:
        if end in ("home", "foot"):
            await self.change(keep_home if end == "home" else self._swapped)

    def _swapped(self, draft: Draft) -> Draft:
        self._epoch += 1
        return swap_home(draft)

    async def choose_table(self, table: Callable[[Table], Table]) -> None:
        """Another table, made of the one there is.

        Raises:
            ValueError: sizes that no table has.
        """
        await self._work("", self.desk.choose_table, table)
        self.show()

    async def choose_bend(self, bend: bool) -> None:
        await self.change(lambda draft: set_bend(draft, bend, self.desk.camera))

    async def clear_ball(self, ball: str) -> None:
        self.ball = ball
        await self.change(lambda draft: set_ball(draft, ball, None))

    async def find_balls(self) -> None:
        count = await self._work("finding", self.desk.find_balls)
        self.notice("balls", "balls_found" if count else "balls_none", count=count)
        self.show()

    async def undo(self) -> None:
        await self._travel(self.desk.undo)

    async def redo(self) -> None:
        await self._travel(self.desk.redo)

    async def _travel(self, step: Callable[[], None]) -> None:
        await self._work("", step)
        self._epoch += 1
        self.show()

    def go(self, step: str) -> None:
        if step in STEPS:
            self.step = step
            self.show()

    def choose_ball(self, ball: str) -> None:
        self.ball = ball
        self.show()

    async def save(self) -> None:
        """Writes the profile, or says what is missing and goes there."""
        obstacle = await self._work("", self.desk.obstacle)  # after what was dragged before
        if obstacle:
            self.notice("save", {"house": "need_house", "corners": "need_corners"}.get(obstacle, "save_first"))
            self.show()
            return
        try:
            where = await self._work("", self.desk.save, self._save)
        except UserError as error:
            self.notice("save", "save_failed", reason=str(error))
        else:
            self.notice("save", "saved", where=where)
        self.show()

    def finish(self) -> None:
        self.finished = True
        self.notice("save", "finished")
        self.show()
        if self._on_finish is not None:
            ui.timer(0.3, self._on_finish, once=True)

    @property
    def can_finish(self) -> bool:
        return self._on_finish is not None and self.desk.saved is self.desk.draft and not self.finished

    # words ---------------------------------------------------------------------------------------------------

    def fault_text(self) -> str:
        """What is wrong with the corners, "" if nothing is."""
        fault, fit, table = self.desk.solution.fault, self.desk.solution.fit, self.desk.draft.table
        if not fault:
            return ""
        error = self.texts.number(fit.reprojection_mm, 0) if fit is not None else ""
        return self.texts(f"fault_{fault}", length=table.length, width=table.width, fit=error)

    def refusal_text(self) -> str:
        return self.texts("refused", reason=reason_text(self.desk.refused, self.texts)) if self.desk.refused else ""
