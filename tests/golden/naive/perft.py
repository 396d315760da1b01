"""Counts and compares strokes: the product's engine against the naive rules, in the manner of chess perft.

    python -m tests.golden.naive.perft --depth N [--every K] [--random R] [--places P] [--show M]

prints the number of strokes compared and their differences grouped by kind. A stroke is a state x a call x a sequence of
events. The sequences are all those of at most two events, and the scripts below (which make each kind of call) with up
to N events put in, left out or replaced, as far as they are physically consistent.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from functools import cache
from itertools import chain, combinations, count
from math import dist
from random import Random

from .naive import rule
from .strokes import CALLS, SCRIPTS, STATES, random_call, random_sequence, roles, sequences, shot_of


def engine(case: dict) -> dict:
    """The ruling of the product's engine, through its JSON entry."""
    from referee import adjudicate
    from referee.codec import case_from_json, ruling_to_json

    read = case_from_json(case)
    return ruling_to_json(adjudicate(read.state, read.shot, read.call, read.table))


def same_place(a, b) -> bool:
    return (a is None) == (b is None) and (a is None or dist(a, b) <= 1)


def differences(theirs: dict, ours: dict) -> list[str]:
    """Kinds of difference, as short texts: engine's value against the naive one."""
    out = []
    for key in ("outcome", "points", "opponent_points", "turn", "game_over", "winner"):
        if theirs[key] != ours[key]:
            out.append(f"{key} {theirs[key]} / {ours[key]}")
    items = [sorted((i["rule"], i["points"]) for i in r["items"]) for r in (theirs, ours)]
    fouls = [sorted({f["rule"] for f in r["fouls"]}) for r in (theirs, ours)]
    void = [theirs["void_call"] is not None, ours["void"]]
    for name, (a, b) in (("items", items), ("fouls", fouls), ("void", void)):
        if a != b:
            out.append(f"{name} {a} / {b}" + (f" ({ours['void_reason']}; {theirs['void_call']})" if name == "void" else ""))
    mine, other = ours["state"], theirs["state"]
    for key in ("player", "scores", "target", "opening", "cue_ball", "placement", "waiting", "positions"):
        a, b = other[key], mine[key]
        if key == "waiting":
            a, b = sorted(a), sorted(b)
        if key == "positions":
            for ball in b:
                if not same_place(a[ball], b[ball]):
                    out.append(f"position of {ball}: {a[ball]} / {b[ball]}")
        elif a != b and not (out and key in ("player", "scores")):
            out.append(f"state.{key} {a} / {b}")
    return out


SHOWN_BY = {  # the event that shows a foul, c: cue ball
    "12.2": lambda e, c: e["type"] == "strike" and e["ball"] != c,
    "12.3": lambda e, c: e["type"] == "contact" and set(e["balls"]) == {"white", "red"},
    "12.4": lambda e, c: e["type"] == "contact" and set(e["balls"]) == {c, "black"},
    "12.5": lambda e, c: e["type"] == "touch",
    "12.7": lambda e, c: e["type"] == "pocket" and e["ball"] == c,
    "12.8": lambda e, c: e["type"] == "off_table" and e["ball"] == c,
    "12.9": lambda e, c: e["type"] in ("double_hit", "push", "press") or (e["type"] == "strike" and e["ball"] == c),
}


def misplaced_fouls(theirs: dict, case: dict) -> list[str]:
    """Fouls whose event does not show them, or that are out of order."""
    events, cue = case["shot"]["events"], case["state"]["cue_ball"]
    out = []
    for foul in theirs["fouls"]:
        shows = SHOWN_BY.get(foul["rule"])
        if (shows is None) != (foul["event"] is None) or (shows and not shows(events[foul["event"]], cue)):
            out.append(f"event of {foul['rule']}")
    order = [f["event"] for f in theirs["fouls"] if f["event"] is not None]
    return out if order == sorted(order) else [*out, "order of fouls"]


def strokes(depth: int, every: int = 1, seed: int = 0, names=tuple(STATES)):
    """All cases of a depth, or an even share of them (one in `every`), for the states named."""
    turn = seed
    for state_name, state in ((name, STATES[name]) for name in names):
        calls = CALLS[state["cue_ball"]].items()
        for sequence in sequences(state, depth):
            shot = None
            for call_name, call in calls:
                turn += 1
                if (turn * 2654435761 >> 7) % every:  # scattered, so that no state, call or event is left out
                    continue
                shot = shot or shot_of(state, sequence)
                yield f"{state_name} | {call_name}", {"table": "pyramid-12ft", "state": state, "call": call, "shot": shot}


@cache
def fitting(cue: str, script: tuple) -> list:
    """The calls under which a script scores from a plain state, so that a good share of the random strokes does."""
    state = STATES[cue]
    case = {"table": "pyramid-12ft", "state": state, "shot": shot_of(state, script)}
    return [call for call in CALLS[state["cue_ball"]].values() if rule({**case, "call": call})["outcome"] == "scored"]


def random_strokes(number: int, seed: int = 0):
    """Scripts with up to four random changes, calls that fit the script or random ones, any state."""
    rng = Random(seed)
    for _ in range(number):
        state_name = rng.choice(list(STATES))
        state = STATES[state_name]
        script, sequence = random_sequence(state, rng, rng.choice((0, 1, 1, 2, 3, 4)))
        calls = fitting(state["cue_ball"], script)
        call = rng.choice(calls) if calls and rng.random() < 0.7 else random_call(state["cue_ball"], rng)
        yield f"{state_name} | random", {"table": "pyramid-12ft", "state": state, "call": call, "shot": shot_of(state, sequence)}


def random_places(number: int, seed: int = 0):
    """Balls anywhere, crowded near the spots and the foot cushion: for the snooker test and the spotting."""
    rng = Random(seed)
    anchors = [(887.5, 887.5), (1775, 887.5), (2662.5, 887.5), (3516, 887.5)]

    def place(taken):
        while True:
            ax, ay = rng.choice(anchors)
            crowd = rng.random() < 0.5
            p = (ax + rng.uniform(-150, 150), ay + rng.uniform(-150, 150)) if crowd else (rng.uniform(34, 3516), rng.uniform(34, 1741))
            p = (round(min(p[0], 3516.0), 1), round(p[1], 1))
            if rng.random() < 0.1:
                p = (3516.0, p[1])
            in_the_mouth = dist(p, (3516, 1741)) < 90  # there a cue ball may have to be put back (D41)
            if not in_the_mouth and all(dist(p, o) >= 69 for o in taken):
                taken.append(p)
                return list(p)

    for _ in range(number):
        cue = rng.choice(("white", "yellow"))
        taken = [(1775.0, 887.5)]
        before = {b: place(taken) for b in ("white", "yellow", "red")} | {"black": [1775.0, 887.5]}
        state = {**STATES[cue], "positions": before}
        still = rng.random() < 0.5
        taken = [(1775.0, 887.5)] if still else []
        after = {b: place(taken) for b in ("white", "yellow", "red")}
        after["black"] = before["black"] if still else place(taken)
        sequence = rng.choice(SCRIPTS)
        gone = {roles(state)[e[1]] for e in sequence if e[0] in "px"}
        shot = shot_of(state, tuple(sequence)) | {"positions": {b: None if b in gone else after[b] for b in after}}
        yield f"random places, {cue}", {"table": "pyramid-12ft", "state": state, "call": random_call(cue, rng), "shot": shot}


def random_snookers(number: int, seed: int = 0):
    """Black combinations called with the legal ball in the mouth of a pocket (D8, D43)."""
    rng = Random(seed)
    while number:
        x, y = rng.choice(((3550, 1775), (0, 0), (1775, 1775), (0, 1775)))
        yellow = [x + rng.uniform(-20, 15) * (1 if x else -1), y + rng.uniform(-20, 12) * (1 if y else -1)]
        white, red = ([rng.uniform(34, 3516), rng.uniform(34, 1741)] for _ in "wr")
        balls = {"white": white, "yellow": yellow, "red": red, "black": [1775.0, 887.5]}
        if any(dist(a, b) < 69 for a, b in combinations(balls.values(), 2)):
            continue
        number -= 1
        shot = {"events": [{"t": 0.0, "type": "strike", "ball": "white"}], "positions": balls}
        call = CALLS["white"]["pot black any 0 {'how': 'by', 'balls': ['yellow']}"]
        yield "snooker", {"table": "pyramid-12ft", "state": {**STATES["white"], "positions": balls}, "call": call, "shot": shot}


def compare(cases, show: int = 0, adjudicate=engine):
    """(number of strokes, Counter of kinds, first cases of each kind)."""
    kinds, examples, n = Counter(), {}, 0
    for n, (name, case) in zip(count(1), cases, strict=False):  # noqa: B007
        try:
            theirs = adjudicate(case)
            found = differences(theirs, rule(case)) + misplaced_fouls(theirs, case)
        except Exception as e:  # a crash of either side is a difference too
            found = [f"{type(e).__name__}: {e}"]
        if found:
            kind = "; ".join(found)
            kinds[kind] += 1
            if len(examples.setdefault(kind, [])) < show:
                examples[kind].append((name, case))
    return n, kinds, examples


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--depth", type=int, default=1, help="changes made to each script")
    parser.add_argument("--every", type=int, default=1, help="take one stroke in so many")
    parser.add_argument("--seed", type=int, default=0, help="which of them")
    parser.add_argument("--show", type=int, default=1, help="cases to print for each kind")
    parser.add_argument("--random", type=int, default=0, help="so many strokes with random calls and changes besides")
    parser.add_argument("--places", type=int, default=0, help="so many strokes with random places besides")
    args = parser.parse_args()
    cases = chain(strokes(args.depth, args.every, args.seed), random_strokes(args.random, args.seed), random_places(args.places, args.seed))
    n, kinds, examples = compare(cases, args.show)
    for kind, times in kinds.most_common():
        print(f"{times:7d}  {kind}")
        for name, case in examples[kind]:
            print(f"         {name}\n         {json.dumps(case)}")
    print(f"{n} strokes compared, {sum(kinds.values())} differ, {len(kinds)} kinds of difference")


if __name__ == "__main__":
    main()
