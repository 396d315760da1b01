"""The plan of one stroke as SVG: the table, the paths of the balls, the events by number, places before and after.

Drawn in millimetres of the table with home at the left and the left cushion at the top, so y is turned over.
"""

from __future__ import annotations

import itertools
import json
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from math import atan2, cos, degrees, dist, pi, sin
from typing import Any

from calibration.table import Pocket, Table
from referee import words
from referee.report import snooker

Point = tuple[float, float]
Sample = tuple[float, float, float]  # video_t, x, y
Paths = Mapping[str, Sequence[Sample]]

RAIL = 165.0  # wood and rubber around the nose lines, mm
RUBBER = 52.0
FILL = {"white": "#f7f4ea", "yellow": "#f2b807", "red": "#c8201f", "black": "#1c1c1e"}
TRACK = FILL | {"red": "#f2483c"}  # brighter than the ball: a thin line on green cloth
INK = {"white": "#333", "yellow": "#3b2a00", "red": "#fff", "black": "#fff"}
UNMARKED = {"strike", "midline", "stop"}
SIMPLE = 2.5  # a path is drawn to this many mm
BALL = 1.2  # balls are drawn this much larger than they are
MARK = 42.0  # radius of an event's number


def table_symbol(table: Table, name: str = "table") -> str:
    """The empty table as a symbol that every plan of a page uses."""
    length, width = table.length, table.width
    parts = [
        f'<rect x="{-RAIL}" y="{-RAIL}" width="{length + 2 * RAIL}" height="{width + 2 * RAIL}" rx="70" fill="#5a3a22"/>',
        f'<rect x="{-RAIL + 14}" y="{-RAIL + 14}" width="{length + 2 * RAIL - 28}" height="{width + 2 * RAIL - 28}" rx="58" fill="none" '
        'stroke="#7b5535" stroke-width="8"/>',
        f'<rect x="{-RUBBER}" y="{-RUBBER}" width="{length + 2 * RUBBER}" height="{width + 2 * RUBBER}" fill="#1d5a41"/>',
        f'<rect width="{length}" height="{width}" fill="#2e7f5e"/>',
        f'<path d="M{length / 4} 0V{width}M{length / 2} 0V{width}" stroke="#fff" stroke-opacity=".28" stroke-width="4"/>',
    ]
    parts += [f'<circle cx="{x}" cy="{width - y}" r="9" fill="#fff" fill-opacity=".5"/>' for x, y in table.spots.values()]
    parts += [_pocket(p, width) for p in table.pockets]
    parts += _diamonds(table)
    return (
        f'<symbol id="{name}" viewBox="{-RAIL} {-RAIL} {length + 2 * RAIL} {width + 2 * RAIL}" overflow="visible">'
        + "".join(parts)
        + "</symbol>"
    )


def _pocket(pocket: Pocket, width: float) -> str:
    """The hole and its mouth between the two jaws, painted over the rubber."""
    a, b = pocket.jaws
    reach = 95.0 if pocket.corner else 75.0
    outline = [a.tip, _ahead(a.tip, a.throat, reach), _ahead(b.tip, b.throat, reach), b.tip]
    corners = " ".join(f"{x:.0f},{width - y:.0f}" for x, y in outline)
    x, y = pocket.centre
    return (
        f'<polygon points="{corners}" fill="#2a7355"/>'
        f'<circle cx="{x:.0f}" cy="{width - y:.0f}" r="{pocket.radius + 6:.0f}" fill="#15100c" stroke="#3d2615" stroke-width="10"/>'
    )


def _diamonds(table: Table) -> list[str]:
    middle = (RAIL + RUBBER) / 2
    eighths = [table.length * i / 8 for i in range(1, 8) if i != 4]
    quarters = [table.width * i / 4 for i in range(1, 4)]
    places = [(x, y) for x in eighths for y in (-middle, table.width + middle)] + [
        (x, y) for y in quarters for x in (-middle, table.length + middle)
    ]
    return [f'<circle cx="{x:.0f}" cy="{y:.0f}" r="8" fill="#d9c7a3"/>' for x, y in places]


def _ahead(start: Point, direction: Point, by: float) -> Point:
    return (start[0] + direction[0] * by, start[1] + direction[1] * by)


def place_at(path: Sequence[Sample], t: float) -> Point | None:
    """Where a ball is at a video time, between the samples; None without samples."""
    if not path:
        return None
    i = bisect_left(path, t, key=lambda s: s[0])
    if i == 0 or i == len(path):
        return tuple(path[min(i, len(path) - 1)][1:])  # type: ignore[return-value]
    (t0, x0, y0), (t1, x1, y1) = path[i - 1], path[i]
    w = (t - t0) / (t1 - t0) if t1 > t0 else 0.0
    return (x0 + w * (x1 - x0), y0 + w * (y1 - y0))


def simplify(points: Sequence[Point], tolerance: float = SIMPLE) -> list[Point]:
    """The path with the fewest of its points that stays within `tolerance` of it (Ramer-Douglas-Peucker)."""
    if len(points) < 3:
        return list(points)
    keep = [False] * len(points)
    keep[0] = keep[-1] = True
    stack = [(0, len(points) - 1)]
    while stack:
        first, last = stack.pop()
        if last - first < 2:
            continue
        far, where = max((_off_line(points[i], points[first], points[last]), i) for i in range(first + 1, last))
        if far > tolerance:
            keep[where] = True
            stack += [(first, where), (where, last)]
    return [p for p, k in zip(points, keep, strict=True) if k]


def _off_line(p: Point, a: Point, b: Point) -> float:
    length = dist(a, b)
    if length == 0:
        return dist(p, a)
    along = ((p[0] - a[0]) * (b[0] - a[0]) + (p[1] - a[1]) * (b[1] - a[1])) / length**2
    along = min(1.0, max(0.0, along))
    return dist(p, (a[0] + along * (b[0] - a[0]), a[1] + along * (b[1] - a[1])))


def plan(shot: Mapping[str, Any], table: Table, paths: Paths, *, symbol: str = "table") -> str:
    """The SVG of one entry of `shots` in match.json.

    Args:
        shot: the entry.
        table: the table it was played on.
        paths: the balls' paths in mm, by ball; a ball without a path did not move or was not seen to.
        symbol: the id of `table_symbol` in the page.
    """
    before, after = shot["positions_before"], shot["positions_after"]
    width = table.width
    lines = {ball: _flip(simplify(_whole_path(ball, path, before, after)), width) for ball, path in paths.items() if path}
    lines = {ball: line for ball, line in lines.items() if _length(line) > table.radius / 2}
    parts = [f'<use href="#{symbol}" x="{-RAIL}" y="{-RAIL}" width="{table.length + 2 * RAIL}" height="{width + 2 * RAIL}"/>']
    if table.pockets:
        parts += snooker.drawn(shot, table)
    for ball, line in lines.items():
        parts.append(_path(ball, line))
    taken: list[tuple[Point, float]] = []
    for ball, place in before.items():
        if place is not None and (ball in lines or after.get(ball) is None):
            at = (place[0], width - place[1])
            parts.append(_ball(ball, at, BALL * table.radius, ghost=True))
            taken.append((at, table.radius))
    for ball, place in after.items():
        if place is not None:
            at = (place[0], width - place[1])
            parts.append(_ball(ball, at, BALL * table.radius, moved=ball in lines))
            taken.append((at, table.radius))
    parts += _marks(shot, table, paths, taken)
    box = f"{-RAIL} {-RAIL} {table.length + 2 * RAIL} {width + 2 * RAIL}"
    return f'<svg class="plan" viewBox="{box}" role="img"{_motion(shot, table, paths, lines)}>{"".join(parts)}</svg>'


def _motion(shot: Mapping[str, Any], table: Table, paths: Paths, moved: Iterable[str]) -> str:
    """What script.js plays: the moved balls' places by ms after the start of the stroke."""
    moving = {
        ball: [[round(1000 * (t - shot["start_t"])), round(x), round(table.width - y)] for t, x, y in thinned(paths[ball])]
        for ball in moved
    }
    if not moving:
        return ""
    return f' data-paths="{escape(json.dumps(moving))}" data-fills="{escape(json.dumps(FILL))}" data-radius="{BALL * table.radius:.0f}"'


def thinned(path: Sequence[Sample], tolerance: float = 6.0) -> list[Sample]:
    """The samples that are needed to know the ball's place at any time to `tolerance` mm."""
    if not path:
        return []
    kept, start = [path[0]], 0
    for i in range(2, len(path)):
        ends = [path[start], path[i]]
        if any(dist(path[k][1:], place_at(ends, path[k][0]) or path[k][1:]) > tolerance for k in range(start + 1, i)):
            start = i - 1
            kept.append(path[start])
    return [*kept, path[-1]] if len(path) > 1 else kept


def _whole_path(ball: str, path: Sequence[Sample], before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Point]:
    points = [(x, y) for _, x, y in path]
    start, end = before.get(ball), after.get(ball)
    return ([tuple(start)] if start else []) + points + ([tuple(end)] if end else [])


def _flip(points: Iterable[Point], width: float) -> list[Point]:
    return [(x, width - y) for x, y in points]


def _length(line: Sequence[Point]) -> float:
    return sum(dist(a, b) for a, b in itertools.pairwise(line))


def _path(ball: str, line: Sequence[Point]) -> str:
    d = "M" + "L".join(f"{x:.0f} {y:.0f}" for x, y in line)
    colour = TRACK.get(ball, "#888")
    casing = "#fff" if ball == "black" else "#000"
    arrows = "".join(
        f'<path d="M-22-17L20 0L-22 17Z" transform="translate({x:.0f} {y:.0f})rotate({angle:.0f})" fill="{colour}" stroke="{casing}" '
        'stroke-opacity=".35" stroke-width="5"/>'
        for x, y, angle in _arrows(line)
    )
    stroke = 'fill="none" stroke-linejoin="round" stroke-linecap="round"'
    return (
        f'<path d="{d}" {stroke} stroke="{casing}" stroke-opacity=".28" stroke-width="22"/>'
        f'<path d="{d}" {stroke} stroke="{colour}" stroke-width="12"/>{arrows}'
    )


def _arrows(line: Sequence[Point]) -> Iterable[tuple[float, float, float]]:
    """An arrow in the middle of each long straight leg of a path."""
    for a, b in itertools.pairwise(line):
        if dist(a, b) > 320:
            yield ((a[0] + b[0]) / 2, (a[1] + b[1]) / 2, degrees(atan2(b[1] - a[1], b[0] - a[0])))


def _ball(ball: str, at: Point, radius: float, *, ghost: bool = False, moved: bool = False) -> str:
    x, y = at
    colour = FILL.get(ball, "#888")
    if ghost:
        edge = "#ddd" if ball == "black" else colour
        return (
            f'<circle cx="{x:.0f}" cy="{y:.0f}" r="{radius - 3:.0f}" fill="{colour}" fill-opacity=".3" stroke="{edge}" stroke-width="6" '
            f'stroke-dasharray="18 10"/>'
        )
    letter, ink = words.LETTER.get(ball, words.Text("?", "?")), INK.get(ball, "#fff")
    size = radius * 1.25
    at_text = f'x="{x:.0f}" y="{y + size * 0.36:.0f}" font-size="{size:.0f}" fill="{ink}"'
    label = "".join(f'<text lang="{lang}" {at_text}>{escape(letter(lang))}</text>' for lang in ("ru", "en"))
    disc = f'<circle cx="{x:.0f}" cy="{y:.0f}" r="{radius:.0f}" fill="{colour}" stroke="#0008" stroke-width="4"/>'
    return f'<g class="{"rest" if moved else "still"}">{disc}{label}</g>'


def event_place(event: Mapping[str, Any], table: Table, paths: Paths, shot: Mapping[str, Any]) -> Point | None:
    """Where on the table an event happened, mm; None if no path tells."""
    kind, t = event["type"], event.get("video_t")
    if kind == "pocket" and table.pockets:
        return next((p.centre for p in table.pockets if p.name == event.get("pocket")), None)
    who = event.get("balls") or [event.get("ball")]
    places = [p for p in (_where(ball, t, paths, shot) for ball in who if ball) if p]
    if not places:
        return None
    x, y = sum(p[0] for p in places) / len(places), sum(p[1] for p in places) / len(places)
    if kind == "cushion":  # the touching point on the nose line, a radius beyond the centre
        r = table.radius
        return {"home": (x - r, y), "foot": (x + r, y), "left": (x, y + r), "right": (x, y - r)}.get(event.get("cushion", ""), (x, y))
    return (x, y)


def _where(ball: str, t: float | None, paths: Paths, shot: Mapping[str, Any]) -> Point | None:
    if t is not None and paths.get(ball):
        return place_at(paths[ball], t)
    place = shot["positions_before"].get(ball)
    return tuple(place) if place else None


def _marks(shot: Mapping[str, Any], table: Table, paths: Paths, taken: list[tuple[Point, float]]) -> list[str]:
    """The numbers of the events, each beside its place where it covers neither a ball nor another number."""
    fouls = {f.get("event") for f in (shot.get("ruling") or {}).get("fouls", ())}
    doubts = {d.get("event") for d in shot.get("review", ())}
    parts = []
    for index, event in enumerate(shot["events"]):
        if event["type"] in UNMARKED and index not in fouls and index not in doubts:
            continue
        place = event_place(event, table, paths, shot)
        if place is None:
            continue
        spot = (place[0], table.width - place[1])
        at = _free_place(spot, taken, table)
        taken.append((at, MARK))
        kind = "foul" if index in fouls else "doubt" if index in doubts else "event"
        parts.append(_mark(index, spot, at, kind, words.event(event)))
    return parts


def _mark(index: int, spot: Point, at: Point, kind: str, text: words.Text) -> str:
    (x0, y0), (x, y) = spot, at
    return (
        f'<g class="mark {kind}"><title>{index + 1}. {escape(text.ru)} / {escape(text.en)}</title>'
        f'<path d="M{x0:.0f} {y0:.0f}L{x:.0f} {y:.0f}"/><circle class="dot" cx="{x0:.0f}" cy="{y0:.0f}" r="9"/>'
        f'<circle cx="{x:.0f}" cy="{y:.0f}" r="{MARK:.0f}"/><text x="{x:.0f}" y="{y + 17:.0f}" font-size="50">{index + 1}</text></g>'
    )


def _free_place(spot: Point, taken: Sequence[tuple[Point, float]], table: Table) -> Point:
    best, best_cost = spot, float("inf")
    for step in range(3):
        for i in range(12):
            angle = i * pi / 6 + 0.3
            reach = 78 + 52 * step
            at = (spot[0] + reach * cos(angle), spot[1] + reach * sin(angle))
            cover = sum(max(0.0, r + MARK + 6 - dist(at, p)) for p, r in taken)
            margin = RAIL - MARK - 8
            outside = max(0.0, -margin - at[0], at[0] - table.length - margin) + max(0.0, -margin - at[1], at[1] - table.width - margin)
            cost = 10 * cover + 10 * outside + reach * 0.05
            if cost < best_cost:
                best, best_cost = at, cost
    return best
