"""Strokes seen without a picture: where a perfect film would show each ball, with the errors that the tracker has on films.

Filming and tracking a stroke takes a minute; this takes a second, and asks all that comes after the pixels. Left out are what
only pictures have: people over the balls, shadows, colours. `ERRORS` are measured on filmed strokes (`table`: places).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from calibration.table import table
from sample_videos.match import Timeline, build
from sample_videos.record import Adjudicate, profile_of, truth_of
from sample_videos.render import overhead_camera
from tests.bench.strokes_recipes import TIMING, Recipe
from tests.bench.strokes_store import Log, StoredFrame
from vision.field import Field
from vision.frames import VideoInfo


@dataclass(frozen=True, slots=True)
class Errors:
    """px: an error that a ball keeps (its light, its colour), and ones that each frame draws anew; `streak`: of its length."""

    kept: float = 0.25
    frame: float = 0.12
    streak: float = 0.03


ERRORS = Errors()
UNDRAWN = ("jump", "off-table")  # kinds that are told by a ball's size, and by what is seen beyond the cushion
_STARTS = 0.8  # px that a resting ball must have gone to be taken for a moving one
_SETTLES = 0.4  # s
_SUNK = 0.6  # radii under its height on the cloth: no longer seen


@dataclass(slots=True)
class _Eye:
    """What the tracker remembers of a ball."""

    off: np.ndarray
    lies: np.ndarray | None = None  # px, while it rests
    still: np.ndarray | None = None
    since: float = 0.0
    last: dict[str, Any] | None = None
    at: np.ndarray | None = None  # mm


def drawn(recipe: Recipe, adjudicate: Adjudicate) -> tuple[Log, dict[str, Any], list[list[Any]]]:
    """The log of a stroke, its truth and the rows of its tracks."""
    kind, scenario = table(recipe.table), recipe.scenario()
    timeline = build(kind, scenario.strokes, players=scenario.players, timing=TIMING)
    camera = overhead_camera(kind, *scenario.size, **recipe.camera)
    film, rng = scenario.film, np.random.default_rng(recipe.seed)
    count = max(1, int(timeline.duration * film.fps))
    log = Log(profile_of(kind, camera), kind, timeline.balls, drawn=True)
    field = Field(camera, kind, (camera.height, camera.width))
    eyes = {ball: _Eye(rng.normal(0, ERRORS.kept, 2)) for ball in timeline.balls}
    rows: list[list[Any]] = []
    for n in range(count):
        t = film.stamp(n)
        frame = StoredFrame(n, t)
        for ball in timeline.balls:
            seen = _seen(eyes[ball], field, _places(timeline, ball, t, film.exposure), t, rng)
            if seen is not None:
                frame.seen[ball] = {"frame": n, "t": t, **seen}
        frame.states = {ball: "seen" if ball in frame.seen else "absent" for ball in timeline.balls}
        log.frames.append(frame)
        rows += _rows(timeline, n, t)
    log.info = VideoInfo(
        f"{recipe.key}.mp4", count, Fraction(1, 90000), camera.width, camera.height, count / float(film.fps), float(film.fps)
    )
    return log, truth_of(timeline, camera, film, frames=count, adjudicate=adjudicate), rows


def _places(timeline: Timeline, ball: str, t: float, exposure: float) -> np.ndarray | None:
    """Centres (3, 3) mm at the beginning, the middle and the end of an exposure; None where the ball is not to be seen."""
    if timeline.state(ball, t) == "carried":
        return None
    places = timeline.places(ball, np.array([t - exposure / 2, t, t + exposure / 2]))
    return None if places is None or places[1, 2] < (1 - _SUNK) * timeline.table.radius else places


def _seen(eye: _Eye, field: Field, places: np.ndarray | None, t: float, rng: np.random.Generator) -> dict[str, Any] | None:
    if places is not None and eye.at is not None and eye.lies is not None and eye.last and np.array_equal(places, eye.at):
        return eye.last  # it lies where it lay
    sighting = None if places is None else _looked(eye, field, field.camera.project(places), t, rng)
    eye.at = places
    if sighting is None and eye.last is not None:
        return {**eye.last, "state": "hidden", "fresh": False, "sigma": 50.0}
    eye.last = sighting
    return sighting


def _looked(eye: _Eye, field: Field, px: np.ndarray, t: float, rng: np.random.Generator) -> dict[str, Any] | None:
    middle, streak = px.mean(axis=0), float(np.hypot(*(px[-1] - px[0])))
    if eye.lies is not None and np.hypot(*(middle - eye.lies)) < _STARTS:
        return _sighting(field, eye.lies + eye.off, 0.1, "rest")
    if eye.lies is not None or eye.still is None or np.hypot(*(middle - eye.still)) > 0.5:
        eye.lies, eye.still, eye.since = None, middle, t
    if t - eye.since >= _SETTLES or t < _SETTLES:
        eye.lies = middle
    spread = ERRORS.frame + ERRORS.streak * streak
    return _sighting(field, middle + eye.off + rng.normal(0, spread, 2), spread, "rest" if eye.lies is not None else "moving")


def _sighting(field: Field, px: np.ndarray, sigma: float, state: str) -> dict[str, Any] | None:
    x, y = (float(v) for v in field.camera.to_table([px], field.table.radius)[0])
    if not field.holds(x, y):
        return None
    scale = float(field.camera.scale_at([[x, y]], field.table.radius)[0])
    return {"x": x, "y": y, "sigma": sigma / scale, "state": state, "fresh": True, "foreign": 0.0, "fill": 1.0}


def _rows(timeline: Timeline, n: int, t: float) -> list[list[Any]]:
    """As in tracks.csv, all that is on the table seen whole."""
    rows = []
    for ball in timeline.balls:
        state = timeline.state(ball, t)
        places = timeline.places(ball, np.array([t])) if state == "seen" else None
        x, y = ("", "") if places is None else (f"{v:.3f}" for v in places[0, :2])
        rows.append([n, f"{t:.6f}", ball, x, y, "0", "absent" if places is None else "seen"])
    return rows
