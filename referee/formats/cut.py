"""Parts of a video as files of their own, and chapters in a copy of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import av

from calibration.errors import UserError
from vision.frames import Stamps

_CLOCK = Fraction(1, 90_000)
_MILLI = Fraction(1, 1000)


@dataclass(frozen=True, slots=True)
class Chapter:
    """`start` and `end`: s of the video's own time stamps."""

    start: float
    end: float
    title: str


def write_chapters(video: Path, chapters: Sequence[Chapter], out: Path) -> None:
    """A copy of a video with chapters; nothing is encoded again. `out`: an .mp4, .mov or .mkv file.

    Raises:
        UserError: the video cannot be read, or its streams do not fit into that kind of file.
    """
    with _opened(video) as source, av.open(str(out), "w", format=_FORMATS[out.suffix.lower()]) as target:
        copies = {s.index: target.add_stream_from_template(s) for s in source.streams if s.type in ("video", "audio", "subtitle")}
        target.set_chapters(
            [
                {
                    "id": n,
                    "start": round(c.start * 1000),
                    "end": max(round(c.end * 1000), round(c.start * 1000) + 1),
                    "time_base": _MILLI,
                    "metadata": {"title": c.title},
                }
                for n, c in enumerate(chapters, 1)
            ]
        )
        try:
            for packet in source.demux():
                if packet.dts is not None and packet.stream.index in copies:
                    packet.stream = copies[packet.stream.index]
                    target.mux(packet)
        except (av.FFmpegError, ValueError) as error:
            raise UserError(f"{video}: its streams do not fit into {out.suffix} ({error}); expected .mkv to hold them") from None


_FORMATS = {".mp4": "mp4", ".m4v": "mp4", ".mov": "mov", ".mkv": "matroska"}


def check_container(out: Path) -> None:
    """Raises UserError for a name whose ending is no container with chapters."""
    if out.suffix.lower() not in _FORMATS:
        raise UserError(f"{out}: expected a name that ends in .mp4, .mov or .mkv")


def write_clip(video: Path, start: float, end: float, out: Path) -> int:
    """The frames from `start` to `end` s, encoded anew (H.264, sound AAC) so that the cut is exact; returns how many.

    Raises:
        UserError: the video cannot be read.
    """
    with _opened(video) as source, av.open(str(out), "w", format="mp4", options={"movflags": "faststart"}) as target:
        if not source.streams.video:
            raise UserError(f"{video}: expected a video, but it holds no video stream")
        picture = source.streams.video[0]
        picture.thread_type = "AUTO"
        sound = source.streams.audio[0] if source.streams.audio else None
        shown = _video_stream(target, picture)
        heard = target.add_stream("aac", rate=sound.rate) if sound else None
        resample = av.AudioResampler("fltp", sound.layout, sound.rate) if sound else None
        origin = (picture.start_time or 0) * float(picture.time_base or 0)
        stamps = Stamps(picture)
        if stamps.own:
            source.seek(max(0, round((max(start, origin) - 0.5) * av.time_base)))  # the key frame before
        count, over = 0, set()
        streams = [s for s in (picture, sound) if s is not None]
        for packet in source.demux(streams):
            for frame in _decoded(packet):
                stamp, base = frame.pts, frame.time_base
                if isinstance(frame, av.VideoFrame):
                    stamp, base = stamps.of(frame), picture.time_base
                if stamp is None or base is None:
                    continue
                t = float(stamp * base)
                if t > end:
                    over.add(packet.stream.index)
                elif t < start - 1e-6:
                    continue
                elif isinstance(frame, av.VideoFrame):
                    target.mux(shown.encode(_video_frame(frame, t - start, shown)))
                    count += 1
                elif heard is not None and resample is not None and isinstance(frame, av.AudioFrame):
                    frame.pts = round((t - start) / frame.time_base)
                    for part in resample.resample(frame):
                        target.mux(heard.encode(part))
            if len(over) == len(streams) or (picture.index in over and sound is None):
                break
        target.mux(shown.encode())
        if heard is not None:
            target.mux(heard.encode())
    return count


def _opened(video: Path) -> av.container.InputContainer:
    try:
        return av.open(str(video))
    except (av.FFmpegError, ValueError, OSError) as error:
        raise UserError(f"{video}: expected a video, but it cannot be opened ({error})") from None


def _video_stream(target: av.container.OutputContainer, picture: av.VideoStream) -> av.VideoStream:
    stream = target.add_stream("libx264", rate=Fraction(picture.average_rate or 30).limit_denominator(1001))
    assert isinstance(stream, av.VideoStream)
    stream.width, stream.height = picture.codec_context.width // 2 * 2, picture.codec_context.height // 2 * 2
    stream.pix_fmt = "yuv420p"
    stream.options = {"preset": "veryfast", "crf": "20"}
    stream.codec_context.time_base = _CLOCK
    return stream


def _video_frame(frame: av.VideoFrame, t: float, stream: av.VideoStream) -> av.VideoFrame:
    shown = frame.reformat(width=stream.width, height=stream.height, format="yuv420p")
    shown.pts, shown.time_base = max(0, round(t / _CLOCK)), _CLOCK
    shown.pict_type = av.video.frame.PictureType.NONE
    return shown


def _decoded(packet: av.Packet):
    """Frames of a packet; a damaged packet gives none."""
    try:
        return packet.decode()
    except av.FFmpegError:
        return ()
