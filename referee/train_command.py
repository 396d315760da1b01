"""`poedinok train --data FOLDER`: the shipped detector learns from a club's corrected frames, and must not get worse."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from calibration.errors import UserError
from models.club import Sample, read_club_set, write_windows
from vision.detect import DEFAULT_WEIGHTS, Detector
from vision.score import Figures, scored

_FORGIVEN = 0.01  # by how much the one figure on rendered checks may fall
_RENDERED_SEED, _CHECK_SEED = 907, 908  # not those of the shipped weights' pictures


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked: `data` of the club, `out` the .onnx file, `weights` to start from (None: the package's).

    `rendered`: pictures drawn to learn from beside the club's, `checks`: drawn to see that nothing is forgotten.
    """

    data: Path
    out: Path = Path("balls-club.onnx")
    weights: Path | None = None
    epochs: int = 20
    rate: float = 2e-4
    batch: int = 8
    side: int = 256
    rendered: int = 400
    checks: int = 60
    seed: int = 0
    resume: bool = False


def run_train(request: Request, say: Callable[[str], None]) -> bool:
    """Tunes the detector; writes `request.out` only if it does better on the club's held-out frames and as well on rendered ones.

    Returns:
        Whether it was written.

    Raises:
        UserError: an extra is missing, the data, the weights or an option are not what they should be, `out` cannot be written.
    """
    _check(request)
    from models.train import torch_or_error
    from models.tune import Plan, Verdict, start_model, tune

    torch_or_error()
    weights = request.weights or DEFAULT_WEIGHTS
    club = read_club_set(request.data)
    start_model(weights)
    work = request.out.with_name(request.out.stem + ".work")
    try:
        work.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"{work}: expected a folder that can be written to ({error.strerror})") from None
    windows = work / "windows"
    shutil.rmtree(windows, ignore_errors=True)
    files = write_windows(club.train, windows)
    say(f"{len(club.train)} pictures to learn from ({len(files)} windows), {len(club.held)} held out; drawing {request.rendered} more")
    learnt = _drawn(work, "rendered", request.rendered, _RENDERED_SEED)
    checks = _samples(_drawn(work, "checks", request.checks, _CHECK_SEED))
    old = Detector(weights)
    before, drawn_before = scored(old, club.held), scored(old, checks)
    forgot: list[float] = []  # figures on rendered checks of epochs that did better on the club's frames, and worse there

    def judge(file: Path) -> Verdict:
        network = Detector(file)
        drawn = scored(network, checks).whole
        held, allowed = scored(network, club.held).whole, drawn >= drawn_before.whole - _FORGIVEN
        if held > before.whole and not allowed:
            forgot.append(drawn)
        return Verdict(held, allowed)

    plan = Plan(weights, request.epochs, rate=request.rate, batch=request.batch, side=request.side, seed=request.seed)
    best = tune(plan, files, learnt, work, judge, before=Verdict(before.whole, True), resume=request.resume, say=say)
    say(_line("held-out frames before", before))
    if best is None:
        say(_line("rendered checks before", drawn_before))
        why = "no epoch did better on the held-out frames"
        if forgot:
            why = f"the figure on rendered checks fell from {drawn_before.whole:.4f} to {max(forgot):.4f}"
        say(f"kept the old weights, nothing written: {why}")
        return False
    new = Detector(best)
    say(_line("held-out frames after", scored(new, club.held)))
    say(_line("rendered checks before", drawn_before))
    say(_line("rendered checks after", scored(new, checks)))
    best.replace(request.out)
    (work / "state.pt").unlink(missing_ok=True)
    say(f"written {request.out}: use it with --weights {request.out}")
    return True


def _check(request: Request) -> None:
    if request.out.suffix.lower() != ".onnx" or request.out.is_dir() or not request.out.absolute().parent.is_dir():
        raise UserError(f"--out {request.out}: expected a file .onnx in a folder that exists")
    if request.side < 64 or request.side % 32:
        raise UserError(f"--side {request.side}: expected a multiple of 32 px from 64 on")
    if not 0 < request.rate < 0.1:
        raise UserError(f"--rate {request.rate:g}: expected a learning rate between 0 and 0.1")
    if request.rendered < 2 or request.checks < 2:
        raise UserError("--rendered, --checks: expected at least 2 pictures")
    for path in (request.out, request.data):
        if request.weights is not None and path == request.weights:
            raise UserError(f"{path}: is the file of --weights, expected another one")


def _drawn(work: Path, name: str, count: int, seed: int) -> list[Path]:
    """Rendered pictures; those of an earlier run with the same number are used again."""
    from models.dataset import write_dataset

    folder = work / f"{name}-{count}"
    if not (folder / "data.yaml").is_file():
        write_dataset(folder, count, seed, negatives=0.15)
    return sorted((folder / "images").glob("*/*.jpg"))


def _samples(pictures: list[Path]) -> list[Sample]:
    from models.labels import SIZE
    from models.pictures import read_labels

    samples = [Sample(p, read_labels(p)) for p in pictures]
    return [replace(s, labels=s.labels * np.array([1, SIZE, SIZE, SIZE, SIZE], np.float32)) for s in samples]


def _line(what: str, f: Figures) -> str:
    return f"{what:24s} precision {f.precision:.3f}  recall {f.recall:.3f}  colour {f.colour:.3f}  balls {f.balls}"
