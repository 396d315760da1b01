"""Videos at fsspec addresses (s3://…, https://…, zip://…::…): listed by the driver, fetched by the worker that needs one."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from calibration.errors import UserError
from referee.batch.settings import is_address

# what storages call that which changes with the file
_MARKS = ("etag", "md5", "md5hash", "content_md5", "checksum", "crc", "lastmodified", "last_modified", "mtime", "modified", "updated")


def matches(pattern: str) -> list[str]:
    """The addresses that a pattern means, sorted. Raises UserError."""
    import fsspec

    try:
        files = fsspec.open_files(pattern, "rb")
    except Exception as error:
        raise _told(pattern, error) from None
    rest = pattern.partition("::")[2]
    return sorted(file.fs.unstrip_protocol(file.path) + (f"::{rest}" if rest else "") for file in files)


def name_of(video: str) -> str:
    """The file name of a path or address."""
    return Path(video.partition("::")[0].partition("?")[0] if is_address(video) else video).name or "video"


def mark_of(video: str) -> str:
    """Changes whenever the file is written anew: size, times and place of a local file, what the storage says of another.

    Raises:
        UserError: there is no such file, or it may not be looked at.
    """
    if not is_address(video):
        try:
            stat = Path(video).stat()
        except OSError as error:
            raise UserError(f"{video}: {error.strerror or error}") from None
        return f"{stat.st_size} {stat.st_mtime_ns} {stat.st_ctime_ns} {stat.st_ino}"
    from fsspec.core import url_to_fs

    try:
        storage, path = url_to_fs(video)
        info = {name.lower(): value for name, value in storage.info(path).items()}
    except Exception as error:
        raise _told(video, error) from None
    told = {name: str(info[name]) for name in _MARKS if info.get(name) is not None}
    return f"{info.get('size')} {told}" if told else ""  # the size alone proves nothing


@contextmanager
def local_file(video: str) -> Iterator[Path]:
    """The video as a file of this machine: itself, or a copy that is removed afterwards.

    Raises:
        UserError: it cannot be fetched; the message names the address.
    """
    if not is_address(video):
        yield Path(video)
        return
    folder = Path(tempfile.mkdtemp(prefix="poedinok-"))
    try:
        path = folder / name_of(video)
        _fetch(video, path)
        yield path
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _fetch(video: str, path: Path) -> None:
    import fsspec

    try:
        with fsspec.open(video, "rb") as source, path.open("wb") as target:
            shutil.copyfileobj(source, target, 4 << 20)  # type: ignore[arg-type]
    except Exception as error:  # each kind of storage raises its own
        raise _told(video, error) from None


def _told(address: str, error: Exception) -> UserError:
    protocol = address.partition("://")[0]
    if isinstance(error, ImportError):
        extra = f"expected the {protocol} extra (pip install 'poedinok[{protocol}]')" if protocol == "s3" else str(error)
        return UserError(f"{address}: what reads {protocol}:// is not installed: {extra}")
    if isinstance(error, PermissionError):
        return UserError(f"{address}: permission denied")
    if isinstance(error, FileNotFoundError):
        return UserError(f"{address}: no such file there")
    text = " ".join(str(error).split()) or type(error).__name__
    return UserError(f"{address}: cannot be fetched ({text[:200]})")
