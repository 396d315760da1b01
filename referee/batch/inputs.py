"""VIDEOS… of the command line: files, folders, patterns, fsspec addresses and CSV manifests -> the videos meant."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from calibration.errors import UserError
from referee.batch.manifest import read_manifest
from referee.batch.settings import Settings, Source, is_address

ENDINGS = frozenset([".mp4", ".m4v", ".mov", ".mkv", ".webm", ".avi", ".ts", ".mts", ".m2ts", ".mpg"]) | frozenset(
    [".mpeg", ".wmv", ".flv", ".3gp", ".ogv", ".vob", ".mxf", ".insv", ".lrv"]
)  # what a folder is searched for; a file that is named may be called anything
_MAGIC = frozenset("*?[")
_CALLS = (".srt", ".vtt")  # what lies beside a video under its name holds its calls


def read_sources(arguments: Sequence[str], options: Settings, out: Path) -> tuple[Source, ...]:
    """The videos that the arguments mean, each once, in their order; those of folders and patterns by name.

    What is under `out` is never one (annotated videos lie there). An argument that means nothing becomes a source with a
    problem, so that the others go on.

    Raises:
        UserError: no argument means a video; a manifest is wrong.
    """
    found: dict[object, Source] = {}
    for argument in arguments:
        for source in _meant(argument, options, out.absolute()):
            name = source.video if is_address(source.video) else os.path.realpath(source.video)
            found.setdefault((name, source.settings if source.given else None), source)
    # a row of a manifest says more than the folder in which the same file lies
    rows = {os.path.realpath(s.video) for s in found.values() if s.given}
    kept = tuple(_with_calls(s) for s in found.values() if s.given or s.problem or os.path.realpath(s.video) not in rows)
    if not any(s.problem is None or s.where for s in kept):
        raise UserError("; ".join(dict.fromkeys(s.problem for s in kept if s.problem)) or "expected at least one video")
    return kept


def _with_calls(source: Source) -> Source:
    """The video with the calls that lie beside it (match.mp4, match.srt), unless others were named."""
    if source.problem or source.settings.calls is not None or is_address(source.video):
        return source
    beside = next((path for ending in _CALLS if (path := Path(source.video).with_suffix(ending)).is_file()), None)
    return replace(source, settings=replace(source.settings, calls=str(beside))) if beside else source


def _meant(argument: str, options: Settings, out: Path) -> Iterable[Source]:
    if is_address(argument):
        local = _local(argument)
        if local is None:
            return _remote(argument, options)
        argument = local
    path = Path(argument)
    if path.suffix.lower() == ".csv" and path.is_file():
        return [_without_file_address(source) for source in read_manifest(path, options)]
    if path.is_dir():
        return _all(_in_folder(path, out), options, f"{argument}: no video in this folder")
    if path.exists():
        return [Source(argument, options)]
    if _MAGIC & set(argument):
        names = sorted(glob.glob(argument, recursive=True))
        files = [n for n in names if Path(n).is_file() and _is_video(Path(n)) and not _under(Path(n), out)]
        inner = [v for n in names if Path(n).is_dir() for v in _in_folder(Path(n), out)]
        return _all([*files, *inner], options, f"{argument}: no video matches")
    return [Source(argument, options, problem=f"{argument}: no such file; expected a video, a folder, a pattern or a manifest")]


def _all(videos: Sequence[str], options: Settings, otherwise: str) -> list[Source]:
    return [Source(video, options) for video in videos] or [Source(otherwise.partition(": ")[0], options, problem=otherwise)]


def _in_folder(folder: Path, out: Path) -> list[str]:
    found = []
    for root, folders, files in os.walk(folder):
        folders[:] = sorted(f for f in folders if not f.startswith(".") and not _under(Path(root, f), out))
        found += [str(Path(root, f)) for f in sorted(files) if not f.startswith(".") and _is_video(Path(f))]
    return found


def _is_video(path: Path) -> bool:
    return path.suffix.lower() in ENDINGS


def _under(path: Path, out: Path) -> bool:
    return path.absolute().is_relative_to(out)


def _local(address: str) -> str | None:
    """The path of a file:// address; None for any other."""
    for start in ("file://", "local://"):
        if address.startswith(start):
            return address.removeprefix(start)
    return None


def _without_file_address(source: Source) -> Source:
    local = _local(source.video) if is_address(source.video) else None
    return source if local is None else replace(source, video=local)


def _remote(address: str, options: Settings) -> list[Source]:
    if address.startswith("memory://"):
        return [Source(address, options, problem=f"{address}: workers are other processes and cannot see this one's memory")]
    if not _MAGIC & set(address.rpartition("?")[0] or address):
        return [Source(address, options)]
    from referee.batch.fetch import matches

    try:
        names = [name for name in matches(address) if _is_video(Path(name.partition("::")[0]))]
    except UserError as error:
        return [Source(address, options, problem=str(error))]
    return _all(names, options, f"{address}: no video matches")
