"""Output folders: everything is written aside and moved into place when it is whole."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from calibration.errors import UserError


@contextmanager
def staged(folder: Path) -> Iterator[Path]:
    """A temporary folder whose files are moved into `folder` at the end; if anything fails, none of them is.

    Made at once, so that a folder that cannot be written to is known before any work.

    Raises:
        UserError: the folder cannot be made or written to.
    """
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
