"""What each ball did in a stroke: its contacts, reflections, stops and its fall, read once from the events."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from referee.rules.terms import BALLS, JAWS_SECONDS, adjoining
from referee.state import Point, State
from vision.shot import Event, Shot


class FallKind(StrEnum):
    """How a ball came to fall (rule 3, D18, D39)."""

    CLEAN = "clean"  # without having stopped in the jaws of that pocket
    HUNG = "hung"  # by itself, at most 3 s after it stopped in the jaws: potted
    LATE = "late"  # by itself, more than 3 s after it stopped: not potted (D18)
    KNOCKED = "knocked"  # knocked in at most 3 s after it stopped
    KNOCKED_LATE = "knocked late"  # knocked in more than 3 s after it stopped


@dataclass(frozen=True, slots=True)
class Contact:
    """A contact of the ball whose path this is with `other`."""

    index: int
    other: str


@dataclass(frozen=True, slots=True)
class Reflection:
    """A touch of a cushion; `jaws` is the pocket when a jaw was touched: it counts as the cushion that it ends (D11)."""

    index: int
    cushion: str
    jaws: str | None = None


@dataclass(frozen=True, slots=True)
class Fall:
    """A ball fell into `pocket` at event `index`.

    `stop` is the stop in the jaws of that pocket before it and `knock` the contact that ended the stop, if any. The
    path that a call is measured by ends before event `end`: the stop for a ball that was knocked in (D39), else the fall.
    """

    ball: str
    index: int
    pocket: str
    kind: FallKind
    stop: int | None = None
    knock: int | None = None

    @property
    def end(self) -> int:
        return self.stop if self.knock is not None and self.stop is not None else self.index

    @property
    def potted(self) -> bool:
        return self.kind is not FallKind.LATE


@dataclass(frozen=True, slots=True)
class Path:
    """All that one ball did, in order. `touches` holds its contacts and reflections together, `met` the contacts alone."""

    ball: str
    touches: tuple[Contact | Reflection, ...] = ()
    met: tuple[Contact, ...] = ()
    stops: tuple[int, ...] = ()
    jumps: tuple[int, ...] = ()
    fall: Fall | None = None
    off_table: int | None = None

    def contacts(self, until: int | None = None) -> tuple[Contact, ...]:
        """All contacts, or those before event `until`."""
        return self.met if until is None else tuple(t for t in self.met if t.index < until)

    def reflections(self, until: int) -> tuple[Reflection, ...]:
        """Touches of cushions and jaws before event `until`."""
        return tuple(t for t in self.touches if isinstance(t, Reflection) and t.index < until)

    @property
    def first_met(self) -> Contact | None:
        return self.met[0] if self.met else None


@dataclass(frozen=True, slots=True)
class Facts:
    """A stroke as the rules look at it. `on_table` are the balls on the table before it, the cue ball in hand included."""

    cue: str
    events: tuple[Event, ...]
    paths: dict[str, Path]
    on_table: frozenset[str]
    before: dict[str, Point | None]
    from_hand: bool
    opening: bool

    @property
    def cue_path(self) -> Path:
        return self.paths[self.cue]

    def fall(self, ball: str) -> Fall | None:
        return self.paths[ball].fall

    def potted(self, ball: str) -> Fall | None:
        """The fall of a ball that counts as potted, rightly or not: a late fall does not (D18)."""
        fall = self.paths[ball].fall
        return fall if fall is not None and fall.potted else None


def _classify(
    fall_at: int, event: Event, ball: str, touches: list[Contact | Reflection], stops: list[int], events: tuple[Event, ...]
) -> Fall:
    """Rule 3 with D18 and D39: 3 s run from the last stop in the jaws to the next contact of the ball, or to its fall."""
    pocket = event.pocket or ""
    clean = Fall(ball, fall_at, pocket, FallKind.CLEAN)
    if not stops or events[stops[-1]].jaws != pocket:
        return clean  # never stopped, stopped elsewhere, or knocked from the jaws of one pocket into another
    stop = stops[-1]
    after = [t for t in touches if t.index > stop]
    # A stop that is told twice without the ball having been touched in between is one stop, the first.
    for earlier in reversed(stops[:-1]):
        if events[earlier].jaws != pocket or any(earlier < t.index < stop for t in touches):
            break
        stop = earlier
    knock = next((t for t in after if isinstance(t, Contact)), None)
    if knock is None:
        in_time = event.t - events[stop].t <= JAWS_SECONDS
        return Fall(ball, fall_at, pocket, FallKind.HUNG if in_time else FallKind.LATE, stop)
    beside = adjoining(pocket)
    if any(isinstance(t, Reflection) and t.jaws != pocket and t.cushion not in beside for t in after):
        return clean  # it left the jaws and came back by another way
    in_time = events[knock.index].t - events[stop].t <= JAWS_SECONDS
    return Fall(ball, fall_at, pocket, FallKind.KNOCKED if in_time else FallKind.KNOCKED_LATE, stop, knock.index)


def read(state: State, shot: Shot) -> Facts:
    """The facts of a stroke played from a state."""
    events = tuple(shot.events)
    touches: dict[str, list[Contact | Reflection]] = {ball: [] for ball in BALLS}
    stops: dict[str, list[int]] = {ball: [] for ball in BALLS}
    jumps: dict[str, list[int]] = {ball: [] for ball in BALLS}
    falls: dict[str, Fall] = {}
    off: dict[str, int] = {}
    for i, event in enumerate(events):
        kind, ball = event.type, event.ball
        if kind == "contact" and event.balls is not None:
            a, b = event.balls
            touches[a].append(Contact(i, b))
            touches[b].append(Contact(i, a))
        elif ball is None:
            continue
        elif kind == "cushion":
            touches[ball].append(Reflection(i, event.cushion or ""))
        elif kind == "jaw":
            touches[ball].append(Reflection(i, event.cushion or "", event.pocket))
        elif kind == "stop":
            stops[ball].append(i)
        elif kind == "jump":
            jumps[ball].append(i)
        elif kind == "pocket" and ball not in falls:
            falls[ball] = _classify(i, event, ball, touches[ball], stops[ball], events)
        elif kind == "off_table":
            off.setdefault(ball, i)
    met = {b: tuple(t for t in touches[b] if isinstance(t, Contact)) for b in BALLS}
    paths = {b: Path(b, tuple(touches[b]), met[b], tuple(stops[b]), tuple(jumps[b]), falls.get(b), off.get(b)) for b in BALLS}
    before = {ball: state.positions.get(ball) for ball in BALLS}
    on_table = frozenset(b for b in BALLS if before[b] is not None) | {state.cue_ball}
    from_hand = state.opening or state.placement != "as_lies"
    return Facts(state.cue_ball, events, paths, on_table, before, from_hand, state.opening)


def reflection_class(reflections: Sequence[Reflection], pocket: str) -> int:
    """Class of rule 9.1 for a ball that fell into `pocket`: 0 (straight as far as cushions go), 1, 2, 3 for three or more.

    Jaws of that pocket are no reflections; if every cushion adjoins it the ball counts as straight, with one that does
    not adjoin it the adjoining ones count too (D4).
    """
    counted = [r for r in reflections if r.jaws != pocket]
    beside = adjoining(pocket)
    if all(r.cushion in beside for r in counted):
        return 0
    return min(3, len(counted))
