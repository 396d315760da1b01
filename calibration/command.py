"""`poedinok calibrate`: a source and a kind of table -> PROFILE.toml, and the overlay picture."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from calibration import streaks
from calibration.accuracy import place_sigma
from calibration.camera import Camera
from calibration.errors import CalibrationRefused, UserError
from calibration.find import Found, find_table
from calibration.fit import Fit, camera_from_corners, check_corners
from calibration.kind import KindGuess, guess_kind, settled
from calibration.lens import Lens, read_lens
from calibration.measure import measured_camera
from calibration.mouths import FlatView
from calibration.orientation import ASSUMED, HOME_SIDES, OPPOSITE, House, end_of_house, side_of_picture, turn_home
from calibration.overlay import check_picture_name, draw_overlay, draw_refusal, save_picture
from calibration.profile import Profile, profile_from_fit, write_profile
from calibration.source import check_output, check_pictures, sample_pictures
from calibration.surroundings import surroundings
from calibration.table import KINDS, Table, custom_table, table
from calibration.views import alike_views, median_views

_EXACT = 3.0  # mm: twice the error bar at the worst place from which it is said what would make a camera surer
_WORST = 0.02  # reprojection error, in lengths of the table, from which the corners contradict the table's size


def _error(profile: Profile) -> str:
    # a camera can be found for nearly any four points: that they alone fit says nothing
    if profile.how.startswith("corners given") and "noses measured" not in profile.how:
        return "unknown: four given corners leave nothing to check them by (look at the --overlay)"
    worst = _worst_sigma(profile)
    text = f"{profile.reprojection_mm:.1f} mm ({profile.reprojection_px:.2f} px); balls at the worst place +-{worst:.1f} mm"
    if 2 * worst <= _EXACT:
        return text
    return f"{text}: balls lying on the bed, marked spots, --refine or --lens would tell it better"


def _worst_sigma(profile: Profile) -> float:
    """Of balls' places over the field, mm. A fit of corners alone knows its `ball_sigma_mm`, which the height causes, better."""
    table = profile.table
    sides = [np.linspace(table.radius, side - table.radius, count) for side, count in ((table.length, 7), (table.width, 5))]
    places = np.stack(np.meshgrid(*sides), axis=-1).reshape(-1, 2)
    return max(profile.ball_sigma_mm, float(place_sigma(profile, places).max()))


def _home_from(profile: Profile) -> str:
    if profile.home_from != ASSUMED:
        return profile.home_from
    return f"{ASSUMED}: nothing in the picture tells; if the house is the other end, --home {OPPOSITE[profile.home]}"


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
            f"home    {profile.home} of the picture ({_home_from(profile)})",
            f"error   {_error(profile)}",
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
    force: bool = False,
    lens: Path | None = None,
    near: str | None = None,
    ask: Callable[[str], str] | None = None,
) -> CalibrateResult:
    """Calibrates on a picture, video, camera number or stream address and writes the profile.

    `force` accepts a named kind of table that the picture contradicts; the profile says so. `lens`: a LENS.toml of this camera.
    `near`: "x,y" px of a point on the table that is meant, if several are in view. `ask`: puts a question to a person and returns
    the answer; asked which end is the house where the picture does not tell.

    Raises:
        UserError: anything a user can cause. A refusal leaves a picture of what was seen: the overlay, or NAME.refused.png beside
            `out`; the message names it.
    """
    kind, chosen = chosen_table(table, size, ball_mm)
    given = parse_corners(corners) if corners is not None else None
    wishes = Wishes(kind, chosen, ball_mm, given, home, force, read_lens(lens) if lens is not None else None, parse_point(near))
    if home is not None and home not in HOME_SIDES:
        raise UserError(f"--home {home!r}: expected one of {', '.join(HOME_SIDES)}")
    for path, option in ((out, "--out"), (overlay, "--overlay")):
        if path is not None:
            check_output(option, path, [source, *([lens] if lens is not None else [])])
    if overlay is not None:
        check_picture_name(overlay)
        if overlay.absolute() == out.absolute():
            raise UserError(f"--overlay {overlay}: expected another file than --out")
    pictures = sample_pictures(source)
    made_from = Path(source).name if "://" not in source else source
    try:
        profile, warnings = calibrated(pictures, wishes, made_from)
        told = _asked(ask, profile) if ask is not None and profile.home_from == ASSUMED else None
        if told is not None:
            profile, warnings = calibrated(pictures, replace(wishes, home=told), made_from)
    except CalibrationRefused as refused:
        seen = overlay or _refusal_picture(out, source)
        save_picture(draw_refusal(pictures[len(pictures) // 2], list(refused.outlines), str(refused)), seen)
        advice = "; if all of the table is in it, --page or --corners sets the corners by hand" if refused.by_hand else ""
        raise CalibrationRefused(f"{source}: {refused}; {seen} shows what was seen{advice}") from None
    warnings = (*warnings, *_warnings(profile))
    if overlay is not None:
        save_picture(draw_overlay(pictures[len(pictures) // 2], profile), overlay)
    write_profile(profile, out)
    return CalibrateResult(profile, out, overlay, warnings)


def _refusal_picture(out: Path, source: str) -> Path:
    """Beside the profile that could not be written; never the source itself."""
    picture = out.with_name(f"{out.stem}.refused.png")
    return picture if picture.absolute() != Path(source).absolute() else out.with_name(f"{out.stem}.refused.seen.png")


def _asked(ask: Callable[[str], str], profile: Profile) -> str | None:
    """The side of the picture where a person says the house is; None without an answer."""
    sides = (profile.home, OPPOSITE[profile.home])
    while True:
        try:
            answer = ask(f"nothing in the picture tells which end is the house: {sides[0]} or {sides[1]}? (Enter: {sides[0]}, assumed) ")
        except EOFError:
            return None
        answer = answer.strip().lower()
        if not answer:
            return None
        matches = [side for side in sides if side.startswith(answer)]
        if matches:
            return matches[0]


def calibrate_video(path: Path, *, home: str | None = None, table: Table | None = None) -> tuple[Profile, str]:
    """A profile of the video's own pictures, and a line that says how it was made, for `analyze` without a profile.

    Raises:
        UserError: the video cannot be read; the table cannot be found in it (CalibrationRefused).
    """
    kind = table or chosen_table(None, None, None)[0]
    wishes = Wishes(kind, table is not None, home=home, force=True)
    try:
        profile, warnings = calibrated(sample_pictures(str(path)), wishes, Path(path).name)
    except CalibrationRefused as refused:
        advice = "; calibrate with --corners and pass the profile" if refused.by_hand else ""
        raise CalibrationRefused(f"{path}: {refused}{advice}") from None
    said = list(warnings) or [profile.table.name]
    said += [part for part in profile.how.split("; ") if not any(warning.endswith(part) for warning in warnings)]  # nothing twice
    return profile, f"calibrated on the video itself ({'; '.join(said)}; home: {profile.home}, {profile.home_from})"


@dataclass(frozen=True, slots=True)
class Wishes:
    """What is asked for. `kind` is the table that was named if `chosen`, else the one to look for; `corners` (4, 2) px if given.
    `lens` if it was calibrated. `near`: px of a point on the table that is meant."""

    kind: Table
    chosen: bool
    ball_mm: float | None = None
    corners: NDArray[np.float64] | None = None
    home: str | None = None
    force: bool = False
    lens: Lens | None = None
    near: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class _Seen:
    """Where the table is, before its kind is settled."""

    corners: NDArray[np.float64]
    nose_points: dict[str, NDArray[np.float64]] | None
    home: str
    home_from: str
    how: str
    confidence: float

    def turned(self, reason: str) -> _Seen:
        """The same table with its other end as the house."""
        swap = {"home": "foot", "foot": "home", "left": "right", "right": "left"}
        points = None if self.nose_points is None else {swap[name]: value for name, value in self.nose_points.items()}
        return replace(self, corners=np.roll(self.corners, -2, axis=0), nose_points=points, home=OPPOSITE[self.home], home_from=reason)


def calibrated(pictures: list, wishes: Wishes, made_from: str) -> tuple[Profile, tuple[str, ...]]:
    """A profile of pictures of one camera, and what to look at.

    Raises:
        UserError: corners or a kind of table that cannot be those of the pictures.
        CalibrationRefused: no table is found surely enough.
    """
    check_pictures(pictures)
    height, width = pictures[0].shape[:2]
    seen = _located(pictures, wishes)
    fit = camera_from_corners(seen.corners, wishes.kind, (width, height), nose_points=seen.nose_points)
    if wishes.corners is not None:
        check_proportions(fit, seen.corners, wishes.kind, (width, height))
    guess = guess_kind(pictures, fit.camera, wishes.kind)
    choice = settled(wishes.kind if wishes.chosen else None, guess, ball=wishes.ball_mm, force=wishes.force)
    kind, warnings = choice.table, list(choice.warnings)
    house = house_seen(pictures, fit.camera, guess, wishes.kind, kind)
    if house is not None and wishes.corners is not None and house.end == 1:
        warnings.append(f"the house seems to be the other end ({house.reason}): check the order of --corners")
    elif house is not None and wishes.corners is None and wishes.home is None:
        seen = seen.turned(house.reason) if house.end == 1 else replace(seen, home_from=house.reason)
    picture = median_views(pictures)[0][0]
    measured = measured_camera(
        picture,
        seen.corners,
        kind,
        nose_points=seen.nose_points,
        lens=wishes.lens.prior((width, height)) if wishes.lens else None,
        given=wishes.corners is not None,
        pictures=alike_views(pictures, picture, streaks.MOST),
    )
    if wishes.corners is not None and measured.bundle is None:
        warnings.append("no noses of cushions are seen along --corners: nothing confirms them (look at the --overlay)")
    how = seen.how
    if wishes.corners is not None and measured.bundle is not None:
        how += ", noses measured"
    if measured.spots or measured.balls or measured.moving:
        how += f", {told_inside(measured.spots, measured.balls, measured.moving)}"
    if wishes.corners is None and measured.bundle is None:
        how += "; corners alone, for what is measured along the noses does not fit this table and a usual lens"
    profile = profile_from_fit(
        kind,
        measured.fit,
        measured.corners_px,
        home=seen.home,
        home_from=seen.home_from,
        how=f"{how}; {choice.why}" if choice.why else how,
        confidence=seen.confidence,
        made_when=datetime.now(UTC).isoformat(timespec="seconds"),
        made_from=made_from,
        around=surroundings(picture, measured.fit.camera, kind),
    )
    return profile, tuple(warnings)


def told_inside(spots: int, balls: int, moving: int = 0) -> str:
    """What counted besides the noses, as `how` says it."""
    named = ((spots, "spot"), (balls, "ball"), (moving, "sight"))
    parts = [f"{count} {name}{'s' if count > 1 else ''}{' of moving balls' * (name == 'sight')}" for count, name in named if count]
    return " and ".join(", ".join(parts).rsplit(", ", 1)) + " measured"


def _located(pictures: list, wishes: Wishes) -> _Seen:
    """The corners that were given, checked, or those that are found."""
    height, width = pictures[0].shape[:2]
    if wishes.corners is None:
        found: Found = find_table(pictures, wishes.kind, home=wishes.home, near=wishes.near)
        how = f"found automatically: {found.how}"
        return _Seen(found.corners_px, found.nose_points_px, found.home, found.home_from, how, found.confidence)
    corners = check_corners(wishes.corners, (width, height))
    first, second = corners[:2].mean(axis=0), corners[2:].mean(axis=0)
    side = side_of_picture(first, second)
    if wishes.home is not None and turn_home(corners, pictures[0], wishes.kind, wishes.home)[0]:
        raise UserError(f"--home {wishes.home}: contradicts --corners, whose first two are the house's")
    return _Seen(corners, None, side, "order of the corners", "corners given", 1.0)


def check_proportions(fit: Fit, corners: NDArray[np.float64], kind: Table, size: tuple[int, int]) -> None:
    """Raises UserError for given corners that no table of this kind has."""
    if not _contradict(fit, kind):
        return
    try:
        rolled = camera_from_corners(np.roll(corners, 1, axis=0), kind, size)
    except UserError:
        rolled = fit
    if not _contradict(rolled, kind):
        raise UserError(
            "--corners: their order begins on a long side; expected home-right, home-left, foot-left, foot-right (home: a short end)"
        )
    raise UserError(f"--corners: they are not those of a table of {kind.length:g}x{kind.width:g} mm; check the points and the size")


def _contradict(fit: Fit, kind: Table) -> bool:
    return fit.reprojection_mm > _WORST * kind.length or fit.squeeze > 0.1


def house_seen(pictures: list, camera: Camera, guess: KindGuess, shape: Table, kind: Table) -> House | None:
    """The end that is the house as the cloth and the balls tell; `shape` is the table that the camera was fitted with."""
    flat = FlatView(camera, shape).flat(median_views(pictures)[0][0])
    return end_of_house(flat, guess.blobs, kind, shape.length)


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
        if float(match[1]) < float(match[2]):
            raise UserError(f"--size {size}: expected the length before the width, such as {match[2]}x{match[1]}")
        try:
            return custom_table(float(match[1]), float(match[2]), ball=ball_mm or 68.0), True
        except ValueError as error:
            raise UserError(f"--size: {error}") from None
    if name is not None and name not in KINDS:
        raise UserError(f"--table {name!r}: expected one of {', '.join(KINDS)}")
    return table(name or "pyramid-12ft", ball=ball_mm), name is not None


def parse_point(text: str | None) -> tuple[float, float] | None:
    """A point of a text "x,y" in pixels. Raises UserError."""
    if text is None:
        return None
    try:
        x, y = (float(part) for part in text.split(","))
    except ValueError:
        raise UserError(f'--near {text!r}: expected a point in pixels, "x,y"') from None
    if not np.isfinite([x, y]).all():
        raise UserError(f'--near {text!r}: expected a point in pixels, "x,y"')
    return x, y


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


def _warnings(profile: Profile) -> tuple[str, ...]:
    texts = []
    outside = [(x, y) for x, y in profile.corners_px if not (-1 <= x <= profile.size[0] and -1 <= y <= profile.size[1])]
    if outside:
        texts.append(f"a corner lies outside the picture ({outside[0][0]:.0f},{outside[0][1]:.0f}): strokes there cannot be seen")
    if profile.reprojection_mm > 0.006 * profile.table.length or profile.camera.focal_ratio > 8:
        texts.append("the corners fit this table badly: check --size")
    if profile.ball_sigma_mm > 4:
        texts.append("the camera's height is uncertain: balls near the cushions may be off by some millimetres")
    if profile.confidence < 0.65:
        texts.append("the finder is not quite sure: look at the overlay, or give --corners")
    return tuple(texts)
