"""Pictures of one table from one camera: the empty table once, balls and people for every frame."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibration.camera import Camera
from calibration.table import Table
from sample_videos.render import ball_kernels, bar_kernels, kernels
from sample_videos.render.background import Background, draw_background
from sample_videos.render.lighting import build_lighting
from sample_videos.render.look import PATTERNS, Colour, Look, encoding, linear
from sample_videos.render.people import Capsule
from sample_videos.render.plan import build_plan
from sample_videos.render.rects import Rect, merged

Picture = NDArray[np.uint8]
_SAMPLES = 24  # rays a pixel and ball
_SHADOW_STEP = 2
_PEOPLE_STEP = 8  # px: shadows of people are soft


class Visible(NamedTuple):
    """The visible part of a ball's (blurred) silhouette: area px^2 and centroid px."""

    area: float
    x: float
    y: float


class _Balls(NamedTuple):
    """Balls to be drawn: names, places (S, 3) mm each, colour (B, 3), pattern (B,), orientation (B, 3, 3), boxes (B, 4) px of the
    blurred silhouettes, and what each ball changes with its shadow."""

    names: list[str]
    places: list[NDArray[np.float64]]
    albedo: NDArray[np.float64]
    pattern: NDArray[np.int64]
    turn: NDArray[np.float64]
    boxes: NDArray[np.int64]
    reach: list[Rect]

    def within(self, rect: Rect) -> tuple[list[int], _Balls]:
        """Numbers of the balls that show in `rect`, and these balls."""
        i = [k for k, r in enumerate(self.reach) if r.meets(rect)]
        names, places, reach = ([row[k] for k in i] for row in (self.names, self.places, self.reach))
        return i, _Balls(names, places, self.albedo[i], self.pattern[i], self.turn[i], self.boxes[i], reach)  # type: ignore[arg-type]

    def centres(self) -> NDArray[np.float64]:
        """(B, S, 3), with as many moments for each ball."""
        most = max((len(p) for p in self.places), default=1)
        if not self.places:
            return np.zeros((0, most, 3))
        return np.stack([p if len(p) == most else _resampled(p, most) for p in self.places])


class _People(NamedTuple):
    """Bars (C, 14): ends, radii, the ends' way over the exposure, mm; colours (C, 3), folds (C,), boxes (C, 4) px; the light that
    they leave in the rectangle `dark`."""

    bars: NDArray[np.float64]
    colours: NDArray[np.float64]
    weave: NDArray[np.float64]
    boxes: NDArray[np.int64]
    light: NDArray[np.float32]
    dark: Rect

    @property
    def rects(self) -> list[Rect]:
        return [self.dark, *(Rect(*map(int, b)) for b in self.boxes)]


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
        on_empty: changes the light (H, W, 3), linear RGB, of the empty table in place, before anything is drawn over it: prints.
        covered: boxes x0, y0, x1, y1 px under which nothing is seen (see `overlay`): `visible` leaves out what lies there.
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
        on_empty: Callable[[NDArray[np.floating]], None] | None = None,
        covered: Sequence[tuple[int, int, int, int]] = (),
    ) -> None:
        self.table, self.camera, self.look = table, camera, look
        self._samples, self._covered = samples, covered
        self._rng = np.random.default_rng(seed)
        if step is None:
            middle = camera.to_table([(camera.width / 2, camera.height / 2)], 0.0)
            scale = float(np.nan_to_num(camera.scale_at(middle, 0.0)[0], nan=0.5))
            step = float(np.clip(1.0 / scale / oversample * 1.2, 0.8, 12.0))
        self._light = build_lighting(table.length, table.width, look)
        plan = build_plan(table, look, step, seed, window=self._window(), floor_step=floor_step)
        self._back: Background = draw_background(plan, camera, table, self._light, look, oversample)
        if on_empty:
            on_empty(self._back.picture)
        down = np.minimum(self._back.rays[..., 2], -1e-3)
        far = (self._back.height - np.float32(camera.position[2])) / down
        self._far = np.where(self._back.height > -1, far, kernels.FAR).astype(np.float32)  # of the table: it hides legs behind it
        self._curve = self._contrast(encoding())
        self._fall = self._make_fall()
        self._gain = np.asarray(look.white_balance, np.float32) * np.float32(look.exposure)
        self._cloth = linear(look.cloth).astype(np.float64)
        self._colours: dict[Colour, NDArray[np.float32]] = {}
        self._empty = np.empty((camera.height, camera.width, 3), np.uint8)
        self._develop(self._empty, Rect(0, 0, *self.size), self._back.picture)
        self._noise = self._make_noise()
        self._visible: dict[str, Visible] = {}
        self._turn: dict[str, NDArray[np.float64]] = {}
        self._last: dict[str, NDArray[np.float64]] = {}
        self._shadow: tuple[bytes, NDArray[np.float32], Rect] = (b"", np.ones((1, 1), np.float32), Rect(0, 0, 0, 0))
        # what the last frame showed in each of its rectangles, by all that it depends on: most things rest
        self._painted: dict[bytes, tuple[Picture, NDArray[np.float64]]] = {}

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
        drawn = self._balls(balls)
        people = self._people(extras)
        rects = merged(r for r in drawn.reach + (people.rects if people else []) if r.x1 > r.x0 and r.y1 > r.y0)
        out, seen = self._empty.copy(), np.zeros((len(drawn.names), 3))
        before, self._painted = self._painted, {}
        for rect in rects:
            i, here = drawn.within(rect)
            crowd = people if people and any(r.meets(rect) for r in people.rects) else None
            key = b"".join([np.array(rect).tobytes(), *(p.tobytes() for p in here.places), here.albedo.tobytes(), here.turn.tobytes()])
            if crowd:
                key += crowd.bars.tobytes() + crowd.colours.tobytes()
            if key in before:
                out[rect.slices] = before[key][0]
            self._painted[key] = before[key] if key in before else self._paint(out, rect, here, crowd)
            seen[i] += self._painted[key][1]
        shown = {n: Visible(float(a), float(x / a), float(y / a)) for n, (a, x, y) in zip(drawn.names, seen, strict=True) if a > 0}
        hidden = [n for n, v in shown.items() if any(x0 <= v.x <= x1 and y0 <= v.y <= y1 for x0, y0, x1, y1 in self._covered)]
        self._visible = {n: v for n, v in shown.items() if n not in hidden}
        return self._add_noise(out) if noise else out

    def _paint(self, out: Picture, rect: Rect, balls: _Balls, people: _People | None) -> tuple[Picture, NDArray[np.float64]]:
        """Draws what `rect` shows into `out`; returns a copy of it, and area and moments (B, 3) of what is seen of the balls."""
        ys, xs = rect.slices
        back, light, centres = self._back, self._light, balls.centres()
        cut = back.picture[ys, xs].copy()
        rays = np.ascontiguousarray(back.rays[ys, xs])
        depth = np.full(cut.shape[:2], kernels.FAR)
        if people and people.dark.meets(rect):
            box = people.dark.cut(rect)
            cut[box.inside(rect)] *= people.light[box.inside(people.dark)][..., None]
        for near in merged(r for r in self._shadow_rects(centres) if r.meets(rect)):
            self._ball_shadow(cut, rect, near.cut(rect), centres)
        offset = np.array([rect.x0, rect.y0, rect.x0, rect.y0])
        if people:
            bar_kernels.shade_capsules(
                cut, depth, np.ascontiguousarray(self._far[ys, xs]), rays, self.camera.position, people.boxes - offset, people.bars,
                people.colours, people.weave, light.cells, light.ambient,
            )  # fmt: skip
        seen = np.zeros((len(balls.names), 3))
        if len(centres):
            ball_kernels.shade_balls(
                cut, depth, rays, self.camera.position,
                np.ascontiguousarray(back.rail_cover[ys, xs]), np.ascontiguousarray(back.bed_solid[ys, xs]), self.table.nose_height,
                centres, self.table.radius, balls.albedo, balls.pattern, balls.turn, balls.boxes - offset, self._jitter(centres.shape[1]),
                light.cells, light.lamps, light.ambient, self._cloth, self.look.gloss, light.specular,
                2 if self._samples > 12 else 1, seen,
            )  # fmt: skip
            seen[:, 1] += rect.x0 * seen[:, 0]
            seen[:, 2] += rect.y0 * seen[:, 0]
        self._develop(out, rect, cut)
        return out[ys, xs].copy(), seen

    def _ball_shadow(self, cut: NDArray[np.float32], rect: Rect, box: Rect, centres: NDArray[np.float64]) -> None:
        """Darkens the part `box` of `cut`, which is the picture in `rect`."""
        moments, step = centres.shape[1], _SHADOW_STEP
        picks = (moments // 2,) if moments < 3 else (moments // 6, moments // 2, moments - 1 - moments // 6)
        maps = [self._shadow_map(step, box, np.ascontiguousarray(centres[:, s]), np.zeros((0, 8)), self._light.cells) for s in picks]
        cut[box.inside(rect)] *= _enlarged(np.mean(maps, axis=0), step, box)[..., None]

    def _shadow_map(
        self, step: int, box: Rect, centres: NDArray[np.float64], bars: NDArray[np.float64], lamps: NDArray[np.float64]
    ) -> NDArray[np.float32]:
        return bar_kernels.shadow_map(
            self._back.where, self._back.height, step, np.array(box), centres, self.table.radius, bars, lamps, self._light.ambient
        )

    def _people(self, extras: Sequence[Capsule]) -> _People | None:
        if not extras:
            return None
        bars = np.array([(*c.a, *c.b, c.ra, c.rb, *c.move_a, *c.move_b) for c in extras], dtype=float)
        colours = np.array([self._colour(c.colour) for c in extras], dtype=float)
        ends, moves = bars[:, :6].reshape(-1, 2, 3), bars[:, 8:].reshape(-1, 2, 3)
        swept = np.concatenate([ends - moves / 2, ends + moves / 2], axis=1)
        boxes = np.array(self._boxes(swept, bars[:, 6:8].max(axis=1) * 1.15, 3 + 2 * self.look.blur))
        return _People(bars, colours, np.array([c.weave for c in extras], dtype=float), boxes, *self._shadow_of_people(bars))

    def _shadow_of_people(self, bars: NDArray[np.float64]) -> tuple[NDArray[np.float32], Rect]:
        """The rectangle that people darken and the light left in it; kept while they do not move."""
        key, n, (w, h) = bars.tobytes(), _PEOPLE_STEP, self.size
        if self._shadow[0] != key:
            light = self._shadow_map(n, Rect(0, 0, w, h), np.zeros((0, 3)), np.ascontiguousarray(bars[:, :8]), self._light.coarse)
            ys, xs = np.nonzero(light < 0.99)
            rect = Rect(0, 0, 0, 0)
            if len(xs):
                x0, y0 = max(int(xs.min()) - 1, 0), max(int(ys.min()) - 1, 0)
                rect = Rect(x0 * n, y0 * n, min((int(xs.max()) + 2) * n, w), min((int(ys.max()) + 2) * n, h))
                light = light[y0 : int(ys.max()) + 2, x0 : int(xs.max()) + 2]
            self._shadow = (key, _enlarged(light, n, rect), rect)
        return self._shadow[1:]

    def _colour(self, colour: Colour) -> NDArray[np.float32]:
        if colour not in self._colours:
            self._colours[colour] = linear(colour)
        return self._colours[colour]

    def _balls(self, balls: Mapping[str, ArrayLike]) -> _Balls:
        places, albedo, pattern, turn = [], [], [], []
        for name, at in balls.items():
            centres = np.asarray(at, dtype=float)
            if centres.ndim == 1:
                centres = centres[None]
            if centres.ndim != 2 or centres.shape[1] != 3 or not len(centres):
                raise ValueError(f"ball {name!r}: expected centres of shape (S, 3), got {np.shape(at)}")
            places.append(centres)
            albedo.append(self._colour(self.look.ball(name)))
            pattern.append(PATTERNS.index(self.look.patterns.get(name, self.look.patterns.get(name.split("#")[0], "plain"))))
            turn.append(self._roll(name, centres.mean(axis=0)))
        none = _Balls([], places, np.zeros((0, 3)), np.zeros(0, np.int64), np.zeros((0, 3, 3)), np.zeros((0, 4), np.int64), [])
        if not places:
            return none
        drawn = _Balls(list(balls), places, np.array(albedo, dtype=float), np.array(pattern), np.stack(turn), none.boxes, [])
        centres = drawn.centres()
        boxes = self._boxes(centres, self.table.radius * 1.1, 3 + 3 * self.look.blur)
        reach = [r.with_(s) for r, s in zip(boxes, self._shadow_rects(centres), strict=True)]
        return drawn._replace(boxes=np.array(boxes), reach=reach)

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

    def _make_fall(self) -> NDArray[np.float32]:
        """What the lens leaves of the light (H, W)."""
        w, h = self.size
        x, y = np.linspace(-1, 1, w, dtype=np.float32), np.linspace(-1, 1, h, dtype=np.float32)
        return 1 - np.float32(self.look.vignette / 2) * (x**2 + y[:, None] ** 2)

    def _develop(self, out: Picture, rect: Rect, light: NDArray[np.floating]) -> None:
        """Linear RGB of the part `rect` of the picture -> 8-bit BGR in `out`."""
        saturation: Any = np.float32(self.look.saturation if abs(self.look.saturation - 1) > 0.01 else 1)
        kernels.develop(out, rect.x0, rect.y0, np.asarray(light, np.float32), self._fall, self._gain, saturation, self._curve)

    def _make_noise(self) -> NDArray[np.int8] | None:
        if self.look.noise < 0.1:
            return None
        w, h = self.size
        field = _noise_field()
        reps = (-(-(h + 64) // field.shape[0]), -(-(w + 64) // field.shape[1]), 1)
        field = field[: h + 64, : w + 64]
        return np.tile(np.clip(np.rint(field * np.float32(self.look.noise)), -127, 127).astype(np.int8), reps)[: h + 64, : w + 64]

    def _add_noise(self, picture: Picture) -> Picture:
        if self._noise is None:
            return picture
        x, y = (int(v) for v in self._rng.integers(0, 64, 2))
        return kernels.add_noise(picture, self._noise, x, y)


@lru_cache(maxsize=1)
def _noise_field() -> NDArray[np.floating]:
    """Noise of sigma 1, partly grey, which is repeated over pictures."""
    rng = np.random.default_rng(3)
    field = rng.standard_normal((600, 600, 3), dtype=np.float32) * np.float32(0.6)
    return field + rng.standard_normal((600, 600, 1), dtype=np.float32) * np.float32(0.75)


def _resampled(places: NDArray[np.float64], count: int) -> NDArray[np.float64]:
    old, new = np.linspace(0, 1, len(places)) if len(places) > 1 else np.zeros(1), np.linspace(0, 1, count)
    return np.stack([np.interp(new, old, places[:, k]) for k in range(3)], -1)


def _enlarged(light: NDArray[np.float32], step: int, box: Rect) -> NDArray[np.float32]:
    """Values on every `step`-th pixel of `box`, for all its pixels."""
    if not light.size or box.x1 <= box.x0:
        return np.ones((0, 0), np.float32)
    big = cv2.resize(light.astype(np.float32), (light.shape[1] * step, light.shape[0] * step), interpolation=cv2.INTER_LINEAR)
    return np.asarray(big[: box.y1 - box.y0, : box.x1 - box.x0], dtype=np.float32)
