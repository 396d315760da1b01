"""Does the referee's confidence hold? python -m tests.bench.reliability RESULTS.jsonl… [--svg docs/img/reliability.svg]

RESULTS are lines of JSON, one a stroke: `confidence` (of its ruling, 0…1), `right` (whether the ruling is), `review` (the doubts
put to a person, or whether there are any), `kind` (of stroke; may be left out). Lines without confidence are counted apart. Told
and drawn: by steps of confidence, the share of rulings that are right, with its error bar; the scores of the whole; by kind.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from typing import Any

_LIMITS = (0.0, 0.2, 0.4, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 1.0)
_SIZE, _EDGE = 360, 46  # px of the diagram and its margin


@dataclass(frozen=True, slots=True)
class Stroke:
    confidence: float
    right: bool
    review: bool
    kind: str


@dataclass(frozen=True, slots=True)
class Step:
    """Strokes of about the same confidence: their number, mean confidence, share right, and the 95 % interval of that (Wilson)."""

    count: int
    confidence: float
    right: float
    low: float
    high: float


def read(paths: Iterable[Path]) -> tuple[list[Stroke], int]:
    """(Strokes with a confidence, number of those without)."""
    lines: list[dict[str, Any]] = [json.loads(text) for path in paths for text in path.read_text("utf-8").splitlines() if text.strip()]
    known = [line for line in lines if line.get("confidence") is not None]
    strokes = [Stroke(float(d["confidence"]), bool(d["right"]), bool(d["review"]), str(d.get("kind", ""))) for d in known]
    return strokes, len(lines) - len(known)


def step_of(strokes: Sequence[Stroke]) -> Step:
    n, good = len(strokes), sum(s.right for s in strokes)
    share, z = good / n, 1.96
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z * sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return Step(n, sum(s.confidence for s in strokes) / n, share, max(0.0, middle - half), min(1.0, middle + half))


def steps(strokes: Sequence[Stroke]) -> list[Step]:
    """By confidence, empty steps left out."""
    last = len(_LIMITS) - 2
    groups: list[list[Stroke]] = [[] for _ in range(last + 1)]
    for s in strokes:
        groups[max((k for k in range(last + 1) if s.confidence >= _LIMITS[k]), default=0)].append(s)
    return [step_of(group) for group in groups if group]


def calibration_error(found: Sequence[Step]) -> float:
    """Mean distance of confidence and share right, weighted by the strokes."""
    return sum(s.count * abs(s.confidence - s.right) for s in found) / sum(s.count for s in found)


def table(strokes: Sequence[Stroke], without: int) -> str:
    found = steps(strokes)
    rows = ["| confidence | strokes | right | 95 % interval |", "|---|---|---|---|"]
    rows += [f"| {s.confidence:.3f} | {s.count} | {100 * s.right:.1f} % | {100 * s.low:.1f}–{100 * s.high:.1f} % |" for s in found]
    brier = sum((s.confidence - s.right) ** 2 for s in strokes) / len(strokes)
    sure = [s for s in strokes if not s.review]
    rows += [
        "",
        f"{len(strokes)} strokes, {without} without a ruling; Brier score {brier:.4f}, calibration error {calibration_error(found):.4f}",
    ]
    if sure:
        said = sum(s.confidence for s in sure) / len(sure)
        rows.append(
            f"nothing to review: {len(sure)} strokes, right {100 * sum(s.right for s in sure) / len(sure):.2f} %, said {100 * said:.2f} %"
        )
    doubtful = [s for s in strokes if s.review]
    if doubtful:
        one = step_of(doubtful)
        rows.append(f"in review: {one.count} strokes, right {100 * one.right:.1f} %, said {100 * one.confidence:.1f} %")
    kinds = sorted({s.kind for s in strokes} - {""})
    if kinds:
        rows += ["", "| kind | strokes | said | right | in review |", "|---|---|---|---|---|"]
        for kind in kinds:
            mine = [s for s in strokes if s.kind == kind]
            one, asked = step_of(mine), sum(s.review for s in mine)
            rows.append(f"| {kind} | {one.count} | {100 * one.confidence:.1f} % | {100 * one.right:.1f} % | {asked} |")
    return "\n".join(rows)


def svg(found: Sequence[Step]) -> str:
    """The reliability diagram: confidence across, share right up, each step with its interval; on the diagonal it holds."""

    def x(value: float) -> float:
        return _EDGE + value * _SIZE

    def y(value: float) -> float:
        return _EDGE / 2 + (1 - value) * _SIZE

    whole = _SIZE + 1.5 * _EDGE
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {whole:g} {whole:g}" width="{whole:g}" height="{whole:g}" '
        'font-family="sans-serif" font-size="12">',
        f'<rect width="{whole:g}" height="{whole:g}" fill="#fff"/>',
    ]
    for tick in (0.0, 0.2, 0.4, 0.6, 0.8, 1.0):
        parts += [
            f'<path d="M{x(tick):.1f} {y(0):.1f}V{y(1):.1f}M{x(0):.1f} {y(tick):.1f}H{x(1):.1f}" stroke="#ddd"/>',
            f'<text x="{x(tick):.1f}" y="{y(0) + 16:.1f}" text-anchor="middle">{tick:g}</text>',
            f'<text x="{x(0) - 6:.1f}" y="{y(tick) + 4:.1f}" text-anchor="end">{tick:g}</text>',
        ]
    parts.append(f'<path d="M{x(0):.1f} {y(0):.1f}L{x(1):.1f} {y(1):.1f}" stroke="#999" stroke-dasharray="5 4"/>')
    most = max(s.count for s in found)
    for s in found:
        radius = 3 + 7 * sqrt(s.count / most)
        parts += [
            f'<path d="M{x(s.confidence):.1f} {y(s.low):.1f}V{y(s.high):.1f}" stroke="#1c6b43" stroke-width="1.5"/>',
            f'<circle cx="{x(s.confidence):.1f}" cy="{y(s.right):.1f}" r="{radius:.1f}" fill="#1c6b43" fill-opacity=".75">'
            f"<title>{s.count}</title></circle>",
        ]
    middle = x(0.5)
    parts += [
        f'<text x="{middle:.1f}" y="{whole - 6:.1f}" text-anchor="middle">confidence said / сказанная уверенность</text>',
        f'<text transform="translate(13 {y(0.5):.1f})rotate(-90)" text-anchor="middle">rulings right / верных решений</text>',
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", nargs="+", type=Path)
    parser.add_argument("--svg", type=Path)
    given = parser.parse_args()
    strokes, without = read(given.results)
    if not strokes:
        parser.error("no line has a confidence")
    print(table(strokes, without))
    if given.svg:
        given.svg.write_text(svg(steps(strokes)), "utf-8")


if __name__ == "__main__":
    main()
