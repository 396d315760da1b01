"""Strokes strung into a stretch of a match: rest, hands that place balls, aiming, the stroke, rest again.

A `Timeline` says for any moment of the video where every ball is and who stands at the table; `record` films it.
Balls that a stroke's placing wants elsewhere than they lie are carried there by hand, so spotting and placing in hand
follow from the placings alone.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import hypot, radians
from typing import Any, Protocol

import numpy as np

from calibration.table import Point, Table
from sample_videos.between import Action
from sample_videos.people import PLAYERS, Aim, Carry, Person
from sample_videos.physics import Cloth, SimulatedShot
from sample_videos.render.people import Capsule
from sample_videos.strokes import ScenarioError, Stroke, play
from sample_videos.visitors import Knock, Push, Reach, Thing, Walk, on_rail

_NEAR = 0.5  # mm: a ball that lies so near to its place is not touched


@dataclass(frozen=True, slots=True)
class Timing:
    """Lengths in s: before the first action, one carried ball, the pause after it, aiming with its practice swings, rest after a stroke."""

    lead: float = 0.6
    carry: float = 1.7
    pause: float = 0.2
    aim: float = 2.6
    rest: float = 0.9
    leave: float = 1.3  # from the strike until the player has left the table
    in_net: float = 0.5  # how long a fallen ball is seen in the pocket's net
    tail: float = 0.4


@dataclass(frozen=True, slots=True, eq=False)
class Played:
    """A stroke in the video: `strike_t` is its time, `player` 0 or 1; `called_t` when the call was spoken."""

    stroke: Stroke
    shot: SimulatedShot
    strike_t: float
    player: int
    called_t: float | None
    between: tuple[Mapping[str, Any], ...] = ()  # what happened since the stroke before, with its times (s of the video)

    @property
    def end_t(self) -> float:
        return self.strike_t + self.shot.duration


@dataclass(frozen=True, slots=True)
class _Segment:
    """From `start` on a ball is where `place` says; `state` is seen, pocketed, carried or absent."""

    start: float
    place: Callable[[float], np.ndarray] | None
    state: str


class Actor(Protocol):
    """Something that is seen at times."""

    def bars(self, t: float) -> list[Capsule]: ...


@dataclass(frozen=True, slots=True, eq=False)
class Timeline:
    """Everything that happens in front of the camera, by the time of the video (s).

    `spares`: balls that are not in play, on a rail or in a pocket's net: name (see `render.look.BALLS`) -> (x, y, z) mm.
    """

    table: Table
    balls: tuple[str, ...]
    shots: tuple[Played, ...]
    duration: float
    segments: Mapping[str, tuple[_Segment, ...]] = field(repr=False)
    actors: tuple[Actor, ...] = ()
    spares: Mapping[str, tuple[float, float, float]] = field(default_factory=dict)

    def places(self, ball: str, times: np.ndarray) -> np.ndarray | None:
        """Centres (n, 3) mm at close `times` (n,), None when the ball is nowhere to be seen at their middle."""
        segments = self.segments[ball]
        starts = [s.start for s in segments]
        middle = float(times[len(times) // 2])
        here = segments[max(0, bisect_right(starts, middle) - 1)]
        if here.place is None:
            return None
        out = np.empty((len(times), 3))
        for k, t in enumerate(times):
            segment = segments[max(0, bisect_right(starts, float(t)) - 1)]
            out[k] = (segment if segment.place is not None else here).place(float(t))  # type: ignore[misc]
        return out

    def state(self, ball: str, t: float) -> str:
        """seen, pocketed, carried or absent."""
        segments = self.segments[ball]
        return segments[max(0, bisect_right([s.start for s in segments], t) - 1)].state

    def moving(self, ball: str, start: float, end: float) -> bool:
        """Whether the ball moves at all between two close moments."""
        a, b = self.places(ball, np.array([start, end])), None
        if a is None:
            return False
        b = self.places(ball, np.array([(start + end) / 2]))
        return bool(np.ptp(a, axis=0).max() > 0.01) or (b is not None and bool(np.abs(b - a[0]).max() > 0.01))

    def people(self, t: float) -> list[Capsule]:
        """The bars of everyone at the table."""
        return [bar for actor in self.actors for bar in actor.bars(t)]


class _Builder:
    def __init__(self, table: Table, balls: Sequence[str], timing: Timing, people: Sequence[Person]) -> None:
        self.table, self.timing, self.people = table, timing, people
        self.segments: dict[str, list[_Segment]] = {ball: [] for ball in balls}
        self.lies: dict[str, Point | None] = {}
        self.actors: list[Actor] = []
        self.shots: list[Played] = []
        self.between: list[Mapping[str, Any]] = []
        self.now = timing.lead

    def rests(self, ball: str, at: Point | None, since: float) -> None:
        self.lies[ball] = at
        if at is None:
            self.segments[ball].append(_Segment(since, None, "absent"))
            return
        place = np.array([*at, self.table.radius])
        self.segments[ball].append(_Segment(since, lambda t: place, "seen"))

    def prepare(self, stroke: Stroke, person: Person) -> None:
        """Carry the balls that lie elsewhere than the stroke wants them; the cue ball last."""
        order = sorted(stroke.placing, key=lambda b: b == stroke.cue_ball)
        for ball in order:
            goal, lies = stroke.placing[ball], self.lies[ball]
            if lies is not None and hypot(lies[0] - goal[0], lies[1] - goal[1]) < _NEAR:
                continue
            start = self.now
            carry = Carry(self.table, ball, lies, goal, start, start + self.timing.carry, person)
            self.actors.append(carry)
            self.note("carry", start, carry.end, ball=ball, to=list(goal), source=None if lies is None else list(lies))
            if lies is None:  # no ball comes through the air before the hand has brought it
                self.segments[ball].append(_Segment(start, carry.place, "carried"))
            else:
                self.segments[ball].append(_Segment(carry.lifted, carry.place, "carried"))
            self.rests(ball, goal, carry.set_down)
            self.now += self.timing.carry + self.timing.pause
        for ball in self.lies:
            if ball not in stroke.placing and self.lies[ball] is not None:
                self.rests(ball, None, self.now)

    def note(self, what: str, start: float, end: float, **fields: Any) -> None:
        """Keep for the truth what happens between two strokes."""
        self.between.append({"type": what, "start_t": round(start, 3), "end_t": round(end, 3), **fields})

    def act(self, action: Action, stroke: Stroke, player: int) -> None:
        """Something that happens before a stroke; `after` seconds after its strike for an action that has it."""
        person = self.people[(player + action.person) % len(self.people)]
        start = self.now if action.after is None else self.shots[-1].strike_t + action.after
        end = start + action.seconds
        if action.do == "cross":
            self.actors.append(Walk(self.table, action.side, start, end, person, action.far, action.lean, action.back))
        elif action.do == "practice":
            aim = self.aim(stroke, start, end - 1.0, end, person)
            turned = replace(aim, heading=aim.heading + radians(action.turn), swings=action.swings, near=action.near)
            self.actors.append(turned)
        elif action.do in ("chalk", "phone", "glass"):
            reach = Reach(self.table, on_rail(self.table, action.at), start, end, person)
            self.actors += [reach, Thing(action.do, reach.at, radians(action.turn), since=(reach.there + reach.leaves) / 2)]
        elif action.do == "arm":
            self.actors.append(Reach(self.table, (*action.at, self.table.nose_height + 30), start, end, person))
        else:  # knock: the next placing has it put back
            self.knock(action, start, end, person)
        extra = {"ball": action.ball, "by": list(action.by)} if action.do == "knock" else {}
        self.note(action.do, start, end, **extra)
        if action.after is None:
            self.now = end + self.timing.pause

    def knock(self, action: Action, start: float, end: float, person: Person) -> None:
        lies = self.lies.get(action.ball)
        if lies is None:
            raise ScenarioError(f"knock: expected a ball on the table, got {action.ball!r}")
        goal = (lies[0] + action.by[0], lies[1] + action.by[1])
        knock = Knock(self.table, lies, goal, start, end, person)
        self.actors.append(knock)
        self.segments[action.ball].append(_Segment(knock.touches, knock.place, "seen"))
        self.rests(action.ball, goal, knock.lets_go)

    def aim(self, stroke: Stroke, start: float, strike: float, end: float, person: Person) -> Aim:
        """The player of a stroke, who follows through as far as he likes."""
        others = tuple(p for ball, p in stroke.placing.items() if ball != stroke.aimed)
        return Aim(
            self.table, stroke.placing[stroke.aimed], radians(stroke.heading), stroke.speed, start, strike, end, person, others,
            lambda t: 1e9, stroke.side, self.table.radius * (1 + 0.7 * stroke.follow),
        )  # fmt: skip

    def play(self, stroke: Stroke, shot: SimulatedShot, player: int) -> None:
        timing, person = self.timing, self.people[player % len(self.people)]
        start, strike = self.now, self.now + timing.aim
        rest = strike + shot.duration + timing.rest
        end = max(strike + 0.8, min(strike + timing.leave, rest - 0.1))
        if stroke.faults.again:  # the same player comes back
            end = min(end, strike + max(0.6, stroke.faults.again.at - 1.6))
        aim = replace(self.aim(stroke, start, strike, end, person), tip_limit=_tip_limit(shot, strike), tip=tuple(shot.tip))
        self.actors += [aim, *self.faulty(stroke, shot, strike, rest, person)]
        begins = strike + min(0.0, shot.events[0]["t"])
        for ball, path in shot.paths.items():
            self.segments[ball].append(_Segment(begins, lambda t, path=path: path.at(t - strike), "seen"))
            fell = next((e["t"] for e in shot.events if e["type"] == "pocket" and e["ball"] == ball), None)
            if fell is not None:
                self.segments[ball].append(_Segment(strike + fell, lambda t, path=path: path.at(t - strike), "pocketed"))
                self.segments[ball].append(_Segment(strike + fell + timing.in_net, None, "pocketed"))
            left = next((e["t"] for e in shot.events if e["type"] == "off_table" and e["ball"] == ball), None)
            if left is not None:  # it lies on a rail or on the floor until somebody has taken it away
                self.segments[ball].append(_Segment(strike + left, lambda t, path=path: path.at(t - strike), "absent"))
                self.segments[ball].append(_Segment(rest, None, "absent"))
            self.lies[ball] = shot.after[ball]
        self.shots.append(Played(stroke, shot, strike, player, start + 0.3 if stroke.call else None, tuple(self.between)))
        self.between = []
        self.now = rest

    def faulty(self, stroke: Stroke, shot: SimulatedShot, strike: float, rest: float, person: Person) -> list[Actor]:
        """Who touches a ball in a stroke, or strikes a second time."""
        found: list[Actor] = []
        if (touch := stroke.faults.touch) is not None:
            path, begins = shot.paths[touch.ball], strike + touch.at
            found.append(Push(self.table, lambda t: path.at(t - strike), touch.by, begins, begins + touch.lasts, touch.how, person))
        if (again := stroke.faults.again) is not None:
            at, second = shot.paths[again.ball].at(again.at), strike + again.at
            later = replace(stroke, placing={again.ball: (float(at[0]), float(at[1]))}, struck=again.ball, speed=again.speed,
                            heading=again.heading, side=0.0, follow=again.follow)  # fmt: skip
            aim = self.aim(later, max(strike + 0.6, second - 1.6), second, max(second + 0.8, min(second + self.timing.leave, rest)), person)
            found.append(aim)
        return found


def _tip_limit(shot: SimulatedShot, strike: float) -> Callable[[float], float]:
    """The cue's follow-through stays 4 mm behind the cue ball, which may stop or come back."""
    strike_at = shot.strike
    path = shot.paths[strike_at.cue_ball]
    d = np.array([np.cos(strike_at.heading), np.sin(strike_at.heading)])
    start = np.array(shot.before[strike_at.cue_ball])
    times = np.arange(0.0, 0.6, 0.002)
    progress = (path.at(times)[:, :2] - start) @ d - shot.table.radius
    ahead = np.minimum.accumulate(progress[::-1])[::-1]  # nothing that the ball will give up again

    def limit(t: float) -> float:
        tau = t - strike
        here = float(np.interp(tau, times, ahead))
        return here - min(4.0, 200.0 * tau)

    return limit


def build(
    table: Table,
    strokes: Sequence[Stroke],
    *,
    players: Sequence[int] | None = None,
    timing: Timing | None = None,
    people: Sequence[Person] = PLAYERS,
    shots: Sequence[SimulatedShot] | None = None,
    cloth: Cloth | None = None,
    between: Sequence[Sequence[Action]] = (),
    things: Sequence[Thing] = (),
    spares: Mapping[str, tuple[float, float, float]] | None = None,
) -> Timeline:
    """The timeline of strokes played one after the other.

    Args:
        players: who plays each stroke (0 or 1); player 0 all of them unless given.
        shots: the simulated strokes, if they are at hand.
        cloth: what they are simulated on otherwise.
        between: what happens before each stroke.
        things, spares: what lies about all the time: see `Timeline`.

    Raises:
        SimulationFailed, ScenarioError: a stroke cannot be played.
    """
    timing = timing or Timing()
    balls = tuple(dict.fromkeys(ball for stroke in strokes for ball in stroke.placing))
    builder = _Builder(table, balls, timing, people)
    first = strokes[0]
    for ball in balls:
        # a cue ball in hand is brought by a hand also at the beginning
        in_hand = ball == first.cue_ball and first.placement != "as_lies"
        builder.rests(ball, None if in_hand else first.placing.get(ball), 0.0)
    for i, stroke in enumerate(strokes):
        player = players[i] if players else 0
        actions = between[i] if i < len(between) else ()
        for action in actions:
            if action.after is None or builder.shots:
                builder.act(action, stroke, player)
        builder.prepare(stroke, people[player % len(people)])
        builder.play(stroke, shots[i] if shots else play(stroke, table, cloth), player)
    segments = {ball: tuple(sorted(rows, key=lambda s: s.start)) for ball, rows in builder.segments.items()}
    return Timeline(table, balls, tuple(builder.shots), builder.now + timing.tail, segments, (*builder.actors, *things), spares or {})
