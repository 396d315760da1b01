"""The structured call as JSON (contract: adjudication, section Call), read with errors that name the field."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from referee.calls.call import BankBlack, Call, Carom, Combination, Element, Pot
from referee.calls.errors import MISSING, CallFormError

BALLS = ("own", "other", "white", "yellow", "red", "black")
POCKETS = ("home-left", "home-right", "middle-left", "middle-right", "foot-left", "foot-right", "corner", "middle", "any")
MAX_ELEMENTS = 8
MAX_COUNT = 99  # cushions and contacts of a bank
_EXPECTED = {  # of the fields that are no ball
    "elements": f"a list of 1 to {MAX_ELEMENTS} elements",
    "cushions": f"a whole number from 0 to {MAX_COUNT}",
    "how": "one of by, off, carom",
}


def to_json(call: Call) -> dict[str, Any]:
    """`{"elements": [...]}` with every field that carries meaning; `combination` and `jump` only where there is one."""
    return {"elements": [_element_json(element) for element in call.elements]}


def _element_json(element: Element) -> dict[str, Any]:
    if isinstance(element, Carom):
        return {"kind": "carom", "first": element.first, "second": element.second}
    if isinstance(element, BankBlack):
        return {"kind": "bank_black", "ball": element.ball, "cushions": element.cushions, "contacts": element.contacts}
    out: dict[str, Any] = {"kind": "pot", "ball": element.ball, "pocket": element.pocket, "cushions": element.cushions}
    if element.combination is not None:
        combination = element.combination
        out["combination"] = {"how": combination.how, "balls": list(combination.balls)} if combination.balls else {"how": combination.how}
    if element.jump is not None:
        out["jump"] = element.jump
    return out


def from_json(obj: Any, path: str = "call") -> Call:
    """The call in `obj`. Raises CallFormError naming the field (`path` is the name of `obj` itself)."""
    _keys(obj, path, ("elements",), ())
    elements = obj["elements"]
    if not isinstance(elements, list) or not 1 <= len(elements) <= MAX_ELEMENTS:
        raise CallFormError(f"{path}.elements", f"a list of 1 to {MAX_ELEMENTS} elements", elements)
    return Call(tuple(_element(element, f"{path}.elements[{i}]") for i, element in enumerate(elements)))


def _element(obj: Any, path: str) -> Element:
    if not isinstance(obj, Mapping):
        raise CallFormError(path, "an object", obj)
    kind = obj.get("kind")
    if kind == "pot":
        return _pot(obj, path)
    if kind == "carom":
        _keys(obj, path, ("kind", "first", "second"), ())
        return Carom(_one_of(obj, "first", BALLS, path), _one_of(obj, "second", BALLS, path))
    if kind == "bank_black":
        _keys(obj, path, ("kind", "ball", "cushions"), ("contacts",))
        cushions, contacts = _count(obj, "cushions", MAX_COUNT, path), _count(obj, "contacts", MAX_COUNT, path)
        return BankBlack(_one_of(obj, "ball", BALLS, path), cushions, contacts)
    raise CallFormError(f"{path}.kind", "one of pot, carom, bank_black", obj.get("kind", MISSING))


def _pot(obj: Mapping[str, Any], path: str) -> Pot:
    _keys(obj, path, ("kind", "ball"), ("pocket", "cushions", "combination", "jump"))
    pocket = _one_of(obj, "pocket", POCKETS, path) if "pocket" in obj else "any"
    combination = obj.get("combination")
    jump = obj.get("jump")
    if jump is not None:
        jump = _one_of(obj, "jump", ("ball", "jaw"), path)
    return Pot(
        ball=_one_of(obj, "ball", BALLS, path),
        pocket=pocket,
        cushions=_count(obj, "cushions", 3, path),
        combination=None if combination is None else _combination(combination, f"{path}.combination"),
        jump=jump,
    )


def _combination(obj: Any, path: str) -> Combination:
    _keys(obj, path, ("how",), ("balls",))
    how = _one_of(obj, "how", ("by", "off", "carom"), path)
    balls = obj.get("balls")
    balls = [] if balls is None else balls
    if not isinstance(balls, list | tuple) or len(balls) > 2:
        raise CallFormError(f"{path}.balls", "a list of at most 2 balls", balls)
    for i, ball in enumerate(balls):
        if not isinstance(ball, str) or ball not in BALLS:
            raise CallFormError(f"{path}.balls[{i}]", f"one of {', '.join(BALLS)}", ball)
    if len(set(balls)) < len(balls):
        raise CallFormError(f"{path}.balls", "two different balls", balls)
    return Combination(how, tuple(balls))


def _keys(obj: Any, path: str, needed: tuple[str, ...], optional: tuple[str, ...]) -> None:
    if not isinstance(obj, Mapping):
        raise CallFormError(path, "an object", obj)
    for key in needed:
        if key not in obj:
            raise CallFormError(f"{path}.{key}", _EXPECTED.get(key, f"one of {', '.join(BALLS)}"), MISSING)
    for key in obj:
        if key not in needed + optional:
            raise CallFormError(f"{path}.{key}", f"no such field (known: {', '.join(needed + optional)})", obj[key])


def _one_of(obj: Mapping[str, Any], key: str, known: tuple[str, ...], path: str) -> str:
    value = obj[key]
    if not isinstance(value, str) or value not in known:
        raise CallFormError(f"{path}.{key}", f"one of {', '.join(known)}", value)
    return value


def _count(obj: Mapping[str, Any], key: str, most: int, path: str) -> int:
    value = obj.get(key, 0)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= most:
        raise CallFormError(f"{path}.{key}", f"a whole number from 0 to {most}", value)
    return value
