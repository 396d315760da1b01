"""`poedinok simulate SCENARIO --out DIR`: play strokes, film them, write the video with its truth."""

from __future__ import annotations

import sys
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
from sample_videos.scenario import Scenario, ScenarioError, frame_rate, load, names


def run_simulate(
    scenario: str,
    out: Path,
    *,
    seed: int = 0,
    size: tuple[int, int] | None = None,
    fps: str | None = None,
    adjudicate: Adjudicate | None = None,
    progress: Progress | None = None,
) -> int:
    """Simulate and film a scenario into `out`; `list` as the scenario prints the names instead.

    Args:
        scenario: a stroke's name, `match`, `list`, or a TOML file.
        seed: of textures and noise, and of a random look where the scenario asks for one.
        size, fps: instead of the scenario's.
        adjudicate: gives the ruling of a case (contract: adjudication) for the truth.
        progress: called with (frames done, frames in all).

    Returns:
        0; the exit status.

    Raises:
        UserError: the scenario is wrong, or the simulate extra is not installed.
    """
    if scenario == "list":
        print("\n".join(f"{name:28} {about}" for name, about in names().items()))
        return 0
    found = load(scenario)
    if size is not None:
        found = replace(found, size=size)
    if fps is not None:
        found = replace(found, film=replace(found.film, fps=frame_rate(fps, "fps")))
    if not physics.available():
        raise UserError("simulate: expected the simulate extra (pooltool) to be installed")
    for path in film(found, out, seed=seed, adjudicate=adjudicate, progress=progress or _counter()):
        print(path)
    return 0


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


def _counter() -> Progress | None:
    """A line of progress on a terminal, nothing elsewhere."""
    if not sys.stderr.isatty():
        return None

    def show(done: int, total: int) -> None:
        if done % 10 == 0 or done == total:
            print(f"\rfilming {done}/{total} frames", end="\n" if done == total else "", file=sys.stderr, flush=True)

    return show
