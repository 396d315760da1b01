"""D8 against brute force: thousands of straight paths tried one by one, jaws as clouds of points."""

from __future__ import annotations

import subprocess
import sys
from math import asin, atan2, cos, dist, hypot, pi, sin, sqrt

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from calibration.table import Jaw, Table, table
from referee.rules.snooker import snookered

TABLE = table("pyramid-12ft")
Point = tuple[float, float]
_RAYS = 4001


def _first_touch(origin: Point, ray: Point, target: Point, reach: float) -> float | None:
    """How far along the ray the moving ball comes within `reach` of a point."""
    x, y = target[0] - origin[0], target[1] - origin[1]
    ahead, across = x * ray[0] + y * ray[1], x * ray[1] - y * ray[0]
    if ahead <= 0 or abs(across) >= reach:
        return None
    return max(0.0, ahead - sqrt(reach**2 - across**2))


def _edge(jaw: Jaw, pocket: Point) -> list[Point]:
    """Points of a cushion end: along the nose, round the corner, down the throat."""
    along = (0.0, 1.0) if jaw.cushion in ("home", "foot") else (1.0, 0.0)
    sign = 1.0 if (jaw.tip[0] - pocket[0]) * along[0] + (jaw.tip[1] - pocket[1]) * along[1] > 0 else -1.0
    nose, throat = (along[0] * sign, along[1] * sign), jaw.throat
    opening = atan2(abs(nose[0] * throat[1] - nose[1] * throat[0]), nose[0] * throat[0] + nose[1] * throat[1])
    start = jaw.radius / (sin(opening / 2) / cos(opening / 2))  # from the tip to where the rounding touches the walls
    side = hypot(nose[0] + throat[0], nose[1] + throat[1])
    middle = jaw.radius / sin(opening / 2) / side
    centre = (jaw.tip[0] + (nose[0] + throat[0]) * middle, jaw.tip[1] + (nose[1] + throat[1]) * middle)
    points = [(jaw.tip[0] + d[0] * s, jaw.tip[1] + d[1] * s) for d in (nose, throat) for s in (start + 2.0 * i for i in range(120))]
    a = atan2(jaw.tip[1] + nose[1] * start - centre[1], jaw.tip[0] + nose[0] * start - centre[0])
    b = atan2(jaw.tip[1] + throat[1] * start - centre[1], jaw.tip[0] + throat[0] * start - centre[0])
    turn = (b - a + pi) % (2 * pi) - pi
    return points + [(centre[0] + jaw.radius * cos(a + turn * i / 40), centre[1] + jaw.radius * sin(a + turn * i / 40)) for i in range(41)]


def _jaws(target: Point, on: Table) -> list[Point]:
    if 0 <= target[0] <= on.length and 0 <= target[1] <= on.width:
        return []
    pocket = min(on.pockets, key=lambda p: dist(p.centre, target))
    return [point for jaw in pocket.jaws for point in _edge(jaw, pocket.centre)]


def _beyond(target: Point, on: Table) -> list[tuple[Point, Point]]:
    """Where those clouds end the noses go on: the lines, 34 mm off them, that a ball's centre cannot cross."""
    if not _jaws(target, on):
        return []
    pocket = min(on.pockets, key=lambda p: dist(p.centre, target))
    lines = []
    for jaw in pocket.jaws:
        along = (0.0, 1.0) if jaw.cushion in ("home", "foot") else (1.0, 0.0)
        sign = 1.0 if (jaw.tip[0] - pocket.centre[0]) * along[0] + (jaw.tip[1] - pocket.centre[1]) * along[1] > 0 else -1.0
        nose = (along[0] * sign, along[1] * sign)
        inside = {"home": (1.0, 0.0), "foot": (-1.0, 0.0), "right": (0.0, 1.0), "left": (0.0, -1.0)}[jaw.cushion]
        start = tuple(jaw.tip[i] + 200 * nose[i] + on.radius * inside[i] for i in (0, 1))
        lines.append(((start[0], start[1]), nose))
    return lines


def _crosses(origin: Point, ray: Point, far: float, line: tuple[Point, Point]) -> bool:
    (x, y), (u, v) = line
    det = ray[1] * u - ray[0] * v
    if det == 0:
        return False
    t = ((y - origin[1]) * u - (x - origin[0]) * v) / det
    s = ((y - origin[1]) * ray[0] - (x - origin[0]) * ray[1]) / det
    return 0 < t < far and s > 0


def _seen(origin: Point, target: Point, others: list[Point], slack: float) -> bool:
    """Does any of many paths meet the target first? Obstacles are `slack` mm smaller (or larger, if negative)."""
    towards = atan2(target[1] - origin[1], target[0] - origin[0])
    points, lines = _jaws(target, TABLE), _beyond(target, TABLE)
    # only directions that can touch the target at all: from afar those are few, and a gap among them is narrow
    half = asin(min(1.0, TABLE.ball / dist(origin, target)))
    for i in range(_RAYS):
        turn = towards + (2 * i / (_RAYS - 1) - 1) * half
        ray = (cos(turn), sin(turn))
        goal = _first_touch(origin, ray, target, TABLE.ball)
        if goal is None:
            continue
        if any(_crosses(origin, ray, goal, line) for line in lines):
            continue
        obstacles = [(o, TABLE.ball) for o in others] + [(p, TABLE.radius) for p in points]
        if all((t := _first_touch(origin, ray, o, reach - slack)) is None or t > goal for o, reach in obstacles):
            return True
    return False


def _places() -> st.SearchStrategy[list[Point]]:
    one = st.tuples(st.floats(40, 3510), st.floats(40, 1735))
    return st.lists(one, min_size=4, max_size=4)


def _judge(cue: Point, target: Point, others: list[Point]) -> None:
    places: dict[str, Point | None] = {"white": cue, "yellow": target}
    places |= dict(zip(("red", "black"), others, strict=False))
    exact = snookered("white", places, ("yellow",), TABLE)
    if exact:
        assert not _seen(cue, target, others, -0.02)
    else:
        assert _seen(cue, target, others, 1.0)


@settings(max_examples=60, deadline=None)
@given(_places())
def test_anywhere(places: list[Point]) -> None:
    assume(all(dist(a, b) > 68 for i, a in enumerate(places) for b in places[i + 1 :]))
    _judge(places[0], places[1], places[2:])


@settings(max_examples=60, deadline=None)
@given(st.floats(200, 1500), st.floats(-130, 130), st.floats(0.1, 0.9), st.floats(-90, 90), st.floats(0.1, 0.9), st.floats(-90, 90))
def test_in_a_row(far: float, aside: float, first: float, a: float, second: float, b: float) -> None:
    """Two balls about the line from the cue ball to yellow: where hidden and half hidden are near."""
    cue, target = (1000.0, 887.5), (1000.0 + far, 887.5 + aside)
    others = [(1000.0 + far * first, 887.5 + aside * first + a), (1000.0 + far * second, 887.5 + aside * second + b)]
    places = [cue, target, *others]
    assume(all(dist(p, q) > 68 for i, p in enumerate(places) for q in places[i + 1 :]))
    _judge(cue, target, others)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(TABLE.pockets), st.floats(0, 60), st.floats(-15, 15), st.floats(40, 3510), st.floats(40, 1735))
def test_in_the_jaws(pocket, deep: float, aside: float, x: float, y: float) -> None:
    """Yellow in a mouth, its centre `deep` mm behind the nose rectangle: jaws hide it or not (D43)."""
    (tip, other) = (jaw.tip for jaw in pocket.jaws)
    middle = ((tip[0] + other[0]) / 2, (tip[1] + other[1]) / 2)
    inwards = (pocket.centre[0] - middle[0], pocket.centre[1] - middle[1])
    size = hypot(*inwards)
    unit = (inwards[0] / size, inwards[1] / size)
    target = (middle[0] + unit[0] * deep - unit[1] * aside, middle[1] + unit[1] * deep + unit[0] * aside)
    assume(dist((x, y), target) > 69)
    _judge((x, y), target, [])


def test_touching_balls() -> None:
    """A ball frozen to the cue ball hides half of the table, not what lies on the other side."""
    cue = (1000.0, 800.0)
    frozen = {"white": cue, "red": (1068.0, 800.0), "black": None}
    assert snookered("white", {**frozen, "yellow": (1500.0, 800.0)}, ("yellow",), TABLE)
    assert not snookered("white", {**frozen, "yellow": (900.0, 1200.0)}, ("yellow",), TABLE)
    assert not snookered("white", {"white": cue, "yellow": (1068.0, 800.0)}, ("yellow",), TABLE)


def test_no_legal_ball_on_the_table() -> None:
    assert snookered("yellow", {"yellow": (500.0, 500.0), "white": None, "red": None, "black": (1775.0, 887.5)}, ("white", "red"), TABLE)


@pytest.mark.parametrize("aside, hidden", [(0.0, True), (20.0, True), (155.5, False)])
def test_the_edge_is_enough(aside: float, hidden: bool) -> None:
    places = {"white": (1175.0, 887.5), "black": (1775.0, 887.5), "red": (300.0, 300.0), "yellow": (2654.0, 887.5 + aside)}
    assert snookered("white", places, ("yellow",), TABLE) == hidden


def test_the_rules_are_pure_and_light() -> None:
    """Importing the engine loads no numbers, pictures, grammars or checks of forms."""
    heavy = ["numpy", "cv2", "pydantic", "lark", "pymorphy3", "typer", "av", "scipy", "onnxruntime"]
    code = f"import sys, referee; print([m for m in {heavy!r} if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"
