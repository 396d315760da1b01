"""The plots of the season's page as inline SVG. Hardly any words: they stand in the HTML around, in two languages.

Shared: a quiet axis with few numbers, one colour for what is measured, grey for its uncertainty, red for fouls.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from math import ceil, floor

from referee.season.numbers import Rate
from referee.season.statistics import Bin, Step
from referee.season.texts import number
from referee.words import Text

INK, SOFT, GRID, BAND = "#22262a", "#6b6f73", "#e4dfd3", "#bfcac1"
ONE, TWO, FOUL = "#14543c", "#b3701a", "#b3261e"


def svg(width: float, height: float, *parts: str, cls: str = "plot", label: str = "") -> str:
    """A picture of a viewBox in its own units."""
    name = f' aria-label="{escape(label)}"' if label else ""
    return f'<svg class="{cls}" viewBox="0 0 {width:g} {height:g}" role="img"{name}>{"".join(parts)}</svg>'


def line(x1: float, y1: float, x2: float, y2: float, stroke: str = GRID, width: float = 1, more: str = "") -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{stroke}" stroke-width="{width:g}"{more}/>'


def text(x: float, y: float, said: str | Text, *, anchor: str = "middle", size: float = 11, fill: str = SOFT, bold: bool = False) -> str:
    """A short text; one that differs between the languages is drawn in both, and the page shows one."""
    if isinstance(said, Text):
        if said.ru != said.en:
            both = (text(x, y, t, anchor=anchor, size=size, fill=fill, bold=bold) for t in said)
            return "".join(f'<g lang="{lang}">{t}</g>' for lang, t in zip(("ru", "en"), both, strict=True))
        said = said.en
    weight = ' font-weight="700"' if bold else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size:g}" fill="{fill}"{weight}>{escape(said)}</text>'


def dot(x: float, y: float, r: float, fill: str, more: str = "") -> str:
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{r:g}" fill="{fill}"{more}/>'


def interval_bar(rate: Rate) -> str:
    """A share on a line from 0 to 100 %: the dot, and the interval in which it may well lie."""
    width, y, left = 160.0, 9.0, 6.0
    scale = width - 2 * left
    parts = [line(left, y, width - left, y)] + [line(left + scale * q, y - 3, left + scale * q, y + 3) for q in (0, 0.5, 1)]
    if rate.share is not None:
        low, high = rate.interval
        parts.append(line(left + scale * low, y, left + scale * high, y, BAND, 6, ' stroke-linecap="round"'))
        parts.append(dot(left + scale * rate.share, y, 4.2, ONE))
    return svg(width, 18, *parts, cls="bar")


def length_bar(value: float, largest: float, fill: str = ONE) -> str:
    """A plain bar, the largest being full."""
    length = 156 * value / largest if largest else 0
    return svg(160, 18, f'<rect x="0" y="4" width="{max(length, 1.5):.1f}" height="10" rx="1.5" fill="{fill}"/>', cls="bar")


def success_plot(bins: Sequence[Bin], names: Sequence[Text]) -> str:
    """Success (up, 0..100 %) in each bin (across) with its interval; under each the count of strokes."""
    width, height, left, top, bottom = 400.0, 214.0, 38.0, 10.0, 44.0
    tall, step = height - top - bottom, (width - left - 8) / len(bins)
    parts = []
    for q in (0, 25, 50, 75, 100):
        y = top + tall * (1 - q / 100)
        parts += [line(left, y, width - 8, y), text(left - 6, y + 4, f"{q}%" if q in (0, 50, 100) else "", anchor="end")]
    last = None
    for n, (b, name) in enumerate(zip(bins, names, strict=True)):
        x = left + step * (n + 0.5)
        parts.append(text(x, height - 26, name, fill=INK))
        parts.append(text(x, height - 9, f"n={b.rate.of}" if b.rate.of else "—", size=10))
        if b.rate.share is None:
            last = None
            continue
        low, high = b.rate.interval
        y = top + tall * (1 - b.rate.share)
        if last:
            parts.insert(5, line(*last, x, y, BAND, 1.5))
        parts.append(line(x, top + tall * (1 - low), x, top + tall * (1 - high), BAND, 7, ' stroke-linecap="round"'))
        parts.append(dot(x, y, 4.5, ONE))
        last = (x, y)
    return svg(width, height, *parts)


def histogram(values: Sequence[float], step: float, median: float) -> str:
    """How often each range of `step` came up; the median is marked."""
    width, height, left, top, bottom = 400.0, 170.0, 30.0, 18.0, 26.0
    bars = max(4, ceil(max(values) / step + 1e-9))
    counts = [0] * bars
    for value in values:
        counts[min(bars - 1, int(value / step))] += 1
    tall, wide, most = height - top - bottom, (width - left - 10) / bars, max(counts)
    parts = []
    for y_value in ticks(most, 3):
        y = top + tall * (1 - y_value / most)
        parts += [line(left, y, width - 10, y), text(left - 6, y + 4, f"{y_value:g}", anchor="end")]
    for n, count in enumerate(counts):
        if count:
            high = tall * count / most
            x, y = left + wide * n + 0.8, top + tall - high
            parts.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{wide - 1.6:.1f}" height="{high:.1f}" fill="{BAND}"/>')
    every = max(1, round(1 / step)) * max(1, ceil(bars * step / 8))
    parts += [text(left + wide * n, height - 9, number(n * step, 0 if (n * step).is_integer() else 1)) for n in range(0, bars + 1, every)]
    x = left + wide * median / step
    parts += [line(x, top - 4, x, top + tall, ONE, 1.6), text(x, top - 7, number(median), fill=ONE, bold=True)]
    return svg(width, height, *parts)


def ticks(most: float, about: int) -> list[float]:
    """Round numbers from 0 to `most`, some `about` of them."""
    raw = max(most, 1) / about
    size = 10 ** floor(len(str(int(raw))) - 1)
    step = next((m * size for m in (1, 2, 5, 10) if m * size >= raw), 10 * size)
    return [n * step for n in range(int(most // step) + 1)]


def score_plot(steps: Sequence[Step], target: int | None) -> str:
    """The score after each stroke as two stairs; below, a lane for each player with a cross for a foul; rings for what is to be checked."""
    width, height, left, top, lanes = 400.0, 216.0, 30.0, 12.0, 58.0
    tall, wide = height - top - lanes, width - left - 30
    most = max([1, target or 0, *(max(s.scores) for s in steps)])
    first, last = steps[0].stroke - 1, max(steps[-1].stroke, steps[0].stroke + 4)

    def x(stroke: float) -> float:
        return left + wide * (stroke - first) / (last - first)

    def y(score: float) -> float:
        return top + tall * (1 - score / most)

    parts = [line(left, y(v), left + wide, y(v)) + text(left - 6, y(v) + 4, f"{v:g}", anchor="end") for v in ticks(most, 4)]
    if target:
        parts.append(line(left, y(target), left + wide, y(target), SOFT, 1, ' stroke-dasharray="3 3"'))
    ends = [y(steps[-1].scores[side]) for side in (0, 1)]
    if abs(ends[0] - ends[1]) < 12:
        high = 0 if ends[0] <= ends[1] else 1
        middle = sum(ends) / 2
        ends[high], ends[1 - high] = middle - 6, middle + 6
    for side, colour in ((1, TWO), (0, ONE)):
        way = f"M{x(first):.1f} {y(0 if steps[0].stroke == 1 else steps[0].scores[side]):.1f}"
        for s in steps:
            way += f"H{x(s.stroke):.1f}V{y(s.scores[side]):.1f}"
        parts.append(f'<path d="{way}" fill="none" stroke="{colour}" stroke-width="2.2" stroke-linejoin="round"/>')
        parts.append(
            text(x(steps[-1].stroke) + 6, ends[side] + 4, str(steps[-1].scores[side]), anchor="start", fill=colour, bold=True, size=12)
        )
    for side, colour in ((0, ONE), (1, TWO)):
        at = height - lanes + 16 + 13 * side
        parts += [line(left, at, left + wide, at), dot(left - 9, at, 3.6, colour)]
        parts += [_cross(x(s.stroke), at, ", ".join(s.rules)) for s in steps if s.foul == side]
    at = height - lanes + 22.5
    parts += [dot(x(s.stroke), at, 2.6, "#fff", f' stroke="{SOFT}" stroke-width="1.1" class="doubt"') for s in steps if s.in_review]
    every = max(5, 5 * ceil((last - first) / 40))
    parts += [text(x(n), height - 10, str(n)) for n in range(every * ceil((first + 1) / every), last + 1, every)]
    return svg(width, height, *parts)


def _cross(x: float, y: float, rules: str) -> str:
    arm = 3.6
    return (
        f'<g stroke="{FOUL}" stroke-width="1.8"><title>{escape(rules)}</title>'
        f'<path d="M{x - arm:.1f} {y - arm:.1f}L{x + arm:.1f} {y + arm:.1f}M{x - arm:.1f} {y + arm:.1f}L{x + arm:.1f} {y - arm:.1f}"/></g>'
    )
