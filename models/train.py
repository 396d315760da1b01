"""Training the ball detector from scratch on rendered pictures.

    poedinok simulate pictures --out DIR --pictures 6000
    python -m models.train --data DIR --epochs 20

Ultralytics gives the layers; loop and loss (models/loss.py) are our own: they learn several times faster on plain
processors (bfloat16 where it is native, channels last, batches made in the background). Several threads are several learners that
take the mean of their weights now and then: the network is too small for one picture to keep two threads busy, and a
thread that waits for another loses its turn on a busy machine. Needs the extra `train`.
"""

from __future__ import annotations

import argparse
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from dataclasses import asdict, dataclass
from itertools import islice
from math import cos, pi
from pathlib import Path
from typing import Any

import numpy as np

from calibration.errors import UserError
from models.labels import CLASSES
from models.pictures import Batch, batches, misleading, picture_files

ARCHITECTURE = Path(__file__).with_name("ball.yaml")
_WARM_UP = 60  # steps
_ROUND = 12  # steps after which learners agree
WEIGHTS = Path(__file__).with_name("weights")


@dataclass(frozen=True, slots=True)
class Settings:
    """How to train. `minutes` (0: no limit) ends early; the learning rate falls to its end either way. `start`: a checkpoint (.pt) or
    exported weights (.onnx) to go on from; `resume`: go on with the unfinished run of this name in `out`."""

    data: tuple[Path, ...]
    out: Path = WEIGHTS
    name: str = "balls"
    epochs: int = 20
    minutes: float = 0.0
    batch: int = 8
    rate: float = 3e-3
    threads: int = 2
    seed: int = 0
    start: Path | None = None
    side: int = 256
    resume: bool = False


def torch_or_error() -> Any:
    """The module torch. Raises UserError, which says what to install, where the extra `train` is missing."""
    try:
        import torch
        import ultralytics  # noqa: F401
    except ImportError as error:
        raise UserError(f"training needs the extra 'train' (pip install 'poedinok[train]'): {error.name} is missing") from None
    return torch


def new_model(start: Path | None = None) -> Any:
    """The untrained detector, or the one of a checkpoint `start` (.pt).

    Raises:
        UserError: the extra `train` is missing, or the checkpoint cannot be read.
    """
    torch = torch_or_error()
    from ultralytics.nn.tasks import DetectionModel
    from ultralytics.utils import LOGGER

    LOGGER.setLevel("ERROR")
    if start is None:
        return DetectionModel(str(ARCHITECTURE), ch=3, verbose=False)
    try:
        found = torch.load(start, map_location="cpu", weights_only=False)["model"]
    except (OSError, KeyError, TypeError, RuntimeError) as error:
        raise UserError(f"{start}: expected a checkpoint of this detector (.pt): {error}") from None
    return found.float()


def fast_half(torch: Any) -> bool:
    """Whether the processor multiplies bfloat16 itself."""
    try:
        return bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())
    except (AttributeError, RuntimeError):
        return False


def _groups(torch: Any, model: Any) -> list[dict[str, Any]]:
    """Parameters with and without decay of weights (no decay for norms and biases)."""
    heavy = [p for p in model.parameters() if p.ndim > 1]
    light = [p for p in model.parameters() if p.ndim <= 1]
    return [{"params": heavy, "weight_decay": 5e-4}, {"params": light, "weight_decay": 0.0}]


class _Average:
    """Running average of a model's weights: what is kept."""

    def __init__(self, model: Any) -> None:
        self.model = deepcopy(model).eval()
        self.steps = 0

    def update(self, torch: Any, model: Any) -> None:
        self.steps += 1
        keep = min(0.98, (1 + self.steps) / (4 + self.steps))  # a step is a round
        now = model.state_dict()
        with torch.no_grad():
            for name, value in self.model.state_dict().items():
                if value.dtype.is_floating_point:
                    value.mul_(keep).add_(now[name], alpha=1 - keep)


def save_checkpoint(model: Any, path: Path, settings: Settings, note: dict[str, float]) -> None:
    """Writes a checkpoint that `ultralytics.YOLO(path)` reads."""
    torch = torch_or_error()
    plain = deepcopy(model).to(memory_format=torch.contiguous_format).half()
    plain.names = dict(enumerate(CLASSES))
    args = {k: (str(v) if isinstance(v, Path) else v) for k, v in asdict(settings).items() if k not in ("data", "out", "start")}
    unfinished = path.with_suffix(".part")
    torch.save({"model": plain, "ema": None, "epoch": -1, "train_args": args, "note": note}, unfinished)
    unfinished.replace(path)


class Learner:
    """A copy of the model with its own optimiser, which learns for a while by itself."""

    def __init__(self, torch: Any, model: Any, rate: float, device: str) -> None:
        self.torch, self.device = torch, device
        self.model = deepcopy(model).to(device).to(memory_format=torch.channels_last).train()
        self.optimiser = torch.optim.AdamW(_groups(torch, self.model), lr=rate, betas=(0.9, 0.99))
        self.half = device == "cuda" or fast_half(torch)

    def learn(self, source: Iterator[Batch], steps: int, rate: float) -> tuple[Any, int]:
        """Up to `steps` batches of `source`: sum of the losses (3,), and their number."""
        self.torch.set_num_threads(1)  # counts for the calling thread
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        total, done = self.torch.zeros(3), 0
        for batch in islice(source, steps):
            total += self._step(batch)
            done += 1
        return total, done

    def _step(self, batch: Batch) -> Any:
        from models.loss import ball_loss

        torch, device = self.torch, self.device
        pictures = torch.from_numpy(batch.pictures).to(device).contiguous(memory_format=torch.channels_last)
        with torch.autocast(device, dtype=torch.bfloat16, enabled=self.half):
            out = self.model(pictures)
        told = None if batch.told is None else torch.from_numpy(batch.told).to(device)
        loss = ball_loss(out, torch.from_numpy(batch.labels).to(device), pictures.shape[-1], told=told)
        self.optimiser.zero_grad(set_to_none=True)
        loss.sum().backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 5.0)
        self.optimiser.step()
        return loss.detach().cpu()


def _agree(torch: Any, learners: list[Learner]) -> None:
    """Gives all learners the mean of their weights."""
    states = [learner.model.state_dict() for learner in learners]
    with torch.no_grad():
        for name, first in states[0].items():
            if first.dtype.is_floating_point:
                mean = sum(state[name] for state in states) / len(states)
                for state in states:
                    state[name].copy_(mean)


def train(settings: Settings, stop: Callable[[], bool] = lambda: False) -> Path:
    """Trains and writes NAME.pt and NAME.onnx into `settings.out`; returns the path of the .onnx file.

    `stop` is asked after each epoch whether to break off, for another time.

    Raises:
        UserError: no pictures, no extra `train`, a checkpoint that cannot be read, or it was broken off.
    """
    torch = torch_or_error()
    [picture_files(folder) for folder in settings.data]
    torch.manual_seed(settings.seed)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = _first(settings)
    learners = [Learner(torch, model, settings.rate, device) for _ in range(1 if device == "cuda" else max(settings.threads, 1))]
    average = _Average(learners[0].model)
    settings.out.mkdir(parents=True, exist_ok=True)
    checkpoint, state_file = settings.out / f"{settings.name}.pt", settings.out / f"{settings.name}.state"
    first, steps, spent = _resumed(torch, state_file, learners, average) if settings.resume else (0, 0, 0.0)
    begun = time.monotonic() - spent
    for epoch in range(first, settings.epochs):
        files = [f for folder in settings.data for f in picture_files(folder) if not misleading(f)]  # a folder may still be growing
        sums, seen = torch.zeros(3), 0
        for total, count in _rounds(torch, learners, files, epoch, begun, steps, settings):
            average.update(torch, learners[0].model)
            sums, seen, steps = sums + total, seen + count, steps + _ROUND
        note = {k: round(float(v), 4) for k, v in zip(("class", "sides", "centre"), sums / max(seen, 1), strict=True)}
        print(f"epoch {epoch + 1}: {len(files)} pictures, loss {note}, {(time.monotonic() - begun) / 60:.1f} min", flush=True)
        save_checkpoint(average.model, checkpoint, settings, note)
        _save_state(torch, state_file, learners, average, (epoch + 1, steps, time.monotonic() - begun))
        if stop():
            raise UserError(f"stopped after epoch {epoch + 1} of {settings.epochs}: go on with --resume")
        if settings.minutes and time.monotonic() - begun > 60 * settings.minutes:
            break
    from models.export import export

    done = export(checkpoint, settings.out / f"{settings.name}.onnx")
    state_file.unlink(missing_ok=True)
    return done


def _first(settings: Settings) -> Any:
    """The network that training begins with."""
    if settings.start is None or settings.start.suffix.lower() != ".onnx":
        return new_model(settings.start)
    from models.start import start_model, with_norms

    files = [f for folder in settings.data for f in picture_files(folder)]
    return with_norms(start_model(settings.start), next(batches(files[:64], min(len(files), 64), settings.seed, settings.side)).pictures)


def _save_state(torch: Any, file: Path, learners: list[Learner], average: _Average, at: tuple[int, int, float]) -> None:
    state = {
        "at": at,
        "learners": [(x.model.state_dict(), x.optimiser.state_dict()) for x in learners],
        "average": (average.model.state_dict(), average.steps),
    }
    part = file.with_suffix(".state.part")
    torch.save(state, part)
    part.replace(file)


def _resumed(torch: Any, file: Path, learners: list[Learner], average: _Average) -> tuple[int, int, float]:
    """Loads the state of an unfinished run; returns epochs and steps done, and the seconds spent on them.

    Raises:
        UserError: there is none, or it is of another network or another number of learners.
    """
    if not file.is_file():
        raise UserError(f"--resume: expected the state of an unfinished run at {file}")
    try:
        state = torch.load(file, map_location="cpu", weights_only=True)
        for learner, (weights, optimiser) in zip(learners, state["learners"], strict=True):
            learner.model.load_state_dict(weights)
            learner.optimiser.load_state_dict(optimiser)
        average.model.load_state_dict(state["average"][0])
        average.steps = state["average"][1]
        epoch, steps, spent = state["at"]
    except Exception:  # many kinds of damage
        raise UserError(f"{file}: expected the state of an unfinished run with as many --threads") from None
    return int(epoch), int(steps), float(spent)


def _rounds(
    torch: Any, learners: list[Learner], files: list[Path], epoch: int, begun: float, steps: int, settings: Settings
) -> Iterator[tuple[Any, int]]:
    """One pass over the files, `_ROUND` steps at a time; yields sums of losses and numbers of batches."""
    many = len(learners)
    order = np.random.default_rng(settings.seed + epoch).permutation(len(files))
    sources = [
        batches([files[i] for i in order[k::many]], settings.batch, settings.seed + epoch * many + k, settings.side) for k in range(many)
    ]
    whole = max(len(files) // (settings.batch * many), 1)
    with ThreadPoolExecutor(many) as pool:
        for done in range(0, whole + _ROUND, _ROUND):
            share = (epoch + min(done / whole, 1)) / settings.epochs
            if settings.minutes:
                share = max(share, (time.monotonic() - begun) / (60 * settings.minutes))
            if share >= 1:
                return
            rate = settings.rate * min(1, (steps + done + _ROUND) / _WARM_UP) * (0.02 + 0.98 * (1 + cos(pi * share)) / 2)
            results = list(pool.map(lambda pair, rate=rate: pair[0].learn(pair[1], _ROUND, rate), zip(learners, sources, strict=True)))
            count = sum(n for _, n in results)
            if not count:
                return
            _agree(torch, learners)
            yield sum((t for t, _ in results), torch.zeros(3)), count


def main(arguments: list[str] | None = None) -> None:
    """The command line; exits with status 2 and one line on bad input."""
    parser = argparse.ArgumentParser(prog="python -m models.train", description="Train the ball detector on rendered pictures.")
    parser.add_argument("--data", type=Path, required=True, nargs="+", help="folders made by python -m models.dataset")
    parser.add_argument("--out", type=Path, default=WEIGHTS, help="folder for NAME.pt and NAME.onnx")
    parser.add_argument("--name", default="balls")
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--minutes", type=float, default=0.0, help="end after this time (0: no limit)")
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--rate", type=float, default=3e-3, help="learning rate at its highest")
    parser.add_argument("--side", type=int, default=256, help="px of the windows cut from the pictures, a multiple of 32")
    parser.add_argument("--threads", type=int, default=2, help="learners")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--start", type=Path, help="go on from these weights (.pt or .onnx) instead of from scratch")
    parser.add_argument("--resume", action="store_true", help="go on with the unfinished run of this name; state is kept after each epoch")
    given = vars(parser.parse_args(arguments))
    if given["epochs"] < 1 or given["batch"] < 1:
        parser.error("--epochs and --batch: expected at least 1")
    if given["side"] < 32 or given["side"] % 32:
        parser.error("--side: expected a multiple of 32")
    given["data"] = tuple(given["data"])
    asked: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _: asked.append(number))  # gives way after the epoch, and nothing is lost
    try:
        path = train(Settings(**given), lambda: bool(asked))
    except UserError as error:
        parser.exit(2, f"models.train: {error}\n")
    print(path)


if __name__ == "__main__":
    main()
