"""Watches frames for the protocol: the tracker says where the balls are, every measurement is made anew beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import cv2
import numpy as np

from calibration.certify.observed import Blur, Clock, Observed, Rest, Run
from calibration.profile import Profile
from referee.certificate.guard import ProfileGuard
from referee.certificate.probe import STRETCH_DOUBT, Probe, look_of
from referee.certificate.runs import runs_of
from referee.certificate.scene import Scene
from vision.detect import Detector
from vision.field import Field
from vision.frames import Frame
from vision.record import Sighting
from vision.segment import Span
from vision.watch import Watch

_CLEAR = 0.03  # share of foreign pixels round a ball up to which nobody is near it
_DENSE, _THIN = 40, 5  # measurements of a rest in a row, and then one in so many frames
_LEAST = 6  # measurements that make a rest
_SAME = 0.35  # of a radius: a ball that is farther from its rest lies elsewhere
_LOOK = 0.5  # s between two looks at colours
_GRID = 4  # px between the pixels compared to tell a frozen picture
_FROZEN = 0.02  # levels, mean difference: a coder changes a frozen picture by less, the least noise of a camera by ten times as much
_REPEATS = 4  # frames in a row that may show one picture
_ROLLED = 1.5, 80.0  # s, mm: a rest so soon and so near after a run was not laid by hand


@dataclass
class _Resting:
    start: float
    frames: int = 0
    t: list[float] = field(default_factory=list)
    px: list[tuple[float, float]] = field(default_factory=list)


class Watching:
    """Feed it frames in order; `observed` may be asked for at any time."""

    def __init__(self, profile: Profile, balls: tuple[str, ...], network: Detector | None = None) -> None:
        self._profile, self._balls, self._network = profile, balls, network
        self._table, self._camera = profile.table, profile.camera
        self._guard: ProfileGuard | None = None
        self._watch: Watch | None = None
        self._probe: Probe | None = None
        self._scene: Scene | None = None
        self._steps: list[float] = []
        self._last_t: float | None = None
        self._frames = self._doubled = self._alike = self._corrupt = self._frozen = 0
        self._shown: np.ndarray | None = None
        self._resting: dict[str, _Resting] = {}
        self._rests: list[Rest] = []
        self._runs: list[Run] = []
        self._blurs: list[Blur] = []
        self._before: dict[str, Sighting] = {}
        self._looked = -1e9

    def take(self, frame: Frame) -> None:
        """The next frame."""
        t = frame.seconds
        if self._guard is None:
            self._guard = ProfileGuard(frame, self._profile)
        if self._last_t is not None:
            self._steps.append(t - self._last_t)
        self._last_t = t
        self._frames += 1
        self._corrupt += frame.corrupt
        shown = np.ascontiguousarray(frame.y[::_GRID, ::_GRID])
        self._frozen += self._shown is not None and float(cv2.mean(cv2.absdiff(shown, self._shown))[0]) < _FROZEN
        self._shown = shown
        if not self._guard.look(frame):
            self._leave(t)
            return
        if self._watch is None:
            self._begin(frame)
        self._see(frame)

    def _begin(self, frame: Frame) -> None:
        area = Field(self._camera, self._table, frame.y.shape)
        self._watch = Watch(area, self._balls, self._network)
        self._probe = None
        if self._scene is None:
            self._scene = Scene(area.mask)

    def _see(self, frame: Frame) -> None:
        assert self._watch is not None and self._scene is not None
        watch, doubled = self._watch, self._watch.doubled
        span = watch.look(frame)
        twice = watch.doubled > doubled
        self._count_doubled(twice)
        live = self._live(frame)
        discs = [disc for _, disc in live.values()]
        if self._probe is None:
            self._probe = Probe(watch.field, frame, discs)
        moving = any(_travels(self._before.get(ball), s) for ball, (s, _) in live.items())
        self._probe.learn(frame, discs)
        if not twice:
            for ball, (sighting, disc) in live.items():
                self._measure(frame, ball, sighting, disc)
        calm = self._scene.take(frame, moving=moving)
        if calm and frame.seconds - self._looked >= _LOOK:
            self._looked = frame.seconds
            self._scene.see_cloth(frame, discs)
            for ball, (sighting, (x, y, r)) in live.items():
                if sighting.state == "rest" and sighting.foreign <= _CLEAR:
                    self._scene.see(ball, look_of(frame, x, y, r))
        for ball in [b for b in self._resting if b not in live]:
            self._rise(ball)
        if span is not None:
            self._close(span)

    def _count_doubled(self, twice: bool) -> None:
        """A picture that stays for long is a still one, not a doubled one: recorders repeat one or a few."""
        if twice:
            self._alike += 1
            return
        if self._alike <= _REPEATS:
            self._doubled += self._alike
        self._alike = 0

    def _live(self, frame: Frame) -> dict[str, tuple[Sighting, tuple[float, float, float]]]:
        """The balls in sight: how they were seen, and x, y, radius px."""
        assert self._watch is not None
        last = {ball: record.last for ball, record in self._watch.records.items()}
        found = {b: s for b, s in last.items() if s is not None and s.frame == frame.index}
        if not found:
            return {}
        places = np.array([(s.x, s.y) for s in found.values()])
        radius = self._table.radius
        px = self._camera.project_at(places, radius) + self._camera.silhouette_offset(places, radius)
        size = self._camera.ball_radius(places, radius)
        good = np.isfinite(px).all(axis=1) & np.isfinite(size)
        return {
            ball: (s, (float(p[0]), float(p[1]), float(r))) for (ball, s), p, r, ok in zip(found.items(), px, size, good, strict=True) if ok
        }

    def _measure(self, frame: Frame, ball: str, sighting: Sighting, disc: tuple[float, float, float]) -> None:
        assert self._probe is not None
        x, y, radius = disc
        before, self._before[ball] = self._before.get(ball), sighting
        if sighting.state == "rest":
            if sighting.foreign <= _CLEAR:
                self._rest(frame, ball, x, y, radius)
            return
        if sighting.state != "moving":
            return
        self._rise(ball)
        if before is None or not (sighting.fresh and before.fresh) or sighting.foreign > _CLEAR or not 0 < sighting.t - before.t < 0.2:
            return
        if not self._on_bed(sighting):
            return
        way = self._camera.project_at([(before.x, before.y), (sighting.x, sighting.y)], self._table.radius)
        stretch = self._probe.stretch(frame, ball, x, y, radius, way[1] - way[0])
        if stretch is not None:
            speed = float(np.hypot(sighting.x - before.x, sighting.y - before.y)) / (sighting.t - before.t)
            scale = radius / self._table.radius
            self._blurs.append(Blur(speed, stretch / scale**2, STRETCH_DOUBT / scale**2))

    def _on_bed(self, s: Sighting) -> bool:
        """Whether a ball is clear of cushions and pockets."""
        gap = 1.3 * self._table.radius
        return gap < s.x < self._table.length - gap and gap < s.y < self._table.width - gap

    def _rest(self, frame: Frame, ball: str, x: float, y: float, radius: float) -> None:
        assert self._probe is not None
        resting = self._resting.get(ball)
        if resting is not None and resting.px:
            at = np.median(np.array(resting.px[-_LEAST:]), axis=0)
            if np.hypot(x - at[0], y - at[1]) > _SAME * radius:
                self._rise(ball)
                resting = None
        if resting is None:
            self._probe.forget(ball)
            resting = self._resting[ball] = _Resting(frame.seconds)
        resting.frames += 1
        if len(resting.px) > _DENSE and resting.frames % _THIN:
            return
        spot = self._probe.rest(frame, ball, x, y, radius)
        if spot is not None:
            resting.t.append(frame.seconds)
            resting.px.append(spot)

    def _rise(self, ball: str) -> None:
        """A rest is over."""
        resting = self._resting.pop(ball, None)
        if resting is not None and (rest := self._rest_of(ball, resting)) is not None:
            self._rests.append(rest)

    def _rest_of(self, ball: str, resting: _Resting) -> Rest | None:
        if len(resting.px) < _LEAST:
            return None
        px = np.array(resting.px)
        middle = np.median(px, axis=0)
        px = px[np.hypot(*(px - middle).T) < 4 * np.median(np.hypot(*(px - middle).T)) + 0.05]  # a shadow, a sleeve
        mm = self._camera.ball_at(px, self._table.radius)
        if len(px) < _LEAST or not np.isfinite(mm).all():
            return None
        jitter = mm.std(axis=0, ddof=1)
        at = mm.mean(axis=0)
        noise_px = float(np.sqrt(px.var(axis=0, ddof=1).mean()))
        return Rest(
            ball, resting.start, resting.t[-1], (float(at[0]), float(at[1])), (float(jitter[0]), float(jitter[1])), noise_px, len(px)
        )  # fmt: skip

    def _leave(self, t: float) -> None:
        """The table is not in view as calibrated."""
        if self._watch is None:
            return
        for ball in list(self._resting):
            self._rise(ball)
        span = self._watch.finish(t)
        if span is not None:
            self._close(span)
        self._watch = None
        self._before.clear()

    def _close(self, span: Span) -> None:
        """A stretch of motion is over."""
        assert self._watch is not None
        step = self._step()
        for ball, record in self._watch.records.items():
            self._runs += runs_of(ball, record.since(span.start), step)
            record.forget_before(span.end)
        self._watch.pots.clear()

    def finish(self) -> None:
        """There are no more frames."""
        if self._last_t is not None:
            self._leave(self._last_t)

    def _step(self) -> float:
        return float(np.median(self._steps)) if self._steps else 1 / 30

    @property
    def frames(self) -> int:
        return self._frames

    @property
    def calm(self) -> bool:
        """Whether no ball is on its way."""
        return self._watch is not None and not self._watch.active

    def observed(self, source: str, *, live: bool = False) -> Observed:
        """What was seen so far. `live`: rests that go on count too."""
        rests = list(self._rests)
        if live:
            rests += [rest for ball, r in self._resting.items() if (rest := self._rest_of(ball, r)) is not None]
        rests = [replace(rest, rolled=_rolled(rest, self._runs)) for rest in rests]
        return Observed(
            source,
            self._profile.size,
            self._clock(),
            tuple(rests),
            tuple(self._runs),
            tuple(self._blurs),
            self._scene.still() if self._scene else None,
            self._scene.light() if self._scene else None,
            self._seen(rests),
            self._notes(),
        )

    def _clock(self) -> Clock:
        step = self._step()
        fresh = max(1, self._frames - self._doubled)
        longest = max(self._steps) / step if self._steps else 1.0
        # pictures that are shown twice are no new ones
        rate = (1 / step) * (fresh / max(1, self._frames) if self._doubled > 0.05 * self._frames else 1.0)
        return Clock(self._frames, rate, longest, self._doubled, self._corrupt, self._frozen)

    def _seen(self, rests: list[Rest]) -> Mapping[str, bool]:
        return {ball: any(r.ball == ball for r in rests) or any(r.ball == ball for r in self._runs) for ball in self._balls}

    def _notes(self) -> tuple[tuple[str, str], ...]:
        notes = [
            (
                f"с {t:.1f} с стол в кадре не там, где был: дальше не измерено",
                f"from {t:.1f} s on the table is not where it was in the picture",
            )
            for t in (self._guard.lost if self._guard else ())
        ]
        if self._clock().stands:
            notes.append(
                (
                    "большинство кадров — точные повторы предыдущих: шум и мерцание не измерены",
                    "most frames repeat the one before to the bit: noise and flicker were not measured",
                )
            )
        return tuple(notes)


def _travels(before: Sighting | None, now: Sighting) -> bool:
    """Whether a ball has moved since the frame before."""
    return now.state == "moving" and (before is None or float(np.hypot(now.x - before.x, now.y - before.y)) > 0.5)


def _rolled(rest: Rest, runs: list[Run]) -> bool:
    seconds, reach = _ROLLED
    for run in runs:
        if run.ball == rest.ball and run.length > 40 and -0.5 < rest.start - run.t[-1] < seconds:
            x, y = run.xy[-1]
            if np.hypot(x - rest.at[0], y - rest.at[1]) < reach:
                return True
    return False
