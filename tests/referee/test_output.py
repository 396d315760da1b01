"""Output folders: whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from calibration.errors import UserError
from referee.output import staged


def test_files_are_moved_when_whole(tmp_path: Path) -> None:
    out = tmp_path / "a" / "b"
    with staged(out) as folder:
        (folder / "match.json").write_text("1")
        assert not (out / "match.json").exists()
    assert [p.name for p in out.iterdir()] == ["match.json"]


def test_nothing_is_left_of_a_failure_and_older_files_stay(tmp_path: Path) -> None:
    (tmp_path / "match.json").write_text("old")
    with pytest.raises(RuntimeError), staged(tmp_path) as folder:
        (folder / "match.json").write_text("half")
        raise RuntimeError
    assert [(p.name, p.read_text()) for p in tmp_path.iterdir()] == [("match.json", "old")]


def test_folder_that_cannot_be_is_an_error_before_work(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="cannot write there"), staged(tmp_path / "file" / "out"):
        pytest.fail("began work")
    with pytest.raises(UserError, match="cannot write there: it is a file; expected a folder"), staged(tmp_path / "file"):
        pytest.fail("began work")
