"""The facts that fouls need, and a row for each foul (R6, R7, R12)."""

from __future__ import annotations

from .calls import candidates, how_of, named_of, uses_black
from .events import LEGAL, carom_cushions, contacts_of


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
        extra = {"white", "yellow", "red"} if made and el.get("contacts") else set()  # D38
        return set(candidates(el["ball"], cue)) | extra
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
    # a ball that falls late is not potted, but it fell: nobody is penalised (D10, D18)
    moving = {"cushion", "jaw", "off_table", "pocket"} | (set() if state["opening"] else {"midline"})
    after = events[first_legal + 1 :] if first_legal is not None else []
    return {
        "cue": cue, "events": events, "elements": elements, "fallen": fallen, "strikes": strikes, "first_legal": first_legal,
        "own_fell": own_wrong, "black_called": any(uses_black(el) for el in elements),
        "active": any(e["type"] in moving for e in after),
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
    ("12.1", lambda f: f["first_legal"] is None and f["strikes"] and not wrong_strike(f)),
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
