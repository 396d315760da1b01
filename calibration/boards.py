"""Boards to calibrate a lens with: their corners in a picture, and the board itself to print.

`charuco` is a checkerboard with a coded mark in each white square: it may be partly hidden or reach out of the picture, which
is how corners of the picture get corners of the board. `checkerboard` is the plain one and must be seen whole.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.errors import UserError

KINDS = ("charuco", "checkerboard")
_DICTIONARY = cv2.aruco.DICT_5X5_1000
_FEWEST = 8  # corners of a view
_DPI = 300
_MARGIN_MM = 12.0


@dataclass(frozen=True, slots=True)
class Board:
    """`squares`: along the longer and the shorter side. `square_mm`, `marker_mm`: sides of a square and of a mark in it.

    Raises:
        UserError: sizes that no board has; the message names the option.
    """

    kind: str = "charuco"
    squares: tuple[int, int] = (9, 6)
    square_mm: float = 25.0
    marker_mm: float = 18.0

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise UserError(f"--board {self.kind!r}: expected one of {', '.join(KINDS)}")
        if not all(3 <= n <= 40 for n in self.squares):
            raise UserError(f"--squares {self.squares[0]}x{self.squares[1]}: expected from 3 to 40 squares each way")
        if not 2 <= self.square_mm <= 500:
            raise UserError(f"--square-mm {self.square_mm:g}: expected from 2 to 500 mm")
        if self.kind == "charuco" and not 0.3 * self.square_mm <= self.marker_mm < 0.95 * self.square_mm:
            raise UserError(
                f"--marker-mm {self.marker_mm:g}: expected less than the square of {self.square_mm:g} mm, and at least 0.3 of it"
            )

    def corners(self, picture: NDArray[np.uint8]) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
        """Places (N, 3) mm on the board and px (N, 2) of its corners in a BGR or grey picture; None if it is not seen."""
        grey = picture if picture.ndim == 2 else cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
        return self._charuco(grey) if self.kind == "charuco" else self._checkerboard(grey)

    def _layout(self) -> cv2.aruco.CharucoBoard:
        return cv2.aruco.CharucoBoard(self.squares, self.square_mm, self.marker_mm, cv2.aruco.getPredefinedDictionary(_DICTIONARY))

    def _charuco(self, grey: NDArray[np.uint8]):
        layout = self._layout()
        found, names, _, _ = cv2.aruco.CharucoDetector(layout).detectBoard(grey)
        if found is None or names is None or len(found) < _FEWEST:
            return None
        places = np.asarray(layout.getChessboardCorners(), float)[np.asarray(names).ravel()]
        if len(np.unique(places[:, 0])) < 2 or len(np.unique(places[:, 1])) < 2:
            return None
        return np.asarray(places, np.float64), np.asarray(found, np.float64).reshape(-1, 2)

    def _checkerboard(self, grey: NDArray[np.uint8]):
        size = (self.squares[0] - 1, self.squares[1] - 1)
        good, found = cv2.findChessboardCornersSB(grey, size, None, cv2.CALIB_CB_NORMALIZE_IMAGE | cv2.CALIB_CB_ACCURACY)
        if not good:
            return None
        x, y = np.meshgrid(np.arange(size[0]), np.arange(size[1]))
        places = np.column_stack([x.ravel(), y.ravel(), np.zeros(x.size)]) * self.square_mm
        return np.asarray(places, np.float64), np.asarray(found, np.float64).reshape(-1, 2)

    def picture(self, px_per_mm: float) -> NDArray[np.uint8]:
        """The board (H, W) grey without a margin."""
        size = (round(self.squares[0] * self.square_mm * px_per_mm), round(self.squares[1] * self.square_mm * px_per_mm))
        if self.kind == "charuco":
            return np.asarray(self._layout().generateImage(size, marginSize=0, borderBits=1), np.uint8)
        x, y = (np.floor((np.arange(n) + 0.5) * count / n).astype(int) for n, count in zip(size, self.squares, strict=True))
        return np.where((x[None] + y[:, None]) % 2 == 0, 0, 255).astype(np.uint8)

    def print_to(self, path: Path) -> None:
        """Writes the board to print at its true size (.png or .pdf), with a ruler to check the printer by.

        Raises:
            UserError: another ending, or a place that cannot be written to.
        """
        if path.suffix.lower() not in (".png", ".pdf"):
            raise UserError(f"--print {path}: expected a name that ends in .png or .pdf")
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib.figure import Figure

        wide, high = self.squares[0] * self.square_mm, self.squares[1] * self.square_mm
        page = (max(wide + 2 * _MARGIN_MM, 297.0), max(high + 2 * _MARGIN_MM + 14, 210.0))
        if wide + 2 * _MARGIN_MM <= 297 and high + 2 * _MARGIN_MM + 14 <= 210:
            page = (297.0, 210.0)
        figure = Figure(figsize=(page[0] / 25.4, page[1] / 25.4))
        left, bottom = (page[0] - wide) / 2, (page[1] - high) / 2 + 6
        axes = figure.add_axes((left / page[0], bottom / page[1], wide / page[0], high / page[1]))
        axes.imshow(self.picture(_DPI / 25.4), cmap="gray", vmin=0, vmax=255, interpolation="nearest", aspect="auto")
        axes.set_axis_off()
        ruler = figure.add_axes(((page[0] - 100) / 2 / page[0], (bottom - 9) / page[1], 100 / page[0], 3 / page[1]))
        ruler.set(xlim=(0, 100), ylim=(0, 1), xticks=range(0, 101, 10), yticks=[])
        ruler.tick_params(labelsize=5, pad=1, length=2)
        marks = f", метки/marks {self.marker_mm:g} мм" if self.kind == "charuco" else ""
        text = f"Poedinok  {self.kind} {self.squares[0]}x{self.squares[1]}, клетка/square {self.square_mm:g} мм{marks}"
        text += "  ·  печатать 100 %, линейка = 100 мм  ·  print at 100 %, the ruler is 100 mm long"
        figure.text(0.5, (bottom - 16) / page[1], text, ha="center", fontsize=6)
        try:
            figure.savefig(path, dpi=_DPI)
        except OSError as error:
            raise UserError(f"--print {path}: cannot be written ({error.strerror})") from None


def parse_squares(text: str) -> tuple[int, int]:
    """The longer and the shorter side of a text such as 9x6.

    Raises:
        UserError: not two numbers.
    """
    match = re.fullmatch(r"\s*(\d{1,3})\s*[xX×х]\s*(\d{1,3})\s*", text)
    if not match:
        raise UserError(f"--squares {text!r}: expected the numbers of squares each way, such as 9x6")
    a, b = int(match[1]), int(match[2])
    return max(a, b), min(a, b)
