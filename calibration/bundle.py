"""Lens and pose estimated together from all that was measured in a picture, with an honest covariance.

Unknowns are small changes of a camera (`uncertainty.PARAMETERS`) and what is not of interest but not known either: a common
error of each cushion's points (they share its shade), and the height of the noses. Each has a prior, so that what the
measurements do not tell stays usual and its uncertainty is carried into the covariance of the camera.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from calibration.camera import Camera
from calibration.evidence import NosePoints, on_nose
from calibration.lens_prior import USUAL_FOCAL, LensPrior, cut_lens, usual_lens
from calibration.outlines import Outlines, outline_misfit
from calibration.streaks import Widths, width_misfit
from calibration.table import KINDS, Table
from calibration.uncertainty import PARAMETERS, POSE, CameraUncertainty, changed

Array = NDArray[np.float64]
_ROUNDS = 60
_BACK, _LOST = 2, 1e4  # steps that lead back into the valley; costs beyond which none is tried
_ROBUST = 3.0  # standard deviations from which a measurement counts less
_SHADE_PX, _SHADE_MM = 0.12, 0.35  # sigma of the error that all points of a cushion share
# cushions are not set quite square and are not quite straight: sigma of the slope (at the ends) and of the bow that points share
_SET_PX, _SET_MM, _SET_CUSTOM = 0.1, 0.4, 1.0
# of the covariance: outliers and the bend of the model in its parameters make errors 9 % larger than the slopes at the solution
# say (bench_camera: 93.4 % of 130000 errors inside two standard deviations without it)
_INFLATION = 1.2
# of a table's length and width: makers keep a named kind to some millimetres, a tape in a club does worse
_SIZE, _SIZE_CUSTOM = 0.0012, 0.003
# that a picture was cut out of a larger one is tried from so many standard deviations of the principal point, and believed where it
# explains the measurements better by so many squared ones
_SUSPECT, _ODD_CUT = 1.5, 12.0
_ODD_FOCAL = 1.5  # standard deviations: that a picture was cut is odd enough, its focal length may not be odd as well
_HEIGHT = 0.010  # sigma of the noses' height, in diameters of the ball


@dataclass(frozen=True, slots=True)
class KnownPoints:
    """Points (N, 3) mm seen at `px` (N, 2) with errors `sigma` (N, 2) px; an infinite one is no measurement."""

    places: Array
    px: Array
    sigma: Array


@dataclass(frozen=True, slots=True)
class Rolls:
    """Balls rolling straight: centres `px` (N, 2) with errors `sigma` (N,) px; `path` (N,) numbers the straight lines."""

    px: Array
    sigma: Array
    path: NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Touches:
    """Balls that touched cushions: centres `px` (N, 2) when they did, the `cushion` of each, and errors `sigma` (N,) mm across it."""

    px: Array
    cushion: tuple[str, ...]
    sigma: Array


@dataclass(frozen=True, slots=True)
class Bundle:
    """A camera, its uncertainty, and the misfits: `nose_px` of each cushion's points (root mean square), `point_px` of the known
    points, `roll_mm` of the rolling balls (NaN without any); `shade_px`: the cushions' common errors; `height_mm`: of the noses.
    `strain`: the farthest that anything had to go from what is usual, in standard deviations (of lens, table and cushions);
    `off_centre`: the same of the principal point alone."""

    camera: Camera
    uncertainty: CameraUncertainty
    nose_px: Mapping[str, float]
    shade_px: Mapping[str, float]
    point_px: float
    roll_mm: float
    height_mm: float
    focal_sigma: float
    focal_told: bool
    strain: float = 0.0
    off_centre: float = 0.0


def adjust(
    start: Camera,
    table: Table,
    noses: Mapping[str, NosePoints],
    *,
    known: KnownPoints | None = None,
    rolls: Rolls | None = None,
    touches: Touches | None = None,
    outlines: Outlines | None = None,
    widths: Widths | None = None,
    lens: LensPrior | None = None,
) -> Bundle:
    """The camera that explains the measurements best, from one that is right to some pixels.

    Args:
        noses: points along the noses of cushions (see `evidence`).
        known: further points whose places are known.
        rolls: balls on straight lines (at the height of their centres).
        touches: balls at the cushions.
        outlines: of balls at rest.
        widths: of balls in motion.
        lens: of the lens; the usual ones unless given.
    """
    usual = lens or usual_lens((start.width, start.height))
    sized = _SIZE if table.name in KINDS else _SIZE_CUSTOM
    first = _Adjustment(start, table, noses, known, rolls, usual, sized, touches, outlines, widths)
    free = first.solve()
    if lens is None and free.off_centre > _SUSPECT:
        cut = cut_lens((start.width, start.height))
        second = _Adjustment(free.camera, table, noses, known, rolls, cut, sized, touches, outlines, widths)
        other = second.solve()
        odd = abs(np.log(other.camera.focal) - cut.values["log_focal"]) / cut.sigma["log_focal"]
        if second.cost() < first.cost() - _ODD_CUT and odd < _ODD_FOCAL:
            free, usual = other, cut
    # seen from above, a table that is a little longer than it is said to be looks like another focal length: the lens is that of a
    # table of any size near the one given, and only the pose is then fitted to the table as it is given
    kept = LensPrior(lens_values(free.camera), {})
    fixed = _Adjustment(free.camera, table, noses, known, rolls, kept, 1e-9, touches, outlines, widths).solve()
    whole = _Adjustment(fixed.camera, table, noses, known, rolls, usual, 1e-9, touches, outlines, widths)
    return replace(
        fixed, uncertainty=whole.with_lens(free.uncertainty), focal_sigma=free.focal_sigma, focal_told=free.focal_told,
        height_mm=free.height_mm, strain=free.strain, off_centre=free.off_centre,
    )  # fmt: skip


def adjust_known(start: Camera, table: Table, prior: CameraUncertainty, rolls: Rolls, touches: Touches | None = None) -> Bundle:
    """The same from a camera that is known already, with its covariance."""
    names, matrix = prior.parameters, prior.matrix
    # unknowns are the prior's own standard deviations: its numbers are far too entangled to be changed one by one
    size = np.sqrt(np.maximum(np.diag(matrix), 1e-30))
    spread, axes = np.linalg.eigh(matrix / np.outer(size, size))
    root = size[:, None] * axes * np.sqrt(np.maximum(spread, 1e-14))
    u, camera, normal = np.zeros(len(names)), start, np.eye(len(names))
    for _ in range(_ROUNDS):
        xy = camera.to_table(rolls.px, table.radius)
        lines = _Lines(xy, rolls, np.nan_to_num(camera.scale_at(xy, table.radius), nan=1.0))

        def told(camera: Camera, lines: _Lines = lines) -> Array:
            away = lines.away(camera.to_table(rolls.px, table.radius))
            return away if touches is None else np.concatenate([away, touch_misfit(camera, table, touches)])

        misfit = told(camera)
        columns = []
        for i in range(len(u)):
            near = [changed(start, names, root @ (u + sign * 1e-3 * np.eye(len(u))[i])) for sign in (1.0, -1.0)]
            columns.append(np.subtract(*(told(c) for c in near)) / 2e-3)
        slope, weights = np.stack(columns, axis=1), _huber(misfit)
        normal = slope.T @ (slope * weights[:, None]) + np.eye(len(u))
        step = np.linalg.solve(normal, slope.T @ (weights * misfit) + u)
        u = u - step * min(1.0, 3.0 / float(np.abs(step).max(initial=1e-9)))
        camera = changed(start, names, root @ u)
        if np.abs(step).max(initial=0.0) < 1e-3:
            break
    covariance = root @ np.linalg.solve(normal, root.T)
    focal = float(np.sqrt(covariance[names.index("log_focal"), names.index("log_focal")])) if "log_focal" in names else 0.0
    roll = float(np.sqrt((line_distances(camera, table, rolls) ** 2).mean()))
    return Bundle(camera, CameraUncertainty.of(names, covariance), {}, {}, float("nan"), roll, table.nose_height, focal, False)


def touch_misfit(camera: Camera, table: Table, touches: Touches) -> Array:
    """(N,) how far balls were from touching their cushions when they did, in standard deviations."""
    xy = camera.to_table(touches.px, table.radius)
    out = np.array([table.inside(xy, cushion)[i] for i, cushion in enumerate(touches.cushion)])
    return np.nan_to_num((out - table.reach) / touches.sigma, nan=1e3)


def line_distances(camera: Camera, table: Table, rolls: Rolls) -> Array:
    """(N,) mm of rolling balls from the straight lines through their paths."""
    xy = camera.to_table(rolls.px, table.radius)
    return _Lines(xy, rolls, np.ones(len(xy))).distance(xy)


class _Adjustment:
    """Levenberg's and Marquardt's method on a camera that is replaced at every step, so that changes stay small."""

    def __init__(self, start, table, noses, known, rolls, lens, sized, touches=None, outlines=None, widths=None) -> None:
        self.touches, self.outlines, self.widths = touches, outlines, widths
        self.table, self.noses, self.known, self.rolls, self.lens = table, dict(noses), known, rolls, lens
        self.names = [*POSE, *(n for n in PARAMETERS[6:] if lens.sigma.get(n, 0.0) > 0 or n in lens.together)]
        self.cushions = list(self.noses)
        self.camera = start
        # of each cushion offset, slope and bow px; the height of the noses mm; shares of length and width
        self.extra = np.zeros(3 * len(self.cushions) + 3)
        self.size = np.array([sized, sized])
        middle = float(start.scale_at([[table.length / 2, table.width / 2]], table.radius)[0])
        set_mm = _SET_MM if table.name in KINDS else _SET_CUSTOM
        usual = (np.hypot(_SHADE_PX, _SHADE_MM * middle), *2 * (np.hypot(_SET_PX, set_mm * middle),))
        self.shade = np.tile(np.array(usual, float), len(self.cushions))
        self.scale = np.array(
            [_SCALE[n.split("_")[0]] if n not in _SCALE else _SCALE[n] for n in self.names] + [1.0] * (len(self.extra) - 2) + [1e-2, 1e-2]
        )
        self._anchor()

    def _anchor(self) -> None:
        """Which place of its nose each point shows, and across which direction it was measured: hardly changes with the camera."""
        self.along, self.normal, self.shapes = {}, {}, {}
        for cushion, points in self.noses.items():
            xy = self.camera.to_table(points.px, self.table.nose_height)
            along = xy[:, 1] if cushion in ("home", "foot") else xy[:, 0]
            span = self.table.width if cushion in ("home", "foot") else self.table.length
            along = np.clip(np.nan_to_num(along, nan=span / 2), -0.05 * span, 1.05 * span)
            at = on_nose(self.table, cushion, along)
            across = self.camera.project(on_nose(self.table, cushion, along, 1.0)) - self.camera.project(at)
            # square to the nose as it is seen: only then is it the same to the misfit, to first order, which place a point shows
            ahead = self.camera.project(on_nose(self.table, cushion, along + 1.0)) - self.camera.project(at)
            square = np.column_stack([-ahead[:, 1], ahead[:, 0]])
            square *= np.sign((square * across).sum(axis=1, keepdims=True))
            self.along[cushion] = along
            share = 2 * along / span - 1
            self.shapes[cushion] = np.column_stack([np.ones(len(share)), share, 1.5 * share**2 - 0.5])
            self.normal[cushion] = square / np.maximum(np.hypot(*square.T), 1e-9)[:, None]
        if self.rolls is not None:
            xy = self.camera.to_table(self.rolls.px, self.table.radius)
            self.lines = _Lines(xy, self.rolls, np.nan_to_num(self.camera.scale_at(xy, self.table.radius), nan=1.0))

    def parts(self, camera: Camera, extra: Array) -> list[tuple[Array, bool]]:
        """Weighted misfits, and whether outliers are to be expected among them."""
        found: list[tuple[Array, bool]] = []
        for index, (cushion, points) in enumerate(self.noses.items()):
            found.append((self._nose(camera, cushion, extra[3 * index : 3 * index + 3], extra[-3:]) / points.sigma, True))
        if self.known is not None:
            found.append((((camera.project(self.known.places) - self.known.px) / self.known.sigma).ravel(), True))
        if self.rolls is not None:
            xy = camera.to_table(self.rolls.px, self.table.radius)
            found.append((self.lines.away(xy), True))
        if self.touches is not None:
            found.append((touch_misfit(camera, self.table, self.touches), True))
        if self.outlines is not None:
            found.append((outline_misfit(camera, self.table, self.outlines), True))
        if self.widths is not None:
            found.append((width_misfit(camera, self.table, self.widths), True))
        usual = [extra[:-3] / self.shade, [extra[-3] / (_HEIGHT * self.table.ball)], extra[-2:] / self.size]
        found.append((np.concatenate(usual), False))
        found.append((self._prior(camera), False))
        return [(np.nan_to_num(values, nan=1e3, posinf=1e3, neginf=-1e3), robust) for values, robust in found]

    def _nose(self, camera: Camera, cushion: str, errors: Array, table: Array) -> Array:
        """`errors`: offset, slope and bow that its points share, px. `table`: height of the noses, mm, and shares by which it is
        longer and wider than it is said to be, about its middle."""
        at = on_nose(self.table, cushion, self.along[cushion])
        middle = np.array([self.table.length / 2, self.table.width / 2])
        at[:, :2] = middle + (at[:, :2] - middle) * (1 + table[1:])
        at[:, 2] += table[0]
        return ((camera.project(at) - self.noses[cushion].px) * self.normal[cushion]).sum(axis=1) + self.shapes[cushion] @ errors

    def _prior(self, camera: Camera) -> Array:
        now = lens_values(camera)
        away = {name: now[name] - self.lens.values.get(name, 0.0) for name in PARAMETERS[6:]}
        # a lens bends a picture by so much at its border; a longer one has numbers of another size for that
        longer = max(1.0, camera.focal_ratio / USUAL_FOCAL)
        rows = [away[n] / (self.lens.sigma[n] * longer ** _POWER.get(n, 0)) for n in self.names[6:] if n not in self.lens.together]
        if self.lens.together and self.lens.covariance is not None:
            root = np.linalg.cholesky(self.lens.covariance)
            rows += np.linalg.solve(root, [away[n] for n in self.lens.together]).tolist()
        return np.array(rows)

    def _linear(self, camera: Camera, extra: Array) -> tuple[Array, Array, Array]:
        """Misfits (M,), their slopes (M, N), and weights (M,)."""
        parts = self.parts(camera, extra)
        values = np.concatenate([v for v, _ in parts])
        weights = np.concatenate([_huber(v) if robust else np.ones(len(v)) for v, robust in parts])
        slope = np.empty((len(values), len(self.names) + len(extra)))
        for i, size in enumerate(self.scale):
            moved = []
            for sign in (1.0, -1.0):
                step = np.zeros(len(self.scale))
                step[i] = sign * size * 1e-5
                moved.append(np.concatenate([v for v, _ in self.parts(*self._stepped(camera, extra, step))]))
            slope[:, i] = (moved[0] - moved[1]) / (2e-5 * size)
        return values, slope, weights

    def _stepped(self, camera: Camera, extra: Array, step: Array) -> tuple[Camera, Array]:
        return changed(camera, self.names, step[: len(self.names)]), extra + step[len(self.names) :]

    def cost(self) -> float:
        """Sum of the squared misfits, in variances, where it is now."""
        return self._cost(self.camera, self.extra)

    def _cost(self, camera: Camera, extra: Array) -> float:
        total = 0.0
        for values, robust in self.parts(camera, extra):
            size = np.abs(values)
            total += float(np.where(size < _ROBUST, size**2, 2 * _ROBUST * size - _ROBUST**2).sum() if robust else (size**2).sum())
        return total

    def solve(self) -> Bundle:
        damping, cost = 1e-4, self.cost()
        for _ in range(_ROUNDS):
            normal = self._normal(self.camera, self.extra)
            for _ in range(8):
                camera, extra, new = self._tried(normal, damping, cost)
                if new <= cost:
                    break
                damping *= 10
            else:
                break
            gained, self.camera, self.extra = cost - new, camera, extra
            damping = max(damping / 10, 1e-12)
            self._anchor()
            cost = self.cost()
            if gained < 1e-5 * max(cost, 1.0):
                break
        return self._result()

    def _normal(self, camera: Camera, extra: Array) -> tuple[Array, Array, Array]:
        """The normal equations, scaled (N, N) and (N,), and their scales (N,)."""
        values, slope, weights = self._linear(camera, extra)
        normal = slope.T @ (slope * weights[:, None])
        size = np.sqrt(np.diag(normal)) + 1e-12
        return normal / np.outer(size, size), -slope.T @ (weights * values) / size, size

    def _tried(self, normal: tuple[Array, Array, Array], damping: float, cost: float) -> tuple[Camera, Array, float]:
        """A step and what it costs. Focal length, distance and bend trade along a long bent valley: a step that leaves it is led back
        before it is judged, for steps that never leave it creep."""
        camera, extra = self.camera, self.extra
        new = np.inf
        for again in range(_BACK + 1):
            scaled, right, size = normal if not again else self._normal(camera, extra)
            step = np.linalg.solve(scaled + (10 * damping if again else damping) * np.eye(len(size)), right) / size
            try:
                camera, extra = self._stepped(camera, extra, step)
                new = self._cost(camera, extra)
            except ValueError:
                return camera, extra, np.inf
            if new <= cost or not new < cost + _LOST:
                break
        return camera, extra, new

    def with_lens(self, known: CameraUncertainty) -> CameraUncertainty:
        """The uncertainty of a camera whose lens is known as well as `known` says, and whose pose was fitted to the table with it.

        The pose follows the lens: what a wrong lens does to places is mostly undone by the pose that fits the noses again.
        """
        _, slope, weights = self._linear(self.camera, self.extra)
        rows = len(slope) - len(self._prior(self.camera))  # without what is usual of lenses: `known` holds that already
        normal = slope[:rows].T @ (slope[:rows] * weights[:rows, None])
        lens = [i for i, name in enumerate(self.names) if name not in POSE]
        rest = [i for i in range(len(normal)) if i not in lens]
        size = np.sqrt(np.diag(normal)) + 1e-12
        scaled = normal / np.outer(size, size)
        inverse = np.linalg.inv(scaled[np.ix_(rest, rest)]) / np.outer(size[rest], size[rest])
        follow = -inverse @ normal[np.ix_(rest, lens)]
        index = [known.parameters.index(self.names[i]) for i in lens]
        of_lens = known.matrix[np.ix_(index, index)]
        pose = range(len(POSE))
        matrix = np.zeros((len(self.names), len(self.names)))
        poses = (_INFLATION * inverse + follow @ of_lens @ follow.T)[: len(POSE), : len(POSE)]
        matrix[np.ix_(pose, pose)] = poses
        matrix[np.ix_(pose, lens)] = (follow @ of_lens)[: len(POSE)]
        matrix[np.ix_(lens, pose)] = matrix[np.ix_(pose, lens)].T
        matrix[np.ix_(lens, lens)] = of_lens
        return CameraUncertainty.of(self.names, matrix)

    def _result(self) -> Bundle:
        _, slope, weights = self._linear(self.camera, self.extra)
        normal = slope.T @ (slope * weights[:, None])
        size = np.sqrt(np.diag(normal)) + 1e-12
        covariance = _INFLATION * np.linalg.inv(normal / np.outer(size, size)) / np.outer(size, size)
        count = len(self.names)
        camera_part = covariance[:count, :count]
        at = self.names.index("log_focal") if "log_focal" in self.names else None
        focal = 0.0 if at is None else float(np.sqrt(camera_part[at, at]))
        nose_px, shade = {}, {}
        for index, cushion in enumerate(self.cushions):
            misfit = self._nose(self.camera, cushion, self.extra[3 * index : 3 * index + 3], self.extra[-3:])
            nose_px[cushion] = float(np.sqrt((misfit**2).mean()))
            shade[cushion] = float(self.extra[3 * index])
        point = np.nan
        if self.known is not None:
            offset = self.camera.project(self.known.places) - self.known.px
            point = float(np.sqrt((offset[np.isfinite(self.known.sigma)] ** 2).mean() * 2))
        roll = np.nan
        if self.rolls is not None:
            roll = float(np.sqrt((self.lines.distance(self.camera.to_table(self.rolls.px, self.table.radius)) ** 2).mean()))
        told = focal < 0.5 * self.lens.sigma.get("log_focal", np.inf)
        lens = self._prior(self.camera)
        usual = np.concatenate([self.extra[:-3] / self.shade, self.extra[-2:] / self.size, lens])
        alone = [n for n in self.names[6:] if n not in self.lens.together]
        centre = [abs(float(lens[alone.index(n)])) for n in ("cx", "cy") if n in alone]
        return Bundle(
            self.camera,
            CameraUncertainty.of(self.names, camera_part),
            nose_px,
            shade,
            point,
            roll,
            self.table.nose_height + float(self.extra[-3]),
            focal,
            told,
            float(np.abs(usual).max(initial=0.0)),
            max(centre, default=0.0),
        )


_POWER = {"k1": 2, "k2": 4, "k3": 6}  # of the distance from the axis
_SCALE = {"turn": 1.0, "move": 1000.0, "log_focal": 1.0, "cx": 100.0, "cy": 100.0, "k1": 0.3, "k2": 0.3, "p1": 0.1, "p2": 0.1, "k3": 0.3}


def lens_values(camera: Camera) -> dict[str, float]:
    """The numbers of a camera's lens by the names of `uncertainty.LENS`."""
    k1, k2, p1, p2, k3 = camera.distortion
    u, v = camera.principal
    return {"log_focal": float(np.log(camera.focal)), "cx": u, "cy": v, "k1": k1, "k2": k2, "p1": p1, "p2": p2, "k3": k3}


def _huber(values: Array) -> Array:
    return np.minimum(1.0, _ROBUST / np.maximum(np.abs(values), 1e-9))


class _Lines:
    """Straight lines through the places of rolling balls. A line's own two unknowns are projected out of the misfits, so that the
    covariance of a camera knows that they had to be estimated."""

    def __init__(self, xy: Array, rolls: Rolls, px_per_mm: Array) -> None:
        self.sigma = rolls.sigma / px_per_mm
        self.groups = []
        for path in np.unique(rolls.path):
            index = np.flatnonzero((rolls.path == path) & np.isfinite(xy).all(axis=1))
            if len(index) < 3:
                continue
            points = xy[index] - xy[index].mean(axis=0)
            along, across = np.linalg.svd(points, full_matrices=False)[2]
            basis = np.linalg.qr(np.column_stack([np.ones(len(index)), points @ along]))[0]
            self.groups.append((index, across, basis))

    def distance(self, xy: Array) -> Array:
        """(N,) mm of places (N, 2) from the line of each path."""
        out: Array = np.zeros(len(xy))
        for index, across, basis in self.groups:
            away = xy[index] @ across
            out[index] = away - basis @ (basis.T @ away)
        return out

    def away(self, xy: Array) -> Array:
        """The same in standard deviations."""
        return np.asarray(self.distance(xy) / self.sigma, float)
