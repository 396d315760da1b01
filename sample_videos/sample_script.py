"""How the sample match was found: `python -m sample_videos.sample_script OUT.toml` (development only).

Depth first over the script below: each step starts from the state that the ruling of the step before left, and a step
without a continuation is played differently.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from math import cos, hypot, sin
from typing import Any

import numpy as np

from calibration.table import POCKETS, Point, Table, table
from sample_videos import search
from sample_videos.match import Played
from sample_videos.physics import Cloth, SimulatedShot, SimulationFailed
from sample_videos.recipes import Recipe, met, only, pot_call, reflections, speed, spin, stroke_of, stroke_toml
from sample_videos.record import Adjudicate, case_of
from sample_videos.strokes import Stroke, play

CLOTH = Cloth(roll=0.016)  # a slow club cloth: strokes of the sample are over sooner
State = Mapping[str, Any]
Draw = Callable[[np.random.Generator, Table, State], Iterator[SimulatedShot]]


@dataclass(frozen=True, slots=True)
class Step:
    """One stroke of the script: how to draw it from a state, what must happen, what the ruling must be."""

    name: str
    draw: Draw
    wanted: Callable[[SimulatedShot], bool]
    ruled: Callable[[Mapping[str, Any]], bool]
    call: Callable[[SimulatedShot], str] | None = None
    longest: float = 6.5


def _placed(state: State) -> dict[str, Point]:
    return {b: (float(p[0]), float(p[1])) for b, p in state["positions"].items() if p is not None}


def _opening(rng: np.random.Generator, t: Table, state: State) -> Iterator[SimulatedShot]:
    house = (float(rng.uniform(250, t.length / 4 - 80)), float(rng.uniform(350, t.width - 350)))
    placing = {**_placed(state), "white": house}
    low, high = search.window(t, placing["white"], placing["yellow"])
    shot = search.player(t, placing, "white", speed(rng, 1300, 2000), cloth=CLOTH, **spin(rng))(float(rng.uniform(low, high)))
    if shot:
        yield shot


def _pot(ball: str) -> Draw:
    def draw(rng: np.random.Generator, t: Table, state: State) -> Iterator[SimulatedShot]:
        cue = state["cue_ball"]
        for pocket in POCKETS:
            more = {"cloth": CLOTH, **spin(rng)}
            yield from search.pot(t, _placed(state), cue, cue if ball == "own" else ball, pocket, speed(rng, 900, 2200), **more)

    return draw


_BANKS = (
    ("foot-left", "right"),
    ("foot-right", "left"),
    ("middle-left", "right"),
    ("middle-right", "left"),
    ("home-left", "right"),
    ("home-right", "left"),
)


def _bank_red(rng: np.random.Generator, t: Table, state: State) -> Iterator[SimulatedShot]:
    """Yellow in hand is placed behind red, seen from the pocket's mirror image, and drives it off the opposite cushion."""
    placing = _placed(state)
    for pocket, cushion in _BANKS:
        target = t.pocket(pocket).centre
        way = search.heading_to(placing["red"], search.image(t, target, (cushion,))) + float(rng.uniform(-0.5, 0.5))
        gap = float(rng.uniform(200, 650))
        yellow = (placing["red"][0] - gap * cos(way), placing["red"][1] - gap * sin(way))
        apart = all(hypot(yellow[0] - p[0], yellow[1] - p[1]) > 90 for b, p in placing.items() if b != "yellow")
        if apart and 60 < yellow[0] < t.length - 60 and 60 < yellow[1] < t.width - 60:
            more = {"cloth": CLOTH, **spin(rng)}
            yield from search.bank(t, {**placing, "yellow": yellow}, "yellow", "red", target, (cushion,), speed(rng, 2300, 4200), **more)


def _past(rng: np.random.Generator, t: Table, state: State) -> Iterator[SimulatedShot]:
    """White passes yellow closely."""
    placing = _placed(state)
    low, high = search.window(t, placing["white"], placing["yellow"])
    far = hypot(placing["white"][0] - placing["yellow"][0], placing["white"][1] - placing["yellow"][1])
    heading = float(rng.choice([low - rng.uniform(2, 40) / far, high + rng.uniform(2, 40) / far]))
    shot = search.player(t, placing, "white", speed(rng, 500, 1300), cloth=CLOTH, **spin(rng))(heading)
    if shot:
        yield shot


def _safe(rng: np.random.Generator, t: Table, state: State) -> Iterator[SimulatedShot]:
    placing = _placed(state)
    low, high = search.window(t, placing["yellow"], placing["white"])
    shot = search.player(t, placing, "yellow", speed(rng, 600, 1200), cloth=CLOTH, **spin(rng))(float(rng.uniform(low, high)))
    if shot:
        yield shot


def _open(s: SimulatedShot) -> bool:
    """Yellow lies before a pocket."""
    at = s.after["yellow"]
    return at is not None and any(search.approach(s.table, at, p) < (14 if s.table.pocket(p).corner else 26) for p in POCKETS)


def _clean_bank(s: SimulatedShot) -> bool:
    pocket = s.pot("red")
    made = reflections(s, "red")
    return bool(pocket) and len(made) == 1 and made[0] not in str(pocket).split("-") and only(s, met("yellow", "red"))


WY = met("white", "yellow")
SCRIPT = (
    Step(
        "opening",
        _opening,
        lambda s: only(s, WY) and not s.of("pocket") and len(s.of("cushion")) >= 1 and _open(s),
        lambda r: r["outcome"] == "no_score",
    ),
    Step(
        "past yellow",
        _past,
        lambda s: not s.of("contact") and not s.of("pocket") and len(s.of("cushion")) >= 1,
        lambda r: r["outcome"] == "foul" and r["opponent_points"] == 3,
        longest=5.5,
    ),
    Step(
        "yellow straight",
        _pot("yellow"),
        lambda s: not reflections(s, "yellow") and only(s, WY) and s.after["white"] is not None,
        lambda r: r["points"] == 3 and r["turn"] == "stays",
        pot_call("yellow"),
    ),
    Step("red off a cushion", _bank_red, _clean_bank, lambda r: r["points"] == 8, pot_call("red")),
    Step("yellow to white", _safe, lambda s: only(s, WY) and not s.of("pocket"), lambda r: r["outcome"] == "no_score", longest=5.0),
)


def opening_state(kind: Table) -> dict[str, Any]:
    positions = {"white": None, "yellow": kind.spots["pyramid"], "red": kind.spots["home"], "black": kind.spots["centre"]}
    return {"player": 0, "scores": [0, 0], "opening": True, "cue_ball": "white", "placement": "in_hand_house", "positions": positions}


def continuations(
    step: Step, state: State, rng: np.random.Generator, adjudicate: Adjudicate, seconds: float
) -> Iterator[tuple[str, State]]:
    """(TOML of the stroke, state after it) for different solutions of a step, until the budget is spent."""
    kind, tried = table(), []
    left = search.Budget(seconds).clock()
    barren = 0
    while left() and barren < 25:
        barren += 1
        for shot in step.draw(rng, kind, state):
            if not step.wanted(shot):
                continue
            stroke = _stroke(step, state, shot)
            try:
                found = play(stroke, kind, CLOTH)
            except SimulationFailed:
                continue
            if not step.wanted(found) or found.duration > step.longest:
                continue
            ends = np.array([p or (0.0, 0.0) for p in found.after.values()])
            if any(np.abs(ends - other).max() < 60 for other in tried):  # too like one already tried
                continue
            tried.append(ends)
            barren = 0
            ruling = adjudicate(case_of(kind, Played(stroke, found, 0.0, state["player"], None), dict(state)))
            if step.ruled(ruling):
                yield f"{stroke_toml(stroke)}player = {state['player']}\n", ruling["state"]


def _stroke(step: Step, state: State, shot: SimulatedShot) -> Stroke:
    more = {"placement": state["placement"], "opening": bool(state.get("opening"))}
    return replace(stroke_of(shot, Recipe(step.name, "clean", "", _none, step.wanted, step.call, more)), cloth=None)


def _none(rng: np.random.Generator, kind: Table) -> Iterator[SimulatedShot]:
    yield from ()


def solve(
    steps: tuple[Step, ...], state: State, rng: np.random.Generator, adjudicate: Adjudicate, seconds: float = 12.0
) -> list[str] | None:
    """The strokes of the script from a state on, or None. `seconds` are the last step's: the others hold its time too."""
    if not steps:
        return []
    for text, after in continuations(steps[0], state, rng, adjudicate, seconds * 2.5 ** (len(steps) - 1)):
        print("  " * (len(SCRIPT) - len(steps)) + steps[0].name, flush=True)
        rest = solve(steps[1:], after, rng, adjudicate, seconds)
        if rest is not None:
            return [text, *rest]
    return None


def ruled_by_command(case: dict[str, Any]) -> dict[str, Any]:
    """The ruling that `poedinok adjudicate` prints: rules live above this package and are not imported here."""
    command = [sys.executable, "-m", "referee.cli", "adjudicate", "-"]
    done = subprocess.run(command, input=json.dumps(case), capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def main(arguments: list[str]) -> int:
    """Search the script with the seed given (default 1) and write its strokes to a file."""
    seed = int(arguments[1]) if len(arguments) > 1 else 1
    kind = table()
    found = solve(SCRIPT, opening_state(kind), np.random.default_rng(seed), ruled_by_command)
    if found is None:
        print("not found")
        return 1
    with open(arguments[0], "w", encoding="utf-8") as file:
        file.write("\n".join(found))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
