"""What comes after a stroke: which balls are placed where, and with which cue ball play goes on (rules 2, 4, 5; D12-D16, D18, D40-D42)."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import dist

from calibration.table import Table
from referee.rules import spotting
from referee.rules.facts import Facts, FallKind
from referee.rules.terms import BALLS
from referee.state import Point, State
from vision.shot import Shot

_UNMOVED_MM = 1.0  # black this near its spot has not left it


@dataclass
class _Board:
    """The table while balls are being placed; lives for one call of `after` only."""

    table: Table
    places: dict[str, Point | None]
    waiting: set[str] = field(default_factory=set)
    decisions: dict[str, None] = field(default_factory=dict)
    rules: set[str] = field(default_factory=lambda: {"4"})  # who plays, and with which ball, is always rule 4

    def use(self, *decisions: str) -> None:
        self.decisions.update(dict.fromkeys(decisions))

    def spot(self, ball: str, name: str) -> bool:
        """Put a ball on a spot if that is free (D14)."""
        place = self.table.spots[name]
        self.places[ball] = None
        self.rules.add("5")
        if not spotting.is_free(place, self.places, self.table):
            self.use("D14")
            return False
        self.places[ball] = place
        if ball in self.waiting:
            self.waiting.discard(ball)
            self.use("D14")
        return True


@dataclass(frozen=True, slots=True)
class Next:
    """The position and the cue ball of the next stroke."""

    places: dict[str, Point | None]
    waiting: tuple[str, ...]
    cue_ball: str
    placement: str
    decisions: tuple[str, ...]
    rules: tuple[str, ...]
    yellow_forced: bool  # yellow must be played from hand because its spot is occupied


def after(state: State, shot: Shot, facts: Facts, right: frozenset[str], *, scored: bool, table: Table) -> Next:
    """The position before the next stroke. `right` are the balls rightly potted: none when the stroke does not score.

    Balls are placed when all have come to rest, in the order black, red, yellow, white (D14).
    """
    board = _Board(table, {ball: shot.positions.get(ball) for ball in BALLS}, set(state.waiting))
    gone = {b for b in BALLS if b in facts.on_table and board.places[b] is None}
    gone -= _put_back(board, facts)
    _black_and_red(board)
    forced = _yellow(board, "yellow" in gone, facts.cue, right)
    if forced or not scored:
        board.use("D15")
    cue, hand = _cue_ball(facts.cue, right, scored=scored, forced=forced)
    hand |= _white(board, "white" in gone, facts.cue, right, cue)
    if board.places[cue] is None:
        hand = True
    waiting = tuple(b for b in ("black", "red", "yellow", "white") if b in board.waiting)
    return Next(board.places, waiting, cue, "in_hand" if hand else "as_lies", tuple(board.decisions), tuple(board.rules), forced)


def _put_back(board: _Board, facts: Facts) -> set[str]:
    """D18, D41: a cue ball that fell late is put back where it lay, at the edge."""
    fall = facts.fall(facts.cue)
    if fall is None or fall.kind is not FallKind.LATE:
        return set()
    at = None if fall.stop is None else facts.events[fall.stop].at
    board.places[facts.cue] = spotting.edge_place(fall.pocket, at, board.places, board.table)
    board.use("D18", "D41")
    return {facts.cue}


def _black_and_red(board: _Board) -> None:
    """Rule 5, D13: black that has left the centre goes back, red that is not on the table goes home; else they wait."""
    black = board.places["black"]
    centre = board.table.spots["centre"]
    if (black is None or dist(black, centre) > 0) and not board.spot("black", "centre"):
        if black is not None and dist(black, centre) <= _UNMOVED_MM:
            board.places["black"] = black
        else:
            board.waiting.add("black")
            board.use("D13")
    if board.places["red"] is None and not board.spot("red", "home"):
        board.waiting.add("red")


def _yellow(board: _Board, gone: bool, cue: str, right: frozenset[str]) -> bool:
    """Rule 5, D12, D16: places yellow; true when it must be played from hand because its spot is occupied."""
    if not gone:
        if "yellow" in board.waiting:  # play never lets yellow wait (rule 5), but a given state may
            board.spot("yellow", "pyramid")
        return False
    if "yellow" in right:
        if cue == "yellow" and "white" in right:  # D12: white is the cue ball
            board.use("D12")
            if not board.spot("yellow", "pyramid"):
                board.use("D43")
                board.places["yellow"] = spotting.long_axis_place(board.places, board.table)
        return False
    if cue == "yellow":
        board.use("D16")
    return not board.spot("yellow", "pyramid")


def _cue_ball(cue: str, right: frozenset[str], *, scored: bool, forced: bool) -> tuple[str, bool]:
    """Rules 4, 5, D15: the next cue ball and whether it is in hand because it was potted or must be played from hand."""
    if forced:
        return "yellow", True
    if not scored:
        return "white", False
    other = "yellow" if cue == "white" else "white"
    if other in right:
        return other, True
    return cue, cue in right


def _white(board: _Board, gone: bool, cue: str, right: frozenset[str], cue_next: str) -> bool:
    """Places white (rules 2, 5; D1, D12, D13, D15, D40, D42); true when it is put in hand."""
    if board.places["white"] is not None:
        return False
    if "white" in board.waiting:
        if board.spot("white", "pyramid"):
            return False
        if cue_next == "white":  # D13, D42
            board.waiting.discard("white")
            board.use("D13", "D42")
            return True
        board.use("D40")
        return False
    if not gone:
        return cue_next == "white"
    if "white" in right:
        if cue_next == "white":
            return True
        if not board.spot("white", "pyramid"):
            board.waiting.add("white")
            if "yellow" not in right:
                board.use("D40")
        return False
    if cue == "white" and cue_next == "white":
        board.use("D15")
        return True
    board.use("D1", "D43")
    board.rules.add("2")
    if cue == "white":
        board.use("D15", "D40")
    board.places["white"] = spotting.foot_cushion_place(board.places, board.table)
    return False
