"""The table's sides and legs, which a camera beside it sees: upright faces under the outer edge of the rails."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.table import Table
from sample_videos.render.look import Look, linear

Floats = NDArray[np.floating]
_STEP = 3.0  # mm a pixel of a side's picture
_FLOOR = -820.0
_LEG = 170.0  # mm wide
_INKS = ((0.92, 0.92, 0.92), (0.10, 0.25, 0.65), (0.75, 0.10, 0.10), (0.85, 0.65, 0.12), (0.08, 0.08, 0.08))


def draw_sides(picture: Floats, rays: Floats, eye: NDArray[np.float64], table: Table, look: Look, top: float) -> None:
    """Lays the sides that can be seen from `eye` over the linear `picture` (H, W, 3), in place; `rays` (H, W, 3), `top`: z of the rails."""
    out = look.cushion_width + look.rail_width
    low, high = np.array((-out, -out)), np.array((table.length + out, table.width + out))
    for axis in (0, 1):
        for at, beyond in ((low[axis], eye[axis] < low[axis]), (high[axis], eye[axis] > high[axis])):
            if beyond:
                other = 1 - axis
                face = _face(float(high[other] - low[other]), look, top, long=axis == 1)
                if (axis == 0) == (at == low[axis]):
                    face = face[:, ::-1]  # letters run from left to right for whoever stands before it
                _lay(picture, rays, eye, axis, float(at), float(low[other]), top, np.ascontiguousarray(face))


def _lay(picture: Floats, rays: Floats, eye: NDArray[np.float64], axis: int, at: float, start: float, top: float, face: Floats) -> None:
    """One face: column 0 of its picture is at `start` mm along the other axis, row 0 at height `top`; its last channel is its cover."""
    way = rays[..., axis]
    far = np.float32(at - eye[axis]) / np.where(np.abs(way) < 1e-6, np.float32(1e-6), way)
    u = (np.float32(eye[1 - axis] - start) + far * rays[..., 1 - axis]) / np.float32(_STEP)
    v = (np.float32(top - eye[2]) - far * rays[..., 2]) / np.float32(_STEP)
    v[far <= 0] = -10
    seen = cv2.remap(face, u, v, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=(0, 0, 0, 0))
    picture += (seen[..., :3] - picture) * seen[..., 3:]


def _face(length: float, look: Look, top: float, *, long: bool) -> Floats:
    """(h, w, 4) linear colour and cover of a side from the rails' height down to the floor."""
    h, w = round((top - _FLOOR) / _STEP), round(length / _STEP)
    body = round((top + look.side) / _STEP)
    rng = np.random.default_rng(int(length) + len(look.prints))
    grain = cv2.resize(rng.random((h // 2 + 2, max(w // 90, 2)), dtype=np.float32), (w, h), interpolation=cv2.INTER_LINEAR)
    face = np.zeros((h, w, 4), np.float32)
    down = np.linspace(1, 0, body, dtype=np.float32)[:, None]
    face[:body, :, :3] = (linear(look.apron) * (1 + look.grain * (grain[:body] - 0.5))[..., None]) * (0.25 + 0.35 * down)[..., None]
    rail = max(2, round(45 / _STEP))  # the rails' own wood, rounded
    face[:rail, :, :3] = linear(look.rail) * (0.75 - 0.5 * np.linspace(0, 1, rail, dtype=np.float32)[:, None, None])
    face[:body, :, 3] = 1
    leg = round(_LEG / _STEP)
    for share in (0.12, 0.5, 0.88) if long and length > 3000 else (0.14, 0.86):
        x = round(share * w - leg / 2)
        face[body:, x : x + leg, :3] = linear(look.apron) * 0.18
        face[body:, x : x + leg, 3] = 1
    _print(face, look.prints if long else look.prints[:1], rail, body)
    return face


def _print(face: Floats, texts: tuple[str, ...], rail: int, body: int) -> None:
    """Words and plates, evenly along the side."""
    w, tall = face.shape[1], body - rail
    for k, text in enumerate(texts):
        ink = linear(_INKS[(len(text) + k) % len(_INKS)])
        scale = 0.42 * tall / 22.0
        (wide, high), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_DUPLEX, scale, 2)
        x, y = round(w * (k + 0.5) / len(texts) - wide / 2), round(rail + (tall + high) / 2)
        mask = np.zeros(face.shape[:2], np.uint8)
        if k % 2:  # a white plate with its print
            cv2.rectangle(mask, (x - high, y - 2 * high), (x + wide + high, y + high), 255, -1, cv2.LINE_AA)
            _mix(face, np.array((0.6, 0.6, 0.6), np.float32), mask)
            mask[:] = 0
            ink = ink if ink.mean() < 0.5 else linear(_INKS[1])
        cv2.putText(mask, text, (x, y), cv2.FONT_HERSHEY_DUPLEX, scale, 255, 2, cv2.LINE_AA)
        _mix(face, ink * 0.6, mask)


def _mix(face: Floats, colour: Floats, mask: NDArray[np.uint8]) -> None:
    face[..., :3] += (colour - face[..., :3]) * (mask.astype(np.float32) / 255)[..., None]
