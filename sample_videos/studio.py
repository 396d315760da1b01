"""From a scenario to files: the table, the camera and the look that it asks for, played and filmed. Needs the simulate extra."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from calibration.camera import Camera
from calibration.errors import UserError
from calibration.table import Table, table
from sample_videos import physics
from sample_videos.look_fields import read_look, seed_of
from sample_videos.match import build
from sample_videos.record import Adjudicate, Progress, record
from sample_videos.render import (
    PARTS,
    Look,
    Overlay,
    Renderer,
    Sensor,
    make_overlay,
    overhead_camera,
    random_camera,
    random_look,
    random_sensor,
    tilted_camera,
)
from sample_videos.render.halls import KINDS as HALLS
from sample_videos.render.halls import Hall, random_hall
from sample_videos.scenario import Scenario
from sample_videos.strokes import ScenarioError


def film(
    scenario: Scenario, out: Path, *, seed: int = 0, adjudicate: Adjudicate | None = None, progress: Progress | None = None
) -> list[Path]:
    """Play and film a scenario; returns the files written.

    Raises:
        UserError: a stroke cannot be played.
    """
    kind = table(scenario.table)
    try:
        timeline = build(
            kind, scenario.strokes, players=scenario.players, timing=scenario.timing, cloth=scenario.cloth,
            between=scenario.between, things=scenario.things, spares=scenario.spares,
        )  # fmt: skip
    except physics.SimulationFailed as error:
        raise UserError(f"{scenario.name}: {error}") from error
    hall = _hall(kind, scenario)
    camera, sensor, overlay = _camera(kind, scenario, hall.camera), _sensor(scenario, hall.sensor), _overlay(scenario, hall.overlay)
    renderer = Renderer(kind, camera, _look(scenario.look, kind, scenario.name, hall.look), seed, covered=overlay.boxes)
    taken = replace(scenario.film, readout=sensor.readout)

    def develop(picture: np.ndarray, t: float) -> np.ndarray:
        return overlay.draw(sensor.expose(picture, t, taken.exposure), t)

    return record(
        timeline, renderer, camera, out, scenario.name, film=taken, adjudicate=adjudicate, progress=progress,
        develop=develop if overlay.panels or not sensor.idle else None,
    )  # fmt: skip


def _hall(kind: Table, scenario: Scenario) -> Hall:
    """The hall that was asked for, else the plain one of the library's strokes."""
    options = dict(scenario.hall)
    if not options:
        return Hall("plain", Look(noise=1.0))
    seed, style = options.pop("seed", 0), options.pop("kind", None)
    if options or not isinstance(seed, int) or isinstance(seed, bool) or seed < 0 or style not in (None, *HALLS):
        raise ScenarioError(f"{scenario.name}: [hall]: expected seed = a whole number from 0 and kind = one of {', '.join(HALLS)}")
    return random_hall(np.random.default_rng(seed), kind, style)


def _sensor(scenario: Scenario, sensor: Sensor) -> Sensor:
    options = dict(scenario.sensor)
    frame = 1 / float(scenario.film.fps)
    sensor = replace(sensor, readout=min(sensor.readout, 0.95 * frame))
    if (seed := seed_of(options, f"{scenario.name}: [sensor]")) is not None:
        sensor = random_sensor(np.random.default_rng(seed), 1 / frame)
    limits = {"readout": (0, frame), "flicker": (0, 0.9), "mains": (10, 1000), "sharpen": (0, 3)}
    for key, value in options.items():
        if key == "steps":
            if not isinstance(value, list) or not all(
                isinstance(p, list) and len(p) == 2 and all(isinstance(v, int | float) for v in p) and p[1] > 0 for p in value
            ):
                raise ScenarioError(f"{scenario.name}: field sensor.steps: expected [[seconds, gain], …], got {value!r}")
            options[key] = tuple((float(a), float(b)) for a, b in value)
        elif key not in limits:
            raise ScenarioError(f"{scenario.name}: field sensor.{key}: expected seed, steps, {', '.join(limits)}")
        elif not isinstance(value, int | float) or not limits[key][0] <= value <= limits[key][1]:
            low, high = (float(v) for v in limits[key])
            raise ScenarioError(f"{scenario.name}: field sensor.{key}: expected a number from {low:g} to {high:g}, got {value!r}")
    return replace(sensor, **options)


def _overlay(scenario: Scenario, usual: tuple[str, ...]) -> Overlay:
    options = dict(scenario.overlay)
    seed, parts = options.pop("seed", scenario.hall.get("seed", 0)), options.pop("parts", PARTS if scenario.overlay else usual)
    if options or not isinstance(seed, int) or not isinstance(parts, list | tuple) or not set(parts) <= set(PARTS):
        raise ScenarioError(f"{scenario.name}: [overlay]: expected seed = a whole number and parts = some of {', '.join(PARTS)}")
    return make_overlay(scenario.size, seed, parts)


def _camera(kind: Table, scenario: Scenario, usual: Mapping[str, Any]) -> Camera:
    options = dict(scenario.camera)
    if (seed := seed_of(options, f"{scenario.name}: [camera]")) is not None:
        usual = random_camera(np.random.default_rng(seed))
    options = {**usual, **options}
    if usual and "above" in options:
        options["distance"] = options.pop("above")
    for key in ("offset", "distortion"):
        if key in options:
            options[key] = tuple(options[key])
    try:
        return (tilted_camera if "side" in options else overhead_camera)(kind, *scenario.size, **options)
    except (TypeError, ValueError) as error:
        raise ScenarioError(f"{scenario.name}: [camera]: {error}") from error


def _look(raw: Mapping[str, Any], kind: Table, name: str, look: Look) -> Look:
    options = dict(raw)
    if (seed := seed_of(options, f"{name}: [look]")) is not None:
        look = random_look(np.random.default_rng(seed), length=kind.length, width=kind.width)
    return read_look(options, look, name)
