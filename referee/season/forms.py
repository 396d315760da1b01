"""The form of match.json as far as a season reads it: strict about what is read, fields it does not know are left alone."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from referee.codec.forms import Ball, EventForm, Place

_Name = Annotated[str, Field(min_length=1, max_length=200)]
_Score = Annotated[int, Field(ge=0, le=1_000_000_000)]
_Scores = Annotated[list[_Score], Field(min_length=2, max_length=2)]
_Size = Annotated[float, Field(gt=0, le=1e5, allow_inf_nan=False)]
_Seconds = Annotated[float, Field(ge=-1e9, le=1e9, allow_inf_nan=False)]
_Frame = Annotated[int, Field(ge=0, le=2_000_000_000)]  # databases keep whole numbers of 32 bits
_Index = Annotated[int, Field(ge=0, le=1_000_000)]
_Target = Annotated[int, Field(ge=1, le=1_000_000_000)]
_Rule = Annotated[str, Field(max_length=20)]
_Player = Annotated[int, Field(ge=0, le=1)]
_Places = dict[Ball, Place | None]


class _Form(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore", frozen=True)


class ItemForm(_Form):
    rule: _Rule
    ball: Ball | None = None
    points: _Score
    events: list[_Index] = []
    decisions: list[str] = []


class FoulForm(_Form):
    rule: _Rule
    balls: list[Ball] = []
    event: _Index | None = None
    decisions: list[str] = []


class NextForm(_Form):
    scores: _Scores
    target: _Target | None = None
    cue_ball: Ball
    placement: Literal["as_lies", "in_hand", "in_hand_house"]


class WordsForm(_Form):
    ru: str = ""
    en: str = ""


class RulingForm(_Form):
    outcome: Literal["scored", "no_score", "foul"]
    points: _Score
    opponent_points: _Score
    items: list[ItemForm]
    fouls: list[FoulForm]
    void_call: str | None = None
    void_reason: str | None = None
    turn: Literal["stays", "passes"]
    state: NextForm
    game_over: bool
    winner: _Player | None = None
    explanation: WordsForm = WordsForm()
    decisions: list[str] = []


class ReviewForm(_Form):
    event: _Index | None = None
    reason: str


class SeenForm(EventForm):
    model_config = ConfigDict(strict=True, extra="ignore", frozen=True)
    frame: Annotated[int, Field(ge=-2_000_000_000, le=2_000_000_000)] | None = None


class ShotForm(_Form):
    index: Annotated[int, Field(ge=1, le=1_000_000)]
    start_t: _Seconds
    end_t: _Seconds
    start_frame: _Frame
    end_frame: _Frame
    player: _Player | None = None
    cue_ball: Ball | None
    positions_before: _Places
    positions_after: _Places
    events: list[SeenForm]
    call: str | dict[str, Any] | None = None
    ruling: RulingForm | None
    review: list[ReviewForm]


class VideoForm(_Form):
    file: str
    frames: _Frame
    duration: _Seconds | None = None


class TableForm(_Form):
    name: str
    length_mm: _Size
    width_mm: _Size
    ball_mm: _Size
    reprojection_mm: Annotated[float, Field(allow_inf_nan=False)] | None = None


class MatchForm(_Form):
    poedinok: str
    video: VideoForm
    table: TableForm
    players: Annotated[list[_Name], Field(min_length=2, max_length=2)] = ["A", "B"]
    target: _Target | None = None
    notes: list[str] = []
    shots: list[ShotForm]
    scores: _Scores
    winner: _Player | None = None
