"""States, calls and sequences of events for the comparison: a small world, gone through in full.

A sequence is a tuple of symbols over the roles q (cue ball), o (its usual object ball), r (the other one), k (black):
("c", a, b) contact, ("u", ball, cushion), ("j", ball, pocket, cushion) jaw, ("p", ball, pocket), ("m", ball) midline,
("s", ball, pocket, gap, at) stop in the jaws and the seconds until the next event, ("x", ball) off the table,
("h", ball, over) jump over a ball or pocket, ("t", ball) touch, ("strike", ball), ("f", type) forbidden stroke.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from math import dist
from random import Random
from zlib import crc32

HOME, CENTRE, PYRAMID, FOOT = [887.5, 887.5], [1775.0, 887.5], [2662.5, 887.5], [3516.0, 887.5]


def state(cue, placement, waiting=(), scores=(4, 9), opening=False, **places):
    positions = {"white": [1500.0, 500.0], "yellow": [2700.0, 1150.0], "red": HOME, "black": CENTRE} | places
    return {
        "player": 0, "scores": list(scores), "target": 30, "opening": opening, "cue_ball": cue, "placement": placement,
        "positions": positions, "waiting": list(waiting),
    }  # fmt: skip


_YELLOW = {"white": [2700.0, 1150.0], "yellow": [1500.0, 500.0]}
STATES = {
    "white": state("white", "as_lies"),
    "white in hand": state("white", "in_hand"),
    "opening": state("white", "in_hand_house", opening=True, scores=(0, 0), white=[600.0, 400.0], yellow=PYRAMID),
    "white snookered": state("white", "as_lies", white=[1500.0, 887.5], yellow=PYRAMID),
    "white, red on pyramid": state("white", "as_lies", red=[2650.0, 890.0]),
    "white, red waits": state("white", "as_lies", ["red"], red=None, yellow=[880.0, 880.0]),
    "white, black waits": state("white", "as_lies", ["black"], black=None, yellow=[1770.0, 880.0]),
    "white, near the end": state("white", "as_lies", scores=(28, 28)),
    "yellow": state("yellow", "as_lies", **_YELLOW),
    "yellow, no target": state("yellow", "as_lies", **_YELLOW, scores=(31, 40), red=[3000.0, 300.0]) | {"target": None, "player": 1},
    "yellow in hand": state("yellow", "in_hand", **_YELLOW),
    "yellow snookered": state("yellow", "as_lies", yellow=[1500.0, 887.5], white=[2500.0, 887.5], red=[2800.0, 900.0]),
    "yellow, red on pyramid": state("yellow", "as_lies", **_YELLOW, red=[2650.0, 890.0]),
    "yellow, red at foot": state("yellow", "as_lies", **_YELLOW, red=[3510.0, 900.0]),
    "yellow, white waits": state("yellow", "as_lies", ["white"], yellow=[1500.0, 500.0], white=None, red=[2650.0, 890.0]),
}

PLACES = [  # where balls that moved come to rest: cue ball, usual object ball, the other one, black
    ([2400.0, 1000.0], [2100.0, 1500.0], [700.0, 300.0], [1500.0, 700.0]),
    ([2655.0, 900.0], [2100.0, 1500.0], [700.0, 300.0], [1500.0, 700.0]),
    ([1780.0, 900.0], [2640.0, 870.0], [700.0, 300.0], [900.0, 880.0]),
    ([890.0, 900.0], [1780.0, 860.0], [2690.0, 900.0], [3510.0, 880.0]),
    ([3500.0, 900.0], [3516.0, 819.0], [2620.0, 850.0], [1500.0, 700.0]),
    ([2590.0, 887.5], [900.0, 850.0], [2670.0, 890.0], CENTRE),
    ([2680.0, 887.5], [2610.0, 890.0], [3516.0, 887.5], [870.0, 880.0]),
]
SPARE = [[2400.0, 1000.0], [1200.0, 300.0], [3000.0, 1500.0], [300.0, 1500.0], [300.0, 200.0]]


def roles(state):
    return {"white": {"q": "white", "o": "yellow"}, "yellow": {"q": "yellow", "o": "white"}}[state["cue_ball"]] | {"r": "red", "k": "black"}


# ------------------------------------------------------------------------------------------------ calls
def pot(ball, cushions=0, how=None, balls=None, pocket="any", jump=None):
    el = {"kind": "pot", "ball": ball, "pocket": pocket, "cushions": cushions}
    if how:
        el["combination"] = {"how": how} | ({"balls": balls} if balls else {})
    return el | ({"jump": jump} if jump else {})


def carom(first, second):
    return {"kind": "carom", "first": first, "second": second}


def bank(ball, cushions, contacts=0):
    return {"kind": "bank_black", "ball": ball, "cushions": cushions, "contacts": contacts}


def calls_of(q, o, r="red", k="black"):
    rows = {"null": None}
    groups = [
        [pot("other")], [pot("other", pocket="corner")], [pot("other", pocket="foot-left")], [pot("other", pocket="middle")],
        [pot(o, 1)], [pot(o, 2)], [pot(o, 3)], [pot("other", 1)],
        [pot("own")], [pot("own", 1)], [pot("own", 2)], [pot("own", pocket="middle-right")],
        [pot("own", 0, "carom")], [pot("own", 0, "carom", [o, r])], [pot("own", 0, "carom", [r, o])],
        [pot("own", 0, "carom", [o, k])],
        [pot("own", 1, "carom", [o, r])], [pot("own", jump="ball")], [pot("own", jump="jaw")], [pot(o, jump="ball")],
        [pot("own", 1, "carom", [o, r], jump="ball")],
        [pot(r)], [pot(r, 1)], [pot(r, 0, "by", [o])], [pot(r, 0, "off", [o])], [pot(r, 0, "by")], [pot(r, 0, "off")],
        [pot(r, 0, "by", [k])],
        [pot(o, 0, "by", [r])], [pot(o, 0, "off", [r])], [pot(o, 0, "by")], [pot(o, 0, "off")], [pot(o, 1, "by", [r])],
        [pot("other", 0, "by")], [pot("other", 0, "off")], [pot("other", 0, "by", [r])],
        [pot(o, 0, "by", [k])], [pot(o, 0, "off", [k])], [pot(o, 1, "off", [k])],
        [pot(k, 0, "by", [o])], [pot(k, 0, "by", [r])], [pot(k, 0, "by")], [pot(k, 0, "off", [o])], [pot(k, 1, "by", [o])],
        [pot(k)],
        [pot("own"), pot("other")], [pot("own"), pot(o, 1)], [pot("own"), pot(r)], [pot(r), pot(o)], [pot("own", 1), pot(o, 1)],
        [pot("own", jump="ball"), pot(o)], [pot("own", 0, "carom"), pot(o, 0)],
        [carom(o, r)], [carom(r, o)], [carom(o, k)], [carom(q, r)],
        [bank(o, 1)], [bank(o, 2)], [bank(o, 1, 1)], [bank(o, 2, 1)], [bank(o, 1, 2)], [bank(r, 1)], [bank(r, 1, 1)],
        [bank("other", 1)],
        [bank(o, 0)], [bank("own", 1)],
        [carom(o, r), pot(o)], [carom(o, r), pot("own", 3, "carom")], [carom(o, r), pot(r)], [bank(o, 1), pot(o)],
        [bank(o, 1), pot(k, 0, "by", [o])],
        [pot("other"), pot(o)], [pot(o, 0, "by", [o])], [pot(q)], [pot("own", 0, "by", [o])], [pot(o, 0, "carom", [r, k])],
        [pot(o, 0, "by", [q])],
    ]  # fmt: skip
    for elements in groups:
        rows[" + ".join(" ".join(str(v) for v in el.values()) for el in elements)] = {"elements": elements}
    return rows


CALLS = {"white": calls_of("white", "yellow"), "yellow": calls_of("yellow", "white")}

# ------------------------------------------------------------------------------------------------ sequences
FL, ML, MR = "foot-left", "middle-left", "middle-right"


def c(a, b):
    return ("c", a, b)


def u(ball, cushion="right"):
    return ("u", ball, cushion)


def p(ball, pocket=FL):
    return ("p", ball, pocket)


def s(ball, gap, pocket=FL, at=False):
    return ("s", ball, pocket, gap, at)


ML_JAW = ("j", "q", ML, "left")
SCRIPTS = [
    [], [c("q", "o")], [c("q", "r")], [c("q", "k")], [c("q", "o"), ("m", "o")], [c("q", "o"), u("o")],
    [c("q", "o"), p("o")], [c("q", "o"), p("o", ML)], [c("q", "r"), p("r")], [c("q", "o"), p("q")], [c("q", "r"), p("q")],
    [c("q", "o"), p("q"), p("o", MR)], [c("q", "o"), p("o"), p("q")], [c("q", "r"), p("q"), p("r", MR)],
    [c("q", "o"), u("o", "left"), p("o")], [c("q", "o"), u("o"), p("o")], [c("q", "o"), u("o"), u("o", "foot"), p("o")],
    [c("q", "o"), u("o"), u("o", "left"), u("o"), p("o")], [c("q", "r"), u("r"), p("r")],
    [c("q", "o"), u("q"), p("q")], [u("q"), c("q", "o"), p("q")], [u("q"), c("q", "o"), u("q", "foot"), p("q")],
    [u("q"), c("q", "o"), p("o")], [c("q", "o"), u("o"), p("q"), p("o", ML)], [c("q", "o"), u("q"), u("o"), p("q"), p("o", ML)],
    [c("q", "r"), c("r", "o"), p("o")], [c("q", "r"), c("r", "o"), u("o"), p("o")], [c("q", "o"), c("o", "r"), p("o")],
    [c("q", "o"), c("o", "r"), p("r")], [c("q", "r"), c("r", "o"), p("r")],
    [c("q", "o"), c("q", "r"), p("q")], [c("q", "r"), c("q", "o"), p("q")], [c("q", "o"), u("q"), c("q", "r"), p("q")],
    [c("q", "o"), ("h", "q", "r"), p("q")], [c("q", "o"), ("h", "q", ML), p("q", ML)], [("h", "q", "r"), c("q", "o"), p("o")],
    [c("q", "o"), ("h", "q", "r"), p("q"), p("o", MR)],
    [c("q", "o"), u("q"), u("q", "foot"), u("q", "left"), c("q", "r")],
    [u("q"), c("q", "o"), u("q", "left"), u("q", "foot"), c("q", "r")],
    [c("q", "o"), u("q"), ML_JAW, ML_JAW, u("q", "foot"), c("q", "r")], [c("q", "o"), u("q"), u("q", "foot"), c("q", "r")],
    [c("q", "r"), u("q"), u("q", "foot"), u("q", "left"), c("q", "o")], [u("q"), u("q", "foot"), c("q", "r")],
    [c("q", "o"), u("q"), u("q", "foot"), u("q", "left"), c("q", "r"), p("o")],
    [c("q", "o"), u("q"), u("q", "foot"), u("q", "left"), c("q", "r"), p("q")],
    [c("q", "o"), u("o"), c("o", "k")], [u("q"), c("q", "o"), u("o", "left"), c("o", "k")],
    [c("q", "o"), c("o", "r"), u("o"), c("o", "k")],
    [c("q", "r"), u("r"), c("r", "k")], [c("q", "r"), c("r", "o"), u("r"), c("r", "k")], [c("q", "o"), u("o"), c("o", "k"), p("k")],
    [c("q", "o"), u("o"), c("q", "o"), c("o", "k")], [c("q", "r"), c("q", "o"), u("o"), c("o", "k")],
    [c("q", "o"), c("o", "k"), p("k")], [c("q", "k"), c("k", "o"), p("o")], [c("q", "o"), c("o", "k"), p("o")],
    [c("q", "r"), c("r", "k"), p("k")], [c("q", "k"), c("k", "o"), p("k")], [c("q", "o"), c("q", "k"), p("q")],
    [c("q", "k"), c("k", "r"), p("r")],
    [c("q", "o"), c("o", "k"), c("q", "k"), p("o")],
    [c("q", "o"), s("o", 1), p("o")], [c("q", "o"), s("o", 4), p("o")], [c("q", "o"), s("o", 3), c("q", "o"), p("o")],
    [c("q", "o"), s("o", 4), c("q", "o"), p("o")], [c("q", "o"), u("o"), s("o", 1), c("r", "o"), p("o")],
    [c("q", "o"), c("o", "r"), s("r", 1), c("q", "r"), p("r")], [c("q", "o"), c("o", "r"), s("r", 4), c("o", "r"), p("r")],
    [c("q", "o"), s("q", 1), c("q", "o"), p("q")], [c("q", "o"), s("q", 4), c("q", "o"), p("q")], [c("q", "o"), s("q", 1), p("q")],
    [c("q", "o"), s("q", 4), p("q")], [c("q", "o"), p("o"), s("q", 4, at=True), p("q")],
    [c("q", "o"), s("o", 1), c("q", "o"), p("o"), p("q")],
    [c("q", "o"), s("o", 1), c("q", "o"), p("o", MR)], [c("q", "o"), s("o", 4), c("q", "o"), p("o"), p("q", ML)],
    [c("q", "o"), c("q", "r"), u("q"), p("q"), p("o")], [c("q", "o"), p("o"), p("q"), ("x", "r")], [c("q", "o"), ("x", "o")],
    [c("q", "o"), ("x", "q")],
    [c("q", "o"), c("o", "r"), p("r"), p("o", MR), p("q")], [c("q", "o"), c("q", "r"), p("q"), p("o")],
    [c("q", "o"), u("o"), c("o", "r"), u("o", "left"), c("o", "k")], [c("q", "o"), c("o", "r"), u("o"), c("o", "r"), c("o", "k")],
    [c("q", "o"), c("o", "k"), u("k"), p("k")], [c("q", "o"), c("o", "k"), u("o"), p("o")],
    [c("q", "r"), p("r"), u("q"), u("q", "foot"), u("q", "left"), c("q", "o")],
    [c("q", "o"), ("h", "q", "k"), u("q"), c("q", "r"), p("q")], [c("q", "o"), u("o"), c("o", "k"), p("o", ML)],
]  # fmt: skip

ALPHABET = [
    *[c(a, b) for a, b in combinations("qork", 2)],
    *[u(b, e) for b in "qork" for e in ("left", "right", "foot")],
    *[("j", b, pk, e) for b in "qo" for pk, e in ((FL, "foot"), (ML, "left"), (MR, "right"))], ("j", "k", ML, "left"),
    *[p(b, pk) for b in "qork" for pk in (FL, ML)],
    *[("m", b) for b in "qok"],
    *[s(b, gap) for b in "qork" for gap in (1, 4)], s("q", 4, ML, True), s("o", 3, ML),
    *[("x", b) for b in "qork"],
    ("h", "q", "r"), ("h", "q", "k"), ("h", "q", ML), ("h", "o", "r"),
    ("t", "k"), ("t", "q"), ("strike", "q"), ("strike", "o"), ("f", "double_hit"), ("f", "push"), ("f", "press"),
    ("wrong", "o"), ("wrong", "k"),
]  # fmt: skip


def consistent(sequence, on) -> bool:
    """A ball that is gone or at rest does nothing; a ball in the jaws falls there or is hit."""
    moving, gone, jaws = {"q"}, set("qork") - on, {}
    for e in sequence:
        kind = e[0]
        if kind == "f":
            if "q" in gone:
                return False
            continue
        if kind == "wrong":
            if e is not sequence[0] or e[1] in gone:
                return False
            moving = {e[1]}
            continue
        balls = e[1:3] if kind == "c" else e[1:2]
        if kind == "h" and len(e[2]) == 1 and (e[2] in gone or e[2] == e[1]):
            return False
        if gone & set(balls):
            return False
        if kind == "c":
            if not moving & set(balls):
                return False
            moving |= set(balls)
            for b in balls:
                jaws.pop(b, None)
        elif kind == "strike":
            moving.add(e[1])
        elif kind == "t":
            pass
        elif e[1] in jaws:
            if kind != "p" or e[2] != jaws[e[1]]:
                return False
            gone.add(e[1])
            moving.discard(e[1])
        elif e[1] not in moving:
            return False
        elif kind == "s":
            jaws[e[1]] = e[2]
            moving.discard(e[1])
        elif kind in "px":
            gone.add(e[1])
            moving.discard(e[1])
    return True


def changed(sequence) -> Iterator[tuple]:
    """Sequences that differ by one event: put in, left out or replaced."""
    for i in range(len(sequence) + 1):
        for symbol in ALPHABET:
            yield (*sequence[:i], symbol, *sequence[i:])
            if i < len(sequence):
                yield (*sequence[:i], symbol, *sequence[i + 1 :])
        if i < len(sequence):
            yield (*sequence[:i], *sequence[i + 1 :])


def sequences(state, depth: int) -> Iterator[tuple]:
    """All consistent sequences of a depth, each once."""
    name = roles(state)
    on = frozenset(role for role, ball in name.items() if state["positions"][ball] is not None)
    layer = {(), *((a,) for a in ALPHABET), *((a, b) for a in ALPHABET for b in ALPHABET)} if depth else set()
    layer |= {tuple(script) for script in SCRIPTS}
    seen = {q for q in layer if consistent(q, on)}
    yield from sorted(seen, key=str)
    frontier = {tuple(script) for script in SCRIPTS}
    for _ in range(depth):
        following = set()
        for sequence in sorted(frontier, key=str):
            for other in changed(sequence):
                if other in following or other in seen or not consistent(other, on):
                    continue
                following.add(other)
                yield other
        seen |= following
        frontier = following


def random_symbol(rng: Random) -> tuple:
    """Any event, also those that the alphabet leaves out: all pockets, cushions and jaws, times about 3 s."""
    ball, pocket = rng.choice("qork"), rng.choice(("foot-left", "foot-right", "middle-left", "middle-right", "home-left", "home-right"))
    end, side = pocket.split("-")
    return rng.choice((
        c(*rng.sample("qork", 2)), c(*rng.sample("qork", 2)), u(ball, rng.choice(("home", "foot", "left", "right"))),
        ("j", ball, pocket, side if end == "middle" else rng.choice((side, end))), p(ball, pocket),
        s(ball, rng.choice((0.5, 2.9, 3.0, 3.001, 3.1)), pocket, rng.random() < 0.2), ("m", ball),
        ("h", ball, rng.choice(("k", "o", "r", pocket))),
    ))  # fmt: skip


def random_sequence(state, rng: Random, changes: int) -> tuple[tuple, tuple]:
    """A script, and the same with several random changes, physically consistent."""
    on = frozenset(role for role, ball in roles(state).items() if state["positions"][ball] is not None)
    while True:
        sequence = script = tuple(rng.choice(SCRIPTS))
        if not consistent(script, on):
            continue
        if rng.random() < 0.15:
            sequence = (*sequence, *rng.choice(SCRIPTS))
        for _ in range(changes):
            i, symbol = rng.randrange(len(sequence) + 1), rng.choice(ALPHABET) if rng.random() < 0.5 else random_symbol(rng)
            keep = rng.choice((i, i + 1))
            sequence = (*sequence[:i], symbol, *sequence[keep:]) if rng.random() < 0.8 else (*sequence[:i], *sequence[i + 1 :])
        if consistent(sequence, on):
            return script, sequence


def random_element(rng: Random) -> dict:
    """Any element that the contract can write, sensible or not."""
    kind, balls = rng.choice(("pot", "pot", "carom", "bank_black")), ("white", "yellow", "red", "black")
    if kind == "carom":
        return carom(rng.choice(balls), rng.choice(balls))
    if kind == "bank_black":
        return bank(rng.choice(("own", "other", *balls)), rng.randrange(4), rng.randrange(3))
    how = rng.choice((None, None, "by", "off", "carom"))
    named = rng.sample(balls, 2 if how == "carom" else 1) if rng.random() < 0.7 else None
    pocket = rng.choice(("any", "any", "corner", "middle", FL, ML))
    jump = rng.choice((None, None, None, "ball", "jaw"))
    return pot(rng.choice(("own", "other", *balls)), rng.choice((0, 0, 1, 2, 3)), how, named, pocket, jump)


def random_call(cue: str, rng: Random) -> dict | None:
    """One of the calls above, or one or two random elements."""
    if rng.random() < 0.5:
        return rng.choice(list(CALLS[cue].values()))
    return {"elements": [random_element(rng) for _ in range(rng.choice((1, 1, 2)))]}


def shot_of(state, sequence) -> dict:
    """The `shot` of a case: timed events and final positions."""
    name, events, t = roles(state), [], 0.0
    first = name[sequence[0][1]] if sequence and sequence[0][0] == "wrong" else name["q"]
    events.append({"t": 0.0, "type": "strike", "ball": first})
    moved, gone, late = {first}, set(), 0.0
    for e in sequence:
        kind, ball = e[0], name.get(e[1])
        t = round(t + (late or 0.1), 3)
        late = 0.0
        row: dict = {"t": t}
        if kind == "wrong":
            continue
        if kind == "c":
            row |= {"type": "contact", "balls": [name[e[1]], name[e[2]]]}
            moved |= {name[e[1]], name[e[2]]}
        elif kind == "u":
            row |= {"type": "cushion", "ball": ball, "cushion": e[2]}
        elif kind == "j":
            row |= {"type": "jaw", "ball": ball, "pocket": e[2], "cushion": e[3]}
        elif kind == "p":
            row |= {"type": "pocket", "ball": ball, "pocket": e[2]}
            gone.add(ball)
        elif kind == "s":
            row |= {"type": "stop", "ball": ball, "jaws": e[2]} | ({"at": [3500.0, 1740.0]} if e[4] else {})
            late = float(e[3])
        elif kind == "h":
            row |= {"type": "jump", "ball": ball} | ({"over": name[e[2]]} if len(e[2]) == 1 else {"over_jaw": e[2]})
        elif kind == "f":
            row |= {"type": e[1], "ball": name["q"]}
        else:
            row |= {"type": {"m": "midline", "x": "off_table", "t": "touch", "strike": "strike"}[kind], "ball": ball}
            if kind == "x":
                gone.add(ball)
            if kind == "strike":
                moved.add(ball)
        events.append(row)
    rest = PLACES[crc32(str(sequence).encode()) % len(PLACES)]
    after: dict = {}
    for role, ball in sorted(name.items(), key=lambda rb: rb[1] in moved):  # balls that lie still first
        here, place = state["positions"][ball], rest["qork".index(role)]
        if here is None or ball in gone:
            after[ball] = None
            continue
        places = [place, *SPARE] if ball in moved else [here]
        after[ball] = list(next(pl for pl in places if all(o is None or dist(pl, o) > 68.5 for o in after.values()) or pl is here))
    return {"events": events, "positions": after}
