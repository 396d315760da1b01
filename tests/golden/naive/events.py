"""What the events of a stroke say about each ball: contacts, cushions, falls, straightness (R3, D3, D4, D11, D18, D39)."""

from __future__ import annotations

SIZES = {  # length, width, ball: the kinds that the golden cases use
    "pyramid-12ft": (3550, 1775, 68), "pyramid-11ft": (3200, 1600, 68), "pyramid-10ft": (2840, 1420, 68),
    "pyramid-9ft": (2540, 1270, 68), "pyramid-8ft": (2240, 1120, 68), "pyramid-7ft": (1980, 990, 68),
}  # fmt: skip
BALLS = ("white", "yellow", "red", "black")
LEGAL = {"white": ["yellow"], "yellow": ["white", "red"]}  # R10, D30: also what «other» means
VALUE = {"white": ("8.1", 1), "yellow": ("8.2", 3), "red": ("8.3", 5), "black": ("10", 4)}
BANK_BONUS = {1: 3, 2: 5, 3: 6}
IN_TIME = 3.0 + 1e-9  # seconds in the jaws, D39: exactly 3 s is in time


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
