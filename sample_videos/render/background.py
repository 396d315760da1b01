"""The picture of the empty table: the planes of a `Plan` seen by a camera, in linear light, and what lies under each pixel."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import Camera
from calibration.table import Table
from sample_videos.render import kernels
from sample_videos.render.lighting import Lighting, light_on_plane
from sample_videos.render.look import Look
from sample_videos.render.plan import Plan, Plane
from sample_videos.render.sides import draw_sides

Floats = NDArray[np.floating]


@dataclass(frozen=True)
class Background:
    """`picture` (H, W, 3) linear RGB; `rays` (H, W, 3) unit; `where` (H, W, 2) mm and `height` (H, W) mm of the surface seen;
    `rail_cover` and `bed_solid` (H, W): cover of the rails' plane and of the bed (0 over holes) under the pixel."""

    picture: Floats
    rays: Floats
    where: Floats
    height: Floats
    rail_cover: Floats
    bed_solid: Floats


def pixel_rays(camera: Camera) -> Floats:
    """Unit directions (H, W, 3) of the pixels in the table's frame."""
    return kernels.pixel_rays(
        camera.width, camera.height, camera.focal, np.array(camera.principal), np.array(camera.distortion), camera.rotation
    )


def _on_plane(rays: Floats, eye: NDArray[np.float64], z: float) -> tuple[Floats, Floats]:
    """x, y mm where rays meet the plane; far away for rays that do not go down to it."""
    down = np.minimum(rays[..., 2], -1e-3)
    far = np.float32(z - eye[2]) / down
    return np.float32(eye[0]) + far * rays[..., 0], np.float32(eye[1]) + far * rays[..., 1]


def _look_up(plane: Plane, x: Floats, y: Floats, image: Floats, border: int = cv2.BORDER_CONSTANT) -> Floats:
    inverse = np.float32(1 / plane.step)
    u, v = (x - np.float32(plane.origin[0])) * inverse, (y - np.float32(plane.origin[1])) * inverse
    return cv2.remap(image, u, v, cv2.INTER_LINEAR, borderMode=border)


def _lit(plane: Plane, lighting: Lighting) -> Floats:
    h, w = plane.cover.shape
    x = plane.origin[0] + np.linspace(0, w - 1, 64) * plane.step
    y = plane.origin[1] + np.linspace(0, h - 1, 40) * plane.step
    light = light_on_plane(lighting, x, y, plane.z)
    return plane.colour * cv2.resize(light, (w, h), interpolation=cv2.INTER_LINEAR)[..., None]


def draw_background(plan: Plan, camera: Camera, table: Table, lighting: Lighting, look: Look, oversample: int = 2) -> Background:
    """Draws the planes and the table's sides with `oversample`^2 rays a pixel, through the look's lens."""
    rays, eye = pixel_rays(camera), camera.position
    size = (camera.width, camera.height)
    fine = cv2.resize(rays, (size[0] * oversample, size[1] * oversample), interpolation=cv2.INTER_LINEAR) if oversample > 1 else rays
    x, y = _on_plane(fine, eye, plan.floor.z)
    # mirrored beyond its edge: a floor has no end
    picture = _look_up(plan.floor, x, y, plan.floor.colour, cv2.BORDER_REFLECT)
    picture = picture * _light_pool(x, y, table)[..., None]
    x, y = _on_plane(fine, eye, plan.apron.z)
    picture = _over(picture, _look_up(plan.apron, x, y, plan.apron.colour), _look_up(plan.apron, x, y, plan.apron.cover))
    x, y = _on_plane(fine, eye, 0.0)
    picture = _over(picture, _look_up(plan.bed, x, y, _lit(plan.bed, lighting)), _look_up(plan.bed, x, y, plan.bed.cover))
    if look.side:
        draw_sides(picture, fine, eye, table, look, plan.rails.z)
    x, y = _on_plane(fine, eye, plan.rails.z)
    rails = _look_up(plan.rails, x, y, _lit(plan.rails, lighting))
    if look.polish > 0:
        shine = kernels.mirrored(x, y, plan.rails.z, fine, lighting.lamps) * _look_up(plan.rails, x, y, plan.wood)
        rails += np.float32(look.polish) * shine[..., None]
    picture = _over(picture, rails, _look_up(plan.rails, x, y, plan.rails.cover))
    if oversample > 1:
        picture = cv2.resize(picture, size, interpolation=cv2.INTER_AREA)
    if look.blur > 0.2:
        picture = cv2.GaussianBlur(picture, (0, 0), look.blur)
    return Background(picture, rays, *_surfaces(plan, rays, eye, table))


def _surfaces(plan: Plan, rays: Floats, eye: NDArray[np.float64], table: Table) -> tuple[Floats, Floats, Floats, Floats]:
    bx, by = _on_plane(rays, eye, 0.0)
    rx, ry = _on_plane(rays, eye, table.nose_height)
    rails = _look_up(plan.rails, rx, ry, plan.rails.cover)
    bed = _look_up(plan.bed, bx, by, plan.bed.cover)
    solid = _look_up(plan.bed, bx, by, plan.solid * plan.bed.cover)
    on_rail = rails > 0.5
    where = np.stack([np.where(on_rail, rx, bx), np.where(on_rail, ry, by)], -1)
    height = np.where(on_rail, np.float32(table.nose_height), np.where(bed > 0.5, np.float32(0), np.float32(plan.floor.z)))
    return where.astype(np.float32), height.astype(np.float32), rails, solid


def _over(below: Floats, above: Floats, cover: Floats) -> Floats:
    return below + (above - below) * cover[..., None]


def _light_pool(x: Floats, y: Floats, table: Table) -> Floats:
    """Light on the floor: the table's shadow is dark, beside it the lamps' light falls, farther out it fades."""
    out = np.hypot(np.maximum(np.maximum(-x, x - np.float32(table.length)), 0), np.maximum(np.maximum(-y, y - np.float32(table.width)), 0))
    return np.clip(0.35 + out / 500, 0, 1) * (0.45 + 0.55 * np.exp(-((out / 1800) ** 2)))
