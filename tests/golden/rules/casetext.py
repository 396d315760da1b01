"""The short text of the case files: events, places and calls as one line each, which reads back to the same values.

    0 W strike; 0.51 W-Y; 0.97 Y falls foot-left; 1.39 W stops
    W 2960,1220 Y - R home B centre
    yellow > foot-left, cushions 1 & own > middle

Balls are W, Y, R, B; a place is `x,y` in mm, the name of a spot, or `-` for a ball that is not on the table.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from calibration.table import Table
from calibration.table import table as table_of_kind
from referee.calls.call import BankBlack, Call, Carom, Combination, Element, Pot
from referee.rules.terms import BALLS
from referee.state import Point
from vision.shot import Event, Places

LETTERS = {"W": "white", "Y": "yellow", "R": "red", "B": "black"}
_LETTER = {ball: letter for letter, ball in LETTERS.items()}
_PYRAMID_12FT = table_of_kind("pyramid-12ft")


class NotationError(ValueError):
    """A text that is not in the notation; the message names the piece."""


def number(value: float) -> str:
    """The shortest text that reads back to the same number."""
    return repr(int(value)) if float(value).is_integer() else repr(float(value))


def _point(place: Point) -> str:
    return f"{number(place[0])},{number(place[1])}"


# --- events -----------------------------------------------------------------------------------------------------------

_PLAIN = {
    "strike": "strike",
    "midline": "crosses",
    "off_table": "off",
    "touch": "touched",
    "double_hit": "double hit",
    "push": "push",
    "press": "press",
}
_PLAIN_TYPE = {word: kind for kind, word in _PLAIN.items()}


def event_text(event: Event) -> str:
    """One event, without its evidence from a video."""
    time = number(event.t)
    if event.type == "contact" and event.balls is not None:
        return f"{time} {_LETTER[event.balls[0]]}-{_LETTER[event.balls[1]]}"
    return f"{time} {_LETTER[event.ball or 'white']} {_deed(event)}"


def _deed(event: Event) -> str:
    if event.type in _PLAIN:
        return _PLAIN[event.type]
    if event.type == "cushion":
        return f"cushion {event.cushion}"
    if event.type == "jaw":
        return f"jaw {event.pocket} {event.cushion}"
    if event.type == "pocket":
        return f"falls {event.pocket}"
    if event.type == "jump":
        return f"over {_LETTER[event.over]}" if event.over else f"over jaw {event.over_jaw}"
    jaws = f" in {event.jaws}" if event.jaws else ""
    return f"stops{jaws}" + (f" at {_point(event.at)}" if event.at else "")


def events_text(events: tuple[Event, ...]) -> str:
    return "; ".join(event_text(e) for e in events)


_EVENT = re.compile(r"(?P<t>-?[\d.]+(?:e-?\d+)?)\s+(?:(?P<a>[WYRB])-(?P<b>[WYRB])|(?P<ball>[WYRB])\s+(?P<deed>.+))")
_STOP = re.compile(r"stops(?: in (?P<jaws>[a-z-]+))?(?: at (?P<x>-?[\d.]+),(?P<y>-?[\d.]+))?")


def read_events(text: str) -> tuple[Event, ...]:
    """Events from `event; event; …`. Raises NotationError."""
    return tuple(read_event(piece.strip()) for piece in text.split(";") if piece.strip())


def read_event(text: str) -> Event:
    found = _EVENT.fullmatch(text)
    if found is None:
        raise NotationError(f"event {text!r}: expected TIME BALL-BALL or TIME BALL WHAT")
    t = float(found["t"])
    if found["a"]:
        return Event(t, "contact", balls=(LETTERS[found["a"]], LETTERS[found["b"]]))
    ball, deed = LETTERS[found["ball"]], found["deed"]
    if deed in _PLAIN_TYPE:
        return Event(t, _PLAIN_TYPE[deed], ball)
    stop = _STOP.fullmatch(deed)
    if stop is not None:
        at = (float(stop["x"]), float(stop["y"])) if stop["x"] else None
        return Event(t, "stop", ball, jaws=stop["jaws"], at=at)
    makers: dict[str, Callable[..., Event]] = {
        "cushion": lambda name: Event(t, "cushion", ball, cushion=name),
        "falls": lambda name: Event(t, "pocket", ball, pocket=name),
        "jaw": lambda name, cushion: Event(t, "jaw", ball, pocket=name, cushion=cushion),
        "over": lambda *what: Event(t, "jump", ball, over_jaw=what[1]) if len(what) == 2 else Event(t, "jump", ball, over=LETTERS[what[0]]),
    }
    verb, *rest = deed.split()
    try:
        return makers[verb](*rest)
    except (KeyError, TypeError):
        raise NotationError(f"event {text!r}: {deed!r} is not understood") from None


# --- places -----------------------------------------------------------------------------------------------------------


def places_text(places: Places, table: Table = _PYRAMID_12FT) -> str:
    spots = {place: name for name, place in table.spots.items()}
    shown = {b: "-" if (p := places.get(b)) is None else spots.get((p[0], p[1])) or _point(p) for b in BALLS}
    return " ".join(f"{_LETTER[b]} {shown[b]}" for b in BALLS)


def read_places(text: str, table: Table = _PYRAMID_12FT) -> dict[str, Point | None]:
    """The balls that the text names, with their places. Raises NotationError."""
    words = text.split()
    if len(words) % 2:
        raise NotationError(f"places {text!r}: expected BALL PLACE pairs")
    found: dict[str, Point | None] = {}
    for letter, place in zip(words[::2], words[1::2], strict=True):
        if letter not in LETTERS:
            raise NotationError(f"places {text!r}: {letter!r} is not one of W, Y, R, B")
        found[LETTERS[letter]] = _read_place(place, table)
    return found


def _read_place(text: str, table: Table) -> Point | None:
    if text == "-":
        return None
    if text in table.spots:
        return table.spots[text]
    try:
        x, y = text.split(",")
        return (float(x), float(y))
    except ValueError:
        raise NotationError(f"place {text!r}: expected x,y, a spot or -") from None


# --- calls ------------------------------------------------------------------------------------------------------------


def call_text(call: Call | None) -> str:
    """`-` for no call, else its elements joined by `&`."""
    return "-" if call is None else " & ".join(_element(e) for e in call.elements)


def _element(element: Element) -> str:
    if isinstance(element, Carom):
        return f"carom {element.first} {element.second}"
    if isinstance(element, BankBlack):
        return f"bank {element.ball} {element.cushions}" + (f" contacts {element.contacts}" if element.contacts else "")
    text = f"{element.ball} > {element.pocket}"
    if element.cushions:
        text += f", cushions {element.cushions}"
    if element.combination is not None:
        text += ", " + " ".join((element.combination.how, *element.combination.balls))
    return text + (f", jump {element.jump}" if element.jump else "")


def read_call(text: str) -> Call | None:
    """A call in this notation (not in a player's words). Raises NotationError."""
    if text.strip() == "-":
        return None
    return Call(tuple(_read_element(piece.strip()) for piece in text.split("&")))


def _read_element(text: str) -> Element:
    words = text.split()
    try:
        if words[0] == "carom":
            return Carom(words[1], words[2])
        if words[0] == "bank":
            return BankBlack(words[1], int(words[2]), int(words[4]) if words[3:] else 0)
        head, *more = (piece.strip() for piece in text.split(","))
        ball, pocket = (word.strip() for word in head.split(">"))
        fields: dict[str, object] = {}
        for piece in more:
            what, *rest = piece.split()
            if what == "cushions":
                fields["cushions"] = int(rest[0])
            elif what == "jump":
                fields["jump"] = rest[0]
            else:
                fields["combination"] = Combination(what, tuple(rest))
        return Pot(ball, pocket, **fields)  # type: ignore[arg-type]
    except (IndexError, ValueError):
        raise NotationError(f"call {text!r} is not understood") from None
