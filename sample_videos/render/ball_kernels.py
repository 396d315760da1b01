"""Balls by ray, in compiled loops (see `kernels`): skins, light, reflections, what hides them. Lengths mm, light linear."""

from __future__ import annotations

import numpy as np
from numba import njit

from sample_videos.render.kernels import FAR


@njit(cache=True, fastmath=True, error_model="numpy", nogil=True)
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


@njit(cache=True, fastmath=True, error_model="numpy", nogil=True)
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


@njit(cache=True, fastmath=True, error_model="numpy", nogil=True)
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


@njit(cache=True, fastmath=True, error_model="numpy", nogil=True)
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


@njit(cache=True, fastmath=True, error_model="numpy", nogil=True)
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
