"""Work done in another process: the same answers, also when that process dies over it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from vision import workshop
from vision.workshop import Workshop


@pytest.fixture(scope="module")
def shop():
    with Workshop() as shop:
        yield shop


def test_work_is_done_elsewhere_and_its_errors_come_back(shop: Workshop) -> None:
    assert shop.do(os.getpid) == shop.pid != os.getpid()
    with pytest.raises(ZeroDivisionError) as error:
        shop.do(divmod, 1, 0)
    assert "in _work" in error.value.__notes__[0], "where it was raised is not lost"
    assert shop.do(divmod, 7, 2) == (3, 1)


class _Odd(Exception):
    """Cannot be read back from what is sent of it."""

    def __init__(self, one: str, other: str) -> None:
        super().__init__(one + other)


def _odd() -> None:
    raise _Odd("no", "thing")


def test_what_cannot_be_sent_is_done_here() -> None:
    with Workshop() as shop:
        with pytest.raises(_Odd, match="nothing"):
            shop.do(_odd)
        assert shop.do(lambda: 3) == 3


def test_a_process_that_dies_loses_no_work(shop: Workshop) -> None:
    first = shop.pid
    assert first is not None
    os.kill(first, signal.SIGKILL)
    assert shop.do(os.getpid) == os.getpid()  # done here
    assert shop.do(os.getpid) == shop.pid not in (first, os.getpid())  # another one has taken its place
    assert shop.do(_killed_there, os.getpid()) == "done"


def _killed_there(here: int) -> str:
    if os.getpid() != here:
        os.kill(os.getpid(), signal.SIGKILL)
    return "done"


def test_one_that_died_too_often_is_started_again_after_an_hour(monkeypatch: pytest.MonkeyPatch) -> None:
    with Workshop() as shop:
        for _ in range(3):
            assert shop.do(_killed_there, os.getpid()) == "done"
        assert shop.pid is None and shop.do(os.getpid) == os.getpid()
        monkeypatch.setattr(workshop, "_FORGIVEN", 0.0)
        assert shop.do(os.getpid) == shop.pid != os.getpid()


def test_a_process_that_hangs_loses_no_work(monkeypatch: pytest.MonkeyPatch) -> None:
    with Workshop() as shop:
        shop.do(os.getpid)
        monkeypatch.setattr(workshop, "_PATIENCE", 0.2)
        assert shop.do(_slow_there, os.getpid()) == "done"


def _slow_there(here: int) -> str:
    if os.getpid() != here:
        time.sleep(30)
    return "done"


def test_one_that_is_closed_over_a_piece_of_work_starts_no_other_process() -> None:
    done: list[str] = []
    with Workshop() as shop:
        waiting = threading.Thread(target=lambda: done.append(shop.do(_slow_there, os.getpid())))
        waiting.start()
        time.sleep(0.2)
    waiting.join(5)
    assert done == ["done"] and shop.pid is None


def test_a_script_without_a_guard_does_its_work_once(tmp_path: Path) -> None:
    """The second process begins by running the script that starts it."""
    script = tmp_path / "script.py"
    script.write_text("from vision.workshop import Workshop\nwith Workshop() as shop:\n    print(shop.do(divmod, 7, 2))\n")
    root = Path(__file__).resolve().parents[2]
    ran = subprocess.run([sys.executable, script], env=os.environ | {"PYTHONPATH": str(root)}, capture_output=True, text=True, timeout=60)
    assert (ran.returncode, ran.stdout) == (0, "(3, 1)\n")


def test_without_a_process_the_work_is_done_here(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(_: str) -> None:
        raise OSError("no more processes")

    monkeypatch.setattr(workshop.multiprocessing, "get_context", none)
    with Workshop() as shop:
        assert shop.pid is None and shop.do(os.getpid) == os.getpid()
