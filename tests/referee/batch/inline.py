"""An engine without processes: jobs are done at once, here, in the order given or the reverse; workers can be made to die."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from referee.batch.jobs import Job, Outcome, Step
from referee.batch.worker import do


class Inline:
    """`dies`: labels (their ends) of jobs whose worker dies. `done`: (kind, label) of the jobs done, in order."""

    name = "inline"

    def __init__(self, slots: int = 1, *, backwards: bool = False, dies: Sequence[str] = ()) -> None:
        self.slots, self.backwards, self.dies = slots, backwards, tuple(dies)
        self.done: list[tuple[str, str]] = []

    def run(self, jobs: Sequence[Job], on_step: Callable[[Step], None]) -> Iterator[Outcome]:
        for job in reversed(jobs) if self.backwards else jobs:
            self.done.append((job.kind, job.label.rpartition("/")[2]))
            if job.kind == "analyze" and job.label.endswith(self.dies or ("\0",)):
                yield Outcome(job, error=f"{job.label}: its worker was ended by SIGKILL", lost=True)
            else:
                yield do(job, on_step)

    def close(self, *, kill: bool = False) -> None: ...

    def of(self, kind: str) -> list[str]:
        return [label for done, label in self.done if done == kind]
