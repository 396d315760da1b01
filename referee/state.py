"""The state of a game before a stroke (contract: adjudication, section Case). Pure values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class State:
    """`placement`: as_lies | in_hand | in_hand_house; a ball whose position is None is in hand, waiting or off the table."""

    player: int
    scores: tuple[int, int]
    target: int | None
    opening: bool
    cue_ball: str
    placement: str
    positions: Mapping[str, Point | None]
    waiting: tuple[str, ...] = ()
