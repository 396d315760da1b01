"""What SOURCE of `live` names: a camera, a stream or a file that is played at real speed."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from calibration.errors import UserError

_SCHEMES = ("rtsp", "rtsps", "http", "https", "udp", "tcp", "srt", "rtmp")
_PATIENCE_US = "5000000"  # of the network, for FFmpeg


@dataclass(frozen=True)
class Address:
    """`url` and `format` as FFmpeg opens them, with `options`; `paced`: a file, to be played at its own speed."""

    name: str
    url: str
    format: str | None = None
    options: dict[str, str] = field(default_factory=dict)
    paced: bool = False


def address_of(source: str, *, size: tuple[int, int] | None = None, rate: int | None = None) -> Address:
    """The address of a camera number, a device, a stream address or a file.

    Args:
        size: picture to ask a camera for, px (that of the profile).
        rate: frames a second to ask a camera for.

    Raises:
        UserError: it is none of these, or is not there.
    """
    if source.isdecimal() or source.startswith("/dev/video"):
        device = source if source.startswith("/dev/") else f"/dev/video{int(source)}"
        if not Path(device).exists():
            raise UserError(f"{source}: no such camera ({device} is not there); expected a camera number, a stream address or a video file")
        options = {"input_format": "mjpeg"}
        if size is not None:
            options["video_size"] = f"{size[0]}x{size[1]}"
        if rate is not None:
            options["framerate"] = str(rate)
        return Address(source, device, "v4l2", options)
    scheme, colon, _ = source.partition("://")
    if colon:
        if scheme.lower() not in _SCHEMES:
            raise UserError(f"{source}: expected an address that begins with one of {', '.join(s + '://' for s in _SCHEMES)}")
        if scheme.lower().startswith("rtsp"):
            return Address(_without_password(source), source, None, {"rtsp_transport": "tcp", "timeout": _PATIENCE_US})
        return Address(_without_password(source), source, None, {"rw_timeout": _PATIENCE_US})
    if not Path(source).is_file():
        raise UserError(f"{source}: not found, expected a camera number, a stream address or a video file")
    return Address(Path(source).name, source, paced=True)


def _without_password(url: str) -> str:
    """The address as it may be shown: what stands before @ is left out."""
    scheme, _, rest = url.partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}://{host.rpartition('@')[2]}{slash}{path}"
