"""Which video a camera is calibrated on, with cameras that are told apart by a word instead of a picture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from referee.batch.cameras import Wanted, kin_of, place
from referee.batch.jobs import Job, Outcome
from referee.batch.ray_engine import gpu_share
from referee.batch.settings import Settings


class Known:
    """Cameras by the word in a video's picture."""

    def __init__(self) -> None:
        self.leaders: dict[tuple[Any, bytes], str] = {}

    def of(self, wanted: Wanted) -> Any:
        leader = self.leaders.get((wanted.kin, wanted.pictures[0]))
        return leader and SimpleNamespace(leader=leader)

    def add(self, wanted: Wanted, found: dict[str, Any]) -> Any:
        self.leaders[(wanted.kin, wanted.pictures[0])] = wanted.name
        return self.of(wanted)


def wanted(index: int, name: str, view: str) -> Wanted:
    video = f"/club/{name}"
    return Wanted(index, video, name, name, kin_of(video, 640, 360, Settings()), Settings(), [view.encode()], (), 0)


def work(jobs: Sequence[Job]) -> Iterator[Outcome]:
    """Football has no table; in v1 somebody stands before it. The last is done first."""
    for job in reversed(jobs):
        bad = job.label.startswith(("foot", "v1"))
        yield Outcome(job, None if bad else {}, f"{job.label}: no table found" if bad else None)


VIEWS = [("v1", "hall"), ("foot1", "lawn"), ("v2", "hall"), ("v3", "cellar"), ("foot2", "meadow"), ("v4", "hall"), ("v5", "cellar")]


@pytest.mark.parametrize("at_once", [1, 2, 3, 7])
def test_the_leader_is_the_first_whose_table_is_found_however_many_at_once(at_once: int) -> None:
    placed = place([wanted(i, *v) for i, v in enumerate(VIEWS)], Known(), work, at_once)  # type: ignore[arg-type]
    found = {VIEWS[i][0]: c if isinstance(c, str) else c.leader for i, c in placed.items()}
    assert found == {
        "v1": "v2", "foot1": "foot1: no table found", "v2": "v2", "v3": "v3", "foot2": "foot2: no table found", "v4": "v2", "v5": "v3"
    }  # fmt: skip


def test_other_folders_sizes_and_tables_are_other_cameras() -> None:
    kin = kin_of("/club/a.mp4", 640, 360, Settings())
    assert kin == kin_of("/club/b.mp4", 640, 360, Settings(target=3))
    others = [("/bar/a.mp4", 640, Settings()), ("/club/a.mp4", 1920, Settings()), ("/club/a.mp4", 640, Settings(table="pool-9ft"))]
    assert all(kin != kin_of(video, width, 360, settings) for video, width, settings in others)
    assert kin_of("s3://b/x/a.mp4", 1, 1, Settings()) == kin_of("s3://b/x/b.mp4", 1, 1, Settings())


def test_a_task_asks_for_a_gpu_only_where_every_machine_has_one() -> None:
    def node(cpu: int, gpu: int, alive: bool = True) -> dict[str, Any]:
        return {"Alive": alive, "Resources": {"CPU": cpu, "GPU": gpu}}

    assert gpu_share([node(16, 1)]) == 0.062  # sixteen tasks share it
    assert gpu_share([node(16, 1), node(8, 0)]) == 0.0
    assert gpu_share([node(16, 1), node(8, 0, alive=False), {"Alive": True, "Resources": {}}]) == 0.062
    assert gpu_share([node(2, 8)]) == 1.0 and gpu_share([]) == 0.0


def test_the_folder_of_a_path_is_that_of_its_video() -> None:
    assert kin_of(str(Path("/club/a.mp4")), 1, 1, Settings())[0] == "/club"
