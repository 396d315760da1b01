"""Reads the project's own cases of law (the TOML files beside this one), each named by the point of law it proves."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

from calibration.table import table
from referee.calls.call import Call
from referee.rules.terms import BALLS
from referee.state import Point, State
from tests.golden.rules.casetext import read_call, read_events, read_places
from vision.shot import Shot

HERE = Path(__file__).parent
_BEFORE = {"white": "W 1500,500 Y 2700,1150 R home B centre", "yellow": "W 2700,1150 Y 1500,500 R home B centre"}
_STEP = 0.4  # seconds between events whose time the file does not tell
_TIMED = re.compile(r"-?[\d.]+\s")
_GIVEN = ("id", "law", "about", "cue", "hand", "opening", "player", "score", "target", "before", "waiting", "call", "stroke", "after")
_ASKED = ("gets", "foul", "void", "next", "puts", "waits", "scores", "winner")


@dataclass(frozen=True)
class Expected:
    """What a case asks of its ruling; what is None is not asked."""

    items: tuple[tuple[str, int], ...]
    fouls: frozenset[str]
    void: str | None
    stays: bool
    cue_ball: str
    in_hand: bool
    places: dict[str, Point | None]
    waiting: tuple[str, ...]
    scores: tuple[int, int] | None
    winner: int | None


@dataclass(frozen=True)
class LawCase:
    id: str
    law: tuple[str, ...]
    about: str
    state: State
    call: Call | None
    shot: Shot
    expected: Expected


@dataclass(frozen=True)
class Chapter:
    title: str
    title_ru: str
    cases: tuple[LawCase, ...]


def chapters() -> tuple[Chapter, ...]:
    found = []
    for path in sorted(HERE.glob("*.toml")):
        data = tomllib.loads(path.read_text("utf-8"))
        found.append(Chapter(data["title"], data["title_ru"], tuple(_case(c) for c in data["case"])))
    return tuple(found)


def _scores(text: str) -> tuple[int, int]:
    a, b = text.split(":")
    return int(a), int(b)


def _case(raw: dict) -> LawCase:
    unknown = set(raw).difference(_GIVEN, _ASKED)
    if unknown:
        raise ValueError(f"{raw['id']}: unknown keys {sorted(unknown)}")
    cue = raw.get("cue", "white")
    before = read_places(_BEFORE[cue]) | read_places(raw.get("before", ""))
    opening = raw.get("opening", False)
    hand = raw.get("hand", "house" if opening else "")
    state = State(
        player=raw.get("player", 0),
        scores=_scores(raw.get("score", "0:0")),
        target=raw.get("target", 30) or None,
        opening=opening,
        cue_ball=cue,
        placement={"": "as_lies", "anywhere": "in_hand", "house": "in_hand_house"}[hand],
        positions=before,
        waiting=tuple(raw.get("waiting", ())),
    )
    events = read_events(_timed(raw["stroke"], cue))
    after = dict(before) | read_places(raw.get("after", ""))
    for event in events:
        if event.type in ("pocket", "off_table") and event.ball is not None:
            after[event.ball] = None
    return LawCase(
        id=raw["id"],
        law=tuple(raw["law"]),
        about=raw["about"],
        state=state,
        call=read_call(raw.get("call", "-")),
        shot=Shot(events, after),
        expected=_expected(raw),
    )


def _timed(text: str, cue: str) -> str:
    """Gives each event without a time 0.4 s more than the one before; `@2` sets the time; a strike is added if there is none first."""
    pieces = [p.strip() for p in text.split(";")]
    if not pieces[0].endswith("strike"):
        pieces.insert(0, f"{'W' if cue == 'white' else 'Y'} strike")
    t, out = -_STEP, []
    for piece in pieces:
        if piece.startswith("@"):
            time, piece = piece[1:].split(" ", 1)
            t = float(time)
        elif _TIMED.match(piece):
            time, piece = piece.split(" ", 1)
            t = float(time)
        else:
            t = round(t + _STEP, 3)
        out.append(f"{t:g} {piece}")
    return "; ".join(out)


def _expected(raw: dict) -> Expected:
    turn, cue_ball, how = raw["next"].split()
    items = [piece.split(":") for piece in raw.get("gets", "").split()]
    places = read_places(raw.get("puts", ""))
    if how == "hand":
        places.setdefault(cue_ball, None)
    return Expected(
        items=tuple(sorted((rule, int(points)) for rule, points in items)),
        fouls=frozenset(raw.get("foul", "").split()),
        void=raw.get("void"),
        stays={"stays": True, "passes": False}[turn],
        cue_ball=cue_ball,
        in_hand={"hand": True, "lies": False}[how],
        places={b: places[b] for b in BALLS if b in places},
        waiting=tuple(raw.get("waits", ())),
        scores=_scores(raw["scores"]) if "scores" in raw else None,
        winner=raw.get("winner"),
    )


TABLE = table("pyramid-12ft")
