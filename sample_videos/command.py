"""`poedinok simulate SCENARIO --out DIR`: play strokes, film them, write the video with its truth."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from calibration.errors import UserError
from sample_videos import physics
from sample_videos.strokes import library

Progress = Callable[[int, int], None]


def run_simulate(
    scenario: str,
    out: Path,
    *,
    seed: int = 0,
    size: tuple[int, int] | None = None,
    fps: str | None = None,
    hall: int | None = None,
    adjudicate: Callable[[dict[str, Any]], dict[str, Any]] | None = None,
    progress: Progress | None = None,
) -> int:
    """Simulate and film a scenario into `out`; `list` as the scenario prints the names instead.

    Args:
        scenario: a stroke's name, `match`, `list`, or a TOML file (see `scenario`).
        seed: of textures and noise.
        size, fps: instead of the scenario's.
        hall: seed of a hall (see `render.halls`) instead of the scenario's.
        adjudicate: gives the ruling of a case (contract: adjudication) for the truth.
        progress: called with (frames done, frames in all).

    Returns:
        0; the exit status.

    Raises:
        UserError: the scenario is wrong, or the simulate extra is not installed.
    """
    if scenario == "list":
        names = {"match": "the opening of a match, some strokes long", **{s.name: s.about for s in library().values()}}
        print("\n".join(f"{name:28} {about}" for name, about in names.items()))
        return 0
    if not physics.available():
        raise UserError("simulate: expected the simulate extra (pooltool, numba) to be installed")
    try:
        from sample_videos import scenario as scenarios
        from sample_videos import studio
    except ImportError as error:
        raise UserError(f"simulate: expected the simulate extra to be installed ({error})") from error
    found = scenarios.load(scenario)
    if size is not None:
        if any(side % 2 or not 64 <= side <= 7680 for side in size):
            raise UserError(f"simulate: expected a size in even pixels from 64 to 7680, got {size[0]}x{size[1]}")
        found = replace(found, size=size)
    if fps is not None:
        found = replace(found, film=replace(found.film, fps=scenarios.frame_rate(fps, "fps")))
    if hall is not None:
        found = replace(found, hall={**found.hall, "seed": hall})
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"{out}: expected a folder that can be written to ({error.strerror})") from error
    for path in studio.film(found, out, seed=seed, adjudicate=adjudicate, progress=progress):
        print(path)
    return 0
