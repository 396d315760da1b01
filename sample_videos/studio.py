"""From a scenario to files: the table, the camera and the look that it asks for, played and filmed. Needs the simulate extra."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from calibration.camera import Camera
from calibration.errors import UserError
from calibration.table import Table, table
from sample_videos import physics
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
    camera, sensor, overlay = _camera(kind, scenario), _sensor(scenario), _overlay(scenario)
    renderer = Renderer(kind, camera, _look(scenario.look, kind, scenario.name), seed, covered=overlay.boxes)
    taken = replace(scenario.film, readout=sensor.readout)

    def develop(picture: np.ndarray, t: float) -> np.ndarray:
        return overlay.draw(sensor.expose(picture, t, taken.exposure), t)

    return record(
        timeline, renderer, camera, out, scenario.name, film=taken, adjudicate=adjudicate, progress=progress,
        develop=develop if overlay.panels or not sensor.idle else None,
    )  # fmt: skip


def _sensor(scenario: Scenario) -> Sensor:
    options = dict(scenario.sensor)
    sensor = random_sensor(np.random.default_rng(int(options.pop("seed"))), float(scenario.film.fps)) if "seed" in options else Sensor()
    limits = {"readout": (0, 1 / scenario.film.fps), "flicker": (0, 0.9), "mains": (10, 1000)}
    for key, value in options.items():
        if key == "steps":
            if not isinstance(value, list) or not all(isinstance(p, list) and len(p) == 2 and p[1] > 0 for p in value):
                raise ScenarioError(f"{scenario.name}: field sensor.steps: expected [[seconds, gain], …], got {value!r}")
            options[key] = tuple((float(a), float(b)) for a, b in value)
        elif key not in limits:
            raise ScenarioError(f"{scenario.name}: field sensor.{key}: expected seed, steps, {', '.join(limits)}")
        elif not isinstance(value, int | float) or not limits[key][0] <= value <= limits[key][1]:
            low, high = (float(v) for v in limits[key])
            raise ScenarioError(f"{scenario.name}: field sensor.{key}: expected a number from {low:g} to {high:g}, got {value!r}")
    return replace(sensor, **options)


def _overlay(scenario: Scenario) -> Overlay:
    options = dict(scenario.overlay)
    seed, parts = options.pop("seed", 0), options.pop("parts", PARTS if scenario.overlay else ())
    if options or not isinstance(seed, int) or not isinstance(parts, list | tuple) or not set(parts) <= set(PARTS):
        raise ScenarioError(f"{scenario.name}: [overlay]: expected seed = a whole number and parts = some of {', '.join(PARTS)}")
    return make_overlay(scenario.size, seed, parts)


def _camera(kind: Table, scenario: Scenario) -> Camera:
    options = dict(scenario.camera)
    if "seed" in options:
        options = random_camera(np.random.default_rng(int(options.pop("seed")))) | options
    for key in ("offset", "distortion"):
        if key in options:
            options[key] = tuple(options[key])
    try:
        return (tilted_camera if "side" in options else overhead_camera)(kind, *scenario.size, **options)
    except (TypeError, ValueError) as error:
        raise ScenarioError(f"{scenario.name}: [camera]: {error}") from error


def _look(raw: Mapping[str, Any], kind: Table, name: str) -> Look:
    options = dict(raw)
    look = Look(noise=1.0)
    if "seed" in options:
        look = random_look(np.random.default_rng(int(options.pop("seed"))), length=kind.length, width=kind.width)
    known = {f.name for f in fields(Look)}
    if unknown := sorted(set(options) - known):
        raise ScenarioError(f"{name}: field look.{unknown[0]}: expected seed or one of {', '.join(sorted(known))}")
    return replace(look, **{key: tuple(value) if isinstance(value, list) else value for key, value in options.items()})
