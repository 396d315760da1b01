"""Balls in a picture by the network: `Detector.detect(picture) -> [Detection]`.

OpenVINO runs the ONNX file, ONNX Runtime where OpenVINO is missing; a user's own `.pt` runs through Ultralytics (extra
`train`). The network knows balls of about 7 to 46 px, so the picture (or a region of it) is scaled first; without a hint
a second look is taken at the scale at which the balls found first are about `_BEST` px wide.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.errors import UserError
from models.labels import BALLS, CLASSES, CUE, HAND
from vision.refine import rim_circle
from vision.shades import second_opinion
from vision.things import Thing, thinned_things

COLOURS = BALLS
DEFAULT_WEIGHTS = Path(__file__).resolve().parents[1] / "models" / "weights" / "balls.onnx"
Picture = NDArray[np.uint8]
Region = tuple[float, float, float, float]
_BEST = 19.0  # px: diameter at which the network does best
_RANGE = (12.0, 34.0)  # px: diameters that need no second look
_FIRST = 960  # px: longer side of the first look
_LARGEST = 2560
_MULTIPLE = 32
_GREY = 114
_SURE = 0.7  # confidence from which surroundings without cloth are believed
_SURE_SIZE = 0.5  # and an odd size
_LAB = np.array([0.35, 1.0, 1.0], np.float32)  # light falls off over a table, its hue does not
_SAME_CLOTH = 24.0  # distance of colours in weighted Lab
_RACK = 3  # neighbours that touch
_LEAST_CLOTH = 0.12  # share of a ball's surroundings
_ODD_SIZE = 0.25  # of the logarithm of the diameter
_STIFF = 0.005  # of the plane of diameters
_LEAST_RIM = 6.0  # px: diameter from which the rim is measured
_VOICE = 0.1  # score from which a cell has a say in the ball that it belongs to
# a ball of another game is rarer on a table than in training, where every third is one: a bleached ball with dots is a white one
_PRIOR = np.array([0.5 if colour == "other" else 1.0 for colour in COLOURS], np.float32)
_SHAPES = 4  # compiled input sizes kept


@dataclass(frozen=True, slots=True)
class Detection:
    """A ball: colour (`other` for those of other games), centre and diameter in px of the picture, confidence 0..1.

    (0, 0) is the centre of the first pixel. A moving ball's centre is that of its streak, its diameter the ball's.
    """

    colour: str
    x: float
    y: float
    diameter: float
    confidence: float


Network = Callable[[NDArray[np.float32]], NDArray[np.float32]]  # (1, 3, H, W) -> (11, cells), of old weights (9, cells)


class Detector:
    """The ball detector.

    Args:
        weights: an .onnx file of `models/export.py` or a .pt of Ultralytics; None: the ones of the package.
        threads: processor threads to use.

    Raises:
        UserError: the file is missing, is not such a network, or nothing that could run it is installed.
    """

    def __init__(self, weights: Path | str | None = None, threads: int = 1) -> None:
        self.weights = Path(weights) if weights is not None else DEFAULT_WEIGHTS
        if not self.weights.is_file():
            raise UserError(f"{self.weights}: expected a file with the detector's weights (.onnx or .pt)")
        kind = self.weights.suffix.lower()
        if kind not in (".onnx", ".pt"):
            raise UserError(f"{self.weights}: expected weights as .onnx or .pt")
        self._own: Any = _ultralytics(self.weights) if kind == ".pt" else None
        self._network: Network | None = None if kind == ".pt" else _network(self.weights, threads)

    def detect(
        self,
        picture: Picture,
        *,
        region: Region | None = None,
        long_side: int | None = None,
        ball_px: float | None = None,
        confidence: float = 0.35,
    ) -> list[Detection]:
        """Balls of a picture, surest first.

        Args:
            picture: uint8 BGR (H, W, 3).
            region: x0, y0, x1, y1 px to look in; the whole picture by default.
            long_side: px to which the longer side of what is looked at is scaled; chosen by itself by default.
            ball_px: how wide balls are in the picture, px, if known: chooses the scale in one look.
            confidence: the least to report, 0..1.

        Raises:
            ValueError: the picture is not uint8 (H, W, 3), or the region lies outside it.
        """
        if picture.dtype != np.uint8 or picture.ndim != 3 or picture.shape[2] != 3:
            raise ValueError(f"picture: expected uint8 (H, W, 3), got {picture.dtype} {picture.shape}")
        x0, y0, x1, y1 = _inside(region, picture)
        cut = picture[y0:y1, x0:x1]
        longest = max(cut.shape[:2])
        if ball_px is not None:
            long_side = round(longest * _BEST / ball_px)
        first = min(long_side or _FIRST, _LARGEST)
        found = self._look(cut, first / longest, confidence)
        if long_side is None:
            found = self._second_look(cut, first / longest, found, confidence)
        kept = _of_one_size([_measured(cut, d) for d in _on_cloth(cut, found)])
        kept = second_opinion(cut, kept)
        return [replace(d, x=d.x + x0, y=d.y + y0) for d in kept]

    def things(self, picture: Picture, *, ball_px: float, confidence: float = 0.35) -> list[Thing]:
        """Hands and cue tips of a picture, surest first; none with weights of five classes, which know balls only.

        Args:
            picture: uint8 BGR (H, W, 3).
            ball_px: how wide balls are in it, px.
            confidence: the least to report, 0..1.
        """
        scale = min(_BEST / ball_px, _LARGEST / max(picture.shape[:2]))
        if self._own is not None:
            return _things_of_ultralytics(self._own, picture, scale, confidence)
        out, shown = self._ask(picture, scale)
        return thinned_things(out, confidence, shown, picture.shape[:2])

    def _second_look(self, cut: Picture, scale: float, found: list[Detection], confidence: float) -> list[Detection]:
        sure = [d.diameter for d in found if d.confidence > max(confidence, 0.4)]
        longest = max(cut.shape[:2])
        if not sure:  # balls may be tiny, or huge
            for other in (2.0, 0.45):
                again = self._look(cut, min(scale * other, _LARGEST / longest), confidence)
                if again:
                    return again
            return found
        width = float(np.median(sure)) * scale
        if _RANGE[0] <= width <= _RANGE[1]:
            return found
        return self._look(cut, min(scale * _BEST / width, _LARGEST / longest), confidence)

    def _look(self, cut: Picture, scale: float, confidence: float) -> list[Detection]:
        """Detections in px of `cut`, seen at `scale`."""
        if self._own is not None:
            return _ask_ultralytics(self._own, cut, scale, confidence)
        out, shown = self._ask(cut, scale)
        return _thinned(out, confidence, shown, cut.shape[:2])

    def _ask(self, cut: Picture, scale: float) -> tuple[NDArray[np.float32], tuple[float, float]]:
        """What the network says of `cut` enlarged by `scale`, and by how much it was, across and down."""
        h, w = (max(round(n * scale), 1) for n in cut.shape[:2])
        how = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
        seen = cv2.resize(cut, (w, h), interpolation=how) if (h, w) != cut.shape[:2] else cut
        high, wide = (-(-n // _MULTIPLE) * _MULTIPLE for n in (h, w))
        sheet = np.full((high, wide, 3), _GREY, np.uint8)
        sheet[:h, :w] = seen
        blob = np.ascontiguousarray(sheet[..., ::-1].transpose(2, 0, 1)[None], dtype=np.float32)
        blob /= 255
        assert self._network is not None
        return self._network(blob), (w / cut.shape[1], h / cut.shape[0])


def _inside(region: Region | None, picture: Picture) -> tuple[int, int, int, int]:
    h, w = picture.shape[:2]
    if region is None:
        return 0, 0, w, h
    x0, y0 = max(int(region[0]), 0), max(int(region[1]), 0)
    x1, y1 = min(round(region[2]), w), min(round(region[3]), h)
    if x1 - x0 < 8 or y1 - y0 < 8:
        raise ValueError(f"region {region}: expected x0, y0, x1, y1 inside a picture of {w}x{h} px")
    return x0, y0, x1, y1


def _thinned(out: NDArray[np.float32], confidence: float, scale: tuple[float, float], size: tuple[int, ...]) -> list[Detection]:
    """One detection a ball: cells that speak of the same ball are averaged, weighted by their scores.

    `out` (4 + 5 or more, C): x, y, width, height px of the network's input, scores; those of hands and cues are not looked at.
    """
    scores = out[4 : 4 + len(COLOURS)]
    best = scores.max(axis=0)
    keep = np.flatnonzero(best >= min(confidence, _VOICE))
    keep = keep[np.argsort(-best[keep])]
    # the network counts from the picture's edge
    x, y = out[0, keep] / scale[0] - 0.5, out[1, keep] / scale[1] - 0.5
    d = (out[2, keep] / scale[0] + out[3, keep] / scale[1]) / 2
    score, kinds = best[keep], scores[:, keep]
    free = np.ones(len(keep), bool)
    found: list[Detection] = []
    for i in range(len(keep)):
        if not free[i]:
            continue
        away = np.hypot(x - x[i], y - y[i])
        same = free & (away < 0.5 * np.maximum(d, d[i]))
        same[i] = True
        free &= ~same
        if score[i] < confidence:
            break
        if not (-0.5 <= x[i] < size[1] and -0.5 <= y[i] < size[0]) or d[i] <= 0:
            continue
        weight = np.where(away < 0.3 * d[i], score**2, 0) * same
        total = weight.sum()
        mean = lambda v, weight=weight, total=total: float((v * weight).sum() / total)  # noqa: E731
        kind = int(np.argmax((kinds * weight).sum(axis=1) * _PRIOR))
        found.append(Detection(COLOURS[kind], mean(x), mean(y), mean(d), float(score[i])))
    return found


def _of_one_size(found: list[Detection]) -> list[Detection]:
    """Without unsure detections whose diameter does not go with the others'.

    Balls are equal, so their diameters in a picture change smoothly from place to place: here as a plane over it.
    """
    if len(found) < 4:
        return found
    d, score = np.array([f.diameter for f in found]), np.array([f.confidence for f in found])
    at = np.array([(f.x, f.y) for f in found])
    spread = max(float(np.ptp(at, axis=0).max()), 1.0)
    design = np.column_stack([np.ones(len(d)), (at - at.mean(axis=0)) / spread])
    log = np.log(d)
    trust = score**2 / (score**2).sum()
    weight = trust
    for _ in range(8):  # least sum of absolute errors; slopes are held back a little
        normal = design.T @ (design * weight[:, None]) + np.diag([0.0, _STIFF, _STIFF])
        off = log - design @ np.linalg.solve(normal, design.T @ (weight * log))
        weight = trust * 0.05 / np.maximum(np.abs(off), 0.05)
    return [f for f, o in zip(found, off, strict=True) if abs(o) < _ODD_SIZE or f.confidence > _SURE_SIZE]


def _measured(picture: Picture, ball: Detection) -> Detection:
    """The ball with centre and diameter of its rim, where that is clear."""
    if ball.diameter < _LEAST_RIM:
        return ball
    circle = rim_circle(picture, ball.x, ball.y, ball.diameter, np.median(_ring(picture, ball), axis=0))
    return ball if circle is None else replace(ball, x=circle[0], y=circle[1], diameter=circle[2])


def _on_cloth(picture: Picture, found: list[Detection]) -> list[Detection]:
    """Without unsure detections round which none of the cloth is seen that lies round the surer ones (logos, heads, lamps)."""
    if len(found) < 2:
        return found
    rings = [_ring(picture, f) for f in found]
    middles = np.array([np.median(r, axis=0) for r in rings])
    score = np.array([f.confidence for f in found]) ** 4  # many weak ones are no majority
    far = np.linalg.norm((middles[:, None] - middles[None]) * _LAB, axis=2)
    votes = (far < _SAME_CLOTH) @ score
    cloth = int(np.argmax(votes * (score > 0)))
    if votes[cloth] < 0.5 * score.sum():
        return found  # no one cloth: nothing to say
    colour = np.average(middles[far[cloth] < _SAME_CLOTH], axis=0, weights=score[far[cloth] < _SAME_CLOTH])
    seen = [float(np.mean(np.linalg.norm((r - colour) * _LAB, axis=1) < _SAME_CLOTH)) for r in rings]
    company = [
        sum(np.hypot(f.x - g.x, f.y - g.y) < 1.25 * f.diameter for g in found) - 1 for f in found
    ]  # inside a rack, balls hide the cloth
    return [f for f, s, n in zip(found, seen, company, strict=True) if s >= _LEAST_CLOTH or n >= _RACK or f.confidence > _SURE]


def _ring(picture: Picture, ball: Detection) -> NDArray[np.float32]:
    """Lab colours (N, 3) of the surroundings of a ball, 0.65 to 1 diameters from its centre."""
    turn = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    reach = ball.diameter * np.array([0.65, 0.8, 1.0])[:, None]
    x = np.clip(np.rint(ball.x + reach * np.cos(turn)), 0, picture.shape[1] - 1).astype(int)
    y = np.clip(np.rint(ball.y + reach * np.sin(turn)), 0, picture.shape[0] - 1).astype(int)
    return cv2.cvtColor(picture[y, x], cv2.COLOR_BGR2LAB).reshape(-1, 3).astype(np.float32)


def _network(path: Path, threads: int) -> Network:
    """The ONNX file as a function, by what is installed."""
    try:
        return _openvino(path, threads)
    except ImportError:
        pass
    try:
        return _onnxruntime(path, threads)
    except ImportError:
        raise UserError("detector: expected openvino or onnxruntime to be installed (pip install openvino)") from None


def _openvino(path: Path, threads: int) -> Network:
    import openvino as ov

    core = ov.Core()
    try:
        model = core.read_model(str(path))
        cells = model.outputs[0].partial_shape
    except RuntimeError:
        raise UserError(f"{path}: expected an ONNX file of the ball detector") from None
    _check(path, model.inputs[0].partial_shape.rank.get_length(), cells[1].get_length() if cells[1].is_static else 0)
    config = {"INFERENCE_NUM_THREADS": threads, "NUM_STREAMS": 1, "PERFORMANCE_HINT": "LATENCY"}
    compiled: dict[tuple[int, ...], Any] = {}

    def run(blob: NDArray[np.float32]) -> NDArray[np.float32]:
        if blob.shape not in compiled:  # a size that is known beforehand runs faster than a free one
            if len(compiled) >= _SHAPES:
                compiled.pop(next(iter(compiled)))
            fixed = core.read_model(str(path))
            fixed.reshape(list(blob.shape))
            compiled[blob.shape] = core.compile_model(fixed, "CPU", config).create_infer_request()
        request = compiled[blob.shape]
        return np.array(next(iter(request.infer([blob]).values()))[0])

    return run


def _onnxruntime(path: Path, threads: int) -> Network:
    import onnxruntime as rt

    options = rt.SessionOptions()
    options.intra_op_num_threads = threads
    try:
        session = rt.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # the library raises kinds of its own for broken files
        raise UserError(f"{path}: expected an ONNX file of the ball detector") from error
    name = session.get_inputs()[0].name
    width = session.get_outputs()[0].shape[1]
    _check(path, len(session.get_inputs()[0].shape), width if isinstance(width, int) else 0)
    return lambda blob: np.asarray(session.run(None, {name: blob})[0][0], dtype=np.float32)


def _check(path: Path, rank: int, rows: int) -> None:
    if rank != 4 or rows not in (0, 4 + len(COLOURS), 4 + len(CLASSES)):
        raise UserError(f"{path}: expected a network with one picture in and {4 + len(CLASSES)} rows out (boxes, {', '.join(CLASSES)})")


def _ultralytics(path: Path) -> Any:
    try:
        from ultralytics import YOLO
    except ImportError:
        raise UserError(f"{path}: .pt weights need the extra 'train' (pip install 'poedinok[train]'), or export them to .onnx") from None
    try:
        return YOLO(str(path))
    except Exception as error:  # many kinds of damage, none of them ours
        raise UserError(f"{path}: expected a checkpoint of Ultralytics: {type(error).__name__}") from error


def _rows_of_ultralytics(model: Any, cut: Picture, scale: float, confidence: float) -> list[tuple[str, Sequence[float]]]:
    """Class and x0, y0, x1, y1 px, score of what a user's own network sees."""
    side = -(-round(max(cut.shape[:2]) * scale) // _MULTIPLE) * _MULTIPLE
    result = model.predict(cut, imgsz=side, conf=confidence, iou=0.5, agnostic_nms=True, verbose=False, device="cpu")[0]
    names: dict[int, str] = model.names
    return [(names[int(kind)], box) for *box, kind in result.boxes.data.tolist()]


def _ask_ultralytics(model: Any, cut: Picture, scale: float, confidence: float) -> list[Detection]:
    found = []
    for name, (x0, y0, x1, y1, score) in _rows_of_ultralytics(model, cut, scale, confidence):
        if name not in (HAND, CUE):
            colour = name if name in COLOURS else "other"
            found.append(Detection(colour, (x0 + x1) / 2 - 0.5, (y0 + y1) / 2 - 0.5, (x1 - x0 + y1 - y0) / 2, score))
    return sorted(found, key=lambda d: -d.confidence)


def _things_of_ultralytics(model: Any, picture: Picture, scale: float, confidence: float) -> list[Thing]:
    rows = _rows_of_ultralytics(model, picture, scale, confidence)
    found = [
        Thing(name, (x0 + x1) / 2 - 0.5, (y0 + y1) / 2 - 0.5, x1 - x0, y1 - y0, score)
        for name, (x0, y0, x1, y1, score) in rows
        if name in (HAND, CUE)
    ]
    return sorted(found, key=lambda d: -d.confidence)
