"""Maps of the table for the season's page: where the cue ball rests, where balls fall, where the first contact is.

Drawn pale, with the house at the left and the left cushion at the top; places come as shares of length and width.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from calibration.table import Point
from referee.season.numbers import Rate
from referee.season.plots import INK, ONE, SOFT, dot, line, svg, text
from referee.season.statistics import Contact

_L, _W, _RAIL = 400.0, 200.0, 20.0
_GRIDS = ((600, (20, 10)), (0, (12, 6)))  # from so many places on, squares along and across the table
_FILL = {"white": "#fff", "yellow": "#f2b807", "red": "#c8201f", "black": "#1c1c1e"}
_POCKETS = {
    "home-left": (0.0, 1.0), "home-right": (0.0, 0.0), "middle-left": (0.5, 1.0), "middle-right": (0.5, 0.0),
    "foot-left": (1.0, 1.0), "foot-right": (1.0, 0.0),
}  # fmt: skip


def _at(place: Point) -> Point:
    return _RAIL + _L * place[0], _RAIL + _W * (1 - place[1])


def _table(*parts: str, under: str = "") -> str:
    frame = [
        f'<rect x="1" y="1" width="{_L + 2 * _RAIL - 2:g}" height="{_W + 2 * _RAIL - 2:g}" rx="10" fill="#e6e0d2"/>',
        f'<rect x="{_RAIL:g}" y="{_RAIL:g}" width="{_L:g}" height="{_W:g}" fill="#f8f6ef"/>',
        under,
        f'<rect x="{_RAIL:g}" y="{_RAIL:g}" width="{_L:g}" height="{_W:g}" fill="none" stroke="#8d8577" stroke-width="1.2"/>',
        line(*_at((0.25, 0)), *_at((0.25, 1)), "#b9b2a2", 1),
        *(dot(*_at((x, 0.5)), 1.8, "#b9b2a2") for x in (0.25, 0.5, 0.75)),
        *(dot(*_at(place), 6.5, "#59534a") for place in _POCKETS.values()),
    ]
    return svg(_L + 2 * _RAIL, _W + 2 * _RAIL, *frame, *parts, cls="plot map")


def heat_map(places: Sequence[Point]) -> tuple[str, int]:
    """Squares, darker where more places lie; and the count of the darkest."""
    columns, rows = next(grid for least, grid in _GRIDS if len(places) >= least)
    counts = Counter((min(columns - 1, max(0, int(x * columns))), min(rows - 1, max(0, int(y * rows)))) for x, y in places)
    most = max(counts.values(), default=0)
    wide, tall = _L / columns, _W / rows
    squares = [
        f'<rect x="{_RAIL + wide * c:.1f}" y="{_RAIL + tall * (rows - 1 - r):.1f}" width="{wide:g}" height="{tall:g}" '
        f'fill="{ONE}" fill-opacity="{0.12 + 0.78 * n / most:.2f}"/>'
        for (c, r), n in sorted(counts.items())
    ]
    return _table(under="".join(squares)), most


def pocket_map(pots: Mapping[str, int], success: Mapping[str, Rate]) -> str:
    """At each pocket a disc as large as the balls that fell there are many, their number, and below it the calls of that pocket."""
    most = max(pots.values(), default=0)
    parts = []
    for name, place in _POCKETS.items():
        x, y = _at(place)
        count, rate = pots.get(name, 0), success.get(name, Rate())
        if count:
            parts.append(dot(x, y, 7 + 12 * (count / most) ** 0.5, ONE, ' fill-opacity=".28"'))
        dx = {"home": 42, "midd": 0, "foot": -42}[name[:4]]
        dy = 40 if place[1] == 1 else -30
        anchor = {"home": "start", "midd": "middle", "foot": "end"}[name[:4]]
        shift = {"start": -8, "middle": 0, "end": 8}[anchor]
        parts.append(text(x + dx + shift, y + dy, str(count), anchor=anchor, size=19, fill=INK, bold=True))
        parts.append(text(x + dx + shift, y + dy + 14, f"{rate.made}/{rate.of}" if rate.of else "—", anchor=anchor, size=11.5))
    return _table(*parts)


def contact_map(contacts: Sequence[Contact]) -> str:
    """A dot where the ball met first lay: full if the stroke scored, a ring if not."""
    ordered = sorted(contacts, key=lambda c: c.scored)
    parts = []
    for c in ordered:
        x, y = _at(c.at)
        fill = _FILL.get(c.ball, SOFT)
        ring = {"white": "#8d8577", "yellow": "#c08c00"}.get(c.ball, fill)
        parts.append(
            dot(x, y, 3.6, fill, f' stroke="{INK}" stroke-width=".9"')
            if c.scored
            else dot(x, y, 3.1, "none", f' stroke="{ring}" stroke-width="1.1" stroke-opacity=".7"')
        )
    return _table(*parts)
