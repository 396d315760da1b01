"""Events in the form of SoccerNet's action spotting, so that its tools and scorers read them: `annotations` as in its Labels-v2.json,
and `predictions` as in the results_spotting.json that its scorer compares with labels made by hand.

`position` is in milliseconds, `team` is that of the player at the table: the first player is `home`, the second `away`.
What SoccerNet has no field for (balls, cushion, pocket, stroke, error bar, points) stands beside it and is ignored there.
"""

from __future__ import annotations

from typing import Any

from referee.formats.folder import Analysis

_TEAMS = ("home", "away")
_OWN = ("ball", "balls", "cushion", "pocket", "over", "over_jaw", "jaws", "at", "sigma_ms")


def soccernet(analysis: Analysis) -> dict[str, Any]:
    """All events and rulings of a match, by time."""
    notes = []
    for shot in analysis.document["shots"]:
        team = _TEAMS[shot["player"]] if shot.get("player") in (0, 1) else "not applicable"
        for event in shot["events"]:
            at = event.get("video_t", shot["start_t"] + event["t"])
            own = {name: event[name] for name in _OWN if name in event}
            notes.append(_note(at, event["type"], team, event.get("confidence", 1.0)) | {"stroke": shot["index"]} | own)
        ruling = shot["ruling"]
        if ruling:
            rules = [item["rule"] for item in (*ruling["items"], *ruling["fouls"])]
            points = {"points": ruling["points"], "opponent_points": ruling["opponent_points"]}
            known = {"stroke": shot["index"], "rules": rules, "settled": not shot["review"]}
            notes.append(_note(shot["end_t"], f"ruling: {ruling['outcome']}", team, 1.0) | known | points)
    players = analysis.document.get("players") or ["A", "B"]
    notes.sort(key=lambda note: int(note["position"]))
    return {
        "UrlLocal": analysis.document["video"]["file"],
        "gameHomeTeam": players[0],
        "gameAwayTeam": players[1],
        "gameScore": " - ".join(str(score) for score in analysis.document.get("scores", (0, 0))),
        "annotations": notes,
        "predictions": [{name: note[name] for name in ("gameTime", "label", "position", "half", "confidence")} for note in notes],
    }


def _note(at: float, label: str, team: str, confidence: float) -> dict[str, Any]:
    whole = max(0, int(at))
    return {
        "gameTime": f"1 - {whole // 60:02d}:{whole % 60:02d}",
        "label": label,
        "position": str(max(0, round(at * 1000))),
        "half": "1",
        "team": team,
        "visibility": "visible",
        "confidence": f"{confidence:.3f}",
    }
