"""`poedinok simulate`: the options as the makers of videos and of data sets take them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from calibration.errors import UserError
from referee import adjudicate, terminal
from referee.codec import case_from_json, ruling_to_json


def film(scenario: str, out: Path, size: str | None, fps: str | None, seed: int, hall: int | None = None) -> int:
    """Plays and films a scenario with its rulings; the exit status.

    Raises:
        UserError: see `sample_videos.command.run_simulate`.
    """
    from sample_videos.command import run_simulate

    with ExitStack() as stack:
        shown: list[Callable[[int, int], None]] = []

        def show(done: int, total: int) -> None:
            if not shown:
                shown.append(stack.enter_context(terminal.counted("filming")))
            shown[0](done, total)
            if done == total:  # the names of the files come after the bar
                stack.close()

        return run_simulate(scenario, out, seed=seed, size=_size(size), fps=fps, hall=hall, adjudicate=rule_case, progress=show)


def draw(
    out: Path, size: str | None, fps: str | None, count: int, seed: int, negatives: float, workers: int, hall: int | None = None
) -> None:
    """Draws `count` still pictures with labels into `out`, a share `negatives` of them without a ball of ours.

    Raises:
        UserError: options that are not for still pictures, or see `models.dataset.write_dataset`.
    """
    if fps is not None:
        raise UserError("simulate pictures: --fps is for videos")
    if hall is not None:
        raise UserError("simulate pictures: --hall is for videos; a data set draws colours and light more widely")
    shape = _size(size)
    if shape is not None and shape[0] != shape[1]:
        raise UserError(f"--size {shape[0]}x{shape[1]}: expected square pictures for a data set, such as 320x320")
    from models.dataset import write_dataset
    from models.labels import SIZE

    with terminal.counted("pictures") as show:
        balls = write_dataset(out, count, seed, shape[0] if shape else SIZE, workers=workers, negatives=negatives, on_picture=show)
    print(f"{out}: {count} pictures, {balls} balls")


def rule_case(case: dict[str, Any]) -> dict[str, Any]:
    """The ruling on a case, both as in the contract, for the truth of a simulated video."""
    read = case_from_json(case)
    return ruling_to_json(adjudicate(read.state, read.shot, read.call, read.table))


def _size(text: str | None) -> tuple[int, int] | None:
    if text is None:
        return None
    width, _, height = text.partition("x")
    if not (width.isdecimal() and height.isdecimal() and int(width) > 0 < int(height)):
        raise UserError(f"--size: expected WIDTHxHEIGHT in pixels, such as 1280x720, got {text!r}")
    return int(width), int(height)
