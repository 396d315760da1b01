"""Leads through the protocol at a camera: says what to do next, notices when it was done, goes on. Enter skips a step."""

from __future__ import annotations

import select
import sys
import time
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from calibration.certify import measure
from calibration.certify.advice import BALL_NAMES, Said
from calibration.certify.observed import Observed
from calibration.certify.protocol import Known, Protocol, recognised, steps
from calibration.errors import UserError
from calibration.profile import Profile
from referee.words import CUSHION

_ENOUGH = 8  # known places
_EVERY = 0.5  # s between two looks at what has been measured
_TIMEOUT_MS = 10_000  # for a stream to answer
_ORDER = ("still", "places", "roll_along", "roll_across", "bounce")
_SPOTS = {
    "home-spot": Said("точка дома", "the home spot"),
    "centre-spot": Said("центральная точка", "the centre spot"),
    "pyramid-spot": Said("точка пирамиды", "the pyramid spot"),
}
_DO = {
    "still": Said("Отойдите от стола на две секунды.", "Step away from the table for two seconds."),
    "places": Said(
        "Кладите шары на три точки, затем вплотную к бортам, по два места у каждого угла; каждый раз отходите на секунду.",
        "Lay balls on the three spots, then against the cushions, two places at each corner; step back for a second each time.",
    ),
    "roll_along": Said(
        "Ударьте по шару сильно вдоль стола, чтобы он дошёл до борта.", "Play a ball firmly along the table to the cushion."
    ),
    "roll_across": Said("Прокатите шар поперёк стола до борта.", "Roll a ball across the table to the cushion."),
    "bounce": Said("Прокатите шар в борт, чтобы он отскочил.", "Roll a ball onto a cushion so that it comes back."),
}


class Guide:
    """What to say, from what has been measured so far."""

    def __init__(self, profile: Profile, protocol: Protocol, lang: str) -> None:
        self._profile, self._protocol, self._lang = profile, protocol, lang
        self._skipped: set[str] = set()
        self._told: set[tuple[str, ...]] = set()
        self._now: str | None = None
        self._ready: set[str] = set()

    @property
    def done(self) -> bool:
        return self._next() is None

    def _next(self) -> str | None:
        return next((step for step in _ORDER if step not in self._ready and step not in self._skipped), None)

    def skip(self) -> None:
        """The step that is asked for is left out."""
        if (step := self._next()) is not None:
            self._skipped.add(step)

    def update(self, observed: Observed) -> list[str]:
        """Takes the state of the measurement; returns the lines to say now."""
        lines = []
        knowns = recognised(observed.rests, self._profile.table, self._protocol)
        for known in knowns:
            if (*known.names, known.ball) not in self._told:
                self._told.add((*known.names, known.ball))
                lines.append(self._place(known))
        rolls = measure.rolls(observed.runs, self._protocol)
        bounces = measure.bounces(observed.runs, self._profile.table)
        found = steps(observed, knowns, bounces, rolls, self._protocol)
        found["places"] = found["places"] and len(knowns) >= _ENOUGH
        self._ready = {step for step, ready in found.items() if ready}
        step = self._next()
        if step != self._now:
            self._now = step
            if step is not None:
                lines.append(f"→ {_DO[step](self._lang)} {Said('(Enter — пропустить)', '(Enter: skip)')(self._lang)}")
        return lines

    def _place(self, known: Known) -> str:
        """For example: «белый: точка дома, мимо на 1.2 мм»."""
        lang = self._lang
        names = [CUSHION[n](lang) if n in CUSHION else _SPOTS[n](lang) if n in _SPOTS else n for n in known.names]
        off = Said("сдвиг {mm:.1f} мм", "{mm:.1f} mm off")(lang).format(mm=known.miss)
        return f"  ✓ {BALL_NAMES[known.ball](lang)}: {', '.join(names)}, {off}"


def lead(source: str, watching: Any, profile: Profile, protocol: Protocol, lang: str) -> None:
    """Runs the protocol on a camera or stream until all steps are measured or skipped, or the stream ends.

    Raises:
        UserError: no camera answers, or its picture has another size than the profile's.
    """
    guide = Guide(profile, protocol, lang)
    follow(camera_frames(source, profile), watching, guide, source, print, _enter_pressed)


def follow(frames: Iterator[Any], watching: Any, guide: Guide, source: str, say: Callable[[str], None], skips: Callable[[], bool]) -> None:
    """Feeds frames to `watching` and speaks through `say`; `skips` tells whether the step is to be left out."""
    looked = -1e9
    for frame in frames:
        watching.take(frame)
        skip = skips()
        if skip:
            guide.skip()
        if skip or (frame.seconds - looked >= _EVERY and watching.calm):
            looked = frame.seconds
            for line in guide.update(watching.observed(source, live=True)):
                say(line)
            if guide.done:
                break
    watching.finish()


def camera_frames(source: str, profile: Profile) -> Iterator[Any]:
    """Frames of a camera number or a stream, with the times at which they came."""
    import cv2

    from calibration.source import silent_stderr
    from vision.frames import frame_of_bgr

    waits = [cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, _TIMEOUT_MS, cv2.CAP_PROP_READ_TIMEOUT_MSEC, _TIMEOUT_MS]
    with silent_stderr():
        try:
            capture = cv2.VideoCapture(int(source)) if source.isdecimal() else cv2.VideoCapture(source, cv2.CAP_FFMPEG, waits)
        except (cv2.error, OverflowError):
            raise UserError(f"{source}: no camera has this number") from None
    try:
        if not capture.isOpened():
            raise UserError(f"{source}: no camera or stream answers there")
        began, index = time.monotonic(), 0
        while True:
            good, picture = capture.read()
            if not good:
                if index == 0:
                    raise UserError(f"{source}: the camera or stream gives no picture")
                return
            if index == 0:
                profile.check(picture.shape[1], picture.shape[0])
            stamp = Fraction(time.monotonic() - began).limit_denominator(1_000_000)
            yield frame_of_bgr(picture, index, stamp)
            index += 1
    finally:
        capture.release()


def _enter_pressed() -> bool:
    """Whether a line was typed; never waits. Without a terminal nothing is skipped."""
    if sys.stdin is None or not sys.stdin.isatty():
        return False
    ready, _, _ = select.select([sys.stdin], [], [], 0)
    return bool(ready) and sys.stdin.readline() != ""
