"""From the physics' raw events to those a referee knows: one touch is one event, stops in the jaws are named."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from calibration.table import Jaw, Pocket, Point, Table
from sample_videos.path import Path

Event = dict[str, Any]

_LEFT_IT = 1.0  # mm a ball must have moved off in between for two touches to be two (D11: «if the ball left it»)
_ORDER = {
    kind: i for i, kind in enumerate(("strike", "contact", "push", "double_hit", "cushion", "jaw", "jump", "midline", "pocket", "stop"))
}


def jaws_at(table: Table, at: Point) -> str | None:
    """The pocket between whose jaws a ball at `at` lies: its centre has passed the line between the two tips."""
    for pocket in table.pockets:
        a, b = (np.array(jaw.tip) for jaw in pocket.jaws)
        middle = (a + b) / 2
        inward = np.array(pocket.centre) - middle
        inward /= np.linalg.norm(inward)
        off = np.array(at) - middle
        if off @ inward > 0 and abs(off[0] * inward[1] - off[1] * inward[0]) < pocket.mouth / 2:
            return pocket.name
    return None


def merged(events: list[Event], paths: Mapping[str, Path], table: Table) -> list[Event]:
    """The events in order of time, with touches joined that the bodies did not leave in between (to 1 mm)."""
    ordered = sorted(events, key=lambda e: (e["t"], _ORDER.get(e["type"], 99)))
    last: dict[tuple, float] = {}
    kept = []
    for e in ordered:
        key = _bodies(e)
        if key is not None:
            since = last.get(key)
            last[key] = e["t"]
            if since is not None and _parting(key, since, e["t"], paths, table) < _LEFT_IT:
                continue
        kept.append(e)
    return kept


def _bodies(e: Event) -> tuple | None:
    if e["type"] == "contact":
        return ("contact", *sorted(e["balls"]))
    if e["type"] == "cushion":
        return ("cushion", e["ball"], e["cushion"])
    if e["type"] == "jaw":
        return ("jaw", e["ball"], e["pocket"], e["cushion"])
    return None


def _parting(key: tuple, start: float, end: float, paths: Mapping[str, Path], table: Table) -> float:
    """How far the two bodies were apart at most between two touches, mm."""
    if end - start > 0.5:
        return np.inf
    times = np.linspace(start, end, 101)
    if key[0] == "contact":
        a, b = (paths[name].at(times)[:, :2] for name in key[1:])
        return float(np.max(np.linalg.norm(a - b, axis=1))) - table.ball
    places = paths[key[1]].at(times)[:, :2]
    if key[0] == "cushion":
        return float(np.max(_from_cushion(table, key[2], places))) - table.radius
    return float(np.max(_from_jaw(table, key[2], key[3], places))) - table.radius


def _from_cushion(table: Table, cushion: str, places: np.ndarray) -> np.ndarray:
    x, y = places[:, 0], places[:, 1]
    return {"home": x, "foot": table.length - x, "right": y, "left": table.width - y}[cushion]


def _from_jaw(table: Table, pocket: str, cushion: str, places: np.ndarray) -> np.ndarray:
    """Distances (n,) to the nearest jaw of that name: its rounded tip or its throat wall (sampled as discs along it)."""
    nearest = np.full(len(places), np.inf)
    mouth = table.pocket(pocket)
    for jaw in mouth.jaws:
        if jaw.cushion != cushion:
            continue
        for centre in jaw_discs(mouth, jaw):
            nearest = np.minimum(nearest, np.linalg.norm(places - centre, axis=1) - jaw.radius)
    return nearest


def jaw_discs(pocket: Pocket, jaw: Jaw) -> np.ndarray:
    """Centres (46, 2) of discs of the jaw's radius that fill the jaw's outline from the rounded tip 45 mm into the throat."""
    tip, throat = np.array(jaw.tip), np.array(jaw.throat)
    along = np.array((1.0, 0.0) if jaw.cushion in ("left", "right") else (0.0, 1.0))
    back = along * np.sign((tip - pocket.centre) @ along)  # the cushion runs from the tip away from the pocket
    half = np.arccos(np.clip(back @ throat, -1, 1)) / 2
    bisector = (back + throat) / np.linalg.norm(back + throat)
    return tip + bisector * jaw.radius / np.sin(half) + throat * np.linspace(0, 45, 46)[:, None]
