"""A CSV manifest: one video a row. Columns: video (needed), profile, calls, players, date, balls, table, size, home, target,
start, ball_mm; paths are relative to the manifest's folder. Empty cells take the options of the command line.
"""

from __future__ import annotations

import csv
import io
from dataclasses import asdict
from pathlib import Path

from calibration.errors import UserError
from referee.batch.settings import FILES, Settings, Source, checked, is_address

COLUMNS = ("video", "profile", "calls", "players", "date", "balls", "table", "size", "home", "target", "start", "ball_mm")


def read_manifest(path: Path, options: Settings) -> list[Source]:
    """The videos of a manifest in its order; a file that is missing is a problem of its video alone.

    Raises:
        UserError: the file cannot be read, a column is unknown or missing, a value is wrong; it names line and column.
    """
    rows = csv.reader(io.StringIO(_text(path), newline=""), delimiter=_delimiter(path))
    try:
        header = [name.strip().lower() for name in next(rows, [])]
        _check_header(path, header)
        sources = []
        for row in rows:
            if any(cell.strip() for cell in row):
                sources.append(_source(path, rows.line_num, header, row, options))
    except csv.Error as error:
        raise UserError(f"{path}:{rows.line_num}: not CSV: {error}") from None
    if not sources:
        raise UserError(f"{path}: expected at least one row with a video")
    return sources


def _text(path: Path) -> str:
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise UserError(f"{path}: the manifest cannot be read: {error.strerror or error}") from None
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise UserError(f"{path}:{line}: a manifest must be text in UTF-8 (in Excel: save as «CSV UTF-8»)") from None


def _delimiter(path: Path) -> str:
    """Comma, or the semicolon or tab of spreadsheets of other countries."""
    first = _text(path).partition("\n")[0]
    return max(",;\t", key=first.count)


def _check_header(path: Path, header: list[str]) -> None:
    if "video" not in header:
        raise UserError(f"{path}:1: expected a header line with a column video, found {', '.join(header) or 'nothing'}")
    for number, name in enumerate(header, 1):
        if name not in COLUMNS:
            raise UserError(f"{path}:1: column {number}: unknown column {name!r}, expected some of {', '.join(COLUMNS)}")
        if header.index(name) != number - 1:
            raise UserError(f"{path}:1: column {number}: {name} stands there twice")


def _source(path: Path, line: int, header: list[str], row: list[str], options: Settings) -> Source:
    where = f"{path}:{line}"
    if len(row) > len(header) and any(cell.strip() for cell in row[len(header) :]):
        raise UserError(f"{where}: column {len(header) + 1}: expected {len(header)} cells, found {len(row)}")
    cells = {name: cell.strip() for name, cell in zip(header, row, strict=False)}
    video = cells.pop("video", "")
    if not video:
        raise UserError(f"{where}: column video: expected a path or an address")
    problem = None
    for name in FILES:
        if cells.get(name):
            cells[name] = str(path.parent / cells[name])
            if not Path(cells[name]).is_file():
                problem = problem or f"{cells[name]}: {name} not found ({where})"
    values = asdict(options) | {name: cell for name, cell in cells.items() if cell}
    if cells.get("profile") and (cells.get("table") or cells.get("size")):
        raise UserError(f"{where}: column profile: it already names the table; expected either a profile or a table or size")
    if cells.get("profile"):  # its own profile stands against a table of the command line
        values |= {"table": None, "size": None, "ball_mm": None}
    elif cells.get("table") or cells.get("size"):
        values |= {name: cells.get(name) or None for name in ("table", "size", "profile")}
    if cells.get("ball_mm"):
        try:
            values["ball_mm"] = float(cells["ball_mm"].replace(",", "."))
        except ValueError:
            raise UserError(f"{where}: column ball_mm: expected a number of mm, got {cells['ball_mm']!r}") from None
    try:
        settings = checked(values)
    except UserError as error:
        raise UserError(f"{where}: column {error}") from None
    own = any(cells.get(name) for name in cells)
    return Source(video if is_address(video) else str(path.parent / video), settings, own, where, problem)
