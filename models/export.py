"""A checkpoint (.pt) -> ONNX: one file that OpenVINO and ONNX Runtime read, any height and width that are multiples of 32.

Input `images` (N, 3, H, W) RGB 0..1; output `output0` (N, 4 + 7, cells): x, y, width, height in px of the input, then the
seven classes' scores 0..1. Overlapping detections are thinned out by the reader (vision/detect.py).
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from calibration.errors import UserError
from models.labels import CLASSES

OPSET = 17


def export(checkpoint: Path, out: Path) -> Path:
    """Writes `out` (.onnx) from a checkpoint; returns it.

    Raises:
        UserError: the extra `train` is missing, or the checkpoint cannot be read.
    """
    from models.train import new_model

    return export_model(new_model(checkpoint), out)


def export_model(model: Any, out: Path) -> Path:
    """Writes `out` (.onnx) from a network, which is used up by it; returns `out`."""
    import onnx
    import torch

    model = model.float().eval().fuse(verbose=False)
    head = model.model[-1]
    head.export, head.format, head.dynamic = True, "onnx", True
    unfinished = out.with_suffix(".part")
    example = torch.zeros(1, 3, 320, 352)
    with torch.no_grad():
        torch.onnx.export(
            model,
            (example,),
            str(unfinished),
            input_names=["images"],
            output_names=["output0"],
            dynamic_axes={"images": {0: "batch", 2: "height", 3: "width"}, "output0": {0: "batch", 2: "cells"}},
            opset_version=OPSET,
            dynamo=False,
        )
    document = onnx.load(str(unfinished))
    document.metadata_props.add(key="names", value=",".join(CLASSES))  # who goes on training must know their order
    onnx.save(document, str(unfinished))
    unfinished.replace(out)
    return out


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m models.export", description="Export a checkpoint of the ball detector to ONNX.")
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("out", type=Path)
    given = parser.parse_args(arguments)
    try:
        print(export(given.checkpoint, given.out))
    except UserError as error:
        parser.exit(2, f"{error}\n")


if __name__ == "__main__":
    main()
