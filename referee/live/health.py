"""How the source is: healthy, degraded, stale or lost. Pure: clocks come in as numbers, so that a test can turn them.

Silence is never «nothing happened»: a stream that stalls, hangs on one picture or jumps in time is told within three seconds.
"""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import dataclass, field
from enum import StrEnum

_STALL = 1.5  # s without a frame after which it is stale
_FREEZE = 2.0  # s of the very same picture after which it is stale: a real camera's noise never repeats
_MEMORY = 5.0  # s that a damaged frame, a drop or a jump is remembered
_DAMAGED, _DROPPED = 0.0, 0.05  # shares of the frames of that time above which it is degraded: decoders admit little damage
_BAD, _LATE = "damaged frames", "dropped frames"


class SourceState(StrEnum):
    """As in /api/state (contract: analysis, Live)."""

    HEALTHY = "healthy"
    DEGRADED = "degraded"
    STALE = "stale"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class Health:
    """`reason` is empty when healthy, unless something is awaited. Counts are since the start; `rate` in frames/s; sizes px.

    `fresh_for`: s since the last frame; `slow`: degraded by nothing but frames that this machine had no time for; `over`: lost because
    it was a file and has been played to its end.
    """

    state: SourceState
    reason: str
    frames: int = 0
    dropped: int = 0
    corrupt: int = 0
    reconnects: int = 0
    rate: float = 0.0
    size: tuple[int, int] | None = None
    fresh_for: float | None = None
    slow: bool = False
    over: bool = False

    @property
    def fresh(self) -> bool:
        """Whether frames arrive and show something new."""
        return self.state in (SourceState.HEALTHY, SourceState.DEGRADED)


@dataclass
class HealthMonitor:
    """Fed by the thread that reads the source; `health(now)` may be asked from any thread. `now`: s of a monotonic clock."""

    expected_size: tuple[int, int] | None = None
    connected: bool = False
    reason: str = "connecting"
    awaited: str = ""  # what a source that is well waits for
    frames: int = 0
    dropped: int = 0
    corrupt: int = 0
    reconnects: int = 0
    size: tuple[int, int] | None = None
    _opened: float = 0.0
    _last: float | None = None
    _before: float | None = None  # when the frame before the last one came: one alone, left over of a stream that hangs, is no life
    _changed: float = 0.0
    _recent: deque[float] = field(default_factory=deque)
    _troubles: deque[tuple[float, str]] = field(default_factory=deque)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def opened(self, now: float) -> None:
        self.connected, self.reason, self._opened, self._changed = True, "", now, now
        self._last = self._before = None

    def lost(self, reason: str) -> None:
        """The connection is gone, and why."""
        self.connected, self.reason = False, reason

    def frame(self, now: float, size: tuple[int, int], *, changed: bool, corrupt: bool) -> None:
        """A frame has arrived; `changed`: it is not the very picture before it."""
        with self._lock:
            self.frames += 1
            self.size, self._before, self._last = size, self._last, now
            if changed:
                self._changed = now
            if corrupt:
                self.corrupt += 1
                self._troubles.append((now, _BAD))
            self._recent.append(now)
            self._forget(now)

    def drop(self, now: float) -> None:
        """A frame came that nobody had time for."""
        with self._lock:
            self.dropped += 1
            self._troubles.append((now, _LATE))

    def jump(self, now: float, seconds: float) -> None:
        """The stream's own clock jumped."""
        with self._lock:
            self._troubles.append((now, f"its clock jumped by {seconds:+.1f} s"))

    def health(self, now: float) -> Health:
        with self._lock:
            self._forget(now)
            state, reason = self._judged(now)
            slow = state is SourceState.DEGRADED and {kind for _, kind in self._troubles} == {_LATE}
            span = min(_MEMORY, max(now - self._opened, 1e-3))
            fresh = None if self._last is None else now - self._last
            return Health(
                state, reason or self.awaited, self.frames, self.dropped, self.corrupt, self.reconnects, len(self._recent) / span,
                self.size, fresh, slow,
            )  # fmt: skip

    def _judged(self, now: float) -> tuple[SourceState, str]:
        if not self.connected:
            return SourceState.LOST, self.reason
        if self.size and self.expected_size and self.size != self.expected_size:
            (w, h), (ew, eh) = self.size, self.expected_size
            return SourceState.LOST, f"pictures of {w}x{h} px, the profile is for {ew}x{eh}"
        silent = now - (self._before if self._before is not None else self._opened)
        if silent > _STALL:
            return SourceState.STALE, f"no frame for {silent:.1f} s"
        if now - self._changed > _FREEZE:
            return SourceState.STALE, f"the same picture for {now - self._changed:.1f} s"
        if self._last is None:
            return SourceState.STALE, "no frame yet"
        return self._degraded()

    def _degraded(self) -> tuple[SourceState, str]:
        kinds: dict[str, int] = {}
        for _, kind in self._troubles:
            kinds[kind] = kinds.get(kind, 0) + 1
        total = max(len(self._recent), 1)
        limits = {_BAD: _DAMAGED, _LATE: _DROPPED}
        told = [f"{kind}: {count}" if kind in limits else kind for kind, count in kinds.items() if count / total > limits.get(kind, 0.0)]
        return (SourceState.DEGRADED, "; ".join(told)) if told else (SourceState.HEALTHY, "")

    def _forget(self, now: float) -> None:
        while self._recent and now - self._recent[0] > _MEMORY:
            self._recent.popleft()
        while self._troubles and now - self._troubles[0][0] > _MEMORY:
            self._troubles.popleft()
