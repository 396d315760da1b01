"""People's bars by ray, and the shadows of bars and balls, in compiled loops (see `kernels`). Lengths mm, light linear."""

from __future__ import annotations

import numpy as np
from numba import njit

from sample_videos.render.kernels import FAR

REACH = 20000.0  # mm: as far as rays are followed


@njit(cache=True, fastmath=True, error_model="numpy", nogil=True)
def _shadow_boxes(capsules: np.ndarray, light: np.ndarray, top: float) -> np.ndarray:
    """Boxes (C, K, 4) x0 y0 x1 y1 mm beyond which a capsule does not darken lamp sample k on surfaces from z = 0 to `top`."""
    out = np.empty((capsules.shape[0], light.shape[0], 4))
    for c in range(capsules.shape[0]):
        for k in range(light.shape[0]):
            x0, y0, x1, y1 = FAR, FAR, -FAR, -FAR
            for end in range(2):
                r = capsules[c, 6 + end]
                x, y, z = capsules[c, 3 * end], capsules[c, 3 * end + 1], capsules[c, 3 * end + 2]
                for plane in range(2):
                    level = top * plane
                    gap = light[k, 2] - z - r
                    if gap < 100:  # beside or over the lamp: anywhere
                        x0, y0, x1, y1 = -FAR, -FAR, FAR, FAR
                        continue
                    for side in range(2):  # the ball's top and bottom, thrown on the plane
                        f = (light[k, 2] - level) / (light[k, 2] - (z - r if side == 0 else z + r))
                        if f < 1:
                            f = 1.0  # below the plane: it darkens nothing beyond itself
                        px, py = light[k, 0] + f * (x - light[k, 0]), light[k, 1] + f * (y - light[k, 1])
                        wide = f * r + (f - 1) * light[k, 4] + 10
                        x0, y0, x1, y1 = min(x0, px - wide), min(y0, py - wide), max(x1, px + wide), max(y1, py + wide)
            out[c, k, 0], out[c, k, 1], out[c, k, 2], out[c, k, 3] = x0, y0, x1, y1
    return out


@njit(cache=True, fastmath=True, error_model="numpy", nogil=True)
def shadow_map(
    where: np.ndarray,
    height: np.ndarray,
    step: int,
    window: np.ndarray,
    centres: np.ndarray,
    radius: float,
    capsules: np.ndarray,
    light: np.ndarray,
    ambient: float,
) -> np.ndarray:
    """Light (h', w') relative to the empty table on every `step`-th pixel of `window` (x0, y0, x1, y1) px.

    where (H, W, 2) mm, height (H, W) mm of the surface seen in a pixel; centres (B, 3); capsules (C, 8): ends (6), radii (2).
    """
    x0, y0, x1, y1 = window[0], window[1], window[2], window[3]
    h, w = (y1 - y0 + step - 1) // step, (x1 - x0 + step - 1) // step
    out = np.ones((h, w), np.float32)
    p = np.empty(3)
    balls = centres.shape[0]
    boxes = _shadow_boxes(capsules, light, 60.0)
    lamps = light.shape[0]
    whole = np.empty((lamps, 4))  # the union over the capsules
    for k in range(lamps):
        whole[k, 0], whole[k, 1], whole[k, 2], whole[k, 3] = FAR, FAR, -FAR, -FAR
        for c in range(capsules.shape[0]):
            whole[k, 0], whole[k, 1] = min(whole[k, 0], boxes[c, k, 0]), min(whole[k, 1], boxes[c, k, 1])
            whole[k, 2], whole[k, 3] = max(whole[k, 2], boxes[c, k, 2]), max(whole[k, 3], boxes[c, k, 3])
    for i in range(h):
        for j in range(w):
            y, x = min(y0 + i * step + step // 2, where.shape[0] - 1), min(x0 + j * step + step // 2, where.shape[1] - 1)
            p[0], p[1], p[2] = where[y, x, 0], where[y, x, 1], height[y, x]
            if p[2] < -1:
                continue
            full, got = 0.0, 0.0
            for k in range(lamps):
                lx, ly, lz = light[k, 0] - p[0], light[k, 1] - p[1], light[k, 2] - p[2]
                r2 = lx * lx + ly * ly + lz * lz
                e = light[k, 3] * lz * lz / (r2 * r2)
                full += e
                vis = 1.0
                for b in range(balls):
                    cx, cy, cz = centres[b, 0] - p[0], centres[b, 1] - p[1], centres[b, 2] - p[2]
                    t = (cx * lx + cy * ly + cz * lz) / r2
                    if t <= 0 or t >= 1:
                        continue
                    ax, ay, az = cx - t * lx, cy - t * ly, cz - t * lz
                    soft = max(light[k, 4] * t, 1.0)
                    d2 = ax * ax + ay * ay + az * az
                    if d2 < (radius + soft) * (radius + soft):
                        vis *= min(1.0, max(0.0, (np.sqrt(d2) - radius) / (2 * soft) + 0.5))
                if whole[k, 0] < p[0] < whole[k, 2] and whole[k, 1] < p[1] < whole[k, 3]:
                    for c in range(capsules.shape[0]):
                        if boxes[c, k, 0] < p[0] < boxes[c, k, 2] and boxes[c, k, 1] < p[1] < boxes[c, k, 3]:
                            vis *= _capsule_shadow(p, lx, ly, lz, capsules[c], light[k, 4])
                            if vis <= 0.0:
                                break
                got += e * vis
            sky = 1.0
            for b in range(balls):
                cx, cy, cz = centres[b, 0] - p[0], centres[b, 1] - p[1], centres[b, 2] - p[2]
                d2 = cx * cx + cy * cy + cz * cz
                sky -= min(1.0, radius * radius / d2) * max(0.0, cz) / np.sqrt(d2)
            if sky < 0.0:
                sky = 0.0
            out[i, j] = (got + ambient * sky) / (full + ambient)
    return out


@njit(cache=True, fastmath=True, error_model="numpy", nogil=True)
def _closest(p: np.ndarray, lx: float, ly: float, lz: float, cap: np.ndarray) -> tuple[float, float, float]:
    """Distance between the segment p..p+l and the axis of a capsule, with the two parameters (0..1)."""
    ux, uy, uz = cap[3] - cap[0], cap[4] - cap[1], cap[5] - cap[2]
    wx, wy, wz = p[0] - cap[0], p[1] - cap[1], p[2] - cap[2]
    a = lx * lx + ly * ly + lz * lz
    b = lx * ux + ly * uy + lz * uz
    c = ux * ux + uy * uy + uz * uz + 1e-9
    d = lx * wx + ly * wy + lz * wz
    e = ux * wx + uy * wy + uz * wz
    det = a * c - b * b
    t = 0.0 if det < 1e-6 * a * c else (b * e - c * d) / det
    t = min(1.0, max(0.0, t))
    s = min(1.0, max(0.0, (e + t * b) / c))
    t = min(1.0, max(0.0, (s * b - d) / a))
    x, y, z = wx + t * lx - s * ux, wy + t * ly - s * uy, wz + t * lz - s * uz
    return np.sqrt(x * x + y * y + z * z), t, s


@njit(cache=True, fastmath=True, error_model="numpy", nogil=True)
def _capsule_shadow(p: np.ndarray, lx: float, ly: float, lz: float, cap: np.ndarray, cell: float) -> float:
    dist, t, s = _closest(p, lx, ly, lz, cap)
    soft = max(cell * t, 1.0)
    r = cap[6] + s * (cap[7] - cap[6])
    return min(1.0, max(0.0, (dist - r) / (2 * soft) + 0.5))


@njit(cache=True, fastmath=True, error_model="numpy", nogil=True)
def shade_capsules(
    out: np.ndarray,
    depth: np.ndarray,
    table: np.ndarray,
    dirs: np.ndarray,
    origin: np.ndarray,
    boxes: np.ndarray,
    capsules: np.ndarray,
    colours: np.ndarray,
    weave: np.ndarray,
    light: np.ndarray,
    ambient: float,
) -> None:
    """Draws tapered round bars into `out` (h, w, 3) and their distances into `depth` (h, w).

    table (h, w): distance of the table, which hides what is farther (`FAR` beside it);
    capsules (C, 14): ends (6), radii (2), way of the ends over the exposure (6); colours (C, 3) linear; weave (C,) strength of the
    cloth's folds; boxes (C, 4) px.
    """
    h, w = depth.shape
    d, cap, value = np.empty(3), np.empty(8), np.empty(1)
    tile = 8
    for c in range(capsules.shape[0]):
        way, far_end = 0.0, 0.0
        for e in range(2):
            step, far = 0.0, 0.0
            for i in range(3):
                step += capsules[c, 8 + 3 * e + i] ** 2
                far += (capsules[c, 3 * e + i] - origin[i]) ** 2
            way, far_end = max(way, np.sqrt(step)), max(far_end, np.sqrt(far))
        moments = 1 if way < 1.0 else min(9, 3 + int(way / 8.0))
        widest = max(capsules[c, 6], capsules[c, 7])
        for i in range(8):
            cap[i] = capsules[c, i]
        for ty in range(max(boxes[c, 1], 0), min(boxes[c, 3], h), tile):
            for tx in range(max(boxes[c, 0], 0), min(boxes[c, 2], w), tile):
                y1, x1 = min(ty + tile, h, boxes[c, 3]), min(tx + tile, w, boxes[c, 2])
                my, mx = (ty + y1) // 2, (tx + x1) // 2
                for i in range(3):
                    d[i] = dirs[my, mx, i]
                dist, _t, _s = _closest(origin, d[0] * REACH, d[1] * REACH, d[2] * REACH, cap)
                spread = 0.0
                for i in range(3):
                    spread += (dirs[ty, tx, i] - dirs[y1 - 1, x1 - 1, i]) ** 2
                # no ray of the tile is farther from its middle one than this, at the capsule
                slack = (np.sqrt(spread) + 3e-3) * (far_end + widest) + way
                if dist > widest + slack:
                    continue
                for y in range(ty, y1):
                    for x in range(tx, x1):
                        xn = x + 1 if x + 1 < w else x - 1
                        pixel = 1e-9
                        for i in range(3):
                            d[i] = dirs[y, x, i]
                            pixel += (dirs[y, xn, i] - d[i]) ** 2
                        pixel = np.sqrt(pixel)
                        cover, shown, near = 0.0, 0.0, FAR
                        for m in range(moments):
                            if moments > 1:
                                f = (m + 0.5) / moments - 0.5
                                for i in range(6):
                                    cap[i] = capsules[c, i] + f * capsules[c, 8 + i]
                            share, far = _bar(origin, d, pixel, cap, min(depth[y, x], table[y, x]), weave[c], light, ambient, value)
                            if share > 0:
                                cover += share
                                shown += share * value[0]
                                near = min(near, far)
                        if cover > 0:
                            cover, shown = cover / moments, shown / moments
                            for i in range(3):
                                out[y, x, i] = out[y, x, i] * (1 - cover) + colours[c, i] * shown
                            if cover > 0.5:
                                depth[y, x] = near
                if moments > 1:
                    for i in range(6):
                        cap[i] = capsules[c, i]


@njit(cache=True, fastmath=True, error_model="numpy", nogil=True)
def _bar(
    origin: np.ndarray, d: np.ndarray, pixel: float, cap: np.ndarray, behind: float, weave: float, light: np.ndarray, ambient: float,
    value: np.ndarray,
) -> tuple[float, float]:  # fmt: skip
    """What a capsule covers of a pixel whose ray is d (0 if it is farther than `behind`) and its distance; its light goes to `value`."""
    dist, t, s = _closest(origin, d[0] * REACH, d[1] * REACH, d[2] * REACH, cap)
    r = cap[6] + s * (cap[7] - cap[6])
    wide = 1e-6 + REACH * t * pixel
    share = min(1.0, max(0.0, (r - dist) / wide + 0.5)) * min(1.0, 2 * r / wide)
    if share <= 0:
        return 0.0, FAR
    far = REACH * t - np.sqrt(max(r * r - dist * dist, 0.0))
    if far > behind:
        return 0.0, FAR
    px, py, pz = origin[0] + far * d[0], origin[1] + far * d[1], origin[2] + far * d[2]
    nx, ny, nz = px - (cap[0] + s * (cap[3] - cap[0])), py - (cap[1] + s * (cap[4] - cap[1])), pz - (cap[2] + s * (cap[5] - cap[2]))
    ln = np.sqrt(nx * nx + ny * ny + nz * nz) + 1e-6
    lit = 0.0
    for k in range(light.shape[0]):
        lx, ly, lz = light[k, 0] - px, light[k, 1] - py, light[k, 2] - pz
        r2 = lx * lx + ly * ly + lz * lz
        facing = (nx * lx + ny * ly + nz * lz) / ln / np.sqrt(r2)
        if facing > 0 and lz > 0:
            lit += light[k, 3] * facing * lz / np.sqrt(r2) / r2
    fold = 1.0 + weave * 0.8 * np.sin(px * 0.045 + 1.7 * np.sin(py * 0.03)) * np.sin(py * 0.05 + pz * 0.04)
    value[0] = fold * (min(lit, 1.2) + ambient * (0.55 + 0.45 * nz / ln))
    return share, far
