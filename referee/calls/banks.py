"""Banks onto black from phrases."""

from __future__ import annotations

from referee.calls.bag import OTHER, Bag, Misfit, contacts_said, cushions_said, refuse
from referee.calls.call import BankBlack, Element


def bank(bag: Bag) -> list[Element]:
    what = "a bank onto black"
    refuse(bag, what, "jump", "over", "over_jaw", "bare_jaw")
    targets = [chunk for chunk in bag.all("to", "against") if chunk.ball == "black"]
    if len(targets) > 1:
        raise Misfit("names black twice", targets[1])
    via = [c for c in bag.chunks if c.kind in ("through", "off") or c.ball == "any"]  # «через красный», «и от шара»: met on the way
    balls = [chunk for chunk in bag.chunks if chunk.ball and chunk is not targets[0] and chunk not in via]
    objects = [chunk for chunk in balls if not bag.is_cue(chunk.ball)] or balls
    if len(objects) > 1:
        raise Misfit("is a second ball: one object ball is banked onto black", objects[1])
    cushions = cushions_said(bag)
    if cushions is None:
        raise Misfit("needs a number of cushions", targets[0])
    if via and bag.has("no_contacts"):
        raise Misfit("is a contact, and none was to be", via[0])
    contacts = contacts_said(bag) or sum(chunk.number or 1 for chunk in via)
    if not objects and via:
        raise Misfit("is not clear: which ball is banked onto black?", via[0])
    if not objects:
        names = (OTHER[bag.cue], "red")
    elif objects[0].ball == "any":
        raise Misfit("does not say which ball", objects[0])
    else:
        names = (objects[0].ball or "",)
    return [BankBlack(name, cushions, contacts) for name in names]
