"""One match as flat, frozen rows: the same values are the rows of the database, of the CSV and of the Parquet files.

`match` is a match's key in every table. Places in mm in the frame of the contracts, times in seconds of the video unless
said otherwise, speeds in m/s, angles in degrees. Lists are texts joined with commas. None: not known or not there.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class MatchRow:
    """`match`: 16 hex digits of the hash of match.json. `source` names the recording. `date`: ISO text."""

    match: str
    source: str
    folder: str
    date: str | None
    file: str
    frames: int
    duration_s: float | None
    table_kind: str
    length_mm: float
    width_mm: float
    ball_mm: float
    reprojection_mm: float | None
    player_a: str
    player_b: str
    named: bool  # False: nobody told the players' names, A and B stand for them
    target: int | None
    score_a: int
    score_b: int
    winner: int | None
    tracks: bool  # whether there was a tracks.csv, which speeds come from
    notes: str
    version: str


@dataclass(frozen=True, slots=True)
class GameRow:
    """A game of a match, by the strokes that belong to it (numbers as in match.json)."""

    match: str
    game: int
    first_stroke: int
    last_stroke: int
    target: int | None
    score_a: int
    score_b: int
    over: bool
    winner: int | None


@dataclass(frozen=True, slots=True)
class StrokeRow:
    """A stroke as it was seen and called.

    `game` is None for a stroke after the game. `kind` is the kind of the call (`referee.season.called.KINDS`), `aim_ball`
    the ball that the call needs the cue ball to meet first, `aim_pocket` the called pocket where one is named, `distance_mm` from the cue
    ball to `aim_ball` or, where that is not known, to the ball met first; `cut_deg` of a straight called pot of an object ball
    with a named pocket. `first_ball`: met first. `speed_m_s`: mean speed of the cue ball in the first 0.1 s. `pause_s`: from
    rest after the last stroke to this strike.
    """

    match: str
    stroke: int
    game: int | None
    player: int | None
    cue_ball: str | None
    start_s: float
    end_s: float
    start_frame: int
    end_frame: int
    placement: str | None
    call: str | None
    kind: str
    pocket_class: str | None
    cushions: int | None
    aim_ball: str | None
    aim_pocket: str | None
    distance_mm: float | None
    cut_deg: float | None
    first_ball: str | None
    speed_m_s: float | None
    pause_s: float | None


@dataclass(frozen=True, slots=True)
class PlaceRow:
    """Where a ball lay `before` or `after` a stroke; no place: not on the table."""

    match: str
    stroke: int
    moment: str
    ball: str
    x_mm: float | None
    y_mm: float | None


@dataclass(frozen=True, slots=True)
class EventRow:
    """An event of a stroke, `event` counting from 0 as rulings do; `t` in seconds after the strike."""

    match: str
    stroke: int
    event: int
    t: float
    type: str
    ball: str | None
    ball_2: str | None
    cushion: str | None
    pocket: str | None
    jaws: str | None
    over: str | None
    over_jaw: str | None
    x_mm: float | None
    y_mm: float | None
    frame: int | None
    video_t: float | None
    sigma_ms: float | None
    confidence: float | None


@dataclass(frozen=True, slots=True)
class RulingRow:
    """The ruling of a stroke; the scores are those after it."""

    match: str
    stroke: int
    outcome: str
    points: int
    opponent_points: int
    turn: str
    void_reason: str | None
    score_a: int
    score_b: int
    next_cue_ball: str
    next_placement: str
    game_over: bool
    winner: int | None
    decisions: str
    explanation_ru: str
    explanation_en: str


@dataclass(frozen=True, slots=True)
class ItemRow:
    """One scoring rule applied in a stroke."""

    match: str
    stroke: int
    item: int
    rule: str
    ball: str | None
    points: int
    events: str
    decisions: str


@dataclass(frozen=True, slots=True)
class FoulRow:
    """One foul of a stroke."""

    match: str
    stroke: int
    foul: int
    rule: str
    balls: str
    event: int | None
    decisions: str


@dataclass(frozen=True, slots=True)
class ReviewRow:
    """A doubt that a person has not settled; of the whole stroke without `event`."""

    match: str
    stroke: int
    review: int
    event: int | None
    reason: str


Row = MatchRow | GameRow | StrokeRow | PlaceRow | EventRow | RulingRow | ItemRow | FoulRow | ReviewRow


@dataclass(frozen=True, slots=True)
class MatchFacts:
    """All rows of one match."""

    match: MatchRow
    games: tuple[GameRow, ...] = ()
    strokes: tuple[StrokeRow, ...] = ()
    places: tuple[PlaceRow, ...] = ()
    events: tuple[EventRow, ...] = ()
    rulings: tuple[RulingRow, ...] = ()
    items: tuple[ItemRow, ...] = ()
    fouls: tuple[FoulRow, ...] = ()
    reviews: tuple[ReviewRow, ...] = ()

    @property
    def players(self) -> tuple[str, str]:
        return self.match.player_a, self.match.player_b


# the tables in the order in which rows need each other, and the fields of MatchFacts that hold their rows
TABLES: dict[str, type] = {
    "matches": MatchRow,
    "games": GameRow,
    "strokes": StrokeRow,
    "places": PlaceRow,
    "events": EventRow,
    "rulings": RulingRow,
    "items": ItemRow,
    "fouls": FoulRow,
    "reviews": ReviewRow,
}


def rows_of(facts: MatchFacts, table: str) -> tuple[Row, ...]:
    """The rows of one of `TABLES`."""
    return (facts.match,) if table == "matches" else getattr(facts, table)
