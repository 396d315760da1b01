"""The called three-cushion carom of the cue ball (rules 8.4, 6; D9, D11, D27, D37)."""

from __future__ import annotations

from referee.calls.call import Carom
from referee.rules.facts import Contact, Facts
from referee.rules.outcome import Failure, Made, NotMade
from referee.rules.terms import CAROM_POINTS, is_middle, pair
from referee.ruling import Item

CUSHIONS_OF_A_CAROM = 3
CUSHIONS_BEFORE_RED = 2  # rule 6, the exception


def cushions_before(facts: Facts, until: int) -> tuple[int, ...]:
    """Event indexes of the cushions of the cue ball before event `until`, as a carom counts them.

    Contacts in the jaws of one middle pocket in a row are one cushion (8.4, D37); a corner jaw is the cushion it ends (D11).
    """
    counted: list[int] = []
    middle: str | None = None  # the middle pocket whose jaws were touched last, with nothing in between
    for touch in facts.cue_path.touches:
        if touch.index >= until:
            break
        if isinstance(touch, Contact):
            middle = None
            continue
        pocket = touch.jaws if touch.jaws is not None and is_middle(touch.jaws) else None
        if pocket is None or pocket != middle:
            counted.append(touch.index)
        middle = pocket
    return tuple(counted)


def called(facts: Facts, carom: Carom) -> Made | Failure:
    """Rule 8.4: the cue ball meets `first`, then `second` after at least three cushions, and no other ball before that."""
    contacts = facts.cue_path.contacts()
    if not contacts or contacts[0].other != carom.first:
        return Failure(NotMade.CAROM_FIRST_NOT_MET, carom.first, contacts[0].index if contacts else None)
    second = next((c for c in contacts if c.other != carom.first), None)
    if second is None:
        return Failure(NotMade.CAROM_SECOND_NOT_MET, carom.second)
    if second.other != carom.second:
        return Failure(NotMade.CAROM_OTHER_BALL, second.other, second.index)
    cushions = cushions_before(facts, second.index)
    if len(cushions) < CUSHIONS_OF_A_CAROM:
        return Failure(NotMade.CAROM_CUSHIONS, carom.second, second.index, ("D11", "D37"))
    events = tuple(sorted((contacts[0].index, *cushions, second.index)))
    item = Item("8.4", None, CAROM_POINTS, events, ("D11", "D37"))
    provides = frozenset((pair(facts.cue, carom.first), pair(facts.cue, carom.second)))
    return Made((item,), (), provides)


def exempts_red(facts: Facts, carom: Carom, contact: int) -> bool:
    """Rule 6, the exception: white and red may touch after two or more cushions of the cue ball in a called carom onto red.

    The cushions are the cue ball's before that contact (D9), and it met the first object ball before red (D27).
    """
    if carom.second != "red":
        return False
    met = facts.cue_path.contacts(contact)
    first = next((c.index for c in met if c.other == carom.first), None)
    red = next((c.index for c in met if c.other == "red"), None)
    if first is None or (red is not None and red < first):
        return False
    return len(cushions_before(facts, contact)) >= CUSHIONS_BEFORE_RED
