"""`poedinok detect PICTURES... --out FILE.json`: the balls of still pictures, without a calibrated table."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from rich.progress import track

from calibration.errors import UserError
from vision.detect import Detection, Detector


def run_detect(pictures: Sequence[Path], out: Path, weights: Path | None = None) -> int:
    """Detects balls in `pictures` and writes the list of the contract to `out`; returns the number of balls.

    Raises:
        UserError: a picture cannot be read, `out` cannot be written, or the weights are no detector's.
    """
    if not pictures:
        raise UserError("PICTURES: expected at least one picture")
    out = Path(out)
    if out.is_dir() or not out.absolute().parent.is_dir():
        raise UserError(f"--out {out}: expected a file in an existing folder")
    for path in pictures:  # all are looked at before the work begins
        if not Path(path).is_file():
            raise UserError(f"{path}: expected a picture, there is no such file")
    detector = Detector(weights, threads=2)
    rows = []
    for path in track(pictures, "Looking for balls", disable=not _terminal(), transient=True):
        rows.append({"picture": str(path), "balls": [as_row(d) for d in detector.detect(read_picture(Path(path)))]})
    write_json(out, rows)
    return sum(len(r["balls"]) for r in rows)


def read_picture(path: Path) -> np.ndarray:
    """uint8 BGR (H, W, 3), turned as the file says.

    Raises:
        UserError: it is not a picture.
    """
    try:
        data = np.frombuffer(path.read_bytes(), np.uint8)
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}") from None
    found = cv2.imdecode(data, cv2.IMREAD_COLOR) if len(data) else None
    if found is None:
        raise UserError(f"{path}: expected a picture (JPEG, PNG, ...)")
    return found


def as_row(ball: Detection) -> dict[str, Any]:
    """A detection as the contract writes it."""
    return {
        "colour": ball.colour,
        "x": round(ball.x, 2),
        "y": round(ball.y, 2),
        "diameter": round(ball.diameter, 2),
        "confidence": round(ball.confidence, 3),
    }


def write_json(path: Path, value: Any) -> None:
    """Writes to a temporary name and moves it into place.

    Raises:
        UserError: it cannot be written.
    """
    unfinished = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        unfinished.write_text(json.dumps(value, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        unfinished.replace(path)
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}") from None
    finally:
        unfinished.unlink(missing_ok=True)


def _terminal() -> bool:
    return os.isatty(2)
