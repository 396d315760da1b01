"""Who may act, and for how long."""

from __future__ import annotations

import pytest

from calibration.errors import UserError
from referee.live.access import Access


def test_this_machine_alone_needs_no_pin() -> None:
    assert Access("127.0.0.1", None).allowed(None)


def test_a_network_facing_start_demands_a_pin() -> None:
    with pytest.raises(UserError, match="--pin"):
        Access("0.0.0.0", None)
    with pytest.raises(UserError, match="at least 4"):
        Access("0.0.0.0", "123")


def test_a_session_opens_with_the_pin_and_expires() -> None:
    now = [0.0]
    access = Access("0.0.0.0", "2468", clock=lambda: now[0])
    assert not access.allowed(None) and not access.allowed("guess")
    token = access.enter("2468")
    assert access.allowed(token)
    now[0] = 13 * 3600
    assert not access.allowed(token)


def test_leaving_ends_a_session() -> None:
    access = Access("0.0.0.0", "2468")
    token = access.enter("2468")
    access.leave(token)
    assert not access.allowed(token)


def test_after_some_wrong_pins_even_the_right_one_must_wait() -> None:
    now = [0.0]
    access = Access("0.0.0.0", "2468", clock=lambda: now[0])
    for n in range(5):
        with pytest.raises(UserError, match="wrong PIN"):
            access.enter(f"000{n}")
    with pytest.raises(UserError, match="wait a minute"):
        access.enter("2468")
    now[0] = 61.0
    assert access.allowed(access.enter("2468"))
