"""The structured call, and errors that name the field."""

import pytest

from referee.calls import BankBlack, Call, CallFormError, Pot, from_json


def test_defaults() -> None:
    pot = {"kind": "pot", "ball": "own", "combination": None, "jump": None}
    bank = {"kind": "bank_black", "ball": "red", "cushions": 2}
    assert from_json({"elements": [pot, bank]}) == Call((Pot("own", "any"), BankBlack("red", 2, 0)))


POT = {"kind": "pot", "ball": "own", "pocket": "corner"}


@pytest.mark.parametrize(
    ("obj", "path"),
    [
        (None, "call"),
        ([], "call"),
        ({}, "call.elements"),
        ({"elements": []}, "call.elements"),
        ({"elements": [POT] * 9}, "call.elements"),
        ({"elements": [POT], "text": "свой"}, "call.text"),
        ({"elements": [3]}, "call.elements[0]"),
        ({"elements": [POT, {}]}, "call.elements[1].kind"),
        ({"elements": [{"kind": "pot"}]}, "call.elements[0].ball"),
        ({"elements": [{**POT, "ball": "green"}]}, "call.elements[0].ball"),
        ({"elements": [{**POT, "ball": ["own"]}]}, "call.elements[0].ball"),
        ({"elements": [{**POT, "pocket": "side"}]}, "call.elements[0].pocket"),
        ({"elements": [{**POT, "cushions": 4}]}, "call.elements[0].cushions"),
        ({"elements": [{**POT, "cushions": True}]}, "call.elements[0].cushions"),
        ({"elements": [{**POT, "cushions": 1.5}]}, "call.elements[0].cushions"),
        ({"elements": [{**POT, "jump": "cushion"}]}, "call.elements[0].jump"),
        ({"elements": [{**POT, "spin": "left"}]}, "call.elements[0].spin"),
        ({"elements": [{**POT, "combination": "by"}]}, "call.elements[0].combination"),
        ({"elements": [{**POT, "combination": {"how": "with"}}]}, "call.elements[0].combination.how"),
        ({"elements": [{**POT, "combination": {"how": "by", "balls": "red"}}]}, "call.elements[0].combination.balls"),
        ({"elements": [{**POT, "combination": {"how": "by", "balls": ["red", 1]}}]}, "call.elements[0].combination.balls[1]"),
        ({"elements": [{**POT, "combination": {"how": "carom", "balls": ["red", "red"]}}]}, "call.elements[0].combination.balls"),
        ({"elements": [{"kind": "carom", "first": "red"}]}, "call.elements[0].second"),
        ({"elements": [{"kind": "bank_black", "ball": "red"}]}, "call.elements[0].cushions"),
        ({"elements": [{"kind": "bank_black", "ball": "red", "cushions": -1}]}, "call.elements[0].cushions"),
    ],
)
def test_errors_name_the_field(obj: object, path: str) -> None:
    with pytest.raises(CallFormError) as caught:
        from_json(obj)
    assert caught.value.path == path
    assert str(caught.value).startswith(f"{path}: expected ")


def test_the_name_of_the_field_above() -> None:
    with pytest.raises(CallFormError, match=r"^case\.call\.elements: "):
        from_json({}, "case.call")
