"""The picture with the table drawn in: to see at a glance whether a calibration is right."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.errors import UserError
from calibration.profile import Profile, write_atomic
from calibration.sketch import sketch

Picture = NDArray[np.uint8]
_LEAST, _MOST = 1280, 2560  # width of the drawing, px: small pictures are enlarged, large ones reduced
_NOSE, _GRID, _POCKET, _SPOT, _HOUSE = (60, 60, 255), (255, 255, 255), (0, 220, 255), (255, 255, 255), (255, 160, 40)
_MISFIT = (255, 0, 255)
_PENS = {  # colour (BGR), thickness, opacity
    "grid": (_GRID, 1, 0.25),
    "home": (_HOUSE, 2, 0.9),
    "nose": (_NOSE, 2, 1.0),
    "pocket": (_POCKET, 2, 0.9),
    "jaw": (_POCKET, 2, 0.9),
    "ball": (_SPOT, 1, 0.9),
}


def draw_overlay(picture: Picture, profile: Profile) -> Picture:
    """A copy of the picture with noses, pockets, jaws, spots, home line and a legend."""
    canvas = _Canvas(picture)
    table, camera = profile.table, profile.camera
    z, length, width = table.nose_height, table.length, table.width

    for stroke in sketch(table, camera):
        if len(stroke.points) == 1:
            canvas.dot(stroke.points[0], _SPOT if stroke.layer == "spot" else _POCKET)
        else:
            canvas.path(stroke.points, *_PENS[stroke.layer])
    for corner, at in zip(profile.corners_px, camera.project_at(table.corners, z), strict=True):
        canvas.off(np.array(corner), at)
    inset = 0.045 * length
    names = {
        "HOME": (inset, width / 2),
        "FOOT": (length - inset, width / 2),
        "LEFT": (length / 2, width - inset),
        "RIGHT": (length / 2, inset),
    }
    for name, place in names.items():
        canvas.text(name, camera.project_at([place], z)[0], centred=True)
    canvas.legend(_legend(profile))
    return canvas.picture


def _legend(profile: Profile) -> list[str]:
    table, camera = profile.table, profile.camera
    assumed = {"prior": "assumed, the view does not tell", "perspective": "from the perspective", "given": "given"}[profile.focal_from]
    lines = [
        f"{table.name}: {table.length:.0f} x {table.width:.0f} mm, ball {table.ball:g} mm",
        f"reprojection error {profile.reprojection_mm:.1f} mm ({profile.reprojection_px:.2f} px)",
        f"camera {camera.position[2] / 1000:.2f} m above the cloth, focal {camera.focal_ratio:.2f} widths ({assumed})",
        f"home: {profile.home} ({profile.home_from})" if profile.home else "home: as the corners say",
    ]
    if profile.how:
        lines.append(f"{profile.how}; confidence {profile.confidence:.2f}")
    return lines


def draw_refusal(picture: Picture, outlines: list[NDArray[np.float64]], reason: str) -> Picture:
    """What was seen when no table was found: the outlines of possible cloths, and the reason."""
    canvas = _Canvas(picture)
    for outline in outlines:
        canvas.path(np.vstack([outline, outline[:1]]), _POCKET, 2, 0.9)
    canvas.legend(["not calibrated", *_wrapped(reason, 90)])
    return canvas.picture


def save_picture(picture: Picture, path: Path) -> None:
    """Raises UserError if the file cannot be written or its ending is no picture's."""
    write_atomic(path, _encoded(picture, path))


def check_picture_name(path: Path) -> None:
    """Raises UserError if the ending is no picture's."""
    _encoded(np.zeros((8, 8, 3), np.uint8), path)


def _encoded(picture: Picture, path: Path) -> bytes:
    try:
        good, data = cv2.imencode(path.suffix or ".png", picture)
    except cv2.error:
        good, data = False, None
    if not good or data is None:
        raise UserError(f"{path}: expected a file name that ends in .png or .jpg")
    return data.tobytes()


class _Canvas:
    def __init__(self, picture: Picture) -> None:
        if picture.ndim == 2:
            picture = cv2.cvtColor(picture, cv2.COLOR_GRAY2BGR)
        widest = max(picture.shape[:2])
        self.scale = min(max(_LEAST / widest, 1.0), max(_MOST / widest, 0.1)) if widest < _LEAST else min(1.0, _MOST / widest)
        way = cv2.INTER_CUBIC if self.scale > 1 else cv2.INTER_AREA
        self.picture = cv2.resize(picture, None, fx=self.scale, fy=self.scale, interpolation=way) if self.scale != 1 else picture.copy()
        self.unit = max(self.picture.shape[:2]) / 1280

    def _points(self, points: NDArray[np.float64]) -> NDArray[np.int32]:
        points = (np.asarray(points, float) + 0.5) * self.scale - 0.5
        good = np.isfinite(points).all(axis=1) & (np.abs(points) < 30000).all(axis=1)
        return np.round(points[good] * 16).astype(np.int32).reshape(-1, 1, 2)

    def path(self, points: NDArray[np.float64], colour: tuple[int, int, int], thickness: float, opacity: float) -> None:
        target = self.picture if opacity >= 1 else self.picture.copy()
        thick = max(1, round(thickness * self.unit))
        if opacity > 0.5:
            cv2.polylines(target, [self._points(points)], False, (0, 0, 0), thick + 2, cv2.LINE_AA, 4)
        cv2.polylines(target, [self._points(points)], False, colour, thick, cv2.LINE_AA, 4)
        if opacity < 1:
            cv2.addWeighted(target, opacity, self.picture, 1 - opacity, 0, self.picture)

    def dot(self, point: NDArray[np.float64], colour: tuple[int, int, int]) -> None:
        for at in self._points(point.reshape(1, 2)):
            centre = (int(at[0, 0]), int(at[0, 1]))
            radius = 3.5 * self.unit
            cv2.circle(self.picture, centre, round((radius + 1.2) * 16), (0, 0, 0), -1, cv2.LINE_AA, 4)
            cv2.circle(self.picture, centre, round(radius * 16), colour, -1, cv2.LINE_AA, 4)

    def off(self, given: NDArray[np.float64], fitted: NDArray[np.float64]) -> None:
        """A small cross where a corner was seen, and its misfit, ten times as long as it is."""
        arm = 5 * self.unit / self.scale
        for way in ((arm, 0.0), (0.0, arm)):
            self.path(np.array([given - way, given + way]), _SPOT, 1, 1.0)
        self.path(np.array([given, given + 10 * (fitted - given)]), _MISFIT, 2, 1.0)

    def text(self, text: str, point: NDArray[np.float64], *, centred: bool = False) -> None:
        size, thick = 0.6 * self.unit, max(1, round(1.4 * self.unit))
        (wide, high), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, size, thick)
        place = (np.asarray(point, float) + 0.5) * self.scale - 0.5
        if not np.isfinite(place).all() or (np.abs(place) > 30000).any():
            return
        x, y = (round(place[0] - wide / 2), round(place[1] + high / 2)) if centred else (round(place[0]), round(place[1]))
        cv2.putText(self.picture, text, (x, y), cv2.FONT_HERSHEY_SIMPLEX, size, (0, 0, 0), thick + round(3 * self.unit), cv2.LINE_AA)
        cv2.putText(self.picture, text, (x, y), cv2.FONT_HERSHEY_SIMPLEX, size, (255, 255, 255), thick, cv2.LINE_AA)

    def legend(self, lines: list[str]) -> None:
        """A dark strip under the picture, so that nothing of the table is hidden."""
        step = round(24 * self.unit)
        strip = np.full((step * len(lines) + round(14 * self.unit), self.picture.shape[1], 3), 28, np.uint8)
        self.picture = np.vstack([self.picture, strip])
        top = self.picture.shape[0] - strip.shape[0]
        widest = max(cv2.getTextSize(line, cv2.FONT_HERSHEY_SIMPLEX, 1.0, 1)[0][0] for line in lines)
        size = min(0.55 * self.unit, (self.picture.shape[1] - 20 * self.unit) / widest)
        for index, line in enumerate(lines):
            place = (round(10 * self.unit), top + round(step * (index + 0.9)))
            cv2.putText(self.picture, line, place, cv2.FONT_HERSHEY_SIMPLEX, size, (235, 235, 235), max(1, round(self.unit)), cv2.LINE_AA)


def _wrapped(text: str, width: int) -> list[str]:
    lines = [""]
    for word in text.split():
        if len(lines[-1]) + len(word) + 1 > width:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines
