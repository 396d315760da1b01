"""Where the balls go, and who plays what next (R4, R5, D1, D12 to D18, D40, D41)."""

from __future__ import annotations

from math import dist, sqrt

from .events import BALLS, SIZES


def nearest_free(start, axis, others, d, upwards):
    """The free place nearest to `start` along an axis (0: x, 1: y); on a tie the larger coordinate if `upwards`."""
    options = [start[axis]]
    for o in others:
        off = abs(o[1 - axis] - start[1 - axis])
        if off < d:
            options += [o[axis] + s * sqrt(d * d - off * off) for s in (-1, 1)]
    places = [(v, start[1]) if axis == 0 else (start[0], v) for v in options]
    free = [p for p in places if all(dist(p, o) > d - 1e-6 for o in others)]
    return min(free, key=lambda p: (round(abs(p[axis] - start[axis]), 6), -p[axis] if upwards else p[axis]))


def mouth(pocket, size):
    """D41: where a ball lies flush with the noses at a pocket."""
    length, width, d = size
    end, side = pocket.split("-")
    x = {"home": d / 2, "middle": length / 2, "foot": length - d / 2}[end]
    return [x, width - d / 2 if side == "left" else d / 2]


def others(t, ball):
    return [t["at"][b] for b in BALLS if b != ball and t["at"][b] is not None]


def spot(t, ball):
    """Place a ball on its spot, or let it wait; says whether it was placed (D14)."""
    free = all(dist(t["spots"][ball], o) > t["size"][2] for o in others(t, ball))
    t["at"][ball] = list(t["spots"][ball]) if free else None
    (t["waiting"].discard if free else t["waiting"].add)(ball)
    return free


def table_after(case, right, fallen):
    """Where the balls lie, which are gone and which of those wrongly, before anything is spotted."""
    size = SIZES[case.get("table", "pyramid-12ft")]
    length, width, _ = size
    pyramid = (3 * length / 4, width / 2)
    cue, places = case["state"]["cue_ball"], case["shot"]["positions"]
    t = {
        "cue": cue,
        "size": size,
        "spots": {"black": (length / 2, width / 2), "red": (length / 4, width / 2), "yellow": pyramid, "white": pyramid},
        "at": {b: (list(places[b]) if places.get(b) else None) for b in BALLS},
        "gone": set(fallen) | {e["ball"] for e in case["shot"]["events"] if e["type"] == "off_table"},
        "waiting": set(case["state"]["waiting"]),
        "right": right,
    }
    t["wrong"] = t["gone"] - right
    if cue in fallen and fallen[cue]["how"] == "late_fall":  # D18, D41: put back
        t["at"][cue] = list(fallen[cue]["at"] or mouth(fallen[cue]["pocket"], size))
        t["wrong"].discard(cue)
    return t


def next_cue_ball(cue, right, scored):
    """(cue ball, placement) by R4 and D15 alone."""
    other = {"white": "yellow", "yellow": "white"}[cue]
    if not scored:
        return "white", "as_lies"
    if other in right:
        return other, "in_hand"
    return cue, "in_hand" if cue in right else "as_lies"


def next_state(case, scored, right, fallen):
    right = right if scored else set()
    t = table_after(case, right, fallen)
    at, waiting, cue = t["at"], t["waiting"], t["cue"]
    length, width, d = t["size"]
    new_cue, placement = next_cue_ball(cue, right, scored)

    # D14: black, red, yellow, white
    if "black" in t["gone"] | waiting or (at["black"] is not None and dist(at["black"], t["spots"]["black"]) > 0):
        spot(t, "black")  # R5, D13
    if "red" in t["gone"] | waiting:
        spot(t, "red")  # R5

    if "yellow" in waiting:
        spot(t, "yellow")
    yellow_from_hand = "yellow" in t["wrong"] and not spot(t, "yellow")  # R5, D16, D18
    if yellow_from_hand:
        waiting.discard("yellow")
        new_cue, placement = "yellow", "in_hand"
    if {"white", "yellow"} <= right and cue == "yellow":  # D12
        at["yellow"] = list(nearest_free(t["spots"]["yellow"], 0, others(t, "yellow"), d, True))

    if "white" in t["wrong"] and cue == "white" and not yellow_from_hand:
        placement = "in_hand"  # D15: a foul, so white plays
    elif "white" in t["wrong"]:  # D1, D15, D40
        at["white"] = list(nearest_free((length - d / 2, width / 2), 1, others(t, "white"), d, False))
    both = cue == "white" and "white" in right and ("yellow" in right or yellow_from_hand)  # R5, D40
    if (both or "white" in waiting) and not spot(t, "white") and not scored and not yellow_from_hand:
        waiting.discard("white")  # D13, D42
        placement = "in_hand"
    if placement == "in_hand":
        at[new_cue] = None
    return {"cue_ball": new_cue, "placement": placement, "positions": at, "waiting": sorted(waiting)}
