"""A second, deliberately simple implementation of the rules of Poedinok: plain dicts in, plain dicts out.

It exists to be compared with the product's engine (as a chess program's move generator is checked with perft), so it
shares no code with it and prefers rows one can read beside the rules to speed and elegance. Every stroke becomes a
dictionary of facts; every rule is a row (number, condition on the facts, effect). R.. are rule numbers, D.. decisions.
"""

from __future__ import annotations

from functools import cache
from itertools import product
from math import asin, atan2, cos, dist, hypot, sin, sqrt

SIZES = {  # length, width, ball: the kinds that the golden cases use
    "pyramid-12ft": (3550, 1775, 68), "pyramid-11ft": (3200, 1600, 68), "pyramid-10ft": (2840, 1420, 68),
    "pyramid-9ft": (2540, 1270, 68), "pyramid-8ft": (2240, 1120, 68), "pyramid-7ft": (1980, 990, 68),
}  # fmt: skip
BALLS = ("white", "yellow", "red", "black")
LEGAL = {"white": ["yellow"], "yellow": ["white", "red"]}  # R10, D30: also what «other» means
VALUE = {"white": ("8.1", 1), "yellow": ("8.2", 3), "red": ("8.3", 5), "black": ("10", 4)}
BANK_BONUS = {1: 3, 2: 5, 3: 6}
IN_TIME = 3.0 + 1e-9  # seconds in the jaws, D39: exactly 3 s is in time


# ------------------------------------------------------------------------------------------------ events
def contacts_of(ball, events):
    """The balls that `ball` touched, in order."""
    return [b for e in events if e["type"] == "contact" and ball in e["balls"] for b in e["balls"] if b != ball]


def rails_of(ball, events):
    """Cushion and jaw events of a ball, in order."""
    return [e for e in events if e["type"] in ("cushion", "jaw") and e["ball"] == ball]


def adjoining(pocket):
    end, side = pocket.split("-")
    return {side} if end == "middle" else {side, end}


def reflection_class(ball, pocket, events):
    """0, 1, 2 or 3 (or more) reflections in the sense of 9.1 (D4, D11)."""
    rails = [e["cushion"] for e in rails_of(ball, events) if not (e["type"] == "jaw" and e["pocket"] == pocket)]
    if all(c in adjoining(pocket) for c in rails):
        return 0
    return min(3, len(rails))


def carom_cushions(ball, events):
    """Cushions of a ball in a carom: jaws of one middle pocket in a row are one (8.4, D37)."""
    count, last = 0, None
    for e in events:
        if e["type"] == "contact" and ball in e["balls"]:
            last = None
        if e["type"] not in ("cushion", "jaw") or e["ball"] != ball:
            continue
        here = e["pocket"] if e["type"] == "jaw" and e["pocket"].startswith("middle") else None
        if here is None or here != last:
            count += 1
        last = here
    return count


def falls(case):
    """For every ball that fell: how, where, and the events that make up its path."""
    events = case["shot"]["events"]
    cue = case["state"]["cue_ball"]
    found = {}
    for i, e in enumerate(events):
        if e["type"] != "pocket":
            continue
        ball, pocket = e["ball"], e["pocket"]
        fall = {"pocket": pocket, "path": events[:i], "how": "plain", "at": None, "t": e["t"]}
        stops = [j for j in range(i) if events[j]["type"] == "stop" and events[j]["ball"] == ball]
        if stops and events[stops[-1]].get("jaws") == pocket:
            j = stops[-1]
            stop = events[j]
            knocks = [k for k in range(j, i) if events[k]["type"] == "contact" and ball in events[k]["balls"]]
            lay = (events[knocks[0]]["t"] if knocks else e["t"]) - stop["t"]
            fall["at"] = stop.get("at")
            if knocks and reflection_class(ball, pocket, events[j:i]):
                pass  # it was knocked away, not in, and came back (D39): an ordinary pot
            elif not knocks:
                fall["how"] = "plain" if lay <= IN_TIME else "late_fall"  # D18
            elif lay <= IN_TIME:
                fall["how"], fall["path"] = "knock", events[:j]  # D39: the path ends with the stop
            else:
                fall["how"], fall["path"] = "late_knock", events[:j]
                fall["straight_knock"] = is_straight_knock(ball, cue, pocket, events[: knocks[0] + 1])
        found[ball] = fall
    return found


def is_straight_knock(ball, cue, pocket, events):
    """R3, D39: an object ball is knocked in by the straight-flying cue ball."""
    by_cue = ball != cue and cue in events[-1]["balls"]
    return by_cue and set(contacts_of(cue, events)) == {ball} and reflection_class(cue, pocket, events) == 0


def is_straight(ball, cue, fall):
    """D3."""
    if reflection_class(ball, fall["pocket"], fall["path"]) != 0:
        return False
    met = contacts_of(cue, fall["path"])
    if not met:
        return False
    if ball == cue:
        return len(set(met)) == 1
    return met[0] == ball and set(contacts_of(ball, fall["path"])) == {cue}


# ------------------------------------------------------------------------------------------------ snooker
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
            if all(h is None or h >= reach for h in first):
                return False
    return True


def jaw_tips(length, width):
    a, b = 73 / sqrt(2), 83 / 2
    ends = [(x + s * a, y) for x, s in ((0, 1), (length, -1)) for y in (0, width)]
    sides = [(x, y + s * a) for y, s in ((0, 1), (width, -1)) for x in (0, length)]
    middles = [(length / 2 + s * b, y) for s in (1, -1) for y in (0, width)]
    return ends + sides + middles


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


# ------------------------------------------------------------------------------------------------ was an element made?
def combination_made(el, ball, cue, path):
    """D21, D36; unnamed balls are any but black (D31)."""
    how, named = how_of(el), named_of(el)
    mine, cues = contacts_of(ball, path), contacts_of(cue, path)
    if how is None:
        return len(set(cues)) == 1 if ball == cue else set(mine) == {cue}
    if how == "carom":
        order = sorted(set(cues), key=cues.index)
        return order == named if named else len(order) == 2 and "black" not in order
    if how == "by":
        if len(set(mine)) != 1 or mine[0] == cue:
            return False
        third = mine[0]
        before = path[: next(i for i, e in enumerate(path) if e["type"] == "contact" and set(e["balls"]) == {third, ball})]
        driven = set(contacts_of(third, before)) == {cue}
        return driven and (named == [third] if named else third != "black")
    if how == "off":
        if len(set(mine)) != 2 or mine[0] != cue:
            return False
        third = next(b for b in mine if b != cue)
        return named == [third] if named else third != "black"
    raise ValueError(how)


def pot_made(el, ball, case, fallen):
    """Did `ball` fall as the element says (D5)?"""
    if ball not in fallen:
        return False
    cue, fall = case["state"]["cue_ball"], fallen[ball]
    if fall["how"] == "late_fall" or (fall["how"] == "late_knock" and not fall["straight_knock"]):
        return False  # R3; a knock-in that needs no call does as a called one too
    where = el.get("pocket", "any")
    kind = "middle" if fall["pocket"].startswith("middle") else "corner"
    if where not in ("any", kind, fall["pocket"]):
        return False
    if reflection_class(ball, fall["pocket"], fall["path"]) != (el.get("cushions") or 0):
        return False
    if not combination_made(el, ball, cue, fall["path"]):
        return False
    if not carries_bonus(el) and not is_straight(ball, cue, fall):
        return False
    jumps = {"ball" if "over" in e else "jaw" for e in fall["path"] if e["type"] == "jump" and e["ball"] == cue}
    wanted = {el["jump"]} if el.get("jump") else set()
    if ball == cue:
        return jumps == wanted  # D34
    return not wanted or jumps == wanted


def carom_made(el, case):
    """8.4: first, then second, at least three cushions before the second, no other ball until then."""
    cue, events = case["state"]["cue_ball"], case["shot"]["events"]
    seen_first = False
    for i, e in enumerate(events):
        if e["type"] != "contact" or cue not in e["balls"]:
            continue
        met = next(b for b in e["balls"] if b != cue)
        if met == el["first"]:
            seen_first = True
        elif met == el["second"]:
            return seen_first and carom_cushions(cue, events[:i]) >= 3
        else:
            return False
    return False


def bank_made(el, ball, case):
    """D22."""
    cue, events = case["state"]["cue_ball"], case["shot"]["events"]
    met = None  # index of the cue ball's first contact with the object ball
    for i, e in enumerate(events):
        if e["type"] != "contact":
            continue
        if set(e["balls"]) == {cue, ball} and met is None:
            met = i
        if set(e["balls"]) == {ball, "black"}:
            if met is None:
                return False
            before = events[:i]
            cushions = len(rails_of(ball, before)) + len(rails_of(cue, events[:met]))
            extra_object = len([b for b in contacts_of(ball, before) if b != cue])  # the pair: cue ball and object ball
            extra_cue = len(contacts_of(cue, events[:met]))
            return cushions == el["cushions"] and extra_object + extra_cue == (el.get("contacts") or 0)
    return False


def pot_items(el, ball, own):
    rule, points = VALUE[ball]
    items = [{"rule": rule, "points": points, "ball": ball}]
    if el.get("cushions"):
        items.append({"rule": "9.1", "points": BANK_BONUS[el["cushions"]], "ball": ball})
    if how_of(el):
        items.append({"rule": "9.2", "points": 3, "ball": ball})
    if el.get("jump") and own:
        items.append({"rule": "9.3", "points": 3, "ball": ball})
    return items


def bank_items(el):
    items = [{"rule": "8.5", "points": el["cushions"], "ball": None}]
    if el.get("contacts"):
        items.append({"rule": "9.5", "points": el["contacts"], "ball": None})
    return items


def score_call(case, fallen):
    """(items, balls potted rightly) of a valid call that was made in full, else ([], set())."""
    cue = case["state"]["cue_ball"]
    elements = case["call"]["elements"]
    on = {b for b, p in case["state"]["positions"].items() if p is not None}
    choices = []
    for el in elements:
        if el["kind"] == "pot":
            choices.append([b for b in pot_balls(el, case) if pot_made(el, b, case, fallen)])
        elif el["kind"] == "carom":
            choices.append([None] if carom_made(el, case) else [])
        else:
            choices.append([b for b in candidates(el["ball"], cue) if b in on and bank_made(el, b, case)])
    best = ([], set())
    for pick in product(*choices):
        real = [b for b in pick if b is not None]
        if len(set(real)) != len(real):
            continue
        items, right = [], set()
        for el, ball in zip(elements, pick, strict=True):
            if el["kind"] == "pot":
                items += pot_items(el, ball, ball == cue)
                right.add(ball)
            elif el["kind"] == "carom":
                items.append({"rule": "8.4", "points": 2, "ball": None})
            else:
                items += bank_items(el)
        items += two_straight(right, cue, fallen)
        if total(items) > total(best[0]):
            best = (items, right)
    return best


def two_straight(right, cue, fallen):
    """9.4, 9.7, D20, D35."""
    straight = [b for b in right if is_straight(b, cue, fallen[b])]
    if cue in straight and len(straight) == 2 and len({fallen[b]["pocket"] for b in straight}) == 2:
        return [{"rule": "9.4", "points": 5, "ball": None}]
    return []


def score_no_call(case, fallen, hand):
    """R3: each straight ball, and what is knocked in from the jaws in time; nothing from hand (D6, D33)."""
    cue, items, right = case["state"]["cue_ball"], [], set()
    if hand:
        return items, right
    for ball, fall in fallen.items():
        counts = {
            "plain": is_straight(ball, cue, fall),
            "knock": True,
            "late_knock": fall.get("straight_knock", False),
            "late_fall": False,
        }[fall["how"]]
        if counts and ball != "black":
            rule, points = VALUE[ball]
            items.append({"rule": rule, "points": points, "ball": ball})
            right.add(ball)
    return items + two_straight(right, cue, fallen), right


def total(items):
    return sum(i["points"] for i in items)


# ------------------------------------------------------------------------------------------------ fouls
def provides_white_red(el, cue, fallen, before):
    """Does a (valid) element provide for the contact of white and red that follows `before` (R6, D31, D38)?"""
    how, named = how_of(el), set(named_of(el))
    if el["kind"] == "bank_black":
        return any(bank_provides(el, ball, cue, before) for ball in candidates(el["ball"], cue))
    if el["kind"] == "carom":
        return cue == "white"
    pairs = set()  # pairs of balls that the element makes touch
    for ball in set(candidates(el["ball"], cue)) - named:
        if how is None and ball != cue:
            pairs.add(frozenset((cue, ball)))
        thirds = named or third_balls(how, ball, cue, fallen)
        if how == "carom":
            pairs |= {frozenset((cue, b)) for b in thirds}
        if how in ("by", "off"):
            for third in thirds:
                pairs |= {frozenset((cue, third if how == "by" else ball)), frozenset((third, ball))}
    return frozenset(("white", "red")) in pairs


def bank_provides(el, ball, cue, before):
    """The contact with the object ball, and the additional ones that count (D22, D38)."""
    if {cue, ball} == {"white", "red"}:
        return True
    if not el.get("contacts") or "black" in contacts_of(ball, before):
        return False
    return ball in ("white", "red") or ball not in contacts_of(cue, before)


def third_balls(how, ball, cue, fallen):
    """The balls that an unnamed combination was made with: any but black (D31); none if the ball did not fall."""
    if how is None or ball not in fallen:
        return set()
    return set(contacts_of(ball, fallen[ball]["path"])) - {cue, "black"}


def meant_for_cue(el, cue, made):
    """Balls that a valid element names for the cue ball to meet (D24)."""
    how, named = how_of(el), named_of(el)
    if el["kind"] == "carom":
        return {el["first"], el["second"]}
    if el["kind"] == "bank_black":
        return set(candidates(el["ball"], cue))
    black = {"black"} if uses_black(el) else set()
    if how is None or how == "off":
        return black | (set(candidates(el["ball"], cue)) - {cue})
    if named:
        return black | set(named)
    return black | ({"white", "yellow", "red"} if made else set())  # D31


def facts_of(case, hand, void, fallen, items):
    """What the foul rows need."""
    state, events = case["state"], case["shot"]["events"]
    cue, call = state["cue_ball"], case["call"]
    elements = call["elements"] if call and not void else []
    legal = set(LEGAL[cue])
    for el in elements:
        legal |= meant_for_cue(el, cue, bool(items))
    first_legal = next(
        (i for i, e in enumerate(events) if e["type"] == "contact" and cue in e["balls"] and set(e["balls"]) - {cue} <= legal), None
    )
    strikes = [e["ball"] for e in events if e["type"] == "strike"]
    own_wrong = cue in fallen and fallen[cue]["how"] != "late_fall"
    moving = {"cushion", "jaw", "off_table"} if state["opening"] else {"cushion", "jaw", "off_table", "midline"}
    after = events[first_legal + 1 :] if first_legal is not None else []
    return {
        "cue": cue, "events": events, "elements": elements, "fallen": fallen, "strikes": strikes, "first_legal": first_legal,
        "own_fell": own_wrong, "black_called": any(uses_black(el) for el in elements),
        "active": any(e["type"] in moving or (e["type"] == "pocket" and fallen[e["ball"]]["how"] != "late_fall") for e in after),
    }  # fmt: skip


def types(f, *names):
    return [e for e in f["events"] if e["type"] in names]


def bad_black(f):
    """R7: a contact of cue ball and black before another ball touched black."""
    for e in types(f, "contact"):
        if "black" in e["balls"]:
            return f["cue"] in e["balls"]
    return False


def white_red(f):
    """Contacts of white and red: 'excused' by the carom exception (R6, D9, D27), 'provided' for, or 'bad'."""
    out = []
    for i, e in enumerate(f["events"]):
        if e["type"] != "contact" or set(e["balls"]) != {"white", "red"}:
            continue
        before = f["events"][:i]
        if any(carom_excuses(el, f["cue"], before) for el in f["elements"]):
            out.append("excused")
        elif any(provides_white_red(el, f["cue"], f["fallen"], before) for el in f["elements"]):
            out.append("provided")
        else:
            out.append("bad")
    if "provided" in out:  # what a stroke provides for, it may do again
        return ["provided" if x == "bad" else x for x in out]
    return out


def carom_excuses(el, cue, before):
    onto_red = el["kind"] == "carom" and el["second"] == "red"
    return onto_red and first_before_red(cue, el["first"], before) and carom_cushions(cue, before) >= 2


def first_before_red(cue, first, before):
    met = contacts_of(cue, before)
    return first in met and ("red" not in met or met.index(first) < met.index("red"))


FOULS = [
    ("12.1", lambda f: f["first_legal"] is None and not wrong_strike(f)),
    ("12.2", lambda f: wrong_strike(f)),
    ("12.3", lambda f: "bad" in white_red(f)),
    ("12.4", lambda f: bad_black(f) and not f["black_called"]),
    ("12.5", lambda f: bool(types(f, "touch"))),
    ("12.6", lambda f: f["first_legal"] is not None and not f["active"] and not wrong_strike(f)),
    ("12.7", lambda f: f["own_fell"] and not f["own_right"]),
    ("12.8", lambda f: any(e["ball"] == f["cue"] for e in types(f, "off_table"))),
    ("12.9", lambda f: bool(types(f, "double_hit", "push", "press")) or f["cue"] in f["strikes"][1:]),
]


def wrong_strike(f):
    return any(b != f["cue"] for b in f["strikes"])  # D25


# ------------------------------------------------------------------------------------------------ after the stroke
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


def next_state(case, scored, right, fallen):
    state, shot = case["state"], case["shot"]
    size = SIZES[case.get("table", "pyramid-12ft")]
    length, width, d = size
    spots = {
        "black": (length / 2, width / 2),
        "red": (length / 4, width / 2),
        "yellow": (3 * length / 4, width / 2),
        "white": (3 * length / 4, width / 2),
    }
    cue = state["cue_ball"]
    off = {e["ball"] for e in shot["events"] if e["type"] == "off_table"}
    at = {b: (list(shot["positions"][b]) if shot["positions"].get(b) else None) for b in BALLS}
    late = {b for b, f in fallen.items() if f["how"] == "late_fall"}
    gone = {b for b in BALLS if b in fallen or b in off}
    wrong = gone - (right if scored else set())
    if cue in late:  # D18, D41: put back
        at[cue] = list(fallen[cue]["at"] or mouth(fallen[cue]["pocket"], size))
        wrong.discard(cue)
    right = right if scored else set()
    waiting = set(state["waiting"])

    def others(ball):
        return [at[b] for b in BALLS if b != ball and at[b] is not None]

    def spot(ball):
        """Place a ball on its spot, or let it wait; says whether it was placed."""
        free = all(dist(spots[ball], o) > d for o in others(ball))
        at[ball] = list(spots[ball]) if free else None
        (waiting.discard if free else waiting.add)(ball)
        return free

    # black moved, potted, off the table or waiting (R5, D13); then red (R5)
    if "black" in gone | waiting or (at["black"] is not None and dist(at["black"], spots["black"]) > 0):
        spot("black")
    if "red" in gone | waiting:
        spot("red")

    new_cue, placement = cue, "as_lies"
    if not scored:
        new_cue = "white"  # R4, D15
    elif cue in right:
        placement = "in_hand"
    for other in {"white": ["yellow"], "yellow": ["white"]}[cue]:
        if other in right:  # R4
            new_cue, placement = other, "in_hand"

    yellow_from_hand = False
    if "yellow" in wrong or "yellow" in waiting:  # R5, D16, D18
        if not spot("yellow"):
            waiting.discard("yellow")
            yellow_from_hand, new_cue, placement = True, "yellow", "in_hand"
    elif {"white", "yellow"} <= right and cue == "yellow":  # D12
        at["yellow"] = list(nearest_free(spots["yellow"], 0, others("yellow"), d, True))

    white_wrong = "white" in wrong
    white_wants_spot = "white" in waiting
    if white_wrong and cue == "white" and not yellow_from_hand:
        placement = "in_hand"  # D15 (a foul: white plays)
    elif white_wrong:  # D1, D15, D40
        at["white"] = list(nearest_free((length - d / 2, width / 2), 1, others("white"), d, False))
    if {"white", "yellow"} <= right and cue == "white":  # R5
        white_wants_spot = True
    if cue == "white" and "white" in right and yellow_from_hand:  # D40
        white_wants_spot = True
    if white_wants_spot and not spot("white") and not scored and not yellow_from_hand:  # D13, D42
        waiting.discard("white")
        placement = "in_hand"
    if placement == "in_hand":
        at[new_cue] = None
    return {"cue_ball": new_cue, "placement": placement, "positions": at, "waiting": sorted(waiting)}


# ------------------------------------------------------------------------------------------------ the ruling
def rule(case: dict) -> dict:
    """The ruling of a case with a structured call (or none)."""
    state, call = case["state"], case["call"]
    cue, player, target = state["cue_ball"], state["player"], state["target"]
    hand = state["opening"] or state["placement"] != "as_lies"
    void = void_reason(case, hand) if call else None
    fallen = falls(case)
    if call is None:
        items, right = score_no_call(case, fallen, hand)
    elif void:
        items, right = [], set()
    else:
        items, right = score_call(case, fallen)

    f = facts_of(case, hand, void, fallen, items)
    f["own_right"] = cue in right  # D29: in a call that is made in full only
    fouls = [number for number, broken in FOULS if broken(f)]
    scored = bool(items) and not fouls
    if "provided" in white_red(f) and not scored and "12.3" not in fouls:  # R6, D26
        fouls.append("12.3")
    if fouls:
        items, scored = [], False
    points, penalty = total(items), 3 if fouls else 0
    scores = list(state["scores"])
    scores[player] += points
    scores[1 - player] += penalty
    after = next_state(case, scored, right, fallen)
    winner = next((i for i in (0, 1) if target is not None and scores[i] >= target), None)
    return {
        "outcome": "foul" if fouls else "scored" if scored else "no_score",
        "points": points, "opponent_points": penalty, "items": items,
        "fouls": [{"rule": n} for n in sorted(fouls)], "void": bool(void), "void_reason": void,
        "turn": "stays" if scored else "passes",
        "state": {"player": player if scored else 1 - player, "scores": scores, "target": target, "opening": False, **after},
        "game_over": winner is not None, "winner": winner,
    }  # fmt: skip
