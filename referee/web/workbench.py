"""The work on one calibration: its picture, its draft with undo, finding the table, the balls' colours, saving.

Knows nothing of pages. What takes long blocks; the page calls it in a thread.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibration.camera import Camera
from calibration.command import house_seen
from calibration.errors import CalibrationRefused, UserError
from calibration.find import find_table
from calibration.kind import KindGuess, contradiction, guess_kind
from calibration.measure import measured_camera
from calibration.profile import Profile
from calibration.samples import sample_ball
from calibration.table import BALLS, Table, table
from calibration.views import median_views
from referee.web.draft import (
    Draft,
    Point,
    Sampled,
    Solution,
    default_draft,
    found_draft,
    measured_draft,
    move_corner,
    move_side,
    set_ball,
    set_table,
    solve,
    swap_home,
    without_places,
)
from referee.web.stills import Stills

Picture = NDArray[np.uint8]
_MERGE_S = 0.8  # moves of one handle within this time are one step of undo
_MOST = 200  # steps of undo
_CLEARLY = 15.0  # YUV levels by which a colour must be nearer to another ball's usual colours to be doubted


@dataclass(frozen=True, slots=True)
class _Step:
    draft: Draft
    solution: Solution


class Workbench:
    """One person's work on one source. `refused`: why the finder gave up, "" if it did not (yet)."""

    def __init__(self, stills: Stills, table: Table, home: str | None = None, *, chosen: bool = True) -> None:
        self._stills, self._home, self._chosen = stills, home, chosen
        self._guess: KindGuess | None = None
        self.picture: Picture = np.asarray(stills.current())
        self.refused = ""
        self._past: list[_Step] = []
        self._future: list[_Step] = []
        self._now = self._solved(default_draft(table, self._size))
        self._handle, self._handle_at = "", 0.0
        self.saved: Draft | None = None

    @property
    def draft(self) -> Draft:
        return self._now.draft

    @property
    def solution(self) -> Solution:
        return self._now.solution

    @property
    def camera(self) -> Camera | None:
        """The camera of the draft, if there is one."""
        return self.solution.fit.camera if self.solution.fit is not None else None

    @property
    def can_undo(self) -> bool:
        return bool(self._past)

    @property
    def can_redo(self) -> bool:
        return bool(self._future)

    @property
    def _size(self) -> tuple[int, int]:
        return int(self.picture.shape[1]), int(self.picture.shape[0])

    def change(self, draft: Draft) -> None:
        """The next draft; what was undone is forgotten."""
        self._handle = ""
        self._keep()
        self._now = self._solved(draft)

    def move(self, handle: str, to: Point, *, done: bool) -> bool:
        """A handle (`corner0` … `side5`) dragged or nudged; False if there is none of that name."""
        kind, index = handle[:-1], handle[-1:]
        limit = {"corner": 4, "side": len(self.draft.sides)}.get(kind, 0)
        if not index.isdecimal() or int(index) >= limit:
            return False
        now = time.monotonic()
        if handle != self._handle or now > self._handle_at:
            self._keep()
        self._handle, self._handle_at = handle, now + (_MERGE_S if done else 1e9)
        seen = self.camera
        draft = (move_corner if kind == "corner" else move_side)(self.draft, int(index), to, seen)
        self._now = _Step(draft, solve(draft, None if done else seen))
        return True

    def undo(self) -> None:
        if self._past:
            self._handle = ""
            self._future.append(self._now)
            self._now = self._past.pop()

    def redo(self) -> None:
        if self._future:
            self._handle = ""
            self._past.append(self._now)
            self._now = self._future.pop()

    def find(self) -> bool:
        """Looks for the table. False, and the handles stay where they are, for a refusal (kept in `refused`) and if hands were faster.

        Raises:
            UserError: pictures that cannot be used at all.
        """
        pictures: Sequence[Picture] = self._stills.pictures()
        start = self.draft
        try:
            found = find_table(pictures, start.table, home=self._home)
        except CalibrationRefused as refused:
            self.refused = str(refused)
            return False
        self.refused = ""
        while True:  # another table may be chosen while this one is solved: it must not be lost
            draft = self.draft
            if found.size != self._size or draft.corners != start.corners:
                return False
            step = self._solved(found_draft(draft.table, found, draft))
            if self.draft is draft:
                break
        if self._past:
            self._keep()
        self._now = step
        return True

    def fit_to_picture(self) -> bool:
        """Fits lens and pose to the noses that the pictures show; False if too little of them is seen or hands were faster."""
        start = self.draft
        if not start.placed or self.solution.profile is None or start.measured is not None:
            return False
        try:
            measured = measured_camera(self._median(), start.corners, start.table, nose_points=start.noses)
        except UserError:
            return False
        if measured.bundle is None or self.draft is not start:
            return False
        step = self._solved(measured_draft(start, measured))
        if step.solution.fault:
            return False
        if self._past or not start.how.startswith("found"):
            self._keep()
        self._now = step
        return True

    def judge_table(self) -> bool:
        """Asks the pictures which kind of table it is and where its house is; True if something that nobody has chosen is taken."""
        start = self.draft
        if not start.placed or self.camera is None:
            return False
        pictures = [p for p in self._stills.pictures() if p.shape == self.picture.shape]
        guess = guess_kind(pictures, self.camera, start.table)
        house = house_seen(pictures, self.camera, guess, start.table, start.table)
        draft = start
        if not self._chosen and guess.best is not None and guess.best != start.table.name:
            draft = set_table(draft, table(guess.best))
        if house is not None and not start.home_from and self._home is None:
            draft = replace(draft, home_from=house.reason) if house.end == 0 else swap_home(draft, house.reason)
        step = self._solved(draft) if draft is not start else self._now
        if self.draft is not start:
            return False
        self._guess, self._now = guess, step
        return draft is not start

    @property
    def unlike(self) -> tuple[str, ...] | None:
        """None unless the pictures contradict the table that is chosen; then the kinds that fit them, maybe none."""
        if self._guess is None or not self.draft.placed or contradiction(self.draft.table, self._guess) is None:
            return None
        return tuple(name for name, likelihood in self._guess.ranked[:3] if likelihood >= 0.1)

    def _median(self) -> Picture:
        pictures = [p for p in self._stills.pictures() if p.shape == self.picture.shape] or [self.picture]
        return np.asarray(median_views(pictures)[0][0], np.uint8)

    def choose_table(self, make: Callable[[Table], Table]) -> None:
        """Another table, made of the one there is.

        Raises:
            ValueError: sizes that no table has.
        """
        self.change(set_table(self.draft, make(self.draft.table)))
        self._chosen = True

    def another_picture(self) -> None:
        """Shows another picture. One of another size starts anew.

        Raises:
            UserError: the source gives none.
        """
        before = self._size
        self.picture = np.asarray(self._stills.another())
        if self._size != before:
            self._past, self._future = [], []
            self._now, self._guess = self._solved(default_draft(self.draft.table, self._size)), None
            return
        self._now = self._solved(without_places(self.draft))

    def sample(self, ball: str, px: Point) -> str:
        """Takes a ball's colour at a place of the picture. What is to be said about it, "" if nothing is.

        Not taken: no_camera, off_table, no_ball. Taken with a doubt: unlike (it looks more like another ball).
        """
        profile = self.solution.profile
        if profile is None or not self.draft.placed:
            return "no_camera"
        found = sample_ball(self.picture, profile.camera, profile.table, px)
        if found is None:
            return "off_table"
        if not found.plain:
            return "no_ball"
        self.change(set_ball(self.draft, ball, Sampled(found.bgr, found.place_mm)))
        return "unlike" if _looks_like_another(ball, found.bgr) else ""

    def find_balls(self) -> int:
        """Takes the colours of the balls that the referee itself would recognise in the picture; how many."""
        from vision.field import Field
        from vision.frames import frame_of_bgr
        from vision.seek import candidates, named

        profile = self.solution.profile
        if profile is None or not self.draft.placed:
            return 0
        frame = frame_of_bgr(self.picture)
        field = Field(profile.camera, profile.table, (int(frame.y.shape[0]), int(frame.y.shape[1])))
        draft, count = self.draft, 0
        for ball, spot in named(candidates(frame, field), BALLS).items():
            found = sample_ball(self.picture, profile.camera, profile.table, (spot.x, spot.y))
            if found is not None and found.plain:
                draft, count = set_ball(draft, ball, Sampled(found.bgr, found.place_mm)), count + 1
        if count:
            self.change(draft)
        return count

    def save(self, write: Callable[[Profile], str]) -> str:
        """Writes the profile; what `write` answers: where it is.

        Raises:
            UserError: it cannot be written.
            ValueError: there is nothing fit to be written (`obstacle`).
        """
        if self.obstacle():
            raise ValueError(self.obstacle())
        notes: dict[str, Any] = {"made_when": datetime.now(UTC).isoformat(timespec="seconds"), "made_from": self._stills.name}
        profile = self.solution.profile
        assert profile is not None
        where = write(replace(profile, **notes))
        self.saved = self.draft
        return where

    def obstacle(self) -> str:
        """Why the draft cannot be saved, "" if it can.

        A fault of `Solution`, `corners` if nobody has placed them, `house` if nobody has said where it is.
        """
        return self.solution.fault or ("" if self.draft.placed else "corners") or ("" if self.draft.home_from else "house")

    def _solved(self, draft: Draft) -> _Step:
        return _Step(draft, solve(draft))

    def _keep(self) -> None:
        self._past = [*self._past[-_MOST + 1 :], self._now]
        self._future = []


def _looks_like_another(ball: str, bgr: tuple[float, float, float]) -> bool:
    from vision.seek import colour_distance, shade_of

    shade = shade_of(bgr)
    return any(colour_distance(shade, other) + _CLEARLY < colour_distance(shade, ball) for other in BALLS if other != ball)
