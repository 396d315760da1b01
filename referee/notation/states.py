"""Places and states on one line."""

from __future__ import annotations

from collections.abc import Mapping

from referee.notation import names
from referee.notation.scanner import NotationError, Scanner, number_text
from referee.state import Point, State

_BALLS = names.back(names.BALLS)
_CUES = {"W": "white", "Y": "yellow"}
_PLACEMENTS = names.back(names.PLACEMENTS)


def letter(ball: object, name: str, table: Mapping[str, str] = names.BALLS) -> str:
    """The letter of a ball (pocket, cushion …). Raises NotationError naming the field."""
    if not isinstance(ball, str) or ball not in table:
        raise NotationError(f"{name}: expected one of {', '.join(table)}, got {ball!r}")
    return table[ball]


def place_text(place: object, name: str) -> str:
    if not isinstance(place, tuple | list) or len(place) != 2:
        raise NotationError(f"{name}: expected [x, y] in mm, got {place!r}")
    return ",".join(number_text(value, name) for value in place)


def write_places(places: Mapping[str, Point | None], name: str = "positions") -> str:
    """`W500,900/Y-`: a dash is a ball that is not on the table; balls that are not named are left out."""
    for ball in places:
        letter(ball, name)
    said = [
        names.BALLS[ball] + ("-" if places[ball] is None else place_text(places[ball], f"{name}.{ball}"))
        for ball in names.BALLS
        if ball in places
    ]
    return "/".join(said) or "-"


def scan_places(scanner: Scanner) -> dict[str, Point | None]:
    if scanner.take("-"):
        return {}
    places: dict[str, Point | None] = {}
    while True:
        at = scanner.at
        ball = scanner.one_of(_BALLS, "a ball")
        if ball in places:
            raise scanner.error("a ball that has no place yet", at)
        on_table = scanner.rest[:1] != "-" or scanner.rest[1:2] in tuple("0123456789.")
        if on_table:
            places[ball] = scan_place(scanner)
        else:
            scanner.need("-")
            places[ball] = None
        if not scanner.take("/"):
            return places


def scan_place(scanner: Scanner) -> Point:
    x = scanner.number("x in mm, or - for a ball that is not on the table")
    scanner.need(",", "«,» and y")
    return x, scanner.number("y in mm")


def write_state(state: State) -> str:
    """`PLACES CUE PLACEMENT PLAYER SCORE:SCORE/TARGET OPENING WAITING`. Raises NotationError for a state that is not valid."""
    for name, value in (("player", state.player), ("scores[0]", state.scores[0]), ("scores[1]", state.scores[1]), ("target", state.target)):
        if (value is not None or name != "target") and (isinstance(value, bool) or not isinstance(value, int)):
            raise NotationError(f"{name}: expected a whole number, got {value!r}")
    if state.player not in (0, 1):
        raise NotationError(f"player: expected 0 or 1, got {state.player!r}")
    fields = (
        write_places(state.positions),
        letter(state.cue_ball, "cue_ball", {"white": "W", "yellow": "Y"}),
        letter(state.placement, "placement", names.PLACEMENTS),
        str(state.player),
        f"{state.scores[0]}:{state.scores[1]}/{'-' if state.target is None else state.target}",
        "o" if state.opening else "-",
        "".join(letter(ball, "waiting") for ball in state.waiting) or "-",
    )
    return " ".join(fields)


def read_state(text: str) -> State:
    """The state of a line that holds nothing else. Raises NotationError naming the column."""
    scanner = Scanner(text)
    state = scan_state(scanner)
    scanner.end()
    return state


def scan_state(scanner: Scanner) -> State:
    positions = scan_places(scanner)
    scanner.space()
    cue_ball = scanner.one_of(_CUES, "the cue ball")
    scanner.space()
    placement = scanner.one_of(_PLACEMENTS, "the placement")
    scanner.space()
    player = scanner.one_of({"0": 0, "1": 1}, "the player")
    scanner.space()
    first = scanner.whole("the score of player 0")
    scanner.need(":")
    second = scanner.whole("the score of player 1")
    scanner.need("/", "«/» and the target")
    target = None if scanner.take("-") else scanner.whole("the target, or -")
    scanner.space()
    opening = scanner.one_of({"o": True, "-": False}, "o for the opening stroke, or -")
    scanner.space()
    return State(player, (first, second), target, opening, cue_ball, placement, positions, _waiting(scanner))


def _waiting(scanner: Scanner) -> tuple[str, ...]:
    if scanner.take("-"):
        return ()
    waiting = [scanner.one_of(_BALLS, "the balls that wait, or -")]
    while scanner.rest[:1] in _BALLS and not scanner.done:
        waiting.append(scanner.one_of(_BALLS, "a ball"))
    return tuple(waiting)
