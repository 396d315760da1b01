"""Long still stretches cost next to nothing: frames between two key frames that show the same table are not decoded.

A group of pictures is left out only if its key frame and the next one are alike all over the bed, and whoever watches
says that every ball rests. What moved in between and came back to the pixel was no stroke. Decisions rest on frames
alone, never on how fast a thread runs: two runs leave out the same frames.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import cast

import av
import cv2
import numpy as np

from vision.frames import AHEAD, Frame, Stamps, Still, Video, frame_of_picture, tell_damage

_CODECS = ("h264", "hevc", "mpeg4")  # one packet a frame, stamps on every packet
_LEAST = 12  # frames of a group that are worth the look
_TAKEN = AHEAD + 2  # frames ago: what was decoded then does not wait for the watcher any more
_MOST = 1500  # packets that are held; a longer group is decoded
_LUMA, _MEAN, _CHROMA = 12.0, 2.5, 10.0  # levels that coding and noise change; a ball moved by 2 mm changes more


class Skim:
    """Shared by the thread that decodes and the one that watches.

    Args:
        mask: (H, W) uint8, 1 where a ball can be seen.
    """

    def __init__(self, mask: np.ndarray) -> None:
        ys, xs = np.nonzero(mask)
        self._shape = mask.shape
        top, left = (int(v.min()) // 2 * 2 if len(v) else 0 for v in (ys, xs))
        bottom, right = (int(v.max()) // 2 * 2 + 2 if len(v) else 2 for v in (ys, xs))
        self._view = np.s_[top:bottom, left:right]
        self._half = np.s_[top // 2 : bottom // 2, left // 2 : right // 2]
        self._mask = np.ascontiguousarray(mask[top:bottom:2, left:right:2])
        self._told = threading.Condition()
        self._seen, self._calm = -1, False
        self._busy: deque[tuple[int, bool]] = deque(maxlen=4 * AHEAD)
        self._closed = False
        self.left_out = 0

    def seen(self, index: int, calm: bool, busy: bool = False) -> None:
        """The watcher has taken frame `index`; `calm`: every ball rests, and has for a while; `busy`: that begins later at the earliest."""
        with self._told:
            self._busy.append((index, busy))
            self._seen, self._calm = index, calm
            self._told.notify_all()

    def close(self) -> None:
        """Nobody watches any more."""
        with self._told:
            self._closed = True
            self._told.notify_all()

    def calm_after(self, index: int) -> bool:
        """Waits until frame `index` was taken; whether all was calm then."""
        with self._told:
            self._told.wait_for(lambda: self._closed or self._seen >= index)
            return not self._closed and self._calm

    def was_busy(self, index: int) -> bool:
        """Waits until frame `index` was taken; whether something moved then. Before the first frame nothing did."""
        with self._told:
            self._told.wait_for(lambda: self._closed or self._seen >= index)
            return index >= 0 and next((busy for n, busy in self._busy if n >= index), False)

    def alike(self, a: Frame, b: Frame) -> bool:
        """Whether two frames show the same table, pixel by pixel, but for grain and coding."""
        if a.y.shape != self._shape or b.y.shape != self._shape or a.corrupt or b.corrupt:
            return False
        size = self._mask.shape[::-1]
        luma = [cv2.resize(np.ascontiguousarray(f.y[self._view]), size, interpolation=cv2.INTER_AREA) for f in (a, b)]
        change = cv2.absdiff(*luma)
        if cv2.mean(change, self._mask)[0] > _MEAN or _peak(change, self._mask) > _LUMA:
            return False
        planes = ((a.u, b.u), (a.v, b.v))
        return all(_peak(cv2.absdiff(*(np.ascontiguousarray(p[self._half]) for p in pair)), self._mask) <= _CHROMA for pair in planes)


def _peak(change: np.ndarray, mask: np.ndarray) -> float:
    return float(cv2.minMaxLoc(cv2.blur(change, (3, 3)), mask)[1])


def skimmed(video: Video, skim: Skim) -> Iterator[Frame | Still]:
    """The frames of a video in order of presentation, still stretches left out.

    `skim.seen` must be called, in another thread, after each frame: else this waits for ever.
    """
    stream = video.stream
    if stream.codec_context.name not in _CODECS or not Stamps(stream).own:
        yield from video.decoded(video.packets())
        return
    decoder = _Decoder(video, skim)
    for group in _groups(video.packets()):
        yield from decoder.take(group)
    yield from decoder.rest()


@dataclass(frozen=True, slots=True)
class _Group:
    """Packets from a key frame up to the next one, whose packet is `following`; `whole` False: a part of a very long group."""

    packets: list[av.Packet]
    following: av.Packet | None
    whole: bool = True


def _groups(packets: Iterator[av.Packet]) -> Iterator[_Group]:
    held: list[av.Packet] = []
    whole = True
    for packet in packets:
        if packet.is_keyframe and held:
            yield _Group(held, packet, whole)
            held, whole = [], True
        held.append(packet)
        if len(held) >= _MOST:
            yield _Group(held, None, False)
            held, whole = [], False
    yield _Group(held, None, whole)


class _Decoder:
    def __init__(self, video: Video, skim: Skim) -> None:
        self._video, self._skim = video, skim
        self._context = video.stream.codec_context
        self._frames = video.decoding()
        self._key: Frame | None = None  # the key frame that begins the next group, decoded by itself

    def take(self, group: _Group) -> Iterator[Frame | Still]:
        # what moved a moment ago, in a frame that was surely taken by now, cannot be calm yet: the key frame need not be looked at
        if self._skim.was_busy(self._frames.index - _TAKEN) or not group.whole:
            self._key = None
            yield from self._frames.feed(group.packets)
            return
        begun = self._frames.last is not None
        first = self._key or (self._alone(group.packets[0]) if begun else None)
        self._key = self._alone(group.following)
        if first is None or self._key is None or not self._may_skip(group) or not self._skim.alike(first, self._key):
            yield from self._frames.feed(group.packets)
            return
        yield from self._frames.drain()
        key = self._frames.numbered(first)
        yield key
        if self._skim.calm_after(key.index):
            times = sorted(cast(int, p.pts) * cast(Fraction, p.time_base) for p in group.packets[1:])
            yield self._frames.skip(times)
            self._skim.left_out += len(times)
        else:
            yield from self._frames.feed(group.packets, but_first=True)

    def rest(self) -> Iterator[Frame]:
        yield from self._frames.drain()

    def _may_skip(self, group: _Group) -> bool:
        """Whether every packet is one frame with a stamp of its own, and the group can be decoded without its neighbours."""
        stamps = [p.pts for p in group.packets]
        if len(stamps) < _LEAST or group.following is None or any(s is None for s in [*stamps, group.following.pts]):
            return False
        ordered = sorted(cast("list[int]", stamps))
        last = self._frames.last
        starts = cast(int, stamps[0]) * cast(Fraction, group.packets[0].time_base)
        return (
            ordered[0] == stamps[0]
            and ordered[-1] < cast(int, group.following.pts)
            and all(a < b for a, b in pairwise(ordered))
            and (last is None or starts > last)
        )

    def _alone(self, packet: av.Packet | None) -> Frame | None:
        """A key frame decoded by itself."""
        if packet is None or packet.pts is None or packet.time_base is None:
            return None
        context = cast(av.VideoCodecContext, av.CodecContext.create(self._context.codec.name, "r"))
        context.extradata = self._context.extradata
        context.thread_count = 1
        tell_damage(context)
        try:
            pictures = [*context.decode(packet), *context.decode(None)]
        except av.FFmpegError:
            return None
        if len(pictures) != 1:
            return None
        return frame_of_picture(pictures[0], 0, packet.pts * packet.time_base)
