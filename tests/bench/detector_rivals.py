"""The detector's network beside yolo11n and yolo26n: milliseconds, size, and what each learns from the same pictures in the same time.

Ultralytics' architectures are built from their descriptions with our classes; their trained weights are not used. Training is small on
purpose (minutes of one core): it compares how fast they learn here, not what they come to in days.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import cos, pi
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.labels import CLASSES
from models.pictures import batches, picture_files
from models.train import fast_half, new_model, torch_or_error

RIVALS = ("yolo11n", "yolo26n")
HEIGHT, WIDTH = 384, 640
_RATE = 2e-3
_BATCH, _SIDE = 8, 256


def built(name: str) -> Any:
    """The untrained network `ball` (ours), `yolo11n` or `yolo26n` with our classes."""
    torch_or_error()
    if name == "ball":
        return new_model()
    from ultralytics.cfg import get_cfg
    from ultralytics.nn.tasks import DetectionModel

    model = DetectionModel(f"{name}.yaml", nc=len(CLASSES), verbose=False)
    model.args = get_cfg()
    return model


@dataclass(frozen=True, slots=True)
class Size:
    """Millions of parameters, GFLOP of one picture of 640x384, MB of the ONNX file."""

    parameters: float
    gflop: float
    megabytes: float


def size_of(name: str, file: Path) -> Size:
    from ultralytics.utils.torch_utils import get_flops

    model = built(name)
    n = sum(p.numel() for p in model.parameters())
    return Size(n / 1e6, get_flops(model, [HEIGHT, WIDTH]), file.stat().st_size / 1e6)


def learnt(name: str, data: Sequence[Path], seconds: float, out: Path, seed: int = 0) -> int:
    """Trains from scratch for `seconds` of processor time; writes `out` (.onnx) and returns the number of windows seen.

    All networks get the same windows in the same order, their own loss, AdamW with the same course of the learning rate.
    """
    torch = torch_or_error()
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    model = built(name).train()
    loss = _own_loss(torch, model) if name == "ball" else _their_loss(torch, model)
    optimiser = torch.optim.AdamW(model.parameters(), lr=_RATE, betas=(0.9, 0.99), weight_decay=5e-4)
    files = [f for folder in data for f in picture_files(folder)]
    half = fast_half(torch)  # where the processor has none of its own, bfloat16 is many times slower
    spent, windows, epoch = 0.0, 0, 0
    while spent < seconds:
        for batch in batches(files, _BATCH, seed + epoch, _SIDE):
            share = min(spent / seconds, 1.0)
            for group in optimiser.param_groups:
                group["lr"] = _RATE * min(1.0, (windows / _BATCH + 1) / 60) * (0.02 + 0.98 * (1 + cos(pi * share)) / 2)
            began = time.thread_time()
            optimiser.zero_grad(set_to_none=True)
            with torch.autocast("cpu", dtype=torch.bfloat16, enabled=half):
                value = loss(batch)
            value.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            optimiser.step()
            spent, windows = spent + time.thread_time() - began, windows + _BATCH
            if spent >= seconds:
                break
        epoch += 1
    written(model.eval(), out)
    return windows


def _own_loss(torch: Any, model: Any) -> Callable[[Any], Any]:
    from models.loss import ball_loss

    return lambda batch: ball_loss(model(torch.from_numpy(batch.pictures)), torch.from_numpy(batch.labels), _SIDE).sum()


def _their_loss(torch: Any, model: Any) -> Callable[[Any], Any]:
    def loss(batch: Any) -> Any:
        rows = torch.from_numpy(batch.labels)
        given = {"img": torch.from_numpy(batch.pictures), "batch_idx": rows[:, 0], "cls": rows[:, 1:2], "bboxes": rows[:, 2:6]}
        return model(given)[0].sum() / _BATCH

    return loss


def written(model: Any, out: Path) -> Path:
    """The network as an ONNX file."""
    from models.export import export_model

    return export_model(model, out)


def int8(source: Path, out: Path, data: Path, pictures: int = 48) -> Path:
    """A copy of an ONNX file with its convolutions in 8-bit integers, measured out on rendered pictures (ONNX Runtime's static way)."""
    from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static
    from onnxruntime.quantization.shape_inference import quant_pre_process

    blobs = [b.pictures for b in batches(picture_files(data)[:pictures], _BATCH, 0, _SIDE)]

    class Reader(CalibrationDataReader):
        def __init__(self) -> None:
            self.left = iter(blobs)

        def get_next(self) -> dict[str, NDArray[np.float32]] | None:
            blob = next(self.left, None)
            return None if blob is None else {"images": blob}

    ready = out.with_suffix(".ready")
    quant_pre_process(str(source), str(ready), skip_symbolic_shape=True)
    quantize_static(
        str(ready), str(out), Reader(), quant_format=QuantFormat.QDQ, op_types_to_quantize=["Conv"], per_channel=True,
        activation_type=QuantType.QUInt8, weight_type=QuantType.QInt8,
    )  # fmt: skip
    ready.unlink()
    return out


def compiled(file: Path, threads: int, shape: tuple[int, int] = (HEIGHT, WIDTH), precision: str = "") -> Callable[[NDArray], NDArray]:
    """An ONNX file in OpenVINO with a fixed input; `precision`: f32, bf16 or f16 (empty: what OpenVINO chooses)."""
    import openvino as ov

    core = ov.Core()
    model = core.read_model(str(file))
    model.reshape([1, 3, *shape])
    config: dict[str, Any] = {"INFERENCE_NUM_THREADS": threads, "NUM_STREAMS": 1, "PERFORMANCE_HINT": "LATENCY"}
    if precision:
        config["INFERENCE_PRECISION_HINT"] = precision
    request = core.compile_model(model, "CPU", config).create_infer_request()
    return lambda blob: np.array(next(iter(request.infer([blob]).values()))[0])


def milliseconds(networks: dict[str, Callable[[NDArray], NDArray]], rounds: int = 60) -> dict[str, tuple[float, float]]:
    """Of each network: fastest tenth and median of `rounds` pictures of 640x384, in turns, so that all see the same machine."""
    blob = np.random.default_rng(0).random((1, 3, HEIGHT, WIDTH), dtype=np.float32)
    took: dict[str, list[float]] = {name: [] for name in networks}
    for _ in range(rounds):
        for name, network in networks.items():
            began = time.perf_counter()
            network(blob)
            took[name].append(1000 * (time.perf_counter() - began))
    return {name: (float(np.percentile(t, 10)), float(np.median(t))) for name, t in took.items()}
