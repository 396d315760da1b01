"""Names of results, the moment when they take their place, and what a killed batch leaves."""

from __future__ import annotations

from pathlib import Path

import pytest

from calibration.errors import UserError
from referee.batch.folders import Folder, clean_name


def made(folder: Folder, name: str, text: str) -> str:
    path = folder.scratch / name
    path.mkdir()
    (path / "match.json").write_text(text)
    return name


def test_names_are_readable_and_never_the_same(tmp_path: Path) -> None:
    with Folder(tmp_path / "out") as folder:
        taken: list[str] = []
        for video in ("/x/one/final.mp4", "/x/two/final.mp4", "/x/two/FINAL.mkv", "/x/финал: 3.mp4", "/x/profiles.mp4", "/x/....mp4"):
            taken.append(folder.free_name(video, taken))
    assert taken == ["final", "final (two)", "FINAL-2", "финал_ 3", "profiles (x)", "video"]
    assert clean_name("a/b\\c" + "x" * 300) == ("a_b_c" + "x" * 300)[:80]


def test_a_folder_of_somebody_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a/thesis.txt").write_text("")
    with Folder(tmp_path) as folder:
        assert folder.free_name("/x/a.mp4", []) == "a (x)"


def test_results_are_replaced_at_once_and_other_files_stay(tmp_path: Path) -> None:
    with Folder(tmp_path) as folder:
        folder.publish(made(folder, "1", "old"), "a")
        (tmp_path / "a/annotated.mp4").write_text("of the old match")
        (tmp_path / "a/notes.txt").write_text("mine")
        folder.publish(made(folder, "2", "new"), "a")
    assert sorted(p.name for p in (tmp_path / "a").iterdir()) == ["match.json", "notes.txt"]
    assert (tmp_path / "a/match.json").read_text() == "new"
    assert sorted(p.name for p in (tmp_path / ".batch").iterdir()) == ["lock"]


def test_a_failed_move_puts_the_old_results_back(tmp_path: Path) -> None:
    with Folder(tmp_path) as folder:
        folder.publish(made(folder, "1", "old"), "a")
        with pytest.raises(OSError):
            folder.publish("never made", "a")
    assert (tmp_path / "a/match.json").read_text() == "old"


def test_what_a_killed_batch_left_is_cleared(tmp_path: Path) -> None:
    """Killed between setting the old results aside and moving the new ones in, and with half-written scratch."""
    (tmp_path / ".batch/work-1/0-x").mkdir(parents=True)
    (tmp_path / ".batch/work-1/0-x/tracks.csv").write_text("half")
    (tmp_path / ".batch/old-1/a").mkdir(parents=True)
    (tmp_path / ".batch/old-1/a/match.json").write_text("old")
    with Folder(tmp_path) as folder:
        assert (tmp_path / "a/match.json").read_text() == "old"
        assert sorted(p.name for p in folder.inner.iterdir()) == ["lock", folder.scratch.name]


def test_one_batch_at_a_time(tmp_path: Path) -> None:
    pytest.importorskip("fcntl")
    with Folder(tmp_path), pytest.raises(UserError, match="another batch is at work"), Folder(tmp_path):
        pass
    with Folder(tmp_path):
        pass


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="cannot write there"), Folder(tmp_path / "file"):
        pass
