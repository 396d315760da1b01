"""`poedinok calibrate lens`: pictures or a video of a board -> LENS.toml, or a board to print."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from calibration.boards import Board, parse_squares
from calibration.errors import UserError
from calibration.lens import LensResult, calibrate_lens, views_of, write_lens
from calibration.source import check_output, sample_pictures

_FRAMES = 90  # of a video that are looked at


@dataclass(frozen=True, slots=True)
class LensCommandResult:
    """What was written. As text: the lines for the terminal."""

    result: LensResult
    out: Path

    def __str__(self) -> str:
        lens = self.result.lens
        k1, k2, _, _, k3 = lens.values[3:]
        lines = [
            f"views   {lens.views} used" + (f", left out: {', '.join(self.result.left_out)}" if self.result.left_out else ""),
            f"focal   {lens.focal:.1f} px +-{100 * lens.focal_sigma:.2f} %, middle {lens.values[1]:.1f},{lens.values[2]:.1f} px",
            f"bend    k1 {k1:.4f}  k2 {k2:.4f}  k3 {k3:.4f}",
            f"error   {lens.rms_px:.2f} px",
            *[f"advice  {text}" for text in self.result.advice],
            f"written {self.out}; it holds for this camera at {lens.size[0]}x{lens.size[1]} px, with this zoom and focus",
        ]
        return "\n".join(lines)


def run_calibrate_lens(
    sources: Sequence[str],
    out: Path | None,
    *,
    board: str = "charuco",
    squares: str = "9x6",
    square_mm: float = 25.0,
    marker_mm: float | None = None,
    print_to: Path | None = None,
) -> LensCommandResult | str:
    """Calibrates a lens on pictures or videos of a board and writes LENS.toml; with `print_to` writes the board instead.

    Raises:
        UserError: wrong options, pictures of different sizes, too few views of the board.
    """
    shape = Board(board, parse_squares(squares), square_mm, marker_mm if marker_mm is not None else round(0.72 * square_mm, 2))
    if print_to is not None:
        check_output("--print", print_to)
        shape.print_to(print_to)
        return f"written {print_to}: print it at 100 %, measure a square, and glue it to something flat"
    if not sources:
        raise UserError("calibrate lens: expected pictures or a video of a board, or --print BOARD.pdf for one to print")
    if out is None:
        raise UserError("calibrate lens: expected --out LENS.toml")
    check_output("--out", out, sources)
    pictures = []
    for source in sources:
        found = sample_pictures(source, _FRAMES)
        pictures += [(Path(source).name if len(found) == 1 else f"{Path(source).name}#{i}", picture) for i, picture in enumerate(found)]
    sizes = {picture.shape[:2] for _, picture in pictures}
    if len(sizes) > 1:
        raise UserError("calibrate lens: pictures of different sizes: expected one camera's at one setting")
    height, width = sizes.pop()
    made_from = ", ".join(Path(s).name for s in sources[:3]) + (f" and {len(sources) - 3} more" if len(sources) > 3 else "")
    result = calibrate_lens(
        views_of(pictures, shape), (width, height), made_from=made_from, made_when=datetime.now(UTC).isoformat(timespec="seconds")
    )
    write_lens(result.lens, out)
    return LensCommandResult(result, out)
