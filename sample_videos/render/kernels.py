"""Per-pixel work in compiled loops: rays of pixels, exposure, noise.

No NaN or infinity in here: the kernels are compiled with fast arithmetic, for which they do not exist.
"""

from __future__ import annotations

import numpy as np
from numba import njit

FAR = 1e9


@njit(cache=True, fastmath=True, error_model="numpy", nogil=True)
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


@njit(cache=True, fastmath=True, error_model="numpy", nogil=True)
def develop(
    out: np.ndarray, x0: int, y0: int, light: np.ndarray, fall: np.ndarray, gain: np.ndarray, saturation: float, curve: np.ndarray
) -> None:
    """Linear RGB `light` (h, w, 3) through exposure, saturation and the curve (4096,) into the BGR picture `out` from x0, y0 on.

    fall (H, W): the lens's loss of light; gain (3,): exposure and white balance.
    """
    h, w = light.shape[0], light.shape[1]
    for i in range(h):
        for j in range(w):
            f = fall[y0 + i, x0 + j]
            r, g, b = light[i, j, 0] * f * gain[0], light[i, j, 1] * f * gain[1], light[i, j, 2] * f * gain[2]
            if saturation != 1.0:
                grey = np.float32(0.2126) * r + np.float32(0.7152) * g + np.float32(0.0722) * b
                r, g, b = grey + (r - grey) * saturation, grey + (g - grey) * saturation, grey + (b - grey) * saturation
            out[y0 + i, x0 + j, 0] = curve[int(min(np.float32(4095), max(np.float32(0), b * np.float32(4095) + np.float32(0.5))))]
            out[y0 + i, x0 + j, 1] = curve[int(min(np.float32(4095), max(np.float32(0), g * np.float32(4095) + np.float32(0.5))))]
            out[y0 + i, x0 + j, 2] = curve[int(min(np.float32(4095), max(np.float32(0), r * np.float32(4095) + np.float32(0.5))))]


@njit(cache=True, nogil=True)
def add_noise(picture: np.ndarray, noise: np.ndarray, x0: int, y0: int) -> np.ndarray:
    """`picture` (H, W, 3) uint8 plus the part of `noise` int8 that begins at x0, y0."""
    out = np.empty_like(picture)
    h, w = picture.shape[0], picture.shape[1]
    for i in range(h):
        for j in range(w):
            for c in range(3):
                out[i, j, c] = min(255, max(0, np.int16(picture[i, j, c]) + np.int16(noise[y0 + i, x0 + j, c])))
    return out


@njit(cache=True, fastmath=True, error_model="numpy", nogil=True)
def mirrored(x: np.ndarray, y: np.ndarray, z: float, rays: np.ndarray, lamps: np.ndarray) -> np.ndarray:
    """What a varnished plane at height z mirrors (h, w) of `lamps` where rays (h, w, 3) meet it at x, y (h, w).

    lamps (L, 6): centre, half sizes, radiance.
    """
    out = np.zeros(x.shape, np.float32)
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            down = -rays[i, j, 2]
            if down < 0.05:
                continue
            fresnel = 0.04 + 0.96 * (1 - min(1.0, down)) ** 5
            for k in range(lamps.shape[0]):
                t = (lamps[k, 2] - z) / down
                ex = abs(x[i, j] + t * rays[i, j, 0] - lamps[k, 0]) - lamps[k, 3]
                ey = abs(y[i, j] + t * rays[i, j, 1] - lamps[k, 1]) - lamps[k, 4]
                soft = 0.12 * t  # varnish is not flat
                out[i, j] += fresnel * lamps[k, 5] * min(1.0, max(0.0, 0.5 - max(ex, ey) / (2 * soft)))
    return out
