"""Was the call, or without one a straight ball, made, and what is it worth (R3, R8, R9, R10)?"""

from __future__ import annotations

from itertools import product

from .calls import candidates, carries_bonus, how_of, named_of, pot_balls
from .events import BANK_BONUS, VALUE, carom_cushions, contacts_of, is_straight, rails_of, reflection_class


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
            made = [b for b in pot_balls(el, case) if pot_made(el, b, case, fallen)]
            choices.append(sorted(made, key=lambda b: fallen[b]["t"]))  # of two balls that meet «other», the first to fall
        elif el["kind"] == "carom":
            choices.append([None] if carom_made(el, case) else [])
        else:
            choices.append([b for b in candidates(el["ball"], cue) if b in on and bank_made(el, b, case)])
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
        return items + two_straight(right, cue, fallen), right
    return [], set()


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
