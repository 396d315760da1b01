"""Changed pictures of tables with known corners: what another hall, lens, phone or recorder would have made of them.

Each change takes a BGR picture, corners (4, 2) px and a generator and gives both changed. Corners may come to lie outside
the picture: then only a refusal, or the right corners, count as good.
"""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]
Corners = NDArray[np.float64]
Change = Callable[[Picture, Corners, np.random.Generator], tuple[Picture, Corners]]


def mirror(picture: Picture, corners: Corners, rng: np.random.Generator) -> tuple[Picture, Corners]:
    flipped = corners * (-1, 1) + (picture.shape[1] - 1, 0)
    return np.ascontiguousarray(picture[:, ::-1]), flipped[[1, 0, 3, 2]]


def upright(picture: Picture, corners: Corners, rng: np.random.Generator) -> tuple[Picture, Corners]:
    return np.ascontiguousarray(np.rot90(picture)), np.column_stack([corners[:, 1], picture.shape[1] - 1 - corners[:, 0]])


def dark(picture: Picture, corners: Corners, rng: np.random.Generator) -> tuple[Picture, Corners]:
    return np.clip(picture * 0.5, 0, 255).astype(np.uint8), corners


def bright(picture: Picture, corners: Corners, rng: np.random.Generator) -> tuple[Picture, Corners]:
    return np.clip(picture * 1.6, 0, 255).astype(np.uint8), corners


def jpeg(picture: Picture, corners: Corners, rng: np.random.Generator) -> tuple[Picture, Corners]:
    coded = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, 30])[1]
    return np.asarray(cv2.imdecode(coded, cv2.IMREAD_COLOR), np.uint8), corners


def half(picture: Picture, corners: Corners, rng: np.random.Generator) -> tuple[Picture, Corners]:
    small = cv2.resize(picture, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    return small, (corners + 0.5) * (small.shape[1] / picture.shape[1], small.shape[0] / picture.shape[0]) - 0.5


def hue(picture: Picture, corners: Corners, rng: np.random.Generator) -> tuple[Picture, Corners]:
    hsv = cv2.cvtColor(picture, cv2.COLOR_BGR2HSV)
    hsv[..., 0] = (hsv[..., 0].astype(int) + int(rng.integers(20, 160))) % 180
    return cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR), corners


def blur(picture: Picture, corners: Corners, rng: np.random.Generator) -> tuple[Picture, Corners]:
    return cv2.GaussianBlur(picture, (0, 0), max(picture.shape) / 1000), corners


def barrel(picture: Picture, corners: Corners, rng: np.random.Generator) -> tuple[Picture, Corners]:
    return _lens(picture, corners, -0.15)


def cushion_shaped(picture: Picture, corners: Corners, rng: np.random.Generator) -> tuple[Picture, Corners]:
    return _lens(picture, corners, 0.15)


def _lens(picture: Picture, corners: Corners, k1: float) -> tuple[Picture, Corners]:
    """A further distortion k1 at a focal length of 0.8 widths, framed as before."""
    height, width = picture.shape[:2]
    focal = 0.8 * max(width, height)
    matrix = np.array([[focal, 0, (width - 1) / 2], [0, focal, (height - 1) / 2], [0, 0, 1.0]])
    lens = np.array([k1, 0, 0, 0, 0.0])
    x, y = np.meshgrid(np.arange(width, dtype=np.float32), np.arange(height, dtype=np.float32))
    back = cv2.undistortPoints(np.stack([x, y], -1).reshape(-1, 1, 2), matrix, lens, P=matrix).reshape(height, width, 2)
    changed = cv2.remap(
        picture, back[..., 0].astype(np.float32), back[..., 1].astype(np.float32), cv2.INTER_LINEAR, None, cv2.BORDER_REPLICATE
    )
    rays = np.column_stack([(corners - matrix[:2, 2]) / focal, np.ones(4)])
    return changed, cv2.projectPoints(rays, np.zeros(3), np.zeros(3), matrix, lens)[0].reshape(-1, 2)


def tilt(picture: Picture, corners: Corners, rng: np.random.Generator) -> tuple[Picture, Corners]:
    """The camera turned by up to 15 degrees to a side and up or down, framed so that the table stays inside."""
    height, width = picture.shape[:2]
    focal = 0.9 * max(width, height)
    to_rays = np.array([[focal, 0, (width - 1) / 2], [0, focal, (height - 1) / 2], [0, 0, 1.0]])
    turn = cv2.Rodrigues(np.append(np.radians(rng.uniform(-15, 15, 2)), np.radians(rng.uniform(-8, 8))))[0]
    matrix = to_rays @ turn @ np.linalg.inv(to_rays)
    seen = cv2.perspectiveTransform(corners.reshape(-1, 1, 2), matrix).reshape(-1, 2)
    low, high = seen.min(axis=0), seen.max(axis=0)
    scale = 0.86 * float(np.min((width, height) / (high - low)))
    shift = np.array([(width - 1) / 2, (height - 1) / 2]) - scale * (low + high) / 2
    matrix = np.array([[scale, 0, shift[0]], [0, scale, shift[1]], [0, 0, 1.0]]) @ matrix
    changed = cv2.warpPerspective(picture, matrix, (width, height), flags=cv2.INTER_LINEAR, borderValue=(70, 75, 80))
    return changed, cv2.perspectiveTransform(corners.reshape(-1, 1, 2), matrix).reshape(-1, 2)


def cut(picture: Picture, corners: Corners, rng: np.random.Generator) -> tuple[Picture, Corners]:
    """A side of the picture cut off so that two corners lie outside: to be refused."""
    ordered = np.sort(corners[:, 0])
    at = round(float(ordered[1] + 0.25 * (ordered[2] - ordered[1])))
    return np.ascontiguousarray(picture[:, at:]), corners - (at, 0)


_CLOTHS = {"blue": (110, 60, 30), "burgundy": (50, 25, 95), "grey": (115, 112, 108), "camel": (95, 140, 175)}  # BGR


def recloth(picture: Picture, corners: Corners, rng: np.random.Generator) -> tuple[Picture, Corners]:
    """Another cloth on bed and cushions; what differs from the cloth (balls, rails, noses' shades) keeps its difference."""
    middle = corners.mean(axis=0)
    region = np.zeros(picture.shape[:2], np.uint8)
    cv2.fillConvexPoly(region, np.round(middle + 1.12 * (corners - middle)).astype(np.int32), 1)
    inner = np.zeros_like(region)
    cv2.fillConvexPoly(inner, np.round(middle + 0.8 * (corners - middle)).astype(np.int32), 1)
    lab = cv2.cvtColor(picture, cv2.COLOR_BGR2LAB).astype(np.float32)
    usual = np.median(lab[inner > 0], axis=0)
    away = np.hypot(lab[..., 1] - usual[1], lab[..., 2] - usual[2]) + 0.15 * np.abs(lab[..., 0] - usual[0])
    share = cv2.GaussianBlur(np.clip(1.6 - away / 24, 0, 1) * region, (0, 0), 0.8)[..., None]
    wanted = np.array([[list(_CLOTHS.values())[rng.integers(len(_CLOTHS))]]], np.uint8)
    target = cv2.cvtColor(wanted, cv2.COLOR_BGR2LAB)[0, 0].astype(np.float32)
    shift = np.array([0.7 * (target[0] - usual[0]), target[1] - usual[1], target[2] - usual[2]], np.float32)
    return cv2.cvtColor(np.clip(lab + share * shift, 0, 255).astype(np.uint8), cv2.COLOR_LAB2BGR), corners


def panels(picture: Picture, corners: Corners, rng: np.random.Generator) -> tuple[Picture, Corners]:
    """A scoreboard, a bar and a small window laid over the borders, as broadcasts do."""
    shown, (height, width) = picture.copy(), picture.shape[:2]
    for _ in range(3):
        w, h = int(width * rng.uniform(0.1, 0.35)), int(height * rng.uniform(0.05, 0.14))
        x, y = (int(rng.choice([0.02, 0.5, 0.96])) * (width - w), int(rng.choice([0, 1])) * (height - h))
        x = int(rng.uniform(0, width - w)) if rng.random() < 0.7 else x
        cv2.rectangle(shown, (x, y), (x + w, y + h), tuple(int(v) for v in rng.integers(10, 245, 3)), -1)
        cv2.putText(shown, "3 : 12", (x + 5, y + h - 5), cv2.FONT_HERSHEY_SIMPLEX, h / 45, (240, 240, 240), 1 + h // 40, cv2.LINE_AA)
    return shown, corners


CHANGES: dict[str, Change] = {
    "mirrored": mirror,
    "upright": upright,
    "dark": dark,
    "bright": bright,
    "jpeg": jpeg,
    "half size": half,
    "hue": hue,
    "blurred": blur,
    "barrel": barrel,
    "cushion": cushion_shaped,
    "tilted": tilt,
    "cut": cut,
    "cloth": recloth,
    "panels": panels,
}
