"""What a video of the protocol showed: the plain values that the certificate is computed from.

Places in mm in the table's frame, at the height of the balls' centres; times in s of the video.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

_FROZEN = 0.8  # share of the frames: recorders repeat each picture once or twice, a frozen one stands for good
Point = tuple[float, float]
Colour = tuple[float, float, float]  # sRGB, 0..1, red green blue


@dataclass(frozen=True, slots=True)
class Rest:
    """A ball at rest from `start` to `end`, measured anew in `count` frames.

    `at`: mean of the measurements, `jitter`: standard deviation (x, y) of a single one, both mm; `jitter_px`: the same in px, one
    axis. `rolled`: it came to rest there by rolling, so nobody laid it there.
    """

    ball: str
    start: float
    end: float
    at: Point
    jitter: Point
    jitter_px: float
    count: int
    rolled: bool = False


@dataclass(frozen=True, slots=True)
class Run:
    """A ball that rolled freely between two breaks of its path: times, places, and error bars (mm, one axis), all of one length."""

    ball: str
    t: tuple[float, ...]
    xy: tuple[Point, ...]
    sigma: tuple[float, ...]

    @property
    def length(self) -> float:
        """From its first to its last place, mm."""
        (x0, y0), (x1, y1) = self.xy[0], self.xy[-1]
        return ((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5


@dataclass(frozen=True, slots=True)
class Blur:
    """One moving ball in one frame: its speed, mm/s, and the square of the way that it went while the shutter was open, mm², as
    its streak shows it; with the noise of one measurement, so that it may be negative. `doubt_mm2`: by how much all such
    measurements may be wrong together (the edges of a ball are not equally soft on all sides), mm²."""

    speed: float
    stretch_mm2: float
    doubt_mm2: float = 0.0


@dataclass(frozen=True, slots=True)
class Still:
    """A stretch without motion. `noise`: standard deviation of a pixel's luma in time, 8-bit levels; `flicker`: half the spread
    of the cloth's brightness from frame to frame, as a share of it."""

    start: float
    end: float
    frames: int
    noise: float
    flicker: float


@dataclass(frozen=True, slots=True)
class BallLook:
    """How a ball shows: its colour, its distance from the cloth (CIE 1976 difference), the share of its disc that is overexposed."""

    ball: str
    colour: Colour
    contrast: float
    burnt: float


@dataclass(frozen=True, slots=True)
class Light:
    """`cloth`: its colour; `evenness`: brightness of its darkest part over that of its lightest; `burnt`: share of it that is
    overexposed; `pairs`: ((ball, ball), difference of their colours)."""

    cloth: Colour
    evenness: float
    burnt: float
    balls: tuple[BallLook, ...]
    pairs: tuple[tuple[tuple[str, str], float], ...] = ()


@dataclass(frozen=True, slots=True)
class Clock:
    """Frames and time. `rate`: new pictures a second (usual), `longest`: longest time between two pictures over the usual one;
    `doubled`: frames that repeat a picture; `corrupt`: damaged frames; `frozen`: frames nearer to the one before than noise lets any be."""

    frames: int
    rate: float
    longest: float = 1.0
    doubled: int = 0
    corrupt: int = 0
    frozen: int = 0

    @property
    def stands(self) -> bool:
        """Whether most frames are the one before without its noise: no camera does that, so nothing tells its noise."""
        return self.frozen > _FROZEN * max(1, self.frames - 1)


@dataclass(frozen=True, slots=True)
class Observed:
    """Everything that was seen. `notes`: what a reader should know, as (Russian, English)."""

    source: str
    size: tuple[int, int]
    clock: Clock
    rests: tuple[Rest, ...] = ()
    runs: tuple[Run, ...] = ()
    blurs: tuple[Blur, ...] = ()
    still: Still | None = None
    light: Light | None = None
    seen: Mapping[str, bool] = field(default_factory=dict)
    notes: tuple[tuple[str, str], ...] = ()
