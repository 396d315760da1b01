"""A graphics card is used where there is one; where there is none, or it does not take the stream, nothing is lost."""

from __future__ import annotations

from pathlib import Path

import av
import numpy as np
import pytest

from calibration.errors import UserError
from tests.vision.clips import write_video
from vision import hardware
from vision.frames import Video


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return write_video(tmp_path / "v.mp4", [np.full((48, 64), 20 * n, np.uint8) for n in range(1, 6)])


def test_a_device_that_is_not_there_is_tried_once_and_threads_do_it(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tried = []

    def gone(where: Path, kind: str) -> None:
        tried.append(kind)

    monkeypatch.setattr(hardware, "_useless", set())
    monkeypatch.setattr(hardware, "hwdevices_available", lambda: ["cuda", "vaapi", "opencl"])
    monkeypatch.setattr(hardware, "_on_device", gone)
    monkeypatch.delenv("POEDINOK_HWACCEL", raising=False)
    assert len(list(Video(path))) == len(list(Video(path))) == 5
    assert tried == ["cuda", "vaapi"]


def test_a_device_that_works_is_used(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    used = []

    def works(where: Path, kind: str) -> av.container.InputContainer:
        used.append(kind)
        return av.open(str(where))

    monkeypatch.setattr(hardware, "hwdevices_available", lambda: ["vaapi"])
    monkeypatch.setattr(hardware, "_useless", set())
    monkeypatch.setattr(hardware, "_on_device", works)
    monkeypatch.delenv("POEDINOK_HWACCEL", raising=False)
    assert len(list(Video(path))) == 5 and used == ["vaapi"]


def test_real_devices_give_the_same_pictures(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hardware, "_useless", set())
    monkeypatch.delenv("POEDINOK_HWACCEL", raising=False)
    here = [frame.y.copy() for frame in Video(path)]
    monkeypatch.setenv("POEDINOK_HWACCEL", "none")
    assert all(np.array_equal(a, frame.y) for a, frame in zip(here, Video(path), strict=True))


def test_an_unknown_kind_is_named(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POEDINOK_HWACCEL", "abacus")
    with pytest.raises(UserError, match="POEDINOK_HWACCEL=abacus: expected none or one of cuda"):
        Video(path)
