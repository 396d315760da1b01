"""Where the balls should lie before a stroke and where they were seen: the state that the stroke is ruled in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import dist

from calibration.table import BALLS, Table
from referee.state import State
from vision.shot import Doubt, Places, Point, Way

# How far a ball may lie from its place in the opening position, mm: balls are set by hand and a phone's calibration errs.
OPENING_TOLERANCE = 50.0
# How far a ball may lie from where the ruling has it, mm, and in error bars of its place besides, before that is told.
PLACE_TOLERANCE, PLACE_SIGMAS = 5.0, 3.0
# How far a ball that was placed by hand may lie from its place, mm, before a person should look whatever the ruling.
PLACE_LIMIT = 30.0

_OPENING = {"yellow": "pyramid", "red": "home", "black": "centre"}  # rule 1
_NO_SIGMA: Mapping[str, float] = {}


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


def state_to_begin(seen: Places, table: Table) -> State:
    """The state of a game that begins now: as `first_state`, and the opening also while white is still in somebody's hand."""
    if seen.get("white") is None:
        placed = first_state({**seen, "white": table.spots["home"]}, table)
        if placed.opening:
            return replace(placed, positions={**placed.positions, "white": None})
    return first_state(seen, table)


def is_opening(positions: Places, table: Table) -> bool:
    """Whether the balls lie as at the opening (rule 1)."""
    spots = table.spots
    for ball, spot in _OPENING.items():
        place = positions.get(ball)
        if place is None or dist(place, spots[spot]) > OPENING_TOLERANCE:
            return False
    white = positions.get("white")
    return white is not None and white[0] <= table.length / 4 + OPENING_TOLERANCE


def ready(
    state: State, seen: Places, table: Table, *, sigma: Mapping[str, float] = _NO_SIGMA, left: Places | None = None
) -> tuple[State, tuple[Doubt, ...]]:  # fmt: skip
    """The state in which a stroke is ruled: the expected one with the places that were seen, and what does not agree.

    A ball that was not seen is taken where it should lie. A waiting ball that lies on the table waits no more.

    Args:
        sigma: error bars of the places, mm, by ball.
        left: where the last stroke left the balls, before any was placed; None: there was none.
    """
    positions, doubts = dict(state.positions), []
    for ball in BALLS:
        expected, found = state.positions.get(ball), seen.get(ball)
        positions[ball] = found if found is not None else expected
        in_hand = ball == state.cue_ball and state.placement != "as_lies"
        reach = allowed(sigma.get(ball, 0.0))
        if found is None:
            if expected is not None or in_hand:
                doubts.append(Doubt(f"{ball} was not seen before the stroke"))
        elif in_hand:
            if state.placement == "in_hand_house" and found[0] > table.length / 4 + reach:
                doubts.append(Doubt(f"{ball} should be in the house, seen {found[0] - table.length / 4:.0f} mm outside it"))
        elif expected is None:
            doubts.append(Doubt(f"{ball} lies on the table, expected off it"))
        else:
            place = table.spots[_OPENING[ball]] if state.opening and ball in _OPENING else expected
            if dist(found, place) > reach:
                doubts.append(_elsewhere(ball, found, place, as_lies=left is not None and left.get(ball) == place))
    waiting = tuple(ball for ball in state.waiting if positions[ball] is None)
    return replace(state, positions=positions, waiting=waiting), tuple(doubts)


def allowed(sigma: float) -> float:
    """How far (mm) a ball may be seen from its place whose error bar is `sigma` mm, before it is said to lie elsewhere."""
    return PLACE_TOLERANCE + PLACE_SIGMAS * sigma


def _elsewhere(ball: str, found: Point, place: Point, *, as_lies: bool) -> Doubt:
    """What it means that a ball does not lie in its place.

    A ball that lies where a stroke left it cannot have moved by itself: it was touched, or something was not seen. One that
    was placed by hand a little off is told; it is put up for review where the ruling would be another one in its place (black
    combinations when snookered, D8), and beyond `PLACE_LIMIT`, where it is no matter of a steady hand any more.
    """
    far, at = dist(found, place), f"({place[0]:.0f}, {place[1]:.0f})"
    if as_lies:
        return Doubt(f"{ball} lies {far:.0f} mm from {at}, where the last stroke left it")
    ways = (Way(f"{ball} in its place", before={ball: place}),) if far <= PLACE_LIMIT else ()
    return Doubt(f"{ball} was placed {far:.0f} mm from its place {at}", ways=ways)
