"""Which strokes the benchmark plays and how they are filmed: every kind of the library, drawn anew from a seed."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from typing import Any

import cv2
import numpy as np

from calibration.table import Table, table
from sample_videos import physics
from sample_videos.faults import Faults
from sample_videos.match import Timing
from sample_videos.record import Film
from sample_videos.render import Look, random_look
from sample_videos.scenario import Scenario
from sample_videos.strokes import ScenarioError, Stroke, library, play
from sample_videos.variants import any_cloth, variant

BALLS = ("white", "yellow", "red", "black")
FORMATS = {"1080p60": ((1920, 1080), 60), "720p30": ((1280, 720), 30)}
TILTS = (0.0, 15.0, 30.0)
TABLES = ("pyramid-12ft", "pyramid-12ft", "pyramid-10ft", "pyramid-12ft", "pyramid-9ft")
TIMING = Timing(lead=0.3, aim=1.5, rest=0.7, tail=0.2)  # aiming is short: what is asked is what happens after the strike
LONGEST = 7.0  # s from the strike to rest: what rolls on longer costs most of the time and shows nothing more
_DRAWS = 3
_DEAR = ("combination", "bank", "carom", "push")  # kinds whose variants take long to find: theirs are struck a little otherwise
_AUTOMATIC = 8  # one in so many is calibrated on its own video
_APART = 22.0  # CIELAB distance that each ball keeps from the cloth, as it comes out in the picture


@dataclass(frozen=True, slots=True)
class Recipe:
    """One video: a stroke of a `kind`, its `format` (see FORMATS), and the options of scenario's [camera] and [look]."""

    kind: str
    seed: int
    stroke: Stroke
    table: str
    format: str
    tilt: float
    camera: Mapping[str, Any]
    look: Mapping[str, Any]
    shutter: float
    crf: int
    automatic: bool

    @property
    def key(self) -> str:
        """The same for the same video."""
        text = json.dumps({**asdict(self), "timing": asdict(TIMING)}, sort_keys=True, default=list)
        return f"{self.stroke.name}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"

    def scenario(self) -> Scenario:
        size, fps = FORMATS[self.format]
        film = Film(fps=Fraction(fps), shutter=self.shutter, crf=self.crf)
        return Scenario(self.key, (self.stroke,), (0,), self.table, size, film, TIMING, camera=self.camera, look=self.look)


def in_turn(numbers: Iterable[int], names: Sequence[str] = (), formats: Sequence[str] = ()) -> list[int]:
    """Numbers of recipes (only of strokes with such `names`, in such `formats`, if any), one of each kind in turn."""
    strokes = list(library().values())
    rounds: dict[int, list[int]] = {}
    made: Counter[str] = Counter()
    for n in numbers:
        stroke = strokes[n % len(strokes)]
        if names and not any(name in stroke.name or name.startswith(stroke.name) for name in names):
            continue
        if formats and _format(n, len(strokes)) not in formats:
            continue
        rounds.setdefault(made[stroke.kind], []).append(n)
        made[stroke.kind] += 1
    return [n for turn in sorted(rounds) for n in rounds[turn]]


def recipe(seed: int, n: int) -> Recipe | None:
    """Number n: round by round one of each stroke of the library; formats, tilts and tables take turns. None: none was found.

    The first round has variants on tables of all sizes, which take seconds to find; later ones are struck a little otherwise.
    """
    strokes = list(library().values())
    turn, i = divmod(n, len(strokes))
    form = _format(n, len(strokes))
    on = TABLES[i // 2 % len(TABLES)] if turn == 0 and strokes[i].kind not in _DEAR else None
    return _recipe(strokes[i], 100_000 * seed + n, form, TILTS[(turn + i) % len(TILTS)], on)


def _format(n: int, strokes: int) -> str:
    return "1080p60" if sum(divmod(n, strokes)) % 4 == 0 else "720p30"


def _recipe(stroke: Stroke, seed: int, form: str, tilt: float, on: str | None) -> Recipe | None:
    rng = np.random.default_rng(seed)
    kind = table(on or TABLES[0])
    drawn = _drawn(stroke, kind, rng, seed if on else None)
    if drawn is None:
        return None
    return Recipe(
        kind=drawn.kind, seed=seed, stroke=drawn, table=kind.name, format=form, tilt=tilt, automatic=(auto := seed % _AUTOMATIC == 0),
        camera=_camera(rng, tilt, straight=auto), look=_look(rng, kind), shutter=round(float(rng.uniform(0.15, 0.6)), 3),
        crf=int(rng.integers(20, 28)),
    )  # fmt: skip


def _drawn(stroke: Stroke, on: Table, rng: np.random.Generator, seed: int | None) -> Stroke | None:
    """Another stroke like one of the library, a variant of it if there is a `seed`, that comes to its end in time; else None."""
    if seed is None and stroke.falls:
        return None  # struck otherwise it might not stop in the jaws, and fall all the same
    for k in range(_DRAWS):
        try:
            found = _otherwise(stroke, on, rng) if seed is None else variant(stroke, on, seed + 1_000_003 * k)
            if play(found, on).duration <= LONGEST + (found.falls.after if found.falls else 0.0):
                return found
        except (physics.SimulationFailed, ScenarioError):
            continue
    return None


def _otherwise(stroke: Stroke, on: Table, rng: np.random.Generator) -> Stroke:
    """Struck a little otherwise, on another cloth, half of those without call or fault mirrored; the truth is what then happens."""
    speed, heading = stroke.speed * float(rng.uniform(0.985, 1.015)), stroke.heading + float(rng.normal(0, 0.03))
    other = replace(stroke, speed=round(speed, 1), heading=round(heading, 4), cloth=any_cloth(rng))
    if stroke.call or stroke.falls or stroke.faults != Faults() or rng.random() < 0.5:
        return other
    placing = {ball: (x, on.width - y) for ball, (x, y) in stroke.placing.items()}
    return replace(other, placing=placing, heading=-other.heading, side=-other.side)


def _camera(rng: np.random.Generator, tilt: float, *, straight: bool) -> dict[str, Any]:
    u = lambda low, high: round(float(rng.uniform(low, high)), 4)  # noqa: E731
    bend = (0.0 if straight or rng.random() < 0.4 else u(-0.10, 0.02), 0.0, 0.0, 0.0, 0.0)
    offset = (u(-80, 80), u(-60, 60))
    return {
        "above": u(2700, 3400) + 25 * tilt,
        "tilt": tilt + (u(-2, 2) if tilt else u(0, 1)),
        "roll": u(-1.5, 1.5),
        "margin": u(0.03, 0.06),
        "offset": offset,
        "distortion": bend,
    }


def _look(rng: np.random.Generator, kind: Table) -> dict[str, Any]:
    """A look on which every ball can be told from the cloth by eye; balls are of one colour, as in the game."""
    bounds = {"noise": round(float(rng.uniform(0.5, 4.0)), 2), "exposure": round(float(rng.uniform(0.8, 1.25)), 3), "patterns": {}}
    while True:
        seed = int(rng.integers(1 << 30))
        look = replace(random_look(np.random.default_rng(seed), length=kind.length, width=kind.width), **bounds)
        if _told_apart(look):
            return {"seed": seed, **bounds}


def _told_apart(look: Look) -> bool:
    gain = np.asarray(look.white_balance) * look.exposure
    colours = np.array([[look.cloth, *(look.ball(b) for b in BALLS)]], np.float32) * gain ** (1 / 2.4)
    lab = cv2.cvtColor(np.clip(colours, 0, 1).astype(np.float32), cv2.COLOR_RGB2LAB)[0]
    return bool(np.linalg.norm(lab[1:] - lab[0], axis=1).min() > _APART)
