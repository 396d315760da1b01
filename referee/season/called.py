"""What a stroke was meant to be, from its call: the kind, the pocket, the ball to be met first. Pure functions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import acos, degrees, dist, hypot
from typing import Any

from calibration.table import POCKETS, Point, Table
from referee.calls import CallError, CallFormError, from_json, parse
from referee.calls.call import BankBlack, Call, Carom, Element, Pot

# in the order in which people read them; the last three are not attempts that a success can be counted of
KINDS = (
    "straight_object", "straight_own", "bank", "combination", "black", "jump", "double", "carom", "bank_black", "none", "void", "unclear",
)  # fmt: skip
CALLED = KINDS[:9]
STRAIGHT = ("straight_object", "straight_own")
MIDDLE, CORNER, ANY = "middle", "corner", "any"


@dataclass(frozen=True, slots=True)
class Meant:
    """`kind` is one of KINDS; `pocket_class` middle | corner | any of the called pot; `aim_pocket` where the call names one."""

    kind: str
    ball: str | None = None
    pocket_class: str | None = None
    cushions: int | None = None
    aim_ball: str | None = None
    aim_pocket: str | None = None


def meant(call: str | Mapping[str, Any] | None, cue: str | None, void: bool = False) -> Meant:
    """What a stroke's call means.

    Args:
        call: as match.json holds it.
        cue: the cue ball; a call cannot be read without it.
        void: whether the ruling found the call void.
    """
    if call is None:
        return Meant("none")
    try:
        read = from_json(call) if not isinstance(call, str) else parse(call, cue or "white")
    except (CallError, CallFormError):
        return Meant("unclear")
    if void:
        return Meant("void")
    return _of(read, cue)


def _of(call: Call, cue: str | None) -> Meant:
    if len(call.elements) != 1:
        return Meant("double")
    element = call.elements[0]
    aim = _aim(element, cue)
    if isinstance(element, Carom):
        return Meant("carom", aim_ball=aim, cushions=3)
    if isinstance(element, BankBlack):
        return Meant("bank_black", aim_ball=aim, cushions=element.cushions)
    named = element.pocket if element.pocket in POCKETS else None
    group = element.pocket if named is None else (MIDDLE if named.startswith("middle") else CORNER)
    return Meant(_pot_kind(element), _named(element.ball, cue), group, element.cushions, aim, named)


def _pot_kind(pot: Pot) -> str:
    if pot.ball == "black":
        return "black"
    if pot.jump:
        return "jump"
    if pot.combination:
        return "combination"
    if pot.cushions:
        return "bank"
    return "straight_own" if pot.ball == "own" else "straight_object"


def _named(ball: str, cue: str | None) -> str | None:
    """The colour of a called ball; None for «other» when two balls are."""
    if ball == "own":
        return cue
    if ball == "other":
        return "yellow" if cue == "white" else None
    return ball


def _aim(element: Element, cue: str | None) -> str | None:
    """The ball that the cue ball has to meet first, where the call tells."""
    if isinstance(element, Carom):
        return element.first
    if isinstance(element, BankBlack):
        return _named(element.ball, cue)
    how = element.combination
    if how is not None and how.how == "by":
        return how.balls[0] if how.balls else None
    if how is not None and how.how == "carom":
        return None
    if element.ball == "own" or _named(element.ball, cue) == cue:
        return "yellow" if cue == "white" else None
    return _named(element.ball, cue)


def distance(places: Mapping[str, Point | None], cue: str | None, ball: str | None) -> float | None:
    """Millimetres between the centres of two balls, None if one is not on the table."""
    a, b = places.get(cue or ""), places.get(ball or "")
    return None if a is None or b is None or cue == ball else dist(a, b)


def cut_angle(places: Mapping[str, Point | None], cue: str | None, ball: str | None, pocket: str | None, table: Table) -> float | None:
    """Degrees between the cue ball's way to where it must meet `ball` and the ball's way into `pocket`; 0 is a full hit."""
    a, b = places.get(cue or ""), places.get(ball or "")
    if a is None or b is None or cue == ball or pocket is None or not table.pockets:
        return None
    one, other = (jaw.tip for jaw in table.pocket(pocket).jaws)
    way = ((one[0] + other[0]) / 2 - b[0], (one[1] + other[1]) / 2 - b[1])
    length = hypot(*way)
    if length == 0:
        return None
    meets = (b[0] - way[0] / length * table.ball, b[1] - way[1] / length * table.ball)
    coming = (meets[0] - a[0], meets[1] - a[1])
    if hypot(*coming) == 0:
        return None
    cosine = (coming[0] * way[0] + coming[1] * way[1]) / (hypot(*coming) * length)
    return degrees(acos(max(-1.0, min(1.0, cosine))))
