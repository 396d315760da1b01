"""Networks to go on training from: exported weights (.onnx) or checkpoints (.pt), also those of five classes, before hands and cues.

In exported weights the statistics of the norms are folded into the convolutions. `start_model` leaves them there: the network that
is tuned is the very one that runs. `with_norms` takes them out again, so that long training is as quick as from scratch.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibration.errors import UserError
from models.labels import BALLS, CLASSES

_LAST = "cv3.0.2."  # of the names of the parameters that give the classes' scores
_UNLIKELY = -4.6  # logit that a class starts from of which nothing is known yet


def start_model(weights: Path) -> Any:
    """The network of an .onnx file of models/export.py, or of a checkpoint (.pt), with norms folded in, ready to learn.

    Raises:
        UserError: the extra `train` is missing, or the file is not of this detector and its classes.
    """
    from models.train import new_model, torch_or_error

    torch = torch_or_error()
    if not weights.is_file():
        raise UserError(f"{weights}: expected a file with the detector's weights (.onnx or .pt)")
    if weights.suffix.lower() == ".pt":
        model = new_model(weights)
        names = list(getattr(model, "names", {}).values())
        if names not in (list(CLASSES), list(BALLS)):
            raise UserError(f"{weights}: its classes are {', '.join(map(str, names))}, expected {', '.join(CLASSES)}")
        found = {k: v.numpy() for k, v in model.eval().fuse(verbose=False).state_dict().items()}
        model = new_model().eval().fuse(verbose=False)
        model.load_state_dict({k: torch.from_numpy(v) for k, v in _all_classes(found).items()})
    else:
        model = new_model().eval().fuse(verbose=False)
        model.load_state_dict({k: torch.from_numpy(v) for k, v in _initializers(weights, model.state_dict()).items()})
    for parameter in model.parameters():
        parameter.requires_grad_(True)
    return model


def _initializers(file: Path, wanted: dict[str, Any]) -> dict[str, np.ndarray]:
    """The numbers of an .onnx file by the names of the network's parameters."""
    import onnx
    from onnx import numpy_helper

    try:
        document = onnx.load(str(file))
    except Exception:  # the library raises kinds of its own for broken files
        raise UserError(f"{file}: expected an ONNX file of the ball detector") from None
    found = {i.name: np.array(numpy_helper.to_array(i)) for i in document.graph.initializer}
    rows = next((v.shape[0] for k, v in found.items() if k.endswith(_LAST + "weight")), None)
    if rows is not None and rows not in (len(BALLS), len(CLASSES)):
        raise UserError(f"{file}: has {rows} classes, expected the detector's {len(CLASSES)} ({', '.join(CLASSES)})")
    listed = next((p.value for p in document.metadata_props if p.key == "names"), None)
    if listed not in (None, ",".join(CLASSES), ",".join(BALLS)):
        raise UserError(f"{file}: its classes are {listed}, expected {','.join(CLASSES)}")
    found = _all_classes(found)
    if any(k not in found or found[k].shape != tuple(v.shape) for k, v in wanted.items()):
        raise UserError(f"{file}: expected weights of this detector's architecture (models/ball.yaml)")
    return {k: found[k] for k in wanted}


def _all_classes(found: dict[str, NDArray]) -> dict[str, NDArray]:
    """The parameters, those of the last layer for all classes; of new ones it says that nothing is there."""
    out = dict(found)
    for key, value in found.items():
        if _LAST in key and len(value) == len(BALLS):
            more = np.full((len(CLASSES) - len(BALLS), *value.shape[1:]), 0.0 if key.endswith("weight") else _UNLIKELY, value.dtype)
            out[key] = np.concatenate([value, more])
    return out


def with_norms(folded: Any, pictures: NDArray[np.float32]) -> Any:
    """A network with norms that gives, for `pictures` (N, 3, S, S), what `folded` gives: each norm has the statistics that it meets."""
    import torch

    from models.train import new_model

    model = new_model().eval()
    wanted = folded.state_dict()
    model.load_state_dict({k: v for k, v in wanted.items() if k in model.state_dict()}, strict=False)
    blocks = {name: block for name, block in model.named_modules() if hasattr(block, "conv") and hasattr(block, "bn")}

    def calibrating(block: Any, bias: Any) -> Any:
        def forward(x: Any) -> Any:
            y = block.conv(x)
            spread, mean = torch.var_mean(y, dim=(0, 2, 3))
            bn = block.bn
            bn.running_mean.copy_(mean)
            bn.running_var.copy_(spread)
            bn.weight.copy_(torch.sqrt(spread + bn.eps))
            bn.bias.copy_(mean + bias)
            return block.act(bn(y))

        return forward

    with torch.no_grad():
        for name, block in blocks.items():
            block.forward = calibrating(block, wanted[f"{name}.conv.bias"])
        model(torch.from_numpy(pictures))
    for block in blocks.values():
        del block.forward
    return model
