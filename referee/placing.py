"""Where the balls should lie before a stroke and where they were seen: the state that the stroke is ruled in."""

from __future__ import annotations

from dataclasses import replace
from math import dist

from calibration.table import BALLS, Table
from referee.state import State
from vision.shot import Doubt, Places

# How far a ball may lie from its place in the opening position, mm: balls are set by hand and a phone's calibration errs.
OPENING_TOLERANCE = 50.0
# How far a ball may lie from where the last ruling left it, mm, before a person should look.
PLACE_TOLERANCE = 30.0


def first_state(seen: Places, table: Table, *, target: int | None = None) -> State:
    """The state before the first stroke of a video, from the places seen (contract: analysis, `--start`).

    The opening if yellow, red and black lie within `OPENING_TOLERANCE` of their spots and white in the house (rule 1);
    else mid game: player 0, white as cue ball, as it lies, and object balls not on the table wait for their spots.
    """
    positions = {ball: seen.get(ball) for ball in BALLS}
    if is_opening(positions, table):
        return State(0, (0, 0), target, True, "white", "in_hand_house", positions)
    waiting = tuple(ball for ball in ("black", "red", "yellow") if positions[ball] is None)  # in the order of D14
    return State(0, (0, 0), target, False, "white", "as_lies", positions, waiting)


def is_opening(positions: Places, table: Table) -> bool:
    """Whether the balls lie as at the opening (rule 1)."""
    spots = table.spots
    for ball, spot in (("yellow", "pyramid"), ("red", "home"), ("black", "centre")):
        place = positions.get(ball)
        if place is None or dist(place, spots[spot]) > OPENING_TOLERANCE:
            return False
    white = positions.get("white")
    return white is not None and white[0] <= table.length / 4 + OPENING_TOLERANCE


def ready(state: State, seen: Places, table: Table) -> tuple[State, tuple[Doubt, ...]]:
    """The state in which a stroke is ruled: the expected one with the places that were seen, and what does not agree.

    A ball that was not seen is taken where it should lie. A waiting ball that lies on the table waits no more.
    """
    positions, doubts = dict(state.positions), []
    for ball in BALLS:
        expected, found = state.positions.get(ball), seen.get(ball)
        in_hand = ball == state.cue_ball and state.placement != "as_lies"
        positions[ball] = found if found is not None else expected
        if found is None:
            if expected is not None or in_hand:
                doubts.append(Doubt(f"{ball} was not seen before the stroke"))
        elif in_hand:
            if state.placement == "in_hand_house" and found[0] > table.length / 4 + OPENING_TOLERANCE:
                doubts.append(Doubt(f"{ball} should be in the house, seen {found[0] - table.length / 4:.0f} mm outside it"))
        elif expected is None:
            doubts.append(Doubt(f"{ball} lies on the table, expected off it"))
        elif dist(found, expected) > PLACE_TOLERANCE:
            place = f"({expected[0]:.0f}, {expected[1]:.0f})"
            doubts.append(Doubt(f"{ball} lies {dist(found, expected):.0f} mm from {place}, where the last ruling left it"))
    waiting = tuple(ball for ball in state.waiting if positions[ball] is None)
    return replace(state, positions=positions, waiting=waiting), tuple(doubts)
