"""The document that `analyze` writes as match.json (contract: analysis)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from referee.codec import event_to_json, ruling_to_json
from referee.match import Match, Ruled
from referee.version import version
from vision.shot import Doubt, Event, Places, Stroke

if TYPE_CHECKING:
    from referee.alternatives import Alternative
    from vision.pipeline import VideoResult

# decimals that are more than the measurement is good for: s, s, ms, 1
_DECIMALS = {"t": 6, "video_t": 6, "sigma_ms": 2, "confidence": 3}


def document(video: VideoResult, match: Match, strokes: Sequence[Stroke], notes: Sequence[str]) -> dict[str, Any]:
    """match.json as plain values.

    Args:
        video: what was seen.
        match: the match, with one ruled stroke for each of `strokes`, in the same order.
        strokes: the strokes as they were ruled.
        notes: what a reader should know of the whole video.
    """
    info, table = video.video, video.profile.table
    last = next((r.ruling for r in reversed(match.strokes) if r.ruling), None)
    return {
        "poedinok": version(),
        "video": {
            "file": info.file,
            "frames": info.frames,
            "time_base": str(info.time_base),
            "width": info.width,
            "height": info.height,
            "duration": info.duration,
        },
        "table": {
            "name": table.name,
            "length_mm": _number(table.length),
            "width_mm": _number(table.width),
            "ball_mm": _number(table.ball),
            "reprojection_mm": _rounded(video.profile.reprojection_mm, 2),
            "home": video.profile.home or None,
        },
        "players": list(match.players),
        "target": match.state.target,
        "notes": list(notes),
        "shots": [shot_json(stroke, ruled) for stroke, ruled in zip(strokes, match.strokes, strict=True)],
        "scores": list(match.scores),
        "winner": last.winner if last else None,
    }


def shot_json(stroke: Stroke, ruled: Ruled) -> dict[str, Any]:
    """One entry of `shots`."""
    times = {"start_t": round(stroke.start_t, 6), "end_t": round(stroke.end_t, 6)}
    frames = {"start_frame": stroke.start_frame, "end_frame": stroke.end_frame}
    places = {ball: ruled.before.positions.get(ball) for ball in stroke.positions_before}
    return ruled_json(ruled, times | frames) | {"cue_ball": stroke.cue_ball, "positions_before": places_json(places)}


def ruled_json(ruled: Ruled, when: Mapping[str, float | None]) -> dict[str, Any]:
    """A stroke as it was ruled. `when`: its times and frames, which a ruling does not hold."""
    return {
        "index": ruled.stroke,
        **when,
        "player": ruled.before.player,
        "cue_ball": next((e.ball for e in ruled.shot.events if e.type == "strike"), None),
        # those that the stroke was ruled with: a ball that was not seen is where it should lie
        "positions_before": places_json(ruled.before.positions),
        "positions_after": places_json(ruled.shot.positions),
        "events": [event_json(event) for event in ruled.shot.events],
        "call": ruled.call if ruled.call is None or isinstance(ruled.call, str) else dict(ruled.call),
        "ruling": ruling_to_json(ruled.ruling) if ruled.ruling else None,
        "confidence": ruled.confidence,
        "review": review_json(ruled),
        "notes": [doubt_json(doubt) for doubt in ruled.notes],
    }


def review_json(ruled: Ruled) -> list[dict[str, Any]]:
    """`review` of a stroke: each doubt with what it may have been instead and the ruling then."""
    ways = ruled.ways or ((),) * len(ruled.review)
    return [
        doubt_json(doubt) | {"alternatives": [alternative_json(way) for way in instead]}
        for doubt, instead in zip(ruled.review, ways, strict=True)
    ]


def alternative_json(way: Alternative) -> dict[str, Any]:
    return {"label": way.label._asdict(), "ruling": ruling_to_json(way.ruling) if way.ruling else None}


def event_json(event: Event) -> dict[str, Any]:
    """An event with its evidence, rounded."""
    data = event_to_json(event)
    if event.at is not None:
        data["at"] = [round(v, 1) for v in event.at]
    return {name: round(value, _DECIMALS[name]) if name in _DECIMALS else value for name, value in data.items()}


def doubt_json(doubt: Doubt) -> dict[str, Any]:
    return {"event": doubt.event, "reason": doubt.reason}


def places_json(places: Places) -> dict[str, list[float] | None]:
    return {ball: None if place is None else [round(place[0], 1), round(place[1], 1)] for ball, place in places.items()}


def stroke_paths(strokes: Sequence[Stroke]) -> Mapping[int, dict[str, list[tuple[float, float, float]]]]:
    """The paths of each stroke's balls, by the stroke's index, as the report draws them."""
    return {
        index: {ball: [(p.video_t, p.x, p.y) for p in path] for ball, path in stroke.paths.items()}
        for index, stroke in enumerate(strokes, 1)
    }


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits)


def _number(value: float) -> float | int:
    return int(value) if float(value).is_integer() else value
