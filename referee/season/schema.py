"""The season's database as SQLAlchemy models. Column names are those of `referee.season.rows`; every row names its match.

VERSION is raised with every change of a table; a database of another version is refused (`referee.season.store`).
"""

from __future__ import annotations

from typing import Any, ClassVar

from sqlalchemy import Float, ForeignKey, ForeignKeyConstraint, Index, String, Text
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

VERSION = 1

_KEY = String(16)
_WORD = String(32)


class Base(DeclarativeBase):
    type_annotation_map: ClassVar[dict[Any, Any]] = {float: Float(53)}


class Schema(Base):
    """One row: the version that the tables have."""

    __tablename__ = "poedinok_schema"
    only: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    version: Mapped[int]


class Match(Base):
    __tablename__ = "matches"
    match: Mapped[str] = mapped_column(_KEY, primary_key=True)
    source: Mapped[str] = mapped_column(Text, unique=True)
    folder: Mapped[str] = mapped_column(Text)
    date: Mapped[str | None] = mapped_column(String(10), index=True)
    file: Mapped[str] = mapped_column(Text)
    frames: Mapped[int]
    duration_s: Mapped[float | None]
    table_kind: Mapped[str] = mapped_column(Text)
    length_mm: Mapped[float]
    width_mm: Mapped[float]
    ball_mm: Mapped[float]
    reprojection_mm: Mapped[float | None]
    player_a: Mapped[str] = mapped_column(Text, index=True)
    player_b: Mapped[str] = mapped_column(Text, index=True)
    named: Mapped[bool]
    target: Mapped[int | None]
    score_a: Mapped[int]
    score_b: Mapped[int]
    winner: Mapped[int | None]
    tracks: Mapped[bool]
    notes: Mapped[str] = mapped_column(Text)
    version: Mapped[str] = mapped_column(Text)


def _of_match() -> Mapped[str]:
    return mapped_column(_KEY, ForeignKey("matches.match", ondelete="CASCADE"), primary_key=True)


def _of_stroke() -> ForeignKeyConstraint:
    return ForeignKeyConstraint(["match", "stroke"], ["strokes.match", "strokes.stroke"], ondelete="CASCADE")


def _number() -> Mapped[int]:
    return mapped_column(primary_key=True, autoincrement=False)


class Game(Base):
    __tablename__ = "games"
    match: Mapped[str] = _of_match()
    game: Mapped[int] = _number()
    first_stroke: Mapped[int]
    last_stroke: Mapped[int]
    target: Mapped[int | None]
    score_a: Mapped[int]
    score_b: Mapped[int]
    over: Mapped[bool]
    winner: Mapped[int | None]


class Stroke(Base):
    __tablename__ = "strokes"
    __table_args__ = (Index("strokes_kind", "kind"),)
    match: Mapped[str] = _of_match()
    stroke: Mapped[int] = _number()
    game: Mapped[int | None]
    player: Mapped[int | None]
    cue_ball: Mapped[str | None] = mapped_column(_WORD)
    start_s: Mapped[float]
    end_s: Mapped[float]
    start_frame: Mapped[int]
    end_frame: Mapped[int]
    placement: Mapped[str | None] = mapped_column(_WORD)
    call: Mapped[str | None] = mapped_column(Text)
    kind: Mapped[str] = mapped_column(_WORD)
    pocket_class: Mapped[str | None] = mapped_column(_WORD)
    cushions: Mapped[int | None]
    aim_ball: Mapped[str | None] = mapped_column(_WORD)
    aim_pocket: Mapped[str | None] = mapped_column(_WORD)
    distance_mm: Mapped[float | None]
    cut_deg: Mapped[float | None]
    first_ball: Mapped[str | None] = mapped_column(_WORD)
    speed_m_s: Mapped[float | None]
    pause_s: Mapped[float | None]


class Place(Base):
    __tablename__ = "places"
    __table_args__ = (_of_stroke(),)
    match: Mapped[str] = mapped_column(_KEY, primary_key=True)
    stroke: Mapped[int] = _number()
    moment: Mapped[str] = mapped_column(_WORD, primary_key=True)
    ball: Mapped[str] = mapped_column(_WORD, primary_key=True)
    x_mm: Mapped[float | None]
    y_mm: Mapped[float | None]


class Event(Base):
    __tablename__ = "events"
    __table_args__ = (_of_stroke(), Index("events_type", "type"))
    match: Mapped[str] = mapped_column(_KEY, primary_key=True)
    stroke: Mapped[int] = _number()
    event: Mapped[int] = _number()
    t: Mapped[float]
    type: Mapped[str] = mapped_column(_WORD)
    ball: Mapped[str | None] = mapped_column(_WORD)
    ball_2: Mapped[str | None] = mapped_column(_WORD)
    cushion: Mapped[str | None] = mapped_column(_WORD)
    pocket: Mapped[str | None] = mapped_column(_WORD)
    jaws: Mapped[str | None] = mapped_column(_WORD)
    over: Mapped[str | None] = mapped_column(_WORD)
    over_jaw: Mapped[str | None] = mapped_column(_WORD)
    x_mm: Mapped[float | None]
    y_mm: Mapped[float | None]
    frame: Mapped[int | None]
    video_t: Mapped[float | None]
    sigma_ms: Mapped[float | None]
    confidence: Mapped[float | None]


class Ruling(Base):
    __tablename__ = "rulings"
    __table_args__ = (_of_stroke(),)
    match: Mapped[str] = mapped_column(_KEY, primary_key=True)
    stroke: Mapped[int] = _number()
    outcome: Mapped[str] = mapped_column(_WORD)
    points: Mapped[int]
    opponent_points: Mapped[int]
    turn: Mapped[str] = mapped_column(_WORD)
    void_reason: Mapped[str | None] = mapped_column(Text)
    score_a: Mapped[int]
    score_b: Mapped[int]
    next_cue_ball: Mapped[str] = mapped_column(_WORD)
    next_placement: Mapped[str] = mapped_column(_WORD)
    game_over: Mapped[bool]
    winner: Mapped[int | None]
    decisions: Mapped[str] = mapped_column(Text)
    explanation_ru: Mapped[str] = mapped_column(Text)
    explanation_en: Mapped[str] = mapped_column(Text)


class Item(Base):
    __tablename__ = "items"
    __table_args__ = (_of_stroke(), Index("items_rule", "rule"))
    match: Mapped[str] = mapped_column(_KEY, primary_key=True)
    stroke: Mapped[int] = _number()
    item: Mapped[int] = _number()
    rule: Mapped[str] = mapped_column(_WORD)
    ball: Mapped[str | None] = mapped_column(_WORD)
    points: Mapped[int]
    events: Mapped[str] = mapped_column(Text)
    decisions: Mapped[str] = mapped_column(Text)


class Foul(Base):
    __tablename__ = "fouls"
    __table_args__ = (_of_stroke(), Index("fouls_rule", "rule"))
    match: Mapped[str] = mapped_column(_KEY, primary_key=True)
    stroke: Mapped[int] = _number()
    foul: Mapped[int] = _number()
    rule: Mapped[str] = mapped_column(_WORD)
    balls: Mapped[str] = mapped_column(Text)
    event: Mapped[int | None]
    decisions: Mapped[str] = mapped_column(Text)


class Review(Base):
    __tablename__ = "reviews"
    __table_args__ = (_of_stroke(),)
    match: Mapped[str] = mapped_column(_KEY, primary_key=True)
    stroke: Mapped[int] = _number()
    review: Mapped[int] = _number()
    event: Mapped[int | None]
    reason: Mapped[str] = mapped_column(Text)


# by the names of `referee.season.rows.TABLES`, in the order in which rows need each other
MODELS: dict[str, type[Base]] = {model.__tablename__: model for model in (Match, Game, Stroke, Place, Event, Ruling, Item, Foul, Review)}
