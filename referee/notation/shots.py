"""A stroke on one line: its events in order, then `=` and the places after it."""

from __future__ import annotations

from referee.notation import names
from referee.notation.scanner import NotationError, Scanner, number_text
from referee.notation.states import letter, place_text, scan_place, scan_places, write_places
from vision.shot import EVENT_TYPES, Event, Shot

_BALLS = names.back(names.BALLS)
_POCKETS = names.back(names.POCKETS)
_CUSHIONS = names.back(names.CUSHIONS)
# Signs of the types that have nothing but a ball, and of those that have more.
_PLAIN = {"strike": "!", "double_hit": "!!", "push": "!+", "press": "!_", "midline": "%", "off_table": "~", "touch": "*"}
_SIGNS = {**_PLAIN, "contact": "x", "cushion": "|", "jaw": "'", "stop": ".", "pocket": ">", "jump": "^"}
_TYPES = names.back(_SIGNS)
# Fields of the evidence: letter, name.
_EVIDENCE = {"f": "frame", "v": "video_t", "s": "sigma_ms", "c": "confidence"}
# Fields that each type may have besides its time and evidence.
_FIELDS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(_PLAIN, ("ball",)),
    "contact": ("balls",),
    "cushion": ("ball", "cushion"),
    "jaw": ("ball", "pocket", "cushion"),
    "stop": ("ball", "jaws", "at"),
    "pocket": ("ball", "pocket"),
    "jump": ("ball", "over", "over_jaw"),
}


def write_shot(shot: Shot) -> str:
    """The stroke on one line. Raises NotationError for an event that is not of the contract's table."""
    events = [_event_text(event, f"events[{i}]") for i, event in enumerate(shot.events)]
    return " ".join([*events, "=", write_places(shot.positions)])


def _event_text(event: Event, name: str) -> str:
    if event.type not in EVENT_TYPES:
        raise NotationError(f"{name}.type: expected one of {', '.join(EVENT_TYPES)}, got {event.type!r}")
    allowed = _FIELDS[event.type]
    for field in ("ball", "balls", "cushion", "pocket", "jaws", "at", "over", "over_jaw"):
        if getattr(event, field) is not None and field not in allowed:
            raise NotationError(f"{name}.{field}: a {event.type} event has no such field")
    time = number_text(event.t, f"{name}.t")
    return f"{time}:{_what(event, name)}{_evidence(event, name)}"


def _what(event: Event, name: str) -> str:
    sign = _SIGNS[event.type]
    if event.type == "contact":
        if not isinstance(event.balls, tuple | list) or len(event.balls) != 2:
            raise NotationError(f"{name}.balls: expected two balls, got {event.balls!r}")
        return sign.join(letter(ball, f"{name}.balls") for ball in event.balls)
    start = letter(event.ball, f"{name}.ball") + sign
    if event.type == "cushion":
        return start + letter(event.cushion, f"{name}.cushion", names.CUSHIONS)
    if event.type == "jaw":
        return start + letter(event.pocket, f"{name}.pocket", names.POCKETS) + letter(event.cushion, f"{name}.cushion", names.CUSHIONS)
    if event.type == "pocket":
        return start + letter(event.pocket, f"{name}.pocket", names.POCKETS)
    if event.type == "stop":
        jaws = "" if event.jaws is None else letter(event.jaws, f"{name}.jaws", names.POCKETS)
        return start + jaws + ("" if event.at is None else "@" + place_text(event.at, f"{name}.at"))
    if event.type == "jump":
        if (event.over is None) == (event.over_jaw is None):
            raise NotationError(f"{name}: expected over or over_jaw, one of the two")
        over = letter(event.over, f"{name}.over") if event.over is not None else letter(event.over_jaw, f"{name}.over_jaw", names.POCKETS)
        return start + over
    return start


def _evidence(event: Event, name: str) -> str:
    said = []
    for sign, field in _EVIDENCE.items():
        value = getattr(event, field)
        if value is None:
            continue
        if field == "frame" and (isinstance(value, bool) or not isinstance(value, int)):
            raise NotationError(f"{name}.frame: expected a whole number, got {value!r}")
        said.append(sign + (str(value) if field == "frame" else number_text(value, f"{name}.{field}")))
    return "{" + ",".join(said) + "}" if said else ""


def read_shot(text: str) -> Shot:
    """The stroke of a line that holds nothing else. Raises NotationError naming the column."""
    scanner = Scanner(text)
    shot = scan_shot(scanner)
    scanner.end()
    return shot


def scan_shot(scanner: Scanner) -> Shot:
    events: list[Event] = []
    while not scanner.take("= "):
        events.append(_event(scanner))
        scanner.space()
    return Shot(tuple(events), scan_places(scanner))


def _event(scanner: Scanner) -> Event:
    t = scanner.number("an event (its time in seconds), or «= » and the places after the stroke")
    scanner.need(":", "«:» and what happened")
    ball = scanner.one_of(_BALLS, "a ball")
    kind = scanner.one_of(_TYPES, "what happened")
    fields = _fields(scanner, kind, ball)
    return Event(t=t, type=kind, **fields, **_scan_evidence(scanner))


def _fields(scanner: Scanner, kind: str, ball: str) -> dict:
    if kind == "contact":
        return {"balls": (ball, scanner.one_of(_BALLS, "the ball that is met"))}
    if kind == "cushion":
        return {"ball": ball, "cushion": scanner.one_of(_CUSHIONS, "a cushion")}
    if kind == "jaw":
        pocket = scanner.one_of(_POCKETS, "a pocket")
        return {"ball": ball, "pocket": pocket, "cushion": scanner.one_of(_CUSHIONS, "the cushion that the jaw ends")}
    if kind == "pocket":
        return {"ball": ball, "pocket": scanner.one_of(_POCKETS, "a pocket")}
    if kind == "stop":
        jaws = scanner.one_of(_POCKETS, "a pocket") if scanner.rest[:1].isalpha() else None
        return {"ball": ball, "jaws": jaws, "at": scan_place(scanner) if scanner.take("@") else None}
    if kind == "jump":
        over = scanner.one_of({**_BALLS, **_POCKETS}, "a ball or a pocket")
        return {"ball": ball, "over" if over in names.BALLS else "over_jaw": over}
    return {"ball": ball}


def _scan_evidence(scanner: Scanner) -> dict:
    found: dict[str, float] = {}
    if not scanner.take("{"):
        return found
    while True:
        at = scanner.at
        field = scanner.one_of(_EVIDENCE, "evidence")
        if field in found:
            raise scanner.error("evidence that was not said yet", at)
        found[field] = scanner.whole("the number of a frame") if field == "frame" else scanner.number(f"{field} as a number")
        if scanner.take("}"):
            return found
        scanner.need(",", "«,» or «}»")
