"""Work done in another process: the same answers, also when that process dies over it."""

from __future__ import annotations

import os
import signal
import time

import pytest

from vision import workshop
from vision.workshop import Workshop


@pytest.fixture(scope="module")
def shop():
    with Workshop() as shop:
        yield shop


def test_work_is_done_elsewhere_and_its_errors_come_back(shop: Workshop) -> None:
    assert shop.do(os.getpid) == shop.pid != os.getpid()
    with pytest.raises(ZeroDivisionError):
        shop.do(divmod, 1, 0)
    assert shop.do(divmod, 7, 2) == (3, 1)


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


def test_a_process_that_hangs_loses_no_work(monkeypatch: pytest.MonkeyPatch) -> None:
    with Workshop() as shop:
        shop.do(os.getpid)
        monkeypatch.setattr(workshop, "_PATIENCE", 0.2)
        assert shop.do(_slow_there, os.getpid()) == "done"


def _slow_there(here: int) -> str:
    if os.getpid() != here:
        time.sleep(30)
    return "done"


def test_without_a_process_the_work_is_done_here(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(_: str) -> None:
        raise OSError("no more processes")

    monkeypatch.setattr(workshop.multiprocessing, "get_context", none)
    with Workshop() as shop:
        assert shop.pid is None and shop.do(os.getpid) == os.getpid()
