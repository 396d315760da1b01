"""A match as a text file: tags, then for each stroke its state, call, stroke and what was ruled, a line each.

[Table "pyramid-12ft"]
[Player0 "…"]

1 state W500,900/Y2662.5,887.5/R887.5,887.5/B1775,887.5 W lies 0 0:0/30 - -
1 said "жёлтый в левый дальний угол"
1 call Y>FL
1 shot 0:W! 0.61:WxY 1.02:Y>FL 3.9:W. = W2400,1000/Y-/R887.5,887.5/B1775,887.5
1 ruled scored 3:0 8.2:Y:3 - stays
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from referee.calls import Call, CallError, from_json, parse
from referee.codec import Case
from referee.match import Match, Ruled
from referee.notation import names
from referee.notation.calls import read_call, write_call
from referee.notation.cases import DEFAULT_TABLE, read_table
from referee.notation.scanner import NotationError, Scanner
from referee.notation.shots import read_shot, write_shot
from referee.notation.states import letter, read_state, write_state
from referee.ruling import Ruling
from referee.state import State
from vision.shot import Shot

_BALLS = names.back(names.BALLS)
_RULE = re.compile(r"[0-9]+(?:\.[0-9]+)?")
_TAG = re.compile(r'\[([A-Za-z][A-Za-z0-9_]*) (".*")\]\s*$')
_TAGS = ("Table", "Player0", "Player1", "Target", "Date")
_LINE = re.compile(r"([0-9]+) (state|said|call|shot|ruled) ")
_OUTCOMES = {"scored": "scored", "no_score": "no_score", "foul": "foul"}
_TURNS = {"stays": "stays", "passes": "passes"}


@dataclass(frozen=True, slots=True)
class ScoredItem:
    rule: str
    ball: str | None
    points: int


@dataclass(frozen=True, slots=True)
class ListedFoul:
    rule: str
    balls: tuple[str, ...]
    event: int | None


@dataclass(frozen=True, slots=True)
class Summary:
    """A ruling without its reasons: those follow from the rules whenever the stroke is ruled again."""

    outcome: str
    points: int
    opponent_points: int
    items: tuple[ScoredItem, ...]
    fouls: tuple[ListedFoul, ...]
    turn: str
    void_call: str | None = None
    game_over: bool = False
    winner: int | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """One stroke of a match; `said` is the call in the player's words, `ruling` None where nobody ruled."""

    state: State
    call: Call | None
    shot: Shot
    said: str | None = None
    ruling: Summary | None = None


@dataclass(frozen=True, slots=True)
class MatchText:
    """Tags (`Table`, `Player0`, `Player1`, `Target`, `Date` and any others) and the strokes in order."""

    tags: tuple[tuple[str, str], ...] = ()
    turns: tuple[Turn, ...] = ()

    def tag(self, name: str) -> str | None:
        return dict(self.tags).get(name)


def summary(ruling: Ruling) -> Summary:
    """The summary of a ruling."""
    return Summary(
        ruling.outcome, ruling.points, ruling.opponent_points,
        tuple(ScoredItem(str(item.rule), item.ball, item.points) for item in ruling.items),
        tuple(ListedFoul(str(foul.rule), foul.balls, foul.event) for foul in ruling.fouls),
        ruling.turn, ruling.void_call, ruling.game_over, ruling.winner,
    )  # fmt: skip


def cases(match: MatchText) -> tuple[Case, ...]:
    """The strokes as cases, on the table of the tag `Table` (`pyramid-12ft` without it). Raises NotationError for an unknown table."""
    kind = read_table(match.tag("Table") or DEFAULT_TABLE)
    return tuple(Case(kind, turn.state, turn.call, turn.shot) for turn in match.turns)


def from_match(match: Match, tags: Mapping[str, str] | None = None) -> MatchText:
    """A refereed match in notation; `tags` are added to the players and the target. Of a call not understood only the words stand."""
    target = {} if match.state.target is None else {"Target": str(match.state.target)}
    known = {"Player0": match.players[0], "Player1": match.players[1], **target, **(tags or {})}
    return MatchText(tuple(known.items()), tuple(_turn_of(ruled) for ruled in match.strokes))


def _turn_of(ruled: Ruled) -> Turn:
    said = ruled.call if isinstance(ruled.call, str) else None
    return Turn(ruled.before, meaning(ruled), ruled.shot, said, None if ruled.ruling is None else summary(ruled.ruling))


def meaning(ruled: Ruled) -> Call | None:
    """The call of a stroke as it was ruled: one that is not understood was ruled as none."""
    if not isinstance(ruled.call, str):
        return None if ruled.call is None else from_json(ruled.call)
    try:
        return parse(ruled.call, ruled.before.cue_ball)
    except CallError:
        return None


# --- rulings --------------------------------------------------------------------------------------------------------
def write_ruling(ruling: Summary) -> str:
    """`OUTCOME POINTS:POINTS ITEMS FOULS TURN`, then `over` (and `won:PLAYER`) and `void "why"` where so."""
    items = [f"{_rule(i.rule)}:{'-' if i.ball is None else letter(i.ball, 'items.ball')}:{i.points}" for i in ruling.items]
    fouls = [
        f"{_rule(f.rule)}:{''.join(letter(ball, 'fouls.balls') for ball in f.balls)}{'' if f.event is None else f'@{f.event}'}"
        for f in ruling.fouls
    ]
    for name, value, known in (("outcome", ruling.outcome, _OUTCOMES), ("turn", ruling.turn, _TURNS)):
        if value not in known:
            raise NotationError(f"{name}: expected one of {', '.join(known)}, got {value!r}")
    parts = [ruling.outcome, f"{ruling.points}:{ruling.opponent_points}", ",".join(items) or "-", ",".join(fouls) or "-", ruling.turn]
    if ruling.game_over:
        parts.append("over")
    if ruling.winner is not None:
        parts.append(f"won:{ruling.winner}")
    if ruling.void_call is not None:
        parts.append(f"void {_quoted(ruling.void_call)}")
    return " ".join(parts)


def _rule(rule: object) -> str:
    if not isinstance(rule, str) or not _RULE.fullmatch(rule):
        raise NotationError(f"rule: expected a number of a rule like 8.2, got {rule!r}")
    return rule


def read_ruling(text: str) -> Summary:
    """The ruling of a line that holds nothing else. Raises NotationError naming the column."""
    scanner = Scanner(text)
    outcome = scanner.one_of(_OUTCOMES, "the outcome")
    scanner.space()
    points = scanner.whole("the points")
    scanner.need(":", "«:» and the opponent's points")
    opponent = scanner.whole("the opponent's points")
    scanner.space()
    items = _list(scanner, _item)
    scanner.space()
    fouls = _list(scanner, _foul)
    scanner.space()
    turn = scanner.one_of(_TURNS, "whose turn it is")
    over = scanner.take(" over")
    winner = scanner.whole("the winner") if scanner.take(" won:") else None
    void = _scan_quoted(scanner) if scanner.take(" void ") else None
    scanner.end()
    return Summary(outcome, points, opponent, items, fouls, turn, void, over, winner)


def _list(scanner: Scanner, read: Callable[[Scanner], Any]) -> tuple:
    if scanner.take("-"):
        return ()
    found = [read(scanner)]
    while scanner.take(","):
        found.append(read(scanner))
    return tuple(found)


def _scan_rule(scanner: Scanner) -> str:
    match = _RULE.match(scanner.text, scanner.at)
    if match is None:
        raise scanner.error("the number of a rule, or -")
    scanner.at = match.end()
    scanner.need(":")
    return match.group()


def _item(scanner: Scanner) -> ScoredItem:
    rule = _scan_rule(scanner)
    ball = None if scanner.take("-") else scanner.one_of(_BALLS, "a ball")
    scanner.need(":", "«:» and points")
    return ScoredItem(rule, ball, scanner.whole("points"))


def _foul(scanner: Scanner) -> ListedFoul:
    rule = _scan_rule(scanner)
    balls: list[str] = []
    while not scanner.done and scanner.rest[0] in _BALLS:
        balls.append(scanner.one_of(_BALLS, "a ball"))
    return ListedFoul(rule, tuple(balls), scanner.whole("the index of an event") if scanner.take("@") else None)


# --- matches --------------------------------------------------------------------------------------------------------
def _quoted(text: str) -> str:
    """A text in quotes on one line, with the escapes of JSON."""
    return json.dumps(text, ensure_ascii=False).replace("\u2028", "\\u2028").replace("\u2029", "\\u2029").replace("\x85", "\\u0085")


def _scan_quoted(scanner: Scanner) -> str:
    try:
        value, end = json.JSONDecoder().raw_decode(scanner.text, scanner.at)
    except ValueError:
        value, end = None, scanner.at
    if not isinstance(value, str):
        raise scanner.error("a text in quotes")
    scanner.at = end
    return value


def write_match(match: MatchText) -> str:
    """The file's text, ending in a line break. Raises NotationError for what is not valid, naming tag or stroke."""
    lines = []
    for name, value in match.tags:
        line = f"[{name} {_quoted(value)}]"
        if not _TAG.match(line):
            raise NotationError(f"tag {name!r}: expected a name of letters, digits and _")
        lines.append(line)
    for number, turn in enumerate(match.turns, 1):
        lines.append("")
        try:
            lines += [f"{number} {key} {text}" for key, text in _turn_lines(turn)]
        except NotationError as error:
            raise NotationError(f"stroke {number}: {error}") from None
    return "\n".join(lines).lstrip("\n") + "\n"


def _turn_lines(turn: Turn) -> list[tuple[str, str]]:
    lines = [("state", write_state(turn.state))]
    if turn.said is not None:
        lines.append(("said", _quoted(turn.said)))
    lines += [("call", write_call(turn.call)), ("shot", write_shot(turn.shot))]
    if turn.ruling is not None:
        lines.append(("ruled", write_ruling(turn.ruling)))
    return lines


def _said(text: str) -> str:
    scanner = Scanner(text)
    value = _scan_quoted(scanner)
    scanner.end()
    return value


_READERS: Mapping[str, Callable[[str], Any]] = {
    "state": read_state,
    "said": _said,
    "call": read_call,
    "shot": read_shot,
    "ruled": read_ruling,
}


def read_match(text: str) -> MatchText:
    """The match of a file's text; blank lines and lines that begin with `#` do not count. Raises NotationError naming line and column."""
    tags: list[tuple[str, str]] = []
    strokes: list[dict[str, Any]] = []
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith("["):
            tag = _read_tag(line, number, bool(strokes))
            if tag[0] in _TAGS and any(tag[0] == name for name, _ in tags):
                raise NotationError(f"expected the tag {tag[0]} once", 1, number)
            tags.append(tag)
            continue
        _read_line(line, number, strokes)
    return MatchText(tuple(tags), tuple(_turn(found, i, len(lines)) for i, found in enumerate(strokes, 1)))


def _read_tag(line: str, number: int, late: bool) -> tuple[str, str]:
    match = _TAG.match(line)
    if late or match is None:
        raise NotationError("expected tags before the strokes" if late else 'expected [Name "value"]', 1, number)
    try:
        value = json.loads(match.group(2))
    except ValueError:
        raise NotationError("expected a text in quotes", match.start(2) + 1, number) from None
    return match.group(1), value


def _read_line(line: str, number: int, strokes: list[dict[str, Any]]) -> None:
    match = _LINE.match(line)
    if match is None:
        raise NotationError(f"expected a tag, or a stroke's number and one of {', '.join(_READERS)}", 1, number)
    stroke, key = int(match.group(1)) if len(match.group(1)) < 10 else -1, match.group(2)
    if key == "state":
        strokes.append({})
    if stroke != len(strokes):
        raise NotationError(f"expected stroke {len(strokes)}" + ("" if strokes else ": it begins with its state"), 1, number)
    if key in strokes[-1]:
        raise NotationError(f"expected one {key} for each stroke", 1, number)
    try:
        strokes[-1][key] = _READERS[key](line[match.end() :].rstrip("\r"))
    except NotationError as error:
        column = None if error.column is None else error.column + match.end()
        raise NotationError(error.message, column, number) from None


def _turn(found: dict[str, Any], stroke: int, last_line: int) -> Turn:
    if "shot" not in found:
        raise NotationError(f"expected the shot of stroke {stroke}", None, last_line)
    call = found["call"] if "call" in found else _understood(found, stroke, last_line)
    return Turn(found["state"], call, found["shot"], found.get("said"), found.get("ruled"))


def _understood(found: dict[str, Any], stroke: int, last_line: int) -> Call | None:
    """What was said, where no call says what it means."""
    if "said" not in found:
        return None
    try:
        return parse(found["said"], found["state"].cue_ball)
    except CallError as error:
        raise NotationError(f"stroke {stroke}: said: {error}", None, last_line) from None
