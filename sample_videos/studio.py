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
from sample_videos.render import Look, Renderer, overhead_camera, random_look
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
        timeline = build(kind, scenario.strokes, players=scenario.players, timing=scenario.timing, cloth=scenario.cloth)
    except physics.SimulationFailed as error:
        raise UserError(f"{scenario.name}: {error}") from error
    camera = _camera(kind, scenario)
    renderer = Renderer(kind, camera, _look(scenario.look, kind, scenario.name), seed)
    return record(timeline, renderer, camera, out, scenario.name, film=scenario.film, adjudicate=adjudicate, progress=progress)


def _camera(kind: Table, scenario: Scenario) -> Camera:
    options = dict(scenario.camera)
    for key in ("offset", "distortion"):
        if key in options:
            options[key] = tuple(options[key])
    try:
        return overhead_camera(kind, *scenario.size, **options)
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
