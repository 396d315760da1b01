"""The recording for the Rerun viewer: it opens again and holds what was seen and said; what a user may do wrong."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from calibration.errors import UserError
from referee import rerun_file
from referee.cli import main
from tests.referee.test_annotate import CAMERA, STAMPS, TABLE, small_document, write_tracks, write_video

rerun = pytest.importorskip("rerun")


def test_a_recording_opens_again_and_holds_everything(tmp_path: Path) -> None:
    write_video(tmp_path / "in.mp4")
    write_tracks(tmp_path / "tracks.csv", len(STAMPS))
    document = small_document()
    way = {"label": {"ru": "иначе", "en": "the other way"}, "ruling": None}
    document["shots"][0]["review"] = [{"event": 1, "reason": "in doubt", "alternatives": [way]}]
    out = tmp_path / "match.rrd"
    profile = SimpleNamespace(camera=CAMERA, table=TABLE)
    rerun_file.write_recording(tmp_path / "in.mp4", tmp_path / "tracks.csv", document, profile, out, lang="en")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["in.mp4", "match.rrd", "tracks.csv"]
    tool = [sys.executable, "-m", "rerun", "rrd"]
    subprocess.run([*tool, "verify", str(out)], check=True, capture_output=True, timeout=60)
    shown = subprocess.run([*tool, "print", "-vvv", str(out)], check=True, capture_output=True, text=True, timeout=60).stdout
    entities = ("picture", "picture/balls", "picture/errors", "table/balls", "table/errors", "table/outline", "events", "doubts", "rulings")
    assert [e for e in entities if f"/{e}" not in shown] == []
    assert "the other way → no ruling" in shown


@pytest.mark.parametrize("name", ["match.mp4", "nowhere/match.rrd"])
def test_what_cannot_be_written_is_told_before_any_work(tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "in.mp4").write_bytes(b"")
    assert main(["analyze", str(tmp_path / "in.mp4"), "--out", str(tmp_path / "out"), "--rerun", str(tmp_path / name)]) == 2
    told = capsys.readouterr().err
    assert "--rerun" in told and len(told.splitlines()) == 1
    assert not (tmp_path / "out").exists()


def test_without_the_extra_its_name_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rerun_file, "find_spec", lambda name: None)
    with pytest.raises(UserError, match=r"pip install 'poedinok\[rerun\]'"):
        rerun_file.check(tmp_path / "match.rrd")
