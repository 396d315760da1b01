"""PROFILE.toml: where the table is in the picture, of what size it is, and the camera that sees it so.

A profile needs [table] (name, length_mm, width_mm, ball_mm) and [picture] (width, height, corners_px); [camera] is fitted
to the corners again where it is missing, so that a profile can be written by hand.
"""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import tomli_w

from calibration.camera import Camera
from calibration.errors import UserError
from calibration.fit import Fit, camera_from_corners
from calibration.orientation import HOME_SIDES
from calibration.table import BALLS, KINDS, Table, custom_table, table
from calibration.uncertainty import PARAMETERS, CameraUncertainty

VERSION = 1
COVARIANCE_VERSION = 1
_ROW = re.compile(r"\[([-+\d.eE,\s]+)\]")  # an array of numbers, which the writer spreads over lines
_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")
_MOST = 1e9  # no pixel, millimetre or coefficient of a camera is larger; beyond, arithmetic overflows
_MOST_AROUND = 200
Corner = tuple[float, float]
Colour = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Profile:
    """A calibrated table. `corners_px`: home-right, home-left, foot-left, foot-right. Errors as in `fit.Fit`.

    `home`: side of the picture where the house is ("" if unknown), `home_from`: what decided it. `made_from`: file name of
    the source. `how`: one line. `colours`: (ball, (b, g, r)) seen at calibration, may be empty. `covariance`: of the camera,
    None where it is not known. `made_by`: program and version. `around`: colours round the table (`surroundings`), may be empty.
    """

    table: Table
    camera: Camera
    corners_px: tuple[Corner, Corner, Corner, Corner]
    reprojection_px: float = 0.0
    reprojection_mm: float = 0.0
    focal_sigma: float = 0.0
    focal_from: str = "given"
    ball_sigma_mm: float = 0.0
    home: str = ""
    home_from: str = ""
    made_when: str = ""
    made_from: str = ""
    how: str = ""
    confidence: float = 1.0
    colours: tuple[tuple[str, Colour], ...] = ()
    covariance: CameraUncertainty | None = None
    made_by: str = ""
    around: tuple[Colour | None, ...] = ()

    @property
    def size(self) -> tuple[int, int]:
        return self.camera.width, self.camera.height

    def check(self, width: int, height: int) -> None:
        """Raises UserError if a picture of this size cannot be what the profile was made on."""
        if (width, height) == self.size:
            return
        (w, h), other = self.size, "another camera or another cut of its picture"
        if abs(width * h - height * w) <= 0.01 * width * h:
            # not scaled silently: many cameras cut out or straighten another part of the sensor at another resolution
            other = "another resolution of a camera may show another part of the table"
        elif abs(width * w - height * h) <= 0.01 * width * w:
            other = "the picture is turned by a quarter"
        raise UserError(
            f"the profile was made on a picture of {w}x{h} px, this one has {width}x{height} px ({other});"
            " calibrate again: poedinok calibrate VIDEO --out PROFILE.toml"
        )


def profile_from_fit(table: Table, fit: Fit, corners_px: np.ndarray, **notes: Any) -> Profile:
    corners = tuple((round(float(x), 2), round(float(y), 2)) for x, y in np.asarray(corners_px))
    notes.setdefault("covariance", fit.uncertainty)
    notes.setdefault("made_by", _program())
    return Profile(
        table,
        fit.camera,
        (corners[0], corners[1], corners[2], corners[3]),
        fit.reprojection_px,
        fit.reprojection_mm,
        fit.focal_sigma,
        fit.focal_from,
        fit.ball_sigma_mm,
        **notes,
    )


def _program() -> str:
    try:
        return f"poedinok {metadata.version('poedinok')}"
    except metadata.PackageNotFoundError:
        return "poedinok"


def write_profile(profile: Profile, path: Path | str) -> None:
    """Writes the file whole or not at all.

    Raises:
        UserError: the folder is missing or cannot be written to.
    """
    path = Path(path)
    camera, kind = profile.camera, profile.table
    document = {
        "version": VERSION,
        "table": {
            "name": kind.name,
            "length_mm": kind.length,
            "width_mm": kind.width,
            "ball_mm": kind.ball,
            "nose_height_mm": round(kind.nose_height, 2),
            "pockets": bool(kind.pockets),
        },
        "picture": {
            "width": camera.width,
            "height": camera.height,
            "corners_px": [list(c) for c in profile.corners_px],
            "home": profile.home,
            "home_from": profile.home_from,
        },
        "camera": {
            "focal_px": camera.focal,
            "principal_px": list(camera.principal),
            "distortion": list(camera.distortion),
            "rotation": [list(map(float, row)) for row in camera.rotation],
            "translation_mm": camera.translation.tolist(),
        },
        "errors": {
            "reprojection_px": round(profile.reprojection_px, 3),
            "reprojection_mm": round(profile.reprojection_mm, 3),
            "focal_from": profile.focal_from,
            "focal_sigma": round(profile.focal_sigma, 4),
            "ball_sigma_mm": round(profile.ball_sigma_mm, 3),
        },
        "made": {
            "when": profile.made_when,
            "from": profile.made_from,
            "how": profile.how,
            "confidence": round(profile.confidence, 3),
            "program": profile.made_by,
        },
    }
    if profile.covariance is not None:
        document["camera"]["covariance"] = {
            "version": COVARIANCE_VERSION,
            "parameters": list(profile.covariance.parameters),
            "matrix": [list(row) for row in profile.covariance.covariance],
        }
    if profile.around:
        document["picture"]["around"] = " ".join("-" if bgr is None else _hex(bgr) for bgr in profile.around)
    if profile.colours:
        document["balls"] = {ball: _hex(bgr) for ball, bgr in profile.colours}
    write_atomic(path, _ROW.sub(_on_one_line, tomli_w.dumps(document)).encode())


def _hex(bgr: Colour) -> str:
    b, g, r = (min(255, max(0, round(v))) for v in bgr)
    return f"#{r:02x}{g:02x}{b:02x}"


def _on_one_line(row: re.Match[str]) -> str:
    return "[" + ", ".join(part for part in re.split(r"[\s,]+", row[1]) if part) + "]"


def write_atomic(path: Path, data: bytes) -> None:
    """Raises UserError if the file cannot be written, also because it is there and read-only (a move into place would not ask)."""
    if path.exists() and not os.access(path, os.W_OK):
        raise UserError(f"{path}: cannot be written (it is read-only)")
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise UserError(f"{path}: cannot be written ({error.strerror})") from None
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.chmod(name, 0o666 & ~_umask())
        os.replace(name, path)
    except OSError as error:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise UserError(f"{path}: cannot be written ({error.strerror})") from None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def read_profile(path: Path | str) -> Profile:
    """The profile of a file.

    Raises:
        UserError: missing, not TOML, no profile, of another version, or a field that is missing or wrong; the message names it.
    """
    try:
        document = tomllib.loads(Path(path).read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror})") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: not TOML ({str(error).splitlines()[0]})") from None
    if not document.keys() & {"table", "picture", "camera"}:
        raise UserError(f"{path}: not the profile of a table; expected a file made with: poedinok calibrate VIDEO --out PROFILE.toml")
    return _Reader(str(path), document).profile()


class _Reader:
    """Typed access to a parsed file: every complaint names file and field."""

    def __init__(self, file: str, document: Mapping[str, Any]) -> None:
        self.file, self.document = file, document

    def fail(self, field: str, expected: str) -> UserError:
        return UserError(f"{self.file}: {field}: expected {expected}")

    def section(self, name: str, *, needed: bool) -> Mapping[str, Any]:
        value = self.document.get(name, None if needed else {})
        if not isinstance(value, dict):
            raise self.fail(f"[{name}]", "a section" if value is not None else f"a section [{name}]; it is missing")
        return value

    def number(self, section: str, name: str, low: float, high: float, default: float | None = None) -> float:
        value = self.section(section, needed=default is None).get(name, default)
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not low <= value <= high:
            raise self.fail(f"{section}.{name}", f"a number from {low:g} to {high:g}, found {value!r}")
        return float(value)

    def whole(self, section: str, name: str, low: int, high: int) -> int:
        value = self.number(section, name, low, high)
        if value != int(value):
            raise self.fail(f"{section}.{name}", f"a whole number, found {value:g}")
        return int(value)

    def text(self, section: str, name: str, default: str | None = None) -> str:
        value = self.section(section, needed=default is None).get(name, default)
        if not isinstance(value, str):
            raise self.fail(f"{section}.{name}", f"a text, found {value!r}")
        return value

    def numbers(self, section: str, name: str, shape: tuple[int, ...]) -> np.ndarray:
        value = self.section(section, needed=True).get(name)
        wanted = " x ".join(map(str, shape)) + " finite numbers"
        if not isinstance(value, Sequence) or isinstance(value, str):
            raise self.fail(f"{section}.{name}", f"{wanted}, found {value!r}")
        try:
            array = np.array(value, dtype=float)
        except (TypeError, ValueError, OverflowError):
            raise self.fail(f"{section}.{name}", wanted) from None
        if array.shape != shape or not (np.abs(array) < _MOST).all():
            raise self.fail(f"{section}.{name}", wanted)
        return array

    def profile(self) -> Profile:
        version = self.document.get("version", VERSION)
        if version != VERSION or isinstance(version, bool):
            raise self.fail("version", f"{VERSION}, found {version!r}; calibrate again with this program")
        kind = self.kind()
        width, height = (self.whole("picture", name, 16, 20000) for name in ("width", "height"))
        corners = self.numbers("picture", "corners_px", (4, 2))
        try:
            refit = camera_from_corners(corners, kind, (width, height))
        except UserError as error:
            raise UserError(f"{self.file}: picture.corners_px: {error}") from None
        camera = self.camera(width, height) if "camera" in self.document else refit.camera
        points = tuple((float(x), float(y)) for x, y in corners)
        shift = float(np.abs(camera.project_at(kind.corners, kind.nose_height) - corners).max())
        if not shift < 0.03 * max(width, height):
            raise self.fail("[camera]", f"a camera that sees the noses at picture.corners_px; it is {shift:.0f} px off")
        return Profile(
            kind,
            camera,
            (points[0], points[1], points[2], points[3]),
            self.number("errors", "reprojection_px", 0, 1e4, refit.reprojection_px),
            self.number("errors", "reprojection_mm", 0, 1e4, refit.reprojection_mm),
            self.number("errors", "focal_sigma", 0, 1e4, refit.focal_sigma),
            self.text("errors", "focal_from", refit.focal_from),
            self.number("errors", "ball_sigma_mm", 0, 1e4, refit.ball_sigma_mm),
            self.home(),
            self.text("picture", "home_from", ""),
            self.text("made", "when", ""),
            self.text("made", "from", ""),
            self.text("made", "how", ""),
            self.number("made", "confidence", 0, 1, 1.0),
            tuple((ball, self.colour(ball)) for ball in self.section("balls", needed=False)),
            self.covariance() if "camera" in self.document else refit.uncertainty,
            self.text("made", "program", ""),
            self.around(),
        )

    def kind(self) -> Table:
        name = self.text("table", "name")
        length = self.number("table", "length_mm", 500, 6000)
        width = self.number("table", "width_mm", 300, 6000)
        ball = self.number("table", "ball_mm", 20, 100)
        pockets = self.section("table", needed=True).get("pockets", not name.startswith("carom"))
        if not isinstance(pockets, bool):
            raise self.fail("table.pockets", f"true or false, found {pockets!r}")
        if name in KINDS:
            known = table(name, ball=ball)
            if abs(known.length - length) < 1 and abs(known.width - width) < 1 and pockets == bool(known.pockets):
                return known
        try:
            return custom_table(length, width, ball=ball, pockets=pockets)
        except ValueError as error:
            raise UserError(f"{self.file}: table.length_mm, table.width_mm: {error}") from None

    def home(self) -> str:
        side = self.text("picture", "home", "")
        if side and side not in HOME_SIDES:
            raise self.fail("picture.home", f"one of {', '.join(HOME_SIDES)}, found {side!r}")
        return side

    def camera(self, width: int, height: int) -> Camera:
        focal = self.number("camera", "focal_px", 1, 1e7)
        principal = self.numbers("camera", "principal_px", (2,))
        lens = self.numbers("camera", "distortion", (5,))
        rotation = self.numbers("camera", "rotation", (3, 3))
        translation = self.numbers("camera", "translation_mm", (3,))
        k1, k2, p1, p2, k3 = lens.tolist()
        try:
            return Camera(width, height, focal, (principal[0], principal[1]), (k1, k2, p1, p2, k3), rotation, translation)
        except ValueError as error:
            raise UserError(f"{self.file}: [camera]: {error}") from None

    def covariance(self) -> CameraUncertainty | None:
        block = self.section("camera", needed=True).get("covariance")
        if block is None:
            return None
        field = "camera.covariance"
        if not isinstance(block, dict):
            raise self.fail(f"[{field}]", "a section")
        if block.get("version") != COVARIANCE_VERSION:
            raise self.fail(f"{field}.version", f"{COVARIANCE_VERSION}, found {block.get('version')!r}; calibrate again with this program")
        names = block.get("parameters")
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise self.fail(f"{field}.parameters", f"names of {', '.join(PARAMETERS)}, found {names!r}")
        wanted = f"{len(names)} rows of {len(names)} numbers"
        try:
            matrix = np.array(block.get("matrix"), dtype=float)
        except (TypeError, ValueError, OverflowError):
            raise self.fail(f"{field}.matrix", wanted) from None
        if matrix.shape != (len(names), len(names)) or not (np.abs(matrix) < _MOST**2).all():
            raise self.fail(f"{field}.matrix", wanted)
        try:
            return CameraUncertainty.of(names, matrix)
        except ValueError as error:
            raise UserError(f"{self.file}: {field}: {error}") from None

    def colour(self, ball: str) -> Colour:
        if ball not in BALLS:
            raise self.fail(f"balls.{ball}", f"one of {', '.join(BALLS)}")
        value = self.text("balls", ball)
        if not _COLOUR.fullmatch(value):
            raise self.fail(f"balls.{ball}", f'a colour as "#rrggbb", found {value!r}')
        return _bgr(value)

    def around(self) -> tuple[Colour | None, ...]:
        words = self.text("picture", "around", "").split()
        if len(words) > _MOST_AROUND or any(word != "-" and not _COLOUR.fullmatch(word) for word in words):
            raise self.fail("picture.around", 'up to 200 colours as "#rrggbb" or "-", with spaces between')
        return tuple(None if word == "-" else _bgr(word) for word in words)


def _bgr(value: str) -> Colour:
    r, g, b = bytes.fromhex(value[1:])
    return float(b), float(g), float(r)
