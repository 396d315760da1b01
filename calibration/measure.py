"""From found or given corners to a camera: the noses are measured in the picture itself, lens and pose fitted to them together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibration.accuracy import camera_place_covariance
from calibration.bundle import Bundle, KnownPoints, adjust
from calibration.camera import Camera
from calibration.errors import UserError
from calibration.evidence import NosePoints, Shade, nose_evidence, shade_of
from calibration.fit import Fit, camera_from_corners
from calibration.lens_prior import LensPrior
from calibration.marks import spots_seen, together
from calibration.outlines import Outlines, balls_seen, outline_misfit
from calibration.streaks import Widths, width_misfit, widths_seen
from calibration.table import Table
from calibration.uncertainty import slopes

Array = NDArray[np.float64]
_BENDS = (-0.12, 0.12, -0.25, 0.25, -0.35, 0.35)  # k1 tried where nothing tells the lens yet
_REACHES = (10.0, 5.0, 3.0, 2.5)  # px at 1920 px of width, from a first camera to a last look
_TRUSTED = 4  # cushions whose noses must be seen: where one is only reckoned from the others, a false bend of the lens moves it far
_CLEAR = 0.75  # share of a cushion that is seen from which its points count more than the finder's
_FINDER = 0.5  # px at 1920 px of width: sigma of the finder's points
_SEEN = 3.2  # sum of the cushions' shares that are seen from which no other start is tried
_STRAIN = 2.5  # standard deviations: a lens, a table or a cushion as odd as that is rather a nose that was taken for another line
_STRAY = 3.8  # variances for each number (0.1 % of good ones): spots farther off were stuck elsewhere, or are none
_ODD_BALLS = 2.0  # root mean square of the balls' shapes, in standard deviations, from which they are no balls at rest
_FOR_BALLS = 6  # pictures in which balls at rest are looked for
_AWAY = 0.006  # of the table's length that the corners may lie from the finder's, which errs by half of that
_MISFIT = 1.2  # px at 1920 px of width, root mean square along a cushion, beyond which something else than a nose was followed


@dataclass(frozen=True, slots=True)
class Measured:
    """A camera fitted to a picture. `corners_px` (4, 2): where it sees the corners of the noses' rectangle. `noses`: what was
    measured. `bundle`: None where too little of the noses is seen; the fit is that of the corners then. `spots`, `balls`,
    `moving`: how many spots, balls at rest and sights of moving balls counted as well."""

    fit: Fit
    corners_px: Array
    noses: Mapping[str, NosePoints]
    bundle: Bundle | None
    spots: int = 0
    balls: int = 0
    moving: int = 0


def measured_camera(
    picture: NDArray[np.uint8],
    corners_px: ArrayLike,
    table: Table,
    *,
    nose_points: Mapping[str, ArrayLike] | None = None,
    lens: LensPrior | None = None,
    given: bool = False,
    pictures: Sequence[NDArray[np.uint8]] = (),
) -> Measured:
    """The camera of a picture, from corners (4, 2) px that are right to about 1 % of the table's length.

    Args:
        picture: BGR or grey; of a video the median of its pictures, without people.
        nose_points: cushion -> (M, 2) px along its nose, as a finder leaves them.
        lens: what is known of the lens (a calibrated one, `lens.Lens.prior`); the usual ones unless given.
        given: a person set the corners: they count as points that are known to some pixels, and stay the profile's corners.
        pictures: of the same view, in which balls are looked for, at rest and moving; the picture itself unless given.

    Raises:
        UserError: corners that cannot be those of a table seen from above.
    """
    height, width = picture.shape[:2]
    shade = shade_of(picture, corners_px)
    known = _known_lens(lens, (width, height))
    first = _first(shade, corners_px, table, (width, height), nose_points, known)
    camera, bundle, noses, told = first.camera, None, {}, (0, 0, 0)
    points = _as_known(corners_px, table, 1.5 * max(width, height) / 1280) if given else None
    weak = _as_known(corners_px, table, 1.2 * max(width, height) / 1280)  # where a cushion is not seen, its place still counts
    for reach in _REACHES:
        seen = nose_evidence(shade, camera, table, reach * max(width, height) / 1920 + 1.0)
        seen = _reconciled(seen, nose_points or {}, max(width, height) / 1920)
        if len(seen) < _TRUSTED:
            continue
        try:
            bundle, noses = adjust(camera, table, seen, known=points if given or len(seen) == 4 else weak, lens=lens), seen
        except (ValueError, np.linalg.LinAlgError):
            break
        camera = bundle.camera
    if bundle is None or not _credible(bundle, first, table):
        return Measured(first, np.asarray(corners_px, float).reshape(4, 2), {}, None)
    for inside in _inside(picture, pictures, bundle, table):
        held = together(points if given or len(noses) == 4 else weak, inside.spots)
        better = _with_what_lies_inside(bundle, table, noses, held, inside, lens)
        if better is not None and _credible(better, first, table):
            bundle, told = better, inside.counts
            break
    fit = fit_of(bundle, table, corners_px, given=bool(known))
    corners = np.asarray(corners_px, float).reshape(4, 2) if given else camera.project_at(table.corners, table.nose_height)
    return Measured(fit, corners, noses, bundle, *told)


@dataclass(frozen=True, slots=True)
class _Inside:
    """What is seen inside a table: its spots, balls at rest, balls in motion."""

    spots: KnownPoints | None
    balls: Outlines | None
    moving: Widths | None

    @property
    def counts(self) -> tuple[int, int, int]:
        spots, balls, moving = (0 if part is None else len(part.px) for part in (self.spots, self.balls, self.moving))
        return spots, balls, moving


def _inside(picture: NDArray[np.uint8], pictures: Sequence[NDArray[np.uint8]], bundle: Bundle, table: Table) -> list[_Inside]:
    """What is seen inside the table, all of it first, then parts of it, in case that one of them is not what it seems."""
    some = [pictures[i] for i in np.unique(np.linspace(0, len(pictures) - 1, _FOR_BALLS).round().astype(int))] if pictures else [picture]
    spots, balls = spots_seen(picture, bundle.camera, table), balls_seen(some, bundle.camera, table)
    moving = widths_seen(pictures, picture, bundle.camera, table)
    kept = [{"spots": spots, "balls": balls, "moving": moving}]
    kept += [{**kept[0], name: None} for name in ("moving", "balls", "spots")]
    kept += [{"spots": None, "balls": None, "moving": None, name: value} for name, value in kept[0].items()]
    tried: list[_Inside] = []
    for parts in kept:
        inside = _Inside(**parts)
        if any(inside.counts) and inside.counts not in [other.counts for other in tried]:
            tried.append(inside)
    return tried


def _with_what_lies_inside(
    bundle: Bundle, table: Table, noses: Mapping[str, NosePoints], known: KnownPoints | None, inside: _Inside, lens: LensPrior | None
) -> Bundle | None:
    """The camera fitted to spots and balls as well; None where they are not what and where they should be."""
    if inside.spots is not None and _surprise(bundle, inside.spots) > _STRAY:
        return None
    try:
        better = adjust(bundle.camera, table, noses, known=known, outlines=inside.balls, widths=inside.moving, lens=lens)
    except (ValueError, np.linalg.LinAlgError):
        return None
    odd = [] if inside.balls is None else [outline_misfit(better.camera, table, inside.balls)]
    odd += [] if inside.moving is None else [width_misfit(better.camera, table, inside.moving)]
    if any(float(np.sqrt(np.mean(misfit**2))) > _ODD_BALLS for misfit in odd):
        return None
    return better


def _surprise(bundle: Bundle, points: KnownPoints) -> float:
    """How far known points are from where a camera expects them, squared, in variances of both, for each number."""
    camera, names = bundle.camera, bundle.uncertainty.parameters
    slope = slopes(camera, names, lambda changed: changed.project(points.places).ravel())
    variance = slope @ bundle.uncertainty.matrix @ slope.T + np.diag(points.sigma.ravel() ** 2)
    away = (camera.project(points.places) - points.px).ravel()
    return float(away @ np.linalg.solve(variance, away)) / len(away)


def _reconciled(seen: dict[str, NosePoints], found: Mapping[str, ArrayLike], slack: float) -> dict[str, NosePoints]:
    """What was measured, but of a cushion of which little is seen what the finder saw: it compares the whole strip from rail to bed,
    and is not so easily led by a shade beside the nose. Where it saw nothing either, such a cushion does not count, if three remain."""
    clear = {cushion: points for cushion, points in seen.items() if points.seen >= _CLEAR}
    for cushion, px in found.items():
        px = np.asarray(px, float).reshape(-1, 2)
        if len(px) >= 12 and cushion not in clear:
            clear[cushion] = NosePoints(px, np.full(len(px), _FINDER * slack + 0.3), 0.5, True)
    return clear


def _as_known(corners_px: ArrayLike, table: Table, sigma: float) -> KnownPoints:
    places = np.column_stack([np.array(table.corners), np.full(4, table.nose_height)])
    return KnownPoints(places, np.asarray(corners_px, float).reshape(4, 2), np.full((4, 2), sigma))


def _known_lens(lens: LensPrior | None, size: tuple[int, int]) -> dict:
    """Arguments for the fit of corners of a lens that is known."""
    if lens is None:
        return {}
    value = lens.values
    distortion = tuple(value.get(name, 0.0) for name in ("k1", "k2", "p1", "p2", "k3"))
    middle = ((size[0] - 1) / 2, (size[1] - 1) / 2)
    return {
        "focal": float(np.exp(value["log_focal"])),
        "lens": distortion,
        "principal": (value.get("cx", middle[0]), value.get("cy", middle[1])),
    }


def _first(shade, corners_px, table: Table, size, nose_points, known: dict) -> Fit:
    """The fit to start from: of those with different bends of the lens the one whose noses are seen best."""
    if known:
        return camera_from_corners(corners_px, table, size, nose_points=nose_points, **known)
    best = camera_from_corners(corners_px, table, size, nose_points=nose_points)
    support = _support(shade, best.camera, table)
    for bend in _BENDS:
        if support > _SEEN:
            break
        try:
            other = camera_from_corners(corners_px, table, size, lens=(bend, 0.0, 0.0, 0.0, 0.0))
        except UserError:
            continue
        seen = _support(shade, other.camera, table)
        if seen > support:
            best, support = other, seen
    return best


def _support(shade: Shade, camera: Camera, table: Table) -> float:
    """How much of the noses is seen close to where a camera expects them."""
    seen = nose_evidence(shade, camera, table, 4.0 * max(shade.light.shape) / 1920 + 1.0)
    return float(sum(points.seen for points in seen.values()))


def _credible(bundle: Bundle, first: Fit, table: Table) -> bool:
    """Not a camera that fled to something else: it stands above the table and sees it about where the first one did."""
    worst = max(bundle.nose_px.values()) / max(bundle.camera.width, bundle.camera.height) * 1920
    if bundle.camera.position[2] <= table.nose_height or worst > _MISFIT or bundle.strain > _STRAIN:
        return False
    corners = np.array([camera.project_at(table.corners, table.nose_height) for camera in (bundle.camera, first.camera)])
    length = np.linalg.norm(corners[1, 2:].mean(axis=0) - corners[1, :2].mean(axis=0))
    return bool(np.isfinite(corners).all() and np.abs(corners[0] - corners[1]).max() < _AWAY * length)


def fit_of(bundle: Bundle, table: Table, corners_px: ArrayLike, *, given: bool = False) -> Fit:
    """The bundle as a `Fit`: residuals are those of the corners from which it began, the errors those of the points."""
    camera = bundle.camera
    seen = camera.project_at(table.corners, table.nose_height)
    middle = float(camera.scale_at([[table.length / 2, table.width / 2]], table.nose_height)[0])
    rms = float(np.sqrt(np.mean(np.square(list(bundle.nose_px.values()))))) if bundle.nose_px else 0.0
    matrix, names = bundle.uncertainty.matrix, bundle.uncertainty.parameters
    rise = slopes(camera, names, lambda changed: changed.position[2:])
    height = float(np.sqrt(max((rise @ matrix @ rise.T)[0, 0], 0.0)))
    return Fit(
        camera,
        seen - np.asarray(corners_px, float).reshape(4, 2),
        rms,
        rms / middle,
        bundle.focal_sigma,
        "given" if given else "perspective" if bundle.focal_told else "prior",
        height,
        _ball_sigma(bundle, table),
        names,
        matrix,
        bundle.uncertainty,
    )


def _ball_sigma(bundle: Bundle, table: Table) -> float:
    """Largest standard deviation mm of a ball's place that the camera's uncertainty causes, at the corners."""
    corners = np.array(table.corners)
    inner = corners + np.sign(np.array([table.length, table.width]) / 2 - corners) * table.radius
    covariance = camera_place_covariance(bundle.camera, bundle.uncertainty, inner, table.radius)
    return float(np.sqrt(np.linalg.eigvalsh(covariance)[:, -1].max()))
