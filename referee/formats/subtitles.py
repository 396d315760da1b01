"""Calls and rulings as subtitles beside the video: SRT and WebVTT, and the titles of strokes that chapters and clips share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from referee import words
from referee.formats.folder import Analysis
from referee.reasons import told_by_clock
from referee.words import Text

_CALL = 4.0  # s before the stroke from which its call is shown
_RULING = 6.0  # s that a ruling stays, unless the next call or stroke comes
_LEAST = 0.5  # s that anything is shown
_READ = 17.0  # letters that are read in a second
_QUICK, _SLOW = 1.5, 5.0  # s that reading takes at least, and that a text is given at most while something waits


@dataclass(frozen=True, slots=True)
class Caption:
    """A text shown from `start` to `end`, s of the video; `waits`: until when at the most it may be put off for the text before it."""

    start: float
    end: float
    text: str
    waits: float = 0.0


def captions(analysis: Analysis, lang: str = "ru") -> list[Caption]:
    """The call before each stroke and the ruling after it; none overlaps the next or lasts longer than the video."""
    shots = analysis.document["shots"]
    players = analysis.document.get("players") or ["A", "B"]
    raw: list[Caption] = []
    score = [0, 0]
    rested = 0.0
    for shot in shots:
        call = shot.get("call")
        if call:
            said = call if isinstance(call, str) else Text("заказ принят", "called")(lang)
            # the ruling before it is read first, for half of the pause at least
            since = max(shot["start_t"] - _CALL, (rested + shot["start_t"]) / 2 if rested else 0.0)
            raw.append(Caption(since, shot["end_t"], f"{_player(players, shot)}: «{said}»", max(since, shot["start_t"])))
        rested = shot["end_t"]
        if shot["ruling"]:
            score = shot["ruling"]["state"]["scores"]
            raw.append(Caption(shot["end_t"], shot["end_t"] + _RULING, _ruled(shot, players, score, lang)))
        elif shot["review"]:
            raw.append(Caption(shot["end_t"], shot["end_t"] + _RULING, _doubt(shot, lang)))
    return _apart(raw, analysis.document["video"].get("duration") or float("inf"))


def title(shot: Mapping[str, Any], players: Sequence[str], lang: str = "ru") -> str:
    """A stroke in a few words, as chapters and clips are called: number, player, what it brought."""
    head = f"{shot['index']}. {_player(players, shot)}"
    ruling = shot["ruling"]
    if not ruling:
        return head
    parts = [words.rule(item["rule"])(lang) for item in (*ruling["items"], *ruling["fouls"])]
    gain = f" +{ruling['points']}" if ruling["points"] else ""
    lost = Text(f" (+{ruling['opponent_points']} сопернику)", f" (+{ruling['opponent_points']} to the opponent)")(lang)
    return f"{head}: {', '.join(dict.fromkeys(p for p in parts if p)) or words.OUTCOME[ruling['outcome']](lang).lower()}" + (
        gain if ruling["points"] else lost if ruling["opponent_points"] else ""
    )


def _ruled(shot: Mapping[str, Any], players: Sequence[str], score: Sequence[int], lang: str) -> str:
    lines = [shot["ruling"]["explanation"][lang], f"{players[0]} {score[0]} : {score[1]} {players[1]}"]
    if shot["review"]:
        lines.append(_doubt(shot, lang))
    return "\n".join(lines)


def _doubt(shot: Mapping[str, Any], lang: str) -> str:
    reason = shot["review"][0]["reason"]
    return Text(f"Проверить: {told_by_clock(reason).ru}", f"To check: {told_by_clock(reason).en}")(lang)


def _player(players: Sequence[str], shot: Mapping[str, Any]) -> str:
    number = shot.get("player")
    return players[number] if number in (0, 1) else "?"


def _apart(raw: Sequence[Caption], duration: float) -> list[Caption]:
    """One after the other. A text that has not been read yet puts off the next one as far as this may wait; what would begin when the
    video is nearly over begins earlier."""
    ordered = sorted(raw, key=lambda caption: caption.start)
    found: list[Caption] = []
    free = 0.0
    for k, caption in enumerate(ordered):
        start, end, last = max(caption.start, free), min(caption.end, duration), k + 1 == len(ordered)
        reading = min(max(len(caption.text) / _READ, _QUICK), _SLOW)
        if not last:
            following = ordered[k + 1]
            end = min(end, max(following.start, min(start + reading, following.waits)))
        elif found and end - start < reading:  # the end of the video: the text before gives way, down to half of its time
            start = max(min(start, end - reading), (found[-1].start + found[-1].end) / 2)
            found[-1] = replace(found[-1], end=min(found[-1].end, start))
        if end - start >= _LEAST:
            found.append(Caption(start, end, _in_one(caption.text)))
            free = end
    return found


def _in_one(text: str) -> str:
    """A text without what ends a caption in both formats: an empty line, and the arrow between times."""
    return "\n".join(line.strip() for line in text.splitlines() if line.strip()).replace("-->", "→")


def srt(lines: Sequence[Caption]) -> str:
    """SubRip."""
    return "\n".join(f"{n}\n{_clock(c.start, ',')} --> {_clock(c.end, ',')}\n{c.text}\n" for n, c in enumerate(lines, 1))


def webvtt(lines: Sequence[Caption]) -> str:
    """WebVTT (W3C)."""
    escaped = [(c, c.text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")) for c in lines]
    return "WEBVTT\n\n" + "\n".join(f"{_clock(c.start, '.')} --> {_clock(c.end, '.')}\n{text}\n" for c, text in escaped)


def _clock(seconds: float, point: str) -> str:
    millis = max(0, round(seconds * 1000))
    minutes, millis = divmod(millis, 60_000)
    return f"{minutes // 60:02d}:{minutes % 60:02d}:{millis // 1000:02d}{point}{millis % 1000:03d}"
