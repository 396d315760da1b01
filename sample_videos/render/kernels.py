"""Per-pixel work in compiled loops: balls and capsules (people) by ray, shadows of both. All lengths mm, light linear.

No NaN or infinity in here: the kernels are compiled with fast arithmetic, for which they do not exist.
"""

from __future__ import annotations

import numpy as np
from numba import njit

FAR = 1e9


@njit(cache=True, fastmath=True, error_model="numpy")
def pixel_rays(width: int, height: int, focal: float, principal: np.ndarray, distortion: np.ndarray, rotation: np.ndarray) -> np.ndarray:
    """Unit directions (H, W, 3) float32 in the table's frame of the pixels' centres; zeros where the lens model has no inverse."""
    out = np.zeros((height, width, 3), np.float32)
    k1, k2, p1, p2, k3 = distortion[0], distortion[1], distortion[2], distortion[3], distortion[4]
    bent = k1 != 0 or k2 != 0 or k3 != 0 or p1 != 0 or p2 != 0
    for i in range(height):
        for j in range(width):
            u, v = (j - principal[0]) / focal, (i - principal[1]) / focal
            x, y = u, v
            found = not bent
            for _ in range(80 if bent else 0):
                rr = x * x + y * y
                radial = 1 + rr * (k1 + rr * (k2 + rr * k3))
                if radial < 0.2:
                    break
                nx = (u - 2 * p1 * x * y - p2 * (rr + 2 * x * x)) / radial
                ny = (v - 2 * p2 * x * y - p1 * (rr + 2 * y * y)) / radial
                step = abs(nx - x) + abs(ny - y)
                x, y = nx, ny
                if step < 1e-10:
                    found = True
                    break
            if found:
                scale = 1 / np.sqrt(x * x + y * y + 1)
                for c in range(3):
                    out[i, j, c] = (x * rotation[0, c] + y * rotation[1, c] + rotation[2, c]) * scale
    return out


@njit(cache=True, fastmath=True, error_model="numpy")
def _skin(pattern: int, n0: float, n1: float, n2: float, c: np.ndarray, out: np.ndarray) -> None:
    """Colour of a ball at the unit vector n of its own frame: 1 number patches, 2 stripe, 3 dots, 4 logo, 0 plain."""
    out[0], out[1], out[2] = c[0], c[1], c[2]
    white = 0.78
    if pattern == 1 or pattern == 2:
        p = abs(n0)
        if pattern == 2 and abs(n2) > 0.55:
            out[0], out[1], out[2] = white, white, white * 0.92
        if p > 0.90:
            out[0], out[1], out[2] = white, white, white * 0.95
            u, v = n1, n2
            digit = (abs(u) < 0.10 and abs(v) < 0.22) and not (abs(u) < 0.04 and abs(v) < 0.15)
            if digit:
                out[0], out[1], out[2] = 0.02, 0.02, 0.02
    elif pattern == 3:
        m = max(abs(n0), max(abs(n1), abs(n2)))
        if m > 0.975:
            dark = 0.55 if c[0] + c[1] + c[2] < 0.4 else 0.12
            out[0] = dark if c[0] > 0.5 and c[1] > 0.5 else (0.5 if dark > 0.5 else 0.75)
            out[1] = dark * 0.3
            out[2] = dark * 0.3
            if c[0] < 0.5 or c[1] < 0.5:
                out[0], out[1], out[2] = 0.7, 0.7, 0.65
    elif pattern == 4 and (n0 > 0.93 or n0 < -0.97):
        ring = n1 * n1 + n2 * n2
        if ring > 0.05 or (abs(n1) < 0.08):
            out[0], out[1], out[2] = 0.10 + 0.5 * (c[0] < 0.3), 0.08 + 0.5 * (c[0] < 0.3), 0.12 + 0.4 * (c[0] < 0.3)


@njit(cache=True, fastmath=True, error_model="numpy")
def _lamp_hit(p: np.ndarray, d: np.ndarray, lamps: np.ndarray) -> float:
    """Brightness of the lamps seen from p in direction d; `lamps` (L, 6): x y z, half x, half y, radiance."""
    if d[2] < 0.02:
        return 0.0
    seen = 0.0
    for k in range(lamps.shape[0]):
        t = (lamps[k, 2] - p[2]) / d[2]
        if t <= 0:
            continue
        ex = abs(p[0] + t * d[0] - lamps[k, 0]) - lamps[k, 3]
        ey = abs(p[1] + t * d[1] - lamps[k, 1]) - lamps[k, 4]
        edge = max(ex, ey)
        soft = 60.0
        if edge < soft:
            seen += lamps[k, 5] * min(1.0, max(0.0, 0.5 - edge / (2 * soft)))
    return seen


@njit(cache=True, fastmath=True, error_model="numpy")
def _occluded(p: np.ndarray, light: np.ndarray, k: int, centres: np.ndarray, radius: float, own: int, mid: int) -> float:
    """Share of lamp sample k that reaches p past the balls (except `own`)."""
    lx, ly, lz = light[k, 0] - p[0], light[k, 1] - p[1], light[k, 2] - p[2]
    ll = lx * lx + ly * ly + lz * lz
    vis = 1.0
    for b in range(centres.shape[0]):
        if b == own:
            continue
        cx, cy, cz = centres[b, mid, 0] - p[0], centres[b, mid, 1] - p[1], centres[b, mid, 2] - p[2]
        t = (cx * lx + cy * ly + cz * lz) / ll
        if t <= 0 or t >= 1:
            continue
        dx, dy, dz = cx - t * lx, cy - t * ly, cz - t * lz
        d = np.sqrt(dx * dx + dy * dy + dz * dz)
        soft = max(light[k, 4] * t, 1.0)  # half width of the penumbra: lamp cell times share of the way
        vis *= min(1.0, max(0.0, (d - radius) / (2 * soft) + 0.5))
    return vis


@njit(cache=True, fastmath=True, error_model="numpy")
def shade_balls(
    out: np.ndarray,
    depth: np.ndarray,
    dirs: np.ndarray,
    origin: np.ndarray,
    rail_cover: np.ndarray,
    bed_solid: np.ndarray,
    nose: float,
    centres: np.ndarray,
    radius: float,
    albedo: np.ndarray,
    pattern: np.ndarray,
    turn: np.ndarray,
    boxes: np.ndarray,
    jitter: np.ndarray,
    light: np.ndarray,
    lamps: np.ndarray,
    ambient: float,
    cloth: np.ndarray,
    gloss: float,
    specular: float,
    shades: int,
    seen: np.ndarray,
) -> None:
    """Composites B balls over `out` (h, w, 3) in place; `depth` (h, w) is the distance of what hides a ball (people).

    dirs (h, w, 3) unit rays; rail_cover, bed_solid (h, w) cover of the rails' plane and of the bed under each pixel;
    centres (B, S, 3) places over the exposure; turn (B, 3, 3) orientation; boxes (B, 4) x0 y0 x1 y1 px, half open;
    jitter (S, J, 2) px; light (K, 5): x y z, weight, half width of a lamp cell; lamps (L, 6) for reflections.
    seen (B, 3) is added to: area px of what is visible of each ball, and its first moments.
    """
    h, w = depth.shape
    nb, ns = centres.shape[0], centres.shape[1]
    nj = jitter.shape[1]
    d, p, n, refl = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    colour, skins = np.empty(3), np.zeros((nb, 3))
    shaded, fresh, near = np.zeros(nb, np.int64), np.zeros(nb, np.int64), np.zeros(nb, np.int64)
    moving = np.zeros(nb, np.int64)
    for b in range(nb):
        for c in range(3):
            if abs(centres[b, 0, c] - centres[b, ns - 1, c]) > 0.01:
                moving[b] = 1
    x0, y0, x1, y1 = w, h, 0, 0
    for b in range(nb):
        x0, y0, x1, y1 = min(x0, boxes[b, 0]), min(y0, boxes[b, 1]), max(x1, boxes[b, 2]), max(y1, boxes[b, 3])
    for y in range(max(y0, 0), min(y1, h)):
        for x in range(max(x0, 0), min(x1, w)):
            here = 0
            for b in range(nb):
                if boxes[b, 0] <= x < boxes[b, 2] and boxes[b, 1] <= y < boxes[b, 3]:
                    near[here] = b
                    here += 1
            if here == 0:
                continue
            xn, yn = (x + 1 if x + 1 < w else x - 1), (y + 1 if y + 1 < h else y - 1)
            sx, sy = (1.0 if xn > x else -1.0), (1.0 if yn > y else -1.0)
            colour[0] = colour[1] = colour[2] = 0.0
            cover = 0.0
            shaded[:] = 0
            for s in range(ns):
                fresh[:] = 0
                for j in range(nj):
                    jx, jy = jitter[s, j, 0] * sx, jitter[s, j, 1] * sy
                    for c in range(3):
                        d[c] = dirs[y, x, c] + jx * (dirs[y, xn, c] - dirs[y, x, c]) + jy * (dirs[yn, x, c] - dirs[y, x, c])
                    dd = d[0] * d[0] + d[1] * d[1] + d[2] * d[2]
                    best, hit = FAR, -1
                    for i in range(here):
                        b = near[i]
                        ox, oy, oz = origin[0] - centres[b, s, 0], origin[1] - centres[b, s, 1], origin[2] - centres[b, s, 2]
                        half = ox * d[0] + oy * d[1] + oz * d[2]
                        rest = ox * ox + oy * oy + oz * oz - radius * radius
                        disc = half * half - dd * rest
                        if disc <= 0:
                            continue
                        t = (-half - np.sqrt(disc)) / dd
                        if 0 < t < best:
                            best, hit = t, b
                    if hit < 0 or best > depth[y, x]:
                        continue
                    z = origin[2] + best * d[2]
                    weight = 1.0
                    if z < nose:
                        weight -= rail_cover[y, x]
                    if z < 0:
                        weight *= 1.0 - bed_solid[y, x]
                    if weight <= 0:
                        continue
                    for c in range(3):
                        p[c] = origin[c] + best * d[c]
                        n[c] = (p[c] - centres[hit, s, c]) / radius
                    cover += weight
                    seen[hit, 0] += weight / (ns * nj)
                    seen[hit, 1] += weight / (ns * nj) * x
                    seen[hit, 2] += weight / (ns * nj) * y
                    # the light changes slowly over a pixel: `shades` samples of a ball at rest are enough, one a moment of a moving one
                    if shaded[hit] < shades or (moving[hit] == 1 and fresh[hit] == 0):
                        _shade(
                            p,
                            n,
                            d,
                            dd,
                            hit,
                            s,
                            centres,
                            radius,
                            albedo,
                            pattern,
                            turn,
                            light,
                            lamps,
                            ambient,
                            cloth,
                            gloss,
                            specular,
                            skins[hit],
                            refl,
                        )
                        shaded[hit] += 1
                        fresh[hit] = 1
                    for c in range(3):
                        colour[c] += weight * skins[hit, c]
            if cover > 0:
                share = cover / (ns * nj)
                for c in range(3):
                    out[y, x, c] = out[y, x, c] * (1 - share) + colour[c] / (ns * nj)


@njit(cache=True, fastmath=True, error_model="numpy")
def _shade(p, n, d, dd, hit, s, centres, radius, albedo, pattern, turn, light, lamps, ambient, cloth, gloss, specular, skin, refl) -> None:
    """Linear RGB of a point of ball `hit`, written to `skin`."""
    m0 = turn[hit, 0, 0] * n[0] + turn[hit, 0, 1] * n[1] + turn[hit, 0, 2] * n[2]
    m1 = turn[hit, 1, 0] * n[0] + turn[hit, 1, 1] * n[1] + turn[hit, 1, 2] * n[2]
    m2 = turn[hit, 2, 0] * n[0] + turn[hit, 2, 1] * n[1] + turn[hit, 2, 2] * n[2]
    _skin(pattern[hit], m0, m1, m2, albedo[hit], skin)
    lit = 0.0
    for k in range(light.shape[0]):
        lx, ly, lz = light[k, 0] - p[0], light[k, 1] - p[1], light[k, 2] - p[2]
        r2 = lx * lx + ly * ly + lz * lz
        r = np.sqrt(r2)
        facing = (n[0] * lx + n[1] * ly + n[2] * lz) / r
        if facing <= 0:
            continue
        lit += light[k, 3] * facing * (lz / r) / r2 * _occluded(p, light, k, centres, radius, hit, s)
    up = 0.5 + 0.5 * n[2]  # hemisphere: sky above, cloth below
    low = (1 - up) * min(1.0, max(0.25, p[2] / radius))
    view = -(n[0] * d[0] + n[1] * d[1] + n[2] * d[2]) / np.sqrt(dd)
    fresnel = 0.04 + 0.96 * (1 - min(1.0, max(0.0, view))) ** 5
    k2 = 2 * (n[0] * d[0] + n[1] * d[1] + n[2] * d[2])
    length = np.sqrt(dd)
    for c in range(3):
        refl[c] = (d[c] - k2 * n[c]) / length
    shine = _lamp_hit(p, refl, lamps) * specular
    for c in range(3):
        mirror = cloth[c] * 0.8 if refl[2] < 0 else 0.25 * ambient + shine
        diffuse = skin[c] * (lit + ambient * up + 0.8 * low * cloth[c])
        skin[c] = diffuse * (1 - fresnel) + gloss * fresnel * mirror


@njit(cache=True, fastmath=True, error_model="numpy")
def shadow_map(
    where: np.ndarray,
    height: np.ndarray,
    step: int,
    centres: np.ndarray,
    radius: float,
    capsules: np.ndarray,
    light: np.ndarray,
    ambient: float,
) -> np.ndarray:
    """Light (h', w') relative to the empty table on every `step`-th pixel; where (h, w, 2) mm, height (h, w) mm of the surface seen there.

    centres (B, 3); capsules (C, 8): ends (6), radii (2).
    """
    h, w = (where.shape[0] + step - 1) // step, (where.shape[1] + step - 1) // step
    out = np.ones((h, w), np.float32)
    p = np.empty(3)
    balls = centres.shape[0]
    for i in range(h):
        for j in range(w):
            y, x = min(i * step, where.shape[0] - 1), min(j * step, where.shape[1] - 1)
            p[0], p[1], p[2] = where[y, x, 0], where[y, x, 1], height[y, x]
            if p[2] < -1:
                continue
            full, got = 0.0, 0.0
            for k in range(light.shape[0]):
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
                    d = np.sqrt(ax * ax + ay * ay + az * az)
                    soft = max(light[k, 4] * t, 1.0)
                    vis *= min(1.0, max(0.0, (d - radius) / (2 * soft) + 0.5))
                for c in range(capsules.shape[0]):
                    vis *= _capsule_shadow(p, lx, ly, lz, capsules[c], light[k, 4])
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


@njit(cache=True, fastmath=True, error_model="numpy")
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


@njit(cache=True, fastmath=True, error_model="numpy")
def _capsule_shadow(p: np.ndarray, lx: float, ly: float, lz: float, cap: np.ndarray, cell: float) -> float:
    dist, t, s = _closest(p, lx, ly, lz, cap)
    soft = max(cell * t, 1.0)
    r = cap[6] + s * (cap[7] - cap[6])
    return min(1.0, max(0.0, (dist - r) / (2 * soft) + 0.5))


@njit(cache=True, fastmath=True, error_model="numpy")
def shade_capsules(
    out: np.ndarray,
    depth: np.ndarray,
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

    capsules (C, 8); colours (C, 3) linear; weave (C,) strength of the cloth's folds; boxes (C, 4) px.
    """
    h, w = depth.shape
    d, p, n = np.empty(3), np.empty(3), np.empty(3)
    reach = 20000.0
    for c in range(capsules.shape[0]):
        cap = capsules[c]
        for y in range(max(boxes[c, 1], 0), min(boxes[c, 3], h)):
            for x in range(max(boxes[c, 0], 0), min(boxes[c, 2], w)):
                for i in range(3):
                    d[i] = dirs[y, x, i]
                dist, t, s = _closest(origin, d[0] * reach, d[1] * reach, d[2] * reach, cap)
                r = cap[6] + s * (cap[7] - cap[6])
                xn = x + 1 if x + 1 < w else x - 1
                pixel = 1e-6 + reach * t * np.sqrt(
                    (dirs[y, xn, 0] - d[0]) ** 2 + (dirs[y, xn, 1] - d[1]) ** 2 + (dirs[y, xn, 2] - d[2]) ** 2
                )
                share = min(1.0, max(0.0, (r - dist) / pixel + 0.5)) * min(1.0, 2 * r / pixel)
                if share <= 0:
                    continue
                back = np.sqrt(max(r * r - dist * dist, 0.0))
                far = reach * t - back
                if far > depth[y, x]:
                    continue
                for i in range(3):
                    p[i] = origin[i] + far * d[i]
                    n[i] = p[i] - (cap[i] + s * (cap[3 + i] - cap[i]))
                ln = np.sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) + 1e-6
                lit = 0.0
                for k in range(light.shape[0]):
                    lx, ly, lz = light[k, 0] - p[0], light[k, 1] - p[1], light[k, 2] - p[2]
                    r2 = lx * lx + ly * ly + lz * lz
                    facing = (n[0] * lx + n[1] * ly + n[2] * lz) / ln / np.sqrt(r2)
                    if facing > 0 and lz > 0:
                        lit += light[k, 3] * facing * lz / np.sqrt(r2) / r2
                fold = 1.0 + weave[c] * 0.8 * np.sin(p[0] * 0.045 + 1.7 * np.sin(p[1] * 0.03)) * np.sin(p[1] * 0.05 + p[2] * 0.04)
                value = fold * (min(lit, 1.2) + ambient * (0.55 + 0.45 * n[2] / ln))
                for i in range(3):
                    out[y, x, i] = out[y, x, i] * (1 - share) + share * colours[c, i] * value
                if share > 0.5:
                    depth[y, x] = far
