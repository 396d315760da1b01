"""`poedinok calibrate`: a source and a kind of table -> PROFILE.toml, and the overlay picture."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from calibration.errors import CalibrationRefused, UserError
from calibration.find import Found, find_table
from calibration.fit import camera_from_corners, check_corners
from calibration.orientation import HOME_SIDES, turn_home
from calibration.overlay import draw_overlay, draw_refusal, save_picture
from calibration.profile import Profile, profile_from_fit, write_profile
from calibration.source import sample_pictures
from calibration.table import KINDS, Table, custom_table, table

_WORST = 0.02  # reprojection error, in lengths of the table, from which the corners contradict the table's size


@dataclass(frozen=True, slots=True)
class CalibrateResult:
    """What was written. As text: the lines for the terminal."""

    profile: Profile
    out: Path
    overlay: Path | None
    warnings: tuple[str, ...]

    def __str__(self) -> str:
        profile = self.profile
        corners = " ".join(f"{x:.1f},{y:.1f}" for x, y in profile.corners_px)
        lines = [
            f"table   {profile.table.name}, {profile.table.length:g} x {profile.table.width:g} mm, ball {profile.table.ball:g} mm",
            f'corners "{corners}" ({profile.how})',
            f"home    {profile.home} of the picture ({profile.home_from})",
            f"error   {profile.reprojection_mm:.1f} mm ({profile.reprojection_px:.2f} px)"
            f"; balls at the corners +-{profile.ball_sigma_mm:.1f} mm",
            *[f"warning {text}" for text in self.warnings],
            f"written {self.out}" + (f" and {self.overlay}" if self.overlay else ""),
        ]
        return "\n".join(lines)


def run_calibrate(
    source: str,
    out: Path,
    *,
    table: str | None = None,
    size: str | None = None,
    corners: str | None = None,
    ball_mm: float | None = None,
    overlay: Path | None = None,
    home: str | None = None,
) -> CalibrateResult:
    """Calibrates on a picture, video, camera number or stream address and writes the profile.

    Raises:
        UserError: anything a user can cause; with an overlay wanted, a refusal leaves the picture of what was seen.
    """
    kind, chosen = chosen_table(table, size, ball_mm)
    given = parse_corners(corners) if corners is not None else None
    if home is not None and home not in HOME_SIDES:
        raise UserError(f"--home {home!r}: expected one of {', '.join(HOME_SIDES)}")
    for path, option in ((out, "--out"), (overlay, "--overlay")):
        if path is not None and not path.absolute().parent.is_dir():
            raise UserError(f"{option} {path}: the folder does not exist")
    pictures = sample_pictures(source)
    try:
        profile = _calibrated(pictures, kind, given, home, Path(source).name if "://" not in source else source)
    except CalibrationRefused as refused:
        if overlay is not None:
            save_picture(draw_refusal(pictures[len(pictures) // 2], list(refused.outlines), str(refused)), overlay)
        raise CalibrationRefused(f"{source}: {refused}") from None
    warnings = _warnings(profile, chosen)
    if overlay is not None:
        save_picture(draw_overlay(pictures[len(pictures) // 2], profile), overlay)
    write_profile(profile, out)
    return CalibrateResult(profile, out, overlay, warnings)


def calibrate_video(path: Path, *, home: str | None = None, table: Table | None = None) -> tuple[Profile, str]:
    """A profile of the video's own pictures, and a line that says how it was made, for `analyze` without a profile.

    Raises:
        UserError: the video cannot be read; the table cannot be found in it (CalibrationRefused).
    """
    kind = table or chosen_table(None, None, None)[0]
    try:
        profile = _calibrated(sample_pictures(str(path)), kind, None, home, Path(path).name)
    except CalibrationRefused as refused:
        raise CalibrationRefused(f"{path}: {refused}; calibrate with --corners and pass the profile") from None
    size = f"{profile.table.name} assumed" if table is None else profile.table.name
    return profile, f"calibrated on the video itself ({size}; {profile.how}; home: {profile.home}, {profile.home_from})"


def _calibrated(pictures: list, kind: Table, given: NDArray | None, home: str | None, made_from: str) -> Profile:
    height, width = pictures[0].shape[:2]
    notes = {"made_when": datetime.now(UTC).isoformat(timespec="seconds"), "made_from": made_from}
    if given is None:
        found: Found = find_table(pictures, kind, home=home)
        fit = camera_from_corners(found.corners_px, kind, (width, height), nose_points=found.nose_points_px)
        how = f"found automatically: {found.how}"
        return profile_from_fit(
            kind, fit, found.corners_px, home=found.home, home_from=found.home_from, how=how, confidence=found.confidence, **notes
        )
    corners = check_corners(given, (width, height))
    fit = camera_from_corners(corners, kind, (width, height))
    if fit.reprojection_mm > _WORST * kind.length or fit.squeeze > 0.1:
        raise UserError(f"--corners: they are not those of a table of {kind.length:g}x{kind.width:g} mm; check their order and the size")
    turned, side, _ = turn_home(corners, pictures[0], kind, home)
    if home is not None and turned:
        raise UserError(f"--home {home}: contradicts --corners, whose first two are the house's")
    if turned:
        side = {"left": "right", "right": "left", "top": "bottom", "bottom": "top"}[side]
    return profile_from_fit(kind, fit, corners, home=side, home_from="order of the corners", how="corners given", **notes)


def chosen_table(name: str | None, size: str | None, ball_mm: float | None) -> tuple[Table, bool]:
    """The table of the options, and whether any option chose it.

    Raises:
        UserError: both or wrong options.
    """
    if ball_mm is not None and not 20 <= ball_mm <= 100:
        raise UserError(f"--ball-mm {ball_mm:g}: expected a diameter from 20 to 100 mm")
    if name is not None and size is not None:
        raise UserError("--table and --size: expected one of the two")
    if size is not None:
        match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*[xX×х*]\s*(\d+(?:\.\d+)?)\s*", size)
        if not match:
            raise UserError(f"--size {size!r}: expected LENGTHxWIDTH in mm, such as 3550x1775")
        try:
            return custom_table(float(match[1]), float(match[2]), ball=ball_mm or 68.0), True
        except ValueError as error:
            raise UserError(f"--size: {error}") from None
    if name is not None and name not in KINDS:
        raise UserError(f"--table {name!r}: expected one of {', '.join(KINDS)}")
    return table(name or "pyramid-12ft", ball=ball_mm), name is not None


def parse_corners(text: str) -> NDArray[np.float64]:
    """Four points of a text "x,y x,y x,y x,y".

    Raises:
        UserError: not four points.
    """
    expected = 'expected four points in pixels, "x,y x,y x,y x,y": home-right, home-left, foot-left, foot-right'
    points = [part for part in re.split(r"[\s;]+", text.strip()) if part]
    if len(points) != 4:
        raise UserError(f"--corners: {expected}; found {len(points)}")
    try:
        values = [[float(v) for v in point.split(",")] for point in points]
    except ValueError:
        raise UserError(f"--corners {text!r}: {expected}") from None
    if any(len(v) != 2 for v in values) or not np.isfinite(values).all():
        raise UserError(f"--corners {text!r}: {expected}")
    return np.array(values)


def _warnings(profile: Profile, chosen: bool) -> tuple[str, ...]:
    texts = []
    if not chosen:
        texts.append(f"no --table or --size: {profile.table.name} assumed")
    if profile.reprojection_mm > 0.006 * profile.table.length or profile.camera.focal_ratio > 8:
        texts.append("the corners fit this table badly: check --size")
    if profile.ball_sigma_mm > 4:
        texts.append("the camera's height is uncertain: balls near the cushions may be off by some millimetres")
    if profile.confidence < 0.65:
        texts.append("the finder is not quite sure: look at the overlay, or give --corners")
    return tuple(texts)
