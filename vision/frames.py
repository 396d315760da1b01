"""Decoded pictures of a video, with their exact time stamps.

A frame's time is its presentation time stamp, an exact rational; it never comes from index / rate (phone videos have
variable rates). Frames that the decoder marked corrupt stay marked. Planes are kept as YUV 4:2:0: the tracker looks
at small windows only, and converting whole pictures to BGR costs more than decoding them.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import TypeVar, cast

import av
import cv2
import numpy as np

from calibration.errors import UserError
from vision.hardware import open_video

Item = TypeVar("Item")
_PLANAR = ("yuv420p", "yuvj420p")
_CENTRED = ("mjpeg", "mpeg1video")  # codecs whose chroma samples lie in the middle of four pixels; the others' lie left, unless they say so
LEFT, CENTRE = (0.0, 0.5), (0.5, 0.5)
SWITCH = 0.0005  # s that one thread may keep the interpreter from another: at the usual 5 ms decoder and tracker hold each other up
AHEAD = 24  # decoded frames that may wait for the tracker: bounds the memory (3 MB each at 1080p)


@dataclass(frozen=True, slots=True)
class VideoInfo:
    """What the container says; `frames` and `duration` may be None. Sizes (px) are those of the picture as players see it."""

    file: str
    frames: int | None
    time_base: Fraction
    width: int
    height: int
    duration: float | None
    rate: float | None


@dataclass(frozen=True, slots=True)
class Still:
    """Frames that were not decoded because nothing moves in them: the number of the first one, and the stamps of all, s."""

    index: int
    times: tuple[Fraction, ...]


@dataclass(frozen=True, slots=True)
class Frame:
    """One picture: `y` (H, W) uint8, `u` and `v` (H/2, W/2) uint8, H and W even; read only.

    `time` is the presentation time stamp, s; `corrupt`: the decoder found it damaged, or it builds on a damaged one; `stamped`: False
    if the stream bears no usable stamp for it, and the time is one usual step after the last. `siting`: where the first chroma sample lies,
    (x, y) px of luma.
    """

    index: int
    time: Fraction
    corrupt: bool
    y: np.ndarray
    u: np.ndarray
    v: np.ndarray
    stamped: bool = field(default=True, kw_only=True)
    siting: tuple[float, float] = field(default=LEFT, kw_only=True)

    @property
    def seconds(self) -> float:
        return float(self.time)

    def bgr(self) -> np.ndarray:
        """The whole picture, (H, W, 3) uint8."""
        h, w = self.y.shape
        flat = np.concatenate((self.y.ravel(), self.u.ravel(), self.v.ravel()))
        return cv2.cvtColor(flat.reshape(h * 3 // 2, w), cv2.COLOR_YUV2BGR_I420)


def frame_of_bgr(picture: np.ndarray, index: int = 0, time: Fraction = Fraction(0)) -> Frame:
    """A `Frame` made of a BGR picture (H, W, 3) uint8, its chroma sited left as in video; odd sizes lose their last row or column."""
    h, w = picture.shape[0] // 2 * 2, picture.shape[1] // 2 * 2
    # limited range, as video has it; OpenCV's own subsampling takes the first pixel of four, half a pixel off
    luma = cv2.cvtColor(np.ascontiguousarray(picture[:h, :w]), cv2.COLOR_BGR2YUV_I420)[:h]
    planes = [_left_sited(np.asarray(picture[:h, :w], np.float32) @ np.array(weights, np.float32)) for weights in _CHROMA]
    return Frame(index, time, False, luma, planes[0], planes[1])


# U and V of (b, g, r), ITU-R BT.601, limited range
_CHROMA = ((0.439, -0.291, -0.148), (-0.071, -0.368, 0.439))


def _left_sited(chroma: np.ndarray) -> np.ndarray:
    """(H/2, W/2) uint8 of (H, W): at the even columns, midway between two rows."""
    rows = (chroma[0::2] + chroma[1::2]) / 2
    padded = np.pad(rows, ((0, 0), (1, 1)), "edge")
    mixed = (padded[:, :-2] + 2 * padded[:, 1:-1] + padded[:, 2:]) / 4
    return np.clip(np.round(mixed[:, 0::2] + 128), 0, 255).astype(np.uint8)


def _plane(plane: av.video.plane.VideoPlane, h: int, w: int) -> np.ndarray:
    return np.frombuffer(plane, np.uint8).reshape(-1, plane.line_size)[:h, :w]


def _turned(plane: np.ndarray, rotation: int) -> np.ndarray:
    """A plane turned as the container's display matrix says (degrees, counter-clockwise)."""
    return np.rot90(plane, rotation // 90 % 4) if rotation else plane


class Video:
    """A video file opened for reading; iterate over it for its frames, in a thread of their own.

    Raises:
        UserError: the file is missing, is no video, or holds no picture that can be decoded.
    """

    def __init__(self, path: Path | str):
        self.path = Path(path)
        if not self.path.is_file():
            raise UserError(f"{path}: no such file; expected a video")
        try:
            self._container = open_video(self.path)
        except (av.FFmpegError, ValueError, OSError) as error:
            raise UserError(f"{path}: expected a video, but it cannot be opened ({_reason(error)})") from None
        if not self._container.streams.video:
            self._container.close()
            raise UserError(f"{path}: expected a video, but it holds no video stream")
        if self._container.format.name == "image2" or self._container.format.name.endswith("_pipe"):
            self._container.close()
            raise UserError(f"{path}: a still picture, expected a video; pictures are for: poedinok calibrate, poedinok detect")
        self._stream = self._container.streams.video[0]
        self._set_up(strict=True)
        self.info = self._look()

    def _look(self) -> VideoInfo:
        stream = self._stream
        rotation = self._first_rotation()
        w, h = stream.codec_context.width, stream.codec_context.height
        if rotation % 180:
            w, h = h, w
        duration = None
        if stream.duration and stream.time_base:
            duration = float(stream.duration * stream.time_base)
        elif self._container.duration:
            duration = self._container.duration / 1e6
        rate = float(stream.average_rate) if stream.average_rate else None
        return VideoInfo(self.path.name, stream.frames or None, stream.time_base or Fraction(1, 1000), w, h, duration, rate)

    def _first_rotation(self) -> int:
        strict = True
        try:
            first = self._first_picture()
        except UserError:
            strict = False
            self._reopen(strict)
            first = self._first_picture()
        self._container.seek(0, stream=self._stream, backward=True) if _seekable(self._container) else self._reopen(strict)
        return int(getattr(first, "rotation", 0) or 0)

    def _first_picture(self) -> av.VideoFrame:
        """The first picture that can be decoded: damage at the very start does not spoil the rest."""
        reason = "it is empty"
        packets = self._container.demux(self._stream)
        while True:
            try:
                for picture in next(packets).decode():
                    return cast(av.VideoFrame, picture)
            except (StopIteration, av.EOFError):
                raise UserError(f"{self.path}: no picture can be decoded ({reason})") from None
            except av.FFmpegError as error:
                reason = _reason(error)

    def _reopen(self, strict: bool) -> None:
        self._container.close()
        self._container = open_video(self.path)
        self._stream = self._container.streams.video[0]
        self._set_up(strict)

    def _set_up(self, strict: bool) -> None:
        self._stream.thread_type = "AUTO"
        if strict:
            tell_damage(self._stream.codec_context)

    def close(self) -> None:
        self._container.close()

    def __enter__(self) -> Video:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def stream(self) -> av.VideoStream:
        """The video stream that is read."""
        return self._stream

    def packets(self) -> Iterator[av.Packet]:
        """The packets of the stream, in order of decoding; damage in the container is skipped."""
        packets = self._container.demux(self._stream)
        while True:
            try:
                packet = next(packets)
            except (StopIteration, av.EOFError):
                return
            except av.FFmpegError:
                continue
            if packet.size:  # the empty last one of demuxing
                yield packet

    def decoding(self) -> Decoding:
        """A decoder of this video's packets."""
        return Decoding(self._stream)

    def decoded(self, packets: Iterable[av.Packet]) -> Iterator[Frame]:
        """Frames in the order of presentation; what cannot be decoded is skipped and the next frame marked corrupt."""
        decoding = self.decoding()
        yield from decoding.feed(packets)
        yield from decoding.drain()

    def __iter__(self) -> Iterator[Frame]:
        """All frames, decoded ahead in a thread so that decoding and tracking share two cores."""
        return decoded_ahead(self.decoded(self.packets()))


def decoded_ahead(frames: Iterator[Item]) -> Iterator[Item]:
    """The same items, made in a thread of their own, some ahead of the reader. An error there is raised here."""
    waiting: queue.Queue[Item | BaseException | None] = queue.Queue(AHEAD)
    stop = threading.Event()

    def put(item: Item | BaseException | None) -> bool:
        while not stop.is_set():
            try:
                waiting.put(item, timeout=0.1)
                return True
            except queue.Full:
                continue
        return False

    def work() -> None:
        try:
            for frame in frames:
                if not put(frame):
                    return
            put(None)
        except BaseException as error:  # handed over to the reader, whose traceback counts
            put(error)

    thread = threading.Thread(target=work, name="decoder", daemon=True)
    thread.start()
    try:
        while (item := waiting.get()) is not None:
            if isinstance(item, BaseException):
                raise item
            yield item
    finally:
        stop.set()
        thread.join()


def tell_damage(context: av.VideoCodecContext) -> None:
    """Has a decoder, before it decodes, fail at what it finds damaged where else it would be silent; others mark the picture."""
    if context.name in ("hevc", "mjpeg"):
        context.options = {"err_detect": "explode"}


class Damage:
    """Which pictures of a decoder cannot be trusted: a damaged one, and all that are coded as a change of it, up to the next key picture.

    The decoder must not run slice threads: with them FFmpeg's H.264 decoder neither conceals nor tells of most damage.
    """

    def __init__(self) -> None:
        self._lost = self._spread = False

    def packet(self, packet: av.Packet) -> None:
        """A packet that is about to be decoded; the container may know that it is damaged or that something before it is missing."""
        self._lost = self._lost or packet.is_corrupt

    def lost(self) -> None:
        """A packet could not be decoded."""
        self._lost = True

    def reaches(self, picture: av.VideoFrame) -> bool:
        """Whether the next picture, in the order they come out, is damaged."""
        key, corrupt = bool(picture.key_frame), bool(picture.is_corrupt)
        damaged = corrupt or self._lost or (self._spread and not key)
        self._spread, self._lost = damaged and (corrupt or not key), False
        return damaged


class Decoding:
    """Decodes packets into frames with stamps that only grow and numbers that count every frame of the video."""

    def __init__(self, stream: av.VideoStream) -> None:
        self._stream = stream
        self.index, self._damage = 0, Damage()  # of the next frame
        self.last: Fraction | None = None
        self._stamps = Stamps(stream)

    def feed(self, packets: Iterable[av.Packet], *, but_first: bool = False) -> Iterator[Frame]:
        """Frames of packets, as they come out; some stay in the decoder. `but_first`: the first frame was numbered already."""
        for packet in packets:
            self._damage.packet(packet)
            try:
                pictures = packet.decode()
            except av.EOFError:
                return
            except av.FFmpegError:
                self._damage.lost()
                continue
            for picture in pictures:
                damaged = self._damage.reaches(cast(av.VideoFrame, picture))
                if but_first:
                    but_first = False
                    continue
                yield self._frame(cast(av.VideoFrame, picture), damaged)

    def drain(self) -> Iterator[Frame]:
        """The frames that are still in the decoder, which is ready for any key frame then."""
        try:
            for picture in self._stream.codec_context.decode(None):
                yield self._frame(picture, self._damage.reaches(picture))
        except (av.EOFError, av.FFmpegError):
            pass
        self._stream.codec_context.flush_buffers()

    def numbered(self, frame: Frame) -> Frame:
        """A frame that was decoded elsewhere, as the next one."""
        self.index, self.last = self.index + 1, frame.time
        return replace(frame, index=self.index - 1)

    def skip(self, times: Sequence[Fraction]) -> Still:
        """The next frames are not decoded; their stamps, s, in order."""
        still = Still(self.index, tuple(times))
        self.index += len(times)
        self.last = times[-1] if times else self.last
        return still

    def _frame(self, picture: av.VideoFrame, damaged: bool) -> Frame:
        time, stamped = self._time(picture)
        frame = frame_of_picture(picture, self.index, time, damaged, siting_of(self._stream.codec_context.name))
        self.index, self.last = self.index + 1, frame.time
        return frame if stamped else replace(frame, stamped=False)

    def _time(self, picture: av.VideoFrame) -> tuple[Fraction, bool]:
        """When a picture is shown, s, and whether its stamp says so."""
        last = self.last
        # the stream's own time base: a frame that is drained from the decoder says another one, without having counted in it
        stamp = self._stamps.of(picture)
        if stamp is not None and self._stream.time_base is not None:
            time = stamp * self._stream.time_base
            if last is None or time > last:
                return time, True
        # no usable stamp: one nominal frame after the last
        step = 1 / Fraction(self._stream.average_rate) if self._stream.average_rate else Fraction(1, 30)
        return (last + step if last is not None else Fraction(0)), not self._stamps.own


class Stamps:
    """The stamps of a decoder's pictures, in ticks of their stream, where it bears any: they are asked for in order.

    `own`: they are those of the packets. AVI only numbers packets; where its pictures are coded in another order they are
    stamped by their place in the row of all, from 0 on: the decoder hands out the packets' numbers in their order.
    """

    def __init__(self, stream: av.VideoStream) -> None:
        self.own = not (stream.container.format.name == "avi" and stream.codec_context.has_b_frames)
        self._start: int | None = None
        self._last, self._step = 0, 1

    def of(self, picture: av.VideoFrame) -> int | None:
        if self.own:
            return picture.pts
        if picture.dts is None:  # the last ones come without a packet
            self._last += self._step
        elif self._start is None:
            self._start = picture.dts
        else:
            place = picture.dts - self._start
            self._last, self._step = place, place - self._last
        return self._last


def siting_of(codec: str) -> tuple[float, float]:
    """Where the first chroma sample of a codec's pictures lies, (x, y) px of luma; the streams themselves seldom say it."""
    return CENTRE if codec in _CENTRED else LEFT


def frame_of_picture(
    picture: av.VideoFrame, index: int, time: Fraction, damaged: bool = False, siting: tuple[float, float] = LEFT
) -> Frame:
    """The `Frame` of a decoded picture, upright as players show it. `damaged`: it builds on what could not be decoded.

    `siting`: of its chroma as it is coded; a picture that is turned turns it too.
    """
    if picture.format.name not in _PLANAR:
        picture = picture.reformat(format="yuv420p")
    h, w = picture.height // 2 * 2, picture.width // 2 * 2
    rotation = int(getattr(picture, "rotation", 0) or 0)
    planes = (
        _turned(_plane(p, hh, ww), rotation) for p, hh, ww in zip(picture.planes[:3], (h, h // 2, h // 2), (w, w // 2, w // 2), strict=True)
    )
    return Frame(index, time, bool(picture.is_corrupt) or damaged, *planes, siting=turned_siting(siting, rotation))


def turned_siting(siting: tuple[float, float], rotation: int) -> tuple[float, float]:
    """The siting in a picture turned by so many degrees, counter-clockwise."""
    x, y = siting
    for _ in range(rotation // 90 % 4):
        x, y = y, 1.0 - x
    return x, y


def _seekable(container: av.container.InputContainer) -> bool:
    return container.duration is not None


def _reason(error: BaseException) -> str:
    text = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return text.splitlines()[0]
