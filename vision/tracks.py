"""tracks.csv: where every ball was in every frame (contract: analysis)."""

from __future__ import annotations

import csv
from pathlib import Path
from types import TracebackType

HEADER = ("frame", "video_t", "ball", "x_mm", "y_mm", "sigma_mm", "state")


class TracksFile:
    """Writes rows as they become known; a context manager. Without a path it writes nothing."""

    def __init__(self, path: Path | None):
        self._file = path.open("w", newline="", encoding="utf-8") if path else None
        self._writer = csv.writer(self._file) if self._file else None
        if self._writer:
            self._writer.writerow(HEADER)

    def row(self, frame: int, t: float, ball: str, place: tuple[float, float] | None, sigma: float, state: str) -> None:
        """One ball in one frame; `state`: seen | hidden | pocketed | absent; no place: empty fields."""
        if self._writer is None:
            return
        if place is None:
            self._writer.writerow((frame, f"{t:.6f}", ball, "", "", "", state))
        else:
            self._writer.writerow((frame, f"{t:.6f}", ball, f"{place[0]:.2f}", f"{place[1]:.2f}", f"{sigma:.2f}", state))

    def __enter__(self) -> TracksFile:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._file:
            self._file.close()
