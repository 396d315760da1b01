"""The picture of a snooker (rule 10, D8): what lies between the cue ball and each ball that it may meet."""

from __future__ import annotations

from collections.abc import Mapping
from math import dist, hypot
from typing import Any

from calibration.table import Point, Table
from referee import words
from referee.rules.snooker import snookered
from referee.words import Text

LEGAL = {"white": ("yellow",), "yellow": ("white", "red")}
_LINE = "#ffd9d6"


def hidden(shot: Mapping[str, Any], table: Table) -> dict[str, tuple[str, ...]]:
    """{legal ball: the balls in the way to it} before an entry of `shots`; empty if the cue ball is not snookered.

    A ball is in the way when it reaches into the strip that the cue ball sweeps on its way to the middle of the legal one.
    """
    places = {b: (float(p[0]), float(p[1])) for b, p in shot["positions_before"].items() if p is not None}
    cue = str(shot.get("cue_ball") or "")
    legal = [b for b in LEGAL.get(cue, ()) if b in places]
    if cue not in places or not legal or not snookered(cue, places, tuple(legal), table):
        return {}
    return {b: tuple(o for o in places if o not in (cue, b) and _between(places[cue], places[b], places[o], table.ball)) for b in legal}


def _between(start: Point, end: Point, ball: Point, reach: float) -> bool:
    far = dist(start, end)
    if far == 0:
        return False
    along = ((ball[0] - start[0]) * (end[0] - start[0]) + (ball[1] - start[1]) * (end[1] - start[1])) / far
    aside = abs((ball[0] - start[0]) * (end[1] - start[1]) - (ball[1] - start[1]) * (end[0] - start[0])) / far
    return 0 < along < far and aside < reach


def drawn(shot: Mapping[str, Any], table: Table) -> list[str]:
    """SVG parts of a plan: the strip to each hidden ball, and a ring round what is in the way."""
    parts = []
    before = shot["positions_before"]
    for ball, blockers in hidden(shot, table).items():
        (x, y), (u, v) = before[shot["cue_ball"]], before[ball]
        far = hypot(u - x, v - y) or 1.0
        nx, ny = -(v - y) / far * table.radius, (u - x) / far * table.radius
        corners = [(x + nx, y + ny), (u + nx, v + ny), (u - nx, v - ny), (x - nx, y - ny)]
        points = " ".join(f"{a:.0f},{table.width - b:.0f}" for a, b in corners)
        parts.append(
            f'<polygon class="snooker" points="{points}" fill="{_LINE}" fill-opacity=".16" stroke="{_LINE}" '
            'stroke-width="5" stroke-dasharray="26 18"/>'
        )
        for other in blockers:
            a, b = before[other]
            parts.append(
                f'<circle class="snooker" cx="{a:.0f}" cy="{table.width - b:.0f}" r="{1.7 * table.radius:.0f}" fill="none" '
                f'stroke="{_LINE}" stroke-width="8"/>'
            )
    return parts


def told(shot: Mapping[str, Any], table: Table) -> Text | None:
    """The snooker in words, or None."""
    found = hidden(shot, table)
    if not found:
        return None
    ru = "; ".join(f"{words.ball(b).ru} — {_names(o, 'ru') or 'губа'}" for b, o in found.items())
    en = "; ".join(f"{words.ball(b).en}: {_names(o, 'en') or 'a jaw'}" for b, o in found.items())
    return Text(f"Снукер. Что закрывает: {ru}.", f"Snookered. In the way: {en}.")


def _names(balls: tuple[str, ...], lang: str) -> str:
    return ", ".join(words.ball(b)(lang) for b in balls)
