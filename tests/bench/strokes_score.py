"""One stroke's analysis against its truth: a line of the results. What counts as right is the scorer's beside the clips."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

TOLERANCE = 0.060  # s
_RULING = ("outcome", "points", "opponent_points", "turn")
_MOST_AT_REST = 60  # places at rest kept of a stroke: they hardly differ


def scored(score: ModuleType, truth_path: Path, out: Path) -> dict[str, Any]:
    """The scores of a video with one stroke.

    `events`: [type, "hit" | "missed" | "invented", error in ms or None, confidence or None] each. `right`: the ruling is the
    truth's (every event, where there is no ruling) and no second stroke was ruled. `review`: the doubts' reasons;
    a stroke that was not found has none, since nobody is told of it. `offered`: the truth's ruling is among their alternatives. `refused`:
    nothing was measured, and the analysis says why.
    """
    truth, match = (json.loads(p.read_text("utf-8")) for p in (truth_path, out / "match.json"))
    wanted, found = truth["shots"], match["shots"]
    pairs = score.pair_shots(wanted, found)
    shot = found[pairs[0][1]] if pairs else None
    blind = next((note for note in match["notes"] if "nothing is measured" in note), None)
    if shot is None and blind:
        return {"refused": blind}
    extra = [s for s in found if s is not shot]
    line: dict[str, Any] = {"found": shot is not None, "extra": len(extra), "extra_sure": sum(not s["review"] for s in extra)}
    line |= _events(score, wanted[0], shot)
    line |= _places(score, truth, truth_path, out)
    line["review"] = [d["reason"] for d in shot["review"]] if shot else []
    want, got = wanted[0]["ruling"], (shot or {}).get("ruling") or {}
    line["ruled_right"] = None if not want else _same(want, got)
    line["offered"] = any(_same(want or {}, way["ruling"] or {}) for d in (shot or {}).get("review", ()) for way in d["alternatives"])
    line["rulings"] = [[r.get(k) for k in _RULING] + [[f["rule"] for f in r.get("fouls", ())]] for r in (want or {}, got)]
    exact = all(e[1] == "hit" for e in line["events"])
    line["right"] = bool(shot) and not line["extra_sure"] and (exact if line["ruled_right"] is None else line["ruled_right"])
    line["confidence"] = _confidence(shot)
    return line


def _same(want: Mapping[str, Any], got: Mapping[str, Any]) -> bool:
    return all(want.get(k) == got.get(k) for k in _RULING)


def _events(score: ModuleType, wanted: Mapping[str, Any], shot: Mapping[str, Any] | None) -> dict[str, Any]:
    a = [e for e in wanted["events"] if e["type"] in score.COUNTED]
    b = [e for e in shot["events"] if e["type"] in score.COUNTED] if shot else []
    matched, missed, spurious = score.match_events(a, b, TOLERANCE)
    events = [[t["type"], "hit", round(1000 * (f["video_t"] - t["video_t"]), 2), f.get("confidence")] for t, f in matched]
    events += [[e["type"], "missed", None, None] for e in missed]
    events += [[e["type"], "invented", None, e.get("confidence")] for e in spurious]
    cue = wanted["cue_ball"]
    return {
        "events": events,
        "missed": [f"{_name(e)} at {e['video_t']:.3f}" for e in missed],
        "invented": [f"{_name(e)} at {e['video_t']:.3f}" for e in spurious],
        "cue_right": bool(shot) and shot.get("cue_ball") == cue,
        "first_right": bool(shot) and score.first_contact(a, cue) == score.first_contact(b, shot.get("cue_ball")),
    }


def _name(e: Mapping[str, Any]) -> str:
    parts = [e["type"], *sorted(e["balls"])] if e.get("balls") else [e["type"], e.get("ball"), e.get("cushion") or e.get("pocket")]
    return " ".join(p for p in parts if p)


def _places(score: ModuleType, truth: Mapping[str, Any], truth_path: Path, out: Path) -> dict[str, Any]:
    tracks = truth_path.with_name(truth_path.name.replace(".truth.json", ".tracks.csv"))
    rest, moving, absent, total = score.position_errors(truth, str(tracks), str(out / "tracks.csv"))
    thin = max(1, math.ceil(len(rest) / _MOST_AT_REST))
    return {"rest_mm": _short(rest[::thin]), "moving_mm": _short(moving), "unseen": absent, "places": total}


def _short(values: Sequence[float]) -> list[float]:
    return [round(v, 2) for v in values]


def _confidence(shot: Mapping[str, Any] | None) -> float:
    """Of the stroke as a whole if the document says it, else of its least sure event."""
    if shot is None:
        return 1.0  # silence says that there was no stroke
    if shot.get("confidence") is not None:
        return float(shot["confidence"])
    return min((float(e["confidence"]) for e in shot["events"] if e.get("confidence") is not None), default=1.0)
