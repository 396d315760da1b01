"""A profile made better by the balls of a video: they roll straight, at a known height, and turn where they touch the noses.

Works on measured pixel tracks alone, so that nothing of the seeing of balls is needed here. What the profile knew already
counts with its own covariance; balls add what the noses cannot tell: the lens inside the table and the height of the camera.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibration.bundle import KnownPoints, Rolls, Touches, adjust, adjust_known, line_distances, touch_misfit
from calibration.errors import UserError
from calibration.profile import Profile

Array = NDArray[np.float64]
FEWEST = 6  # straight ways
_LEAST_MM = 300.0  # length of a way that tells whether it is straight
_SHORTEST = 5  # frames of a way
_BEND_MM = 6.0  # from a straight line, beyond which a way is none: a ball with side, a touch, a hand
_LENS_MM = 40.0  # the same where the lens is not known and may bend them
_OWN_BEND_MM, _ALIKE = 1.5, 4  # no ball rolls quite straight: side, slope and nap of the cloth
_SIGMA_PX = 0.35  # of a tracked centre, at 1920 px of width, unless given
_CORNER_PX = 1.5  # sigma of corners that nothing else was fitted to, at 1280 px of width
_PRESSED_MM = 1.5  # of a touch's place: what rubber and cloth do to balls is known to that
_STOPPED_MM = 3.0  # between frames, below which a ball counts as lying


@dataclass(frozen=True, slots=True)
class Way:
    """Centres (N, 2) px of one ball's silhouette in consecutive frames without a contact between; `sigma` px."""

    px: Array
    sigma: float


@dataclass(frozen=True, slots=True)
class CushionHit:
    """A ball's centre was at `at` (x, y) mm, by the profile's camera, when it touched `cushion`; `sigma` mm across the cushion."""

    cushion: str
    at: tuple[float, float]
    sigma: float


def refine_from_balls(profile: Profile, ways: Sequence[Way | ArrayLike], hits: Sequence[CushionHit] = ()) -> Profile:
    """The profile with its camera fitted to balls that roll straight and touch cushions as well.

    Args:
        ways: of each the centres (N, 2) px of a ball's silhouette in consecutive frames, between two contacts; ways that are
            short or bend are left out.
        hits: where balls touched cushions (`bounce.touch_of`).

    Raises:
        UserError: too few straight ways, or ways that contradict the profile.
    """
    good = straight_ways(profile, ways)
    if len(good) < FEWEST:
        raise UserError(
            f"refine: {len(good)} straight ways of balls: expected at least {FEWEST} that are {_LEAST_MM:.0f} mm long, over all the table"
        )
    kind, camera = profile.table, profile.camera
    centres = []
    for way in good:
        places = camera.to_table(way.px, kind.radius)
        centres.append(way.px - camera.silhouette_offset(places, kind.radius))
    rolls = Rolls(
        np.concatenate(centres),
        np.concatenate([_share(profile, way) for way in good]),
        np.concatenate([np.full(len(way.px), i) for i, way in enumerate(good)]).astype(np.intp),
    )
    touches = _touches(profile, hits)
    before, off = _bend_mm(profile, rolls), _off_mm(profile, touches)
    if profile.covariance is not None and _lens_known(profile):
        bundle = adjust_known(camera, kind, profile.covariance, rolls, touches)
    else:  # four corners have left the lens unknown
        places = np.column_stack([np.array(kind.corners), np.full(4, kind.nose_height)])
        sigma = np.full((4, 2), _CORNER_PX * max(profile.size) / 1280)
        bundle = adjust(camera, kind, {}, known=KnownPoints(places, np.array(profile.corners_px), sigma), rolls=rolls, touches=touches)
    shift = np.abs(bundle.camera.project_at(kind.corners, kind.nose_height) - camera.project_at(kind.corners, kind.nose_height)).max()
    if shift > 0.01 * max(profile.size):
        raise UserError(f"refine: the balls' ways contradict the profile (its corners would move by {shift:.1f} px): calibrate again")
    better = replace(profile, camera=bundle.camera)
    told = f"{len(good)} ways of balls (bend {before:.2f} -> {bundle.roll_mm:.2f} mm){_hit(off, better, touches)}"
    return replace(
        profile,
        camera=bundle.camera,
        covariance=bundle.uncertainty,
        focal_sigma=bundle.focal_sigma,
        how=f"{profile.how}; refined by {told}",
    )


def _touches(profile: Profile, hits: Sequence[CushionHit]) -> Touches | None:
    if not hits:
        return None
    px = profile.camera.project_at([hit.at for hit in hits], profile.table.radius)
    sigma = np.hypot([hit.sigma for hit in hits], _PRESSED_MM)
    return Touches(px, tuple(hit.cushion for hit in hits), sigma)


def _off_mm(profile: Profile, touches: Touches | None) -> float:
    """Median distance mm of the balls from the noses that they touched."""
    if touches is None:
        return float("nan")
    return float(np.median(np.abs(touch_misfit(profile.camera, profile.table, touches) * touches.sigma)))


def _hit(before: float, better: Profile, touches: Touches | None) -> str:
    if touches is None:
        return ""
    return f" and {len(touches.cushion)} touches of cushions (off by {before:.1f} -> {_off_mm(better, touches):.1f} mm)"


def _share(profile: Profile, way: Way) -> Array:
    """Sigma px of each centre of a way: its points share the ball's own bend, so together they count as `_ALIKE`."""
    scale = float(np.nanmedian(profile.camera.scale_at(profile.camera.to_table(way.px, profile.table.radius), profile.table.radius)))
    sigma = float(np.hypot(way.sigma, _OWN_BEND_MM * scale)) * max(1.0, np.sqrt(len(way.px) / _ALIKE))
    return np.full(len(way.px), sigma)


def _lens_known(profile: Profile) -> bool:
    return profile.covariance is not None and "k1" in profile.covariance.parameters


def straight_ways(profile: Profile, ways: Sequence[Way | ArrayLike]) -> list[Way]:
    """The ways that are long enough and straight but for what a lens known too badly would bend them."""
    kept = []
    for way in ways:
        if not isinstance(way, Way):
            way = Way(np.asarray(way, float).reshape(-1, 2), _SIGMA_PX * max(profile.size) / 1920)
        if len(way.px) < _SHORTEST:
            continue
        places = profile.camera.ball_at(way.px, profile.table.radius)
        if not np.isfinite(places).all() or np.hypot(*(places[-1] - places[0])) < _LEAST_MM:
            continue
        middle = places.mean(axis=0)
        across = (places - middle) @ np.linalg.svd(places - middle, full_matrices=False)[2][1]
        if np.abs(across).max() < (_BEND_MM if _lens_known(profile) else _LENS_MM):
            kept.append(way)
    return kept


def _bend_mm(profile: Profile, rolls: Rolls) -> float:
    return float(np.sqrt((line_distances(profile.camera, profile.table, rolls) ** 2).mean()))


def ways_of_tracks(path: Path, profile: Profile) -> list[Way]:
    """Ways of a tracks.csv of `analyze` (x_mm, y_mm by the same profile): cut where a ball turns, stops or is not seen.

    Raises:
        UserError: the file cannot be read or has other columns.
    """
    places: dict[str, list[tuple[int, float, float]]] = {}
    try:
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                if row["state"] == "seen" and row["x_mm"]:
                    places.setdefault(row["ball"], []).append((int(row["frame"]), float(row["x_mm"]), float(row["y_mm"])))
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror})") from None
    except (KeyError, ValueError, UnicodeDecodeError):
        raise UserError(f"{path}: expected a tracks.csv of `poedinok analyze` (frame, ball, x_mm, y_mm, state)") from None
    found = []
    for rows in places.values():
        for piece in _pieces(np.array(rows)):
            radius = profile.table.radius
            px = profile.camera.project_at(piece, radius) + profile.camera.silhouette_offset(piece, radius)
            found.append(Way(px, _SIGMA_PX * max(profile.size) / 1920))
    return found


def _pieces(rows: Array) -> list[Array]:
    """Places (N, 2) mm of stretches in which a ball moves on without a turn."""
    pieces, first = [], 0
    steps = np.diff(rows[:, 1:], axis=0)
    length = np.hypot(*steps.T)
    for i in range(1, len(rows)):
        moving = length[i - 1] > _STOPPED_MM and rows[i, 0] - rows[i - 1, 0] == 1
        turned = False
        if moving and i >= 2 and length[i - 2] > _STOPPED_MM:
            cosine = float(steps[i - 1] @ steps[i - 2]) / (length[i - 1] * length[i - 2])
            turned = cosine < np.cos(np.radians(6.0)) or length[i - 1] > 1.3 * length[i - 2] + 5
        if not moving or turned:
            # the frames next to a contact show the ball on both sides of it
            pieces.append(rows[first + 1 : i - 1, 1:])
            first = i
    pieces.append(rows[first + 1 :, 1:])
    return [piece for piece in pieces if len(piece) >= _SHORTEST]
