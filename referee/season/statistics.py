"""The statistics of a season: pure functions of its rows, giving frozen values.

Only settled strokes count: ruled, and nothing left to check. Those in review are counted apart, never mixed in.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from calibration.table import POCKETS, Point
from referee.season.called import CALLED, KINDS, STRAIGHT
from referee.season.numbers import Rate, Spread, spread
from referee.season.played import Played, Series, Visit, names, played, series, visits
from referee.season.rows import MatchFacts, MatchRow

DISTANCES = (0.0, 500.0, 1000.0, 1500.0, 2000.0, 2500.0, float("inf"))  # mm between cue ball and object ball
CUTS = (0.0, 15.0, 30.0, 45.0, 60.0, 180.1)  # degrees
POT_RULES = ("8.1", "8.2", "8.3", "10")


@dataclass(frozen=True, slots=True)
class Points:
    """Points that one rule gave: `each` at a time, `count` times."""

    rule: str
    each: int
    count: int

    @property
    def total(self) -> int:
        return self.each * self.count


@dataclass(frozen=True, slots=True)
class Success:
    """Success of one kind of called stroke, and of its parts by pocket (corner, middle, any) or by cushions (1, 2, 3)."""

    kind: str
    rate: Rate
    parts: tuple[tuple[str | int, Rate], ...] = ()


@dataclass(frozen=True, slots=True)
class Bin:
    """Success of called straight pots between two limits (mm or degrees)."""

    low: float
    high: float
    rate: Rate


@dataclass(frozen=True, slots=True)
class Contact:
    """Where the ball that was met first lay, as shares of the table's length and width."""

    ball: str
    at: Point
    scored: bool


@dataclass(frozen=True, slots=True)
class Player:
    """One player's season. Where nothing else is said, of settled strokes."""

    name: str
    matches: int
    won: Rate  # of the matches that were played to the end
    strokes: int
    in_review: int
    points: int
    points_in_review: int
    by_opponents_fouls: int
    points_by: tuple[Points, ...]
    called: Rate
    kinds: tuple[Success, ...]
    distances: tuple[Bin, ...]
    cuts: tuple[Bin, ...]
    visits: int
    visit_points: int
    open_visits: int
    best_visit: int | None
    longest: Series | None
    series_lengths: tuple[tuple[int, int], ...]
    foul_strokes: Rate
    fouls: tuple[tuple[str, int], ...]
    speed: Spread | None
    speeds: tuple[float, ...]
    pause: Spread | None
    rests: tuple[Point, ...]
    pots: tuple[tuple[str, int], ...]
    pocket_success: tuple[tuple[str, Rate], ...]
    contacts: tuple[Contact, ...]

    @property
    def average_visit(self) -> float | None:
        return self.visit_points / self.visits if self.visits else None


@dataclass(frozen=True, slots=True)
class Step:
    """The score after a stroke; `foul`: the player (0 | 1) who fouled in it."""

    stroke: int
    minute: float
    scores: tuple[int, int]
    foul: int | None
    rules: tuple[str, ...]
    in_review: bool


@dataclass(frozen=True, slots=True)
class MatchSummary:
    """A line of the table of matches."""

    match: MatchRow
    players: tuple[str, str]
    strokes: int
    unruled: int
    in_review: int
    fouls: tuple[int, int]
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Season:
    """All that the page shows; `players` by points."""

    matches: tuple[MatchSummary, ...]
    players: tuple[Player, ...]

    @property
    def strokes(self) -> int:
        return sum(m.strokes for m in self.matches)


def season(facts: Sequence[MatchFacts]) -> Season:
    """The statistics of these matches."""
    name = names(facts)
    strokes = {f.match.match: played(f, name) for f in facts}
    everyone = sorted({name[key] for key in name}, key=str.casefold)
    visited = [v for f in facts for v in visits(strokes[f.match.match])]
    every = [p for f in facts for p in strokes[f.match.match]]
    people = [
        player(who, facts, name, [p for p in every if who in (p.who, p.other)], [v for v in visited if v.who == who]) for who in everyone
    ]
    people.sort(key=lambda p: (p.name == "", -p.points, p.name.casefold()))
    return Season(tuple(summary(f, strokes[f.match.match], name) for f in facts), tuple(people))


def summary(facts: MatchFacts, strokes: Sequence[Played], name: Mapping[tuple[str, int], str]) -> MatchSummary:
    steps = []
    fouls = [0, 0]
    for p in strokes:
        if p.ruling is None:
            continue
        foul = p.stroke.player if p.ruling.outcome == "foul" else None
        if foul is not None and p.settled:
            fouls[foul] += 1
        rules = tuple(f.rule for f in p.fouls)
        steps.append(Step(p.stroke.stroke, p.stroke.start_s / 60, (p.ruling.score_a, p.ruling.score_b), foul, rules, p.doubts > 0))
    return MatchSummary(
        match=facts.match,
        players=(name[facts.match.match, 0] or facts.match.player_a, name[facts.match.match, 1] or facts.match.player_b),
        strokes=len(strokes),
        unruled=sum(p.ruling is None for p in strokes),
        in_review=sum(p.ruling is not None and p.doubts > 0 for p in strokes),
        fouls=(fouls[0], fouls[1]),
        steps=tuple(steps),
    )


def player(
    who: str, facts: Sequence[MatchFacts], name: Mapping[tuple[str, int], str], strokes: Sequence[Played], visited: Sequence[Visit]
) -> Player:
    """One player's statistics.

    Args:
        strokes: those that the player or an opponent of this player played.
        visited: the player's visits.
    """
    mine = [p for p in strokes if p.who == who]
    settled = [p for p in mine if p.settled]
    review = [p for p in mine if p.ruling is not None and p.doubts]
    against = [p for p in strokes if p.other == who and p.settled and p.ruling]
    sides = [(f.match, i) for f in facts for i in (0, 1) if name[f.match.match, i] == who]
    runs = [s for v in visited for s in series(v)]
    whole = [v for v in visited if v.whole]
    speeds = tuple(p.stroke.speed_m_s for p in settled if p.stroke.speed_m_s is not None)
    return Player(
        name=who,
        matches=len({m.match for m, _ in sides}),
        won=Rate(sum(m.winner == i for m, i in sides), sum(m.winner is not None for m, _ in sides)),
        strokes=len(settled),
        in_review=len(review),
        points=sum(p.ruling.points for p in settled if p.ruling),
        points_in_review=sum(p.ruling.points for p in review if p.ruling),
        by_opponents_fouls=sum(p.ruling.opponent_points for p in against if p.ruling),
        points_by=points_by_rule(settled),
        called=_rate(p for p in settled if p.stroke.kind in CALLED),
        kinds=success_by_kind(settled),
        distances=_bins(DISTANCES, [(p.stroke.distance_mm, p.scored) for p in settled if p.stroke.kind in STRAIGHT]),
        cuts=_bins(CUTS, [(p.stroke.cut_deg, p.scored) for p in settled]),
        visits=len(whole),
        visit_points=sum(v.points for v in whole),
        open_visits=len(visited) - len(whole),
        best_visit=max((v.points for v in whole), default=None),
        longest=max(runs, key=lambda s: (s.strokes, s.points), default=None),
        series_lengths=tuple(sorted(Counter(s.strokes for s in runs).items())),
        foul_strokes=Rate(sum(bool(p.fouls) for p in settled), len(settled)),
        fouls=tuple(sorted(Counter(f.rule for p in settled for f in p.fouls).items(), key=lambda item: _rule_order(item[0]))),
        speed=spread(speeds),
        speeds=speeds,
        pause=spread([p.stroke.pause_s for p in settled if p.stroke.pause_s is not None]),
        rests=_rests(settled),
        pots=_pots(settled),
        pocket_success=tuple((pocket, _rate(p for p in settled if p.stroke.aim_pocket == pocket)) for pocket in POCKETS),
        contacts=_contacts(settled),
    )


def points_by_rule(strokes: Iterable[Played]) -> tuple[Points, ...]:
    """Points by rule and by how many it gives at once (9.1 gives 3, 5 or 6)."""
    counted = Counter((i.rule, i.points) for p in strokes for i in p.items)
    return tuple(
        Points(rule, each, count) for (rule, each), count in sorted(counted.items(), key=lambda c: (_rule_order(c[0][0]), c[0][1]))
    )


def _rule_order(rule: str) -> tuple[int, ...]:
    return tuple(int(part) if part.isdecimal() else 0 for part in rule.split("."))


def success_by_kind(strokes: Sequence[Played]) -> tuple[Success, ...]:
    """Success of each kind of stroke that was played, in the order of KINDS."""
    found = []
    for kind in KINDS:
        of = [p for p in strokes if p.stroke.kind == kind]
        if of:
            found.append(Success(kind, _rate(of), _parts(kind, of)))
    return tuple(found)


def _parts(kind: str, of: Sequence[Played]) -> tuple[tuple[str | int, Rate], ...]:
    if kind in STRAIGHT:
        groups: list[str | int] = ["corner", "middle", "any"]
        parts = [(g, _rate(p for p in of if p.stroke.pocket_class == g)) for g in groups]
    elif kind in ("bank", "bank_black"):
        counts = sorted({p.stroke.cushions for p in of if p.stroke.cushions is not None})
        parts = [(g, _rate(p for p in of if p.stroke.cushions == g)) for g in counts]
    else:
        return ()
    return tuple((group, rate) for group, rate in parts if rate.of)


def _rate(strokes: Iterable[Played]) -> Rate:
    results = [p.scored for p in strokes]
    return Rate(sum(results), len(results))


def _bins(limits: Sequence[float], values: Sequence[tuple[float | None, bool]]) -> tuple[Bin, ...]:
    found = []
    for low, high in pairwise(limits):
        results = [made for value, made in values if value is not None and low <= value < high]
        found.append(Bin(low, high, Rate(sum(results), len(results))))
    return tuple(found)


def _rests(strokes: Iterable[Played]) -> tuple[Point, ...]:
    """Where the cue ball came to rest, as shares of the table's length and width."""
    return tuple(p.scaled(place) for p in strokes if (place := p.after.get(p.stroke.cue_ball or "")) is not None)


def _pots(strokes: Iterable[Played]) -> tuple[tuple[str, int], ...]:
    """Balls that counted, by the pocket that they fell into."""
    counted: Counter[str] = Counter()
    for p in strokes:
        fell = {e.ball: e.pocket for e in p.events if e.type == "pocket"}
        counted.update(pocket for i in p.items if i.rule in POT_RULES and (pocket := fell.get(i.ball)))
    return tuple((pocket, counted[pocket]) for pocket in POCKETS)


def _contacts(strokes: Iterable[Played]) -> tuple[Contact, ...]:
    found = []
    for p in strokes:
        ball = p.stroke.first_ball
        place = p.before.get(ball or "")
        if ball is not None and place is not None:
            found.append(Contact(ball, p.scaled(place), p.scored))
    return tuple(found)
