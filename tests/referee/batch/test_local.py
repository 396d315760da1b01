"""The engine of one machine with real processes: deaths, Ctrl-C and kill -9 in the middle of the work."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from referee.batch import local
from referee.batch.jobs import Job, Outcome, Step
from referee.batch.local import LocalEngine, how_it_died, room_for
from tests.referee.batch.clips import cut, profile

ROOT = Path(__file__).parents[3]


def probe(number: int, video: Path) -> Job:
    return Job(number, "probe", {"video": str(video), "content": "", "views": False}, video.name)


def test_room_for_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "free_memory", lambda: 10 << 30)
    assert [room_for(need << 30, 4) for need in (0, 1, 3, 20)] == [4, 4, 2, 1]
    monkeypatch.setattr(local, "free_memory", lambda: None)
    assert room_for(1 << 30, 4) == 4
    assert how_it_died(-11) == "its worker was ended by SIGSEGV" and "memory" in how_it_died(-9) and "status 3" in how_it_died(3)


@pytest.mark.slow
def test_a_worker_that_is_killed_costs_its_job_alone(tmp_path: Path) -> None:
    videos = [cut(tmp_path / f"{n}.mp4", n, n + 0.2) for n in range(4)]
    engine, killed = LocalEngine(1), []

    def step(step: Step) -> None:
        if step.number == 1 and not killed:
            killed.append(int(step.where.rpartition(":")[2]))
            os.kill(killed[0], signal.SIGKILL)

    try:
        outcomes = list(engine.run([probe(n, video) for n, video in enumerate(videos)], step))
    finally:
        engine.close()
    assert [o.job.number for o in outcomes] == [0, 1, 2, 3] and len(killed) == 1
    assert [o.lost for o in outcomes] == [False, True, False, False]
    assert "1.mp4: its worker was ended by SIGKILL" in (outcomes[1].error or "")
    assert outcomes[0].where != outcomes[2].where == outcomes[3].where
    _gone([int(o.where.rpartition(":")[2]) for o in outcomes if not o.lost])


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "killpg"), reason="needs process groups")
def test_interrupted_killed_and_taken_up_again(tmp_path: Path) -> None:
    """Ctrl-C in the second video, kill -9 in the third, then to the end: what was finished is never done twice."""
    videos, out = tmp_path / "videos", tmp_path / "out"
    videos.mkdir()
    for n in range(4):
        cut(videos / f"{n}.mp4", 3 * n, 3 * n + 4)
    profile(videos / "table.toml")
    first = _started(videos, out)
    _wait_for(out, 1)
    os.killpg(first.pid, signal.SIGINT)
    assert first.wait(120) == 130 and "interrupted" in first.stderr.read().splitlines()[-1]
    done = _finished(out)
    assert done and len(done) < 4 and sorted(p.name for p in out.iterdir() if p.is_dir() and p.name != ".batch") == sorted(done)
    assert [p.name for p in (out / ".batch").iterdir() if p.name.startswith("work-")] == []

    second = _started(videos, out)
    _wait_for(out, len(done) + 1)
    second.kill()
    second.wait()
    left = _finished(out)
    assert len(done) < len(left) < 4 and {name: left[name] for name in done} == done
    for name in left:
        json.loads((out / name / "match.json").read_text("utf-8"))

    last = _started(videos, out)
    said = last.communicate(timeout=120)[0]
    assert last.returncode == 0 and f"{4 - len(left)} refereed, {len(left)} finished before" in said
    ended = _finished(out)
    assert sorted(ended) == ["0", "1", "2", "3"] and {name: ended[name] for name in left} == left
    assert sorted(p.name for p in (out / ".batch").iterdir()) == ["lock", "videos.json"]


def _started(videos: Path, out: Path) -> subprocess.Popen[str]:
    code = "import sys; from referee.cli import main; sys.exit(main())"
    command = [sys.executable, "-c", code, "batch", str(videos), "--out", str(out), "--workers", "1"]
    return subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True, preexec_fn=_heeds_interrupts
    )


def _heeds_interrupts() -> None:
    """What a shell without job control starts in the background ignores Ctrl-C, and so would all that it starts."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _finished(out: Path) -> dict[str, int]:
    """Names of finished videos and when their results were written."""
    ledger = json.loads((out / "batch.json").read_text("utf-8"))
    names = [v["name"] for v in ledger["videos"] if v["status"] == "finished"]
    return {name: (out / name / "match.json").stat().st_mtime_ns for name in names}


def _wait_for(out: Path, count: int) -> None:
    for _ in range(1200):
        if (out / "batch.json").exists() and len(_finished(out)) >= count:
            return
        time.sleep(0.1)
    raise AssertionError(f"{count} videos were not finished in two minutes")


def _gone(processes: list[int]) -> None:
    for process in processes:
        with pytest.raises(ProcessLookupError):
            os.kill(process, 0)


def test_outcomes_and_jobs_travel() -> None:
    import pickle

    job = Job(1, "probe", {"video": "a"}, "a")
    assert pickle.loads(pickle.dumps(Outcome(job, 3))) == Outcome(job, 3)
