"""Standard streams in UTF-8, and output folders: everything is written aside and moved into place when it is whole."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from calibration.errors import UserError


def standard_input() -> BinaryIO:
    """Standard input as bytes. Raises UserError if the program was started without one."""
    if sys.stdin is None:
        raise UserError("standard input is closed")
    return sys.stdin.buffer


def read_bytes(path: Path) -> bytes:
    """All of a file, or of standard input for `-`. Raises UserError naming the file."""
    if str(path) == "-":
        return standard_input().read()
    try:
        return path.read_bytes()
    except OSError as error:
        raise UserError(f"{path}: {error.strerror or 'cannot be read'}") from None


def print_text(text: str) -> None:
    """Prints a text and a line break at once, in UTF-8 whatever the terminal says. Raises UserError without standard output."""
    if sys.stdout is None:
        raise UserError("standard output is closed")
    sys.stdout.buffer.write(text.encode("utf-8") + b"\n")
    sys.stdout.buffer.flush()


@contextmanager
def staged(folder: Path) -> Iterator[Path]:
    """A temporary folder whose files are moved into `folder` at the end; if anything fails, none of them is.

    Made at once, so that a folder that cannot be written to is known before any work.

    Raises:
        UserError: the folder cannot be made or written to.
    """
    new = not folder.exists()
    if folder.is_file():
        raise UserError(f"{folder}: cannot write there: it is a file; expected a folder")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        aside = Path(tempfile.mkdtemp(prefix=".part-", dir=folder))
    except OSError as error:
        raise UserError(f"{folder}: cannot write there: {error.strerror or error}") from None
    try:
        yield aside
        for path in sorted(aside.iterdir()):
            os.replace(path, folder / path.name)
    finally:
        shutil.rmtree(aside, ignore_errors=True)
        if new:
            with suppress(OSError):  # what came of it is in it; an empty folder says nothing
                folder.rmdir()


@contextmanager
def staged_file(path: Path) -> Iterator[Path]:
    """The name of a temporary file beside `path` with the same ending, moved there at the end; removed if anything fails.

    Raises:
        UserError: the folder does not exist or cannot be written to.
    """
    try:
        handle, name = tempfile.mkstemp(dir=path.absolute().parent, prefix=".part-", suffix=path.suffix)
        os.close(handle)
    except OSError as error:
        raise UserError(f"{path}: cannot write there: {error.strerror or error}") from None
    aside = Path(name)
    try:
        yield aside
        os.chmod(aside, 0o644)
        os.replace(aside, path)
    finally:
        aside.unlink(missing_ok=True)
