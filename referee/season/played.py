"""The strokes of a season, each with all that is known of it, and the visits that they make. Pure functions of rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from calibration.table import Point
from referee.season.rows import EventRow, FoulRow, ItemRow, MatchFacts, MatchRow, RulingRow, StrokeRow

NOBODY = ""  # stands for all players whose names nobody told


@dataclass(frozen=True, slots=True)
class Played:
    """A stroke; `who` is the name of the player who played it, `other` the opponent's, None where the stroke is not ruled."""

    match: MatchRow
    stroke: StrokeRow
    who: str | None
    other: str | None
    ruling: RulingRow | None
    items: tuple[ItemRow, ...]
    fouls: tuple[FoulRow, ...]
    events: tuple[EventRow, ...]
    doubts: int
    before: Mapping[str, Point | None]
    after: Mapping[str, Point | None]

    @property
    def settled(self) -> bool:
        """Ruled, with nothing left to check: what statistics are made of."""
        return self.ruling is not None and not self.doubts

    @property
    def scored(self) -> bool:
        return self.ruling is not None and self.ruling.outcome == "scored"

    def scaled(self, place: Point) -> Point:
        """A place as shares of the table's length and width, so that tables of two sizes fit in one picture."""
        return place[0] / self.match.length_mm, place[1] / self.match.width_mm


@dataclass(frozen=True, slots=True)
class Visit:
    """Consecutive strokes of one player; `whole`: all settled, and the video shows its end."""

    who: str
    strokes: tuple[Played, ...]
    whole: bool

    @property
    def points(self) -> int:
        return sum(p.ruling.points for p in self.strokes if p.ruling)


@dataclass(frozen=True, slots=True)
class Series:
    """Settled scoring strokes in a row within a visit."""

    who: str
    match: str
    first_stroke: int
    strokes: int
    points: int


def same_name(name: str) -> str:
    """What two spellings of one name have in common."""
    return " ".join(name.split()).casefold().replace("ё", "е")


def names(season: Sequence[MatchFacts]) -> dict[tuple[str, int], str]:
    """(match, 0 | 1) -> the player's name, one spelling each. Players without names are NOBODY unless there is one match only."""
    spelling: dict[str, str] = {}
    found = {}
    for facts in season:
        for index, name in enumerate(facts.players):
            known = facts.match.named or len(season) == 1
            found[facts.match.match, index] = spelling.setdefault(same_name(name), name) if known else NOBODY
    return found


def played(facts: MatchFacts, name: Mapping[tuple[str, int], str]) -> tuple[Played, ...]:
    """The strokes of a match in order."""
    key = facts.match.match
    rulings = {r.stroke: r for r in facts.rulings}
    items, fouls, events = _by_stroke(facts.items), _by_stroke(facts.fouls), _by_stroke(facts.events)
    doubts = _by_stroke(facts.reviews)
    lay: dict[tuple[int, str], dict[str, Point | None]] = {}
    for p in facts.places:
        lay.setdefault((p.stroke, p.moment), {})[p.ball] = None if p.x_mm is None or p.y_mm is None else (p.x_mm, p.y_mm)
    found = []
    for s in facts.strokes:
        known = s.player is not None and s.stroke in rulings
        who, other = (name[key, s.player], name[key, 1 - s.player]) if known and s.player is not None else (None, None)
        found.append(
            Played(
                facts.match,
                s,
                who,
                other,
                rulings.get(s.stroke),
                items.get(s.stroke, ()),
                fouls.get(s.stroke, ()),
                events.get(s.stroke, ()),
                len(doubts.get(s.stroke, ())),
                lay.get((s.stroke, "before"), {}),
                lay.get((s.stroke, "after"), {}),
            )
        )
    return tuple(found)


def _by_stroke(rows: Iterable) -> dict[int, tuple]:
    found: dict[int, list] = {}
    for row in rows:
        found.setdefault(row.stroke, []).append(row)
    return {stroke: tuple(of) for stroke, of in found.items()}


def visits(strokes: Sequence[Played]) -> tuple[Visit, ...]:
    """The visits of one match. A stroke without a ruling belongs to none and leaves the one before it open."""
    found = []
    for (game, player), group in groupby(strokes, key=lambda p: (p.stroke.game, p.stroke.player if p.ruling else None)):
        run = tuple(group)
        last = run[-1].ruling
        if game is None or player is None or last is None or run[0].who is None:
            continue
        ended = last.turn == "passes" or last.game_over
        found.append(Visit(run[0].who, run, ended and all(p.settled for p in run)))
    return tuple(found)


def series(visit: Visit) -> tuple[Series, ...]:
    """The runs of settled scoring strokes in a visit; a stroke that is to be checked ends a run."""
    found = []
    for scoring, group in groupby(visit.strokes, key=lambda p: p.settled and p.scored):
        run = tuple(group)
        if scoring:
            points = sum(p.ruling.points for p in run if p.ruling)
            found.append(Series(visit.who, run[0].match.match, run[0].stroke.stroke, len(run), points))
    return tuple(found)
