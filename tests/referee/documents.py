"""A small match as `analyze` writes it, for tests of what people see: three strokes, made by hand."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

OPENING = {"white": (500.0, 600.0), "yellow": (2662.5, 887.5), "red": (887.5, 887.5), "black": (1775.0, 887.5)}
Sample = tuple[float, float, float]


def line(*points: Sample, rate: float = 60.0) -> list[Sample]:
    """Samples along straight legs from point to point, each (video_t, x, y)."""
    samples = []
    for (t0, x0, y0), (t1, x1, y1) in pairwise(points):
        steps = max(1, round((t1 - t0) * rate))
        samples += [(t0 + (t1 - t0) * i / steps, x0 + (x1 - x0) * i / steps, y0 + (y1 - y0) * i / steps) for i in range(steps)]
    return [*samples, points[-1]]


def _event(t: float, start: float, kind: str, **fields: Any) -> dict[str, Any]:
    return {"t": t, "type": kind, **fields, "frame": round((start + t) * 60), "video_t": start + t, "sigma_ms": 1.2, "confidence": 0.99}


def _ruling(outcome: str, scores: list[int], **fields: Any) -> dict[str, Any]:
    state = {
        "player": 0,
        "scores": scores,
        "target": 30,
        "opening": False,
        "cue_ball": "white",
        "placement": "as_lies",
        "positions": {},
        "waiting": [],
    }
    state |= fields.pop("state", {})
    return {
        "outcome": outcome, "points": 0, "opponent_points": 0, "items": [], "fouls": [], "void_call": None, "turn": "passes",
        "state": state, "game_over": False, "winner": None, "explanation": {"ru": "—", "en": "—"},
    } | fields  # fmt: skip


def document() -> dict[str, Any]:
    first = {
        "index": 1, "start_t": 2.5, "end_t": 7.0, "start_frame": 150, "end_frame": 420, "cue_ball": "white", "player": 0,
        "positions_before": dict(OPENING), "positions_after": OPENING | {"white": (2300.0, 700.0), "yellow": None},
        "events": [
            _event(0.0, 2.5, "strike", ball="white"), _event(0.8, 2.5, "contact", balls=["white", "yellow"]),
            _event(1.2, 2.5, "cushion", ball="yellow", cushion="left"), _event(1.9, 2.5, "pocket", ball="yellow", pocket="foot-right"),
            _event(4.5, 2.5, "stop", ball="white"),
        ],
        "call": "жёлтый от борта в правый дальний угол",
        "ruling": _ruling(
            "scored", [6, 0], points=6, turn="stays",
            items=[{"rule": "8.2", "ball": "yellow", "points": 3}, {"rule": "9.1", "ball": "yellow", "points": 3}],
            state={"cue_ball": "yellow", "placement": "in_hand"},
            explanation={"ru": "Жёлтый сыгран по заказу от одного борта: 3 очка (8.2) и бонус 3 (9.1).",
                         "en": "Yellow potted as called off one cushion: 3 points (8.2), bonus 3 (9.1)."},
        ),
        "review": [],
    }  # fmt: skip
    second_places = {"white": (2300.0, 700.0), "yellow": (1400.0, 500.0), "red": (887.5, 887.5), "black": (1775.0, 887.5)}
    second = {
        "index": 2, "start_t": 20.0, "end_t": 24.0, "start_frame": 1200, "end_frame": 1440, "cue_ball": "yellow", "player": 0,
        "positions_before": second_places, "positions_after": second_places | {"yellow": (2900.0, 1300.0), "black": (1500.0, 1200.0)},
        "events": [
            _event(0.0, 20.0, "strike", ball="yellow"), _event(0.3, 20.0, "contact", balls=["yellow", "black"]),
            _event(1.1, 20.0, "cushion", ball="yellow", cushion="left"), _event(4.0, 20.0, "stop", ball="yellow"),
        ],
        "call": None,
        "ruling": _ruling(
            "foul", [6, 3], opponent_points=3, fouls=[{"rule": "12.4", "balls": ["yellow", "black"], "event": 1}],
            state={"player": 1},
            explanation={"ru": "Биток коснулся чёрного раньше прицельного шара (12.4): штраф 3 очка.",
                         "en": "The cue ball met black before an object ball (12.4): 3 penalty points."},
        ),
        "review": [{"event": 2, "reason": "two contacts within 2 ms <b>"}],
    }  # fmt: skip
    third = {
        "index": 3, "start_t": 40.0, "end_t": 44.0, "start_frame": 2400, "end_frame": 2640, "cue_ball": "white", "player": 1,
        "positions_before": OPENING, "positions_after": OPENING,
        "events": [_event(0.0, 40.0, "strike", ball="white")], "call": "ерунда", "ruling": None, "review": [],
    }  # fmt: skip
    return {
        "poedinok": "0.1.0", "video": {"file": "match <1>.mp4", "frames": 2700, "time_base": "1/60000", "width": 1920, "height": 1080},
        "table": {"name": "pyramid-12ft", "length_mm": 3550, "width_mm": 1775, "ball_mm": 68, "reprojection_mm": 1.1},
        "players": ["Анна & Ко", "Борис"], "target": 30, "notes": ["calibrated on the video itself"],
        "shots": [first, second, third], "scores": [6, 3], "winner": None,
    }  # fmt: skip


def paths() -> dict[int, dict[str, list[Sample]]]:
    return {
        1: {
            "white": line((2.5, 500, 600), (3.3, 2606, 870), (7.0, 2300, 700)),
            "yellow": line((3.3, 2662.5, 887.5), (3.7, 3080, 1741), (4.4, 3560, -10)),
        },
        2: {
            "yellow": line((20.0, 1400, 500), (20.3, 1725, 840), (21.1, 2450, 1741), (24.0, 2900, 1300)),
            "black": line((20.3, 1775, 887.5), (22.0, 1500, 1200)),
        },
    }
