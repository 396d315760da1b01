"""The protocol: which places are known, which steps there are, and which of the balls at rest were laid on a known place.

A ball on a spot is known in both coordinates, one that touches a cushion in one (its centre is a radius from the nose line);
on a table without pockets a ball in a corner touches two cushions and is known in both. A PROTOCOL.toml may change the
reaches, add points, and leave out spots that a table does not have.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import hypot
from pathlib import Path
from typing import Any

from calibration.certify.observed import Observed, Point, Rest
from calibration.errors import UserError
from calibration.table import Table

STEPS = ("places", "roll_along", "roll_across", "bounce", "still")


@dataclass(frozen=True, slots=True)
class Target:
    """A known place. `at`: the ball's centre, mm; `axes`: which coordinates are known ("xy", "x" or "y"); for a cushion the
    unknown one is not a number. `sigma`: how exactly a ball can be laid there, mm."""

    name: str
    at: Point
    axes: str
    sigma: float


@dataclass(frozen=True, slots=True)
class Protocol:
    """`points`: known places known in both coordinates; `point_reach`, `cushion_reach`: how far (mm) from a known place a ball may
    be seen to count as laid on it; `least_run`: mm that a ball must roll for its path to tell; `still`: s without motion."""

    points: tuple[Target, ...]
    point_reach: float = 50.0
    cushion_reach: float = 25.0
    cushion_sigma: float = 0.5
    least_run: float = 400.0
    still: float = 0.8


@dataclass(frozen=True, slots=True)
class Known:
    """A ball that was laid on known places. `off`: measured minus known, mm (None where the coordinate is not known); `noise`:
    error bar of the measurement, `sigma`: of the laying, mm."""

    ball: str
    names: tuple[str, ...]
    t: float
    at: Point
    off: tuple[float | None, float | None]
    sigma: tuple[float, float]
    noise: tuple[float, float]

    @property
    def miss(self) -> float:
        """Distance from the known place, mm, in the coordinates that are known."""
        return hypot(self.off[0] or 0.0, self.off[1] or 0.0)


def standard(table: Table) -> Protocol:
    """The protocol of a table: its three spots and all cushions."""
    return Protocol(tuple(Target(f"{name}-spot", at, "xy", 1.0) for name, at in table.spots.items()))


def read_protocol(path: Path, table: Table) -> Protocol:
    """A protocol from TOML: numbers of `Protocol` at the top, `spots = ["home", …]`, and [[point]] with name, x, y, sigma_mm.

    Raises:
        UserError: the file cannot be read, or a field is wrong; the message names it.
    """
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror})") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: not TOML ({str(error).splitlines()[0]})") from None
    numbers = {
        "point_reach": (1, 300),
        "cushion_reach": (1, 100),
        "cushion_sigma": (0.05, 20),
        "least_run": (100, 5000),
        "still": (0.2, 60),
    }
    if unknown := sorted(set(raw) - set(numbers) - {"spots", "point"}):
        raise UserError(f"{path}: {unknown[0]}: expected one of {', '.join([*numbers, 'spots', 'point'])}")
    values = {key: _number(raw, key, f"{path}", *limits) for key, limits in numbers.items() if key in raw}
    spots = raw.get("spots", list(table.spots))
    if not isinstance(spots, list) or any(name not in table.spots for name in spots):
        raise UserError(f"{path}: spots: expected a list of {', '.join(table.spots)}, found {spots!r}")
    rows = raw.get("point", [])
    if not isinstance(rows, list):
        raise UserError(f"{path}: point: expected [[point]] sections")
    points = [Target(f"{name}-spot", table.spots[name], "xy", 1.0) for name in spots]
    return Protocol(tuple(points + [_point(row, f"{path}: [[point]] {k}", table) for k, row in enumerate(rows, 1)]), **values)


def _number(raw: Any, key: str, where: str, low: float, high: float) -> float:
    value = raw.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise UserError(f"{where}: {key}: expected a number from {low:g} to {high:g}, found {value!r}")
    return float(value)


def _point(row: Any, where: str, table: Table) -> Target:
    if not isinstance(row, dict) or not isinstance(row.get("name"), str):
        raise UserError(f"{where}: name: expected a text")
    x, y = _number(row, "x", where, 0, table.length), _number(row, "y", where, 0, table.width)
    return Target(row["name"], (x, y), "xy", _number(row, "sigma_mm", where, 0.05, 20) if "sigma_mm" in row else 1.0)


def recognised(rests: Iterable[Rest], table: Table, protocol: Protocol) -> tuple[Known, ...]:
    """The balls at rest that were laid on known places, in order of time. Those that rolled there were not."""
    found: list[Known] = []
    for rest in _merged(rests):
        known = None if rest.rolled else _known(rest, table, protocol)
        if known is not None:
            found.append(known)
    return tuple(found)


def _merged(rests: Iterable[Rest]) -> list[Rest]:
    """Of rests of one ball at one place the longest: a hand that passes over it divides a rest, but tells nothing new."""
    kept: list[Rest] = []
    for rest in sorted(rests, key=lambda r: -r.count):
        if all(k.ball != rest.ball or hypot(k.at[0] - rest.at[0], k.at[1] - rest.at[1]) > 4.0 for k in kept):
            kept.append(rest)
    return sorted(kept, key=lambda r: (r.start, r.ball))


def _known(rest: Rest, table: Table, protocol: Protocol) -> Known | None:
    noise = (_mean_noise(rest.jitter[0], rest.count), _mean_noise(rest.jitter[1], rest.count))
    (x, y), near = rest.at, None
    for target in protocol.points:
        away = hypot(x - target.at[0], y - target.at[1])
        if away <= protocol.point_reach and (near is None or away < near[0]):
            near = (away, target)
    if near is not None:
        target = near[1]
        off = (x - target.at[0], y - target.at[1])
        return Known(rest.ball, (target.name,), rest.start, rest.at, off, (target.sigma, target.sigma), noise)
    touched = touching(rest.at, table, protocol.cushion_reach)
    if not touched:
        return None
    offs: dict[str, float] = {axis: off for _, axis, off in touched}
    s = protocol.cushion_sigma
    return Known(rest.ball, tuple(name for name, _, _ in touched), rest.start, rest.at, (offs.get("x"), offs.get("y")), (s, s), noise)


def _mean_noise(jitter: float, count: int) -> float:
    """Error of a mean of measurements; those of neighbouring frames err alike (the same highlights, the same coding)."""
    return jitter / max(1.0, min(count, 4)) ** 0.5


def touching(at: Point, table: Table, reach: float) -> list[tuple[str, str, float]]:
    """Cushions that a ball at `at` can be meant to touch: (name, axis, measured minus known coordinate in mm)."""
    x, y = at
    radius = table.radius
    offs = [("home", "x", x - radius), ("foot", "x", x - (table.length - radius))]
    offs += [("right", "y", y - radius), ("left", "y", y - (table.width - radius))]
    return [row for row in offs if abs(row[2]) <= reach and not _at_mouth(row[1], at, table)]


def _at_mouth(axis: str, at: Point, table: Table) -> bool:
    """Whether there is no nose to touch: the mouth of a pocket, and its rounded ends."""
    for pocket in table.pockets:
        for jaw in pocket.jaws:
            along = 1 if axis == "x" else 0
            if (jaw.cushion in ("home", "foot")) == (axis == "x") and abs(at[along] - pocket.centre[along]) < _reach(pocket, along, table):
                return True
    return False


def _reach(pocket: Any, along: int, table: Table) -> float:
    """From the pocket's centre along the nose to where its straight part begins, mm."""
    return max(abs(jaw.tip[along] - pocket.centre[along]) + 2 * jaw.radius for jaw in pocket.jaws) + 0.1 * table.radius


def direction(first: Point, last: Point) -> str:
    """`along`, `across` or `askew`: how a path lies on the table."""
    dx, dy = abs(last[0] - first[0]), abs(last[1] - first[1])
    if dy < dx * 0.4663:  # tan 25°
        return "along"
    return "across" if dx < dy * 0.4663 else "askew"


def steps(observed: Observed, knowns: Sequence[Known], bounces: Sequence[Any], runs: Sequence[Any], protocol: Protocol) -> dict[str, bool]:
    """Which steps of the protocol were measured: `places` needs four of them, of which one is known in both coordinates or
    cushions of both directions are touched."""
    ways = {direction(run.xy[0], run.xy[-1]) for run in runs}
    coordinates = [sum(k.off[axis] is not None for k in knowns) for axis in (0, 1)]
    return {
        "places": len(knowns) >= 4 and min(coordinates) >= 1,
        "roll_along": "along" in ways,
        "roll_across": "across" in ways,
        "bounce": bool(bounces),
        "still": observed.still is not None and observed.still.end - observed.still.start >= protocol.still - 1e-6,
    }
