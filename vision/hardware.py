"""Decoding on a graphics card where FFmpeg finds one that takes the stream, else in threads.

`POEDINOK_HWACCEL` names the kind of device (cuda, vaapi, videotoolbox, d3d11va, qsv), or is `none`. Decoders of H.264 and HEVC give the
same pictures to the bit wherever they run, so results do not depend on it.
"""

from __future__ import annotations

import os
from pathlib import Path

import av
from av.codec.hwaccel import HWAccel, hwdevices_available

from calibration.errors import UserError

_KINDS = ("cuda", "vaapi", "videotoolbox", "d3d11va", "qsv")
_useless: set[tuple[str, str]] = set()  # kind of device and codec that did not go together here


def open_video(path: Path) -> av.container.InputContainer:
    """The container, opened so that its video is decoded by the fastest means there are.

    Raises:
        UserError: `POEDINOK_HWACCEL` is no kind of device.
        av.FFmpegError, ValueError, OSError: it is no container.
    """
    plain = av.open(str(path))
    if not plain.streams.video:
        return plain
    codec = plain.streams.video[0].codec_context.name
    for kind in _wanted():
        if (kind, codec) in _useless:
            continue
        found = _on_device(path, kind)
        if found is not None:
            plain.close()
            return found
        _useless.add((kind, codec))
    return plain


def _wanted() -> list[str]:
    asked = os.environ.get("POEDINOK_HWACCEL", "").strip().lower()
    if asked == "none":
        return []
    if asked and asked not in _KINDS:
        raise UserError(f"POEDINOK_HWACCEL={asked}: expected none or one of {', '.join(_KINDS)}")
    known = hwdevices_available()
    return [kind for kind in ((asked,) if asked else _KINDS) if kind in known]


def _on_device(path: Path, kind: str) -> av.container.InputContainer | None:
    """The container with decoding on a device, or None if that kind of device is not there or does not take the stream."""
    container = None
    try:
        container = av.open(str(path), hwaccel=HWAccel(kind, allow_software_fallback=False))
        next(container.decode(video=0))  # only a picture shows that it works
        container.seek(0)
        return container
    except (av.FFmpegError, RuntimeError, ValueError, OSError, StopIteration):
        if container is not None:
            container.close()
        return None
