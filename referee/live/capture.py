"""Reads a source in a thread of its own, for as long as it takes: reconnects with back-off, drops frames rather than delaying them.

Live time is seconds since the capture began, exact within one connection (it is the stream's own stamps plus a constant)
and never going back: a reconnection, a loop or a jump of the stream's clock sets the constant anew by the wall clock.
"""

from __future__ import annotations

import errno
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Protocol, cast

import av
import numpy as np

from referee.live.address import Address
from referee.live.health import Health, HealthMonitor
from vision.frames import LEFT, Damage, Frame, frame_of_picture, siting_of, tell_damage

_BACK_OFF = (0.5, 1.0, 2.0, 4.0, 8.0)  # s between tries; the last one goes on
_JUMP = 1.0  # s that a stamp may be off the wall clock's run before it is a jump
_ROW, _BEHIND = 0.5, 3.0  # s from stamp to stamp of pictures in a row: if they are but late, it is a jump after so many s only
_PATIENCE = 0.8  # s that frames may wait while a stroke is worked out; older ones are dropped
_WAITING, _HURRY = 0.2, 5.0  # where that was not enough: s that they may wait, for so many s
_LOOK = 16  # px between the pixels compared for a frozen picture
_ALL_BAD = 30  # packets in which something is amiss, and no picture yet: it is the camera's way, not damage
_UNTIMED = ("mpjpeg", "mjpeg", "h264", "hevc", "m4v")  # kinds of streams without stamps: FFmpeg counts 25 pictures a second then
_TIMEOUT = (8.0, 4.0)  # s to open, and to read the next packet


class PacketSink(Protocol):
    """What is told of the raw stream, to record it."""

    def begin(self, stream: av.VideoStream) -> None: ...

    def packet(self, packet: av.Packet, live: float) -> None: ...

    def end(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Arrived:
    """A frame with its live time (`frame.time`); `wall`: monotonic s when it came; `broken`: why it does not go on from the one before.

    `dropped`: frames between it and the one before that nobody had time for.
    """

    frame: Frame
    wall: float
    broken: str = ""
    dropped: int = 0


class Capture:
    """A source being read. A context manager; iterate over `frames()` in one thread.

    Args:
        address: what to open.
        size: the size that the profile expects, px.
        loop: play a file again and again.
        sink: told of every packet.
        start: live time at the beginning, s; later than all that was recorded before.
        hold: show a file's first picture until `release`.
        clock: monotonic seconds; tests pass their own.
    """

    def __init__(
        self, address: Address, size: tuple[int, int] | None = None, *, loop: bool = False, sink: PacketSink | None = None,
        start: float = 0.0, hold: bool = False, clock: Callable[[], float] = time.monotonic,
    ) -> None:  # fmt: skip
        self.address = address
        self._monitor = HealthMonitor(size and (size[0] // 2 * 2, size[1] // 2 * 2))  # as `vision` takes pictures: whole 2x2 blocks
        self._loop, self._sink, self._clock = loop, sink, clock
        self._began = clock() - start
        self._waiting: deque[Arrived] = deque()
        self._fresh = threading.Condition()
        self._stop = threading.Event()
        self._go = threading.Event()
        if not (hold and address.paced):
            self._go.set()
        self._over = False
        self._offset: Fraction | None = None
        self._siting = LEFT
        self._last = Fraction(-1)
        self._stamp: Fraction | None = None  # of the last picture, as the source has it
        self._behind: float | None = None  # since when pictures come late
        self._index = 0
        self._broken = ""
        self._dropped = 0
        self._hurry = -1e9
        self._seen: np.ndarray | None = None
        self._untimed = False  # the stream bears no stamps: pictures are stamped as they come
        self._strict = True  # whether the decoder is to stop at damage
        self._thread = threading.Thread(target=self._work, name="capture", daemon=True)

    def __enter__(self) -> Capture:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stops reading; `frames()` ends."""
        self._stop.set()
        with self._fresh:
            self._fresh.notify_all()
        if self._thread.ident is not None:  # else it was never started
            self._thread.join(timeout=sum(_TIMEOUT))

    @property
    def now(self) -> float:
        """Live time now, s."""
        return self._clock() - self._began

    @property
    def zero(self) -> float | None:
        """Live time, s, at which the source's own stamps are zero; None before it is known, and anew with each loop of a file."""
        offset = self._offset
        return None if offset is None else float(offset)

    @property
    def over(self) -> bool:
        """Whether it is a file that has been played to its end."""
        return self._over and self.address.paced and not self._stop.is_set()

    @property
    def held(self) -> bool:
        """Whether a file waits for `release`."""
        return not self._go.is_set()

    def release(self) -> None:
        """Lets a file begin that was held."""
        self._go.set()

    def health(self) -> Health:
        """How the source is now."""
        return self._monitor.health(self._clock())

    def frames(self) -> Iterator[Arrived | None]:
        """Frames as they come; None each half second without one. Ends when a file is over or the capture is closed."""
        while not self._stop.is_set():
            with self._fresh:
                if not self._waiting and not self._over:
                    self._fresh.wait(0.5)
                item = self._waiting.popleft() if self._waiting else None
                if item is None and self._over:
                    return
            yield item

    # reading ------------------------------------------------------------------------------------------------

    def _work(self) -> None:
        tries = 0
        while not self._stop.is_set():
            before = self._monitor.frames
            try:
                self._read()
                if self.address.paced and not self._loop:
                    break
                reason = "" if self.address.paced else "the stream ended"
            except (av.FFmpegError, OSError, ValueError, IndexError) as error:
                reason = _told(error)
            tries = 0 if self._monitor.frames > before else tries + 1
            if self.address.paced and not reason:
                self._offset = None
                self._broken = "the file begins again"
                continue
            self._monitor.lost(reason)
            self._broken = self._broken or "the source was lost"
            self._offset = None
            self._stop.wait(_BACK_OFF[min(tries, len(_BACK_OFF)) - 1 if tries else 0])
            self._monitor.reconnects += 1
        with self._fresh:
            self._over = True
            self._fresh.notify_all()

    def _read(self) -> None:
        with self._opened() as container:
            stream = container.streams.video[0]
            # frame threads would delay a camera by some frames, and slice threads hide damage (see `vision.frames.Damage`)
            stream.thread_type = "NONE" if not self.address.paced else "AUTO"
            if self._strict:
                tell_damage(stream.codec_context)
            self._siting = siting_of(stream.codec_context.name)
            self._untimed = not self.address.paced and container.format.name in _UNTIMED
            self._monitor.opened(self._clock())
            if not self._go.is_set():
                self._show_first()
            if self._sink:
                self._sink.begin(stream)
            try:
                self._pump(container, stream)
            finally:
                if self._sink:
                    self._sink.end()

    def _show_first(self) -> None:
        """Shows a file's first picture until `release`, at the file's rate: the balls are found in it."""
        with self._opened() as container:
            picture = next(iter(container.decode(video=0)), None)
            rate = container.streams.video[0].average_rate or 30
        self._monitor.awaited = "waiting for a game to begin"
        while picture is not None and not self._stop.is_set() and not self._go.wait(float(1 / rate)):
            self._last = self._live_now()
            self._deliver(frame_of_picture(picture, self._index, self._last, siting=self._siting), held=True)
            self._index += 1
        self._monitor.awaited = ""

    def _opened(self) -> av.container.InputContainer:
        options = dict(self.address.options)
        try:
            return self._open(options)
        except av.error.FFmpegError as error:
            # a camera without MJPEG, or one that speaks RTSP over UDP only: whatever it has
            if options.pop({errno.EINVAL: "input_format", errno.EPROTONOSUPPORT: "rtsp_transport"}.get(error.errno or 0, ""), None) is None:
                raise
            return self._open(options)

    def _open(self, options: dict[str, str]) -> av.container.InputContainer:
        return av.open(self.address.url, format=self.address.format, options=options, timeout=_TIMEOUT)

    def _pump(self, container: av.container.InputContainer, stream: av.VideoStream) -> None:
        damage, failed = Damage(), 0
        for packet in container.demux(stream):
            if self._stop.is_set():
                return
            damage.packet(packet)
            came = self._live_now() if self._untimed else None
            self._keep(packet, came)
            try:
                pictures = packet.decode()
            except av.EOFError:
                return
            except av.FFmpegError:
                damage.lost()
                failed += 1
                if failed == _ALL_BAD and self._strict and self._monitor.health(self._clock()).fresh_for is None:
                    self._strict = False
                    raise ValueError("every packet looks damaged") from None
                continue
            for picture in pictures:
                self._take(cast(av.VideoFrame, picture), damage.reaches(cast(av.VideoFrame, picture)), came)

    def _keep(self, packet: av.Packet, came: Fraction | None) -> None:
        """Hands a packet on to be recorded; `came`: its live time, if it bears no stamp."""
        if self._sink is None or packet.pts is None:
            return
        if came is None and self._offset is None:
            if not packet.is_keyframe:
                return
            self._anchor(packet.pts * packet.time_base)
        self._sink.packet(packet, float(packet.pts * packet.time_base + cast(Fraction, self._offset) if came is None else came))

    def _anchor(self, stamp: Fraction) -> None:
        """Sets the constant between the stream's stamps and live time."""
        self._offset, self._behind = self._live_now() - stamp, None

    def _live_now(self) -> Fraction:
        """Live time for a picture that comes now: after all that came before."""
        return max(Fraction(self.now).limit_denominator(1_000_000), self._last + Fraction(1, 1000))

    def _take(self, picture: av.VideoFrame, damaged: bool, came: Fraction | None = None) -> None:
        if came is not None:
            return self._pass_on(picture, max(came, self._last + Fraction(1, 1000)), damaged)
        stamp = picture.pts * picture.time_base if picture.pts is not None and picture.time_base is not None else None
        if stamp is None and self._offset is None:  # the first pictures of RTSP: the stream's clock is not known yet
            return self._pass_on(picture, self._live_now(), damaged)
        if stamp is None:
            stamp = Fraction(self.now).limit_denominator(1_000_000) - (self._offset or 0)
        if self._offset is None:
            self._anchor(stamp)
        assert self._offset is not None
        if self.address.paced:
            self._pace(float(stamp + self._offset))
        away = float(stamp + self._offset) - self.now
        if self._is_jump(stamp, away):
            self._monitor.jump(self._clock(), away)
            self._broken = self._broken or f"the source's clock jumped by {away:+.1f} s"
            self._anchor(stamp)
        self._stamp = stamp
        self._pass_on(picture, stamp + self._offset, damaged)

    def _pass_on(self, picture: av.VideoFrame, live: Fraction, damaged: bool) -> None:
        frame = frame_of_picture(picture, self._index, live, damaged, self._siting)
        self._index += 1
        self._last = live
        self._deliver(frame)

    def _is_jump(self, stamp: Fraction, away: float) -> bool:
        """Whether a stamp does not go on from the one before, or has long been behind the wall clock.

        Where this machine had no time, pictures come late, but one after the other: nothing is missing, and it catches up.
        """
        assert self._offset is not None
        if away > -_JUMP:
            self._behind = None
        elif self._behind is None:
            self._behind = self._clock()
        late = self._behind is not None and self._clock() - self._behind < _BEHIND
        in_a_row = late and self._stamp is not None and 0 < stamp - self._stamp < _ROW
        return (abs(away) > _JUMP and not in_a_row) or stamp + self._offset <= self._last

    def _pace(self, live: float) -> None:
        while (ahead := live - self.now) > 0 and not self._stop.is_set():
            self._stop.wait(min(ahead, 0.2))

    def _deliver(self, frame: Frame, held: bool = False) -> None:
        now = self._clock()
        grid = frame.y[::_LOOK, ::_LOOK].copy()
        changed = held or self._seen is None or grid.shape != self._seen.shape or not np.array_equal(grid, self._seen)
        self._seen = grid
        height, width = frame.y.shape
        self._monitor.frame(now, (width, height), changed=changed, corrupt=frame.corrupt)
        if self._monitor.expected_size not in (None, (width, height)):
            self._broken = self._broken or "pictures of another size"  # the profile does not hold for them: nobody may look at them
            return
        with self._fresh:
            self._drop_late(now)
            self._waiting.append(Arrived(frame, now, self._broken, self._dropped))
            self._broken, self._dropped = "", 0
            self._fresh.notify()

    def _drop_late(self, now: float) -> None:
        """Drops what waits too long; what is to be known of it goes to the very next frame that is seen."""
        patience = _WAITING if now < self._hurry else _PATIENCE
        broken, dropped = "", 0
        while self._waiting and now - self._waiting[0].wall > patience:
            self._hurry = now + _HURRY
            late = self._waiting.popleft()
            broken, dropped = broken or late.broken, dropped + late.dropped + 1
            self._monitor.drop(now)
        if dropped and self._waiting:
            first = self._waiting[0]
            self._waiting[0] = replace(first, broken=broken or first.broken, dropped=first.dropped + dropped)
        elif dropped:
            self._broken, self._dropped = broken or self._broken, self._dropped + dropped


def _told(error: BaseException) -> str:
    if isinstance(error, IndexError):
        return "it holds no video"
    if isinstance(error, av.error.ExitError):
        return "it does not answer"
    text = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return text.splitlines()[0]
