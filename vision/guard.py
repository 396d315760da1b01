"""Is the picture still the table seen from where it was calibrated? Cuts to other views, moved cameras, shaken tables.

A shift counts when it lasts: a stroke shakes a table for a few tenths of a second, and people hide one side at a time. A
camera that came to rest elsewhere is registered anew; until then, and while another scene is shown, nothing is measured.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import cv2
import numpy as np

from calibration.drift import STILL, CameraWatch, View
from calibration.in_place import check_noses, check_noses_closely
from calibration.profile import Profile
from calibration.reregister import Registered, find_again, reregister
from calibration.turned import end_confirmed, turned_against, turned_profile
from vision.frames import Frame

_EVERY = 0.28  # s between looks
_CLOSELY = 0.06  # s between looks when something seems to have changed
_LASTS = 0.4  # s that a shift must last to be one
_SMALL, _SMALL_LASTS = 1.5, 0.8  # px up to which it must last longer, s: halls and ceilings sway, people lean over everything
_STILL_FOR, _SETTLED = 0.32, 0.35  # s in which, and px by which at most, the corners wander when a camera has come to rest
_VAGUE = 2.0  # s for which the view may be doubtful (people all round the table)
_CUT = 14.0  # mean change of luma between two frames that calls for a look at once
_GRID = 12  # px between the points compared for that
_SHAKE = 2.0  # px from which a short shake is told
_RETRY = 2.0  # s between attempts to register
_SEARCHES = 3  # attempts to find a misplaced table from the beginning
_GRASP = 0.6  # share of the reference's pieces that must be seen to keep that reference


@dataclass(frozen=True, slots=True)
class Change:
    """Something happened to the view at `t` s.

    `kind`: `other` (another scene), `moved` (by `shift_px`; nothing is measured, for `reason`), `back` (the table is where it
    was), `registered` (moved by `shift_px`, and registered anew: `profile`, with `residual_px`), `misplaced` (at the start the
    table did not lie where the profile says), `turned` (at the start: by half a turn, as `reason` tells; `profile` has the other end
    as its house), `shaken` (by up to `shift_px`, for a moment). `shift_px`: of the corner of the noses that went farthest.
    `since`: when it was last seen in its old place, s.
    """

    t: float
    kind: str
    shift_px: float = 0.0
    residual_px: float = 0.0
    reason: str = ""
    since: float | None = None
    profile: Profile | None = field(default=None, compare=False, repr=False)


class ViewGuard:
    """Tells for every frame whether the table can be believed to be where `profile` says.

    `steady` is False while another view is shown or the camera moves; `profile` changes when it was registered anew;
    `good_until` is the last time (s) at which the table was seen in its place; `looks` counts the pictures compared.
    """

    def __init__(self, frame: Frame, profile: Profile):
        self.steady = True
        self.profile = profile
        self.changes: list[Change] = []
        self.looks = 0
        self.good_until = frame.seconds
        self._basis = profile  # of the reference picture
        self._watch: CameraWatch | None = None
        self._recent: list[tuple[float, View]] = []
        self._odd_since: float | None = None
        self._last_look = frame.seconds
        self._tried = -1e9
        self._searched, self._searches = frame.seconds, 0
        self._sure = False  # the noses were seen where the profile says
        self._grid = self._points(frame)
        self._start(frame)

    @property
    def calm(self) -> bool:
        """Whether nothing about the view is to be looked at more closely."""
        return self.steady and self._odd_since is None

    @property
    def sure(self) -> bool:
        """Whether the noses were ever seen where the profile has them."""
        return self._sure

    @staticmethod
    def _points(frame: Frame) -> np.ndarray:
        return np.ascontiguousarray(frame.y[::_GRID, ::_GRID])

    # the start ----------------------------------------------------------------------------------------------

    def _start(self, frame: Frame) -> None:
        """Takes a frame as the reference, if the table lies in it where the profile says, or is found elsewhere."""
        gray = np.ascontiguousarray(frame.y)
        if gray.shape[:2] != (self.profile.camera.height // 2 * 2, self.profile.camera.width // 2 * 2):
            return  # `Profile.check` says so
        check = check_noses(gray, self.profile.camera, self.profile.table)
        if not check.confirmed:  # bright trims and rails mislead a look at the grey picture
            check = check_noses_closely(frame.bgr(), self.profile.camera, self.profile.table)
        self._sure = check.confirmed
        self._searched = frame.seconds
        if not check.confirmed and self._searches < _SEARCHES:
            self._searches += 1
            found = find_again(self.profile, frame.bgr())
            if isinstance(found, Registered):
                self._sure = True
                shift = _shift(self.profile, found.profile)
                if shift > check.near:
                    self._take(frame.seconds, found, shift, "misplaced")
            elif check.contradicted and self.steady:
                self.steady = False
                far = float(np.median(np.abs(list(check.offsets.values()))))
                self.changes.append(Change(frame.seconds, "misplaced", far, reason=found))
        if self._sure:
            self._check_ends(frame)
            self._doubt_end(frame)
        self._refer(gray)

    def _check_ends(self, frame: Frame) -> None:
        """The noses are the same from both ends: whether the camera was turned by half a turn, other things must tell."""
        why = turned_against(self.profile, frame.bgr())
        if why:
            self.profile = turned_profile(self.profile)
            self.changes.append(Change(frame.seconds, "turned", reason=why, profile=self.profile))

    def _doubt_end(self, frame: Frame) -> None:
        """A camera that was moved may have been turned as well: where nothing says that it was not, that is said."""
        last = self.changes[-1] if self.changes else None
        if last is None or last.kind != "misplaced" or last.profile is None or end_confirmed(self.profile, frame.bgr()):
            return
        doubt = f"nothing tells whether its ends were exchanged: the house is taken to be {self.profile.home}"
        self.changes[-1] = replace(last, reason=doubt)

    def _refer(self, gray: np.ndarray) -> None:
        self._basis = self.profile
        self._recent.clear()
        self._odd_since = None
        try:
            self._watch = CameraWatch(gray, np.array(self.profile.corners_px))
        except ValueError:
            self._watch = None  # nothing to hold on to round the table: nothing can be told yet

    def _take(self, t: float, found: Registered, shift: float, kind: str = "registered") -> None:
        self.profile = found.profile
        self.steady = True
        self.changes.append(Change(t, kind, shift, found.residual_px, since=self.good_until, profile=found.profile))

    # every frame --------------------------------------------------------------------------------------------

    def look(self, frame: Frame) -> bool:
        """Takes the next frame; returns `steady`."""
        t = frame.seconds
        grid = self._points(frame)
        jump = float(cv2.mean(cv2.absdiff(grid, self._grid))[0]) if grid.shape == self._grid.shape else 255.0
        self._grid = grid
        hurry = self._odd_since is not None and (self.steady or (bool(self._recent) and self._recent[-1][1].matrix is not None))
        pause = _CLOSELY if hurry else _EVERY
        if jump < _CUT and t - self._last_look < pause:
            return self.steady
        self._last_look = t
        if self._watch is None or (not self._sure and not self.steady):
            self._start_later(frame)
            if self._watch is None or not self.steady:
                return self.steady
        self.looks += 1
        view = self._watch.look(np.ascontiguousarray(frame.y))
        self._recent = [(at, v) for at, v in self._recent if at > t - 1.0] + [(t, view)]
        if self.steady:
            self._while_steady(frame, view, jump)
        else:
            self._while_lost(frame, view, jump)
        return self.steady

    def _start_later(self, frame: Frame) -> None:
        """The first frames showed no table, or not in its place: now they may."""
        gray = np.ascontiguousarray(frame.y)
        if check_noses(gray, self.profile.camera, self.profile.table).confirmed:
            self._sure = True
            self._check_ends(frame)
            self._refer(gray)
            if not self.steady:
                self._back(frame.seconds)
        elif self._watch is None or frame.seconds - self._searched > _RETRY:
            self._start(frame)

    def _while_steady(self, frame: Frame, view: View, jump: float) -> None:
        t = frame.seconds
        if view.same:
            if self._odd_since is not None:
                self._shaken(self._odd_since, t)
            self._odd_since = None
            if view.sure or view.shift_px <= STILL:
                self.good_until = t
            elif t - self.good_until > _VAGUE:
                self._lose(Change(t, "moved", view.shift_px, reason="what is seen round the table does not agree", since=self.good_until))
            return
        if self._odd_since is None:
            self._odd_since = t
        odd = [v for at, v in self._recent if at >= self._odd_since]
        small = view.matrix is not None and max(v.shift_px for v in odd if v.matrix is not None) < _SMALL
        lasting = t - self._odd_since >= (_SMALL_LASTS if small or view.matrix is None else _LASTS) - 1e-9
        if view.matrix is None:
            # a cut is plain at once; a slow disagreement (people over everything) must last
            if jump >= _CUT or (lasting and len(odd) >= 3):
                self._lose(Change(t, "other", reason=view.reason, since=self.good_until))
        elif lasting and len(odd) >= 3:
            if self._registered(frame, view):
                return
            self._lose(Change(t, "moved", view.shift_px, reason="it still moves", since=self.good_until))

    def _lose(self, change: Change) -> None:
        self.steady = False
        self.changes.append(change)

    def _while_lost(self, frame: Frame, view: View, jump: float) -> None:
        t = frame.seconds
        self._odd_since = self._odd_since if self._odd_since is not None else t
        if view.same:
            before = self._recent[-2][1] if len(self._recent) > 1 else None
            if view.sure and (jump >= _CUT or (before is not None and before.sure and _near(view, before))):
                self._back(t)
            return
        if not self._sure and check_noses(np.ascontiguousarray(frame.y), self.profile.camera, self.profile.table).confirmed:
            # the reference was another scene: now the table is seen
            self._sure = True
            self._refer(np.ascontiguousarray(frame.y))
            self._back(t)
        elif view.matrix is not None:
            self._registered(frame, view)

    def _back(self, t: float) -> None:
        self.steady, self._odd_since, self.good_until = True, None, t
        self.changes.append(Change(t, "back"))

    def _shaken(self, start: float, t: float) -> None:
        seen = [v for at, v in self._recent if at >= start and v.matrix is not None and not v.same]
        sure = [v.shift_px for v in seen if v.agree > 0.7 and v.sides >= 3 and v.shift_px > 5 * v.sigma_px]
        if sure and max(sure) >= _SHAKE:
            self.changes.append(Change(t, "shaken", max(sure), since=start))

    def _registered(self, frame: Frame, view: View) -> bool:
        """Registers the camera anew where it stands, if it has come to rest."""
        t = frame.seconds
        assert self._watch is not None
        since = max(t - _STILL_FOR, self._odd_since or 0.0)
        lately = [v for at, v in self._recent if at >= since]
        places = [v.corners for v in lately if v.corners is not None]
        # frames may come seldom (a slow look through a long video): then two looks far apart tell as much
        span = t - next(at for at, _ in self._recent if at >= since)
        if len(places) < len(lately) or len(places) < 2 or span < 0.6 * _STILL_FOR or t - self._tried < _RETRY:
            return False
        wander = float(np.linalg.norm(np.array(places) - np.median(places, axis=0), axis=2).max())
        if wander > _SETTLED + 3 * max(v.sigma_px for v in lately):
            return False
        gray = np.ascontiguousarray(frame.y)
        found = reregister(self._basis, view, self._watch.matches(), self._watch.reference, gray)
        if isinstance(found, str):
            self._tried = t
            change = Change(t, "moved", view.shift_px, reason=found, since=self.good_until)
            if self.steady:
                self._lose(change)
            elif self.changes and self.changes[-1].kind == "moved":
                self.changes[-1] = change
            return False
        self._take(t, found, _shift(self.profile, found.profile))
        self.good_until, self._odd_since = t, None
        self._watch.accept(view)
        if view.seen < _GRASP:
            self._refer(gray)
        return True


def _near(one: View, other: View) -> bool:
    """Whether the table stands still between two looks."""
    return one.corners is not None and other.corners is not None and float(np.abs(one.corners - other.corners).max()) < _SETTLED


def _shift(old: Profile, new: Profile) -> float:
    return float(np.linalg.norm(np.subtract(old.corners_px, new.corners_px), axis=1).max())


def view_notes(changes: Sequence[Change]) -> list[str]:
    """What a reader should know of them, in order of time; a camera that moves all the time is told once."""
    moves = [c for c in changes if c.kind == "registered"]
    if len(moves) > 4:
        largest = max(c.shift_px for c in moves)
        told = [_note(c) for c in changes if c.kind not in ("registered", "moved", "back")]
        unmeasured = sum(c.kind == "moved" for c in changes)
        text = (
            f"the camera moved {len(moves) + unmeasured} times between {moves[0].t:.1f} and {moves[-1].t:.1f} s, by up to {largest:.1f} px"
        )
        last = [_note(changes[-1])] if changes[-1].kind == "moved" else []
        return [*told, text + ": re-registered each time that it stood still", *last]
    return [_note(c) for c in changes]


def _note(change: Change) -> str:
    t, shift = f"{change.t:.2f} s", f"{change.shift_px:.1f} px"
    if change.kind == "back":
        return f"the table is in view again at {t}"
    if change.kind == "registered":
        return f"the camera or the table moved by {shift} at {t}; re-registered (residual {change.residual_px:.1f} px)"
    if change.kind == "moved":
        why = f" ({change.reason})" if change.reason else ""
        return f"the camera or the table has moved by {shift} at {t}: nothing is measured until the view is back{why}"
    if change.kind == "misplaced" and change.profile is not None:
        doubt = f"; {change.reason}" if change.reason else ""
        return (
            f"the table does not lie where the profile says: by {shift} at {t}; re-registered (residual {change.residual_px:.1f} px){doubt}"
        )
    if change.kind == "misplaced":
        return (
            f"the table does not lie where the profile says: the noses are seen {shift} off at {t}; nothing is measured ({change.reason});"
            " calibrate again"
        )
    if change.kind == "turned" and change.profile is not None:
        return f"the picture is turned by half a turn against the profile at {t} ({change.reason}): the house is {change.profile.home}"
    if change.kind == "shaken":
        return f"the picture shook by up to {shift} at {t}"
    if change.reason.startswith("picture of"):
        return f"from {t} on the video shows a {change.reason}: nothing is measured; cut it there and calibrate again"
    return f"another view is shown from {t}"
