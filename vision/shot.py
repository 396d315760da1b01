"""What a stroke is, as it leaves `vision`: events in order, places before and after, and what is doubtful.

Pure values without numpy: `referee.rules` builds on them. Times in seconds, places in mm (contract: adjudication).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

Point = tuple[float, float]
Places = Mapping[str, Point | None]

EVENT_TYPES = (
    "strike", "contact", "cushion", "jaw", "midline", "stop", "pocket", "jump", "off_table", "touch",
    "double_hit", "push", "press",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Event:
    """One event of a stroke; which fields are set follows from `type` (contract: adjudication, table of events).

    `t` counts from the strike. `frame`, `video_t`, `sigma_ms` and `confidence` are the evidence of a video; they are
    None for an event that a person or a file told.
    """

    t: float
    type: str
    ball: str | None = None
    balls: tuple[str, str] | None = None
    cushion: str | None = None
    pocket: str | None = None
    jaws: str | None = None
    at: Point | None = None
    over: str | None = None
    over_jaw: str | None = None
    frame: int | None = None
    video_t: float | None = None
    sigma_ms: float | None = None
    confidence: float | None = None

    def involves(self, ball: str) -> bool:
        return self.ball == ball or (self.balls is not None and ball in self.balls)


@dataclass(frozen=True, slots=True)
class Shot:
    """The events of one stroke in order of time, and the places after all came to rest (None: not on the table)."""

    events: tuple[Event, ...]
    positions: Places


@dataclass(frozen=True, slots=True)
class Way:
    """How the stroke may have gone instead: the events told, less those at the indexes `drop`, and with those of `add`.

    Added events have `t` from the strike, as the shot's have. `label` says in English what is different then.
    `before`: balls that lay elsewhere before the stroke then, and where.
    """

    label: str
    add: tuple[Event, ...] = ()
    drop: tuple[int, ...] = ()
    before: Mapping[str, Point] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Doubt:
    """Something that the referee is not sure of: `event` is an index into the shot's events, or None for the whole stroke.

    `ways`: what it may have been instead, where what was seen tells.
    """

    reason: str
    event: int | None = None
    ways: tuple[Way, ...] = ()


@dataclass(frozen=True, slots=True)
class PathPoint:
    """A ball's place at one video time, smoothed."""

    video_t: float
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Stroke:
    """A stroke found in a video: the shot and where in the video it lies.

    `cue_ball` is the ball that was struck; None if the evidence does not tell. `paths` are the smoothed paths of the
    balls that moved, for plans and replays. `notes` are what a reader should know and what decides nothing.
    `place_sigma`: error bars of the places before the stroke, mm, by ball, the calibration's among them.
    """

    start_t: float
    end_t: float
    start_frame: int
    end_frame: int
    cue_ball: str | None
    positions_before: Places
    shot: Shot
    review: tuple[Doubt, ...] = ()
    paths: Mapping[str, tuple[PathPoint, ...]] = field(default_factory=dict)
    notes: tuple[Doubt, ...] = ()
    place_sigma: Mapping[str, float] = field(default_factory=dict)
