"""Pictures of one table from one camera: the empty table once, balls and people for every frame."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibration.camera import Camera
from calibration.table import Table
from sample_videos.render import kernels
from sample_videos.render.background import Background, draw_background
from sample_videos.render.lighting import build_lighting
from sample_videos.render.look import PATTERNS, Look, encoding, linear
from sample_videos.render.people import Capsule
from sample_videos.render.plan import build_plan

Picture = NDArray[np.uint8]
_SAMPLES = 24  # rays a pixel and ball
_SHADOW_STEP = 2
_PEOPLE_STEP = 8  # px: shadows of people are soft


class Rect(NamedTuple):
    x0: int
    y0: int
    x1: int
    y1: int

    @property
    def slices(self) -> tuple[slice, slice]:
        return slice(self.y0, self.y1), slice(self.x0, self.x1)

    def meets(self, other: Rect) -> bool:
        return self.x0 < other.x1 and other.x0 < self.x1 and self.y0 < other.y1 and other.y0 < self.y1

    def with_(self, other: Rect) -> Rect:
        return Rect(min(self.x0, other.x0), min(self.y0, other.y0), max(self.x1, other.x1), max(self.y1, other.y1))


def _merged(rects: Iterable[Rect]) -> list[Rect]:
    """Disjoint rectangles that cover the given ones."""
    found: list[Rect] = []
    for rect in rects:
        while clash := next((r for r in found if r.meets(rect)), None):
            found.remove(clash)
            rect = rect.with_(clash)
        found.append(rect)
    return found


class Visible(NamedTuple):
    """The visible part of a ball's (blurred) silhouette: area px^2 and centroid px."""

    area: float
    x: float
    y: float


class Renderer:
    """Draws balls and people over a table drawn once.

    Args:
        table: its noses, pockets and spots; the balls' diameter is `table.ball`.
        camera: lens and pose; the pictures have its size.
        look: colours, lamps, camera faults.
        seed: of textures, patterns' orientations and noise.
        step: mm a pixel of the table's textures (default: from the camera).
        oversample: rays a pixel and axis of the empty table.
        floor_step: mm a pixel of the floor's texture.
        samples: rays a pixel and ball.
    """

    def __init__(
        self,
        table: Table,
        camera: Camera,
        look: Look,
        seed: int = 0,
        *,
        step: float | None = None,
        oversample: int = 2,
        floor_step: float = 10.0,
        samples: int = _SAMPLES,
    ) -> None:
        self.table, self.camera, self.look = table, camera, look
        self._samples = samples
        self._rng = np.random.default_rng(seed)
        if step is None:
            middle = camera.to_table([(camera.width / 2, camera.height / 2)], 0.0)
            scale = float(np.nan_to_num(camera.scale_at(middle, 0.0)[0], nan=0.5))
            step = float(np.clip(1.0 / scale / oversample * 1.2, 0.8, 12.0))
        self._light = build_lighting(table, look)
        plan = build_plan(table, look, step, seed, window=self._window(), floor_step=floor_step)
        self._back: Background = draw_background(plan, camera, table, self._light, look.blur, oversample)
        self._curve = self._contrast(encoding())
        self._gain = self._make_gain()
        self._empty = self._encode(self._back.picture, self._gain)
        self._noise = self._make_noise()
        self._visible: dict[str, Visible] = {}
        self._turn: dict[str, NDArray[np.float64]] = {}
        self._last: dict[str, NDArray[np.float64]] = {}
        self._people_shadow: tuple[object, NDArray[np.float32], Rect] = ((), np.ones((1, 1), np.float32), Rect(0, 0, 0, 0))

    def _window(self) -> tuple[float, float, float, float] | None:
        """What of the table the picture shows, mm, roughly; None where it shows the horizon."""
        w, h = self.size
        rim = [(x, y) for x in np.linspace(0, w - 1, 9) for y in (0, h - 1)] + [
            (x, y) for x in (0, w - 1) for y in np.linspace(0, h - 1, 9)
        ]
        seen = np.vstack([self.camera.to_table(rim, 0.0), self.camera.to_table(rim, self.table.nose_height)])
        if not np.isfinite(seen).all():
            return None
        (x0, y0), (x1, y1) = seen.min(axis=0) - 60, seen.max(axis=0) + 60
        return float(x0), float(y0), float(x1), float(y1)

    @property
    def size(self) -> tuple[int, int]:
        """Width and height, px."""
        return self.camera.width, self.camera.height

    @property
    def empty(self) -> Picture:
        """The empty table without noise, uint8 BGR (H, W, 3); a copy."""
        return self._empty.copy()

    @property
    def visible(self) -> dict[str, Visible]:
        """What the last frame shows of each ball (balls of which nothing is seen are missing)."""
        return dict(self._visible)

    def frame(self, balls: Mapping[str, ArrayLike], extras: Sequence[Capsule] = (), *, noise: bool = True) -> Picture:
        """One picture, uint8 BGR (H, W, 3).

        Args:
            balls: colour (see `look.BALLS`; `red#2` for one more red) -> (S, 3) centres mm at S moments spread evenly over the
                exposure (one moment: no motion blur). S may differ from ball to ball. A ball at rest has z = radius; z < 0 is
                below the bed (seen through a pocket's hole only).
            extras: people and cues, see `people`.
            noise: add the sensor's noise.

        Raises:
            ValueError: a ball's name is unknown or its places have not the shape (S, 3).
        """
        names, centres, albedo, pattern, turn = self._balls(balls)
        seen = np.zeros((len(names), 3))
        capsules, colours, weave = _capsule_arrays(extras)
        ball_boxes, dirty = self._ball_boxes(centres)
        capsule_boxes = self._capsule_boxes(capsules)
        shade = None
        if extras:
            shade, dark = self._shadow_of_people(tuple(extras), capsules)
            dirty += [dark, *(Rect(*map(int, b)) for b in capsule_boxes)]
        rects = _merged(r for r in dirty if r.x1 > r.x0 and r.y1 > r.y0)
        out = self._empty.copy()
        jitter = self._jitter(centres.shape[1])
        for rect in rects:
            self._paint(out, rect, centres, albedo, pattern, turn, ball_boxes, jitter, capsules, colours, weave, capsule_boxes, shade, seen)
        self._visible = {n: Visible(float(a), float(x / a), float(y / a)) for n, (a, x, y) in zip(names, seen, strict=True) if a > 0}
        return self._add_noise(out) if noise else out

    def _paint(
        self, out, rect, centres, albedo, pattern, turn, ball_boxes, jitter, capsules, colours, weave, capsule_boxes, shade, seen
    ) -> None:
        ys, xs = rect.slices
        back, light = self._back, self._light
        cut = np.ascontiguousarray(back.picture[ys, xs])
        rays = np.ascontiguousarray(back.rays[ys, xs])
        depth = np.full(cut.shape[:2], kernels.FAR)
        if shade is not None:
            cut *= shade[ys, xs, None]
        for near in _merged(r for r in self._shadow_rects(centres) if r.meets(rect)):
            self._ball_shadow(cut, rect, near, centres)
        offset = np.array([rect.x0, rect.y0, rect.x0, rect.y0])
        if len(capsules):
            kernels.shade_capsules(
                cut, depth, rays, self.camera.position, capsule_boxes - offset, capsules, colours, weave, light.cells, light.ambient
            )
        if len(centres):
            part = np.zeros_like(seen)
            kernels.shade_balls(
                cut, depth, rays, self.camera.position,
                np.ascontiguousarray(back.rail_cover[ys, xs]), np.ascontiguousarray(back.bed_solid[ys, xs]), self.table.nose_height,
                centres, self.table.radius, albedo, pattern, turn, ball_boxes - offset, jitter,
                light.cells, light.lamps, light.ambient, linear(self.look.cloth).astype(np.float64), self.look.gloss, light.specular,
                2 if self._samples > 12 else 1, part,
            )  # fmt: skip
            part[:, 1] += rect.x0 * part[:, 0]
            part[:, 2] += rect.y0 * part[:, 0]
            seen += part
        out[ys, xs] = self._encode(cut, self._gain[ys, xs])

    def _ball_shadow(self, cut: NDArray[np.float32], rect: Rect, near: Rect, centres: NDArray[np.float64]) -> None:
        box = Rect(max(near.x0, rect.x0), max(near.y0, rect.y0), min(near.x1, rect.x1), min(near.y1, rect.y1))
        ys, xs = box.slices
        moments = centres.shape[1]
        total: NDArray[np.float32] | None = None
        picks = (moments // 2,) if moments < 3 else (moments // 6, moments // 2, moments - 1 - moments // 6)
        for s in picks:
            where, height = np.ascontiguousarray(self._back.where[ys, xs]), np.ascontiguousarray(self._back.height[ys, xs])
            part = kernels.shadow_map(
                where,
                height,
                _SHADOW_STEP,
                np.ascontiguousarray(centres[:, s]),
                self.table.radius,
                np.zeros((0, 8)),
                self._light.cells,
                self._light.ambient,
            )
            total = part if total is None else total + part
        assert total is not None
        h, w = box.y1 - box.y0, box.x1 - box.x0
        full = cv2.resize(
            total / len(picks), (total.shape[1] * _SHADOW_STEP, total.shape[0] * _SHADOW_STEP), interpolation=cv2.INTER_LINEAR
        )
        cut[box.y0 - rect.y0 : box.y1 - rect.y0, box.x0 - rect.x0 : box.x1 - rect.x0] *= full[:h, :w, None]

    def _shadow_of_people(self, key: tuple[Capsule, ...], capsules: NDArray[np.float64]) -> tuple[NDArray[np.float32], Rect]:
        """Light (H, W) that people leave, and where it is less; cached while they do not move."""
        if self._people_shadow[0] != key:
            none, n, (w, h) = np.zeros((0, 3)), _PEOPLE_STEP, self.size
            light = kernels.shadow_map(self._back.where, self._back.height, n, none, 1.0, capsules, self._light.coarse, self._light.ambient)
            ys, xs = np.nonzero(light < 0.99)
            rect = Rect(0, 0, 0, 0)
            if len(xs):
                rect = Rect(
                    max(int(xs.min()) - 1, 0) * n,
                    max(int(ys.min()) - 1, 0) * n,
                    min((int(xs.max()) + 2) * n, w),
                    min((int(ys.max()) + 2) * n, h),
                )
            big = cv2.resize(light, (light.shape[1] * n, light.shape[0] * n), interpolation=cv2.INTER_LINEAR)
            self._people_shadow = (key, np.asarray(big[:h, :w], dtype=np.float32), rect)
        return self._people_shadow[1:]

    def _balls(self, balls: Mapping[str, ArrayLike]) -> tuple[list[str], NDArray, NDArray, NDArray, NDArray]:
        names, places, albedo, pattern, turn = [], [], [], [], []
        for name, at in balls.items():
            centres = np.asarray(at, dtype=float)
            if centres.ndim == 1:
                centres = centres[None]
            if centres.ndim != 2 or centres.shape[1] != 3 or not len(centres):
                raise ValueError(f"ball {name!r}: expected centres of shape (S, 3), got {np.shape(at)}")
            names.append(name)
            places.append(centres)
            albedo.append(linear(self.look.ball(name)))
            pattern.append(PATTERNS.index(self.look.patterns.get(name, self.look.patterns.get(name.split("#")[0], "plain"))))
            turn.append(self._roll(name, centres.mean(axis=0)))
        if not names:
            return [], np.zeros((0, 1, 3)), np.zeros((0, 3)), np.zeros(0, np.int64), np.zeros((0, 3, 3))
        most = max(len(p) for p in places)
        even = [p if len(p) == most else _resampled(p, most) for p in places]
        return names, np.stack(even), np.array(albedo, dtype=float), np.array(pattern), np.stack(turn)

    def _roll(self, name: str, at: NDArray[np.float64]) -> NDArray[np.float64]:
        """Orientation of a ball that has rolled here since the last frame."""
        if name not in self._turn:
            q, _ = np.linalg.qr(self._rng.normal(size=(3, 3)))
            self._turn[name] = q * np.sign(np.linalg.det(q))
        else:
            move = at - self._last[name]
            far = float(np.hypot(move[0], move[1]))
            if far > 1e-6:
                axis = np.array([-move[1], move[0], 0.0]) / far
                spin, _ = cv2.Rodrigues(axis * (far / self.table.radius))
                self._turn[name] = self._turn[name] @ np.asarray(spin).T
        self._last[name] = at
        return self._turn[name]

    def _ball_boxes(self, centres: NDArray[np.float64]) -> tuple[NDArray[np.int64], list[Rect]]:
        """Boxes (B, 4) of the balls' blurred silhouettes, and the rectangles to be repainted."""
        if not len(centres):
            return np.zeros((0, 4), np.int64), []
        boxes = self._boxes(centres, self.table.radius * 1.1, 3 + 3 * self.look.blur)
        return np.array(boxes), [r.with_(s) for r, s in zip(boxes, self._shadow_rects(centres), strict=True)]

    def _shadow_rects(self, centres: NDArray[np.float64]) -> list[Rect]:
        return self._boxes(centres * (1, 1, 0), self.table.radius * 3.2, 2) if len(centres) else []

    def _boxes(self, points: NDArray[np.float64], radius: float | NDArray[np.float64], margin: float) -> list[Rect]:
        """Even-aligned rectangles in the picture round groups of spheres of `radius` mm at points (B, N, 3)."""
        reach = np.broadcast_to(radius, len(points))[:, None, None]
        right, down = self.camera.rotation[:2]  # the camera's axes in the table's frame
        around = np.stack([points + reach * (s * right + t * down) for s, t in ((1, 1), (1, -1), (-1, 1), (-1, -1))], axis=2)
        px = self.camera.project(around.reshape(-1, 3)).reshape(len(points), -1, 2)
        w, h = self.size
        seen = np.atleast_1d(np.isfinite(px).all(axis=(1, 2)))
        px = np.nan_to_num(np.clip(px, -1e6, 1e6))
        low, high = np.floor(px.min(axis=1) - margin).astype(int), np.ceil(px.max(axis=1) + margin).astype(int)
        low = np.clip(low, 0, (w, h)) & ~1
        high = np.maximum(np.minimum((np.clip(high, 0, (w, h)) + 1) & ~1, (w, h)), low)
        return [
            Rect(int(a[0]), int(a[1]), int(b[0]), int(b[1])) if s else Rect(0, 0, w, h) for a, b, s in zip(low, high, seen, strict=True)
        ]

    def _capsule_boxes(self, capsules: NDArray[np.float64]) -> NDArray[np.int64]:
        if not len(capsules):
            return np.zeros((0, 4), np.int64)
        return np.array(self._boxes(capsules[:, :6].reshape(-1, 2, 3), capsules[:, 6:].max(axis=1) * 1.15, 3))

    def _jitter(self, moments: int) -> NDArray[np.float64]:
        """Offsets (S, J, 2) px of the rays of a pixel: uniform over it plus the lens's blur; mirrored pairs, so that their mean is zero."""
        pairs = max(2, self._samples // 2 // moments)
        rng = np.random.default_rng(7)
        i = np.arange(pairs * moments)
        flat = np.stack([(0.5 + i * 0.7548776662466927) % 1, (0.5 + i * 0.5698402909980532) % 1], -1) - 0.5
        half = (flat + rng.normal(0, self.look.blur, flat.shape)).reshape(moments, pairs, 2)
        return np.concatenate([half, -half], axis=1)

    def _contrast(self, curve: NDArray[np.float32]) -> NDArray[np.uint8]:
        mid = 110.0
        return np.clip((curve - mid) * self.look.contrast + mid + 0.5, 0, 255).astype(np.uint8)

    def _make_gain(self) -> NDArray[np.floating]:
        w, h = self.size
        x, y = np.linspace(-1, 1, w, dtype=np.float32), np.linspace(-1, 1, h, dtype=np.float32)
        fall = 1 - np.float32(self.look.vignette / 2) * (x**2 + y[:, None] ** 2)
        return fall[..., None] * (np.float32(self.look.exposure) * np.asarray(self.look.white_balance, np.float32))

    def _encode(self, light: NDArray[np.floating], gain: NDArray[np.floating]) -> Picture:
        """Linear RGB -> 8-bit BGR through exposure, saturation and the sRGB curve."""
        shown = light * gain
        if abs(self.look.saturation - 1) > 0.01:
            grey = shown @ np.array((0.2126, 0.7152, 0.0722), np.float32)
            shown = grey[..., None] + (shown - grey[..., None]) * np.float32(self.look.saturation)
        index = np.clip(shown * 4095 + 0.5, 0, 4095).astype(np.uint16)
        return np.ascontiguousarray(self._curve[index][..., ::-1])

    def _make_noise(self) -> NDArray[np.int8] | None:
        if self.look.noise < 0.1:
            return None
        w, h = self.size
        field = _noise_field()
        reps = (-(-(h + 64) // field.shape[0]), -(-(w + 64) // field.shape[1]), 1)
        return np.tile(np.clip(np.rint(field * np.float32(self.look.noise)), -127, 127).astype(np.int8), reps)[: h + 64, : w + 64]

    def _add_noise(self, picture: Picture) -> Picture:
        if self._noise is None:
            return picture
        w, h = self.size
        x, y = (int(v) for v in self._rng.integers(0, 64, 2))
        return np.asarray(cv2.add(picture, self._noise[y : y + h, x : x + w], dtype=cv2.CV_8U), dtype=np.uint8)


@lru_cache(maxsize=1)
def _noise_field() -> NDArray[np.floating]:
    """Noise of sigma 1, partly grey, which is repeated over pictures."""
    rng = np.random.default_rng(3)
    field = rng.standard_normal((600, 600, 3), dtype=np.float32) * np.float32(0.6)
    return field + rng.standard_normal((600, 600, 1), dtype=np.float32) * np.float32(0.75)


def _resampled(places: NDArray[np.float64], count: int) -> NDArray[np.float64]:
    old, new = np.linspace(0, 1, len(places)) if len(places) > 1 else np.zeros(1), np.linspace(0, 1, count)
    return np.stack([np.interp(new, old, places[:, k]) for k in range(3)], -1)


def _capsule_arrays(extras: Sequence[Capsule]) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    if not extras:
        return np.zeros((0, 8)), np.zeros((0, 3)), np.zeros(0)
    bars = np.array([(*c.a, *c.b, c.ra, c.rb) for c in extras], dtype=float)
    colours = np.array([linear(c.colour) for c in extras], dtype=float)
    return bars, colours, np.array([c.weave for c in extras], dtype=float)
