"""What a worker does with a job, in a process of its own. Everything that can go wrong becomes an `Outcome` with one line."""

from __future__ import annotations

import errno
import hashlib
import os
import platform
import shutil
import time
import traceback
import uuid
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from calibration.errors import UserError
from referee.batch.fetch import local_file
from referee.batch.jobs import Job, Outcome, Step
from referee.batch.settings import Settings, is_address
from referee.version import version

if TYPE_CHECKING:
    from referee.analyze import Request
    from vision.pipeline import Progress

Report = Callable[[Step], None]
_ROW = 240  # bytes of tracks.csv a frame, at most
_SPARE = 4 << 20  # bytes that must be left beside them
_BLOCK = 4 << 20
_OFTEN = 0.25  # s between reports


def do(job: Job, report: Report) -> Outcome:
    """The outcome of a job; never raises."""
    began, where = time.perf_counter(), f"{platform.node()}:{os.getpid()}"
    value, error = None, None

    def tell(step: Step) -> None:
        report(replace(step, where=where))

    tell(Step(job.number, "starting", 0, None))
    try:
        if job.program != version():
            raise UserError(f"poedinok {version()} on {platform.node()}, but {job.program} where the batch was started: expected the same")
        value = _KINDS[job.kind](job.what, job.number, tell)
    except UserError as wrong:
        error = _line(str(wrong))
    except OSError as wrong:
        full = wrong.errno in (errno.ENOSPC, errno.EDQUOT) and "scratch" in job.what
        name = wrong.filename or (str(Path(job.what["scratch"]).parents[1]) if full else job.label)
        error = _line(f"{name}: {wrong.strerror or wrong}")
    except MemoryError:
        error = f"{job.label}: not enough memory"
    except Exception as wrong:  # a defect of ours must not end a night's run
        error = _line(f"{job.label}: unexpected {type(wrong).__name__}: {wrong} ({_place(wrong)})")
    return Outcome(job, value, error, False, time.perf_counter() - began, _peak(), where)


def use_threads(count: int) -> None:
    """Threads of OpenCV in this process; those of BLAS are set by the environment before it starts."""
    import cv2

    cv2.setNumThreads(count)


def _probe(what: Mapping[str, Any], number: int, report: Report) -> dict[str, Any]:
    """Content (digest of all bytes), picture size, frames and duration of a video, and its small pictures if they are wanted."""
    from vision.frames import Video

    with local_file(what["video"]) as path, _named(path, what["video"]):
        content = what["content"] or _content(path, number, report)
        with Video(path) as video:
            info = video.info
        weight = info.frames or round((info.duration or 0) * (info.rate or 30))  # not every container counts its frames
        found = {
            "content": content,
            "weight": weight,
            "width": info.width,
            "height": info.height,
            "frames": info.frames,
            "duration": info.duration,
        }
        if what["views"]:
            from referee.batch.views import small_views

            found["pictures"] = small_views(path)
        return found


def _content(path: Path, number: int, report: Report) -> str:
    """Digest of all bytes of a file."""
    whole, size, told = hashlib.blake2b(digest_size=16), path.stat().st_size, 0.0
    if not size:
        raise UserError(f"{path}: the file is empty; expected a video")
    with path.open("rb") as file:
        done = 0
        while block := file.read(_BLOCK):
            whole.update(block)
            done += len(block)
            if time.monotonic() - told > _OFTEN:
                report(Step(number, "reading", done, size))
                told = time.monotonic()
    return whole.hexdigest()


def _place_camera(what: Mapping[str, Any], number: int, report: Report) -> dict[str, Any]:
    """The profile of a video's camera: the first of the candidates that agrees with its pictures, else a new calibration."""
    from calibration.command import calibrate_video, chosen_table
    from calibration.overlay import draw_overlay
    from calibration.profile import read_profile
    from calibration.source import sample_pictures
    from referee.batch.views import agrees

    settings = Settings(**what["settings"])
    report(Step(number, "calibration", 0, None))
    with local_file(what["video"]) as path, _named(path, what["video"]):
        pictures = sample_pictures(str(path))
        for candidate in what["candidates"]:
            profile = read_profile(candidate)
            if agrees(profile, pictures):
                return {"found": candidate, "corners": profile.corners_px}
        chosen = settings.table or settings.size or settings.ball_mm
        table = chosen_table(settings.table, settings.size, settings.ball_mm)[0] if chosen else None
        profile, how = calibrate_video(path, home=settings.home, table=table)
        return {
            "profile": profile,
            "how": how,
            "corners": profile.corners_px,
            "overlay": draw_overlay(pictures[len(pictures) // 2], profile),
        }


def _analyze(what: Mapping[str, Any], number: int, report: Report) -> dict[str, Any]:
    """As `poedinok analyze`, into a new folder under `scratch`; the driver moves it to where it belongs."""
    from referee.analyze import run

    scratch = Path(what["scratch"])
    if not scratch.is_dir():
        raise UserError(f"{scratch}: not seen from {platform.node()}: expected a folder that all machines share")
    folder = scratch / f"{number}-{uuid.uuid4().hex[:12]}"
    try:
        folder.mkdir()
        _check_space(folder, what["frames"])
        with local_file(what["video"]) as path, _named(path, what["video"]):
            result = run(_request(what, path, folder), _teller(number, report))
        # asked once more, so that a worker whose driver is gone ends here
        report(Step(number, "done", 0, None))
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    document = result.document
    return {
        "folder": folder.name,
        "frames": document["video"]["frames"],
        "duration": document["video"]["duration"],
        "strokes": len(document["shots"]),
        "to_check": sum(1 for shot in document["shots"] if shot["review"]),
        "ruled": any(shot["ruling"] for shot in document["shots"]),
        "players": document["players"],
        "scores": document["scores"],
    }


def _request(what: Mapping[str, Any], path: Path, folder: Path) -> Request:
    from referee.analyze import Request

    settings = asdict(Settings(**what["settings"]))
    files = {name: Path(settings[name]) if settings[name] else None for name in ("calls", "start", "weights")}
    given = {name: settings[name] for name in ("balls", "players", "target", "annotate", "home", "lang")}
    request = Request.read(
        path, folder, profile=Path(what["profile"]), **files, **given, notes=tuple(what["notes"]),
        address=what["video"] if is_address(what["video"]) else None,
    )  # fmt: skip
    if what["reprojection_mm"] is not None and request.profile is not None:  # the file keeps fewer decimals than match.json may need
        request = replace(request, profile=replace(request.profile, reprojection_mm=what["reprojection_mm"]))
    return request


def _check_space(folder: Path, frames: int | None) -> None:
    """Better at once than after an hour's work. Raises OSError."""
    if shutil.disk_usage(folder).free < (frames or 0) * _ROW + _SPARE:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(folder.parents[2]))


def _teller(number: int, report: Report) -> Callable[[Progress], None]:
    last = 0.0

    def tell(step: Progress) -> None:
        nonlocal last
        if time.monotonic() - last >= _OFTEN:
            last = time.monotonic()
            report(Step(number, step.stage, step.done, step.total))

    return tell


class _named:
    """Errors name the address of a video instead of its copy here."""

    def __init__(self, path: Path, video: str) -> None:
        self.path, self.video = str(path), video

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: object) -> None:
        if isinstance(error, UserError) and self.path != self.video:
            raise UserError(str(error).replace(self.path, self.video)) from None


def _line(text: str) -> str:
    return " ".join(text.split())


def _place(error: BaseException) -> str:
    """Where an unexpected error came from, for a report of the defect."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{Path(last.filename).name}:{last.lineno}"


def _peak() -> int:
    """Most memory that this process has had, bytes."""
    try:
        import resource
    except ImportError:  # not on Windows
        return 0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


_KINDS: dict[str, Callable[[Mapping[str, Any], int, Report], dict[str, Any]]] = {
    "probe": _probe,
    "camera": _place_camera,
    "analyze": _analyze,
}
