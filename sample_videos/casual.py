"""Matches of any length, each stroke from the state that the ruling before left (development only).

    python -m sample_videos.casual OUT.toml --seed 3 --strokes 5 --off 8,30,100

Pots where there is one, else a hit. A ball that a ruling has spotted can be put down beside its spot by so many mm (`--off 8,30,100`:
each spotting in turn); the next stroke is then played, and ruled, from where the ball really lies.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import cos, hypot, pi, sin
from typing import Any

import numpy as np

from calibration.table import POCKETS, Point, Table, table
from sample_videos import search
from sample_videos.match import Played
from sample_videos.physics import SimulatedShot, SimulationFailed
from sample_videos.recipes import Recipe, pot_call, speed, spin, stroke_of, stroke_toml
from sample_videos.record import Adjudicate, case_of
from sample_videos.sample_script import CLOTH, opening_state, ruled_by_command
from sample_videos.strokes import Stroke, play

LONGEST = 8.0  # s of a stroke


def _placed(rng: np.random.Generator, t: Table, state: Mapping[str, Any]) -> dict[str, Point]:
    """Where the balls lie, the cue ball in hand put where it has a pot, if there is such a place."""
    balls = {b: (float(p[0]), float(p[1])) for b, p in state["positions"].items() if p is not None}
    cue = state["cue_ball"]
    if state["placement"] == "as_lies" and cue in balls:
        return balls
    others = {b: p for b, p in balls.items() if b != cue}
    far = t.length / 4 - 40 if state["placement"] == "in_hand_house" else t.length - 80
    for _ in range(300):
        if others and rng.random() < 0.9:
            ball, pocket = str(rng.choice(list(others))), str(rng.choice(POCKETS))
            way = search.heading_to(others[ball], t.pocket(pocket).centre) + float(rng.normal(0, 0.15))
            gap = float(rng.uniform(250, 900))
            place = (others[ball][0] - gap * cos(way), others[ball][1] - gap * sin(way))
            good = search.approach(t, others[ball], pocket) < 16
        else:
            place, good = (float(rng.uniform(80, far)), float(rng.uniform(80, t.width - 80))), True
        free = all(hypot(place[0] - p[0], place[1] - p[1]) > 100 for p in others.values())
        if good and free and 80 < place[0] < far and 80 < place[1] < t.width - 80:
            return {**others, cue: place}
    raise RuntimeError("no place for the cue ball")


def _strokes(rng: np.random.Generator, t: Table, placing: Mapping[str, Point], cue: str) -> Iterator[tuple[SimulatedShot, str | None]]:
    """Pots with their calls, then hits without one."""
    order = [(b, p) for b in placing if b != cue for p in POCKETS]
    for k in rng.permutation(len(order)):
        ball, pocket = order[k]
        for shot in search.pot(t, placing, cue, ball, pocket, speed(rng, 900, 2000), cloth=CLOTH, **spin(rng)):
            yield shot, pot_call(ball)(shot)
    for _ in range(20):
        ball = str(rng.choice([b for b in placing if b != cue]))
        heading = float(rng.uniform(*search.window(t, placing[cue], placing[ball])))
        shot = search.player(t, placing, cue, speed(rng, 500, 1300), cloth=CLOTH, **spin(rng))(heading)
        if shot:
            yield shot, None


def _rounded(shot: SimulatedShot, name: str, call: str | None, state: Mapping[str, Any]) -> tuple[Stroke, SimulatedShot] | None:
    """The stroke that a file holds, and how it is played; None where the physics break off or it lasts too long."""
    more = {"placement": state["placement"], "opening": bool(state.get("opening"))}
    item = Recipe(name, "clean", "", lambda rng, t: iter(()), lambda s: True, call, more)
    stroke = replace(stroke_of(shot, item), cloth=None)
    try:
        again = play(stroke, shot.table, CLOTH)
    except SimulationFailed:
        return None
    return (stroke, again) if again.duration <= LONGEST else None


def play_match(rng: np.random.Generator, count: int, off: list[float], adjudicate: Adjudicate) -> list[str]:
    """TOML of `count` strokes, at the most; `off` mm: how far beside its spot each spotted ball is put, in turn."""
    t, state, found = table(), opening_state(table()), []
    wrong = list(off)
    for k in range(count):
        placing = _placed(rng, t, state)
        for shot, call in _strokes(rng, t, placing, state["cue_ball"]):
            stroke = _rounded(shot, f"stroke {k + 1}", call, state)
            if stroke is None or (stroke[1].pot(state["cue_ball"]) and rng.random() < 0.7):
                continue
            case = case_of(t, Played(*stroke, 0.0, state["player"], None), dict(state))
            ruling = adjudicate(case)
            found.append(f"{stroke_toml(stroke[0])}player = {state['player']}\n")
            print(f"{k + 1}: {ruling['outcome']}, {ruling['points']} points", flush=True)
            state = ruling["state"]
            for ball, place in state["positions"].items():
                lay = stroke[1].after.get(ball)
                if place is not None and lay is None and ball != state["cue_ball"] and wrong:
                    turn, by = float(rng.uniform(0, 2 * pi)), wrong.pop(0)
                    print(f"   {ball} put {by:g} mm beside its spot")
                    state["positions"][ball] = [round(place[0] + by * cos(turn), 2), round(place[1] + by * sin(turn), 2)]
            break
        else:
            break
        if state.get("over"):
            break
    return found


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m sample_videos.casual", description=__doc__)
    parser.add_argument("out")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--strokes", type=int, default=6)
    parser.add_argument("--off", default="", help="mm, separated by commas")
    given = parser.parse_args(arguments)
    off = [float(v) for v in given.off.split(",") if v]
    rows = play_match(np.random.default_rng(given.seed), given.strokes, off, ruled_by_command)
    with open(given.out, "w", encoding="utf-8") as file:
        file.write("\n".join(rows))


if __name__ == "__main__":
    main()
