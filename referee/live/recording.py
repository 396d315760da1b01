"""The recording: the source's own packets in short Matroska files, and pictures read back from them.

Nothing is encoded again, except raw pictures (of a camera without MJPEG or H.264). Each file begins with a key frame and is
named after the live time (ms) of its first packet; stamps inside are live time too. A kill loses the second being written,
no more: Matroska needs no index to be read.
"""

from __future__ import annotations

import bisect
import contextlib
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import cast

import av

from vision.frames import Frame, frame_of_picture

_LENGTH = 20.0  # s of a file, up to the next key frame
_LOW, _FULL = 2_000_000_000, 200_000_000  # bytes left on the disk from which it is low, and full
_LOOK = 2.0  # s between looks at the disk
_FINEST = Fraction(1, 1000)  # s: of Matroska's stamps
_TICK = 5e-4  # s: stamps in Matroska are whole milliseconds
_OPTIONS = {"cluster_time_limit": "1000", "flush_packets": "1"}
_RAW = "rawvideo"
_ENCODED = {"preset": "ultrafast", "crf": "20", "tune": "zerolatency", "g": "30"}


@dataclass(frozen=True, slots=True)
class RecordingState:
    """`state`: off | recording | low (little room is left) | full (nothing is written) | failed; `reason` in words."""

    state: str
    reason: str = ""
    free_bytes: int | None = None


class Recorder:
    """Writes packets into files of a folder. Never raises into the thread that reads the source: it says what is wrong."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._file: av.container.OutputContainer | None = None
        self._copy: av.VideoStream | None = None
        self._source: av.VideoStream | None = None
        self._raw = False
        self._ms = -1  # stamp of the last packet that bears none of its own
        self._since = 0.0
        self._looked = -1e9
        self.state = RecordingState("off", "no source yet")

    def begin(self, stream: av.VideoStream) -> None:
        """Another connection: the next packet begins a new file."""
        self.end()
        self._source = stream
        self._raw = stream.codec_context.name == _RAW

    def end(self) -> None:
        """The connection is over."""
        if self._file is not None:
            with contextlib.suppress(av.FFmpegError, OSError):  # the disk is full: what was flushed stays readable
                if self._raw and self._copy is not None:
                    self._file.mux(self._copy.encode(None))
                self._file.close()
        self._file = self._copy = None

    def packet(self, packet: av.Packet, live: float) -> None:
        """The next packet; `live`: its live time, s."""
        if self._source is None or packet.dts is None or packet.time_base is None:
            return
        try:
            if not self._room(live):
                return
            if packet.is_keyframe and (self._file is None or live - self._since > _LENGTH):
                self._next_file(live)
            if self._file is None or self._copy is None:
                return
            if self._raw:
                self._encode(packet, live)
                return
            stamp = packet.pts
            if packet.time_base > _FINEST:  # it bears no stamps of its own
                self._file.mux(self._stamped(packet, max(round(live * 1000), self._ms + 1)))
                return
            shift = round((live - float((stamp or 0) * packet.time_base)) / packet.time_base)
            kept = av.Packet(bytes(packet))
            kept.pts, kept.dts, kept.time_base = (stamp or 0) + shift, packet.dts + shift, packet.time_base
            kept.is_keyframe, kept.stream = packet.is_keyframe, self._copy
            self._file.mux(kept)
        except (av.FFmpegError, OSError, ValueError) as error:
            self.state = RecordingState("failed", f"the recording cannot be written: {getattr(error, 'strerror', None) or error}")
            self.end()

    def _stamped(self, packet: av.Packet, ms: int) -> av.Packet:
        kept = av.Packet(bytes(packet))
        kept.pts = kept.dts = self._ms = ms
        kept.time_base, kept.is_keyframe, kept.stream = _FINEST, packet.is_keyframe, cast(av.VideoStream, self._copy)
        return kept

    def _encode(self, packet: av.Packet, live: float) -> None:
        assert self._file is not None and self._copy is not None and self._source is not None
        for picture in self._source.codec_context.decode(packet):
            kept = picture.reformat(format="yuv420p")
            kept.pts, kept.time_base = round(live * 1000), Fraction(1, 1000)
            self._file.mux(self._copy.encode(kept))

    def _next_file(self, live: float) -> None:
        self.end()
        source = cast(av.VideoStream, self._source)
        path = self._folder / f"{round(live * 1000):012d}.mkv"
        file = av.open(str(path), "w", format="matroska", options=_OPTIONS)
        if self._raw:
            copy = file.add_stream("libx264", rate=source.average_rate or 30, options=_ENCODED)
            copy.width, copy.height, copy.pix_fmt = source.width // 2 * 2, source.height // 2 * 2, "yuv420p"
            copy.codec_context.time_base = Fraction(1, 1000)
        else:
            copy = file.add_stream_from_template(source)
        self._file, self._copy = file, cast(av.VideoStream, copy)
        self._since = live

    def _room(self, live: float) -> bool:
        """Whether there is room on the disk, looked at now and then."""
        if abs(live - self._looked) >= _LOOK:
            self._looked = live
            free = shutil.disk_usage(self._folder).free
            if free < _FULL:
                self.state = RecordingState("full", f"{free / 1e6:.0f} MB left on the disk: nothing is recorded", free)
                self.end()
            elif free < _LOW:
                self.state = RecordingState("low", f"{free / 1e9:.1f} GB left on the disk", free)
            else:
                self.state = RecordingState("recording", "", free)
        return self.state.state in ("recording", "low")


def files(folder: Path) -> list[tuple[float, Path]]:
    """Start (live time, s) and path of the files of a recording, in order."""
    found = [(int(path.stem) / 1000, path) for path in folder.glob("*.mkv") if path.stem.isdecimal()]
    return sorted(found)


def frames_between(folder: Path, start: float, end: float) -> Iterator[Frame]:
    """Frames of a recording from `start` to `end`, live time in s; what cannot be read is left out."""
    known = files(folder)
    first = max(0, bisect.bisect_right([t for t, _ in known], start) - 1)
    index = 0
    for begins, path in known[first:]:
        if begins > end:
            return
        try:
            with av.open(str(path)) as container:
                stream = container.streams.video[0]
                stream.thread_type = "AUTO"
                for picture in container.decode(stream):
                    stamp = picture.pts * picture.time_base if picture.pts is not None and picture.time_base else None
                    if stamp is None or stamp < start - _TICK:
                        continue
                    if stamp > end + _TICK:
                        return
                    yield frame_of_picture(cast(av.VideoFrame, picture), index, stamp)
                    index += 1
        except (av.FFmpegError, OSError, IndexError):
            continue


def last_time(folder: Path) -> float:
    """Live time of the last picture that a folder holds, s; 0 for an empty one."""
    for begins, path in reversed(files(folder)):
        with contextlib.suppress(av.FFmpegError, OSError, IndexError), av.open(str(path)) as container:
            stamps = [p.pts * p.time_base for p in container.demux(video=0) if p.pts is not None and p.time_base]
            return float(max(stamps, default=begins))
    return 0.0
