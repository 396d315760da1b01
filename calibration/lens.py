"""The lens of a camera from pictures of a board, with its covariance, and LENS.toml.

A lens that was calibrated is better known than a table can tell: `poedinok calibrate SOURCE --lens LENS.toml` takes focal
length, principal point and distortion from it and estimates the pose alone (see `bundle`). It holds for one camera at one
resolution, zoom and focus.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import tomli_w
from numpy.typing import NDArray

from calibration.boards import Board
from calibration.errors import UserError
from calibration.lens_prior import LensPrior
from calibration.profile import write_atomic
from calibration.uncertainty import CameraUncertainty

VERSION = 1
NAMES = ("log_focal", "cx", "cy", "k1", "k2", "p1", "p2", "k3")
FEWEST = 8  # views
_LEAST_TURN = 15.0  # degrees between the board's slants: without, focal length and distance are one
_BAD_VIEW = 2.5  # times the usual misfit from which a view is left out
_USUAL_PX = 0.3  # a misfit below which no view is bad
_WORST_PX = 1.5  # root mean square, at 1920 px of width, beyond which the board was not what it was said to be
_CELLS = (4, 3)
_PLACES = (
    ("top left", "top, left of the middle", "top, right of the middle", "top right"),
    ("left", "middle, to the left", "middle, to the right", "right"),
    ("bottom left", "bottom, left of the middle", "bottom, right of the middle", "bottom right"),
)
Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Lens:
    """A calibrated lens. `values`: log of the focal length in px, principal point px, distortion, in the order of `NAMES`;
    `covariance` of them; `rms_px`: misfit of the board's corners; `views` used."""

    size: tuple[int, int]
    values: tuple[float, ...]
    covariance: tuple[tuple[float, ...], ...]
    rms_px: float
    views: int
    made_from: str = ""
    made_when: str = ""

    @property
    def focal(self) -> float:
        """px."""
        return float(np.exp(self.values[0]))

    @property
    def focal_sigma(self) -> float:
        """Relative."""
        return float(np.sqrt(self.covariance[0][0]))

    def prior(self, size: tuple[int, int]) -> LensPrior:
        """For the fit of a camera.

        Raises:
            UserError: pictures of another size than the lens was calibrated at.
        """
        if size != self.size:
            raise UserError(
                f"--lens: the lens was calibrated on pictures of {self.size[0]}x{self.size[1]} px, this one has {size[0]}x{size[1]} px;"
                " calibrate it at this setting of the camera"
            )
        return LensPrior(dict(zip(NAMES, self.values, strict=True)), {}, NAMES, np.array(self.covariance))


@dataclass(frozen=True, slots=True)
class View:
    """A picture that shows the board: `places` (N, 3) mm on the board, `px` (N, 2)."""

    name: str
    places: Array
    px: Array


@dataclass(frozen=True, slots=True)
class LensResult:
    """A lens, the names of the views left out as bad, and advice (one line each)."""

    lens: Lens
    left_out: tuple[str, ...]
    advice: tuple[str, ...]


def views_of(pictures: Sequence[tuple[str, NDArray[np.uint8]]], board: Board) -> list[View]:
    """The pictures that show the board, without those that hardly differ from one before (a video's)."""
    views: list[View] = []
    for name, picture in pictures:
        seen = board.corners(picture)
        if seen is None:
            continue
        view = View(name, *seen)
        if not any(_alike(view, other, 0.01 * picture.shape[1]) for other in views):
            views.append(view)
    return views


def _alike(one: View, other: View, near: float) -> bool:
    common = {tuple(place): px for place, px in zip(other.places.tolist(), other.px, strict=True)}
    away = [np.hypot(*(px - common[key])) for px, place in zip(one.px, one.places.tolist(), strict=True) if (key := tuple(place)) in common]
    return len(away) > 0.8 * len(one.px) and float(np.median(away)) < near


def calibrate_lens(views: Sequence[View], size: tuple[int, int], *, made_from: str = "", made_when: str = "") -> LensResult:
    """The lens of the camera that took the views; bad views are left out.

    Raises:
        UserError: too few views, all with the same slant, or corners that no lens explains.
    """
    _enough(len(views))
    kept = list(views)
    while True:
        solved = _solve(kept, size)
        errors = np.array([np.sqrt((m**2).sum(axis=1).mean()) for m in solved.misfits])
        worst = int(np.argmax(errors))
        if errors[worst] <= max(_BAD_VIEW * float(np.median(errors)), _USUAL_PX) or len(kept) <= FEWEST:
            break
        del kept[worst]
    rms = float(np.sqrt(np.mean(np.concatenate([(m**2).sum(axis=1) for m in solved.misfits]))))
    if rms > _WORST_PX * max(size) / 1920:
        raise UserError(
            f"lens: the board's corners misfit by {rms:.1f} px; check --squares, that the board is flat, and that it was held still"
        )
    turn = _turns(solved.turns)
    if turn < _LEAST_TURN:
        raise UserError(
            f"lens: the board was always held alike (slants differ by {turn:.0f} degrees): expected at least {_LEAST_TURN:.0f};"
            " tilt it by 30 degrees to every side"
        )
    covariance = _covariance(solved, rms)
    lens = Lens(size, solved.values, tuple(tuple(map(float, row)) for row in covariance), rms, len(kept), made_from, made_when)
    names = {view.name for view in kept}
    return LensResult(lens, tuple(v.name for v in views if v.name not in names), _advice(lens, kept, size))


def _enough(count: int) -> None:
    if count == 0:
        raise UserError("lens: no picture shows the board sharply: check --board and --squares against the print, and the focus")
    if count < FEWEST:
        shown = f"{count} view shows the board" if count == 1 else f"{count} different views show the board"
        raise UserError(f"lens: {shown}: expected at least {FEWEST}, with the board at different slants and in all parts of the picture")


@dataclass(frozen=True, slots=True)
class _Solved:
    values: tuple[float, ...]
    turns: list[Array]
    moves: list[Array]
    misfits: list[Array]
    views: list[View]


def _solve(views: list[View], size: tuple[int, int]) -> _Solved:
    focal = 0.9 * max(size)
    matrix = np.array([[focal, 0, (size[0] - 1) / 2], [0, focal, (size[1] - 1) / 2], [0, 0, 1.0]])
    flags = cv2.CALIB_FIX_ASPECT_RATIO | cv2.CALIB_USE_INTRINSIC_GUESS
    try:
        _, matrix, lens, turns, moves = cv2.calibrateCamera(
            [v.places.astype(np.float32) for v in views], [v.px.astype(np.float32) for v in views], size, matrix, np.zeros(5), flags=flags
        )
    except cv2.error:
        raise UserError("lens: the board's corners fit no lens; check --squares and --board") from None
    lens = lens.ravel()[:5]
    misfits = [
        cv2.projectPoints(v.places, r, t, matrix, lens)[0].reshape(-1, 2) - v.px for v, r, t in zip(views, turns, moves, strict=True)
    ]
    k1, k2, p1, p2, k3 = map(float, lens)
    values = (float(np.log(matrix[0, 0])), float(matrix[0, 2]), float(matrix[1, 2]), k1, k2, p1, p2, k3)
    return _Solved(values, list(turns), list(moves), misfits, views)


def _covariance(solved: _Solved, rms: float) -> Array:
    """Of the lens alone: the poses of the board are estimated too, which leaves less known of it (Schur's complement)."""
    focal = float(np.exp(solved.values[0]))
    matrix = np.array([[focal, 0, solved.values[1]], [0, focal, solved.values[2]], [0, 0, 1.0]])
    total = np.zeros((8, 8))
    for view, turn, move in zip(solved.views, solved.turns, solved.moves, strict=True):
        slope = cv2.projectPoints(view.places, turn, move, matrix, np.array(solved.values[3:]))[1]
        pose = slope[:, :6]
        inner = np.column_stack([(slope[:, 6] + slope[:, 7]) * focal, slope[:, 8:10], slope[:, 10:15]])
        mixed = pose.T @ inner
        total += inner.T @ inner - mixed.T @ np.linalg.solve(pose.T @ pose, mixed)
    scale = np.sqrt(np.diag(total))
    normal = total / np.outer(scale, scale)
    # corners of one view share the board's bends: their errors are not independent, about four alike
    variance = 4 * max(rms**2 / 2, 0.02**2)
    covariance = np.linalg.inv(normal) / np.outer(scale, scale) * variance
    return (covariance + covariance.T) / 2


def _turns(turns: Sequence[Array]) -> float:
    """Largest angle in degrees between the board's normals."""
    normals = np.array([cv2.Rodrigues(t)[0][:, 2] for t in turns])
    return float(np.degrees(np.arccos(np.clip(normals @ normals.T, -1, 1).min())))


def _advice(lens: Lens, views: Sequence[View], size: tuple[int, int]) -> tuple[str, ...]:
    texts = []
    points = np.concatenate([v.px for v in views])
    cells = np.clip((points / size * _CELLS).astype(int), 0, np.array(_CELLS) - 1)
    empty = [
        _PLACES[row][column] for row in range(_CELLS[1]) for column in range(_CELLS[0]) if not (cells == (column, row)).all(axis=1).any()
    ]
    if empty:
        texts.append(f"no corner of the board in these parts of the picture, where the distortion is guessed: {'; '.join(empty)}")
    if lens.focal_sigma > 0.01:
        texts.append(
            f"the focal length is known to {100 * lens.focal_sigma:.1f} % only: more views with the board tilted by 30 to 45 degrees"
        )
    if len(views) < 15:
        texts.append(f"{len(views)} views: 15 to 25 make it surer")
    return tuple(texts)


def write_lens(lens: Lens, path: Path) -> None:
    """Writes the file whole or not at all.

    Raises:
        UserError: the folder is missing or cannot be written to.
    """
    k1, k2, p1, p2, k3 = lens.values[3:]
    document = {
        "version": VERSION,
        "lens": {
            "width": lens.size[0],
            "height": lens.size[1],
            "focal_px": lens.focal,
            "principal_px": list(lens.values[1:3]),
            "distortion": [k1, k2, p1, p2, k3],
        },
        "covariance": {"parameters": list(NAMES), "matrix": [list(row) for row in lens.covariance]},
        "made": {"when": lens.made_when, "from": lens.made_from, "views": lens.views, "rms_px": round(lens.rms_px, 4)},
    }
    write_atomic(path, tomli_w.dumps(document).encode())


def read_lens(path: Path) -> Lens:
    """The lens of a file.

    Raises:
        UserError: missing, not TOML, of another version, a wrong field; the message names it.
    """
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror})") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: not TOML ({str(error).splitlines()[0]})") from None
    if document.get("version") != VERSION:
        raise UserError(f"{path}: version: expected {VERSION}, found {document.get('version')!r}; calibrate the lens again")
    numbers = _numbers(path, document)
    made = document.get("made")
    made = made if isinstance(made, dict) else {}
    width, height, focal = numbers["width"][0], numbers["height"][0], numbers["focal_px"][0]
    if not (16 <= width <= 20000 and 16 <= height <= 20000 and 0 < focal < 1e7):
        raise UserError(f"{path}: lens: expected a width and height of 16 to 20000 px and a positive focal_px")
    block = document.get("covariance")
    if not isinstance(block, dict) or block.get("parameters") != list(NAMES):
        raise UserError(f"{path}: covariance.parameters: expected {', '.join(NAMES)}")
    try:
        matrix = np.array(block.get("matrix") or [], float)
        CameraUncertainty.of(NAMES, matrix)
        np.linalg.cholesky(matrix)
    except (TypeError, ValueError, OverflowError, np.linalg.LinAlgError):
        raise UserError(f"{path}: covariance.matrix: expected {len(NAMES)} rows of {len(NAMES)} numbers that are a covariance") from None
    values = (float(np.log(focal)), *numbers["principal_px"], *numbers["distortion"])
    rows = tuple(tuple(map(float, row)) for row in matrix)
    views, rms = made.get("views"), made.get("rms_px")
    return Lens(
        (int(width), int(height)),
        values,
        rows,
        float(rms) if isinstance(rms, float) else 0.0,
        views if isinstance(views, int) else 0,
        str(made.get("from", "")),
        str(made.get("when", "")),
    )


def _numbers(path: Path, document: dict) -> dict[str, tuple[float, ...]]:
    section = document.get("lens")
    if not isinstance(section, dict):
        raise UserError(f"{path}: expected a section [lens]")
    found = {}
    for name, count in (("width", 1), ("height", 1), ("focal_px", 1), ("principal_px", 2), ("distortion", 5)):
        value = section.get(name)
        try:
            values = np.atleast_1d(np.array(value, float))
        except (TypeError, ValueError, OverflowError):
            values = np.array([np.nan])
        if values.shape != (count,) or not np.isfinite(values).all():
            raise UserError(f"{path}: lens.{name}: expected {count} number{'s' if count > 1 else ''}, found {value!r}")
        found[name] = tuple(values.tolist())
    return found
