"""Strokes measured without pictures: exact paths, sampled as a camera and the tracker would give them, fed to the event finder.

    python -m tests.bench.sampled [--strokes N] [--seed S] [--kinds a,b] [--details]

A place is the mean over the exposure, with gaussian noise, a smooth error of the calibration, and a clock that jitters.
One stroke takes some hundredths of a second, so hundreds of unseen ones can be tried at once. Not in it: covered balls,
pictures that are missing, colours.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from calibration.table import BALLS, Table, table
from referee.analyze import judged, referee_strokes
from referee.callfile import TimedCall
from referee.codec import shot_from_json
from referee.state import State
from sample_videos.physics import SimulatedShot
from tests.bench.hard_strokes import DRAWS, Case, cases
from vision.breaks import Path, path_of
from vision.events import Fall, Found, fall_of, find_events
from vision.record import Sighting, observations, without_excursions
from vision.shot import Event, Shot
from vision.shot import Stroke as SeenStroke

LEAD, TAIL = 0.35, 0.45  # s of rest before and after, as the segmentation leaves them
COUNTED = ("contact", "cushion", "jaw", "pocket")
TOLERANCE = 0.06  # s, as the scorer's
_SUBFRAMES = 8
_INSIDE = 0.3  # of a radius: so far in the drop circle a ball counts as potted (`vision.watch`)


@dataclass(frozen=True, slots=True)
class Eye:
    """A camera and its tracker: `noise` mm of a place, `bias` mm of the calibration's smooth error, `jitter` and `uneven` in
    shares of the frame time (unknown and known unevenness of the clock), `shutter` share of it that the picture is exposed."""

    fps: float = 60.0
    noise: float = 0.6
    bias: float = 0.7
    jitter: float = 0.01
    uneven: float = 0.0
    shutter: float = 0.5


@dataclass(frozen=True, slots=True)
class Sampled:
    """What the tracker saw of a stroke, times from the strike in s."""

    paths: dict[str, Path]
    falls: list[Fall]
    step: float
    slack: float

    def events(self, kind: Table) -> Found:
        return find_events(kind, self.paths, self.falls, self.step, self.slack)


def sampled(shot: SimulatedShot, eye: Eye, seed: int) -> Sampled:
    """The paths and falls of a simulated shot as seen by `eye`."""
    rng = np.random.default_rng(seed)
    step = 1 / eye.fps
    count = int((LEAD + shot.duration + TAIL) / step)
    stamps = -LEAD + (np.arange(count) + rng.random() + rng.uniform(-eye.uneven, eye.uneven, count)) * step
    real = stamps + rng.normal(0, eye.jitter * step, count)
    wave = rng.normal(0, 1, (2, 6)) * eye.bias / np.sqrt(3)
    paths, falls = {}, []
    for ball, path in shot.paths.items():
        exposure = real[:, None] + ((np.arange(_SUBFRAMES) + 0.5) / _SUBFRAMES - 0.5) * eye.shutter * step
        xy = path.at(exposure)[..., :2].mean(axis=1)
        sunk = _sunk(shot, ball, xy, real)
        kept = slice(0, None if sunk is None else sunk[1] + 1)
        seen = xy[kept] + _bias(shot.table, xy[kept], wave) + rng.normal(0, eye.noise, xy[kept].shape)
        rows = [Sighting(k, float(stamps[k]), x, y, max(eye.noise, 0.05), "moving", True, 0.0, 1.0) for k, (x, y) in enumerate(seen)]
        data = without_excursions(observations(rows, step))
        if len(data) >= 2:
            paths[ball] = path_of(ball, data)
        if sunk is not None and ball in paths:
            falls.append(fall_of(shot.table, paths[ball], sunk[0], -LEAD, step))
    return Sampled(paths, falls, step, max(2.0, 1.5 * eye.noise))


def _sunk(shot: SimulatedShot, ball: str, xy: np.ndarray, real: np.ndarray) -> tuple[str, int] | None:
    """The pocket that a ball falls into, and the first frame in which it is in the hole."""
    pot = next(iter(shot.of("pocket", ball)), None)
    if pot is None:
        return None
    hole = shot.table.pocket(pot["pocket"])
    inside = (np.hypot(*(xy - hole.centre).T) < hole.radius - _INSIDE * shot.table.radius) & (real > pot["t"] - 0.1)
    return hole.name, int(inside.argmax()) if inside.any() else len(xy) - 1


def _bias(kind: Table, xy: np.ndarray, wave: np.ndarray) -> np.ndarray:
    u, v = (2 * xy / (kind.length, kind.width) - 1).T
    return (wave @ np.array([np.ones_like(u), u, v, u * v, u * u, v * v])).T


# scores -----------------------------------------------------------------------------------------------------------------


def key(e: Any) -> tuple:
    """What must agree, time apart, for two events to be the same (events of the contract, or `Event`)."""
    told: dict[str, Any] = e if isinstance(e, dict) else {name: getattr(e, name) for name in ("type", "ball", "balls", "cushion", "pocket")}
    if told["type"] == "contact":
        return ("contact", frozenset(told["balls"]))
    return (told["type"], told["ball"], told["cushion" if told["type"] == "cushion" else "pocket"])


@dataclass
class Score:
    """Sums over strokes. `pulls`: errors of times in their error bars. `sure`, `sure_right`: strokes that need no look."""

    strokes: int = 0
    hits: int = 0
    missed: list[tuple] = field(default_factory=list)
    spurious: list[tuple] = field(default_factory=list)
    late: list[float] = field(default_factory=list)
    pulls: list[float] = field(default_factory=list)
    first: int = 0
    right: int = 0
    sure: int = 0
    sure_right: int = 0
    seconds: float = 0.0
    trust: list[tuple[float, bool]] = field(default_factory=list)

    def f1(self, *without: str) -> float:
        missed = [m for m in self.missed if m[0] not in without]
        spurious = [m for m in self.spurious if m[0] not in without]
        return 2 * self.hits / max(1, 2 * self.hits + len(missed) + len(spurious))

    def row(self, name: str) -> str:
        late = np.array(self.late or [0]) * 1000
        jaws = sum(m[0] == "jaw" for m in self.missed), sum(m[0] == "jaw" for m in self.spurious)
        return (
            f"{name:18}{self.strokes:6}{self.f1():8.3f}"
            f"{len(self.missed) - jaws[0]:7}+{len(self.spurious) - jaws[1]:<4}{jaws[0]:6}+{jaws[1]:<4}"
            f"{np.median(late):7.1f}{np.percentile(late, 95):7.1f}{np.mean(np.array(self.pulls or [0]) < 2):7.2f}"
            f"{self.first:6}{self.right:6}{self.sure:6}{self.sure_right:7}{1000 * self.seconds / max(1, self.strokes):8.0f}"
        )


HEAD = (
    f"{'kind':18}{'n':>6}{'F1':>8}{'missed+':>8}{'extra':<4}{'jaws -':>6}{'+':<4}{'ms 50':>8}{'ms 95':>7}{'<2σ':>7}"
    f"{'first':>6}{'ruled':>6}{'sure':>6}{'right':>7}{'cpu ms':>8}"
)


def matched(truth: Sequence[dict], found: Sequence[Event]) -> tuple[list[tuple[dict, Event]], list[dict], list[Event]]:
    """Pairs that agree within the tolerance, nearest first; what was missed; what is too many."""
    near = [(abs(a["t"] - b.t), i, j) for i, a in enumerate(truth) for j, b in enumerate(found) if key(a) == key(b)]
    left, right, pairs = set(range(len(truth))), set(range(len(found))), []
    for gap, i, j in sorted(near):
        if gap <= TOLERANCE and i in left and j in right:
            left.discard(i)
            right.discard(j)
            pairs.append((truth[i], found[j]))
    return pairs, [truth[i] for i in sorted(left)], [found[j] for j in sorted(right)]


def first_contact(events: Sequence[Any], cue: str | None) -> frozenset[str] | None:
    return next((key(e)[1] for e in events if key(e)[0] == "contact" and cue in key(e)[1]), None)


def ruling_of(case: Case, found: Found) -> tuple[bool, bool]:
    """Whether the stroke as found is ruled as it is in truth, and whether nobody need look at it."""
    kind, stroke = case.shot.table, case.stroke
    places = {ball: case.shot.before.get(ball) for ball in BALLS}
    state = State(0, (0, 0), 30, stroke.opening, stroke.cue_ball, stroke.placement, places)
    truth = shot_from_json(
        {"events": list(case.shot.events), "positions": {b: None if p is None else list(p) for b, p in case.shot.after.items()}}, kind
    )
    want, _ = judged(state, truth, stroke.call, kind)
    events = tuple(replace(e, t=max(0.0, e.t - found.strike_t)) for e in found.events)
    seen = SeenStroke(0.0, 10.0, 0, 600, found.cue_ball, places, Shot(events, truth.positions), found.doubts)
    calls = (TimedCall(-1.0, stroke.call, 1),) if stroke.call else ()
    match, _, _ = referee_strokes([seen], kind, calls=calls, start=state)
    ruled = match.strokes[0]
    got = ruled.ruling
    same = want is not None and got is not None and _essence(want) == _essence(got)
    return same, not ruled.review


def _essence(ruling: Any) -> tuple:
    return ruling.outcome, ruling.points, ruling.opponent_points, ruling.turn


def scored(case: Case, found: Found, score: Score) -> list[str]:
    """Add one stroke to a score; the lines say what is wrong with it."""
    truth = [e for e in case.shot.events if e["type"] in COUNTED]
    events = [e for e in found.events if e.type in COUNTED]
    pairs, missed, spurious = matched(truth, events)
    score.strokes += 1
    score.hits += len(pairs)
    score.missed += [key(e) for e in missed]
    score.spurious += [key(e) for e in spurious]
    timed = [(a, b) for a, b in pairs if b.type != "pocket"]
    score.late += [abs(a["t"] - b.t) for a, b in timed]
    score.pulls += [1000 * abs(a["t"] - b.t) / (b.sigma_ms or 1) for a, b in timed]
    score.trust += [(b.confidence or 0, True) for _, b in pairs] + [(b.confidence or 0, False) for b in spurious]
    score.first += first_contact(truth, case.stroke.cue_ball) == first_contact(events, found.cue_ball)
    right, sure = ruling_of(case, found)
    score.right, score.sure, score.sure_right = score.right + right, score.sure + sure, score.sure_right + (sure and right)
    lines = [f"missed {key(e)} at {e['t']:.4f}" for e in missed] + [f"too many: {key(e)} at {e.t:.4f}, {e.confidence}" for e in spurious]
    if sure and not right:
        lines.append("RULED WRONG, and sure of it")
    if found.cue_ball != case.stroke.cue_ball:
        lines.append(f"cue ball {found.cue_ball}")
    return lines + ([f"doubt: {d.reason}" for d in found.doubts] if lines else [])


EYES = {
    "60 fps, 0.6 mm": Eye(), "60 fps, 2 mm, uneven": Eye(noise=2.0, uneven=0.2, jitter=0.02), "30 fps, 0.6 mm": Eye(fps=30.0),
    "30 fps, 1.5 mm": Eye(fps=30.0, noise=1.5),
}  # fmt: skip


def main() -> None:
    """Print a table of the kinds for each eye."""
    parser = argparse.ArgumentParser(description="Score the event finder on sampled strokes.")
    parser.add_argument("--strokes", type=int, default=20, help="strokes of each kind")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kinds", default="", help=f"some of {', '.join((*DRAWS, 'library'))}")
    parser.add_argument("--eyes", type=int, default=len(EYES), help="only the first so many cameras")
    parser.add_argument("--details", action="store_true", help="tell what is wrong with each stroke")
    options = parser.parse_args()
    kind = table()
    played = list(cases(options.strokes, options.seed, kind, [k.strip() for k in options.kinds.split(",") if k]))
    for name, eye in list(EYES.items())[: options.eyes]:
        scores: dict[str, Score] = {}
        for n, case in enumerate(played):
            seen = sampled(case.shot, eye, options.seed * 10007 + n)
            score = scores.setdefault(case.kind, Score())
            began = time.process_time()
            found = seen.events(kind)
            score.seconds += time.process_time() - began
            lines = scored(case, found, score)
            if options.details and lines:
                print(f"[{n}] {case.kind} {case.stroke.name}", *lines, sep="\n    ")
        print(f"\n{name}\n{HEAD}")
        for label, score in scores.items():
            print(score.row(label))
        total = _all(scores.values())
        print(total.row("all"))
        print(reliability(total.trust))


def reliability(trust: Sequence[tuple[float, bool]]) -> str:
    """How often events told with a confidence were right, by confidence."""
    bins = ((0.0, 0.6), (0.6, 0.8), (0.8, 0.95), (0.95, 0.99), (0.99, 1.01))
    parts = []
    for low, high in bins:
        right = [r for c, r in trust if low <= c < high]
        if right:
            parts.append(f"{low:.2f}–{min(high, 1):.2f}: {np.mean(right):.3f} of {len(right)}")
    return "right, by confidence: " + ", ".join(parts)


def _all(scores: Any) -> Score:
    total = Score()
    for s in scores:
        for name, value in vars(s).items():
            setattr(total, name, getattr(total, name) + value)
    return total


if __name__ == "__main__":
    main()
