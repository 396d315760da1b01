"""Fine-tuning the detector on a club's own pictures, mixed with rendered ones so that nothing is forgotten.

It starts from the exported weights, in which the statistics of the norms are already folded into the convolutions: so they
stay frozen, and the network that is tuned is the very one that runs. Needs the extras `train` and `simulate`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import asdict, dataclass
from hashlib import sha256
from math import cos, pi
from pathlib import Path
from typing import Any

import numpy as np

from calibration.errors import UserError
from models.export import export_model
from models.pictures import batches
from models.start import start_model
from models.train import Learner, torch_or_error

_WARM_UP = 20  # steps


@dataclass(frozen=True, slots=True)
class Plan:
    """How to tune. `patience`: epochs without a better one after which it ends; `rate`: learning rate at its highest."""

    weights: Path
    epochs: int = 20
    patience: int = 4
    rate: float = 2e-4
    batch: int = 8
    side: int = 256
    seed: int = 0

    def fingerprint(self, files: Sequence[Path]) -> dict[str, Any]:
        """What must be the same for a run to be gone on with."""
        labels = "".join((f.parents[2] / "labels" / f.parent.name / f"{f.stem}.txt").read_text() for f in files)
        return {k: str(v) for k, v in asdict(self).items()} | {"labels": sha256(labels.encode()).hexdigest(), "pictures": len(files)}


@dataclass(frozen=True, slots=True)
class Verdict:
    """Of one epoch: `score`, higher is better; `allowed`: whether nothing was forgotten."""

    score: float
    allowed: bool


Judge = Callable[[Path], Verdict]  # the path of an .onnx file


def tune(
    plan: Plan, club: Sequence[Path], rendered: Sequence[Path], work: Path, judge: Judge, *, before: Verdict, resume: bool = False,
    say: Callable[[str], None] = print,
) -> Path | None:  # fmt: skip
    """Tunes and keeps the best epoch that forgot nothing.

    Args:
        club: square pictures of the club, with labels beside them (`club.write_windows`).
        rendered: rendered ones; of these as many are taken in an epoch, each time others.
        work: folder for the state, which `resume` goes on from.
        judge: called after each epoch with the exported network.
        before: what `judge` said of the weights started from.

    Returns:
        The .onnx file of the best epoch; None if none was better than `before`.

    Raises:
        UserError: the weights are not this detector's; nothing to go on from, or of another run.
    """
    torch = torch_or_error()
    torch.manual_seed(plan.seed)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    learner = Learner(torch, start_model(plan.weights), plan.rate, device)
    state_file, trial, best_file = work / "state.pt", work / "trial.onnx", work / "best.onnx"
    fingerprint = plan.fingerprint(club)
    state: dict[str, Any] = {"epoch": 0, "best": before.score, "found": False, "waited": 0}
    if resume:
        state = _resumed(torch, learner, state_file, fingerprint)
    else:
        best_file.unlink(missing_ok=True)
        state_file.unlink(missing_ok=True)
    for epoch in range(state["epoch"], plan.epochs):
        if state["waited"] >= plan.patience:
            break
        loss = _epoch(learner, plan, _mixed(club, rendered, plan.seed + epoch), epoch)
        verdict = judge(export_model(deepcopy(learner.model).to("cpu"), trial))
        better = verdict.allowed and verdict.score > state["best"] + 1e-9
        say(f"epoch {epoch + 1}: loss {loss:.3f}, held-out {verdict.score:.4f}" + ("" if verdict.allowed else ", forgets") + " *" * better)
        if better:
            trial.replace(best_file)
            state |= {"best": verdict.score, "found": True}
        state |= {"epoch": epoch + 1, "waited": 0 if better else state["waited"] + 1}
        _save(torch, learner, state_file, state | {"plan": json.dumps(fingerprint)})
    return best_file if state["found"] else None


def _mixed(club: Sequence[Path], rendered: Sequence[Path], seed: int) -> list[Path]:
    """The club's windows and as many rendered pictures."""
    rng = np.random.default_rng(seed)
    some = rng.choice(len(rendered), min(len(club), len(rendered)), replace=False) if rendered else []
    return [*club, *(rendered[int(i)] for i in some)]


def _epoch(learner: Learner, plan: Plan, files: list[Path], epoch: int) -> float:
    """One pass over the files; returns the mean loss."""
    total, count = 0.0, 0
    steps = max(len(files) // plan.batch, 1)
    for n, batch in enumerate(batches(files, plan.batch, plan.seed + epoch, plan.side)):
        done = epoch * steps + n
        share = min(done / (plan.epochs * steps), 1.0)
        rate = plan.rate * min(1.0, (done + 1) / _WARM_UP) * (0.05 + 0.95 * (1 + cos(pi * share)) / 2)
        losses, _ = learner.learn(iter([batch]), 1, rate)
        total, count = total + float(losses.sum()), count + 1
    return total / max(count, 1)


def _save(torch: Any, learner: Learner, file: Path, state: dict[str, Any]) -> None:
    part = file.with_suffix(".part")
    torch.save(state | {"model": learner.model.state_dict(), "optimiser": learner.optimiser.state_dict()}, part)
    part.replace(file)


def _resumed(torch: Any, learner: Learner, file: Path, fingerprint: dict[str, Any]) -> dict[str, Any]:
    """The state of an unfinished run, loaded into the learner."""
    if not file.is_file():
        raise UserError(f"--resume: expected the state of an unfinished run at {file}")
    try:
        state = torch.load(file, map_location="cpu", weights_only=True)
        same = json.loads(state["plan"]) == fingerprint
    except Exception:  # many kinds of damage
        raise UserError(f"{file}: expected the state of an unfinished run, train again without --resume") from None
    if not same:
        raise UserError(f"{file}: is of a run with other pictures or options, expected the same ones or no --resume")
    learner.model.load_state_dict(state.pop("model"))
    learner.optimiser.load_state_dict(state.pop("optimiser"))
    return state
