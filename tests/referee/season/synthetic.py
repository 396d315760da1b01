"""A season that was never played: strokes drawn at random with plausible geometry, ruled by the referee, written as `analyze` writes.

Simulated material for tests and for looking at the page: no physics, no pictures. Each seed gives the same match.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from datetime import date, timedelta
from math import atan2, cos, dist, exp, radians, sin
from pathlib import Path
from random import Random
from typing import Any

from calibration.table import Point, table
from referee import adjudicate
from referee.calls import parse
from referee.calls.call import BankBlack, Call, Carom, Combination, Pot
from referee.document import shot_json
from referee.match import Ruled
from referee.report import render
from referee.season.called import cut_angle
from referee.state import State
from vision.shot import Doubt, Event, Shot, Stroke

TABLE = table("pyramid-12ft")
OPENING = {"white": None, "yellow": TABLE.spots["pyramid"], "red": TABLE.spots["home"], "black": TABLE.spots["centre"]}
FAR_CUSHION = {
    "foot-left": "right",
    "foot-right": "left",
    "home-left": "right",
    "home-right": "left",
    "middle-left": "right",
    "middle-right": "left",
}


@dataclass(frozen=True)
class Person:
    name: str
    skill: float = 0.6  # 0..1


@dataclass(frozen=True)
class Aim:
    """What the player wants: `call` (None: nothing said), the ball to meet, the pocket, and how likely it is to come off."""

    kind: str
    call: Call | None
    ball: str
    pocket: str | None = None
    chance: float = 0.0


class Playing:
    """One match in the making."""

    def __init__(
        self, seed: int, players: tuple[Person, Person], target: int | None = 30, strokes: int = 60, doubtful: float = 0.04
    ) -> None:
        self.draw, self.players, self.most, self.doubtful = Random(seed), players, strokes, doubtful
        self.state = State(0, (0, 0), target, True, "white", "in_hand_house", dict(OPENING), ())
        self.t, self.shots, self.tracks, self.over = 4.0, [], [], False

    def play(self) -> dict[str, Any]:
        while not self.over and len(self.shots) < self.most:
            self._stroke()
        winner = self.shots[-1]["ruling"]["winner"] if self.shots else None
        return {
            "poedinok": "0.1.0",
            "video": {"file": "simulated.mp4", "frames": int(self.t * 60), "time_base": "1/60000", "width": 1920, "height": 1080,
                      "duration": round(self.t, 3)},
            "table": {"name": TABLE.name, "length_mm": 3550, "width_mm": 1775, "ball_mm": 68, "reprojection_mm": 0.4, "home": "left"},
            "players": [p.name for p in self.players], "target": self.state.target, "notes": [],
            "shots": self.shots, "scores": list(self.state.scores), "winner": winner,
        }  # fmt: skip

    def _stroke(self) -> None:
        before = self._placed()
        aim = self._aim(before)
        text = None if aim.call is None else aim.call.text(self.draw.choice(("ru", "ru", "ru", "en")))
        shot = self._shot(before, aim)
        ruling = adjudicate(before, shot, None if text is None else parse(text, before.cue_ball), TABLE)
        number, start = len(self.shots) + 1, self.t
        length = 3.0 + self.draw.random() * 4
        shot = replace(
            shot,
            events=tuple(
                replace(e, frame=int((start + e.t) * 60), video_t=start + e.t, sigma_ms=1.0, confidence=0.98) for e in shot.events
            ),
        )
        review = (
            (Doubt("contact white-yellow and cushion white within 1.4 ms: their order is not sure", 1),)
            if self.draw.random() < self.doubtful
            else ()
        )
        stroke = Stroke(start, start + length, int(start * 60), int((start + length) * 60), before.cue_ball, before.positions, shot, review)
        self.shots.append(shot_json(stroke, Ruled(number, before, shot, text, ruling, review)))
        self._film(before, shot, start, aim)
        self.t = start + length + self.draw.lognormvariate(2.6, 0.5)
        self.state, self.over = ruling.state, ruling.game_over

    def _placed(self) -> State:
        """The state with a place for a ball in hand."""
        places = dict(self.state.positions)
        if places[self.state.cue_ball] is None:
            high = TABLE.length / 4 if self.state.placement == "in_hand_house" else TABLE.length
            places[self.state.cue_ball] = self._free(places, (60.0, high - 60))
        return replace(self.state, positions=places)

    def _free(self, places: dict[str, Point | None], along: tuple[float, float] = (60.0, 3490.0)) -> Point:
        while True:
            place = (round(self.draw.uniform(*along), 1), round(self.draw.betavariate(1.3, 1.3) * 1600 + 80, 1))
            if all(p is None or dist(p, place) > 75 for p in places.values()):
                return place

    def _aim(self, state: State) -> Aim:
        skill = self.players[state.player].skill
        there = {b for b, p in state.positions.items() if p is not None}
        targets = [b for b in (("yellow",) if state.cue_ball == "white" else ("white", "red")) if b in there]
        if not targets or state.opening:
            return Aim("safety", None, targets[0] if targets else "yellow")
        ball = self.draw.choice(targets)
        pocket, cut = min(
            ((p.name, cut_angle(state.positions, state.cue_ball, ball, p.name, TABLE) or 0.0) for p in TABLE.pockets),
            key=lambda c: c[1] + self.draw.uniform(0, 25),
        )
        apart = dist(state.positions[state.cue_ball], state.positions[ball])  # type: ignore[arg-type]
        ease = skill * exp(-apart / 3500) * max(0.05, cos(radians(min(cut, 88))))
        said = pocket if self.draw.random() < 0.7 else ("middle" if pocket.startswith("middle") else "corner")
        hand = state.placement != "as_lies"
        kind = self.draw.choices(
            ("object", "own", "bank", "carom", "bank_black", "black", "double", "quiet", "safety", "miss", "black_first"),
            (0 if hand else 30, 0 if hand else 18, 14, 7, 0 if hand else 5, 3, 0 if hand else 2, 0 if hand else 8, 12, 2.5, 2),
        )[0]
        if kind in ("black", "bank_black", "black_first") and "black" not in there:
            kind = "safety"
        if kind == "carom" and (state.cue_ball != "white" or "red" not in there):
            kind = "bank"
        call, chance = {
            "object": (Call((Pot(ball, said),)), ease),
            "own": (Call((Pot("own", said),)), ease * 0.8),
            "bank": (Call((Pot(ball, said, 1),)), ease * 0.5),
            "carom": (Call((Carom("yellow", "red"),)), skill * 0.35),
            "bank_black": (Call((BankBlack(ball, 2),)), skill * 0.4),
            "black": (Call((Pot("black", said, 0, Combination("by", (ball,))),)), skill * 0.25),
            "double": (Call((Pot("own", "any"), Pot(ball, said))), skill * 0.15),
            "quiet": (None, ease),
        }.get(kind, (None, 0.0))
        return Aim(kind, call, ball, pocket, chance)

    def _shot(self, state: State, aim: Aim) -> Shot:
        cue, ball, made = state.cue_ball, aim.ball, self.draw.random() < aim.chance
        side = FAR_CUSHION[aim.pocket or "foot-left"]
        script: list[tuple[str, Any]] = [("contact", (cue, ball))]
        gone: set[str] = set()
        if aim.kind == "miss":
            script = [("cushion", (cue, "foot"))]
        elif aim.kind == "black_first":
            script = [("contact", (cue, "black")), ("cushion", (cue, "left"))]
        elif not made:
            script += [] if self.draw.random() < 0.02 else [("cushion", (ball, self.draw.choice(("left", "right", "foot"))))]
            if aim.kind == "carom":
                script += [("cushion", (cue, c)) for c in ("foot", "left")]
        elif aim.kind in ("object", "quiet"):
            script, gone = [*script, ("pocket", (ball, aim.pocket))], {ball}
        elif aim.kind == "own":
            script, gone = [*script, ("cushion", (ball, "left")), ("pocket", (cue, aim.pocket))], {cue}
        elif aim.kind == "bank":
            script, gone = [*script, ("cushion", (ball, side)), ("pocket", (ball, aim.pocket))], {ball}
        elif aim.kind == "carom":
            script += [("cushion", (cue, c)) for c in ("foot", "left", "home")] + [("contact", (cue, "red"))]
        elif aim.kind == "bank_black":
            script += [("cushion", (ball, "foot")), ("cushion", (ball, "left")), ("contact", (ball, "black"))]
        elif aim.kind == "black":
            script, gone = [*script, ("contact", (ball, "black")), ("pocket", ("black", aim.pocket))], {"black"}
        elif aim.kind == "double":
            script, gone = [*script, ("pocket", (ball, aim.pocket)), ("pocket", (cue, "middle-left"))], {ball, cue}
        return self._told(state, script, gone)

    def _told(self, state: State, script: list[tuple[str, Any]], gone: set[str]) -> Shot:
        events, t = [Event(0.0, "strike", state.cue_ball)], 0.0
        touched = {state.cue_ball}
        for kind, (one, two) in script:
            t = round(t + 0.2 + self.draw.random() * 0.6, 4)
            if kind == "contact":
                events.append(Event(t, "contact", balls=(one, two)))
                touched |= {one, two}
            else:
                events.append(Event(t, kind, one, **{kind: two}))
        places = {b: None if b in gone else p for b, p in state.positions.items()}
        for ball in sorted(touched - gone):
            places[ball] = None
            places[ball] = self._free(places)
        rests = [Event(t + 0.5 + 0.1 * n, "stop", b) for n, b in enumerate(sorted(touched - gone))]
        return Shot((*events, *rests), places)

    def _film(self, state: State, shot: Shot, start: float, aim: Aim) -> None:
        """A few rows of tracks.csv after the strike: the cue ball on its way to the ball it is aimed at."""
        a, b = state.positions[state.cue_ball], state.positions[aim.ball] or (1775.0, 887.5)
        assert a is not None
        speed, way = self.draw.lognormvariate(0.7, 0.45) * 1000, atan2(b[1] - a[1], b[0] - a[0])
        for n in range(9):
            t = n / 60
            x, y = a[0] + speed * t * cos(way) + self.draw.gauss(0, 0.3), a[1] + speed * t * sin(way) + self.draw.gauss(0, 0.3)
            self.tracks.append(f"{int(start * 60) + n},{start + t:.6f},{state.cue_ball},{x:.2f},{y:.2f},0.30,seen")


def write_match(
    folder: Path, seed: int, players: tuple[Person, Person], *, date: str | None = None, page: bool = False, **more: Any
) -> Path:
    """A folder as `analyze` writes it, with the date as the batch tells it."""
    folder.mkdir(parents=True, exist_ok=True)
    playing = Playing(seed, players, **more)
    document = playing.play()
    document["video"]["file"] = f"{folder.name}.mp4"
    (folder / "match.json").write_text(json.dumps(document, ensure_ascii=False, indent=1), "utf-8")
    (folder / "tracks.csv").write_text("\n".join(["frame,video_t,ball,x_mm,y_mm,sigma_mm,state", *playing.tracks]) + "\n", "utf-8")
    if date is not None:
        (folder / "season.json").write_text(json.dumps({"date": date}), "utf-8")
    if page:
        (folder / "report.html").write_text(render(document), "utf-8")
    return folder


CLUB = (
    Person("Анна Смирнова", 0.85), Person("Борис Ковалёв", 0.7), Person("Вера Лаптева", 0.6), Person("Глеб Осипов", 0.75),
)  # fmt: skip


def write_season(folder: Path, matches: int = 6, club: tuple[Person, ...] = CLUB, **more: Any) -> list[Path]:
    """Everybody against everybody, in turn."""
    pairs = [(a, b) for i, a in enumerate(club) for b in club[i + 1 :]]
    return [
        write_match(
            folder / f"match-{n + 1:02d}", 100 + n, pairs[n % len(pairs)], date=(date(2026, 3, 1) + timedelta(7 * n)).isoformat(), **more
        )
        for n in range(matches)
    ]
