"""The steps at the side of the calibration page: 1 table, 2 corners, 3 house, 4 balls, 5 save."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from calibration.table import BALLS, KINDS, Table, custom_table, table
from referee.web.board import css_colour
from referee.web.calibrate_texts import kind_name, kind_names
from referee.web.tags import button, checkbox, number, put, select, tag

if TYPE_CHECKING:
    from referee.web.calibrate_page import CalibratePage

STEPS = ("table", "corners", "house", "balls", "save")
_CUSTOM = "custom"
_TONES = {"saved": "good", "finished": "good", "balls_found": "plain"}  # of notices that are no warnings
_BALL_MM, _LENGTH_MM, _WIDTH_MM = (20.0, 100.0), (500.0, 6000.0), (300.0, 6000.0)


class Panel:
    """Built once for each language; `show` brings it up to date without taking the keyboard's place away."""

    def __init__(self, page: CalibratePage) -> None:
        self.page, self.texts = page, page.texts
        self._heads: dict[str, Any] = {}
        self._sums: dict[str, Any] = {}
        self._bodies: dict[str, Any] = {}
        self._notices: dict[str, Any] = {}
        with tag("aside", classes="panel", aria_label=self.texts["steps"]):
            self._title()
            bodies = {"table": self._table, "corners": self._corners, "house": self._house, "balls": self._balls, "save": self._save}
            for index, step in enumerate(STEPS):
                self._step(index, step, bodies[step])

    # building ------------------------------------------------------------------------------------------------

    def _title(self) -> None:
        with tag("header"):
            tag("h1", self.texts["title"])
            with tag("div", classes="languages", role="group", aria_label=self.texts["language"]):
                for key, name in (("ru", "РУ"), ("en", "EN")):
                    pressed = "true" if self.texts.language == key else "false"
                    button(name, lambda key=key: self.page.set_language(key), aria_pressed=pressed, data_lang=key)

    def _step(self, index: int, step: str, body: Callable[[], None]) -> None:
        with tag("section", classes="step", data_step=step) as section:
            with button("", lambda: self.page.go(step), "head", aria_controls=f"body-{step}") as head:
                tag("b", str(index + 1), "count", aria_hidden="true")
                tag("span", self.texts[f"step_{step}"], "name")
                self._sums[step] = tag("span", "", "sum")
            with tag("div", classes="body", id=f"body-{step}") as inside:
                body()
                self._notices[step] = tag("p", "", "notice", role="status")
                if index + 1 < len(STEPS):
                    following = STEPS[index + 1]
                    button(self.texts["next"], lambda: self.page.go(following), "next", data_action=f"next-{step}")
        self._heads[step], self._bodies[step] = (section, head), inside

    def _table(self) -> None:
        kinds = kind_names(self.texts) | {_CUSTOM: self.texts["other_size"]}
        tag("label", self.texts["kind"], for_="kind")
        self._kind = select(kinds, self._kind_now(), self._chosen, id="kind")
        draft = self.page.desk.draft
        with tag("div", classes="pair") as self._custom:
            with tag("label", self.texts["length"]):
                self._length = number(draft.table.length, self._typed("length"), *_LENGTH_MM, 1, id="length")
            with tag("label", self.texts["width"]):
                self._width = number(draft.table.width, self._typed("width"), *_WIDTH_MM, 1, id="width")
        with tag("label", self.texts["ball"]):
            self._ball = number(draft.table.ball, self._typed("ball"), *_BALL_MM, 0.1, id="ball")
        tag("p", self.texts["size_hint"], "hint")
        self._unlike = tag("p", "", "notice warn", role="status")

    def _corners(self) -> None:
        self._found = tag("p", "", "state")
        self._fault = tag("p", "", "fault", role="alert")
        tag("p", self.texts["corners_hint"], "hint")
        self._bend = checkbox(self.texts["bend"], False, self.page.choose_bend, id="bend")
        self._bend_hint = tag("p", self.texts["bend_hint"], "hint")
        with tag("table", classes="misfits") as self._misfits:
            with tag("tr"):
                for key in ("col_corner", "col_off", "col_sigma"):
                    tag("th", self.texts[key])
            self._rows = []
            for index in range(4):
                with tag("tr"):
                    tag("td", self.texts[f"corner{index}"])
                    self._rows.append((tag("td", ""), tag("td", "")))
        self._measure = button(self.texts["measure"], self.page.fit_to_picture, data_action="measure")
        self._fit = tag("p", "", "hint")
        self._lens = tag("p", "", "hint")

    def _house(self) -> None:
        self._house_state = tag("p", "", "state")
        tag("p", self.texts["house_hint"], "hint")
        with tag("div", classes="buttons"):
            self._keep = button("", lambda: self.page.on_house("home"), data_action="keep-house")
            button("⇄ " + self.texts["swap"], lambda: self.page.on_house("foot"), data_action="swap")

    def _balls(self) -> None:
        tag("p", self.texts["balls_hint"], "hint")
        self._swatches = {}
        for ball in BALLS:
            with tag("div", classes="ball"):
                with button("", lambda ball=ball: self.page.choose_ball(ball), "choose", data_ball=ball) as choose:
                    swatch = tag("i", "", "swatch")
                    tag("span", self.texts[ball])
                    value = tag("code", "")
                clear = button("×", lambda ball=ball: self.page.clear_ball(ball), "clear", aria_label=self.texts["clear"])
                self._swatches[ball] = (choose, swatch, value, clear)
        button(self.texts["find_balls"], self.page.find_balls, data_action="find-balls")

    def _save(self) -> None:
        tag("p", self.texts["save_hint"], "hint")
        tag("code", self.page.target, "target")
        if self.page.replaces:
            tag("p", self.texts["replaces"], "hint")
        self._obstacle = tag("p", "", "fault", role="alert")
        with tag("div", classes="buttons"):
            self._save_button = button(self.texts["save"], self.page.save, "primary", data_action="save")
            self._finish = button(self.texts["finish"], self.page.finish, data_action="finish")

    # showing -------------------------------------------------------------------------------------------------

    def show(self) -> None:
        """What the page's desk has now."""
        for step, (section, head) in self._heads.items():
            opened = step == self.page.step
            section.classes(add="open" if opened else "", remove="" if opened else "open")
            put(head, aria_expanded="true" if opened else "false")
            self._bodies[step].set_visibility(opened)
            key, values = self.page.notices.get(step, ("", {}))
            _line(self._notices[step], self.texts(key, **values) if key else "")
            self._notices[step].classes(replace=f"notice {_TONES.get(key, 'warn')}")
        self._show_table()
        self._show_corners()
        self._show_house()
        self._show_balls()
        self._show_save()

    def _show_table(self) -> None:
        kind = self.page.desk.draft.table
        put(self._kind, value=self._kind_now())
        for field, value in ((self._length, kind.length), (self._width, kind.width), (self._ball, kind.ball)):
            put(field, value=f"{value:g}")
        self._custom.set_visibility(self._kind_now() == _CUSTOM)
        name = kind_name(kind.name, self.texts).split(" · ")[0] if kind.name in KINDS else f"{kind.length:g}×{kind.width:g}"
        unlike = self.page.desk.unlike
        kinds = ", ".join(kind_name(kind, self.texts).split(" · ")[0] for kind in unlike or ())
        _line(self._unlike, "" if unlike is None else self.texts("unlike_fits", kinds=kinds) if kinds else self.texts["unlike"])
        self._sum("table", name, done=unlike is None, wrong=unlike is not None)

    def _show_corners(self) -> None:
        draft, solution = self.page.desk.draft, self.page.desk.solution
        automatic = draft.how.startswith("found")
        by_finder = self.texts("found", value=round(100 * draft.confidence))
        by_hand = self.texts["by_hand" if draft.placed else "not_placed"]
        state = by_finder if automatic else by_hand if draft.placed else self.page.refusal_text() or by_hand
        busy = self.page.busy == "finding" and not draft.placed
        _line(self._found, self.texts["finding"] if busy else state)
        fault = self.page.fault_text()
        _line(self._fault, fault)
        put(self._bend, checked=draft.bend and draft.noses is None)
        self._bend_hint.set_visibility(draft.bend and draft.noses is None)
        self._misfits.set_visibility(bool(solution.corner_mm) and draft.placed)
        put(self._measure, disabled=not draft.placed or draft.measured is not None or bool(self.page.busy))
        number_of = self.texts.number
        for (off, sigma), off_mm, sigma_mm in zip(self._rows, solution.corner_mm, solution.corner_sigma_mm, strict=False):
            put(off, text=number_of(off_mm))
            put(sigma, text="±" + number_of(sigma_mm))
        fit, profile = solution.fit, solution.profile
        if fit is None or profile is None or not draft.placed:
            _line(self._fit, "")
            _line(self._lens, "")
            self._sum("corners", self.texts["finding"] if busy else "", done=False, wrong=bool(fault))
            return
        _line(self._fit, self.texts("fit_line", fit=number_of(fit.reprojection_mm), centre=number_of(solution.centre_sigma_mm)))
        height = number_of(profile.camera.position[2] / 1000, 2)
        _line(self._lens, self.texts("lens_line", height=height, source=self.texts[f"focal_{fit.focal_from}"]))
        off = self.texts("mm", value=number_of(fit.reprojection_mm))
        self._sum("corners", self.texts["finding"] if busy else off, done=not fault, wrong=bool(fault))

    def _show_house(self) -> None:
        draft, profile = self.page.desk.draft, self.page.desk.solution.profile
        side = self.texts[f"side_of_{profile.home}"] if profile is not None and profile.home else ""
        known = {"": "house_unknown", "home line": "house_line", "given": "house_given", "chosen on the page": "house_chosen"}
        key = known.get(draft.home_from, "house_seen")
        _line(self._house_state, self.texts(key, side=side) if side else "")
        put(self._keep, text=self.texts("keep", side=side))
        self._keep.set_visibility(bool(side) and not draft.home_from)
        self._sum("house", side if draft.home_from else "?", done=bool(draft.home_from))

    def _show_balls(self) -> None:
        known = self.page.desk.draft.balls or {}
        for ball, (choose, swatch, value, clear) in self._swatches.items():
            sample = known.get(ball)
            colour = css_colour(sample.bgr) if sample else ""
            chosen = ball == self.page.ball
            put(choose, aria_pressed="true" if chosen else "false")
            put(swatch, style={"background": colour} if colour else {})
            put(value, text=colour or (self.texts["tap_now"] if chosen else ""))
            clear.set_visibility(sample is not None)
        self._sum("balls", self.texts("balls_sum", count=len(known)), done=len(known) == len(BALLS))

    def _show_save(self) -> None:
        desk = self.page.desk
        obstacle = desk.obstacle()
        asked = self.page.notices.get("save", ("", {}))[0]
        _line(self._obstacle, self.page.fault_text() if asked == "save_first" else "")
        if asked in ("save_first", "need_house", "need_corners") and not obstacle:
            self.page.notice("save")
            _line(self._notices["save"], "")
        if asked == "saved" and desk.saved is not desk.draft:
            _line(self._notices["save"], self.texts["changed"])
        self._finish.set_visibility(self.page.can_finish)
        put(self._save_button, disabled=self.page.finished)
        self._sum("save", "", done=desk.saved is desk.draft)

    def _sum(self, step: str, text: str, *, done: bool, wrong: bool = False) -> None:
        put(self._sums[step], text=text)
        section = self._heads[step][0]
        section.classes(add="done" if done else "", remove="" if done else "done")
        section.classes(add="wrong" if wrong else "", remove="" if wrong else "wrong")

    # table ---------------------------------------------------------------------------------------------------

    def _kind_now(self) -> str:
        name = self.page.desk.draft.table.name
        return name if name in KINDS else _CUSTOM

    async def _chosen(self, name: str) -> None:
        self.page.notice("table")
        if name in KINDS:
            await self.page.choose_table(lambda _: table(name))
        elif name == _CUSTOM:
            await self.page.choose_table(lambda now: custom_table(now.length, now.width, ball=now.ball, pockets=bool(now.pockets)))

    def _typed(self, field: str) -> Callable[[str], Any]:
        async def take(text: str) -> None:
            low, high = {"length": _LENGTH_MM, "width": _WIDTH_MM, "ball": _BALL_MM}[field]
            try:
                value = float(text.replace(",", "."))
            except ValueError:
                value = float("nan")
            if not low <= value <= high:
                self.page.notice("table", "bad_number", low=low, high=high)
                self.page.show()
                return
            self.page.notice("table")
            try:
                await self.page.choose_table(lambda now: _changed(now, field, value))
            except ValueError:
                self.page.notice("table", "bad_size")
                self.page.show()

        return take


def _changed(now: Table, field: str, value: float) -> Table:
    if field == "ball" and now.name in KINDS:
        return table(now.name, ball=value)
    sizes = {"length": now.length, "width": now.width, "ball": now.ball} | {field: value}
    return custom_table(sizes["length"], sizes["width"], ball=sizes["ball"], pockets=bool(now.pockets))


def _line(element: Any, text: str) -> None:
    put(element, text=text)
    element.set_visibility(bool(text))
