"""What a call means and when it is void (R10, R11, D5, D7, D8, D32); the snooker test by trying many directions."""

from __future__ import annotations

from functools import cache
from itertools import product
from math import asin, atan2, cos, hypot, sin, sqrt

from .events import BALLS, LEGAL, SIZES


@cache
def snookered_at(cue_xy, targets, others, size):
    """D8: no straight path of the cue ball meets a legal ball before another ball or (D43) a jaw."""
    length, width, d = size
    for tx, ty in targets:
        away = hypot(tx - cue_xy[0], ty - cue_xy[1])
        if away <= d:
            return False
        middle, half = atan2(ty - cue_xy[1], tx - cue_xy[0]), asin(d / away)
        outside = not (0 <= tx <= length and 0 <= ty <= width)
        for k in range(2001):
            a = middle + half * (k / 1000 - 1) * 0.999999
            ux, uy = cos(a), sin(a)
            reach = hit_distance(cue_xy, (tx, ty), ux, uy, d)
            if reach is None:
                continue
            first = [hit_distance(cue_xy, o, ux, uy, d) for o in others]
            if outside:
                first += [hit_distance(cue_xy, tip, ux, uy, d / 2) for tip in jaw_tips(length, width)]
                first += cushion_distances(cue_xy, ux, uy, size)
            if all(h is None or h >= reach for h in first):
                return False
    return True


def jaw_tips(length, width):
    a, b = 73 / sqrt(2), 83 / 2
    ends = [(x + s * a, y) for x, s in ((0, 1), (length, -1)) for y in (0, width)]
    sides = [(x, y + s * a) for y, s in ((0, 1), (width, -1)) for x in (0, length)]
    middles = [(length / 2 + s * b, y) for s in (1, -1) for y in (0, width)]
    return ends + sides + middles


def cushion_distances(start, ux, uy, size):
    """How far the cue ball runs to each nose line that it meets outside the mouths of the pockets."""
    length, width, d = size
    corner, middle = 73 / sqrt(2), 83 / 2
    out = []
    for axis, along, speeds in ((0, length, (ux, uy)), (1, width, (uy, ux))):
        across = width if axis == 0 else length
        for line in (d / 2, along - d / 2):
            run = (line - start[axis]) / speeds[0] if speeds[0] else -1
            at = start[1 - axis] + run * speeds[1]
            in_mouth = at < corner or at > across - corner or (axis == 1 and abs(at - across / 2) < middle)
            if run > 0 and not in_mouth:
                out.append(run)
    return out


def hit_distance(start, centre, ux, uy, radius):
    """How far a point runs in direction (ux, uy) until it is `radius` from `centre`; None: never."""
    x, y = centre[0] - start[0], centre[1] - start[1]
    along, across = x * ux + y * uy, abs(x * uy - y * ux)
    if along <= 0 or across >= radius:
        return None
    return along - sqrt(radius**2 - across**2)


def snookered(case):
    state = case["state"]
    cue, places = state["cue_ball"], state["positions"]
    on = {b: tuple(p) for b, p in places.items() if p is not None}
    legal = [b for b in LEGAL[cue] if b in on]
    others = tuple(on[b] for b in BALLS if b in on and b != cue and b not in legal)
    return snookered_at(on[cue], tuple(on[b] for b in legal), others, SIZES[case.get("table", "pyramid-12ft")])


# ------------------------------------------------------------------------------------------------ call
def candidates(ball, cue):
    """The balls that a name may stand for."""
    return {"own": [cue], "other": LEGAL[cue]}.get(ball, [ball])


def how_of(el):
    return (el.get("combination") or {}).get("how")


def named_of(el):
    return (el.get("combination") or {}).get("balls") or []


def pot_balls(el, case):
    """The balls on the table that a pot element may mean, without those of its own combination (D32)."""
    on = [b for b, p in case["state"]["positions"].items() if p is not None]
    return [b for b in candidates(el["ball"], case["state"]["cue_ball"]) if b in on and b not in named_of(el)]


def uses_black(el):
    """A combination with black (R10)."""
    return el["kind"] == "pot" and how_of(el) and ("black" in named_of(el) or el["ball"] == "black")


def carries_bonus(el):
    return bool(el.get("cushions")) or bool(how_of(el))


def is_own(el, cue):
    return candidates(el["ball"], cue) == [cue]


# why, condition on the element e; t: case, cue ball (cue), balls on the table (on), stroke from hand (hand)
VOID_POT = [
    ("R10 black combination while snookered", lambda e, t: uses_black(e) and snookered(t["case"])),
    ("R11 jump from hand", lambda e, t: t["hand"] and e.get("jump")),
    ("R11 straight from hand", lambda e, t: t["hand"] and not carries_bonus(e)),
    ("D32 black without a combination", lambda e, t: e["ball"] == "black" and not how_of(e)),
    ("D32 own ball by or off", lambda e, t: is_own(e, t["cue"]) and how_of(e) in ("by", "off")),
    ("D32 carom of an object ball", lambda e, t: not is_own(e, t["cue"]) and how_of(e) == "carom"),
    ("D32 ball absent or in its own combination", lambda e, t: not pot_balls(e, t["case"])),
    ("D7 cue ball in a combination", lambda e, t: t["cue"] in named_of(e)),
    ("D32 combination ball absent", lambda e, t: not set(named_of(e)) <= t["on"]),
    ("D7 one ball twice", lambda e, t: len(set(named_of(e))) < len(named_of(e))),
]
VOID_CAROM = [
    ("R8.4 black in a carom", lambda e, t: "black" in (e["first"], e["second"])),
    ("D7 cue ball in a carom", lambda e, t: t["cue"] in (e["first"], e["second"])),
    ("D7 carom on one ball", lambda e, t: e["first"] == e["second"]),
    ("D32 carom ball absent", lambda e, t: not {e["first"], e["second"]} <= t["on"]),
]
VOID_BANK = [
    ("R11 bank onto black from hand", lambda e, t: t["hand"]),
    ("D32 bank without cushion", lambda e, t: not e["cushions"]),
    ("D7 bank of own or black", lambda e, t: is_own(e, t["cue"]) or e["ball"] == "black"),
    ("D32 bank ball absent", lambda e, t: not set(candidates(e["ball"], t["cue"])) & t["on"]),
    ("D32 black absent", lambda e, t: "black" not in t["on"]),
]
VOID = {"pot": VOID_POT, "carom": VOID_CAROM, "bank_black": VOID_BANK}


def void_reason(case, hand):
    """Why the call is void (D7, D32), or None."""
    cue = case["state"]["cue_ball"]
    on = {b for b, p in case["state"]["positions"].items() if p is not None}
    elements = case["call"]["elements"]
    for el in elements:
        for why, is_void in VOID[el["kind"]]:
            if is_void(el, {"case": case, "cue": cue, "on": on, "hand": hand}):
                return why
    pots = [el for el in elements if el["kind"] != "carom"]
    options = [(set(candidates(el["ball"], cue)) & on) - set(named_of(el)) for el in pots]
    if pots and not any(len(set(pick)) == len(pick) for pick in product(*options)):
        return "D32 same ball in two elements"
    if sum(el["kind"] == "carom" for el in elements) > 1:
        return "D32 same balls in two caroms"
    return None
