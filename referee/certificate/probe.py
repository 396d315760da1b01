"""Measures balls in single frames, each time anew: the tracker averages over a rest, which would hide the noise asked for here."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from vision.field import Field
from vision.frames import Frame
from vision.locate import ball_matte, palette, rim_spot
from vision.patch import Background, Box, box_around, patch

_LEARN = 0.2  # s between two looks of the background
_LEAST_SHARE = 0.12  # of the ball in a pixel that counts for the moments
STRETCH_DOUBT = 6.0  # px²: how far `stretch` is off for all frames of a ball alike (measured on simulated balls)
_FAN = (-24.0, -12.0, 0.0, 12.0, 24.0)  # degrees: rays round a direction
_EDGE = (0.15, 0.6)  # shares of the ball between which its edge is measured: the rim is darker than the core
_RAMP = _EDGE[1] - _EDGE[0]  # of a streak's length: its edge between them
_BURNT = 233.0  # luma (of 16..235) from which a pixel is overexposed


@dataclass(frozen=True, slots=True)
class Look:
    """A resting ball in one frame: its colour and the cloth's round it (b, g, r; 0..255), share of it that is overexposed."""

    ball: tuple[float, float, float]
    cloth: tuple[float, float, float]
    burnt: float


class Probe:
    """Follows the background of a video and measures balls whose places are known roughly. Places and lengths in px."""

    def __init__(self, field: Field, frame: Frame, discs: list[tuple[float, float, float]]) -> None:
        self._field = field
        self._background = Background(frame, discs)
        self._learnt = frame.seconds
        self._palettes: dict[str, np.ndarray] = {}

    def learn(self, frame: Frame, discs: list[tuple[float, float, float]]) -> None:
        """To be called with every frame: `discs` (x, y, radius) are where balls are."""
        if frame.seconds - self._learnt >= _LEARN:
            self._background.look(frame, discs)
            self._learnt = frame.seconds

    def rest(self, frame: Frame, ball: str, x: float, y: float, radius: float) -> tuple[float, float] | None:
        """Centre of a ball that lies near (x, y), from its rim; None if it is not clear."""
        box = box_around(x, y, 2.2 * radius + 3, frame.y.shape)
        if box.empty:
            return None
        picture = patch(frame, box)
        if ball not in self._palettes:
            self._palettes[ball] = palette(picture, x - box.x0, y - box.y0, radius)
        share = self._share(picture, ball, box)
        spot = rim_spot(share, x, y, radius, (box.x0, box.y0))
        if spot is None or spot.fill < 0.6 or np.hypot(spot.x - x, spot.y - y) > 0.5 * radius:
            return None
        return spot.x, spot.y

    def forget(self, ball: str) -> None:
        """The ball lies elsewhere, in other light: its shades are taken anew."""
        self._palettes.pop(ball, None)

    def stretch(self, frame: Frame, ball: str, x: float, y: float, radius: float, way: np.ndarray) -> float | None:
        """Square of the way (px²) that a ball went while the shutter was open; with noise, it may be negative.

        `way` is what it went since the frame before, px. Short streaks have softer edges in front and behind than at their
        sides; long ones are longer than wide.
        """
        travel = float(np.hypot(*way))
        if ball not in self._palettes or travel < 1e-6:
            return None
        reach = 1.4 * radius + 0.6 * travel
        box = box_around(x, y, reach + 3, frame.y.shape)
        if box.empty:
            return None
        # one shade only: of several, a darker one would take a half covered pixel for a whole one of its own
        share, along = self._share(patch(frame, box), ball, box, shades=1), way / travel
        x, y = x - box.x0, y - box.y0
        across = np.array([-along[1], along[0]])
        ends, sides = _softness(share, x, y, along, reach), _softness(share, x, y, across, 1.6 * radius)
        if ends is not None and sides is not None and (square := (ends**2 - sides**2) / _RAMP**2) < (1.5 * radius) ** 2:
            return square
        moments = _moments(share, x, y, reach)
        return None if moments is None else 12.0 * float(along @ moments @ along - across @ moments @ across)

    def _share(self, picture: np.ndarray, ball: str, box: Box, shades: int | None = None) -> np.ndarray:
        share, _ = ball_matte(picture, self._background.patch(box), self._palettes[ball][:shades])
        return share * self._field.mask[box.y0 : box.y1, box.x0 : box.x1]


def _softness(share: np.ndarray, x: float, y: float, way: np.ndarray, reach: float) -> float | None:
    """Median length (px) of the edge on rays from (x, y) along `way` and against it."""
    turn = np.radians(_FAN)
    steps = np.arange(reach, 0.0, -0.25, dtype=np.float32)
    ways = np.concatenate(
        [
            sign * np.column_stack([way[0] * np.cos(turn) - way[1] * np.sin(turn), way[0] * np.sin(turn) + way[1] * np.cos(turn)])
            for sign in (1, -1)
        ]
    )
    u, v = (x + np.outer(ways[:, 0], steps)).astype(np.float32), (y + np.outer(ways[:, 1], steps)).astype(np.float32)
    seen = cv2.remap(share.astype(np.float32), u, v, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=0)
    low, high = _first_above(seen, _EDGE[0]), _first_above(seen, _EDGE[1])
    good = np.isfinite(low) & np.isfinite(high)
    if good.sum() < 0.6 * len(ways):
        return None
    return float(np.median((high - low)[good])) * 0.25


def _first_above(rows: np.ndarray, level: float) -> np.ndarray:
    """Where (in samples, interpolated) each row first rises above a level; NaN if it never does or starts above it."""
    above = rows > level
    k = above.argmax(axis=1)
    good = above.any(axis=1) & (k > 0)
    k = np.maximum(k, 1)
    r = np.arange(len(rows))
    before, after = rows[r, k - 1], rows[r, k]
    return np.where(good, k - 1 + (level - before) / np.maximum(after - before, 1e-6), np.nan)


def _moments(share: np.ndarray, x: float, y: float, reach: float) -> np.ndarray | None:
    """Second moments (2, 2) px² of a matte about its own centre, of the blob round (x, y) no farther than `reach`."""
    h, w = share.shape
    ys, xs = np.mgrid[:h, :w].astype(np.float32)
    mask = ((xs - x) ** 2 + (ys - y) ** 2 <= reach**2) & (share > _LEAST_SHARE)
    _, labels = cv2.connectedComponents(mask.astype(np.uint8), connectivity=8)
    here = labels[min(max(round(y), 0), h - 1), min(max(round(x), 0), w - 1)]
    if here == 0:
        return None
    weight = np.where(labels == here, share, 0.0)
    mass = float(weight.sum())
    if mass < 6:
        return None
    dx, dy = xs - float((weight * xs).sum()) / mass, ys - float((weight * ys).sum()) / mass
    xy = float((weight * dx * dy).sum()) / mass
    return np.array([[float((weight * dx * dx).sum()) / mass, xy], [xy, float((weight * dy * dy).sum()) / mass]])


def look_of(frame: Frame, x: float, y: float, radius: float) -> Look | None:
    """The colours of a ball at (x, y) px and of the cloth round it."""
    box = box_around(x, y, 2.0 * radius + 2, frame.y.shape)
    if box.empty:
        return None
    picture = patch(frame, box)
    h, w = picture.shape[:2]
    ys, xs = np.ogrid[:h, :w]
    far = np.hypot(xs - (x - box.x0), ys - (y - box.y0))
    disc, ring = far < 0.75 * radius, (far > 1.3 * radius) & (far < 1.8 * radius)
    if disc.sum() < 4 or ring.sum() < 4:
        return None
    burnt = float((picture[far < 0.9 * radius][:, 0] >= _BURNT).mean())
    return Look(bgr_of(np.median(picture[disc], axis=0)), bgr_of(np.median(picture[ring], axis=0)), burnt)


def bgr_of(yuv: np.ndarray) -> tuple[float, float, float]:
    """(b, g, r) 0..255 of one YUV colour."""
    pixel = np.clip(np.asarray(yuv, np.float32), 0, 255).round().astype(np.uint8).reshape(3)
    planes = np.array([[pixel[0]] * 2, [pixel[0]] * 2, [pixel[1], pixel[2]]], np.uint8)
    b, g, r = cv2.cvtColor(planes, cv2.COLOR_YUV2BGR_I420)[0, 0].tolist()
    return float(b), float(g), float(r)


def difference(a: tuple[float, ...], b: tuple[float, ...]) -> float:
    """CIE 1976 difference of two colours (b, g, r; 0..255)."""
    lab = cv2.cvtColor(np.array([[a, b]], np.float32) / 255, cv2.COLOR_BGR2LAB)[0]
    return float(np.linalg.norm(lab[0] - lab[1]))
