"""Pictures to calibrate on: from a picture file, a video file (some frames spread over it), a camera or a stream."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import av
import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.errors import CalibrationRefused, UserError

Picture = NDArray[np.uint8]
_PICTURE_ENDINGS = {".jpg", ".jpeg", ".png", ".bmp", ".tif", ".tiff", ".webp", ".ppm", ".pgm"}
_SHORT_S = 20.0  # videos up to this long are decoded through; longer ones are sampled by seeking
_MOST_DECODED = 1500
_SMALLEST = 120  # px of the shorter side in which a table may be found
_DARKEST = 30  # of 255: brightness of the lightest pixels (but 1 %) below which a picture is too dark
_STREAM_TIMEOUT_S = 10.0
_STREAM_LONGEST_S = 20.0  # pictures are taken from a live stream for at most this long


def sample_pictures(source: str, count: int = 25) -> list[Picture]:
    """Up to `count` BGR pictures of a source, turned as players see them, all of one size.

    Raises:
        UserError: missing file, a file that is no picture or video, no picture in it, a camera that gives none.
    """
    if source.isdecimal():  # not isdigit: it takes ² for a number too
        return _from_camera(source, count)
    if "://" in source:
        return _from_stream(source, count)
    path = Path(source)
    if not source.strip():
        raise UserError("SOURCE: expected a picture, a video, a camera number or a stream address; it is empty")
    if not path.exists():
        raise UserError(f"{source}: no such file")
    if not path.is_file():
        raise UserError(f"{source}: not a file; expected a picture, a video, a camera number or a stream address")
    if path.stat().st_size == 0:
        raise UserError(f"{source}: the file is empty")
    if path.suffix.lower() in _PICTURE_ENDINGS:
        return [_picture(path)]
    return _from_video(path, count)


def check_output(option: str, out: Path, sources: Sequence[str | Path] = ()) -> None:
    """Raises UserError for a file that cannot be written, or would replace one of the sources, before the work."""
    if out.is_dir():
        raise UserError(f"{option} {out}: is a folder; expected a file name")
    if not out.absolute().parent.is_dir():
        raise UserError(f"{option} {out}: the folder does not exist")
    for source in sources:
        with contextlib.suppress(OSError, ValueError):  # a camera or an address is no file
            if out.exists() and Path(source).samefile(out):
                raise UserError(f"{option} {out}: would replace the source; expected another file name")


def _picture(path: Path) -> Picture:
    try:
        data = np.fromfile(path, np.uint8)
        picture = cv2.imdecode(data, cv2.IMREAD_COLOR)
    except (OSError, cv2.error):
        picture = None
    if picture is None:
        raise UserError(f"{path}: not a picture that can be read")
    return np.asarray(picture, np.uint8)


def _from_video(path: Path, count: int) -> list[Picture]:
    try:
        with av.open(str(path)) as container:
            if not container.streams.video:
                raise UserError(f"{path}: has no pictures (no video stream)")
            stream = container.streams.video[0]
            stream.thread_type = "AUTO"
            length = float(container.duration or 0) / 1e6
            frames = _by_seeking(container, stream, length, count) if length > _SHORT_S else []
            if len(frames) < min(8, count):
                container.seek(0)
                frames = _by_decoding(container, stream, length, count)
    except (av.FFmpegError, OSError) as error:
        raise UserError(f"{path}: not a video that can be read ({_reason(error)})") from None
    if not frames:
        raise UserError(f"{path}: no frame of the video can be decoded")
    pictures = [_upright(frame) for frame in frames]
    return [p for p in pictures if p.shape == pictures[0].shape]


def _by_seeking(container, stream, length: float, count: int) -> list[av.VideoFrame]:
    """The key frames next to evenly spaced times."""
    frames: dict[int, av.VideoFrame] = {}
    start = float(container.start_time or 0) / 1e6
    for index in range(count):
        moment = start + length * (index + 0.5) / count
        try:
            container.seek(int(moment * 1e6), backward=True)
            frame = next(container.decode(stream), None)
        except av.FFmpegError:
            continue
        if frame is not None and not frame.is_corrupt:
            frames.setdefault(frame.pts if frame.pts is not None else index, frame)
    return [frames[key] for key in sorted(frames)]


def _by_decoding(container, stream, length: float, count: int) -> list[av.VideoFrame]:
    expected = stream.frames or round(length * float(stream.average_rate or 25)) or 250
    step = max(1, min(expected, _MOST_DECODED) // count)
    frames = []
    try:
        for index, frame in enumerate(container.decode(stream)):
            if index % step == 0 and not frame.is_corrupt:
                frames.append(frame)
            if index >= _MOST_DECODED:
                break
    except av.FFmpegError:
        pass  # what was read before the damage is enough to calibrate on
    return frames


def _upright(frame: av.VideoFrame) -> Picture:
    """The frame as players show it: phones store upright video lying, with a note of the rotation."""
    picture = frame.to_ndarray(format="bgr24")
    quarter = round(getattr(frame, "rotation", 0) / 90) % 4
    return np.ascontiguousarray(np.rot90(picture, quarter)) if quarter else picture


def check_pictures(pictures: Sequence[Picture]) -> None:
    """Raises CalibrationRefused for pictures in which no table can be seen: too small, too dark, blank."""
    height, width = pictures[0].shape[:2]
    if min(height, width) < _SMALLEST:
        raise CalibrationRefused(
            f"picture of {width}x{height} px: too small to find a table; expected at least {_SMALLEST} px", by_hand=False
        )
    lightest = max(float(np.percentile(picture[::4, ::4], 99)) for picture in pictures)
    if lightest < _DARKEST:
        raise CalibrationRefused(
            f"no table can be seen: the picture is too dark (its lightest parts have {lightest:.0f} of 255); more light is needed",
            by_hand=False,
        )
    if max(float(picture[::4, ::4].reshape(-1, picture[0, 0].size).std(axis=0).max()) for picture in pictures) < 2.5:
        raise CalibrationRefused("no table can be seen: the picture is blank (one colour all over)", by_hand=False)


def _from_camera(source: str, count: int) -> list[Picture]:
    with silent_stderr():
        try:
            capture = cv2.VideoCapture(int(source))
        except (cv2.error, OverflowError):
            raise UserError(f"{source}: no camera has this number") from None
        try:
            if not capture.isOpened():
                raise UserError(f"{source}: no camera has this number, or another program uses it")
            pictures = []
            for _ in range(6 * count):
                good, picture = capture.read()
                if not good:
                    break
                pictures.append(picture)
        finally:
            capture.release()
    if not pictures:
        raise UserError(f"{source}: the camera gives no picture")
    kept = pictures[:: max(1, len(pictures) // count)][:count]
    return [p for p in kept if p.shape == kept[0].shape]


def _from_stream(source: str, count: int) -> list[Picture]:
    """Pictures of a stream, as many as come in some seconds; one that stops answering ends it."""
    options = {"rtsp_transport": "tcp"} if source.startswith("rtsp") else {}
    pictures: list[Picture] = []
    try:
        with av.open(source, timeout=(_STREAM_TIMEOUT_S, _STREAM_TIMEOUT_S), options=options) as container:
            if not container.streams.video:
                raise UserError(f"{source}: has no pictures (no video stream)")
            began = time.monotonic()
            for frame in container.decode(container.streams.video[0]):
                if not frame.is_corrupt:
                    pictures.append(_upright(frame))
                if len(pictures) >= 6 * count or time.monotonic() - began > _STREAM_LONGEST_S:
                    break
    except (av.FFmpegError, OSError, ValueError) as error:
        if not pictures:
            late = isinstance(error, TimeoutError | av.error.ExitError)
            reason = f"no answer within {_STREAM_TIMEOUT_S:g} s" if late else _reason(error)
            raise UserError(f"{source}: no stream answers there ({reason})") from None
    if not pictures:
        raise UserError(f"{source}: the stream gives no picture")
    kept = pictures[:: max(1, len(pictures) // count)][:count]
    return [p for p in kept if p.shape == kept[0].shape]


@contextlib.contextmanager
def silent_stderr() -> Iterator[None]:
    """Drops what libraries in C print while a camera is opened: the error that follows says it in one line."""
    try:
        kept = os.dup(2)
    except OSError:  # no standard error at all
        yield
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        sys.stderr.flush()
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(nowhere)
        os.close(kept)


def _reason(error: Exception) -> str:
    return str(getattr(error, "strerror", "") or type(error).__name__).splitlines()[0]
